/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_doubt.c - what a point's doubt is made of, on a thread that is made up
 *
 * Its image is diff_image.h's, its memory what that file has, and a few words of a stack behind it.
 * What becomes of doubts is test_doubt.c's, and of whole runs test_truth_tricks.c's.
 */
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare_doubt.c"
#include "compare_world.h"

static void setup(struct world *w, uint64_t bias)
{
	world_init(w, bias, diff_image_fdes);
}

/* ---- code that was patched ---------------------------------------------------------------- */

static const struct {
	const char *name;
	uint64_t bias, start, end; /* of the mapping, from the bias on */
	uint64_t code_begin, code_end, pc, patch;
	bool patched;
} patches[] = {
	{ "nothing", BIAS, 0, PAGE, 0, 0, 0x180, NONE, false },
	{ "at_the_place", BIAS, 0, PAGE, 0, 0, 0x180, 0x180, true },
	{ "first_byte_before", BIAS, 0, PAGE, 0, 0, 0x180, 0x80, true },
	{ "too_far_before", BIAS, 0, PAGE, 0, 0, 0x180, 0x7f, false },
	{ "last_byte_behind", BIAS, 0, PAGE, 0, 0, 0x180, 0x27f, true },
	{ "too_far_behind", BIAS, 0, PAGE, 0, 0, 0x180, 0x280, false },
	{ "first_byte_of_a_long_function", BIAS, 0, PAGE, 0x40, 0x1c0, 0x180, 0x40, true },
	{ "before_a_long_function", BIAS, 0, PAGE, 0x40, 0x1c0, 0x180, 0x3f, false },
	{ "last_byte_behind_a_long_function", BIAS, 0, PAGE, 0x40, 0x1c0, 0x180, 0x27f, true },
	{ "function_that_is_not_known", BIAS, 0, PAGE, 0x40, 0x40, 0x180, 0x40, false },
	{ "before_a_short_function", BIAS, 0, PAGE, 0x100, 0x1c0, 0x180, 0x80, true },
	{ "first_byte_of_the_mapping", BIAS, 0x10, PAGE, 0, 0, 0x20, 0x10, true },
	{ "before_the_mapping", BIAS, 0x10, PAGE, 0, 0, 0x20, 0x0f, false },
	{ "last_byte_of_the_mapping", BIAS, 0, 0x1f8, 0, 0, 0x180, 0x1f7, true },
	{ "behind_the_mapping", BIAS, 0, 0x1f8, 0, 0, 0x180, 0x1f8, false },
	{ "less_than_so_many_bytes_before", 0, 0, PAGE, 0, 0, 0x20, 0, true },
	{ "less_than_so_many_bytes_behind", HIGH, 0xc00, PAGE - 1, 0, 0, 0xf80, 0xf90, false },
	{ "no_mapping", BIAS, 0x200, PAGE, 0, 0, 0x180, 0x180, false },
	{ "no_image", BIAS, 0, 0x100, 0, 0, 2 * PAGE, 0x180, false },
};

START_TEST(patched_code_is_found)
{
	struct doubt_key code = { .code_begin = patches[_i].bias + patches[_i].code_begin,
				  .code_end = patches[_i].bias + patches[_i].code_end };
	struct world w;

	setup(&w, patches[_i].bias);
	w.mapping[0].start = patches[_i].bias + patches[_i].start;
	w.mapping[0].end = patches[_i].bias + patches[_i].end;
	if (patches[_i].patch != NONE)
		w.page[patches[_i].patch] ^= 1;
	ck_assert_msg(is_patched(&w.point, &code, patches[_i].bias + patches[_i].pc) ==
			      patches[_i].patched,
		      "%s", patches[_i].name);
	world_deinit(&w);
}
END_TEST

