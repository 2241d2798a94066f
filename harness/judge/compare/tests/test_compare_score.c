/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_score.c - what stacks are worth, by a truth and a program that are made up
 *
 * The program's own file is the mapping at the lowest address, a library is above it. Neither is
 * read: what has an FDE is asked of files where the cfi engine fails, and it does not fail here
 * where that would matter.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "compare_world.h"
#include "judge/compare/comparer.h"

#define FRAMES_MAX 6
#define OWN(pc)	   (0x1000 + (pc))
#define OTHER(pc)  (0x5000 + (pc))

/* Nothing of an image is looked at but which it is. */
static char own_image, other_image;

static struct mapping mappings[] = {
	{ 0x1000, 0x2000, 0x1000, 0, (struct image_entry *)&own_image, (char *)"/a/own", 7 },
	{ 0x5000, 0x6000, 0x4800, 0, (struct image_entry *)&other_image, (char *)"/a/other", 9 },
};

static struct comparison result;
static struct comparer comparer;
static struct shadow_stack shadow;
static struct trace_stop stop;
static const struct point point = { .stop = &stop, .space = &comparer.space };
static uint64_t truth_pc[] = { OWN(0x10), OWN(0x20), OTHER(0x30), OWN(0x40) };
static enum engine_answer answer;
/* Where frames of the truth are, and where calls were: so no image is looked into. */
static const uint64_t code[] = { OWN(0x10), OWN(0x1f), OTHER(0x2f), OWN(0x3f) };

static enum engine_answer walk(void *engine, const struct point *at, struct stack *ret,
			       struct error *error)
{
	*ret = *(struct stack *)engine;
	if (answer == ENGINE_ERROR)
		error_set(error, ERROR_UNAVAILABLE, "", 0, "no");
	return answer;
}

static const struct engine bpf = { .name = "bpf", .part = ENGINE_PART_BPF },
			   made = { .name = "made", .walk = walk },
			   in_kernel = { .name = "kernel", .walk = walk, .in_kernel = true },
			   cfi = { .name = "cfi", .part = ENGINE_PART_CFI },
			   table = { .name = "table", .part = ENGINE_PART_TABLE };

static struct stack stack_of(uint64_t *pc, uint32_t count, enum stop_reason reason)
{
	return (struct stack) { .pc = pc, .count = count, .stop = reason };
}

/* Two engines, both of which give the stack. */
static void set_up(struct stack *stack)
{
	memset(&result, 0, sizeof(result));
	memset(&comparer, 0, sizeof(comparer));
	shadow = (struct shadow_stack) { .rooted = true };
	stop = (struct trace_stop) {
		.pid = getpid(), .tid = getpid(), .shadow = &shadow, .trapped = true
	};
	for (size_t i = 0; i < sizeof(code) / sizeof(code[0]); i++)
		comparer.lost_code[code[i] % LOST_CODES] = (struct lost_code) { code[i], LOST_BODY,
										true };
	comparer.result = &result;
	comparer.space = (struct address_space) { .mapping = mappings, .mapping_count = 2 };
	comparer.truth = stack_of(truth_pc, 4, STOP_COMPLETE);
	comparer.cfi = comparer.truth;
	comparer.engine_count = result.engine_count = 2;
	result.engine[0] = (struct compare_engine) { .engine = &made, .open = stack };
	result.engine[1] = (struct compare_engine) { .engine = &in_kernel, .open = stack };
	answer = ENGINE_STACK;
}

#define PCS(...) .pc = { __VA_ARGS__ }

