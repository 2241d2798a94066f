/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_operations.c - each operation of a DWARF expression, as the referee evaluates it
 *
 * What comes out is what DWARF 5, 2.5, says; where libdw puts DW_OP_call_frame_cfa in front, it has
 * the offset 0 as the first operation has, and no branch leads to it.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "tables/prove/operations.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define MEMORY	     0x1000 /* two words */
#define OPS	     10

static const uint64_t words[2] = { 0x1122334455667788, 0x99aabbccddeeff00 };

static int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < MEMORY || address - MEMORY > sizeof(words) - size)
		return -1;
	memcpy(ret, (const uint8_t *)words + (address - MEMORY), size);
	return 0;
}

#define LIT(n)                                                                                     \
	{                                                                                          \
		DW_OP_lit0 + (n), 0, 0, 0                                                          \
	}
#define NUMBER(n)                                                                                  \
	{                                                                                          \
		DW_OP_const8u, (uint64_t)(n), 0, 0                                                 \
	}
#define OP(name)                                                                                   \
	{                                                                                          \
		DW_OP_##name, 0, 0, 0                                                              \
	}
#define OP1(name, n)                                                                               \
	{                                                                                          \
		DW_OP_##name, (uint64_t)(n), 0, 0                                                  \
	}
/* At an offset, for branches. */
#define AT(offset, name, n)                                                                        \
	{                                                                                          \
		DW_OP_##name, (uint64_t)(n), 0, offset                                             \
	}

