/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * shadow_stack.h - calls and returns seen so far, and the frames that are open now
 *
 * An entry has a return address and its slot, the address of the 8 bytes that hold it. A call that lowered rsp by 8
 * pushes an entry. Entries with slot < rsp are dropped. A signal pushes two: the interrupted PC, and the restorer's
 * address.
 *
 * A frame is proven by its own return: a ret that takes the return address out of its slot and goes where the call
 * said. Every ret is compared with the frame on top, so the truth notices by itself when it was wrong: a *stray*
 * return goes through a slot that no open call wrote, a *replaced* one goes elsewhere. Frames that leave in another
 * way are only presumed gone. Code that judges by a frame watches it, and is told how it ended (struct
 * shadow_observer); until then the judgement is provisional. Setting rsp to what is not computed from it, or dropping
 * several frames at once, *disturbs* the stack: which frames are open is not certain any more, and later returns
 * can't prove what was said before.
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
	uint64_t sum;		  /* a hash of the return addresses from frame[0] to this one */
	uint64_t watch;		  /* its number for the observer; 0: not watched */
	uint64_t epoch;		  /* the stack's epoch when it was opened */
	uint64_t interrupted_sp;  /* rsp then, if a signal interrupted it */
	uint64_t interrupted_sum; /* registers_sum() then */
	bool interrupted;	  /* a signal interrupted it: its handler is on top of it */
	bool planted; /* a handler made it for the code that it interrupted: rsp there is not known */
	bool put_back;	  /* was taken off, and its slot is in use again */
	bool confirmed;	  /* return_address was found in slot (emulator/fast_steps.c) */
	bool moved;	  /* was taken off, and its return address was stored in slot by hand */
	uint64_t copied;  /* another slot, further in, that has its return address; 0: none */
	bool clobbered;	  /* its return did not restore callee_saved */
	uint64_t called;  /* the first instruction that began with rsp at the slot; 0: none yet */
	uint64_t entered; /* the last such instruction */
	/* The caller's rbx, rbp, r12 to r15 at the call, which the callee must restore. */
	uint64_t callee_saved[CALLEE_SAVED_COUNT];
};

/* A stack that is open below another one: where it lies, for the way back (step_stacks.c). */
struct left_stack {
	uint64_t sp, high;	    /* rsp where it was left; its end */
	uint64_t low_map, high_map; /* its mapping */
	uint64_t base;
	pid_t root;
};

/* Another stack in use, on top of frames that are still open: shadow_stack.c says why. */
struct shadow_region {
	uint64_t low, high; /* of the sigaltstack(2), or of the mapping */
	size_t first;	    /* index of the region's first frame: the interrupted one of a signal */
	bool called;	    /* entered by a function that switched and called, not by a signal */
	struct left_stack left; /* called: the stack that the function came from */
};

