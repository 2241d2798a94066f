/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * face_processes.c - following processes, for other programs
 */
#include <stdlib.h>
#include "face.h"

struct stackproof_processes {
	struct process_events *events;
	struct stackproof_session *session;
	pid_t owner;		       /* the session's */
	struct stackproof_space asked; /* stackproof_processes_space()'s */
};

int stackproof_processes_open(struct stackproof_session *session, struct stackproof_images *images,
			      const struct stackproof_processes_options *given,
			      struct stackproof_processes **ret, struct stackproof_error *error)
{
	struct stackproof_processes_options options;
	struct process_events_options inner_given;
	struct stackproof_processes *processes;
	struct error inner;

	if (face_take(&options, sizeof(options), given, error))
		return -1;
	if (face_check_owner(session->owner, error))
		return -1;
	if (options.pid < 0)
		return face_fail_argument(error, "there is no process %d", options.pid);
	if (options.ring_pages & (options.ring_pages - 1))
		return face_fail_argument(error, "%u pages are no power of two",
					  options.ring_pages);
	processes = calloc(1, sizeof(*processes));
	if (!processes)
		return face_fail_memory(error);
	processes->session = session;
	processes->owner = session->owner;
	inner_given = (struct process_events_options) { .pid = options.pid,
							.pages = options.ring_pages,
							.clocks = options.clocks };
	if (process_events_open(session->session, images->store, &inner_given, &processes->events,
				&inner)) {
		free(processes);
		return face_fail(error, &inner);
	}
	*ret = processes;
	return 0;
}

void stackproof_processes_close(struct stackproof_processes *processes)
{
	if (!processes || face_check_owner(processes->owner, NULL))
		return;
	process_events_close(processes->events);
	free(processes);
}

int stackproof_processes_add_existing(struct stackproof_processes *processes,
				      struct stackproof_error *error)
{
	struct error inner;

	if (face_check_owner(processes->owner, error))
		return -1;
	return process_events_add_existing(processes->events, &inner) ? face_fail(error, &inner)
								      : 0;
}

int stackproof_processes_next_without_clock(struct stackproof_processes *processes, pid_t *ret_pid,
					    uint64_t *ret_since_ns)
{
	return !face_check_owner(processes->owner, NULL) &&
	       process_events_next_without_clock(processes->events, ret_pid, ret_since_ns);
}

int stackproof_processes_fd(const struct stackproof_processes *processes)
{
	return process_events_fd(processes->events);
}

struct reader {
	struct stackproof_session *session;
	stackproof_stack_fn fn;
	void *context;
};

static void give(void *context, const struct process_stack *given)
{
	const struct reader *reader = context;
	struct stackproof_stack stack = face_stack(reader->session, given->record);
	struct stackproof_space space = { .space = given->space };

	stack.times = given->times;
	stack.raced = given->raced;
	stack.off_ns = given->off_ns;
	stack.still_off = given->still_off;
	stack.space = given->space ? &space : NULL;
	reader->fn(reader->context, &stack);
}

int stackproof_processes_consume(struct stackproof_processes *processes, stackproof_stack_fn fn,
				 void *context, struct stackproof_error *error)
{
	struct reader reader = { processes->session, fn, context };
	struct error inner;
	int status;

	if (face_check_owner(processes->owner, error))
		return -1;
	if (fn)
		status = process_events_consume(processes->events, give, &reader, &inner);
	else
		status = process_events_poll(processes->events, &inner);
	return status ? face_fail(error, &inner) : 0;
}

static int hold(struct stackproof_processes *processes,
		int (*fn)(struct process_events *, uint64_t *, struct error *),
		uint64_t *ret_unsent, struct stackproof_error *error)
{
	struct error inner;
	uint64_t ignored;

	if (face_check_owner(processes->owner, error))
		return -1;
	return fn(processes->events, ret_unsent ? ret_unsent : &ignored, &inner)
		       ? face_fail(error, &inner)
		       : 0;
}

int stackproof_processes_hold_counts(struct stackproof_processes *processes, uint64_t *ret_unsent,
				     struct stackproof_error *error)
{
	return hold(processes, process_events_hold_counts, ret_unsent, error);
}

int stackproof_processes_hold_still_off(struct stackproof_processes *processes,
					uint64_t *ret_unsent, struct stackproof_error *error)
{
	return hold(processes, process_events_hold_still_off, ret_unsent, error);
}

int stackproof_processes_give_held(struct stackproof_processes *processes, stackproof_stack_fn fn,
				   void *context, uint64_t most_ns, int *ret_more,
				   struct stackproof_error *error)
{
	struct reader reader = { processes->session, fn, context };
	struct error inner;
	bool more;
	int status;

	if (face_check_owner(processes->owner, error))
		return -1;
	if (!fn)
		return face_fail_argument(error, "nobody takes the stacks");
	status = process_events_give_held(processes->events, give, &reader, most_ns, &more, &inner);
	*ret_more = more;
	return status ? face_fail(error, &inner) : 0;
}

int stackproof_processes_take_counts(struct stackproof_processes *processes, stackproof_stack_fn fn,
				     void *context, uint64_t *ret_unsent,
				     struct stackproof_error *error)
{
	int more;

	if (!fn)
		return face_fail_argument(error, "nobody takes the stacks");
	if (stackproof_processes_hold_counts(processes, ret_unsent, error))
		return -1;
	return stackproof_processes_give_held(processes, fn, context, UINT64_MAX, &more, error);
}

const struct stackproof_space *stackproof_processes_space(struct stackproof_processes *processes,
							  pid_t pid)
{
	processes->asked.space = process_events_space(processes->events, pid);
	return processes->asked.space ? &processes->asked : NULL;
}

int stackproof_processes_counters(const struct stackproof_processes *processes,
				  struct stackproof_processes_counters *ret,
				  struct stackproof_error *error)
{
	const struct error *refusal = process_events_refusal(processes->events);
	const struct error *unseen = process_events_unseen(processes->events);
	struct process_events_counters counters;
	struct stackproof_processes_counters made;

	process_events_counters(processes->events, &counters);
	made = (struct stackproof_processes_counters) {
		.maps = counters.maps,
		.execs = counters.execs,
		.forks = counters.forks,
		.exits = counters.exits,
		.lost = counters.lost + counters.malformed + counters.late,
		.processes = counters.processes,
		.waiting = counters.waiting,
		.refused = counters.refused,
		.stacks = counters.stacks,
		.raced = counters.raced,
		.lost_memory = counters.lost_memory,
		.checks = counters.checks,
		.mistaken = counters.mistaken,
		.unopened = counters.unopened,
		.unreadable = counters.unreadable,
		.moves = counters.moves,
		.clocks_ended = counters.clocks_ended,
	};
	if (unseen)
		face_error(unseen, &made.unseen);
	if (refusal)
		face_error(refusal, &made.refusal);
	return face_give(ret, &made, sizeof(made), error);
}
