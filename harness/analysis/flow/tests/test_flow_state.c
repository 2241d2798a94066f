/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_state.c - words that are written, two paths that meet, and expressions over what is known
 *
 * States and values are those of flow_fixture.h.
 */
#include "tests/suite.h"
#include "analysis/flow/flow_row.c"
#include "flow_fixture.h"

static const struct join_case {
	const char *into, *from, *after;
	bool changed;
} join_cases[] = {
	{ "", "", "", false },
	{ "rax=5", "rax=5", "rax=5", false },
	{ "rax=5", "rax=6", "rax=!", true },
	{ "rax=?", "rax=6", "rax=?", false },
	{ "rax=5", "rax=?", "rax=?", true },
	{ "", "rax=6", "rax=!", true },
	{ "", "r15=6", "r15=?", true },
	{ "rax=!", "rax=6", "rax=!", false },
	{ "rax=! saved", "rax=6", "rax=! saved", false },
	{ "rax=5 saved", "rax=6", "rax=! saved", true },
	{ "rax=! saved", "rax=?", "rax=? saved", false },
	/* What may be a register's that callees preserve, or the return address, is not another. */
	{ "rcx=rdi", "rcx=rsi", "rcx=!argument", true },
	{ "rcx=rdi", "rcx=5", "rcx=!", true },
	{ "rcx=rdi", "rcx=!argument", "rcx=!argument", true },
	{ "rcx=rdi", "rcx=!again", "rcx=!again", true },
	{ "rcx=5", "rcx=!again", "rcx=!again", true },
	{ "rcx=!", "rcx=!again", "rcx=!again", true },
	{ "rcx=!again", "rcx=!", "rcx=!again", false },
	{ "rcx=!argument", "rcx=!", "rcx=!", false },
	{ "rcx=!", "rcx=!argument", "rcx=!", false },
	{ "rcx=!argument", "rcx=!again", "rcx=!again", true },
	{ "rcx=!again", "rcx=rbx", "rcx=?", true },
	{ "rcx=!again saved", "rcx=!", "rcx=! saved", false },
	{ "rcx=rbx", "rcx=6", "rcx=?", true },
	{ "rcx=6", "rcx=rbx", "rcx=?", true },
	{ "rcx=ra", "rcx=6", "rcx=?", true },
	{ "rcx=!part", "rcx=6", "rcx=?", true },
	{ "rcx=6", "rcx=c-16", "rcx=?", true },
	/* Words. */
	{ "[c-16]=rbx", "[c-16]=rbx", "[c-16]=rbx", false },
	{ "[c-16]=rbx", "[c-16]=rbp", "[c-16]=?", true },
	{ "[c-16]=rbx", "", "[c-16]=?", true },
	{ "", "[c-16]=rbx", "[c-16]=?", true },
	{ "[c-16]=?", "", "[c-16]=?", false },
	{ "[c-16]=5", "", "[c-16]=!", true },
	{ "", "[c-16]=5", "[c-16]=!", true },
	{ "[c-16]=5", "touched=-16..-8", "[c-16]=? touched=-16..-8", true },
	{ "[c-16]=rbx [c-24]=rbp", "[c-24]=rbp [c-16]=rbx", "[c-16]=rbx [c-24]=rbp", false },
	{ "[c-16]=rbx [c-24]=rbp", "[c-24]=rbp [c-16]=5", "[c-16]=? [c-24]=rbp", true },
	{ "[c-16]=rbx", "[c-24]=rbp", "[c-16]=? [c-24]=?", true },
	{ "[c-16]=rbx", "[c-16]=rbx forget", "[c-16]=?", true },
	{ "bare [c-16]=rbx", "bare", "bare [c-16]=?", true },
	{ "bare", "bare [c-16]=rbx", "bare [c-16]=?", true },
	{ "[b9-8]=rbx", "[b7-8]=rbx", "[b9-8]=? [b7-8]=?", true },
	{ "[c-16]=rbx saved", "", "[c-16]=? saved", true },
	{ "bare [c-16]=rbx saved", "", "bare [c-16]=? saved", true },
	{ "[c-16]=rbx forget saved", "", "saved", false },
	{ "saved", "[c-16]=rbx", "saved", false },
	{ "[c-16]=rbx saved", "[c-16]=rbx", "[c-16]=rbx saved", false },
	{ "[c-16]=rbx saved", "[c-24]=5 [c-16]=rbx", "[c-16]=rbx saved", false },
	{ "[c-16]=! saved", "", "[c-16]=? saved", false },
	/* Addresses, and whether others may have changed the words that they were in. */
	{ "rax=c-16", "rax=*c-16", "rax=~c-16", true },
	{ "rax=*c-16", "rax=c-16", "rax=~c-16", true },
	{ "rax=*c-16", "rax=~c-16", "rax=~c-16", true },
	{ "rax=~c-16", "rax=c-16", "rax=~c-16", false },
	{ "rax=c-16", "rax=*c-24", "rax=?", true },
	{ "rax=c-16", "rax=*b9-16", "rax=?", true },
	{ "rax=b9-16", "rax=*b7-16", "rax=?", true },
	{ "[c-16]=c-32 fresh=[c-16]", "[c-16]=c-32 fresh=[c-16]", "[c-16]=c-32 fresh=[c-16]",
	  false },
	{ "[c-16]=c-32 fresh=[c-16]", "[c-16]=c-32", "[c-16]=c-32 fresh=[c-16] stale=[c-16]",
	  true },
	{ "[c-16]=c-32", "[c-16]=c-32 fresh=[c-16]", "[c-16]=c-32 fresh=[c-16] stale=[c-16]",
	  true },
	{ "[c-16]=c-32 fresh=[c-16] stale=[c-16]", "[c-16]=c-32 fresh=[c-16]",
	  "[c-16]=c-32 fresh=[c-16] stale=[c-16]", false },
	{ "[c-16]=c-32 fresh=[c-16]", "[c-16]=c-32 fresh=[c-16] stale=[c-16]",
	  "[c-16]=c-32 fresh=[c-16] stale=[c-16]", true },
	{ "[c-16]=c-32 [c-24]=rbx fresh=[c-16]", "[c-24]=rbx [c-16]=c-32 fresh=[c-16]",
	  "[c-16]=c-32 [c-24]=rbx fresh=[c-16]", false },
	{ "[c-16]=c-32 saved", "[c-24]=rbx [c-16]=c-32 fresh=[c-16]",
	  "[c-16]=c-32 fresh=[c-16] saved", true },
	{ "[c-16]=c-32 fresh=[c-16] saved", "[c-16]=c-32", "[c-16]=c-32 fresh=[c-16] saved",
	  false },
	{ "saved", "[c-16]=c-32 fresh=[c-16]", "saved", false },
	/* What was touched. */
	{ "lost", "", "lost", false },
	{ "", "lost", "lost", true },
	{ "lost", "lost", "lost", false },
	{ "bases", "", "bases", false },
	{ "", "bases", "bases", true },
	{ "bases", "bases", "bases", false },
	{ "saved", "lost bases", "saved", false },
	{ "", "unlisted=other", "unlisted=other", false },
	{ "unlisted=argument", "unlisted=other", "unlisted=argument", false },
	{ "unlisted=other", "unlisted=argument", "unlisted=argument", true },
	{ "touched=-24..-16", "", "touched=-24..-16", false },
	{ "", "touched=8..16", "touched=8..16", true },
	{ "", "touched=-24..-16", "touched=-24..-16", true },
	{ "touched=-24..-16", "touched=-24..-16", "touched=-24..-16", false },
	{ "touched=-24..-16", "touched=-32..-16", "touched=-32..-16", true },
	{ "touched=-24..-16", "touched=-24..-8", "touched=-24..-8", true },
	{ "touched=-24..-16", "touched=-64..-56", "touched=-64..-16", true },
	{ "touched=-64..-56", "touched=-24..-16", "touched=-64..-16", true },
	{ "touched=-64..-8", "touched=-24..-16", "touched=-64..-8", false },
	/* The rest. */
	{ "new", "new", "new", false },
	{ "", "new", "both", true },
	{ "new", "", "both", true },
	{ "both", "", "both", false },
	{ "both", "new", "both", false },
	{ "", "both", "both", true },
	{ "aligned=b9:c-32&-32", "aligned=b9:c-32&-32", "aligned=b9:c-32&-32", false },
	{ "aligned=b9:c-32&-32", "", "aligned=b9:?", true },
	{ "", "aligned=b9:c-32&-32", "", false },
	{ "aligned=b9:c-32&-32", "aligned=b7:c-32&-32", "aligned=b9:?", true },
	{ "aligned=b9:c-32&-32", "aligned=b9:c-48&-32", "aligned=b9:?", true },
	{ "aligned=b9:c-32&-32", "aligned=b9:c-32&-64", "aligned=b9:?", true },
	{ "compared=rax,5", "compared=rax,5", "compared=rax,5", false },
	{ "compared=rax,5", "", "", true },
	{ "compared=rax,5", "compared=rax,6", "", true },
	{ "", "compared=rax,6", "", false },
	{ "escaped=rbx", "", "escaped=rbx", false },
	{ "", "escaped=rbx", "escaped=rbx", true },
	{ "escaped=rbx", "escaped=rbx", "escaped=rbx", false },
	{ "escaped=rbx", "escaped=rbp", "escaped=rbx escaped=rbp", true },
	{ "saved", "escaped=rbx", "escaped=rbx saved", false },
	{ "down", "down", "down", false },
	{ "", "down", "either", true },
	{ "down", "", "either", true },
	{ "either", "down", "either", false },
	{ "", "either", "either", true },
};

