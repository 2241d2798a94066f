/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_continue.c - switches that were none, and stacks that go on below another
 */
#include "tests/suite.h"
#include "step_stacks_fixture.h"

/* rsp was set to a stack of its own, far below in the same mapping. */
#define NEW 0x15000

static struct stepped_thread *setup_switched(void)
{
	struct stepped_thread *thread = setup(TID);

	thread->next.sp_source = SP_FROM_MEMORY;
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, NEW), 0);
	ck_assert_str_eq(outcome(), "0 0x15000 0 new, 1 switches, 1 disturbed, 1 parked");
	thread->regs.rsp = NEW;
	return thread;
}

static struct parked_stack parked_at(uint64_t sp, uint64_t base)
{
	struct parked_stack ret = { .range = { LOW, HIGH }, .sp = sp, .base = base };

	shadow_stack_init(&ret.shadow, false);
	return ret;
}

/* ---- nothing has happened on it ------------------------------------------------------------ */

static const struct {
	const char *name;
	uint64_t sp;
	bool happened; /* something */
	bool taken;    /* the one before, by another thread */
	bool third;    /* is parked, from 0x12000 to 0x13000 */
	const char *outcome;
	uint64_t left_sp; /* of the one that is parked last; 0: none is */
} back_cases[] = {
	{ "back", RSP, false, false, false, "3 0x1f800 77, 0 switches, 1 disturbed, 0 parked", 0 },
	{ "back_after_a_while", RSP, true, false, false,
	  "3 0x1f800 77, 2 switches, 3 disturbed, 1 parked", NEW },
	{ "back_above_the_base", HIGH - 0x7f8, false, false, false,
	  "3 0x1f800 77, 0 switches, 1 disturbed, 0 parked", 0 },
	{ "back_too_far_above", HIGH - 0x800 + STACK_SLACK + 1, false, false, false,
	  "0 0x1f881 0 new, 1 switches, 2 disturbed, 1 parked", RSP },
	{ "on_to_an_unknown_one", 0x12000, false, false, false,
	  "0 0x12000 0 new, 1 switches, 2 disturbed, 1 parked", RSP },
	{ "on_to_a_known_one", 0x12000, false, false, true,
	  "0 0x13000 0, 1 switches, 3 disturbed, 1 parked", RSP },
	{ "on_after_a_while", 0x12000, true, false, false,
	  "0 0x12000 0 new, 2 switches, 2 disturbed, 2 parked", NEW },
	{ "on_when_another_thread_is_there", 0x12000, false, true, false,
	  "0 0x12000 0 new, 2 switches, 2 disturbed, 1 parked", NEW },
};

START_TEST(stack_without_a_call_was_none)
{
	struct stepped_thread *thread = setup_switched();
	struct parked_stack third = parked_at(0x12000, 0x13000), taken;
	const struct stack_pool *pool = &world.process.stacks;

	thread->may_continue = !back_cases[_i].happened;
	if (back_cases[_i].third)
		ck_assert_uint_eq(stack_pool_park(&world.process.stacks, &third), 2);
	if (back_cases[_i].taken) {
		ck_assert(stack_pool_take_number(&world.process.stacks, thread->left, &taken));
		shadow_stack_deinit(&taken.shadow);
	}
	thread->stack = (struct address_range) { LOW + 0x1000, HIGH }; /* as it is known by now */
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, back_cases[_i].sp), 0);
	ck_assert_msg(!strcmp(outcome(), back_cases[_i].outcome), "%s: %s", back_cases[_i].name,
		      outcome());
	if (back_cases[_i].left_sp) {
		ck_assert_uint_eq(pool->parked[pool->count - 1].sp, back_cases[_i].left_sp);
		ck_assert_uint_eq(pool->parked[pool->count - 1].number, thread->left);
	}
	teardown();
}
END_TEST

/* What a handler has left there for whom it interrupted goes with it. */
START_TEST(frame_on_it_is_lost)
{
	struct stepped_thread *thread = setup_switched();

	call(&thread->shadow, NEW - 0x100, 0x401009);
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, RSP), 0);
	ck_assert_str_eq(outcome(), "3 0x1f800 77, 0 switches, 1 disturbed, 0 parked");
	ck_assert_int_eq(world.ended[FRAME_LOST], 1);
	ck_assert_int_eq(world.ended[FRAME_ABANDONED], 0);
	teardown();
}
END_TEST

/* ---- the first ret goes through the slot of the one before ---------------------------------- */

static const struct {
	const char *name;
	uint64_t slot, target;
	bool rooted, has_frames, empty, taken;
	bool back;
} unswitch_cases[] = {
	{ .name = "back", .slot = 0x1d000, .target = 0x401003, .back = true },
	{ .name = "another_slot", .slot = 0x1d008, .target = 0x401003 },
	{ .name = "another_target", .slot = 0x1d000, .target = 0x401004 },
	{ .name = "whole_stack", .slot = 0x1d000, .target = 0x401003, .rooted = true },
	{ .name = "with_a_frame", .slot = 0x1d000, .target = 0x401003, .has_frames = true },
	{ .name = "left_without_frames", .slot = 0x1d000, .target = 0x401003, .empty = true },
	{ .name = "another_thread_is_there", .slot = 0x1d000, .target = 0x401003, .taken = true },
};

