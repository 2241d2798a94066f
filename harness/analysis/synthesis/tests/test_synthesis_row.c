/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_synthesis_row.c - what is known before an instruction, and the row that is made of it
 *
 * States are those of flow_fixture.h. Of a row is said the CFA (* before it: the word there holds it), the
 * return address, and each register that is not in itself.
 */
#include "tests/suite.h"
#include "analysis/synthesis/synthesis_row.c"
#include "analysis/flow/tests/flow_fixture.h"
#include "analysis/synthesis/synthesis.h"

#define CALL	SYNTHESIS_AT_CALL
#define RSP	SYNTHESIS_BY_RSP
#define STRANGE SYNTHESIS_AT_STRANGE_CALL

static const struct row_case {
	const char *state;
	unsigned int how;
	const char *row;
} row_cases[] = {
	{ "", 0, "cfa=rsp+8 ra=c-8" },
	{ "", CALL, "cfa=rsp+8 ra=c-8" },
	{ "rsp=c-64", 0, "cfa=rsp+64 ra=c-8" },
	/* Which register the CFA is counted from. */
	{ "rsp=c-64 rbp=c-16 [c-16]=rbp", 0, "cfa=rbp+16 rbp=c-16 ra=c-8" },
	{ "rsp=c-64 rbp=c-16 [c-16]=rbp", RSP, "cfa=rsp+64 rbp=c-16 ra=c-8" },
	{ "rsp=b9+0 rbp=c-16 [c-16]=rbp", RSP, "cfa=rbp+16 rbp=c-16 ra=c-8" },
	{ "rsp=? rbp=c-16 [c-16]=rbp", RSP, "cfa=rbp+16 rbp=c-16 ra=c-8" },
	{ "rsp=c-64 rbp=c-24 [c-24]=rbp", 0, "cfa=rsp+64 rbp=c-24 ra=c-8" },
	{ "rsp=c-64 rbp=c-16 [c-16]=rbx", 0, "cfa=rsp+64 rbp=lost ra=c-8" },
	{ "rsp=c-64 rbp=c-16", 0, "cfa=rsp+64 rbp=lost ra=c-8" },
	{ "rsp=? rbp=c-24 rbx=c-32", 0, "cfa=rbp+24 rbx=lost rbp=lost ra=c-8" },
	{ "rsp=? rbx=c-32 r12=c-40", 0, "cfa=rbx+32 rbx=lost r12=lost ra=c-8" },
	{ "rsp=? r12=c-32 r13=c-40", 0, "cfa=r12+32 r12=lost r13=lost ra=c-8" },
	{ "rsp=? r13=c-32 r14=c-40", 0, "cfa=r13+32 r13=lost r14=lost ra=c-8" },
	{ "rsp=? r14=c-32 r15=c-40", 0, "cfa=r14+32 r14=lost r15=lost ra=c-8" },
	{ "rsp=? r15=c-40 r10=c+0", 0, "cfa=r15+40 r15=lost ra=c-8" },
	{ "rsp=? r15=c-40", CALL, "cfa=r15+40 r15=lost ra=c-8" },
	{ "rsp=? r10=c+0 r11=c-8", 0, "cfa=r10+0 ra=c-8" },
	{ "rsp=? r11=c+0 rax=c-8", 0, "cfa=r11+0 ra=c-8" },
	{ "rsp=? rax=c+0 rdx=c-8", 0, "cfa=rax+0 ra=c-8" },
	{ "rsp=? rdx=c+0 rcx=c-8", 0, "cfa=rdx+0 ra=c-8" },
	{ "rsp=? rcx=c+0 rsi=c-8", 0, "cfa=rcx+0 ra=c-8" },
	{ "rsp=? rsi=c+0 rdi=c-8", 0, "cfa=rsi+0 ra=c-8" },
	{ "rsp=? rdi=c+0 r8=c-8", 0, "cfa=rdi+0 ra=c-8" },
	{ "rsp=? r8=c+0 r9=c-8", 0, "cfa=r8+0 ra=c-8" },
	{ "rsp=? r9=c+0", 0, "cfa=r9+0 ra=c-8" },
	{ "rsp=? r10=c+0", CALL, "cfa_unknown" },
	{ "rsp=?", 0, "cfa_unknown" },
	{ "rsp=5 rbx=c-32", 0, "cfa=rbx+32 rbx=lost ra=c-8" },
	{ "rsp=c-0x7fffffff", 0, "cfa=rsp+2147483647 ra=c-8" },
	{ "rsp=c-0x80000000", 0, "cfa_unknown" },
	/* Who was called may have moved rsp, and preserves rbp alone. */
	{ "rsp=c-64 rbp=c-16 [c-16]=rbp", STRANGE, "cfa=rbp+16 rbp=c-16 ra=c-8" },
	{ "rsp=c-64 rbp=c-24 [c-16]=rbp", STRANGE, "cfa=rbp+24 rbp=c-16 ra=c-8" },
	{ "rsp=c-64 rbx=c-32", STRANGE, "cfa_unknown" },
	{ "rsp=c-64", STRANGE, "cfa_unknown" },
	/* A stack that was aligned keeps the CFA in a word. */
	{ "rsp=b9-16 rbp=? [b9-8]=c+0", 0, "cfa=*rsp+8 rbp=lost ra=c-8" },
	{ "rsp=b9-16 rbp=b9+0 [b9-8]=c+0", 0, "cfa=*rbp-8 rbp=lost ra=c-8" },
	{ "rsp=b9-16 rbp=b7+0 [b9-8]=c+0", 0, "cfa=*rsp+8 rbp=lost ra=c-8" },
	{ "rsp=b9+0 rbp=b9+8 [b9-8]=c+0", 0, "cfa_unknown" },
	{ "rsp=b9-8 rbp=b9+8 [b9-8]=c+0", 0, "cfa=*rbp-16 rbp=lost ra=c-8" },
	{ "rsp=b7+0 rbp=b9+8 [b9-8]=c+0", 0, "cfa=*rbp-16 rbp=lost ra=c-8" },
	{ "rsp=b9-16 [b9-8]=c+0 forget", 0, "cfa_unknown" },
	{ "rsp=b9-16 [b9-8]=c-8", 0, "cfa_unknown" },
	{ "rsp=b7-16 [b9-8]=c+0", 0, "cfa_unknown" },
	{ "rsp=b9-16 rbp=? bare [b9-8]=c+0 [c-8]=ra", 0, "cfa=*rsp+8 rbp=lost ra=c-8" },
	{ "rsp=b9-16 r10=b9+0 [b9-8]=c+0", CALL, "cfa=*rsp+8 ra=c-8" },
	/* Registers, and where they are kept. */
	{ "rsp=c-64 rbx=5 [c-16]=rbx", 0, "cfa=rsp+64 rbx=c-16 ra=c-8" },
	{ "rsp=c-64 [c-16]=rbx", 0, "cfa=rsp+64 ra=c-8" },
	{ "rsp=c-64 rbx=rbx+8", 0, "cfa=rsp+64 rbx=lost ra=c-8" },
	{ "rsp=c-64 rbx=5 [c-72]=rbx", 0, "cfa=rsp+64 rbx=c-72 ra=c-8" },
	{ "rsp=c-64 rbx=5 [c-64]=rbx", 0, "cfa=rsp+64 rbx=c-64 ra=c-8" },
	{ "rsp=c-64 rbx=5 [c-20]=rbx", 0, "cfa=rsp+64 rbx=rsp+44 ra=c-8" },
	{ "rsp=c-64 rbx=5 [c-20]=rbx [c-32]=rbx", 0, "cfa=rsp+64 rbx=c-32 ra=c-8" },
	{ "rsp=b9-64 rbp=c-16 [c-16]=rbp rbx=5 [b9-8]=rbx", 0,
	  "cfa=rbp+16 rbx=rsp+56 rbp=c-16 ra=c-8" },
	{ "rsp=b9-64 rbp=c-16 [c-16]=rbp rbx=5 [b9-80]=rbx", 0,
	  "cfa=rbp+16 rbx=rsp-16 rbp=c-16 ra=c-8" },
	{ "rsp=b9-64 rbp=c-16 [c-16]=rbp rbx=5 r12=b9+0 [b9-8]=rbx", 0,
	  "cfa=rbp+16 rbx=r12-8 rbp=c-16 r12=lost ra=c-8" },
	{ "rbx=5 r12=rbx", 0, "cfa=rsp+8 rbx=in-r12 r12=lost ra=c-8" },
	{ "rbx=5 rbp=rbx", 0, "cfa=rsp+8 rbx=in-rbp rbp=lost ra=c-8" },
	{ "rbx=5 rax=rbx", 0, "cfa=rsp+8 rbx=in-rax ra=c-8" },
	{ "rbx=5 r9=rbx", 0, "cfa=rsp+8 rbx=in-r9 ra=c-8" },
	{ "rbx=5 rax=rbx", CALL, "cfa=rsp+8 rbx=lost ra=c-8" },
	{ "rbx=5 r10=rbx", CALL, "cfa=rsp+8 rbx=lost ra=c-8" },
	{ "rbx=5 r15=rbx", CALL, "cfa=rsp+8 rbx=in-r15 r15=lost ra=c-8" },
	{ "rbx=5 rax=rbx rcx=rbx [c+8]=rbx", 0, "cfa=rsp+8 rbx=c+8 ra=c-8" },
	/* The return address. */
	{ "bare rsp=c-64 [c-16]=ra", 0, "cfa=rsp+64 ra=c-16" },
	{ "bare rdi=ra", 0, "cfa=rsp+8 ra=in-rdi" },
	{ "bare rdi=ra", CALL, "return_unknown" },
	{ "bare", 0, "return_unknown" },
	{ "rbx=5 [c-16]=rbx", 0, "cfa=rsp+8 rbx=c-16 ra=c-8" },
	{ "rbx=5 [c-136]=rbx", 0, "cfa=rsp+8 rbx=c-136 ra=c-8" },
	{ "rbx=5 [c-144]=rbx", 0, "cfa=rsp+8 rbx=lost ra=c-8" },
	{ "rbx=5 [c-16]=rbx", CALL, "cfa=rsp+8 rbx=lost ra=c-8" },
	{ "bare [c-8]=5", 0, "return_unknown" },
	/* Whose it is. */
	{ "both", 0, "thread" },
	{ "both", SYNTHESIS_OUTERMOST, "thread" },
	{ "new", 0, "cfa=rsp+8 ra=lost" },
	{ "new rsp=?", 0, "cfa=rsp+8 ra=lost" },
	{ "rsp=c-64", SYNTHESIS_OUTERMOST, "cfa=rsp+8 ra=lost" },
};

