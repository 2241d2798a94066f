/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_change_counts.c - each count by itself: whose gain it is, what excuses it, and which run was cut
 *
 * Objects are written with ' in place of ".
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "reports/changes/changes.h"

static json_t *parse(const char *quoted)
{
	char text[256];
	json_t *object;

	snprintf(text, sizeof(text), "%s", quoted);
	for (char *at = text; (at = strchr(at, '\'')); at++)
		*at = '"';
	object = json_loads(text, 0, NULL);
	ck_assert_msg(object != NULL, "%s", text);
	return object;
}

/* ---- one count ---------------------------------------------------------------------------- */

/* What it is if that count alone rises by one, or falls. */
static const struct {
	enum change_what what;
	const char *name, *text;
	enum change_direction rises, falls;
} measures[] = {
#define NEITHER CHANGE_OTHER, CHANGE_OTHER
#define GOOD	CHANGE_BETTER, CHANGE_WORSE
#define BAD	CHANGE_WORSE, CHANGE_BETTER
	{ CHANGE_SCORE, "points", "points", NEITHER },
	{ CHANGE_SCORE, "exact", "exact", GOOD },
	{ CHANGE_SCORE, "truncated", "truncated", NEITHER },
	{ CHANGE_SCORE, "wrong", "wrong", BAD },
	{ CHANGE_SCORE, "extra", "extra", BAD },
	{ CHANGE_SCORE, "false_complete", "false complete", BAD },
	{ CHANGE_SCORE, "silent", "silent", BAD },
	{ CHANGE_SCORE, "untrapped", "untrapped", NEITHER },
	{ CHANGE_SCORE, "unproven", "unproven", NEITHER },
	{ CHANGE_VERDICTS, "points", "points", NEITHER },
	{ CHANGE_VERDICTS, "exact", "exact", NEITHER },
	{ CHANGE_VERDICTS, "table_fault", "table fault", BAD },
	{ CHANGE_VERDICTS, "reader_fault", "reader fault", BAD },
	{ CHANGE_VERDICTS, "conversion_loss_silent", "silent loss", BAD },
	{ CHANGE_VERDICTS, "conversion_loss_flagged", "flagged loss", BAD },
	{ CHANGE_VERDICTS, "walk_fault", "walk fault", BAD },
	{ CHANGE_VERDICTS, "kernel_fault", "kernel fault", BAD },
	{ CHANGE_VERDICTS, "unexplained", "unexplained", BAD },
	{ CHANGE_VERDICTS, "absent", "absent", NEITHER },
	{ CHANGE_VERDICTS, "unproven", "unproven", NEITHER },
	{ CHANGE_REPLAY, "points", "points", NEITHER },
	{ CHANGE_REPLAY, "same", "as recorded", GOOD },
	{ CHANGE_REPLAY, "different", "different", BAD },
	{ CHANGE_REPLAY, "lost", "lost", BAD },
};

START_TEST(count_has_its_gain)
{
	const enum change_what what = measures[_i].what;
	const struct measure *measure = change_measures(what);
	json_t *less = parse("{'points': 1000}"), *more = parse("{'points': 1000}");
	enum change_direction direction;

	for (int i = _i; i && measures[i - 1].what == what; i--)
		measure++;
	ck_assert_str_eq(measure->name, measures[_i].name);
	ck_assert_str_eq(measure->text, measures[_i].text);
	if (_i + 1 == COUNT(measures) || measures[_i + 1].what != what)
		ck_assert_ptr_null(measure[1].name);
	json_object_set_new(less, measures[_i].name, json_integer(10));
	json_object_set_new(more, measures[_i].name, json_integer(11));
	ck_assert(change_counts_compare(what, less, more, 0, &direction));
	ck_assert_msg(direction == measures[_i].rises, "%s rises", measures[_i].name);
	ck_assert(change_counts_compare(what, more, less, 0, &direction));
	ck_assert_msg(direction == measures[_i].falls, "%s falls", measures[_i].name);
	ck_assert(!change_counts_compare(what, more, more, 0, &direction));
	ck_assert_int_eq(direction, CHANGE_OTHER);
	json_decref(less);
	json_decref(more);
}
END_TEST

/* ---- several, and what is excused ----------------------------------------------------------- */

