/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_ending.c - compare of programs that don't come to their end, and of those that do
 *
 * What was found is printed whatever ends the run, and marked if it is not all. The test runs
 * itself under `compare`, as a program that does what the environment says: it never ends, kills
 * itself, interrupts who compares it. Where ptrace is not permitted it prints SKIP and the reason.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/command_output.h"
#include "judge/compare/comparer.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"
#include "truth/tracer/tests/own_program.h"

#define TRACEE	      "STACKPROOF_TEST_TRACEE"
#define OWN	      "/proc/self/exe" /* in cases: own_program() */
#define KILLED_AT     100	       /* points */
#define ARGUMENTS_MAX 8

/* ---- the program ------------------------------------------------------------------------ */

static __attribute__((noipa)) int deep(int depth)
{
	volatile int kept = depth;

	return depth ? deep(depth - 1) + kept : kept;
}

static void make_child(void)
{
	if (fork() == 0)
		_exit(0);
}

/* To start from, in vain. */
__attribute__((noipa, used)) static void tracee_never_called(void)
{
}

static __attribute__((noipa)) int tracee(const char *what)
{
	deep(30);
	if (strcmp(what, "exit") == 0) {
		make_child();
		make_child();
		return 3;
	}
	if (strcmp(what, "interrupt") == 0)
		kill(getppid(), SIGINT);
	if (strcmp(what, "terminate") == 0)
		kill(getppid(), SIGTERM);
	if (strcmp(what, "fault") == 0)
		raise(SIGSEGV);
	if (strcmp(what, "kill") == 0)
		raise(SIGKILL);
	for (;;)
		deep(20);
}

/* ---- what compare says ------------------------------------------------------------------ */

/* Its output is to a disk that is full. */
static int compare_to_full(int argc, char **argv)
{
	ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
	return command_compare(argc, argv);
}

/* Opens the file for reading, which waits until it is opened for writing, and gives whom ^C's signal. Whom has it open
 * for reading, too: nobody need read what little is written. */
static void signal_writer(const char *file, pid_t whom)
{
	if (fork())
		return;
	if (fork())
		_exit(0); /* nobody's child: the tracer would wait for it */

	open(file, O_RDONLY);
	kill(whom, SIGINT);
	_exit(0);
}

