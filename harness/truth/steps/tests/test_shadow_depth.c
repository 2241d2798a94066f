/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_shadow_depth.c - more frames than a stack has room for: the innermost are kept
 *
 * Apart from test_shadow_stack.c, for a million of them take their time.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "truth/steps/shadow_stack.h"

static const struct {
	const char *name;
	size_t calls;
	uint32_t limit;
	uint32_t frames;
	uint32_t stop;
} depths[] = {
	{ "as_many_as_a_limit", 1023, 1024, 1024, STOP_COMPLETE },
	{ "one_more_than_a_limit", 1024, 1024, 1024, STOP_DEPTH },
	{ "many_more_than_a_limit", 100000, 1024, 1024, STOP_DEPTH },
	{ "without_a_limit_all", 100000, 0, 100001, STOP_COMPLETE },
	{ "as_many_as_a_stack_has", STACK_FRAMES_MAX - 1, 0, STACK_FRAMES_MAX, STOP_COMPLETE },
	{ "one_more_than_a_stack_has", STACK_FRAMES_MAX, 0, STACK_FRAMES_MAX, STOP_DEPTH },
	{ "many_more_than_a_stack_has", 1500000, 0, STACK_FRAMES_MAX, STOP_DEPTH },
	{ "a_limit_above_the_maximum", STACK_FRAMES_MAX, UINT32_MAX, STACK_FRAMES_MAX, STOP_DEPTH },
};

START_TEST(test_depth)
{
	struct shadow_stack stack;
	struct stack frames = { .limit = depths[_i].limit };
	struct error error;

	shadow_stack_init(&stack, true);
	for (size_t i = 0; i < depths[_i].calls; i++)
		ck_assert(shadow_stack_call(&stack, 0x10000000 - i * 16, i + 1, NULL));
	ck_assert_uint_eq(stack.count, depths[_i].calls);
	ck_assert(!shadow_stack_get(&stack, 0x42, &frames, &error));
	ck_assert_msg(frames.count == depths[_i].frames && frames.stop == depths[_i].stop,
		      "%s: %u frames, %s", depths[_i].name, frames.count,
		      stop_reason_name(frames.stop));
	ck_assert_uint_eq(frames.pc[1], depths[_i].calls);
	ck_assert_uint_eq(frames.pc[frames.count - 1], depths[_i].calls - (frames.count - 2));
	stack_deinit(&frames);
	shadow_stack_deinit(&stack);
}
END_TEST

SUITE(shadow_depth, LOOP(test_depth, depths))
