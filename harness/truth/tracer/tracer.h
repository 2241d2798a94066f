/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer.h - internal: what the files of the tracer share
 *
 *	tracer.c		the loop: wait, say what stopped, resume
 *	tracer_start.c		start pinned and seized; find the entry point; end without leftovers
 *	main_address.c		where a program's main is
 *	tracer_watch.c		the time-out; signals that end a run
 *	tracer_step.c		one executed instruction -> the shadow stack; points
 *	tracer_stacks.c		which of the process's stacks a thread is on
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
#include "disturb.h"
#include "truth/steps/stack_pool.h"
#include "truth/steps/decoder.h"
#include "truth.h"

enum thread_state {
	THREAD_STARTING, /* has not reached its exec yet: runs unstepped */
	THREAD_TO_ENTRY, /* runs unstepped up to the breakpoint at the program's entry */
	THREAD_ENTERING, /* inside execve; its next trap is the program's first instruction */
	THREAD_NEW,	 /* reported by its maker, not stopped yet */
	THREAD_STEPPED,
	THREAD_FOREIGN, /* a process of its own that clone made: released at its first stop */
};

/*
 * The stack as it was before rsp was set above open frames. After a longjmp these frames are gone. After a switch to
 * a stack that is an array in an outer frame, the thread comes back to them. tracer_stacks.c tells which it was.
 */
struct presumed_stack {
	bool valid;
	struct parked_stack stack; /* a copy, sp as it was left */
	size_t kept;		   /* how many of its outer frames are open in both cases */
	uint64_t landing;	   /* what rsp was set to */
};

struct thread {
	pid_t tid;
	enum thread_state state;
	struct user_regs_struct regs; /* at the last stop */
	struct instruction next;      /* the instruction at regs.rip */
	struct shadow_stack shadow;
	struct address_range stack; /* the mapping that rsp was in */
	uint64_t base;		    /* the highest rsp of the stack in use, as far as it is known */
	pid_t root;		    /* the thread that began on it; 0: none */
	bool may_continue; /* the stack is new: no call, ret or jump on it yet (tracer_stacks.c) */
	struct presumed_stack presumed;
	bool inherits;	  /* not begun yet: its stack is a copy of its maker's */
	bool looked;	  /* the last step was checked for a switch of stacks */
	uint16_t derived; /* a mask of the registers computed from rsp, by the encoding's numbers */
	uint64_t left;	  /* the number under which the stack before is parked */
	int injected;	  /* the signal given at the last resume, or 0 */
	bool may_inject;  /* it stopped for a signal */
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
	int cancel_fd;
	int ended_fd; /* the caller's; 0: none */
	unsigned timeout_ms;
	bool fired; /* the time was up */
	struct ending_signals signals;
	int signal; /* that ended the run; 0: none */
};

struct children;

struct tracer {
	const struct tracer_options *options;
	const struct tracer_callbacks *callbacks;
	struct tracer_counters counters;
	struct error *error;
	pid_t pid;
	pid_t at; /* the thread that stopped last: it is alive, so memory is read through it */
	struct thread **thread;
	size_t thread_count;
	struct stack_pool stacks; /* the stacks that no thread is on */
	uint64_t last_stack_id;
	struct decoder *decoder;
	struct memory_reader memory; /* context: the tracer */
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
/* A process is the run's: its signals don't end the run. Without memory for it they do. */
void watchdog_own(struct watchdog *watchdog, pid_t pid);
void watchdog_stop(struct tracer *tracer);

/* tracer_step.c */
int tracer_out_of_memory(struct tracer *tracer); /* -1, with the error */
struct instruction tracer_decode(struct tracer *tracer, uint64_t pc);
/* Begins to step the thread at thread->regs, before its first instruction. rooted: no frame is below that. */
void thread_begin(struct tracer *tracer, struct thread *thread, bool rooted);
/* The same on the stack that it has. */
void thread_go_on(struct tracer *tracer, struct thread *thread);
/* The instruction thread->next was executed and led to regs. */
int thread_step(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
/* A handler was entered. Its first instruction is at regs. */
int thread_enter_handler(struct tracer *tracer, struct thread *thread,
			 const struct user_regs_struct *regs);
/* The flags of the clone(2), or of what is like it, that is made with these registers. */
uint64_t tracer_clone_flags(const struct tracer *tracer, const struct user_regs_struct *before);
/* Calls on_stop for a stop that is a point, and on_passed for one that is not. */
int thread_point(struct tracer *tracer, struct thread *thread, bool trapped);
void thread_destroy(struct thread *thread);

/* tracer_stacks.c */
/* Puts the thread on a new stack without frames, at thread->regs. */
void thread_begin_stack(struct tracer *tracer, struct thread *thread, bool rooted);
/* The thread, the first of a process that was forked, has the stacks that maker and its process, of, have. */
int thread_inherit(struct tracer *tracer, struct thread *thread, const struct tracer *of,
		   const struct thread *maker);
/* thread->next was executed, and rsp is now sp: finds the thread's stack. */
int thread_follow_stack(struct tracer *tracer, struct thread *thread, uint64_t sp);
/* The function that switched stacks makes a call: the frames that were parked last are open below it. */
int thread_continue_stack(struct tracer *tracer, struct thread *thread);
/* A ret went through no open frame's slot. If it went through one of the stack before, there was no switch:
 * takes that stack back, and returns true. */
bool thread_unswitch_stack(struct tracer *tracer, struct thread *thread, uint64_t slot,
			   uint64_t target);
/* A ret went through no open frame's slot. If it is the first entry of a stack that is an array in an open
 * frame, the thread is put on that stack. */
int thread_enter_array(struct tracer *tracer, struct thread *thread, uint64_t slot,
		       uint64_t target);
/* A frame returned: frames further in that were presumed gone are so for certain now. */
void thread_settle_presumed(struct thread *thread);
/* Ends the thread's stacks, and tells the observer. */
void thread_end_stacks(struct thread *thread);

/* tracer_memory.c */
int tracer_memory_open(struct tracer *tracer);
/* Mappings may have changed: forgets decoded code. Calls on_mappings if executable mappings did, or if the
 * program was replaced. */
int tracer_mappings_changed(struct tracer *tracer, bool replaced);
bool tracer_is_volatile(const struct tracer *tracer, uint64_t pc);
/* The mapping that holds address. False if none does. */
bool tracer_mapping_find(const struct tracer *tracer, uint64_t address, struct address_range *ret);

#endif
