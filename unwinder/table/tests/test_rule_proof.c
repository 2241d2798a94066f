/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_rule_proof.c - the parts of the proof of one rule, each at its borders
 *
 * A row and a rule are held against each other over draws of registers. What the two readings say
 * of a draw, and how they are compared, is looked at here; whole proofs are test_table_proof.c's.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "table/rule_proof.c"

#define CFA	    0x7000ull
#define ALL	    ((1u << REGISTER_COUNT) - 1)
#define BREG7	    0x77 /* DW_OP_breg7: rsp and an offset */
#define PLUS_UCONST 0x23

/* ---- draws --------------------------------------------------------------------------------- */

/* splitmix64, as others have it. */
START_TEST(draws_are_mixed)
{
	ck_assert_uint_eq(hash_mix(0), 0xe220a8397b1dcdaf);
	ck_assert_uint_eq(hash_mix(1), 0x910a2dec89025cc1);
	ck_assert_uint_eq(hash_mix(2), 0x975835de1c9756ce);
}
END_TEST

START_TEST(draws_are_of_four_kinds)
{
	for (unsigned int draw = 0; draw < DRAWS; draw++) {
		uint32_t needed = 1u << REGISTER_RSP | 1u << REGISTER_RIP;
		struct register_values regs, again;
		int small = 0;

		draw_registers(draw, &regs);
		draw_registers(draw, &again);
		ck_assert_mem_eq(&regs, &again, sizeof(regs));
		ck_assert_uint_eq(regs.known & needed, needed);
		ck_assert_uint_eq(regs.value[REGISTER_RIP] & 15, draw % 16);
		for (int reg = 0; reg < REGISTER_COUNT; reg++)
			small += regs.value[reg] < 256;
		switch (draw / 16) {
		case 0: ck_assert(regs.known == ALL && small < 3); break;
		case 1: ck_assert(regs.known == (CALLEE_SAVED_MASK | needed) && small < 3); break;
		case 2: ck_assert(regs.known != ALL && small < 3); break;
		default: ck_assert(regs.known == ALL && small == REGISTER_COUNT); break;
		}
	}
}
END_TEST

START_TEST(memory_has_words)
{
	uint64_t word = hash_mix(0x1234);
	uint8_t got[16] = { 0 };

	ck_assert_int_eq(memory_read(NULL, 0x1234, got, 8), 0);
	ck_assert_mem_eq(got, &word, 8);
	ck_assert_int_eq(memory_read(NULL, 0x1234, got, 9), -1);
	memset(got, 0, sizeof(got));
	ck_assert_int_eq(memory_read(NULL, 0x1234, got, 2), 0);
	ck_assert(!memcmp(got, &word, 2) && !got[2]);
}
END_TEST

/* ---- a row's rules ------------------------------------------------------------------------- */

static const uint8_t rsp_and_16[] = { BREG7, 16 }, cfa_and_8[] = { PLUS_UCONST, 8 },
		     no_expression[] = { PLUS_UCONST };

#define RULE(...) .rule = { __VA_ARGS__ }

static const struct value_case {
	const char *name;
	unsigned int reg;
	struct row_rule rule;
	uint32_t unknown;
	bool said, in_memory;
	uint64_t value; /* or where it is */
} value_cases[] = {
	{ "same", REGISTER_RBX, RULE(.kind = RULE_SAME_VALUE), .said = true, .value = 103 },
	{ "same_as_what_is_not_known", REGISTER_RBX, RULE(.kind = RULE_SAME_VALUE),
	  .unknown = 1u << REGISTER_RBX },
	{ "preserved_by_default", REGISTER_RBX, RULE(.kind = RULE_UNSPECIFIED), .said = true,
	  .value = 103 },
	{ "scratch_by_default", REGISTER_RAX, RULE(.kind = RULE_UNSPECIFIED) },
	{ "rsp_by_default", REGISTER_RSP, RULE(.kind = RULE_UNSPECIFIED, .offset = 8), .said = true,
	  .value = CFA },
	{ "undefined", REGISTER_RBX, RULE(.kind = RULE_UNDEFINED) },
	{ "another_register", REGISTER_RBX, RULE(.kind = RULE_REGISTER, .reg = 9), .said = true,
	  .value = 109 },
	{ "another_that_is_not_known", REGISTER_RBX, RULE(.kind = RULE_REGISTER, .reg = 9),
	  .unknown = 1u << 9 },
	{ "the_last_register", REGISTER_RBX, RULE(.kind = RULE_REGISTER, .reg = 16), .said = true,
	  .value = 116 },
	{ "no_register", REGISTER_RBX, RULE(.kind = RULE_REGISTER, .reg = 17) },
	{ "saved", REGISTER_RBX, RULE(.kind = RULE_OFFSET, .offset = -16), .said = true,
	  .in_memory = true, .value = CFA - 16 },
	{ "an_address", REGISTER_RBX, RULE(.kind = RULE_VAL_OFFSET, .offset = -16), .said = true,
	  .value = CFA - 16 },
	{ "at_an_expression", REGISTER_RBX,
	  RULE(.kind = RULE_EXPRESSION, .expression = cfa_and_8, .expression_bytes = 2),
	  .said = true, .in_memory = true, .value = CFA + 8 },
	{ "by_an_expression", REGISTER_RBX,
	  RULE(.kind = RULE_VAL_EXPRESSION, .expression = rsp_and_16, .expression_bytes = 2),
	  .said = true, .value = 107 + 16 },
	{ "by_none", REGISTER_RBX,
	  RULE(.kind = RULE_VAL_EXPRESSION, .expression = no_expression, .expression_bytes = 1) },
};

