/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample.c - the set of stacks, the classes of samples, the account, and a program sampled
 *
 * The program is this test itself, which either goes left or goes right: held against a stepped run
 * of the same way every sample is a true stack, held against the other way's the samples are found
 * out. Where BPF or ptrace is not permitted that part prints SKIP and the reason.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"

#define KEPT	      __attribute__((noipa))
#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- the set ---------------------------------------------------------------------------- */

#define FRAMES_MAX 4

struct frames {
	uint32_t count;
	uint64_t pc[FRAMES_MAX];
};

/* The second number of a PC below node 1 that hashes as the first below the root does. */
#define SAME_HASH (2ull ^ (1ull << 36))

#define ADDED(...) .added = { __VA_ARGS__ }
#define OPEN(...)  .open = { __VA_ARGS__ }
#define ASKED(...) .asked = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct frames added[3];
	bool open[3];
	struct frames asked;
	enum set_match match;
	uint32_t common;
} set_cases[] = {
	{ "nothing_is_in_an_empty_set", ASKED(1, { 1 }), .match = SET_NONE },
	{ "no_frames_begin_every_stack", ADDED({ 2, { 1, 2 } }), .match = SET_PREFIX },
	{ "a_stack_is_whole", ADDED({ 2, { 1, 2 } }), ASKED(2, { 1, 2 }), .match = SET_WHOLE,
	  .common = 2 },
	{ "its_first_frames_are_a_prefix", ADDED({ 3, { 1, 2, 3 } }), ASKED(2, { 1, 2 }),
	  .match = SET_PREFIX },
	{ "its_last_frames_are_not", ADDED({ 3, { 1, 2, 3 } }), ASKED(2, { 2, 3 }),
	  .match = SET_NONE, .common = 2 },
	{ "one_frame_more_is_none", ADDED({ 2, { 1, 2 } }), ASKED(3, { 1, 2, 3 }),
	  .match = SET_NONE },
	{ "another_innermost_frame_is_none", ADDED({ 3, { 1, 2, 3 } }), ASKED(3, { 4, 2, 3 }),
	  .match = SET_NONE, .common = 2 },
	{ "another_outermost_frame_is_none", ADDED({ 3, { 1, 2, 3 } }), ASKED(3, { 1, 2, 4 }),
	  .match = SET_NONE },
	{ "halves_of_two_stacks_are_none", ADDED({ 3, { 1, 2, 3 } }, { 3, { 4, 5, 6 } }),
	  ASKED(3, { 1, 5, 6 }), .match = SET_NONE, .common = 2 },
	{ "a_stack_may_begin_another", ADDED({ 2, { 1, 2 } }, { 3, { 1, 2, 3 } }),
	  ASKED(2, { 1, 2 }), .match = SET_WHOLE, .common = 2 },
	{ "an_open_stack_goes_on", ADDED({ 2, { 1, 2 } }), OPEN(true), ASKED(4, { 1, 2, 8, 9 }),
	  .match = SET_OPEN },
	{ "an_open_stack_s_beginning_is_a_prefix", ADDED({ 2, { 1, 2 } }), OPEN(true),
	  ASKED(1, { 1 }), .match = SET_PREFIX },
	{ "whole_is_better_than_open", ADDED({ 1, { 1 } }, { 2, { 1, 2 } }), OPEN(true, false),
	  ASKED(2, { 1, 2 }), .match = SET_WHOLE, .common = 2 },
	{ "a_pc_with_the_same_hash_is_another", ADDED({ 2, { 1, SAME_HASH } }), ASKED(1, { 2 }),
	  .match = SET_NONE },
	{ "and_is_found_beside_it", ADDED({ 2, { 1, SAME_HASH } }, { 1, { 2 } }),
	  ASKED(2, { 1, SAME_HASH }), .match = SET_WHOLE, .common = 2 },
};