START_TEST(ret_shows_that_there_was_no_switch)
{
	struct stepped_thread *thread = setup_switched();
	struct stack_pool *pool = &world.process.stacks;
	bool untouched = unswitch_cases[_i].rooted || unswitch_cases[_i].has_frames;
	bool back = unswitch_cases[_i].back, taken = unswitch_cases[_i].taken;
	struct parked_stack left;

	thread->shadow.rooted = unswitch_cases[_i].rooted;
	if (unswitch_cases[_i].has_frames)
		call(&thread->shadow, 0x14000, 0x401009);
	if (unswitch_cases[_i].empty)
		pool->parked[0].shadow.count = 0;
	if (taken) {
		ck_assert(stack_pool_take_number(pool, thread->left, &left));
		shadow_stack_deinit(&left.shadow);
	}
	thread->derived = 1;
	ck_assert_msg(stepped_unswitch_stack(&world.process, thread, unswitch_cases[_i].slot,
					     unswitch_cases[_i].target) == back,
		      "%s", unswitch_cases[_i].name);
	ck_assert_uint_eq(pool->count, !back && !taken);
	ck_assert_uint_eq(thread->left, back || taken || untouched ? 1 : 2);
	ck_assert(!pool->count || pool->parked[0].number == thread->left);
	if (back) {
		ck_assert_str_eq(outcome(), "3 0x1f800 77, 0 switches, 2 disturbed, 0 parked");
		ck_assert_uint_eq(thread->derived, 0);
		ck_assert_uint_eq(thread->shadow.epoch, 2);
	} else {
		ck_assert_uint_eq(world.counters.stack_switches, 1);
		ck_assert_uint_eq(world.counters.disturbances, 1);
	}
	teardown();
}
END_TEST

/* ---- the next is a call: the function goes on there ------------------------------------------ */

static const struct {
	const char *name;
	uint64_t sp;	    /* of the stack below */
	uint64_t low, high; /* of the region then */
	bool on_signal_stack, taken;
} continue_cases[] = {
	{ "below_in_its_mapping", NEW, LOW, NEW, false, false },
	{ "above_in_its_mapping", HIGH - 8, HIGH - 0x800, HIGH - 8, false, false },
	{ "in_another_mapping", 0x38000, OTHER_LOW, OTHER_HIGH, false, false },
	{ "from_a_handler_s_stack", 0x38000, OTHER_LOW, OTHER_HIGH, true, false },
	{ "another_thread_is_there", NEW, 0, 0, false, true },
};

START_TEST(function_goes_on_below)
{
	struct stepped_thread *thread = setup(TID);
	const struct shadow_region *region;
	struct parked_stack taken;
	uint64_t sp = continue_cases[_i].sp;

	if (continue_cases[_i].on_signal_stack) {
		ck_assert(shadow_stack_continue(&thread->shadow, 0x17000, 0x18000));
		thread->shadow.region[0].called = false;
	}
	thread->next.sp_source = SP_FROM_MEMORY;
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, sp), 0);
	ck_assert(thread->may_continue);
	ck_assert_uint_eq(thread->base, sp);
	if (continue_cases[_i].taken) {
		ck_assert(stack_pool_take_number(&world.process.stacks, thread->left, &taken));
		shadow_stack_deinit(&taken.shadow);
	}
	thread->regs.rsp = sp;
	ck_assert_int_eq(stepped_continue_stack(&world.process, thread), 0);
	ck_assert(!thread->may_continue);
	ck_assert_uint_eq(world.counters.stack_switches, 1);
	ck_assert_uint_eq(thread->base, sp);
	ck_assert_int_eq(thread->root, 0);
	ck_assert_uint_eq(thread->stack.low, sp > HIGH ? OTHER_LOW : LOW);
	ck_assert_uint_eq(thread->stack.high, sp > HIGH ? OTHER_HIGH : HIGH);
	if (continue_cases[_i].taken) {
		ck_assert_uint_eq(thread->shadow.count, 0);
		teardown();
		return;
	}
	ck_assert_uint_eq(world.process.stacks.count, 0);
	ck_assert_uint_eq(thread->shadow.count, 3);
	ck_assert_uint_eq(thread->shadow.region_count, 1u + continue_cases[_i].on_signal_stack);
	region = &thread->shadow.region[thread->shadow.region_count - 1];
	ck_assert(region->called);
	ck_assert_msg(
		region->low == continue_cases[_i].low && region->high == continue_cases[_i].high,
		"%s: 0x%" PRIx64 "-0x%" PRIx64, continue_cases[_i].name, region->low, region->high);
	ck_assert_uint_eq(region->first, 3);
	ck_assert_uint_eq(region->left.sp, RSP);
	ck_assert_uint_eq(region->left.high,
			  continue_cases[_i].on_signal_stack ? 0x18000 : HIGH - 0x800);
	ck_assert_uint_eq(region->left.low_map, LOW);
	ck_assert_uint_eq(region->left.high_map, HIGH);
	ck_assert_uint_eq(region->left.base, HIGH - 0x800);
	ck_assert_int_eq(region->left.root, TID);
	teardown();
}
END_TEST

