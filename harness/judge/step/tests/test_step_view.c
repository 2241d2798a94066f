/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_step_view.c - a point as text, to the letter, where no real program brings one about
 *
 * The point is made up (compare_world.h): rows that can't be read, no image, stacks that go on below
 * the truth, places of any length. What step shows of a real one is test_step.c's.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "judge/compare/tests/compare_world.h"
#include "judge/step/step.h"

#define MALFORMED  (BIAS + 0x400)
#define STACKS_MAX 3
#define PCS_MAX	   4
#define GUESS	   WALK_PC_GUESSED
#define LONG_PATH  "a/b\0337890123456789012345678901234567890"

static void view_fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };

	world_fdes(image);
	DIFF_IMAGE_FDE(image, diff_image_entry(image, plain, sizeof(plain)), MALFORMED - BIAS, 0x20,
		       CFA_restore_state);
}

#define JUDGEMENT(...) .judgement = { __VA_ARGS__ }
#define TRUTH(...)     .truth = { __VA_ARGS__ }
#define STACKS(...)    .stack = { __VA_ARGS__ }

static const struct {
	const char *name;
	uint64_t pc;
	struct judgement judgement;
	bool rooted;
	const char *path; /* of the image */
	uint64_t truth[PCS_MAX];
	struct {
		const char *engine;
		uint64_t pc[PCS_MAX];
		enum stop_reason stop;
	} stack[STACKS_MAX];
	const char *text;
} cases[] = {
	{ "row", CODE_A + 4, JUDGEMENT(.verdict = VERDICT_EXACT), true, "p",
	  TRUTH(CODE_A + 4, CODE_B + 16),
	  STACKS({ "cfi", { CODE_A + 4, CODE_B + 16 }, STOP_COMPLETE }),
	  "point 41, thread 4711, +0x304 (p)\n"
	  "  instruction  add byte ptr [rax], al\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          cfa=rsp+8 ra=c-8\n"
	  "  rule         rule 6 cfa=rsp+8 ra=c-8\n"
	  "  verdict      exact\n"
	  "   # truth                                     cfi\n"
	  "   0 +0x304 (p)                                =\n"
	  "   1 +0x330 (p)                                =\n"
	  "     ends                                      complete\n" },
	{ "row_that_cannot_be_read", MALFORMED + 4,
	  JUDGEMENT(.verdict = VERDICT_TABLE_FAULT, .kind = FAULT_MALFORMED, .pc = MALFORMED + 4),
	  true, "p\033", TRUTH(MALFORMED + 4), STACKS({ "cfi", { MALFORMED + 4 }, STOP_MALFORMED }),
	  "point 41, thread 4711, +0x404 (p?)\n"
	  "  instruction  add byte ptr [rax], al\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          .eh_frame+0x129: no remembered state to restore\n"
	  "  rule         malformed\n"
	  "  verdict      table_fault (malformed) at frame 0, +0x404 (p?); as it looks now\n"
	  "   # truth                                     cfi\n"
	  "   0 +0x404 (p?)                               =\n"
	  "     ends                                      malformed\n" },
	{ "no_row", NO_CODE,
	  JUDGEMENT(.verdict = VERDICT_TABLE_FAULT, .kind = FAULT_MISSING, .frame = 1,
		    .pc = CODE_B),
	  true, "p", TRUTH(NO_CODE),
	  .text = "point 41, thread 4711, +0x3e0 (p)\n"
		  "  instruction  add byte ptr [rax], al\n"
		  "  rsp, rbp     0x7fff0000, 0x33\n"
		  "  row          no FDE covers it\n"
		  "  rule         no_row\n"
		  "  verdict      table_fault (missing) at frame 1, +0x320 (p); as it looks now\n"
		  "   # truth\n"
		  "   0 +0x3e0 (p)\n"
		  "     ends\n" },
	{ "no_image", BIAS + 2 * PAGE, JUDGEMENT(.verdict = VERDICT_EXACT), false, "p",
	  TRUTH(BIAS + 2 * PAGE), STACKS({ "cfi", { BIAS + 2 * PAGE }, STOP_NO_MAPPING }),
	  "point 41, thread 4711, 0x7f0000002000 (p)\n"
	  "  instruction  (unreadable)\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          no image is mapped there\n"
	  "  verdict      exact\n"
	  "   # truth                                     cfi\n"
	  "   0 0x7f0000002000 (p)                        =\n"
	  "     is known so far                           no_mapping\n" },
	{ "no_mapping", 0x10, JUDGEMENT(.verdict = VERDICT_EXACT), true, "p", TRUTH(0x10),
	  STACKS({ "cfi", { 0x11 }, STOP_NO_MAPPING }),
	  "point 41, thread 4711, 0x10 (unmapped)\n"
	  "  instruction  (unreadable)\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          no image is mapped there\n"
	  "  verdict      exact\n"
	  "   # truth                                     cfi\n"
	  "   0 0x10 (unmapped)                           x\n"
	  "     ends                                      no_mapping\n"
	  "  cfi has at frame 0 0x11 0x11 (unmapped)\n" },
	{ "stacks_that_differ", CODE_A + 4, JUDGEMENT(.verdict = VERDICT_EXACT), false, "p",
	  TRUTH(CODE_A + 4, CODE_B + 16),
	  STACKS({ "one", { CODE_A + 4, CODE_B + 16, CODE_A + 16, 0x10 }, STOP_COMPLETE },
		 { "none", { 0 }, STOP_NONE },
		 { "another one", { CODE_A + 4, CODE_A + 5, CODE_A + 6 }, STOP_DEPTH }),
	  "point 41, thread 4711, +0x304 (p)\n"
	  "  instruction  add byte ptr [rax], al\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          cfa=rsp+8 ra=c-8\n"
	  "  rule         rule 6 cfa=rsp+8 ra=c-8\n"
	  "  verdict      exact\n"
	  "   # truth                                     one       none  another one\n"
	  "   0 +0x304 (p)                                =         -     =\n"
	  "   1 +0x330 (p)                                =         -     x\n"
	  "   2                                           +               +\n"
	  "   3                                           +                \n"
	  "     is known so far                           complete  none  depth\n"
	  "  one has at frame 2 0x7f0000000310 +0x310 (p)\n"
	  "  another one has at frame 1 0x7f0000000305 +0x305 (p)\n" },
	{ "a_long_name_before_a_deeper_stack", CODE_A + 4,
	  JUDGEMENT(.verdict = VERDICT_UNEXPLAINED, .frame = 1, .pc = CODE_B), true, "p",
	  TRUTH(CODE_A + 4),
	  STACKS({ "a long name", { CODE_A + 4 }, STOP_DEPTH },
		 { "b", { CODE_A + 4, CODE_B + 16, CODE_A + 16 }, STOP_NO_ROW }),
	  "point 41, thread 4711, +0x304 (p)\n"
	  "  instruction  add byte ptr [rax], al\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          cfa=rsp+8 ra=c-8\n"
	  "  rule         rule 6 cfa=rsp+8 ra=c-8\n"
	  "  verdict      unexplained\n"
	  "   # truth                                     a long name  b\n"
	  "   0 +0x304 (p)                                =            =\n"
	  "   1                                                        +\n"
	  "   2                                                        +\n"
	  "     ends                                      depth        no_row\n"
	  "  b has at frame 1 0x7f0000000330 +0x330 (p)\n" },
	{ "frame_that_was_guessed", CODE_A + 4, JUDGEMENT(.verdict = VERDICT_EXACT), true, "p",
	  TRUTH(CODE_A + 4, CODE_B + 16),
	  STACKS({ "fp", { CODE_A + 4, GUESS | (CODE_B + 16) }, STOP_COMPLETE },
		 { "other", { CODE_A + 4, GUESS | CODE_B }, STOP_COMPLETE }),
	  "point 41, thread 4711, +0x304 (p)\n"
	  "  instruction  add byte ptr [rax], al\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          cfa=rsp+8 ra=c-8\n"
	  "  rule         rule 6 cfa=rsp+8 ra=c-8\n"
	  "  verdict      exact\n"
	  "   # truth                                     fp        other\n"
	  "   0 +0x304 (p)                                =         =\n"
	  "   1 +0x330 (p)                                =         x\n"
	  "     ends                                      complete  complete\n"
	  "  other has at frame 1 0x7f0000000320 +0x320 (p)\n" },
	{ "long_place_of_a_caller", 0x10, JUDGEMENT(.verdict = VERDICT_EXACT), true, LONG_PATH,
	  TRUTH(0x10, CODE_A + 4), STACKS({ "cfi", { 0x10, CODE_A + 4 }, STOP_COMPLETE }),
	  "point 41, thread 4711, 0x10 (unmapped)\n"
	  "  instruction  (unreadable)\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          no image is mapped there\n"
	  "  verdict      exact\n"
	  "   # truth                                          cfi\n"
	  "   0 0x10 (unmapped)                                =\n"
	  "   1 +0x304 (b?7890123456789012345678901234567890)  =\n"
	  "     ends                                           complete\n" },
	{ "long_place", CODE_A + 4, JUDGEMENT(.verdict = VERDICT_EXACT), true, LONG_PATH,
	  TRUTH(CODE_A + 4, 0x10), STACKS({ "cfi", { CODE_A + 4, CODE_B }, STOP_COMPLETE }),
	  "point 41, thread 4711, +0x304 (b?7890123456789012345678901234567890)\n"
	  "  instruction  add byte ptr [rax], al\n"
	  "  rsp, rbp     0x7fff0000, 0x33\n"
	  "  row          cfa=rsp+8 ra=c-8\n"
	  "  rule         rule 6 cfa=rsp+8 ra=c-8\n"
	  "  verdict      exact\n"
	  "   # truth                                          cfi\n"
	  "   0 +0x304 (b?7890123456789012345678901234567890)  =\n"
	  "   1 0x10 (unmapped)                                x\n"
	  "     ends                                           complete\n"
	  "  cfi has at frame 1 0x7f0000000320 +0x320 (b?7890123456789012345678901234567890)\n" },
};

