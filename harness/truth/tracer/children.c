/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * children.c - a program and all processes that it makes: whose turn it is
 *
 * A turn ends when
 *
 *	the process waits	all of its threads are in system calls, and /proc says of none that it runs
 *	its steps are used up	so that one that spins until another has done something comes to its end
 *	it ends			or executes a program that --only does not name
 *
 * but the first two only if another process can go on. The run ends with the last process, by the limit of points, or by
 * the watchdog, which kills whose turn it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "attach.h"
#include "children.h"

#define TURN_STEPS 50000u

/* ---- a turn ----------------------------------------------------------------------------- */

static struct member *next_ready(struct children *children)
{
	for (size_t i = 1; i <= children->count; i++) {
		size_t at = (children->at + i) % children->count;

		if (children->member[at]->state == MEMBER_STEPPED && children->member[at]->stops) {
			children->at = at;
			return children->member[at];
		}
	}
	return NULL;
}

static bool another_is_ready(const struct children *children, const struct member *member)
{
	for (size_t i = 0; i < children->count; i++)
		if (children->member[i] != member && children->member[i]->stops &&
		    children->member[i]->state == MEMBER_STEPPED)
			return true;
	return false;
}

/* What stopped the thread has ended by now: it is being killed, and its end will be reported. */
static bool is_ending(const struct member *member, const struct member_stop *stop)
{
	struct task_state state;

	return WIFSTOPPED(stop->status) &&
	       (!task_state_read(member->process.pid, stop->tid, &state) || state.state != 't');
}

/* The oldest of what it has reported says that it executes what is not to be stepped. */
static bool leaves(struct children *children, struct member *member)
{
	const struct member_stop *stop = &member->stop[0];

	return WIFSTOPPED(stop->status) && stop->status >> 16 == PTRACE_EVENT_EXEC &&
	       !member_is_wanted(children, member, stop->tid);
}

/* The oldest of what it has reported. */
static int take(struct children *children, struct member *member)
{
	const struct member_stop stop = member->stop[0];
	uint64_t points = member->tracer.counters.points;
	uint64_t limit = children->options->point_limit;
	int result;

	if (leaves(children, member))
		return member_set_free(children, member);
	member->stops--;
	for (size_t i = 0; i < member->stops; i++)
		member->stop[i] = member->stop[i + 1];
	result = tracer_take(&member->tracer, stop.tid, stop.status);
	if (result && is_ending(member, &stop))
		result = 0;
	children->points += member->tracer.counters.points - points;
	children->over |= limit && children->points >= limit;
	return result;
}

static int begin_turn(struct children *children, struct member *member)
{
	const struct tracer_callbacks *callbacks = children->callbacks;

	watchdog_aim(&children->first->tracer.watchdog, member->process.pid);
	if (callbacks->on_burst &&
	    callbacks->on_burst(callbacks->context, &member->process, children->error))
		return -1;
	return 0;
}

/* A process that was made begins with mappings. A program's come with its exec. */
static int begin_process(struct children *children, struct member *member)
{
	struct tracer *tracer = &member->tracer;
	bool is_made = !member->process.begun && tracer->thread_count && member != children->first;

	member->process.begun = true;
	if (!is_made || !(tracer_memory_open(tracer) || tracer_mappings_changed(tracer, true)))
		return 0;
	return is_ending(member, &member->stop[0]) || !WIFSTOPPED(member->stop[0].status) ? 0 : -1;
}

static void end_turn(struct children *children, struct member *member)
{
	const struct tracer_callbacks *callbacks = children->callbacks;

	if (member->tracer.finished)
		member_ended(children, member, member->tracer.status);
	member->process.counters = member->tracer.counters;
	member->process.over |= member->state != MEMBER_STEPPED;
	if (member->process.over)
		tracer_forget_threads(&member->tracer);
	if (callbacks->on_burst_end)
		callbacks->on_burst_end(callbacks->context, &member->process);
	member->process.over = member->process.ended;
}

static int make_steps(struct children *children, struct member *member)
{
	const struct tracer *tracer = &member->tracer;
	uint64_t end = tracer->counters.steps + TURN_STEPS;

	if (begin_process(children, member))
		return -1;
	while (!children->over && member->state == MEMBER_STEPPED && !tracer->finished) {
		if ((!member->stops || tracer->counters.steps >= end) &&
		    another_is_ready(children, member) && (member->stops || !member_runs(member)))
			return 0;
		if (member->stops ? take(children, member) : children_hear(children, member))
			return -1;
		children->over |= atomic_load(&children->first->tracer.watchdog.over);
	}
	return 0;
}

/* Those that have ended are forgotten, but for the program. */
static void forget_ended(struct children *children)
{
	size_t left = 0;

	for (size_t i = 0; i < children->count; i++) {
		struct member *member = children->member[i];

		if (member->state != MEMBER_ENDED || member == children->first)
			children->member[left++] = member;
		else
			member_destroy(member);
	}
	children->count = left;
}

