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

#define FRAMES 4
#define BIAS   0x1000ull /* of the image that PC is in */

struct frames {
	uint32_t count;
	uint64_t pc[FRAMES];
};

/* What the truth is, and what lies there. */
#define RIGHT                                                                                      \
	{                                                                                          \
		3,                                                                                 \
		{                                                                                  \
			PC, 2, 3                                                                   \
		}                                                                                  \
	}
#define NOP	     { 0x90, 0 }, .file = 0x90
#define CALL	     { 0x0f, 0x05 }, .file = 0x0f
#define PROBED(byte) { INT3, 0 }, .file = byte

/* What the CFI says, and the table, too. */
#define BOTH(stop_, ...) .cfi = __VA_ARGS__, .table = __VA_ARGS__, .stop = STOP_##stop_

/* The truth of each point is PC 2 3, and a call's inside PC+2 2 3. */
static const struct point_case {
	const char *rule;
	struct frames cfi, table;
	enum stop_reason stop; /* the table's */
	bool open;	       /* the truth is a prefix */
	uint8_t code[2], file; /* what lies at PC */
	bool unread;	       /* it can't be read */
	/* What there is then. */
	uint64_t faults, open_points, in_kernel;
	struct frames fault; /* among the table's faults */
	size_t breakpoints, returns;
	size_t mappings; /* of the kernel's code */
} cases[] = {
	{ "all_is_right", BOTH(COMPLETE, RIGHT), .code = NOP },
	{ "truth_is_a_prefix", BOTH(COMPLETE, RIGHT), .open = true, .code = NOP, .open_points = 1 },
	{ "cfi_is_wrong", BOTH(NO_ROW, { 2, { PC, 9 } }), .code = NOP, .faults = 1,
	  .fault = { 2, { PC, 9 } } },
	{ "the_table_alone_is_wrong", .cfi = RIGHT, .table = { 2, { PC, 9 } },
	  .stop = STOP_COMPLETE, .code = NOP },
	{ "it_ends_in_the_kernels_code", BOTH(NO_MAPPING, { 2, { PC, UPROBES } }), .code = NOP,
	  .returns = 1, .mappings = 1 },
	{ "it_ends_there_for_another_reason", BOTH(NO_ROW, { 2, { PC, UPROBES } }), .code = NOP,
	  .faults = 1, .fault = { 2, { PC, UPROBES } } },
	{ "the_point_itself_is_there", BOTH(NO_MAPPING, { 1, { UPROBES } }), .code = NOP,
	  .mappings = 1 },
	{ "it_ends_there_where_the_truth_does", .cfi = { 3, { PC, 2, UPROBES } },
	  .table = { 3, { PC, 2, UPROBES + 0xfff } }, .stop = STOP_NO_MAPPING, .code = NOP,
	  .returns = 1, .mappings = 1 },
	{ "it_ends_there_deeper_than_the_truth", .cfi = RIGHT,
	  .table = { 4, { PC, 2, 3, UPROBES } }, .stop = STOP_NO_MAPPING, .code = NOP,
	  .mappings = 1 },
	{ "inside_a_call_the_cfi_is_wrong", BOTH(COMPLETE, RIGHT), .code = CALL, .faults = 1,
	  .in_kernel = 1, .fault = { 2, { PC + 2, 8 } } },
	{ "inside_a_call_a_prefix", BOTH(COMPLETE, RIGHT), .open = true, .code = CALL, .faults = 1,
	  .open_points = 1, .in_kernel = 1, .fault = { 2, { PC + 2, 8 } } },
	{ "a_uprobes_breakpoint", BOTH(COMPLETE, RIGHT), .code = PROBED(0x90), .breakpoints = 1 },
	{ "the_programs_own", BOTH(COMPLETE, RIGHT), .code = PROBED(INT3) },
	{ "a_byte_that_can_not_be_read", BOTH(COMPLETE, RIGHT), .code = PROBED(0x90),
	  .unread = true },
};

