/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_change_groups.c - under which headings a function's change is found
 *
 * Each case is a change of one function; a heading that has it is an entry of the report, and what
 * is not told apart by a heading is not in any.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "corpus/toolchains/toolchains.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define PLAIN	      (FEATURE_FDE | FEATURE_EPILOGUES)

#define BEFORE(...) .before = { __VA_ARGS__ }
#define AFTER(...)  .after = { __VA_ARGS__ }

static const struct {
	const char *name;
	enum function_outcome outcome;
	struct function_profile before, after;
	const char *titles; /* of its groups, in order, with a ; behind each */
} cases[] = {
	{ "more_rows", FUNCTION_CHANGED, BEFORE("f", .features = PLAIN, .rows = 3),
	  AFTER("f", .features = PLAIN, .rows = 4), "more rows;" },
	{ "fewer_rows", FUNCTION_CHANGED, BEFORE("f", .features = PLAIN, .rows = 4),
	  AFTER("f", .features = PLAIN, .rows = 3), "fewer rows;" },
	{ "a_larger_frame", FUNCTION_CHANGED, BEFORE("f", .features = PLAIN, .cfa_max = 16),
	  AFTER("f", .features = PLAIN, .cfa_max = 32), "larger frame;" },
	{ "a_smaller_frame", FUNCTION_CHANGED, BEFORE("f", .features = PLAIN, .cfa_max = 32),
	  AFTER("f", .features = PLAIN, .cfa_max = 16), "smaller frame;" },
	{ "a_larger_frame_in_fewer_rows", FUNCTION_CHANGED,
	  BEFORE("f", .features = PLAIN, .cfa_max = 16, .rows = 5),
	  AFTER("f", .features = PLAIN, .cfa_max = 32, .rows = 3), "larger frame;fewer rows;" },
	{ "other_registers", FUNCTION_CHANGED, BEFORE("f", .features = PLAIN, .saved = 1 << 3),
	  AFTER("f", .features = PLAIN, .saved = 1 << 6), "other registers saved;" },
	{ "the_same_numbers", FUNCTION_CHANGED, BEFORE("f", .features = PLAIN),
	  AFTER("f", .features = PLAIN), "other rules in as many rows;" },
	{ "a_function_that_is_new", FUNCTION_ADDED, BEFORE(.name = "f"), AFTER(.name = "f"),
	  "function only in the second;" },
	{ "a_function_that_is_gone", FUNCTION_REMOVED, BEFORE(.name = "f"), AFTER(.name = "f"),
	  "function only in the first;" },
	{ "a_cold_part_that_is_new", FUNCTION_ADDED, BEFORE(.name = "f.cold"),
	  AFTER(.name = "f.cold.1"), "cold part with an FDE of its own;" },
	{ "a_cold_part_that_is_gone", FUNCTION_REMOVED, BEFORE(.name = "f.cold"),
	  AFTER(.name = "f.cold"), "no cold part;" },
};

START_TEST(test_headings)
{
	struct function_change change = { .outcome = cases[_i].outcome,
					  .before = cases[_i].before,
					  .after = cases[_i].after };
	const struct toolchain_pair pair = { .change = &change, .change_count = 1 };
	struct change_groups groups;
	char titles[256] = "";

	if (change.outcome == FUNCTION_CHANGED)
		function_change_classify(&change);
	change_groups_init(&groups, &pair);
	for (size_t i = 0; i < groups.count; i++) {
		ck_assert_uint_eq(groups.group[i].count, 1);
		ck_assert_ptr_eq(groups.group[i].change[0], &change);
		strcat(titles, groups.group[i].title);
		strcat(titles, ";");
	}
	ck_assert_msg(!strcmp(titles, cases[_i].titles), "%s: \"%s\"", cases[_i].name, titles);
	change_groups_deinit(&groups);
}
END_TEST

/* What was lost comes before what was gained, and each change is in all groups that are its own. */
START_TEST(test_features)
{
	struct function_change change[] = {
		{ .outcome = FUNCTION_CHANGED, .gained = 1u << 0, .lost = 1u << 1 },
		{ .outcome = FUNCTION_CHANGED, .lost = 1u << 1 },
		{ .outcome = FUNCTION_CHANGED, .lost = 1u << 0, .numbers = 1u << NUMBER_BYTES },
	};
	const struct toolchain_pair pair = { .change = change, .change_count = LENGTH(change) };
	static const size_t counts[] = { 1, 1, 2 };
	struct change_groups groups;

	change_groups_init(&groups, &pair);
	ck_assert_uint_eq(groups.count, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_uint_eq(groups.group[i].count, counts[i]);
	ck_assert_ptr_eq(groups.group[0].change[0], &change[2]);
	ck_assert_ptr_eq(groups.group[1].change[0], &change[0]);
	ck_assert_ptr_eq(groups.group[2].change[1], &change[1]);
	change_groups_deinit(&groups);
}
END_TEST

SUITE(change_groups, LOOP(test_headings, cases), TEST(test_features))
