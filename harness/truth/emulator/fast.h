/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fast.h - true stacks of a thread of which only calls and returns are seen
 *
 *	fast_block.c	which instructions of a block must be seen, and how
 *	fast_steps.c	calls and returns, by what they store and load
 *
 * Registers are dear: a plugin reads one in as much time as the guest needs for a hundred instructions. A call's
 * store and a ret's load are cheap, and give the slot. A frame whose slot a later call or return lies above is
 * gone. What else can change which frames are open is stepped, by the rules of truth/steps, with registers before
 * and after:
 *
 *	rsp set to another value	a switch of stacks, longjmp
 *	a system call			it may be rt_sigreturn
 *	rsp raised over a slot		only if rsp is lowered before the next call or return; else these will tell
 *
 * Whether rsp rises over a slot is known without reading it. `room` is how many bytes it may rise until it does: a
 * call or return sets it exactly, pushes, pops and additions of a constant change it by a known amount, and what
 * lowers rsp by an unknown amount (and, sub) leaves it as a lower bound.
 *
 * Nor is what a call stores asked for each time, which costs more than all else: a call site's return address is
 * remembered for the process, and held against memory when a stack is asked for.
 *
 *	call f		room = 0	rsp is at f's slot
 *	push rbx	room = 8
 *	pop rbx		room = 0
 *	jmp g		a tail call: the frame is g's
 */
#ifndef STACKPROOF_FAST_H
#define STACKPROOF_FAST_H

#include <stddef.h>
#include <string.h>
#include "hash.h"
#include "truth/steps/steps.h"

/* ---- fast_block.c ------------------------------------------------------------------------- */

enum fast_need {
	FAST_NOTHING,
	FAST_CALL,   /* what it stores, and where */
	FAST_RETURN, /* what it loads, and from where */
	FAST_LEAVE,  /* where it loads from */
	FAST_STEP,   /* registers before and after it */
};

/* An instruction of a block. The members before need are the caller's. */
struct fast_instruction {
	uint8_t bytes[24];		 /* zeros behind it */
	const struct instruction *known; /* for the caller alone */
	struct instruction instruction;
	enum fast_need need;
	uint16_t takes;	  /* FAST_RETURN: bytes of arguments that it takes off (ret n) */
	uint16_t derived; /* FAST_STEP: registers that the block computed from rsp before it */
	bool tries;	  /* before it: if room < enough, the rest of the block is to be stepped */
	bool may_step;	  /* it is in such a rest */
	uint64_t enough;
};

/* What an instruction does to rsp. */
enum sp_change {
	SP_BY_CONSTANT, /* or not at all */
	SP_LOWERED,
	SP_UNKNOWN,
};
struct sp_effect {
	enum sp_change change;
	int64_t bytes; /* SP_BY_CONSTANT: by how much it raises rsp */
};
struct sp_effect fast_sp_effect(const struct fast_instruction *one);

/* Fills in the others. Returns by how much the block raises rsp if nothing in it has set room. */
int64_t fast_block(struct fast_instruction *one, size_t count);

/* ---- fast_steps.c -------------------------------------------------------------------------- */

#define FAST_ROOM_ENOUGH (1ull << 62) /* no frame is in the way */

/* A call's return address in the process that executed it last; its code may be mapped elsewhere in others. */
struct fast_site {
	uint64_t
		known; /* the address, and the process's image above; 0: none. One word: CPUs share it */
};
#define FAST_IMAGE_SHIFT 48 /* user addresses have 47 bits */
#define FAST_IMAGES	 0xffff

/* What conditions are checked by, in a CPU's record. */
struct fast_words {
	uint64_t room;
	uint64_t stepping; /* the rest of the block is stepped */
};

/* The thread that runs on a CPU. Its shadow stack is that of steps.h, its registers are old ones. */
struct fast_state {
	struct stepped_process *process;
	struct stepped_thread *thread;
	uint64_t image; /* of its process, from 1 to FAST_IMAGES; another one after an exec */
	bool careful;	/* calls and returns take the slow way */
	size_t floor;	/* so do returns to fewer frames */
	struct fast_words *words;
	uint64_t calls, returns;
	uint64_t late;	      /* frames that were found gone by a later call or return only */
	uint64_t remapped;    /* return addresses of code that was mapped elsewhere since */
	uint64_t overwritten; /* return addresses that are not in their slots any more */
};

