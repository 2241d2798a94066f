/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_estimate.c - what an estimate says follows from what was measured, and what is not
 * known is said
 *
 * No figure that is measured is held against anything: how fast this machine is nobody knows.
 */
#include <math.h>
#include <sys/wait.h>
#include "tests/printed.h"
#include "tests/suite.h"
#include "base/cli/tests/folder_shell.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"
#include "judge/stepping/stepping.h"
#include "truth/tracer/tests/stepped_program.h"

#define MICROSECONDS 1e3

#define GIVEN(...) .given = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct stepping_estimate given;
	uint64_t points, every_minute, limit_minute;
	double seconds;
} derived[] = {
	{ "each step is a point",
	  GIVEN(.steps = 1000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS), 1000,
	  1, 599995, 0.1 },
	{ "every hundredth",
	  GIVEN(.steps = 1000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS,
		.every = 100),
	  10, 1, 55046, 0.0109 },
	{ "the points are too many",
	  GIVEN(.steps = 3000000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS),
	  3000000, 10, 599995, 300 },
	{ "the steps alone are",
	  GIVEN(.steps = 6000000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS),
	  6000000, 0, 599995, 600 },
	{ "a limit ends it",
	  GIVEN(.steps = 6000000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS,
		.every = 10, .limit = 1000),
	  1000, 0, 315788, 0.19 },
	{ "waiting is added",
	  GIVEN(.steps = 1000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS,
		.native = { .seconds = 5, .cpu_seconds = 1 }),
	  1000, 1, 599995, 4.1 },
	{ "no less than its steps take",
	  GIVEN(.steps = 1000, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS,
		.native = { .seconds = 1, .cpu_seconds = 5 }),
	  1000, 1, 599995, 0.1 },
	{ "steps behind the last point count",
	  GIVEN(.steps = 101, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS,
		.every = 10),
	  11, 1, 315788, 0.002 },
	{ "a limit that is met at the end ends nothing",
	  GIVEN(.steps = 91, .step_ns = 10 * MICROSECONDS, .point_ns = 90 * MICROSECONDS,
		.every = 10, .limit = 10),
	  10, 1, 315788, 0.00181 },
	{ "the steps take the minute", GIVEN(.steps = 60, .step_ns = 1e9, .point_ns = 1), 60, 0, 60,
	  60.00000006 },
	{ "it has no end", GIVEN(.by = ESTIMATE_NONE, .steps = 5, .step_ns = 10 * MICROSECONDS), 5,
	  0, 5999401, 0.00005 },
};

START_TEST(what_follows)
{
	struct stepping_estimate estimate = derived[_i].given;

	stepping_estimate_derive(&estimate);
	ck_assert_msg(estimate.points == derived[_i].points, "%s: %lu points", derived[_i].name,
		      (unsigned long)estimate.points);
	ck_assert_msg(estimate.every_minute == derived[_i].every_minute, "%s: every %lu",
		      derived[_i].name, (unsigned long)estimate.every_minute);
	ck_assert_msg(estimate.limit_minute == derived[_i].limit_minute, "%s: limit %lu",
		      derived[_i].name, (unsigned long)estimate.limit_minute);
	ck_assert_msg(fabs(estimate.seconds - derived[_i].seconds) < 1e-6, "%s: %f s",
		      derived[_i].name, estimate.seconds);
	/* Of steps that were counted there is one number. */
	ck_assert_uint_eq(estimate.steps_low, estimate.steps);
	ck_assert_double_eq(estimate.seconds_low, estimate.seconds);
	ck_assert_uint_eq(estimate.every_minute_low, estimate.every_minute);
	ck_assert(estimate.measured);
}
END_TEST

/* That many points, so many steps apart, take a minute: and one more takes longer. */
START_TEST(every_ends_in_a_minute)
{
	for (uint64_t steps = 1; steps < 6000000; steps = steps * 3 + 1) {
		struct stepping_estimate estimate = { .steps = steps,
						      .step_ns = 10 * MICROSECONDS,
						      .point_ns = 200 * MICROSECONDS };

		stepping_estimate_derive(&estimate);
		ck_assert_uint_ge(estimate.every_minute, 1);
		estimate.every = estimate.every_minute;
		stepping_estimate_derive(&estimate);
		ck_assert_double_le(estimate.seconds, 60.01);
		if (estimate.every_minute > 2) {
			estimate.every = estimate.every_minute - 2;
			stepping_estimate_derive(&estimate);
			ck_assert_double_gt(estimate.seconds, 60);
		}
	}
}
END_TEST

/* ---- how many steps there are ----------------------------------------------------------- */

