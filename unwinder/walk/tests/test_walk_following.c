/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_following.c - the walk that follows frame pointers, and how it marks what it found so
 *
 * Each case gives what rbp points to; without the policy the same walk must end where the first
 * frame was guessed.
 */
#include "tests/suite.h"
#include "walk_world.h"
#include "walk/walk_rows.h"

#define GUESSED(pc) ((pc) | WALK_PC_GUESSED)

/* The frame pointer is followed there, and nowhere else; without, the walk ends as plain says. */
static const struct follow_case {
	const char *name;
	struct literal function[3];
	uint64_t pc, rbp;
	uint64_t stack[WORDS]; /* at SP */
	uint64_t expect[6];    /* frames, with their marks */
	uint32_t stop, plain;
} follow_cases[] = {
	{ "no_mapping", .function = { NORMAL, END }, .pc = A, .rbp = SP + 16,
	  .stack = { OUTSIDE, 7, 0, B + 1 }, FINDS(GUESSED, A, OUTSIDE, GUESSED(B + 1)),
	  .plain = STOP_NO_MAPPING },
	{ "no_row", .function = { NORMAL, END, NORMAL }, .pc = A, .rbp = SP + 16,
	  .stack = { GAP + 1, 7, 0, B + 1 }, FINDS(GUESSED, A, GAP + 1, GUESSED(B + 1)),
	  .plain = STOP_NO_ROW },
	{ "at_the_top", .function = { END }, .pc = OUTSIDE, .rbp = SP, .stack = { 0, A + 1 },
	  FINDS(GUESSED, OUTSIDE, GUESSED(A + 1)), .plain = STOP_NO_MAPPING },
	{ "twice_in_a_row", .function = { END }, .pc = OUTSIDE, .rbp = SP,
	  .stack = { SP + 32, OUTSIDE + 9, 7, 7, 0, A + 1 },
	  FINDS(GUESSED, OUTSIDE, GUESSED(OUTSIDE + 9), GUESSED(A + 1)), .plain = STOP_NO_MAPPING },
	{ "a_frame_behind_it_is_found_by_cfi_again", .function = { NORMAL, END }, .pc = OUTSIDE,
	  .rbp = SP, .stack = { 0, A + 1, B + 1 }, FINDS(GUESSED, OUTSIDE, GUESSED(A + 1), B + 1),
	  .plain = STOP_NO_MAPPING },
	{ "rbp_is_the_callers", .function = { CFI(CFA_def_cfa(RBP, 16)), END } /* c = rbp + 16 */,
	  .pc = OUTSIDE, .rbp = SP, .stack = { SP + 24, A + 1, 7, 0, B + 1 },
	  FINDS(GUESSED, OUTSIDE, GUESSED(A + 1), B + 1), .plain = STOP_NO_MAPPING },
	{ "other_registers_are_unknown",
	  .function = { CFI(CFA_def_cfa(RBX, 16)), END } /* c = rbx + 16 */, .pc = OUTSIDE,
	  .rbp = SP, .stack = { 0, A + 1, 7, 0, B + 1 },
	  FINDS(REGISTER_UNKNOWN, OUTSIDE, GUESSED(A + 1)), .plain = STOP_NO_MAPPING },
	/* At B there is nothing that can be read. */
	{ "it_is_a_return_address", .function = { END, CFI(0x17 /* undefined */) }, .pc = OUTSIDE,
	  .rbp = SP, .stack = { 0, B }, FINDS(GUESSED, OUTSIDE, GUESSED(B)),
	  .plain = STOP_NO_MAPPING },
	{ "no_other_stop_is_passed_over", .function = { CFI(0x17 /* undefined */), END }, .pc = A,
	  .rbp = SP, .stack = { 0, B + 1 }, FINDS(MALFORMED, A), .plain = STOP_MALFORMED },
	{ "a_proven_end_is_not_passed_over", .function = { END }, .pc = A, .rbp = SP,
	  .stack = { 0, B + 1 }, FINDS(COMPLETE, A), .plain = STOP_COMPLETE },
	{ "a_frame_pointer_below_the_stack_is_none", .pc = OUTSIDE, .rbp = SP - 8,
	  .stack = { A + 1 }, FINDS(NO_MAPPING, OUTSIDE), .plain = STOP_NO_MAPPING },
	{ "one_that_is_not_aligned_is_none", .pc = OUTSIDE, .rbp = SP + 4,
	  .stack = { 0, A + 1, A + 1 }, FINDS(NO_MAPPING, OUTSIDE), .plain = STOP_NO_MAPPING },
	{ "one_that_can_not_be_read_is_none", .pc = OUTSIDE, .rbp = SP + 8 * WORDS - 8,
	  FINDS(NO_MAPPING, OUTSIDE), .plain = STOP_NO_MAPPING },
	{ "a_return_address_of_0_is_none", .pc = OUTSIDE, .rbp = SP, .stack = { SP + 16, 0 },
	  FINDS(NO_MAPPING, OUTSIDE), .plain = STOP_NO_MAPPING },
	{ "a_frame_that_points_to_itself", .pc = OUTSIDE, .rbp = SP, .stack = { SP, OUTSIDE },
	  FINDS(NO_MAPPING, OUTSIDE, GUESSED(OUTSIDE)), .plain = STOP_NO_MAPPING },
};

