/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_follow.c - what is noted of an image's functions, and which FDEs wait for others
 */
#include "tests/suite.h"
#include "analysis/lint/lint_follow.c"
#include "analysis/flow/tests/flow_fixture.h"
#include "analysis/flow/tests/flow_world_fixture.h"

static struct followed followed;

static struct linting begin(const char *body)
{
	followed_init(&followed, body);
	return (struct linting) { .world = &followed.world, .judge.world = &followed.world };
}

/* ---- what is noted -------------------------------------------------------------------------- */

/* Calls count once they are decided, each once. */
START_TEST(calls_are_decided_later)
{
	struct linting linting = begin("ret; fde g; ret");
	const struct cfi *cfi = linting.world->cfi;
	struct lint_known known[2] = { { .called = false } };

	linting.judge.known = known;
	ck_assert_uint_eq(cfi->fde_count, 2);
	note_called(&linting, &cfi->fde[1], cfi->fde[1].pc_begin, cfi->fde[0].pc_begin);
	ck_assert_uint_eq(linting.call_count, 1);
	ck_assert(!is_begin_called(&linting, cfi->fde[1].pc_begin));
	decide_calls(&linting);
	ck_assert_uint_eq(linting.call_count, 0);
	ck_assert(!known[0].called && known[1].called);
	ck_assert(is_begin_called(&linting, cfi->fde[1].pc_begin));
	ck_assert(!is_begin_called(&linting, cfi->fde[0].pc_begin));
	ck_assert(!is_begin_called(&linting, cfi->fde[1].pc_begin + cfi->fde[1].pc_range));
	note_called(&linting, &cfi->fde[1], cfi->fde[1].pc_begin, cfi->fde[0].pc_begin);
	ck_assert_uint_eq(linting.call_count, 0);
	free(linting.calls);
	followed_deinit(&followed);
}
END_TEST

/* Neither in an FDE's midst nor before it. */
START_TEST(calls_lead_to_begins)
{
	struct linting linting = begin("nop; nop; ret");
	const struct cfi *cfi = linting.world->cfi;
	struct lint_known known[1] = { { .called = true } };

	linting.judge.known = known;
	ck_assert(is_begin_called(&linting, cfi->fde[0].pc_begin));
	ck_assert(!is_begin_called(&linting, cfi->fde[0].pc_begin + 1));
	ck_assert(!is_begin_called(&linting, cfi->fde[0].pc_begin - 1));
	followed_deinit(&followed);
}
END_TEST

START_TEST(where_a_process_goes_on)
{
	struct linting linting = { .judge = { .trial = false } };

	note_lead(&linting, &(struct flow_lead) { .kind = FLOW_LEADS_CONTINUED, .pc = 0x10 });
	note_lead(&linting, &(struct flow_lead) { .kind = FLOW_LEADS_FRAMED, .pc = 0x20 });
	note_tail_called(&linting, 0x30, false);
	note_tail_called(&linting, 0x30, true);
	lint_addresses_sort(&linting.framed.entered);
	ck_assert_uint_eq(linting.tails.count, 1);
	ck_assert_uint_eq(linting.ends.first.count, 1);
	ck_assert_uint_eq(linting.ends.first.address[0], 0x10);
	ck_assert_uint_eq(linting.framed.framed.count, 1);
	ck_assert_uint_eq(linting.framed.framed.address[0], 0x20);
	ck_assert_uint_eq(linting.framed.entered.count, 1);
	ck_assert_uint_eq(linting.framed.entered.address[0], 0x30);
	free(linting.ends.first.address);
	free(linting.framed.framed.address);
	free(linting.framed.entered.address);
	free(linting.tails.address);
	lint_handlers_deinit(&linting.handlers);
}
END_TEST