static const struct {
	const char *name;
	double cpu_seconds, most, least;
	uint64_t stepped, low, high;
} guesses[] = {
	{ "all of the time may be a tight loop's", 0.025, 30e9, 1e9, 1000, 20833333, 750000000 },
	{ "a short program's too", 0.001, 30e9, 1e9, 1000, 166666, 30000000 },
	{ "never fewer than were counted", 0.001, 30e9, 1e9, 200000, 200000, 30000000 },
	{ "more than the loop would make", 0.001, 30e9, 1e9, 40000000, 40000000, 40000000 },
	{ "a clock that says nothing", 0, 30e9, 1e9, 7, 7, 7 },
};

START_TEST(a_guess_has_two_ends)
{
	struct stepping_estimate estimate = { .by = ESTIMATE_TIME,
					      .stepped = guesses[_i].stepped,
					      .native.cpu_seconds = guesses[_i].cpu_seconds };
	const struct native_rates rates = { .most = guesses[_i].most, .least = guesses[_i].least };

	stepping_estimate_guess(&estimate, &rates);
	ck_assert_msg(estimate.steps_low == guesses[_i].low && estimate.steps == guesses[_i].high,
		      "%s: %lu to %lu", guesses[_i].name, (unsigned long)estimate.steps_low,
		      (unsigned long)estimate.steps);
}
END_TEST

/* What is suggested ends in a minute even if there are the most steps; what only the fewest permit is said
 * beside. */
START_TEST(the_upper_end_decides)
{
	struct stepping_estimate estimate = { .by = ESTIMATE_TIME,
					      .steps = 3000000,
					      .steps_low = 1000,
					      .step_ns = 10 * MICROSECONDS,
					      .point_ns = 90 * MICROSECONDS };

	stepping_estimate_derive(&estimate);
	ck_assert_uint_eq(estimate.every_minute, 10);
	ck_assert_uint_eq(estimate.every_minute_low, 1);
	ck_assert_uint_eq(estimate.points, 3000000);
	ck_assert_double_eq_tol(estimate.seconds, 300, 1e-6);
	ck_assert_double_eq_tol(estimate.seconds_low, 0.1, 1e-6);
	estimate.steps = 6000000;
	stepping_estimate_derive(&estimate);
	ck_assert_uint_eq(estimate.every_minute, 0);
	ck_assert_uint_eq(estimate.every_minute_low, 1);
}
END_TEST

static const struct native_loop *const loops[] = { &native_tight, &native_waiting };

struct rounds {
	const struct native_loop *loop;
	uint64_t count;
	const unsigned char *memory;
};

static int make_rounds(void *context)
{
	const struct rounds *rounds = context;

	rounds->loop->run(rounds->count, rounds->memory);
	return 0;
}

static uint64_t steps_of(const struct rounds *rounds)
{
	const struct tracer_options options = { .function = make_rounds,
						.function_context = (void *)rounds };
	const struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	struct error error;
	int status;

	ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s",
		      error.message);
	ck_assert_int_eq(status, 0);
	return counters.steps;
}

#define MORE_ROUNDS 8000

/* The rates are worth what is said of the loops. */
START_TEST(the_loops_steps_are_as_said)
{
	unsigned char *memory = calloc(NATIVE_LOOP_MEMORY, 1);
	const struct rounds few = { loops[_i], 1, memory };
	const struct rounds many = { loops[_i], 1 + MORE_ROUNDS, memory };

	ck_assert_ptr_nonnull(memory);
	steps_of(&few); /* the next find their symbols bound */
	/* How a process begins and ends takes some thousand steps, sometimes more. */
	int64_t more = (int64_t)(steps_of(&many) - steps_of(&few));
	ck_assert_int_gt(more, MORE_ROUNDS * (int64_t)loops[_i]->steps - MORE_ROUNDS / 2);
	ck_assert_int_lt(more, MORE_ROUNDS * (int64_t)loops[_i]->steps + MORE_ROUNDS / 2);
	free(memory);
}
END_TEST

/* ---- what is printed -------------------------------------------------------------------- */

static char *printed(const struct stepping_estimate *estimate, bool json)
{
	char *text = PRINTED(file, (json ? stepping_print_json
					 : stepping_print_text)(file, "a\tprogram", estimate));
	return text;
}

#define OF(...) IN_BRACES(__VA_ARGS__)