/* The signal comes while the command opens its files: nothing was begun yet. */
static int compare_signalled(int argc, char **argv)
{
	char folder[] = "/tmp/test_compare_ending.XXXXXX", stacks[64], option[80];
	char *arguments[ARGUMENTS_MAX + 5] = { argv[0], option };
	int status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(stacks, sizeof(stacks), "%s/stacks", folder);
	snprintf(option, sizeof(option), "--stacks=%s", stacks);
	ck_assert(!mkfifo(stacks, 0600));
	int held = open(stacks, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(held, 0);
	memcpy(arguments + 2, argv + 1, argc * sizeof(*argv));
	signal_writer(stacks, getpid());
	wait(NULL);
	status = command_compare(argc + 1, arguments);
	close(held);
	unlink(stacks);
	rmdir(folder);
	return status;
}

/* When the first program's recording is there, gives whom ^C's signal, who is waiting for a reader of the second's; and
 * is that. */
static void signal_between(const char *first, const char *second, pid_t whom)
{
	char bytes[4096];
	int fd;

	if (fork())
		return;
	if (fork())
		_exit(0);

	alarm(100);
	while (access(first, F_OK))
		usleep(1000);
	kill(whom, SIGINT);
	fd = open(second, O_RDONLY);
	while (read(fd, bytes, sizeof(bytes)) > 0)
		;
	_exit(0);
}

/* The signal comes when one program has ended, and the next has not begun. */
static int compare_signalled_between(int argc, char **argv)
{
	char recordings[] = "/tmp/test_compare_ending.XXXXXX", first[64], second[128], option[80];
	const char *name = strrchr(own_program(), '/');
	/* Points in main alone: those of start-up code, which has no CFI, may be findings. */
	char *arguments[] = { argv[0],	option,	     "--engine=cfi", "--from=main", "--limit=3",
			      "--each", "/bin/true", argv[argc - 1], NULL };
	int status;

	ck_assert_ptr_nonnull(mkdtemp(recordings));
	snprintf(first, sizeof(first), "%s/true.recording", recordings);
	snprintf(second, sizeof(second), "%s/%s.recording", recordings, name + 1);
	snprintf(option, sizeof(option), "--record=%s", recordings);
	ck_assert(!mkfifo(second, 0600));
	signal_between(first, second, getpid());
	wait(NULL);
	status = command_compare(COUNT(arguments) - 1, arguments);
	unlink(first);
	unlink(second);
	rmdir(recordings);
	return status;
}

#define ARGUMENTS(...) .arguments = { __VA_ARGS__ }
#define SAYS(...)      .says = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *tracee;
	int (*command)(int, char **);
	const char *arguments[ARGUMENTS_MAX];
	int status;
	const char *says[3]; /* first: what it begins with, or "" */
	const char *never;
} cases[] = {
	{ "whole_run_says_how_it_ended",
	  "exit",
	  command_compare,
	  ARGUMENTS("--from=tracee"),
	  EXIT_FINDINGS, /* fork's and exit's system calls have no CFI */
	  { OWN " on ", "the program exited with status 3",
	    "2 processes that it made were not followed" },
	  "PARTIAL" },
	{ "signal_is_named", "fault", command_compare, ARGUMENTS("--from=tracee"), EXIT_OK,
	  SAYS(OWN " on ", "was ended by SIGSEGV", " points in a second"), "PARTIAL" },
	{ "limit_is_no_part", "loop", command_compare, ARGUMENTS("--from=tracee", "--limit=300"),
	  EXIT_OK, SAYS(OWN " on ", "--limit", "exact 300,"), "PARTIAL" },
	{ "timeout_prints_what_was_found", "loop", command_compare,
	  ARGUMENTS("--from=tracee", "--timeout=2"), EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (timeout): ", "verdicts: exact ", "the program was killed after "),
	  "exact 0," },
	{ "timeout_in_json", "loop", command_compare,
	  ARGUMENTS("--from=tracee", "--timeout=2", "--json"), EXIT_ENVIRONMENT,
	  SAYS("{", "\"partial\":\"timeout\"", "\"partial_message\":\"the program was killed"),
	  "\"points\":0," },
	{ "timeout_before_the_first_point", "loop", command_compare,
	  ARGUMENTS("--from=tracee", "--every=1000000000", "--timeout=1"), EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (timeout): the program was killed", "a second, it was at ",
	       "checked: 0 points; nothing was checked"),
	  "exact 1" },
	{ "timeout_before_the_first_point_in_json", "loop", command_compare,
	  ARGUMENTS("--from=tracee", "--every=1000000000", "--timeout=1", "--json"),
	  EXIT_ENVIRONMENT, SAYS("{\"type\":", "\"partial\":\"timeout\"", "\"ended_at\":\""),
	  "\"exit_status\":0" },
	{ "timeout_before_what_is_named_is_reached", "loop", command_compare,
	  ARGUMENTS("--from=tracee_never_called", "--every=7", "--timeout=1"), EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (timeout): ", ", and had not come to tracee_never_called (--from)",
	       "verdicts: exact 0,"),
	  "exact 1" },
	{ "interrupted", "interrupt", command_compare, ARGUMENTS("--from=tracee"), EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (interrupted): ", "ended by SIGINT", "verdicts: exact "), "exact 0," },
	{ "interrupted_before_the_run", "loop", compare_signalled, ARGUMENTS("--from=tracee"),
	  EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (interrupted): ", "ended by SIGINT; it had not made a step",
	       "0 points of 0 steps"),
	  "exact 1" },
	{ "interrupted_in_json", "interrupt", command_compare,
	  ARGUMENTS("--from=tracee_never_called", "--json"), EXIT_ENVIRONMENT,
	  SAYS("{\"type\":", "\"partial\":\"interrupted\"",
	       "and had not come to tracee_never_called (--from)\",\"steps\":"),
	  "\"exit_status\":0" },
	{ "terminated", "terminate", command_compare, ARGUMENTS("--from=tracee"), EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (interrupted): ", "ended by SIGTERM", "verdicts: exact "), "exact 0," },
	{ "after_an_interruption_nothing_is_begun", "interrupt", command_compare,
	  ARGUMENTS("--from=tracee", "--each", OWN), EXIT_ENVIRONMENT,
	  SAYS("{", "\"partial\":\"interrupted\"", "\"type\":\"end\""),
	  "\"timed_out\":false}\n{\"type\":\"begin\"" },
	{ "interrupted_between_two", "loop", compare_signalled_between, ARGUMENTS("--from=tracee"),
	  EXIT_ENVIRONMENT,
	  SAYS("{\"type\":\"begin\",\"program\":\"/bin/true\"}\n",
	       "\"message\":\"\",\"timed_out\":false}\n{\"type\":\"begin\"",
	       "the run was ended by SIGINT; it had not made a step"),
	  "\"timed_out\":true" },
	{ "each_has_the_time", "loop", command_compare,
	  ARGUMENTS("--from=tracee", "--timeout=1", "--each", OWN), EXIT_ENVIRONMENT,
	  SAYS("{", "\"timed_out\":true}\n{\"type\":\"begin\"", "\"timed_out\":true}\n"),
	  "\"timed_out\":false" },
	{ "killed", "kill", command_compare, ARGUMENTS("--from=tracee"), EXIT_ENVIRONMENT,
	  SAYS("PARTIAL (killed): ", "was ended by SIGKILL", "verdicts: exact "), "exact 0," },
	{ "full_disk_is_said", "exit", compare_to_full, ARGUMENTS("--from=tracee"),
	  EXIT_ENVIRONMENT, SAYS("", "could not be written", "No space left"), "verdicts" },
	{ "aslr_is_on_or_off", "loop", command_compare, ARGUMENTS("--aslr=perhaps"), EXIT_USAGE,
	  SAYS("", "on or off", ""), "verdicts" },
};

