/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach.h - internal: processes that run already, stepped in short bursts
 *
 *	attach.c		the run: which thread is next, how long nobody is stopped, when it is over
 *	attach_burst.c		one burst: a thread is stopped, stepped, and let go
 *	attach_processes.c	the processes and their threads, as proc(5) shows them
 *	attach_start.c		a program that is started for it, with all that it makes
 *
 * Between two bursts no process is traced. In one, one thread is: it was found running, so that no system call that
 * waits is interrupted. Each burst has a thread of ours, which traces, and ends with it. For a tracee that is not
 * stopped can't be detached by ptrace(2), but the kernel lets it go, without waking it, when its tracer ends.
 *
 * Which frames are open when a burst begins is not known: its stacks are prefixes.
 */
#ifndef STACKPROOF_ATTACH_H
#define STACKPROOF_ATTACH_H

#include <stdatomic.h>
#include "tracer.h"

/* ---- attach.c --------------------------------------------------------------------------- */

/* tracer_run() of an attached run. */
int tracer_run_attached(const struct tracer_options *options,
			const struct tracer_callbacks *callbacks,
			struct tracer_counters *ret_counters, int *ret_status, struct error *error);

/* ---- attach_burst.c --------------------------------------------------------------------- */

struct burst {
	struct tracer *tracer; /* of the process */
	const struct tracer_attach *wish;
	pid_t tid;
	int cpu;	      /* where we are; -1: anywhere */
	int done_fd;	      /* eventfd(2): written at the end */
	atomic_bool *is_over; /* set from outside: ends it at the next step */
	/* The result. */
	enum burst_end end;
	uint64_t stopped_ns;
	int status; /* -1: an error of the tracer or of a callback is set */
};

/* A thread's main function. The thread that runs it must end after it, before the tracee is stopped again. */
void *burst_run(void *burst);

/* ---- attach_processes.c ----------------------------------------------------------------- */

/* A line of /proc/PID/stat, or of a thread's. */
struct task_state {
	char state; /* R, S, D, T, t, Z, X */
	pid_t parent;
	bool is_kernel;
	int cpu;
	uint64_t start;
};

/* False: there is none. tid: of the process pid. */
bool task_state_read(pid_t pid, pid_t tid, struct task_state *ret);
/* The process that a thread is of; 0: it is gone. */
pid_t task_leader(pid_t tid);
/* Fills ret with the process's number, begin and name. False: it is gone. */
bool tracer_process_find(pid_t pid, struct tracer_process *ret);
/* The path of the process's file; or what it calls itself, or its number, if that can't be read. */
void tracer_process_name(pid_t pid, char *ret, size_t size);
/* Whether the process, or its file without its folder, is called so. only: NULL: any is. */
bool tracer_process_is_named(const struct tracer_process *process, const char *only);
/* The thread of the process that runs, and whose number is the lowest above after, or, if there is none, the lowest.
 * 0: none runs. *ret_others: the process has more threads than one. */
pid_t tracer_process_running(pid_t pid, pid_t after, bool *ret_others);

/* ---- attach_start.c --------------------------------------------------------------------- */

/* The process above a program that was started, and above all that the program has left. */
struct nursery {
	pid_t pid; /* 0: it has ended, or there is none */
	pid_t program;
	int fd;
};

/* Starts options->argv, untraced. -1: ERROR_SYSTEM if it could not be. attach_end() ends ret in any case. */
int attach_start(const struct tracer_options *options, struct nursery *ret, struct error *error);
/* Whether nobody of them lives any more. */
bool attach_has_ended(struct nursery *nursery);
/* Kills who lives. *ret_status: the program's, as of waitpid(2). */
void attach_end(struct nursery *nursery, int *ret_status);

#endif
