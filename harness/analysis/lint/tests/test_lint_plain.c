/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_plain.c - what is told of functions that are proven without following any way
 *
 * That they are, flow/tests/test_flow_plain.c shows.
 */
#include "tests/suite.h"
#include "analysis/flow/tests/flow_world_fixture.h"
#include "analysis/lint/lint_judge.c"

struct told {
	const struct flow_fragment *fragment;
	size_t count;
	bool returns;
};

static void told_point(void *context, const struct lint_point *point)
{
	struct told *told = context;
	const struct code *code = &told->fragment->code[told->count++];
	struct flow_row_verdict verdict;

	ck_assert_uint_eq(point->pc, code->pc);
	ck_assert_uint_eq(point->length, code->length);
	ck_assert_uint_eq(point->function, told->fragment->begin);
	ck_assert_int_eq(point->returns, told->returns);
	ck_assert_int_eq(point->outcome, FLOW_ROW_PROVEN);
	flow_row_check(point->row, point->pc, point->state, point->agreed, &verdict);
	ck_assert_int_eq(verdict.outcome, FLOW_ROW_PROVEN);
	ck_assert_int_eq(point->state->direction, DIRECTION_UP);
	/* What callees may change may be anything there. */
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		ck_assert_int_eq(point->state->reg[i].kind == VALUE_UNKNOWN,
				 !(FLOW_PRESERVED >> i & 1));
}

static void check_told(const char *body, size_t count, bool returns)
{
	struct followed followed;
	struct flow_state state;
	struct told told = { .returns = returns };
	const struct lint_watch watch = { .point = told_point, .context = &told };

	followed_init(&followed, body);
	told.fragment = followed.flow.fragment[0];
	ck_assert(flow_plain(&followed.world, followed.flow.fragment[0], &state));
	lint_plain_tell(&watch, told.fragment, &state);
	ck_assert_uint_eq(told.count, count);
	followed_deinit(&followed);
}

START_TEST(each_instruction_of_it_is_told)
{
	check_told("mov eax, edi; dec eax; ret", 3, true);
	check_told("ret; nop", 2, true);
	check_told("mov eax, edi; ud2", 2, false);
}
END_TEST

SUITE(lint_plain, TEST(each_instruction_of_it_is_told))