static void fill(struct stack *ret, uint64_t pc[PCS_MAX], const uint64_t *from)
{
	memcpy(pc, from, PCS_MAX * sizeof(*pc));
	for (ret->count = 0; ret->count < PCS_MAX && pc[ret->count]; ret->count++)
		;
	ret->pc = pc;
}

static char *view_text(const struct step_view *view)
{
	return PRINTED(file, step_view_print(file, view));
}

START_TEST(point_is_shown)
{
	uint64_t truth_pc[PCS_MAX], pc[STACKS_MAX][PCS_MAX];
	struct step_stack stack[STACKS_MAX] = { 0 };
	struct stack truth = { .stop = STOP_NONE };
	struct step_view view = { .number = 41, .truth = &truth, .stack = stack };
	struct error error;
	struct world w;

	world_init(&w, BIAS, view_fdes);
	w.stop.tid = 4711;
	w.stop.regs.value[REGISTER_RIP] = cases[_i].pc;
	w.stop.regs.value[REGISTER_RBP] = 0x33;
	w.shadow.rooted = cases[_i].rooted;
	w.mapping[0].path = (char *)cases[_i].path;
	fill(&truth, truth_pc, cases[_i].truth);
	for (; view.stack_count < STACKS_MAX && cases[_i].stack[view.stack_count].engine;
	     view.stack_count++) {
		struct step_stack *to = &stack[view.stack_count];

		fill(&to->stack, pc[view.stack_count], cases[_i].stack[view.stack_count].pc);
		to->engine = cases[_i].stack[view.stack_count].engine;
		to->stack.has_marks = true;
		to->stack.stop = cases[_i].stack[view.stack_count].stop;
	}
	view.point = &w.point;
	view.judgement = &cases[_i].judgement;
	view.decoder = decoder_create(&error);
	check_printed(cases[_i].name, view_text(&view), cases[_i].text);
	decoder_destroy(view.decoder);
	world_deinit(&w);
}
END_TEST

