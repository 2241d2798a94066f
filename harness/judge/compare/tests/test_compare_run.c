/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_run.c - what a comparer knows of one program is forgotten before the next
 *
 * The program is a function of this one, so that it is stepped at once.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "compare_world.h"
#include "judge/compare/comparer.h"
#include "walk/walk_rows.h"
#include "corpus/plant/tests/may_trace.h"

static int mappings_told;

static void mappings_are_told(void *context)
{
	mappings_told++;
}

static struct comparer *create(void)
{
	const struct compare_options options = { .on_mappings = mappings_are_told };
	struct comparer *comparer;
	struct error error;

	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	return comparer;
}

/* Where nothing was mapped, and what was in an image's place, is asked for again. */
START_TEST(new_mappings_are_looked_at_anew)
{
	struct comparer *comparer = create();

	comparer->unmapped[0] = 7;
	comparer->unmapped[UNMAPPED_PAGES - 1] = 8;
	comparer->anonymous.start = 0x1000;
	comparer->anonymous.end = 0x2000;
	comparer->anonymous.replaces = true;
	ck_assert_int_eq(compare_mappings(comparer, getpid()), 0);
	for (size_t i = 0; i < UNMAPPED_PAGES; i++)
		ck_assert_uint_eq(comparer->unmapped[i], 0);
	ck_assert(!comparer->anonymous.start && !comparer->anonymous.end &&
		  !comparer->anonymous.replaces);
	ck_assert_int_eq(mappings_told, 1);
	ck_assert_uint_gt(comparer->space.mapping_count, 0);
	comparer_destroy(comparer);
}
END_TEST

static int return_7(void *context)
{
	return 7;
}

/* Mappings that could not be read were another program's. */
START_TEST(a_failure_is_of_one_run)
{
	const struct tracer_options options = { .function = return_7, .point_limit = 5 };
	struct comparison comparison;
	struct comparer *comparer;
	struct error error;

	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return;
	}
	comparer = create();
	comparer->mappings_failed = true;
	error_set(&comparer->mapping_error, ERROR_SYSTEM, "", 0, "of the run before");
	ck_assert_msg(comparer_run_far(comparer, &options, &comparison), "%s",
		      comparison.cut.early.message);
	ck_assert_uint_eq(comparison.points, 5);
	ck_assert_int_eq(comparison.cut.early.code, ERROR_NONE);
	ck_assert_int_eq(comparison.cut.ending, TRACER_LIMIT);
	comparison_deinit(&comparison);
	/* And all is counted from 0 again. */
	ck_assert(comparer_run_far(comparer, &options, &comparison));
	ck_assert_uint_eq(comparison.points, 5);
	ck_assert_uint_eq(comparison.cut.points, 5);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
}
END_TEST

/* ---- what is remembered of mappings -------------------------------------------------------- */

static uint8_t code[16];

static int read_code(void *context, uint64_t address, void *ret, size_t size)
{
	uint64_t offset = address - 0x5000;

	if (offset >= sizeof(code) || size > sizeof(code) - offset)
		return -1;
	memcpy(ret, code + offset, size);
	return 0;
}

/* Other code may be where some was: what instruction was there is asked anew. */
START_TEST(code_is_looked_at_anew)
{
	const struct memory_reader memory = { .read = read_code };
	struct comparer *comparer = create();

	code[0] = 0xe8; /* call */
	ck_assert_uint_eq(decoder_call_before(comparer->decoder, 0x5005, &memory), 0x5000);
	memset(code, 0x90, sizeof(code));
	ck_assert_int_eq(compare_mappings(comparer, getpid()), 0);
	ck_assert_uint_eq(decoder_call_before(comparer->decoder, 0x5005, &memory), 0);
	comparer_destroy(comparer);
}
END_TEST

