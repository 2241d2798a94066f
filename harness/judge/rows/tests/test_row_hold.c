/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_row_hold.c - rows against where the caller's frame was
 *
 * A row is "CFA; return address", each a register and an offset, or an expression in parentheses. What is expected is "right", a
 * reason, or the kind of fault and what is wrong.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include "cfi/expression.h"
#include "judge/rows/row_judge.h"
#include "tests/suite.h"

#define FRAME(sp, bp) ROW_FACT_FRAME, sp, bp
#define ANY	      ROW_FACT_ANY
#define ABOVE	      ROW_FACT_ABOVE
#define PLT	      "(breg7+8; breg16+0; lit15; and; lit11; ge; lit3; shl; plus)"

/* The bit of the word so much below the CFA: at 24 the return address is, at 32 it isn't known. */
#define COPY(below) (1ull << ((ROW_RETURN_ABOVE + (below)) / 8))

static const struct hold_case {
	const char *name, *row; /* "": no row; "!": a mark */
	uint8_t kind;
	int64_t sp, bp;
	const char *expected;
	uint64_t pc;
	bool unproven, signal_frame;
} cases[] = {
	{ "at_the_entry", "rsp+8; c-8", FRAME(8, ABOVE), "right", 0, false, false },
	{ "by_the_frame_pointer", "rbp+16; c-8", FRAME(24, 16), "right", 0, false, false },
	{ "too_high", "rsp+16; c-8", FRAME(8, ABOVE), "wrong cfa ra", 0, false, false },
	{ "too_low", "rsp+8; c-8", FRAME(16, 16), "wrong cfa ra", 0, false, false },
	{ "caller_s_frame_pointer", "rbp+16; c-8", FRAME(8, ABOVE), "wrong cfa ra", 0, false,
	  false },
	{ "another_frame_pointer", "rbp+16; c-8", FRAME(8, 8), "wrong cfa ra", 0, false, false },
	{ "return_address_copied", "rsp+8; c-24", FRAME(8, ABOVE), "right", 0, false, false },
	{ "perhaps_copied", "rsp+8; c-32", FRAME(8, ABOVE), "return_copied", 0, false, false },
	{ "copied_far_below", "rsp+8; c-456", FRAME(8, ABOVE), "return_copied", 0, false, false },
	{ "copied_above", "rsp+8; c+56", FRAME(8, ABOVE), "wrong ra", 0, false, false },
	{ "copied_far_above", "rsp+8; c+64", FRAME(8, ABOVE), "return_copied", 0, false, false },
	{ "half_of_it", "rsp+8; c-4", FRAME(8, ABOVE), "wrong ra", 0, false, false },
	{ "copied_to_no_word", "rsp+8; c-20", FRAME(8, ABOVE), "return_copied", 0, false, false },
	{ "copied_but_another_frame", "rsp+16; c-32", FRAME(8, ABOVE), "register cfa", 0, false,
	  false },
	{ "perhaps_copied_and_another_frame", "rsp+16; c-40", FRAME(8, ABOVE), "wrong cfa", 0,
	  false, false },
	{ "frame_pointer_is_no_code", "rsp+8; rbp", FRAME(8, 8), "wrong ra", 0, false, false },
	{ "stack_pointer_is_no_code", "rsp+8; rsp", FRAME(8, ABOVE), "wrong ra", 0, false, false },
	{ "code_in_rbp", "rsp+8; rbp", FRAME(8, ABOVE), "return_register", 0, false, false },
	{ "return_address_elsewhere", "rsp+8; c-16", FRAME(8, ABOVE), "wrong ra", 0, false, false },
	{ "two_errors_meet", "rsp+16; c-16", FRAME(8, ABOVE), "register cfa", 0, false, false },
	{ "ends_too_early", "rsp+8; undefined", FRAME(8, ABOVE), "early_end ra", 0, false, false },
	{ "no_rule_for_the_return", "rsp+8; none", FRAME(8, ABOVE), "early_end ra", 0, false,
	  false },
	{ "return_address_in_a_register", "rsp+8; rcx", FRAME(8, ABOVE), "return_register", 0,
	  false, false },
	{ "by_another_register", "r10+0; c-8", FRAME(8, ABOVE), "other_register", 0, false, false },
	{ "rsp_varies", "rsp+8; c-8", FRAME(ANY, 16), "varies", 0, false, false },
	{ "rsp_varies_but_not_rbp", "rbp+16; c-8", FRAME(ANY, 16), "right", 0, false, false },
	{ "rbp_varies", "rbp+16; c-8", FRAME(8, ANY), "varies", 0, false, false },
	{ "rbp_varies_but_not_rsp", "rsp+8; c-8", FRAME(8, ANY), "right", 0, false, false },
	{ "far", "rsp+9223372036854775807; c-8", FRAME(-1, ABOVE), "wrong cfa ra", 0, false,
	  false },
	{ "another_stack", "rsp+8; c-8", FRAME(ABOVE, 16), "wrong cfa ra", 0, false, false },
	{ "rbp_on_another_stack", "rbp+16; c-8", FRAME(ABOVE, 16), "right", 0, false, false },
	{ "expression_on_another_stack", "(breg7+24); c-8", FRAME(ABOVE, 16), "other_register", 0,
	  false, false },
	{ "huge_frame", "rsp+16777224; c-8", FRAME(ABOVE, ABOVE), "varies", 0, false, false },
	{ "frame_that_is_not_huge", "rsp+16777216; c-8", FRAME(ABOVE, ABOVE), "wrong cfa ra", 0,
	  false, false },
	{ "expression", "(breg7+24); c-8", FRAME(24, ABOVE), "right", 0, false, false },
	{ "wrong_expression", "(breg7+24); c-8", FRAME(16, ABOVE), "wrong cfa ra", 0, false,
	  false },
	{ "stub_before_its_push", PLT "; c-8", FRAME(8, ABOVE), "right", 0x1026, false, false },
	{ "stub_behind_its_push", PLT "; c-8", FRAME(16, ABOVE), "right", 0x102b, false, false },
	{ "wrong_stub", PLT "; c-8", FRAME(8, ABOVE), "wrong cfa ra", 0x102b, false, false },
	{ "memory", "(breg6-8; deref); c-8", FRAME(40, 16), "memory", 0, false, false },
	{ "expression_by_another_register", "(breg10+0); c-8", FRAME(8, ABOVE), "other_register", 0,
	  false, false },
	{ "expression_by_a_register_that_varies", "(breg7+8); c-8", FRAME(ANY, ABOVE), "varies", 0,
	  false, false },
	{ "right_by_alignment_alone", "(breg7+8; consts-32; and); c-8", FRAME(8, ABOVE), "rule", 0,
	  false, false },
	{ "return_address_by_expression", "rsp+8; (breg7+0)", FRAME(8, ABOVE), "right", 0, false,
	  false },
	{ "return_address_by_the_cfa", "rsp+8; (lit8; minus)", FRAME(8, ABOVE), "right", 0, false,
	  false },
	{ "wrong_return_by_the_cfa", "rsp+8; (lit16; minus)", FRAME(8, ABOVE), "wrong ra", 0, false,
	  false },
	{ "return_address_by_a_wrong_cfa", "rsp+16; (lit8; minus)", FRAME(8, ABOVE), "wrong cfa ra",
	  0, false, false },
	{ "no_row", "", FRAME(8, ABOVE), "missing", 0, false, false },
	{ "marked", "!", FRAME(8, ABOVE), "marked", 0, false, false },
	{ "outermost", "rsp+8; undefined", ROW_FACT_OUTERMOST, 0, 0, "right", 0, false, false },
	{ "outermost_goes_on", "rsp+8; c-8", ROW_FACT_OUTERMOST, 0, 0, "no_end ra", 0, false,
	  false },
	{ "outermost_without_a_row", "", ROW_FACT_OUTERMOST, 0, 0, "missing", 0, false, false },
	{ "signal_s_frame", "rsp+8; c-8", ROW_FACT_SIGNAL, 0, 0, "signal_frame", 0, false, true },
	{ "signal_s_frame_unmarked", "rsp+8; c-8", ROW_FACT_SIGNAL, 0, 0, "signal_flag", 0, false,
	  false },
	{ "signal_s_frame_without_a_row", "", ROW_FACT_SIGNAL, 0, 0, "signal_frame", 0, false,
	  false },
	{ "called_signal_s_frame", "rsp+8; c-8", FRAME(16, 0), "signal_frame", 0, false, true },
	{ "doubt", "rsp+8; c-8", ROW_FACT_DOUBT, 0, 0, "doubt", 0, false, false },
	{ "doubt_without_a_row", "", ROW_FACT_DOUBT, 0, 0, "doubt", 0, false, false },
	{ "prefix", "rsp+8; c-8", ROW_FACT_PREFIX, 0, 0, "prefix", 0, false, false },
	{ "contradicted", "rsp+8; c-8", FRAME(16, 0), "contradicted", 0, true, false },
};