static const struct score_case {
	const char *name;
	uint64_t pc[FRAMES_MAX];
	uint32_t count;
	enum stop_reason stop;
	bool unrooted;
	enum match match;
	uint64_t own_right, false_complete, exact_covered;
	enum lost_at lost_at;
} cases[] = {
	{ "exact", PCS(OWN(0x10), OWN(0x20), OTHER(0x30), OWN(0x40)), .count = 4,
	  .stop = STOP_COMPLETE, .match = MATCH_EXACT, .own_right = 2, .exact_covered = 1 },
	{ "exact_and_not_sure", PCS(OWN(0x10), OWN(0x20), OTHER(0x30), OWN(0x40)), .count = 4,
	  .stop = STOP_NO_ROW, .match = MATCH_EXACT, .own_right = 2, .exact_covered = 1 },
	{ "truncated", PCS(OWN(0x10), OWN(0x20), OTHER(0x30)), .count = 3, .stop = STOP_NO_ROW,
	  .match = MATCH_TRUNCATED, .own_right = 2, .lost_at = LOST_BODY },
	{ "truncated_and_sure", PCS(OWN(0x10)), .count = 1, .stop = STOP_COMPLETE,
	  .match = MATCH_TRUNCATED, .own_right = 1, .false_complete = 1, .lost_at = LOST_BODY },
	{ "wrong_at_once", PCS(OWN(0x11), OWN(0x20)), .count = 2, .stop = STOP_COMPLETE,
	  .match = MATCH_WRONG, .false_complete = 1 },
	{ "extra", PCS(OWN(0x10), OWN(0x20), OTHER(0x30), OWN(0x40), OWN(0x50)), .count = 5,
	  .stop = STOP_COMPLETE, .match = MATCH_EXTRA, .own_right = 2, .false_complete = 1 },
	{ "more_than_a_prefix", PCS(OWN(0x10), OWN(0x20), OTHER(0x30), OWN(0x40), OWN(0x50)),
	  .count = 5, .stop = STOP_COMPLETE, .unrooted = true, .match = MATCH_EXACT, .own_right = 2,
	  .exact_covered = 1 },
	{ "nothing", .stop = STOP_NO_MAPPING, .match = MATCH_TRUNCATED },
};

START_TEST(stack_is_scored)
{
	const struct score_case *c = &cases[_i];
	uint64_t pc[FRAMES_MAX];
	struct stack stack = stack_of(pc, c->count, c->stop);
	struct reading reading;
	struct error error = { 0 };

	memcpy(pc, c->pc, sizeof(pc));
	set_up(&stack);
	shadow.rooted = !c->unrooted;
	reading_init(&comparer, &stop, &comparer.truth, &reading);
	ck_assert(reading.truth == &comparer.truth && reading.covered && !reading.account);
	ck_assert_uint_eq(reading.own, 2);
	for (int times = 1; times <= 2; times++) {
		ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
		for (int i = 0; i < 2; i++) {
			const struct engine_score *score = &result.engine[i].score;
			struct engine_score expected = {
				.points = times,
				.covered = times,
				.exact_covered = times * c->exact_covered,
				.shared = times,
				.exact_shared = times * (c->match == MATCH_EXACT),
				.false_complete = times * c->false_complete,
				.frames = times * c->count,
				.frames_own = times * 2,
				.frames_own_right = times * c->own_right,
			};

			expected.match[c->match] = expected.stop[c->stop] = times;
			if (c->match == MATCH_TRUNCATED || c->match == MATCH_WRONG)
				expected.lost_at[c->lost_at] = times;
			ck_assert_msg(!memcmp(score, &expected, sizeof(expected)), "%s", c->name);
			ck_assert(result.engine[i].answered);
			ck_assert(reading.exact[i] == (c->match == MATCH_EXACT));
		}
	}
}
END_TEST

/* The second and the third frame are guessed; so many frames are right. */
START_TEST(guesses_are_counted)
{
	uint64_t pc[] = { OWN(0x10), OWN(0x20) | WALK_PC_GUESSED, OTHER(0x30) | WALK_PC_GUESSED,
			  OWN(0x40) };
	struct stack stack = stack_of(pc, 4, STOP_GUESSED);
	struct error error = { 0 };
	struct reading reading;

	stack.has_marks = true;
	set_up(&stack);
	reading_init(&comparer, &stop, &comparer.truth, &reading);
	for (int right = 4; right >= 0; right--) {
		const struct guesses *guesses = &result.engine[0].score.guesses;
		uint64_t frames = guesses->frames, frames_right = guesses->frames_right;

		if (right < 4)
			pc[right] += 1;
		ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
		ck_assert_uint_eq(guesses->frames, frames + 2);
		ck_assert_uint_eq(guesses->frames_right - frames_right, right > 2    ? 2
									: right == 2 ? 1
										     : 0);
	}
	ck_assert_uint_eq(result.engine[0].score.guesses.match[MATCH_EXACT], 1);
	ck_assert_uint_eq(result.engine[0].score.guesses.match[MATCH_WRONG], 4);
	/* What the first frame is was guessed by nobody. */
	stack.count = 1;
	pc[0] |= WALK_PC_GUESSED;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[0].score.guesses.frames, 10);
	ck_assert_uint_eq(result.engine[0].score.guesses.match[MATCH_WRONG], 4);
}
END_TEST