/* The frames of the walk before are those of the mappings before: of each of the three walks. */
START_TEST(frames_are_walked_anew)
{
	static int (*const walks[])(const struct address_space *, const struct register_values *,
				    const struct memory_reader *, struct walk_memo *,
				    struct stack *, struct error *) = { walk_rows, walk_table,
									walk_table_following };
	struct comparer *comparer = create();
	struct walk_memo *memo = _i == 0   ? comparer->rows_memo
				 : _i == 1 ? comparer->table_memo
					   : comparer->followed_memo;
	struct stack stack = { 0 };
	struct error error;
	struct world w;

	world_init(&w, BIAS, world_fdes);
	w.regs.value[REGISTER_RIP] = CODE_A;
	w.regs.value[REGISTER_RSP] = STACK;
	for (int i = 0; i < 5; i++)
		w.stack[i] = i < 4 ? CODE_B + 1 + i : 0;
	ck_assert_int_eq(walks[_i](&w.space, &w.regs, &w.memory, memo, &stack, &error), 0);
	ck_assert_uint_ge(stack.count, 5);
	ck_assert_int_eq(compare_mappings(comparer, getpid()), 0);
	w.mapping[0].entry = NULL; /* what was mapped there is no image now */
	ck_assert_int_eq(walks[_i](&w.space, &w.regs, &w.memory, memo, &stack, &error), 0);
	ck_assert_uint_eq(stack.count, 1);
	stack_deinit(&stack);
	world_deinit(&w);
	comparer_destroy(comparer);
}
END_TEST

/* ---- engines -------------------------------------------------------------------------------- */

/* What an engine does, and what was done to it; by its number. */
static struct own {
	enum error_code open_fails, mappings_fail;
	int opened, closed, told, walked;
	bool waits; /* until the program is killed, before its mappings fail */
} own[3];

static int open_own(size_t number, void **ret, struct error *error)
{
	*ret = &own[number];
	own[number].opened++;
	return own[number].open_fails
		       ? error_set(error, own[number].open_fails, "", 0, "no engine %zu", number)
		       : 0;
}

static int open_0(struct bpf_records *records, void **ret, struct error *error)
{
	return open_own(0, ret, error);
}

static int open_1(struct bpf_records *records, void **ret, struct error *error)
{
	return open_own(1, ret, error);
}

static int open_2(struct bpf_records *records, void **ret, struct error *error)
{
	return open_own(2, ret, error);
}

static void close_own(void *engine)
{
	((struct own *)engine)->closed++;
}

static int mappings_own(void *engine, const struct address_space *space, struct error *error)
{
	struct own *at = engine;

	ck_assert_uint_gt(space->mapping_count, 0);
	at->told++;
	while (at->waits && thread_has_memory(space->pid))
		usleep(1000);
	return at->mappings_fail ? error_set(error, at->mappings_fail, "", 0, "engine %d fails",
					     (int)(at - own))
				 : 0;
}

static enum engine_answer walk_own(void *engine, const struct point *point, struct stack *ret,
				   struct error *error)
{
	((struct own *)engine)->walked++;
	return ENGINE_SILENT;
}

#define OWN(number, mappings_of)                                                                   \
	IN_BRACES(.name = "own" #number, .open = open_##number, .close = close_own,                \
		  .mappings = (mappings_of), .walk = walk_own)

static const struct compare_synthesized synthesized;
static const struct engine own_engines[] = { OWN(0, mappings_own), OWN(1, mappings_own),
					     OWN(2, mappings_own) };

static int create_own(struct comparer **ret, struct error *error)
{
	const struct compare_options options = { .engine = { &own_engines[0], &own_engines[1],
							     &own_engines[2] },
						 .engine_count = 3,
						 .on_mappings = mappings_are_told,
						 .synthesized = &synthesized,
						 .follow_frame_pointers = true };

	return comparer_create(&options, ret, error);
}

/* One that can't run here is skipped, with the reason, and nothing is done with it; one that fails ends all, and
 * those that were opened before are closed. */
static const struct engines_case {
	const char *name;
	enum error_code open_fails[3];
	bool fails;
	int opened[3];
} engine_cases[] = {
	{ "all", { 0 }, false, { 1, 1, 1 } },
	{ "the_first_is_skipped", { ERROR_UNAVAILABLE }, false, { 1, 1, 1 } },
	{ "all_but_the_last_are", { ERROR_UNAVAILABLE, ERROR_UNAVAILABLE, 0 }, false, { 1, 1, 1 } },
	{ "the_second_fails", { 0, ERROR_MEMORY, 0 }, true, { 1, 1, 0 } },
	{ "behind_one_that_is_skipped", { ERROR_UNAVAILABLE, ERROR_SYSTEM, 0 }, true, { 1, 1, 0 } },
};

