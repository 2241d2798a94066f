/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stack_pool.c - which parked stack a thread comes back to, and when none
 *
 * Each case parks stacks, in order, and then asks for the one at an rsp. Every parked stack has
 * frames FRAME_BYTES apart, its innermost slot where it was left; the memory holds what the slots
 * should, except for the slots that the case says were written.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "truth/steps/stack_pool.h"

#define FRAME_BYTES  0x40
#define RETURN(slot) ((slot) + 0x400000)
#define STACKS_MAX   3
#define NONE	     (-1)

struct parked_case {
	uint64_t sp, base; /* base 0: there is no such stack */
	pid_t root;
};

#define PARKED(...) .stack = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct parked_case stack[STACKS_MAX];
	uint64_t sp;	  /* where a thread is now */
	uint64_t written; /* a slot that holds something else now; 0: none */
	int expected;	  /* which one it comes to */
	size_t left;	  /* so many are parked then */
} cases[] = {
	{ "nothing_is_parked", .sp = 0x1000, .expected = NONE },
	{ "where_it_was_left", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0x1000 },
	{ "its_switcher_returned", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0x1008 },
	{ "of_two_in_one_mapping_the_one_sp_is_in",
	  PARKED({ 0x1000, 0x2000, 0 }, { 0x2800, 0x3000, 0 }), .sp = 0x2808, .expected = 1,
	  .left = 1 },
	{ "between_two_is_neither", PARKED({ 0x1000, 0x2000, 0 }, { 0x2800, 0x3000, 0 }),
	  .sp = 0x2400, .expected = NONE, .left = 2 },
	{ "above_the_base_is_another", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0x2008,
	  .expected = NONE, .left = 1 },
	{ "the_base_itself", PARKED({ 0x1fc0, 0x2000, 0 }), .sp = 0x2000 },
	{ "into_the_red_zone", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0xf80 },
	{ "below_the_red_zone_is_another", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0xf78,
	  .expected = NONE, .left = 1 },
	{ "its_caller_and_setjmps", PARKED({ 0x1000, 0x2000, 0 }),
	  .sp = 0x1000 + 3 * FRAME_BYTES + 8 },
	{ "far_up_it_is_a_new_one_and_the_old_is_gone", PARKED({ 0x1000, 0x2000, 0 }),
	  .sp = 0x1000 + 4 * FRAME_BYTES + 8, .expected = NONE },
	{ "far_up_on_a_threads_own", PARKED({ 0x1000, 0x2000, 7 }), .sp = 0x1800 },
	{ "an_open_frame_was_written_over", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0x1008,
	  .written = 0x1040, .expected = NONE },
	{ "a_closed_frame_was_written_over", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0x1008,
	  .written = 0x1000 },
	{ "a_threads_own_was_written_over", PARKED({ 0x1000, 0x2000, 7 }), .sp = 0x1008,
	  .written = 0x1040 },
	{ "the_outermost_that_is_checked_was_written_over", PARKED({ 0x1000, 0x2000, 0 }),
	  .sp = 0x1008, .written = 0x1000 + 16 * FRAME_BYTES, .expected = NONE },
	{ "beyond_those_that_are_checked", PARKED({ 0x1000, 0x2000, 0 }), .sp = 0x1008,
	  .written = 0x1000 + 17 * FRAME_BYTES },
	{ "an_array_on_a_threads_own_stack", PARKED({ 0x1000, 0x9000, 7 }, { 0x4000, 0x5000, 0 }),
	  .sp = 0x4008, .expected = 1, .left = 1 },
	{ "the_stack_below_the_array", PARKED({ 0x1000, 0x9000, 7 }, { 0x4000, 0x5000, 0 }),
	  .sp = 0x1008, .left = 1 },
	{ "a_stack_used_again_forgets_the_old_one",
	  PARKED({ 0x1400, 0x1800, 0 }, { 0x1000, 0x2000, 0 }), .sp = 0x1408, .expected = NONE },
	{ "a_stack_that_ends_where_the_next_begins",
	  PARKED({ 0x1000, 0x2000, 0 }, { 0x2000, 0x3000, 0 }), .sp = 0x1008, .left = 1 },
	{ "a_stack_that_begins_where_the_one_before_ends",
	  PARKED({ 0x2000, 0x3000, 0 }, { 0x1000, 0x2000, 0 }), .sp = 0x2008, .left = 1 },
	{ "a_gone_one_does_not_hide_the_threads_own",
	  PARKED({ 0x1000, 0x9000, 7 }, { 0x4000, 0x5000, 0 }), .sp = 0x4800 },
};

static int read_slot(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t written = *(const uint64_t *)context;

	ck_assert_uint_eq(size, sizeof(uint64_t));
	*(uint64_t *)ret = address == written ? 1 : RETURN(address);
	return 0;
}

static void park(struct stack_pool *pool, const struct parked_case *stack)
{
	struct parked_stack parked = { .sp = stack->sp, .base = stack->base, .root = stack->root };
	uint64_t slot = stack->sp;

	shadow_stack_init(&parked.shadow, stack->root != 0);
	while (slot + FRAME_BYTES < stack->base)
		slot += FRAME_BYTES;
	for (; slot >= stack->sp; slot -= FRAME_BYTES)
		ck_assert(shadow_stack_call(&parked.shadow, slot, RETURN(slot), NULL));
	ck_assert_uint_ne(stack_pool_park(pool, &parked), 0);
}

