// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * test_collected.c - what is equal is kept once, what differs in anything is not, and markers say what is missing
 */
#include "profiles/write/collected.h"
#include "tests/suite.h"

static struct error error;

static uint32_t text(struct collected *collected, const char *string)
{
	return collected_text(collected, string, &error);
}

static uint32_t named_location(struct collected *collected, const char *name, uint64_t address)
{
	struct collected_function function = { .name = text(collected, name) };
	struct collected_line line = { .function = collected_function(collected, &function,
								      &error) };

	return collected_location(collected, COLLECTED_IN_USER, 0, address, &line, 1, &error);
}

START_TEST(equal_things_have_one_number)
{
	struct collected collected;
	struct collected_task task = { .pid = 7, .tid = 8 }, other = { .pid = 7, .tid = 9 };
	struct collected_mapping mapping = { .start = 0x1000, .limit = 0x2000 };
	uint32_t location[2], stack;

	collected_init(&collected, COLLECTED_CPU);
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq(text(&collected, "main"), 1);
		ck_assert_uint_eq(collected_mapping(&collected, &mapping, &error), 1);
		ck_assert_uint_eq(collected_task(&collected, &task, &error), 1);
		ck_assert_uint_eq(collected_task(&collected, &other, &error), 2);
		location[0] = named_location(&collected, "leaf", 0x1000);
		location[1] = named_location(&collected, "main", 0x1010);
		ck_assert_uint_ne(location[0], location[1]);
		stack = collected_stack(&collected, location, 2, 0, &error);
		ck_assert_uint_eq(stack, 1);
		ck_assert_uint_eq(collected_stack(&collected, location, 1, 0, &error), 2);
		ck_assert_uint_eq(collected_stack(&collected, NULL, 0, 0, &error), 3);
		ck_assert_int_eq(collected_add(&collected, stack, 1, 1, 10, &error), 0);
		ck_assert_int_eq(collected_add(&collected, stack, 2, 2, 20, &error), 0);
	}
	ck_assert_uint_eq(collected.locations, 2);
	ck_assert_uint_eq(collected.lines, 2);
	ck_assert_uint_eq(collected.stack_locations, 3);
	ck_assert_uint_eq(collected.samples, 2);
	ck_assert_uint_eq(collected.sample[1].count, 3);
	ck_assert_uint_eq(collected.sample[2].amount, 60);
	ck_assert_uint_eq(collected.count, 9);
	ck_assert_uint_eq(collected.amount, 90);
	collected_deinit(&collected);
	ck_assert_uint_eq(collected.samples, 0);
	collected_deinit(&collected);
}
END_TEST

/* Each differs from the first location in one thing. */
START_TEST(locations_differ_in_each_part)
{
	static const struct {
		const char *name;
		enum collected_frame frame;
		uint32_t mapping;
		uint64_t address;
		struct collected_line line[2];
		uint32_t lines;
	} cases[] = {
		{ "the_first", COLLECTED_IN_USER, 1, 0x10, { { 1, 5 } }, 1 },
		{ "frame", COLLECTED_IN_KERNEL, 1, 0x10, { { 1, 5 } }, 1 },
		{ "mapping", COLLECTED_IN_USER, 2, 0x10, { { 1, 5 } }, 1 },
		{ "address", COLLECTED_IN_USER, 1, 0x11, { { 1, 5 } }, 1 },
		{ "function", COLLECTED_IN_USER, 1, 0x10, { { 2, 5 } }, 1 },
		{ "line", COLLECTED_IN_USER, 1, 0x10, { { 1, 6 } }, 1 },
		{ "inlined", COLLECTED_IN_USER, 1, 0x10, { { 1, 5 }, { 1, 5 } }, 2 },
		{ "no_lines", COLLECTED_IN_USER, 1, 0x10, { { 0, 0 } }, 0 },
	};
	struct collected collected;

	collected_init(&collected, COLLECTED_CPU);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
			ck_assert_msg(collected_location(&collected, cases[i].frame,
							 cases[i].mapping, cases[i].address,
							 cases[i].line, cases[i].lines,
							 &error) == i + 1,
				      "%s", cases[i].name);
	collected_deinit(&collected);
}
END_TEST

