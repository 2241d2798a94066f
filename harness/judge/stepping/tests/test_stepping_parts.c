/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_parts.c - what an estimate makes of each way that its runs may end
 *
 * The runs are made up: nothing is started, and no time passes but what a case says.
 * test_stepping_estimate.c has real ones.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "clock.h"
#include "judge/stepping/stepping.h"

static int made_up_native(const struct tracer_options *options, struct native_run *ret,
			  struct error *error);
static int made_up_rates(struct native_rates *ret, struct error *error);
static int made_up_tracer(const struct tracer_options *options,
			  const struct tracer_callbacks *callbacks, struct tracer_counters *ret,
			  int *ret_status, struct error *error);
static int made_up_comparer(const struct compare_options *options, struct comparer **ret,
			    struct error *error);
static int made_up_comparison(struct comparer *comparer, const struct tracer_options *options,
			      struct comparison *ret, struct error *error);
static void made_up_destroy(struct comparer *comparer);
static uint64_t made_up_ns(void);
#define stepping_native	      made_up_native
#define stepping_native_rates made_up_rates
#define tracer_run	      made_up_tracer
#define comparer_create	      made_up_comparer
#define comparer_run	      made_up_comparison
#define comparer_destroy      made_up_destroy
#define monotonic_ns	      made_up_ns
#include "judge/stepping/stepping_estimate.c"

#define SECOND 1000000000ull

static struct made_up {
	struct native_run native;
	bool native_fails, compare_fails;
	struct tracer_counters counters;
	int tracer_fails, status;
	uint64_t now;
	int64_t step_ns,
		point_ns; /* of our own function; the latter less than none if time is not to be trusted */
	uint64_t most_points; /* that our own function makes; 0: what is asked for */
	int comparers;	      /* that are there */
	int rates;	      /* how often they were asked for */
	struct compare_options compared;
	off_t input[3]; /* where standard input was for each run */
	int runs;
	struct tracer_options traced, measured[2];
	unsigned int timeout_ms; /* that is asked for */
} world;

static uint64_t made_up_ns(void)
{
	return world.now;
}

static void note_input(void)
{
	char byte;

	world.input[world.runs++] = lseek(STDIN_FILENO, 0, SEEK_CUR);
	ck_assert_int_ge(read(STDIN_FILENO, &byte, 1), 0); /* the program reads */
}

static int made_up_native(const struct tracer_options *options, struct native_run *ret,
			  struct error *error)
{
	note_input();
	*ret = world.native;
	return world.native_fails ? error_set(error, ERROR_SYSTEM, "", 0, "no start") : 0;
}

static int made_up_rates(struct native_rates *ret, struct error *error)
{
	world.rates++;
	*ret = (struct native_rates) { .most = 1e9, .least = 1e6 };
	return 0;
}

static int made_up_tracer(const struct tracer_options *options,
			  const struct tracer_callbacks *callbacks, struct tracer_counters *ret,
			  int *ret_status, struct error *error)
{
	note_input();
	world.traced = *options;
	world.now += 2 * SECOND;
	callbacks->on_mappings(callbacks->context, getpid());
	*ret = world.counters;
	*ret_status = world.status;
	return world.tracer_fails ? error_set(error, ERROR_PROTOCOL, "", 0, "why") : 0;
}

static int made_up_comparer(const struct compare_options *options, struct comparer **ret,
			    struct error *error)
{
	*ret = (struct comparer *)options->context; /* the watch, and on_judgement is known */
	ck_assert_ptr_eq(options->on_judgement, on_judgement);
	world.compared = *options;
	world.comparers++;
	return 0;
}

static void made_up_destroy(struct comparer *comparer)
{
	world.comparers--;
}

static int made_up_comparison(struct comparer *comparer, const struct tracer_options *options,
			      struct comparison *ret, struct error *error)
{
	memset(ret, 0, sizeof(*ret));
	world.measured[options->every > 1] = *options;
	if (world.compare_fails) {
		error_set(error, ERROR_SYSTEM, "", 0, "the run was ended by SIGINT; after 3 steps");
		error->system_errno = EINTR;
		return -1;
	}
	for (uint64_t i = 0;
	     i < options->point_limit && (!world.most_points || i < world.most_points); i++) {
		/* Until all is cached, points cost more. */
		world.now += world.step_ns * (int64_t)options->every +
			     world.point_ns * (i < POINTS_BEFORE ? 1000 : 1);
		on_judgement(comparer, NULL, NULL);
	}
	return 0;
}

