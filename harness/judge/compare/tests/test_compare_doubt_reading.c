/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_doubt_reading.c - what becomes of a point where the CFI and the truth differ
 *
 * The point is made up (doubted_point.h). Each case changes what is said there, or what is there, and the doubt that comes of it is looked
 * at, or the reason why there is none. What its parts find is test_compare_doubt.c's.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/compare/compare_doubt.c"
#include "doubted_point.h"

/* ---- the caller --------------------------------------------------------------------------- */

/* What is accused: the kind, where, and how many frames agree. */
#define FAULT(kind_, pc_, frames_)                                                                 \
	.verdict = VERDICT_TABLE_FAULT, .kind = FAULT_##kind_, .pc = (pc_), .frames = (frames_)
/* The point is unproven at once, for that reason. */
#define UNPROVEN(why) .doubts = 1, .reason = DOUBT_##why
/* A doubt begins: of the frame in that slot and the function that begins there. */
#define DOUBTED(slot_, code_, readings_)                                                           \
	.doubts = 1, .reason = NO_REASON, .slot = (slot_), .code = (code_), .readings = (readings_)

static const struct {
	const char *name;
	enum verdict verdict;
	enum fault_kind kind;
	uint64_t pc; /* at fault */
	uint32_t frame, frames;
	uint64_t cfi[PCS_MAX];
	enum stop_reason stop;
	enum trick trick;
	/* What comes of it. */
	uint64_t doubts;
	enum doubt_reason reason;
	uint64_t slot; /* of the doubt's frame; 0: there is no doubt */
	uint64_t code; /* where the accused function begins */
	size_t readings;
	bool ends, inserts, registers, reread, must_return, confirmed;
} points[] = {
	{ "no_frame_agrees", FAULT(WRONG, AT, 0), .cfi = { IN_A }, .reason = NO_REASON },
	{ "missing_needs_no_truth", FAULT(MISSING, AT, 1), .cfi = { AT }, .reason = NO_REASON },
	{ "referee_does_not_know", .verdict = VERDICT_UNPROVEN, .kind = FAULT_WRONG, .pc = AT,
	  .frames = 1, .cfi = { AT, IN_A }, .reason = DOUBT_REFEREE },
	{ "in_transit", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A }, .trick = IN_TRANSIT,
	  UNPROVEN(IN_TRANSIT) },
	{ "no_code", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A }, .trick = UNREADABLE_CALLER,
	  UNPROVEN(NO_CODE) },
	{ "through_what_was_planted", FAULT(WRONG, IN_B - 1, 2), .frame = 1,
	  .cfi = { AT, IN_B, CODE_B + 8 }, .trick = PLANTED, UNPROVEN(DISTURBED) },
	{ "through_what_was_edited", FAULT(WRONG, IN_B - 1, 2), .frame = 1,
	  .cfi = { AT, IN_B, CODE_B + 8 }, .trick = EDITED, UNPROVEN(DISTURBED) },
	{ "patched", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A }, .trick = PATCHED,
	  UNPROVEN(PATCHED) },
	{ "too_many", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A }, .trick = TOO_MANY,
	  UNPROVEN(TOO_MANY) },
	{ "a_frame_is_left_out", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A, CODE_B + 8 },
	  .stop = STOP_COMPLETE, DOUBTED(STACK, CODE_A, 2) },
	{ "a_reader_that_leaves_one_out", .verdict = VERDICT_READER_FAULT, .pc = IN_B - 1,
	  .frames = 2, .frame = 1, .cfi = { AT, IN_B, CODE_B + 8 }, .stop = STOP_COMPLETE,
	  DOUBTED(STACK + 8, CODE_B, 2), .must_return = true },
	{ "a_frame_is_put_in", FAULT(WRONG, AT, 1), .cfi = { AT, 0x10, IN_B, IN_A, CODE_B + 8 },
	  .stop = STOP_COMPLETE, DOUBTED(STACK, CODE_A, 2), .inserts = true },
	{ "a_stack_that_ends_behind_what_it_left_out", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A },
	  DOUBTED(STACK, CODE_A, 1) },
	{ "another_stack", FAULT(WRONG, AT, 1), .cfi = { AT, 0x10 }, DOUBTED(STACK, CODE_A, 1) },
	{ "return_address_is_replaced", FAULT(OVERWRITTEN, AT, 1), .cfi = { AT, 0x10 },
	  .trick = REPLACED, DOUBTED(STACK, CODE_A, 1) },
	{ "early_end", FAULT(EARLY_END, AT, 1), .cfi = { AT }, .stop = STOP_COMPLETE,
	  DOUBTED(STACK, CODE_A, 1), .ends = true, .must_return = true },
	{ "return_address_of_0", FAULT(WRONG, AT, 1), .cfi = { AT }, .stop = STOP_ZERO_RETURN,
	  DOUBTED(STACK, CODE_A, 1), .ends = true, .must_return = true },
	{ "unreadable_return_address", FAULT(WRONG, AT, 1), .cfi = { AT }, .stop = STOP_READ_FAULT,
	  DOUBTED(STACK, CODE_A, 1) },
	{ "return_address_of_0_further_out", FAULT(WRONG, AT, 1), .cfi = { AT, 0x10 },
	  .stop = STOP_ZERO_RETURN, DOUBTED(STACK, CODE_A, 1) },
	/* Called into its middle: may have been to push an address. */
	{ "inner_frame_lost_a_register", FAULT(REGISTER, AT, 2), .cfi = { AT, IN_B, CODE_B + 8 },
	  DOUBTED(STACK, CODE_A, 2), .registers = true, .must_return = true, .confirmed = true },
	{ "inner_frame_lost_it_and_is_replaced", FAULT(REGISTER, AT, 2),
	  .cfi = { AT, IN_B, CODE_B + 8 }, .trick = REPLACED, DOUBTED(STACK, CODE_A, 2),
	  .registers = true, .must_return = true },
	/* Both frames must be there: what is said rests on the inner one, too. */
	{ "inner_frame_lost_it_and_the_next_is_replaced", FAULT(REGISTER, AT, 2),
	  .cfi = { AT, IN_B, CODE_B + 8 }, .trick = REPLACED_OUTER, DOUBTED(STACK, CODE_A, 2),
	  .registers = true, .must_return = true },
	{ "inner_frame_lost_what_nobody_keeps", FAULT(REGISTER, AT, 2),
	  .cfi = { AT, IN_B, CODE_B + 8 }, .trick = UNKEPT, .reason = DOUBT_CONVENTION },
	{ "where_the_return_address_can_t_be_read", FAULT(WRONG, AT, 1), .cfi = { AT, IN_A },
	  .trick = UNREADABLE_SLOT, UNPROVEN(OUTSIDE) },
	{ "where_that_of_another_frame_can_t", FAULT(WRONG, AT, 1), .cfi = { AT, 0x10 },
	  .trick = UNREADABLE_OUTER, DOUBTED(STACK, CODE_A, 1) },
	{ "that_was_called_lost_a_register", FAULT(REGISTER, IN_B - 1, 3), .frame = 1,
	  .cfi = { AT, IN_B, IN_A, 0x10 }, DOUBTED(STACK + 8, CODE_B, 1), .registers = true,
	  .reread = true, .must_return = true },
	{ "the_first_function_lost_a_register", FAULT(REGISTER, CODE_B + 7, 4), .frame = 3,
	  .cfi = { AT, IN_B, IN_A, CODE_B + 8, 0x10 }, DOUBTED(ROOT_FRAME, CODE_B, 1),
	  .reread = true, .must_return = true },
	{ "caller_by_a_word", FAULT(WRONG, CFA_BY_WORD + 4, 2), .frame = 1,
	  .cfi = { AT, IN_B, 0x10 }, DOUBTED(STACK + 8, CFA_BY_WORD, 1), .reread = true,
	  .must_return = true },
	{ "beyond_the_root_by_a_word", FAULT(NO_END, CFA_BY_WORD + 4, 4), .frame = 3,
	  .cfi = { AT, IN_B, IN_A, CODE_B + 8, 0x10 }, DOUBTED(ROOT_FRAME, CFA_BY_WORD, 1) },
	/* Above base no call has written, and A was entered with rsp there. */
	{ "beyond_the_first_function", FAULT(NO_END, AT, 1), .cfi = { AT, 0x10 },
	  .trick = NO_FRAMES, DOUBTED(0, 0, 1) },
	{ "beyond_it_to_what_may_be_a_caller", FAULT(NO_END, AT, 1), .cfi = { AT, CODE_B + 8 },
	  .trick = NO_FRAMES, DOUBTED(ROOT_FRAME, CODE_A, 1) },
	{ "that_was_entered_elsewhere", FAULT(NO_END, AT, 1), .cfi = { AT, 0x10 },
	  .trick = ENTERED_BEHIND, DOUBTED(ROOT_FRAME, CODE_A, 1), .must_return = true },
	{ "that_was_entered_at_its_last_byte", FAULT(NO_END, AT, 1), .cfi = { AT, 0x10 },
	  .trick = ENTERED_LAST, DOUBTED(0, 0, 1) },
	{ "to_a_slot_of_its_own", FAULT(NO_END, AT, 1), .cfi = { AT, 0x10 }, .trick = BASE_ABOVE,
	  DOUBTED(ROOT_FRAME, CODE_A, 1) },
};