START_TEST(engines_are_opened)
{
	const struct engines_case *c = &engine_cases[_i];
	struct comparer *comparer;
	struct error error;
	char wanted[32];
	int status;

	for (int i = 0; i < 3; i++)
		own[i] = (struct own) { .open_fails = c->open_fails[i] };
	status = create_own(&comparer, &error);
	ck_assert_msg(status == (c->fails ? -1 : 0), "%s", c->name);
	if (c->fails) {
		ck_assert_str_eq(error.message, "no engine 1");
	} else {
		ck_assert_int_eq(compare_mappings(comparer, getpid()), 0);
		ck_assert_uint_eq(comparer->engine_count, 3);
		for (int i = 0; i < 3; i++) {
			ck_assert_int_eq(comparer->engine[i].skipped, c->open_fails[i] != 0);
			snprintf(wanted, sizeof(wanted), "no engine %d", i);
			if (c->open_fails[i])
				ck_assert_str_eq(comparer->engine[i].skip.message, wanted);
		}
		comparer_destroy(comparer);
	}
	for (int i = 0; i < 3; i++) {
		bool is_open = c->opened[i] && !c->open_fails[i];

		ck_assert_msg(own[i].opened == c->opened[i] && own[i].closed == is_open,
			      "%s: %d: opened %d, closed %d", c->name, i, own[i].opened,
			      own[i].closed);
		ck_assert_int_eq(own[i].told, is_open && !c->fails);
	}
}
END_TEST

/* ---- runs ----------------------------------------------------------------------------------- */

static int kill_itself(void *context)
{
	raise(SIGKILL);
	return 0;
}

static int return_at_once(void *context)
{
	return 7;
}

static const struct run_case {
	const char *name;
	int (*function)(void *context);
	uint64_t limit;
	enum error_code mappings_fail; /* of the second engine */
	bool whole, fails;	       /* comparer_run_far(), comparer_run() */
	enum tracer_ending ending;
	enum error_code code;
	const char *message; /* how it begins */
	bool points;
	unsigned int timeout_ms; /* as long as the mappings' failure takes */
} run_cases[] = {
	{ "limit", return_at_once, 5, ERROR_NONE, true, false, TRACER_LIMIT, ERROR_NONE, "", true,
	  0 },
	/* Who asks for the result alone gets it of a program that was killed, too. */
	{ "killed", kill_itself, 0, ERROR_NONE, false, false, TRACER_KILLED, ERROR_PROTOCOL,
	  "the program was killed by SIGKILL; after ", true, 0 },
	{ "an_engine_fails", return_at_once, 5, ERROR_SYSTEM, false, true, TRACER_FAILED,
	  ERROR_SYSTEM, "engine 1 fails", false, 0 },
	/* That they could not be had is no wonder when the program was killed: why it was is said. */
	{ "it_fails_as_the_time_is_up", return_at_once, 5, ERROR_SYSTEM, false, true,
	  TRACER_TIMEOUT, ERROR_TIMEOUT,
	  "the program was killed after 100 ms; it had not made a step", false, 100 },
};

static void check_result(const struct run_case *c, const struct comparison *comparison)
{
	ck_assert_int_eq(comparison->cut.ending, c->ending);
	ck_assert_int_eq(comparison->truth.ending, c->ending);
	ck_assert_int_eq(comparison->cut.early.code, c->code);
	ck_assert_msg(!strncmp(comparison->cut.early.message, c->message, strlen(c->message)),
		      "%s: %s", c->name, comparison->cut.early.message);
	ck_assert_uint_eq(comparison->cut.points, comparison->points);
	ck_assert_msg((comparison->points != 0) == c->points, "%s", c->name);
	ck_assert_uint_eq(comparison->cut.elapsed_ns, comparison->elapsed_ns);
	ck_assert_uint_gt(comparison->elapsed_ns, 0);
	ck_assert(comparison->follows_frame_pointers);
	ck_assert_ptr_eq(comparison->synthesized, &synthesized);
	ck_assert_str_eq(comparison->bpf_method, "");
	ck_assert_uint_eq(comparison->engine_count, 3);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(comparison->engine[i].skipped, i == 0);
		ck_assert_uint_eq(comparison->engine[i].score.silent,
				  i ? (uint64_t)own[i].walked : 0);
	}
}

