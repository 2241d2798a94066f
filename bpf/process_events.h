/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_events.h - keeps a session's lists of mappings true while processes run
 *
 *	process_events_open()		from now on no change is missed
 *	process_events_add_existing()	give the session the processes that there are
 *	process_events_consume()	follow changes and take stacks: from time to time, and when
 *					process_events_fd() is readable
 *	process_events_close()
 *
 * After an exec, a fork, a new mapping or a process's end the session's lists of mappings are updated, a
 * moment later. A stack that was walked in that moment, and has a frame where mappings had changed, may be
 * wrong, and is marked as raced. Not thread-safe: one thread for it and its session.
 */
#ifndef STACKPROOF_PROCESS_EVENTS_H
#define STACKPROOF_PROCESS_EVENTS_H

#include "session.h"

struct process_events;

/* Zeros are the defaults. */
struct process_events_options {
	pid_t pid;	/* this process and all its descendants; 0: every process */
	uint32_t pages; /* of each CPU's ring buffer, a power of two; default 64 */
	bool alone;	/* only pid itself, without its descendants */
	bool clocks;	/* threads have perf events: process_events_next_without_clock() */
};

/* session and store are borrowed. All address spaces that the session is given must come from store; of images that
 * no address space has, it keeps 64 (image_store_forget()). *ret: process_events_close(). ERROR_UNAVAILABLE: no
 * privilege, or not supported here; the message says which. */
int process_events_open(struct bpf_session *session, struct image_store *store,
			const struct process_events_options *options, struct process_events **ret,
			struct error *error);
/* To be called before the session is closed. The session keeps its lists. */
void process_events_close(struct process_events *events);

/*
 * Gives the session all wanted processes that run now. Reading them ends after a second; the others wait for
 * process_events_poll(). A process that the session has no room for is counted as refused, and is no error:
 * process_events_refusal() says why.
 */
int process_events_add_existing(struct process_events *events, struct error *error);

/* A descriptor for poll(2) that is readable when a process has changed, and while bpf_session_fd() is. */
int process_events_fd(const struct process_events *events);

/* Follows everything that changed until now. Reading processes ends after 20 ms, but at least one is read; the others
 * wait for the next call. process_events_consume() does the same: this function is for callers that take no stacks
 * from it. */
int process_events_poll(struct process_events *events, struct error *error);

struct process_stack {
	const struct walk_record *record; /* valid until the callback returns, like space */
	bool frame_pointer;		  /* of the baseline, which uses no mappings */
	uint64_t times;			  /* how often it was met: 1 if stacks are not counted */
	uint64_t off_ns; /* how long its threads were off their CPUs, if that is what is counted */
	bool still_off;	 /* its thread is off its CPU yet: process_events_hold_still_off() */
	/* The mappings at one of its frames had changed before the walk, which did not know the
	 * change yet. Of a counted stack: before the last of the walks. */
	bool raced;
	/* The mappings that the walk used. NULL: they are not known any more, and the stack is raced. */
	const struct address_space *space;
};

/* Of this header's functions it may call process_events_counters() only. */
typedef void (*process_stack_fn)(void *context, const struct process_stack *stack);

/*
 * Takes all stacks that the session has, then follows all changes until now, then gives the stacks to fn. So
 * all changes before a stack are known when it is judged.
 */
int process_events_consume(struct process_events *events, process_stack_fn fn, void *context,
			   struct error *error);

/*
 * The same in two parts for a session that counts stacks. The first takes each different stack since the last time,
 * and the second gives fn those that were taken: all, or, after so many nanoseconds, only some; *ret_more: there are
 * others, for the next call. In between process_events_poll() is to be called as ever; it keeps the stacks' records,
 * and the lists of mappings that they were walked by stay until they have been given. *ret_unsent:
 * bpf_session_take_counts().
 */
int process_events_hold_counts(struct process_events *events, uint64_t *ret_unsent,
			       struct error *error);
int process_events_give_held(struct process_events *events, process_stack_fn fn, void *context,
			     uint64_t most_ns, bool *ret_more, struct error *error);

/* Holds each thread that is off its CPU now, with its stack and the time until now. To be called at the end, behind
 * bpf_session_detach() and process_events_hold_counts(): one that comes back is counted then. */
int process_events_hold_still_off(struct process_events *events, uint64_t *ret_unsent,
				  struct error *error);

/* The session's mappings of a process, or NULL. Valid until the next call of this header's functions. */
const struct address_space *process_events_space(const struct process_events *events, pid_t pid);

/* Counts since process_events_open(). */
struct process_events_counters {
	uint64_t maps, execs, forks, exits; /* events of wanted processes */
	uint64_t lost;			    /* events that found the ring buffer full */
	uint64_t malformed;		    /* events that could not be read */
	uint64_t late;			    /* events older than one that had been followed */
	uint64_t resyncs;     /* how often these three made all processes be read again */
	uint64_t readings;    /* of /proc/PID/maps */
	uint64_t vanished;    /* readings that came too late: the process had ended */
	uint64_t reading_ns;  /* time in readings, with new images' tables */
	uint64_t giving_ns;   /* time in giving lists and tables to the walk */
	uint64_t refused;     /* processes that the session had no room for */
	uint64_t processes;   /* the session's processes now */
	uint64_t stacks;      /* given by process_events_consume() */
	uint64_t raced;	      /* raced ones of these */
	uint64_t lost_memory; /* stacks, for want of memory */
	uint64_t waiting;     /* processes that wait to be read */
	uint64_t checks;      /* readings of processes known from events alone */
	uint64_t mistaken;    /* checks that found wrong mappings; stacks since are raced */
	uint64_t unopened;    /* mappings, at each reading, whose files could not be opened */
	uint64_t unreadable;  /* readings that were not permitted, or failed otherwise */
	uint64_t moves;	      /* of code, by mremap(2) */
	uint64_t
		clocks_ended; /* processes without clocks that ended before they were given others */
};

void process_events_counters(const struct process_events *events,
			     struct process_events_counters *ret);
/*
 * The next process that executed a program with other rights (setuid), and all perf events of which the kernel has taken
 * away since *ret_since_ns; and of what it has forked since. The caller attaches others to all its threads, at once.
 * False: there is none.
 */
bool process_events_next_without_clock(struct process_events *events, pid_t *ret,
				       uint64_t *ret_since_ns);
/* What is no perf event and is not seen on this kernel, and why; NULL: all is. */
const struct error *process_events_unseen(const struct process_events *events);
/* Why the last process was refused, or could not be read; NULL: none was. Valid until the next call of this header's
 * functions. */
const struct error *process_events_refusal(const struct process_events *events);

#endif