START_TEST(point_is_put_to_a_doubt)
{
	const char *name = points[_i].name;
	const struct judgement judgement = {
		.verdict = points[_i].verdict,
		.kind = points[_i].kind,
		.pc = points[_i].pc,
		.frame = points[_i].frame,
		.reg = REGISTER_RBX,
		.saved_value = 7,
	};
	const struct doubt *doubt;
	struct doubted d;

	setup(&d);
	set_cfi(&d, points[_i].cfi, points[_i].stop);
	play(&d, points[_i].trick);
	/* Where the accused function is entered, the last time. */
	for (int i = 0; i < 3; i++)
		d.w.frame[i].entered = CODE_A;
	if (points[_i].trick < NO_FRAMES)
		d.w.shadow.entered = points[_i].code;
	d.readings[0].judgement = judgement;
	doubt_reading(&d.comparer, &d.evidence, points[_i].frames, d.readings, &d.count);
	ck_assert_msg(d.count == (points[_i].readings == 2 ? 2 : 1), "%s: %zu", name, d.count);
	ck_assert_msg(d.result.doubts == points[_i].doubts, "%s", name);
	if (points[_i].trick == TOO_MANY)
		d.comparer.doubts.count = 0;
	check_unproven(&d, &judgement, points[_i].reason, name);
	if (!points[_i].slot) {
		ck_assert_msg(!d.comparer.doubts.count && !d.readings[0].account, "%s", name);
		teardown(&d);
		return;
	}
	doubt = the_doubt(&d);
	ck_assert_msg(doubt->stack_id == 9 && doubt->slot == points[_i].slot, "%s: 0x%llx", name,
		      (unsigned long long)doubt->slot);
	ck_assert_msg(doubt->lowest == d.w.stop.regs.value[REGISTER_RSP], "%s", name);
	ck_assert_msg(doubt->code_begin == points[_i].code &&
			      doubt->code_end == points[_i].code + CODE_BYTES,
		      "%s", name);
	ck_assert_msg(doubt->intact ==
			      (points[_i].trick != REPLACED && points[_i].trick != REPLACED_OUTER),
		      "%s", name);
	ck_assert_msg(doubt->registers == points[_i].registers, "%s", name);
	ck_assert_msg(doubt->ends == points[_i].ends, "%s", name);
	ck_assert_msg(doubt->inserts == points[_i].inserts, "%s", name);
	ck_assert_msg(doubt->reread.asked == points[_i].reread, "%s", name);
	ck_assert_msg(doubt->must_return == points[_i].must_return, "%s", name);
	ck_assert_msg(doubt->confirmed == points[_i].confirmed, "%s: confirmed", name);
	ck_assert_msg(d.readings[0].account == doubt->told, "%s", name);
	ck_assert_msg(!doubt->other == (d.count == 1), "%s", name);
	ck_assert_msg(d.readings[1].account == doubt->other, "%s", name);
	if (d.count == 2)
		ck_assert_msg(d.readings[1].truth == &d.comparer.alternative &&
				      d.readings[1].judgement.verdict == VERDICT_EXACT,
			      "%s", name);
	teardown(&d);
}
END_TEST