/* An image of which there is none, as without memory for it, has no rule. */
START_TEST(an_image_without_a_table)
{
	const struct judgement judgement = { .verdict = VERDICT_EXACT };
	uint64_t pc = CODE_A;
	const struct stack truth = { .pc = &pc, .count = 1 };
	struct step_view view = { .truth = &truth, .judgement = &judgement };
	struct table *table;
	struct error error;
	struct world w;

	world_init(&w, BIAS, view_fdes);
	w.stop.regs.value[REGISTER_RIP] = pc;
	table = w.mapping[0].entry->table;
	w.mapping[0].entry->table = NULL;
	view.point = &w.point;
	view.decoder = decoder_create(&error);
	char *text = view_text(&view);
	ck_assert_msg(strstr(text, "\n  row          cfa=rsp+8 ra=c-8\n"
				   "  rule         no_row\n"),
		      "%s", text);
	free(text);
	w.mapping[0].entry->table = table;
	decoder_destroy(view.decoder);
	world_deinit(&w);
}
END_TEST

/* ---- deep stacks -------------------------------------------------------------------------- */

#define DEEP_MAX 27

static const struct {
	uint32_t truth, other, lines;
	const char *rest;
} depths[] = {
	{ 23, 24, 24, "" },
	{ 24, 3, 24, "" },
	{ 25, 3, 24, "     frames that are not shown: 1\n" },
	{ 3, 27, 24, "     frames that are not shown: 3\n" },
};

