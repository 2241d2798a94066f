/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_events.h - what a session knows of its processes, kept true while they live
 *
 *	process_events_open()		from now on no change is missed
 *	process_events_add_existing()	give the session the processes that there are
 *	process_events_consume()	follow what changed, and take the stacks; now and then, and
 *					when process_events_fd() is readable
 *	process_events_close()
 *
 * A library that is mapped, an exec, a fork, the last thread's end: the session's lists of mappings
 * follow, a moment later. A stack that was walked in that moment, and comes by what had changed,
 * may be wrong, and is marked: it is raced. Not thread-safe: one thread for it and its session.
 */
#ifndef STACKPROOF_PROCESS_EVENTS_H
#define STACKPROOF_PROCESS_EVENTS_H

#include "session.h"

struct process_events;

/* Zeros are the defaults. */
struct process_events_options {
	pid_t pid;	/* this process and all that it forks, and these; 0: every process */
	uint32_t pages; /* of each CPU's ring buffer, a power of two; 64 */
	bool alone;	/* of pid only itself, and nothing that it forks */
};

/* Both are borrowed, and every address space that the session is given comes from store, which
 * now and then forgets all but 64 of the images that no address space has
 * (image_store_forget()). *ret: process_events_close(). ERROR_UNAVAILABLE: this machine may not
 * or can not, the message says why. */
int process_events_open(struct bpf_session *session, struct image_store *store,
			const struct process_events_options *options, struct process_events **ret,
			struct error *error);
/* Before the session is closed, which keeps the processes it has. */
void process_events_close(struct process_events *events);

/*
 * Gives the session the processes that are wanted and live now, for a second; those left are
 * waiting, for process_events_poll(). One that the session has no room for is no error, but counted
 * (refused), and process_events_refusal() says why.
 */
int process_events_add_existing(struct process_events *events, struct error *error);

/* A descriptor for poll(2) that is readable when a process has changed, and while bpf_session_fd() is. */
int process_events_fd(const struct process_events *events);

/* Follows everything that changed until now. Processes that must be read for it are read for 20
 * ms, or one; the others wait for the next time. process_events_consume() does it too: this is
 * for who takes no stacks from there. */
int process_events_poll(struct process_events *events, struct error *error);

struct process_stack {
	const struct walk_record *record; /* valid until the callback returns, as all of it */
	bool frame_pointer;		  /* the baseline's, which asks for no mappings */
	/* The process's mappings had changed when this was walked, where one of its frames is,
	 * and the walk did not know yet. */
	bool raced;
	/* What the walk knew. NULL: it is not known any more, and the stack counts as raced. */
	const struct address_space *space;
};

/* Must not call the functions of this header, but for process_events_counters(). */
typedef void (*process_stack_fn)(void *context, const struct process_stack *stack);

/*
 * Takes every stack that the session has by now, follows what changed until then, and only then
 * gives the stacks: so all changes before a stack are known when it is judged.
 */
int process_events_consume(struct process_events *events, process_stack_fn fn, void *context,
			   struct error *error);

/* The mappings that the session has of a process, or NULL. Valid until the next call. */
const struct address_space *process_events_space(const struct process_events *events, pid_t pid);

/* Since process_events_open(). */
struct process_events_counters {
	uint64_t maps, execs, forks, exits; /* events of wanted processes */
	uint64_t lost;			    /* events that found the ring buffer full */
	uint64_t malformed;		    /* events that could not be read */
	uint64_t late;			    /* events that came after a later one was followed */
	uint64_t resyncs;		    /* all processes looked at again, for these three */
	uint64_t readings;		    /* of /proc/PID/maps */
	uint64_t vanished;		    /* ... that came too late: the process had ended */
	uint64_t reading_ns;  /* in them, with making the tables of images that are new */
	uint64_t giving_ns;   /* in giving lists and new tables to the walk */
	uint64_t refused;     /* processes that the session had no room for */
	uint64_t processes;   /* that the session has now */
	uint64_t stacks;      /* given by process_events_consume() */
	uint64_t raced;	      /* of them */
	uint64_t lost_memory; /* stacks that there was no memory for */
	uint64_t waiting;     /* processes that are to be read, when their turn comes */
	uint64_t checks;      /* readings of what was known from events alone */
	uint64_t mistaken;    /* ... that found it wrong; its stacks since are raced */
	uint64_t unopened;    /* mappings, at each reading, whose files could not be opened */
};

void process_events_counters(const struct process_events *events,
			     struct process_events_counters *ret);
/* Why a process was refused last; NULL: none was. Valid until the next call. */
const struct error *process_events_refusal(const struct process_events *events);

#endif
