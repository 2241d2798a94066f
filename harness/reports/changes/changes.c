/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * changes.c - cells of one results against cells of the other
 *
 * Outcomes first. A cell that passed and does not any more is worse, whatever the reason: a gate
 * that is passed by checking less is none. One that had not been judged says nothing when it fails:
 * it is counted, and the run's own exit status says that it fails.
 *
 *	before \ after	passed	failed	skipped	error	gone
 *	passed		-	worse	worse	worse	worse, but for a kernel or toolchain that is gone
 *	failed		better	-	other	other	other
 *	skipped, error	other	other	-	-	-
 *
 * Then what compare said of both: findings, the verdicts, each engine's score; of points that were
 * played how many are as recorded. An engine that had a score and has none now is worse, too,
 * skipped or not asked: but for a cell that is an error, of which nothing is known.
 */
#include <stdlib.h>
#include <string.h>
#include "base/cli/no_memory.h"
#include "array.h"
#include "changes.h"
#include "base/cli/json_counts.h"

const char *change_what_name(enum change_what what)
{
	static const char *const names[CHANGE_WHAT_COUNT] = {
		[CHANGE_STATUS] = "status",
		[CHANGE_GONE] = "gone",
		[CHANGE_FINDING_NEW] = "finding_new",
		[CHANGE_FINDING_GONE] = "finding_gone",
		[CHANGE_FINDING_POINTS] = "finding_points",
		[CHANGE_VERDICTS] = "verdicts",
		[CHANGE_ENGINE_GONE] = "engine_gone",
		[CHANGE_SCORE] = "score",
		[CHANGE_REPLAY] = "replay",
	};
	return names[what];
}

const char *change_direction_name(enum change_direction direction)
{
	static const char *const names[CHANGE_DIRECTION_COUNT] = {
		[CHANGE_WORSE] = "worse",
		[CHANGE_BETTER] = "better",
		[CHANGE_OTHER] = "other",
	};
	return names[direction];
}

const char *one_side_name(enum one_side reason)
{
	static const char *const names[ONE_SIDE_COUNT] = {
		[ONE_SIDE_KERNEL] = "kernel",
		[ONE_SIDE_TOOLCHAIN] = "toolchain",
		[ONE_SIDE_BINARY] = "binary",
		[ONE_SIDE_ENGINE] = "engine",
	};
	return names[reason];
}

void changes_init(struct changes *changes)
{
	*changes = (struct changes) { 0 };
}

void changes_deinit(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++)
		free(changes->cell[i].change);
	free(changes->cell);
	*changes = (struct changes) { 0 };
}

struct change *changed_cell_add(struct changed_cell *cell, enum change_what what)
{
	return ARRAY_NEED(cell->change, cell->count,
			  (struct change) { .what = what, .direction = CHANGE_OTHER });
}

/* ---- one cell --------------------------------------------------------------------------- */

static void compare_status(struct changed_cell *cell)
{
	enum cell_status before = cell->before->status, after = cell->after->status;
	struct change *change;

	if (before == after || (!cell_is_judged(cell->before) && !cell_is_judged(cell->after)))
		return;
	change = changed_cell_add(cell, CHANGE_STATUS);
	if (before == CELL_PASSED)
		change->direction = CHANGE_WORSE;
	else if (before == CELL_FAILED && after == CELL_PASSED)
		change->direction = CHANGE_BETTER;
}

static void compare_counts(struct changed_cell *cell, enum change_what what, const json_t *before,
			   const json_t *after, uint64_t excused)
{
	enum change_direction direction;
	struct change *change;

	if (!change_counts_compare(what, before, after, excused, &direction))
		return;
	change = changed_cell_add(cell, what);
	change->before = before;
	change->after = after;
	change->direction = direction;
}

static uint64_t risen(const json_t *before, const json_t *after, const char *name)
{
	uint64_t old = json_number(before, name), new = json_number(after, name);

	return new > old ? new - old : 0;
}

/* Gives the first score of each engine; *at is 0 at first. NULL: there is none more. */
static const json_t *next_score(const struct cell *cell, size_t *at)
{
	const json_t *object;

	while ((object = json_array_get(cell->objects, (*at)++)))
		if (!strcmp(json_text(object, "type"), "score") &&
		    object == cell_object(cell, "score", json_text(object, "engine")))
			break;
	return object;
}

