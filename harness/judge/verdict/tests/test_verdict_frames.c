/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_verdict_frames.c - what a verdict asks of a single frame, and says of it
 *
 * Was its slot overwritten? Where is it pointed at? Which are kept with a finding?
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "judge/verdict/verdict.c"
#include "judge/verdict/doubt.h"

#define SLOT  0x7000
#define CALLS 3

struct words {
	uint64_t word[CALLS]; /* at SLOT; the outermost call's is the highest */
	int unreadable;	      /* -1: none */
};

static int read_words(void *context, uint64_t address, void *ret, size_t size)
{
	const struct words *words = context;
	uint64_t at = (address - SLOT) / 8;

	if (address < SLOT || at >= CALLS || (int)at == words->unreadable)
		return -1;
	memcpy(ret, &words->word[at], size);
	return 0;
}

static const struct overwritten_case {
	const char *name;
	int changed;	 /* the word; -1: none */
	int unreadable;	 /* the same */
	int interrupted; /* the frame of the shadow stack, from the outermost; -1: none */
	bool in_transit;
	bool overwritten[CALLS + 1]; /* of frame 0, the innermost, on */
} overwritten_cases[] = {
	{ "none", -1, -1, -1, false, { false } },
	{ "innermost", 0, -1, -1, false, { true } },
	{ "middle", 1, -1, -1, false, { false, true } },
	{ "outermost", 2, -1, -1, false, { false, false, true } },
	{ "in_transit", 0, -1, -1, true, { false } },
	{ "can_not_be_read", 0, 0, -1, false, { false } },
	{ "interrupted_frame_has_no_slot", 0, -1, 2, false, { false } },
	{ "another_is_interrupted", 0, -1, 1, false, { true } },
};

START_TEST(overwritten_slot_is_of_its_frame)
{
	const struct overwritten_case *c = &overwritten_cases[_i];
	struct words words = { .unreadable = c->unreadable };
	/* One that is none lies before the first. */
	struct shadow_frame all[1 + CALLS] = { { .slot = SLOT, .return_address = 1 } };
	struct shadow_frame *frame = all + 1;
	struct shadow_stack shadow = { .frame = frame,
				       .count = CALLS,
				       .in_transit = c->in_transit };
	struct trace_stop stop = { .shadow = &shadow };
	struct memory_reader memory = { .read = read_words, .context = &words };
	struct point point = { .stop = &stop, .memory = &memory };

	for (int i = 0; i < CALLS; i++) {
		int at = CALLS - 1 - i;

		frame[i].slot = SLOT + 8 * at;
		frame[i].return_address = words.word[at] = 0x400000 + i;
		frame[i].interrupted = i == c->interrupted;
	}
	if (c->changed >= 0)
		words.word[c->changed]++;
	for (uint32_t i = 0; i <= CALLS; i++)
		ck_assert_msg(is_overwritten(&point, i) == c->overwritten[i], "%s: frame %u",
			      c->name, i);
	ck_assert(!is_overwritten(&point, UINT32_MAX));
}
END_TEST

/* ---- where a stack is pointed at --------------------------------------------------------- */

START_TEST(callers_are_pointed_at_in_their_calls)
{
	uint64_t pc[] = { 0x1000, 0x2000, 0x3000 | WALK_PC_GUESSED };
	struct stack stack = { .pc = pc, .count = 3, .has_marks = true };
	static const struct {
		uint32_t frames, frame;
		uint64_t pc;
	} places[] = { { 0, 0, 0 }, { 1, 0, 0x1000 }, { 2, 1, 0x1fff }, { 3, 2, 0x2fff } };

	for (int i = 0; i < COUNT(places); i++) {
		struct judgement judgement = { .frame = 99, .pc = 99 };

		point_at_frame(&stack, places[i].frames, &judgement);
		ck_assert_uint_eq(judgement.frame, places[i].frame);
		ck_assert_uint_eq(judgement.pc, places[i].pc);
	}
}
END_TEST

