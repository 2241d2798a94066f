/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * children.h - internal: a program and all processes that it makes, each stepped from its first instruction
 *
 *	children.c		the run: whose turn it is, and for how long
 *	children_wait.c		what threads report, and whether a process waits
 *	children_meet.c		processes that are met: made by fork, vfork or clone, and what they execute
 *
 * Each process has a struct tracer of its own: its threads, its stacks, its truth. One process has its turn at a time;
 * the others stay where they stopped, or wait in system calls. What they report meanwhile is kept for their turns. So
 * whoever looks at points has one process before it for many of them, and nobody waits for a process that waits.
 *
 * A process that --only does not name runs free. It is traced all the same: what it makes is met, and what it executes
 * may be named.
 */
#ifndef STACKPROOF_CHILDREN_H
#define STACKPROOF_CHILDREN_H

#include "tracer.h"

enum member_state {
	MEMBER_UNTOLD,	/* it has stopped, and who made it has not been told of it yet */
	MEMBER_STEPPED, /* it is, or will be when its turn comes */
	MEMBER_FREE,
	MEMBER_ENDED,
};

/* What waitpid(2) has said. */
struct member_stop {
	pid_t tid;
	int status;
};

struct member {
	enum member_state state;
	struct tracer tracer; /* of a stepped one */
	struct tracer_process process;
	struct member_stop *stop; /* not taken yet, the oldest first */
	size_t stops;
	bool called_ptrace;
	bool reaped; /* its end is among them: the number may be another one's by now */
};

struct children {
	const struct tracer_options *options;
	struct tracer_options each; /* of each process: the run's limits are not its own */
	const struct tracer_callbacks *callbacks;
	struct error *error;
	struct member *first;	/* the program: it stays */
	struct member **member; /* those that live, by number; the program if it does not, too */
	size_t count;
	size_t at; /* whose turn it is, or was */
	size_t living;
	size_t stepped;	    /* processes that have had a turn */
	unsigned int quiet; /* looks since anybody has reported something */
	uint64_t points;    /* of all processes */
	struct tracer_processes sums;
	bool over;   /* nobody is stepped any more */
	bool killed; /* the program was, by SIGKILL, while it was stepped */
};

/* ---- children.c ------------------------------------------------------------------------- */

/* tracer_run() of argv and all that it makes. */
int tracer_run_children(const struct tracer_options *options,
			const struct tracer_callbacks *callbacks,
			struct tracer_counters *ret_counters, int *ret_status, struct error *error);

/* ---- children_wait.c -------------------------------------------------------------------- */

/* Whether a thread of a process that has its turn runs, or will without anybody else's doing. */
bool member_runs(const struct member *member);
/* Waits until somebody reports something, and takes note of that; at_turn: the process that has its turn, or NULL.
 * Returns without, after a moment, if that one may wait for another. -1: error is set. */
int children_hear(struct children *children, const struct member *at_turn);
/* Ends all, and waits until they have. */
void children_kill(struct children *children);

/* ---- children_meet.c -------------------------------------------------------------------- */

/* A process that has not been seen. NULL: no memory; error is set. */
struct member *member_create(struct children *children, pid_t pid);
/* Its stacks have ended. */
void member_destroy(struct member *member);
/* The process that lives and has this number; NULL: it is not known. */
struct member *children_find(const struct children *children, pid_t pid);
/* A thread that is stepped, maker, of the process of, has made the process pid. -1: error is set. */
int children_meet(struct children *children, struct tracer *of, const struct thread *maker,
		  pid_t pid);
/* The process has executed a program, which its thread tid says. True: it is to be stepped. */
bool member_is_wanted(struct children *children, struct member *member, pid_t tid);
/* Someone who is stepped has made a process that no tracer is told of. */
void children_hidden(struct children *children);
/* The process of has: it finds its own tracees traced, or that it is. Each counts once. */
/* That of the whole run. */
struct watchdog *children_watchdog(struct children *children);
void children_called_ptrace(struct children *children, const struct tracer *of);
/* A process that is not stepped has reported: it goes on. -1: error is set. */
int member_goes_free(struct children *children, struct member *member, pid_t tid, int status);
/* From now on the process is not stepped, and what it has reported and is not taken yet is answered so. */
int member_set_free(struct children *children, struct member *member);
/* The process has ended. */
void member_ended(struct children *children, struct member *member, int status);

#endif