/* ---- one doubt of several points ---------------------------------------------------------- */

static const uint64_t leaves_one_out[] = { AT, IN_A, CODE_B + 8, 0 }, another[] = { AT, IN_A, 0 };

/* Points at one place: each has a reading by the claim, or none. */
static const struct {
	const char *name;
	const uint64_t *cfi[3];
	size_t readings[3];
} sequences[] = {
	{ "all_have_one", { leaves_one_out, leaves_one_out, leaves_one_out }, { 2, 2, 2 } },
	{ "the_first_has_none", { another, leaves_one_out, leaves_one_out }, { 1, 1, 1 } },
	{ "the_second_has_none", { leaves_one_out, another, leaves_one_out }, { 2, 1, 1 } },
};

START_TEST(claim_has_a_reading_of_all_points_or_none)
{
	struct account *told = NULL, *other = NULL;
	struct doubted d;

	setup(&d);
	for (int i = 0; i < 3; i++) {
		memset(d.readings, 0, sizeof(d.readings));
		d.readings[0].judgement = (struct judgement) { .verdict = VERDICT_TABLE_FAULT,
							       .kind = FAULT_WRONG,
							       .pc = AT };
		set_cfi(&d, sequences[_i].cfi[i], STOP_COMPLETE);
		doubt_reading(&d.comparer, &d.evidence, 1, d.readings, &d.count);
		ck_assert_msg(d.count == sequences[_i].readings[i], "%s: %d", sequences[_i].name,
			      i);
		ck_assert_ptr_nonnull(d.readings[0].account);
		ck_assert(!told || told == d.readings[0].account);
		ck_assert(!other || !d.readings[1].account || other == d.readings[1].account);
		ck_assert_ptr_eq(d.readings[1].account, the_doubt(&d)->other);
		told = d.readings[0].account;
		other = d.readings[1].account;
		told->points++; /* as count_reading() does */
	}
	ck_assert_uint_eq(d.result.doubts, 3);
	teardown(&d);
}
END_TEST

