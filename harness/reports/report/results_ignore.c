/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_ignore.c - a cell's findings held against the list of those that are ignored
 *
 * As compare does it itself with --ignore: the finding keeps all it says, and has "ignored" with
 * the reason; the verdicts have the points in "ignored", and in the counts of their verdict, too.
 * Whether the cell passes then is the judge's business (run/run_judge.c).
 */
#include <string.h>
#include "base/cli/json_counts.h"
#include "base/ignore/ignore.h"
#include "results.h"

static bool is(const json_t *object, const char *key, const char *value)
{
	return !strcmp(json_text(object, key), value);
}

/* Adds to the verdicts' count. */
static void add_count(json_t *verdicts, const char *name, uint64_t more)
{
	json_object_set_new(verdicts, name,
			    json_integer((json_int_t)(json_number(verdicts, name) + more)));
}

/* False: the list has it not. */
static bool ignore_finding(json_t *finding, struct ignore_list *list)
{
	const struct ignore_subject subject = ignore_subject_of(finding);
	const char *reason;

	if (!is(finding, "type", "finding") || is(finding, "verdict", "kernel_fault") ||
	    json_object_get(finding, "ignored"))
		return false;
	reason = ignore_list_match(list, &subject, json_number(finding, "count"));
	if (reason)
		json_object_set_new(finding, "ignored", json_bytes(reason));
	return reason != NULL;
}

size_t cell_ignore(struct cell *cell, struct ignore_list *list)
{
	uint64_t points = 0;
	size_t index, count = 0;
	json_t *object;

	json_array_foreach(cell->objects, index, object)
	{
		if (!ignore_finding(object, list))
			continue;
		points += json_number(object, "count");
		count++;
	}
	json_array_foreach(cell->objects, index, object)
	{
		if (!count || !is(object, "type", "verdicts"))
			continue;
		add_count(object, "ignored", points);
		add_count(object, "ignored_findings", count);
	}
	return count;
}

static uint64_t count_ignored(const struct cell *cell, const char *verdict, uint64_t *findings)
{
	uint64_t points = 0;
	size_t index;
	json_t *object;

	json_array_foreach(cell->objects, index, object)
	{
		if (!is(object, "type", "finding") || !json_object_get(object, "ignored") ||
		    (verdict && !is(object, "verdict", verdict)))
			continue;
		points += json_number(object, "count");
		(*findings)++;
	}
	return points;
}

uint64_t cell_ignored(const struct cell *cell, const char *verdict)
{
	uint64_t findings = 0;

	return count_ignored(cell, verdict, &findings);
}

uint64_t results_ignored(const struct results *results, uint64_t *ret_findings)
{
	uint64_t points = 0;

	*ret_findings = 0;
	for (size_t i = 0; i < results->cell_count; i++)
		points += count_ignored(&results->cell[i], NULL, ret_findings);
	return points;
}
