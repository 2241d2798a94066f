/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_provisional.c - what the shadow stacks say, and who is told of it
 *
 * A comparer that is made up: its image is diff_image.h's, its points lie on one stack. What an event
 * does to points is test_provisional.c's, and to doubts test_doubt.c's: here it must reach both, and
 * the points with a mark, too.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "judge/compare/compare_provisional.c"
#include "tables/diff/tests/diff_image.h"

#define BIAS	 0x7f0000000000u
#define AT	 (BIAS + 0x1004) /* the instruction at hand */
#define SLOT	 0x7000u
#define TARGET	 0x400010u
#define STACK_ID 3
#define REGION	 2

struct world {
	struct image_store *store;
	struct mapping mapping[2];
	char path[8];
	struct comparer comparer;
	struct comparison result;
	struct shadow_frame frame[2];
	struct shadow_stack stack;
	struct doubt *doubt;
	int doubts_ended;
	enum doubt_end doubt_end;
	uint64_t proven, not_proven; /* marks */
};

static void doubt_is_over(void *context, const struct doubt *doubt, enum doubt_end end,
			  enum doubt_reason reason)
{
	struct world *w = context;

	w->doubts_ended++;
	w->doubt_end = end;
}

static void mark_is_told(void *context, uint64_t mark, uint64_t count, bool proven)
{
	struct world *w = context;

	ck_assert_uint_eq(mark, 77);
	*(proven ? &w->proven : &w->not_proven) += count;
}

static struct provisional_place place(uint64_t sp)
{
	return (struct provisional_place) { .stack_id = STACK_ID, .region = REGION, .sp = sp };
}

/* So many points with rsp there, and one with a mark besides. */
static void points(struct world *w, uint64_t sp, uint64_t count)
{
	struct provisional_place at = place(sp);
	struct account *account = provisional_find(&w->comparer.provisional, &at);

	account->points += count;
	account->verdict[VERDICT_EXACT] += count;
	account->score[0].points += count;
	account = provisional_find(&w->comparer.alone, &at);
	account->points++;
	marks_add(&account->marks, 77, 1);
}

static void setup(struct world *w)
{
	struct comparer *comparer = &w->comparer;
	const struct doubt_key key = { .stack = &w->stack,
				       .frame = 1,
				       .sp = SLOT - 0x100,
				       .claim = { SLOT, TARGET, true },
				       .intact = true };
	struct diff_image image;
	enum doubt_reason reason;
	struct error error;

	*w = (struct world) { .path = "p",
			      .stack = { .id = STACK_ID,
					 .region_count = REGION,
					 .at = AT,
					 .frame = w->frame,
					 .count = COUNT(w->frame) } };
	diff_image_make(&image);
	w->store = image_store_create();
	w->mapping[0] = (struct mapping) {
		.start = BIAS,
		.end = BIAS + 0x2000,
		.bias = BIAS,
		.entry = image_store_copy(w->store, image.bytes, image.size, "made up", &error),
		.path = w->path,
	};
	w->mapping[1] = (struct mapping) { BIAS + 0x2000, BIAS + 0x3000, 0, 0, NULL, w->path, 0 };
	ck_assert_ptr_nonnull(w->mapping[0].entry);
	comparer->space.mapping = w->mapping;
	comparer->space.mapping_count = COUNT(w->mapping);
	comparer->result = &w->result;
	comparer->engine_count = w->result.engine_count = 1;
	comparer->options.on_proven = mark_is_told;
	comparer->options.context = w;
	comparer->memory = target_memory_create();
	comparer->decoder = decoder_create(&error);
	/* What a program before has left. */
	comparer->provisional.count = comparer->alone.count = comparer->doubts.count = 5;
	compare_observe(comparer);
	ck_assert_uint_eq(comparer->provisional.engine_count, 1);
	ck_assert_uint_eq(comparer->alone.engine_count, 0);
	ck_assert_uint_eq(comparer->provisional.count + comparer->alone.count, 0);
	ck_assert_uint_eq(comparer->doubts.count, 0);
	ck_assert_uint_eq(comparer->doubts.engine_count, 1);
	ck_assert_ptr_eq(comparer->doubts.on_end, doubt_end);
	ck_assert_ptr_eq(comparer->doubts.comes_out_right, reread_comes_out_right);
	ck_assert_ptr_eq(comparer->doubts.context, comparer);
	comparer->doubts.on_end = doubt_is_over;
	comparer->doubts.context = w;
	w->doubt = doubts_find(&comparer->doubts, &key, &reason);
	ck_assert_ptr_nonnull(w->doubt);
}