/* "rbp+16", "c-8", "rcx", "undefined", "none", "(expression)" */
static struct row_rule rule_of(const char *text, size_t size, bool is_cfa, uint8_t *bytes)
{
	struct row_rule ret = { .kind = is_cfa ? RULE_CFA_REGISTER : RULE_OFFSET };
	char name[8] = "";
	long long offset = 0;
	size_t used;

	if (text[0] == '(') {
		ret.kind = is_cfa ? RULE_CFA_EXPRESSION : RULE_EXPRESSION;
		ret.expression = bytes;
		ck_assert_int_eq(expression_read(text + 1, size - 2, bytes, 100, &used), 0);
		ret.expression_bytes = used;
		return ret;
	}
	sscanf(text, "%7[a-z0-9]%lld", name, &offset);
	ret.offset = offset;
	if (!strncmp(text, "undefined", 9))
		ret.kind = RULE_UNDEFINED;
	else if (!strncmp(text, "none", 4))
		ret.kind = RULE_UNSPECIFIED;
	else if (strcmp(name, "c"))
		ret.reg = (uint32_t)register_number(name);
	if (ret.kind == RULE_OFFSET && strcmp(name, "c"))
		ret.kind = RULE_REGISTER;
	return ret;
}

static void say(const char *row, bool signal_frame, struct row_said *ret)
{
	const char *end = strstr(row, "; c"), *at;

	*ret = (struct row_said) { .kind = ROW_SAID_NOTHING, .declared = UINT32_MAX };
	if (!row[0])
		return;
	ret->kind = row[0] == '!' ? ROW_SAID_MARK : ROW_SAID_ROW;
	if (row[0] == '!')
		return;
	at = row[0] == '(' ? strchr(row, ')') + 1 : strchr(row, ';');
	end = at + 2;
	ret->row.cfa = rule_of(row, (size_t)(at - row), true, ret->expression);
	ret->row.reg[REGISTER_RIP] = rule_of(end, strlen(end), false, ret->expression + 100);
	ret->row.signal_frame = signal_frame;
}

