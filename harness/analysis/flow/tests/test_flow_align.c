/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_flow_align.c - what is written by an aligned address, and which words that may be
 *
 * States are those of flow_fixture.h.
 */
#include "tests/suite.h"
#include "analysis/flow/flow_state.c"
#include "analysis/flow/flow.h"
#include "flow_fixture.h"

/* bytes: 8 of a value; else touched are size bytes from at. */
static const struct write_case {
	const char *before, *at, *value;
	int size;
	const char *after;
} write_cases[] = {
	/* 16 bytes: where the base is is known. */
	{ "[c-16]=rbp [c-24]=rbx aligned=b9:c-24&-16", "b9+8", "!", 0,
	  "[c-16]=rbp [c-24]=? aligned=b9:c-32&-16 touched=-24..-16 unlisted=other" },
	{ "[c-16]=rbp [c-24]=rbx aligned=b9:c-24&-16", "b9+0", "!", 0,
	  "[c-16]=rbp [c-24]=rbx aligned=b9:c-32&-16 touched=-32..-24 unlisted=other" },
	{ "[c-16]=rbp [c-24]=rbx aligned=b9:c-24&-16", "b9+16", "r12", 0,
	  "[c-16]=? [c-24]=rbx aligned=b9:c-32&-16 [b9+16]=r12 touched=-16..-8" },
	{ "[c-16]=rbp [c-24]=rbx aligned=b9:c-24&-16", "b9+12", "!", 0,
	  "[c-16]=? [c-24]=? aligned=b9:c-32&-16 touched=-20..-12 unlisted=other" },
	{ "[c-16]=rbp [c-24]=rbx aligned=b9:c-32&-16", "b9-8", "!", 0,
	  "[c-16]=rbp [c-24]=rbx aligned=b9:c-32&-16 touched=-40..-32 unlisted=other" },
	{ "aligned=b9:c-24&-16", "b9+24", "!", 0,
	  "bare [c-8]=? aligned=b9:c-32&-16 touched=-8..0 unlisted=other" },
	{ "[c-24]=rbx aligned=b9:c-24&-16 saved", "b9+8", "!", 0,
	  "[c-24]=? aligned=b9:c-32&-16 saved" },
	/* More: it may be at each of several places. */
	{ "[c-16]=rbp [c-24]=rbx aligned=b9:c-24&-32", "b9+8", "!", 0,
	  "[c-16]=rbp [c-24]=? aligned=b9:c-32&-32 touched=-40..-16 unlisted=other" },
	{ "[c-16]=rbp [c-24]=rbx [c-40]=r12 aligned=b9:c-40&-64", "b9+0", "!", 0,
	  "[c-16]=rbp [c-24]=rbx [c-40]=r12 aligned=b9:c-48&-64 touched=-96..-40 unlisted=other" },
	{ "[c-16]=rbp [c-48]=r12 [c-104]=r13 aligned=b9:c-40&-64", "b9+0", "!", 0,
	  "[c-16]=rbp [c-48]=? [c-104]=r13 aligned=b9:c-48&-64 touched=-96..-40 unlisted=other" },
	{ "[c-24]=rbx aligned=b9:c-32&-64", "b9-64", "", 64,
	  "[c-24]=rbx aligned=b9:c-32&-64 touched=-144..-32 bases" },
	{ "[c-24]=rbx aligned=b9:c-32&-64", "b9-56", "", 64,
	  "[c-24]=rbx aligned=b9:c-32&-64 touched=-136..-24 bases" },
	{ "[c-24]=rbx aligned=b9:c-32&-64", "b9-55", "", 64,
	  "[c-24]=? aligned=b9:c-32&-64 touched=-135..-23 bases" },
	/* A mask of which not all lower bits are cleared. */
	{ "[c-24]=rbx [c-56]=r12 aligned=b9:c-24&-24", "b9+0", "!", 0,
	  "[c-24]=? [c-56]=? aligned=b9:c-24&about-32 touched=-55..-16 unlisted=other" },
	/* By the CFA, or a copy, what a base's word may be. */
	{ "aligned=b9:c-24&-32 [b9-8]=rbx [b9-40]=r12", "c-40", "!", 0,
	  "aligned=b9:c-32&-32 [b9-8]=? [b9-40]=r12 unlisted=other bases" },
	{ "aligned=b9:c-24&-32 [b9-8]=rbx", "c-32", "!", 0,
	  "aligned=b9:c-32&-32 [b9-8]=rbx unlisted=other" },
	{ "aligned=b9:c-24&-32 [b9-8]=rbx", "c-64", "!", 0,
	  "aligned=b9:c-32&-32 [b9-8]=rbx unlisted=other bases" },
	{ "aligned=b9:c-24&-32 [b9-8]=rbx saved", "c-40", "!", 0,
	  "aligned=b9:c-32&-32 [b9-8]=? saved" },
	/* One base by another, and room of a size that is computed. */
	{ "[c-16]=rbp aligned=b9:c-8&-64 aligned=b7:b9-8&-16 [b9-8]=r12", "b7+8", "!", 0,
	  "[c-16]=rbp aligned=b9:c-16&-64 aligned=b7:b9-16&-16 [b9-8]=? touched=-72..-16 "
	  "unlisted=other "
	  "bases" },
	{ "[c-24]=rbp aligned=b9:c-8&-64 aligned=b7:b9-8&-16 [b9-16]=r12", "b7+8", "!", 0,
	  "[c-24]=? aligned=b9:c-16&-64 aligned=b7:b9-16&-16 [b9-16]=r12 touched=-72..-16 "
	  "unlisted=other "
	  "bases" },
	{ "[c-16]=rbp aligned=b9:c-8&-32 aligned=b7:b9-8&-64", "b7+8", "!", 0,
	  "[c-16]=rbp aligned=b9:c-16&-32 aligned=b7:b9-32&-64 touched=-88..-32 unlisted=other "
	  "bases" },
	{ "[c-16]=rbp aligned=b7:b9+15&-16 [b9-8]=rbx", "b7+0", "!", 0,
	  "[c-16]=rbp aligned=b7:b9+15&-16 [b9-8]=rbx unlisted=other bases" },
	{ "[c-16]=rbp aligned=b7:b9+14&-16 [b9-8]=rbx", "b7+0", "!", 0,
	  "[c-16]=rbp aligned=b7:b9+14&-16 [b9-8]=? unlisted=other bases" },
	{ "[c-16]=rbp [c-24]=rbx", "b9+8", "!", 0, "[c-16]=rbp [c-24]=rbx unlisted=other" },
	{ "bare aligned=b9:c-24&-32", "c-64", "!", 0,
	  "bare aligned=b9:c-32&-32 unlisted=other bases" },
};

