/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_rank.c - the order in which compare ranks engines, and its table, letter by letter
 *
 * Each case is two engines that differ in one thing, asked for in either order: the better one must
 * be first both times. Of those that are equal, who was asked for first stays first.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/compare/compare.h"

#define HEAD                                                                                       \
	"ranking: most exact stacks first, then fewest false claims of a complete one, then "      \
	"cost\n"                                                                                   \
	"rank  engine          exact own frames  false complete    wrong  truncated   ns/stack  "  \
	"bytes/stack\n"

static const struct engine good = { .name = "good" }, bad = { .name = "bad" },
			   skipped = { .name = "skipped" };

struct side {
	uint64_t points, exact, false_complete;
	struct engine_cost cost;
};

static const struct {
	const char *name;
	struct side good, bad;
} cases[] = {
	{ "more_exact", { 10, 9, 0, {} }, { 10, 8, 0, {} } },
	{ "a_larger_share_not_a_larger_count", { 4, 3, 0, {} }, { 100, 74, 0, {} } },
	{ "exact_before_all_else", { 10, 9, 5, { 1, 99, 1, 99 } }, { 10, 8, 0, { 1, 1, 1, 1 } } },
	{ "one_point_in_a_billion",
	  { 1000000000, 1000000000, 9, {} },
	  { 1000000000, 999999999, 0, {} } },
	{ "fewer_false_complete", { 10, 9, 1, {} }, { 10, 9, 2, {} } },
	{ "a_smaller_share_of_false_complete", { 20, 10, 3, {} }, { 10, 5, 2, {} } },
	{ "false_complete_before_cost", { 9, 9, 1, { 1, 99, 0, 0 } }, { 9, 9, 2, { 1, 1, 0, 0 } } },
	{ "quicker", { 9, 9, 0, { 2, 9, 0, 0 } }, { 9, 9, 0, { 1, 5, 0, 0 } } },
	{ "time_before_bytes", { 9, 9, 0, { 1, 1, 1, 9 } }, { 9, 9, 0, { 1, 2, 1, 8 } } },
	{ "known_cost_before_unknown", { 9, 9, 0, { 1, 999, 0, 0 } }, { 9, 9, 0, { 0, 0, 1, 1 } } },
	{ "fewer_bytes", { 9, 9, 0, { 1, 1, 2, 9 } }, { 9, 9, 0, { 2, 2, 1, 5 } } },
	{ "known_bytes_before_unknown", { 9, 9, 0, { 1, 1, 1, 9 } }, { 9, 9, 0, { 1, 1, 0, 0 } } },
	{ "said_something", { 1, 0, 1, {} }, { 0, 0, 0, { 1, 1, 1, 1 } } },
};

static struct compare_engine made(const struct engine *engine, const struct side *side)
{
	struct compare_engine ret = { .engine = engine, .cost = side->cost };

	ret.score.points = side->points;
	ret.score.match[MATCH_EXACT] = side->exact;
	ret.score.false_complete = side->false_complete;
	return ret;
}

START_TEST(the_better_one_is_first)
{
	static struct comparison comparison;
	const struct compare_engine *ranked[COMPARE_ENGINES_MAX];

	for (int turn = 0; turn < 2; turn++) {
		memset(&comparison, 0, sizeof(comparison));
		comparison.engine_count = 3;
		comparison.engine[turn] = made(&good, &cases[_i].good);
		comparison.engine[!turn] = made(&bad, &cases[_i].bad);
		comparison.engine[2] = (struct compare_engine) { &skipped, .skipped = true };
		ck_assert_uint_eq(compare_rank(&comparison, ranked), 2);
		ck_assert_msg(ranked[0]->engine == &good && ranked[1]->engine == &bad, "%s, %d",
			      cases[_i].name, turn);
	}
}
END_TEST

START_TEST(equals_stay_as_they_were_asked_for)
{
	static struct comparison comparison;
	const struct compare_engine *ranked[COMPARE_ENGINES_MAX];

	comparison.engine_count = COMPARE_ENGINES_MAX;
	for (size_t i = 0; i < COMPARE_ENGINES_MAX; i++)
		comparison.engine[i] = made(&good, &cases[1].good);
	ck_assert_uint_eq(compare_rank(&comparison, ranked), COMPARE_ENGINES_MAX);
	for (size_t i = 0; i < COMPARE_ENGINES_MAX; i++)
		ck_assert_ptr_eq(ranked[i], &comparison.engine[i]);
}
END_TEST

static void expect_table(const struct comparison *comparison, const char *expected)
{
	check_printed("", PRINTED(file, compare_print_ranking(file, comparison)), expected);
}

/* 999,999 of a million is not 100 %, and a cost that is not known is not 0. */
START_TEST(the_table)
{
	static const struct engine silent = { .name = "silent" };
	static struct comparison comparison;
	struct side most = { 1000000, 999999, 0, { 2, 12346, 4, 33 } };

	comparison.engine_count = 4;
	comparison.engine[0] = made(&bad, &(struct side) { 3, 2, 1, { 0, 0, 1, 8192 } });
	comparison.engine[0].score.match[MATCH_WRONG] = 12345678;
	comparison.engine[0].score.match[MATCH_TRUNCATED] = 1234567890;
	comparison.engine[0].score.frames_own = 200001;
	comparison.engine[0].score.frames_own_right = 200000;
	comparison.engine[0].score.lost_at[LOST_ENTRY] = 1;
	comparison.engine[0].score.lost_at[LOST_LIBRARY] = 23;
	comparison.engine[0].score.lost_at[LOST_BODY] = 4;
	comparison.engine[1] = (struct compare_engine) { &skipped, .skipped = true };
	comparison.engine[2] = made(&good, &most);
	comparison.engine[3] = made(&silent, &(struct side) { 0, 0, 0, {} });
	expect_table(&comparison,
		     HEAD "   1  good         99.999 %          -               0        0        "
			  "  0       6173            8\n"
			  "   2  bad          66.666 %   99.999 %               1 12345678 "
			  "1234567890          -         8192\n"
			  "   3  silent              -          -               0        0        "
			  "  0          -            -\n"
			  "      bad        lost the caller at: library 23, entry 1, body 4\n");
	comparison.engine_count = 1;
	comparison.engine[0].skipped = true;
	expect_table(&comparison, "");
}
END_TEST

SUITE(compare_rank, LOOP(the_better_one_is_first, cases), TEST(equals_stay_as_they_were_asked_for),
      TEST(the_table))
