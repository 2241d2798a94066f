/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_points.c - what the points of a stepped run add to what samples may have
 *
 * The run is made up: points with their truth, and what the CFI and the table say there. Walks from inside a
 * system call give the frames that the case says.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "profiles/sample/sample.h"
#include "walk/walk_rows.h"

#define PC	0x401000ull
#define UPROBES 0x7000ull
#define INT3	0xcc

static const uint8_t *fake_bytes(const struct image *image, uint64_t vaddr, size_t size);
static int fake_exchange(struct sample_set *mixtures, const struct point *point,
			 unsigned int syscall, struct error *error);
static int fake_walk(const struct address_space *space, const struct register_values *regs,
		     const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		     struct error *error);
static int fake_create(const struct compare_options *options, struct comparer **ret,
		       struct error *error);
static bool fake_run(struct comparer *comparer, const struct tracer_options *options,
		     struct comparison *ret);

#define image_bytes	    fake_bytes
#define sample_exchange_add fake_exchange
#define walk_rows	    fake_walk
#define walk_table	    fake_walk
#define comparer_create	    fake_create
#define comparer_run_far    fake_run
#define comparer_destroy(comparer)
#define comparison_deinit(comparison)
#include "profiles/sample/sample_truth.c"
#include "profiles/sample/sample_uprobes.c"

#define FRAMES 3

struct frames {
	uint32_t count;
	uint64_t pc[FRAMES];
};

/* The truth of each point is PC 2 3, and a call's inside PC+2 2 3. */
static const struct point_case {
	const char *rule;
	struct frames cfi, table;
	enum stop_reason stop; /* the table's */
	bool open;	       /* the truth is a prefix */
	uint8_t code[2], file; /* what lies at PC */
	/* What there is then. */
	uint64_t faults, open_points, in_kernel;
	struct frames fault; /* among the table's faults */
	size_t breakpoints, returns;
} cases[] = {
	{ "all_is_right",
	  { 3, { PC, 2, 3 } },
	  { 3, { PC, 2, 3 } },
	  STOP_COMPLETE,
	  false,
	  { 0x90, 0 },
	  0x90,
	  0,
	  0,
	  0,
	  { 0 },
	  0,
	  0 },
	{ "truth_is_a_prefix",
	  { 3, { PC, 2, 3 } },
	  { 3, { PC, 2, 3 } },
	  STOP_COMPLETE,
	  true,
	  { 0x90, 0 },
	  0x90,
	  0,
	  1,
	  0,
	  { 0 },
	  0,
	  0 },
	{ "cfi_is_wrong",
	  { 2, { PC, 9 } },
	  { 2, { PC, 9 } },
	  STOP_NO_ROW,
	  false,
	  { 0x90, 0 },
	  0x90,
	  1,
	  0,
	  0,
	  { 2, { PC, 9 } },
	  0,
	  0 },
	{ "it_ends_in_the_kernels_code",
	  { 2, { PC, UPROBES } },
	  { 2, { PC, UPROBES } },
	  STOP_NO_MAPPING,
	  false,
	  { 0x90, 0 },
	  0x90,
	  0,
	  0,
	  0,
	  { 0 },
	  0,
	  1 },
	{ "inside_a_call_the_cfi_is_wrong",
	  { 3, { PC, 2, 3 } },
	  { 3, { PC, 2, 3 } },
	  STOP_COMPLETE,
	  false,
	  { 0x0f, 0x05 },
	  0x0f,
	  1,
	  0,
	  1,
	  { 2, { PC + 2, 8 } },
	  0,
	  0 },
	{ "a_uprobes_breakpoint",
	  { 3, { PC, 2, 3 } },
	  { 3, { PC, 2, 3 } },
	  STOP_COMPLETE,
	  false,
	  { INT3, 0 },
	  0x90,
	  0,
	  0,
	  0,
	  { 0 },
	  1,
	  0 },
	{ "the_programs_own",
	  { 3, { PC, 2, 3 } },
	  { 3, { PC, 2, 3 } },
	  STOP_COMPLETE,
	  false,
	  { INT3, 0 },
	  INT3,
	  0,
	  0,
	  0,
	  { 0 },
	  0,
	  0 },
};

static const struct point_case *given;
static const struct compare_options *options;
static struct comparison comparison;
static const char *from; /* "": nowhere was asked yet */
static unsigned int call_bytes;

static const uint8_t *fake_bytes(const struct image *image, uint64_t vaddr, size_t size)
{
	return &given->file;
}

static int fake_exchange(struct sample_set *mixtures, const struct point *point,
			 unsigned int syscall, struct error *error)
{
	call_bytes = syscall;
	return 0;
}

static int fake_walk(const struct address_space *space, const struct register_values *regs,
		     const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		     struct error *error)
{
	const uint64_t pc[] = { regs->value[REGISTER_RIP], 8 };

	return stack_set(ret, pc, 2, STOP_NO_ROW, error);
}

static int fake_create(const struct compare_options *asked, struct comparer **ret,
		       struct error *error)
{
	options = asked;
	*ret = NULL;
	return 0;
}

static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	if (address < PC || address + size > PC + sizeof(given->code))
		return -1;
	memcpy(ret, given->code + (address - PC), size);
	return 0;
}

static struct stack stack_of(const struct frames *frames, enum stop_reason stop)
{
	return (struct stack) { .pc = (uint64_t *)frames->pc,
				.count = frames->count,
				.stop = stop };
}

static const struct frames true_frames = { 3, { PC, 2, 3 } };
static struct stack deep; /* if it has frames, the truth */