START_TEST(two_ways_have_in_common_what_both_know)
{
	const struct join_case *test = &join_cases[_i];
	struct flow_state into, from;
	char rule[200];
	bool changed;

	snprintf(rule, sizeof(rule), "%s, with: %s", test->into, test->from);
	state_read(&into, test->into);
	state_read(&from, test->from);
	changed = flow_state_join(&into, &from);
	state_expect(rule, &into, test->after);
	ck_assert_msg(changed == test->changed, "%s: changed %d", rule, changed);
	ck_assert_msg(!flow_state_join(&into, &from), "%s: changed again", rule);
	state_expect(rule, &into, test->after);
}
END_TEST

/* bytes: 8 and less of a value; 0: touched is size bytes; -1: a number is noted. */
static const struct write_case {
	const char *before, *at, *value;
	int bytes, size;
	const char *after;
} write_cases[] = {
	{ "", "c-16", "rbx", 8, 0, "[c-16]=rbx" },
	{ "[c-16]=r12", "c-16", "rbx", 8, 0, "[c-16]=rbx" },
	{ "[c-16]=r12 forget", "c-16", "rbx", 8, 0, "[c-16]=rbx" },
	{ "[c-16]=r12", "c-16", "!", 8, 0, "[c-16]=!" },
	{ "[c-16]=r12", "c-20", "rbx", 8, 0, "[c-16]=! [c-20]=rbx" },
	{ "[c-16]=r12", "c-9", "rbx", 8, 0, "bare [c-8]=! [c-16]=! [c-9]=rbx" },
	{ "[c-16]=r12", "c-24", "rbx", 8, 0, "[c-16]=r12 [c-24]=rbx" },
	{ "[c-24]=r12", "c-16", "rbx", 8, 0, "[c-24]=r12 [c-16]=rbx" },
	{ "[c-16]=r12", "c-17", "rbx", 1, 0, "[c-16]=r12" },
	{ "[c-16]=r12", "c-16", "rbx", 1, 0, "[c-16]=!" },
	{ "[c-16]=r12", "c-16", "?", 4, 0, "[c-16]=?" },
	{ "[c-16]=r12", "c-9", "rbx", 1, 0, "[c-16]=!" },
	{ "[c-16]=r12", "b9-16", "rbx", 8, 0, "[c-16]=r12 [b9-16]=rbx" },
	{ "[b9-16]=r12", "b7-16", "rbx", 8, 0, "[b9-16]=r12 [b7-16]=rbx" },
	{ "[b9-16]=r12", "b9-16", "rbx", 8, 0, "[b9-16]=rbx" },
	{ "", "c-16", "c-32", 8, 0, "[c-16]=c-32 fresh=[c-16]" },
	{ "[c-16]=rbx", "c-16", "b9-32", 8, 0, "[c-16]=b9-32 fresh=[c-16]" },
	{ "[c-16]=c-32 fresh=[c-16] stale=[c-16]", "c-16", "c-24", 8, 0,
	  "[c-16]=c-24 fresh=[c-16]" },
	{ "[c-16]=c-32 fresh=[c-16] stale=[c-16]", "c-16", "rbx", 8, 0, "[c-16]=rbx" },
	{ "", "rdi", "rbx", 8, 0, "" },
	{ "", "c-16", "!", 8, 0, "unlisted=other" },
	{ "", "c-16", "?", 8, 0, "touched=-16..-8" },
	{ "", "c-16", "rbx", 4, 0, "" },
	{ "", "c-16", "5", 8, 0, "[c-16]=5" },
	{ "saved", "c-16", "5", 8, 0, "saved" },
	{ "saved", "c-16", "rdi", 8, 0, "saved" },
	{ "saved", "c-16", "rbx+8", 8, 0, "saved" },
	{ "saved", "c-16", "rbx", 8, 0, "[c-16]=rbx saved" },
	{ "saved", "c-16", "ra", 8, 0, "[c-16]=ra saved" },
	{ "saved", "c-16", "c-8", 8, 0, "[c-16]=c-8 fresh=[c-16] saved" },
	{ "[c-16]=r12 saved", "c-16", "5", 8, 0, "[c-16]=5 saved" },
	{ "", "c-24", "", 0, 16, "touched=-24..-8" },
	{ "[c-16]=r12", "c-24", "", 0, 16, "[c-16]=? touched=-24..-8" },
	{ "[c-16]=r12", "c-24", "", 0, 8, "[c-16]=r12 touched=-24..-16" },
	{ "[c-16]=r12", "c-24", "", 0, 9, "[c-16]=? touched=-24..-15" },
	{ "[c-32]=r12", "c-24", "", 0, 8, "[c-32]=r12 touched=-24..-16" },
	{ "[c-31]=r12", "c-24", "", 0, 8, "[c-31]=? touched=-24..-16" },
	{ "touched=-24..-16", "c-64", "", 0, 8, "touched=-64..-16" },
	{ "touched=-64..-56", "c-24", "", 0, 8, "touched=-64..-16" },
	{ "touched=-64..-16", "c-32", "", 0, 8, "touched=-64..-16" },
	{ "[b9-16]=r12", "c-16", "", 0, 8, "[b9-16]=r12 touched=-16..-8" },
	{ "[c-16]=r12 [b9-16]=rbx", "b9-16", "", 0, 8, "[c-16]=r12 [b9-16]=? bases" },
	{ "[c-16]=r12 saved", "c-24", "", 0, 16, "[c-16]=? saved" },
	{ "saved", "b9-24", "", 0, 16, "saved" },
	{ "", "c-16", "0..5*1", -1, 0, "[c-16]=0..5*1" },
	{ "[c-16]=rbx", "c-16", "0..5*1", -1, 0, "[c-16]=rbx" },
	{ "saved", "c-16", "0..5*1", -1, 0, "saved" },
};