START_TEST(frame_pointers_are_followed_where_there_is_no_cfi)
{
	const struct follow_case *c = &follow_cases[_i];
	struct fake_stack memory = { .word = c->stack, .words = WORDS };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	uint32_t count = 0, plain = 0;
	struct world world;
	struct stack stack = { 0 };
	struct error error;

	regs.value[REGISTER_RSP] = SP;
	regs.value[REGISTER_RBP] = c->rbp;
	regs.value[REGISTER_RBX] = SP; /* as good a frame, were it the caller's */
	regs.value[REGISTER_RIP] = c->pc;
	while (count < (uint32_t)COUNT(c->expect) && c->expect[count])
		count++;
	while (plain < count && !(c->expect[plain] & WALK_PC_GUESSED))
		plain++;
	world_init(&world, c->function, COUNT(c->function), false);
	ck_assert(!walk_table_following(&world.space, &regs, &reader, NULL, &stack, &error));
	check_stack(c->name, "following", &stack, c->expect, count, c->stop);
	ck_assert(!walk_table(&world.space, &regs, &reader, NULL, &stack, &error));
	check_stack(c->name, "table", &stack, c->expect, plain, c->plain);
	stack_deinit(&stack);
	world_deinit(&world);
}
END_TEST

/* gcc's PLT row: the push at offset 11 of a 16-byte stub moves the CFA up. */
/* The same where frame pointers are followed: a frame's mark is the walk's that is under way. */
START_TEST(memo_never_changes_a_walk_that_follows)
{
	const struct literal function[] = { NORMAL, END };
	static uint64_t words[64];
	struct fake_stack memory = { .word = words, .words = COUNT(words) };
	struct memory_reader reader = { read_stack, &memory };
	struct register_values regs = { .known = (1u << REGISTER_COUNT) - 1 };
	struct walk_memo *memo = walk_memo_create();
	struct stack with = { 0 }, without = { 0 };
	struct error error;
	uint64_t random = 1, guessed = 0, proven = 0;
	struct world world;

	ck_assert_ptr_nonnull(memo);
	world_init(&world, function, COUNT(function), false);
	for (int round = 0; round < 8000; round++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		const uint64_t any[] = {
			A + 1, A + 1,	A + 1,	     B + 1,
			A + 1, OUTSIDE, OUTSIDE + 1, SP + (random >> 50) % 64 * 8
		};

		words[(random >> 8) % COUNT(words)] = any[random >> 61];
		regs.value[REGISTER_RSP] = SP + (random >> 33) % 8 * 8;
		regs.value[REGISTER_RBP] = SP + (random >> 27) % 16 * 8;
		regs.value[REGISTER_RIP] = random >> 40 & 3 ? A + 1 : OUTSIDE;
		ck_assert(!walk_table_following(&world.space, &regs, &reader, NULL, &without,
						&error));
		ck_assert(!walk_table_following(&world.space, &regs, &reader, memo, &with, &error));
		check_stack("memo", "following", &with, without.pc, without.count, without.stop);
		guessed += without.stop == STOP_GUESSED;
		proven += without.stop == STOP_COMPLETE;
	}
	ck_assert_uint_gt(guessed, 100);
	ck_assert_uint_gt(proven, 100);
	stack_deinit(&with);
	stack_deinit(&without);
	world_deinit(&world);
	walk_memo_destroy(memo);
}
END_TEST

SUITE(walk_following, LOOP(frame_pointers_are_followed_where_there_is_no_cfi, follow_cases),
      TEST(memo_never_changes_a_walk_that_follows))
