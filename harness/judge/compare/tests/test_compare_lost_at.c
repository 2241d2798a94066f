/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_lost_at.c - at which code a stack was lost, by the last frame that is right
 *
 * The program's own file is diff_image.h's, a mapping without a file lies behind it.
 */
#include <string.h>
#include "tests/suite.h"
#include "compare_world.h"

#define OTHER (2 * PAGE) /* in the mapping behind the program's */
#define AWAY  (9 * PAGE) /* in no mapping */

static const struct lost_case {
	const char *name;
	uint64_t pc[4]; /* less the bias, the truth's; 0 ends them */
	uint32_t frames;
	uint32_t interrupted; /* this frame; 0: none */
	enum lost_at where;
} cases[] = {
	{ "no_frame", { 0x1004, 0x1008 }, 0, 0, LOST_LEAF },
	{ "before_the_push", { 0x1000, 0x1008 }, 1, 0, LOST_ENTRY },
	{ "behind_the_push", { 0x1001, 0x1008 }, 1, 0, LOST_ENTRY },
	{ "last_of_the_entry", { 0x1003, 0x1008 }, 1, 0, LOST_ENTRY },
	{ "frame_set_up", { 0x1004, 0x1008 }, 1, 0, LOST_BODY },
	{ "last_of_the_body", { 0x101e, 0x1008 }, 1, 0, LOST_BODY },
	{ "frame_taken_down", { 0x101f, 0x1008 }, 1, 0, LOST_EPILOGUE },
	/* The call was in the body. */
	{ "return_address_at_the_epilogue", { 0x1004, 0x101f, 0x1008 }, 2, 0, LOST_BODY },
	{ "return_address_behind_the_function", { 0x1004, 0x1020, 0x1008 }, 2, 0, LOST_EPILOGUE },
	{ "caller's_body", { 0x1000, 0x1010, 0x1008 }, 2, 0, LOST_BODY },
	{ "a_caller_without_CFI", { 0x1004, 0x1038, 0x1008 }, 2, 0, LOST_NO_CFI },
	{ "no_CFI", { 0x1038, 0x1008 }, 1, 0, LOST_NO_CFI },
	{ "one_row", { 0x1028, 0x1008 }, 1, 0, LOST_ENTRY },
	{ "first_row_of_several", { 0x1080, 0x1008 }, 1, 0, LOST_ENTRY },
	{ "frameless", { 0x1084, 0x1008 }, 1, 0, LOST_FRAMELESS },
	{ "another_register_than_rbp", { 0x1075, 0x1008 }, 1, 0, LOST_BODY },
	{ "another_file", { OTHER + 4, 0x1008 }, 1, 0, LOST_LIBRARY },
	{ "another_file's_caller", { 0x1004, OTHER + 4, 0x1008 }, 2, 0, LOST_LIBRARY },
	{ "behind_the_last_byte_of_our_file", { 0x1004, OTHER, 0x1008 }, 2, 0, LOST_NO_CFI },
	{ "no_mapping", { AWAY, 0x1008 }, 1, 0, LOST_LIBRARY },
	/* The restorer's frame is right, and what the signal interrupted is not. */
	{ "across_a_signal", { 0x1004, OTHER + 4, 0x1008 }, 2, 2, LOST_SIGNAL },
	/* Its PC is no return address. */
	{ "at_what_was_interrupted", { 0x1004, 0x101f, 0x1008 }, 2, 1, LOST_EPILOGUE },
};

static struct world world;
static struct comparer comparer;

/* The truth's PCs, and a shadow stack of them. */
static void set_truth(const struct lost_case *c, uint64_t pc[4], struct stack *ret)
{
	*ret = (struct stack) { .pc = pc };
	while (ret->count < 4 && c->pc[ret->count]) {
		pc[ret->count] = BIAS + c->pc[ret->count];
		ret->count++;
	}
	world.shadow.count = ret->count - 1;
	memset(world.frame, 0, sizeof(world.frame));
	for (uint32_t i = 1; i < ret->count; i++)
		world.frame[world.shadow.count - i] = (struct shadow_frame) {
			.return_address = pc[i], .interrupted = i == c->interrupted
		};
}

START_TEST(the_last_right_frame_says_where)
{
	const struct lost_case *c = &cases[_i];
	struct stack truth;
	uint64_t pc[4];

	world_init(&world, BIAS, diff_image_fdes);
	memset(&comparer, 0, sizeof(comparer));
	comparer.space = world.space;
	set_truth(c, pc, &truth);
	for (int times = 0; times < 2; times++) /* looked up, and known */
		ck_assert_msg(
			compare_lost_at(&comparer, &world.shadow, &truth, c->frames) == c->where,
			"%s: %s", c->name,
			lost_at_name(compare_lost_at(&comparer, &world.shadow, &truth, c->frames)));
	world_deinit(&world);
}
END_TEST

/* Two PCs that share a place in what is kept. */
START_TEST(what_is_kept_is_of_its_pc_alone)
{
	const struct lost_case one = { "", { 0x1004, 0x1008 }, 1, 0, LOST_BODY },
			       other = { "", { 0x1004 + LOST_CODES, 0x1008 }, 1, 0, LOST_LIBRARY };
	struct stack truth;
	uint64_t pc[4];

	world_init(&world, BIAS, diff_image_fdes);
	memset(&comparer, 0, sizeof(comparer));
	comparer.space = world.space;
	for (int times = 0; times < 2; times++) {
		set_truth(&one, pc, &truth);
		ck_assert_int_eq(compare_lost_at(&comparer, &world.shadow, &truth, 1), one.where);
		set_truth(&other, pc, &truth);
		ck_assert_int_eq(compare_lost_at(&comparer, &world.shadow, &truth, 1), other.where);
	}
	world_deinit(&world);
}
END_TEST

SUITE(compare_lost_at, LOOP(the_last_right_frame_says_where, cases),
      TEST(what_is_kept_is_of_its_pc_alone))
