/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * log_contexts.c - the log of a thread that goes from one stack to another
 *
 * swapcontext(3) says where it goes and what it leaves: each context has a list of its own, known
 * by the context's address. A context that is met for the first time begins with none open. When
 * its first function is left, the C library goes on in the context that is linked to it, without a
 * word.
 */
#include <stdlib.h>
#include "array.h"
#include "witness.h"

void witness_log_deinit(struct witness_log *log)
{
	for (size_t i = 0; i < log->parked_count; i++)
		free(log->parked[i].open);
	free(log->parked);
	free(log->now.open);
	*log = (struct witness_log) { 0 };
}

/* Takes out the list that is parked for a context; an empty one if there is none. */
static struct witness_list take(struct witness_log *log, uint64_t context)
{
	for (size_t i = 0; i < log->parked_count; i++) {
		struct witness_list list = log->parked[i];

		if (list.context != context)
			continue;
		log->parked[i] = log->parked[--log->parked_count];
		return list;
	}
	return (struct witness_list) { 0 };
}

/* What was parked for the context before was abandoned. */
static bool park(struct witness_log *log, uint64_t context)
{
	free(take(log, context).open);
	log->now.context = context;
	return ARRAY_ADD(log->parked, log->parked_count, log->now);
}

bool witness_log_settle(struct witness_log *log, const struct witness_event *event)
{
	if (event->kind != WITNESS_CHANGE || event->from == event->to)
		return true;
	if (!park(log, event->from))
		return false;
	log->now = take(log, event->to);
	if (!log->now.open) {
		log->now.begun = true;
		log->now.link = event->link;
	}
	return true;
}

void witness_log_follow_link(struct witness_log *log)
{
	uint64_t link = log->now.link;

	if (!link || !log->now.count || !log->now.open[0].exited)
		return;
	free(log->now.open);
	log->now = take(log, link);
}