static const struct {
	bool skipped, in_kernel, trapped, can;
} answers[] = {
	{ false, false, false, true }, { false, false, true, true },  { false, true, false, false },
	{ false, true, true, true },   { true, false, false, false }, { true, true, true, false },
};

START_TEST(engine_in_the_kernel_needs_a_trap)
{
	struct compare_engine engine = { .engine = answers[_i].in_kernel ? &in_kernel : &made,
					 .skipped = answers[_i].skipped };

	set_up(NULL);
	stop.trapped = answers[_i].trapped;
	ck_assert(compare_can_answer(&engine, &point) == answers[_i].can);
}
END_TEST

/* One that can't answer, or is silent, has no share in what all have said. */
START_TEST(points_that_not_all_share)
{
	struct stack stack = stack_of(truth_pc, 4, STOP_COMPLETE);
	struct reading reading;
	struct error error = { 0 };

	set_up(&stack);
	reading_init(&comparer, &stop, &comparer.truth, &reading);
	stop.trapped = false;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[0].score.points, 1);
	ck_assert_uint_eq(result.engine[0].score.shared, 0);
	ck_assert_uint_eq(result.engine[1].score.points, 0);
	ck_assert_uint_eq(result.engine[1].score.untrapped, 1);
	ck_assert(result.engine[0].answered && !result.engine[1].answered);
	/* Skipped as a whole, it is not missed. */
	result.engine[1].skipped = true;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[0].score.shared, 1);
	ck_assert_uint_eq(result.engine[0].score.exact_shared, 1);
	ck_assert_uint_eq(result.engine[1].score.shared, 0);
	ck_assert_uint_eq(result.engine[1].score.untrapped, 1);
	/* Where not every frame has CFI none is shared. */
	reading.covered = false;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[0].score.shared, 1);
	ck_assert_uint_eq(result.engine[0].score.covered, 2);
	ck_assert_uint_eq(result.engine[0].score.exact_covered, 2);
	reading.covered = true;
	answer = ENGINE_SILENT;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[0].score.silent, 1);
	ck_assert_uint_eq(result.engine[0].score.points, 3);
	ck_assert_uint_eq(result.engine[0].score.shared, 1);
	answer = ENGINE_ERROR;
	ck_assert_int_eq(score_engines(&comparer, &point, &reading, 1, &error), -1);
	ck_assert_str_eq(error.message, "no");
}
END_TEST

/* In doubt: the stack is counted, and what it is worth is not said. */
START_TEST(unproven_points_are_counted_apart)
{
	struct stack stack = stack_of(truth_pc, 4, STOP_COMPLETE);
	struct engine_score score[2];
	struct account account = { .score = score };
	struct reading readings[2];
	struct error error = { 0 };

	memset(score, 0, sizeof(score));
	set_up(&stack);
	reading_init(&comparer, &stop, &comparer.truth, &readings[0]);
	readings[1] = readings[0];
	readings[0].judgement.verdict = VERDICT_UNPROVEN;
	readings[1].account = &account;
	ck_assert(!score_engines(&comparer, &point, readings, 2, &error));
	ck_assert_uint_eq(result.engine[0].score.unproven, 1);
	ck_assert_uint_eq(result.engine[0].score.points, 0);
	ck_assert_uint_eq(result.engine[0].score.shared, 0);
	ck_assert_uint_eq(score[0].points, 1);
	ck_assert_uint_eq(score[1].match[MATCH_EXACT], 1);
	ck_assert_uint_eq(score[1].shared, 1);
	ck_assert(readings[1].exact[1] && !readings[0].exact[1]);
}
END_TEST

