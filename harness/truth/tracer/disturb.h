/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * disturb.h - what stepping would disturb in a program, and how that is prevented
 *
 *	tracer_executed.c	what a step really executed: code that changed, two instructions at once
 *	tracer_rseq.c		restartable sequences: stepped, though each step would abort them
 *	tracer_traps.c		SIGTRAP and the trap flag, as the program would have them without a tracer
 *	tracer_calls.c		the system calls that these depend on
 *	tracer_timers.c		timers that fire too often for a stepped program
 *
 * Internal to the tracer, as tracer.h, which includes this file. Each thread has one struct of each kind.
 */
#ifndef STACKPROOF_DISTURB_H
#define STACKPROOF_DISTURB_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#define EFLAGS_TF   0x100
#define SIGTRAP_BIT (1ULL << (SIGTRAP - 1)) /* in the kernel's signal masks */

struct tracer;
struct thread;

/* The program's action for SIGTRAP. */
enum trap_action {
	TRAP_ACTION_DEFAULT,
	TRAP_ACTION_IGNORE,
	TRAP_ACTION_HANDLER,
};

/* A thread's registered struct rseq, and the critical section that it is in. */
struct rseq_watch {
	uint64_t area;	  /* address of the struct rseq; 0: none is registered */
	uint64_t section; /* address of the struct rseq_cs, hidden from the kernel; 0: in none */
	uint64_t start, end;
	unsigned int steps; /* in the section */
	bool polled;	    /* a section was missed: the field is read after every step */
};

/* A word of memory or a register that, after a step, showed the tracer or hid something of the program, and
 * was corrected. The walk in the kernel ran at the trap, and saw it uncorrected. */
struct trap_repair {
	bool in_register;
	uint64_t at; /* its address, or its offset in struct user_regs_struct */
	size_t size;
	uint64_t seen, right;
};

#define TRAP_REPAIRS_MAX 2 /* of a step: r11, and what the system call wrote or returned */

struct trap_watch {
	bool blocked; /* the program has SIGTRAP blocked; in the kernel it never is */
	bool own;     /* the trap flag is set by the program, too */
	bool rearm;   /* the kernel takes the tracer's trap flag for the program's */
	bool dying;   /* the thread dies of a SIGTRAP that it has blocked */
	bool pending; /* SIGTRAP was sent while it was blocked: info */
	bool traced;  /* the program believes that its parent traces it */
	siginfo_t info;
	struct trap_repair repair[TRAP_REPAIRS_MAX]; /* of the last step */
	size_t repair_count;
};

/* The current system call. It is read before it runs, because it may overwrite its own arguments. */
struct call_watch {
	bool known;	       /* the rest is valid */
	bool blocks;	       /* SIGTRAP will be blocked after it, or while it waits */
	bool waits;	       /* it waits with that mask, and restores the old one at its end */
	bool own;	       /* rt_sigreturn: to code whose trap flag is set */
	bool entered;	       /* under PTRACE_SYSCALL: its end comes next */
	uint64_t trap_handler; /* rt_sigaction of SIGTRAP: the new one */
	bool sets_handler;
};

struct timer_watch {
	int held; /* a timer's signal that waits, or 0 */
	siginfo_t info;
	uint64_t since; /* the thread's steps when a handler was last entered or left */
};

/* tracer_executed.c */
/* The thread is at a uprobe's breakpoint: thread->core.next becomes the instruction that this replaced, if it can
 * be read in the file. */
void tracer_decode_probed(struct tracer *tracer, struct thread *thread);
/*
 * A step has led to regs. Makes thread->core.next the instruction that was executed, and thread->core.regs the
 * registers before it. Until then, thread->core.next is the instruction as it was last decoded.
 */
void thread_executed(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs);

/* True in the vsyscall page, which has no code: the kernel does what its functions do. */
bool is_vsyscall(uint64_t pc);