static void place_print(FILE *file, uint8_t column, const struct synthesis_place *place)
{
	const char *name = column == REGISTER_RIP ? "ra" : register_name(column);

	switch ((enum synthesis_place_kind)place->kind) {
	case SYNTHESIS_SAME: return;
	case SYNTHESIS_AT_CFA: fprintf(file, " %s=c%+d", name, place->offset); return;
	case SYNTHESIS_AT_REGISTER:
		fprintf(file, " %s=%s%+d", name, register_name(place->reg), place->offset);
		return;
	case SYNTHESIS_IN_REGISTER:
		fprintf(file, " %s=in-%s", name, register_name(place->reg));
		return;
	case SYNTHESIS_LOST: fprintf(file, " %s=lost", name); return;
	}
}

/* reason: why there is none, or SYNTHESIS_REASON_COUNT. */
static void row_expect(const char *rule, enum synthesis_reason reason,
		       const struct synthesis_row *row, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	if (reason == SYNTHESIS_REASON_COUNT) {
		fprintf(file, "cfa=%s%s%+d", row->cfa_loaded ? "*" : "",
			register_name(row->cfa_register), row->cfa_offset);
		for (int i = 0; i < SYNTHESIS_COLUMNS; i++)
			place_print(file, synthesis_register[i], &row->place[i]);
	} else {
		fprintf(file, "%s", synthesis_reasons[reason].name);
	}
	fclose(file);
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s\nexpected:\n%s", rule, text, expected);
	free(text);
}

