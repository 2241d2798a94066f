/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_ends.c - who may say that he has no caller, and who is accused of it
 *
 * The functions of lint_follow.c alone: what lint makes of them is in test_lint_end.c.
 */
#include "tests/suite.h"
#include "analysis/lint/lint_follow.c"
#include "analysis/flow/tests/flow_fixture.h"
#include "analysis/flow/tests/flow_world_fixture.h"
#include "analysis/lint/lint_inside.h"

/* ---- lists of addresses --------------------------------------------------------------------- */

/* The last of each is behind the list. */
static uint64_t some[] = { 0x10, 0x20, 0x30, 0x40 };

static const struct {
	size_t count;
	uint64_t pc;
	enum lint_end is_called, is_not;
} first_cases[] = {
	{ 0, 0x10, LINT_END_CALLED, LINT_END_UNKNOWN },
	{ 1, 0x10, LINT_END_UNKNOWN, LINT_END_FIRST },
	{ 3, 0x10, LINT_END_UNKNOWN, LINT_END_FIRST },
	{ 3, 0x20, LINT_END_UNKNOWN, LINT_END_FIRST },
	{ 3, 0x30, LINT_END_UNKNOWN, LINT_END_FIRST },
	{ 3, 0x40, LINT_END_CALLED, LINT_END_UNKNOWN },
	{ 3, 0x11, LINT_END_CALLED, LINT_END_UNKNOWN },
};

START_TEST(who_a_process_goes_on_with)
{
	const struct lint_ends ends = {
		.first = { .address = some, .count = first_cases[_i].count },
	};
	uint64_t pc = first_cases[_i].pc;

	ck_assert_int_eq(lint_end_of(&ends, pc, true), first_cases[_i].is_called);
	ck_assert_int_eq(lint_end_of(&ends, pc, false), first_cases[_i].is_not);
}
END_TEST

START_TEST(whose_address_nothing_keeps)
{
	bool kept[] = { false, true, false, false };
	const struct lint_ends ends = { .begin = { .address = some, .count = 3 }, .kept = kept };

	ck_assert(lint_end_is_unkept(&ends, 0x10));
	ck_assert(!lint_end_is_unkept(&ends, 0x20));
	ck_assert(lint_end_is_unkept(&ends, 0x30));
	ck_assert(!lint_end_is_unkept(&ends, 0x40));
	ck_assert(!lint_end_is_unkept(&ends, 0x11));
}
END_TEST

/* ---- who says so ---------------------------------------------------------------------------- */

/* n, the function that says so, is at 256 bytes from where f's FDE begins, or elsewhere. */
#define ENDS	     "endproc; "
#define N(at)	     ".org f + " #at ", 0x90; n: startproc; undefined rip; "
#define LEAVES	     "hlt; "
#define CLONE	     "mov eax, 56; " ENDS "syscall; test rax, rax; "
#define FORK	     "mov eax, 57; " ENDS "syscall; test rax, rax; "
#define THREAD(code) CLONE code "ret; " N(32) LEAVES

static const struct {
	const char *name, *body;
	bool is;
} end_cases[] = {
	{ "one behind a leaf", "ret; " ENDS N(16) LEAVES, true },
	{ "without a rule for rip", "ret; " ENDS "n: startproc; " LEAVES, false },
	{ "the kernel's frame", "ret; " ENDS "n: startproc; signal_frame; undefined rip; " LEAVES,
	  false },
	{ "a thread", THREAD("je n; "), false },
	{ "a branch elsewhere", THREAD("je n + 1; "), true },
	{ "a process", FORK "je n; ret; " N(32) LEAVES, true },
	{ "at 256 bytes", CLONE "je n; ret; " N(256) LEAVES, false },
	{ "at 257", CLONE "je n; ret; " N(257) LEAVES, true },
	{ "at the first branch there", THREAD("jne n; je n; "), true },
	{ "what a branch that was not taken says", THREAD("jne 1f; jl n; 1: "), false },
	{ "one that says nothing", THREAD("jl 1f; jl n; 1: "), true },
	{ "the other way", THREAD("je 1f; jl n; 1: "), true },
	{ "what a call has returned",
	  "mov eax, 56; " ENDS "syscall; call f; test rax, rax; je n; ret; " N(32) LEAVES, true },
	{ "what a call by pointer has returned",
	  "mov eax, 56; " ENDS "syscall; call rbx; test rax, rax; je n; ret; " N(32) LEAVES, true },
	{ "what is no instruction before", THREAD(".byte 0x06; je n; "), true },
	/* je n, whose displacement is the first byte of n. */
	{ "an instruction that n is a part of",
	  CLONE ".org f + 31, 0x90; .byte 0x74; " N(32) "call rax; " LEAVES, true },
};