START_TEST(test_take)
{
	struct stack_pool pool = { 0 };
	uint64_t written = cases[_i].written;
	struct memory_reader memory = { read_slot, &written };
	struct parked_stack taken;
	int got = NONE;

	for (int i = 0; i < STACKS_MAX && cases[_i].stack[i].base; i++)
		park(&pool, &cases[_i].stack[i]);
	if (stack_pool_take(&pool, cases[_i].sp, &memory, &taken)) {
		got = (int)taken.number - 1;
		shadow_stack_deinit(&taken.shadow);
	}
	ck_assert_msg(got == cases[_i].expected, "%s: %d", cases[_i].name, got);
	ck_assert_msg(pool.count == cases[_i].left, "%s: %zu are left", cases[_i].name, pool.count);
	stack_pool_clear(&pool);
}
END_TEST

/* A handler is open, on the same stack or on an alternate one above: a call at 0x1fc0, the
 * signal, a call from the handler. */
static const struct {
	const char *name;
	uint64_t alternate_low, alternate_high;
	uint64_t sp;
	uint64_t written;
	bool intact;
} handler_cases[] = {
	{ "as_it_was", 0, 0, 0x1d00, 0, true },
	{ "the_handler_changed_where_it_goes_on", 0, 0, 0x1d00, 0x1ea8, true },
	{ "its_frame_was_written_over", 0, 0, 0x1d00, 0x1d00, false },
	{ "its_restorer_was_written_over", 0, 0, 0x1d00, 0x1e00, false },
	{ "the_interrupted_caller_was_written_over", 0, 0, 0x1d00, 0x1fc0, false },
	{ "its_frame_is_closed", 0, 0, 0x1d08, 0x1d00, true },
	{ "alternate_as_it_was", 0x5000, 0x6000, 0x5d00, 0, true },
	{ "alternate_changed_where_it_goes_on", 0x5000, 0x6000, 0x5d00, 0x5ea8, true },
	{ "alternate_frame_was_written_over", 0x5000, 0x6000, 0x5d00, 0x5d00, false },
	{ "alternate_interrupted_caller_was_written_over", 0x5000, 0x6000, 0x5d00, 0x1fc0, false },
};

START_TEST(test_with_a_handler)
{
	uint64_t stack = handler_cases[_i].alternate_low ? 0x4000 : 0;
	const struct signal_frame signal = { .restorer_slot = stack + 0x1e00,
					     .restorer = RETURN(stack + 0x1e00),
					     .interrupted_slot = stack + 0x1ea8,
					     .interrupted_pc = RETURN(stack + 0x1ea8),
					     .interrupted_sp = 0x1fb0,
					     .alternate_low = handler_cases[_i].alternate_low,
					     .alternate_high = handler_cases[_i].alternate_high };
	uint64_t written = handler_cases[_i].written;
	struct memory_reader memory = { read_slot, &written };
	struct parked_stack parked = { .sp = stack + 0x1d00, .base = stack + 0x2000 };

	shadow_stack_init(&parked.shadow, false);
	ck_assert(shadow_stack_call(&parked.shadow, 0x1fc0, RETURN(0x1fc0), NULL));
	ck_assert(shadow_stack_signal(&parked.shadow, &signal));
	ck_assert(shadow_stack_call(&parked.shadow, stack + 0x1d00, RETURN(stack + 0x1d00), NULL));
	ck_assert_uint_eq(parked.shadow.count, 4);
	ck_assert_msg(stack_pool_is_intact(&parked, handler_cases[_i].sp, &memory) ==
			      handler_cases[_i].intact,
		      "%s", handler_cases[_i].name);
	shadow_stack_deinit(&parked.shadow);
}
END_TEST

START_TEST(test_by_number_and_by_thread)
{
	static const struct parked_case stacks[] = { { 0x1000, 0x2000, 7 },
						     { 0x3000, 0x4000, 0 },
						     { 0x5000, 0x6000, 8 } };
	struct stack_pool pool = { 0 };
	struct parked_stack taken;

	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++)
		park(&pool, &stacks[i]);
	ck_assert(!stack_pool_take_number(&pool, 4, &taken));
	ck_assert(stack_pool_take_number(&pool, 2, &taken));
	ck_assert_uint_eq(taken.sp, 0x3000);
	shadow_stack_deinit(&taken.shadow);
	ck_assert(!stack_pool_take_number(&pool, 2, &taken));
	stack_pool_forget(&pool, 7);
	ck_assert_uint_eq(pool.count, 1);
	ck_assert_int_eq(pool.parked[0].root, 8);
	stack_pool_clear(&pool);
	ck_assert_uint_eq(pool.count, 0);
}
END_TEST

SUITE(stack_pool, LOOP(test_take, cases), LOOP(test_with_a_handler, handler_cases),
      TEST(test_by_number_and_by_thread))