static const json_t *same_score(const struct cell *cell, const json_t *score)
{
	return cell_object(cell, "score", json_text(score, "engine"));
}

/* Engines that only one side has a score of. */
static void compare_engines(struct changes *changes, struct changed_cell *cell)
{
	const json_t *score;

	for (size_t at = 0; (score = next_score(cell->before, &at));) {
		if (same_score(cell->after, score))
			continue;
		struct change *change = changed_cell_add(cell, CHANGE_ENGINE_GONE);
		change->before = score;
		change->after = cell_object(cell->after, "skip", json_text(score, "engine"));
		change->direction = CHANGE_WORSE;
		changes->only[0][ONE_SIDE_ENGINE]++;
	}
	for (size_t at = 0; (score = next_score(cell->after, &at));)
		changes->only[1][ONE_SIDE_ENGINE] += !same_score(cell->before, score);
}

/* Each engine that both sides asked. excused: points of findings that are ignored. */
static void compare_scores(struct changed_cell *cell, const json_t *verdicts_before,
			   const json_t *verdicts_after, uint64_t excused)
{
	const json_t *old;

	for (size_t at = 0; (old = next_score(cell->before, &at));) {
		const json_t *new = same_score(cell->after, old);
		uint64_t points = excused + risen(old, new, "unproven") +
				  risen(old, new, "untrapped");

		/* Where memory was absent bpf's stack is truncated. */
		if (!strcmp(json_text(old, "engine"), "bpf"))
			points += risen(verdicts_before, verdicts_after, "absent");
		if (new)
			compare_counts(cell, CHANGE_SCORE, old, new, points);
	}
}

/* What compare, or replay, said of both. False: nothing that can be held against each other. */
static bool compare_objects(struct changes *changes, struct changed_cell *cell)
{
	const json_t *before = cell_object(cell->before, "verdicts", NULL);
	const json_t *after = cell_object(cell->after, "verdicts", NULL);
	const json_t *played = cell_object(cell->before, "replay", NULL);
	const json_t *again = cell_object(cell->after, "replay", NULL);

	if (cell->before->status == CELL_ERROR || cell->after->status == CELL_ERROR)
		return false;
	compare_engines(changes, cell);
	if (played && again)
		compare_counts(cell, CHANGE_REPLAY, played, again, 0);
	if (before && after) {
		uint64_t excused = change_findings(cell, before, after);

		changes->ignored += json_number(after, "ignored");
		compare_scores(cell, before, after, excused);
		compare_counts(cell, CHANGE_VERDICTS, before, after, excused);
	}
	return (played && again) || (before && after);
}

/* Whether what is not found in after may be what was not looked at. */
static bool is_cut(const struct cell *before, const struct cell *after)
{
	const json_t *score;
	const json_t *one = cell_object(before, "verdicts", NULL),
		     *two = cell_object(after, "verdicts", NULL);
	const json_t *played = cell_object(before, "replay", NULL),
		     *again = cell_object(after, "replay", NULL);
	bool cut = (one && two && change_points_cut(CHANGE_VERDICTS, one, two)) ||
		   (played && again && change_points_cut(CHANGE_REPLAY, played, again));

	for (size_t at = 0; (score = next_score(before, &at));) {
		const json_t *other = same_score(after, score);

		cut |= other && change_points_cut(CHANGE_SCORE, score, other);
	}
	return cut;
}

static void forget_better(struct changed_cell *cell)
{
	for (size_t i = 0; i < cell->count; i++)
		if (cell->change[i].direction == CHANGE_BETTER)
			cell->change[i].direction = CHANGE_OTHER;
}

/* ---- all cells -------------------------------------------------------------------------- */

/* Worse if one change is; else better if one is. */
static void keep(struct changes *changes, struct changed_cell *cell)
{
	if (!cell->count)
		return;
	cell->direction = CHANGE_OTHER;
	for (size_t i = 0; i < cell->count; i++)
		if (cell->change[i].direction < cell->direction)
			cell->direction = cell->change[i].direction;
	changes->direction[cell->direction]++;
	ARRAY_NEED(changes->cell, changes->count, *cell);
}