/* All is over: nothing is left that nobody was told of. */
static void teardown(struct world *w)
{
	compare_observe_end(&w->comparer);
	ck_assert_uint_eq(w->comparer.doubts.count, 0);
	ck_assert_uint_eq(w->comparer.provisional.count, 0);
	ck_assert_uint_eq(w->comparer.alone.count, 0);
	free(w->result.findings.finding);
	decoder_destroy(w->comparer.decoder);
	target_memory_destroy(w->comparer.memory);
	image_store_destroy(w->store);
}

/* What became of 5 points below the slot and 2 above it. */
static void expect(struct world *w, uint64_t exact, uint64_t unproven, enum doubt_reason reason)
{
	ck_assert_uint_eq(w->result.verdict[VERDICT_EXACT], exact);
	ck_assert_uint_eq(w->result.verdict[VERDICT_UNPROVEN], unproven);
	ck_assert_uint_eq(w->result.unproven[reason], unproven);
	ck_assert_uint_eq(w->result.engine[0].score.points, exact);
	ck_assert_uint_eq(w->proven, exact / 2);
	ck_assert_uint_eq(w->not_proven, unproven != 0);
	ck_assert_uint_eq(w->result.findings.count, unproven != 0);
	if (!unproven)
		return;
	ck_assert_uint_eq(w->result.findings.finding[0].unproven[reason], unproven);
	ck_assert_uint_eq(w->result.findings.finding[0].count, 0);
	ck_assert_uint_eq(w->result.findings.finding[0].vaddr, AT - BIAS);
}

START_TEST(stray_return_takes_points_back)
{
	struct world w;

	setup(&w);
	points(&w, SLOT + 8, 2);
	points(&w, SLOT - 8, 5);
	w.comparer.observer.stray_return(&w.comparer, &w.stack, SLOT, TARGET);
	ck_assert_int_eq(w.doubts_ended, 1);
	compare_observe_end(&w.comparer);
	expect(&w, 2, 5, DOUBT_STRAY_RETURN);
	teardown(&w);
}
END_TEST

/* The word of the slot was taken out before: points there are those before the pop, which are with
 * the ones above. */
START_TEST(popped_jump_takes_points_back)
{
	struct world w;

	setup(&w);
	points(&w, SLOT + 16, 2);
	points(&w, SLOT + 8, 5);
	w.comparer.observer.popped_jump(&w.comparer, &w.stack, SLOT, TARGET);
	ck_assert_int_eq(w.doubts_ended, 1);
	compare_observe_end(&w.comparer);
	expect(&w, 2, 5, DOUBT_STRAY_RETURN);
	teardown(&w);
}
END_TEST

/* Begins of functions, and what is none: in the image, behind its FDEs, in no image, unmapped. */
static const struct {
	const char *name;
	uint64_t target;
	bool begins;
} targets[] = {
	{ "a_function", BIAS + 0x1000, true },	      { "another", BIAS + 0x1020, true },
	{ "inside_one", BIAS + 0x1001, false },	      { "between", BIAS + 0x1030, false },
	{ "without_an_image", BIAS + 0x2000, false }, { "unmapped", BIAS + 0x3000, false },
	{ "without_the_bias", 0x1000, false },
};

START_TEST(jump_to_a_function_is_a_call)
{
	struct world w;

	setup(&w);
	ck_assert_msg(is_begin(&w.comparer, targets[_i].target) == targets[_i].begins, "%s",
		      targets[_i].name);
	points(&w, SLOT + 16, 2);
	points(&w, SLOT + 8, 5);
	w.comparer.observer.popped_jump(&w.comparer, &w.stack, SLOT, targets[_i].target);
	compare_observe_end(&w.comparer);
	ck_assert_uint_eq(w.result.verdict[VERDICT_UNPROVEN], targets[_i].begins ? 0 : 5);
	teardown(&w);
}
END_TEST

START_TEST(frame_that_was_taken_off)
{
	struct world w;

	for (int was_frame = 0; was_frame < 2; was_frame++) {
		setup(&w);
		points(&w, SLOT + 8, 2);
		points(&w, SLOT - 8, 5);
		w.comparer.observer.taken_off(&w.comparer, &w.stack, SLOT);
		w.stack.at += 4; /* that it was none is known later: filed where it was taken off */
		w.comparer.observer.settled(&w.comparer, &w.stack, was_frame);
		ck_assert_int_eq(w.doubts_ended, 0);
		compare_observe_end(&w.comparer);
		if (was_frame) {
			ck_assert_uint_eq(w.result.verdict[VERDICT_EXACT], 7);
			ck_assert_uint_eq(w.proven, 2);
			ck_assert_uint_eq(w.not_proven, 0);
		} else {
			expect(&w, 2, 5, DOUBT_TAKEN_OFF);
		}
		teardown(&w);
	}
}
END_TEST