/* The thread is being killed, whose memory is gone: what was read of it is no engine's fault. */
START_TEST(stacks_of_a_thread_that_is_gone)
{
	uint64_t pc[] = { OWN(0x10) };
	struct stack stack = stack_of(pc, 1, STOP_READ_FAULT), exact = comparer.truth;
	const struct stack *given[3];
	struct evidence evidence = { .point = &point };
	struct reading reading;
	struct error error = { 0 };

	set_up(&stack);
	exact = comparer.truth;
	for (int gone = 0; gone < 2; gone++) {
		stop.tid = gone ? -1 : getpid();
		for (int wrong = 0; wrong < 4; wrong++) {
			uint64_t unread = result.unread;

			for (int i = 0; i < 3; i++)
				given[i] = i == wrong ? &stack : i == 2 ? NULL : &exact;
			evidence.cfi = given[0], evidence.table = given[1], evidence.bpf = given[2];
			bool lost = compare_point_is_lost(&comparer, &evidence);
			ck_assert_msg(lost == (gone && wrong < 3), "%d %d", gone, wrong);
			ck_assert_uint_eq(result.unread, unread + lost);
		}
		stack.stop = STOP_READ_FAULT;
		ck_assert(compare_stack_is_lost(&stack, &point) == gone);
		stack.stop = STOP_COMPLETE;
		ck_assert(!compare_stack_is_lost(&stack, &point));
	}
	stack.stop = STOP_READ_FAULT;
	reading_init(&comparer, &stop, &comparer.truth, &reading);
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert(!result.engine[0].answered && !result.engine[0].score.points);
	ck_assert(result.engine[1].answered);
	stack = exact;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert(result.engine[0].answered && result.engine[0].score.points == 1);
}
END_TEST

/* Who listens is told of each stack that was said, with its engine, and of no other. */
static struct {
	const struct engine *engine[4];
	const struct stack *stack[4];
	int count;
} heard;

static void on_stack(void *context, const struct point *at, const struct engine *engine,
		     const struct stack *stack)
{
	ck_assert_ptr_eq(context, &heard);
	ck_assert_ptr_eq(at, &point);
	heard.engine[heard.count] = engine;
	heard.stack[heard.count++] = stack;
}

START_TEST(stacks_are_told)
{
	uint64_t pc[] = { OWN(0x10) };
	struct stack stack = stack_of(truth_pc, 4, STOP_COMPLETE);
	struct reading reading;
	struct error error = { 0 };

	set_up(&stack);
	memset(&heard, 0, sizeof(heard));
	comparer.options.on_stack = on_stack;
	comparer.options.context = &heard;
	comparer.engine_count = result.engine_count = 4;
	result.engine[2].engine = &cfi;
	result.engine[3].engine = &bpf;
	comparer.bpf = stack_of(pc, 1, STOP_NO_ROW);
	comparer.bpf_answer = ENGINE_STACK;
	reading_init(&comparer, &stop, &comparer.truth, &reading);
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_int_eq(heard.count, 4);
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_eq(heard.engine[i], result.engine[i].engine);
	ck_assert_ptr_eq(heard.stack[0], &comparer.other);
	ck_assert_ptr_eq(heard.stack[2], &comparer.cfi);
	ck_assert_ptr_eq(heard.stack[3], &comparer.bpf);
	ck_assert_uint_eq(result.engine[3].score.match[MATCH_TRUNCATED], 1);
	/* The next point: one is silent, one has no trap, and what it had said before is of another point. */
	heard.count = 0;
	stop.trapped = false;
	comparer.bpf_answer = ENGINE_SILENT;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_int_eq(heard.count, 2);
	ck_assert_ptr_eq(heard.engine[0], &made);
	ck_assert_ptr_eq(heard.engine[1], &cfi);
	ck_assert_uint_eq(result.engine[3].score.silent, 1);
	ck_assert_uint_eq(result.engine[1].score.untrapped, 1);
	ck_assert(!result.engine[1].answered && !result.engine[3].answered);
}
END_TEST

/* Which stack is whose. */
START_TEST(engines_that_are_parts_of_the_comparison)
{
	uint64_t pc[] = { OWN(0x10) };
	struct reading reading;
	struct error error = { 0 };

	set_up(NULL);
	result.engine[0].engine = &cfi;
	result.engine[1].engine = &table;
	comparer.table = stack_of(pc, 1, STOP_NO_ROW);
	comparer.followed = stack_of(truth_pc, 4, STOP_GUESSED);
	reading_init(&comparer, &stop, &comparer.truth, &reading);
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[0].score.match[MATCH_EXACT], 1);
	ck_assert_uint_eq(result.engine[1].score.match[MATCH_TRUNCATED], 1);
	comparer.options.follow_frame_pointers = true;
	ck_assert(!score_engines(&comparer, &point, &reading, 1, &error));
	ck_assert_uint_eq(result.engine[1].score.match[MATCH_EXACT], 1);
	ck_assert_uint_eq(result.engine[1].score.stop[STOP_GUESSED], 1);
}
END_TEST

