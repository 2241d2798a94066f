/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_alternative.c - alternative.c: the truth as the CFI has it
 *
 * Stacks are rows of numbers, to the first 0.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "judge/verdict/doubt.h"

#define STACK_MAX 24

#define CFI_HAS(...)   .cfi = { __VA_ARGS__ }
#define TRUTH_HAS(...) .truth = { __VA_ARGS__ }
#define EXPECTED(...)  .expected = { __VA_ARGS__ }

static const struct alternative_case {
	const char *name;
	uint64_t cfi[STACK_MAX], truth[STACK_MAX]; /* to the first 0 */
	uint32_t frames;			   /* that agree */
	bool is_prefix;				   /* the truth has no root */
	uint64_t expected[STACK_MAX];		   /* { 0 }: there is none */
} alternative_cases[] = {
	{ "one_is_put_in", CFI_HAS(1, 9, 2, 3), TRUTH_HAS(1, 2, 3), 1, false,
	  EXPECTED(1, 9, 2, 3) },
	{ "two_are_put_in", CFI_HAS(1, 8, 9, 2, 3), TRUTH_HAS(1, 2, 3), 1, false,
	  EXPECTED(1, 8, 9, 2, 3) },
	{ "one_is_left_out", CFI_HAS(1, 3, 4), TRUTH_HAS(1, 2, 3, 4), 1, false, EXPECTED(1, 3, 4) },
	{ "two_are_left_out", CFI_HAS(1, 4, 5), TRUTH_HAS(1, 2, 3, 4, 5), 1, false,
	  EXPECTED(1, 4, 5) },
	{ "one_is_another", CFI_HAS(1, 9, 3, 4), TRUTH_HAS(1, 2, 3, 4), 1, false,
	  EXPECTED(1, 9, 3, 4) },
	{ "behind_frames_that_agree", CFI_HAS(1, 2, 3, 9, 4), TRUTH_HAS(1, 2, 3, 4), 3, false,
	  EXPECTED(1, 2, 3, 9, 4) },
	{ "the_fewest_changes_are_taken", CFI_HAS(1, 2, 2, 3), TRUTH_HAS(1, 2, 3), 2, false,
	  EXPECTED(1, 2, 2, 3) },
	{ "it_never_joins_again", CFI_HAS(1, 7, 8, 9), TRUTH_HAS(1, 2, 3, 4), 1, false },
	{ "it_joins_and_parts_again", CFI_HAS(1, 9, 2, 8), TRUTH_HAS(1, 2, 3), 1, false },
	{ "it_ends_where_it_parts", CFI_HAS(1), TRUTH_HAS(1, 2, 3), 1, false },
	{ "it_ends_in_what_is_put_in", CFI_HAS(1, 9), TRUTH_HAS(1, 2, 3), 1, false },
	{ "it_is_cut_after_it_has_joined", CFI_HAS(1, 9, 2), TRUTH_HAS(1, 2, 3), 1, false,
	  EXPECTED(1, 9, 2, 3) },
	{ "it_goes_on_beyond_a_root", CFI_HAS(1, 9, 2, 3, 4), TRUTH_HAS(1, 2, 3), 1, false },
	{ "it_goes_on_beyond_a_prefix", CFI_HAS(1, 9, 2, 3, 4), TRUTH_HAS(1, 2, 3), 1, true,
	  EXPECTED(1, 9, 2, 3) },
	{ "the_whole_truth_is_left_out", CFI_HAS(1, 9), TRUTH_HAS(1, 2), 1, true },
	{ "eight_are_put_in", CFI_HAS(1, 11, 12, 13, 14, 15, 16, 17, 18, 2, 3), TRUTH_HAS(1, 2, 3),
	  1, false, EXPECTED(1, 11, 12, 13, 14, 15, 16, 17, 18, 2, 3) },
	{ "nine_are_too_many_to_put_in", CFI_HAS(1, 11, 12, 13, 14, 15, 16, 17, 18, 19, 2, 3),
	  TRUTH_HAS(1, 2, 3), 1, false },
	{ "eight_are_put_in_for_eight", CFI_HAS(1, 11, 12, 13, 14, 15, 16, 17, 18, 2, 3),
	  TRUTH_HAS(1, 21, 22, 23, 24, 25, 26, 27, 28, 2, 3), 1, false,
	  EXPECTED(1, 11, 12, 13, 14, 15, 16, 17, 18, 2, 3) },
	{ "eight_are_left_out", CFI_HAS(1, 2, 3),
	  TRUTH_HAS(1, 11, 12, 13, 14, 15, 16, 17, 18, 2, 3), 1, false, EXPECTED(1, 2, 3) },
	{ "nine_are_too_many_to_leave_out", CFI_HAS(1, 2, 3),
	  TRUTH_HAS(1, 11, 12, 13, 14, 15, 16, 17, 18, 19, 2, 3), 1, false },
};

static void make_stack(const uint64_t *pc, uint32_t stop, struct stack *ret)
{
	struct error error;
	uint32_t count = 0;

	while (count < STACK_MAX && pc[count])
		count++;
	ck_assert(!stack_set(ret, pc, count, stop, &error));
}

START_TEST(the_truth_as_the_cfi_has_it)
{
	const struct alternative_case *c = &alternative_cases[_i];
	struct stack cfi = { 0 }, truth = { 0 }, expected = { 0 }, stack = { 0 };

	make_stack(c->cfi, STOP_COMPLETE, &cfi);
	make_stack(c->truth, c->is_prefix ? STOP_NONE : STOP_COMPLETE, &truth);
	make_stack(c->expected, truth.stop, &expected);
	make_stack((const uint64_t[]) { 5, 5, 5, 5, 0 }, STOP_NONE, &stack); /* filled before */
	ck_assert_msg(alternative_truth(&cfi, &truth, c->frames, !c->is_prefix, &stack) ==
			      (expected.count > 0),
		      "%s", c->name);
	if (expected.count) {
		ck_assert_msg(stack.count == expected.count, "%s: %u frames", c->name, stack.count);
		ck_assert_mem_eq(stack.pc, expected.pc, expected.count * sizeof(stack.pc[0]));
		ck_assert_uint_eq(stack.stop, truth.stop);
		ck_assert_uint_ge(stack.capacity, stack.count);
	}
	stack_deinit(&cfi);
	stack_deinit(&truth);
	stack_deinit(&expected);
	stack_deinit(&stack);
}
END_TEST

/* However many frames follow, there is room for them. */
START_TEST(rest_has_room)
{
	enum { FRAMES = 2000 };
	uint64_t *pc = calloc(2 * FRAMES, sizeof(*pc));
	struct stack truth = { .pc = pc, .count = FRAMES, .stop = STOP_COMPLETE };
	struct stack cfi = { .pc = pc + FRAMES, .count = FRAMES }, got = { .count = 0 };

	for (int i = 0; i < FRAMES; i++) {
		truth.pc[i] = i + 1;
		cfi.pc[i] = i < 2 ? i * 7 + 1 : i;
	}
	ck_assert(alternative_truth(&cfi, &truth, 1, true, &got));
	ck_assert_uint_eq(got.count, FRAMES + 1);
	ck_assert_uint_ge(got.capacity, got.count);
	ck_assert_uint_eq(got.pc[1], 8);
	ck_assert_uint_eq(got.pc[FRAMES], FRAMES);
	stack_deinit(&got);
	free(pc);
}
END_TEST

SUITE(alternative, TEST(rest_has_room), LOOP(the_truth_as_the_cfi_has_it, alternative_cases))
