/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_shadow_borders.c - shadow stacks and parked ones where they begin and end
 *
 * What is told of them is one line of text. Frames that lie before the first are none.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/suite.h"
#include "truth/steps/stack_pool.h"

#define A 0xff8 /* slots, from the outermost on */
#define B 0xfe8
#define C 0xfd8
#define D 0xfc8

static char story[400];

static void tell(const char *what, uint64_t number)
{
	size_t used = strlen(story);

	snprintf(story + used, sizeof(story) - used, "%s %lx; ", what, (unsigned long)number);
}

static void tell_ended(void *context, const struct shadow_stack *stack,
		       const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	static const char *const names[] = { "returned", "replaced", "taken", "abandoned", "lost" };

	tell(names[end], frame->slot);
}

static void tell_stray(void *context, const struct shadow_stack *stack, uint64_t slot,
		       uint64_t target)
{
	tell("stray", slot);
}

static void tell_off(void *context, const struct shadow_stack *stack, uint64_t slot)
{
	tell("off", slot);
}

static void tell_settled(void *context, const struct shadow_stack *stack, bool was_frame)
{
	tell("settled", was_frame);
}

static void tell_disturbed(void *context, const struct shadow_stack *stack)
{
	tell("disturbed", stack->epoch);
}

static const struct shadow_observer observer = { .frame_ended = tell_ended,
						 .stray_return = tell_stray,
						 .taken_off = tell_off,
						 .settled = tell_settled,
						 .disturbed = tell_disturbed };

static void told(const char *wanted)
{
	ck_assert_msg(!strcmp(story, wanted), "%s", story);
	story[0] = 0;
}

/* So many frames, from A on; each returns to its slot's address. */
static void open_frames(struct shadow_stack *stack, int count)
{
	story[0] = 0;
	shadow_stack_init(stack, true);
	stack->observer = &observer;
	for (int i = 0; i < count; i++) {
		ck_assert(shadow_stack_call(stack, A - 16 * i, A - 16 * i, NULL));
		stack->frame[i].watch = 1;
	}
}

START_TEST(frames_have_room)
{
	struct shadow_stack stack;

	open_frames(&stack, 0);
	for (int i = 0; i < 200; i++) {
		ck_assert(shadow_stack_call(&stack, 0x8000 - 16 * i, 1, NULL));
		ck_assert_uint_eq(stack.count, i + 1u);
		ck_assert_uint_ge(stack.capacity, stack.count);
		ck_assert(shadow_stack_continue(&stack, 0, 0x10000));
		ck_assert_uint_ge(stack.region_capacity, stack.region_count);
	}
	shadow_stack_deinit(&stack);
}
END_TEST

static const struct {
	uint64_t sp;
	bool on;
} region_cases[] = {
	{ 0x4fff, false }, { 0x5000, false }, { 0x5001, true }, { 0x6000, true }, { 0x6001, false }
};

