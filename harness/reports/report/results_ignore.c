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

/* Adds to the verdicts' count. */
static void add_count(json_t *verdicts, const char *name, uint64_t more)
{
	JSON_SET(verdicts, name, json_number(verdicts, name) + more);
}

/* False: the list has it not. */
static bool ignore_finding(const struct finding_record *finding, struct ignore_list *list)
{
	const char *reason = NULL;

	if (strcmp(finding->verdict, "kernel_fault") && !finding->ignored)
		reason = ignore_list_match(list, finding);
	if (reason)
		json_object_set_new(finding->object, "ignored", json_bytes(reason));
	return reason != NULL;
}

size_t cell_ignore(struct cell *cell, struct ignore_list *list)
{
	struct finding_record finding;
	uint64_t points = 0;
	size_t index = 0, count = 0;
	json_t *object;

	while (cell_finding(cell, &index, &finding)) {
		if (!ignore_finding(&finding, list))
			continue;
		points += finding.count;
		count++;
	}
	json_array_foreach(cell->objects, index, object)
	{
		if (!count || strcmp(json_text(object, "type"), "verdicts") != 0)
			continue;
		add_count(object, "ignored", points);
		add_count(object, "ignored_findings", count);
	}
	return count;
}

uint64_t cell_ignored(const struct cell *cell, const char *verdict, const char *kind)
{
	struct finding_record finding;
	uint64_t points = 0;

	for (size_t at = 0; cell_finding(cell, &at, &finding);)
		if (finding.ignored && (!verdict || !strcmp(finding.verdict, verdict)) &&
		    (!kind || !strcmp(finding.kind, kind)))
			points += finding.count;
	return points;
}

uint64_t cell_ignored_of(const struct cell *cell, const char *count)
{
	return strcmp(count, "conversion_loss_silent")
		       ? cell_ignored(cell, count, NULL)
		       : cell_ignored(cell, "conversion_loss", "silent");
}

void cell_list_faults(const struct cell *cell, const json_t *verdicts, const char *const *names,
		      char *ret, size_t size)
{
	size_t used = 0;

	ret[0] = '\0';
	for (; *names; names++) {
		uint64_t ignored = cell ? cell_ignored_of(cell, *names) : 0;
		uint64_t count = json_number(verdicts, *names);

		count -= ignored < count ? ignored : count;
		if (count && used < size)
			used += snprintf(ret + used, size - used, "%s%s %llu", used ? ", " : "",
					 *names, (unsigned long long)count);
	}
}

uint64_t results_ignored(const struct results *results, uint64_t *ret_findings)
{
	struct finding_record finding;
	uint64_t points = 0;

	*ret_findings = 0;
	for (size_t i = 0; i < results->cell_count; i++) {
		points += cell_ignored(&results->cell[i], NULL, NULL);
		for (size_t at = 0; cell_finding(&results->cell[i], &at, &finding);)
			*ret_findings += finding.ignored != NULL;
	}
	return points;
}