/* ---- and comes back to where it went from ----------------------------------------------------- */

static const struct {
	const char *name;
	enum sp_source source;
	uint64_t sp;
	bool inner;	/* one more region, from 0x36000, left at 0x38000 and up to 0x39000 */
	bool of_signal; /* the one at hand */
	uint64_t low;	/* of the mapping then; 0: it has not come back */
} leave_cases[] = {
	{ "where_it_was", SP_FROM_MEMORY, RSP, false, false, LOW },
	{ "moved_there", SP_MOVED, RSP, false, false, LOW },
	{ "lowest", SP_FROM_MEMORY, RSP - STACK_SLACK, false, false, LOW },
	{ "below_it", SP_FROM_MEMORY, RSP - STACK_SLACK - 1, false, false, 0 },
	{ "its_end", SP_FROM_MEMORY, HIGH - 0x800, false, false, LOW },
	{ "behind_its_end", SP_FROM_MEMORY, HIGH - 0x7ff, false, false, 0 },
	{ "moved_where_it_is", SP_MOVED, 0x38000, true, false, 0 },
	{ "set_where_it_is", SP_FROM_MEMORY, 0x38000, true, false, OTHER_LOW + 0x1000 },
	{ "to_the_outer_one", SP_FROM_MEMORY, RSP, true, false, LOW },
	{ "handler", SP_FROM_MEMORY, RSP, false, true, 0 },
};

START_TEST(function_comes_back)
{
	struct stepped_thread *thread = setup(TID);
	uint64_t low = leave_cases[_i].low;

	ck_assert(shadow_stack_continue(&thread->shadow, OTHER_LOW, OTHER_HIGH));
	thread->shadow.region[0].left = (struct left_stack) {
		.sp = RSP,
		.high = HIGH - 0x800,
		.low_map = LOW,
		.high_map = HIGH,
		.base = 0x1f700,
		.root = 5,
	};
	if (leave_cases[_i].inner) {
		ck_assert(shadow_stack_continue(&thread->shadow, 0x36000, 0x37000));
		thread->shadow.region[1].left = (struct left_stack) {
			.sp = 0x38000,
			.high = 0x39000,
			.low_map = OTHER_LOW + 0x1000,
			.high_map = OTHER_HIGH,
			.base = 0x39000,
			.root = 6,
		};
	}
	thread->shadow.region[0].called = !leave_cases[_i].of_signal;
	ck_assert_int_eq(presume_gone(&world.process, thread, 0x1e000), 0);
	thread->stack = (struct address_range) { OTHER_LOW, OTHER_HIGH };
	thread->base = 0x3f000;
	thread->next.sp_source = leave_cases[_i].source;
	ck_assert_msg(leave_called(thread, leave_cases[_i].sp) == (low > 0), "%s",
		      leave_cases[_i].name);
	ck_assert_int_eq(thread->presumed.valid, !low);
	ck_assert_msg(thread->stack.low == (low ? low : OTHER_LOW), "%s: 0x%" PRIx64,
		      leave_cases[_i].name, thread->stack.low);
	ck_assert_uint_eq(thread->stack.high, low == LOW ? HIGH : OTHER_HIGH);
	ck_assert_uint_eq(thread->base, !low ? 0x3f000 : low == LOW ? 0x1f700 : 0x39000);
	ck_assert_int_eq(thread->root, !low ? TID : low == LOW ? 5 : 6);
	teardown();
}
END_TEST

/* The way back is no switch. */
START_TEST(way_back_is_no_switch)
{
	struct stepped_thread *thread = setup(TID);

	thread->next.sp_source = SP_FROM_MEMORY;
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, 0x38000), 0);
	thread->regs.rsp = 0x38000;
	ck_assert_int_eq(stepped_continue_stack(&world.process, thread), 0);
	ck_assert_int_eq(stepped_follow_stack(&world.process, thread, RSP), 0);
	ck_assert_str_eq(outcome(), "3 0x1f800 77, 1 switches, 1 disturbed, 0 parked");
	ck_assert_uint_eq(thread->stack.low, LOW);
	teardown();
}
END_TEST

SUITE(step_continue, LOOP(stack_without_a_call_was_none, back_cases), TEST(frame_on_it_is_lost),
      LOOP(ret_shows_that_there_was_no_switch, unswitch_cases),
      LOOP(function_goes_on_below, continue_cases), LOOP(function_comes_back, leave_cases),
      TEST(way_back_is_no_switch))
