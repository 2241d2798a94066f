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

#define MEMORY 0x1000 /* two words */
#define OPS    10

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

#define OPERATIONS(...) .op = { __VA_ARGS__ }

static const struct {
	const char *name;
	Dwarf_Op op[OPS]; /* atom, number, number2, offset; the first 0 ends them */
	uint64_t result;
	bool is_value;
	bool fails;
} cases[] = {
	{ "nothing", .fails = true },
	{ "lit0", OPERATIONS(LIT(0)) },
	{ "lit31", OPERATIONS(LIT(31)), .result = 31 },
	{ "cfa", OPERATIONS(OP(call_frame_cfa)), .result = 0x7000 },
	{ "breg0", OPERATIONS(OP1(breg0, 5)), .result = 105 },
	{ "breg16", OPERATIONS(OP1(breg16, -1)), .result = 115 },
	{ "breg_of_none", OPERATIONS(OP1(breg17, 0)), .fails = true },
	{ "breg_that_is_unknown", OPERATIONS(OP1(breg9, 0)), .fails = true },
	{ "reg0", OPERATIONS(OP(reg0)), .result = 100, .is_value = true },
	{ "reg16", OPERATIONS(OP(reg16)), .result = 116, .is_value = true },
	{ "reg3", OPERATIONS(OP(reg3)), .result = 103, .is_value = true },
	{ "regx", OPERATIONS(OP1(regx, 4)), .result = 104, .is_value = true },
	{ "bregx", OPERATIONS({ DW_OP_bregx, 4, 7, 0 }), .result = 111 },
	{ "addr", OPERATIONS(OP1(addr, 77)), .result = 77 },
	{ "constant", OPERATIONS(NUMBER(-3)), .result = -3ull },
	{ "plus", OPERATIONS(LIT(7), LIT(3), OP(plus)), .result = 10 },
	{ "minus", OPERATIONS(LIT(7), LIT(3), OP(minus)), .result = 4 },
	{ "mul", OPERATIONS(LIT(7), LIT(3), OP(mul)), .result = 21 },
	{ "div", OPERATIONS(LIT(7), LIT(3), OP(div)), .result = 2 },
	{ "div_is_signed", OPERATIONS(NUMBER(-7), LIT(3), OP(div)), .result = -2ull },
	{ "div_by_minus_one", OPERATIONS(NUMBER(1ull << 63), NUMBER(-1), OP(div)),
	  .result = 1ull << 63 },
	{ "div_by_zero", OPERATIONS(LIT(7), LIT(0), OP(div)), .fails = true },
	{ "mod_is_unsigned", OPERATIONS(NUMBER(-1), LIT(10), OP(mod)), .result = 5 },
	{ "mod_by_zero", OPERATIONS(LIT(7), LIT(0), OP(mod)), .fails = true },
	{ "and", OPERATIONS(LIT(12), LIT(10), OP(and)), .result = 8 },
	{ "or", OPERATIONS(LIT(12), LIT(10), OP(or)), .result = 14 },
	{ "xor", OPERATIONS(LIT(12), LIT(10), OP(xor)), .result = 6 },
	{ "shl", OPERATIONS(LIT(3), LIT(4), OP(shl)), .result = 48 },
	{ "shl_by_63", OPERATIONS(LIT(1), NUMBER(63), OP(shl)), .result = 1ull << 63 },
	{ "shl_by_64", OPERATIONS(LIT(1), NUMBER(64), OP(shl)) },
	{ "shr", OPERATIONS(NUMBER(-1), NUMBER(60), OP(shr)), .result = 15 },
	{ "shr_by_63", OPERATIONS(NUMBER(-1), NUMBER(63), OP(shr)), .result = 1 },
	{ "shr_by_64", OPERATIONS(NUMBER(-1), NUMBER(64), OP(shr)) },
	{ "shra", OPERATIONS(NUMBER(-16), LIT(2), OP(shra)), .result = -4ull },
	{ "shra_by_62", OPERATIONS(NUMBER(1ull << 63), NUMBER(62), OP(shra)), .result = -2ull },
	{ "shra_by_64", OPERATIONS(NUMBER(1ull << 63), NUMBER(64), OP(shra)), .result = -1ull },
	{ "ge_of_equals", OPERATIONS(LIT(3), LIT(3), OP(ge)), .result = 1 },
	{ "ge_is_signed", OPERATIONS(NUMBER(-1), LIT(3), OP(ge)) },
	{ "gt_of_equals", OPERATIONS(LIT(3), LIT(3), OP(gt)) },
	{ "gt_is_signed", OPERATIONS(LIT(3), NUMBER(-1), OP(gt)), .result = 1 },
	{ "le_of_equals", OPERATIONS(LIT(3), LIT(3), OP(le)), .result = 1 },
	{ "le_is_signed", OPERATIONS(LIT(3), NUMBER(-1), OP(le)) },
	{ "lt_of_equals", OPERATIONS(LIT(3), LIT(3), OP(lt)) },
	{ "lt_is_signed", OPERATIONS(NUMBER(-1), LIT(3), OP(lt)), .result = 1 },
	{ "eq", OPERATIONS(LIT(3), LIT(3), OP(eq)), .result = 1 },
	{ "eq_of_others", OPERATIONS(LIT(3), LIT(4), OP(eq)) },
	{ "ne", OPERATIONS(LIT(3), LIT(4), OP(ne)), .result = 1 },
	{ "two_are_needed", OPERATIONS(LIT(3), OP(plus)), .fails = true },
	{ "two_are_needed_though_more_follows", OPERATIONS(LIT(0), OP(plus), LIT(5)),
	  .fails = true },
	{ "two_of_three_are_taken", OPERATIONS(LIT(1), LIT(7), LIT(3), OP(minus)), .result = 4 },
	{ "deref", OPERATIONS(NUMBER(MEMORY + 8), OP(deref)), .result = 0x99aabbccddeeff00 },
	{ "deref_of_nothing", OPERATIONS(LIT(0), OP(deref)), .fails = true },
	{ "deref_size_1", OPERATIONS(NUMBER(MEMORY), OP1(deref_size, 1)), .result = 0x88 },
	{ "deref_size", OPERATIONS(NUMBER(MEMORY), OP1(deref_size, 2)), .result = 0x7788 },
	{ "deref_size_8", OPERATIONS(NUMBER(MEMORY), OP1(deref_size, 8)),
	  .result = 0x1122334455667788 },
	{ "deref_size_0", OPERATIONS(NUMBER(MEMORY), OP1(deref_size, 0)), .fails = true },
	{ "deref_size_9", OPERATIONS(NUMBER(MEMORY), OP1(deref_size, 9)), .fails = true },
	{ "plus_uconst", OPERATIONS(LIT(1), OP1(plus_uconst, 300)), .result = 301 },
	{ "neg", OPERATIONS(LIT(1), OP(neg)), .result = -1ull },
	{ "not", OPERATIONS(LIT(1), OP(not )), .result = -2ull },
	{ "abs", OPERATIONS(NUMBER(-5), OP(abs)), .result = 5 },
	{ "abs_of_positive", OPERATIONS(LIT(5), OP(abs)), .result = 5 },
	{ "abs_of_zero", OPERATIONS(LIT(0), OP(abs)) },
	{ "drop", OPERATIONS(LIT(5), LIT(6), OP(drop)), .result = 5 },
	{ "drop_all", OPERATIONS(LIT(5), OP(drop)), .fails = true },
	{ "drop_nothing", OPERATIONS(OP(drop)), .fails = true },
	{ "dup", OPERATIONS(LIT(5), OP(dup), OP(plus)), .result = 10 },
	{ "over", OPERATIONS(LIT(5), LIT(6), OP(over)), .result = 5 },
	{ "over_of_one", OPERATIONS(LIT(5), OP(over)), .fails = true },
	{ "pick_0", OPERATIONS(LIT(5), LIT(6), OP1(pick, 0)), .result = 6 },
	{ "pick_1", OPERATIONS(LIT(5), LIT(6), OP1(pick, 1)), .result = 5 },
	{ "pick_2_of_2", OPERATIONS(LIT(5), LIT(6), OP1(pick, 2)), .fails = true },
	{ "swap", OPERATIONS(LIT(5), LIT(6), OP(swap)), .result = 5 },
	{ "swap_of_both", OPERATIONS(LIT(5), LIT(6), OP(swap), OP(minus)), .result = 1 },
	{ "rot", OPERATIONS(LIT(5), LIT(6), LIT(7), OP(rot)), .result = 6 },
	{ "rot_second", OPERATIONS(LIT(5), LIT(6), LIT(7), OP(rot), OP(drop)), .result = 5 },
	{ "rot_third", OPERATIONS(LIT(5), LIT(6), LIT(7), OP(rot), OP(drop), OP(drop)),
	  .result = 7 },
	{ "rot_of_two", OPERATIONS(LIT(5), LIT(6), OP(rot)), .fails = true },
	{ "stack_value", OPERATIONS(LIT(5), OP(stack_value)), .result = 5, .is_value = true },
	{ "nop", OPERATIONS(LIT(5), OP(nop)), .result = 5 },
	{ "unknown", OPERATIONS(LIT(5), OP(push_object_address)), .fails = true },
	{ "skip", OPERATIONS(AT(0, lit1, 0), AT(1, skip, 1), AT(4, lit2, 0), AT(5, lit3, 0)),
	  .result = 3 },
	{ "skip_nowhere", OPERATIONS(AT(0, lit1, 0), AT(1, skip, 9), AT(4, lit2, 0)),
	  .fails = true },
	{ "skip_for_ever", OPERATIONS(AT(0, skip, -3)), .fails = true },
	{ "bra_taken",
	  OPERATIONS(AT(0, lit5, 0), AT(1, lit1, 0), AT(2, bra, 1), AT(5, lit2, 0), AT(6, nop, 0)),
	  .result = 5 },
	{ "bra_not_taken",
	  OPERATIONS(AT(0, lit5, 0), AT(1, lit0, 0), AT(2, bra, 1), AT(5, lit2, 0), AT(6, nop, 0)),
	  .result = 2 },
	/* It needs a word of its own, whatever lies before the stack. */
	{ "bra_of_nothing_though_more_follows",
	  OPERATIONS(AT(0, bra, 0), AT(3, lit1, 0), AT(4, lit2, 0)), .fails = true },
	{ "what_follows_the_end_is_no_target", OPERATIONS(AT(4, lit5, 0), AT(5, skip, -8)),
	  .fails = true },
	/* 1 + 4 * 2499 steps, and then as many as there are. */
	{ "as_many_steps_as_there_may_be",
	  OPERATIONS(NUMBER(2499), AT(9, lit1, 0), AT(10, minus, 0), AT(11, dup, 0),
		     AT(12, bra, -6), AT(15, nop, 0), AT(16, nop, 0), AT(17, nop, 0)) },
	{ "a_step_more_than_there_may_be",
	  OPERATIONS(NUMBER(2499), AT(9, lit1, 0), AT(10, minus, 0), AT(11, dup, 0),
		     AT(12, bra, -6), AT(15, nop, 0), AT(16, nop, 0), AT(17, nop, 0),
		     AT(18, nop, 0)),
	  .fails = true },
	{ "bra_of_nothing", OPERATIONS(AT(0, bra, 0), AT(3, lit1, 0)), .fails = true },
	/* 3, 2, 1 and out: back to the first operation, and not to the CFA in front of it. */
	{ "branch_to_the_first_operation",
	  OPERATIONS({ DW_OP_call_frame_cfa, 0, 0, 0 }, AT(0, plus_uconst, 1), AT(2, dup, 0),
		     { DW_OP_const2u, 0x7003, 0, 3 }, AT(6, ne, 0), AT(7, bra, -10),
		     AT(10, nop, 0)),
	  .result = 0x7003 },
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