static const struct {
	const char *name;
	Dwarf_Op op[OPS]; /* atom, number, number2, offset; the first 0 ends them */
	uint64_t result;
	bool is_value;
	bool fails;
} cases[] = {
	{ "nothing", { { 0 } }, 0, false, true },
	{ "lit0", { LIT(0) }, 0, false, false },
	{ "lit31", { LIT(31) }, 31, false, false },
	{ "cfa", { OP(call_frame_cfa) }, 0x7000, false, false },
	{ "breg0", { OP1(breg0, 5) }, 105, false, false },
	{ "breg16", { OP1(breg16, -1) }, 115, false, false },
	{ "breg_of_none", { OP1(breg17, 0) }, 0, false, true },
	{ "breg_that_is_unknown", { OP1(breg9, 0) }, 0, false, true },
	{ "reg0", { OP(reg0) }, 100, true, false },
	{ "reg16", { OP(reg16) }, 116, true, false },
	{ "reg3", { OP(reg3) }, 103, true, false },
	{ "regx", { OP1(regx, 4) }, 104, true, false },
	{ "bregx", { { DW_OP_bregx, 4, 7, 0 } }, 111, false, false },
	{ "addr", { OP1(addr, 77) }, 77, false, false },
	{ "constant", { NUMBER(-3) }, -3ull, false, false },
	{ "plus", { LIT(7), LIT(3), OP(plus) }, 10, false, false },
	{ "minus", { LIT(7), LIT(3), OP(minus) }, 4, false, false },
	{ "mul", { LIT(7), LIT(3), OP(mul) }, 21, false, false },
	{ "div", { LIT(7), LIT(3), OP(div) }, 2, false, false },
	{ "div_is_signed", { NUMBER(-7), LIT(3), OP(div) }, -2ull, false, false },
	{ "div_by_minus_one",
	  { NUMBER(1ull << 63), NUMBER(-1), OP(div) },
	  1ull << 63,
	  false,
	  false },
	{ "div_by_zero", { LIT(7), LIT(0), OP(div) }, 0, false, true },
	{ "mod_is_unsigned", { NUMBER(-1), LIT(10), OP(mod) }, 5, false, false },
	{ "mod_by_zero", { LIT(7), LIT(0), OP(mod) }, 0, false, true },
	{ "and", { LIT(12), LIT(10), OP(and) }, 8, false, false },
	{ "or", { LIT(12), LIT(10), OP(or) }, 14, false, false },
	{ "xor", { LIT(12), LIT(10), OP(xor) }, 6, false, false },
	{ "shl", { LIT(3), LIT(4), OP(shl) }, 48, false, false },
	{ "shl_by_63", { LIT(1), NUMBER(63), OP(shl) }, 1ull << 63, false, false },
	{ "shl_by_64", { LIT(1), NUMBER(64), OP(shl) }, 0, false, false },
	{ "shr", { NUMBER(-1), NUMBER(60), OP(shr) }, 15, false, false },
	{ "shr_by_63", { NUMBER(-1), NUMBER(63), OP(shr) }, 1, false, false },
	{ "shr_by_64", { NUMBER(-1), NUMBER(64), OP(shr) }, 0, false, false },
	{ "shra", { NUMBER(-16), LIT(2), OP(shra) }, -4ull, false, false },
	{ "shra_by_62", { NUMBER(1ull << 63), NUMBER(62), OP(shra) }, -2ull, false, false },
	{ "shra_by_64", { NUMBER(1ull << 63), NUMBER(64), OP(shra) }, -1ull, false, false },
	{ "ge_of_equals", { LIT(3), LIT(3), OP(ge) }, 1, false, false },
	{ "ge_is_signed", { NUMBER(-1), LIT(3), OP(ge) }, 0, false, false },
	{ "gt_of_equals", { LIT(3), LIT(3), OP(gt) }, 0, false, false },
	{ "gt_is_signed", { LIT(3), NUMBER(-1), OP(gt) }, 1, false, false },
	{ "le_of_equals", { LIT(3), LIT(3), OP(le) }, 1, false, false },
	{ "le_is_signed", { LIT(3), NUMBER(-1), OP(le) }, 0, false, false },
	{ "lt_of_equals", { LIT(3), LIT(3), OP(lt) }, 0, false, false },
	{ "lt_is_signed", { NUMBER(-1), LIT(3), OP(lt) }, 1, false, false },
	{ "eq", { LIT(3), LIT(3), OP(eq) }, 1, false, false },
	{ "eq_of_others", { LIT(3), LIT(4), OP(eq) }, 0, false, false },
	{ "ne", { LIT(3), LIT(4), OP(ne) }, 1, false, false },
	{ "two_are_needed", { LIT(3), OP(plus) }, 0, false, true },
	{ "two_are_needed_though_more_follows", { LIT(0), OP(plus), LIT(5) }, 0, false, true },
	{ "two_of_three_are_taken", { LIT(1), LIT(7), LIT(3), OP(minus) }, 4, false, false },
	{ "deref", { NUMBER(MEMORY + 8), OP(deref) }, 0x99aabbccddeeff00, false, false },
	{ "deref_of_nothing", { LIT(0), OP(deref) }, 0, false, true },
	{ "deref_size_1", { NUMBER(MEMORY), OP1(deref_size, 1) }, 0x88, false, false },
	{ "deref_size", { NUMBER(MEMORY), OP1(deref_size, 2) }, 0x7788, false, false },
	{ "deref_size_8",
	  { NUMBER(MEMORY), OP1(deref_size, 8) },
	  0x1122334455667788,
	  false,
	  false },
	{ "deref_size_0", { NUMBER(MEMORY), OP1(deref_size, 0) }, 0, false, true },
	{ "deref_size_9", { NUMBER(MEMORY), OP1(deref_size, 9) }, 0, false, true },
	{ "plus_uconst", { LIT(1), OP1(plus_uconst, 300) }, 301, false, false },
	{ "neg", { LIT(1), OP(neg) }, -1ull, false, false },
	{ "not", { LIT(1), OP(not ) }, -2ull, false, false },
	{ "abs", { NUMBER(-5), OP(abs) }, 5, false, false },
	{ "abs_of_positive", { LIT(5), OP(abs) }, 5, false, false },
	{ "abs_of_zero", { LIT(0), OP(abs) }, 0, false, false },
	{ "drop", { LIT(5), LIT(6), OP(drop) }, 5, false, false },
	{ "drop_all", { LIT(5), OP(drop) }, 0, false, true },
	{ "drop_nothing", { OP(drop) }, 0, false, true },
	{ "dup", { LIT(5), OP(dup), OP(plus) }, 10, false, false },
	{ "over", { LIT(5), LIT(6), OP(over) }, 5, false, false },
	{ "over_of_one", { LIT(5), OP(over) }, 0, false, true },
	{ "pick_0", { LIT(5), LIT(6), OP1(pick, 0) }, 6, false, false },
	{ "pick_1", { LIT(5), LIT(6), OP1(pick, 1) }, 5, false, false },
	{ "pick_2_of_2", { LIT(5), LIT(6), OP1(pick, 2) }, 0, false, true },
	{ "swap", { LIT(5), LIT(6), OP(swap) }, 5, false, false },
	{ "swap_of_both", { LIT(5), LIT(6), OP(swap), OP(minus) }, 1, false, false },
	{ "rot", { LIT(5), LIT(6), LIT(7), OP(rot) }, 6, false, false },
	{ "rot_second", { LIT(5), LIT(6), LIT(7), OP(rot), OP(drop) }, 5, false, false },
	{ "rot_third", { LIT(5), LIT(6), LIT(7), OP(rot), OP(drop), OP(drop) }, 7, false, false },
	{ "rot_of_two", { LIT(5), LIT(6), OP(rot) }, 0, false, true },
	{ "stack_value", { LIT(5), OP(stack_value) }, 5, true, false },
	{ "nop", { LIT(5), OP(nop) }, 5, false, false },
	{ "unknown", { LIT(5), OP(push_object_address) }, 0, false, true },
	{ "skip",
	  { AT(0, lit1, 0), AT(1, skip, 1), AT(4, lit2, 0), AT(5, lit3, 0) },
	  3,
	  false,
	  false },
	{ "skip_nowhere", { AT(0, lit1, 0), AT(1, skip, 9), AT(4, lit2, 0) }, 0, false, true },
	{ "skip_for_ever", { AT(0, skip, -3) }, 0, false, true },
	{ "bra_taken",
	  { AT(0, lit5, 0), AT(1, lit1, 0), AT(2, bra, 1), AT(5, lit2, 0), AT(6, nop, 0) },
	  5,
	  false,
	  false },
	{ "bra_not_taken",
	  { AT(0, lit5, 0), AT(1, lit0, 0), AT(2, bra, 1), AT(5, lit2, 0), AT(6, nop, 0) },
	  2,
	  false,
	  false },
	/* It needs a word of its own, whatever lies before the stack. */
	{ "bra_of_nothing_though_more_follows",
	  { AT(0, bra, 0), AT(3, lit1, 0), AT(4, lit2, 0) },
	  0,
	  false,
	  true },
	{ "what_follows_the_end_is_no_target",
	  { AT(4, lit5, 0), AT(5, skip, -8) },
	  0,
	  false,
	  true },
	/* 1 + 4 * 2499 steps, and then as many as there are. */
	{ "as_many_steps_as_there_may_be",
	  { NUMBER(2499), AT(9, lit1, 0), AT(10, minus, 0), AT(11, dup, 0), AT(12, bra, -6),
	    AT(15, nop, 0), AT(16, nop, 0), AT(17, nop, 0) },
	  0,
	  false,
	  false },
	{ "a_step_more_than_there_may_be",
	  { NUMBER(2499), AT(9, lit1, 0), AT(10, minus, 0), AT(11, dup, 0), AT(12, bra, -6),
	    AT(15, nop, 0), AT(16, nop, 0), AT(17, nop, 0), AT(18, nop, 0) },
	  0,
	  false,
	  true },
	{ "bra_of_nothing", { AT(0, bra, 0), AT(3, lit1, 0) }, 0, false, true },
	/* 3, 2, 1 and out: back to the first operation, and not to the CFA in front of it. */
	{ "branch_to_the_first_operation",
	  { { DW_OP_call_frame_cfa, 0, 0, 0 },
	    AT(0, plus_uconst, 1),
	    AT(2, dup, 0),
	    { DW_OP_const2u, 0x7003, 0, 3 },
	    AT(6, ne, 0),
	    AT(7, bra, -10),
	    AT(10, nop, 0) },
	  0x7003,
	  false,
	  false },
};

