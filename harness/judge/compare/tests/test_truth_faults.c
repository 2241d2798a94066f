/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_truth_faults.c - faults planted in the truth: it must notice, and accuse nobody
 *
 * A program calls itself eight deep and back. Where it is deepest, at one point, the shadow stack
 * is spoiled: a frame left out, one twice, a wrong slot, a stale stack. From then on the truth is
 * wrong, and every engine is right. What must follow: the truth says that something was wrong with
 * it (a counter that the clean run leaves at 0, or a point without proof), and no table, reader or
 * walk is blamed.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "truth/tracer/tests/own_program.h"

#define DEPTH	   8
#define SPOILED_AT 6 /* frames of the program's own that are open then, at least */

/* ---- the program ------------------------------------------------------------------------ */

#define KEPT __attribute__((noinline, noclone, used))

static volatile unsigned int sink;

static KEPT unsigned int leaf(unsigned int value)
{
	sink = sink * 31 + value;
	return sink;
}

static KEPT unsigned int descend(unsigned int depth)
{
	unsigned int sum = leaf(depth);

	if (depth)
		sum += descend(depth - 1);
	return sum + leaf(sum);
}

KEPT int spoiled_program(void);
KEPT int spoiled_program(void)
{
	unsigned int sum = descend(DEPTH);

	return (descend(2) ^ descend(2)) + sum == 0;
}

/* ---- what is planted -------------------------------------------------------------------- */

/* The frame `at` frames from the innermost. */
static struct shadow_frame *frame_at(struct shadow_stack *stack, size_t at)
{
	return &stack->frame[stack->count - 1 - at];
}

static void leave_out(struct shadow_stack *stack, size_t at)
{
	struct shadow_frame *frame = frame_at(stack, at);

	memmove(frame, frame + 1, at * sizeof(*frame));
	stack->count--;
}

/* One more frame before the one at `at`, with its slot moved by so much. */
static void insert(struct shadow_stack *stack, size_t at, int64_t slot_by, uint64_t pc)
{
	const struct shadow_frame copy = *frame_at(stack, at);
	size_t index = stack->count - at;

	ck_assert(shadow_stack_call(stack, frame_at(stack, 0)->slot - 8, 1, NULL));
	memmove(&stack->frame[index + 1], &stack->frame[index], at * sizeof(copy));
	stack->frame[index] = copy;
	stack->frame[index].slot += slot_by;
	stack->frame[index].watch = 0;
	if (pc)
		stack->frame[index].return_address = pc;
}

static void top_left_out(struct shadow_stack *stack)
{
	leave_out(stack, 0);
}
static void middle_left_out(struct shadow_stack *stack)
{
	leave_out(stack, 3);
}
static void outermost_left_out(struct shadow_stack *stack)
{
	leave_out(stack, stack->count - 1);
}

static void two_left_out(struct shadow_stack *stack)
{
	leave_out(stack, 2);
	leave_out(stack, 2);
}

static void every_second_left_out(struct shadow_stack *stack)
{
	for (size_t at = 0; at + 1 < stack->count; at++)
		leave_out(stack, at);
}

static void all_left_out(struct shadow_stack *stack)
{
	stack->count = 0;
}
static void top_twice(struct shadow_stack *stack)
{
	insert(stack, 0, 0, 0);
}
static void middle_twice(struct shadow_stack *stack)
{
	insert(stack, 3, 0, 0);
}
static void invented(struct shadow_stack *stack)
{
	insert(stack, 3, -8, 0x1234);
}
static void invented_outside(struct shadow_stack *stack)
{
	insert(stack, 0, -8, 0x1234);
}
static void top_slot_too_high(struct shadow_stack *stack)
{
	frame_at(stack, 0)->slot += 8;
}
static void top_slot_too_low(struct shadow_stack *stack)
{
	frame_at(stack, 0)->slot -= 8;
}
static void middle_slot_too_high(struct shadow_stack *stack)
{
	frame_at(stack, 3)->slot += 16;
}
static void middle_slot_too_low(struct shadow_stack *stack)
{
	frame_at(stack, 3)->slot -= 8;
}

