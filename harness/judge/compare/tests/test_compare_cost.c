/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_cost.c - what is measured of an engine's walks: how many, and how many bytes
 *
 * The engines are made up: each reads so many bytes at every point. The program is a chain of nops,
 * so that the number of points is known. Time is only known to be there. Measuring must change
 * neither the points nor the scores.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/suite.h"
#include "compare_world.h"
#include "judge/compare/comparer.h"

#include "judge/compare/compare_cost.c"
#include "judge/compare/tests/compared_program.h"
#include "walk.h"

#define RECORD offsetof(struct walk_record, pc) /* bytes, before its frames */

/* What a made-up engine saw. */
struct watch {
	uint64_t walks;
};

static struct watch watch;

static int made_up_open(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = &watch;
	return 0;
}

static void made_up_close(void *engine)
{
}

static enum engine_answer walk_over(const struct point *point, size_t bytes, struct stack *ret,
				    struct error *error)
{
	const struct memory_reader *memory = point->memory;
	uint64_t sp = point->regs->value[REGISTER_RSP];
	char buffer[64];

	watch.walks++;
	ck_assert(!memory->read(memory->context, sp, buffer, bytes));
	ck_assert(memory->read(memory->context, 8, buffer, 8)); /* nothing is there: not counted */
	stack_clear(ret);
	ret->stop = STOP_FOREIGN;
	return stack_push(ret, point->regs->value[REGISTER_RIP], error) ? ENGINE_ERROR
									: ENGINE_STACK;
}

static enum engine_answer walk_reading(void *engine, const struct point *point, struct stack *ret,
				       struct error *error)
{
	return walk_over(point, 24, ret, error);
}

static enum engine_answer walk_silent(void *engine, const struct point *point, struct stack *ret,
				      struct error *error)
{
	watch.walks++;
	return ENGINE_SILENT;
}

static enum engine_answer walk_further(void *engine, const struct point *point, struct stack *ret,
				       struct error *error)
{
	return walk_over(point, 40, ret, error);
}

/* It can't be asked a second time, which is where it is measured. */
static enum engine_answer walk_once(void *engine, const struct point *point, struct stack *ret,
				    struct error *error)
{
	if (watch.walks++ == 1)
		return error_set(error, ERROR_SYSTEM, "", 0, "not twice");
	watch.walks--;
	return walk_over(point, 24, ret, error);
}

static const struct engine reading = {
	.name = "reading", .open = made_up_open, .close = made_up_close, .walk = walk_reading
};
static const struct engine by_itself = { .name = "by_itself",
					 .reads_itself = true,
					 .open = made_up_open,
					 .close = made_up_close,
					 .walk = walk_reading };
static const struct engine silent = {
	.name = "silent", .open = made_up_open, .close = made_up_close, .walk = walk_silent
};

static const struct engine further = {
	.name = "further", .open = made_up_open, .close = made_up_close, .walk = walk_further
};
static const struct engine once = {
	.name = "once", .open = made_up_open, .close = made_up_close, .walk = walk_once
};

/* Steps a program of so many instructions; false: it can't be built here. message: of the failure; NULL: none. */
static bool run_with(const struct compare_options *options, int instructions, const char *message,
		     struct comparison *ret)
{
	const struct tracer_options tracer = { .argv = (char *[]) { program, NULL },
					       .timeout_ms = 600000 };
	struct comparer *comparer;
	struct error error;

	if (shell("printf '.globl _start\\n_start: .cfi_startproc\\n.cfi_undefined rip\\n"
		  ".fill %d, 1, 0x90\\nmov $60, %%%%eax\\nxor %%%%edi, %%%%edi\\nsyscall\\n"
		  ".cfi_endproc\\n' | gcc-12 -static -nostdlib -x assembler -o %s - 2>/dev/null",
		  instructions - 3, program)) {
		printf("SKIP: no gcc-12\n");
		return false;
	}
	ck_assert_msg(!comparer_create(options, &comparer, &error), "%s", error.message);
	if (message) {
		ck_assert_int_eq(comparer_run(comparer, &tracer, ret, &error), -1);
		ck_assert_str_eq(error.message, message);
	} else {
		ck_assert_msg(!comparer_run(comparer, &tracer, ret, &error), "%s", error.message);
	}
	comparer_destroy(comparer);
	return true;
}

static bool run(const struct engine *engine, int instructions, struct comparison *ret)
{
	const struct compare_options options = { .engine = { engine }, .engine_count = 1 };

	return run_with(&options, instructions, NULL, ret);
}