static const struct {
	struct stepping_estimate given;
	const char *text, *json;
} said[] = {
	{ OF(.by = ESTIMATE_STEPPED), "steps: 7, counted in", "\"unknown\":[]" },
	{ OF(.by = ESTIMATE_TIME, .steps_low = 3), "steps: 3 to 7; the first 0 were counted",
	  "\"steps\":7,\"steps_low\":3,\"steps_high\":7," },
	{ OF(.by = ESTIMATE_TIME, .steps_low = 3, .step_ns = 1e9),
	  "it would take 3.0 to 7.0 s: at most 7 points",
	  "\"seconds\":7.0,\"seconds_low\":3.0,\"seconds_high\":7.0," },
	{ OF(.by = ESTIMATE_TIME, .steps_low = 3, .step_ns = 1e10),
	  "no --every for certain, perhaps --every=1; --limit=6",
	  "\"every_for_a_minute\":null,\"every_for_a_minute_low\":1," },
	{ OF(.by = ESTIMATE_TIME, .steps_low = 3, .step_ns = 1e11),
	  "no --every, the steps alone take longer; --limit=1\n",
	  "\"every_for_a_minute\":null,\"every_for_a_minute_low\":null," },
	{ OF(.by = ESTIMATE_TIME, .steps_low = 3, .step_ns = 5e9, .point_ns = 1e10),
	  "ends in a minute: --every=3, perhaps --every=1;",
	  "\"every_for_a_minute\":3,\"every_for_a_minute_low\":1," },
	{ OF(.by = ESTIMATE_TIME), "not known: how many steps there are",
	  "\"unknown\":[\"guessed\"]" },
	{ OF(.by = ESTIMATE_NONE, .native.endless = true), "no --every that is known",
	  "\"unknown\":[\"endless\"]" },
	{ OF(.by = ESTIMATE_STEPPED, .input_is_empty = true), "not known: standard input",
	  "\"unknown\":[\"input\"]" },
	{ OF(.by = ESTIMATE_STEPPED, .children = 3), "not known: processes that it makes",
	  "\"children\":3" },
	{ OF(.by = ESTIMATE_STEPPED, .native.status = SIGSEGV, .status = SIGSEGV),
	  "not known: the unstepped run was ended by a signal", "\"unknown\":[\"died\"]" },
	{ OF(.by = ESTIMATE_STEPPED, .status = 256), "not known: the stepped run ended otherwise",
	  "\"unknown\":[\"differs\"]" },
	{ OF(.by = ESTIMATE_STEPPED, .from_missed = true), "not known: what --from names",
	  "\"unknown\":[\"from\"]" },
	{ OF(.by = ESTIMATE_NONE), "steps: not known", "\"steps\":null" },
	{ OF(.by = ESTIMATE_NONE), "no --every", "\"points\":null,\"seconds\":null" },
	{ OF(.by = ESTIMATE_STEPPED, .steps = 7, .step_ns = 1e10),
	  "no --every, the steps alone take longer", "\"every_for_a_minute\":null" },
};

START_TEST(what_is_not_known_is_said)
{
	struct stepping_estimate estimate = said[_i].given;
	char *text, *json;

	estimate.steps = 7;
	estimate.every = 1;
	stepping_estimate_derive(&estimate);
	text = printed(&estimate, false);
	json = printed(&estimate, true);
	ck_assert_msg(strstr(text, said[_i].text), "%s", text);
	ck_assert_msg(strstr(json, said[_i].json), "%s", json);
	if (strstr(said[_i].json, "[]"))
		ck_assert_ptr_null(strstr(text, "not known"));
	free(text);
	free(json);
}
END_TEST

/* ---- runs ------------------------------------------------------------------------------- */

/* A few instructions, of which the first argument's letter says what they are for: e exits with 3, s kills itself
 * by SIGSEGV, i and t send the parent SIGINT or SIGTERM, and wait; and f does the former the second time, if the file
 * that is named next is there. */
static const char letters[] = START
	"mov rbx, [rsp + 16]\nmovzx ebx, byte ptr [rbx]\n"
	"cmp bl, 'e'\nje exit3\ncmp bl, 's'\nje self\ncmp bl, 'i'\nje int\ncmp bl, 't'\nje term\n"
	"mov rdi, [rsp + 24]\nmov esi, 0xc1\nmov edx, 0600\nmov eax, 2\nsyscall\n"
	"test eax, eax\njs int\n" EXIT "exit3: mov eax, 60\nmov edi, 3\nsyscall\n"
	"self: mov eax, 39\nsyscall\nmov esi, 11\njmp kill\n"
	"int: mov esi, 2\njmp parent\nterm: mov esi, 15\n"
	"parent: mov eax, 110\nsyscall\n"
	"kill: mov edi, eax\nmov eax, 62\nsyscall\n1: mov eax, 34\nsyscall\njmp 1b\n";

static char program[FOLDER_PATH];

