/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stack.c - does a stack hold what is put into it, up to its end, and survive that there is no
 * room?
 *
 * Without memory nothing is lost: the stack is as it was before. That is tried with an address
 * space that has no more room (setrlimit(2)), in a process of its own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "tests/suite.h"
#include "tests/sanitized.h"
#include "error.h"
#include "walk/stack.h"
#include "table/table_abi.h"

/* ---- frames ----------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t count;
	int status;
	enum error_code code;
} push_cases[] = {
	{ "none", 0, 0, ERROR_NONE },
	{ "one", 1, 0, ERROR_NONE },
	{ "more_than_a_bpf_walk_has", WALK_FRAMES_MAX + 1, 0, ERROR_NONE },
	{ "100000", 100000, 0, ERROR_NONE },
	{ "as_many_as_there_may_be", STACK_FRAMES_MAX, 0, ERROR_NONE },
	{ "one_more_than_there_may_be", STACK_FRAMES_MAX + 1, -1, ERROR_TABLE_LIMIT },
};

/* A stack of frames 0, 1, 2, ...; what stack_push() said last. */
static int fill(struct stack *stack, uint32_t count, struct error *error)
{
	int status = 0;

	for (uint32_t i = 0; !status && i < count; i++)
		status = stack_push(stack, i, error);
	return status;
}

START_TEST(frames_are_pushed)
{
	struct stack stack = { 0 };
	struct error error = { .code = ERROR_NONE };
	uint32_t expected = push_cases[_i].count;

	if (expected > STACK_FRAMES_MAX)
		expected = STACK_FRAMES_MAX;
	ck_assert_msg(fill(&stack, push_cases[_i].count, &error) == push_cases[_i].status &&
			      error.code == push_cases[_i].code,
		      "%s: %s", push_cases[_i].name, error.message);
	ck_assert_uint_eq(stack.count, expected);
	ck_assert_uint_le(stack.capacity, STACK_FRAMES_MAX);
	for (uint32_t i = 0; i < expected; i++)
		ck_assert_uint_eq(stack.pc[i], i);
	stack_deinit(&stack);
	ck_assert(!stack.pc && !stack.count && !stack.capacity && !stack.limit);
}
END_TEST

static const struct {
	const char *name;
	uint32_t limit, expected;
} limit_cases[] = {
	{ "zero_is_none", 0, STACK_FRAMES_MAX },
	{ "one", 1, 1 },
	{ "of_a_bpf_walk", WALK_FRAMES_MAX, WALK_FRAMES_MAX },
	{ "the_maximum", STACK_FRAMES_MAX, STACK_FRAMES_MAX },
	{ "above_the_maximum", STACK_FRAMES_MAX + 1, STACK_FRAMES_MAX },
};

START_TEST(limits)
{
	struct stack stack = { .limit = limit_cases[_i].limit };

	ck_assert_msg(stack_limit(&stack) == limit_cases[_i].expected, "%s: %u",
		      limit_cases[_i].name, stack_limit(&stack));
}
END_TEST

START_TEST(a_copy_is_a_stack_of_its_own)
{
	struct stack from = { 0 }, to = { .limit = 7 };
	struct error error;

	ck_assert(!fill(&from, 5000, &error));
	from.stop = STOP_NO_ROW;
	ck_assert(!fill(&to, 9, &error));
	ck_assert(!stack_copy(&to, &from, &error));
	from.pc[1] = 99;
	ck_assert_uint_eq(to.count, 5000);
	ck_assert_uint_eq(to.stop, STOP_NO_ROW);
	ck_assert_uint_eq(to.limit, 7);
	for (uint32_t i = 0; i < to.count; i++)
		ck_assert_uint_eq(to.pc[i], i);
	stack_deinit(&from);
	ck_assert(!stack_copy(&to, &from, &error)); /* of none */
	ck_assert_uint_eq(to.count, 0);
	stack_deinit(&to);
}
END_TEST

/* ---- no memory -------------------------------------------------------------------------- */