#define TIMEOUT_MAX_S 32

/* The time was up before the first step; or, of a case with two seconds, before a part of the result was found, which
 * it wants. */
static bool is_too_slow(const char *const *arguments, int status, const char *output)
{
	if (status != EXIT_ENVIRONMENT || !strstr(output, "was killed after"))
		return false;
	if (strstr(output, "it had not made a step"))
		return true;
	return arguments[1] && !strcmp(arguments[1], "--timeout=2") &&
	       (strstr(output, "\"points\":0,") || strstr(output, ": 0 points of ") ||
		!(strstr(output, "PARTIAL") || strstr(output, "\"partial\":\"timeout\"")));
}

/* The command's output, to be freed. A busy machine may need all the time that there was for less than a step, or a
 * point: then it gets more. */
static char *output_in_time(int (*command)(int, char **), char **arguments,
			    const char *const *wished, int *ret_status)
{
	char *output = command_output(command, arguments, ret_status), timeout[32];
	char **given = arguments;

	while (*given && strncmp(*given, "--timeout=", 10))
		given++;
	for (int seconds = 4;
	     *given && seconds <= TIMEOUT_MAX_S && is_too_slow(wished, *ret_status, output);
	     seconds *= 2) {
		free(output);
		snprintf(timeout, sizeof(timeout), "--timeout=%d", seconds);
		*given = timeout;
		output = command_output(command, arguments, ret_status);
	}
	return output;
}

/* expected calls the test's own program OWN. */
static bool begins_with(const char *output, const char *expected)
{
	const char *program = own_program();

	if (strncmp(expected, OWN, strlen(OWN)) == 0 &&
	    strncmp(output, program, strlen(program)) == 0) {
		expected += strlen(OWN);
		output += strlen(program);
	}
	return strncmp(output, expected, strlen(expected)) == 0;
}

START_TEST(ending_is_said)
{
	char *arguments[ARGUMENTS_MAX + 4] = { "compare", "--engine=cfi" };
	const char *name = cases[_i].name;
	int count = 2, status;

	for (int i = 0; cases[_i].arguments[i]; i++) {
		bool is_own = strcmp(cases[_i].arguments[i], OWN) == 0;

		arguments[count++] = (char *)(is_own ? own_program() : cases[_i].arguments[i]);
	}
	arguments[count++] = (char *)own_program();
	setenv(TRACEE, cases[_i].tracee, 1);

	char *output = output_in_time(cases[_i].command, arguments, cases[_i].arguments, &status);

	ck_assert_msg(status == cases[_i].status, "%s: %d: %.3000s", name, status, output);
	ck_assert_msg(begins_with(output, cases[_i].says[0]), "%s: %.3000s", name, output);
	for (int i = 1; i < COUNT(cases[_i].says); i++)
		ck_assert_msg(strstr(output, cases[_i].says[i]), "%s: %.3000s", name, output);
	ck_assert_msg(!strstr(output, cases[_i].never), "%s: %.3000s", name, output);
	free(output);
}
END_TEST

/* ---- truth ------------------------------------------------------------------------------ */