static void compare_cells(struct changes *changes, const struct cell *before,
			  const struct cell *after)
{
	struct changed_cell cell = { .before = before, .after = after };
	bool judged = cell_is_judged(before) && cell_is_judged(after);

	compare_status(&cell);
	bool objects = compare_objects(changes, &cell);
	bool cut = (judged || objects) && is_cut(before, after);
	cell.compared = (judged || objects) && !cut;
	if (cut) {
		changes->fewer_points++;
		forget_better(&cell);
	} else if (cell.compared) {
		changes->compared++;
		changes->outcomes_alone += !objects;
	} else if (before->status == CELL_SKIPPED || after->status == CELL_SKIPPED) {
		changes->skipped++;
	} else {
		changes->not_judged++;
	}
	keep(changes, &cell);
}

/* The cells of one side, by binary and, where no lane is picked, kernel. */
struct side {
	const struct results *results;
	const char *kernel; /* NULL: all */
	json_t *index;	    /* name: number of the cell */
	json_t *kernels, *toolchains;
};

static bool is_of(const struct side *side, const struct cell *cell)
{
	return !side->kernel || !strcmp(cell->kernel, side->kernel);
}

/* To be freed. */
static char *cell_name(const struct side *side, const struct cell *cell)
{
	char *name = NULL;

	if (asprintf(&name, "%s\n%s", side->kernel ? "" : cell->kernel, cell->binary) < 0)
		no_memory();
	return name;
}

static void side_init(struct side *side, const struct results *results, const char *kernel)
{
	*side = (struct side) { results, kernel, json_object(), json_object(), json_object() };
	for (size_t i = 0; i < results->kernel_count; i++)
		if (!kernel || !strcmp(results->kernel[i].name, kernel))
			JSON_SET(side->kernels, kernel ? "" : results->kernel[i].name, json_true());
	for (size_t i = 0; i < results->cell_count; i++) {
		const struct cell *cell = &results->cell[i];
		FREED char *name = cell_name(side, cell);

		if (is_of(side, cell)) {
			json_object_set_new(side->index, name, json_integer((json_int_t)i));
			json_object_set_new(side->kernels, kernel ? "" : cell->kernel, json_true());
			json_object_set_new(side->toolchains, cell->toolchain, json_true());
		}
	}
}

static void side_deinit(struct side *side)
{
	json_decref(side->index);
	json_decref(side->kernels);
	json_decref(side->toolchains);
}

static const struct cell *side_find(const struct side *side, const struct side *other,
				    const struct cell *cell)
{
	FREED char *name = cell_name(other, cell);
	const json_t *number = json_object_get(side->index, name);

	return number ? &side->results->cell[json_integer_value(number)] : NULL;
}

/* Why other has not the cell of side. */
static enum one_side why_not(const struct side *side, const struct side *other,
			     const struct cell *cell)
{
	if (!json_object_get(other->kernels, side->kernel ? "" : cell->kernel))
		return ONE_SIDE_KERNEL;
	if (!json_object_get(other->toolchains, cell->toolchain))
		return ONE_SIDE_TOOLCHAIN;
	return ONE_SIDE_BINARY;
}

/* A cell that is in the first only. Of a run that was cut short nobody knows. */
static void gone(struct changes *changes, const struct side *side, const struct side *other,
		 const struct cell *before)
{
	struct changed_cell cell = { .before = before };
	enum one_side reason = why_not(side, other, before);

	if (other->results->missing) {
		changes->not_judged++;
		return;
	}
	changes->only[0][reason]++;
	if (reason != ONE_SIDE_BINARY || !cell_is_judged(before))
		return;
	struct change *change = changed_cell_add(&cell, CHANGE_GONE);
	if (before->status == CELL_PASSED)
		change->direction = CHANGE_WORSE;
	keep(changes, &cell);
}

void changes_add(struct changes *changes, const struct results *before, const char *kernel_before,
		 const struct results *after, const char *kernel_after)
{
	struct side one, two;

	side_init(&one, before, kernel_before);
	side_init(&two, after, kernel_after);
	for (size_t i = 0; i < before->cell_count; i++) {
		const struct cell *cell = &before->cell[i];
		const struct cell *other = is_of(&one, cell) ? side_find(&two, &one, cell) : NULL;

		if (other)
			compare_cells(changes, cell, other);
		else if (is_of(&one, cell))
			gone(changes, &one, &two, cell);
	}
	for (size_t i = 0; i < after->cell_count; i++) {
		const struct cell *cell = &after->cell[i];

		if (is_of(&two, cell) && !side_find(&one, &two, cell))
			changes->only[1][why_not(&two, &one, cell)]++;
	}
	changes->cut_short[0] |= before->partial[0] || before->missing;
	changes->cut_short[1] |= after->partial[0] || after->missing;
	changes->bad_lines |= before->bad_lines || after->bad_lines;
	side_deinit(&one);
	side_deinit(&two);
}

