/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_judge.c - samples one after the other: what one was says nothing of the next, and all are counted
 *
 * Two of everything that a truth has: stacks, open ones, faults, mixtures, and what the kernel puts there for uprobes.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"

struct frames {
	uint32_t count;
	uint64_t pc[4];
};

/* True are 1 2 3 and 4 5; 1 6 and 1 6 7 8 are known so far; faults are 10 11 and 1 2; mixtures 20 21 and 20, whose
 * end is any. The kernel's code is at 40 and 60, breakpoints at 100 and 200, and returns at 300 and 400. */
static void make_truth(struct sample_truth *truth)
{
	static const struct frames stacks[] = { { 3, { 1, 2, 3 } }, { 2, { 4, 5 } } },
				   open[] = { { 2, { 1, 6 } }, { 4, { 1, 6, 7, 8 } } },
				   faults[] = { { 2, { 10, 11 } }, { 2, { 1, 2 } } },
				   mixtures[] = { { 2, { 20, 21 } },
						  { 2, { 20, SAMPLE_NOWHERE } } };
	struct error error;

	ck_assert_int_eq(sample_truth_init(truth, &error), 0);
	truth->uprobes = (struct sample_uprobes) {
		.code = calloc(2, sizeof(*truth->uprobes.code)),
		.code_count = 2,
		.breakpoints = { calloc(2, sizeof(uint64_t)), 2 },
		.returns = { calloc(2, sizeof(uint64_t)), 2 },
	};
	for (int i = 0; i < 2; i++) {
		sample_set_add(truth->stacks, stacks[i].pc, stacks[i].count, true, &error);
		sample_set_add(truth->stacks, open[i].pc, open[i].count, false, &error);
		sample_set_add(truth->faults, faults[i].pc, faults[i].count, true, &error);
		sample_set_add(truth->mixtures, mixtures[i].pc, mixtures[i].count, true, &error);
		truth->uprobes.code[i] = (struct mapped_code) { 40 + 20 * i, 50 + 20 * i };
		truth->uprobes.breakpoints.pc[i] = 100 + 100 * i;
		truth->uprobes.returns.pc[i] = 300 + 100 * i;
	}
}

/* In this order, of one truth. */
static const struct {
	const char *name;
	struct frames stack;
	enum stop_reason stop;
	enum sample_class class;
	bool whole;
	uint64_t met; /* so far */
} samples[] = {
	{ "whole", { 3, { 1, 2, 3 } }, STOP_COMPLETE, SAMPLE_EXACT, true, 1 },
	{ "a_beginning", { 2, { 1, 2 } }, STOP_READ_FAULT, SAMPLE_TRUNCATED, false, 1 },
	{ "a_beginning_as_when_stepped", { 2, { 1, 2 } }, STOP_NO_ROW, SAMPLE_TRUNCATED, false, 1 },
	{ "that_calls_itself_complete",
	  { 2, { 1, 2 } },
	  STOP_COMPLETE,
	  SAMPLE_TABLE_FAULT,
	  false,
	  1 },
	{ "another_one", { 1, { 4 } }, STOP_NO_ROW, SAMPLE_CUT, false, 1 },
	{ "the_other_whole", { 2, { 4, 5 } }, STOP_NO_ROW, SAMPLE_TRUNCATED, true, 2 },
	{ "and_again", { 2, { 4, 5 } }, STOP_COMPLETE, SAMPLE_EXACT, true, 2 },
	{ "as_far_as_known", { 2, { 1, 6 } }, STOP_COMPLETE, SAMPLE_OPEN, false, 3 },
	{ "farther", { 3, { 1, 6, 9 } }, STOP_NO_ROW, SAMPLE_OPEN, false, 3 },
	{ "between_two_that_are_open", { 3, { 1, 6, 7 } }, STOP_NO_ROW, SAMPLE_OPEN, false, 3 },
	{ "the_deeper_one_is_met", { 4, { 1, 6, 7, 8 } }, STOP_NO_ROW, SAMPLE_OPEN, false, 4 },
	{ "an_end_that_is_any", { 2, { 20, 77 } }, STOP_NO_MAPPING, SAMPLE_EXCHANGE, false, 4 },
	{ "an_end_that_is_one", { 2, { 20, 21 } }, STOP_NO_ROW, SAMPLE_EXCHANGE, false, 4 },
	{ "and_none", { 2, { 20, 22 } }, STOP_NO_ROW, SAMPLE_OUTSIDE, false, 4 },
	{ "a_fault", { 2, { 10, 11 } }, STOP_COMPLETE, SAMPLE_TABLE_FAULT, false, 4 },
	{ "a_fault_s_beginning", { 1, { 10 } }, STOP_NO_ROW, SAMPLE_OUTSIDE, false, 4 },
	{ "in_the_kernel_s_code", { 1, { 40 } }, STOP_NO_ROW, SAMPLE_UPROBE, false, 4 },
	{ "in_the_other", { 1, { 69 } }, STOP_NO_ROW, SAMPLE_UPROBE, false, 4 },
	{ "between_them", { 1, { 50 } }, STOP_NO_ROW, SAMPLE_OUTSIDE, false, 4 },
	{ "returns_to_the_other", { 2, { 1, 60 } }, STOP_NO_MAPPING, SAMPLE_UPROBE, false, 4 },
	{ "behind_all_of_a_stack",
	  { 4, { 1, 2, 3, 60 } },
	  STOP_NO_MAPPING,
	  SAMPLE_UPROBE,
	  false,
	  4 },
	{ "behind_the_second_breakpoint", { 1, { 201 } }, STOP_NO_ROW, SAMPLE_UPROBE, false, 4 },
	{ "behind_the_first", { 1, { 115 } }, STOP_NO_ROW, SAMPLE_UPROBE, false, 4 },
	{ "before_the_second", { 1, { 200 } }, STOP_NO_ROW, SAMPLE_OUTSIDE, false, 4 },
	{ "where_the_second_returns", { 1, { 400 } }, STOP_NO_ROW, SAMPLE_UPROBE, false, 4 },
	{ "no_frames", { 0, { 0 } }, STOP_READ_FAULT, SAMPLE_OUTSIDE, false, 4 },
};