START_TEST(test_set)
{
	struct sample_set *set = sample_set_create();
	const char *name = set_cases[_i].name;
	const struct frames *asked = &set_cases[_i].asked;
	struct error error = { 0 };
	struct stack near = { 0 };
	uint32_t common;

	for (int i = 0; i < LENGTH(set_cases[_i].added); i++)
		ck_assert_int_eq(sample_set_add(set, set_cases[_i].added[i].pc,
						set_cases[_i].added[i].count,
						!set_cases[_i].open[i], &error),
				 0);
	ck_assert_msg(sample_set_find(set, asked->pc, asked->count) == set_cases[_i].match, "%s",
		      name);
	ck_assert_msg(sample_set_nearest(set, asked->pc, asked->count, &near, &common) ==
			      (set_cases[_i].common > 0),
		      "%s", name);
	ck_assert_msg(common == set_cases[_i].common, "%s: %u in common", name, common);
	ck_assert_msg(!common || near.pc[near.count - 1] == asked->pc[asked->count - 1], "%s",
		      name);
	stack_deinit(&near);
	sample_set_destroy(set);
}
END_TEST

/* Far more than the set begins with; every stack, every prefix, and none that is a bit
 * different. */
START_TEST(test_set_grows)
{
	enum { STACKS = 20000, DEPTH = 5 };
	struct sample_set *set = sample_set_create();
	struct error error = { 0 };
	uint64_t pc[DEPTH];

	for (uint64_t round = 0; round < 3; round++) {
		for (uint64_t i = 0; i < STACKS; i++) {
			for (uint64_t frame = 0; frame < DEPTH; frame++)
				pc[frame] = 0x400000 + i * (frame + 1) % STACKS + (frame << 32);
			if (!round) {
				ck_assert_int_eq(sample_set_add(set, pc, DEPTH, true, &error), 0);
				continue;
			}
			ck_assert_int_eq(sample_set_find(set, pc, DEPTH), SET_WHOLE);
			ck_assert_int_eq(sample_set_find(set, pc, DEPTH - 1), SET_PREFIX);
			pc[DEPTH / 2] ^= 1ull << 60;
			ck_assert_int_eq(sample_set_find(set, pc, DEPTH), SET_NONE);
		}
	}
	ck_assert_uint_eq(sample_set_count(set), STACKS);
	ck_assert_uint_eq(sample_set_met(set), STACKS);
	ck_assert_uint_eq(sample_set_depth(set), DEPTH);
	sample_set_forget_met(set);
	ck_assert_uint_eq(sample_set_met(set), 0);
	sample_set_destroy(set);
}
END_TEST

/* A stack counts once, however it is known, and is met once; and once more when that is forgotten. */
START_TEST(test_set_counts)
{
	static const uint64_t pc[] = { 1, 2, 3 };
	struct sample_set *set = sample_set_create();
	struct error error = { 0 };

	for (int times = 0; times < 2; times++) {
		ck_assert(!sample_set_add(set, pc, 3, times, &error));
		ck_assert(!sample_set_add(set, pc, 1, !times, &error));
		ck_assert_uint_eq(sample_set_count(set), 2);
		ck_assert_uint_eq(sample_set_depth(set), 3);
	}
	for (int times = 0; times < 2; times++) {
		ck_assert_uint_eq(sample_set_met(set), 0);
		for (int again = 0; again < 2; again++) {
			ck_assert_int_eq(sample_set_find(set, pc, 3), SET_WHOLE);
			ck_assert_uint_eq(sample_set_met(set), 1);
		}
		sample_set_forget_met(set);
	}
	sample_set_destroy(set);
}
END_TEST

/* ---- classes ---------------------------------------------------------------------------- */

/* True stacks 1 2 3 and 4 3; the table says 5 6 where 5 3 is true, and ends 7 3's walk at 7; 8 9 is
 * known so far; 10 11 comes of mixed registers, and 10 to any data; 13 is an execve. The kernel's code is at
 * 40 and 41, a uprobe's breakpoint at 20, and what has a uretprobe returns to 50. */