static const char *describe(const struct row_verdict *verdict)
{
	static char text[100];

	if (verdict->outcome == ROW_RIGHT)
		return "right";
	if (verdict->outcome != ROW_WRONG)
		return row_reason_name(verdict->reason);
	snprintf(text, sizeof(text), "%s%s%s%s", fault_kind_name(verdict->kind),
		 verdict->registers >> REGISTER_RSP & 1 ? " cfa" : "",
		 verdict->registers >> REGISTER_RIP & 1 ? " ra" : "",
		 verdict->registers >> REGISTER_RBX & 1 ? " rbx" : "");
	return text;
}

START_TEST(row_is_held)
{
	const struct hold_case *c = &cases[_i];
	const struct row_fact fact = { .pc = c->pc,
				       .kind = c->kind,
				       .sp = c->sp,
				       .bp = c->bp,
				       .proven = !c->unproven,
				       .unproven = 1,
				       .returns = { true, COPY(24), ~(COPY(24) | COPY(32)) } };
	struct row_verdict verdict;
	struct row_said said;

	say(c->row, c->signal_frame, &said);
	row_hold(&said, &fact, &verdict);
	ck_assert_msg(!strcmp(describe(&verdict), c->expected), "%s: %s, not %s", c->name,
		      describe(&verdict), c->expected);
	ck_assert((verdict.outcome == ROW_DOUBTED) ==
		  (c->unproven || c->kind == ROW_FACT_DOUBT || c->kind == ROW_FACT_PREFIX));
}
END_TEST

