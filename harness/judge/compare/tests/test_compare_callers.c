/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_callers.c - a register that is not as the CFI has it: what callers say of it, and what the image's
 * convention does
 *
 * LEAF was called by FRAMED, and that by another FRAMED, which BARE has called. FRAMED's CFA hangs on rbp, and LEAF has put
 * something else into it. All is made up (compare_world.h).
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "judge/compare/compare_callers.c"
#include "compare_world.h"

#define LEAF	(BIAS + 0x400) /* no rule for rbp; rbx is saved */
#define FRAMED	(BIAS + 0x420) /* CFA rbp+16, rbp at CFA-16 */
#define BARE	(BIAS + 0x440)
#define SAME	(BIAS + 0x460) /* rbp has the same value */
#define NO_FDE	(BIAS + 0x480)
#define WORD(i) (STACK + 8 * (uint64_t)(i))

static void fdes(struct diff_image *image)
{
	static const uint8_t plain[] = { CIE_USUAL };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));

	DIFF_IMAGE_FDE(image, cie, LEAF - BIAS, 0x20, CFA_offset(RBX, 3));
	DIFF_IMAGE_FDE(image, cie, FRAMED - BIAS, 0x20, CFA_def_cfa(RBP, 16), CFA_offset(RBP, 2));
	DIFF_IMAGE_FDE(image, cie, BARE - BIAS, 0x20, CFA_nop);
	DIFF_IMAGE_FDE(image, cie, SAME - BIAS, 0x20, CFA_same_value(RBP));
}

/* rbp as the truth's calls saw it: FRAMED's frames have the caller's rbp at the word before the return address. */
static void set_up(struct world *w, uint64_t rip)
{
	static const uint64_t slots[] = { WORD(0), WORD(5), WORD(10) };
	static const uint64_t rbp[] = { WORD(4), WORD(9), 0x999 };
	static const uint64_t returns[] = { FRAMED + 8, FRAMED + 0x10, BARE + 8 };

	world_init(w, BIAS, fdes);
	w->regs.value[REGISTER_RIP] = rip;
	w->regs.value[REGISTER_RSP] = STACK;
	w->regs.value[REGISTER_RBP] = 0x777; /* LEAF's */
	w->shadow.count = 3;
	for (int i = 0; i < 3; i++) {
		struct shadow_frame *frame = &w->frame[2 - i];

		*frame = (struct shadow_frame) { .slot = slots[i], .return_address = returns[i] };
		for (int reg = 0; reg < CALLEE_SAVED_COUNT; reg++)
			frame->callee_saved[reg] = 0x100 + (uint64_t)reg;
		frame->callee_saved[1] = rbp[i];
		w->stack[(slots[i] - STACK) / 8] = returns[i];
	}
	w->stack[4] = WORD(9); /* what FRAMED saved */
	w->stack[9] = 0x999;
}

/* ---- callers -------------------------------------------------------------------------------- */

enum change {
	NOTHING,
	OTHER_RBP, /* the truth's, at LEAF's call */
	OUTER_RBP, /* at the outer calls: those are not what is asked */
	OTHER_WORD,
	OUTER_WORD,
	OTHER_SLOT,
	OUTER_SLOT,
	INTERRUPTED,
	OUTER_INTERRUPTED,
	MOVED,
	OUTER_MOVED,
	UNREADABLE,
	OUTER_UNREADABLE,
};