/* False: it must be asked for, and told to fast_remember(). */
static inline bool fast_remembered(const struct fast_state *state, const struct fast_site *site,
				   uint64_t *ret_address)
{
	uint64_t known = __atomic_load_n(&site->known, __ATOMIC_RELAXED);

	*ret_address = known & ((1ull << FAST_IMAGE_SHIFT) - 1);
	return known >> FAST_IMAGE_SHIFT == state->image;
}

static inline void fast_remember(const struct fast_state *state, struct fast_site *site,
				 uint64_t address)
{
	__atomic_store_n(&site->known, address | state->image << FAST_IMAGE_SHIFT,
			 __ATOMIC_RELAXED);
}

/* A call stored the return address. False: nothing was done, fast_call() must. callee_saved and interrupted_sp are left
 * undefined: nobody asks for them here. */
static inline bool fast_called(struct fast_state *state, uint64_t slot, uint64_t return_address)
{
	struct shadow_stack *shadow = &state->thread->shadow;
	size_t count = shadow->count;
	struct shadow_frame *frame;

	if (state->careful || !count || count == shadow->capacity ||
	    shadow->frame[count - 1].slot <= slot)
		return false;
	frame = &shadow->frame[count];
	frame->slot = slot;
	frame->return_address = return_address;
	frame->sum = hash_word(shadow->frame[count - 1].sum, return_address);
	frame->watch = 0;
	frame->epoch = shadow->epoch;
	memset(&frame->interrupted, 0,
	       offsetof(struct shadow_frame, callee_saved) -
		       offsetof(struct shadow_frame, interrupted));
	shadow->count = count + 1;
	state->words->room = 0;
	state->calls++;
	return true;
}

/* A ret used the slot, and left rsp at sp. */
static inline bool fast_returned(struct fast_state *state, uint64_t slot, uint64_t sp)
{
	struct shadow_stack *shadow = &state->thread->shadow;
	size_t count = shadow->count;
	const struct shadow_frame *top;

	if (state->careful || count <= state->floor)
		return false;
	top = &shadow->frame[count - 1];
	if (top->slot != slot || top->interrupted || top->watch || top[-1].slot < sp)
		return false;
	shadow->count = count - 1;
	state->words->room = top[-1].slot - sp;
	state->returns++;
	return true;
}

/* In any case, by the rules of steps.h. What returns an int returns -1 with process->error set. */
int fast_call(struct fast_state *state, const struct instruction *instruction, uint64_t slot,
	      uint64_t return_address);
int fast_return(struct fast_state *state, const struct instruction *instruction, uint64_t slot,
		uint64_t target, uint64_t sp);
int fast_leave(struct fast_state *state, uint64_t address);
/* The rest of the block is stepped. */
void fast_try(struct fast_state *state);
/* The thread is about to execute the instruction at regs, which is stepped. */
int fast_step(struct fast_state *state, const struct user_regs_struct *regs,
	      const struct instruction *instruction, uint16_t derived);
/* It is at regs, before the first instruction of a block: what was stepped before is done. Who calls this makes the fast way
 * free by fast_sync(). */
int fast_settle(struct fast_state *state, const struct user_regs_struct *regs);
/* rsp is at sp, and the thread's stacks are as they are: what may go the fast way? */
void fast_sync(struct fast_state *state, uint64_t sp);
/* A frame was taken off: until it is known what becomes of it, each block must be looked at. */
static inline bool fast_attends(const struct fast_state *state)
{
	return state->thread->shadow.taken_off.slot;
}
/* Before the stack is asked for: holds the return addresses that are new against memory. */
void fast_confirm(struct fast_state *state);
/* How many frames are open, if rsp is at sp and nothing was missed. */
size_t fast_open(const struct stepped_thread *thread, uint64_t sp);
/* Whether a frame at or above sp may be open or not. */
bool fast_is_doubtful(const struct stepped_thread *thread, uint64_t sp);

#endif