/* ---- a call that may have opened no frame ------------------------------------------------------ */

/* The innermost frame's CFA is rsp+8, the next one's rsp+32 and rbp+16, and that one's is the outermost. */
static const struct reading_case {
	const char *name, *row;
	uint8_t others;
	const char *expected;
} reading_cases[] = {
	{ "the_call_s", "rsp+8; c-8", 2, "right" },
	{ "the_function_s", "rsp+32; c-8", 2, "right" },
	{ "the_function_s_by_rbp", "rbp+16; c-8", 2, "right" },
	{ "no_caller", "rsp+8; undefined", 2, "right" },
	{ "none_of_them", "rsp+16; c-8", 2, "wrong cfa ra" },
	{ "another_word", "rsp+32; c-16", 2, "return_copied" },
	{ "not_so_far_out", "rsp+8; undefined", 1, "early_end ra" },
	{ "an_ordinary_call", "rsp+32; c-8", 0, "wrong cfa ra" },
};

START_TEST(another_reading_is_right)
{
	const struct reading_case *c = &reading_cases[_i];
	const struct row_fact fact = { .sp = 8,
				       .proven = 1,
				       .others = c->others,
				       .other = { { 32, 16 }, { ROW_FACT_NO_CALLER, 0 } },
				       .returns = { true, 0, UINT64_MAX } };
	struct row_verdict verdict;
	struct row_said said;

	say(c->row, false, &said);
	row_hold(&said, &fact, &verdict);
	ck_assert_msg(!strcmp(describe(&verdict), c->expected), "%s: %s", c->name,
		      describe(&verdict));
}
END_TEST

/* A rule for rsp says where the caller's is, wherever the CFA is. */
START_TEST(caller_s_rsp_may_have_a_rule)
{
	struct row_fact fact = { .sp = 8,
				 .proven = 1,
				 .returns = { true, COPY(24), ~COPY(24), true,
					      1u << REGISTER_RBX } };
	struct row_verdict verdict;
	struct row_said said;

	say("rsp+24; c-40", false, &said);
	said.row.reg[REGISTER_RSP] = (struct row_rule) { .kind = RULE_VAL_OFFSET, .offset = -16 };
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "right");
	said.row.reg[REGISTER_RSP].offset = -8;
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "register cfa");
	said.row.reg[REGISTER_RSP].kind = RULE_OFFSET;
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "memory");
	say("rsp+8; rbx", false, &said);
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "right");
	say("rsp+8; rcx", false, &said);
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "wrong ra");
}
END_TEST

/* ---- tables that have no words for all ------------------------------------------------------- */

START_TEST(what_is_not_declared_is_not_judged)
{
	const struct row_fact fact = {
		.kind = ROW_FACT_FRAME, .sp = 8, .proven = 1, .returns = { true, 0, UINT64_MAX }
	};
	const struct row_fact outermost = { .kind = ROW_FACT_OUTERMOST, .proven = 1 };
	struct row_verdict verdict;
	struct row_said said;

	say("rsp+8; c-16", false, &said);
	said.declared = ROW_DECLARES_CFA;
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "right");
	row_hold(&said, &outermost, &verdict);
	ck_assert_str_eq(describe(&verdict), "rule");
	said.row.cfa.offset = 16;
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "wrong cfa");
	said.declared = 1u << REGISTER_RIP;
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "rule");
	said.declared = UINT32_MAX;
	said.vague = 1u << REGISTER_RIP;
	said.row.reg[REGISTER_RIP].kind = RULE_UNSPECIFIED;
	row_hold(&said, &fact, &verdict);
	ck_assert_str_eq(describe(&verdict), "rule");
}
END_TEST

/* ---- callee-saved registers ------------------------------------------------------------------- */

