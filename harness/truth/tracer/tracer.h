/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer.h - what the files of the tracer share, and nobody else
 *
 *	tracer.c		the loop: wait, say what stopped, resume
 *	tracer_start.c		start pinned and seized; find the entry point; end without leftovers
 *	tracer_watch.c		the time-out; signals that end a run
 *	tracer_step.c		one executed instruction -> the shadow stack; points
 *	tracer_stacks.c		which of the process's stacks a thread is on
 *	tracer_memory.c		the tracee's memory and mappings
 *
 * One struct tracer per run, one struct thread per thread of the traced process.
 */
#ifndef STACKPROOF_TRACER_H
#define STACKPROOF_TRACER_H

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include "base/child/ending_signals.h"
#include "disturb.h"
#include "stack_pool.h"
#include "decoder.h"
#include "truth.h"

enum thread_state {
	THREAD_STARTING, /* has not reached its exec yet: runs free */
	THREAD_TO_ENTRY, /* runs free up to the breakpoint at the program's entry */
	THREAD_ENTERING, /* inside execve; its next trap is the program's first instruction */
	THREAD_NEW,	 /* announced, not stopped yet */
	THREAD_STEPPED,
	THREAD_FOREIGN, /* a process of its own that clone made: let go at its first stop */
};

/*
 * The stack as it was before rsp was set above frames that were open. longjmp does that, and then
 * they are gone; so does a switch to a stack that is an array in one of the outer frames, and then
 * the thread comes back to them. tracer_stacks.c tells which.
 */
struct presumed_stack {
	bool valid;
	struct parked_stack stack; /* a copy, sp as it was left */
	size_t kept;		   /* so many of its outer frames are open in both cases */
	uint64_t landing;	   /* what rsp was set to */
};

struct thread {
	pid_t tid;
	enum thread_state state;
	struct user_regs_struct regs; /* at the last stop */
	struct instruction next;      /* the one at regs.rip */
	struct shadow_stack shadow;
	struct address_range stack; /* the mapping that rsp was in */
	uint64_t base;		    /* the highest rsp of the stack in use, as far as it is known */
	pid_t root;		    /* the thread that began on it; 0: none */
	bool may_continue; /* the stack is new, and nothing has happened on it yet: tracer_stacks.c */
	struct presumed_stack presumed;
	bool looked;	  /* at other stacks, after the instruction at hand */
	uint16_t derived; /* the registers computed from rsp, by the encoding's numbers */
	uint64_t left;	  /* the number under which the one before is parked */
	int injected;	  /* the signal given at the last resume, or 0 */
	bool may_inject;  /* it stopped for a signal */
	bool waits;	  /* stopped, to go on with signal when another has left its section */
	int signal;
	struct rseq_watch rseq;
	struct trap_watch traps;
	struct call_watch call;
	struct timer_watch timers;
	uint64_t steps;
};

/* Kills the tracee when the time is up or a signal says so, from a thread of its own:
 * tracer_watch.c. */
struct watchdog {
	pthread_t thread;
	bool started;
	int pidfd;
	int cancel_fd;
	int ended_fd; /* the caller's; 0: none */
	unsigned timeout_ms;
	bool fired; /* the time was up */
	struct ending_signals signals;
	int signal; /* that ended the run; 0 */
};

struct tracer {
	const struct tracer_options *options;
	const struct tracer_callbacks *callbacks;
	struct tracer_counters counters;
	struct error *error;
	pid_t pid;
	pid_t at; /* the thread that stopped last: it lives, so it shows the process's memory */
	struct thread **thread;
	size_t thread_count;
	struct stack_pool stacks; /* that no thread is on */
	uint64_t last_stack_id;
	struct decoder *decoder;
	struct memory_reader memory; /* context: the tracer */
	int memory_fd;
	int go_fd;   /* a byte lets the child go on after it was seized */
	int fail_fd; /* brings errno if exec failed */
	struct watchdog watchdog;
	cpu_set_t cpus_before;
	bool pinned;
	bool mapped; /* mappings_hash is valid */
	uint64_t mappings_hash;
	struct address_range *volatile_code; /* writable and executable: not cached */
	size_t volatile_count;
	uint64_t entry; /* AT_ENTRY */
	uint8_t entry_byte;
	bool to_entry;	  /* a breakpoint is at the entry: no points are given */
	uint64_t from_pc; /* of a symbol; 0: points are given */
	enum trap_action trap_action;
	struct thread *in_section; /* of a restartable sequence: the others wait */
	size_t waiting;		   /* threads */
	bool finished;		   /* the main process is gone: status is valid */
	bool stopping;		   /* point_limit reached */
	int status;
};