static const struct {
	const char *name, *tracee, *from;
	const char *says[5];
} truths[] = {
	{ "timeout_before_what_is_named_is_reached", "loop", "--from=tracee_never_called",
	  SAYS("{\"type\":\"truth\",", "\"written\":false,\"whole\":false,\"gap\":\"timeout\"",
	       ",\"points\":0,", ", and had not come to tracee_never_called (--from)",
	       "\"ended_at\":\"") },
	{ "interrupted_before_what_is_named_is_reached", "interrupt", "--from=tracee_never_called",
	  SAYS("{\"type\":\"truth\",", "\"written\":false,\"whole\":false,\"gap\":\"interrupted\"",
	       ",\"points\":0,", "\"exit_status\":99", "\"ended_at\":\"") },
	{ "killed_before_what_is_named_is_reached", "kill", "--from=tracee_never_called",
	  SAYS("{\"type\":\"truth\",", "\"written\":false,\"whole\":false,\"gap\":\"killed\"",
	       ",\"points\":0,", "\"exit_status\":99", "\"steps\":") },
	{ "interrupted_with_points", "interrupt", "--from=tracee",
	  SAYS("", "\"whole\":false,", "\"ended_at\":\"", "\"partial\":\"interrupted\"",
	       "\"steps\":") },
};

START_TEST(sample_that_is_cut_short_says_so)
{
	char *arguments[] = { "sample", "--json", (char *)own_program(), NULL };
	int status;
	char *output;

	setenv(TRACEE, "interrupt", 1);
	output = command_output(command_sample, arguments, &status);
	if (status == EXIT_SKIPPED)
		printf("SKIP: %s\n", output);
	else
		ck_assert_msg(status == EXIT_ENVIRONMENT &&
				      strstr(output, "{\"type\":\"sample_total\",") &&
				      strstr(output,
					     "\"message\":\"the run was ended by SIGINT; after ") &&
				      strstr(output, "\"partial\":\"interrupted\"") &&
				      strstr(output, "\"steps\":"),
			      "%d: %s", status, output);
	free(output);
}
END_TEST

START_TEST(truth_that_is_cut_short_is_an_object)
{
	char path[] = "/tmp/test_compare_ending.XXXXXX", output_option[64];
	int fd = mkstemp(path), status;
	char *arguments[] = { "truth",	     "--json",	    (char *)truths[_i].from,
			      "--timeout=2", output_option, (char *)own_program(),
			      NULL };
	const char *name = truths[_i].name;

	ck_assert_int_ge(fd, 0);
	close(fd);
	snprintf(output_option, sizeof(output_option), "--output=%s", path);
	/* Only what never ends is to be ended by the time. */
	if (strcmp(truths[_i].tracee, "loop") != 0)
		arguments[3] = "--timeout=100";
	setenv(TRACEE, truths[_i].tracee, 1);

	char *output = output_in_time(command_truth, arguments, (const char *const[2]) { NULL },
				      &status);

	unlink(path);
	ck_assert_msg(status == EXIT_ENVIRONMENT, "%s: %d: %.3000s", name, status, output);
	for (int i = 0; i < COUNT(truths[_i].says); i++)
		ck_assert_msg(strstr(output, truths[_i].says[i]), "%s: lacks %s: %s", name,
			      truths[_i].says[i], output);
	free(output);
}
END_TEST

/* ---- points that can't be read ---------------------------------------------------------- */

/* Kills the program at one of its points, and only then has the point looked at. */
struct killing {
	struct comparer *comparer;
	struct comparison result;
	uint64_t points;
	int status;
};

static int kill_then_compare(void *context, const struct trace_stop *stop, struct error *error)
{
	struct killing *killing = context;
	struct comparer *comparer = killing->comparer;

	if (killing->points++ == 0)
		ck_assert(!address_space_read(&comparer->space, comparer->store, stop->pid, error));
	if (killing->points < KILLED_AT)
		return 0;
	kill(stop->pid, SIGKILL);
	while (thread_has_memory(stop->tid))
		usleep(1000);
	killing->status = compare_point(comparer, stop, error);
	return 0;
}

