/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_expression_text.c - every operation's text, texts that are none, and what is sought in an
 * expression without evaluating it
 *
 * What operations do, and operands of every size: test_cfi_expression.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "tests/cfi_bytes.h"
#include "cfi/expression.h"

/* ---- each operation ------------------------------------------------------------------------ */

/* DWARF 5, table 7.9, but for the operations that are numbered; operands are all 0. */
static const struct operation_case {
	uint8_t opcode;
	const char *text;
	size_t operand_bytes;
} operations[] = {
	{ 0x03, "addr 0", 8 },
	{ 0x06, "deref", 0 },
	{ 0x08, "const1u 0", 1 },
	{ 0x09, "const1s+0", 1 },
	{ 0x0a, "const2u 0", 2 },
	{ 0x0b, "const2s+0", 2 },
	{ 0x0c, "const4u 0", 4 },
	{ 0x0d, "const4s+0", 4 },
	{ 0x0e, "const8u 0", 8 },
	{ 0x0f, "const8s+0", 8 },
	{ 0x10, "constu 0", 1 },
	{ 0x11, "consts+0", 1 },
	{ 0x12, "dup", 0 },
	{ 0x13, "drop", 0 },
	{ 0x14, "over", 0 },
	{ 0x15, "pick 0", 1 },
	{ 0x16, "swap", 0 },
	{ 0x17, "rot", 0 },
	{ 0x19, "abs", 0 },
	{ 0x1a, "and", 0 },
	{ 0x1b, "div", 0 },
	{ 0x1c, "minus", 0 },
	{ 0x1d, "mod", 0 },
	{ 0x1e, "mul", 0 },
	{ 0x1f, "neg", 0 },
	{ 0x20, "not", 0 },
	{ 0x21, "or", 0 },
	{ 0x22, "plus", 0 },
	{ 0x23, "plus_uconst 0", 1 },
	{ 0x24, "shl", 0 },
	{ 0x25, "shr", 0 },
	{ 0x26, "shra", 0 },
	{ 0x27, "xor", 0 },
	{ 0x28, "bra+0", 2 },
	{ 0x29, "eq", 0 },
	{ 0x2a, "ge", 0 },
	{ 0x2b, "gt", 0 },
	{ 0x2c, "le", 0 },
	{ 0x2d, "lt", 0 },
	{ 0x2e, "ne", 0 },
	{ 0x2f, "skip+0", 2 },
	{ 0x90, "regx 0", 1 },
	{ 0x92, "bregx 0+0", 2 },
	{ 0x94, "deref_size 0", 1 },
	{ 0x96, "nop", 0 },
	{ 0x9c, "call_frame_cfa", 0 },
	{ 0x9f, "stack_value", 0 },
};

/* NULL: there is none of that opcode. */
static const struct operation_case *operation_of(unsigned int opcode, char numbered[32],
						 struct operation_case *room)
{
	for (int i = 0; i < COUNT(operations); i++)
		if (operations[i].opcode == opcode)
			return &operations[i];
	if (opcode < 0x30 || opcode > 0x8f)
		return NULL;
	snprintf(numbered, 32, "%s%u%s",
		 opcode < 0x50	 ? "lit"
		 : opcode < 0x70 ? "reg"
				 : "breg",
		 (opcode - 0x30) % 32, opcode < 0x70 ? "" : "+0");
	*room = (struct operation_case) { (uint8_t)opcode, numbered, opcode >= 0x70 };
	return room;
}

static char *text_of(const uint8_t *expression, size_t size)
{
	size_t text_size;
	char *text = NULL;
	FILE *file = open_memstream(&text, &text_size);

	expression_print(file, expression, size);
	ck_assert(!fclose(file));
	return text;
}