/* At 0 a jump to where no FDE is, at 2 a call of that, which lies at 8 to 10, with a no-op at 9. */
START_TEST(what_no_fde_covers)
{
	struct linting linting = begin(
		"jmp 1f; call 1f; ret; endproc; 1: ret; nop; ret; .p2align 4; g: startproc; ret");
	uint64_t f = followed.flow.function;

	note_uncovered(&linting, f + 8, f);
	ck_assert_uint_eq(linting.uncovered.count, 1);
	ck_assert_uint_eq(linting.entered.count, 0);
	note_uncovered(&linting, f + 8, f + 2); /* as the last */
	ck_assert_uint_eq(linting.uncovered.count, 1);
	ck_assert_uint_eq(linting.entered.count, 1);
	note_uncovered(&linting, f + 9, 0);
	ck_assert_uint_eq(linting.uncovered.count, 1);
	lint_follow_kept(&linting, f + 10);
	ck_assert_uint_eq(linting.uncovered.count, 2);
	ck_assert_uint_eq(linting.entered.count, 2);
	note_uncovered(&linting, f + 8, f);
	ck_assert_uint_eq(linting.uncovered.count, 3);
	ck_assert_uint_eq(linting.entered.count, 2);
	ck_assert_uint_eq(linting.uncovered.address[0], f + 8);
	ck_assert_uint_eq(linting.uncovered.address[1], f + 10);
	ck_assert_uint_eq(linting.uncovered.address[2], f + 8);
	ck_assert_uint_eq(linting.entered.address[0], f + 8);
	ck_assert_uint_eq(linting.entered.address[1], f + 10);
	free(linting.uncovered.address);
	free(linting.entered.address);
	followed_deinit(&followed);
}
END_TEST

/* ---- which FDEs wait ------------------------------------------------------------------------ */

static const struct {
	const char *body;
	bool inside;
} inside_cases[] = {
	{ "ret", false },
	{ "cfa 16; ret", true },
	{ "offset rbx, -16; ret", true },
	{ "undefined rip; hlt", false },
	{ "undefined rip; cfa 16; hlt", true },
	{ "signal_frame; cfa 16; ret", false },
	/* A no-op before a landing pad. */
	{ "nop; cfa 16; ret", true },
	{ "cfa 16; nop; cfa 8; ret", false },
	{ "cld; cfa 16; ret", false },
	{ "nop; nop; cfa 16; ret", false },
	{ "nop", false },
};

START_TEST(who_begins_inside)
{
	struct linting linting = begin(inside_cases[_i].body);

	ck_assert_msg(begins_inside(&linting, followed.flow.fragment[0]) == inside_cases[_i].inside,
		      "%s", inside_cases[_i].body);
	followed_deinit(&followed);
}
END_TEST

/* f is named by the fixture; g, behind it, as the case says. */
static const struct {
	const char *symbol;
	bool doubtful, first, signal, named, expected;
} doubt_cases[] = {
	{ "", true, false, false, false, true },
	{ "", false, false, false, false, false },
	{ "", true, true, false, false, false },
	{ "", true, false, true, false, false },
	{ ".type g, @function; g: ", true, false, false, true, false },
	{ "g:", true, false, false, false, true },
	{ ".type g, @object; g: ", true, false, false, false, true },
	{ ".type g, @function; .set g, . + 1", true, false, false, false, true },
};

START_TEST(where_a_begin_is_in_doubt)
{
	char body[200];
	struct linting linting;
	struct lint_known known[2] = { { .called = false },
				       { .doubtful = doubt_cases[_i].doubtful } };
	struct flow_fragment *fragment;

	snprintf(body, sizeof(body), "ret; endproc; %s; .cfi_startproc; %s; ret; nop; ",
		 doubt_cases[_i].symbol, doubt_cases[_i].signal ? "signal_frame; " : "");
	linting = begin(body);
	linting.judge.known = known;
	fragment = flow_fragment_of(linting.world, &linting.world->cfi->fde[1], NULL);
	if (doubt_cases[_i].first)
		linting.world->first = fragment->begin;
	ck_assert_int_eq(lint_begin_is_named(linting.world->cfi->image, fragment->begin),
			 doubt_cases[_i].named);
	ck_assert_int_eq(begins_doubtful(&linting, fragment, 1), doubt_cases[_i].expected);
	flow_fragment_destroy(fragment);
	followed_deinit(&followed);
}
END_TEST

SUITE(lint_follow, TEST(calls_are_decided_later), TEST(calls_lead_to_begins),
      TEST(where_a_process_goes_on), TEST(what_no_fde_covers),
      LOOP(who_begins_inside, inside_cases), LOOP(where_a_begin_is_in_doubt, doubt_cases))
