/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * change_findings.c - findings before and after
 *
 * What is held against each other are all findings of one verdict and kind in one function of one
 * image, by their names: places move when a program is built again. A name that is an address
 * (fde@0x1230, gap@0x6210) moves too: such findings are the same if the instruction is.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/no_memory.h"
#include "changes.h"
#include "base/cli/json_counts.h"

/* The key is verdict, kind, image and function; moved: what stays of the function when it moves, and the
 * instruction. */
static char *key_of(const struct cell *cell, const struct finding_record *finding, bool moved)
{
	size_t size = moved ? strcspn(finding->function, "@") : strlen(finding->function);
	char *key = NULL;

	if (asprintf(&key, "%s\n%s\n%s\n%.*s\n%s", finding->verdict, finding->kind,
		     cell_image(cell, finding), (int)size, finding->function,
		     moved ? finding->instruction : "") < 0)
		no_memory();
	return key;
}

static bool has_address(const struct finding_record *finding)
{
	return !strncmp(finding->function, "fde@", 4) || !strncmp(finding->function, "gap@", 4);
}

/* All findings of a key are one, with their points; ignored if all of them are. index: of each key its number. */
static void add_finding(struct finding_set *set, json_t *index, const struct cell *cell,
			struct finding_record *finding)
{
	char *key = key_of(cell, finding, false);
	const json_t *number = json_object_get(index, key);
	struct finding_record *first;

	finding->count = finding_points(finding);
	if (!number) {
		json_object_set_new(index, key, json_integer((json_int_t)set->count));
		finding_set_add(set, finding, key);
		return;
	}
	free(key);
	first = &set->held[json_integer_value(number)].finding;
	finding->count += first->count;
	if (!finding->ignored && first->ignored)
		*first = *finding; /* the evidence of what is not ignored */
	first->count = finding->count;
}

static void add_findings(struct finding_set *set, const struct cell *cell)
{
	JSON_FREED json_t *index = json_object();
	struct finding_record finding;

	for (size_t at = 0; cell_finding(cell, &at, &finding);)
		add_finding(set, index, cell, &finding);
	for (size_t i = 0; i < set->count; i++)
		if (has_address(&set->held[i].finding))
			set->held[i].moved = key_of(cell, &set->held[i].finding, true);
}

/* Whether a share of the run's points is less before. */
static bool rises(uint64_t before, uint64_t after, uint64_t run_before, uint64_t run_after)
{
	return before < after &&
	       (unsigned __int128)before * run_after < (unsigned __int128)after * run_before;
}

/* What both sides have. */
static void add_points(struct changed_cell *cell, const struct finding_record *before,
		       const struct finding_record *after, const uint64_t points[2])
{
	struct change *change;

	if (before->count == after->count)
		return;
	change = changed_cell_add(cell, CHANGE_FINDING_POINTS);
	change->finding = *after;
	change->points_before = before->count;
	change->points_after = after->count;
	if (rises(after->count, before->count, points[1], points[0]))
		change->direction = CHANGE_BETTER;
	else if (!rises(before->count, after->count, points[0], points[1]))
		change->direction = CHANGE_OTHER;
	else if (after->ignored)
		change->ignored = after->ignored;
	else
		change->direction = CHANGE_WORSE;
}

/* moved: those that have; else those with the same key. */
static void add_known(struct changed_cell *cell, const struct finding_set *after, bool moved,
		      const uint64_t points[2])
{
	for (size_t i = 0; i < after->count; i++) {
		const struct finding_held *now = &after->held[i];

		if (now->same && moved == (strcmp(now->key, now->same->key) != 0))
			add_points(cell, &now->same->finding, &now->finding, points);
	}
}

const struct cell *change_cell(const struct changed_cell *cell, const struct change *change)
{
	return change->what == CHANGE_FINDING_GONE ? cell->before : cell->after;
}

/* Of findings that were not all kept, one that is missing need not be new, or gone. */
static void add_unmatched(struct changed_cell *cell, const struct finding_set *set, bool is_new,
			  bool all_kept)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct finding_record *finding = &set->held[i].finding;
		struct change *change;

		if (set->held[i].same)
			continue;
		change = changed_cell_add(cell, is_new ? CHANGE_FINDING_NEW : CHANGE_FINDING_GONE);
		change->finding = *finding;
		change->points_before = is_new ? 0 : finding->count;
		change->points_after = is_new ? finding->count : 0;
		if (is_new)
			change->ignored = finding->ignored;
		if (all_kept && !change->ignored)
			change->direction = is_new ? CHANGE_WORSE : CHANGE_BETTER;
	}
}

uint64_t change_findings(struct changed_cell *cell, const json_t *verdicts_before,
			 const json_t *verdicts_after)
{
	const uint64_t points[] = { json_number(verdicts_before, "points"),
				    json_number(verdicts_after, "points") };
	struct finding_set before = { NULL }, after = { NULL };
	uint64_t excused = 0;

	add_findings(&before, cell->before);
	add_findings(&after, cell->after);
	finding_sets_match(&before, &after);
	add_known(cell, &after, false, points);
	add_known(cell, &after, true, points);
	add_unmatched(cell, &after, true, !json_number(verdicts_before, "findings_not_kept"));
	add_unmatched(cell, &before, false, !json_number(verdicts_after, "findings_not_kept"));
	for (size_t i = 0; i < cell->count; i++)
		if (cell->change[i].ignored)
			excused += cell->change[i].points_after - cell->change[i].points_before;
	finding_set_deinit(&before);
	finding_set_deinit(&after);
	return excused;
}