START_TEST(a_word_may_be_another_bases)
{
	const struct write_case *test = &write_cases[_i];
	struct value at = value_read(test->at);
	struct flow_state state, before;
	char rule[200];

	snprintf(rule, sizeof(rule), "%s: %s to %s", test->before, test->value, test->at);
	state_read(&state, test->before);
	before = state;
	if (*test->value) {
		flow_word_write(&state, &at, 8, value_read(test->value));
	} else {
		flow_word_touch(&state, &at, (uint64_t)test->size);
		flow_align_write(&state, &at, (uint64_t)test->size, (uint64_t)test->size);
	}
	state_expect(rule, &state, test->after);
	check_writes(rule, &before, &state);
}
END_TEST

START_TEST(of_a_store_under_a_mask_it_is_the_first_bytes)
{
	struct value at = value_read("b9-40");
	struct flow_state state;

	state_read(&state, "[c-24]=rbx aligned=b9:c-32&-64");
	flow_align_write(&state, &at, 64, 1);
	state_expect("masked", &state, "[c-24]=rbx aligned=b9:c-32&-64 touched=-120..-8");
	at.number = 8;
	flow_align_write(&state, &at, 64, 1);
	state_expect("masked", &state, "[c-24]=? aligned=b9:c-32&-64 touched=-120..40");
}
END_TEST

static const struct below_case {
	const char *state, *at, *limit;
	bool below;
} below_cases[] = {
	{ "", "c-24", "c-16", true },
	{ "", "c-24", "c-24", false },
	{ "", "b9-24", "b9-16", true },
	{ "", "c-64", "b9+0", false },
	{ "", "c-64", "?", false },
	{ "aligned=b9:c-24&-32", "c-40", "b9+0", true },
	{ "aligned=b9:c-24&-32", "c-32", "b9+0", false },
	{ "aligned=b9:c-24&-32", "b9+0", "c-32", true },
	{ "aligned=b9:c-24&-32", "b9+16", "c-32", false },
	{ "aligned=b9:c-24&-32", "b9+15", "c-32", true },
	{ "aligned=b9:c-24&-32", "b7+0", "c-32", false },
	{ "bare aligned=b9:c-24&-32", "b9+0", "c-32", true },
	{ "bare aligned=b9:c-24&-32", "c-40", "b9+0", true },
};

START_TEST(an_address_may_be_below_another)
{
	const struct below_case *test = &below_cases[_i];
	struct value at = value_read(test->at), limit = value_read(test->limit);
	struct flow_state state;

	state_read(&state, test->state);
	ck_assert_msg(flow_align_is_below(&state, &at, &limit) == test->below, "%s: %s below %s",
		      test->state, test->at, test->limit);
}
END_TEST

START_TEST(the_highest_address_that_it_may_be)
{
	struct value at = value_read("b9+8");
	struct flow_state state;

	state_read(&state, "aligned=b9:c-24&-64");
	ck_assert_int_eq(flow_align_highest(&state, &at), -24);
	at.bound = 7;
	ck_assert_int_eq(flow_align_highest(&state, &at), INT64_MIN);
}
END_TEST

