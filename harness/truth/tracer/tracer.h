/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer.h - internal: what the files of the tracer share
 *
 *	tracer.c		the loop: wait, say what stopped, resume
 *	tracer_start.c		start pinned and seized; find the entry point; end without leftovers
 *	main_address.c		where a program's main is
 *	tracer_watch.c		the time-out; signals that end a run
 *	tracer_step.c		one step of a thread; points
 *	tracer_memory.c		the tracee's memory and mappings
 *
 * One struct tracer per run, or per process where those that a program makes are stepped, too (children.h); one struct
 * thread per thread of the traced process.
 */
#ifndef STACKPROOF_TRACER_H
#define STACKPROOF_TRACER_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <signal.h>
#include "base/child/ending_signals.h"
#include "truth/steps/steps.h"
#include "disturb.h"
#include "truth.h"

enum thread_state {
	THREAD_STARTING, /* has not reached its exec yet: runs unstepped */
	THREAD_TO_ENTRY, /* runs unstepped up to the breakpoint at the program's entry */
	THREAD_ENTERING, /* inside execve; its next trap is the program's first instruction */
	THREAD_NEW,	 /* reported by its maker, not stopped yet */
	THREAD_STEPPED,
	THREAD_FOREIGN, /* a process of its own that clone made: released at its first stop */
};

struct thread {
	struct stepped_thread core; /* regs: at the last stop */
	enum thread_state state;
	bool inherits;	 /* not begun yet: its stack is a copy of its maker's */
	int injected;	 /* the signal given at the last resume, or 0 */
	bool may_inject; /* it stopped for a signal */
	bool waits; /* stopped, and goes on with signal when another thread has left its section */
	int signal;
	struct rseq_watch rseq;
	struct trap_watch traps;
	struct call_watch call;
	struct timer_watch timers;
	uint64_t steps;
};

/* A thread that kills the tracee when the time is up or a signal arrives: tracer_watch.c. */
struct watchdog {
	pthread_t thread;
	bool started;
	atomic_bool over;     /* it has */
	pthread_mutex_t lock; /* of: */
	int pidfd;
	pid_t *own; /* processes of the run, ended ones, too */
	size_t owns;
	atomic_ullong to_group; /* signals that these have sent to their group, by number */
	uint64_t passed_over;	/* signals that were the run's own, and ended nothing */
	int cancel_fd;
	int ended_fd; /* the caller's; 0: none */
	unsigned timeout_ms;
	bool fired; /* the time was up */
	struct ending_signals signals;
	int signal; /* that ended the run; 0: none */
};

struct children;

struct tracer {
	struct stepped_process core; /* context, the memory's too: the tracer */
	const struct tracer_options *options;
	const struct tracer_callbacks *callbacks;
	struct tracer_counters counters;
	pid_t at; /* the thread that stopped last: it is alive, so memory is read through it */
	struct thread **thread;
	size_t thread_count;
	int memory_fd;
	int go_fd;   /* a byte lets the child go on after it was seized */
	int fail_fd; /* delivers errno if exec failed */
	struct watchdog watchdog;
	cpu_set_t cpus_before;
	bool pinned;
	bool holds_strays;
	sigset_t mask_before; /* of who traces */
	bool mapped;	      /* mappings_hash is valid */
	uint64_t mappings_hash;
	struct address_range *volatile_code; /* executable, and writable or shared: not cached */
	size_t volatile_count;
	uint64_t entry; /* AT_ENTRY */
	uint8_t entry_byte;
	bool to_entry;	  /* a breakpoint is at the entry: no points are given */
	uint64_t from_pc; /* points begin there; 0: they have begun */
	enum trap_action trap_action;
	struct thread *in_section; /* the thread in a restartable sequence: the others wait */
	size_t waiting;		   /* how many threads wait */
	bool finished;		   /* the main process is gone: status is valid */
	bool stopping;		   /* point_limit reached */
	bool others; /* threads that are not this process's, or not stepped, share its memory */
	struct children
		*children; /* who is told of processes that it makes; NULL: they are let go */
	bool skips_bare;   /* no point where no frame is known */
	int status;
};

