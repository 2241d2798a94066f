/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * truth.h - the stack as the machine built it
 *
 *	target_start.h	starts a program as a traced process
 *	target_follow.h	runs one that stops only at its system calls
 *	target_memory.h	a stopped process's memory
 *	tracer.h	internal: ptrace, every thread of a program, one instruction at a time
 *	children.h	internal: the same of a program and all processes that it makes
 *	attach.h	internal: the same of processes that run already, in short bursts
 *	steps_bench.c	how fast that is, beside a program that single-steps itself
 *
 * Limits of the truth: a stack that was entered by a jump or a return (makecontext, coroutines) is known as a prefix
 * only, and rooted is false. A function that switches stacks in its middle and calls from there keeps its frames.
 * step_stacks.c says which switches inside one mapping are seen. A handler that rewrites the interrupted rip in its
 * ucontext is believed only after rt_sigreturn. If it has also left the interrupted PC on the stack, as a call would,
 * that is a frame. The rules of it all are those of every source of truth: truth/steps/steps.h.
 */
#ifndef STACKPROOF_TRUTH_H
#define STACKPROOF_TRUTH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "error.h"
#include "cfi/expression.h"
#include "truth/steps/steps.h"

/* ---- tracer.c --------------------------------------------------------------------------- */

/* A thread at a stop: the instruction at the PC of regs has not run yet. */
struct trace_stop {
	pid_t pid;
	pid_t tid;
	struct register_values regs; /* all are known */
	struct shadow_stack *shadow; /* its frames may be watched */
	bool alone;		     /* no other thread runs that could write to memory meanwhile */
	bool looked;  /* the tracer has read the stack already, and so made it present */
	bool trapped; /* stopped by the trap flag, so that signal_generate fired in the thread;
		       * false at a handler's first instruction, at a thread's first stop and at a
		       * breakpoint. The first stop after exec is trapped. The program's own
		       * SIGTRAPs fire it too, without a point. */
};

/* Why a burst of steps was over. */
enum burst_end {
	BURST_WHOLE, /* it had its steps, or its time was up */
	BURST_WAITS, /* in a system call that does not come back soon */
	BURST_CALL, /* before a system call that is not for a stepped thread: it makes or ends one, or is about SIGTRAP */
	BURST_SIGNAL, /* a signal came, for the thread to take by itself */
	BURST_FLAGS,  /* before an instruction that traps by itself, or sets the flags */
	BURST_MOVED,  /* the kernel moved the thread: a restartable sequence was aborted */
	BURST_GONE,   /* the thread ended, or another one executed a program */
	BURST_ASLEEP, /* without a step: it was in a system call when it was stopped, which goes on */
	BURST_REFUSED, /* without a step: a step's trap would not be seen by the tracer alone */
	BURST_END_COUNT
};
/* In JSON: "whole". */
const char *burst_end_name(enum burst_end end);

/* What an attached run has cost the process. */
struct tracer_bursts {
	uint64_t count; /* with steps */
	uint64_t end[BURST_END_COUNT];
	uint64_t
		stopped_ns; /* a thread was stopped or stepped, and not by itself in a system call */
	uint64_t longest_ns; /* of these, without a break */
	uint64_t bare;	     /* steps that are no points: no frame was known below the PC yet */
};

/* How a run ended. */
enum tracer_ending {
	TRACER_ENDED,	    /* the program ended by itself */
	TRACER_LIMIT,	    /* point_limit was reached */
	TRACER_LEFT,	    /* the time of an attached run was up, and the process goes on */
	TRACER_KILLED,	    /* by a SIGKILL that the tracer did not send */
	TRACER_TIMEOUT,	    /* the time was up; here and below, tracer_run() fails */
	TRACER_INTERRUPTED, /* by one of ended_by_signals */
	TRACER_FAILED,	    /* by an error of the tracer or of a callback */
};

/* Why a process of a run was not stepped. */
enum process_left {
	PROCESS_NOT_NAMED, /* tracer_attach.only names others */
	PROCESS_REFUSED, /* not 64-bit code; or it can't be traced, or its steps' traps would be seen */
	PROCESS_TOO_MANY, /* there were TRACED_PROCESSES_MAX */
	PROCESS_BRIEF,	  /* it ended before its turn came; or who made it, before it was told of */
	PROCESS_IDLE,	  /* it was never found running */
	PROCESS_UNTRACED, /* it was made with CLONE_UNTRACED: no tracer is told */
	PROCESS_LEFT_COUNT
};
/* In JSON: "not_named". */
const char *process_left_name(enum process_left left);