START_TEST(a_word_is_written)
{
	const struct write_case *test = &write_cases[_i];
	struct value at = value_read(test->at), value = { .kind = VALUE_UNKNOWN };
	struct flow_state state, before;
	char rule[200];

	snprintf(rule, sizeof(rule), "%s: %s to %s", test->before, test->value, test->at);
	if (*test->value)
		value = value_read(test->value);
	state_read(&state, test->before);
	before = state;
	if (test->bytes > 0)
		flow_word_write(&state, &at, (uint32_t)test->bytes, value);
	else if (test->bytes)
		flow_word_note(&state, &at, value);
	else
		flow_word_touch(&state, &at, (uint64_t)test->size);
	state_expect(rule, &state, test->after);
	check_writes(rule, &before, &state);
}
END_TEST

static const struct unwritten_case {
	const char *state, *at;
	bool unwritten;
} unwritten_cases[] = {
	{ "", "c-16", true },
	{ "", "c-8", false },
	{ "[c-16]=?", "c-16", false },
	{ "lost", "c-16", false },
	{ "touched=-24..-16", "c-16", true },
	{ "touched=-24..-16", "c-32", true },
	{ "touched=-24..-16", "c-17", false },
	{ "touched=-24..-16", "c-31", false },
	{ "touched=-24..-16", "b9-24", true },
	{ "bases", "b9-24", false },
	{ "bases", "c-24", true },
};

