/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_doubt_registers.c - what becomes of a register that the CFI brings back wrong; and of
 * a doubt that has ended
 *
 * The point is made up (doubted_point.h).
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/compare/compare_doubt.c"
#include "doubted_point.h"

#define TOLD_MAX 4

/* ---- a register --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum verdict verdict;
	enum fault_kind kind;
	uint32_t frame;
	enum trick trick;
	size_t edited; /* index of a frame, if the trick is EDITED */
	uint64_t saved_at;
	/* What comes of it. */
	uint64_t doubts;
	enum doubt_reason reason;
	uint64_t slot;
	bool intact, reread;
} registers[] = {
	{ "exact", VERDICT_EXACT, FAULT_NONE, 0, NOTHING, 0, 0, 0, NO_REASON, 0, false, false },
	{ "referee_does_not_know", VERDICT_UNPROVEN, FAULT_REGISTER, 0, NOTHING, 0, 0, 0,
	  DOUBT_REFEREE, 0, false, false },
	{ "in_transit", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, IN_TRANSIT, 0, 0, 1,
	  DOUBT_IN_TRANSIT, 0, false, false },
	{ "of_the_first_function", VERDICT_TABLE_FAULT, FAULT_REGISTER, 3, NOTHING, 0, 0, 1,
	  DOUBT_IN_TRANSIT, 0, false, false },
	{ "of_its_own_caller_edited", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, EDITED, 2, 0, 1,
	  DOUBT_DISTURBED, 0, false, false },
	{ "of_a_caller_edited_further_out", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, EDITED, 1, 0, 1,
	  NO_REASON, STACK, true, false },
	{ "of_a_caller_edited_beyond_it", VERDICT_TABLE_FAULT, FAULT_REGISTER, 1, EDITED, 1, 0, 1,
	  DOUBT_DISTURBED, 0, false, false },
	{ "not_saved_yet", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, NOTHING, 0, STACK - 1, 1,
	  NO_REASON, STACK, true, false },
	{ "saved", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, NOTHING, 0, STACK, 1, NO_REASON, STACK,
	  true, true },
	{ "replaced", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, REPLACED, 0, 0, 1, NO_REASON, STACK,
	  false, false },
	{ "of_a_caller", VERDICT_TABLE_FAULT, FAULT_REGISTER, 1, NOTHING, 0, 0, 1, NO_REASON,
	  STACK + 8, true, true },
	{ "of_a_caller_replaced_further_in", VERDICT_TABLE_FAULT, FAULT_REGISTER, 1, REPLACED, 0, 0,
	  1, NO_REASON, STACK + 8, true, true },
	{ "of_the_outermost_call", VERDICT_TABLE_FAULT, FAULT_REGISTER, 2, NOTHING, 0, 0, 1,
	  NO_REASON, STACK + 16, true, true },
	{ "that_nobody_keeps", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, UNKEPT, 0, 0, 0,
	  DOUBT_CONVENTION, 0, false, false },
	{ "too_many", VERDICT_TABLE_FAULT, FAULT_REGISTER, 0, TOO_MANY, 0, 0, 1, DOUBT_TOO_MANY, 0,
	  false, false },
};

