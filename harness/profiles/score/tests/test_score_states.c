/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_states.c - what is kept from one stack to the next, and from one profile to the next, changes neither
 *
 * A stack counts as it does alone: whichever came before it, however often it comes, and though what was kept was
 * forgotten meanwhile.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "score_crafted.h"

/* ---- from stack to stack ---------------------------------------------------------------------- */

static const struct {
	const char *truth, *stacks[8];
} orders[] = {
	{ "0:2810 0:2110 0:2010\nu 0:2820 0:2210 0:2010\no 0:2830 0:2310",
	  { "0:2810", "0:2850", "0:2810 0:2110", "0:2820 0:2210", "0:2830 0:2310", "0:2810 0:2410",
	    "0:2850 0:2110 0:2010", "0:2810 0:2110 0:2010 0:2010" } },
	{ "0:2810 0:2110 0:2010\n0:3810 0:2010\n1:2310 0:2010",
	  { "0:2810 0:2110 0:2010", "0:3810 0:2110", "0:2810 0:2010", "1:2310 0:2110",
	    "0:2810 0:2110 0:3810", "0:3810 0:2010", "1:2350", "0:2a10 0:2010" } },
	{ "0:2810 0:2700 0:2010\n0:2810 0:2110 0:2010\n0:3810 0:2010",
	  { "main;f;leaf 1", "f;leaf 1", "main;nobody;leaf 1", "deep;leaf 1", "main;deep 1",
	    "main;nobody;deep 1", "main;leaf;deep 1", "main;f;leaf;leaf 1" } },
	{ "0:2110 0:2010\n1:2480 0:2010",
	  { "main;f 1", "main;f+0x180 1", "main;f+0x10 1", "f;f+0x10 1", "main;f+0x280 1",
	    "main;f+0x280;f 1", "main;[prog+0x1110] 1", "f;[prog+0x1110] 1" } },
};

/* Numbers of stacks, of which each is counted so often. */
static void score_some(int order, const int *number, int count, struct score *ret)
{
	char text[1024] = "", *profile;

	for (int i = 0; i < count; i++) {
		strcat(text, i ? "\n" : "");
		strcat(text, orders[order].stacks[number[i]]);
	}
	if (*text > '9')
		strcat(text, "\n");
	profile = crafted_profile(text);
	score_into(ret, profile, strlen(profile));
	free(profile);
}

START_TEST(a_stack_counts_as_it_does_alone)
{
	enum { STACKS = COUNT(orders[0].stacks), TURNS = STACKS * 2 };
	struct score alone[STACKS], all;

	open_crafted(orders[_i].truth);
	for (int i = 0; i < STACKS; i++)
		score_some(_i, &i, 1, &alone[i]);
	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t class[SCORE_CLASS_COUNT] = { 0 }, reason[SCORE_REASON_COUNT] = { 0 };
		int number[3 * STACKS];
		uint64_t findings = 0;

		/* from each on in turn, forwards or backwards; and all of them again */
		for (int i = 0; i < COUNT(number); i++) {
			int at = turn < STACKS ? i + turn : 4 * STACKS - i - turn;

			number[i] = (at + 4 * STACKS) % STACKS;
			for (int j = 0; j < SCORE_CLASS_COUNT; j++)
				class[j] += alone[number[i]].all.class[j];
			for (int j = 0; j < SCORE_REASON_COUNT; j++)
				reason[j] += alone[number[i]].reason[j];
		}
		score_some(_i, number, COUNT(number), &all);
		for (int j = 0; j < SCORE_CLASS_COUNT; j++)
			ck_assert_uint_eq(all.all.class[j], class[j]);
		for (int j = 0; j < SCORE_REASON_COUNT; j++)
			ck_assert_uint_eq(all.reason[j], reason[j]);
		for (uint32_t j = 0; j < all.findings; j++) {
			ck_assert_uint_eq(all.finding[j].count % 3, 0);
			findings += all.finding[j].count;
		}
		ck_assert_uint_eq(findings, class[SCORE_IMPOSSIBLE]);
		score_deinit(&all);
	}
	for (int i = 0; i < STACKS; i++)
		score_deinit(&alone[i]);
}
END_TEST

/* A frame leads from each state to a state of its own, and to the same again, also when there are many. */
START_TEST(a_state_for_each_frame_and_state_before_it)
{
	enum { FRAMES = 60 };
	struct error error;
	uint32_t first[FRAMES], *second = calloc(FRAMES * FRAMES, sizeof(*second));
	char text[FRAMES * 16] = "";

	for (int i = 0; i < FRAMES; i++)
		snprintf(text + strlen(text), 16, "%sname%d", i ? ";" : "", i);
	strcat(text, " 1\n");
	open_crafted("0:2700 0:2010");
	score_text(text);
	ck_assert_uint_ge(scored.profile.frames, FRAMES);
	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < FRAMES; i++) {
			uint32_t state = score_matcher_next(scored.matcher, SCORE_START, i + 1,
							    &error);

			ck_assert(!again || state == first[i]);
			first[i] = state;
			for (uint32_t j = 0; j < FRAMES; j++) {
				uint32_t next = score_matcher_next(scored.matcher, state, j + 1,
								   &error);
				struct score_state *at = score_matcher_state(scored.matcher, next);

				ck_assert(!again || next == second[i * FRAMES + j]);
				second[i * FRAMES + j] = next;
				ck_assert_uint_eq(at->before, state);
				ck_assert_uint_eq(at->frame, j + 1);
				ck_assert_uint_eq(at->frames, 2);
			}
		}
	free(second);
}
END_TEST