static const char *name_of(const struct collected *collected, uint32_t location)
{
	const struct collected_location *at = &collected->location[location];

	ck_assert_uint_eq(at->frame, COLLECTED_MARKER);
	ck_assert_uint_eq(at->lines, 1);
	return collected_get(collected,
			     collected->function[collected->line[at->line].function].name);
}

START_TEST(what_is_missing_is_a_frame)
{
	struct collected collected;
	uint32_t location, stack, again;
	const struct collected_stack *at;

	collected_init(&collected, COLLECTED_CPU);
	location = named_location(&collected, "leaf", 0x1000);
	stack = collected_stack(&collected, &location, 1, text(&collected, "no_row"), &error);
	again = collected_stack(&collected, &location, 1, text(&collected, "no_row"), &error);
	ck_assert_uint_eq(stack, again);
	ck_assert_uint_ne(stack, collected_stack(&collected, &location, 1, 0, &error));
	ck_assert_uint_ne(stack, collected_stack(&collected, &location, 1,
						 text(&collected, "depth"), &error));
	at = &collected.stack[stack];
	ck_assert_uint_eq(at->locations, 2);
	ck_assert_uint_eq(collected.stack_location[at->first], location);
	ck_assert_str_eq(name_of(&collected, collected.stack_location[at->first + 1]),
			 "[incomplete: no_row]");
	ck_assert_str_eq(collected_get(&collected, at->stop), "no_row");
	ck_assert_int_eq(collected_lose(&collected, "no_space", 0, 5, 50, &error), 0);
	ck_assert_int_eq(collected_lose(&collected, "no_space", 0, 1, 10, &error), 0);
	ck_assert_uint_eq(collected.samples, 1);
	ck_assert_uint_eq(collected.sample[1].count, 6);
	at = &collected.stack[collected.sample[1].stack];
	ck_assert_uint_eq(at->locations, 1);
	ck_assert_str_eq(name_of(&collected, collected.stack_location[at->first]),
			 "[lost: no_space]");
	collected_deinit(&collected);
}
END_TEST

START_TEST(sums_beyond_the_limit_are_refused)
{
	struct collected collected;
	uint32_t stack;

	collected_init(&collected, COLLECTED_OFF_CPU);
	stack = collected_stack(&collected, NULL, 0, 0, &error);
	ck_assert_int_eq(collected_add(&collected, stack, 0, PROFILE_COUNT_MAX, 1, &error), 0);
	ck_assert_int_eq(collected_add(&collected, stack, 0, 1, 1, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
	ck_assert_int_eq(collected_add(&collected, stack, 0, 0, UINT64_MAX, &error), -1);
	ck_assert_int_eq(collected_add(&collected, stack, 0, 0, PROFILE_COUNT_MAX - 1, &error), 0);
	ck_assert_uint_eq(collected.samples, 1);
	ck_assert_uint_eq(collected.count, PROFILE_COUNT_MAX);
	ck_assert_uint_eq(collected.amount, PROFILE_COUNT_MAX);
	collected_deinit(&collected);
}
END_TEST

/* Arrays move many times; what was added first is found again. */
START_TEST(a_large_profile_is_found_again)
{
	const uint32_t stacks = 20000, depth = 30;
	struct collected collected;
	uint32_t location[31];

	collected_init(&collected, COLLECTED_CPU);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < stacks; i++) {
			for (uint32_t frame = 0; frame < depth; frame++)
				location[frame] = collected_location(&collected, COLLECTED_IN_USER,
								     0, (i * frame) % 5003, NULL, 0,
								     &error);
			location[depth] = collected_location(&collected, COLLECTED_IN_USER, 1, i,
							     NULL, 0, &error);
			ck_assert_uint_eq(
				collected_stack(&collected, location, depth + 1, 0, &error), i + 1);
			ck_assert_int_eq(collected_add(&collected, i + 1, 0, 1, 2, &error), 0);
		}
	ck_assert_uint_eq(collected.samples, stacks);
	ck_assert_uint_eq(collected.count, 2 * stacks);
	for (uint32_t i = 1; i <= stacks; i++)
		ck_assert_uint_eq(collected.sample[i].count, 2);
	collected_deinit(&collected);
}
END_TEST

SUITE(collected, TEST(equal_things_have_one_number), TEST(locations_differ_in_each_part),
      TEST(what_is_missing_is_a_frame), TEST(sums_beyond_the_limit_are_refused),
      TEST(a_large_profile_is_found_again))