static void set_up(void)
{
	int file = memfd_create("input", 0);

	ck_assert_int_eq(write(file, "input", 5), 5);
	ck_assert_int_eq(lseek(file, 2, SEEK_SET), 2);
	ck_assert_int_eq(dup2(file, STDIN_FILENO), STDIN_FILENO);
	world = (struct made_up) { .native = { .seconds = 3, .cpu_seconds = 2 },
				   .counters = { .steps = 1000, .from_reached = true },
				   .step_ns = 10000,
				   .point_ns = 50000,
				   .timeout_ms = 3000 };
}

/* Who listens to the command's own run is not told of ours. */
static int never(void *context, const struct point *point, const struct judgement *judgement,
		 struct error *error)
{
	ck_abort_msg("told of a point of ours");
}

static int estimate(struct stepping_estimate *ret, struct error *error)
{
	static char *argv[] = { (char *)"program", NULL };
	const struct tracer_options options = { .argv = argv,
						.every = 5,
						.point_limit = 70,
						.timeout_ms = world.timeout_ms,
						.from = "main" };
	const struct compare_options engines = { .engine = { &engine_cfi, &engine_fp },
						 .engine_count = 2,
						 .method = WALK_METHOD_CHAIN,
						 .follow_frame_pointers = true,
						 .registers = true,
						 .on_point = never };

	return stepping_estimate(&options, &engines, ret, error);
}

/* ---- how the stepped run may end --------------------------------------------------------------- */

static const struct end_case {
	const char *name;
	bool endless;
	int fails;
	enum tracer_ending ending;
	bool reached;
	int result;
	enum estimate_by by;
	enum tracer_ending cut;
	bool missed;
	const char *early; /* what it begins with */
} end_cases[] = {
	{ "it_was_stepped_to_its_end", false, 0, TRACER_ENDED, true, 0, ESTIMATE_STEPPED,
	  TRACER_ENDED, false, "" },
	{ "its_time_was_up", false, 1, TRACER_TIMEOUT, true, 0, ESTIMATE_TIME, TRACER_ENDED, false,
	  "" },
	{ "neither_run_has_an_end", true, 1, TRACER_TIMEOUT, true, 0, ESTIMATE_NONE, TRACER_TIMEOUT,
	  false, "the unstepped run was killed after 3000 ms; " },
	{ "an_unstepped_one_without_end_is_cut", true, 0, TRACER_ENDED, true, 0, ESTIMATE_STEPPED,
	  TRACER_TIMEOUT, false, "the unstepped run was killed after 3000 ms; " },
	{ "from_was_not_come_to", false, 0, TRACER_ENDED, false, 0, ESTIMATE_STEPPED, TRACER_ENDED,
	  true, "" },
	{ "nor_in_the_time", false, 1, TRACER_TIMEOUT, false, 0, ESTIMATE_TIME, TRACER_ENDED, true,
	  "" },
	{ "a_signal_came", false, 1, TRACER_INTERRUPTED, true, -1, ESTIMATE_NONE,
	  TRACER_INTERRUPTED, false, "why; " },
	{ "a_signal_came_to_what_has_no_end", true, 1, TRACER_INTERRUPTED, true, -1, ESTIMATE_NONE,
	  TRACER_INTERRUPTED, false, "why; " },
	{ "it_failed", false, 1, TRACER_FAILED, true, -1, ESTIMATE_NONE, TRACER_FAILED, false,
	  "why" },
};

