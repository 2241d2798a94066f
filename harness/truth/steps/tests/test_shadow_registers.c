/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_shadow_registers.c - how long registers have a return address, and who hears only a part
 *
 * A stack of three frames, of which one may be taken off. Each operation says what is left of it in registers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/steps/shadow_stack.h"

#define TOP  0xfd0 /* the innermost frame's slot; the others lie above it, at 16 bytes each */
#define COPY 0xf80

static struct shadow_stack stack;
static char said[200];

static void say(const char *what, uint64_t slot)
{
	size_t used = strlen(said);

	snprintf(said + used, sizeof(said) - used, "%s%s %" PRIx64, used ? ", " : "", what, slot);
}

static void say_ended(void *context, const struct shadow_stack *of,
		      const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	say(frame->moved ? "moved and ended" : "ended", frame->slot);
}

static void say_moved_ended(void *context, const struct shadow_stack *of, uint64_t slot,
			    bool returned)
{
	say(returned ? "returned" : "gone", slot);
}

static void begin(const struct shadow_observer *observer)
{
	said[0] = '\0';
	shadow_stack_init(&stack, true);
	stack.observer = observer;
	for (uint64_t slot = TOP + 32; slot >= TOP; slot -= 16) {
		ck_assert(shadow_stack_call(&stack, slot, slot * 2, NULL));
		stack.frame[stack.count - 1].watch = 1;
	}
	stack.carriers = 4;
	stack.readers = 2;
}

/* ---- operations ----------------------------------------------------------------------------- */

static void call(void)
{
	ck_assert(shadow_stack_call(&stack, TOP - 16, 1, NULL));
}

static void call_at_once(void)
{
	ck_assert(shadow_stack_call(&stack, TOP - 8, 1, NULL));
}

static void interrupt(void)
{
	const struct signal_frame frame = { .restorer_slot = TOP - 0x100,
					    .interrupted_slot = TOP - 0x20 };

	ck_assert(shadow_stack_signal(&stack, &frame));
}

static void ret(void)
{
	ck_assert_int_eq(shadow_stack_return(&stack, TOP, TOP * 2, TOP + 8), RETURN_EXPECTED);
}

static void stray_ret(void)
{
	ck_assert_int_eq(shadow_stack_return(&stack, TOP - 0x40, 5, TOP - 0x38), RETURN_STRAY);
}

static void copied_ret(void)
{
	stack.frame[2].copied = COPY;
	ck_assert_int_eq(shadow_stack_return(&stack, COPY, TOP * 2, COPY + 8), RETURN_COPIED);
}

static void go_down(void)
{
	ck_assert(!shadow_stack_move(&stack, TOP - 0x40));
}

static void take_off(void)
{
	ck_assert(shadow_stack_move(&stack, TOP + 8));
}

static void abandon_two(void)
{
	ck_assert(shadow_stack_move(&stack, TOP + 0x18));
}

static void put_back(void)
{
	take_off();
	stack.carriers = 4;
	stack.readers = 2;
	stack.taken_off.copied = COPY;
	ck_assert(shadow_stack_put_back(&stack));
	ck_assert_uint_eq(stack.frame[2].copied, 0);
}

static void move_it(void)
{
	take_off();
	stack.carriers = 4;
	stack.readers = 2;
	stack.taken_off.copied = COPY;
	ck_assert(shadow_stack_put_at(&stack, TOP - 8));
	ck_assert_uint_eq(stack.frame[2].copied, 0);
	ck_assert(stack.frame[2].moved);
}

static void settle(void)
{
	take_off();
	stack.carriers = 4;
	shadow_stack_settle_taken_off(&stack);
	ck_assert_uint_eq(stack.taken_off.slot, 0);
}

static void jump_there(void)
{
	take_off();
	stack.carriers = 4;
	ck_assert(shadow_stack_jump(&stack, TOP * 2, TOP + 8));
}

static void end(void)
{
	shadow_stack_end(&stack, FRAME_ABANDONED);
}

static void disturb(void)
{
	shadow_stack_disturb(&stack);
}

static const struct {
	const char *name;
	void (*operation)(void);
	size_t count;
	uint16_t carriers, readers;
} cases[] = {
	{ "call", call, 4, 0, 0 },
	{ "call_at_once", call_at_once, 4, 0, 0 },
	{ "interrupt", interrupt, 5, 0, 0 },
	{ "ret", ret, 2, 0, 0 },
	{ "stray_ret", stray_ret, 3, 0, 0 },
	{ "copied_ret", copied_ret, 2, 0, 0 },
	{ "go_down", go_down, 3, 4, 2 },
	{ "take_off", take_off, 2, 0, 0 },
	{ "abandon_two", abandon_two, 1, 4, 0 },
	{ "put_back", put_back, 3, 0, 0 },
	{ "move_it", move_it, 3, 0, 0 },
	{ "settle", settle, 2, 0, 0 },
	{ "jump_there", jump_there, 2, 0, 0 },
	{ "end", end, 0, 0, 0 },
	{ "disturb", disturb, 3, 4, 2 },
};

/* Who watches may want to hear nothing of it, and nobody need watch. */
START_TEST(registers_lose_it)
{
	static const struct shadow_observer deaf = { .context = NULL };
	static const struct shadow_observer *const observers[] = { NULL, &deaf };

	for (int i = 0; i < COUNT(observers); i++) {
		begin(observers[i]);
		cases[_i].operation();
		ck_assert_msg(stack.count == cases[_i].count, "%s: %zu frames", cases[_i].name,
			      stack.count);
		ck_assert_msg(stack.carriers == cases[_i].carriers, "%s: carriers %x",
			      cases[_i].name, stack.carriers);
		ck_assert_msg(stack.readers == cases[_i].readers, "%s: readers %x", cases[_i].name,
			      stack.readers);
		shadow_stack_deinit(&stack);
	}
}
END_TEST

/* ---- what is told of moved ones ------------------------------------------------------------- */

static const struct shadow_observer listener = { .frame_ended = say_ended,
						 .moved_ended = say_moved_ended };

START_TEST(a_frame_that_returns_through_a_copy_has_moved)
{
	begin(&listener);
	copied_ret();
	ck_assert_str_eq(said, "moved and ended fd0");
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(moved_frames_that_are_cut_off_are_told)
{
	begin(&listener);
	for (int i = 0; i < 3; i++)
		stack.frame[i].moved = true;
	shadow_stack_cut(&stack, 2);
	ck_assert_str_eq(said, "gone fe0, gone ff0, moved and ended ff0, moved and ended fe0");
	ck_assert_uint_eq(stack.count, 1);
	ck_assert_uint_eq(stack.frame[0].slot, TOP);
	ck_assert(!stack.rooted);
	shadow_stack_deinit(&stack);
}
END_TEST

START_TEST(moved_frames_that_are_left_are_told)
{
	begin(&listener);
	stack.frame[1].moved = true;
	shadow_stack_end(&stack, FRAME_ABANDONED);
	ck_assert_str_eq(said, "ended fd0, moved and ended fe0, gone fe0, ended ff0");
	shadow_stack_deinit(&stack);
}
END_TEST

SUITE(shadow_registers, LOOP(registers_lose_it, cases),
      TEST(a_frame_that_returns_through_a_copy_has_moved),
      TEST(moved_frames_that_are_cut_off_are_told), TEST(moved_frames_that_are_left_are_told))