static const struct {
	const char *name;
	const struct engine *engine;
	int points;
	uint64_t walks, bytes; /* that were measured */
	bool sized;
} cases[] = {
	{ "the_first_point_is_measured", &reading, 16, 1, 24, true },
	{ "and_each_sixteenth_behind_it", &reading, 17, 2, 48, true },
	{ "thirty_two", &reading, 32, 2, 48, true },
	{ "what_is_read_by_itself_is_not_known", &by_itself, 33, 3, 0, false },
	{ "who_says_nothing_costs_nothing", &silent, 20, 0, 0, false },
};

START_TEST(walks_that_are_measured)
{
	struct comparison comparison;
	const struct compare_engine *engine = &comparison.engine[0];
	const struct engine_cost *cost = &engine->cost;

	watch = (struct watch) { 0 };
	if (!run(cases[_i].engine, cases[_i].points, &comparison))
		return;
	ck_assert_int_eq((int)comparison.points, cases[_i].points);
	ck_assert_uint_eq(engine->score.points + engine->score.silent, comparison.points);
	ck_assert_msg(cost->walks == cases[_i].walks && cost->bytes == cases[_i].bytes &&
			      cost->sized == (cases[_i].sized ? cases[_i].walks : 0),
		      "%s: %lu walks, %lu bytes of %lu", cases[_i].name, (unsigned long)cost->walks,
		      (unsigned long)cost->bytes, (unsigned long)cost->sized);
	ck_assert_uint_eq(cost->walk_ns > 0, cases[_i].walks > 0);
	/* Each point once, and those that are measured once more. */
	ck_assert_uint_eq(watch.walks, comparison.points + cases[_i].walks);
	comparison_deinit(&comparison);
}
END_TEST

/* Each by itself, also behind one that says nothing. */
START_TEST(every_engine_is_measured)
{
	const struct compare_options options = {
		.engine = { &reading, &silent, &by_itself, &further }, .engine_count = 4
	};
	static const struct engine_cost wanted[] = {
		{ 2, 0, 2, 48 }, { 0, 0, 0, 0 }, { 2, 0, 0, 0 }, { 2, 0, 2, 80 }
	};
	static struct comparison comparison;

	if (!run_with(&options, 17, NULL, &comparison))
		return;
	for (int i = 0; i < 4; i++) {
		const struct engine_cost *cost = &comparison.engine[i].cost;

		ck_assert_uint_eq(cost->walks, wanted[i].walks);
		ck_assert_uint_eq(cost->sized, wanted[i].sized);
		ck_assert_uint_eq(cost->bytes, wanted[i].bytes);
	}
	comparison_deinit(&comparison);
}
END_TEST

START_TEST(a_failure_while_it_is_measured_ends_the_run)
{
	const struct compare_options options = { .engine = { &once }, .engine_count = 1 };
	static struct comparison comparison;

	watch = (struct watch) { 0 };
	run_with(&options, 5, "not twice", &comparison);
}
END_TEST

/* In code without CFI, with a frame pointer: only the table's walk goes on by that, and only if it is told to. */
static const struct {
	const struct engine *engine;
	bool follow;
	uint64_t bytes;
} follows[] = {
	{ &engine_table, true, 16 },
	{ &engine_table, false, 0 },
	{ &engine_cfi, true, 0 },
};

START_TEST(a_walk_is_measured_as_it_is_made)
{
	static struct comparer comparer;
	struct compare_engine engine = { .engine = follows[_i].engine };
	struct error error;
	struct world w;

	world_init(&w, BIAS, world_fdes);
	w.regs.value[REGISTER_RIP] = NO_CODE;
	w.regs.value[REGISTER_RBP] = STACK + 16;
	w.stack[3] = NO_CODE + 8;
	w.stop.tid = getpid();
	comparer.memory = target_memory_create();
	comparer.options.follow_frame_pointers = follows[_i].follow;
	ck_assert_int_eq(measure(&comparer, &engine, &w.point, &error), 0);
	ck_assert_uint_eq(engine.cost.walks, 1);
	ck_assert_uint_eq(engine.cost.sized, 1);
	ck_assert_uint_eq(engine.cost.bytes, follows[_i].bytes);
	ck_assert_uint_eq(comparer.other.count, follows[_i].bytes ? 2 : 1);
	stack_deinit(&comparer.other);
	target_memory_destroy(comparer.memory);
	world_deinit(&w);
}
END_TEST

/* Those whose stacks are there at every point are walked once more for that. */
START_TEST(engines_that_are_part_of_a_verdict)
{
	const struct engine *engine = _i ? &engine_table : &engine_cfi;
	struct comparison comparison;

	if (!run(engine, 40, &comparison))
		return;
	ck_assert_uint_eq(comparison.engine[0].cost.walks, 3);
	ck_assert_uint_eq(comparison.engine[0].cost.sized, 3);
	ck_assert_uint_eq(comparison.engine[0].cost.bytes, 0); /* one frame: nothing is read */
	ck_assert_uint_gt(comparison.engine[0].cost.walk_ns, 0);
	comparison_deinit(&comparison);
}
END_TEST