static const struct point_case *given;
static struct compare_options options;
static struct comparison comparison;
static struct tracer_options stepped; /* with these */
static int fails_at; /* what this point may exchange can't be added, from 1; 0: none */
static int asked;    /* for that */
static bool no_comparer, not_whole;
static unsigned int call_bytes;

static const uint8_t *fake_bytes(const struct image *image, uint64_t vaddr, size_t size)
{
	ck_assert(vaddr == PC - BIAS && size == 1);
	return &given->file;
}

static int fake_exchange(struct sample_set *mixtures, const struct point *point,
			 unsigned int syscall, struct error *error)
{
	call_bytes = syscall;
	return ++asked == fails_at ? error_set(error, ERROR_MEMORY, "", 0, "point %d", asked) : 0;
}

static int fake_walk(const struct address_space *space, const struct register_values *regs,
		     const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		     struct error *error)
{
	const uint64_t pc[] = { regs->value[REGISTER_RIP], 8 };

	return stack_set(ret, pc, 2, STOP_NO_ROW, error);
}

static int fake_create(const struct compare_options *asked_for, struct comparer **ret,
		       struct error *error)
{
	options = *asked_for;
	*ret = NULL;
	return no_comparer ? error_set(error, ERROR_MEMORY, "", 0, "no comparer") : 0;
}

static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	if (given->unread || address < PC || address + size > PC + sizeof(given->code))
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
static struct stack
	deep; /* if it has frames, the truth; and the CFI's, where the case has no fault */

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
		{ .start = PC, .end = PC + 0x1000, .bias = BIAS, .path = "p", .entry = &entry },
		{ .start = 2 * PC, .end = 2 * PC + 7 },
	};
	const struct address_space space = { .mapping = mappings, .mapping_count = 3 };
	struct shadow_stack shadow = { .rooted = !given->open };
	const struct trace_stop stop = { .shadow = &shadow };
	const struct point point = { &stop, &space, &regs, &memory, NULL };
	const struct stack truth = deep.count ? deep : stack_of(&true_frames, STOP_COMPLETE),
			   cfi = deep.count && !given->faults ? deep
							      : stack_of(&given->cfi, given->stop),
			   table = deep.count ? deep : stack_of(&given->table, given->stop);
	const struct evidence evidence = {
		.point = &point, .truth = &truth, .cfi = &cfi, .table = &table
	};

	stepped = *tracer;
	for (int times = 0; times < 2; times++)
		options.on_evidence(options.context, &evidence);
	*ret = comparison;
	return !not_whole;
}

static char program[] = "p", *argv[] = { program, NULL };

static int try_step(struct sample_truth *truth, bool loader, struct error *error)
{
	const struct sample_stepping stepping = { .argv = argv,
						  .loader = loader,
						  .timeout_ms = 77 };

	asked = 0;
	return sample_truth_add(truth, &stepping, error);
}

static void step(struct sample_truth *truth, bool loader)
{
	struct error error = { 0 };

	ck_assert_msg(!try_step(truth, loader, &error), "%s", error.message);
}