/* The last page is larger than the file. */
START_TEST(behind_the_file_nothing_is_patched)
{
	struct doubt_key code = { .code_begin = 0 };
	uint64_t pc, end;
	struct world w;

	setup(&w, BIAS);
	end = w.file_bytes;
	pc = BIAS + end - 0x10;
	ck_assert(!is_patched(&w.point, &code, pc));
	w.page[end] ^= 1;
	ck_assert(!is_patched(&w.point, &code, pc));
	w.page[end] ^= 1;
	w.page[end - 1] ^= 1;
	ck_assert(is_patched(&w.point, &code, pc));
	w.page[end - 1] ^= 1;
	w.page[end - 0x10] ^= 1; /* the first byte of the last part, which is not whole */
	ck_assert(is_patched(&w.point, &code, pc + PATCHED_AROUND));
	w.page[end - 0x10] ^= 1;
	w.page[end - 1] ^= 1;
	/* What can't be read is not known to be another. */
	w.unreadable = BIAS + end - 1;
	ck_assert(!is_patched(&w.point, &code, pc));
	world_deinit(&w);
}
END_TEST

/* At the end of all addresses there is no byte behind. */
START_TEST(last_page_is_looked_at)
{
	struct doubt_key code = { .code_begin = 0 };
	struct world w;

	setup(&w, HIGH);
	w.mapping[0].bias = HIGH + PAGE - 0x300; /* the file's bytes end there, or later */
	w.mapping[0].start = w.mapping[0].bias;
	w.mapping[0].end = NONE;
	ck_assert(!is_patched(&w.point, &code, w.mapping[0].bias + 0x2c0));
	w.page[0x2c8] ^= 1;
	ck_assert(is_patched(&w.point, &code, w.mapping[0].bias + 0x2c0));
	world_deinit(&w);
}
END_TEST

/* ---- the accused code --------------------------------------------------------------------- */

static const struct {
	uint64_t pc, begin, end;
} codes[] = {
	{ BIAS + 0xfff, 0, 0 },
	{ BIAS + 0x1000, BIAS + 0x1000, BIAS + 0x1020 },
	{ BIAS + 0x101f, BIAS + 0x1000, BIAS + 0x1020 },
	{ BIAS + 0x1020, BIAS + 0x1020, BIAS + 0x1030 },
	{ BIAS + 0x1030, 0, 0 },
	{ BIAS + 2 * PAGE, 0, 0 }, /* no image */
	{ BIAS - 1, 0, 0 },	   /* no mapping */
};

START_TEST(code_is_the_fde)
{
	struct doubt_key key = { .code_begin = 0 };
	struct world w;

	setup(&w, BIAS);
	find_code(&w.space, codes[_i].pc, &key);
	ck_assert_uint_eq(key.code_begin, codes[_i].begin);
	ck_assert_uint_eq(key.code_end, codes[_i].end);
	world_deinit(&w);
}
END_TEST

/* A signal's frame is looked up as it is, a call's return address one byte before it. */
START_TEST(signal_flag_accuses_what_was_interrupted)
{
	uint64_t pcs[] = { 0x100, 0x200, 0x300, 0x400 };
	struct stack truth = { .pc = pcs, .count = COUNT(pcs) };
	struct judgement judgement = { .kind = FAULT_WRONG, .pc = 0x777 };
	struct evidence evidence = { .truth = &truth };
	struct world w;

	setup(&w, BIAS);
	evidence.point = &w.point;
	w.frame[3].interrupted = true;
	ck_assert_uint_eq(accused_pc(&judgement, &evidence, 2), 0x777);
	judgement.kind = FAULT_SIGNAL_FLAG;
	ck_assert_uint_eq(accused_pc(&judgement, &evidence, 2), 0x200);
	ck_assert_uint_eq(accused_pc(&judgement, &evidence, 3), 0x2ff);
	ck_assert_uint_eq(accused_pc(&judgement, &evidence, 4), 0x3ff);
	world_deinit(&w);
}
END_TEST

START_TEST(what_rests_on_the_truth)
{
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
		for (int kind = 0; kind < FAULT_KIND_COUNT; kind++) {
			struct judgement judgement = { .verdict = verdict, .kind = kind };
			bool right = verdict == VERDICT_READER_FAULT ||
				     verdict == VERDICT_UNEXPLAINED ||
				     (verdict == VERDICT_TABLE_FAULT && kind != FAULT_MISSING &&
				      kind != FAULT_MALFORMED);

			ck_assert_msg(rests_on_truth(&judgement) == right, "%d %d", verdict, kind);
		}
	}
	for (uint32_t stop = 0; stop < STOP_REASON_COUNT; stop++)
		ck_assert_uint_eq(names_nobody(stop),
				  stop == STOP_ZERO_RETURN || stop == STOP_NO_PROGRESS);
}
END_TEST

