/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * shadow_stack.h - calls and returns seen so far, and the frames that are open now
 *
 * The shadow stack holds (address of the slot with the return address, return address): pushed when
 * a call lowered rsp by 8, dropped while slot < rsp. Signals push two: the restorer's, and the
 * interrupted PC.
 *
 * A frame is proven by its own return: a ret that takes the return address out of its slot and goes
 * where the call said. Every ret is held against the frame on top, so the truth notices by itself
 * when it was wrong: a return through a slot that no open call wrote (a stray one), or to somewhere
 * else (a replaced one). Frames that leave in another way are only presumed gone. Who judges by a
 * frame watches it, and hears how it ended (struct shadow_observer): until then all that was said
 * is provisional. Setting rsp to what is not computed from it, or dropping several frames at once,
 * disturbs the stack: what was open may or may not be, and nothing that was said before can be
 * proven by what comes after.
 */
#ifndef STACKPROOF_SHADOW_STACK_H
#define STACKPROOF_SHADOW_STACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>
#include "error.h"
#include "walk/stack.h"
#include "table/table_abi.h"

struct shadow_frame {
	uint64_t slot;		  /* address of the 8 bytes that hold return_address */
	uint64_t return_address;  /* or the interrupted PC */
	uint64_t watch;		  /* its number for the observer; 0: nobody wants to know */
	uint64_t epoch;		  /* the stack's disturbances before it was opened */
	uint64_t interrupted_sp;  /* rsp then, if it is below a signal frame */
	uint64_t interrupted_sum; /* of all registers then: registers_sum() */
	bool interrupted;	  /* below a signal frame */
	bool planted;	  /* a handler left it for what it interrupted: rsp there is not known */
	bool put_back;	  /* was taken off, and its slot is in use again */
	bool moved;	  /* was taken off, and its return address put into the slot, by hand */
	uint64_t copied;  /* another slot, further in, that its return address was stored in; 0 */
	bool clobbered;	  /* its ret did not bring callee_saved back */
	uint64_t called;  /* the first instruction that began with rsp at the slot; 0: none yet */
	uint64_t entered; /* the last one */
	/* What the caller's rbx, rbp, r12 to r15 were at the call: the callee must bring them back.
	 */
	uint64_t callee_saved[CALLEE_SAVED_COUNT];
};

/* A stack that goes on below another one: where it is, for who comes back to it
 * (tracer_stacks.c). */
struct left_stack {
	uint64_t sp, high;	    /* from rsp where it was left to its end */
	uint64_t low_map, high_map; /* its mapping */
	uint64_t base;
	pid_t root;
};

/* Another stack in use, on top of frames that are still open: shadow_stack.c says why. */
struct shadow_region {
	uint64_t low, high; /* as sigaltstack has it; or the mapping */
	size_t first;	    /* index of the region's first frame: the interrupted one of a signal */
	bool called;	    /* entered by a function that went there and called, not by a signal */
	struct left_stack left; /* called: the one that it came from */
};

/* How a frame left the shadow stack. */
enum frame_end {
	FRAME_RETURNED,	 /* by a ret through its slot, or a jump, to its return address */
	FRAME_REPLACED,	 /* by a ret through its slot to another address */
	FRAME_TAKEN_OFF, /* rsp was moved just above its slot, and it never returned */
	FRAME_ABANDONED, /* several at once: longjmp, an exception; or the thread ended */
	FRAME_LOST,	 /* the whole stack was given up: its memory was used again */
};

/* What a ret did. */
enum return_kind {
	RETURN_EXPECTED, /* the top frame, to its return address */
	RETURN_REPLACED, /* the top frame, to another address */
	RETURN_STRAY,	 /* no open call had put its return address there */
	RETURN_DOUBLED,	 /* as expected, but another frame went, too, or had the same slot */
	RETURN_COPIED,	 /* as expected, out of the slot that the return address was copied to */
};