/* tracer.c */
/* Whether tid is a thread of the process pid, and not a process of its own. */
bool thread_is_of(pid_t pid, pid_t tid);

/* tracer_start.c */
int tracer_start(struct tracer *tracer);
/* Ends the tracee if it lives, reaps it, unpins, closes. */
void tracer_end(struct tracer *tracer);
/* At PTRACE_EVENT_EXEC: what is needed to reach options->from. */
int tracer_enter_program(struct tracer *tracer, struct thread *thread);
/* Takes the breakpoint at the entry away; the thread is at it. */
int tracer_leave_entry(struct tracer *tracer, struct thread *thread);

struct image;

/* main_address.c */
/* Where main is, by what the C library's _start passes on; 0: it does not say so. */
uint64_t image_main_address(const struct image *image);

/* tracer_watch.c */
int watchdog_start(struct tracer *tracer);
void watchdog_stop(struct tracer *tracer);

/* tracer_step.c */
int tracer_out_of_memory(struct tracer *tracer); /* -1, with the error */
struct instruction tracer_decode(struct tracer *tracer, uint64_t pc);
/* The thread begins to be stepped where regs say: no instruction was executed. */
void thread_begin(struct tracer *tracer, struct thread *thread, bool rooted);
/* The instruction thread->next was executed and led to regs. */
int thread_step(struct tracer *tracer, struct thread *thread, struct user_regs_struct *regs);
/* A handler was entered and its first instruction is at regs. */
int thread_enter_handler(struct tracer *tracer, struct thread *thread,
			 const struct user_regs_struct *regs);
/* Gives the point where the thread is, if it is one. */
int thread_point(struct tracer *tracer, struct thread *thread, bool trapped);
void thread_destroy(struct thread *thread);

/* tracer_stacks.c */
/* The thread is on the stack where regs say, with no frames. */
void thread_begin_stack(struct tracer *tracer, struct thread *thread, bool rooted);
/* thread->next was executed; rsp is now sp. */
int thread_follow_stack(struct tracer *tracer, struct thread *thread, uint64_t sp);
/* The function that switched stacks calls: what was parked last is open below. */
int thread_continue_stack(struct tracer *tracer, struct thread *thread);
/* A ret went through no open frame's slot: was the switch to this stack none? Then the stack
 * before is back, and true. */
bool thread_unswitch_stack(struct tracer *tracer, struct thread *thread, uint64_t slot,
			   uint64_t target);
/* A ret went through no open frame's slot: is it the first entry of a stack that is an array in an
 * open frame? Then that is the stack in use. */
int thread_enter_array(struct tracer *tracer, struct thread *thread, uint64_t slot,
		       uint64_t target);
/* A frame returned: what was presumed open deeper in may be gone for certain now. */
void thread_settle_presumed(struct thread *thread);
/* Ends the thread's stacks; who watches hears of it. */
void thread_end_stacks(struct thread *thread);

/* tracer_memory.c */
int tracer_memory_open(struct tracer *tracer);
/* Something may have changed: forgets decoded code, calls on_mappings if executable mappings did.
 */
int tracer_mappings_changed(struct tracer *tracer, bool replaced);
bool tracer_is_volatile(const struct tracer *tracer, uint64_t pc);
/* The mapping that holds address. False if none does. */
bool tracer_mapping_find(const struct tracer *tracer, uint64_t address, struct address_range *ret);

#endif