START_TEST(ends_of_the_stepped_run)
{
	const struct end_case *c = &end_cases[_i];
	struct stepping_estimate got;
	struct error error = { 0 };

	world.native.endless = c->endless;
	world.tracer_fails = c->fails;
	world.counters.ending = c->ending;
	world.counters.from_reached = c->reached;
	world.counters.threads = 3;
	world.counters.children = 4;
	world.status = 0x100;
	ck_assert_msg(estimate(&got, &error) == c->result, "%s: %s", c->name, error.message);
	ck_assert_msg(got.by == c->by, "%s: by %d", c->name, got.by);
	ck_assert_msg(got.cut.ending == c->cut, "%s: ended %d", c->name, got.cut.ending);
	ck_assert_msg(got.from_missed == c->missed, "%s", c->name);
	ck_assert_msg(got.measured == !c->result, "%s", c->name);
	ck_assert(got.threads == 3 && got.children == 4 && got.status == 0x100);
	ck_assert(got.stepped == 1000 && got.cut.steps == 1000);
	ck_assert_double_eq(got.stepped_seconds, 2);
	/* By time the steps are more than were counted: 1e9 or 1e6 a second, of 2 s. */
	ck_assert_uint_eq(got.steps, c->by == ESTIMATE_TIME ? 2000000000 : 1000);
	ck_assert_int_eq(world.rates, c->by == ESTIMATE_TIME);
	ck_assert_msg(!strncmp(got.cut.early.message, c->early, strlen(c->early)) &&
			      !got.cut.early.message[0] == !c->early[0],
		      "%s: %s", c->name, got.cut.early.message);
	/* Of what failed it is the error, too. */
	if (c->result)
		ck_assert_str_eq(error.message, "why");
	ck_assert_int_eq(world.comparers, 0);
}
END_TEST

/* Where the program was when its time was up is said by what it has mapped; before its first step it was
 * nowhere. */
START_TEST(place_of_the_last_step)
{
	struct stepping_estimate got;
	struct error error;

	world.counters.last_pc = _i ? (uint64_t)estimate : 0;
	world.tracer_fails = 1;
	world.counters.ending = TRACER_TIMEOUT;
	ck_assert_int_eq(estimate(&got, &error), 0);
	if (_i)
		ck_assert_msg(strstr(got.cut.place, "(test_stepping_parts)"), "%s", got.cut.place);
	else
		ck_assert_str_eq(got.cut.place, "");
}
END_TEST

/* As quick as can be: no point, and no longer than is meant. */
START_TEST(steps_are_counted_without_points)
{
	struct stepping_estimate got;
	struct error error;

	ck_assert_int_eq(estimate(&got, &error), 0);
	ck_assert_uint_eq(world.traced.every, 0);
	ck_assert_uint_eq(world.traced.point_limit, 0);
	ck_assert_uint_eq(world.traced.timeout_ms, 3000);
	ck_assert_str_eq(world.traced.from, "main");
	ck_assert_uint_eq(got.every, 5);
	ck_assert_uint_eq(got.limit, 70);
	for (unsigned int i = 0; i < 2; i++) { /* none, and a longer one */
		world.runs = 0;
		world.timeout_ms = i * (ESTIMATE_STEPPED_MS + 1);
		ck_assert_int_eq(estimate(&got, &error), 0);
		ck_assert_uint_eq(world.traced.timeout_ms, ESTIMATE_STEPPED_MS);
	}
}
END_TEST

/* ---- input ------------------------------------------------------------------------------------ */

/* Each run reads it from where it was. */
START_TEST(input_is_read_again)
{
	static const off_t offsets[] = { 2, 0, 5 };
	struct stepping_estimate got;
	struct error error;

	for (int i = 0; i < COUNT(offsets); i++) {
		world.runs = 0;
		ck_assert_int_eq(lseek(STDIN_FILENO, offsets[i], SEEK_SET), offsets[i]);
		ck_assert_int_eq(estimate(&got, &error), 0);
		ck_assert_int_eq(world.runs, 2);
		ck_assert_int_eq(world.input[0], offsets[i]);
		ck_assert_int_eq(world.input[1], offsets[i]);
		ck_assert(!got.input_is_empty);
	}
}
END_TEST

START_TEST(input_that_can_not_be_read_again_is_none)
{
	struct stepping_estimate got;
	struct error error;
	int ends[2];
	char byte;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(write(ends[1], "x", 1), 1);
	ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	ck_assert_int_eq(estimate(&got, &error), 0);
	ck_assert(got.input_is_empty);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1); /* nobody took it */
}
END_TEST

/* ---- costs ------------------------------------------------------------------------------------ */

/* What a point costs before all is cached is in neither; the program's own steps count where they were
 * cheaper, and more. */
