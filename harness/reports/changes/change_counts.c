/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * change_counts.c - counts of points before and after
 *
 * Worse is a count that is bad and rises, or is good and falls, both as it is and as a share of the
 * run's points. So a program that now takes a few points more or less is no news.
 *
 * Of an engine: fewer exact points are worse, and so are more that are wrong, extra, called
 * complete falsely, or silent. More that are truncated are not: either they were exact, which is
 * said, or they were wrong, and to stop is better than to go astray. Of the verdicts: more points
 * of a fault are worse. Exact verdicts that became unproven or absent are nobody's fault.
 */
#include "changes.h"
#include "base/cli/json_counts.h"

static const struct measure of_score[] = {
	{ "points", "points", 0 },	 { "exact", "exact", 1 },
	{ "truncated", "truncated", 0 }, { "wrong", "wrong", -1 },
	{ "extra", "extra", -1 },	 { "false_complete", "false complete", -1 },
	{ "silent", "silent", -1 },	 { "untrapped", "untrapped", 0 },
	{ "unproven", "unproven", 0 },	 { NULL, NULL, 0 },
};

static const struct measure of_verdicts[] = {
	{ "points", "points", 0 },
	{ "exact", "exact", 0 },
	{ "table_fault", "table fault", -1 },
	{ "reader_fault", "reader fault", -1 },
	{ "conversion_loss_silent", "silent loss", -1 },
	{ "conversion_loss_flagged", "flagged loss", -1 },
	{ "walk_fault", "walk fault", -1 },
	{ "kernel_fault", "kernel fault", -1 },
	{ "unexplained", "unexplained", -1 },
	{ "absent", "absent", 0 },
	{ "unproven", "unproven", 0 },
	{ NULL, NULL, 0 },
};

static const struct measure of_replay[] = {
	{ "points", "points", 0 },
	{ "same", "as recorded", 1 },
	{ "different", "different", -1 },
	{ "lost", "lost", -1 },
	{ NULL, NULL, 0 },
};

const struct measure *change_measures(enum change_what what)
{
	switch (what) {
	case CHANGE_SCORE: return of_score;
	case CHANGE_VERDICTS: return of_verdicts;
	default: return of_replay;
	}
}

/* All points of the run: a score has those at which the engine said nothing beside. */
static uint64_t run_points(enum change_what what, const json_t *object)
{
	uint64_t points = json_number(object, "points");

	if (what == CHANGE_SCORE)
		points += json_number(object, "silent") + json_number(object, "untrapped") +
			  json_number(object, "unproven");
	return points;
}

bool change_points_cut(enum change_what what, const json_t *before, const json_t *after)
{
	return run_points(what, after) <
	       run_points(what, before) / 2 + run_points(what, before) % 2;
}

bool measure_differs(const struct measure *measure, const json_t *before, const json_t *after)
{
	const json_t *one = json_object_get(before, measure->name);
	const json_t *two = json_object_get(after, measure->name);

	return json_is_integer(one) && json_is_integer(two) &&
	       json_number(before, measure->name) != json_number(after, measure->name);
}

/* Whether part/whole is less before. A whole of 0 has no shares. */
static bool share_rises(uint64_t before, uint64_t whole_before, uint64_t after,
			uint64_t whole_after)
{
	return (unsigned __int128)before * whole_after < (unsigned __int128)after * whole_before;
}

static uint64_t less(uint64_t count, uint64_t excused)
{
	return count > excused ? count - excused : 0;
}

enum change_direction measure_direction(enum change_what what, const struct measure *measure,
					const json_t *before, const json_t *after, uint64_t excused)
{
	uint64_t old = json_number(before, measure->name), new = json_number(after, measure->name);
	uint64_t old_points = run_points(what, before), new_points = run_points(what, after);
	bool rises, falls;

	if (!measure->gain || !measure_differs(measure, before, after))
		return CHANGE_OTHER;
	rises = new > old &&share_rises(old, old_points, new, new_points);
	falls = new < old &&share_rises(new, new_points, old, old_points);
	if (measure->gain > 0 ? rises : falls)
		return CHANGE_BETTER;
	/* What is excused is taken off the loss. */
	if (measure->gain > 0)
		falls = falls && share_rises(new, new_points, less(old, excused), old_points);
	else
		rises = rises && share_rises(old, old_points, less(new, excused), new_points);
	return (measure->gain > 0 ? falls : rises) ? CHANGE_WORSE : CHANGE_OTHER;
}

bool change_counts_compare(enum change_what what, const json_t *before, const json_t *after,
			   uint64_t excused, enum change_direction *ret)
{
	bool differs = false, better = false, worse = false;

	for (const struct measure *measure = change_measures(what); measure->name; measure++) {
		enum change_direction direction = measure_direction(what, measure, before, after,
								    excused);

		differs |= measure_differs(measure, before, after);
		worse |= direction == CHANGE_WORSE;
		better |= direction == CHANGE_BETTER;
	}
	*ret = worse ? CHANGE_WORSE : better ? CHANGE_BETTER : CHANGE_OTHER;
	return differs;
}