START_TEST(a_word_that_nobody_has_written)
{
	const struct unwritten_case *test = &unwritten_cases[_i];
	struct value at = value_read(test->at);
	struct flow_state state;

	state_read(&state, test->state);
	ck_assert_msg(flow_word_is_unwritten(&state, &at) == test->unwritten, "%s: %s", test->state,
		      test->at);
}
END_TEST

START_TEST(words_that_find_no_room_are_lost)
{
	struct flow_state state, from;
	struct value at = value_read("c-16"), value = value_read("rbx");

	state_read(&state, "");
	for (; state.word_count < FLOW_WORDS_MAX; at.number -= 8)
		flow_word_write(&state, &at, 8, value);
	ck_assert(!state.words_lost);
	flow_word_write(&state, &at, 8, value);
	ck_assert(state.words_lost);
	ck_assert_uint_eq(state.word_count, FLOW_WORDS_MAX);
	/* Two that meet: that there is no room is something new once. */
	state.words_lost = false;
	state_read(&from, "[b9+0]=rbx");
	ck_assert(flow_state_join(&state, &from));
	ck_assert(state.words_lost);
	ck_assert(!flow_state_join(&state, &from));
}
END_TEST

static const struct stray_case {
	const char *at, *value, *after;
} stray_cases[] = {
	{ "?", "rbx", "escaped=rbx" },	 { "!", "r15", "escaped=r15" },
	{ "?", "rax", "escaped=rax" },	 { "c-16", "rbx", "" },
	{ "rdi", "rbx", "escaped=rbx" }, { "?", "rbx+8", "" },
	{ "?", "ra", "escaped=rip" },	 { "?", "5", "" },
};

