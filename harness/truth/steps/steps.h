/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * steps.h - one executed instruction -> the shadow stack
 *
 *	step_apply.c	what an executed instruction did, and the kernel where a handler begins
 *	step_stacks.c	which of the process's stacks a thread is on
 *	step_stacks.h	internal: what step_apply.c asks of step_stacks.c
 *	shadow_stack.h	calls and returns seen so far -> the frames that are open now
 *	stack_pool.h	the stacks that no thread is on, with their frames
 *	decoder.h	what one instruction does to the stack
 *
 * A source of truth executes a program, and knows the registers and the memory between any two instructions. The tracer
 * (truth/tracer) is one. It has a struct stepped_process for each process, a struct stepped_thread for each thread, and
 * calls
 *
 *	stepped_begin()		before a program's or a thread's first instruction; or stepped_inherit()
 *	stepped_arrive()	with the registers before that
 *	stepped_apply()		with those after an instruction; then stepped_arrive() with the same, and so on
 *	stepped_enter_handler()	in place of these two, where the kernel has put the thread into a signal's handler
 *	stepped_end()		at the thread's end, with stack_pool_forget()
 *
 * In stepped_apply(), thread->regs and thread->next are as before the instruction. If another was executed than was
 * decoded, who knows it sets thread->next before. What returns an int returns -1 with process->error set, where memory
 * is out or cannot be read; then the thread's stacks can only be ended.
 */
#ifndef STACKPROOF_STEPS_H
#define STACKPROOF_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>
#include "decoder.h"
#include "shadow_stack.h"
#include "stack_pool.h"

/* What the steps of a run were. */
struct step_counters {
	uint64_t unknown_instructions; /* executed, though their opcode could not be read */
	uint64_t call_mismatches; /* calls that did not push the address behind them: must be 0 */
	uint64_t signals;	  /* delivered to handlers */
	uint64_t stack_switches;  /* to a stack that is neither the thread's nor a signal stack */
	/* What the truth noticed about itself. */
	uint64_t returns;	   /* compared with the frame on top */
	uint64_t returns_replaced; /* that went elsewhere than their call said */
	uint64_t returns_stray;	   /* through a slot that no open call wrote */
	uint64_t returns_doubled;  /* that ended two frames: must be 0 */
	uint64_t
		returns_registers; /* that did not bring rbx, rbp, r12 to r15 back as at the call */
	uint64_t taken_off;	   /* frames that left alone, by pop, add or lea */
	uint64_t put_back;	   /* of those, put back */
	uint64_t frames_moved;	   /* put into another slot, or returned through a copy */
	uint64_t abandoned;	   /* frames that were dropped in another way: with others, say */
	uint64_t disturbances;
	/* By which two sources of truth are compared: stepped_point(). */
	uint64_t stacks; /* without those that repeat the thread's one before */
	uint64_t stacks_digest;
	uint64_t entries, entries_digest; /* the same of stepped_entry() */
};

/* All stacks of a thread as a number. */
struct stacks_digest {
	uint64_t stacks, last, all;
};

/* Begins zeroed, but for the members before stacks. */
struct stepped_process {
	pid_t pid;
	struct error *error;
	struct step_counters *counters;
	const struct shadow_observer *observer; /* of every stack; or NULL */
	struct memory_reader memory;
	struct decoder *decoder;
	void *context; /* of: */
	/* The instruction at pc, by decoder_at() or decoder_decode(). */
	struct instruction (*decode)(void *context, uint64_t pc);
	/* The mapping that holds address. False: none does. */
	bool (*find_mapping)(void *context, uint64_t address, struct address_range *ret);
	struct stack_pool stacks; /* that no thread is on; who owns the process clears it */
	uint64_t last_stack_id;
};

/*
 * The stack as it was before rsp was set above open frames. After a longjmp these frames are gone. After a switch to
 * a stack that is an array in an outer frame, the thread comes back to them. step_stacks.c tells which it was.
 */
struct presumed_stack {
	bool valid;
	struct parked_stack stack; /* a copy, sp as it was left */
	size_t kept;		   /* how many of its outer frames are open in both cases */
	uint64_t landing;	   /* what rsp was set to */
};

/* Begins zeroed, but for tid and regs. */
struct stepped_thread {
	pid_t tid;
	struct user_regs_struct regs; /* before the instruction: */
	struct instruction next;      /* at regs.rip */
	struct shadow_stack shadow;
	struct address_range stack; /* the mapping that rsp was in */
	uint64_t base;		    /* the highest rsp of the stack in use, as far as it is known */
	pid_t root;		    /* the thread that began on it; 0: none */
	bool may_continue; /* the stack is new: no call, ret or jump on it yet (step_stacks.c) */
	struct presumed_stack presumed;
	bool pending;	/* next is about to be executed; else it is old (emulator/fast.h) */
	uint64_t doubt; /* the slot of a frame that may be open or not; 0: none (emulator/fast.h) */
	bool looked;	/* the last step was checked for a switch of stacks */
	uint16_t derived; /* a mask of the registers computed from rsp, by the encoding's numbers */
	uint64_t left;	  /* the number under which the stack before is parked */
	struct stacks_digest digest, entries;
};

/* ---- step_apply.c ----------------------------------------------------------------------- */

/* rbx, rbp, r12 to r15. */
void callee_saved_of(const struct user_regs_struct *regs, uint64_t ret[CALLEE_SAVED_COUNT]);
/* What thread->next did to the stacks, by the registers after it. A system call's only by rsp: if it has changed what
 * code is mapped (call_may_change_code()), that is the source's to see to. */
int stepped_apply(struct stepped_process *process, struct stepped_thread *thread,
		  const struct user_regs_struct *regs);
/* The thread is at regs now: takes them over, and decodes the next instruction. */
void stepped_arrive(struct stepped_process *process, struct stepped_thread *thread,
		    const struct user_regs_struct *regs);
/* A handler was entered, by a frame that the kernel built at rsp. Its first instruction is at regs. */
int stepped_enter_handler(struct stepped_process *process, struct stepped_thread *thread,
			  const struct user_regs_struct *regs);
/* Whether a system call's result, its rax, is an error. */
bool call_failed(uint64_t result);
/* Whether a system call that succeeded can have changed what code is mapped. protection: its third argument. */
bool call_may_change_code(uint64_t number, uint64_t protection);
/* The flags of the clone(2), or of what is like it, that is made with these registers; 0: it is none. */
uint64_t call_clone_flags(const struct stepped_process *process,
			  const struct user_regs_struct *before);

/* The stack at thread->regs counts: adds its frames' addresses, and whether they are all, to the process's digest. The
 * order of threads makes no difference, nor does an instruction that is executed again. */
void stepped_point(struct stepped_process *process, struct stepped_thread *thread);
/* The same for where the thread goes on after the kernel ran; there each stack counts. */
void stepped_entry(struct stepped_process *process, struct stepped_thread *thread);

/* ---- step_stacks.c ---------------------------------------------------------------------- */

/* Puts the thread on a new stack without frames, at thread->regs, before its first instruction. rooted: no frame is
 * below that. made: by another thread, on a stack that begins there; else above rsp lie the program's arguments. */
void stepped_begin(struct stepped_process *process, struct stepped_thread *thread, bool rooted,
		   bool made);
/* In place of it: the thread, the first of a process that was forked, has the stacks that maker and its process, of,
 * have. */
int stepped_inherit(struct stepped_process *process, struct stepped_thread *thread,
		    const struct stepped_process *of, const struct stepped_thread *maker);
/* Ends the thread's stacks, and tells the observer. */
void stepped_end(struct stepped_thread *thread);

#endif