START_TEST(register_is_put_to_a_doubt)
{
	const char *name = registers[_i].name;
	const struct judgement judgement = {
		.verdict = registers[_i].verdict,
		.kind = registers[_i].kind,
		.pc = AT,
		.frame = registers[_i].frame,
		.reg = REGISTER_RBX,
		.saved_at = registers[_i].saved_at,
	};
	const struct doubt *doubt;
	struct doubted d;

	setup(&d);
	d.w.stack[3] = 8; /* of what the outermost call would have in its frame */
	if (registers[_i].trick == EDITED) {
		d.w.frame[registers[_i].edited].interrupted = true;
		d.w.frame[registers[_i].edited].interrupted_sum = 1;
	} else {
		play(&d, registers[_i].trick);
	}
	d.readings[0].judgement = judgement;
	doubt_registers(&d.comparer, &d.evidence, &d.readings[0]);
	ck_assert_msg(d.result.doubts == registers[_i].doubts, "%s", name);
	if (registers[_i].trick == TOO_MANY)
		d.comparer.doubts.count = 0;
	check_unproven(&d, &judgement, registers[_i].reason, name);
	if (!registers[_i].slot) {
		ck_assert_msg(!d.comparer.doubts.count && !d.readings[0].account, "%s", name);
		teardown(&d);
		return;
	}
	doubt = the_doubt(&d);
	ck_assert_msg(doubt->stack_id == 9 && doubt->slot == registers[_i].slot, "%s: 0x%llx", name,
		      (unsigned long long)doubt->slot);
	ck_assert_msg(doubt->lowest == STACK && doubt->registers && doubt->must_return, "%s", name);
	ck_assert_msg(doubt->intact == registers[_i].intact, "%s", name);
	ck_assert_msg(doubt->reread.asked == registers[_i].reread, "%s", name);
	ck_assert_msg(d.readings[0].account == doubt->told && !doubt->other, "%s", name);
	teardown(&d);
}
END_TEST

/* ---- the end ------------------------------------------------------------------------------ */

struct told {
	size_t count;
	struct {
		uint64_t mark, count;
		bool proven;
	} point[TOLD_MAX];
};

static void mark_is_told(void *context, uint64_t mark, uint64_t count, bool proven)
{
	struct told *told = context;

	ck_assert_uint_lt(told->count, TOLD_MAX);
	told->point[told->count].mark = mark;
	told->point[told->count].count = count;
	told->point[told->count++].proven = proven;
}

static const struct {
	enum doubt_end end;
	uint64_t exact, table_fault, unproven, mark;
	bool proven;
} ends_of_doubts[] = {
	{ DOUBT_TRUTH_STANDS, 0, 5, 0, 77, true },
	{ DOUBT_CLAIM_STANDS, 4, 0, 0, 88, true },
	{ DOUBT_UNPROVEN, 0, 0, 5, 77, false },
};

START_TEST(doubt_counts_as_it_ends)
{
	struct doubt doubt = { .told = account_create(ENGINES), .other = account_create(ENGINES) };
	struct told told = { .count = 0 };
	struct doubted d;

	setup(&d);
	d.comparer.options.on_proven = mark_is_told;
	d.comparer.options.context = &told;
	doubt.told->points = doubt.told->verdict[VERDICT_TABLE_FAULT] = 5;
	doubt.other->points = doubt.other->verdict[VERDICT_EXACT] = 4;
	marks_add(&doubt.told->marks, 77, 5);
	marks_add(&doubt.other->marks, 88, 4);
	doubt_end(&d.comparer, &doubt, ends_of_doubts[_i].end, DOUBT_TAKEN_OFF);
	ck_assert_uint_eq(d.result.verdict[VERDICT_EXACT], ends_of_doubts[_i].exact);
	ck_assert_uint_eq(d.result.verdict[VERDICT_TABLE_FAULT], ends_of_doubts[_i].table_fault);
	ck_assert_uint_eq(d.result.verdict[VERDICT_UNPROVEN], ends_of_doubts[_i].unproven);
	ck_assert_uint_eq(d.result.unproven[DOUBT_TAKEN_OFF], ends_of_doubts[_i].unproven);
	ck_assert_uint_eq(told.count, 1);
	ck_assert_uint_eq(told.point[0].mark, ends_of_doubts[_i].mark);
	ck_assert_uint_eq(told.point[0].count, ends_of_doubts[_i].mark == 77 ? 5 : 4);
	ck_assert_uint_eq(told.point[0].proven, ends_of_doubts[_i].proven);
	account_destroy(doubt.told);
	account_destroy(doubt.other);
	teardown(&d);
}
END_TEST

SUITE(compare_doubt_registers, LOOP(register_is_put_to_a_doubt, registers),
      LOOP(doubt_counts_as_it_ends, ends_of_doubts))