static const struct {
	const char *name;
	uint64_t pc[4];
	uint32_t count, own;
	size_t mappings;
} owns[] = {
	{ "the_last_instruction_before_the_library", { OWN(0), OWN(0x1000) }, 2, 2, 2 },
	{ "a_pc_at_the_end_itself", { OWN(0x1000) }, 1, 0, 2 },
	{ "all_of_them", { OWN(1), OWN(2), OWN(3) }, 3, 3, 2 },
	{ "the_library_first", { OTHER(1), OWN(2) }, 2, 0, 2 },
	{ "no_mapping", { 0x9000 }, 1, 0, 2 },
	{ "no_mappings_at_all", { OWN(1) }, 1, 0, 0 },
	{ "no_frames", { 0 }, 0, 0, 2 },
};

START_TEST(frames_of_the_program_itself)
{
	uint64_t pc[4];
	struct stack truth = stack_of(pc, owns[_i].count, STOP_COMPLETE);
	struct reading reading;

	memcpy(pc, owns[_i].pc, sizeof(pc));
	set_up(NULL);
	comparer.cfi = truth;
	comparer.space.mapping_count = owns[_i].mappings;
	reading_init(&comparer, &stop, &truth, &reading);
	ck_assert_msg(reading.own == owns[_i].own, "%s: %u", owns[_i].name, reading.own);
}
END_TEST

/* ---- verdicts ------------------------------------------------------------------------------- */

START_TEST(verdicts_are_counted)
{
	static const enum verdict verdicts[] = { VERDICT_EXACT, VERDICT_ABSENT, VERDICT_UNPROVEN };
	struct engine_score score[2];
	struct account account = { .score = score };

	for (int i = 0; i < COUNT(verdicts); i++) {
		for (int in_doubt = 0; in_doubt < 2; in_doubt++) {
			struct reading reading = { .judgement.verdict = verdicts[i],
						   .exact = { true, false },
						   .account = in_doubt ? &account : NULL };
			bool sound = verdicts[i] != VERDICT_UNPROVEN;

			set_up(NULL);
			memset(score, 0, sizeof(score));
			account = (struct account) { .score = score };
			result.engine[0].answered = true;
			comparer.engine_count = 2;
			count_reading(&comparer, NULL, &reading);
			const struct engine_score *of = in_doubt ? &score[0]
								 : &result.engine[0].score;
			ck_assert_uint_eq(of->sound, sound);
			ck_assert_uint_eq(of->exact_sound, sound);
			ck_assert_uint_eq((in_doubt ? score : &result.engine[0].score)[0].points,
					  0);
			ck_assert_uint_eq(score[1].sound + result.engine[1].score.sound, 0);
			ck_assert_uint_eq(result.verdict[verdicts[i]], !in_doubt);
			ck_assert_uint_eq(result.uncovered, !in_doubt);
			ck_assert_uint_eq(account.verdict[verdicts[i]], in_doubt);
			ck_assert_uint_eq(account.points, in_doubt);
			ck_assert_uint_eq(account.uncovered, in_doubt);
			ck_assert_uint_eq(account.missing + result.missing, 0);
			reading.covered = true;
			count_reading(&comparer, NULL, &reading);
			ck_assert_uint_eq(account.uncovered + result.uncovered, 1);
			ck_assert_uint_eq(result.findings.count, 0);
		}
	}
}
END_TEST

/* One point in A, then two in B: of each verdict, of what is missing and of what is not. A doubt's account has them,
 * or the result. */
static void count_three(struct world *w, const struct judgement *judgement, struct account *account)
{
	struct evidence evidence = { .point = &w->point, .truth = &comparer.truth };
	struct reading reading = { .judgement = *judgement, .covered = true, .account = account };

	reading.exact[1] = true;
	for (int i = 0; i < 3; i++) {
		reading.judgement.pc = i ? CODE_B + 4 : CODE_A + 4;
		count_reading(&comparer, &evidence, &reading);
	}
}