START_TEST(innermost_frames_are_shown)
{
	const struct judgement judgement = { .verdict = VERDICT_EXACT };
	uint64_t pc[DEEP_MAX];
	struct stack truth = { .pc = pc, .count = depths[_i].truth };
	struct step_stack stack = { .engine = "cfi",
				    .stack = { .pc = pc, .count = depths[_i].other } };
	struct step_view view = {
		.truth = &truth, .stack = &stack, .stack_count = 1, .judgement = &judgement
	};
	char *text, *at, expected[64];
	struct error error;
	struct world w;

	world_init(&w, BIAS, view_fdes);
	w.mapping[1].path = (char *)LONG_PATH;
	for (int i = 0; i < DEEP_MAX; i++)
		pc[i] = i < STEP_FRAMES_SHOWN ? CODE_A + i : BIAS + 2 * PAGE; /* a wider place */
	view.point = &w.point;
	view.decoder = decoder_create(&error);
	text = view_text(&view);
	at = strstr(text, " # truth                                     cfi\n");
	ck_assert_msg(at != NULL, "%s", text);
	for (uint32_t i = 0; i < depths[_i].lines; i++) {
		at = strchr(at, '\n') + 1;
		snprintf(expected, sizeof(expected), "%4u ", i);
		ck_assert_msg(!strncmp(at, expected, strlen(expected)), "%s", at);
	}
	at = strchr(at, '\n') + 1;
	ck_assert_msg(!strncmp(at, "     is known so far", 20), "%s", at);
	at = strchr(at, '\n') + 1;
	ck_assert_msg(!strncmp(at, depths[_i].rest, strlen(depths[_i].rest)), "%s", at);
	at += strlen(depths[_i].rest);
	ck_assert_msg(depths[_i].other > depths[_i].truth ? !strncmp(at, "  cfi has", 9) : !*at,
		      "%s", at);
	free(text);
	decoder_destroy(view.decoder);
	world_deinit(&w);
}
END_TEST

SUITE(step_view, LOOP(point_is_shown, cases), TEST(an_image_without_a_table),
      LOOP(innermost_frames_are_shown, depths))