static void check_text(int opcode)
{
	const uint8_t expression[16] = { (uint8_t)opcode };
	struct operation_case room;
	char numbered[32];
	const struct operation_case *operation = operation_of(opcode, numbered, &room);
	size_t size = operation ? 1 + operation->operand_bytes : 1, read_size = 77;
	char *text = text_of(expression, size);
	uint8_t read[16];

	if (operation) {
		ck_assert_str_eq(text, operation->text);
	} else {
		snprintf(numbered, sizeof(numbered), "? %02x", opcode);
		ck_assert_str_eq(text, numbered);
	}
	ck_assert(!expression_read(text, strlen(text), read, sizeof(read), &read_size));
	ck_assert_uint_eq(read_size, size);
	ck_assert_mem_eq(read, expression, size);
	free(text);
}

START_TEST(each_operation_has_its_text)
{
	for (int opcode = 0; opcode < 256; opcode++)
		check_text(opcode);
}
END_TEST

/* One whose operand lacks a byte is bytes. */
static void check_cut(int opcode)
{
	const uint8_t expression[16] = { (uint8_t)opcode };
	struct operation_case room;
	char numbered[32], *text;
	const struct operation_case *operation = operation_of(opcode, numbered, &room);

	if (!operation || !operation->operand_bytes)
		return;
	text = text_of(expression, operation->operand_bytes);
	ck_assert_msg(strstr(text, "? "), "%s", text);
	free(text);
}

START_TEST(cut_operations_are_bytes)
{
	for (int opcode = 0; opcode < 256; opcode++)
		check_cut(opcode);
}
END_TEST

/* An operand's bytes are no operations: 0x53 would be reg3, and 0x13 drop. */
static void check_passed(int opcode)
{
	uint8_t expression[16] = { (uint8_t)opcode };
	struct operation_case room;
	char numbered[32];
	const struct operation_case *operation = operation_of(opcode, numbered, &room);
	size_t size = operation ? 1 + operation->operand_bytes : 1;
	uint32_t own = 0;

	memset(expression + 1, 0x13, size - 1);
	expression[size] = 0x55; /* reg5 */
	if (opcode >= 0x50 && (opcode - 0x50) % 32 < 17 && opcode < 0x90)
		own = 1u << (opcode - 0x50) % 32;
	if (!operation) {
		ck_assert_uint_eq(expression_registers(expression, size + 1), 0);
		return;
	}
	ck_assert_uint_eq(expression_registers(expression, size + 1), own | 1u << 5);
	ck_assert(expression_has(expression, size + 1, 0x55));
	ck_assert(expression_has(expression, size + 1, (uint8_t)opcode));
	ck_assert_int_eq(expression_has(expression, size + 1, 0x13), opcode == 0x13);
	ck_assert_int_eq(expression_is_beyond(expression, size + 1),
			 (opcode >= 0x50 && opcode < 0x90 && (opcode - 0x50) % 32 > 16) ||
				 opcode == 0x90 || opcode == 0x92);
}

START_TEST(operands_are_passed)
{
	for (int opcode = 0; opcode < 256; opcode++)
		check_passed(opcode);
}
END_TEST

/* ---- LEB128 that is padded ----------------------------------------------------------------- */

