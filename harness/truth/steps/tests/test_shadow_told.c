/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_shadow_told.c - what a shadow stack tells of its frames, and how certain they are
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/steps/shadow_stack.h"

/* ---- how certain it is ----------------------------------------------------------------------- */

/* A frame is as certain as the stack was when it was opened, also if it was off for a while. */
START_TEST(test_frames_know_their_epoch)
{
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	ck_assert(shadow_stack_call(&stack, 0xff8, 1, NULL));
	shadow_stack_disturb(&stack);
	ck_assert_uint_eq(stack.epoch, 1);
	ck_assert(shadow_stack_call(&stack, 0xfe8, 2, NULL));
	ck_assert(shadow_stack_move(&stack, 0xff0));
	ck_assert_uint_eq(stack.count, 1);
	ck_assert_uint_eq(stack.taken_off.slot, 0xfe8);
	shadow_stack_disturb(&stack);
	stack.in_transit = true;
	ck_assert(shadow_stack_put_back(&stack));
	ck_assert(!stack.in_transit);
	ck_assert_uint_eq(stack.count, 2);
	ck_assert_uint_eq(stack.frame[0].epoch, 0);
	ck_assert_uint_eq(stack.frame[1].epoch, 1);
	ck_assert(stack.frame[1].put_back && !stack.frame[0].put_back);
	ck_assert_uint_eq(stack.taken_off.slot, 0);
	ck_assert(shadow_stack_call(&stack, 0xfd8, 3, NULL));
	ck_assert_uint_eq(stack.frame[2].epoch, 2);
	shadow_stack_deinit(&stack);
}
END_TEST

/* A stray ret at the root's place: it began further out. */
static const struct {
	const char *name;
	uint64_t slot;
	bool rooted;
} root_cases[] = {
	{ "below_the_base", 0xff8, true },
	{ "at_the_base", 0x1000, false },
	{ "above_the_base", 0x1008, false },
};

START_TEST(test_root_is_where_it_began)
{
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	ck_assert_uint_eq(stack.base, UINT64_MAX);
	stack.base = 0x1000;
	ck_assert_int_eq(
		shadow_stack_return(&stack, root_cases[_i].slot, 7, root_cases[_i].slot + 8),
		RETURN_STRAY);
	ck_assert_msg(stack.rooted == root_cases[_i].rooted, "%s", root_cases[_i].name);
	ck_assert_uint_eq(stack.base, root_cases[_i].rooted ? 0x1000 : UINT64_MAX);
	ck_assert_uint_eq(stack.epoch, 1);
	shadow_stack_deinit(&stack);
}
END_TEST

/* ---- what is told ---------------------------------------------------------------------------- */

struct story {
	char text[300];
};

static void tell(void *context, const char *what, uint64_t slot, uint64_t target)
{
	char *text = ((struct story *)context)->text;

	snprintf(text + strlen(text), sizeof(((struct story *)0)->text) - strlen(text),
		 "%s %lx %lx; ", what, (unsigned long)slot, (unsigned long)target);
}

static void tell_ended(void *context, const struct shadow_stack *stack,
		       const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	static const char *const names[] = { "returned", "replaced", "taken", "abandoned", "lost" };

	tell(context, names[end], frame->slot, target);
}

static void tell_stray(void *context, const struct shadow_stack *stack, uint64_t slot,
		       uint64_t target)
{
	tell(context, "stray", slot, target);
}

static void tell_popped(void *context, const struct shadow_stack *stack, uint64_t slot,
			uint64_t target)
{
	tell(context, "popped", slot, target);
}

static void tell_off(void *context, const struct shadow_stack *stack, uint64_t slot)
{
	tell(context, "off", slot, 0);
}

static void tell_settled(void *context, const struct shadow_stack *stack, bool was_frame)
{
	tell(context, "settled", was_frame, 0);
}

static void tell_disturbed(void *context, const struct shadow_stack *stack)
{
	tell(context, "disturbed", stack->epoch, 0);
}

static void tell_moved(void *context, const struct shadow_stack *stack, uint64_t slot)
{
	tell(context, "moved", slot, 0);
}

static void tell_moved_ended(void *context, const struct shadow_stack *stack, uint64_t slot,
			     bool returned)
{
	tell(context, "moved_ended", slot, returned);
}

static void tell_copy(void *context, const struct shadow_stack *stack, uint64_t slot,
		      uint64_t target)
{
	tell(context, "copy", slot, target);
}

static struct shadow_observer all_told(struct story *story)
{
	return (struct shadow_observer) { story,	  tell_ended, tell_stray,
					  tell_popped,	  tell_off,   tell_settled,
					  tell_disturbed, tell_moved, tell_moved_ended,
					  tell_copy };
}