struct shadow_stack;
/* Who wants to know what became of the frames that it judged by. Any may be NULL. */
struct shadow_observer {
	void *context;
	/* A frame with a watch is gone; target: where a ret through its slot went, else 0. */
	void (*frame_ended)(void *context, const struct shadow_stack *stack,
			    const struct shadow_frame *frame, enum frame_end end, uint64_t target);
	/* A ret took target out of a slot that is no open frame's, or two frames'. */
	void (*stray_return)(void *context, const struct shadow_stack *stack, uint64_t slot,
			     uint64_t target);
	/* Which frames are open is not certain any more; see the top of this file. */
	/* A jmp to a word that was just popped out of slot, where no call had put it. */
	void (*popped_jump)(void *context, const struct shadow_stack *stack, uint64_t slot,
			    uint64_t target);
	/* A frame was taken off alone, and may be put back. Then: it was, or a jump to its return
	 * address has ended it (true); or it was neither (false). Of one frame at a time. */
	void (*taken_off)(void *context, const struct shadow_stack *stack, uint64_t slot);
	void (*settled)(void *context, const struct shadow_stack *stack, bool was_frame);
	void (*disturbed)(void *context, const struct shadow_stack *stack);
	/* In place of settled: the frame that was taken off is open again, at another slot. Or is
	 * so once more. Then: it returned through there (true), or it is gone otherwise, and
	 * whether it was there nobody knows. */
	void (*moved)(void *context, const struct shadow_stack *stack, uint64_t slot);
	void (*moved_ended)(void *context, const struct shadow_stack *stack, uint64_t slot,
			    bool returned);
	/* A frame is about to return through slot, which its return address was copied to. */
	void (*copy_returned)(void *context, const struct shadow_stack *stack, uint64_t slot,
			      uint64_t target);
};

struct shadow_stack {
	uint64_t id;				/* of all stacks of a run, from 1 on; 0: none */
	const struct shadow_observer *observer; /* or NULL */
	uint64_t epoch;				/* disturbances so far */
	struct shadow_frame *frame;		/* [0] is the outermost */
	size_t count;
	size_t capacity;
	struct shadow_region *region; /* [0] is the outermost */
	size_t region_count;
	size_t region_capacity;
	bool rooted;   /* it began at the thread's first instruction: nothing is below frame[0] */
	uint64_t at;   /* the instruction that is being recorded; the caller's to set */
	uint64_t base; /* rsp then, if it is rooted; else UINT64_MAX */
	uint64_t entered; /* as of a frame, with rsp at base */
	/* The function at hand has abandoned frames otherwise than by a return and has not jumped
	 * yet (the end of longjmp or of an exception's landing): where it will go on is not known.
	 */
	bool in_transit;
	/* Its thread or program ends: what is abandoned now was open to the end. */
	bool ends;
	/* The frame that was taken off last, alone. Put back if rsp comes to its slot again and its
	 * return address is still there; moved if a carrier is stored where rsp stands; returned if
	 * a jump goes to that. slot 0: there is none. */
	struct shadow_frame taken_off;
	/* The registers that have had its return address since, by the encoding's numbers; 0: it is
	 * not known where that is. The caller's to set when a frame was taken off, and to follow.
	 */
	uint16_t carriers;
	/* The same of the innermost frame that is open, since it was read out of its slot or of a
	 * copy; until any other is. The caller's, too. */
	uint16_t readers;
};

/* id and observer are the caller's to set. */
void shadow_stack_init(struct shadow_stack *stack, bool rooted);
void shadow_stack_deinit(struct shadow_stack *stack);
/*
 * Records a call that stored return_address in slot (= rsp after it); callee_saved: rbx, rbp, r12
 * to r15 at the call, or NULL. False: out of memory.
 */
bool shadow_stack_call(struct shadow_stack *stack, uint64_t slot, uint64_t return_address,
		       const uint64_t *callee_saved);
/* Notes where a frame's function goes on with rsp at its slot; before the instruction at pc is
 * recorded. */
static inline void shadow_stack_enter(struct shadow_stack *stack, uint64_t pc, uint64_t sp)
{
	if (!stack->count && sp == stack->base)
		stack->entered = pc;
	else if (stack->count && sp == stack->frame[stack->count - 1].slot) {
		struct shadow_frame *top = &stack->frame[stack->count - 1];

		top->entered = pc;
		if (!top->called)
			top->called = pc;
	}
}
/* Records any other executed instruction, by rsp after it. True if it dropped frames. */
bool shadow_stack_move(struct shadow_stack *stack, uint64_t sp);
/* The same where a register has the innermost frame's return address: if that goes alone, it is
 * taken off, wherever rsp stands. */