static const struct {
	const char *name;
	struct literal expression;
	const char *text;
} lebs[] = {
	{ "unsigned_0", BYTES("\x10\x00"), "constu 0" },
	{ "unsigned_0_of_two_bytes", BYTES("\x10\x80\x00"), "constu? 10 80 00" },
	{ "unsigned_64_of_two_bytes", BYTES("\x10\xc0\x00"), "constu? 10 c0 00" },
	{ "unsigned_128", BYTES("\x10\x80\x01"), "constu 128" },
	{ "unsigned_with_its_high_bits", BYTES("\x10\xff\x7f"), "constu 16383" },
	{ "signed_0", BYTES("\x11\x00"), "consts+0" },
	{ "signed_63_of_two_bytes", BYTES("\x11\xbf\x00"), "consts? 11 bf 00" },
	{ "signed_64", BYTES("\x11\xc0\x00"), "consts+64" },
	{ "signed_minus_64", BYTES("\x11\x40"), "consts-64" },
	{ "signed_minus_64_of_two_bytes", BYTES("\x11\xc0\x7f"), "consts? 11 c0 7f" },
	{ "signed_minus_65", BYTES("\x11\xbf\x7f"), "consts-65" },
	{ "signed_minus_1_of_two_bytes", BYTES("\x11\xff\x7f"), "consts? 11 ff 7f" },
	{ "a_register_less_one", BYTES("\x77\x7f"), "breg7-1" },
	{ "a_register_by_number_less_one", BYTES("\x92\x07\x7f"), "bregx 7-1" },
	{ "bregx_of_a_padded_register", BYTES("\x92\x87\x00\x08"), "bregx? 92 87 00 08" },
	{ "bregx_and_a_padded_offset", BYTES("\x92\x07\x88\x00"), "bregx 7? 92 07 88 00" },
	{ "the_most", BYTES("\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
	  "constu 18446744073709551615" },
	{ "the_least", BYTES("\x11\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f"),
	  "consts-9223372036854775808" },
};

START_TEST(padding_is_kept)
{
	const struct literal *expression = &lebs[_i].expression;
	char *text = text_of((const uint8_t *)expression->data, expression->size);
	uint8_t read[16];
	size_t read_size;

	ck_assert_str_eq(text, lebs[_i].text);
	ck_assert_msg(!expression_read(text, strlen(text), read, sizeof(read), &read_size) &&
			      read_size == expression->size &&
			      !memcmp(read, expression->data, read_size),
		      "%s", lebs[_i].name);
	free(text);
}
END_TEST

/* ---- texts --------------------------------------------------------------------------------- */

static const struct {
	const char *text;
	int size; /* bytes that it becomes; -1: it is no expression */
} texts[] = {
	{ "", 0 },
	{ "deref", 1 },
	{ "deref; deref", 2 },
	{ "deref; ", -1 },
	{ "deref;deref", -1 },
	{ "deref;xderef", -1 },
	{ "deref;", -1 },
	{ "deref ;deref", -1 },
	{ "deref;; deref", -1 },
	{ "; deref", -1 },
	{ " deref", -1 },
	{ "dere", -1 },
	{ "dereff", -1 },
	{ "deref 1", -1 },
	{ "Deref", -1 },
	{ "lit0", 1 },
	{ "lit31", 1 },
	{ "lit32", -1 },
	{ "lit", -1 },
	{ "lit-1", -1 },
	{ "reg31", 1 },
	{ "reg32", -1 },
	{ "breg31+0", 2 },
	{ "breg32+0", -1 },
	{ "breg7", -1 },
	{ "breg7 8", -1 },
	{ "breg7+", -1 },
	{ "breg7-8", 2 },
	{ "constu", -1 },
	{ "constu ", -1 },
	{ "constu+1", -1 },
	{ "constu x", -1 },
	{ "constu 127", 2 },
	{ "constu 128", 3 },
	{ "constu 18446744073709551615", 11 },
	{ "constu 18446744073709551616", -1 },
	{ "constu 184467440737095516150", -1 },
	{ "consts+63", 2 },
	{ "consts+64", 3 },
	{ "consts-64", 2 },
	{ "consts-65", 3 },
	{ "consts 1", -1 },
	{ "constu 19", 2 },
	{ "const8u 1", 9 },
	{ "bregx 7", -1 },
	{ "bregx 7 8", -1 },
	{ "bregx 7+8", 3 },
	{ "?", 0 },
	{ "? 00", 1 },
	{ "? 0f f0", 2 },
	{ "? 0", -1 },
	{ "? 00 1", -1 },
	{ "?00", -1 },
	{ "? 0g", -1 },
	{ "? g0", -1 },
	{ "? 0F", -1 },
	{ "?  00", -1 },
	{ " ? 01", 1 },
	{ "deref; ? 01", 2 },
	{ "deref; const8u? 0e 01", 3 },
	{ "deref;? 01", 1 }, /* what stands before the bytes is theirs, to the last "; " */
	{ "foo; ? 01", -1 },
};

/* In a buffer of just that size, for what finds reads past the end; and between characters that would
 * go on with it. */
static void check_read(const char *text, int expected, bool more)
{
	size_t length = strlen(text), read_size = 77;
	char *room_for = malloc(length + 3), *copy = room_for + more;
	uint8_t read[16];
	int result;

	if (more)
		memcpy(room_for, ";", 1);
	else
		copy = room_for = realloc(room_for, length + !length);
	memcpy(copy, text, length);
	if (more)
		memset(copy + length, '0', 2);
	result = expression_read(copy, length, read, sizeof(read), &read_size);
	ck_assert_msg(result == (expected < 0 ? -1 : 0), "\"%s\": %d", text, result);
	ck_assert_msg(result || read_size == (size_t)expected, "\"%s\": %zu bytes", text,
		      read_size);
	for (size_t room = 0; !result && room < read_size; room++)
		ck_assert_msg(expression_read(copy, length, read, room, &read_size) == -1,
			      "\"%s\" in %zu bytes", text, room);
	free(room_for);
}

START_TEST(text_is_read_or_refused)
{
	check_read(texts[_i].text, texts[_i].size, false);
	check_read(texts[_i].text, texts[_i].size, true);
}
END_TEST

/* ---- beyond --------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	struct literal expression;
	bool beyond;
} beyonds[] = {
	{ "nothing", BYTES(""), false },
	{ "rip", BYTES("\x60"), false },
	{ "the_first_vector_register", BYTES("\x61"), true },
	{ "rip_and_an_offset", BYTES("\x80\x08"), false },
	{ "a_vector_register_and_an_offset", BYTES("\x81\x08"), true },
	{ "regx_16", BYTES("\x90\x10"), false },
	{ "regx_17", BYTES("\x90\x11"), true },
	{ "bregx_16", BYTES("\x92\x10\x00"), false },
	{ "bregx_17", BYTES("\x92\x11\x00"), true },
	{ "a_branch_back", BYTES("\x30\x28\xff\xff"), true },
	{ "a_skip_back", BYTES("\x2f\xff\xff"), true },
	{ "a_branch_to_the_next", BYTES("\x30\x28\x00\x00"), false },
	{ "a_skip_ahead", BYTES("\x2f\x01\x00\x96"), false },
	{ "a_negative_number", BYTES("\x0b\xff\xff"), false },
	{ "behind_what_is_unknown", BYTES("\x01\x61"), false },
	{ "behind_a_number", BYTES("\x08\x61\x61"), true },
};

START_TEST(what_is_beyond)
{
	ck_assert_msg(expression_is_beyond((const uint8_t *)beyonds[_i].expression.data,
					   beyonds[_i].expression.size) == beyonds[_i].beyond,
		      "%s", beyonds[_i].name);
}
END_TEST

START_TEST(long_ones_are_beyond)
{
	uint8_t nops[EXPRESSION_BYTES_MAX + 1];

	ck_assert_uint_eq(EXPRESSION_BYTES_MAX, 256);
	memset(nops, 0x96, sizeof(nops));
	ck_assert(!expression_is_beyond(nops, EXPRESSION_BYTES_MAX));
	ck_assert(expression_is_beyond(nops, EXPRESSION_BYTES_MAX + 1));
	ck_assert(!expression_has(nops, 10, 0x13));
	ck_assert(!expression_has(nops, 0, 0x96));
}
END_TEST

SUITE(expression_text, TEST(each_operation_has_its_text), TEST(cut_operations_are_bytes),
      TEST(operands_are_passed), LOOP(padding_is_kept, lebs), LOOP(text_is_read_or_refused, texts),
      LOOP(what_is_beyond, beyonds), TEST(long_ones_are_beyond))
