/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_marks.c - when a point's truth is said to be proven that no account has
 *
 * The CFI names another stack than the truth from the second frame on. So the truth must speak for
 * itself: two calls are open, and what is at their slots is made up.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/compare/comparer.h"

#define SLOT 0x7000u

static struct world {
	struct comparer comparer;
	struct comparison result;
	struct shadow_frame frame[2];
	struct shadow_stack shadow;
	struct trace_stop stop;
	struct memory_reader memory;
	struct point point;
	struct stack truth, cfi;
	struct evidence evidence;
	uint64_t word[2];
	bool unreadable;
	uint64_t proven, not_proven;
	uint64_t told[3][2];	     /* of each mark: as proven, as not proven */
	const struct stack *read[3]; /* what a mark was asked for */
	int asked, fails_at;	     /* the latter: by its number, from 1 on; 0: never */
} w;

static uint64_t true_pc[] = { 0x10, 0x20, 0x30 }, other_pc[] = { 0x10, 0x99 },
		agreeing_pc[] = { 0x10, 0x20, 0x99 };

static int read_word(void *context, uint64_t address, void *ret, size_t size)
{
	if (w.unreadable)
		return -1;
	ck_assert(address == SLOT || address == SLOT + 8);
	memcpy(ret, &w.word[(address - SLOT) / 8], size);
	return 0;
}

static int mark_is_asked_for(void *context, const struct point *point, const struct stack *truth,
			     uint64_t *ret_mark, struct error *error)
{
	w.read[w.asked] = truth;
	*ret_mark = 77 + (uint64_t)w.asked++;
	return w.asked == w.fails_at ? error_set(error, ERROR_MEMORY, "", 0, "no mark") : 0;
}

static void mark_is_told(void *context, uint64_t mark, uint64_t count, bool proven)
{
	ck_assert(mark >= 77 && mark < 77 + 3);
	w.told[mark - 77][!proven] += count;
	*(proven ? &w.proven : &w.not_proven) += count;
}

static void set_up(void)
{
	w = (struct world) {
		.frame = { { .slot = SLOT + 8, .return_address = 0x30, .epoch = 4 },
			   { .slot = SLOT, .return_address = 0x20, .epoch = 4 } },
		.truth = { .pc = true_pc, .count = 3 },
		.cfi = { .pc = other_pc, .count = 2 },
		.word = { 0x20, 0x30 },
		.memory = { .read = read_word },
	};
	w.shadow = (struct shadow_stack) {
		.frame = w.frame, .count = 2, .rooted = true, .epoch = 4, .id = 1
	};
	w.stop = (struct trace_stop) { .shadow = &w.shadow, .regs.value[REGISTER_RSP] = SLOT - 8 };
	w.point = (struct point) { .stop = &w.stop, .memory = &w.memory };
	w.evidence = (struct evidence) { .point = &w.point, .truth = &w.truth, .cfi = &w.cfi };
	w.comparer.result = &w.result;
	w.comparer.options.on_reading = mark_is_asked_for;
	w.comparer.options.on_proven = mark_is_told;
	provisional_init(&w.comparer.alone, 0);
	w.comparer.alone.on_end = compare_alone_end;
	w.comparer.alone.context = &w.comparer;
}

/* Marks one reading, and lets the run end. at_once: what was told before that. */
static void mark(struct reading *reading, uint64_t *ret_at_once)
{
	struct error error;

	ck_assert_int_eq(compare_mark(&w.comparer, &w.evidence, reading, 1, &error), 0);
	*ret_at_once = w.proven + w.not_proven;
	provisional_end(&w.comparer.alone);
}

/* ---- who speaks for itself ---------------------------------------------------------------------- */

enum change {
	NOTHING,
	AGREES,
	AGREES_IN_TRANSIT,
	CONFIRMED_REPLACED,
	CONFIRMED_PLANTED,
	NOTHING_AGREES,
	IN_TRANSIT,
	DISTURBED,
	OUTER_DISTURBED,
	PLANTED,
	OUTER_PLANTED,
	REPLACED,
	OUTER_REPLACED,
	UNREADABLE,
	INTERRUPTED,
	UNPROVEN,
};

static const struct {
	const char *name;
	enum change change;
	bool proven;
} cases[] = {
	{ "each_return_address_is_there", NOTHING, true },
	{ "what_the_cfi_confirms_need_not_be", AGREES, true },
	{ "nor_where_frames_are_abandoned", AGREES_IN_TRANSIT, true },
	{ "what_it_confirms_of_the_inner_frames_need_not_be", CONFIRMED_REPLACED, true },
	{ "however_they_came_to_be", CONFIRMED_PLANTED, true },
	{ "where_it_confirms_nothing_all_must_be", NOTHING_AGREES, true },
	{ "where_frames_are_abandoned", IN_TRANSIT, false },
	{ "opened_before_the_stack_was_disturbed", DISTURBED, false },
	{ "an_outer_one_was", OUTER_DISTURBED, false },
	{ "left_by_a_handler_for_what_it_interrupted", PLANTED, false },
	{ "an_outer_one_left_so", OUTER_PLANTED, false },
	{ "another_word_is_in_its_slot", REPLACED, false },
	{ "and_in_an_outer_one_s", OUTER_REPLACED, false },
	{ "slots_that_can_not_be_read", UNREADABLE, false },
	{ "what_was_interrupted_has_no_return_address", INTERRUPTED, true },
	{ "the_verdict_says_that_it_is_not", UNPROVEN, false },
};