/* The processes of a run that has several. */
struct tracer_processes {
	uint64_t met; /* those that on_burst was called for, and those of left */
	uint64_t left[PROCESS_LEFT_COUNT];
	uint64_t outlived;	/* that lived when the program had ended; of a run that is whole */
	uint64_t called_ptrace; /* of those that are stepped; of a run that is whole */
};

struct tracer_counters {
	uint64_t steps;	    /* instructions executed under the trap flag */
	uint64_t points;    /* stops given to on_stop */
	uint64_t untrapped; /* of those, with trapped false */
	uint64_t threads;   /* of the traced process, the first included */
	uint64_t children;  /* processes that it made, and that are not followed; without theirs */
	uint64_t untraced;  /* threads that it made with CLONE_UNTRACED: no tracer is told */
	uint64_t execs;	    /* that replaced the program, without the first */
	uint64_t
		stale_instructions; /* executed, though the bytes had changed since they were read */
	uint64_t moved;		    /* steps in which the kernel moved the thread elsewhere */
	uint64_t merged_steps;	/* steps in which two instructions ran: mov ss, the vsyscall page */
	uint64_t rseq_sections; /* restartable sequences that were entered */
	uint64_t rseq_aborts;	/* of those, given up */
	uint64_t timer_signals;
	uint64_t timer_signals_late; /* of those, delivered late */
	uint64_t
		group_signals; /* SIGINT, SIGTERM, SIGHUP of the run's to its group, which don't end it */
	uint64_t frames;       /* sum over all points of the truth's frames below the PC */
	uint64_t min_frames, max_frames;
	uint64_t unrooted;	     /* points whose truth is only a prefix */
	struct step_counters rules;  /* what truth/steps counts */
	uint64_t last_pc;	     /* where the last step led to; 0: there was none */
	bool from_reached;	     /* options->from was reached: points are given */
	struct tracer_bursts bursts; /* of an attached run */
	struct tracer_processes processes;
	enum tracer_ending ending;
};

#define TRACED_PROCESSES_MAX 1024 /* of a run that are stepped, those that have ended with them */

/* Several processes, or one that runs already. */
struct tracer_attach {
	pid_t pid;     /* of one that runs already; 0: argv is started */
	bool children; /* those that it has made, too, and theirs */
	bool whole;    /* argv and all that it makes, each at every instruction; else in bursts */
	const char *only; /* of them those with this name, their file's or their own; NULL: all */
	/* In bursts: */
	uint64_t burst_steps; /* at most */
	unsigned burst_ms;    /* at most; the last point is finished */
	unsigned
		share; /* per mille of the time that a thread is stopped at most: the rest is between bursts */
	/* In any way. */
	unsigned duration_ms; /* 0: until the end */
};

/* A process of a run that has several. */
struct tracer_process {
	pid_t pid;
	uint64_t start; /* when it began, as the kernel counts: its number may come back */
	size_t number;	/* of the run's, from 0 on */
	char name[256]; /* its file's path; or its own name, if that can't be read */
	bool begun;	/* on_burst was called for it */
	bool over;	/* nothing of it is still to come: tracer_attach.whole */
	bool ended;
	int status;		/* then, of one that is stepped whole: as of waitpid(2) */
	bool refused;		/* not to be stepped: */
	enum process_left left; /* why */
	pid_t *tid;		/* the threads that were */
	size_t tid_count;
	struct tracer_counters counters;
};

