/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_rows_sframe.c - what SFrame says at an address, and for which registers it has words
 */
#include "tables/rows/rows_sframe.c"
#include "tests/suite.h"
#include "sframe/tests/sframe_bytes.h"

#define CFA_RA_FP (ROW_DECLARES_CFA | 1u << REGISTER_RIP | 1u << REGISTER_RBP)

static const struct {
	const char *name;
	uint64_t pc;
	enum row_said_kind kind;
	uint32_t declared;
	uint64_t pc_end;
	const char *cfa;
} cases[] = {
	{ "a_row", 0x1002, ROW_SAID_ROW, CFA_RA_FP, 0x1004, "rsp+16" },
	{ "no_function", 0x1030, ROW_SAID_NOTHING, 1u << REGISTER_RIP, 0x1100, NULL },
	{ "an_expression", 0x150a, ROW_SAID_ROW, CFA_RA_FP, 0x1510, "exp(breg6-8; deref)" },
	{ "the_end", 0x1600, ROW_SAID_ROW, 1u << REGISTER_RIP, 0x1610, NULL },
	{ "a_malformed_row", 0x1708, ROW_SAID_MARK, 1u << REGISTER_RIP, 0x1710, NULL },
};

START_TEST(it_says_what_it_says)
{
	struct made made = { .version = 3 };
	struct bytes bytes = { .size = 0 };
	struct sframe_source source;
	struct image_section section;
	struct row_source rows;
	struct row_said said;
	struct error error;
	char *text = NULL;
	size_t size;

	made_usual(&made);
	made_function(&made, 0x1700, 0x10, ADDR1, 0, 0, 1);
	made_row(&made, 1, 0, ROW(BY_SP, 1, 3), 8, 8, 8);
	made_finish(&made, &bytes);
	section = made_section(&bytes);
	source.sframe = read_made(&section, &error);
	rows = sframe_source_rows(&source);
	ck_assert_str_eq(rows.name, "sframe");
	ck_assert(sframe_source_sframe(&source) == source.sframe);
	rows.row_at(rows.context, cases[_i].pc, &said);
	ck_assert_int_eq(said.kind, cases[_i].kind);
	ck_assert_uint_eq(said.declared, cases[_i].declared);
	ck_assert_uint_eq(said.row.pc_end, cases[_i].pc_end);
	if (cases[_i].cfa) {
		FILE *file = open_memstream(&text, &size);

		row_rule_print(file, &said.row.cfa);
		fclose(file);
		ck_assert_str_eq(text, cases[_i].cfa);
	}
	if (said.kind == ROW_SAID_MARK)
		ck_assert_str_eq(rows.mark[said.mark], "malformed");
	free(text);
	sframe_destroy(source.sframe);
}
END_TEST

SUITE(rows_sframe, LOOP(it_says_what_it_says, cases))