static struct register_values registers(uint32_t unknown)
{
	struct register_values regs = { .known = ~unknown };

	for (int reg = 0; reg < REGISTER_COUNT; reg++)
		regs.value[reg] = 100 + reg;
	return regs;
}

START_TEST(row_says_a_register_s_value)
{
	const struct value_case *c = &value_cases[_i];
	const struct register_values regs = registers(c->unknown);
	uint64_t value = 0;
	bool said = row_value(&c->rule, c->reg, &regs, CFA, &value);

	ck_assert_msg(said == c->said, "%s: %d", c->name, said);
	ck_assert_msg(!said || value == (c->in_memory ? memory_word(c->value) : c->value),
		      "%s: 0x%" PRIx64, c->name, value);
}
END_TEST

static const struct {
	const char *name;
	struct row_rule rule;
	uint32_t unknown;
	bool said;
	uint64_t cfa;
} cfa_cases[] = {
	{ "a_register", { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 }, 0, true, 115 },
	{ "one_that_is_not_known",
	  { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  1u << 7,
	  false,
	  0 },
	{ "the_last_register", { .kind = RULE_CFA_REGISTER, .reg = 16 }, 0, true, 116 },
	{ "no_register", { .kind = RULE_CFA_REGISTER, .reg = 17 }, 0, false, 0 },
	{ "an_expression",
	  { .kind = RULE_CFA_EXPRESSION, .expression = rsp_and_16, .expression_bytes = 2 },
	  0,
	  true,
	  123 },
	{ "an_expression_has_no_cfa",
	  { .kind = RULE_CFA_EXPRESSION, .expression = cfa_and_8, .expression_bytes = 2 },
	  0,
	  false,
	  0 },
	{ "no_rule", { .kind = RULE_UNSPECIFIED, .reg = 7 }, 0, false, 0 },
};

START_TEST(row_says_the_cfa)
{
	const struct register_values regs = registers(cfa_cases[_i].unknown);
	uint64_t cfa = 0;
	bool said = row_cfa(&cfa_cases[_i].rule, &regs, &cfa);

	ck_assert_msg(said == cfa_cases[_i].said && (!said || cfa == cfa_cases[_i].cfa),
		      "%s: %d, 0x%" PRIx64, cfa_cases[_i].name, said, cfa);
}
END_TEST

static const struct {
	const char *name;
	struct row_rule cfa, rip, rsp;
	bool none, outermost;
} row_cases[] = {
	{ "a_caller",
	  { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { .kind = RULE_OFFSET, .offset = -8 },
	  { .kind = RULE_UNSPECIFIED },
	  false,
	  false },
	{ "no_cfa", { 0 }, { .kind = RULE_OFFSET, .offset = -8 }, { 0 }, true, false },
	{ "outermost",
	  { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { .kind = RULE_UNDEFINED },
	  { .kind = RULE_UNSPECIFIED },
	  false,
	  true },
	{ "no_return_address",
	  { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { .kind = RULE_REGISTER, .reg = 17 },
	  { .kind = RULE_UNSPECIFIED },
	  true,
	  false },
	{ "no_rsp",
	  { .kind = RULE_CFA_REGISTER, .reg = 7, .offset = 8 },
	  { .kind = RULE_OFFSET, .offset = -8 },
	  { .kind = RULE_UNDEFINED },
	  true,
	  false },
};

START_TEST(row_says_the_caller)
{
	struct row row = { .cfa = row_cases[_i].cfa };
	const struct register_values regs = registers(0);
	struct caller caller;

	row.reg[REGISTER_RIP] = row_cases[_i].rip;
	row.reg[REGISTER_RSP] = row_cases[_i].rsp;
	caller_by_row(&row, &regs, &caller);
	ck_assert_msg(caller.none == row_cases[_i].none &&
			      caller.outermost == row_cases[_i].outermost,
		      "%s", row_cases[_i].name);
	if (caller.none || caller.outermost)
		return;
	ck_assert_uint_eq(caller.cfa, 115);
	ck_assert_uint_eq(caller.regs.known,
			  CALLEE_SAVED_MASK | 1u << REGISTER_RSP | 1u << REGISTER_RIP);
	ck_assert_uint_eq(caller.regs.value[REGISTER_RSP], 115);
	ck_assert_uint_eq(caller.regs.value[REGISTER_RIP], memory_word(107));
	ck_assert_uint_eq(caller.regs.value[REGISTER_R15], 115);
}
END_TEST

/* ---- one against the other ------------------------------------------------------------------ */

#define CALLER(cfa_is, known_are, r15)                                                             \
	{                                                                                          \
		.cfa = cfa_is, .regs = {.known = known_are, .value = { 1, [REGISTER_R15] = r15 } } \
	}

static const struct {
	const char *name;
	struct caller row, rule;
	const char *why; /* NULL: they are equal */
} equal_cases[] = {
	{ "the_same", CALLER(8, 0x8001, 5), CALLER(8, 0x8001, 5), NULL },
	{ "no_caller", { .none = true, .cfa = 1 }, { .none = true, .cfa = 2 }, NULL },
	{ "outermost", { .outermost = true, .cfa = 1 }, { .outermost = true, .cfa = 2 }, NULL },
	{ "no_caller_by_the_row",
	  { .none = true },
	  CALLER(8, 1, 0),
	  "no caller by the row, a caller by the rule" },
	{ "outermost_by_the_rule",
	  CALLER(8, 1, 0),
	  { .outermost = true },
	  "a caller by the row, the outermost frame by the rule" },
	{ "no_caller_and_outermost",
	  { .none = true },
	  { .outermost = true },
	  "no caller by the row, the outermost frame by the rule" },
	{ "another_cfa", CALLER(8, 1, 0), CALLER(24, 1, 0), "the CFAs differ by 16" },
	{ "a_lower_cfa", CALLER(24, 1, 0), CALLER(8, 1, 0), "the CFAs differ by -16" },
	{ "known_by_the_row", CALLER(8, 0x8001, 5), CALLER(8, 1, 5),
	  "r15 is known by the row only" },
	{ "known_by_the_rule", CALLER(8, 0x8000, 5), CALLER(8, 0x8001, 5),
	  "rax is known by the rule only" },
	{ "another_value", CALLER(8, 0x8001, 5), CALLER(8, 0x8001, 6), "r15 differs" },
	{ "another_value_that_nobody_knows", CALLER(8, 1, 5), CALLER(8, 1, 6), NULL },
	{ "another_bit_of_no_register", CALLER(8, 1u << REGISTER_COUNT | 1, 5), CALLER(8, 1, 5),
	  NULL },
};

START_TEST(callers_are_compared)
{
	char why[100] = "";
	bool equal = callers_equal(&equal_cases[_i].row, &equal_cases[_i].rule, why, sizeof(why));

	ck_assert_msg(equal == !equal_cases[_i].why, "%s", equal_cases[_i].name);
	ck_assert_str_eq(why, equal_cases[_i].why ? equal_cases[_i].why : "");
}
END_TEST

static const struct {
	uint32_t rule;
	const char *why;
} number_cases[] = {
	{ TABLE_MARKER_COUNT - 1, "there is no rule %d" },
	{ TABLE_MARKER_COUNT + 1, "there is no rule %d" },
	{ TABLE_MARKER_COUNT, "a signal frame by the rule only" },
};

START_TEST(rule_must_be_there)
{
	struct table_rule rules[TABLE_MARKER_COUNT + 1] = { 0 };
	const struct table table = { .rule = rules, .rule_count = TABLE_MARKER_COUNT + 1 };
	const struct row row = { .signal_frame = false };
	char why[100] = "", expected[100];

	rules[TABLE_MARKER_COUNT].flags = TABLE_RULE_SIGNAL_FRAME;
	snprintf(expected, sizeof(expected), number_cases[_i].why, number_cases[_i].rule);
	ck_assert(!table_rule_proves(&row, &table, number_cases[_i].rule, why, sizeof(why)));
	ck_assert_str_eq(why, expected);
}
END_TEST

START_TEST(place_must_be_there)
{
	struct table_place places[2] = { 0 };
	const struct table table = { .place = places, .place_count = 2 };
	struct walk_memory memory = { .table = &table };

	ck_assert_ptr_eq(walk_place(&memory, 0), places);
	ck_assert_ptr_eq(walk_place(&memory, 1), places + 1);
	ck_assert_ptr_null(walk_place(&memory, 2));
}
END_TEST

SUITE(rule_proof, TEST(draws_are_mixed), TEST(draws_are_of_four_kinds), TEST(memory_has_words),
      LOOP(row_says_a_register_s_value, value_cases), LOOP(row_says_the_cfa, cfa_cases),
      LOOP(row_says_the_caller, row_cases), LOOP(callers_are_compared, equal_cases),
      LOOP(rule_must_be_there, number_cases), TEST(place_must_be_there))
