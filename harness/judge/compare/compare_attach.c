/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_attach.c - runs of several processes, or of one that runs already: each process has its own result
 *
 * What is in doubt when a burst ends is decided there: nobody sees how these frames return. So the observers end and
 * begin with each burst. Between the turns of a process that is stepped whole they are put away, with its mappings.
 * Engines, images and tables are shared.
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

/* Puts away what is open of the process whose turn is over. Without memory it is decided as if it had ended. */
static void put_away(struct comparer *comparer)
{
	struct compare_open *open = malloc(sizeof(*open));

	if (!open) {
		compare_observe_end(comparer);
		return;
	}
	*open = (struct compare_open) {
		comparer->space, comparer->doubts,   comparer->provisional,
		comparer->alone, comparer->stray_at, comparer->taken_off_at
	};
	comparer->space = (struct address_space) { .pid = 0 };
	comparer->result->open = open;
	compare_observe(comparer);
}

/* The process has its turn again. */
static int take_up(struct comparer *comparer)
{
	struct compare_open *open = comparer->result->open;

	compare_forget_mappings(comparer);
	address_space_deinit(&comparer->space);
	comparer->space = (struct address_space) { .pid = 0 };
	if (!open)
		return 0;
	comparer->result->open = NULL;
	comparer->space = open->space;
	comparer->doubts = open->doubts;
	comparer->provisional = open->provisional;
	comparer->alone = open->alone;
	comparer->stray_at = open->stray_at;
	comparer->taken_off_at = open->taken_off_at;
	free(open);
	return compare_tell_mappings(comparer);
}

static void name_result(struct comparison *result, const struct tracer_process *process)
{
	result->pid = process->pid;
	snprintf(result->name, sizeof(result->name), "%s", process->name);
}

int compare_burst(void *context, const struct tracer_process *process, struct error *error)
{
	struct comparer *comparer = context;
	struct comparison *result = find_result(comparer, process);

	if (!result)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a process's result");
	name_result(result, process);
	comparer->result = result;
	compare_observe(comparer);
	comparer->mappings_failed = false; /* of one that has gone */
	if (comparer->options.on_process)
		comparer->options.on_process(comparer->options.context, result);
	if (result->attach->whole && take_up(comparer)) {
		*error = comparer->mapping_error;
		return -1;
	}
	compare_cost_begin(comparer);
	return 0;
}

void compare_burst_end(void *context, const struct tracer_process *process)
{
	struct comparer *comparer = context;
	struct comparison *result = comparer->result;

	name_result(result, process);
	result->truth = process->counters;
	if (result->attach->whole && !process->over)
		put_away(comparer);
	else
		compare_observe_end(comparer);
	compare_cost_end(comparer);
	if (!result->attach->whole || !process->ended)
		return;
	result->process_ended = true;
	result->status = process->status;
	bpf_records_forget_process(comparer->records, process->pid);
}

void compare_bursts_over(struct comparer *comparer)
{
	for (struct comparison *at = comparer->first; at; at = at->next) {
		comparer->result = at;
		if (!at->open)
			continue;
		take_up(comparer);
		compare_observe_end(comparer);
	}
}

struct run_processes comparison_processes(const struct comparison *first)
{
	struct run_processes ret = { .tracer = first->truth.processes };

	for (const struct comparison *at = first; at; at = at->next)
		*(at->points ? &ret.judged : &ret.without_points) += at->pid != 0;
	return ret;
}
