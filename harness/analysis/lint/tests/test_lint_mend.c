/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_mend.c - the directive that would make a wrong row right, of a state that is made up
 *
 * A wrong directive sends who believes it to the next wrong row: where none is right alone, none is said.
 */
#include "analysis/lint/lint_judge.c"
#include <stdlib.h>
#include "tests/suite.h"
#include "analysis/lint/lint_inside.h"

#define AT_CFA(bytes)                                                                              \
	{                                                                                          \
		.kind = VALUE_CFA, .number = (bytes)                                               \
	}
#define CALLERS(of)                                                                                \
	{                                                                                          \
		.kind = VALUE_ENTRY, .reg = (of)                                                   \
	}
#define CALLERS_AND(of)                                                                            \
	{                                                                                          \
		.kind = VALUE_ENTRY, .reg = (of), .number = 1                                      \
	}
#define WORD(bytes, of)                                                                            \
	{                                                                                          \
		.at = AT_CFA(bytes), .value = CALLERS(of)                                          \
	}
#define BASE_WORD(of)                                                                              \
	{                                                                                          \
		.at = { .kind = VALUE_BASE, .number = -8 }, .value = CALLERS(of)                   \
	}
#define RETURN_IN(bytes) WORD(bytes, REGISTER_RIP)
#define UNKNOWN                                                                                    \
	{                                                                                          \
		.kind = VALUE_UNKNOWN                                                              \
	}
#define EXPRESSION RULE_CFA_EXPRESSION
#define R15	   REGISTER_R15

/* ---- the CFA -------------------------------------------------------------------------------- */

static const struct {
	const char *rule;
	enum lint_id id;
	int kind;
	struct value actual, rsp;
	const char *mend;
} cfa_cases[] = {
	{ "counts_too_little", LINT_CFA, RULE_CFA_REGISTER, AT_CFA(-8), AT_CFA(-16),
	  ".cfi_adjust_cfa_offset 8" },
	{ "counts_too_much", LINT_CFA, RULE_CFA_REGISTER, AT_CFA(24), AT_CFA(-16),
	  ".cfi_adjust_cfa_offset -24" },
	{ "from_a_register_that_is_elsewhere", LINT_CFA, RULE_CFA_REGISTER, UNKNOWN, AT_CFA(-16),
	  ".cfi_def_cfa rsp, 16" },
	{ "by_an_expression_there_is_no_offset", LINT_CFA, EXPRESSION, AT_CFA(-8), AT_CFA(-32),
	  ".cfi_def_cfa rsp, 32" },
	{ "before_a_first_row_there_is_none", LINT_ENTRY, RULE_CFA_REGISTER, AT_CFA(-8), AT_CFA(-8),
	  ".cfi_def_cfa rsp, 8" },
	{ "rsp_is_elsewhere_and_a_register_is_right", LINT_CFA, RULE_CFA_REGISTER, AT_CFA(-8),
	  UNKNOWN, ".cfi_adjust_cfa_offset 8" },
	{ "nobody_knows_where_it_is", LINT_CFA, RULE_CFA_REGISTER, UNKNOWN, UNKNOWN, "" },
	{ "of_a_first_row_neither", LINT_ENTRY, RULE_CFA_REGISTER, AT_CFA(-8), UNKNOWN, "" },
	{ "by_an_expression_neither", LINT_CFA, EXPRESSION, AT_CFA(-8), UNKNOWN, "" },
	{ "the_stack_is_aligned",
	  LINT_CFA,
	  RULE_CFA_REGISTER,
	  UNKNOWN,
	  { .kind = VALUE_BASE, .number = -16 },
	  "" },
	{ "it_is_in_a_register_of_the_callers",
	  LINT_CFA,
	  RULE_CFA_REGISTER,
	  { .kind = VALUE_ENTRY, .reg = R15, .number = -8 },
	  AT_CFA(-16),
	  ".cfi_def_cfa rsp, 16" },
};