/* At its lowest address it is full, and at its end empty. */
START_TEST(region_has_its_end)
{
	struct shadow_stack stack;
	bool on = region_cases[_i].on;

	open_frames(&stack, 1);
	ck_assert(shadow_stack_continue(&stack, 0x5000, 0x6000));
	ck_assert(!shadow_stack_on_region(&stack, region_cases[_i].sp)); /* it is no handler's */
	stack.region[0].called = false;
	ck_assert_int_eq(shadow_stack_on_region(&stack, region_cases[_i].sp), on);
	stack.region[0].called = true;
	stack.frame[0].slot = 0x9000; /* above, whatever is done */
	ck_assert(!shadow_stack_move(&stack, region_cases[_i].sp));
	ck_assert_uint_eq(stack.region_count, on);
	told(on ? "" : "disturbed 1; "); /* though no frame went */
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(frame_below_a_region_is_not_taken_off)
{
	struct shadow_stack stack;

	open_frames(&stack, 2);
	ck_assert(shadow_stack_continue(&stack, 0x5000, 0x6000));
	ck_assert(shadow_stack_move(&stack, B + 8));
	told("abandoned fe8; disturbed 1; ");
	ck_assert(stack.count == 1 && stack.region_count == 0);
	shadow_stack_deinit(&stack);
}
END_TEST

/* ---- one that was taken off ------------------------------------------------------------------- */

START_TEST(frame_stays_off_until_others_go)
{
	struct shadow_stack stack;

	open_frames(&stack, 4);
	ck_assert(shadow_stack_move(&stack, D + 8));
	told("off fc8; ");
	ck_assert(!shadow_stack_move(&stack, D + 8)); /* nothing goes */
	ck_assert(!shadow_stack_move(&stack, D - 64));
	told("");
	ck_assert_uint_eq(stack.taken_off.slot, D);
	ck_assert(shadow_stack_move(&stack, C + 8)); /* the next one is taken off */
	told("taken fc8; settled 0; off fd8; ");
	ck_assert_uint_eq(stack.taken_off.slot, C);
	ck_assert(shadow_stack_move(&stack, A + 8)); /* two at once */
	told("abandoned fe8; abandoned ff8; taken fd8; settled 0; disturbed 1; ");
	ck_assert(stack.taken_off.slot == 0 && stack.count == 0);
	shadow_stack_deinit(&stack);
}
END_TEST

static const struct {
	const char *name;
	uint64_t off; /* the slot of what is off */
	const char *story;
} off_cases[] = {
	{ "deeper_in", D, "taken fc8; settled 0; returned fd8; " },
	{ "at_the_slot", C, "taken fd8; settled 0; returned fd8; " },
	{ "further_out", C + 8, "returned fd8; " },
	{ "none", 0, "returned fd8; " },
};

/* Who took a frame off, deeper in, is done when an outer one returns. */
START_TEST(ret_settles_what_is_off)
{
	struct shadow_stack stack;

	open_frames(&stack, 3);
	stack.taken_off = (struct shadow_frame) { .slot = off_cases[_i].off, .watch = 1 };
	ck_assert_int_eq(shadow_stack_return(&stack, C, C, C + 8), RETURN_EXPECTED);
	told(off_cases[_i].story);
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(call_ends_the_way_there)
{
	struct shadow_stack stack;

	open_frames(&stack, 1);
	stack.in_transit = true;
	ck_assert(shadow_stack_call(&stack, B, 1, NULL));
	ck_assert(!stack.in_transit);
	shadow_stack_deinit(&stack);
}
END_TEST

/* ---- a ret ---------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t slot, target, sp;
	bool twice; /* the innermost slot has two frames */
	enum return_kind kind;
	size_t count; /* of three, then */
	const char *story;
	uint64_t epoch;
} ret_cases[] = {
	{ "expected", C, C, C + 8, false, RETURN_EXPECTED, 2, "returned fd8; ", 0 },
	{ "replaced", C, 7, C + 8, false, RETURN_REPLACED, 2, "replaced fd8; ", 1 },
	{ "stray", D, 7, D + 8, false, RETURN_STRAY, 3, "stray fc8; ", 1 },
	{ "stray_that_takes_others_along", D, 7, B + 8, false, RETURN_STRAY, 1,
	  "stray fc8; abandoned fd8; abandoned fe8; disturbed 2; ", 2 },
	{ "expected_and_another_goes", C, C, A, false, RETURN_DOUBLED, 1,
	  "returned fd8; abandoned fe8; disturbed 1; ", 1 },
	{ "two_in_one_slot", C, C, C + 8, true, RETURN_DOUBLED, 1,
	  "stray fd8; lost fd8; lost fd8; ", 0 },
	{ "two_in_one_slot_and_another_goes", C, C, A + 16, true, RETURN_DOUBLED, 0,
	  "stray fd8; lost fd8; lost fd8; abandoned ff8; disturbed 1; ", 1 },
};

START_TEST(ret_is_of_a_kind)
{
	struct shadow_stack stack;

	open_frames(&stack, 3);
	if (ret_cases[_i].twice)
		stack.frame[1].slot = C;
	ck_assert_msg(shadow_stack_return(&stack, ret_cases[_i].slot, ret_cases[_i].target,
					  ret_cases[_i].sp) == ret_cases[_i].kind,
		      "%s", ret_cases[_i].name);
	ck_assert_uint_eq(stack.count, ret_cases[_i].count);
	told(ret_cases[_i].story);
	ck_assert_uint_eq(stack.epoch, ret_cases[_i].epoch);
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(nothing_is_before_the_first)
{
	struct shadow_frame frames[] = { { .slot = A, .return_address = A, .interrupted = true },
					 { .slot = A, .return_address = A } };
	struct shadow_stack stack = { .frame = frames + 1, .count = 1 };
	uint64_t saved[CALLEE_SAVED_COUNT] = { 1 };

	ck_assert(!shadow_stack_restores(&stack, A, saved)); /* it is no handler's */
	ck_assert(frames[1].clobbered);
	ck_assert_int_eq(shadow_stack_return(&stack, A, A, A + 8), RETURN_EXPECTED);
	ck_assert_uint_eq(stack.count, 0);
}
END_TEST

/* Its frames lie at the beginning of a page, before which there is none. */
START_TEST(no_handler_is_left_where_there_is_none)
{
	uint8_t *pages = mmap(NULL, 2 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct shadow_stack stack = { .count = 2 };

	ck_assert_ptr_ne(pages, MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE), 0);
	stack.frame = (struct shadow_frame *)(pages + 4096);
	shadow_stack_leave_handler(&stack, 1, 2);
	ck_assert(stack.count == 2 && stack.epoch == 0);
	munmap(pages, 2 * 4096);
}
END_TEST

/* The restorer's frame, and what the handler called, are gone; and its stack is. */
START_TEST(handler_is_left_with_all_its_frames)
{
	const struct signal_frame signal = { .restorer_slot = 0x5800,
					     .restorer = 5,
					     .interrupted_slot = 0x58a8,
					     .interrupted_pc = 7,
					     .interrupted_sp = 0xf80,
					     .alternate_low = 0x5000,
					     .alternate_high = 0x6000 };
	struct shadow_stack stack;

	open_frames(&stack, 1);
	ck_assert(shadow_stack_signal(&stack, &signal));
	ck_assert(shadow_stack_call(&stack, 0x5700, 9, NULL));
	ck_assert(stack.count == 4 && stack.region_count == 1);
	for (int i = 1; i < 4; i++)
		stack.frame[i].watch = 1;
	shadow_stack_leave_handler(&stack, 7, 0xf80);
	told("abandoned 5700; abandoned 5800; returned 58a8; ");
	ck_assert(stack.count == 1 && stack.region_count == 0 && stack.epoch == 0);
	ck_assert(shadow_stack_signal(&stack, &signal));
	shadow_stack_leave_handler(&stack, 7, 0xf70); /* elsewhere */
	told("disturbed 1; ");
	shadow_stack_deinit(&stack);
}
END_TEST

/* ---- as a stack --------------------------------------------------------------------------------- */

static const struct {
	int frames;
	uint32_t limit, count, stop;
	bool unrooted;
} depth_cases[] = {
	{ 0, 3, 1, STOP_COMPLETE, false }, { 2, 3, 3, STOP_COMPLETE, false },
	{ 3, 3, 3, STOP_DEPTH, false },	   { 4, 3, 3, STOP_DEPTH, false },
	{ 2, 3, 3, STOP_NONE, true },	   { 4, 3, 3, STOP_DEPTH, true },
	{ 1, 1, 1, STOP_DEPTH, false },
};

START_TEST(stack_has_a_limit)
{
	struct stack got = { .limit = depth_cases[_i].limit };
	struct shadow_stack stack;
	struct error error;

	open_frames(&stack, depth_cases[_i].frames);
	stack.rooted = !depth_cases[_i].unrooted;
	ck_assert_int_eq(shadow_stack_get(&stack, 0x400000, &got, &error), 0);
	ck_assert_uint_eq(got.count, depth_cases[_i].count);
	ck_assert_uint_eq(got.stop, depth_cases[_i].stop);
	ck_assert_uint_eq(got.pc[0], 0x400000);
	for (uint32_t i = 1; i < got.count; i++)
		ck_assert_uint_eq(got.pc[i], stack.frame[stack.count - i].return_address);
	stack_deinit(&got);
	shadow_stack_deinit(&stack);
}
END_TEST

/* The shadow stack's frames return to A, B and C; which of them was interrupted. The other stack
 * has its PC first, and C, B, A behind that; or a frame more, or less. */
static const struct {
	const char *name;
	int interrupted; /* of the shadow stack, from the outermost on */
	uint64_t pc[5];	 /* to the first 0 */
	uint32_t frame;
	bool is;
} interrupted_cases[] = {
	{ "innermost_pc", 2, { 1, C, B, A }, 0, false },
	{ "first_caller", 2, { 1, C, B, A }, 1, true },
	{ "another_caller", 2, { 1, C, B, A }, 2, false },
	{ "second_caller", 1, { 1, C, B, A }, 2, true },
	{ "outermost", 0, { 1, C, B, A }, 3, true },
	{ "behind_the_outermost", 0, { 1, C, B, A }, 4, false },
	{ "where_the_other_says_something_else", 1, { 1, C, 7, A }, 2, true },
	{ "one_more_and_the_same", 1, { 1, 7, C, B, A }, 3, true },
	{ "one_more_and_another", 1, { 1, 7, C, 8, A }, 3, false },
	{ "one_more_itself", 2, { 1, 7, C, B, A }, 1, false },
	{ "behind_one_more", 2, { 1, 7, C, B, A }, 2, true },
	{ "one_less_and_the_same", 2, { 1, C, B }, 1, true },
	{ "one_less_and_another", 2, { 1, 7, A }, 1, false },
	{ "one_less_further_out", 1, { 1, C, B }, 2, true },
};

START_TEST(frame_was_interrupted)
{
	/* One that is none lies behind the last. */
	struct shadow_frame frame[] = { { .return_address = A },
					{ .return_address = B },
					{ .return_address = C },
					{ .return_address = 7, .interrupted = true } };
	const struct shadow_stack shadow = { .frame = frame, .count = 3 };
	uint64_t pc[6] = { 0 };
	struct stack stack = { .pc = pc };

	memcpy(pc, interrupted_cases[_i].pc, sizeof(interrupted_cases[_i].pc));
	while (stack.count < 5 && pc[stack.count])
		stack.count++;
	frame[interrupted_cases[_i].interrupted].interrupted = true;
	ck_assert_msg(shadow_stack_is_interrupted(&shadow, &stack, interrupted_cases[_i].frame) ==
			      interrupted_cases[_i].is,
		      "%s", interrupted_cases[_i].name);
}
END_TEST

/* ---- stacks that are parked -------------------------------------------------------------------- */

static uint64_t park(struct stack_pool *pool, uint64_t sp, uint64_t base, pid_t root)
{
	struct parked_stack parked = { .sp = sp, .base = base, .root = root };

	shadow_stack_init(&parked.shadow, false);
	parked.shadow.observer = &observer;
	ck_assert(shadow_stack_call(&parked.shadow, sp, sp, NULL));
	parked.shadow.frame[0].watch = 1;
	return stack_pool_park(pool, &parked);
}

static int read_zero(void *context, uint64_t address, void *ret, size_t size)
{
	memset(ret, 0, size);
	return 0;
}

START_TEST(parked_ones_are_told_of)
{
	const struct memory_reader memory = { .read = read_zero };
	struct stack_pool pool = { 0 };
	struct parked_stack taken;

	story[0] = 0;
	ck_assert_uint_eq(park(&pool, 0x1000, 0x2000, 0), 1);
	ck_assert_uint_eq(park(&pool, 0x1800, 0x2800, 0), 2);
	told("lost 1000; ");
	ck_assert(!stack_pool_take(&pool, 0x1800, &memory, &taken)); /* it is used again */
	told("lost 1800; ");
	ck_assert_uint_eq(park(&pool, 0x1000, 0x2000, 7), 3);
	ck_assert_uint_eq(park(&pool, 0x3000, 0x4000, 8), 4);
	ck_assert(stack_pool_take_number(&pool, 3, &taken));
	ck_assert_uint_eq(taken.sp, 0x1000);
	shadow_stack_deinit(&taken.shadow);
	told("");
	stack_pool_forget(&pool, 7); /* it has none any more */
	told("");
	stack_pool_forget(&pool, 8);
	told("abandoned 3000; ");
	ck_assert_uint_eq(park(&pool, 0x1000, 0x2000, 7), 5);
	ck_assert_uint_eq(park(&pool, 0x3000, 0x4000, 0), 6);
	stack_pool_clear(&pool);
	told("abandoned 3000; abandoned 1000; ");
	ck_assert(pool.count == 0 && pool.parked == NULL && pool.last_number == 0);
}
END_TEST

/* Frames below rsp are closed, and not looked at: down to the innermost region's first, and none
 * where that is a handler's. */
static const struct {
	const char *name;
	struct shadow_region region[4]; /* those behind the last are none */
	size_t regions, frames;
	bool intact; /* where nothing is in memory */
} floor_cases[] = {
	{ "all_are_closed", { { 0 } }, 0, 2, true },
	{ "called_in_a_handler",
	  { { .called = false }, { .first = 0, .called = true }, { .first = 2 }, { .first = 2 } },
	  2,
	  2,
	  true },
	{ "handler_in_what_was_called",
	  { { .called = true }, { .first = 2 }, { .called = true }, { .called = true } },
	  2,
	  2,
	  false },
	{ "called_behind_the_first",
	  { { .first = 1, .called = true }, { .called = true }, { .called = true } },
	  1,
	  2,
	  false },
	{ "four_are_closed", { { 0 } }, 0, 4, true },
	{ "five_are_too_many", { { 0 } }, 0, 5, false },
};

START_TEST(closed_frames_are_not_looked_at)
{
	const struct memory_reader memory = { .read = read_zero };
	struct shadow_frame frame[8] = { { 0 } };
	struct shadow_region region[4];
	const struct parked_stack parked = { .shadow = {
						     .frame = frame,
						     .count = floor_cases[_i].frames,
						     .region = region,
						     .region_count = floor_cases[_i].regions } };

	memcpy(region, floor_cases[_i].region, sizeof(region));
	for (int i = 0; i < COUNT(frame); i++)
		frame[i] = (struct shadow_frame) { .slot = A - 16 * i, .return_address = 1 };
	ck_assert_msg(stack_pool_is_intact(&parked, A + 8, &memory) == floor_cases[_i].intact, "%s",
		      floor_cases[_i].name);
}
END_TEST

SUITE(shadow_borders, TEST(frames_have_room), LOOP(region_has_its_end, region_cases),
      TEST(frame_below_a_region_is_not_taken_off), TEST(frame_stays_off_until_others_go),
      LOOP(ret_settles_what_is_off, off_cases), TEST(call_ends_the_way_there),
      LOOP(ret_is_of_a_kind, ret_cases), TEST(nothing_is_before_the_first),
      TEST(no_handler_is_left_where_there_is_none), TEST(handler_is_left_with_all_its_frames),
      LOOP(stack_has_a_limit, depth_cases), LOOP(frame_was_interrupted, interrupted_cases),
      TEST(parked_ones_are_told_of), LOOP(closed_frames_are_not_looked_at, floor_cases))