static uint64_t counted(const struct account *account, size_t finding)
{
	uint64_t count = account ? 0 : result.findings.finding[finding].count;

	for (size_t i = 0; account && i < account->finding_count; i++)
		count += account->finding[i].finding == finding ? account->finding[i].count : 0;
	return count;
}

START_TEST(points_at_places_are_counted)
{
	const struct judgement judgement = { .verdict = (enum verdict)(_i / 4),
					     .kind = _i & 1 ? FAULT_MISSING : FAULT_WRONG };
	struct account *account = _i & 2 ? account_create(2) : NULL;
	bool found = judgement.verdict != VERDICT_EXACT && judgement.verdict != VERDICT_ABSENT &&
		     judgement.verdict != VERDICT_UNPROVEN;
	bool sound = judgement.verdict != VERDICT_TABLE_FAULT &&
		     judgement.verdict != VERDICT_UNPROVEN;
	uint64_t missing = judgement.verdict == VERDICT_TABLE_FAULT && _i & 1 ? 3 : 0;
	struct error error;
	struct world w;

	set_up(NULL);
	world_init(&w, BIAS, world_fdes);
	comparer.space = w.space;
	comparer.decoder = decoder_create(&error);
	result.engine[0].answered = result.engine[1].answered = true;
	count_three(&w, &judgement, account);
	ck_assert_uint_eq(account ? account->missing : result.missing, missing);
	ck_assert_uint_eq(account ? account->points : 3, 3);
	ck_assert_uint_eq(account ? result.missing : 0, 0);
	for (int i = 0; i < 2; i++) {
		const struct engine_score *score = account ? &account->score[i]
							   : &result.engine[i].score;

		ck_assert_uint_eq(score->sound, sound ? 3 : 0);
		ck_assert_uint_eq(score->exact_sound, sound && i ? 3 : 0);
	}
	ck_assert_uint_eq(result.findings.count, found ? 2 : 0);
	for (size_t i = 0; i < result.findings.count; i++) {
		ck_assert_uint_eq(result.findings.finding[i].first.pc, i ? CODE_B + 4 : CODE_A + 4);
		ck_assert_uint_eq(counted(account, i), i ? 2 : 1);
		ck_assert_uint_eq(result.findings.finding[i].count, account ? 0 : i ? 2 : 1);
		ck_assert_uint_eq(result.findings.finding[i].followed, 0);
	}
	findings_deinit(&result.findings);
	account_destroy(account);
	decoder_destroy(comparer.decoder);
	world_deinit(&w);
}
END_TEST

/* A walk that was told to follow frame pointers is kept where it came to something else than without; whether it is
 * right is another thing. */
static const struct {
	bool told, goes_on, right;
	uint64_t followed, exact;
} followed_cases[] = {
	{ false, false, false, 0, 0 },
	{ true, false, false, 0, 0 },
	{ true, true, false, 1, 0 },
	{ true, true, true, 1, 1 },
};

START_TEST(what_was_followed_is_counted)
{
	uint64_t pc[] = { CODE_A + 4, CODE_B + 8 }, other_pc[] = { CODE_A + 4, CODE_B + 9 };
	struct stack short_one = stack_of(pc, 1, STOP_NO_ROW),
		     whole = stack_of(followed_cases[_i].right ? pc : other_pc, 2, STOP_GUESSED);
	struct evidence evidence = { .table = &short_one };
	struct error error;
	struct world w;

	for (int in_doubt = 0; in_doubt < 2; in_doubt++) {
		struct account *account = in_doubt ? account_create(2) : NULL;
		struct reading reading = { .judgement = { .verdict = VERDICT_TABLE_FAULT,
							  .kind = FAULT_MISSING,
							  .pc = CODE_A + 4 },
					   .truth = &comparer.truth,
					   .account = account };
		uint64_t followed, exact;

		set_up(NULL);
		world_init(&w, BIAS, world_fdes);
		w.shadow.rooted = true;
		comparer.truth = stack_of(pc, 2, STOP_COMPLETE);
		comparer.space = w.space;
		comparer.decoder = decoder_create(&error);
		evidence.point = &w.point;
		if (followed_cases[_i].told)
			evidence.followed = followed_cases[_i].goes_on ? &whole : &short_one;
		count_reading(&comparer, &evidence, &reading);
		count_reading(&comparer, &evidence, &reading);
		ck_assert_uint_eq(result.findings.count, 1);
		followed = result.findings.finding[0].followed;
		exact = result.findings.finding[0].followed_exact;
		for (size_t i = 0; account && i < account->finding_count; i++) {
			followed += account->finding[i].followed;
			exact += account->finding[i].followed_exact;
		}
		ck_assert_uint_eq(followed, 2 * followed_cases[_i].followed);
		ck_assert_uint_eq(exact, 2 * followed_cases[_i].exact);
		ck_assert_uint_eq(result.findings.finding[0].frame_count,
				  followed_cases[_i].goes_on ? 2 : 0);
		findings_deinit(&result.findings);
		account_destroy(account);
		decoder_destroy(comparer.decoder);
		world_deinit(&w);
	}
}
END_TEST