START_TEST(a_register_that_is_stored_nobody_knows_where)
{
	const struct stray_case *test = &stray_cases[_i];
	struct value at = value_read(test->at), value = value_read(test->value);
	struct flow_state state;

	state_read(&state, "");
	flow_word_escape(&state, &at, &value);
	state_expect(test->value, &state, test->after);
}
END_TEST

static const struct frame_case {
	const char *a, *b;
	bool same;
} frame_cases[] = {
	{ "", "", true },
	{ "rsp=c-16", "", false },
	{ "rsp=c-16 rbp=c-16", "rsp=c-64 rbp=c-16", true },
	{ "rsp=c-16 rbp=c-24", "rsp=c-64 rbp=c-16", false },
	{ "rsp=? rbp=?", "rsp=? rbp=?", false },
	{ "rsp=? rbp=b9+0", "rsp=? rbp=b9+0", true },
	{ "rsp=b9+0", "rsp=b9+0", true },
	{ "rsp=? rbp=5", "rsp=? rbp=5", false },
};

START_TEST(two_ways_have_the_same_frame)
{
	const struct frame_case *test = &frame_cases[_i];
	struct flow_state a, b;

	state_read(&a, test->a);
	state_read(&b, test->b);
	ck_assert_msg(flow_state_same_frame(&a, &b) == test->same, "%s, %s", test->a, test->b);
}
END_TEST

/* What a called function may write, it may, whichever path was gone. */
START_TEST(what_either_way_has_lent_is_lent)
{
	struct flow_state into, from;

	flow_state_enter(&into);
	flow_state_enter(&from);
	from.lent = -24;
	ck_assert(flow_state_join(&into, &from));
	ck_assert_int_eq(into.lent, -24);
	ck_assert(!flow_state_join(&into, &from));
	from.lent = -16;
	ck_assert(!flow_state_join(&into, &from));
	ck_assert_int_eq(into.lent, -24);
}
END_TEST