START_TEST(point_adds_its_stacks)
{
	static const uint64_t in_call[] = { PC + 2, 2, 3 };
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
	ck_assert_msg(!given->in_kernel || sample_set_find(truth.stacks, in_call, 3) ==
						   (given->open ? SET_OPEN : SET_WHOLE),
		      "%s", given->rule);
	ck_assert_msg(truth.uprobes.breakpoints.count == given->breakpoints &&
			      truth.uprobes.returns.count == given->returns,
		      "%s: %zu breakpoints, %zu returns", given->rule,
		      truth.uprobes.breakpoints.count, truth.uprobes.returns.count);
	ck_assert_msg(truth.uprobes.code_count == given->mappings, "%s: %zu mappings", given->rule,
		      truth.uprobes.code_count);
	ck_assert(!given->mappings || (truth.uprobes.code[0].start == UPROBES &&
				       truth.uprobes.code[0].end == UPROBES + 0x1000));
	ck_assert(!given->breakpoints || truth.uprobes.breakpoints.pc[0] == PC);
	ck_assert(!given->returns ||
		  truth.uprobes.returns.pc[0] == true_frames.pc[given->table.count - 1]);
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
	comparison.elapsed_ns = 1250000000;
	ck_assert(!sample_truth_init(&truth, &error));
	for (unsigned int runs = 1; runs <= 2; runs++) {
		step(&truth, runs == 2);
		ck_assert_uint_eq(truth.runs, runs);
		ck_assert_uint_eq(truth.execs, 3 * runs);
		ck_assert_uint_eq(truth.suspect, 17 * runs);
		ck_assert(truth.seconds == 1.25 * runs);
		ck_assert_msg(runs == 2 ? !stepped.from
					: stepped.from && !strcmp(stepped.from, "_start"),
			      "%s", stepped.from ? stepped.from : "none");
		ck_assert(stepped.argv == argv && stepped.from_once && stepped.timeout_ms == 77 &&
			  stepped.silence_output && stepped.ended_by_signals);
		/* Where its images lay: of the first point, once. */
		ck_assert_uint_eq(truth.entry.mapping_count, 3);
		ck_assert(truth.entry.mapping[0].start == UPROBES &&
			  truth.entry.mapping[0].end == UPROBES + 0x1000 &&
			  !strcmp(truth.entry.mapping[0].path, "[uprobes]"));
		ck_assert(truth.entry.mapping[1].start == PC &&
			  truth.entry.mapping[1].end == PC + 0x1000 &&
			  !strcmp(truth.entry.mapping[1].path, "p"));
		ck_assert(truth.entry.mapping[2].start == 2 * PC &&
			  truth.entry.mapping[2].end == 2 * PC + 7 &&
			  !strcmp(truth.entry.mapping[2].path, ""));
	}
	comparison = (struct comparison) { .points = 0 };
	sample_truth_deinit(&truth);
}
END_TEST