/* Each point twice. */
static bool fake_run(struct comparer *comparer, const struct tracer_options *tracer,
		     struct comparison *ret)
{
	const struct memory_reader memory = { .read = read_code };
	struct register_values regs = { .value[REGISTER_RIP] = PC, .known = 0x1ffff };
	struct image image = { 0 };
	struct image_entry entry = { .image = &image };
	struct mapping mappings[] = {
		{ .start = UPROBES, .end = UPROBES + 0x1000, .path = "[uprobes]" },
		{ .start = PC, .end = PC + 0x1000, .path = "p", .entry = &entry },
	};
	const struct address_space space = { .mapping = mappings, .mapping_count = 2 };
	struct shadow_stack shadow = { .rooted = !given->open };
	const struct trace_stop stop = { .shadow = &shadow };
	const struct point point = { &stop, &space, &regs, &memory, NULL };
	const struct stack truth = deep.count ? deep : stack_of(&true_frames, STOP_COMPLETE),
			   cfi = deep.count ? deep : stack_of(&given->cfi, given->stop),
			   table = deep.count ? deep : stack_of(&given->table, given->stop);
	const struct evidence evidence = {
		.point = &point, .truth = &truth, .cfi = &cfi, .table = &table
	};

	from = tracer->from;
	for (int times = 0; times < 2; times++)
		options->on_evidence(options->context, &evidence);
	*ret = comparison;
	return true;
}

static void step(struct sample_truth *truth, bool loader)
{
	char program[] = "p", *argv[] = { program, NULL };
	const struct sample_stepping stepping = { .argv = argv, .loader = loader };
	struct error error = { 0 };

	ck_assert_msg(!sample_truth_add(truth, &stepping, &error), "%s", error.message);
}

START_TEST(point_adds_its_stacks)
{
	struct sample_truth truth;
	struct error error;

	given = &cases[_i];
	deep.count = 0;
	ck_assert(!sample_truth_init(&truth, &error));
	step(&truth, false);
	ck_assert_uint_eq(truth.points, 2);
	ck_assert_msg(truth.fault_points == 2 * given->faults, "%s: %lu", given->rule,
		      truth.fault_points);
	ck_assert_msg(truth.open_points == 2 * given->open_points, "%s", given->rule);
	ck_assert_msg(truth.in_kernel == 2 * given->in_kernel, "%s", given->rule);
	ck_assert_msg(call_bytes == 2 * given->in_kernel, "%s", given->rule);
	/* Each kind once, however often it was met. */
	ck_assert_msg(sample_set_count(truth.stacks) == 1 + given->in_kernel, "%s", given->rule);
	ck_assert_msg(sample_set_count(truth.faults) == (given->fault.count > 0), "%s",
		      given->rule);
	ck_assert_msg(!given->fault.count || sample_set_find(truth.faults, given->fault.pc,
							     given->fault.count) == SET_WHOLE,
		      "%s", given->rule);
	ck_assert_msg(sample_set_find(truth.stacks, true_frames.pc, 3) ==
			      (given->open ? SET_OPEN : SET_WHOLE),
		      "%s", given->rule);
	ck_assert_msg(truth.uprobes.breakpoints.count == given->breakpoints &&
			      truth.uprobes.returns.count == given->returns,
		      "%s: %zu breakpoints, %zu returns", given->rule,
		      truth.uprobes.breakpoints.count, truth.uprobes.returns.count);
	ck_assert(!given->breakpoints || truth.uprobes.breakpoints.pc[0] == PC);
	ck_assert(!given->returns || truth.uprobes.returns.pc[0] == 2);
	sample_truth_deinit(&truth);
}
END_TEST

/* Of several runs all count; suspect is what neither the CFI nor the kernel explains. */
START_TEST(runs_are_added_up)
{
	struct sample_truth truth;
	struct error error;

	given = &cases[0];
	deep.count = 0;
	comparison.points = 100;
	comparison.verdict[VERDICT_EXACT] = 40;
	comparison.verdict[VERDICT_TABLE_FAULT] = 20;
	comparison.verdict[VERDICT_CONVERSION_LOSS_FLAGGED] = 10;
	comparison.verdict[VERDICT_ABSENT] = 5;
	comparison.unproven[DOUBT_UPROBE] = 8;
	comparison.truth.execs = 3;
	ck_assert(!sample_truth_init(&truth, &error));
	for (unsigned int runs = 1; runs <= 2; runs++) {
		step(&truth, runs == 2);
		ck_assert_uint_eq(truth.runs, runs);
		ck_assert_uint_eq(truth.execs, 3 * runs);
		ck_assert_uint_eq(truth.suspect, 17 * runs);
		ck_assert_msg(runs == 2 ? !from : from && !strcmp(from, "_start"), "%s",
			      from ? from : "none");
	}
	comparison = (struct comparison) { .points = 0 };
	sample_truth_deinit(&truth);
}
END_TEST

/* A sample has no more frames than a walk; that there are more is in the next one. */
START_TEST(stack_that_is_deeper_than_a_walk)
{
	struct sample_truth truth;
	struct error error;

	given = &cases[0];
	deep.count = WALK_FRAMES_MAX + 7;
	deep.pc = calloc(deep.count, sizeof(*deep.pc));
	ck_assert(!sample_truth_init(&truth, &error));
	step(&truth, false);
	ck_assert_uint_eq(truth.max_frames, deep.count);
	ck_assert_int_eq(sample_set_find(truth.stacks, deep.pc, WALK_FRAMES_MAX), SET_PREFIX);
	ck_assert_int_eq(sample_set_find(truth.stacks, deep.pc, WALK_FRAMES_MAX + 1), SET_WHOLE);
	free(deep.pc);
	deep.count = 0;
	sample_truth_deinit(&truth);
}
END_TEST

SUITE(sample_points, LOOP(point_adds_its_stacks, cases), TEST(runs_are_added_up),
      TEST(stack_that_is_deeper_than_a_walk))