#define HELD 1000u /* frames before memory ends */

static int push_many(struct stack *stack, struct error *error)
{
	return fill(stack, STACK_FRAMES_MAX, error);
}

static int reserve_many(struct stack *stack, struct error *error)
{
	return stack_reserve(stack, STACK_FRAMES_MAX, error);
}

static int set_many(struct stack *stack, struct error *error)
{
	/* Nothing of it may be read if there is no room for it. */
	return stack_set(stack, NULL, STACK_FRAMES_MAX, STOP_COMPLETE, error);
}

static const struct {
	bool has_marks;
	uint64_t word;
	bool guessed;
	uint64_t pc;
} mark_cases[] = {
	{ true, WALK_PC_GUESSED | 0x401234, true, 0x401234 },
	{ true, 0x401234, false, 0x401234 },
	/* with 57 bits of address, too */
	{ true, WALK_PC_GUESSED | 0xffffffffffffff, true, 0xffffffffffffff },
	{ true, 0xffffffff81000000, false, 0xffffffff81000000 },
	{ true, 0x8100000000401234, false, 0x8100000000401234 },
	{ false, 0x8000000000401234, false, 0x8000000000401234 },
};

START_TEST(marks_are_told_from_addresses)
{
	struct stack stack = { 0 }, copy = { 0 };
	struct error error;

	ck_assert(!stack_push(&stack, mark_cases[_i].word, &error));
	stack.has_marks = mark_cases[_i].has_marks;
	ck_assert(stack_is_guessed(&stack, 0) == mark_cases[_i].guessed);
	ck_assert_uint_eq(stack_pc(&stack, 0), mark_cases[_i].pc);
	ck_assert(!stack_copy(&copy, &stack, &error));
	ck_assert_uint_eq(stack_pc(&copy, 0), mark_cases[_i].pc);
	stack_clear(&stack);
	ck_assert(!stack.has_marks && !stack.count);
	stack_deinit(&stack);
	stack_deinit(&copy);
}
END_TEST

static const struct {
	const char *name;
	int (*grow)(struct stack *stack, struct error *error);
	bool adds; /* what there was room for is in it */
} memory_cases[] = {
	{ "push", push_many, true },
	{ "reserve", reserve_many, false },
	{ "set", set_many, false },
};

START_TEST(without_memory_a_stack_is_as_it_was)
{
	if (SANITIZED) {
		printf("SKIP: %s: a sanitizer needs more\n", memory_cases[_i].name);
		return;
	}
	const struct rlimit none = { .rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY };
	struct stack stack = { 0 };
	struct error error = { .code = ERROR_NONE };
	struct rlimit before;

	ck_assert(!fill(&stack, HELD, &error));
	stack.stop = STOP_NO_ROW;
	ck_assert(!getrlimit(RLIMIT_AS, &before));
	ck_assert(!setrlimit(RLIMIT_AS, &none));
	int status = memory_cases[_i].grow(&stack, &error);

	ck_assert(!setrlimit(RLIMIT_AS, &before));
	ck_assert_msg(status == -1 && error.code == ERROR_MEMORY, "%s", memory_cases[_i].name);
	ck_assert_uint_eq(stack.stop, STOP_NO_ROW);
	if (memory_cases[_i].adds)
		ck_assert_uint_gt(stack.count, HELD);
	else
		ck_assert_uint_eq(stack.count, HELD);
	for (uint32_t i = 0; i < HELD; i++)
		ck_assert_uint_eq(stack.pc[i], i);
	ck_assert(!stack_push(&stack, 1, &error)); /* there is memory again */
	stack_deinit(&stack);
}
END_TEST

SUITE(stack, LOOP(frames_are_pushed, push_cases), LOOP(limits, limit_cases),
      LOOP(marks_are_told_from_addresses, mark_cases), TEST(a_copy_is_a_stack_of_its_own),
      LOOP(without_memory_a_stack_is_as_it_was, memory_cases))