START_TEST(one_after_the_other)
{
	uint64_t classes[SAMPLE_CLASS_COUNT] = { 0 }, unproven = 0, frames = 0;
	struct sample_score score = { 0 };
	struct sample_truth truth;
	struct error error = { 0 };

	make_truth(&truth);
	for (int i = 0; i < COUNT(samples); i++) {
		const struct frames *given = &samples[i].stack;
		struct stack stack = { .pc = (uint64_t *)given->pc,
				       .count = given->count,
				       .stop = samples[i].stop };
		enum sample_class class;
		bool whole = !samples[i].whole;

		ck_assert_int_eq(sample_judge(&truth, &stack, &class, &whole, &error), 0);
		ck_assert_msg(class == samples[i].class, "%s: %s", samples[i].name,
			      sample_class_name(class));
		ck_assert_msg(whole == samples[i].whole, "%s", samples[i].name);
		ck_assert_msg(sample_set_met(truth.stacks) == samples[i].met, "%s: %lu",
			      samples[i].name, sample_set_met(truth.stacks));
		ck_assert_int_eq(sample_score_add(&score, class, whole, &stack, &error), 0);
		classes[class]++;
		unproven += whole && class == SAMPLE_TRUNCATED;
		frames += given->count;
	}
	ck_assert_uint_eq(score.records, COUNT(samples));
	ck_assert(!memcmp(score.class, classes, sizeof(classes)));
	ck_assert_uint_eq(score.whole_unproven, unproven);
	ck_assert_uint_eq(score.frames, frames);
	ck_assert_uint_eq(score.max_frames, 4);
	ck_assert_uint_eq(score.finding_count, classes[SAMPLE_CUT] + classes[SAMPLE_OUTSIDE]);
	sample_score_deinit(&score);
	sample_truth_deinit(&truth);
}
END_TEST