/* tracer.c */
/* A process that nothing is known of yet. */
void tracer_init(struct tracer *tracer, const struct tracer_options *options,
		 const struct tracer_callbacks *callbacks, pid_t pid, struct error *error);
/* Takes what waitpid(2) has said of a thread of the process, and lets it go on. -1: an error. */
int tracer_take(struct tracer *tracer, pid_t tid, int status);
/* NULL: the process has no such thread. */
struct thread *tracer_find_thread(const struct tracer *tracer, pid_t tid);
/* NULL: no memory; error is set. */
struct thread *tracer_add_thread(struct tracer *tracer, pid_t tid, enum thread_state state);
/* Ends the threads' stacks, and forgets the threads. */
void tracer_forget_threads(struct tracer *tracer);
/* 1: done, 0: the thread is being killed (ESRCH) and its end will be reported, -1: error. */
int tracer_registers(struct tracer *tracer, pid_t tid, struct user_regs_struct *ret);
/* Whether tid is a thread of the process pid, and not a process of its own. */
bool thread_is_of(pid_t pid, pid_t tid);

/* tracer_start.c */
int tracer_start(struct tracer *tracer);
/* Ends the tracee if it lives, reaps it, unpins, closes. */
void tracer_end(struct tracer *tracer);
/* The part of it for a process that has ended, or that is nobody's to end. */
void tracer_deinit(struct tracer *tracer);
/* At PTRACE_EVENT_EXEC: prepares to reach options->from. */
int tracer_enter_program(struct tracer *tracer, struct thread *thread);
/* Removes the breakpoint at the entry, where the thread is. */
int tracer_leave_entry(struct tracer *tracer, struct thread *thread);

struct image;

/* main_address.c */
/* The address of main in the image, which _start passes to the C library; 0: not found. */
uint64_t image_main_address(const struct image *image);

/* tracer_watch.c */
int watchdog_start(struct tracer *tracer);
/* Whom it kills from now on. */
void watchdog_aim(struct watchdog *watchdog, pid_t pid);
/* A process is the run's: what it sends to its group does not end the run. Without memory for it, it does. */
void watchdog_own(struct watchdog *watchdog, pid_t pid);
/* A process of the run is about to send that signal to its process group. */
void watchdog_to_group(struct watchdog *watchdog, uint64_t number);
void watchdog_stop(struct tracer *tracer);

/* tracer_step.c */
struct instruction tracer_decode(void *tracer, uint64_t pc);
/* Puts the thread on a new stack without frames, at thread->core.regs. */
void thread_begin_stack(struct tracer *tracer, struct thread *thread, bool rooted);
/* Begins to step the thread at thread->core.regs, before its first instruction. rooted: no frame is below that. */
void thread_begin(struct tracer *tracer, struct thread *thread, bool rooted);
/* The same on the stack that it has. */
void thread_go_on(struct tracer *tracer, struct thread *thread);
/* The instruction thread->core.next was executed and led to regs. */
int thread_step(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
/* A handler was entered. Its first instruction is at regs. */
int thread_enter_handler(struct tracer *tracer, struct thread *thread,
			 const struct user_regs_struct *regs);
/* Calls on_stop for a stop that is a point, and on_passed for one that is not. */
int thread_point(struct tracer *tracer, struct thread *thread, bool trapped);
void thread_destroy(struct thread *thread);

/* tracer_memory.c */
int tracer_memory_open(struct tracer *tracer);
/* Mappings may have changed: forgets decoded code. Calls on_mappings if executable mappings did, or if the
 * program was replaced. */
int tracer_mappings_changed(struct tracer *tracer, bool replaced);
bool tracer_is_volatile(const struct tracer *tracer, uint64_t pc);
/* The mapping that holds address. False if none does. */
bool tracer_mapping_find(void *tracer, uint64_t address, struct address_range *ret);

#endif