static const struct {
	const char *name;
	enum fault_kind kind;
	uint64_t rip, pc; /* pc: of the row at fault */
	unsigned int reg;
	uint32_t frame, frames;
	enum change change;
	bool confirmed;
} callers[] = {
	{ "all_of_them", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, NOTHING, true },
	{ "as_far_as_is_asked", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 2, NOTHING, true },
	{ "the_same_value", FAULT_REGISTER, SAME, SAME, REGISTER_RBP, 0, 3, NOTHING, true },
	{ "its_own_caller_is_too_few", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 1, NOTHING,
	  false },
	{ "more_than_there_are", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 4, NOTHING, false },
	{ "another_fault", FAULT_WRONG, LEAF, LEAF, REGISTER_RBP, 0, 3, NOTHING, false },
	{ "a_register_that_is_saved", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBX, 0, 3, NOTHING,
	  false },
	{ "no_such_register", FAULT_REGISTER, LEAF, LEAF, REGISTER_COUNT, 0, 3, NOTHING, false },
	{ "no_row", FAULT_REGISTER, LEAF, NO_FDE, REGISTER_RBP, 0, 3, NOTHING, false },
	{ "no_image", FAULT_REGISTER, LEAF, BIAS + 2 * PAGE, REGISTER_RBP, 0, 3, NOTHING, false },
	{ "no_mapping", FAULT_REGISTER, LEAF, 0x10, REGISTER_RBP, 0, 3, NOTHING, false },
	{ "it_was_another_at_the_call", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OTHER_RBP,
	  false },
	{ "what_it_was_further_out_is_read", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3,
	  OUTER_RBP, true },
	{ "another_word_in_its_slot", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OTHER_WORD,
	  false },
	{ "in_an_outer_one_s", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OUTER_WORD, false },
	{ "which_nobody_asked_for", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 2, OUTER_WORD,
	  true },
	{ "another_slot", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OTHER_SLOT, false },
	{ "another_outer_slot", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OUTER_SLOT, false },
	{ "interrupted", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, INTERRUPTED, false },
	{ "further_out", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OUTER_INTERRUPTED, false },
	{ "moved", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, MOVED, false },
	{ "moved_further_out", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, OUTER_MOVED, false },
	{ "unreadable", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3, UNREADABLE, false },
	{ "unreadable_further_out", FAULT_REGISTER, LEAF, LEAF, REGISTER_RBP, 0, 3,
	  OUTER_UNREADABLE, false },
	{ "no_step", FAULT_REGISTER, NO_FDE, LEAF, REGISTER_RBP, 0, 3, NOTHING, false },
	/* Of a caller's row: who it has called need not be as the truth has it, if it leads there. */
	{ "of_a_caller", FAULT_REGISTER, BARE, LEAF, REGISTER_RBP, 1, 3, INTERRUPTED, true },
	{ "of_a_caller_that_was_interrupted", FAULT_REGISTER, BARE, LEAF, REGISTER_RBP, 1, 3,
	  OUTER_INTERRUPTED, false },
	{ "of_a_caller_and_too_few", FAULT_REGISTER, BARE, LEAF, REGISTER_RBP, 1, 2, NOTHING,
	  false },
};

static void make(struct world *w, enum change change)
{
	switch (change) {
	case NOTHING: break;
	case OTHER_RBP: w->frame[2].callee_saved[1] += 8; break;
	case OUTER_RBP: w->frame[1].callee_saved[1] = w->frame[0].callee_saved[1] = 0x555; break;
	case OTHER_WORD: w->stack[0]++; break;
	case OUTER_WORD: w->stack[10]++; break;
	case OTHER_SLOT: w->frame[2].slot += 8; break;
	case OUTER_SLOT: w->frame[1].slot += 8; break;
	case INTERRUPTED: w->frame[2].interrupted = true; break;
	case OUTER_INTERRUPTED: w->frame[1].interrupted = true; break;
	case MOVED: w->frame[2].moved = true; break;
	case OUTER_MOVED: w->frame[1].moved = true; break;
	case UNREADABLE: w->unreadable = WORD(0); break;
	case OUTER_UNREADABLE: w->unreadable = WORD(10); break;
	}
}