/* Their records' bytes are known, whether or not the kernel counts time. */
START_TEST(engines_in_the_kernel)
{
	const struct engine *engine = _i ? &engine_fp : &engine_bpf;
	struct comparison comparison;
	const struct compare_engine *result = &comparison.engine[0];

	if (!run(engine, 40, &comparison))
		return;
	if (result->skipped) {
		printf("SKIP: %s\n", result->skip.message);
		return;
	}
	ck_assert_uint_eq(result->cost.sized, result->score.points);
	ck_assert_uint_eq(result->cost.bytes,
			  result->score.points * RECORD + result->score.frames * 8);
	ck_assert_uint_eq(result->cost.walks > 0, result->cost.walk_ns > 0);
	if (result->cost.walks)
		ck_assert_uint_ge(result->cost.walks, result->score.points);
	comparison_deinit(&comparison);
}
END_TEST

/* What the kernel has counted so far, by each engine's number. */
static uint64_t made_up;

static bool made_up_cost(const void *engine, struct engine_cost *ret)
{
	uint64_t times = made_up * *(const int *)engine;

	*ret = (struct engine_cost) { .walks = times, .walk_ns = 100 * times };
	return true;
}

/* Its records' bytes are its own to say. */
static bool made_up_records(const void *engine, struct engine_cost *ret)
{
	made_up_cost(engine, ret);
	ret->sized = 2 * made_up;
	ret->bytes = 64 * made_up;
	return true;
}

static bool not_counted(const void *engine, struct engine_cost *ret)
{
	ret->walks = made_up;
	return false;
}

/* A comparer runs one program after the other, and the kernel counts on. */
START_TEST(what_the_kernel_counted_before_is_of_another_run)
{
	static const struct engine counted = { .in_kernel = true, .cost = made_up_cost },
				   records = { .in_kernel = true, .cost = made_up_records },
				   old_kernel = { .in_kernel = true, .cost = not_counted };
	const struct engine *engines[] = { &counted, &counted, &reading,
					   &counted, &records, &old_kernel };
	static int times[] = { 5, 1, 1, 1, 3, 1 };
	static struct comparer comparer = { .engine_count = 6 };
	static struct comparison comparison = { .engine_count = 6 };
	const struct compare_engine *is = comparison.engine;

	comparer.result = &comparison;
	comparer.engine[3].skipped = true;
	for (int i = 0; i < 6; i++) {
		comparer.engine[i].engine = engines[i];
		comparer.engine[i].open = &times[i];
		comparison.engine[i] = comparer.engine[i];
	}
	comparison.engine[1].score.points = 7;
	comparison.engine[1].score.frames = 20;
	comparison.engine[2].cost = (struct engine_cost) { .walks = 1, .walk_ns = 2, .bytes = 3 };
	made_up = 100;
	compare_cost_begin(&comparer);
	made_up = 130;
	compare_cost_end(&comparer);
	ck_assert_uint_eq(is[0].cost.walks, 30 * 5);
	ck_assert_uint_eq(is[0].cost.walk_ns, 30 * 500);
	ck_assert_uint_eq(is[0].cost.sized + is[0].cost.bytes, 0);
	ck_assert_uint_eq(is[1].cost.walks, 30);
	ck_assert_uint_eq(is[1].cost.walk_ns, 30 * 100);
	ck_assert_uint_eq(is[1].cost.sized, 7);
	ck_assert_uint_eq(is[1].cost.bytes, 7 * RECORD + 20 * 8);
	ck_assert_uint_eq(is[2].cost.walks, 1);
	ck_assert_uint_eq(is[2].cost.bytes, 3);
	ck_assert_uint_eq(is[3].cost.walks + is[3].cost.walk_ns, 0);
	ck_assert_uint_eq(is[4].cost.walks, 90);
	ck_assert_uint_eq(is[4].cost.sized, 60);
	ck_assert_uint_eq(is[4].cost.bytes, 30 * 64);
	ck_assert_uint_eq(is[5].cost.walks, 0);
}
END_TEST

SUITE(compare_cost, FIXTURE(program_begin, folder_remove), TIMEOUT(300),
      LOOP(walks_that_are_measured, cases), TEST(every_engine_is_measured),
      TEST(a_failure_while_it_is_measured_ends_the_run),
      LOOP(a_walk_is_measured_as_it_is_made, follows), TIMES(engines_that_are_part_of_a_verdict, 2),
      TIMES(engines_in_the_kernel, 2), TEST(what_the_kernel_counted_before_is_of_another_run))