/* ---- frames of the truth ------------------------------------------------------------------ */

START_TEST(frame_is_intact_while_its_word_is_there)
{
	struct world w;

	setup(&w, BIAS);
	w.frame[2] = (struct shadow_frame) { .slot = STACK + 8, .return_address = 0x1234 };
	w.stack[1] = 0x1234;
	ck_assert(is_intact(&w.point, 2));
	w.unreadable = STACK + 15;
	ck_assert(!is_intact(&w.point, 2));
	w.unreadable = NONE;
	w.stack[1] = 0x1235;
	ck_assert(!is_intact(&w.point, 2));
	world_deinit(&w);
}
END_TEST

/* frame[3] is the innermost. Of a point's first frame no call of the truth has been gone through. */
static const struct {
	uint32_t frames;
	size_t marked;
	bool through;
} gone_through[] = {
	{ 1, 3, false }, { 2, 3, true },  { 2, 2, false }, { 3, 2, true },
	{ 4, 1, true },	 { 4, 0, false }, { 5, 0, true },
};

START_TEST(frames_that_agree_are_gone_through)
{
	greg_t saved[SUMMED_REGISTERS] = { 11, 12, 13 };
	struct world w;

	setup(&w, BIAS);
	w.frame[gone_through[_i].marked].planted = true;
	ck_assert_uint_eq(goes_through_planted(&w.shadow, gone_through[_i].frames),
			  gone_through[_i].through);
	/* The registers end with the slot. */
	memcpy(&w.stack[2], saved, sizeof(saved));
	w.frame[gone_through[_i].marked] = (struct shadow_frame) {
		.slot = STACK + 16 + sizeof(saved) - 8,
		.interrupted = true,
		.interrupted_sum = registers_sum(saved),
	};
	ck_assert(!goes_through_edited(&w.point, gone_through[_i].frames));
	w.stack[2]++;
	ck_assert_uint_eq(goes_through_edited(&w.point, gone_through[_i].frames),
			  gone_through[_i].through);
	w.frame[gone_through[_i].marked].interrupted = false;
	ck_assert(!goes_through_edited(&w.point, gone_through[_i].frames));
	w.frame[gone_through[_i].marked].interrupted = true;
	w.stack[2]--;
	w.unreadable = STACK + 16;
	ck_assert_uint_eq(goes_through_edited(&w.point, gone_through[_i].frames),
			  gone_through[_i].through);
	/* Beyond the outermost there is none. */
	ck_assert_uint_eq(goes_through_edited(&w.point, gone_through[_i].frames + 100), true);
	w.frame[gone_through[_i].marked].interrupted = false;
	ck_assert(!goes_through_edited(&w.point, 100));
	world_deinit(&w);
}
END_TEST

/* Nobody has called the point's own function from a frame that is not there any more. */
START_TEST(frames_that_have_gone_are_not_gone_through)
{
	struct world w;

	setup(&w, BIAS);
	w.shadow.count = 3;
	w.frame[3] = (struct shadow_frame) { .planted = true, .interrupted = true };
	ck_assert(!goes_through_planted(&w.shadow, 3));
	ck_assert(!goes_through_edited(&w.point, 3));
	world_deinit(&w);
}
END_TEST

static const struct {
	uint32_t frames;
	uint64_t unreadable;
	bool without;
} code_cases[] = {
	{ 1, NONE, false },	   { 1, BIAS + 0x10, true },  { 1, BIAS + 0x20, true },
	{ 1, BIAS + 0x30, false }, { 2, BIAS + 0x10, false }, { 2, BIAS + 0x30, true },
	{ 3, BIAS + 0x30, true },  { 3, BIAS + 0x40, false },
};