START_TEST(a_called_function_has_what_may_be_below_rsp)
{
	struct flow_state state;

	state_read(&state, "rsp=b9+8 [c-24]=rbx [c-32]=r12 [c-40]=r13 aligned=b9:c-32&-32");
	flow_align_call(&state);
	state_expect("call", &state, "rsp=b9+8 [c-24]=rbx [c-32]=? [c-40]=? aligned=b9:c-32&-32");
	state_read(&state, "bare rsp=b9+8 [c-32]=r12 aligned=b9:c-32&-32");
	flow_align_call(&state);
	state_expect("call", &state, "rsp=b9+8 bare [c-32]=? aligned=b9:c-32&-32");
}
END_TEST

static const struct note_case {
	const char *at;
	int64_t mask;
	const char *after;
} note_cases[] = {
	{ "c-24", -16, "aligned=b9:c-32&-16" },
	{ "c-24", -1, "aligned=b9:c-24&-1" },
	{ "c-24", -4, "aligned=b9:c-24&-4" },
	{ "c-23", -4, "aligned=b9:c-24&-4" },
	{ "c-24", 16, "" },
	{ "c-24", 0, "" },
	{ "*c-24", -16, "" },
	{ "~c-24", -16, "" },
	{ "rdi", -16, "" },
	{ "?", -16, "" },
	{ "b9-24", -16, "" },
	{ "b7-24", -16, "aligned=b9:b7-24&-16" },
	{ "c-24", -48, "aligned=b9:c-24&about-64" },
	{ "c+0", INT64_MIN, "" },
	{ "c-24", -((int64_t)1 << 30), "aligned=b9:c-32&-1073741824" },
	{ "c-24", -((int64_t)1 << 31), "" },
};

START_TEST(an_alignment_is_noted)
{
	const struct note_case *test = &note_cases[_i];
	struct value at = value_read(test->at);
	struct flow_state state, before;

	state_read(&state, "");
	before = state;
	flow_align_note(&state, 9, &at, test->mask);
	state_expect(test->at, &state, test->after);
	check_writes(test->at, &before, &state);
	ck_assert(state.aligned == (*test->after != '\0'));
}
END_TEST

static const struct find_case {
	const char *state, *at;
	int64_t mask;
	bool found;
} find_cases[] = {
	{ "aligned=b9:c-24&-32", "c-24", -32, true },
	{ "bare aligned=b9:c-24&-32", "c-24", -32, true },
	{ "aligned=b9:c-24&-32", "c-32", -32, true }, /* the CFA is a multiple of 16 */
	{ "aligned=b9:c-24&-32", "c-16", -32, false },
	{ "aligned=b9:c-24&-32", "c-40", -32, false },
	{ "aligned=b9:c-24&-32", "c-24", -64, false },
	{ "aligned=b9:c-24&-32", "b7-24", -32, false },
	{ "aligned=b9:c-24&-24", "c-24", -24, false },
	{ "[c-24]=rbx", "c-24", -32, false },
};

START_TEST(what_is_aligned_as_before_is_the_same_base)
{
	const struct find_case *test = &find_cases[_i];
	struct value at = value_read(test->at), found;
	struct flow_state state;

	state_read(&state, test->state);
	found = flow_align_find(&state, &at, test->mask);
	ck_assert_int_eq(found.kind, test->found ? VALUE_BASE : VALUE_UNKNOWN);
	if (test->found)
		ck_assert_uint_eq(found.bound, 9);
}
END_TEST

START_TEST(an_alignment_finds_room_for_itself)
{
	struct flow_state state;
	struct value at = value_read("c-16"), value = value_read("rbx");
	const struct value key = { .kind = VALUE_ALIGNED, .bound = 9 }, other = value_read("c-24");

	state_read(&state, "");
	for (; state.word_count < FLOW_WORDS_MAX; at.number -= 8)
		flow_word_write(&state, &at, 8, value);
	flow_align_note(&state, 9, &at, -64);
	ck_assert_ptr_null(flow_word_find(&state, &key));
	state.words_lost = false;
	flow_word_write(&state, &other, 8, value_read("c-64"));
	ck_assert_uint_ne(state.fresh, 0);
	flow_align_note(&state, 9, &at, -64);
	ck_assert_ptr_nonnull(flow_word_find(&state, &key));
	ck_assert_ptr_null(flow_word_find(&state, &other));
	ck_assert(state.words_lost);
	ck_assert_uint_eq(state.fresh, 0);
}
END_TEST

SUITE(flow_align, LOOP(a_word_may_be_another_bases, write_cases),
      TEST(of_a_store_under_a_mask_it_is_the_first_bytes),
      LOOP(an_address_may_be_below_another, below_cases), TEST(the_highest_address_that_it_may_be),
      TEST(a_called_function_has_what_may_be_below_rsp), LOOP(an_alignment_is_noted, note_cases),
      LOOP(what_is_aligned_as_before_is_the_same_base, find_cases),
      TEST(an_alignment_finds_room_for_itself))