START_TEST(a_state_becomes_a_row)
{
	const struct row_case *test = &row_cases[_i];
	enum synthesis_reason reason;
	struct synthesis_row row;
	struct flow_state state;

	state_read(&state, test->state);
	reason = synthesis_row_of(&state, test->how, &row);
	row_expect(test->state, reason, &row, test->row);
}
END_TEST

/* What both say: "" if it is nothing. */
static const struct two_case {
	const char *a, *b;
	bool equal, joins;
	const char *both;
} two_cases[] = {
	{ "", "", true, true, "" },
	{ "rsp=c-64", "", false, false, NULL },
	{ "rsp=? rbx=c-8", "", false, false, NULL },
	{ "rsp=b9+0 [b9+8]=c+0", "", false, false, NULL },
	{ "rbx=5", "", false, true, "rbx=5" },
	{ "", "rbx=5", false, true, "rbx=5" },
	{ "rbx=5 [c+8]=rbx", "rbx=5 [c+16]=rbx", false, true, "rbx=5" },
	{ "rbx=5 rax=rbx", "rbx=5 rcx=rbx", false, true, "rbx=5" },
	{ "r15=5", "", false, true, "r15=5" },
	{ "r15=5 r14=6", "r15=5", false, true, "r15=5 r14=6" },
	{ "bare [c-16]=ra rsp=c-16", "rsp=c-16", false, false, NULL },
	{ "new", "", false, false, NULL },
};