/* By one comparer, one after another: each run is counted, and fails, by itself. The first engine is skipped. */
START_TEST(a_run_is_one_of_its_own)
{
	const struct run_case *c = &run_cases[_i];
	const struct tracer_options options = { .function = c->function,
						.point_limit = c->limit,
						.timeout_ms = c->timeout_ms };
	struct comparison comparison;
	struct comparer *comparer;
	struct error error = { 0 };

	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return;
	}
	memset(own, 0, sizeof(own));
	own[0].open_fails = ERROR_UNAVAILABLE;
	ck_assert_int_eq(create_own(&comparer, &error), 0);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++)
			own[i].walked = own[i].told = 0;
		own[1].waits = c->timeout_ms && round != 1;
		/* The one in the middle is as any. */
		own[1].mappings_fail = round == 1 ? 0 : c->mappings_fail;
		if (round == 1)
			c = &run_cases[0];
		const struct tracer_options now =
			round == 1 ? (struct tracer_options) { .function = return_at_once,
							       .point_limit = 5 }
				   : options;

		ck_assert_int_eq(comparer_run_far(comparer, &now, &comparison), c->whole);
		check_result(c, &comparison);
		ck_assert(!comparer->space.mapping_count && !comparer->space.pid);
		ck_assert_int_eq(own[0].told, 0);
		ck_assert_int_gt(own[1].told, 0);
		ck_assert_int_eq(own[2].told < own[1].told, c->mappings_fail != 0);
		comparison_deinit(&comparison);
		c = &run_cases[_i];
	}
	for (int i = 0; i < 3; i++)
		own[i].walked = own[i].told = 0;
	ck_assert_int_eq(comparer_run(comparer, &options, &comparison, &error), c->fails ? -1 : 0);
	if (c->fails) {
		ck_assert_msg(!strncmp(error.message, c->message, strlen(c->message)), "%s",
			      error.message);
	} else {
		check_result(c, &comparison);
		comparison_deinit(&comparison);
	}
	comparer_destroy(comparer);
}
END_TEST

/* ---- engines in the kernel ------------------------------------------------------------------ */

/* Whoever else is asked, before or behind it, each has its stacks, by the way that is asked for; and so it has in
 * the next run. */
static const struct {
	const struct engine *engine[2];
	enum walk_method method;
	const char *name; /* the method's; NULL: any */
} kernels[] = {
	{ { &engine_bpf, &engine_cfi }, WALK_METHOD_LOOP, "bpf_loop" },
	{ { &engine_cfi, &engine_bpf }, WALK_METHOD_CHAIN, "tail_calls" },
	{ { &engine_bpf, &engine_fp }, WALK_METHOD_CHAIN, "tail_calls" },
	{ { &engine_fp, &engine_bpf }, WALK_METHOD_PROBE, NULL },
	{ { &engine_fp, &engine_cfi }, WALK_METHOD_PROBE, NULL },
	{ { &engine_cfi, &engine_fp }, WALK_METHOD_PROBE, NULL },
};

START_TEST(engines_in_the_kernel_are_asked)
{
	const struct compare_options options = { .engine = { kernels[_i].engine[0],
							     kernels[_i].engine[1] },
						 .engine_count = 2,
						 .method = kernels[_i].method };
	const struct tracer_options tracer = { .function = return_7, .point_limit = 50 };
	struct comparison comparison;
	struct comparer *comparer;
	uint64_t walks[2] = { 0 };
	struct error error;

	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return;
	}
	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	for (int run = 0; run < 2; run++) {
		ck_assert(comparer_run_far(comparer, &tracer, &comparison));
		ck_assert_uint_eq(comparison.points, 50);
		for (int i = 0; i < 2; i++) {
			const struct compare_engine *engine = &comparison.engine[i];

			if (engine->skipped) {
				printf("SKIP: %s\n", engine->skip.message);
				continue;
			}
			ck_assert_uint_eq(engine->score.silent, 0);
			ck_assert_uint_eq(engine->score.points + engine->score.untrapped, 50);
			ck_assert_uint_gt(engine->score.points, 40);
			/* What the first run has cost is not the second's. */
			if (run)
				ck_assert_uint_lt(engine->cost.walks, walks[i] + walks[i] / 2 + 1);
			walks[i] = engine->cost.walks;
			if (kernels[_i].name)
				ck_assert_str_eq(comparison.bpf_method, kernels[_i].name);
		}
		comparison_deinit(&comparison);
	}
	comparer_destroy(comparer);
}
END_TEST

SUITE(compare_run, TEST(new_mappings_are_looked_at_anew), TEST(a_failure_is_of_one_run),
      TEST(code_is_looked_at_anew), TIMES(frames_are_walked_anew, 3),
      LOOP(engines_are_opened, engine_cases), LOOP(a_run_is_one_of_its_own, run_cases),
      LOOP(engines_in_the_kernel_are_asked, kernels))