START_TEST(a_cfa_is_mended)
{
	const struct row row = { .cfa = { .kind = (uint8_t)cfa_cases[_i].kind,
					  .reg = REGISTER_RSP } };
	const struct flow_row_verdict verdict = { .fault = FLOW_CFA,
						  .actual = cfa_cases[_i].actual };
	struct lint_finding finding = { .id = cfa_cases[_i].id, .mend = "another's" };
	struct flow_state state = { .word_count = 1, .word = { WORD(-24, 0) } };

	state.reg[REGISTER_RSP] = cfa_cases[_i].rsp;
	lint_mend_set(&row, &state, &verdict, &finding);
	ck_assert_msg(!strcmp(finding.mend, cfa_cases[_i].mend), "%s: '%s'", cfa_cases[_i].rule,
		      finding.mend);
}
END_TEST

/* ---- registers ------------------------------------------------------------------------------ */

#define OWN(...)   .own = { __VA_ARGS__ }
#define WORDS(...) .word = { __VA_ARGS__ }

static const struct {
	const char *rule;
	uint8_t reg;
	struct value own;    /* what it holds */
	uint8_t other;	     /* a register, and */
	struct value others; /* what that holds */
	struct value rsp;
	struct word word[3];
	const char *mend;
} register_cases[] = {
	{ "it_is_where_it_was", REGISTER_RBX, CALLERS(REGISTER_RBX), R15, CALLERS(REGISTER_RBX),
	  AT_CFA(-32), WORDS(WORD(-16, REGISTER_RBX)), ".cfi_restore rbx" },
	{ "it_is_in_a_word", REGISTER_RBX, UNKNOWN, R15, CALLERS(REGISTER_RBX), AT_CFA(-32),
	  WORDS(WORD(-24, REGISTER_RBX)), ".cfi_offset rbx, -24" },
	{ "of_several_in_the_highest", REGISTER_RBX, UNKNOWN, R15, UNKNOWN, AT_CFA(-32),
	  WORDS(WORD(-24, REGISTER_RBX), WORD(-16, REGISTER_RBX), WORD(-32, REGISTER_RBX)),
	  ".cfi_offset rbx, -16" },
	{ "in_the_first_of_them", REGISTER_RBX, UNKNOWN, R15, UNKNOWN, AT_CFA(-32),
	  WORDS(WORD(-16, REGISTER_RBX), WORD(-24, REGISTER_RBX)), ".cfi_offset rbx, -16" },
	{ "in_the_last_alone", REGISTER_RBX, UNKNOWN, R15, UNKNOWN, AT_CFA(-32),
	  WORDS(WORD(-16, REGISTER_RBP), WORD(-24, R15), WORD(-32, REGISTER_RBX)),
	  ".cfi_offset rbx, -32" },
	{ "another_is", REGISTER_RBX, UNKNOWN, R15, CALLERS(REGISTER_RBP), AT_CFA(-32),
	  WORDS(WORD(-16, REGISTER_RBP)), "" },
	{ "a_number_is_added_there", REGISTER_RBX, CALLERS_AND(REGISTER_RBX), R15,
	  CALLERS_AND(REGISTER_RBX), AT_CFA(-32),
	  WORDS({ .at = AT_CFA(-16), .value = CALLERS_AND(REGISTER_RBX) }), "" },
	{ "what_is_made_here_is_not_the_callers", REGISTER_RBX,
	  OWN(.kind = VALUE_OTHER, .reg = REGISTER_RBX), R15, UNKNOWN, AT_CFA(-32),
	  WORDS({ .at = AT_CFA(-16), .value = { .kind = VALUE_OTHER, .reg = REGISTER_RBX } }), "" },
	{ "a_word_of_an_aligned_stack_has_no_offset", REGISTER_RBX, UNKNOWN, R15, UNKNOWN,
	  AT_CFA(-32), WORDS(BASE_WORD(REGISTER_RBX)), "" },
	{ "in_the_red_zone_it_stays", REGISTER_RBX, UNKNOWN, R15, UNKNOWN, AT_CFA(-32),
	  WORDS(WORD(-32 - 128, REGISTER_RBX)), ".cfi_offset rbx, -160" },
	{ "below_it_does_not", REGISTER_RBX, UNKNOWN, R15, CALLERS(REGISTER_RBX), AT_CFA(-32),
	  WORDS(WORD(-32 - 136, REGISTER_RBX)), ".cfi_register rbx, r15" },
	{ "below_what_is_not_known_it_may", REGISTER_RBX, UNKNOWN, R15, UNKNOWN, UNKNOWN,
	  WORDS(WORD(-400, REGISTER_RBX)), ".cfi_offset rbx, -400" },
	{ "it_is_in_another_register", REGISTER_RBX, UNKNOWN, R15, CALLERS(REGISTER_RBX),
	  AT_CFA(-32), WORDS(WORD(-16, R15)), ".cfi_register rbx, r15" },
	{ "in_the_first_register", REGISTER_RBX, UNKNOWN, REGISTER_RAX, CALLERS(REGISTER_RBX),
	  AT_CFA(-32), WORDS(WORD(-16, R15)), ".cfi_register rbx, rax" },
	{ "the_return_address_is_in_its_word", REGISTER_RIP, UNKNOWN, R15, CALLERS(REGISTER_RIP),
	  AT_CFA(-16), WORDS(RETURN_IN(-8)), ".cfi_offset rip, -8" },
	{ "and_beneath_it", REGISTER_RIP, UNKNOWN, R15, UNKNOWN, AT_CFA(-32), WORDS(RETURN_IN(-24)),
	  ".cfi_offset rip, -24" },
	{ "in_a_register", REGISTER_RIP, UNKNOWN, R15, CALLERS(REGISTER_RIP), AT_CFA(0),
	  WORDS(WORD(-8, REGISTER_RBX)), ".cfi_register rip, r15" },
	{ "nowhere", REGISTER_RIP, UNKNOWN, R15, UNKNOWN, AT_CFA(-8), WORDS(WORD(-16, R15)), "" },
};