/* Where no frame agrees any more, what agreed before stays known. */
START_TEST(the_state_of_a_stack_that_ends)
{
	struct error error;
	const struct score_state *end;
	uint32_t state = SCORE_START;

	open_crafted("0:2810 0:2110 0:2010");
	score_text("0:2810 0:2110 0:3810");
	for (uint32_t i = 0; i < 3; i++)
		state = score_matcher_next(scored.matcher, state, scored.finding[0].frame[i],
					   &error);
	end = score_matcher_state(scored.matcher, state);
	ck_assert(end->is_end && !end->count);
	ck_assert_uint_eq(end->frames, 2);
	ck_assert_str_eq(truth.function[end->function].name, "f");
}
END_TEST

/* ---- from profile to profile ------------------------------------------------------------------- */

#define PERF(head) head " 1.0: e: \n\t 1810 leaf+0x10 (/x/prog)\n\t 1110 f+0x10 (/x/prog)\n\n"

static const struct {
	const char *profile, *counts;
} profiles[] = {
	{ PERF("prog 5/5") PERF("prog 6/6"), "caller 1 other_process 1" },
	{ PERF("prog 6/6") PERF("prog 5/5"), "caller 1 other_process 1" },
	{ "ls;main;leaf 1\nprog;main;leaf 2\n", "exact 3" },
	{ "main;leaf 1\nls;main;leaf 2\n", "exact 1 names 2" },
	{ "prog;main;leaf 1\nls;nobody;leaf 2\n", "exact 1 names 2" },
	{ "*4 0:2810 0:2010\n*2 0:2810 0:2110", "exact 4 process 2" },
	{ "nobody 1\n", "names 1" },
};

START_TEST(a_profile_counts_as_it_does_alone)
{

	open_crafted("children=1\n"
		     "0:2810 0:2010\n0:2010");
	for (int turn = 0; turn < 2 * COUNT(profiles); turn++) {
		int i = turn < COUNT(profiles) ? turn : 2 * COUNT(profiles) - 1 - turn;

		check_counts("a profile", profiles[i].profile, profiles[i].counts);
	}
}
END_TEST

/* ---- what was forgotten ------------------------------------------------------------------------ */

/* Where leaves have no names any of them may be meant by a name: each name keeps all of them. */
START_TEST(states_that_are_forgotten)
{
	enum { LEAVES = 4000, NAMES = 5000 };
	struct error error;
	char *text;
	size_t size;
	uint32_t wrong, number;
	FILE *file = open_memstream(&text, &size);

	truth_images("/nonexistent/prog");
	for (uint32_t i = 0; i < LEAVES; i++)
		truth_stack(&written, &(struct truth_stack) { .points = 1 },
			    (struct truth_frame[]) { { 0, 0x1000 + 4 * i }, { 0, 1 } }, 2);
	fputs("{'type':'profile_image','image':1,'path':'/nonexistent/prog'}\n", file);
	for (uint32_t i = 0; i < NAMES; i++) {
		fprintf(file, "{'type':'profile_stack','count':1,'frames':[{'name':'name%u'}]}\n",
			i);
		for (int more = 0; more < 2 && i % 100 == 0; more++)
			fprintf(file,
				"{'type':'profile_stack','count':%d,'frames':[{'image':1,'vaddr':'"
				"0x1004'},{'image':1,'vaddr':'0x%d'}]}\n",
				more ? 2 : 3, more ? 9 : 1);
	}
	fclose(file);
	open_truth();
	score_text(text);
	free(text);
	ck_assert_uint_eq(scored.all.class[SCORE_UNPROVEN], NAMES);
	ck_assert_uint_eq(scored.all.class[SCORE_EXACT], 3 * NAMES / 100);
	ck_assert_uint_eq(scored.all.class[SCORE_IMPOSSIBLE], 2 * NAMES / 100);
	ck_assert_uint_eq(scored.findings, 1);
	ck_assert_uint_eq(scored.finding[0].count, 2 * NAMES / 100);
	/* The next new state has a low number, and is kept now. */
	wrong = scored.finding[0].frame[1];
	number = score_matcher_next(scored.matcher, SCORE_START, wrong, &error);
	ck_assert_uint_lt(number, NAMES / 2);
	ck_assert_int_eq(score_matcher_trim(scored.matcher, &error), 0);
	ck_assert_uint_eq(score_matcher_next(scored.matcher, SCORE_START, wrong, &error), number);
}
END_TEST

SUITE(score_states, CRAFTED, LOOP(a_stack_counts_as_it_does_alone, orders),
      TEST(a_state_for_each_frame_and_state_before_it), TEST(the_state_of_a_stack_that_ends),
      TEST(a_profile_counts_as_it_does_alone), TEST(states_that_are_forgotten))