struct tracer_options {
	char *const *argv;
	char *const *envp; /* NULL: environ */
	/*
	 * Where points begin. NULL: at the first instruction (the dynamic loader's, if any). "_start": at the
	 * program's own entry point; the loader runs unstepped (the stack is empty there, so the truth is whole).
	 * Another symbol of the program: the program is stepped from its entry point on, and points begin when the
	 * symbol is first executed. A program that exec brings in later and that lacks the symbol gives points from
	 * its entry point on. A thread that a library's constructor makes is stepped, and gives no points before that
	 * either.
	 */
	const char *from;
	bool from_once; /* of the first program only: those that exec brings in give points from
			 * their first instruction on */
	uint64_t every; /* a point at every Nth step of a thread; 0 or 1: at each */
	unsigned timeout_ms;   /* 0: none */
	bool ended_by_signals; /* SIGINT, SIGTERM and SIGHUP end the run, and not this process */
	/* eventfd(2) that is written when a signal or the time-out ends the run, for a callback that blocks;
	 * 0: none. */
	int ended_fd;
	bool silence_output;  /* the program's stdout and stderr go to /dev/null */
	bool randomize;	      /* keep address space randomisation; off, so that runs repeat */
	uint64_t point_limit; /* stop (kill) after so many points; 0: none */
	/*
	 * Instead of argv: steps this function in a forked child, which exits with what the function returns. Every
	 * truth is a prefix, since the function's callers are not known. from must be NULL.
	 */
	int (*function)(void *context);
	void *function_context;
	/* Attaches to processes that run, which go on in the end, whatever becomes of the run; or starts argv, and steps
	 * it and all that it makes, whole or in bursts: they are ended with the run. Else NULL. */
	const struct tracer_attach *attach;
};

struct tracer_callbacks {
	/* A process was started or replaced by exec, or its executable mappings changed. Non-zero ends the run. */
	int (*on_mappings)(void *context, pid_t pid);
	/* A point. Non-zero ends the run with an error that the callback has set. */
	int (*on_stop)(void *context, const struct trace_stop *stop, struct error *error);
	/* A stop of a thread at pc that is no point (from, every). As on_stop. */
	int (*on_passed)(void *context, pid_t tid, uint64_t pc, struct error *error);
	/* Of a run that has several processes: the next burst, or turn, is of this one. What was there before a turn still
	 * is, and on_mappings is not called again for it. Non-zero ends the run with an error that the callback has set. */
	int (*on_burst)(void *context, const struct tracer_process *process, struct error *error);
	/* The burst is over, all its stacks have ended, and the process has its counters. Or the turn is; then its stacks
	 * have ended if process->over. */
	void (*on_burst_end)(void *context, const struct tracer_process *process);
	void *context;
	const struct shadow_observer *observer; /* of every stack of the run; or NULL */
};

/*
 * Runs argv from its entry to its exit. Tracer and tracee share one CPU: the calling thread is pinned to its current
 * one meanwhile. *ret_status: as of waitpid(2). Any callback may be NULL. Processes that the program makes are
 * counted, released at their first stop, before their maker goes on, and not waited for. Job control stops are
 * overridden. The calling thread must have no other children meanwhile that it waits for with waitpid(-1). Fails with
 * ERROR_UNAVAILABLE where ptrace is not permitted, with ERROR_TIMEOUT, and with ERROR_SYSTEM if the program could not
 * be started, or, with EINTR, if a signal ended the run. In any case the counters are filled, and the program is
 * gone.
 *
 * A run of several processes (attach.c, children.c) counts in the first one's counters; the others have their own.
 * *ret_status is 0 if argv was not started.
 */
int tracer_run(const struct tracer_options *options, const struct tracer_callbacks *callbacks,
	       struct tracer_counters *ret_counters, int *ret_status, struct error *error);

/* ---- attach_processes.c ----------------------------------------------------------------- */

/* 0: there is such a process, and it can be traced. -1: ERROR_SYSTEM with ENOENT if there is none, ERROR_UNAVAILABLE
 * if it can't be. */
int tracer_process_check(pid_t pid, struct error *error);

/* ---- steps_bench.c ---------------------------------------------------------------------- */

/*
 * Measures steps per second: of tracer_run() without callbacks, and of a program that sets its own trap flag and
 * whose SIGTRAP handler returns at once, which is the machine's limit. Both run the same workload, in turn. The
 * results are medians. rounds: odd, 1 to BENCH_STEPS_ROUNDS.
 */
#define BENCH_STEPS_ROUNDS 5
int bench_steps(unsigned int rounds, double *ret_tracer_steps_per_s, double *ret_self_steps_per_s,
		struct error *error);

#endif
