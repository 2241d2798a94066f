/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_rules.c - a dump's words as rows
 *
 * A case is words in a dialect, and the row: what row_print() says of it, which registers are declared
 * ("cfa" if the CFA is), or the command that stands in its place.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "tables/diff/diff.h"

static const struct words_case {
	const struct diff_dialect *dialect;
	const char *words, *said;
} words_cases[] = {
	{ &diff_dialect_readelf, "cfa=rsp+8 ra=c-8", "cfa=rsp+8 ra=c-8 | all cfa" },
	{ &diff_dialect_readelf, "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16",
	  "cfa=rbp+16 ra=c-8 rbx=c-24 rbp=c-16 | all cfa" },
	{ &diff_dialect_readelf, "cfa=rsp+8 ra=u r12=v+16 r13=r14 r15=same rdi=rip",
	  "cfa=rsp+8 ra=undefined rdi=rip r12=v+16 r13=r14 r15=same | all cfa" },
	{ &diff_dialect_readelf, "cfa=exp ra=exp rbx=val_exp",
	  "cfa=exp() ra=val_exp() rbx=val_exp() | all" },
	{ &diff_dialect_readelf, "cfa=r17+8 ra=c-8", "cfa=exp() ra=c-8 | all" },
	{ &diff_dialect_parca, "cfa=rsp-8 ra=c-8 rbp=c+16",
	  "cfa=rsp-8 ra=c-8 rbp=c+16 | rbp ra cfa" },
	{ &diff_dialect_parca, "cfa=plt(11) ra=c-8",
	  "cfa=exp(breg7+8; breg16+0; lit15; and; const1u 11; ge; lit3; shl; plus) ra=c-8 | rbp ra "
	  "cfa" },
	{ &diff_dialect_parca, "cfa=plt(10) ra=c-8",
	  "cfa=exp(breg7+8; breg16+0; lit15; and; const1u 10; ge; lit3; shl; plus) ra=c-8 | rbp ra "
	  "cfa" },
	{ &diff_dialect_parca, "cfa=other+8 ra=c-8 rbp=register",
	  "cfa=exp() ra=c-8 rbp=val_exp() | rbp ra" },
	{ &diff_dialect_parca, "cfa=rsp+8 ra=undefined", "cfa=rsp+8 ra=undefined | rbp ra cfa" },
	{ &diff_dialect_parca, "no row", "no row" },
	{ &diff_dialect_parca_rows, "cfa=rsp+8 rbp=c-16", "cfa=rsp+8 ra=none rbp=c-16 | rbp cfa" },
	{ &diff_dialect_otel, "cfa=rsp+8", "cfa=rsp+8 ra=c-8 | rbp ra cfa" },
	{ &diff_dialect_otel, "cfa=*(rsp+40)+8 rbp=*(rbp-16)",
	  "cfa=exp(breg7+40; deref; consts+8; plus) ra=c-8 rbp=exp(breg6-16) | rbp ra cfa" },
	{ &diff_dialect_otel, "cfa=*(rbp-8)",
	  "cfa=exp(breg6-8; deref; consts+0; plus) ra=c-8 | rbp ra cfa" },
	{ &diff_dialect_otel, "cfa=register+8 rbp=*(register+0)",
	  "cfa=exp() ra=c-8 rbp=val_exp() | rbp ra" },
	{ &diff_dialect_otel, "stop", "cfa=none ra=undefined | ra" },
	{ &diff_dialect_otel, "signal", "cfa=none ra=none signal | ra" },
	{ &diff_dialect_otel, "invalid", "invalid" },
	{ &diff_dialect_otel, "plt", "plt" },
	{ &diff_dialect_otel, "framepointer", "framepointer" },
	{ &diff_dialect_otel, "?", "other" },
	{ &diff_dialect_otel, "0x12", "other" },
	/* What no reader makes: there is a rule, and nobody knows which. */
	{ &diff_dialect_otel, "cfa=", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=rsp", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=rsp+", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=rsp+8x", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=rip+8", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=longestname+8", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=*(rsp+8", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=*(rsp+8)+8x", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=plt(11)8", "cfa=exp() ra=c-8 | rbp ra" },
	{ &diff_dialect_otel, "cfa=rsp+8 rbp=c-", "cfa=rsp+8 ra=c-8 rbp=val_exp() | rbp ra cfa" },
	{ &diff_dialect_otel, "cfa=rsp+8 rbp=c-8x", "cfa=rsp+8 ra=c-8 rbp=val_exp() | rbp ra cfa" },
	{ &diff_dialect_otel, "cfa=rsp+8 xmm1=c-8 rbp", "cfa=rsp+8 ra=c-8 | rbp ra cfa" },
};

static void say_declared(FILE *file, uint32_t declared)
{
	const uint32_t all = (1u << REGISTER_COUNT) - 1;

	fputs(" |", file);
	if ((declared & all) == all)
		fputs(" all", file);
	for (unsigned int i = 0; i < REGISTER_COUNT && (declared & all) != all; i++)
		if (declared & 1u << i)
			fprintf(file, " %s", i == REGISTER_RIP ? "ra" : register_name(i));
	if (declared & ROW_DECLARES_CFA)
		fputs(" cfa", file);
}

START_TEST(words_are_a_row)
{
	const struct words_case *test = &words_cases[_i];
	uint8_t expression[DIFF_EXPRESSION_BYTES];
	struct row row = { .pc = 5, .pc_end = 7, .args_size = 9 };
	uint32_t declared;
	FREED char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	enum diff_said said = diff_rules_read(test->dialect, test->words, &row, &declared,
					      expression);

	if (said == DIFF_SAYS_RULES) {
		row_print(file, &row);
		say_declared(file, declared);
	} else {
		fputs(diff_said_name(said), file);
	}
	fclose(file);
	ck_assert_msg(!strcmp(text, test->said), "%s: %s\nexpected: %s", test->words, text,
		      test->said);
	ck_assert_uint_eq(row.pc, 5);
	ck_assert_uint_eq(row.pc_end, 7);
}
END_TEST

/* Seventeen rules of the longest kind have room; words beyond any row are not read. */
START_TEST(words_have_a_limit)
{
	uint8_t expression[DIFF_EXPRESSION_BYTES];
	char words[2000] = "cfa=*(rsp-9223372036854775807)-9223372036854775807";
	uint32_t declared;
	struct row row;

	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		sprintf(words + strlen(words), " %s=*(rsp-9223372036854775807)", register_name(i));
	ck_assert_int_eq(diff_rules_read(&diff_dialect_otel, words, &row, &declared, expression),
			 DIFF_SAYS_RULES);
	ck_assert_uint_eq(row.reg[REGISTER_R15].expression_bytes, 11);
	memset(words + strlen(words), 'x', 1000);
	ck_assert_int_eq(diff_rules_read(&diff_dialect_otel, words, &row, &declared, expression),
			 DIFF_SAYS_OTHER);
}
END_TEST

SUITE(diff_rules, LOOP(words_are_a_row, words_cases), TEST(words_have_a_limit))