static struct followed followed;

START_TEST(who_says_so)
{
	struct flow_fragment *fragment;

	followed_init(&followed, end_cases[_i].body);
	fragment = followed_fragment(&followed, "n");
	ck_assert_msg(lint_end_is(&followed.world, fragment) == end_cases[_i].is, "%s",
		      end_cases[_i].name);
	flow_fragment_destroy(fragment);
	followed_deinit(&followed);
}
END_TEST

/* Symbols of which the last is none of the image's. */
static const struct {
	const char *name[3];
	size_t count;
	bool entry_here, entry_elsewhere, first;
	bool is;
} begin_cases[] = {
	{ { "n" }, 1, .is = true },
	{ { "n" }, 1, .first = true, .is = false },
	{ { "n" }, 1, .entry_here = true, .is = false },
	{ { "n" }, 1, .first = true, .entry_elsewhere = true, .is = false },
	{ { "_start" }, 1, .is = false },
	{ { "_start" }, 1, .entry_elsewhere = true, .is = true },
	{ { "n", "_start" }, 2, .is = false },
	{ { "_start", "n" }, 2, .is = false },
	{ { "n", "_start" }, 1, .is = true },
	{ { "n", "_start", "n" }, 3, .is = false },
	{ { "_star" }, 1, .is = true },
	{ { "_start" }, 0, .is = true },
};

START_TEST(where_a_process_begins)
{
	struct image image;
	struct cfi cfi;
	struct image_symbol symbol[3];
	struct flow_fragment *fragment;

	followed_init(&followed, "ret; " ENDS N(16) LEAVES);
	fragment = followed_fragment(&followed, "n");
	cfi = *followed.world.cfi;
	image = *cfi.image;
	cfi.image = &image;
	followed.world.cfi = &cfi;
	for (int i = 0; i < 3; i++)
		symbol[i] = (struct image_symbol) { .pc = fragment->begin,
						    .name = begin_cases[_i].name[i] };
	image.symbol = symbol;
	image.symbol_count = begin_cases[_i].count;
	if (begin_cases[_i].entry_here)
		image.entry = fragment->begin;
	else
		image.entry = begin_cases[_i].entry_elsewhere ? fragment->begin - 1 : 0;
	followed.world.first = begin_cases[_i].first ? fragment->begin : 0;
	ck_assert_int_eq(lint_end_is(&followed.world, fragment), begin_cases[_i].is);
	/* An address is the symbol's, or it isn't. */
	for (int i = 0; i < 3; i++)
		symbol[i].pc++;
	ck_assert_int_eq(lint_end_is(&followed.world, fragment),
			 !begin_cases[_i].first && !begin_cases[_i].entry_here);
	flow_fragment_destroy(fragment);
	followed_deinit(&followed);
}
END_TEST

/* ---- rows that say so ----------------------------------------------------------------------- */

#define NOBODY "none" /* the verdict stays as it was */
#define OPEN   "?"

/* of a function whose first row says that there is a caller, or (no) that there is none. */
static const struct {
	const char *state;
	bool no, returns, first;
	enum lint_end end;
	const char *actual; /* of a mismatch */
} judge_cases[] = {
	{ "", .actual = "ra" },
	{ "", .first = true, .actual = NOBODY },
	{ "", .no = true, .actual = NOBODY, .end = LINT_END_FIRST },
	{ "", .no = true, .actual = "ra", .end = LINT_END_CALLED },
	{ "", .no = true, .first = true, .actual = NOBODY, .end = LINT_END_FIRST },
	{ "bare", .returns = true, .actual = "ra" },
	{ "bare new", .returns = true, .no = true, .end = LINT_END_FIRST, .actual = "ra" },
	{ "", .returns = true, .first = true, .actual = NOBODY },
	{ "rsp=c-64", .actual = "ra" },
	{ "rsp=b9+8", .actual = "ra" },
	{ "rsp=?", .actual = OPEN },
	{ "rsp=rdi", .actual = OPEN },
	{ "new", .actual = OPEN },
	{ "both", .actual = OPEN },
	{ "bare", .actual = OPEN },
	{ "bare [c-8]=?", .actual = OPEN },
	{ "bare [c-8]=!", .actual = OPEN },
	{ "bare [c-8]=5", .actual = OPEN },
	{ "bare [c-8]=rbx", .actual = OPEN },
	{ "bare [c-16]=ra", .actual = OPEN },
	{ "bare [c-8]=ra+1", .actual = "ra+1" },
	{ "bare [c-8]=!ra", .actual = OPEN },
};