static void row_of(const char *text, struct synthesis_row *ret)
{
	struct flow_state state;

	state_read(&state, text);
	ck_assert_int_eq(synthesis_row_of(&state, 0, ret), SYNTHESIS_REASON_COUNT);
}

START_TEST(two_rows_say_the_same)
{
	const struct two_case *test = &two_cases[_i];
	struct synthesis_row a, b, both;

	row_of(test->a, &a);
	row_of(test->b, &b);
	ck_assert_msg(synthesis_row_equal(&a, &b) == test->equal, "%s, %s", test->a, test->b);
	ck_assert_msg(synthesis_row_join(&a, &b) == test->joins, "%s, %s", test->a, test->b);
	if (!test->both)
		return;
	row_of(test->both, &both);
	ck_assert_msg(synthesis_row_equal(&a, &both), "%s, %s", test->a, test->b);
}
END_TEST

START_TEST(a_signal_s_row_is_no_other_s)
{
	struct synthesis_row signal, row;

	synthesis_signal_row(&signal);
	row_expect("signal", SYNTHESIS_REASON_COUNT, &signal,
		   "cfa=*rsp+160 rbx=rsp+128 rbp=rsp+120 r12=rsp+72 r13=rsp+80 r14=rsp+88 "
		   "r15=rsp+96 ra=rsp+168");
	row = signal;
	ck_assert(synthesis_row_equal(&signal, &row));
	row.signal_frame = false;
	ck_assert(!synthesis_row_equal(&signal, &row));
}
END_TEST

SUITE(synthesis_row, LOOP(a_state_becomes_a_row, row_cases), LOOP(two_rows_say_the_same, two_cases),
      TEST(a_signal_s_row_is_no_other_s))