static const struct {
	const char *name;
	const char *before, *after;
	uint64_t excused;
	bool differs;
	enum change_direction direction;
} compares[] = {
	{ "loss_that_is_excused", "{'points':100,'exact':100}", "{'points':100,'exact':95}", 5,
	  true, CHANGE_OTHER },
	{ "loss_that_is_more", "{'points':100,'exact':100}", "{'points':100,'exact':95}", 4, true,
	  CHANGE_WORSE },
	{ "loss_that_is_less_than_excused", "{'points':100,'exact':100}",
	  "{'points':100,'exact':95}", 1000, true, CHANGE_OTHER },
	{ "wrong_that_is_excused", "{'points':100,'wrong':1}", "{'points':100,'wrong':6}", 5, true,
	  CHANGE_OTHER },
	{ "wrong_that_is_more", "{'points':100,'wrong':1}", "{'points':100,'wrong':6}", 4, true,
	  CHANGE_WORSE },
	{ "wrong_that_is_less_than_excused", "{'points':100,'wrong':1}", "{'points':100,'wrong':6}",
	  1000, true, CHANGE_OTHER },
	{ "gain_needs_no_excuse", "{'points':100,'exact':95,'wrong':5}",
	  "{'points':100,'exact':97,'wrong':3}", 9, true, CHANGE_BETTER },
	/* As they are and as shares: both must say the same. */
	{ "more_wrong_of_more", "{'points':100,'wrong':10}", "{'points':200,'wrong':11}", 0, true,
	  CHANGE_OTHER },
	{ "fewer_wrong_of_fewer", "{'points':100,'wrong':10}", "{'points':60,'wrong':9}", 0, true,
	  CHANGE_OTHER },
	{ "more_exact_of_more", "{'points':100,'exact':90}", "{'points':200,'exact':91}", 0, true,
	  CHANGE_OTHER },
	{ "fewer_exact_of_fewer", "{'points':100,'exact':90}", "{'points':60,'exact':59}", 0, true,
	  CHANGE_OTHER },
	{ "of_no_points_before", "{'points':0,'wrong':0}", "{'points':10,'wrong':1}", 0, true,
	  CHANGE_OTHER },
	{ "of_billions", "{'points':6000000000,'wrong':3000000000}",
	  "{'points':6000000000,'wrong':3100000000}", 0, true, CHANGE_WORSE },
	/* One that is worse is not made good by another, whichever is first. */
	{ "worse_and_then_better", "{'points':100,'exact':90,'wrong':5}",
	  "{'points':100,'exact':89,'wrong':4}", 0, true, CHANGE_WORSE },
	{ "better_and_then_worse", "{'points':100,'exact':90,'wrong':5}",
	  "{'points':100,'exact':91,'wrong':6}", 0, true, CHANGE_WORSE },
	{ "better_and_then_neither", "{'points':100,'exact':90,'unproven':5}",
	  "{'points':100,'exact':95,'unproven':0}", 0, true, CHANGE_BETTER },
	{ "only_before", "{'points':100,'wrong':5}", "{'points':100}", 0, false, CHANGE_OTHER },
	{ "only_after", "{'points':100}", "{'points':100,'wrong':5}", 0, false, CHANGE_OTHER },
	{ "no_number_before", "{'points':100,'wrong':'1'}", "{'points':100,'wrong':5}", 0, false,
	  CHANGE_OTHER },
	{ "no_number_after", "{'points':100,'wrong':1}", "{'points':100,'wrong':5.5}", 0, false,
	  CHANGE_OTHER },
};

START_TEST(counts_are_compared)
{
	json_t *before = parse(compares[_i].before), *after = parse(compares[_i].after);
	enum change_direction direction;
	bool differs = change_counts_compare(CHANGE_SCORE, before, after, compares[_i].excused,
					     &direction);

	ck_assert_msg(differs == compares[_i].differs && direction == compares[_i].direction,
		      "%s: %s", compares[_i].name, change_direction_name(direction));
	json_decref(before);
	json_decref(after);
}
END_TEST

/* ---- less than half ------------------------------------------------------------------------- */

#define SILENT_TOO "{'points':70,'silent':10,'untrapped':10,'unproven':10}"

/* Of a score those are points, too, at which nothing was said. */
static const struct {
	enum change_what what;
	const char *before, *after;
	bool cut;
} cuts[] = {
	{ CHANGE_SCORE, SILENT_TOO, "{'points':50}", false },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':49}", true },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':20,'silent':30}", false },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':20,'silent':29}", true },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':20,'untrapped':30}", false },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':20,'untrapped':29}", true },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':20,'unproven':30}", false },
	{ CHANGE_SCORE, SILENT_TOO, "{'points':20,'unproven':29}", true },
	{ CHANGE_SCORE, "{'points':101}", "{'points':50}", true },
	{ CHANGE_SCORE, "{'points':101}", "{'points':51}", false },
	{ CHANGE_SCORE, "{'points':0}", "{'points':0}", false },
	{ CHANGE_VERDICTS, "{'points':100}", "{'points':49,'unproven':30}", true },
	{ CHANGE_VERDICTS, "{'points':98,'unproven':30}", "{'points':49}", false },
	{ CHANGE_REPLAY, "{'points':98,'silent':30}", "{'points':49}", false },
	{ CHANGE_REPLAY, "{'points':99}", "{'points':49,'silent':30}", true },
};

START_TEST(run_of_less_than_half_is_cut)
{
	json_t *before = parse(cuts[_i].before), *after = parse(cuts[_i].after);

	ck_assert_msg(change_points_cut(cuts[_i].what, before, after) == cuts[_i].cut, "%d", _i);
	json_decref(before);
	json_decref(after);
}
END_TEST

SUITE(change_counts, LOOP(count_has_its_gain, measures), LOOP(counts_are_compared, compares),
      LOOP(run_of_less_than_half_is_cut, cuts))