bool shadow_stack_move_held(struct shadow_stack *stack, uint64_t sp);
/* Records a ret that took target out of slot and left rsp at sp. */
enum return_kind shadow_stack_return(struct shadow_stack *stack, uint64_t slot, uint64_t target,
				     uint64_t sp);
/* Tells that a jmp went to a word that lies right below rsp: it may have been popped as a return
 * address, or be a function's that was kept there. */
void shadow_stack_popped_jump(const struct shadow_stack *stack, uint64_t slot, uint64_t target);
/* Before a ret is recorded: does it bring back what the frame on top has as callee-saved? If
 * not, the frame is marked. */
bool shadow_stack_restores(struct shadow_stack *stack, uint64_t slot, const uint64_t *callee_saved);
/* Records a jump to pc with rsp at sp. True: it was the return of the frame taken off last. */
bool shadow_stack_jump(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* The frame taken off last is open again. False: out of memory. */
bool shadow_stack_put_back(struct shadow_stack *stack);
/* The same at another slot, below all that are open. */
bool shadow_stack_put_at(struct shadow_stack *stack, uint64_t slot);
/* The frame taken off last is gone for good. */
void shadow_stack_settle_taken_off(struct shadow_stack *stack);
/* Which frames are open is not certain any more. */
void shadow_stack_disturb(struct shadow_stack *stack);
/* The stack is given up, and all its frames with it. */
void shadow_stack_end(struct shadow_stack *stack, enum frame_end end);
/* The frames from first on alone, without the outer ones; the root is then not known. */
void shadow_stack_cut(struct shadow_stack *stack, size_t first);

/* What the kernel built on the stack to start a handler; addresses of the tracee. */
struct signal_frame {
	uint64_t restorer_slot; /* rsp at the handler's first instruction */
	uint64_t restorer;
	uint64_t interrupted_slot; /* where the interrupted rip is saved */
	uint64_t interrupted_pc;
	uint64_t interrupted_sp;
	uint64_t interrupted_sum;		   /* registers_sum() */
	uint64_t callee_saved[CALLEE_SAVED_COUNT]; /* as they were interrupted */
	uint64_t alternate_low, alternate_high;	   /* sigaltstack; equal if there is none */
};
/* A number by which the registers of a struct ucontext, REG_R8 to REG_RIP, are known again. */
#define SUMMED_REGISTERS (REG_RIP + 1)
uint64_t registers_sum(const greg_t registers[SUMMED_REGISTERS]);
/* Records that a handler was entered. False: out of memory. */
bool shadow_stack_signal(struct shadow_stack *stack, const struct signal_frame *frame);
/* The first half of shadow_stack_sigreturn(): the handler's frames go, and what was interrupted is
 * on top.
 */
void shadow_stack_leave_handler(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* Records that rt_sigreturn went to pc with rsp at sp: on another stack, slots can't tell. */
void shadow_stack_sigreturn(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* Whether sp lies on any signal stack in use: not the innermost one if that was just left for an
 * outer one (a handler on an alternate stack, interrupted by one on another: SS_AUTODISARM). */
bool shadow_stack_on_region(const struct shadow_stack *stack, uint64_t sp);
/* Records that what is called next is called on the stack from low to high, by a function on the
 * one in use. False: out of memory. */
bool shadow_stack_continue(struct shadow_stack *stack, uint64_t low, uint64_t high);
/*
 * The frames as a stack whose pc[0] is pc. stop: STOP_COMPLETE if rooted, STOP_NONE if it is only a
 * prefix, STOP_DEPTH if there were more than ret can hold: the innermost are kept. 0, or -1 with
 * ERROR_MEMORY.
 */
int shadow_stack_get(const struct shadow_stack *stack, uint64_t pc, struct stack *ret,
		     struct error *error);
/* A frame of such a stack, or of an engine's beside it, was interrupted by a signal: its PC is no
 * return address. */
bool shadow_stack_is_interrupted(const struct shadow_stack *stack, const struct stack *frames,
				 uint32_t frame);

#endif
