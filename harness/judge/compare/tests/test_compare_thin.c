/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_thin.c - runs that prove little, by their counts, and their exit status
 */
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "base/cli/exit_status.h"

static const struct thin_case {
	const char *name;
	uint64_t points, unproven, unrooted;
	uint32_t max_frames;
	bool thin, doubtful;
} cases[] = {
	{ "all_is_proven", 1000, 0, 0, 2, false, false },
	{ "no_points", 0, 0, 0, 2, true, false },
	{ "one_frame", 1000, 0, 0, 1, true, false },
	{ "one_in_twenty_is_unproven", 1000, 50, 0, 2, false, false },
	{ "more_than_one_in_twenty_is_unproven", 1000, 51, 0, 2, false, true },
	{ "half_is_unproven", 1000, 500, 0, 2, false, true },
	{ "more_than_half_is_unproven", 1000, 501, 0, 2, true, true },
	{ "all_is_unproven", 1000, 1000, 0, 2, true, true },
	{ "half_is_without_a_root", 1000, 0, 500, 2, false, false },
	{ "more_than_half_is_without_a_root", 1000, 0, 501, 2, true, false },
};

START_TEST(what_proves_little_is_no_success)
{
	const struct thin_case *c = &cases[_i];
	const struct comparison comparison = {
		.points = c->points,
		.engine_count = 1,
		.verdict = { [VERDICT_EXACT] = c->points - c->unproven,
			     [VERDICT_UNPROVEN] = c->unproven },
		.truth = { .unrooted = c->unrooted, .max_frames = c->max_frames },
	};
	struct gate gate;

	comparison_gate(&comparison, &gate);
	ck_assert_msg(comparison_is_thin(&comparison) == c->thin, "%s: thin", c->name);
	ck_assert_msg(comparison_is_doubtful(&comparison) == c->doubtful, "%s: in doubt", c->name);
	ck_assert_uint_eq(gate.findings != 0, c->points && c->thin);
	if (c->points)
		ck_assert_int_eq(gate_status(&gate), c->thin ? EXIT_FINDINGS : EXIT_OK);
	else
		ck_assert_int_eq(gate_status(&gate), EXIT_SKIPPED);
}
END_TEST

SUITE(compare_thin, LOOP(what_proves_little_is_no_success, cases))