/* ---- a stack that is kept with its finding ------------------------------------------------ */

#define RIGHT 2 /* frames that are the truth's */

static const struct {
	const char *name;
	uint32_t count, kept;
} kept_cases[] = {
	{ "one_frame", 1, 1 },
	{ "as_many_as_are_kept", FINDING_FRAMES_MAX, FINDING_FRAMES_MAX },
	{ "one_more", FINDING_FRAMES_MAX + 1, FINDING_FRAMES_MAX },
	{ "many_more", FINDING_FRAMES_MAX + 100, FINDING_FRAMES_MAX },
};

START_TEST(innermost_frames_are_kept_with_a_finding)
{
	static uint64_t pc[FINDING_FRAMES_MAX + 100], true_pc[COUNT(pc)];
	uint32_t count = kept_cases[_i].count, kept = kept_cases[_i].kept;
	struct stack stack = { .pc = pc, .count = count, .has_marks = true };
	struct stack truth = { .pc = true_pc, .count = count, .stop = STOP_COMPLETE };
	const struct address_space space = { .mapping_count = 0 };
	struct finding finding = { .count = 1 };

	for (uint32_t i = 0; i < count; i++) {
		true_pc[i] = 0x1000 + i;
		pc[i] = (i < RIGHT ? 0x1000 : 0x5000) + i;
	}
	pc[count - 1] |= WALK_PC_GUESSED;
	stack.stop = STOP_COMPLETE;
	ck_assert(finding_keep_stack(&finding, &space, &stack, &truth, true) == (count <= RIGHT));
	ck_assert_msg(finding.frame_count == kept && finding.frames_left_out == count - kept,
		      "%s: %u and %u", kept_cases[_i].name, finding.frame_count,
		      finding.frames_left_out);
	for (uint32_t i = 0; i < kept; i++) {
		const struct finding_frame *frame = &finding.frame[i];

		ck_assert_uint_eq(frame->vaddr, stack_pc(&stack, i));
		ck_assert_int_eq(frame->guessed, i == count - 1);
		ck_assert_int_eq(frame->right, i < RIGHT);
		ck_assert_str_eq(frame->function, "unmapped");
		ck_assert_str_eq(frame->image, "");
	}
	/* The first point's stays. */
	ck_assert(finding_keep_stack(&finding, &space, &truth, &truth, true));
	ck_assert_uint_eq(finding.frame[kept - 1].guessed, kept == count);
	free(finding.frame);
}
END_TEST

/* ---- why points of a finding are unproven -------------------------------------------------- */

START_TEST(reasons_are_as_many_as_there_is_room_for)
{
	struct finding finding = { .unproven = { [1] = 3, [2] = 40 } };
	char all[128], text[128];
	size_t length;

	ck_assert_uint_eq(finding_unproven(&finding, NULL, 0), 43);
	ck_assert_uint_eq(finding_unproven(&finding, NULL, sizeof(text)), 43);
	ck_assert_uint_eq(finding_unproven(&finding, all, sizeof(all)), 43);
	snprintf(text, sizeof(text), "3 %s, 40 %s", doubt_reason_name(1), doubt_reason_name(2));
	ck_assert_str_eq(all, text);
	length = strlen(all);
	for (size_t size = 1; size < length + 2; size++) {
		memset(text, '#', sizeof(text));
		ck_assert_uint_eq(finding_unproven(&finding, text, size), 43);
		ck_assert_uint_eq(strlen(text), size > length ? length : size - 1);
		ck_assert_int_eq(strncmp(text, all, strlen(text)), 0);
		ck_assert_int_eq(text[size], '#');
	}
}
END_TEST

SUITE(verdict_frames, LOOP(overwritten_slot_is_of_its_frame, overwritten_cases),
      TEST(callers_are_pointed_at_in_their_calls),
      LOOP(innermost_frames_are_kept_with_a_finding, kept_cases),
      TEST(reasons_are_as_many_as_there_is_room_for))