START_TEST(a_register_is_mended)
{
	const struct row row = { .cfa = { .kind = RULE_CFA_REGISTER, .reg = REGISTER_RSP } };
	const enum flow_fault faults[] = { FLOW_RETURN, FLOW_NOT_SAVED, FLOW_OVERWRITTEN,
					   FLOW_LOST };

	for (int i = 0; i < COUNT(faults); i++) {
		const struct flow_row_verdict verdict = { .fault = faults[i],
							  .reg = register_cases[_i].reg,
							  .actual = AT_CFA(-8) };
		struct lint_finding finding = { .id = LINT_NOT_SAVED, .mend = "another's" };
		struct flow_state state = { .word_count = 0 };

		state.reg[REGISTER_RSP] = register_cases[_i].rsp;
		if (register_cases[_i].reg < REGISTER_GPR_COUNT)
			state.reg[register_cases[_i].reg] = register_cases[_i].own;
		state.reg[register_cases[_i].other] = register_cases[_i].others;
		while (state.word_count < 3 && register_cases[_i].word[state.word_count].at.kind) {
			state.word[state.word_count] = register_cases[_i].word[state.word_count];
			state.word_count++;
		}
		/* What was there once is there no more. */
		if (state.word_count < 3)
			state.word[state.word_count] = (struct word)WORD(-8, REGISTER_RBX);
		lint_mend_set(&row, &state, &verdict, &finding);
		ck_assert_msg(!strcmp(finding.mend, register_cases[_i].mend), "%s: '%s'",
			      register_cases[_i].rule, finding.mend);
	}
}
END_TEST

SUITE(lint_mend, LOOP(a_cfa_is_mended, cfa_cases), LOOP(a_register_is_mended, register_cases))
