/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_row.c - rows are equal by what they say; registers have the psABI's names
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "cfi/cfi.h"

static const uint8_t breg7[] = { 0x77, 0x08 };
static const uint8_t breg7_copy[] = { 0x77, 0x08 };
static const uint8_t breg6[] = { 0x76, 0x08 };

#define KIND(kind_)		  IN_BRACES(.kind = kind_)
#define REG(kind_, reg_)	  IN_BRACES(.kind = kind_, .reg = reg_)
#define OFF(kind_, reg_, offset_) IN_BRACES(.kind = kind_, .reg = reg_, .offset = offset_)
#define EXP(kind_, bytes_, size_)                                                                  \
	IN_BRACES(.kind = kind_, .expression = bytes_, .expression_bytes = size_)

static const struct {
	const char *name;
	struct row_rule a;
	struct row_rule b;
	bool equal;
	const char *text; /* of a */
} rules[] = {
	{ "unspecified", KIND(RULE_UNSPECIFIED), KIND(RULE_UNSPECIFIED), true, "none" },
	{ "undefined", KIND(RULE_UNDEFINED), KIND(RULE_UNDEFINED), true, "undefined" },
	{ "undefined_is_not_unspecified", KIND(RULE_UNDEFINED), KIND(RULE_UNSPECIFIED), false,
	  "undefined" },
	{ "same_value_is_not_unspecified", KIND(RULE_SAME_VALUE), KIND(RULE_UNSPECIFIED), false,
	  "same" },
	{ "unused_fields_do_not_count", KIND(RULE_UNDEFINED), OFF(RULE_UNDEFINED, 3, 4), true,
	  "undefined" },
	{ "offset", OFF(RULE_OFFSET, 0, -16), OFF(RULE_OFFSET, 0, -16), true, "c-16" },
	{ "offset_differs", OFF(RULE_OFFSET, 0, 16), OFF(RULE_OFFSET, 0, -16), false, "c+16" },
	{ "val_offset", OFF(RULE_VAL_OFFSET, 0, 0), OFF(RULE_VAL_OFFSET, 0, 0), true, "v+0" },
	{ "val_offset_is_not_offset", OFF(RULE_VAL_OFFSET, 0, 8), OFF(RULE_OFFSET, 0, 8), false,
	  "v+8" },
	{ "register", REG(RULE_REGISTER, 3), REG(RULE_REGISTER, 3), true, "rbx" },
	{ "register_differs", REG(RULE_REGISTER, 17), REG(RULE_REGISTER, 18), false, "r17" },
	{ "cfa", OFF(RULE_CFA_REGISTER, 7, 8), OFF(RULE_CFA_REGISTER, 7, 8), true, "rsp+8" },
	{ "cfa_register_differs", OFF(RULE_CFA_REGISTER, 7, 8), OFF(RULE_CFA_REGISTER, 6, 8), false,
	  "rsp+8" },
	{ "cfa_offset_differs", OFF(RULE_CFA_REGISTER, 7, -8), OFF(RULE_CFA_REGISTER, 7, 8), false,
	  "rsp-8" },
	{ "expressions_are_compared_by_bytes", EXP(RULE_EXPRESSION, breg7, 2),
	  EXP(RULE_EXPRESSION, breg7_copy, 2), true, "exp(breg7+8)" },
	{ "expression_bytes_differ", EXP(RULE_VAL_EXPRESSION, breg7, 2),
	  EXP(RULE_VAL_EXPRESSION, breg6, 2), false, "val_exp(breg7+8)" },
	{ "expression_lengths_differ", EXP(RULE_CFA_EXPRESSION, breg7, 2),
	  EXP(RULE_CFA_EXPRESSION, breg7_copy, 1), false, "exp(breg7+8)" },
	{ "empty_expressions_are_equal", KIND(RULE_EXPRESSION), KIND(RULE_EXPRESSION), true,
	  "exp()" },
};