START_TEST(the_truth_speaks_for_itself)
{
	struct reading reading = { .truth = &w.truth };
	uint64_t at_once;

	reading.judgement.verdict = VERDICT_TABLE_FAULT;
	switch (cases[_i].change) {
	case NOTHING: break;
	case AGREES_IN_TRANSIT: w.shadow.in_transit = true; __attribute__((fallthrough));
	case AGREES:
		w.cfi = w.truth;
		w.word[0] = 1;
		break;
	case CONFIRMED_REPLACED:
		w.cfi.pc = agreeing_pc;
		w.cfi.count = 3;
		w.word[0] = 1;
		break;
	case CONFIRMED_PLANTED:
		w.cfi.pc = agreeing_pc;
		w.cfi.count = 3;
		w.frame[1].planted = true;
		break;
	case NOTHING_AGREES: w.cfi.count = 0; break;
	case IN_TRANSIT: w.shadow.in_transit = true; break;
	case DISTURBED: w.frame[1].epoch = 3; break;
	case OUTER_DISTURBED: w.frame[0].epoch = 3; break;
	case PLANTED: w.frame[1].planted = true; break;
	case OUTER_PLANTED: w.frame[0].planted = true; break;
	case REPLACED: w.word[0] = 1; break;
	case OUTER_REPLACED: w.word[1] = 1; break;
	case UNREADABLE: w.unreadable = true; break;
	case INTERRUPTED:
		w.frame[0].interrupted = true;
		w.word[1] = 1;
		break;
	case UNPROVEN: reading.judgement.verdict = VERDICT_UNPROVEN; break;
	}
	mark(&reading, &at_once);
	ck_assert_msg(w.proven == cases[_i].proven && w.not_proven == !cases[_i].proven, "%s",
		      cases[_i].name);
	/* A return may still refute what is proven: that waits. */
	ck_assert_uint_eq(at_once, !cases[_i].proven);
}
END_TEST

/* A ret through a word further out takes back what it had said. */
START_TEST(a_return_refutes_it)
{
	const struct provisional_place place = { .stack_id = 1 };
	struct reading reading = { .truth = &w.truth };
	struct error error;

	reading.judgement.verdict = VERDICT_TABLE_FAULT;
	ck_assert_int_eq(compare_mark(&w.comparer, &w.evidence, &reading, 1, &error), 0);
	provisional_stray_return(&w.comparer.alone, &place, SLOT, 0x1234);
	ck_assert(!w.proven && w.not_proven == 1);
	provisional_end(&w.comparer.alone);
	ck_assert(!w.proven && w.not_proven == 1);
}
END_TEST

/* ---- accounts ---------------------------------------------------------------------------------- */

/* It is told what became of the account, and not before. */
START_TEST(a_mark_goes_with_its_account)
{
	struct account *account = account_create(0);
	struct reading reading = { .truth = &w.truth, .account = account };
	uint64_t at_once;

	reading.judgement.verdict = VERDICT_TABLE_FAULT;
	w.shadow.in_transit = true;
	mark(&reading, &at_once);
	ck_assert(!w.proven && !w.not_proven);
	marks_add(&account->marks, 77, 2);
	account->marks.lost = 5;
	compare_tell_marks(&w.comparer, &account->marks, true);
	ck_assert(w.proven == 3 && !w.not_proven);
	ck_assert_uint_eq(w.result.unmarked, 5);
	account_destroy(account);
}
END_TEST

/* Each way to read a point has its own, which goes to its own account; and each mark keeps its number of points. */
START_TEST(each_reading_has_its_mark)
{
	struct account *told = account_create(0), *other = account_create(0);
	struct reading readings[] = { { .truth = &w.truth, .account = told },
				      { .truth = &w.cfi, .account = other } };
	struct error error;

	ck_assert_int_eq(compare_mark(&w.comparer, &w.evidence, readings, 2, &error), 0);
	ck_assert_ptr_eq(w.read[0], &w.truth);
	ck_assert_ptr_eq(w.read[1], &w.cfi);
	ck_assert_int_eq(w.asked, 2);
	marks_add(&told->marks, 79, 4);
	ck_assert(!w.proven && !w.not_proven);
	compare_tell_marks(&w.comparer, &other->marks, false);
	ck_assert(!w.proven && w.not_proven == 1 && w.told[1][1] == 1);
	compare_tell_marks(&w.comparer, &told->marks, true);
	ck_assert(w.proven == 5 && w.not_proven == 1 && w.told[0][0] == 1 && w.told[2][0] == 4);
	account_destroy(told);
	account_destroy(other);
}
END_TEST

START_TEST(a_mark_that_there_is_not_ends_the_run)
{
	struct account *account = account_create(0);
	struct reading readings[] = { { .truth = &w.truth, .account = account },
				      { .truth = &w.cfi, .account = account } };
	struct error error;

	w.fails_at = 1 + _i;
	ck_assert_int_eq(compare_mark(&w.comparer, &w.evidence, readings, 2, &error), -1);
	ck_assert_str_eq(error.message, "no mark");
	ck_assert_int_eq(w.asked, 1 + _i);
	ck_assert_uint_eq(account->marks.count, (size_t)_i);
	account_destroy(account);
}
END_TEST

START_TEST(nobody_wants_to_know)
{
	struct reading reading = { .truth = &w.truth };
	uint64_t at_once;

	w.comparer.options.on_reading = NULL;
	mark(&reading, &at_once);
	ck_assert(!w.asked && !w.proven && !w.not_proven);
}
END_TEST

SUITE(compare_marks, FIXTURE(set_up, NULL), LOOP(the_truth_speaks_for_itself, cases),
      TEST(a_return_refutes_it), TEST(a_mark_goes_with_its_account),
      TEST(each_reading_has_its_mark), TIMES(a_mark_that_there_is_not_ends_the_run, 2),
      TEST(nobody_wants_to_know))