static const struct register_case {
	const char *name, *rule;
	uint8_t same;
	uint64_t held;
	int expected; /* 1: right; 0: wrong; -1: unjudged */
} register_cases[] = {
	{ "unchanged", "none", 1, 0, 1 },
	{ "overwritten", "none", 0, 1, 0 },
	{ "saved_in_the_first_word", "c-16", 0, 1, 1 },
	{ "saved_in_the_third", "c-32", 0, 4, 1 },
	{ "not_saved_there", "c-24", 1, 1, 0 },
	{ "saved_in_the_last_word", "c-520", 0, 1ull << 63, 1 },
	{ "too_far", "c-528", 0, UINT64_MAX, -1 },
	{ "above", "c-8", 0, UINT64_MAX, -1 },
	{ "no_word", "c-17", 0, UINT64_MAX, -1 },
	{ "by_expression", "(lit24; minus)", 0, 2, 1 },
	{ "not_there_by_expression", "(lit24; minus)", 0, 1, 0 },
	{ "in_another_register", "rcx", 1, 1, -1 },
	{ "lost", "undefined", 0, 0, -1 },
};

START_TEST(register_is_held)
{
	const struct register_case *c = &register_cases[_i];
	struct row_fact fact = { .kind = ROW_FACT_FRAME, .sp = 40, .proven = 1 };
	struct row_verdict verdict;
	struct row_said said;
	int held;

	fact.registers = (struct row_fact_registers) { true, 0x3e, { 0 } };
	fact.registers.same |= c->same;
	fact.registers.held[0] = c->held;
	say("rsp+40; c-8", false, &said);
	said.row.reg[REGISTER_RBX] = rule_of(c->rule, strlen(c->rule), false,
					     said.expression + 200);
	row_hold(&said, &fact, &verdict);
	held = verdict.registers_unjudged ? -1 : verdict.outcome == ROW_RIGHT;
	ck_assert_msg(held == c->expected, "%s: %d", c->name, held);
	if (!held)
		ck_assert_str_eq(describe(&verdict), "register rbx");
	ck_assert_int_eq(__builtin_popcount(verdict.registers_right), 5 + (held > 0));
}
END_TEST

START_TEST(actual_is_said)
{
	struct row_fact fact = { .kind = ROW_FACT_FRAME, .sp = 8, .bp = ROW_FACT_ABOVE };
	struct row_verdict verdict = { .kind = FAULT_WRONG };
	char text[ROW_TEXT_BYTES];

	row_actual_print(&fact, &verdict, text, sizeof(text));
	ck_assert_str_eq(text, "cfa=rsp+8 ra=c-8");
	fact.bp = 16;
	row_actual_print(&fact, &verdict, text, sizeof(text));
	ck_assert_str_eq(text, "cfa=rsp+8, cfa=rbp+16 ra=c-8");
	fact.sp = ROW_FACT_ANY;
	row_actual_print(&fact, &verdict, text, sizeof(text));
	ck_assert_str_eq(text, "cfa=rbp+16 ra=c-8");
	verdict.kind = FAULT_REGISTER;
	verdict.registers = 1u << REGISTER_RBX | 1u << REGISTER_R15;
	row_actual_print(&fact, &verdict, text, sizeof(text));
	ck_assert_str_eq(text, "not the caller's: rbx r15");
	fact.sp = ROW_FACT_ABOVE;
	verdict.kind = FAULT_WRONG;
	row_actual_print(&fact, &verdict, text, sizeof(text));
	ck_assert_str_eq(text, "cfa=rbp+16 ra=c-8");
	fact.kind = ROW_FACT_OUTERMOST;
	verdict.kind = FAULT_NO_END;
	row_actual_print(&fact, &verdict, text, sizeof(text));
	ck_assert_str_eq(text, "no caller");
}
END_TEST

SUITE(row_hold, LOOP(row_is_held, cases), LOOP(another_reading_is_right, reading_cases),
      TEST(caller_s_rsp_may_have_a_rule), TEST(what_is_not_declared_is_not_judged),
      LOOP(register_is_held, register_cases), TEST(actual_is_said))
