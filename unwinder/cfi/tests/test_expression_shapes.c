/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_expression_shapes.c - drawn expressions: a shape that is recognised is what evaluating gives
 *
 * They are drawn of the operations that shapes are made of. With just the shape's registers known,
 * and memory whose words are a hash of their address, the expression's value must be the shape's.
 * How many are recognised is counted, too: else a shape could be lost and nobody would notice.
 * Single expressions, with the shape that each has, are test_cfi_expression.c's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "error.h"
#include "cfi/expression.h"
#include "table/table_abi.h"

#define DRAWN 60000
#define FORMS (EXPRESSION_ALIGNED + 1)

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

static uint64_t word_at(uint64_t address)
{
	address = (address + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	return address ^ address >> 31;
}

static int read_word(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t word = word_at(address);

	memcpy(ret, &word, size);
	return 0;
}

/* Numbers are few, so that masks, shifts and scales are met. */
static size_t draw_number(uint8_t *at)
{
	static const uint8_t numbers[] = { 0x30, 0x31, 0x33, 0x34, 0x38, 0x39, 0x3b, 0x3f };

	switch (draw(6)) {
	case 0: /* const1s: a mask */
		at[0] = 0x09;
		at[1] = (uint8_t) - (1 << draw(7));
		return 2;
	case 1: /* consts */
		at[0] = 0x11;
		at[1] = (uint8_t)draw(0x80);
		return 2;
	default: at[0] = numbers[draw(COUNT(numbers))]; return 1;
	}
}

static size_t draw_operation(uint8_t *at)
{
	/* plus often, deref, dup, drop, over, swap, rot, and, minus, mul, neg, not, shl, ge, nop */
	static const uint8_t plain[] = { 0x22, 0x22, 0x22, 0x22, 0x06, 0x06, 0x06, 0x12, 0x13,
					 0x14, 0x16, 0x17, 0x1a, 0x1a, 0x1c, 0x1e, 0x1e, 0x1f,
					 0x20, 0x24, 0x24, 0x2a, 0x2a, 0x96, 0x1d, 0x21 };
	static const uint8_t regs[] = { 3, 6, 7, 9, 16, 16 };

	switch (draw(10)) {
	case 0:
	case 1: /* breg */
		at[0] = 0x70 + regs[draw(COUNT(regs))];
		at[1] = (uint8_t)(draw(3) ? 0 : draw(0x80));
		return 2;
	case 2:
	case 3: return draw_number(at);
	case 4: /* plus_uconst, pick, deref_size */
		at[0] = draw(2) ? 0x23 : draw(2) ? 0x15 : 0x94;
		at[1] = (uint8_t)(at[0] == 0x94 ? 4 * draw(3) : draw(at[0] == 0x15 ? 3 : 0x80));
		return 2;
	default: at[0] = plain[draw(COUNT(plain))]; return 1;
	}
}

/* Half of them are the PLT's, of which any operation may be replaced; that would never be drawn. */
static size_t draw_expression(uint8_t *ret)
{
	static const uint8_t plt[][2] = { { 0x77, 8 }, { 0x80, 0 }, { 0x3f }, { 0x1a }, { 0x3b },
					  { 0x2a },    { 0x33 },    { 0x24 }, { 0x22 } };
	size_t size = 0;

	if (draw(2)) {
		for (uint32_t count = 1 + draw(9); count; count--)
			size += draw_operation(ret + size);
		return size;
	}
	for (int i = 0; i < COUNT(plt); i++) {
		size_t bytes = plt[i][0] >= 0x70 ? 2 : 1;

		memcpy(ret + size, plt[i], bytes);
		size += draw(6) ? bytes : draw_operation(ret + size);
	}
	return size;
}

static uint64_t value_of(const struct expression_shape *shape, const struct register_values *regs,
			 uint64_t cfa)
{
	uint64_t sum = regs->value[shape->reg] + (uint64_t)shape->a;

	if (shape->scale)
		sum += regs->value[shape->index] * shape->scale;
	switch (shape->form) {
	case EXPRESSION_REGISTER: return sum;
	case EXPRESSION_DEREF: return word_at(sum) + (uint64_t)shape->b;
	case EXPRESSION_PLT:
		return sum + ((int64_t)(regs->value[REGISTER_RIP] & 15) >= shape->b ? 8 : 0);
	case EXPRESSION_ALIGNED:
		return ((cfa - (uint64_t)shape->b) & -shape->scale) + (uint64_t)shape->a;
	default: ck_abort_msg("no such form");
	}
}

static uint32_t needed_by(const struct expression_shape *shape)
{
	if (shape->form == EXPRESSION_ALIGNED)
		return 0;
	return 1u << shape->reg | (shape->scale ? 1u << shape->index : 0) |
	       (shape->form == EXPRESSION_PLT ? 1u << REGISTER_RIP : 0);
}

static void check_value(const uint8_t *expression, size_t size, bool saved,
			const struct expression_shape *shape)
{
	static const struct memory_reader memory = { .read = read_word };
	struct register_values regs = { .known = needed_by(shape) };
	uint64_t cfa = word_at(draw(1000)), value = 0;
	struct error error;

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		regs.value[reg] = word_at(draw(1000));
	ck_assert_msg(
		!expression_evaluate(expression, size, &regs, saved, cfa, &memory, &value, &error),
		"form %d: %s", shape->form, error.message);
	ck_assert_msg(value == value_of(shape, &regs, cfa),
		      "form %d, register %u, a %" PRId64 ", b %" PRId64 ": 0x%" PRIx64, shape->form,
		      shape->reg, shape->a, shape->b, value);
}

/* What is recognised of them, by form. */
static const uint32_t recognised[2][FORMS] = {
	{ 51392, 1731, 88, 6789, 0 },
	{ 50608, 2004, 120, 6685, 583 },
};

START_TEST(shape_is_the_value)
{
	bool saved = _i;
	uint32_t count[FORMS] = { 0 };

	random_state = 1 + (uint64_t)_i;
	for (int i = 0; i < DRAWN; i++) {
		struct expression_shape shape;
		uint8_t expression[64];
		size_t size = draw_expression(expression);

		if (saved)
			expression_recognise_saved(expression, size, &shape);
		else
			expression_recognise(expression, size, &shape);
		count[shape.form]++;
		for (int round = 0; shape.form != EXPRESSION_OTHER && round < 4; round++)
			check_value(expression, size, saved, &shape);
	}
	for (int form = 0; form < FORMS; form++)
		ck_assert_msg(count[form] == recognised[saved][form], "form %d: %u, not %u", form,
			      count[form], recognised[saved][form]);
}
END_TEST

/* 8 from the 11th byte of an entry of a PLT on. */
#define SLOT "\x80\0\x3f\x1a\x3b\x2a\x33\x24"

/* Few are drawn of these, or none. */
static const struct {
	const char *name;
	const char *bytes;
	bool saved;
	int form;
} written[] = {
	{ "index_times_8", "\x73\0\x76\0\x38\x1e\x22", false, EXPRESSION_REGISTER },
	{ "index_shifted_by_3", "\x73\0\x76\0\x33\x24\x22", false, EXPRESSION_REGISTER },
	{ "index_times_8_loaded", "\x73\0\x76\0\x38\x1e\x22\x06", false, EXPRESSION_DEREF },
	{ "twice_a_sum_of_two", "\x73\0\x76\0\x22\x32\x1e", false, EXPRESSION_OTHER },
	{ "a_sum_of_two_shifted", "\x73\0\x76\0\x22\x33\x24", false, EXPRESSION_OTHER },
	{ "twice_what_has_an_index", "\x73\0\x76\0\x38\x1e\x22\x32\x1e", false, EXPRESSION_OTHER },
	{ "twice_what_was_loaded", "\x73\0\x06\x32\x1e", false, EXPRESSION_OTHER },
	{ "the_slot", "\x77\x08" SLOT "\x22", false, EXPRESSION_PLT },
	{ "the_slot_and_twice_a_register", "\x77\0\x32\x1e" SLOT "\x22", false, EXPRESSION_OTHER },
	{ "the_slot_and_a_sum_of_two", "\x73\0\x76\0\x22" SLOT "\x22", false, EXPRESSION_OTHER },
	{ "aligned", "\x09\xf0\x1a", true, EXPRESSION_ALIGNED },
	{ "twice_aligned", "\x09\xf0\x1a\x32\x1e", true, EXPRESSION_OTHER },
	{ "no_times_aligned", "\x09\xf0\x1a\x30\x1e", true, EXPRESSION_OTHER },
};

/* As many bytes as make the operations: some are 0. */
static size_t written_size(const char *bytes)
{
	size_t size = 0;

	while (bytes[size])
		size += (uint8_t)bytes[size] >= 0x70 ? 2 : 1;
	return size;
}

START_TEST(shape_of_what_is_written)
{
	const uint8_t *bytes = (const uint8_t *)written[_i].bytes;
	size_t size = written_size(written[_i].bytes);
	struct expression_shape shape;

	if (written[_i].saved)
		expression_recognise_saved(bytes, size, &shape);
	else
		expression_recognise(bytes, size, &shape);
	ck_assert_msg((int)shape.form == written[_i].form, "%s: form %d", written[_i].name,
		      shape.form);
	random_state = 1;
	for (int round = 0; shape.form != EXPRESSION_OTHER && round < 4; round++)
		check_value(bytes, size, written[_i].saved, &shape);
}
END_TEST

SUITE(expression_shapes, TIMES(shape_is_the_value, 2), LOOP(shape_of_what_is_written, written))