START_TEST(costs_are_those_of_our_function)
{
	struct stepping_estimate got;
	struct error error;

	ck_assert_int_eq(estimate(&got, &error), 0);
	ck_assert_double_eq_tol(got.step_ns, 10000, 1e-6);
	ck_assert_double_eq_tol(got.point_ns, 50000, 1e-6);
	ck_assert_uint_eq(world.measured[0].every, 1);
	ck_assert_uint_eq(world.measured[1].every, STRIDE);
	ck_assert(world.measured[0].ended_by_signals && world.measured[1].ended_by_signals);
	/* 2 s of that many steps are 4 us each. */
	world.runs = 0;
	world.counters.steps = 500000;
	ck_assert_int_eq(estimate(&got, &error), 0);
	ck_assert_double_eq_tol(got.step_ns, 4000, 1e-6);
	ck_assert_double_eq_tol(got.point_ns, 56000, 1e-6);
	world.runs = 0;
	world.counters.steps = 100000; /* 20 us: dearer */
	ck_assert_int_eq(estimate(&got, &error), 0);
	ck_assert_double_eq_tol(got.step_ns, 10000, 1e-6);
}
END_TEST

/* With the engines that are asked for, and in the way that is; of our own function. */
START_TEST(costs_are_those_of_the_engines)
{
	struct stepping_estimate got;
	struct error error;

	ck_assert_int_eq(estimate(&got, &error), 0);
	ck_assert_uint_eq(world.compared.engine_count, 2);
	ck_assert(world.compared.engine[0] == &engine_cfi &&
		  world.compared.engine[1] == &engine_fp);
	ck_assert_int_eq(world.compared.method, WALK_METHOD_CHAIN);
	ck_assert(world.compared.follow_frame_pointers && world.compared.registers);
	ck_assert_ptr_null(world.compared.on_point);
	for (int i = 0; i < 2; i++) {
		ck_assert(world.measured[i].function && !world.measured[i].argv);
		ck_assert(world.measured[i].silence_output && !world.measured[i].from);
		ck_assert_uint_eq(world.measured[i].point_limit,
				  POINTS_BEFORE + (i ? POINTS_THIN : POINTS_DENSE));
	}
	ck_assert_int_eq(world.comparers, 0);
}
END_TEST

static const struct {
	const char *name;
	int64_t step_ns, point_ns;
	uint64_t steps, most_points;
	double got_step_ns, got_point_ns;
	bool fails;
} cost_cases[] = {
	{ "no_point_costs_less_than_none", 10000, -9, 1000, 0, 10000, 0, false },
	{ "nor_a_step", -100, 9000, 1000, 0, 0, 8900, false },
	/* Ours is of 10,000 steps: as many of the program's are not more. */
	{ "as_many_steps_as_ours", 10000, 0, POINTS_THIN *STRIDE, 0, 10000, 0, false },
	{ "though_they_were_cheaper", 1000000, 0, POINTS_THIN *STRIDE, 0, 1000000, 0, false },
	{ "but_one_more_is", 1000000, 0, POINTS_THIN *STRIDE + 1, 0,
	  2e9 / (POINTS_THIN * STRIDE + 1), 1000000 - 2e9 / (POINTS_THIN * STRIDE + 1), false },
	{ "too_few_points", 10000, 9, 1000, POINTS_BEFORE, 0, 0, true },
	{ "just_enough", 10000, 9, 1000, POINTS_BEFORE + 1, 10000, 9, false },
};

START_TEST(costs_that_are_odd)
{
	struct stepping_estimate got;
	struct error error;
	int status;

	world.step_ns = cost_cases[_i].step_ns;
	world.point_ns = cost_cases[_i].point_ns;
	world.most_points = cost_cases[_i].most_points;
	world.counters.steps = cost_cases[_i].steps;
	world.now = 1000 * SECOND;
	status = estimate(&got, &error);
	ck_assert_msg(status == (cost_cases[_i].fails ? -1 : 0), "%s", cost_cases[_i].name);
	ck_assert_int_eq(got.measured, !cost_cases[_i].fails);
	ck_assert_int_eq(world.comparers, 0);
	if (cost_cases[_i].fails) {
		ck_assert_int_eq(error.code, ERROR_PROTOCOL);
		ck_assert_str_eq(error.message, "what points cost can't be measured");
		ck_assert_ptr_null(run_cut_word(&got.cut));
		return;
	}
	ck_assert_double_eq_tol(got.step_ns, cost_cases[_i].got_step_ns, 1e-6);
	ck_assert_double_eq_tol(got.point_ns, cost_cases[_i].got_point_ns, 1e-6);
}
END_TEST