/* ---- the order -------------------------------------------------------------------------- */

/* How bad a change is: 0 the worst. An outcome says more than a count, a stack that is wrong more
 * than a table that is. */
static unsigned int change_rank(const struct changed_cell *cell, const struct change *change)
{
	unsigned int base = change->direction * 16;

	switch (change->what) {
	case CHANGE_STATUS:
		return base + (cell->after->status == CELL_SKIPPED ? 3
			       : cell->after->status == CELL_ERROR ? 1
								   : 0);
	case CHANGE_GONE: return base + 2;
	case CHANGE_FINDING_NEW:
	case CHANGE_FINDING_GONE:
	case CHANGE_FINDING_POINTS:
		return base + (!strcmp(change->finding.verdict, "table_fault") ? 6 : 4);
	case CHANGE_REPLAY: return base + 5;
	case CHANGE_ENGINE_GONE: return base + 7;
	case CHANGE_SCORE: return base + 8;
	default: return base + 9;
	}
}

static uint64_t difference(uint64_t one, uint64_t two)
{
	return one > two ? one - two : two - one;
}

/* Points that a change is about. */
static uint64_t change_points(const struct change *change)
{
	const char *count = change->what == CHANGE_REPLAY ? "same" : "exact";

	if (change->points_before || change->points_after)
		return difference(change->points_before, change->points_after);
	return difference(json_number(change->before, count), json_number(change->after, count));
}

static int worst_change_first(const void *a, const void *b, void *context)
{
	const struct change *one = a, *two = b;
	unsigned int rank_one = change_rank(context, one), rank_two = change_rank(context, two);
	uint64_t points_one = change_points(one), points_two = change_points(two);

	if (rank_one != rank_two)
		return rank_one < rank_two ? -1 : 1;
	if (points_one != points_two)
		return points_one > points_two ? -1 : 1;
	return 0;
}

/* Both have their worst change first. */
static int worst_cell_first(const void *a, const void *b)
{
	const struct changed_cell *one = a, *two = b;
	const struct cell *cell_one = one->before ? one->before : one->after;
	const struct cell *cell_two = two->before ? two->before : two->after;
	unsigned int rank_one = change_rank(one, one->change);
	unsigned int rank_two = change_rank(two, two->change);
	uint64_t points_one = change_points(one->change), points_two = change_points(two->change);
	int order;

	if (rank_one != rank_two)
		return rank_one < rank_two ? -1 : 1;
	if (points_one != points_two)
		return points_one > points_two ? -1 : 1;
	order = strcmp(cell_one->binary, cell_two->binary);
	return order ? order : strcmp(cell_one->kernel, cell_two->kernel);
}

void changes_sort(struct changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		struct changed_cell *cell = &changes->cell[i];

		qsort_r(cell->change, cell->count, sizeof(*cell->change), worst_change_first, cell);
	}
	if (changes->count)
		qsort(changes->cell, changes->count, sizeof(*changes->cell), worst_cell_first);
}

void changes_gate(const struct changes *changes, struct gate *ret)
{
	ret->unit = "cells";
	ret->checked = changes->compared;
	ret->findings = changes->direction[CHANGE_WORSE];
	for (unsigned int reason = 0; reason < ONE_SIDE_ENGINE; reason++) {
		gate_leave(ret, GATE_ONLY_BEFORE, changes->only[0][reason]);
		gate_leave(ret, GATE_ONLY_AFTER, changes->only[1][reason]);
	}
	gate_leave(ret, GATE_ENGINES,
		   changes->only[0][ONE_SIDE_ENGINE] + changes->only[1][ONE_SIDE_ENGINE]);
	gate_leave(ret, GATE_FEWER_POINTS, changes->fewer_points);
	gate_leave(ret, GATE_SKIPPED, changes->skipped);
	gate_leave(ret, GATE_CUT_SHORT, changes->not_judged);
	gate_leave(ret, GATE_IGNORED, changes->ignored);
	ret->bad_input |= changes->bad_lines;
	/* Of half a run nobody can say that nothing is worse. */
	ret->environment |= changes->cut_short[1];
}
