/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_attach.c - processes that run already: each has its own result, and each burst its own truth
 *
 * What is in doubt when a burst ends is decided there: nobody sees how these frames return. So the observers end and
 * begin with each burst. Engines, images and tables are shared.
 */
#include <stdlib.h>
#include "comparer.h"

/* The process's result; NULL: no memory. */
static struct comparison *find_result(struct comparer *comparer,
				      const struct tracer_process *process)
{
	const struct tracer_options options = { .attach = comparer->first->attach };
	struct comparison *at = comparer->first;

	while (at->number != process->number && at->next)
		at = at->next;
	if (at->number == process->number)
		return at;
	at->next = malloc(sizeof(*at->next));
	if (!at->next)
		return NULL;
	comparison_init(comparer, &options, at->next);
	at->next->number = process->number;
	return at->next;
}

int compare_burst(void *context, const struct tracer_process *process, struct error *error)
{
	struct comparer *comparer = context;
	struct comparison *result = find_result(comparer, process);

	if (!result)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a process's result");
	result->pid = process->pid;
	snprintf(result->name, sizeof(result->name), "%s", process->name);
	comparer->result = result;
	comparer->mappings_failed = false; /* of one that has gone */
	compare_cost_begin(comparer);
	return 0;
}

void compare_burst_end(void *context, const struct tracer_process *process)
{
	struct comparer *comparer = context;

	compare_observe_end(comparer);
	compare_observe(comparer);
	compare_cost_end(comparer);
	compare_cost_begin(comparer);
	comparer->result->truth = process->counters;
}