START_TEST(code_is_where_bytes_are)
{
	uint64_t pcs[] = { BIAS + 0x10, BIAS + 0x20, BIAS + 0x30, BIAS + 0x40 };
	uint64_t last_bytes[] = { BIAS + PAGE - 1, BIAS + PAGE - 1 };
	struct stack truth = { .pc = pcs, .count = 3 }, last = { .pc = last_bytes, .count = 2 };
	struct evidence evidence = { .truth = &truth };
	struct world w;

	setup(&w, BIAS);
	evidence.point = &w.point;
	w.unreadable = code_cases[_i].unreadable;
	ck_assert_uint_eq(is_without_code(&evidence, code_cases[_i].frames),
			  code_cases[_i].without);
	evidence.truth = &last;
	w.unreadable = NONE;
	ck_assert(!is_without_code(&evidence, 1));
	world_deinit(&w);
}
END_TEST

/* Where the word that would decide it is: in the truth's slot, or, of a register, where the CFI has it saved. What is
 * not mapped at all is nobody's secret. */
static const struct {
	const char *name;
	enum fault_kind kind;
	bool saved,
		there; /* there: the place is in this process, though its memory can't be read here */
	size_t frame;
	uint64_t unreadable;
	bool out_of_reach;
} reaches[] = {
	{ "in_its_slot", FAULT_WRONG, false, false, 3, NONE, false },
	{ "in_its_slot_that_can_t_be_read", FAULT_WRONG, false, false, 3, STACK + 8, true },
	{ "in_another_slot", FAULT_WRONG, false, false, 2, STACK + 8, false },
	{ "of_the_root", FAULT_WRONG, false, false, 4, STACK + 8, false },
	{ "saved_there", FAULT_REGISTER, true, true, 3, STACK + 8, true },
	{ "saved_where_nothing_is", FAULT_REGISTER, true, false, 3, NONE, false },
	{ "saved_nowhere", FAULT_REGISTER, false, false, 3, STACK + 8, false },
};

START_TEST(words_that_are_out_of_reach)
{
	static uint64_t own; /* not in the made-up thread's memory */
	static struct comparer comparer;
	struct judgement judgement = { .kind = reaches[_i].kind };
	struct world w;

	setup(&w, BIAS);
	comparer.space.pid = getpid();
	w.frame[3].slot = STACK + 8;
	w.frame[2].slot = STACK + 16;
	w.unreadable = reaches[_i].unreadable;
	if (reaches[_i].saved)
		judgement.saved_at = reaches[_i].there ? (uint64_t)&own : 0x10;
	ck_assert_msg(is_out_of_reach(&comparer, &w.point, &judgement, reaches[_i].frame) ==
			      reaches[_i].out_of_reach,
		      "%s", reaches[_i].name);
	/* What can be read is in reach. */
	if (reaches[_i].saved) {
		judgement.saved_at = STACK + 32;
		ck_assert(!is_out_of_reach(&comparer, &w.point, &judgement, reaches[_i].frame));
	}
	world_deinit(&w);
}
END_TEST

/* ---- the claim ---------------------------------------------------------------------------- */

/* rsp is above the slot of what the step before found, and a claim's PC may lie in it. */
static const struct {
	uint32_t cfi_frames;
	uint64_t pc, word, unreadable;
	struct claim claim;
} claims[] = {
	{ 1, BIAS, BIAS, NONE, { STACK + 8, BIAS, true } },
	{ 1, BIAS, BIAS + 1, NONE, { 0, BIAS, true } },
	{ 1, BIAS, BIAS, STACK + 8, { 0, BIAS, true } },
	{ 1, 0x10, 0x10, NONE, { STACK + 8, 0x10, false } },
	{ 0, BIAS, BIAS, NONE, { 0, 0, false } },
};

START_TEST(claim_is_what_the_cfi_names)
{
	static struct comparer comparer;
	struct claim claim;
	uint64_t pc = claims[_i].pc;
	struct world w;

	setup(&w, BIAS);
	comparer.cfi = (struct stack) { .pc = &pc, .count = claims[_i].cfi_frames };
	w.stack[1] = claims[_i].word;
	w.unreadable = claims[_i].unreadable;
	claim = find_claim(&comparer, &w.point, 0);
	ck_assert_uint_eq(claim.slot, claims[_i].claim.slot);
	ck_assert_uint_eq(claim.pc, claims[_i].claim.pc);
	ck_assert_uint_eq(claim.plausible, claims[_i].claim.plausible);
	world_deinit(&w);
}
END_TEST