/* Two findings, each counted for itself, with its own class; and what ends otherwise is another. */
START_TEST(findings_are_counted_each)
{
	uint64_t pc[][2] = { { 7, 8 }, { 7, 9 } };
	const struct {
		enum sample_class class;
		struct stack stack;
		size_t finding; /* which it is */
	} found[] = {
		{ SAMPLE_CUT, { .pc = pc[0], .count = 2, .stop = STOP_NO_ROW }, 0 },
		{ SAMPLE_OUTSIDE, { .pc = pc[1], .count = 2, .stop = STOP_NO_ROW }, 1 },
		{ SAMPLE_OUTSIDE, { .pc = pc[1], .count = 2, .stop = STOP_NO_ROW }, 1 },
		{ SAMPLE_CUT, { .pc = pc[0], .count = 2, .stop = STOP_NO_ROW }, 0 },
		{ SAMPLE_OUTSIDE, { .pc = pc[1], .count = 2, .stop = STOP_NO_ROW }, 1 },
		{ SAMPLE_OUTSIDE, { .pc = pc[1], .count = 2, .stop = STOP_COMPLETE }, 2 },
		{ SAMPLE_OUTSIDE, { .pc = pc[1], .count = 1, .stop = STOP_NO_ROW }, 3 },
	};
	uint64_t counts[4] = { 0 };
	struct sample_score score = { 0 };
	struct error error;

	for (int i = 0; i < COUNT(found); i++) {
		ck_assert(!sample_score_add(&score, found[i].class, true, &found[i].stack, &error));
		counts[found[i].finding]++;
		ck_assert_uint_eq(score.whole_unproven, 0);
	}
	ck_assert_uint_eq(score.finding_count, COUNT(counts));
	for (int i = 0; i < COUNT(found); i++) {
		const struct sample_finding *finding = &score.finding[found[i].finding];

		ck_assert_int_eq(finding->class, found[i].class);
		ck_assert_uint_eq(finding->count, counts[found[i].finding]);
		ck_assert(finding->stack.count == found[i].stack.count &&
			  finding->stack.stop == found[i].stack.stop &&
			  finding->stack.pc != found[i].stack.pc &&
			  !memcmp(finding->stack.pc, found[i].stack.pc,
				  sizeof(*pc[0]) * finding->stack.count));
	}
	/* Where no other is kept those that are there are still counted. */
	for (uint64_t i = 0; i < SAMPLE_FINDINGS_MAX; i++) {
		uint64_t other = 1000 + i;
		const struct stack stack = { .pc = &other, .count = 1, .stop = STOP_NO_ROW };

		ck_assert(!sample_score_add(&score, SAMPLE_CUT, false, &stack, &error));
	}
	ck_assert_uint_eq(score.finding_count, SAMPLE_FINDINGS_MAX);
	ck_assert_uint_eq(score.findings_not_kept, COUNT(counts));
	ck_assert(!sample_score_add(&score, SAMPLE_CUT, false, &found[0].stack, &error));
	ck_assert_uint_eq(score.finding[0].count, counts[0] + 1);
	ck_assert_uint_eq(score.findings_not_kept, COUNT(counts));
	sample_score_deinit(&score);
}
END_TEST

/* Classes that are findings; of the others no stack is kept. */
START_TEST(which_classes_are_findings)
{
	uint64_t pc = 7;
	const struct stack stack = { .pc = &pc, .count = 1 };
	struct sample_score score = { 0 };
	struct error error;

	for (int class = 0; class < SAMPLE_CLASS_COUNT; class ++) {
		bool finding = class == SAMPLE_CUT || class == SAMPLE_OUTSIDE;

		ck_assert_int_eq(sample_class_is_finding(class), finding);
		if (!finding)
			ck_assert(!sample_score_add(&score, class, true, &stack, &error));
		ck_assert_uint_eq(score.finding_count, 0);
	}
	ck_assert_uint_eq(score.whole_unproven, 1);
	sample_score_deinit(&score);
}
END_TEST

START_TEST(class_names)
{
	static const char *const names[] = { "exact",	    "truncated", "open",
					     "table_fault", "exchange",	 "raced",
					     "uprobe",	    "cut",	 "outside" };

	ck_assert_int_eq(COUNT(names), SAMPLE_CLASS_COUNT);
	for (int class = 0; class < SAMPLE_CLASS_COUNT; class ++)
		ck_assert_str_eq(sample_class_name(class), names[class]);
}
END_TEST

/* An end that is nowhere takes the last frame's place, or is one frame more: if a walk has room for it. */
static const struct {
	const char *name;
	enum stop_reason stop;
	uint32_t count, after;
	bool nowhere; /* the last is */
} ends[] = {
	{ "its_last_leads_nowhere", STOP_NO_MAPPING, 3, 3, true },
	{ "its_first_is_where_it_was", STOP_NO_MAPPING, 1, 1, false },
	{ "nothing_leads_nowhere", STOP_NO_MAPPING, 0, 0, false },
	{ "it_returns_to_0", STOP_ZERO_RETURN, 3, 4, true },
	{ "at_once", STOP_ZERO_RETURN, 1, 2, true },
	{ "room_for_one", STOP_ZERO_RETURN, WALK_FRAMES_MAX - 1, WALK_FRAMES_MAX, true },
	{ "no_room", STOP_ZERO_RETURN, WALK_FRAMES_MAX, WALK_FRAMES_MAX, false },
	{ "another_stop", STOP_NO_ROW, 3, 3, false },
	{ "a_proven_end", STOP_COMPLETE, 3, 3, false },
};