/* _i: 0: to one who wants to know all; 1: to one who wants to know nothing; 2: to nobody. */
START_TEST(test_whole_story)
{
	struct story story = { "" };
	const struct shadow_observer all = all_told(&story);
	const struct shadow_observer nothing = { .context = &story };
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	stack.observer = _i == 0 ? &all : _i == 1 ? &nothing : NULL;
	for (int i = 0; i < 6; i++)
		ck_assert(shadow_stack_call(&stack, 0xff8 - 16 * i, 10 + i, NULL));
	for (int i = 0; i < 5; i++)
		stack.frame[i].watch = i + 1;
	shadow_stack_return(&stack, 0xfa8, 15, 0xfb0); /* nobody watches it */
	shadow_stack_return(&stack, 0xfb8, 14, 0xfc0);
	shadow_stack_return(&stack, 0xfc8, 77, 0xfd0);
	shadow_stack_return(&stack, 0xfc0, 78, 0xfc8);
	shadow_stack_popped_jump(&stack, 0xfc0, 79);
	ck_assert(shadow_stack_move(&stack, 0xfe0)); /* 12 is taken off */
	ck_assert(!shadow_stack_jump(&stack, 12, 0xfd8));
	ck_assert(!shadow_stack_jump(&stack, 13, 0xfe0));
	ck_assert(shadow_stack_jump(&stack, 12, 0xfe0));
	ck_assert(!shadow_stack_jump(&stack, 12, 0xfe0));
	ck_assert(shadow_stack_move(&stack, 0xff0)); /* 11 is, too */
	shadow_stack_end(&stack, FRAME_LOST);
	ck_assert_uint_eq(stack.count, 0);
	ck_assert_str_eq(story.text,
			 _i ? ""
			    : "returned fb8 e; replaced fc8 4d; stray fc0 4e; popped fc0 4f; "
			      "off fd8 0; returned fd8 c; settled 1 0; off fe8 0; taken fe8 0; "
			      "settled 0 0; lost ff8 0; ");
	shadow_stack_disturb(&stack);
	shadow_stack_deinit(&stack);
}
END_TEST

/* A frame that is put into another slot: 12 of three, at 0xfd8. */
/* A ret through that slot to the target, with rsp there afterwards, and what it is taken for. */
#define RET(slot_, target_, sp_, kind_)                                                            \
	.slot = (slot_), .target = (target_), .sp = (sp_), .kind = RETURN_##kind_

static const struct moved_case {
	const char *name;
	uint64_t put;		   /* where; 0: it is not taken off */
	uint64_t copied;	   /* another slot, further in */
	uint64_t off, at;	   /* then it is taken off by rsp there, and put at; 0: it is not */
	uint64_t slot, target, sp; /* a ret; 0: there is none */
	bool disturbs, cuts;
	enum return_kind kind;
	const char *story;
} moved_cases[] = {
	{ "returned", .put = 0xfc8, RET(0xfc8, 12, 0xfd0, EXPECTED),
	  .story = "off fd8 0; moved fc8 0; returned fc8 c; moved_ended fc8 1; " },
	{ "returned_elsewhere", .put = 0xfe0, RET(0xfe0, 77, 0xfe8, REPLACED),
	  .story = "off fd8 0; moved fe0 0; replaced fe0 4d; moved_ended fe0 0; " },
	{ "moved_twice", .put = 0xfc8, .off = 0xfd0, .at = 0xfb8, RET(0xfb8, 12, 0xfc0, EXPECTED),
	  .story = "off fd8 0; moved fc8 0; off fc8 0; moved fb8 0; returned fb8 c; moved_ended "
		   "fb8 1; " },
	{ "put_back_where_it_was_moved", .put = 0xfc8, .off = 0xfd0, .at = 0xfc8,
	  RET(0xfc8, 12, 0xfd0, EXPECTED),
	  .story = "off fd8 0; moved fc8 0; off fc8 0; moved fc8 0; returned fc8 c; moved_ended "
		   "fc8 1; " },
	{ "put_back", .put = 0xfd8, RET(0xfd8, 12, 0xfe0, EXPECTED),
	  .story = "off fd8 0; settled 1 0; returned fd8 c; " },
	{ "gone", .put = 0xfc8, .off = 0xff0,
	  .story = "off fd8 0; moved fc8 0; abandoned fc8 0; moved_ended fc8 0; abandoned fe8 0; "
		   "disturbed 1 0; " },
	{ "cut_away", .put = 0xfc8, .cuts = true,
	  .story = "off fd8 0; moved fc8 0; moved_ended fc8 0; lost ff8 0; lost fe8 0; lost fc8 "
		   "0; " },
	{ "through_a_copy", .copied = 0xfa8, RET(0xfa8, 12, 0xfe0, COPIED),
	  .story = "copy fa8 c; returned fd8 c; " },
	{ "through_a_copy_of_one_that_moved", .put = 0xfc8, .copied = 0xfa8,
	  RET(0xfa8, 12, 0xfb0, COPIED),
	  .story = "off fd8 0; moved fc8 0; copy fa8 c; moved_ended fc8 1; returned fc8 c; " },
	{ "through_a_copy_and_over_another_frame", .copied = 0xfa8,
	  RET(0xfa8, 12, 0xfe8 + 16, DOUBLED),
	  .story = "copy fa8 c; returned fd8 c; abandoned fe8 0; disturbed 2 0; " },
	{ "beside_the_copy", .copied = 0xfa8, RET(0xfa0, 12, 0xfa8, STRAY),
	  .story = "stray fa0 c; " },
	{ "through_the_copy_to_elsewhere", .copied = 0xfa8, RET(0xfa8, 13, 0xfb0, STRAY),
	  .story = "stray fa8 d; " },
	{ "through_its_slot_beside_a_copy", .copied = 0xfa8, RET(0xfd8, 12, 0xfe0, EXPECTED),
	  .story = "returned fd8 c; " },
};