/* All of it is still asked; no engine is scored by it, and nobody accused. */
START_TEST(point_of_a_killed_thread_is_nobodys_fault)
{
	char *argv[] = { (char *)own_program(), NULL };
	const struct tracer_options options = { .argv = argv,
						.from = "tracee",
						.timeout_ms = 600000 };
	const struct compare_options engines = { .engine = { &engine_cfi, &engine_libunwind },
						 .engine_count = 2 };
	struct killing killing = { .status = -1 };
	const struct tracer_callbacks callbacks = { .on_stop = kill_then_compare,
						    .context = &killing };
	struct tracer_counters counters;
	struct error error;
	int status;

	ck_assert_msg(!comparer_create(&engines, &killing.comparer, &error), "%s", error.message);
	killing.comparer->result = &killing.result;
	killing.result.engine_count = engines.engine_count;
	for (size_t i = 0; i < engines.engine_count; i++)
		killing.result.engine[i] = killing.comparer->engine[i];
	setenv(TRACEE, "loop", 1);
	ck_assert(!tracer_run(&options, &callbacks, &counters, &status, &error));
	ck_assert_int_eq(counters.ending, TRACER_KILLED);
	ck_assert_uint_eq(counters.points, KILLED_AT);
	ck_assert_int_eq(killing.status, 0);
	ck_assert_uint_eq(killing.result.unread, 1);
	ck_assert_uint_eq(killing.result.points, 0);
	ck_assert_uint_eq(killing.result.findings.count, 0);
	for (size_t i = 0; i < engines.engine_count; i++) {
		ck_assert_uint_eq(killing.result.engine[i].score.points, 0);
		ck_assert_uint_eq(killing.result.engine[i].score.silent, 0);
	}
	comparison_deinit(&killing.result);
	comparer_destroy(killing.comparer);
}
END_TEST

static void on_evidence(void *context, const struct evidence *evidence)
{
	int *points = context;
	const struct trace_stop *stop = evidence->point->stop;

	if (++*points < KILLED_AT)
		return;
	kill(stop->pid, SIGKILL);
	while (thread_has_memory(stop->tid))
		usleep(1000);
}

/* Sees where the thread is, and nothing of its memory. */
static int open_blind(struct bpf_records *records, void **ret, struct error *error)
{
	*ret = NULL;
	return 0;
}

static void close_blind(void *context)
{
}

static enum engine_answer walk_blind(void *context, const struct point *point, struct stack *ret,
				     struct error *error)
{
	stack_clear(ret);
	ret->stop = STOP_FOREIGN;
	return stack_push(ret, point->regs->value[REGISTER_RIP], error) ? ENGINE_ERROR
									: ENGINE_STACK;
}

static const struct engine engine_blind = {
	.name = "blind", .open = open_blind, .close = close_blind, .walk = walk_blind
};

/* Killed between the walks, which were right, and the verdict: what they found counts. An engine that
 * comes later and sees nothing is not scored by it. */
START_TEST(point_that_was_right_when_it_was_read_counts)
{
	char *argv[] = { (char *)own_program(), NULL };
	const struct tracer_options options = { .argv = argv,
						.from = "tracee",
						.timeout_ms = 600000 };
	int points = 0;
	const struct compare_options engines = { .engine = { &engine_cfi, &engine_blind },
						 .engine_count = 2,
						 .on_evidence = on_evidence,
						 .context = &points };
	struct comparer *comparer;
	struct comparison comparison;
	struct error error;

	ck_assert_msg(!comparer_create(&engines, &comparer, &error), "%s", error.message);
	setenv(TRACEE, "loop", 1);
	ck_assert(!comparer_run_far(comparer, &options, &comparison));
	ck_assert_str_eq(run_cut_word(&comparison.cut), "killed");
	ck_assert_uint_eq(comparison.points, KILLED_AT);
	ck_assert_uint_eq(comparison.verdict[VERDICT_EXACT], KILLED_AT);
	ck_assert_uint_eq(comparison.unread, 0);
	ck_assert_uint_eq(comparison.findings.count, 0);
	ck_assert_uint_eq(comparison.engine[0].score.match[MATCH_EXACT], KILLED_AT);
	ck_assert_uint_eq(comparison.engine[1].score.points, KILLED_AT - 1);
	ck_assert_uint_eq(comparison.engine[1].score.match[MATCH_TRUNCATED], KILLED_AT - 1);
	ck_assert_uint_eq(comparison.engine[1].score.silent, 0);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
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

SUITE_MAIN(compare_ending)
{
	struct error error = { 0 };

	if (getenv(TRACEE))
		return tracee(getenv(TRACEE));
	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return EXIT_SUCCESS;
	}

	Suite *suite = suite_create("compare_ending");
	TCase *tcase = tcase_create("compare_ending");

	tcase_set_timeout(tcase, 240);
	tcase_add_loop_test(tcase, ending_is_said, 0, COUNT(cases));
	tcase_add_test(tcase, sample_that_is_cut_short_says_so);
	tcase_add_loop_test(tcase, truth_that_is_cut_short_is_an_object, 0, COUNT(truths));
	tcase_add_test(tcase, point_of_a_killed_thread_is_nobodys_fault);
	tcase_add_test(tcase, point_that_was_right_when_it_was_read_counts);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