static void all_slots_moved(struct shadow_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		stack->frame[i].slot += 8;
}

static void top_returns_elsewhere(struct shadow_stack *stack)
{
	frame_at(stack, 0)->return_address++;
}

static void middle_returns_elsewhere(struct shadow_stack *stack)
{
	frame_at(stack, 3)->return_address = 0x1234;
}

static void two_exchanged(struct shadow_stack *stack)
{
	uint64_t pc = frame_at(stack, 0)->return_address;

	frame_at(stack, 0)->return_address = frame_at(stack, 4)->return_address;
	frame_at(stack, 4)->return_address = pc;
}

/* Each frame returns where its caller does. */
static void a_level_off(struct shadow_stack *stack)
{
	for (size_t i = stack->count; i-- > 1;)
		stack->frame[i].return_address = stack->frame[i - 1].return_address;
}

static void upside_down(struct shadow_stack *stack)
{
	for (size_t i = 0; i < stack->count / 2; i++) {
		struct shadow_frame frame = stack->frame[i];

		stack->frame[i] = stack->frame[stack->count - 1 - i];
		stack->frame[stack->count - 1 - i] = frame;
	}
}

/* The stack as it was some calls before, slots and all. */
static void stale(struct shadow_stack *stack)
{
	for (size_t i = 0; i < 4; i++) {
		frame_at(stack, i)->slot -= 0x200;
		frame_at(stack, i)->return_address -= 5;
	}
}

/* Another stack's frames, somewhere else. */
static void of_another_stack(struct shadow_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		stack->frame[i].slot += 0x100000;
		stack->frame[i].return_address ^= 0x40;
	}
}

static void interrupted(struct shadow_stack *stack)
{
	frame_at(stack, 0)->interrupted = true;
}

static void on_a_signal_stack(struct shadow_stack *stack)
{
	ck_assert(shadow_stack_continue(stack, 0x1000, 0x2000));
}

static void root_unknown(struct shadow_stack *stack)
{
	stack->rooted = false;
}

static void put_back_wrongly(struct shadow_stack *stack)
{
	stack->taken_off = *frame_at(stack, 0);
	stack->taken_off.slot -= 8;
	ck_assert(shadow_stack_put_back(stack));
}

static void a_saved_register_is_another(struct shadow_stack *stack)
{
	for (size_t i = 0; i < CALLEE_SAVED_COUNT; i++)
		frame_at(stack, 0)->callee_saved[i] ^= 1;
}

#define FAULT(name) IN_BRACES(#name, name)

static const struct fault {
	const char *name;
	void (*plant)(struct shadow_stack *stack);
} faults[] = IN_BRACES(
	FAULT(top_left_out), FAULT(middle_left_out), FAULT(outermost_left_out), FAULT(two_left_out),
	FAULT(every_second_left_out), FAULT(all_left_out), FAULT(top_twice), FAULT(middle_twice),
	FAULT(invented), FAULT(invented_outside), FAULT(top_slot_too_high), FAULT(top_slot_too_low),
	FAULT(middle_slot_too_high), FAULT(middle_slot_too_low), FAULT(all_slots_moved),
	FAULT(top_returns_elsewhere), FAULT(middle_returns_elsewhere), FAULT(two_exchanged),
	FAULT(a_level_off), FAULT(upside_down), FAULT(stale), FAULT(of_another_stack),
	FAULT(interrupted), FAULT(on_a_signal_stack), FAULT(root_unknown), FAULT(put_back_wrongly),
	FAULT(a_saved_register_is_another));

#undef FAULT

/* ---- running it ------------------------------------------------------------------------- */