/* The claim is behind as many steps as frames agree: what the CFI says of each is in the word at rsp. */
static const struct {
	uint32_t frames;
	uint64_t unreadable, slot;
} steps[] = {
	{ 0, NONE, 0 },	 { 1, NONE, STACK },  { 2, NONE, STACK + 8 }, { 3, NONE, STACK + 16 },
	{ 2, STACK, 0 }, { 2, STACK + 8, 0 }, { 3, STACK + 8, 0 },    { 4, NONE, 0 },
};

START_TEST(claim_is_behind_the_frames_that_agree)
{
	static struct comparer comparer;
	uint64_t pcs[] = { BIAS + 0x300, BIAS + 0x304, BIAS + 0x328, BIAS + 0x30c };
	struct claim claim;
	struct world w;

	world_init(&w, BIAS, world_fdes);
	w.regs.value[REGISTER_RIP] = CODE_A;
	w.regs.value[REGISTER_RSP] = STACK;
	for (int i = 0; i < 3; i++)
		w.stack[i] = pcs[i + 1];
	w.unreadable = steps[_i].unreadable;
	comparer.cfi = (struct stack) { .pc = pcs, .count = COUNT(pcs) };
	claim = find_claim(&comparer, &w.point, steps[_i].frames);
	ck_assert_uint_eq(claim.slot, steps[_i].slot);
	ck_assert_uint_eq(claim.pc, steps[_i].frames < 4 ? pcs[steps[_i].frames] : 0);
	world_deinit(&w);
}
END_TEST

START_TEST(key_is_of_a_frame_or_of_the_root)
{
	static struct comparer comparer;
	struct stack truth = { .count = 3 };
	struct doubt_key key;
	struct world w;

	setup(&w, BIAS);
	comparer.cfi = (struct stack) { .count = 0 };
	w.frame[2] = (struct shadow_frame) { .slot = STACK, .return_address = 5 };
	key = find_key(&comparer, &w.point, &truth, 2);
	ck_assert_ptr_eq(key.stack, &w.shadow);
	ck_assert_uint_eq(key.frame, 2);
	ck_assert_uint_eq(key.sp, STACK);
	ck_assert(!key.intact);
	w.stack[0] = 5;
	ck_assert(find_key(&comparer, &w.point, &truth, 2).intact);
	key = find_key(&comparer, &w.point, &truth, 3);
	ck_assert_uint_eq(key.frame, SIZE_MAX);
	ck_assert(key.intact);
	world_deinit(&w);
}
END_TEST

static const struct {
	uint64_t other[4];
	uint32_t count;
	bool inserts;
} insertions[] = {
	{ { 1, 9, 2, 3 }, 4, true }, { { 1, 2, 9, 3 }, 4, false }, { { 1, 2, 3 }, 3, false },
	{ { 1, 2 }, 2, false },	     { { 1, 8, 9, 2 }, 4, false },
};

START_TEST(frames_that_are_inserted)
{
	uint64_t other[4], pcs[] = { 1, 2, 3 };
	struct stack alternative = { .pc = other, .count = insertions[_i].count };
	struct stack truth = { .pc = pcs, .count = COUNT(pcs) };

	memcpy(other, insertions[_i].other, sizeof(other));
	ck_assert_uint_eq(inserts(&alternative, &truth, 1), insertions[_i].inserts);
}
END_TEST

/* ---- what points came to ------------------------------------------------------------------ */

static void make_account(struct account *ret, struct engine_score score[3],
			 struct finding_count found[2])
{
	*ret = (struct account) { .points = 100,
				  .missing = 3,
				  .uncovered = 4,
				  .score = score,
				  .finding = found,
				  .finding_count = 2 };
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		ret->verdict[verdict] = 10 + verdict;
	score[0] = (struct engine_score) { .points = 21 };
	score[1] = (struct engine_score) { .points = 22 };
	score[2] = (struct engine_score) { .points = 23 };
	found[0] = (struct finding_count) {
		.finding = 1, .count = 5, .followed = 6, .followed_exact = 7
	};
	found[1] = (struct finding_count) {
		.finding = 0, .count = 8, .followed = 9, .followed_exact = 1
	};
}