static void begin(void)
{
	folder_make();
	make_program(folder_path(program, "letters"), letters);
}

#define LETTERS "letters" /* in cases: the program */

#define ARGUMENTS(...) .argument = { __VA_ARGS__ }
#define SAYS(...)      .says = { __VA_ARGS__ }

static const struct {
	const char *name, *argument[6];
	int status;
	const char *says[3];
} runs[] = {
	{ "how_it_ended", ARGUMENTS("--json", LETTERS, "e"), 0,
	  SAYS("{\"type\":\"estimate\"", "\"native_status\":768", "\"every\":1,") },
	{ "a_signal", ARGUMENTS("--json", LETTERS, "s"), 0,
	  SAYS("\"native_status\":11", "\"died\"", "\"threads\":1") },
	{ "never", ARGUMENTS("--json", "--timeout=1", "sleep", "1000"), 99,
	  SAYS("\"native_status\":null", "\"partial\":\"timeout\"",
	       "sleep: the unstepped run was killed after 1000 ms") },
	{ "never_for_people", ARGUMENTS("--timeout=1", "sleep", "1000"), 99,
	  SAYS("sleep: unstepped ", "ends in a minute: no --every that is known; --limit=",
	       "sleep: the unstepped run was killed after 1000 ms") },
	{ "its_costs", ARGUMENTS("--json", "--timeout=1", "sleep", "1000"), 99,
	  SAYS("\"steps_by\":\"none\"", "\"limit_for_a_minute\":", "\"exit_status\":99}") },
	{ "unstepped_then_interrupted", ARGUMENTS("--json", LETTERS, "i"), 99,
	  SAYS("\"steps\":0,\"steps_low\":null", "\"partial\":\"interrupted\"",
	       "/letters: the run was ended by SIGINT; it had not made a step") },
	{ "for_people", ARGUMENTS(LETTERS, "t"), 99,
	  SAYS("/letters: the run was ended by SIGTERM; it had not made a step", "", "") },
	{ "input", ARGUMENTS("--json", "cat"), 0,
	  SAYS("\"native_status\":0", "\"input\"", "\"step_ns\":") },
	{ "nothing_to_run", ARGUMENTS("--json", "/no/such/program"), 3,
	  SAYS("No such file", "", "") },
};

START_TEST(a_program_is_estimated)
{
	char *arguments[10] = { "truth", "--estimate" };
	int status, ends[2], before = dup(STDIN_FILENO);
	char *output;

	for (int i = 0; i < COUNT(runs[_i].argument) && runs[_i].argument[i]; i++)
		arguments[i + 2] = strcmp(runs[_i].argument[i], LETTERS)
					   ? (char *)runs[_i].argument[i]
					   : program;
	ck_assert(!pipe(ends));
	dup2(ends[0], STDIN_FILENO); /* nobody writes there */
	output = command_output(command_truth, arguments, &status);
	dup2(before, STDIN_FILENO);
	ck_assert_msg(status == runs[_i].status, "%s: %d: %s", runs[_i].name, status, output);
	for (int i = 0; i < COUNT(runs[_i].says); i++)
		ck_assert_msg(strstr(output, runs[_i].says[i]), "%s: lacks %s: %s", runs[_i].name,
			      runs[_i].says[i], output);
	/* Nor is there an estimate of what was not run. */
	ck_assert_msg(!strstr(output, "\"type\"") ==
			      (runs[_i].status == 3 || strcmp(runs[_i].argument[0], "--json")),
		      "%s: %s", runs[_i].name, output);
	/* To people nothing is said of what was not estimated. */
	if (strstr(output, "ended by SIG") && strcmp(runs[_i].argument[0], "--json"))
		ck_assert_msg(!strstr(output, "unstepped "), "%s: %s", runs[_i].name, output);
	free(output);
	close(before);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

/* Its output is to a disk that is full. */
static int truth_to_full(int argc, char **argv)
{
	ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
	return command_truth(argc, argv);
}

START_TEST(what_can_t_be_said_is_no_success)
{
	char *arguments[] = { "truth", "--estimate", program, "e", NULL };
	int status;

	free(command_output(truth_to_full, arguments, &status));
	ck_assert_int_eq(status, 99);
}
END_TEST

/* A program whose second run, which is stepped, sends the signal. The first leaves a file. */
START_TEST(counting_is_interrupted)
{
	char file[sizeof(folder) + 16];
	char *arguments[] = { "truth", "--estimate", "--json", program, "f", file, NULL };
	char *output;
	int status;

	snprintf(file, sizeof(file), "%s/run", folder);
	output = command_output(command_truth, arguments, &status);
	ck_assert_int_eq(unlink(file), 0);
	ck_assert_msg(status == 99, "%d: %s", status, output);
	ck_assert_msg(strstr(output, "\"native_status\":0") &&
			      strstr(output, "\"partial\":\"interrupted\"") &&
			      strstr(output, "\"ended_at\":\"") &&
			      strstr(output, "/letters: the run was ended by SIGINT; after ") &&
			      !strstr(output, "\"steps\":0,") && !strstr(output, "step_ns"),
		      "%s", output);
	free(output);
}
END_TEST

static enum engine_answer walk_interrupted(void *engine, const struct point *point,
					   struct stack *ret, struct error *error)
{
	static bool sent;

	if (!sent)
		kill(getpid(), SIGINT);
	sent = true;
	return engine_cfi.walk(engine, point, ret, error);
}

/* The last that is done: the program's own run is over. */
START_TEST(measuring_is_interrupted)
{
	char *argv[] = { "true", NULL };
	const struct tracer_options options = { .argv = argv, .ended_by_signals = true };
	struct engine engine = engine_cfi;
	const struct compare_options engines = { .engine = { &engine }, .engine_count = 1 };
	struct stepping_estimate estimate;
	struct error why;

	engine.walk = walk_interrupted;
	ck_assert_int_eq(stepping_estimate(&options, &engines, &estimate, &why), -1);
	ck_assert_str_eq(estimate.cut.early.message, "the run was ended by SIGINT");
	ck_assert_str_eq(run_cut_word(&estimate.cut), "interrupted");
	ck_assert(!estimate.measured && estimate.cut.place[0]);
	ck_assert_uint_gt(estimate.cut.steps, 0);
	ck_assert_uint_eq(estimate.cut.steps, estimate.stepped);
}
END_TEST

static int interrupted_before(int argc, char **argv)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGINT);
	return command_truth(argc, argv);
}