/* One point at which the claim puts a frame in, and it does at all. */
START_TEST(claim_puts_a_frame_in_at_one_point)
{
	static const uint64_t inserted[] = { AT, IN_A, IN_B, IN_A, CODE_B + 8 };
	struct doubted d;

	setup(&d);
	d.readings[0].judgement = (struct judgement) { .verdict = VERDICT_TABLE_FAULT,
						       .kind = FAULT_WRONG,
						       .pc = AT };
	set_cfi(&d, inserted, STOP_COMPLETE);
	doubt_reading(&d.comparer, &d.evidence, 1, d.readings, &d.count);
	ck_assert_uint_eq(d.count, 2);
	set_cfi(&d, leaves_one_out, STOP_COMPLETE);
	doubt_reading(&d.comparer, &d.evidence, 1, d.readings, &d.count);
	ck_assert_uint_eq(d.count, 2);
	ck_assert(the_doubt(&d)->inserts);
	teardown(&d);
}
END_TEST

/* The function at hand begins at the point, with rsp at the slot. */
START_TEST(point_is_where_the_function_was_entered)
{
	struct doubted d;

	setup(&d);
	d.w.frame[2].called = 0;
	doubt_reading(&d.comparer, &d.evidence, 0, d.readings, &d.count);
	ck_assert_uint_eq(d.count, 1);
	ck_assert_uint_eq(d.w.frame[2].called, AT);
	ck_assert_uint_eq(d.w.frame[2].entered, AT);
	teardown(&d);
}
END_TEST

SUITE(compare_doubt_reading, LOOP(point_is_put_to_a_doubt, points),
      LOOP(claim_has_a_reading_of_all_points_or_none, sequences),
      TEST(claim_puts_a_frame_in_at_one_point), TEST(point_is_where_the_function_was_entered))