/* How a frame left the shadow stack. */
enum frame_end {
	FRAME_RETURNED,	 /* by a ret through its slot, or a jump, to its return address */
	FRAME_REPLACED,	 /* by a ret through its slot to another address */
	FRAME_TAKEN_OFF, /* rsp was moved just above its slot, and it never returned */
	FRAME_ABANDONED, /* with others: longjmp, an exception; or the thread ended */
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
/* Callbacks that tell what became of frames. Any may be NULL. */
struct shadow_observer {
	void *context;
	/* A watched frame is gone. target: where a return by it went, else 0. */
	void (*frame_ended)(void *context, const struct shadow_stack *stack,
			    const struct shadow_frame *frame, enum frame_end end, uint64_t target);
	/* A ret took target out of a slot that is no open frame's, or two frames'. */
	void (*stray_return)(void *context, const struct shadow_stack *stack, uint64_t slot,
			     uint64_t target);
	/* A jmp went to a word that was just popped out of slot, where no call had put it. */
	void (*popped_jump)(void *context, const struct shadow_stack *stack, uint64_t slot,
			    uint64_t target);
	/* A frame was taken off alone, and may be put back. settled comes before the next taken_off.
	 * was_frame: the frame was put back, or a jump to its return address ended it. */
	void (*taken_off)(void *context, const struct shadow_stack *stack, uint64_t slot);
	void (*settled)(void *context, const struct shadow_stack *stack, bool was_frame);
	/* Which frames are open is not certain any more: see the top of this file. */
	void (*disturbed)(void *context, const struct shadow_stack *stack);
	/* In place of settled: the frame that was taken off is open again, at another slot. It may move more
	 * than once. Then moved_ended: it returned through that slot; or it is gone in another way (false),
	 * and whether it was there is not known. */
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
	uint64_t base; /* rsp at that instruction, if rooted; else UINT64_MAX */
	uint64_t entered; /* the last instruction that began with rsp at base */
	/* The current function has dropped frames without a return and has not jumped yet (the end of
	 * longjmp, or of an exception's landing): where it goes on is not known. */
	bool in_transit;
	/* Its thread or program ends: frames that are abandoned now were open to the end. */
	bool ends;
	/* The last frame that was taken off alone. It is put back if rsp comes to its slot again and its
	 * return address is still there. It has moved if a carrier is stored where rsp points. It has
	 * returned if a jump goes to its return address. slot 0: there is none. */
	struct shadow_frame taken_off;
	/* The registers that have held its return address since, a mask by the encoding's numbers; 0: none
	 * is known. The caller sets it when a frame was taken off, and updates it. */
	uint16_t carriers;
	/* The same for the innermost open frame, since its return address was loaded from its slot or a
	 * copy. 0 when another frame becomes the innermost. The caller updates it, too. */
	uint16_t readers;
};

/* id and observer are the caller's to set. */
void shadow_stack_init(struct shadow_stack *stack, bool rooted);
void shadow_stack_deinit(struct shadow_stack *stack);
/* After frames from first on have other return addresses, or others below them: their sums. */
void shadow_stack_sum(struct shadow_stack *stack, size_t first);
/* A stack with the same frames, id and observer. watched: false: as if nobody had watched any of them, in a process that
 * was forked. False: out of memory. */
bool shadow_stack_copy(const struct shadow_stack *stack, bool watched, struct shadow_stack *ret);
/*
 * Records a call that stored return_address in slot (= rsp after it); callee_saved: rbx, rbp, r12
 * to r15 at the call, or NULL. False: out of memory.
 */
bool shadow_stack_call(struct shadow_stack *stack, uint64_t slot, uint64_t return_address,
		       const uint64_t *callee_saved);
/* Before the instruction at pc is recorded: notes pc if rsp is at the innermost frame's slot, or at base. */
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
/* The same while a register holds the innermost frame's return address: if that frame leaves alone, it is
 * taken off, wherever rsp is. */
bool shadow_stack_move_held(struct shadow_stack *stack, uint64_t sp);
/* Records a ret that took target out of slot and left rsp at sp. */
enum return_kind shadow_stack_return(struct shadow_stack *stack, uint64_t slot, uint64_t target,
				     uint64_t sp);
/* Tells the observer that a jmp went to the word right below rsp: a popped return address, or the address of
 * a function that was kept there. */
void shadow_stack_popped_jump(const struct shadow_stack *stack, uint64_t slot, uint64_t target);
/* Before a ret is recorded: whether callee_saved is as the frame on top has it. If not, the frame is marked. */
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
/* Keeps the frames from first on, without the outer ones. The stack is then not rooted. */
void shadow_stack_cut(struct shadow_stack *stack, size_t first);

/* What the kernel built on the stack to start a handler; addresses of the tracee. */
struct signal_frame {
	uint64_t restorer_slot; /* rsp at the handler's first instruction */
	uint64_t restorer;
	uint64_t interrupted_slot; /* where the interrupted rip is saved */
	uint64_t interrupted_pc;
	uint64_t interrupted_sp;
	uint64_t interrupted_sum;		   /* registers_sum() */
	uint64_t callee_saved[CALLEE_SAVED_COUNT]; /* of the interrupted code */
	uint64_t alternate_low, alternate_high;	   /* sigaltstack; equal if there is none */
};
/* A hash of the registers of a struct ucontext, REG_R8 to REG_RIP. */
#define SUMMED_REGISTERS (REG_RIP + 1)
uint64_t registers_sum(const greg_t registers[SUMMED_REGISTERS]);
/* Records that a handler was entered. False: out of memory. */
bool shadow_stack_signal(struct shadow_stack *stack, const struct signal_frame *frame);
/* The first half of shadow_stack_sigreturn(): drops the handler's frames, and the interrupted PC's entry. */
void shadow_stack_leave_handler(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* Records that rt_sigreturn went to pc with rsp at sp. If that is on another stack, slots can't tell. */
void shadow_stack_sigreturn(struct shadow_stack *stack, uint64_t pc, uint64_t sp);
/* Whether sp lies on a signal stack in use. It may be an outer one: that of a handler which a handler on
 * another stack has interrupted (SS_AUTODISARM) and just returned to. */
bool shadow_stack_on_region(const struct shadow_stack *stack, uint64_t sp);
/* Records that a function on the stack in use makes its next call on the stack from low to high. False: out
 * of memory. */
bool shadow_stack_continue(struct shadow_stack *stack, uint64_t low, uint64_t high);
/*
 * Fills ret with the frames; ret->pc[0] is pc. ret->stop: STOP_COMPLETE if rooted, STOP_NONE if it is only a prefix,
 * STOP_DEPTH if there are more frames than ret can hold: the innermost are kept. 0, or -1 with ERROR_MEMORY.
 */
int shadow_stack_get(const struct shadow_stack *stack, uint64_t pc, struct stack *ret,
		     struct error *error);
/* True if a frame of such a stack, or of an engine's stack at the same point, was interrupted by a signal:
 * its PC is no return address. */
bool shadow_stack_is_interrupted(const struct shadow_stack *stack, const struct stack *frames,
				 uint32_t frame);

#endif