START_TEST(rule_equality_in_every_column)
{
	for (unsigned int reg = 0; reg <= REGISTER_COUNT; reg++) {
		struct row a = { .pc = 1, .pc_end = 2 };
		struct row b = { .pc = 3, .pc_end = 9 };
		*(reg < REGISTER_COUNT ? &a.reg[reg] : &a.cfa) = rules[_i].a;
		*(reg < REGISTER_COUNT ? &b.reg[reg] : &b.cfa) = rules[_i].b;
		ck_assert_msg(row_equal(&a, &b) == rules[_i].equal, "%s in column %u",
			      rules[_i].name, reg);
		ck_assert_msg(row_equal(&b, &a) == rules[_i].equal, "%s in column %u, swapped",
			      rules[_i].name, reg);
	}
}
END_TEST

START_TEST(rule_prints)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	row_rule_print(file, &rules[_i].a);
	fclose(file);
	ck_assert_msg(!strcmp(text, rules[_i].text), "%s: '%s'", rules[_i].name, text);
	free(text);
}
END_TEST

START_TEST(signal_frame_and_args_size_count)
{
	struct row a = { .args_size = 16 };
	struct row b = { .args_size = 16 };
	ck_assert(row_equal(&a, &b));
	b.args_size = 0;
	ck_assert(!row_equal(&a, &b));
	b = a;
	b.signal_frame = true;
	ck_assert(!row_equal(&a, &b));
}
END_TEST

START_TEST(row_prints_the_return_address_first)
{
	struct row row = { .cfa = OFF(RULE_CFA_REGISTER, REGISTER_RSP, 16),
			   .args_size = 8,
			   .signal_frame = true };
	row.reg[REGISTER_RIP] = (struct row_rule)OFF(RULE_OFFSET, 0, -8);
	row.reg[REGISTER_RBP] = (struct row_rule)OFF(RULE_OFFSET, 0, -16);
	row.reg[REGISTER_RAX] = (struct row_rule)KIND(RULE_SAME_VALUE);
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	row_print(file, &row);
	fclose(file);
	ck_assert_str_eq(text, "cfa=rsp+16 ra=c-8 rax=same rbp=c-16 args=8 signal");
	free(text);
}
END_TEST

/* psABI, figures 3.36 and 3.4. */
static const struct {
	const char *name;
	unsigned int reg;
	enum rule_kind default_rule;
} registers[] = {
	{ "rax", 0, RULE_UNDEFINED },	{ "rdx", 1, RULE_UNDEFINED },
	{ "rcx", 2, RULE_UNDEFINED },	{ "rbx", 3, RULE_SAME_VALUE },
	{ "rsi", 4, RULE_UNDEFINED },	{ "rdi", 5, RULE_UNDEFINED },
	{ "rbp", 6, RULE_SAME_VALUE },	{ "rsp", 7, RULE_VAL_OFFSET },
	{ "r8", 8, RULE_UNDEFINED },	{ "r9", 9, RULE_UNDEFINED },
	{ "r10", 10, RULE_UNDEFINED },	{ "r11", 11, RULE_UNDEFINED },
	{ "r12", 12, RULE_SAME_VALUE }, { "r13", 13, RULE_SAME_VALUE },
	{ "r14", 14, RULE_SAME_VALUE }, { "r15", 15, RULE_SAME_VALUE },
	{ "rip", 16, RULE_UNDEFINED },
};

START_TEST(register_names_and_defaults)
{
	ck_assert_str_eq(register_name(registers[_i].reg), registers[_i].name);
	ck_assert_int_eq(register_number(registers[_i].name), (int)registers[_i].reg);
	ck_assert_int_eq(register_default_rule(registers[_i].reg), registers[_i].default_rule);
}
END_TEST

START_TEST(other_registers_have_no_name)
{
	ck_assert_ptr_null(register_name(REGISTER_COUNT));
	ck_assert_ptr_null(register_name(~0u));
	ck_assert_int_eq(register_number("xmm0"), -1);
	ck_assert_int_eq(register_default_rule(~0u), RULE_UNDEFINED);
}
END_TEST

SUITE(row, LOOP(rule_equality_in_every_column, rules), LOOP(rule_prints, rules),
      TEST(signal_frame_and_args_size_count), TEST(row_prints_the_return_address_first),
      LOOP(register_names_and_defaults, registers), TEST(other_registers_have_no_name))