/* tracer_rseq.c */
/* Asks the kernel for the thread's struct rseq. */
void thread_rseq_find(struct tracer *tracer, struct thread *thread);
/* thread->core.next was executed and led to regs: notes a critical section that was entered or left. */
void thread_rseq_step(struct tracer *tracer, struct thread *thread,
		      const struct user_regs_struct *regs);
/* Leaves the section to the kernel, which aborts it when the thread goes on, as it does natively. */
void thread_rseq_give_up(struct tracer *tracer, struct thread *thread);
/* The thread has left its section, or has ended. */
void thread_rseq_forget(struct tracer *tracer, struct thread *thread);
/* The waiting thread that may go on now; NULL: none. */
struct thread *tracer_rseq_next(struct tracer *tracer);

/* The kernel's sets of signals of a thread: pending for it or for its process, and the actions. */
struct signal_masks {
	uint64_t pending, blocked, ignored, caught;
};

/* tracer_traps.c */
/* 0, or -1 with errno. */
int thread_signal_masks(pid_t tid, struct signal_masks *ret);
/* A program begins: reads its action for SIGTRAP, and whether it has it blocked. */
int tracer_traps_begin(struct tracer *tracer, struct thread *thread);
/* thread->core.next was executed and led to regs: corrects what shows the tracer. */
int thread_hide_stepping(struct tracer *tracer, struct thread *thread,
			 struct user_regs_struct *regs);
/* Notes a correction of thread_hide_stepping(). */
void thread_note_repair(struct thread *thread, const struct trap_repair *repair);
/* Engines see memory and regs as they were at the trap: the first puts them back so, the second corrects
 * memory again. */
void thread_show_trap(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
void thread_hide_trap(struct tracer *tracer, struct thread *thread);
/* A system call has made a thread or a process: takes the tracer's trap flag out of its r11. */
int thread_hide_in_new(struct tracer *tracer, pid_t tid, struct user_regs_struct *regs);
/* A handler was entered; sp is rsp at its first instruction. */
int thread_traps_in_handler(struct tracer *tracer, struct thread *thread, uint64_t sp);
/* SIGTRAP was sent to the thread: the signal to inject, 0 if it must wait. -1: an error. */
int thread_sent_trap(struct tracer *tracer, struct thread *thread);
/* An instruction raised SIGTRAP while the program has it blocked: lets it die of that, as natively. */
int thread_die_of_trap(struct tracer *tracer, struct thread *thread);
/* Unblocks SIGTRAP in the kernel's mask, if it is blocked there. */
int thread_open_trap(struct tracer *tracer, struct thread *thread);
/* Whether the program has a handler for SIGTRAP, which a step must not lose. */
bool tracer_keeps_handler(const struct tracer *tracer);
/* Sets one register, by its offset in struct user_regs_struct. */
int thread_poke_register(struct tracer *tracer, struct thread *thread, size_t offset,
			 uint64_t value);

/* tracer_calls.c */
/* The thread is about to make a system call. */
void thread_call_begin(struct tracer *tracer, struct thread *thread);
/* The call is over: corrects what shows the tracer. May change regs. */
int thread_call_end(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
/* The system call was interrupted: it will be made again, or fail with EINTR. */
bool call_was_interrupted(const struct user_regs_struct *regs);
/* The thread stopped by PTRACE_SYSCALL. *ret_ended: the call is over, and regs are those after it; else it
 * begins. */
int thread_call_stop(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs, bool *ret_ended);
/* *ret: the request by which the thread goes on. *signal, to be injected with it, may become one that
 * waited. -1: an error. */
int thread_resume_request(struct tracer *tracer, struct thread *thread, int *signal,
			  enum __ptrace_request *ret);

/* tracer_timers.c */
/* Counts a timer's signal. True: it waits, and must not be injected now. */
bool thread_timer_holds(struct tracer *tracer, struct thread *thread, int signal);
/* The signal that has waited long enough, or 0. */
int thread_timer_due(struct tracer *tracer, struct thread *thread);

#endif
