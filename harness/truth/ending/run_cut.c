/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_cut.c - how a run ended before it was whole, in words and as JSON
 */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "ending.h"

const char *run_cut_word(const struct run_cut *cut)
{
	switch (cut->ending) {
	case TRACER_ENDED:
	case TRACER_LEFT:
	case TRACER_LIMIT: return NULL;
	case TRACER_KILLED: return "killed";
	case TRACER_TIMEOUT: return "timeout";
	case TRACER_INTERRUPTED: return "interrupted";
	case TRACER_FAILED: break;
	}
	return "error";
}

bool run_cut_from_outside(const struct run_cut *cut)
{
	return cut->ending == TRACER_KILLED || cut->ending == TRACER_TIMEOUT ||
	       cut->ending == TRACER_INTERRUPTED;
}

/* Says in the message how far the program has come, and what would have been enough. */
static void say_how_far(struct run_cut *cut, const struct tracer_options *options,
			const struct tracer_counters *counters)
{
	double seconds = (double)cut->elapsed_ns / 1e9;
	char *message = cut->early.message;
	size_t size = strlen(message), room = sizeof(cut->early.message);

	if (!counters->last_pc) {
		snprintf(message + size, room - size, "; it had not made a step");
		return;
	}
	size += snprintf(message + size, room - size, "; after %" PRIu64 " steps, %.0f a second",
			 cut->steps, seconds > 0 ? (double)cut->steps / seconds : 0);
	if (size < room && cut->place[0])
		size += snprintf(message + size, room - size, ", it was at %.90s", cut->place);
	if (size >= room)
		return;
	if (cut->points && seconds > 0)
		snprintf(message + size, room - size, "; --limit %.0f would end in a minute",
			 cut->points * 60 / seconds);
	else if (options->from && !counters->from_reached)
		snprintf(message + size, room - size, ", and had not come to %s (--from)",
			 options->from);
}

void run_cut_set(struct run_cut *ret, const struct tracer_options *options,
		 const struct tracer_counters *counters, const struct address_space *space,
		 const struct error *early)
{
	ret->ending = counters->ending;
	ret->early = *early;
	ret->steps = counters->steps;
	ret->place[0] = '\0';
	if (!run_cut_from_outside(ret))
		return;
	if (space && counters->last_pc)
		address_space_describe(space, counters->last_pc, ret->place, sizeof(ret->place));
	say_how_far(ret, options, counters);
}

void run_cut_of_error(struct run_cut *ret, const struct error *error)
{
	*ret = (struct run_cut) { .early = *error, .ending = TRACER_FAILED };
	if (error->code == ERROR_TIMEOUT)
		ret->ending = TRACER_TIMEOUT;
	else if (error->system_errno == EINTR)
		ret->ending = TRACER_INTERRUPTED;
}

void run_cut_json(json_t *object, const struct run_cut *cut)
{
	const char *word = run_cut_word(cut);

	if (!word)
		return;
	JSON_SET(object, "partial", word, "partial_message", cut->early.message, "steps",
		 cut->steps, "ended_at", cut->place[0] ? cut->place : NULL);
}