/* !ra: what was made here, beside the number of that register. */
static void read_state(struct flow_state *state, const char *text)
{
	bool other = strstr(text, "!ra") != NULL;

	state_read(state, other ? "bare [c-8]=ra" : text);
	if (other)
		state->word[0].value.kind = VALUE_OTHER;
}

static void check_verdict(const struct flow_row_verdict *verdict, const char *actual)
{
	struct value expected;

	if (!strcmp(actual, NOBODY)) {
		ck_assert_int_eq(verdict->outcome, FLOW_ROW_PROVEN);
	} else if (!strcmp(actual, OPEN)) {
		ck_assert_int_eq(verdict->outcome, FLOW_ROW_UNPROVEN);
		ck_assert_int_eq(verdict->reason, FLOW_RULE_UNKNOWN);
	} else {
		expected = value_read(actual);
		ck_assert_int_eq(verdict->outcome, FLOW_ROW_MISMATCH);
		ck_assert_int_eq(verdict->fault, FLOW_RETURN);
		ck_assert_int_eq(verdict->reg, REGISTER_RIP);
		ck_assert(value_equal(&verdict->actual, &expected));
	}
}

START_TEST(who_is_accused)
{
	struct row row = { .reg[REGISTER_RIP].kind = judge_cases[_i].no ? RULE_UNDEFINED
									: RULE_OFFSET };
	struct flow_fragment fragment = { .row = &row, .row_count = 1 };
	struct flow_world world = { .first = judge_cases[_i].first ? 0x100 : 0x200 };
	const struct flow flow = { .world = &world,
				   .function = 0x100,
				   .fragment = { &fragment },
				   .fragment_count = 1,
				   .found.returns = judge_cases[_i].returns };
	/* Whether it says so itself is asked elsewhere. */
	const struct lint_judge judge = { .end = judge_cases[_i].first ? LINT_END_FIRST
								       : judge_cases[_i].end };
	struct flow_row_verdict verdict = { .outcome = FLOW_ROW_PROVEN };
	struct flow_state state;

	read_state(&state, judge_cases[_i].state);
	lint_end_judge(&judge, &flow, &state, &verdict);
	check_verdict(&verdict, judge_cases[_i].actual);
	/* Without rows nobody is said to have called it. */
	if (!flow.found.returns && judge_cases[_i].end == LINT_END_UNKNOWN) {
		const struct lint_judge first = { .end = LINT_END_FIRST };

		fragment.row_count = 0;
		verdict = (struct flow_row_verdict) { .outcome = FLOW_ROW_PROVEN };
		lint_end_judge(&first, &flow, &state, &verdict);
		check_verdict(&verdict, NOBODY);
	}
}
END_TEST

/* Nothing was seen to call it, and it says that nobody did: that is left open, unless a process goes on there. */
START_TEST(who_says_so_is_left_open)
{
	struct flow_row_verdict verdict = { .outcome = FLOW_ROW_PROVEN };
	struct lint_judge judge = { .end = LINT_END_UNKNOWN };
	struct flow_state state;

	followed_init(&followed, "undefined rip; hlt");
	state_read(&state, "");
	lint_end_judge(&judge, &followed.flow, &state, &verdict);
	check_verdict(&verdict, OPEN);
	judge.end = LINT_END_FIRST;
	verdict = (struct flow_row_verdict) { .outcome = FLOW_ROW_PROVEN };
	lint_end_judge(&judge, &followed.flow, &state, &verdict);
	check_verdict(&verdict, NOBODY);
	followed_deinit(&followed);
}
END_TEST

SUITE(lint_ends, LOOP(who_a_process_goes_on_with, first_cases), TEST(whose_address_nothing_keeps),
      LOOP(who_says_so, end_cases), LOOP(where_a_process_begins, begin_cases),
      LOOP(who_is_accused, judge_cases), TEST(who_says_so_is_left_open))