/* ---- what has CFI --------------------------------------------------------------------------- */

/* Every frame but the outermost, a caller's by the byte before its return address. */
static const struct {
	const char *name;
	uint64_t pc[3];
	uint32_t count;
	bool covered;
} covers[] = {
	{ "all", { CODE_A, CODE_B + 4, CODE_A + 8 }, 3, true },
	{ "all_but_the_outermost", { CODE_A, CODE_B + 4, NO_CODE + 4 }, 3, true },
	{ "the_outermost_alone", { NO_CODE }, 1, true },
	{ "nothing", { 0 }, 0, true },
	{ "not_the_first", { NO_CODE, CODE_B + 4 }, 2, false },
	{ "not_the_second", { CODE_A, NO_CODE + 4, CODE_B + 4 }, 3, false },
	{ "a_call_at_the_end_of_what_has", { CODE_A, NO_CODE, CODE_B + 4 }, 3, true },
	{ "no_image", { CODE_A, BIAS + 2 * PAGE + 8, CODE_B }, 3, false },
	{ "no_mapping", { CODE_A, 0x10, CODE_B }, 3, false },
};

START_TEST(frames_that_have_cfi)
{
	uint64_t pc[3];
	struct stack truth = stack_of(pc, covers[_i].count, STOP_COMPLETE);
	struct reading reading;
	struct world w;

	memcpy(pc, covers[_i].pc, sizeof(pc));
	set_up(NULL);
	world_init(&w, BIAS, world_fdes);
	comparer.space = w.space;
	for (int agrees = 0; agrees < 2; agrees++) {
		/* What the cfi engine has walked through has CFI: nobody looks it up. */
		comparer.cfi = agrees ? truth : stack_of(truth_pc, 4, STOP_COMPLETE);
		reading_init(&comparer, &stop, &truth, &reading);
		ck_assert_msg(reading.covered == (agrees || covers[_i].covered), "%s",
			      covers[_i].name);
	}
	world_deinit(&w);
}
END_TEST

/* ---- digests -------------------------------------------------------------------------------- */

static const struct stack *twin_of_bpf; /* that follows; NULL: none does */

/* One point more. */
static uint64_t digest_on(const struct stack *stack, enum verdict verdict, bool absent)
{
	struct judgement judgement = { .verdict = verdict };
	struct evidence evidence = { .point = &point,
				     .truth = &comparer.truth,
				     .table = &comparer.table,
				     .bpf = stack,
				     .followed = twin_of_bpf,
				     .absent = absent };

	compare_digest(&comparer, &evidence, &judgement);
	return result.digest;
}

static uint64_t digest(const struct stack *stack, enum verdict verdict, bool absent)
{
	result.digest = result.truth_digest = 0;
	return digest_on(stack, verdict, absent);
}