static const struct call_case {
	const char *before, *after;
} call_cases[] = {
	{ "", "rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=!" },
	{ "rsp=c-24 rbx=5 [c-16]=rbx [c-24]=rbp [c-25]=r12 [c-32]=r13 [b9-64]=r14 down "
	  "compared=rbx,5",
	  "rax=! rdx=! rcx=! rbx=5 rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! [c-16]=rbx "
	  "[c-24]=rbp [c-25]=! [c-32]=! [b9-64]=r14" },
	{ "rsp=c-24 [c-16]=c-8 fresh=[c-16] stale=[c-16]",
	  "rax=! rdx=! rcx=! rsi=! rdi=! rsp=c-24 r8=! r9=! r10=! r11=! [c-16]=c-8" },
	{ "rsp=b9+8 [c-24]=rbx [c-32]=r12 aligned=b9:c-32&-16",
	  "rax=! rdx=! rcx=! rsi=! rdi=! rsp=b9+8 r8=! r9=! r10=! r11=! [c-24]=rbx [c-32]=? "
	  "aligned=b9:c-32&-16" },
	{ "bare [c-16]=rbx", "rax=! rdx=! rcx=! rsi=! rdi=! r8=! r9=! r10=! r11=! bare [c-16]=!" },
	{ "rsp=b9+0 [b9-8]=rbx [b7-8]=r12 [c-64]=r13",
	  "rax=! rdx=! rcx=! rsi=! rdi=! rsp=b9+0 r8=! r9=! r10=! r11=! [b9-8]=! [b7-8]=r12 "
	  "[c-64]=r13" },
};

START_TEST(a_function_that_was_called_has_come_back)
{
	const struct call_case *test = &call_cases[_i];
	struct flow_state state, before;

	state_read(&state, test->before);
	before = state;
	flow_state_call(&state);
	state_expect(test->before, &state, test->after);
	check_writes(test->before, &before, &state);
}
END_TEST

START_TEST(a_stack_that_is_another_one)
{
	struct flow_state state;

	state_read(&state, "rax=c-64 rbx=c-8 r15=b9+0 [c-16]=c-24");
	flow_state_lose_stack(&state);
	state_expect("lost", &state, "rax=? rbx=? rsp=? r15=? [c-16]=c-24");
}
END_TEST

static const struct copy_case {
	const char *text;
} copy_cases[] = { { "" }, { "rax=5 [c-16]=rbx [c-24]=rbp down new" }, { "bare" } };

START_TEST(a_state_is_copied_with_its_words)
{
	struct flow_state from, to;

	memset(&to, 0xff, sizeof(to));
	state_read(&from, copy_cases[_i].text);
	flow_state_copy(&to, &from);
	state_expect("copy", &to, copy_cases[_i].text);
}
END_TEST

