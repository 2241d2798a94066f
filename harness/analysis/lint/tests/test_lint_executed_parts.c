/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_executed_parts.c - which of the places that ran are an instruction's
 *
 * Those at its first byte, and calls up to where the next instruction that was judged begins, its FDE ends, or no
 * instruction can reach. What lint says with them is in test_lint_executed.c.
 */
#include "tests/suite.h"
#include "analysis/lint/lint_executed.c"

#define IMAGE 3

/* The last is behind the list. */
static struct lint_judged judged[] = { { .pc = 0x100 }, { .pc = 0x103 }, { .pc = 0x105 },
				       { .pc = 0x120 }, { .pc = 0x122 }, { .pc = 0x123 } };

static const struct {
	size_t number; /* of the instruction */
	uint64_t limit;
	uint64_t pc, points, calls; /* of what ran */
	bool ran, called;
} cases[] = {
	{ 0, 0x200, 0x0ff, 1, 1, false, false }, { 0, 0x200, 0x100, 1, 0, true, false },
	{ 0, 0x200, 0x100, 0, 0, false, false }, { 0, 0x200, 0x100, 0, 1, true, true },
	{ 0, 0x200, 0x100, 5, 7, true, true },	 { 0, 0x200, 0x101, 1, 0, false, false },
	{ 0, 0x200, 0x102, 0, 1, true, true },	 { 0, 0x200, 0x103, 0, 1, false, false },
	{ 0, 0x102, 0x101, 0, 1, true, true },	 { 0, 0x102, 0x102, 0, 1, false, false },
	{ 1, 0x200, 0x104, 0, 1, true, true },	 { 1, 0x200, 0x105, 0, 1, false, false },
	{ 1, 0x200, 0x106, 0, 1, false, false }, { 2, 0x200, 0x113, 0, 1, true, true },
	{ 2, 0x200, 0x114, 0, 1, false, false }, { 2, 0x108, 0x107, 0, 1, true, true },
	{ 2, 0x108, 0x108, 0, 1, false, false }, { 2, 0x114, 0x113, 0, 1, true, true },
	{ 2, 0x113, 0x113, 0, 1, false, false }, { 3, 0x200, 0x121, 0, 1, true, true },
	{ 3, 0x200, 0x122, 0, 1, false, false }, { 4, 0x200, 0x122, 1, 0, true, false },
	{ 4, 0x200, 0x123, 0, 1, true, true },	 { 4, 0x200, 0x130, 0, 1, true, true },
	{ 4, 0x200, 0x131, 0, 1, false, false },
};

START_TEST(what_ran_is_an_instruction_s)
{
	struct executed_place place[] = {
		{ .image = IMAGE - 1, .pc = cases[_i].pc, .points = 9, .calls = 9 },
		{ .image = IMAGE,
		  .pc = cases[_i].pc,
		  .points = cases[_i].points,
		  .calls = cases[_i].calls },
		{ .image = IMAGE + 1, .pc = 0, .points = 9, .calls = 9 },
	};
	struct executed executed = { .place = place, .place_count = COUNT(place) };
	const struct lint_join join = { .executed = &executed,
					.identity = EXECUTED_BUILD_ID,
					.image = IMAGE,
					.judged = judged,
					.judged_count = COUNT(judged) - 1 };
	uint64_t calls = 40;

	ck_assert_int_eq(did_run(&join, cases[_i].number, cases[_i].limit, &calls), cases[_i].ran);
	ck_assert_uint_eq(calls, 40 + cases[_i].called);
}
END_TEST

/* ---- what is noted of a run ------------------------------------------------------------------ */

START_TEST(what_is_agreed_on_is_noted_once_for_a_function)
{
	static const struct lint_point points[] = {
		{ .pc = 16, .function = 16, .agreed = 0 },
		{ .pc = 17, .function = 16, .agreed = 8 },
		{ .pc = 18, .function = 16, .agreed = 8 },
		{ .pc = 40, .function = 40, .agreed = 4 },
		{ .pc = 41, .function = 40, .agreed = 4 },
		{ .pc = 50, .function = 50, .agreed = 2 },
	};
	struct lint_join join = { .identity = EXECUTED_NOT_LOADED };

	for (int i = 0; i < COUNT(points); i++)
		lint_join_point(&join, &points[i]);
	ck_assert_uint_eq(join.agreed_count, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(join.agreed[i].function, i == 0 ? 16 : i == 1 ? 40 : 50);
		ck_assert_uint_eq(join.agreed[i].agreed, i == 0 ? 8 : i == 1 ? 4 : 2);
	}
	ck_assert_uint_eq(join.agreeing_count, 0);
	lint_join_deinit(&join);
}
END_TEST

SUITE(lint_executed_parts, LOOP(what_ran_is_an_instruction_s, cases),
      TEST(what_is_agreed_on_is_noted_once_for_a_function))