START_TEST(callers_say_what_it_was)
{
	const struct judgement judgement = { .kind = callers[_i].kind,
					     .pc = callers[_i].pc,
					     .reg = callers[_i].reg,
					     .frame = callers[_i].frame };
	struct world w;

	set_up(&w, callers[_i].rip);
	/* BARE was called where LEAF would be: rbp is its caller's then, which the truth says, too. */
	if (callers[_i].frame) {
		w.regs.value[REGISTER_RBP] = WORD(4);
		w.frame[1].callee_saved[1] = WORD(9);
	}
	make(&w, callers[_i].change);
	ck_assert_msg(callers_confirm(&w.point, &judgement, callers[_i].frames) ==
			      callers[_i].confirmed,
		      "%s", callers[_i].name);
	/* Nothing is changed by asking. */
	ck_assert_uint_eq(w.regs.value[REGISTER_RIP], callers[_i].rip);
	world_deinit(&w);
}
END_TEST

/* ---- the convention -------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum verdict verdict;
	enum fault_kind kind;
	uint64_t pc;
	unsigned int reg;
	bool unknown, of_another; /* what is known of the image is not; or is of another one */
	bool excused;
} conventions[] = {
	{ "nobody_keeps_it", VERDICT_TABLE_FAULT, FAULT_REGISTER, LEAF, REGISTER_RBP, false, false,
	  true },
	{ "at_the_function_s_end", VERDICT_TABLE_FAULT, FAULT_REGISTER, LEAF + 0x1f, REGISTER_RBP,
	  false, false, true },
	{ "which_is_kept", VERDICT_TABLE_FAULT, FAULT_REGISTER, LEAF, REGISTER_R12, false, false,
	  false },
	{ "there_is_a_rule", VERDICT_TABLE_FAULT, FAULT_REGISTER, LEAF, REGISTER_RBX, false, false,
	  false },
	{ "that_it_is_the_same", VERDICT_TABLE_FAULT, FAULT_REGISTER, SAME, REGISTER_RBP, false,
	  false, false },
	{ "another_fault", VERDICT_TABLE_FAULT, FAULT_WRONG, LEAF, REGISTER_RBP, false, false,
	  false },
	{ "a_reader_s", VERDICT_READER_FAULT, FAULT_REGISTER, LEAF, REGISTER_RBP, false, false,
	  false },
	{ "no_row", VERDICT_TABLE_FAULT, FAULT_REGISTER, NO_FDE, REGISTER_RBP, false, false,
	  false },
	{ "no_image", VERDICT_TABLE_FAULT, FAULT_REGISTER, BIAS + 2 * PAGE, REGISTER_RBP, false,
	  false, false },
	{ "no_mapping", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0x10, REGISTER_RBP, false, false,
	  false },
	/* The image has no code that says so. */
	{ "nobody_has_asked", VERDICT_TABLE_FAULT, FAULT_REGISTER, LEAF, REGISTER_RBP, true, false,
	  false },
	{ "another_image_s_is_known", VERDICT_TABLE_FAULT, FAULT_REGISTER, LEAF, REGISTER_RBP,
	  false, true, false },
};

START_TEST(a_convention_excuses)
{
	const struct judgement judgement = { .verdict = conventions[_i].verdict,
					     .kind = conventions[_i].kind,
					     .pc = conventions[_i].pc,
					     .reg = conventions[_i].reg };
	static struct comparer comparer;
	typeof(&comparer.convention[0]) slot;
	struct world w;
	uint32_t id;

	set_up(&w, LEAF);
	id = w.mapping[0].entry->id;
	slot = &comparer.convention[id % CONVENTION_SLOTS];
	slot->known = !conventions[_i].unknown;
	slot->id = id + (conventions[_i].of_another ? CONVENTION_SLOTS : 0);
	slot->unkept = 1u << REGISTER_RBP | 1u << REGISTER_RBX;
	for (int again = 0; again < 2; again++)
		ck_assert_msg(convention_excuses(&comparer, &w.point, &judgement) ==
				      conventions[_i].excused,
			      "%s", conventions[_i].name);
	if (conventions[_i].unknown || conventions[_i].of_another)
		ck_assert(slot->known && slot->id == id && !slot->unkept);
	world_deinit(&w);
}
END_TEST

SUITE(compare_callers, LOOP(callers_say_what_it_was, callers),
      LOOP(a_convention_excuses, conventions))
