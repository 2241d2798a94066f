/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_walk_sframe.c - the walk by tables that are made of SFrame
 *
 * The stack is four words; the code is made_usual()'s of version 3, in one mapping. Each case begins at a PC, and the
 * frames and the stop must be those that the rows lead to.
 */
#include <string.h>
#include "tests/suite.h"
#include "sframe/tests/sframe_bytes.h"
#include "walk/walk_rows.h"

#define STACK 0x7000

static uint64_t words[8];

static int read_stack(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < STACK || address + size > STACK + sizeof(words))
		return -1;
	memcpy(ret, (const uint8_t *)words + (address - STACK), size);
	return 0;
}

static const struct table *choose(void *context, struct image_entry *entry)
{
	return context;
}

static const struct {
	const char *name;
	uint64_t pc, rbp;
	uint64_t word[8];
	unsigned int frames;
	unsigned int stop;
} cases[] = {
	/* f0 before its push, called by the outermost function. */
	{ "to_the_end", 0x1000, 0, { 0x1608 }, 2, STOP_COMPLETE },
	/* f0 with its frame pointer: the caller's rbp is at 0x7010, the return address behind it. */
	{ "by_rbp", 0x1010, STACK + 16, { 0, 0, 0x7030, 0x1608 }, 2, STOP_COMPLETE },
	{ "through_a_plt", 0x141c, 0, { 0, 0x1001, 0x1608 }, 3, STOP_COMPLETE },
	/* A CFA by r10, in the innermost frame: the register is known; the signal's frame below it is exact. */
	{ "by_r10", 0x1500, 0, { 0, 0, 0, 0x1600 }, 2, STOP_COMPLETE },
	/* The same in a caller: nobody knows r10 there. */
	{ "by_r10_of_a_caller", 0x1000, 0, { 0x1504 }, 2, STOP_REGISTER_UNKNOWN },
	{ "where_no_row_is", 0x1000, 0, { 0x1080 }, 2, STOP_NO_ROW },
	{ "where_no_mapping_is", 0x1000, 0, { 0x9000 }, 2, STOP_NO_MAPPING },
};

START_TEST(frames_are_those_of_the_rows)
{
	struct made made = { .version = 3 };
	struct bytes bytes = { .size = 0 }, no_cfi = { .size = 0 };
	struct image image = fake_image(&no_cfi);
	struct image_segment segment = { 0x1000, 0x1000, 0, 0x1000, true };
	struct image_entry entry = { .image = &image };
	struct mapping mapping = { .start = 0x1000, .end = 0x2000, .entry = &entry };
	struct address_space space = { .mapping = &mapping, .mapping_count = 1 };
	struct memory_reader memory = { .read = read_stack };
	struct register_values regs = { .known = UINT32_MAX };
	struct stack stack = { .count = 0 };
	struct image_section section;
	struct sframe *sframe;
	struct table *table;
	struct error error;

	image.segment = &segment;
	image.segment_count = 1;
	image.type = ET_DYN;
	made_usual(&made);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	sframe = read_made(&section, &error);
	ck_assert(!table_build_sframe(&image, sframe, &table, &error));
	memcpy(words, cases[_i].word, sizeof(words));
	regs.value[REGISTER_RIP] = cases[_i].pc;
	regs.value[REGISTER_RSP] = STACK;
	regs.value[REGISTER_RBP] = cases[_i].rbp;
	regs.value[10] = STACK + 32;
	ck_assert(!walk_table_of(&space, &regs, &memory, choose, table, &stack, &error));
	ck_assert_msg(stack.count == cases[_i].frames && stack.stop == cases[_i].stop,
		      "%s: %u frames, %s", cases[_i].name, stack.count,
		      stop_reason_name(stack.stop));
	stack_deinit(&stack);
	/* An image without such a table ends the walk at once. */
	ck_assert(!walk_table_of(&space, &regs, &memory, choose, NULL, &stack, &error));
	ck_assert_uint_eq(stack.count, 1);
	ck_assert_uint_eq(stack.stop, STOP_NO_MAPPING);
	stack_deinit(&stack);
	table_destroy(table);
	sframe_destroy(sframe);
}
END_TEST

SUITE(walk_sframe, LOOP(frames_are_those_of_the_rows, cases))
