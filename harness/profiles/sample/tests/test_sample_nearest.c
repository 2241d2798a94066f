/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_nearest.c - which true stack is the nearest to one that is not there
 *
 * The one with the most frames from the outermost inwards; of several the first that was added. What
 * was asked for before is no part of the answer.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"
#include "profiles/sample/sample_set.h"

struct frames {
	uint32_t count;
	uint64_t pc[4];
};

static const struct nearest_case {
	const char *name;
	struct frames added[4];
	struct frames asked, nearest;
	uint32_t common;
} cases[] = {
	{ "nothing_is_there", { { 0 } }, { 1, { 1 } }, { 0 }, 0 },
	{ "nothing_in_common", { { 2, { 1, 2 } } }, { 2, { 1, 3 } }, { 0 }, 0 },
	{ "one_frame", { { 2, { 1, 2 } } }, { 2, { 3, 2 } }, { 2, { 1, 2 } }, 1 },
	{ "all_of_a_shorter_one", { { 1, { 2 } } }, { 3, { 9, 3, 2 } }, { 1, { 2 } }, 1 },
	{ "all_of_it", { { 3, { 1, 2, 3 } } }, { 2, { 2, 3 } }, { 3, { 1, 2, 3 } }, 2 },
	{ "the_most_in_common",
	  { { 2, { 1, 9 } }, { 3, { 4, 3, 9 } }, { 3, { 5, 4, 9 } } },
	  { 3, { 7, 3, 9 } },
	  { 3, { 4, 3, 9 } },
	  2 },
	{ "of_two_the_first",
	  { { 2, { 1, 9 } }, { 2, { 2, 9 } }, { 2, { 3, 9 } } },
	  { 2, { 7, 9 } },
	  { 2, { 1, 9 } },
	  1 },
};

START_TEST(nearest_has_the_most_in_common)
{
	const struct nearest_case *c = &cases[_i];
	struct sample_set *set = sample_set_create();
	struct stack near = { 0 };
	struct error error = { 0 };
	uint32_t common = 77;

	for (int i = 0; i < COUNT(c->added) && c->added[i].count; i++)
		ck_assert(!sample_set_add(set, c->added[i].pc, c->added[i].count, true, &error));
	ck_assert(!stack_reserve(&near, 4, &error));
	near.count = 4;
	near.stop = STOP_DEPTH;
	near.has_marks = true;
	ck_assert_msg(sample_set_nearest(set, c->asked.pc, c->asked.count, &near, &common) ==
			      (c->common > 0),
		      "%s", c->name);
	ck_assert_msg(common == c->common, "%s: %u", c->name, common);
	ck_assert_msg(near.count == c->nearest.count, "%s: %u frames", c->name, near.count);
	for (uint32_t i = 0; i < near.count; i++)
		ck_assert_msg(near.pc[i] == c->nearest.pc[i], "%s: frame %u", c->name, i);
	ck_assert_uint_eq(near.stop, STOP_NONE);
	ck_assert(!near.has_marks);
	stack_deinit(&near);
	sample_set_destroy(set);
}
END_TEST

SUITE(sample_nearest, LOOP(nearest_has_the_most_in_common, cases))