START_TEST(operation_gives_its_result)
{
	const struct memory_reader memory = { .read = read_words };
	struct register_values regs = { .known = ~(1u << 9) };
	struct operations operations = { .op = cases[_i].op, .regs = &regs, .memory = &memory };
	const uint64_t cfa = 0x7000;
	uint64_t result = 0;
	bool is_value = false;

	for (int i = 0; i < REGISTER_COUNT; i++)
		regs.value[i] = 100 + i;
	while (operations.count < OPS && cases[_i].op[operations.count].atom)
		operations.count++;
	operations.cfa = &cfa;
	bool done = operations_evaluate(&operations, &result, &is_value);
	ck_assert_msg(done != cases[_i].fails, "%s: %d", cases[_i].name, done);
	ck_assert_msg(!done || (result == cases[_i].result && is_value == cases[_i].is_value),
		      "%s: 0x%" PRIx64 "%s", cases[_i].name, result, is_value ? ", a value" : "");
}
END_TEST

START_TEST(cfa_of_a_cfa_is_an_error)
{
	const Dwarf_Op op = { .atom = DW_OP_call_frame_cfa };
	const struct memory_reader memory = { .read = read_words };
	const struct register_values regs = { .known = 0 };
	const struct operations operations = { &op, 1, &regs, &memory, NULL };
	uint64_t result;
	bool is_value;

	ck_assert(!operations_evaluate(&operations, &result, &is_value));
}
END_TEST

/* As deep as the reader's stack, and no deeper: else they disagree. */
START_TEST(stack_has_an_end)
{
	const struct memory_reader memory = { .read = read_words };
	const struct register_values regs = { .known = 0 };
	static Dwarf_Op op[4096];
	struct operations operations = { op, 1, &regs, &memory, NULL };
	uint64_t result;
	bool is_value;

	for (int i = 0; i < COUNT(op); i++)
		op[i].atom = DW_OP_lit1;
	while (operations.count < COUNT(op) && operations_evaluate(&operations, &result, &is_value))
		operations.count++;
	ck_assert_uint_eq(operations.count, 65); /* the reader has room for 64, too */
}
END_TEST

SUITE(operations, LOOP(operation_gives_its_result, cases), TEST(cfa_of_a_cfa_is_an_error),
      TEST(stack_has_an_end))