START_TEST(test_moved_is_told)
{
	const struct moved_case *c = &moved_cases[_i];
	struct story story = { "" };
	const struct shadow_observer all = all_told(&story);
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	stack.observer = &all;
	for (int i = 0; i < 3; i++) {
		ck_assert(shadow_stack_call(&stack, 0xff8 - 16 * i, 10 + i, NULL));
		stack.frame[i].watch = i + 1;
	}
	if (c->put) {
		shadow_stack_move(&stack, 0xfe0);
		stack.carriers = 2;
		ck_assert(shadow_stack_put_at(&stack, c->put));
		ck_assert(!stack.carriers && stack.frame[2].moved == (c->put != 0xfd8));
	}
	stack.frame[2].copied = c->copied;
	if (c->off)
		shadow_stack_move(&stack, c->off);
	if (c->at)
		ck_assert(shadow_stack_put_at(&stack, c->at));
	if (c->cuts)
		shadow_stack_cut(&stack, 3);
	if (c->slot)
		ck_assert_msg(shadow_stack_return(&stack, c->slot, c->target, c->sp) == c->kind,
			      "%s", c->name);
	ck_assert_msg(!strcmp(story.text, c->story), "%s: %s", c->name, story.text);
	shadow_stack_deinit(&stack);
}
END_TEST

/* Where a register has its return address, one frame alone is taken off wherever rsp stands. */
static const struct {
	const char *name;
	uint64_t sp;
	bool off;
	size_t count;
} held_cases[] = {
	{ "not_above_it", 0xfd8, false, 3 },   { "just_above_it", 0xfe0, true, 2 },
	{ "above_arguments", 0xfe8, true, 2 }, { "above_another", 0xff0, false, 1 },
	{ "above_all", 0x1008, false, 0 },
};

START_TEST(test_held_is_taken_off)
{
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	for (int i = 0; i < 3; i++)
		ck_assert(shadow_stack_call(&stack, 0xff8 - 16 * i, 10 + i, NULL));
	stack.readers = 2;
	ck_assert(shadow_stack_move_held(&stack, held_cases[_i].sp) == (held_cases[_i].count < 3));
	ck_assert_msg(stack.count == held_cases[_i].count, "%s: %zu", held_cases[_i].name,
		      stack.count);
	ck_assert_uint_eq(stack.taken_off.slot, held_cases[_i].off ? 0xfd8 : 0);
	ck_assert_uint_eq(stack.readers, stack.count == 3 ? 2 : 0);
	ck_assert_uint_eq(stack.epoch, stack.count < 2);
	shadow_stack_deinit(&stack);
}
END_TEST

/* Of the frames that are cut away each is told, and no other. */
static const char *const cut_stories[] = { "", "lost ff8 0; ", "lost ff8 0; lost fe8 0; ",
					   "lost ff8 0; lost fe8 0; lost fd8 0; " };

START_TEST(test_cut_is_told)
{
	struct story story = { "" };
	const struct shadow_observer observer = { .context = &story, .frame_ended = tell_ended };
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	stack.observer = &observer;
	for (int i = 0; i < 3; i++) {
		ck_assert(shadow_stack_call(&stack, 0xff8 - 16 * i, 10 + i, NULL));
		stack.frame[i].watch = i + 1;
	}
	shadow_stack_cut(&stack, _i);
	ck_assert_str_eq(story.text, cut_stories[_i]);
	ck_assert_uint_eq(stack.count, 3 - _i);
	for (size_t i = 0; i < stack.count; i++)
		ck_assert_uint_eq(stack.frame[i].return_address, 10 + _i + i);
	shadow_stack_deinit(&stack);
}
END_TEST

