/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_tally.c - a driven profiler's samples against the points, stack by stack
 *
 * Stacks and profiles are as in score_crafted.h. What is expected: what differs from 0, then the functions that lost.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "score_crafted.h"

static const struct {
	const char *name, *truth, *profile, *expected;
} cases[] = {
	{ "all", "p3 0:2810 0:2110 0:2010\np2 0:2110 0:2010",
	  "*3 0:2810 0:2110 0:2010\n*2 0:2110 0:2010", "points 5 counted 5" },
	{ "in_several_parts", "p3 0:2810 0:2110 0:2010",
	  "*2 0:2810 0:2110 0:2010\n0:2810 0:2110 0:2010", "points 3 counted 3" },
	{ "none_of_a_stack", "p3 0:2810 0:2110 0:2010\np2 0:2110 0:2010", "*2 0:2110 0:2010",
	  "points 5 counted 2 lost 3; leaf 3 of 3" },
	{ "one_too_few", "p3 0:2810 0:2110 0:2010\np2 0:2110 0:2010",
	  "*2 0:2810 0:2110 0:2010\n*2 0:2110 0:2010", "points 5 counted 4 lost 1; leaf 1 of 3" },
	/* One sample of leaf's stack counts as f's. */
	{ "as_another_true_stack", "p3 0:2810 0:2110 0:2010\np2 0:2110 0:2010",
	  "*2 0:2810 0:2110 0:2010\n*3 0:2110 0:2010",
	  "points 5 counted 4 lost 1 surplus 1; leaf 1 of 3" },
	/* The same function at another caller is another stack. */
	{ "as_another_caller's", "p2 0:2810 0:2110 0:2010\np2 0:2810 0:2010",
	  "0:2810 0:2110 0:2010\n*3 0:2810 0:2010",
	  "points 4 counted 3 lost 1 surplus 1; leaf 1 of 4" },
	/* Addresses in one function are one stack: of many profiles nothing else is known. */
	{ "addresses_of_a_function", "p2 0:2810 0:2010\np2 0:2820 0:2010", "*4 0:2810 0:2010",
	  "points 4 counted 4" },
	{ "callers'_addresses", "p2 0:2810 0:2010\np2 0:2810 0:2020", "*4 0:2810 0:2010",
	  "points 4 counted 4" },
	{ "cut_short", "p3 0:2810 0:2110 0:2010", "*2 0:2810 0:2110 0:2010\n0:2810 0:2110",
	  "points 3 counted 2 lost 1; leaf 1 of 3" },
	{ "impossible", "p3 0:2810 0:2110 0:2010", "*2 0:2810 0:2110 0:2010\n0:2810 0:2e10",
	  "points 3 counted 2 lost 1; leaf 1 of 3" },
	{ "behind_a_system_call", "p3 0:2810 0:2010\nk 0:2812 0:2010", "*9 0:2810 0:2010",
	  "points 3 counted 3 in_kernel 6" },
	{ "in_doubt", "p3 0:2810 0:2010\nu 0:2820 0:2010", "*4 0:2810 0:2010",
	  "points 3 unproven 1 counted 3" },
	{ "in_doubt_and_more", "p3 0:2810 0:2010\nu 0:2820 0:2010", "*5 0:2810 0:2010",
	  "points 3 unproven 1 counted 3 surplus 1" },
	{ "open", "p3 0:2810 0:2010\no 0:2910 0:2110", "*3 0:2810 0:2010\n0:2910 0:2110",
	  "points 3 open 1 counted 3" },
	/* Two functions of one name are one, and a clone is its function. */
	{ "twins", "p3 0:2a10 0:2010\np2 0:3a10 0:2010", "main;twin 5\n", "points 5 counted 5" },
	{ "twins_by_address", "p3 0:2a10 0:2010\np2 0:3a10 0:2010", "*5 0:2a10 0:2010",
	  "points 5 counted 5" },
	{ "names", "p3 0:2810 0:2110 0:2010\np2 0:2110 0:2010", "main;f;leaf 2\nmain;f 2\n",
	  "points 5 counted 4 lost 1; leaf 1 of 3" },
	{ "worst_first", "p3 0:2810 0:2010\np9 0:2e10 0:2010\np4 0:3810 0:2010", "main;deep 3\n",
	  "points 16 counted 3 lost 13; same 9 of 9 leaf 3 of 3 deep 1 of 4" },
	{ "no_point", "k 0:2812 0:2010", "0:2812 0:2010", "in_kernel 1" },
};

static void put_count(FILE *file, const char *name, uint64_t count)
{
	if (count)
		fprintf(file, "%s%s %" PRIu64, ftell(file) ? " " : "", name, count);
}

static void put_lost(FILE *file)
{
	struct score_tally_function lost[8];
	size_t count = score_tally_lost(scored.tally, lost, 8);

	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s %s %" PRIu64 " of %" PRIu64, i ? "" : ";",
			truth.function[lost[i].function].name, lost[i].lost, lost[i].points);
}

START_TEST(samples_are_held_against_points)
{
	char got[512] = "";
	struct score_tally_sums sums;
	FILE *file = fmemopen(got, sizeof(got), "w");

	truth_fields("driven=1");
	open_crafted(cases[_i].truth);
	score_text(cases[_i].profile);
	sums = score_tally_sums(scored.tally);
	put_count(file, "points", sums.points);
	put_count(file, "unproven", sums.unproven);
	put_count(file, "open", sums.open);
	put_count(file, "counted", sums.counted);
	put_count(file, "lost", sums.lost);
	put_count(file, "surplus", sums.surplus);
	put_count(file, "in_kernel", sums.in_kernel);
	put_count(file, "undecided", sums.undecided);
	put_lost(file);
	fclose(file);
	ck_assert_msg(!strcmp(got, cases[_i].expected), "%s: %s, not %s", cases[_i].name, got,
		      cases[_i].expected);
}
END_TEST

/* Of a run that was not driven nothing is known of how often. */
START_TEST(only_a_driven_run_is_counted)
{
	struct error error;

	open_crafted("p3 0:2810 0:2010");
	ck_assert(!score_init(&scored, &truth, &error));
	ck_assert_ptr_null(scored.tally);
}
END_TEST

/* The profile has the stops alone: where the run began late or was cut short, that is no gap. */
static const struct {
	const char *fields, *expected;
} gaps[] = {
	{ "driven=1", "caller 1" },
	{ "driven=1 from='main", "caller 1" },
	{ "driven=1 partial='limit", "caller 1" },
	{ "driven=1 wait_status=9", "caller 1" },
	{ "driven=1 untraced=1", "gap 1" },
	{ "driven=1 unread=1", "gap 1" },
	{ "driven=1 merged_steps=1", "gap 1" },
	{ "driven=0 from='main", "gap 1" },
};

START_TEST(what_was_not_stepped_was_not_sampled)
{
	truth_fields(gaps[_i].fields);
	open_crafted("0:2810 0:2110 0:2010");
	check_counts(gaps[_i].fields, "0:2810 0:2e10", gaps[_i].expected);
}
END_TEST

SUITE(score_tally, CRAFTED, LOOP(samples_are_held_against_points, cases),
      TEST(only_a_driven_run_is_counted), LOOP(what_was_not_stepped_was_not_sampled, gaps))