START_TEST(digest_is_of_files_and_places_in_them)
{
	uint64_t moved_pc[] = { OWN(0x10), OWN(0x20), OTHER(0x30), OWN(0x50) };
	struct stack stack = stack_of(truth_pc, 4, STOP_COMPLETE),
		     other = stack_of(moved_pc, 4, STOP_COMPLETE);

	set_up(NULL);
	comparer.table = stack_of(truth_pc, 2, STOP_NO_ROW);
	uint64_t exact = digest(&stack, VERDICT_EXACT, false);
	ck_assert_uint_eq(exact, 12618383973840251394u);
	ck_assert_uint_eq(result.truth_digest, exact);
	ck_assert_uint_ne(digest(&other, VERDICT_EXACT, false), exact);
	/* Behind the last right frame nothing counts where the CFI leads astray. */
	uint64_t astray = digest(&other, VERDICT_TABLE_FAULT, false);
	ck_assert_uint_eq(digest(&other, VERDICT_UNPROVEN, false), astray);
	other.count = 3;
	ck_assert_uint_eq(digest(&other, VERDICT_EXACT, false), astray);
	/* Where a page was absent the stack in user space stands for it. */
	uint64_t twin = digest(&comparer.table, VERDICT_EXACT, false);
	ck_assert_uint_eq(digest(&stack, VERDICT_ABSENT, false), twin);
	ck_assert_uint_eq(digest(&stack, VERDICT_EXACT, true), twin);
	ck_assert_uint_ne(twin, exact);
	/* Mapped elsewhere, in a folder of another name, it is the same. */
	struct mapping there[2] = { mappings[0], mappings[1] };
	uint64_t there_pc[] = { 0x101010, 0x101020, 0x205030, 0x101040 };
	there[0].start += 0x100000, there[0].end += 0x100000, there[0].bias += 0x100000;
	there[1].start += 0x200000, there[1].end += 0x200000, there[1].bias += 0x200000;
	comparer.space.mapping = there;
	stack.pc = there_pc;
	ck_assert_uint_eq(digest(&stack, VERDICT_EXACT, false), exact);
	there[1].name_hash++;
	ck_assert_uint_ne(digest(&stack, VERDICT_EXACT, false), exact);
}
END_TEST

/* All points of a run are in it, in their order. */
START_TEST(digest_is_of_all_points)
{
	struct stack one = stack_of(truth_pc, 4, STOP_COMPLETE),
		     other = stack_of(truth_pc, 3, STOP_NO_ROW);
	uint64_t alone, both, truth;

	set_up(NULL);
	digest(&one, VERDICT_EXACT, false);
	truth = result.truth_digest;
	both = digest_on(&other, VERDICT_EXACT, false);
	ck_assert_uint_ne(result.truth_digest, truth);
	alone = digest(&other, VERDICT_EXACT, false);
	ck_assert_uint_ne(both, alone);
	ck_assert_uint_ne(digest_on(&one, VERDICT_EXACT, false), both);
}
END_TEST

/* What stands for bpf's stack is what table found when it was told the same. */
START_TEST(digest_of_a_walk_that_follows)
{
	uint64_t guessed_pc[] = { OWN(0x10), OWN(0x20) | WALK_PC_GUESSED };
	struct stack one = stack_of(truth_pc, 4, STOP_COMPLETE),
		     followed = stack_of(guessed_pc, 2, STOP_GUESSED);

	followed.has_marks = true;
	set_up(NULL);
	comparer.table = stack_of(truth_pc, 1, STOP_NO_ROW);
	uint64_t two = digest(&(struct stack) { .pc = truth_pc, .count = 2 }, VERDICT_EXACT, false);
	twin_of_bpf = &followed;
	/* That a frame was guessed makes it no other frame. */
	ck_assert_uint_eq(digest(&one, VERDICT_EXACT, true), two);
	ck_assert_uint_eq(digest(&followed, VERDICT_EXACT, false), two);
	twin_of_bpf = NULL;
	ck_assert_uint_ne(digest(&one, VERDICT_EXACT, true), two);
}
END_TEST

SUITE(compare_score, LOOP(stack_is_scored, cases), TEST(guesses_are_counted),
      LOOP(engine_in_the_kernel_needs_a_trap, answers), TEST(points_that_not_all_share),
      TEST(unproven_points_are_counted_apart), TEST(stacks_of_a_thread_that_is_gone),
      TEST(engines_that_are_parts_of_the_comparison), LOOP(frames_of_the_program_itself, owns),
      TEST(verdicts_are_counted), TEST(digest_is_of_files_and_places_in_them),
      TEST(stacks_are_told), TIMES(points_at_places_are_counted, 4 * VERDICT_COUNT),
      LOOP(what_was_followed_is_counted, followed_cases), LOOP(frames_that_have_cfi, covers),
      TEST(digest_is_of_all_points), TEST(digest_of_a_walk_that_follows))