/* Before each, the CFA is pushed if cfa is set. rip is 0x1000. */
static const struct expression_case {
	const char *bytes, *state, *value;
	bool cfa;
} expression_cases[] = {
	{ "", "", "?", false },
	{ "", "", "c+0", true },
	{ "77 08", "", "c+0", false },	  /* breg7 8 */
	{ "76 70", "", "rbp-16", false }, /* breg6 -16 */
	{ "70 00", "rax=5", "5", false }, /* breg0 0 */
	{ "80 08", "", "4104", false },	  /* breg16 8 */
	{ "81 00", "", "?", false },	  /* breg17 0 */
	{ "81 00", "touched=-24..-16", "?", false },
	{ "8f 00", "", "?", false },	   /* breg31 0 */
	{ "92 07 08", "", "c+0", false },  /* bregx 7 8 */
	{ "92 10 08", "", "4104", false }, /* bregx 16 8 */
	{ "92 11 08", "", "?", false },	   /* bregx 17 8 */
	{ "92 07", "", "?", false },	   /* ..., cut */
	{ "92", "", "?", false },	   /* ..., cut */
	{ "77", "", "?", false },	   /* breg7, cut */
	{ "77 00 06", "", "ra", false },   /* deref */
	{ "77 78 06", "", "?", false },	   /* of a word that is not known */
	{ "70 00 06", "", "?", false },	   /* of what is no address of the stack */
	{ "06", "", "?", false },	   /* of nothing */
	{ "77 70 06", "[c-24]=rbx", "rbx", false },
	{ "35", "", "5", false },	     /* lit5 */
	{ "08 ff", "", "255", false },	     /* const1u */
	{ "09 ff", "", "-1", false },	     /* const1s */
	{ "08", "", "?", false },	     /* ..., cut */
	{ "77 08 35 12", "", "5", false },   /* dup */
	{ "12", "", "?", false },	     /* ... of nothing */
	{ "77 08 35 13", "", "c+0", false }, /* drop */
	{ "35 13", "", "?", false },	     /* ... of all */
	{ "13", "", "?", false },	     /* ... of nothing */
	{ "35 96", "", "5", false },	     /* nop */
	{ "35 23 08", "", "13", false },     /* plus_uconst 8 */
	{ "23 08", "", "c+8", true },
	{ "35 23", "", "?", false },	 /* ..., cut */
	{ "23 08", "", "?", false },	 /* ... to nothing */
	{ "35 38 22", "", "13", false }, /* plus */
	{ "77 08 38 22", "", "c+8", false },
	{ "38 77 08 22", "", "c+8", false },
	{ "77 08 77 08 22", "", "?", false },
	{ "38 22", "", "?", false },	/* ... of one */
	{ "38 35 1c", "", "3", false }, /* minus */
	{ "77 08 38 1c", "", "c-8", false },
	{ "38 77 08 1c", "", "?", false },
	{ "38 33 1a", "", "0", false },	 /* and */
	{ "38 34 21", "", "12", false }, /* or */
	{ "38 34 1e", "", "32", false }, /* mul */
	{ "38 30 1b", "", "?", false },	 /* div by 0 */
	{ "77 08 38 1e", "", "?", false },
	{ "38 35 2a", "", "1", false },	   /* ge */
	{ "38 28 00 00", "", "?", false }, /* bra is for no row */
	{ "38 94 08", "", "?", false },	   /* deref_size, neither */
	/* The frame's own alignment: rsp & -32. */
	{ "77 00 09 e0 1a", "rsp=c-24 aligned=b9:c-32&-32", "b9+0", false },
	{ "77 00 09 e0 1a", "rsp=c-32 aligned=b9:c-32&-32", "b9+0", false },
	{ "77 00 09 e0 1a", "rsp=c-33 aligned=b9:c-32&-32", "?", false },
	{ "77 00 09 e0 1a", "rsp=c-16 aligned=b9:c-32&-32", "?", false },
	{ "77 00 09 f0 1a", "rsp=c-24 aligned=b9:c-32&-32", "?", false },
	{ "77 00 09 e0 1a", "rsp=c-24", "?", false },
	{ "77 00 30 1a", "rsp=c+8", "?", false },
	{ "77 00 09 e0 1a", "rsp=b7-24 aligned=b9:c-32&-32", "?", false },
	{ "09 e0 77 00 1a", "rsp=c-24 aligned=b9:c-32&-32", "?", false },
	{ "77 00 76 00 1a", "rsp=c-24 aligned=b9:c-32&0", "?", false },
	/* More than the machine holds. */
	{ "30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 "
	  "30 "
	  "30 31",
	  "", "1", false },
	{ "30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 "
	  "30 "
	  "30 31",
	  "", "?", true },
};

START_TEST(an_expression_comes_to_a_value)
{
	static const struct value cfa = { .kind = VALUE_CFA };
	const struct expression_case *test = &expression_cases[_i];
	struct value expected = value_read(test->value), value;
	uint8_t bytes[64];
	size_t size = 0;
	struct flow_state state;

	for (const char *at = test->bytes; *at; at += at[2] ? 3 : 2)
		bytes[size++] = (uint8_t)strtoul(at, NULL, 16);
	state_read(&state, test->state);
	value = flow_expression(bytes, size, 0x1000, test->cfa ? &cfa : NULL, &state);
	ck_assert_msg(value_equal(&value, &expected), "%s, %s: kind %d, number %" PRId64,
		      test->bytes, test->state, value.kind, value.number);
}
END_TEST

SUITE(flow_state, LOOP(two_ways_have_in_common_what_both_know, join_cases),
      LOOP(a_word_is_written, write_cases), LOOP(a_word_that_nobody_has_written, unwritten_cases),
      TEST(what_either_way_has_lent_is_lent), TEST(words_that_find_no_room_are_lost),
      LOOP(a_register_that_is_stored_nobody_knows_where, stray_cases),
      LOOP(two_ways_have_the_same_frame, frame_cases),
      LOOP(a_function_that_was_called_has_come_back, call_cases), TEST(a_stack_that_is_another_one),
      LOOP(a_state_is_copied_with_its_words, copy_cases),
      LOOP(an_expression_comes_to_a_value, expression_cases))