/* It is there before the first run has begun. */
START_TEST(at_once)
{
	char *arguments[] = { "truth", "--estimate", "--json", "sleep", "1000", NULL };
	int status;
	char *output = command_output(interrupted_before, arguments, &status);

	ck_assert_msg(status == 99 && strstr(output, "\"partial\":\"interrupted\"") &&
			      strstr(output, "sleep: the run was ended by SIGINT"),
		      "%d: %s", status, output);
	free(output);
}
END_TEST

/* What is measured with engines is a process whose images are known. */
START_TEST(engines_see_the_function)
{
	char *arguments[] = {
		"compare", "--estimate", "--engine=cfi,libdw", "--json", "true", NULL
	};
	int status;
	char *output = command_output(command_compare, arguments, &status);

	ck_assert_msg(status == 0 && strstr(output, "{\"type\":\"estimate\""), "%d: %s", status,
		      output);
	free(output);
}
END_TEST

/* Whether ptrace is permitted here. */
static bool may_trace(struct error *error)
{
	char *argv[] = { "true", NULL };
	struct tracer_options options = { .argv = argv, .from = "_start", .point_limit = 1 };
	struct tracer_callbacks callbacks = { 0 };
	struct tracer_counters counters;
	int status;

	return !tracer_run(&options, &callbacks, &counters, &status, error) ||
	       error->code != ERROR_UNAVAILABLE;
}

SUITE_MAIN(stepping_estimate)
{
	struct error error = { 0 };
	Suite *suite = suite_create("stepping_estimate");
	TCase *tcase = tcase_create("stepping_estimate");

	tcase_add_unchecked_fixture(tcase, begin, folder_remove);
	tcase_set_timeout(tcase, 240);
	tcase_add_loop_test(tcase, what_follows, 0, COUNT(derived));
	tcase_add_test(tcase, every_ends_in_a_minute);
	tcase_add_loop_test(tcase, a_guess_has_two_ends, 0, COUNT(guesses));
	tcase_add_test(tcase, the_upper_end_decides);
	tcase_add_loop_test(tcase, what_is_not_known_is_said, 0, COUNT(said));
	if (may_trace(&error)) {
		tcase_add_loop_test(tcase, the_loops_steps_are_as_said, 0, COUNT(loops));
		tcase_add_test(tcase, what_can_t_be_said_is_no_success);
		tcase_add_test(tcase, counting_is_interrupted);
		tcase_add_test(tcase, at_once);
		tcase_add_test(tcase, measuring_is_interrupted);
		tcase_add_loop_test(tcase, a_program_is_estimated, 0, COUNT(runs));
		tcase_add_test(tcase, engines_see_the_function);
	} else {
		printf("SKIP: %s\n", error.message);
	}
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
