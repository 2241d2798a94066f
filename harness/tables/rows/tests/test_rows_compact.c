/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_rows_compact.c - a rule of the compact table is the row that docs/TABLE_FORMAT.md says
 */
#include "tables/rows/rows_compact.c"
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"

#define PLACES(n) (TABLE_RULE_EXTENDED | (n) << TABLE_RULE_PLACES_SHIFT)
#define CFA(kind, reg, offset)                                                                     \
	.cfa_kind = TABLE_CFA_##kind, .cfa_register = REGISTER_##reg, .cfa_offset = offset

static const struct rule_case {
	struct table_rule rule;
	struct table_place place[3];
	const char *row;
} rule_cases[] = {
	{ { CFA(REGISTER, RSP, 16), .saved = { 3, 2, 0, TABLE_CODE_UNDEFINED, 0, 9, 1 } },
	  { { 0 } },
	  "cfa=rsp+16 ra=c-8 rbx=c-24 rbp=c-16 r13=undefined r15=c-72" },
	{ { CFA(REGISTER, RBP, -8), .saved = { [TABLE_COLUMN_RA] = TABLE_CODE_UNDEFINED } },
	  { { 0 } },
	  "cfa=rbp-8 ra=undefined" },
	{ { CFA(DEREF, RBP, -8), .cfa_add = 16, .saved = { [TABLE_COLUMN_RA] = 1 } },
	  { { 0 } },
	  "cfa=exp(breg6-8; deref; consts+16; plus) ra=c-8" },
	{ { CFA(PLT, RSP, 8), .cfa_add = 11, .saved = { [TABLE_COLUMN_RA] = 1 } },
	  { { 0 } },
	  "cfa=exp(breg7+8; breg16+0; lit15; and; consts+11; ge; lit3; shl; plus) ra=c-8" },
	{ { .cfa_kind = TABLE_CFA_REGISTER,
	    .cfa_register = REGISTER_RSP | REGISTER_R12 << 4,
	    .cfa_scale = 8,
	    .cfa_offset = 8,
	    .saved = { [TABLE_COLUMN_RA] = 1 } },
	  { { 0 } },
	  "cfa=exp(breg7+8; breg12+0; const1u 8; mul; plus) ra=c-8" },
	{ { CFA(REGISTER, RSP, 8), .flags = TABLE_RULE_SIGNAL_FRAME,
	    .saved = { [TABLE_COLUMN_RA] = 1 } },
	  { { 0 } },
	  "cfa=rsp+8 ra=c-8 signal" },
	{ { CFA(DEREF, RBP, -8), .flags = PLACES(3), .first_place = 0, .cfa_extended_add = 300 },
	  { { REGISTER_RBX, TABLE_AT_REGISTER, REGISTER_RBP, 0, -24 },
	    { REGISTER_RBP, TABLE_AT_ALIGNED, 5, 8, -16 },
	    { REGISTER_RIP, TABLE_AT_CFA, 0, 0, -8 } },
	  "cfa=exp(breg6-8; deref; consts+300; plus) ra=c-8 rbx=exp(breg6-24) "
	  "rbp=exp(const1u 8; minus; consts-32; and; consts-16; plus)" },
	{ { CFA(REGISTER, RSP, 8), .flags = PLACES(3) },
	  { { REGISTER_RAX, TABLE_IN_REGISTER, REGISTER_RAX, 0, 0 },
	    { REGISTER_R12, TABLE_IS_CFA, 0, 0, 24 },
	    { REGISTER_RIP, TABLE_IN_REGISTER, REGISTER_RDI, 0, 0 } },
	  "cfa=rsp+8 ra=rdi rax=same r12=v+24" },
	{ { CFA(REGISTER, RSP, 8), .flags = PLACES(2) },
	  { { REGISTER_R13, TABLE_IS_REGISTER, REGISTER_RSP, 0, 40 },
	    { REGISTER_RIP, TABLE_UNDEFINED, 0, 0, 0 } },
	  "cfa=rsp+8 ra=undefined r13=val_exp(breg7+40)" },
};

START_TEST(a_rule_is_a_row_again)
{
	const struct rule_case *test = &rule_cases[_i];
	struct row_said *said = calloc(1, sizeof(*said));
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	/* What was said before leaves nothing. */
	memset(&said->row, 0x55, sizeof(said->row));
	compact_row(&test->rule, test->place, said);
	row_print(file, &said->row);
	fclose(file);
	ck_assert_str_eq(text, test->row);
	ck_assert_int_eq(said->kind, ROW_SAID_ROW);
	ck_assert_uint_eq(said->declared, UINT32_MAX);
	ck_assert_uint_eq(said->vague, 0);
	free(said);
}
END_TEST

SUITE(rows_compact, LOOP(a_rule_is_a_row_again, rule_cases))