static const struct {
	const char *name;
	struct frames stack;
	enum stop_reason stop;
	enum sample_class class;
} class_cases[] = {
	{ "a_true_stack_is_exact", { 3, { 1, 2, 3 } }, STOP_COMPLETE, SAMPLE_EXACT },
	{ "its_end_is_not_proven", { 3, { 1, 2, 3 } }, STOP_ZERO_RETURN, SAMPLE_TRUNCATED },
	{ "a_beginning_called_complete", { 2, { 1, 2 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "memory_was_not_there", { 2, { 1, 2 } }, STOP_READ_FAULT, SAMPLE_TRUNCATED },
	{ "an_image_was_not_known", { 1, { 1 } }, STOP_NO_MAPPING, SAMPLE_TRUNCATED },
	{ "a_walk_goes_no_deeper", { 2, { 1, 2 } }, STOP_DEPTH, SAMPLE_TRUNCATED },
	{ "the_table_leads_further", { 2, { 1, 2 } }, STOP_NO_ROW, SAMPLE_CUT },
	{ "the_table_leads_no_further", { 1, { 7 } }, STOP_NO_ROW, SAMPLE_TRUNCATED },
	{ "no_frame_at_all", { 0 }, STOP_BAD_TABLE, SAMPLE_OUTSIDE },
	{ "a_frame_left_out", { 2, { 1, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "a_wrong_frame", { 3, { 1, 12, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "a_frame_too_many", { 4, { 1, 2, 3, 4 } }, STOP_NO_ROW, SAMPLE_OUTSIDE },
	{ "a_frame_twice", { 4, { 1, 2, 2, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "the_callers_of_another", { 2, { 1, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "what_the_wrong_table_says", { 2, { 5, 6 } }, STOP_NO_ROW, SAMPLE_TABLE_FAULT },
	{ "more_than_it_says", { 3, { 5, 6, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "as_far_as_it_is_known", { 3, { 8, 9, 12 } }, STOP_COMPLETE, SAMPLE_OPEN },
	{ "mixed_registers", { 2, { 10, 11 } }, STOP_NO_ROW, SAMPLE_EXCHANGE },
	{ "less_than_they_lead_to", { 1, { 10 } }, STOP_NO_ROW, SAMPLE_OUTSIDE },
	{ "data_for_a_return_address", { 2, { 10, 99 } }, STOP_NO_MAPPING, SAMPLE_EXCHANGE },
	{ "that_is_0", { 1, { 10 } }, STOP_ZERO_RETURN, SAMPLE_EXCHANGE },
	{ "but_not_code", { 2, { 10, 99 } }, STOP_NO_ROW, SAMPLE_OUTSIDE },
	{ "memory_of_another_program", { 2, { 13, 99 } }, STOP_NO_ROW, SAMPLE_EXCHANGE },
	{ "in_the_kernels_code", { 1, { 41 } }, STOP_NO_MAPPING, SAMPLE_UPROBE },
	{ "a_return_address_that_is_the_kernels",
	  { 2, { 1, 40 } },
	  STOP_NO_MAPPING,
	  SAMPLE_UPROBE },
	{ "no_code_of_the_kernels", { 2, { 1, 42 } }, STOP_NO_ROW, SAMPLE_OUTSIDE },
	{ "the_kernels_code_and_no_end_there", { 2, { 1, 40 } }, STOP_NO_ROW, SAMPLE_OUTSIDE },
	{ "a_wrong_frame_before_it", { 3, { 1, 12, 41 } }, STOP_NO_MAPPING, SAMPLE_OUTSIDE },
	{ "at_a_uprobes_breakpoint", { 2, { 20, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "behind_it", { 2, { 21, 3 } }, STOP_COMPLETE, SAMPLE_UPROBE },
	{ "behind_the_longest_instruction", { 2, { 35, 3 } }, STOP_COMPLETE, SAMPLE_UPROBE },
	{ "behind_the_next", { 2, { 36, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
	{ "where_the_kernel_returns_to", { 2, { 50, 99 } }, STOP_NO_MAPPING, SAMPLE_UPROBE },
	{ "behind_that", { 2, { 51, 3 } }, STOP_COMPLETE, SAMPLE_OUTSIDE },
};

static void make_truth(struct sample_truth *truth)
{
	static const struct frames stacks[] = {
		{ 3, { 1, 2, 3 } }, { 2, { 4, 3 } }, { 2, { 5, 3 } }, { 2, { 7, 3 } }
	};
	static const uint64_t open[] = { 8, 9 }, wrong[] = { 5, 6 }, ends[] = { 7 },
			      mixed[] = { 10, 11 }, nowhere[] = { 10, SAMPLE_NOWHERE },
			      exec[] = { 13 };
	struct error error = { 0 };

	ck_assert_int_eq(sample_truth_init(truth, &error), 0);
	for (int i = 0; i < LENGTH(stacks); i++)
		sample_set_add(truth->stacks, stacks[i].pc, stacks[i].count, true, &error);
	sample_set_add(truth->stacks, open, 2, false, &error);
	sample_set_add(truth->faults, wrong, 2, true, &error);
	sample_set_add(truth->faults, ends, 1, true, &error);
	sample_set_add(truth->mixtures, mixed, 2, true, &error);
	sample_set_add(truth->mixtures, nowhere, 2, true, &error);
	sample_set_add(truth->mixtures, exec, 1, false, &error);
	truth->uprobes = (struct sample_uprobes) {
		.code = malloc(sizeof(*truth->uprobes.code)),
		.code_count = 1,
		.breakpoints = { malloc(sizeof(uint64_t)), 1 },
		.returns = { malloc(sizeof(uint64_t)), 1 },
	};
	*truth->uprobes.code = (struct mapped_code) { 40, 42 };
	*truth->uprobes.breakpoints.pc = 20;
	*truth->uprobes.returns.pc = 50;
}

static int add_record(struct sample_score *score, const struct sample_truth *truth,
		      const struct walk_record *record, struct error *error)
{
	enum sample_class class;
	struct stack stack = { 0 };
	bool whole;
	int status = sample_stack(record, &stack, error) ||
		     sample_judge(truth, &stack, &class, &whole, error) ||
		     sample_score_add(score, class, whole, &stack, error);

	stack_deinit(&stack);
	return status ? -1 : 0;
}

START_TEST(test_class)
{
	const struct frames *frames = &class_cases[_i].stack;
	struct sample_score score = { 0 };
	struct walk_record record = { .stop = class_cases[_i].stop, .count = frames->count };
	struct sample_truth truth;
	struct error error = { 0 };
	bool finding = sample_class_is_finding(class_cases[_i].class);

	make_truth(&truth);
	memcpy(record.pc, frames->pc, sizeof(frames->pc));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(add_record(&score, &truth, &record, &error), 0);
	ck_assert_msg(score.class[class_cases[_i].class] == 2, "%s", class_cases[_i].name);
	ck_assert_uint_eq(score.records, 2);
	ck_assert_uint_eq(score.frames, 2 * frames->count);
	/* Whole, and it does not know: of those that are truncated, that of all three frames. */
	ck_assert_uint_eq(score.whole_unproven,
			  class_cases[_i].class == SAMPLE_TRUNCATED && frames->count == 3 ? 2 : 0);
	ck_assert_uint_eq(score.finding_count, finding);
	ck_assert(!finding || score.finding[0].count == 2);
	sample_score_deinit(&score);
	sample_truth_deinit(&truth);
}
END_TEST

/* It is where the thread was, and no word of its data. */
START_TEST(test_first_pc_leads_nowhere)
{
	uint64_t pc[] = { 99, 98 };
	struct stack stack = { .pc = pc, .count = 2, .stop = STOP_NO_MAPPING };
	struct error error;

	ck_assert(!sample_end_nowhere(&stack, &error));
	ck_assert(pc[0] == 99 && pc[1] == SAMPLE_NOWHERE);
	stack.count = 1;
	ck_assert(!sample_end_nowhere(&stack, &error));
	ck_assert_uint_eq(pc[0], 99);
}
END_TEST

START_TEST(test_deepest_stack)
{
	uint64_t pc[] = { 1, 2, 3 };
	static const uint32_t counts[] = { 2, 3, 1 };
	struct sample_score score = { 0 };
	struct sample_truth truth;
	struct error error;
	bool whole;
	enum sample_class class;

	for (int i = 0; i < LENGTH(counts); i++) {
		const struct stack stack = { .pc = pc, .count = counts[i] };

		ck_assert(!sample_score_add(&score, SAMPLE_EXACT, true, &stack, &error));
		ck_assert_uint_eq(score.max_frames, i ? 3 : 2);
	}
	sample_score_deinit(&score);
	/* One that is known only so far is not whole. */
	make_truth(&truth);
	pc[0] = 8, pc[1] = 9;
	ck_assert(!sample_judge(&truth, &(struct stack) { .pc = pc, .count = 2 }, &class, &whole,
				&error));
	ck_assert(class == SAMPLE_OPEN && !whole);
	sample_truth_deinit(&truth);
}
END_TEST

START_TEST(test_every_class_has_a_name_of_its_own)
{
	for (int i = 0; i < SAMPLE_CLASS_COUNT; i++)
		for (int other = 0; other < i; other++)
			ck_assert_str_ne(sample_class_name(i), sample_class_name(other));
	ck_assert_str_eq(sample_class_name(SAMPLE_OUTSIDE), "outside");
}
END_TEST

START_TEST(test_findings_are_bounded)
{
	struct sample_score score = { 0 };
	struct walk_record record = { .stop = STOP_COMPLETE, .count = 1 };
	struct sample_truth truth;
	struct error error = { 0 };

	make_truth(&truth);
	for (uint64_t i = 0; i < SAMPLE_FINDINGS_MAX + 5; i++) {
		record.pc[0] = 1000 + i;
		ck_assert_int_eq(add_record(&score, &truth, &record, &error), 0);
	}
	ck_assert_uint_eq(score.finding_count, SAMPLE_FINDINGS_MAX);
	ck_assert_uint_eq(score.findings_not_kept, 5);
	ck_assert_uint_eq(score.class[SAMPLE_OUTSIDE], SAMPLE_FINDINGS_MAX + 5);
	record.count = WALK_FRAMES_MAX + 1;
	ck_assert_int_eq(add_record(&score, &truth, &record, &error), -1);
	sample_score_deinit(&score);
	sample_truth_deinit(&truth);
}
END_TEST

/* ---- the account ------------------------------------------------------------------------ */

/* 10 samples: 7 stacks of 2 frames, 1 busy, 1 without room, 1 without registers. */
static const struct sample_score balanced = {
	.records = 7,
	.class = { [SAMPLE_EXACT] = 6, [SAMPLE_TRUNCATED] = 1 },
	.frames = 14,
	.counters = { .samples = 10,
		      .stacks = 7,
		      .frames = 14,
		      .lost_busy = 1,
		      .lost_space = 1,
		      .lost_regs = 1,
		      .stop = { [STOP_COMPLETE] = 6, [STOP_NO_ROW] = 1 } },
	.entries_known = true,
	.entries = 10,
};

static const struct {
	const char *name;
	size_t offset; /* of the count that is one too high */
	const char *broken;
} account_cases[] = {
	{ "nothing_is_missing", offsetof(struct sample_score, runs), NULL },
	{ "a_tick_that_no_counter_saw", offsetof(struct sample_score, entries),
	  "entries_not_counted" },
	{ "a_loss_without_a_sample", offsetof(struct sample_score, counters.lost_space),
	  "lost_unnamed" },
	{ "a_loss_of_another_kind", offsetof(struct sample_score, counters.lost_regs),
	  "lost_unnamed" },
	{ "a_loss_of_a_third", offsetof(struct sample_score, counters.lost_busy), "lost_unnamed" },
	{ "a_stack_out_of_nothing", offsetof(struct sample_score, counters.stacks),
	  "lost_unnamed" },
	{ "a_record_that_was_not_sent", offsetof(struct sample_score, records), "records_lost" },
	{ "a_record_both_lost_and_received", offsetof(struct sample_score, lost_memory),
	  "records_lost" },
	{ "a_tick_that_was_not", offsetof(struct sample_score, counters.unknown),
	  "entries_not_counted" },
	{ "one_in_a_process_that_ended", offsetof(struct sample_score, counters.ending),
	  "entries_not_counted" },
	{ "a_frame_that_did_not_come", offsetof(struct sample_score, counters.frames),
	  "frames_lost" },
	{ "a_stop_too_many", offsetof(struct sample_score, counters.stop[STOP_DEPTH]),
	  "stops_not_counted" },
	{ "a_record_judged_twice", offsetof(struct sample_score, class[SAMPLE_OUTSIDE]),
	  "not_judged" },
};

START_TEST(test_account)
{
	struct sample_score score = balanced;
	struct sample_balance broken = { 0 };
	const char *name = account_cases[_i].name;
	bool is_broken;

	++*(uint64_t *)((char *)&score + account_cases[_i].offset);
	is_broken = sample_account_broken(&score, &broken);
	ck_assert_msg(is_broken == (account_cases[_i].broken != NULL), "%s", name);
	if (is_broken)
		ck_assert_msg(strcmp(broken.name, account_cases[_i].broken) == 0, "%s: %s", name,
			      broken.name);
}
END_TEST

START_TEST(test_account_without_the_kernel_s_count)
{
	struct sample_score score = balanced;
	struct sample_balance broken;

	score.entries_known = false;
	score.entries = 0;
	ck_assert(!sample_account_broken(&score, &broken));
	/* How many frames they had for which there was no memory nobody knows. */
	score.lost_memory = 1;
	score.records--;
	score.class[SAMPLE_TRUNCATED]--;
	score.frames -= 2;
	ck_assert(!sample_account_broken(&score, &broken));
}
END_TEST

/* ---- a program, sampled ----------------------------------------------------------------- */

#define STEPPED_ROUNDS "12"
#define SAMPLED_ROUNDS "200000"

static KEPT long work(long value)
{
	for (int i = 0; i < 200; i++) {
		value = value * 31 + i;
		__asm__ volatile("" : "+r"(value));
	}
	return value;
}

static KEPT long left(long value)
{
	value = work(value);
	__asm__ volatile("" : "+r"(value));
	return value;
}

static KEPT long right(long value)
{
	value = work(value) + 1;
	__asm__ volatile("" : "+r"(value));
	return value;
}

/* Ends without what many libraries do at their end: it would be most of the stepped run. */
static int run_program(const char *way, const char *text)
{
	long rounds = 0;

	while (*text)
		rounds = rounds * 10 + (*text++ - '0');
	for (long round = 0; round < rounds; round++) {
		long value = *way == 'l' ? left(round) : right(round);

		__asm__ volatile("" : : "r"(value));
	}
	_exit(0);
}

static struct sample_score sample_program(char *const *truth_argv, char *const *argv,
					  uint64_t *ret_execs, struct error *error)
{
	const struct sample_stepping stepping = { .argv = truth_argv, .timeout_ms = 600000 };
	const struct sample_options options = { .argv = argv,
						.clock = sample_clock_find("cpu"),
						.drain_ms = 1,
						.samples = 200,
						.run_limit = 20,
						.timeout_ms = 600000 };
	struct sample_score score = { .rate_hz = 4999 };
	struct image_store *store = image_store_create();
	struct sample_truth truth;

	ck_assert_int_eq(sample_truth_init(&truth, error), 0);
	if (!sample_truth_add(&truth, &stepping, error)) {
		ck_assert(!sample_truth_is_thin(&truth));
		ck_assert_uint_eq(truth.suspect, 0);
		sample_run(&options, &truth, store, &score, error);
	}
	*ret_execs = truth.execs;
	sample_truth_deinit(&truth);
	image_store_destroy(store);
	return score;
}

static struct sample_score sample_way(char *stepped, char *sampled, struct error *error)
{
	char *truth_argv[] = { "/proc/self/exe", "--sampled", stepped, STEPPED_ROUNDS, NULL };
	char *argv[] = { "/proc/self/exe", "--sampled", sampled, SAMPLED_ROUNDS, NULL };
	uint64_t execs;
	struct sample_score score = sample_program(truth_argv, argv, &execs, error);

	ck_assert_uint_eq(execs, 0);
	return score;
}

static const struct {
	const char *name;
	char *stepped, *sampled;
	bool clean;
} way_cases[] = {
	{ "the_same_way_is_inside", "left", "left", true },
	{ "the_other_way_is_outside", "left", "right", false },
};

START_TEST(test_sampled)
{
#ifdef __SANITIZE_ADDRESS__
	printf("SKIP: %s: the sanitizer's start can't be stepped in time\n", way_cases[_i].name);
	return;
#endif

	struct error error = { 0 };
	struct sample_balance broken = { .name = "" };
	struct sample_score score = sample_way(way_cases[_i].stepped, way_cases[_i].sampled,
					       &error);
	const char *name = way_cases[_i].name;

	if (error.code == ERROR_UNAVAILABLE) {
		printf("SKIP: %s: %s\n", name, error.message);
		sample_score_deinit(&score);
		return;
	}
	ck_assert_msg(error.code == ERROR_NONE, "%s: %s", name, error.message);
	ck_assert_uint_ge(score.records, 200);
	ck_assert_msg(!sample_account_broken(&score, &broken), "%s: %s", name, broken.name);
	ck_assert_uint_eq(score.class[SAMPLE_CUT], 0);
	if (way_cases[_i].clean) {
		ck_assert_uint_eq(score.class[SAMPLE_OUTSIDE], 0);
		ck_assert_uint_gt(score.class[SAMPLE_EXACT], score.records * 9 / 10);
	} else {
		ck_assert_uint_gt(score.class[SAMPLE_OUTSIDE], score.records * 9 / 10);
		ck_assert_uint_gt(score.finding_count, 0);
	}
	sample_score_deinit(&score);
}
END_TEST

/* What the next program's loader does is in the set, and the walk goes by that program's images. */
START_TEST(test_program_that_becomes_another)
{
	char *argv[] = { "/bin/sh", "-c", "exec /bin/true", NULL };
	struct sample_balance broken = { .name = "" };
	struct error error = { 0 };
	uint64_t execs;
	struct sample_score score = sample_program(argv, argv, &execs, &error);

	if (error.code == ERROR_UNAVAILABLE) {
		printf("SKIP: %s\n", error.message);
		sample_score_deinit(&score);
		return;
	}
	ck_assert_msg(error.code == ERROR_NONE, "%s", error.message);
	ck_assert_uint_eq(execs, 1);
	ck_assert_uint_gt(score.records, 0);
	ck_assert_msg(!sample_account_broken(&score, &broken), "%s", broken.name);
	ck_assert_uint_eq(score.class[SAMPLE_OUTSIDE], 0);
	ck_assert_uint_eq(score.class[SAMPLE_CUT], 0);
	sample_score_deinit(&score);
}
END_TEST

SUITE_MAIN(sample)
{
	if (argc == 4 && strcmp(argv[1], "--sampled") == 0)
		return run_program(argv[2], argv[3]);

	Suite *suite = suite_create("sample");
	TCase *tcase = tcase_create("sample");

	tcase_set_timeout(tcase, 270);
	tcase_add_loop_test(tcase, test_set, 0, LENGTH(set_cases));
	tcase_add_test(tcase, test_set_grows);
	tcase_add_test(tcase, test_set_counts);
	tcase_add_test(tcase, test_first_pc_leads_nowhere);
	tcase_add_test(tcase, test_deepest_stack);
	tcase_add_loop_test(tcase, test_class, 0, LENGTH(class_cases));
	tcase_add_test(tcase, test_every_class_has_a_name_of_its_own);
	tcase_add_test(tcase, test_findings_are_bounded);
	tcase_add_loop_test(tcase, test_account, 0, LENGTH(account_cases));
	tcase_add_test(tcase, test_account_without_the_kernel_s_count);
	tcase_add_test(tcase, test_program_that_becomes_another);
	tcase_add_loop_test(tcase, test_sampled, 0, LENGTH(way_cases));
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
