/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * disturb.h - what stepping would disturb in a program, and how it is kept from that
 *
 *	tracer_executed.c	what a step really executed: code that changed, two instructions at once
 *	tracer_rseq.c		restartable sequences: stepped, though each step would abort them
 *	tracer_traps.c		SIGTRAP and the trap flag, as the program would have them to itself
 *	tracer_calls.c		the system calls that these hang on
 *	tracer_timers.c		timers that fire too often for a program that is so slow
 *
 * Private to the tracer, as tracer.h, which includes it: one struct of each per thread.
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

/* Of SIGTRAP, as the program has set it. */
enum trap_action {
	TRAP_ACTION_DEFAULT,
	TRAP_ACTION_IGNORE,
	TRAP_ACTION_HANDLER,
};

/* A thread's registered struct rseq, and the critical section that it is in. */
struct rseq_watch {
	uint64_t area;	  /* of struct rseq; 0: none is registered */
	uint64_t section; /* the struct rseq_cs, hidden from the kernel; 0: in none */
	uint64_t start, end;
	unsigned int steps; /* in it */
	bool polled;	    /* a section was missed: the field is read after every step */
};

/* What a step left of the tracer, or hid of the program, and was put right: a word of memory, or a
 * register. The walk in the kernel was at the trap, and so saw it as it was before. */
struct trap_repair {
	bool in_register;
	uint64_t at; /* its address, or its offset in struct user_regs_struct */
	size_t size;
	uint64_t seen, right;
};

#define TRAP_REPAIRS_MAX 2 /* of a step: r11, and what the system call wrote or returned */

struct trap_watch {
	bool blocked; /* SIGTRAP is, for the program; the kernel always has it open */
	bool own;     /* the trap flag is set by the program, too */
	bool rearm;   /* the kernel takes the tracer's trap flag for the program's */
	bool dying;   /* of a SIGTRAP that it has blocked */
	bool pending; /* one was sent while it was blocked; info says which */
	bool traced;  /* the program believes that its parent traces it */
	siginfo_t info;
	struct trap_repair repair[TRAP_REPAIRS_MAX]; /* of the last step */
	size_t repair_count;
};

/* A system call at hand: read before it runs, because it may overwrite its own arguments. */
struct call_watch {
	bool known;	       /* the rest is valid */
	bool blocks;	       /* SIGTRAP will be blocked after it, or while it waits */
	bool waits;	       /* with that mask: it is taken back at its end */
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
/* A uprobe's breakpoint was met: thread->next becomes what it stands for, if the file says it. */
void tracer_decode_probed(struct tracer *tracer, struct thread *thread);
/*
 * The step that led to regs is over: makes thread->next what was executed, and thread->regs the
 * registers before it. Without it, thread->next is what was there when it was last decoded.
 */
void thread_executed(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs);

/* In the vsyscall page, where there is no code: the kernel does what it is called for. */
bool is_vsyscall(uint64_t pc);

/* tracer_rseq.c */
/* Asks the kernel for the thread's struct rseq. */
void thread_rseq_find(struct tracer *tracer, struct thread *thread);
/* thread->next was executed and led to regs: enters or leaves a critical section. */
void thread_rseq_step(struct tracer *tracer, struct thread *thread,
		      const struct user_regs_struct *regs);
/* The kernel will abort the section when the thread goes on, as it does natively. */
void thread_rseq_give_up(struct tracer *tracer, struct thread *thread);
/* The thread ended, or its program did. */
void thread_rseq_forget(struct tracer *tracer, struct thread *thread);
/* The thread that may go on now, of those that wait; NULL: none. */
struct thread *tracer_rseq_next(struct tracer *tracer);

/* tracer_traps.c */
/* A program begins: what has it done with SIGTRAP before? */
int tracer_traps_begin(struct tracer *tracer, struct thread *thread);
/* thread->next was executed and led to regs: takes out what it shows of the tracer. */
int thread_hide_stepping(struct tracer *tracer, struct thread *thread,
			 struct user_regs_struct *regs);
/* Notes what thread_hide_stepping() puts right. */
void thread_note_repair(struct thread *thread, const struct trap_repair *repair);
/* For who is asked at the point: memory, and regs, are as they were at the trap; and then right again. */
void thread_show_trap(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
void thread_hide_trap(struct tracer *tracer, struct thread *thread);
/* A thread, or a process, was made by a system call, which left the tracer's flag in its r11. */
int thread_hide_in_new(struct tracer *tracer, pid_t tid, struct user_regs_struct *regs);
/* A handler was entered; sp is that of its first instruction. */
int thread_traps_in_handler(struct tracer *tracer, struct thread *thread, uint64_t sp);
/* SIGTRAP was sent to the thread: the signal to inject, 0 if it must wait. -1: an error. */
int thread_sent_trap(struct tracer *tracer, struct thread *thread);
/* An instruction raised SIGTRAP while the program has it blocked: it will die of it, natively. */
int thread_die_of_trap(struct tracer *tracer, struct thread *thread);
/* Unblocks SIGTRAP in the kernel's mask, if it is blocked there. */
int thread_open_trap(struct tracer *tracer, struct thread *thread);
/* Whether the program has a handler for SIGTRAP, which a step must not lose. */
bool tracer_keeps_handler(const struct tracer *tracer);
/* One register, by its offset in struct user_regs_struct. */
int thread_poke_register(struct tracer *tracer, struct thread *thread, size_t offset,
			 uint64_t value);

/* tracer_calls.c */
/* The thread is about to make a system call. */
void thread_call_begin(struct tracer *tracer, struct thread *thread);
/* It was made. May change regs. */
int thread_call_end(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
/* The system call was interrupted: it will be made again, or fail with EINTR. */
bool call_was_interrupted(const struct user_regs_struct *regs);
/* A stop of PTRACE_SYSCALL. *ret_ended: regs are those after the call; else it only begins. */
int thread_call_stop(struct tracer *tracer, struct thread *thread,
		     const struct user_regs_struct *regs, bool *ret_ended);
/* How to let a thread go on; may inject a signal that waited. -1: an error. */
int thread_resume_request(struct tracer *tracer, struct thread *thread, int *signal,
			  enum __ptrace_request *ret);

/* tracer_timers.c */
/* Counts timers' signals. True: this one waits, and must not be injected now. */
bool thread_timer_holds(struct tracer *tracer, struct thread *thread, int signal);
/* The signal that has waited long enough, or 0. */
int thread_timer_due(struct tracer *tracer, struct thread *thread);

#endif