/* What returns later is another's. */
START_TEST(disturbed_stack_takes_nothing_back)
{
	struct world w;

	setup(&w);
	points(&w, SLOT - 8, 5);
	w.comparer.observer.disturbed(&w.comparer, &w.stack);
	ck_assert_int_eq(w.doubts_ended, 1);
	ck_assert_int_eq(w.doubt_end, DOUBT_UNPROVEN);
	w.comparer.observer.stray_return(&w.comparer, &w.stack, SLOT, TARGET);
	compare_observe_end(&w.comparer);
	ck_assert_uint_eq(w.result.verdict[VERDICT_EXACT], 5);
	ck_assert_uint_eq(w.result.verdict[VERDICT_UNPROVEN], 0);
	ck_assert_uint_eq(w.proven, 1);
	ck_assert_uint_eq(w.not_proven, 0);
	teardown(&w);
}
END_TEST

START_TEST(end_of_a_frame_ends_its_doubt)
{
	struct world w;

	setup(&w);
	ck_assert_uint_ne(w.frame[1].watch, 0);
	w.comparer.observer.frame_ended(&w.comparer, &w.stack, &w.frame[1], FRAME_RETURNED, TARGET);
	ck_assert_int_eq(w.doubts_ended, 1);
	ck_assert_uint_eq(w.comparer.doubts.count, 0);
	teardown(&w);
}
END_TEST

/* What a copy's return says is a doubt's business alone. */
START_TEST(return_through_a_copy_ends_a_doubt)
{
	struct world w;

	setup(&w);
	points(&w, SLOT - 8, 5);
	w.comparer.observer.copy_returned(&w.comparer, &w.stack, SLOT, TARGET);
	ck_assert_int_eq(w.doubts_ended, 1);
	compare_observe_end(&w.comparer);
	ck_assert_uint_eq(w.result.verdict[VERDICT_EXACT], 5);
	teardown(&w);
}
END_TEST

/* A frame that has moved is proven by its return; if it is gone otherwise, or the stack is disturbed before, its
 * points are taken back then. Where another was taken off is not forgotten. */
enum moved_end { MOVED_RETURNED, MOVED_GONE, MOVED_DISTURBED, MOVED_OPEN };

START_TEST(frame_that_has_moved)
{
	struct world w;

	setup(&w);
	points(&w, SLOT + 8, 2);
	points(&w, SLOT - 8, 5);
	w.stack.at = AT - 4;
	w.comparer.observer.taken_off(&w.comparer, &w.stack, SLOT);
	w.comparer.observer.moved(&w.comparer, &w.stack, SLOT - 0x20);
	w.stack.at = AT;
	if (_i == MOVED_DISTURBED)
		w.comparer.observer.disturbed(&w.comparer, &w.stack);
	else if (_i != MOVED_OPEN)
		w.comparer.observer.moved_ended(&w.comparer, &w.stack, SLOT - 0x20,
						_i == MOVED_RETURNED);
	ck_assert_uint_eq(w.comparer.taken_off_at, AT - 4);
	w.comparer.taken_off_at = AT;
	compare_observe_end(&w.comparer);
	if (_i == MOVED_RETURNED) {
		ck_assert_uint_eq(w.result.verdict[VERDICT_EXACT], 7);
		ck_assert_uint_eq(w.proven, 2);
	} else {
		expect(&w, 2, 5, DOUBT_TAKEN_OFF);
	}
	teardown(&w);
}
END_TEST

/* Marks of points that other engines were asked of, too. */
START_TEST(marks_are_told_of_all_points)
{
	const struct provisional_place at = place(SLOT - 8);

	for (int taken_back = 0; taken_back < 2; taken_back++) {
		struct account *account;
		struct world w;

		setup(&w);
		account = provisional_find(&w.comparer.provisional, &at);
		account->points++;
		marks_add(&account->marks, 77, 1);
		if (taken_back)
			w.comparer.observer.stray_return(&w.comparer, &w.stack, SLOT, TARGET);
		compare_observe_end(&w.comparer);
		ck_assert_uint_eq(w.proven, !taken_back);
		ck_assert_uint_eq(w.not_proven, taken_back);
		teardown(&w);
	}
}
END_TEST