/* How far our own function came is not asked. The program's own run was whole: where it was stays. */
START_TEST(a_signal_while_costs_are_measured)
{
	struct stepping_estimate got;
	struct error error;

	world.compare_fails = true;
	ck_assert_int_eq(estimate(&got, &error), -1);
	ck_assert_int_eq(got.cut.ending, TRACER_INTERRUPTED);
	ck_assert_str_eq(got.cut.early.message, "the run was ended by SIGINT");
	ck_assert_uint_eq(got.cut.steps, 1000);
	ck_assert(!got.measured);
	ck_assert_int_eq(world.comparers, 0);
}
END_TEST

START_TEST(a_program_that_can_not_be_started)
{
	struct stepping_estimate got;
	struct error error;

	world.native_fails = true;
	ck_assert_int_eq(estimate(&got, &error), -1);
	ck_assert_str_eq(error.message, "no start");
	ck_assert_ptr_null(run_cut_word(&got.cut));
	world.runs = 0;
	world.native.interrupted = true;
	ck_assert_int_eq(estimate(&got, &error), -1);
	ck_assert_str_eq(run_cut_word(&got.cut), "interrupted");
	ck_assert_int_eq(world.runs, 1); /* nothing was stepped then */
}
END_TEST

/* ---- what is said of it ------------------------------------------------------------------------- */

/* Costs are there if they were measured, however the steps were known; a run that was cut short from outside is no
 * success, whatever was measured. */
static const struct {
	enum estimate_by by;
	bool measured;
	enum tracer_ending ending;
	int status;
} said[] = {
	{ ESTIMATE_STEPPED, true, TRACER_ENDED, 0 },
	{ ESTIMATE_STEPPED, false, TRACER_INTERRUPTED, 99 },
	{ ESTIMATE_TIME, false, TRACER_INTERRUPTED, 99 },
	{ ESTIMATE_NONE, true, TRACER_TIMEOUT, 99 },
	{ ESTIMATE_NONE, false, TRACER_INTERRUPTED, 99 },
};

START_TEST(fields_of_each_estimate)
{
	const struct stepping_estimate got = { .by = said[_i].by,
					       .measured = said[_i].measured,
					       .steps = 7,
					       .cut = { .ending = said[_i].ending } };
	json_t *object;

	char *text = PRINTED(file, stepping_print_json(file, "program", &got));
	object = json_loads(text, 0, NULL);
	ck_assert_msg(object != NULL, "%s", text);
	ck_assert_msg(!json_object_get(object, "step_ns") == !said[_i].measured, "%d: %s", _i,
		      text);
	ck_assert_int_eq(json_integer_value(json_object_get(object, "exit_status")),
			 said[_i].status);
	ck_assert_msg(json_is_null(json_object_get(object, "steps_high")) ==
			      (said[_i].by == ESTIMATE_NONE),
		      "%d: %s", _i, text);
	json_decref(object);
	free(text);
}
END_TEST

/* A run that was not stepped to its end has no end to be held against the other; nor has an unstepped one that was
 * killed. */
START_TEST(ends_that_differ)
{
	for (int i = 0; i < 2 * (ESTIMATE_NONE + 1); i++) {
		enum estimate_by by = i / 2;
		const struct stepping_estimate got = {
			.by = by, .measured = true, .status = 256, .native.endless = i % 2
		};

		char *text = PRINTED(file, stepping_print_json(file, "program", &got));
		ck_assert_msg(!strstr(text, "\"differs\"") == (by != ESTIMATE_STEPPED || i % 2),
			      "%s", text);
		free(text);
	}
}
END_TEST

SUITE(stepping_parts, FIXTURE(set_up, NULL), LOOP(ends_of_the_stepped_run, end_cases),
      TIMES(place_of_the_last_step, 2), TEST(steps_are_counted_without_points),
      TEST(input_is_read_again), TEST(input_that_can_not_be_read_again_is_none),
      TEST(costs_are_those_of_our_function), TEST(costs_are_those_of_the_engines),
      LOOP(costs_that_are_odd, cost_cases), TEST(a_signal_while_costs_are_measured),
      TEST(a_program_that_can_not_be_started), LOOP(fields_of_each_estimate, said),
      TEST(ends_that_differ))