/* They must end alike; which end the first had is kept until then. */
START_TEST(runs_that_end_otherwise)
{
	struct sample_truth truth;
	struct error error;

	given = &cases[0];
	ck_assert(!sample_truth_init(&truth, &error));
	comparison.status = 256;
	step(&truth, false);
	ck_assert_int_eq(truth.status, 256);
	step(&truth, false);
	comparison.status = 9;
	ck_assert_int_eq(try_step(&truth, false, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_str_eq(error.message, "stepped runs end with status 0x100 and 0x9");
	comparison.status = 0;
	sample_truth_deinit(&truth);
}
END_TEST

/* A run that is not whole is none, unless the program was killed; then it has ended so. */
START_TEST(run_that_is_cut_short)
{
	static const enum tracer_ending endings[] = { TRACER_TIMEOUT, TRACER_INTERRUPTED,
						      TRACER_FAILED, TRACER_KILLED };

	given = &cases[0];
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		bool killed = endings[i] == TRACER_KILLED;
		struct sample_truth truth;
		struct error error = { 0 };

		ck_assert(!sample_truth_init(&truth, &error));
		not_whole = true;
		comparison.cut.ending = endings[i];
		comparison.points = 5;
		error_set(&comparison.cut.early, ERROR_TIMEOUT, "", 7, "it was cut");
		ck_assert_int_eq(try_step(&truth, false, &error), killed ? 0 : -1);
		ck_assert_uint_eq(truth.runs, killed);
		ck_assert_uint_eq(truth.suspect, killed ? 5 : 0);
		ck_assert_int_eq(truth.cut.ending, killed ? TRACER_ENDED : endings[i]);
		ck_assert(killed || (!strcmp(error.message, "it was cut") && error.offset == 7 &&
				     !strcmp(truth.cut.early.message, "it was cut")));
		sample_truth_deinit(&truth);
	}
	not_whole = false;
	comparison = (struct comparison) { .points = 0 };
}
END_TEST

/* What fails ends the looking, though the run goes on: the first error is told. */
START_TEST(point_that_can_not_be_added)
{
	for (fails_at = 1; fails_at <= 2; fails_at++) {
		struct sample_truth truth;
		struct error error = { 0 };
		char said[16];

		given = &cases[0];
		ck_assert(!sample_truth_init(&truth, &error));
		snprintf(said, sizeof(said), "point %d", fails_at);
		ck_assert_int_eq(try_step(&truth, false, &error), -1);
		ck_assert_str_eq(error.message, said);
		ck_assert_uint_eq(truth.points, fails_at);
		ck_assert_int_eq(asked, fails_at);
		sample_truth_deinit(&truth);
	}
	fails_at = 0;
}
END_TEST

START_TEST(no_comparer_no_truth)
{
	struct sample_truth truth;
	struct error error = { 0 };

	ck_assert(!sample_truth_init(&truth, &error));
	no_comparer = true;
	ck_assert_int_eq(try_step(&truth, false, &error), -1);
	ck_assert_str_eq(error.message, "no comparer");
	ck_assert(!truth.runs && !truth.points);
	no_comparer = false;
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

/* What the table makes of it ends there, too. */
START_TEST(fault_that_is_deeper_than_a_walk)
{
	struct sample_truth truth;
	struct error error;

	given = &cases[2];
	ck_assert_uint_eq(given->faults, 1);
	deep.count = WALK_FRAMES_MAX + 7;
	deep.pc = calloc(deep.count, sizeof(*deep.pc));
	ck_assert(!sample_truth_init(&truth, &error));
	step(&truth, false);
	ck_assert_uint_eq(truth.fault_points, 2);
	ck_assert_int_eq(sample_set_find(truth.faults, deep.pc, WALK_FRAMES_MAX), SET_WHOLE);
	ck_assert_uint_eq(sample_set_depth(truth.faults), WALK_FRAMES_MAX);
	free(deep.pc);
	deep.count = 0;
	sample_truth_deinit(&truth);
}
END_TEST

/* Two of each, met again in either order. */
START_TEST(each_uprobe_is_kept_once)
{
	struct sample_uprobes uprobes = { .code_count = 0 };
	const struct mapping code[] = { { .start = 10, .end = 20 }, { .start = 20, .end = 30 } };
	static const int order[] = { 0, 1, 1, 0, 1 };
	struct error error;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		ck_assert(!add_code(&uprobes, &code[order[i]], &error));
		ck_assert(!add_pc(&uprobes.breakpoints, 100 + order[i], &error));
	}
	ck_assert(uprobes.code_count == 2 && uprobes.breakpoints.count == 2);
	for (int i = 0; i < 2; i++)
		ck_assert(uprobes.code[i].start == code[i].start &&
			  uprobes.code[i].end == code[i].end &&
			  uprobes.breakpoints.pc[i] == 100u + i);
	for (uint64_t pc = 8; pc < 32; pc++)
		ck_assert_int_eq(is_in_code(&uprobes, pc), pc >= 10 && pc < 30);
	for (uint64_t pc = 98; pc < 106; pc++)
		ck_assert_int_eq(is_near(&uprobes.breakpoints, pc, 2), pc >= 100 && pc <= 103);
	sample_uprobes_deinit(&uprobes);
	ck_assert(!uprobes.code_count && !uprobes.breakpoints.count && !uprobes.code);
}
END_TEST

SUITE(sample_points, LOOP(point_adds_its_stacks, cases), TEST(runs_are_added_up),
      TEST(runs_that_end_otherwise), TEST(run_that_is_cut_short), TEST(point_that_can_not_be_added),
      TEST(no_comparer_no_truth), TEST(fault_that_is_deeper_than_a_walk),
      TEST(each_uprobe_is_kept_once), TEST(stack_that_is_deeper_than_a_walk))