struct spoiler {
	const struct fault *fault; /* NULL: none */
	size_t outer;		   /* frames that were open at the first point */
	bool begun, done;
};

static void spoil(void *context, const struct evidence *evidence)
{
	struct spoiler *spoiler = context;
	struct shadow_stack *shadow = evidence->point->stop->shadow;

	if (!spoiler->begun)
		spoiler->outer = shadow->count;
	spoiler->begun = true;
	if (spoiler->done || shadow->count < spoiler->outer + SPOILED_AT)
		return;
	spoiler->done = true;
	if (spoiler->fault)
		spoiler->fault->plant(shadow);
}

static void run(const struct fault *fault, struct comparison *ret)
{
	struct spoiler spoiler = { .fault = fault };
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table },
						 .engine_count = 2,
						 .registers = true,
						 .on_evidence = spoil,
						 .context = &spoiler };
	const struct tracer_options tracer = {
		.argv = (char *[]) { (char *)own_program(), "--program", NULL },
		.from = "spoiled_program",
		.timeout_ms = 60000,
		.point_limit = 1500,
	};
	struct comparer *comparer;
	struct error error;

	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	ck_assert_msg(!comparer_run(comparer, &tracer, ret, &error), "%s", error.message);
	comparer_destroy(comparer);
	ck_assert(spoiler.done);
}

/* What the truth says of itself. */
static uint64_t noticed(const struct comparison *result)
{
	const struct tracer_counters *truth = &result->truth;

	return truth->rules.returns_stray + truth->rules.returns_replaced +
	       truth->rules.returns_doubled + truth->rules.returns_registers + truth->unrooted +
	       truth->rules.taken_off + truth->rules.abandoned + truth->rules.disturbances +
	       result->verdict[VERDICT_UNPROVEN];
}

static uint64_t accused(const struct comparison *result)
{
	return result->verdict[VERDICT_TABLE_FAULT] - result->missing +
	       result->verdict[VERDICT_READER_FAULT] + result->verdict[VERDICT_WALK_FAULT] +
	       result->verdict[VERDICT_CONVERSION_LOSS_SILENT] +
	       result->verdict[VERDICT_UNEXPLAINED];
}

START_TEST(test_a_clean_run_notices_nothing)
{
	struct comparison result;

	run(NULL, &result);
	ck_assert_uint_eq(noticed(&result), 0);
	ck_assert_uint_eq(accused(&result), 0);
	ck_assert_uint_eq(result.verdict[VERDICT_EXACT], result.points);
	ck_assert_uint_gt(result.truth.rules.returns, 20);
	comparison_deinit(&result);
}
END_TEST

START_TEST(test_a_spoiled_truth_notices_and_accuses_nobody)
{
	struct comparison result;

	run(&faults[_i], &result);
	ck_assert_msg(noticed(&result) > 0, "%s: not noticed", faults[_i].name);
	for (size_t i = 0; i < result.findings.count; i++)
		ck_assert_msg(!result.findings.finding[i].count ||
				      result.findings.finding[i].first.kind == FAULT_MISSING,
			      "%s: %lu points blame %s (%s)", faults[_i].name,
			      (unsigned long)result.findings.finding[i].count,
			      result.findings.finding[i].place,
			      fault_kind_name(result.findings.finding[i].first.kind));
	ck_assert_msg(accused(&result) == 0, "%s: %lu points accuse somebody", faults[_i].name,
		      (unsigned long)accused(&result));
	comparison_deinit(&result);
}
END_TEST

SUITE_MAIN(truth_faults)
{
	if (argc > 1 && !strcmp(argv[1], "--program"))
		return spoiled_program();

	Suite *suite = suite_create("truth_faults");
	TCase *tcase = tcase_create("truth_faults");
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_a_clean_run_notices_nothing);
	tcase_add_loop_test(tcase, test_a_spoiled_truth_notices_and_accuses_nobody, 0,
			    COUNT(faults));
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