/* Registers have the return address of a frame that was taken off: whether the truth still has it. */
static const struct {
	uint32_t truth;
	uint16_t carriers;
	size_t shadow;
	int carried;
} carried_cases[] = {
	{ 3, 0, 1, CARRIED_NONE }, { 1, 2, 1, CARRIED_WITHOUT }, { 2, 2, 1, CARRIED_WITHOUT },
	{ 3, 2, 1, CARRIED_WITH }, { 1, 1, 0, CARRIED_WITHOUT }, { 2, 1, 0, CARRIED_WITH },
};

START_TEST(frames_that_registers_carry)
{
	uint64_t pcs[] = { 0x10, 0x20, 0x30 };
	struct stack truth = { .pc = pcs, .count = carried_cases[_i].truth };
	struct shadow_stack shadow = { .count = carried_cases[_i].shadow,
				       .carriers = carried_cases[_i].carriers };
	struct trace_stop stop = { .shadow = &shadow };
	struct point point = { .stop = &stop };
	struct evidence evidence = { .point = &point, .truth = &truth, .cfi = &truth };

	ck_assert_int_eq((int)compare_place(&evidence).carried, carried_cases[_i].carried);
}
END_TEST

/* Whether the truth goes on, and where the CFI then does: its first frame beyond. */
static const struct {
	const char *name;
	bool rooted;
	uint32_t truth, cfi;
	uint64_t claim;
} claims[] = {
	{ "prefix", false, 2, 3, 0x30 }, { "prefix_of_one", false, 1, 3, 0x20 },
	{ "as_long", false, 3, 3, 0 },	 { "longer", false, 3, 2, 0 },
	{ "whole", true, 2, 3, 0 },	 { "whole_and_longer", true, 3, 2, 0 },
};

START_TEST(claim_is_beyond_a_prefix)
{
	uint64_t pcs[] = { 0x10, 0x20, 0x30 };
	struct stack truth = { .pc = pcs, .count = claims[_i].truth };
	struct stack cfi = { .pc = pcs, .count = claims[_i].cfi };
	struct shadow_stack shadow = { .id = STACK_ID,
				       .region_count = REGION,
				       .rooted = claims[_i].rooted };
	struct trace_stop stop = { .shadow = &shadow, .regs.value[REGISTER_RSP] = SLOT };
	struct point point = { .stop = &stop };
	struct evidence evidence = { .point = &point, .truth = &truth, .cfi = &cfi };
	struct provisional_place at = compare_place(&evidence);

	ck_assert_uint_eq(at.stack_id, STACK_ID);
	ck_assert_uint_eq(at.region, REGION);
	ck_assert_uint_eq(at.sp, SLOT);
	ck_assert_msg(at.claim == claims[_i].claim, "%s: %#lx", claims[_i].name, at.claim);
}
END_TEST

/* Only what is exact, and in no doubt's account, may be taken back later. */
START_TEST(exact_points_are_provisional)
{
	struct stack truth = { .count = 0 };
	struct account *other;
	struct world w;

	setup(&w);
	other = account_create(1);
	struct trace_stop stop = { .shadow = &w.stack, .regs.value[REGISTER_RSP] = SLOT - 8 };
	struct point point = { .stop = &stop };
	struct evidence evidence = { .point = &point, .truth = &truth, .cfi = &truth };
	struct provisional_place at = place(SLOT - 8);
	struct reading reading = { .judgement.verdict = VERDICT_EXACT };

	compare_provisional(&w.comparer, &evidence, &reading);
	ck_assert_ptr_nonnull(reading.account);
	ck_assert_ptr_eq(reading.account, provisional_find(&w.comparer.provisional, &at));
	reading.account = other;
	compare_provisional(&w.comparer, &evidence, &reading);
	ck_assert_ptr_eq(reading.account, other);
	reading = (struct reading) { .judgement.verdict = VERDICT_TABLE_FAULT };
	compare_provisional(&w.comparer, &evidence, &reading);
	ck_assert_ptr_null(reading.account);
	account_destroy(other);
	teardown(&w);
}
END_TEST

SUITE(compare_provisional, TEST(stray_return_takes_points_back),
      TEST(popped_jump_takes_points_back), LOOP(jump_to_a_function_is_a_call, targets),
      TEST(frame_that_was_taken_off), TEST(disturbed_stack_takes_nothing_back),
      TEST(end_of_a_frame_ends_its_doubt), TEST(return_through_a_copy_ends_a_doubt),
      TIMES(frame_that_has_moved, MOVED_OPEN + 1), TEST(marks_are_told_of_all_points),
      LOOP(frames_that_registers_carry, carried_cases), LOOP(claim_is_beyond_a_prefix, claims),
      TEST(exact_points_are_provisional))