START_TEST(an_end_that_is_nowhere)
{
	struct stack stack = { 0 };
	struct error error;

	ck_assert(!stack_reserve(&stack, WALK_FRAMES_MAX, &error));
	for (uint32_t i = 0; i < ends[_i].count; i++)
		stack.pc[i] = i;
	stack.count = ends[_i].count;
	stack.stop = ends[_i].stop;
	ck_assert(!sample_end_nowhere(&stack, &error));
	ck_assert_msg(stack.count == ends[_i].after && stack.stop == ends[_i].stop, "%s: %u",
		      ends[_i].name, stack.count);
	for (uint32_t i = 0; i < stack.count; i++)
		ck_assert_msg(
			stack.pc[i] ==
				(ends[_i].nowhere && i == stack.count - 1 ? SAMPLE_NOWHERE : i),
			"%s: frame %u", ends[_i].name, i);
	stack_deinit(&stack);
}
END_TEST

/* A record's stack; of the next no frame is the one's before. */
START_TEST(a_record_s_stack)
{
	static struct walk_record record;
	static const uint32_t counts[] = { 3, WALK_FRAMES_MAX, 0, 2 };
	struct stack stack = { 0 };
	struct error error;

	for (int i = 0; i < COUNT(counts); i++) {
		record.count = counts[i];
		record.stop = STOP_COMPLETE + i;
		for (uint32_t at = 0; at < counts[i]; at++)
			record.pc[at] = 100 * i + at;
		ck_assert_int_eq(sample_stack(&record, &stack, &error), 0);
		ck_assert(stack.count == counts[i] && stack.stop == record.stop);
		ck_assert(!memcmp(stack.pc, record.pc, counts[i] * sizeof(*stack.pc)));
	}
	record.count = WALK_FRAMES_MAX + 1;
	ck_assert_int_eq(sample_stack(&record, &stack, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	stack_deinit(&stack);
}
END_TEST

/* ---- the set ----------------------------------------------------------------------------------- */

/* Which open stack was met is the deepest on the way; and what is forgotten is met again. */
START_TEST(two_open_stacks_on_one_way)
{
	static const uint64_t way[] = { 1, 2, 3 }, other[] = { 1, 9 };
	struct sample_set *set = sample_set_create();
	struct error error;

	ck_assert(!sample_set_add(set, way, 1, false, &error));
	ck_assert(!sample_set_add(set, way, 2, false, &error));
	for (int times = 0; times < 2; times++) {
		ck_assert_int_eq(sample_set_find(set, way, 3), SET_OPEN);
		ck_assert_uint_eq(sample_set_met(set), 1);
		ck_assert_int_eq(sample_set_find(set, other, 2), SET_OPEN);
		ck_assert_uint_eq(sample_set_met(set), 2);
		ck_assert_int_eq(sample_set_find(set, way, 3), SET_OPEN);
		ck_assert_uint_eq(sample_set_met(set), 2);
		sample_set_forget_met(set);
	}
	/* Open and whole at once: whole. */
	ck_assert(!sample_set_add(set, way, 2, true, &error));
	ck_assert_int_eq(sample_set_find(set, way, 2), SET_WHOLE);
	ck_assert_int_eq(sample_set_find(set, way, 3), SET_OPEN);
	ck_assert_uint_eq(sample_set_count(set), 2);
	/* Nothing is no stack, and what was only asked for is not there. */
	ck_assert(!sample_set_add(set, way, 0, true, &error));
	ck_assert_uint_eq(sample_set_count(set), 2);
	ck_assert_uint_eq(sample_set_depth(set), 2);
	sample_set_destroy(set);
	sample_set_destroy(NULL);
}
END_TEST

/* An open stack may be the nearest; and what is no stack's end is none. */
START_TEST(the_nearest_may_be_open)
{
	static const uint64_t open[] = { 1, 8, 9 }, whole[] = { 2, 9 }, asked[] = { 7, 8, 9 };
	struct sample_set *set = sample_set_create();
	struct stack near = { 0 };
	struct error error;
	uint32_t common;

	ck_assert(!sample_set_add(set, whole, 2, true, &error));
	ck_assert(!sample_set_add(set, open, 3, false, &error));
	ck_assert(sample_set_nearest(set, asked, 3, &near, &common));
	ck_assert(common == 2 && near.count == 3 && !memcmp(near.pc, open, sizeof(open)));
	/* The next answer is its own. */
	ck_assert(sample_set_nearest(set, asked + 2, 1, &near, &common));
	ck_assert(common == 1 && near.count == 2 && !memcmp(near.pc, whole, sizeof(whole)));
	ck_assert(!sample_set_nearest(set, asked, 1, &near, &common));
	ck_assert(!common && !near.count);
	stack_deinit(&near);
	sample_set_destroy(set);
}
END_TEST

SUITE(sample_judge, TEST(one_after_the_other), TEST(findings_are_counted_each),
      TEST(which_classes_are_findings), TEST(class_names), LOOP(an_end_that_is_nowhere, ends),
      TEST(a_record_s_stack), TEST(two_open_stacks_on_one_way), TEST(the_nearest_may_be_open))
