/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_row.c - a row, what is known before an instruction, and the verdict
 *
 * Rows are as row_print() has them, states as in flow_fixture.h. The verdict is "proven", "unproven" with the
 * reason's name, or the fault with its texts for people; then "ends", if the row says that there is no caller.
 */
#include "tests/suite.h"
#include "analysis/flow/flow_row.c"
#include "flow_fixture.h"
#include "analysis/lint/lint.h"

#define BELOW "rsp=c-64"

static const uint8_t rbp_16[] = { 0x76, 0x70 }; /* DW_OP_breg6 -16 */

#define IS(...)	   .verdict = __VA_ARGS__
#define TERMS(...) .terms = { __VA_ARGS__ }

static const struct row_case {
	const char *row, *state, *verdict;
	struct flow_row_terms terms;
} row_cases[] = {
	{ "cfa=rsp+8 ra=c-8", "", IS("proven") },
	{ "cfa=rsp+64 ra=c-8 rbx=c-16 rbp=c-24", BELOW " [c-16]=rbx [c-24]=rbp rbx=? rbp=!",
	  IS("proven") },
	{ "cfa=rsp+64 ra=c-8 rbx=c-16 rbp=c-24", BELOW " [c-24]=rbp [c-16]=rbx rbx=? rbp=!",
	  IS("proven") },
	{ "cfa=rsp+64 ra=c-8 rbx=c-16", BELOW " [c-24]=rbp [c-16]=rbx rbx=?", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=same r15=same", "", IS("proven") },
	/* The CFA. */
	{ "cfa=rsp+16 ra=c-8", "", IS("cfa: cfa=rsp+16 / cfa=rsp+8") },
	{ "cfa=rsp+0 ra=c-8", "", IS("cfa: cfa=rsp+0 / cfa=rsp+8") },
	{ "cfa=rbp+16 ra=c-8", "rbp=c-8", IS("cfa: cfa=rbp+16 / cfa=rbp+8") },
	{ "cfa=rbp+16 ra=c-8", "", IS("cfa: cfa=rbp+16 / cfa=rsp+8") },
	{ "cfa=r15+16 ra=c-8", "rsp=? rbp=c-16", IS("cfa: cfa=r15+16 / cfa=rbp+16") },
	{ "cfa=r15+16 ra=c-8", "rsp=?", IS("cfa: cfa=r15+16 / another") },
	{ "cfa=r10+16 ra=c-8", "", IS("unproven value_unknown") },
	{ "cfa=rsp+16 ra=c-8", "rsp=?", IS("unproven value_unknown") },
	{ "cfa=rsp+16 ra=c-8", "rsp=b9+0", IS("unproven value_unknown") },
	{ "cfa=rsp+16 ra=c-8", "rsp=5", IS("unproven value_unknown") },
	{ "cfa=rbx+16 ra=c-8", "rsp=?", IS("cfa: cfa=rbx+16 / another") },
	{ "cfa=cfaexp ra=c-8 rbp=undefined", "rbp=c+16", IS("proven") },
	{ "cfa=cfaexp ra=c-8", "rbp=c-8 rax=c-32", IS("cfa: cfa=exp(breg6-16) / cfa=rsp+8") },
	{ "cfa=cfaexp ra=c-8", "rbp=?", IS("unproven value_unknown") },
	{ "cfa=rip+16 ra=c-8", "", IS("unproven value_unknown") },
	{ "cfa=high+8 ra=c-8", "", IS("unproven value_unknown") },
	/* The return address. */
	{ "cfa=rsp+8 ra=c-16", "", IS("return: ra=c-16 / nothing was written there") },
	{ "cfa=rsp+8 ra=c-8", "bare [c-8]=rdi", IS("return: ra=c-8 / there is the caller's rdi") },
	{ "cfa=rsp+8 ra=c-8", "bare [c-8]=?", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-16", "[c-16]=rbx+8",
	  IS("return: ra=c-16 / there is the caller's rbx+8") },
	{ "cfa=rsp+8 ra=c+0", "", IS("return: ra=c+0 / it is at c-8") },
	{ "cfa=rsp+8 ra=c+8", "", IS("return: ra=c+8 / it is at c-8") },
	{ "cfa=rsp+8 ra=c-16", "touched=-16..-8", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-16", "touched=-24..-16",
	  IS("return: ra=c-16 / nothing was written there") },
	{ "cfa=rsp+8 ra=rdi", "rdi=ra", IS("proven") },
	/* What is declared lost is the least of what may be wrong. */
	{ "cfa=rsp+8 ra=c-8 rbx=undefined r12=c-16", "",
	  IS("not-saved: r12=c-16 / nothing was written there") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "",
	  IS("lost: rbx=undefined / this frame still has it") },
	{ "cfa=rsp+8 ra=rdi", "", IS("return: ra=rdi / there is the caller's rdi") },
	{ "cfa=rsp+8 ra=rip", "", IS("return: ra=rip / it is at c-8") },
	{ "cfa=rsp+8 ra=high", "", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=same", "", IS("return: ra=same / it is at c-8") },
	{ "cfa=rsp+8 ra=none", "", IS("return: ra=none / it is at c-8") },
	{ "cfa=rsp+8 ra=undefined", "", IS("proven ends") },
	{ "cfa=rsp+99 ra=undefined rbx=c-16", "both", IS("proven ends") },
	{ "cfa=rsp+8 ra=v-8", "", IS("return: ra=v-8 / there is the return address") },
	{ "cfa=rsp+8 ra=v-16", "", IS("return: ra=v-16 / it is at c-8") },
	{ "cfa=rsp+8 ra=exp rbp=undefined", "rbp=c+8", IS("proven") },
	{ "cfa=rsp+8 ra=exp rbp=undefined", "rbp=c-8",
	  IS("return: ra=exp(breg6-16) / nothing was written there") },
	/* Registers that are saved. */
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=rbp",
	  IS("not-saved: rbx=c-16 / there is the caller's rbp") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=ra",
	  IS("not-saved: rbx=c-16 / there is the return address") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=c-24", IS("not-saved: rbx=c-16 / there is cfa-24") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=b9+0",
	  IS("not-saved: rbx=c-16 / there is an address of this frame") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=18", IS("not-saved: rbx=c-16 / there is 0x12") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=!",
	  IS("not-saved: rbx=c-16 / there is another value") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=rbx+8",
	  IS("not-saved: rbx=c-16 / there is the caller's rbx+8") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "", IS("not-saved: rbx=c-16 / nothing was written there") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "escaped=rbp",
	  IS("not-saved: rbx=c-16 / nothing was written there") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "escaped=rbx", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "lost", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-20", "[c-16]=rbx",
	  IS("not-saved: rbx=c-20 / there is another value") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-23", "[c-16]=rbx [c-40]=rbp escaped=rbx",
	  IS("not-saved: rbx=c-23 / there is another value") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-17", "[c-24]=rbx escaped=rbx",
	  IS("not-saved: rbx=c-17 / there is another value") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-24", "[c-16]=rbx escaped=rbx", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-24", "[c-32]=rbx escaped=rbx", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-20", "bare [c-16]=rbx [c-8]=ra escaped=rbx",
	  IS("not-saved: rbx=c-20 / there is another value") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-20", "[c-16]=rbx forget escaped=rbx",
	  IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-20", "[c-16]=5 escaped=rbx", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-20", "[b9-16]=rbx escaped=rbx", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbp=exp", "rbp=b9+24 [b9+4]=rbp escaped=rbp",
	  IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp rbp=undefined", "rbp=b9+16 [b9+0]=rbx rbx=?", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp rbp=undefined", "rbp=b9+16 rbx=?",
	  IS("not-saved: rbx=exp(breg6-16) / nothing was written there") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp rbp=undefined", "rbp=b9+16 rbx=? bases",
	  IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp rbp=undefined", "rbp=5", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp", "",
	  IS("not-saved: rbx=exp(breg6-16) / it is in rbx, and that word counts from the "
	     "caller's rbp-16") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp", "rbx=?", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=exp rbp=undefined", "rbp=rdi", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=exp", "", IS("unproven value_unknown") },
	/* Registers that are kept otherwise. */
	{ "cfa=rsp+8 ra=c-8 rbx=rax", "rax=rbx rbx=?", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=rax", "", IS("not-saved: rbx=rax / there is the caller's rax") },
	{ "cfa=rsp+8 ra=c-8 rbx=rax", "rax=?", IS("unproven value_unknown") },
	/* Below the red zone a signal's frame may be. */
	{ "cfa=rsp+8 ra=c-8 rbx=c-136", "[c-136]=rbx rbx=5", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-144", "[c-144]=rbx rbx=5", IS("unproven value_unknown") },
	{ "cfa=rsp+64 ra=c-8 rbx=c-192", BELOW " [c-192]=rbx rbx=5", IS("proven") },
	{ "cfa=rsp+64 ra=c-8 rbx=c-200", BELOW " [c-200]=rbx rbx=5", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=c-144", "[c-144]=rbp",
	  IS("not-saved: rbx=c-144 / there is the caller's rbp") },
	{ "cfa=rbp+16 ra=c-8 rbp=undefined rbx=c-400", "rsp=? rbp=c-16 [c-400]=rbx rbx=5",
	  IS("proven") },
	{ "cfa=rbp+16 ra=c-8 rbp=undefined rbx=c-400", "rsp=b9+0 rbp=c-16 [c-400]=rbx rbx=5",
	  IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "rbx=5 [c-144]=rbx", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "rbx=5 [c-136]=rbx",
	  IS("lost: rbx=undefined / this frame still has it") },
	/* Elsewhere than where a call puts it, while it is still there. */
	{ "cfa=rsp+8 ra=c+8", "bare [c-8]=5", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c+8", "[c+8]=ra", IS("proven") },
	{ "cfa=rsp+8 ra=c+8", "[c+8]=5", IS("return: ra=c+8 / there is 0x5") },
	{ "cfa=rsp+8 ra=same", "bare [c-8]=5", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=same", "bare [c-8]=rdi", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=none", "new", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=none", "", IS("unproven rule_unknown"), TERMS(.vague = UINT32_MAX) },
	{ "cfa=rsp+8 ra=same", "", IS("return: ra=same / it is at c-8"),
	  TERMS(.vague = UINT32_MAX) },
	{ "cfa=rsp+8 ra=none rbx=c-16", "[c-16]=5", IS("not-saved: rbx=c-16 / there is 0x5"),
	  TERMS(.vague = UINT32_MAX) },
	{ "cfa=rsp+8 ra=none rbx=same", "rbx=5", IS("return: ra=none / it is at c-8") },
	{ "cfa=rsp+8 ra=c-8 rbx=rip", "", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=v-16", "[c-16]=rbx",
	  IS("not-saved: rbx=v-16 / there is the caller's rbx") },
	{ "cfa=rsp+8 ra=c-8 rbx=v-16", "[c-16]=rbp", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=v-16", "", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=valexp", "", IS("unproven rule_unknown") },
	/* Registers that are overwritten, and those of another convention. */
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", IS("overwritten: rbx=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=?", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8 r15=same", "r15=!", IS("overwritten: r15=same / it is another value") },
	{ "cfa=rsp+8 ra=c-8", "rbx=5", IS("unproven not_kept") },
	{ "cfa=rsp+8 ra=c-8", "rbx=5 rax=rbx", IS("overwritten: rbx=none / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8", "rbx=5 r15=rbx", IS("unproven not_kept") },
	{ "cfa=rsp+8 ra=c-8", "rbx=5 [c-16]=rbx", IS("overwritten: rbx=none / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8", "rbx=5 [c-16]=rbx+8 rax=rbx+8", IS("unproven not_kept") },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", IS("unproven rule_unknown"),
	  TERMS(.agreed = 1u << REGISTER_RBX) },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", IS("overwritten: rbx=same / it is 0x5"),
	  TERMS(.agreed = ~(1u << REGISTER_RBX)) },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "", IS("not-saved: rbx=c-16 / nothing was written there"),
	  TERMS(.agreed = 1u << REGISTER_RBX) },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", IS("unproven rule_unknown"),
	  TERMS(.vague = 1u << REGISTER_RBX) },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5 rax=rbx", IS("overwritten: rbx=same / it is 0x5"),
	  TERMS(.vague = 1u << REGISTER_RBX) },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", IS("overwritten: rbx=same / it is 0x5"),
	  TERMS(.vague = ~(1u << REGISTER_RBX)) },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "rbx=5", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "",
	  IS("lost: rbx=undefined / this frame still has it") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "rbx=5 [c-16]=rbx",
	  IS("lost: rbx=undefined / this frame still has it") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "bare [c-16]=rbx [c-8]=ra rbx=5",
	  IS("lost: rbx=undefined / this frame still has it") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "rbx=5 [c-16]=rbp", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "rbx=5 [c-16]=rbx forget", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rbp=undefined rbx=c-16", "rbp=5 rbx=?",
	  IS("not-saved: rbx=c-16 / nothing was written there") },
	/* The first that is wrong counts, after those that are not known. */
	{ "cfa=rsp+8 ra=c-8 rbx=same rbp=same", "rbx=? rbp=5",
	  IS("overwritten: rbp=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8 rbx=same rbp=same", "rbx=5 rbp=6",
	  IS("overwritten: rbx=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-16 rbx=same", "rbx=5",
	  IS("return: ra=c-16 / nothing was written there") },
	/* Registers that no callee preserves. */
	{ "cfa=rsp+8 ra=c-8 rdi=same", "", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rdi=same", "rdi=5", IS("overwritten: rdi=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8 rax=same", "rax=5", IS("overwritten: rax=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8 rdi=same", "rdi=5", IS("unproven rule_unknown"),
	  TERMS(.agreed = 1u << REGISTER_RDI) },
	{ "cfa=rsp+8 ra=c-8 rdi=same", "rdi=5", IS("overwritten: rdi=same / it is 0x5"),
	  TERMS(.agreed = ~(1u << REGISTER_RDI)) },
	{ "cfa=rsp+8 ra=c-8 rdi=same", "", IS("proven"), TERMS(.agreed = 1u << REGISTER_RDI) },
	{ "cfa=rsp+8 ra=c-8 rdi=same rbx=same", "rdi=5 rbx=6",
	  IS("overwritten: rbx=same / it is 0x6") },
	{ "cfa=rsp+8 ra=c-8 rax=same rdi=same", "rax=5 rdi=6",
	  IS("overwritten: rax=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8 rdi=undefined", "", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rdi=c-16", "[c-16]=rdi", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 xmm", "", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=c-8 rbx=same xmm", "rbx=5", IS("overwritten: rbx=same / it is 0x5") },
	{ "cfa=rsp+8 ra=c-8 rbx=same xmm", "rbx=?", IS("unproven value_unknown") },
	/* The stack pointer. */
	{ "cfa=rsp+8 ra=c-8 rsp=v+0", "", IS("proven") },
	{ "cfa=rsp+8 ra=c-8 rsp=v+8", "", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=c-8 rsp=c+0", "", IS("unproven rule_unknown") },
	{ "cfa=rsp+8 ra=c-8 rsp=v+8 rbx=same", "rbx=5", IS("overwritten: rbx=same / it is 0x5") },
	/* Whose frame it is. */
	{ "cfa=rsp+8 ra=c-8 signal", "", IS("unproven signal_frame") },
	{ "cfa=rsp+8 ra=undefined signal", "", IS("unproven signal_frame") },
	{ "cfa=rsp+8 ra=c-8", "both", IS("unproven value_unknown") },
	{ "cfa=rsp+8 ra=c-8", "new", IS("proven") },
	/* What a row does not declare is not judged. */
	{ "cfa=rsp+8 ra=c-16", "", IS("proven"), TERMS(.declared = ~(1u << REGISTER_RIP)) },
	{ "cfa=rsp+8 ra=undefined", "", IS("proven"), TERMS(.declared = ~(1u << REGISTER_RIP)) },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", IS("proven"),
	  TERMS(.declared = ~(1u << REGISTER_RBX)) },
	{ "cfa=rsp+8 ra=c-8 rbx=same rbp=same", "rbx=5 rbp=6",
	  IS("overwritten: rbp=same / it is 0x6"), TERMS(.declared = ~(1u << REGISTER_RBX)) },
	{ "cfa=rsp+8 ra=c-8 rdi=same", "rdi=5", IS("proven"),
	  TERMS(.declared = ~(1u << REGISTER_RDI)) },
	{ "cfa=rsp+8 ra=c-8 rax=same rdi=same", "rax=5 rdi=6",
	  IS("overwritten: rdi=same / it is 0x6"), TERMS(.declared = ~(1u << REGISTER_RAX)) },
	{ "cfa=rsp+16 ra=c-8", "", IS("unproven rule_unknown"),
	  TERMS(.declared = ~ROW_DECLARES_CFA) },
	{ "cfa=rsp+16 ra=undefined", "", IS("proven ends"), TERMS(.declared = ~ROW_DECLARES_CFA) },
};

static void rule_read(struct row_rule *ret, const char *text)
{
	char name[8] = "";

	if (strstr(text, "exp")) {
		ret->kind = *text == 'e'   ? RULE_EXPRESSION
			    : *text == 'v' ? RULE_VAL_EXPRESSION
					   : RULE_CFA_EXPRESSION;
		ret->expression = rbp_16;
		ret->expression_bytes = sizeof(rbp_16);
	} else if (sscanf(text, "c%" SCNi64, &ret->offset) == 1) {
		ret->kind = RULE_OFFSET;
	} else if (sscanf(text, "v%" SCNi64, &ret->offset) == 1) {
		ret->kind = RULE_VAL_OFFSET;
	} else if (!strcmp(text, "same")) {
		ret->kind = RULE_SAME_VALUE;
	} else if (!strcmp(text, "undefined")) {
		ret->kind = RULE_UNDEFINED;
	} else if (strcmp(text, "none")) {
		ck_assert_int_ge(sscanf(text, "%7[a-z0-9]%" SCNi64, name, &ret->offset), 1);
		ret->kind = strpbrk(text, "+-") ? RULE_CFA_REGISTER : RULE_REGISTER;
		ret->reg = strcmp(name, "high") ? (uint32_t)register_number(name) : 4711;
		ck_assert_int_ge((int)ret->reg, 0);
	}
}

static void row_read(struct row *row, const char *text)
{
	char *copy = strdup(text), *rest = copy, *fragment, *equals;

	*row = (struct row) { .pc = 0x1000, .pc_end = 0x1001 };
	while ((fragment = strsep(&rest, " "))) {
		equals = strchr(fragment, '=');
		row->signal_frame |= !strcmp(fragment, "signal");
		row->high |= !strcmp(fragment, "xmm");
		if (!equals)
			continue;
		*equals = '\0';
		if (!strcmp(fragment, "cfa"))
			rule_read(&row->cfa, equals + 1);
		else if (!strcmp(fragment, "ra"))
			rule_read(&row->reg[REGISTER_RIP], equals + 1);
		else
			rule_read(&row->reg[register_number(fragment)], equals + 1);
	}
	free(copy);
}

static void verdict_print(FILE *file, const struct row *row, const struct flow_state *state,
			  const struct flow_row_verdict *verdict)
{
	static const char *const faults[] = { "cfa", "return", "not-saved", "overwritten", "lost" };
	char declared[FLOW_TEXT_BYTES], actual[FLOW_TEXT_BYTES];

	if (verdict->outcome == FLOW_ROW_UNPROVEN) {
		fprintf(file, "unproven %s", lint_reasons[verdict->reason].name);
	} else if (verdict->outcome == FLOW_ROW_MISMATCH) {
		flow_row_describe(row, state, verdict, declared, actual);
		fprintf(file, "%s: %s / %s", faults[verdict->fault], declared, actual);
	} else {
		fprintf(file, "proven%s", verdict->ends ? " ends" : "");
	}
}

/* What holds at a glance is proven, and of what is proven only the unusual does not. */
START_TEST(a_row_is_held_against_a_state)
{
	const struct row_case *test = &row_cases[_i];
	struct flow_row_terms terms = test->terms;
	bool plain = !terms.agreed && !terms.vague && !terms.declared;
	struct flow_row_verdict verdict, quick;
	struct flow_state state;
	struct row row;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	state_read(&state, test->state);
	row_read(&row, test->row);
	if (!terms.declared)
		terms.declared = UINT32_MAX;
	flow_row_check_terms(&row, row.pc, &state, &terms, &verdict);
	verdict_print(file, &row, &state, &verdict);
	fclose(file);
	ck_assert_msg(!strcmp(text, test->verdict), "%s, %s:\n%s\nexpected:\n%s", test->row,
		      test->state, text, test->verdict);
	free(text);
	if (!plain)
		return;
	flow_row_check(&row, row.pc, &state, 0, &quick);
	ck_assert_int_eq(quick.outcome, verdict.outcome);
	ck_assert_int_eq(quick.ends, verdict.ends);
}
END_TEST

static const struct glance_case {
	const char *row, *state;
	bool holds;
} glance_cases[] = {
	{ "cfa=rsp+8 ra=c-8", "", true },
	{ "cfa=rsp+8 ra=c-8 rbx=same rsp=v+0", "", true },
	{ "cfa=rbp+16 ra=c-8 rbp=c-16", "rbp=c-16 [c-16]=rbp", true },
	{ "cfa=rsp+64 ra=c-8 rbx=c-16 r15=c-24", BELOW " [c-16]=rbx [c-24]=r15 rbx=? r15=!", true },
	{ "cfa=rsp+64 ra=c-8 rbx=c-40", BELOW " [c-16]=r15 [c-40]=rbx rbx=5", true },
	{ "cfa=rsp+8 ra=c-8 rdi=undefined", "", true },
	{ "cfa=rsp+16 ra=c-8", "", false },
	{ "cfa=rsp+8 ra=c-8", "rsp=b9-8", false },
	{ "cfa=rbp+8 ra=c-8", "", false },
	{ "cfa=high+8 ra=c-8", "", false },
	{ "cfa=rip+8 ra=c-8", "rax=c-8", false },
	{ "cfa=exp ra=c-8", "rax=c+0", false },
	{ "cfa=rsp+8 ra=c-16", "", false },
	{ "cfa=rsp+8 ra=c-16", "[c-16]=rbx", false },
	{ "cfa=rsp+8 ra=v-8", "", false },
	{ "cfa=rsp+8 ra=undefined", "", false },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "", false },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=r15", false },
	{ "cfa=rsp+8 ra=c-8 rbx=c-16", "[c-16]=rbx forget", false },
	{ "cfa=rsp+8 ra=c-8 rbx=v-16", "[c-16]=rbx", false },
	{ "cfa=rsp+8 ra=c-8 rbx=undefined", "", false },
	{ "cfa=rsp+8 ra=c-8", "rbx=?", false },
	{ "cfa=rsp+8 ra=c-8", "r15=5", false },
	{ "cfa=rsp+8 ra=c-8", "rbx=rbx+8", false },
	{ "cfa=rsp+8 ra=c-8 rbx=same", "rbx=5", false },
	{ "cfa=rsp+8 ra=c-8", "both", false },
	{ "cfa=rsp+8 ra=c-8", "new", false },
	{ "cfa=rsp+8 ra=c-8 signal", "", false },
	{ "cfa=rsp+8 ra=c-8 xmm", "", false },
	{ "cfa=rsp+8 ra=c-8 rdi=same", "", false },
	{ "cfa=rsp+8 ra=c-8 rsp=v+8", "", false },
	{ "cfa=rsp+8 ra=c-8 rsp=same", "", false },
};

START_TEST(a_usual_row_holds_at_a_glance)
{
	const struct glance_case *test = &glance_cases[_i];
	struct flow_state state;
	struct row row;

	state_read(&state, test->state);
	row_read(&row, test->row);
	ck_assert_msg(flow_row_holds(&row, &state) == test->holds, "%s, %s", test->row,
		      test->state);
}
END_TEST

static const struct entry_case {
	const char *state;
	bool entry, preserves;
} entry_cases[] = {
	{ "", true, true },
	{ "rax=5 rdi=? r11=c-8 [c-16]=rbx", true, true },
	{ "rsp=c-16", false, true },
	{ "rbx=5", false, false },
	{ "rbp=rbp+8", false, false },
	{ "r12=?", false, false },
	{ "r13=r12", false, false },
	{ "r14=c-8", false, false },
	{ "r15=!", false, false },
	{ "bare [c-8]=5", false, true },
	{ "bare", false, true },
	{ "bare [c-16]=ra", false, true },
};

START_TEST(a_state_is_an_entry_s)
{
	const struct entry_case *test = &entry_cases[_i];
	struct flow_state state;

	state_read(&state, test->state);
	ck_assert_msg(flow_state_is_entry(&state) == test->entry, "%s", test->state);
	ck_assert_msg(flow_row_preserves(&state) == test->preserves, "%s", test->state);
}
END_TEST

START_TEST(a_row_is_an_entry_s)
{
	struct row row;

	row_read(&row, "cfa=rsp+8 ra=c-8");
	ck_assert(flow_row_is_entry(&row));
	row_read(&row, "cfa=rsp+16 ra=c-8");
	ck_assert(!flow_row_is_entry(&row));
	row_read(&row, "cfa=rsp+8 ra=c-8 rbx=v-16");
	ck_assert(!flow_row_is_entry(&row));
}
END_TEST

SUITE(flow_row, LOOP(a_row_is_held_against_a_state, row_cases),
      LOOP(a_usual_row_holds_at_a_glance, glance_cases), LOOP(a_state_is_an_entry_s, entry_cases),
      TEST(a_row_is_an_entry_s))