static void make_result(struct comparison *ret, struct finding finding[2])
{
	memset(finding, 0, 2 * sizeof(*finding));
	*ret = (struct comparison) { .engine_count = 2,
				     .missing = 100,
				     .uncovered = 200,
				     .findings = { .finding = finding, .count = 2 } };
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		ret->verdict[verdict] = 1000;
	for (int i = 0; i < 2; i++) {
		finding[i].count = finding[i].followed = finding[i].followed_exact = 50;
		finding[i].unproven[DOUBT_NO_CODE] = 60;
		ret->engine[i].score.points = ret->engine[i].score.unproven = 70;
	}
	ret->unproven[DOUBT_NO_CODE] = 80;
}

START_TEST(account_is_added_whole)
{
	struct finding_count found[2];
	static struct comparison result;
	struct finding finding[2];
	struct account account;
	struct engine_score score[3]; /* one more than there are engines */

	make_account(&account, score, found);
	make_result(&result, finding);
	comparison_add_account(&result, &account);
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		ck_assert_uint_eq(result.verdict[verdict], 1010 + verdict);
	ck_assert_uint_eq(result.missing, 103);
	ck_assert_uint_eq(result.uncovered, 204);
	ck_assert_uint_eq(result.unproven[DOUBT_NO_CODE], 80);
	ck_assert_uint_eq(result.engine[0].score.points, 91);
	ck_assert_uint_eq(result.engine[1].score.points, 92);
	ck_assert_uint_eq(result.engine[2].score.points, 0);
	ck_assert_uint_eq(result.engine[0].score.unproven, 70);
	ck_assert_uint_eq(finding[0].count, 58);
	ck_assert_uint_eq(finding[0].followed, 59);
	ck_assert_uint_eq(finding[0].followed_exact, 51);
	ck_assert_uint_eq(finding[1].count, 55);
	ck_assert_uint_eq(finding[1].followed, 56);
	ck_assert_uint_eq(finding[1].followed_exact, 57);
	ck_assert_uint_eq(finding[1].unproven[DOUBT_NO_CODE], 60);
}
END_TEST

START_TEST(unproven_account_is_only_counted)
{
	struct finding_count found[2];
	static struct comparison result;
	struct finding finding[2];
	struct account account;
	struct engine_score score[3]; /* one more than there are engines */

	make_account(&account, score, found);
	make_result(&result, finding);
	comparison_add_unproven(&result, &account, DOUBT_NO_CODE);
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		ck_assert_uint_eq(result.verdict[verdict],
				  verdict == VERDICT_UNPROVEN ? 1100 : 1000);
	ck_assert_uint_eq(result.missing, 100);
	ck_assert_uint_eq(result.uncovered, 204);
	ck_assert_uint_eq(result.unproven[DOUBT_NO_CODE], 180);
	ck_assert_uint_eq(result.engine[0].score.points, 70);
	ck_assert_uint_eq(result.engine[0].score.unproven, 91);
	ck_assert_uint_eq(result.engine[1].score.unproven, 92);
	ck_assert_uint_eq(result.engine[2].score.unproven, 0);
	ck_assert_uint_eq(finding[0].count, 50);
	ck_assert_uint_eq(finding[0].unproven[DOUBT_NO_CODE], 68);
	ck_assert_uint_eq(finding[1].unproven[DOUBT_NO_CODE], 65);
}
END_TEST

SUITE(compare_doubt, LOOP(patched_code_is_found, patches), TEST(behind_the_file_nothing_is_patched),
      TEST(last_page_is_looked_at), LOOP(code_is_the_fde, codes),
      TEST(signal_flag_accuses_what_was_interrupted), TEST(what_rests_on_the_truth),
      TEST(frame_is_intact_while_its_word_is_there),
      LOOP(frames_that_agree_are_gone_through, gone_through),
      TEST(frames_that_have_gone_are_not_gone_through), LOOP(code_is_where_bytes_are, code_cases),
      LOOP(words_that_are_out_of_reach, reaches), LOOP(claim_is_what_the_cfi_names, claims),
      LOOP(claim_is_behind_the_frames_that_agree, steps), TEST(key_is_of_a_frame_or_of_the_root),
      LOOP(frames_that_are_inserted, insertions), TEST(account_is_added_whole),
      TEST(unproven_account_is_only_counted))