/* ---- the run ---------------------------------------------------------------------------- */

static int take_turn(struct children *children, struct member *member)
{
	int result;

	if (!member->process.begun && leaves(children, member))
		return member_set_free(children, member);
	if (begin_turn(children, member))
		return -1;
	result = make_steps(children, member);
	end_turn(children, member);
	forget_ended(children);
	return result;
}

static int run(struct children *children)
{
	while (!children->over && children->living) {
		struct member *member = next_ready(children);

		if (member ? take_turn(children, member) : children_hear(children, NULL))
			return -1;
		children->over |= atomic_load(&children->first->tracer.watchdog.over);
	}
	return 0;
}

/* Nobody is stepped any more: who still lives has a last turn, in which its stacks end. */
static void end_stacks(struct children *children)
{
	for (size_t i = 0; i < children->count; i++) {
		struct member *member = children->member[i];

		if (member->state == MEMBER_ENDED)
			continue;
		if (member->reaped) /* perhaps by the watchdog: so it has not ended by itself */
			member->process.status = member->stop[member->stops - 1].status;
		if (!member->process.begun) {
			bool waits = member->state != MEMBER_FREE; /* for its turn */

			children->sums.left[waits ? PROCESS_BRIEF : member->process.left]++;
		}
		member->process.over = true;
		if (member->process.begun && member->state == MEMBER_STEPPED &&
		    !begin_turn(children, member))
			end_turn(children, member);
	}
}

static int begin(struct children *children)
{
	struct tracer *tracer;

	children->first = member_create(children, -1);
	if (!children->first)
		return -1;
	tracer = &children->first->tracer;
	children->first->state = MEMBER_STEPPED;
	children->stepped = 1;
	tracer->core.decoder = decoder_create(children->error);
	if (!tracer->core.decoder)
		return -1;
	if (tracer_start(tracer)) {
		children->first->process.pid = tracer->core.pid;
		return -1;
	}
	if (!tracer_process_find(tracer->core.pid, &children->first->process))
		children->first->process.pid = tracer->core.pid;
	if (children->options->argv) /* until it is executed, its file is ours */
		snprintf(children->first->process.name, sizeof(children->first->process.name), "%s",
			 children->options->argv[0]);
	return tracer_add_thread(tracer, tracer->core.pid, THREAD_STARTING) ? 0 : -1;
}

static int say_ending(const struct children *children, bool has_duration, int result)
{
	const struct watchdog *watchdog = &children->first->tracer.watchdog;
	enum tracer_ending *ending = &children->first->process.counters.ending;

	if (watchdog->signal) {
		*ending = TRACER_INTERRUPTED;
		return ending_signals_error(children->error, watchdog->signal);
	}
	if (watchdog->fired && !has_duration && children->over) {
		*ending = TRACER_TIMEOUT;
		return error_set(children->error, ERROR_TIMEOUT, NULL, 0,
				 "the program and what it has made were killed after %u ms",
				 children->options->timeout_ms);
	}
	*ending = result	     ? TRACER_FAILED
		  : children->over   ? TRACER_LIMIT
		  : children->killed ? TRACER_KILLED
				     : TRACER_ENDED;
	return result;
}

static void end(struct children *children)
{
	end_stacks(children);
	children_kill(children);
	forget_ended(children);
	for (size_t i = 0; i < children->count; i++)
		if (children->member[i] != children->first)
			member_destroy(children->member[i]);
	children->first->tracer.finished = true;
	tracer_end(&children->first->tracer);
}

int tracer_run_children(const struct tracer_options *options,
			const struct tracer_callbacks *callbacks,
			struct tracer_counters *ret_counters, int *ret_status, struct error *error)
{
	unsigned int duration_ms = options->attach->duration_ms;
	bool has_duration = duration_ms &&
			    (!options->timeout_ms || duration_ms < options->timeout_ms);
	struct children children = {
		.options = options, .each = *options, .callbacks = callbacks, .error = error
	};
	int result;

	*ret_counters = (struct tracer_counters) { .ending = TRACER_FAILED };
	*ret_status = 0;
	children.each.point_limit = 0;
	if (has_duration)
		children.each.timeout_ms = duration_ms;
	result = begin(&children) || run(&children) ? -1 : 0;
	if (children.first) {
		end(&children);
		children.first->process.counters.group_signals =
			children.first->tracer.counters.group_signals;
		result = say_ending(&children, has_duration, result);
		*ret_counters = children.first->process.counters;
		*ret_status = children.first->process.status;
		free(children.first->stop);
		free(children.first);
	}
	ret_counters->processes = children.sums;
	free(children.member);
	return result;
}