/* A handler is on an alternate stack that it did not interrupt. */
static const struct {
	const char *name;
	uint64_t restorer_slot, interrupted_sp; /* the alternate stack: 0x5000 to 0x6000 */
	size_t regions;
} alternate_cases[] = {
	{ "in_it", 0x5800, 0x1000, 1 },
	{ "at_its_lowest", 0x5000, 0x1000, 1 },
	{ "below_it", 0x4ff8, 0x1000, 0 },
	{ "at_its_last_word", 0x5ff8, 0x1000, 1 },
	{ "behind_it", 0x6000, 0x1000, 0 },
	{ "interrupted_in_it", 0x5800, 0x5900, 0 },
	{ "interrupted_at_its_end", 0x5800, 0x6000, 0 },
	{ "interrupted_behind_it", 0x5800, 0x6008, 1 },
	{ "interrupted_at_its_lowest", 0x5800, 0x5000, 1 },
	{ "interrupted_just_above_it", 0x5800, 0x5008, 0 },
};

START_TEST(test_alternate_stack_is_a_region)
{
	const struct signal_frame frame = { .restorer_slot = alternate_cases[_i].restorer_slot,
					    .restorer = 7,
					    .interrupted_slot = 0x1234,
					    .interrupted_pc = 8,
					    .interrupted_sp = alternate_cases[_i].interrupted_sp,
					    .alternate_low = 0x5000,
					    .alternate_high = 0x6000 };
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	ck_assert(shadow_stack_signal(&stack, &frame));
	ck_assert_msg(stack.region_count == alternate_cases[_i].regions, "%s: %zu",
		      alternate_cases[_i].name, stack.region_count);
	ck_assert_uint_eq(stack.count, 2);
	shadow_stack_deinit(&stack);
}
END_TEST

/* Who must bring registers back. */
START_TEST(test_registers_of_the_top)
{
	static const uint64_t right[CALLEE_SAVED_COUNT] = { 1, 2, 3, 4, 5, 6 },
			      wrong[] = { 1, 2, 3, 4, 5, 7 };
	struct shadow_stack stack;

	shadow_stack_init(&stack, true);
	ck_assert(shadow_stack_restores(&stack, 0xff8, wrong)); /* there is none */
	ck_assert(shadow_stack_call(&stack, 0xff8, 1, right));
	ck_assert(shadow_stack_restores(&stack, 0xff0, wrong)); /* another slot's ret */
	ck_assert(!stack.frame[0].clobbered);
	ck_assert(!shadow_stack_restores(&stack, 0xff8, wrong));
	ck_assert(stack.frame[0].clobbered);
	ck_assert(shadow_stack_restores(&stack, 0xff8, right));
	ck_assert(!stack.frame[0].clobbered);
	ck_assert(shadow_stack_call(&stack, 0xfe8, 2, right));
	ck_assert(!shadow_stack_restores(&stack, 0xfe8, wrong));
	stack.frame[0].interrupted = true; /* a handler need not */
	stack.frame[1].clobbered = false;
	ck_assert(shadow_stack_restores(&stack, 0xfe8, wrong));
	ck_assert(!stack.frame[1].clobbered);
	shadow_stack_deinit(&stack);
}
END_TEST

/* A sum that others have kept must be found again: every register counts, in its place. */
START_TEST(test_sum_of_registers)
{
	greg_t registers[SUMMED_REGISTERS];
	uint64_t sum;

	for (int i = 0; i < SUMMED_REGISTERS; i++)
		registers[i] = i + 1;
	sum = registers_sum(registers);
	ck_assert_uint_eq(sum, 0x7ffcea242de38aab);
	for (int i = 0; i < SUMMED_REGISTERS; i++) {
		registers[i] ^= 64;
		ck_assert_uint_ne(registers_sum(registers), sum);
		registers[i] ^= 64;
	}
}
END_TEST

SUITE(shadow_told, TEST(test_frames_know_their_epoch),
      LOOP(test_root_is_where_it_began, root_cases), TIMES(test_whole_story, 3),
      LOOP(test_moved_is_told, moved_cases), LOOP(test_held_is_taken_off, held_cases),
      TIMES(test_cut_is_told, 4), LOOP(test_alternate_stack_is_a_region, alternate_cases),
      TEST(test_registers_of_the_top), TEST(test_sum_of_registers))
