/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_costs.c - intervals by hand, profilers that are shell commands, and what profiles say of new processes
 */
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include "tests/suite.h"
#include "base/child/child.h"
#include "base/cli/tests/own_files.h"
#include "lab/bench/bench.h"
#include "lab/costs/costs.h"

#define QUIET_S 300 /* more than any case takes on a busy machine */
#define ANSWERS(text)                                                                              \
	"trap 'echo " text " >{out}; exit 0' INT; while :; do sleep 0.02; done # {rate}"

static const struct ending_signals no_signals = { .fd = -1 };
static const struct costs_work no_work;

/* ---- intervals ------------------------------------------------------------------------------ */

/*
 * Of 6 pairs only the empty set of ranks has the sum 0: 2 * 1/64. With 7, sums up to 2 have 3 sets of 128 ({}, {1}, {2});
 * with 8, up to 3 have 5 of 256 ({1, 2}, too). Then the bounds are the first, third and fourth of the means of two.
 */
#define OF(...) .value = { __VA_ARGS__ }
#define IS(...) .expected = { __VA_ARGS__ }
static const struct {
	const char *name;
	unsigned int count;
	double value[10];
	struct costs_interval expected;
	bool told_apart;
} intervals[] = {
	{ "six_have_the_least_and_the_most", 6, OF(4, 1, 6, 2, 5, 3), IS(3.5, 1, 6, 0.96875),
	  true },
	{ "seven_leave_two_means_out", 7, OF(1, 2, 3, 4, 5, 6, 7), IS(4, 2, 6, 0.953125), true },
	{ "eight_leave_three_out", 8, OF(8, 7, 6, 5, 4, 3, 2, 1), IS(4.5, 2, 7, 0.9609375), true },
	{ "one_spoilt_pair_moves_nothing_but_the_bound", 6, OF(1, 1, 1, 1, 1, 100),
	  IS(1, 1, 100, 0.96875), true },
	{ "less_time_is_told_apart", 6, OF(-1, -2, -3, -4, -5, -6), IS(-3.5, -6, -1, 0.96875),
	  true },
	{ "zero_within", 6, OF(-1, 2, 3, 4, 5, 6), IS(3.5, -1, 6, 0.96875), false },
	{ "zero_is_the_bound", 6, OF(0, 2, 3, 4, 5, 6), IS(3.5, 0, 6, 0.96875), false },
};

START_TEST(interval_is_that_of_hand)
{
	struct costs_interval got, expected = intervals[_i].expected;
	struct error error;

	ck_assert(!costs_interval(intervals[_i].value, intervals[_i].count, &got, &error));
	ck_assert_double_eq_tol(got.estimate, expected.estimate, 1e-9);
	ck_assert_double_eq_tol(got.low, expected.low, 1e-9);
	ck_assert_double_eq_tol(got.high, expected.high, 1e-9);
	ck_assert_double_eq_tol(got.confidence, expected.confidence, 1e-9);
	ck_assert_msg(costs_told_apart(&got) == intervals[_i].told_apart, "%s", intervals[_i].name);
}
END_TEST

/* As many as there may be: the bounds are in order, and sure enough. */
START_TEST(any_number_of_pairs_has_an_interval)
{
	double value[COSTS_PAIRS_MAX];
	struct costs_interval got;
	struct error error;

	for (int i = 0; i < COSTS_PAIRS_MAX; i++)
		value[i] = (i * 37) % COSTS_PAIRS_MAX;
	for (unsigned int count = COSTS_PAIRS_MIN; count <= COSTS_PAIRS_MAX; count++) {
		ck_assert(!costs_interval(value, count, &got, &error));
		ck_assert(got.confidence >= 0.95 && got.confidence < 0.98);
		ck_assert(got.low <= got.estimate && got.estimate <= got.high);
	}
	ck_assert(got.low > 10 && got.high < 40);
}
END_TEST

/* ---- commands ------------------------------------------------------------------------------- */

START_TEST(words_are_filled_in)
{
	struct error error;
	char *text FREED = costs_command_text("{stackproof} -F {rate} -o {out}{out} {x} {seconds}",
					      "/f", 97, 12, "/bin/s", &error);

	ck_assert_str_eq(text, "exec >'/f/said' 2>&1\n/bin/s -F 97 -o /f/profile/f/profile {x} 12");
	ck_assert(costs_command_is_whole("{rate}{out}"));
	ck_assert(!costs_command_is_whole("{rate}"));
	ck_assert(!costs_command_is_whole("{out} {seconds}"));
	for (const struct costs_profiler *known = costs_profilers; known->name; known++)
		ck_assert(costs_command_is_whole(known->command));
}
END_TEST

/* What a command's life comes to. check: before it is to end. */
static const struct {
	const char *name, *command;
	enum error_code check, end;
	const char *message;
} lives[] = {
	{ "writes_when_it_is_told_to", ANSWERS("profile"), 0, 0, "" },
	{ "writes_a_folder",
	  "trap 'mkdir {out}; echo 1234567 >{out}/a; exit' INT; while :; do sleep 0.02; done", 0, 0,
	  "" },
	{ "dies_of_sigint", "echo profile >{out}; exec sleep 100", 0, 0, "" },
	{ "leaves_its_session", "setsid sleep 100 & " ANSWERS("profile"), 0, 0, "" },
	{ "writes_nothing", "trap 'echo why; exit 4' INT; while :; do sleep 0.02; done", 0,
	  ERROR_PROTOCOL, "it wrote no profile: status 4 (why)" },
	{ "dies", "echo profile >{out}; trap 'kill -SEGV $$' INT; while :; do sleep 0.02; done", 0,
	  ERROR_PROTOCOL, "it wrote no profile: it died of SIGSEGV" },
	{ "ends_too_soon", "echo first; echo last >&2; exit 3", ERROR_PROTOCOL, 0,
	  "it ended before the work did: status 3 (last)" },
	{ "has_ended_well_too_soon", "echo profile >{out}", ERROR_PROTOCOL, 0,
	  "it ended before the work did: status 0" },
	{ "is_not_there", "exec no-such-profiler {out}", ERROR_UNAVAILABLE, 0,
	  "its command was not found" },
	{ "says_that_it_cannot", "exit 77", ERROR_UNAVAILABLE, 0, "it can't run here" },
};

static void await(const struct costs_running *running, enum error_code code, struct error *error)
{
	error->code = ERROR_NONE;
	for (int i = 0; i < (code ? QUIET_S * 50 : 25); i++) {
		if (costs_profiler_check(running, error))
			break;
		poll(NULL, 0, 20);
	}
	ck_assert_int_eq(error->code, code);
}

START_TEST(life_of_a_profiler)
{
	const struct costs_profiler profiler = { "x", lives[_i].command };
	struct costs_running running;
	struct costs_tree tree = { 0 };
	struct error error;
	uint64_t bytes = 0;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ck_assert(!costs_profiler_start(&running, &profiler, 97, 1, &error));
	await(&running, lives[_i].check, &error);
	if (!lives[_i].check) {
		error.code = ERROR_NONE;
		int status = costs_profiler_end(&running, &no_work, &no_signals, &bytes, &error);

		ck_assert_int_eq(status, lives[_i].end ? -1 : 0);
		ck_assert_int_eq(error.code, lives[_i].end);
		ck_assert(lives[_i].end || bytes == 8);
	}
	if (lives[_i].message[0])
		ck_assert_msg(!strncmp(error.message, lives[_i].message, strlen(lives[_i].message)),
			      "%s", error.message);
	costs_profiler_deinit(&running, &no_work);
	ck_assert(!costs_tree_read(&tree, &no_work, &error));
	ck_assert_uint_eq(tree.count, 0);
	costs_tree_deinit(&tree);
}
END_TEST

/* ---- processes ------------------------------------------------------------------------------ */

/* A child, its child, and one of the work's, which is none of the profiler's. */
START_TEST(tree_has_all_but_the_work)
{
	const char *const argv[] = { "/bin/sh", "-c", "sleep 100 & wait", NULL };
	const struct child_command command = { .argv = argv };
	struct costs_work work = { .running = 1 };
	struct costs_tree tree = { 0 };
	struct error error;
	pid_t pid = child_start(&command, NULL, &error);

	work.pid[0] = child_start(&command, NULL, &error);
	for (int i = 0; i < QUIET_S * 50 && tree.count != 2; i++) {
		poll(NULL, 0, 20);
		ck_assert(!costs_tree_read(&tree, &work, &error));
	}
	ck_assert_uint_eq(tree.count, 2);
	ck_assert_int_eq(tree.process[0].pid, pid);
	ck_assert_int_eq(tree.process[1].parent, pid);
	ck_assert(costs_tree_peak_bytes(&tree) > 100000);
	ck_assert(tree.process[0].cpu_ns > 0 && tree.process[0].cpu_ns < 10000000000ull);
	child_end(pid, true);
	child_end(work.pid[0], true);
	costs_tree_deinit(&tree);
}
END_TEST

START_TEST(time_is_what_was_used_since)
{
	struct costs_process before[] = { { .pid = 1, .cpu_ns = 100 }, { .pid = 2, .cpu_ns = 50 } };
	struct costs_process now[] = { { .pid = 2, .cpu_ns = 70 }, { .pid = 3, .cpu_ns = 5 } };
	const struct costs_tree trees[] = { { before, 2 }, { now, 2 } };

	ck_assert_uint_eq(costs_tree_cpu_ns(&trees[0], &trees[1]), 25);
	ck_assert_uint_eq(costs_tree_cpu_ns(&trees[0], &trees[0]), 0);
}
END_TEST

/* ---- new processes -------------------------------------------------------------------------- */

#define STACK "phases;_start;main;phases;"
static const struct {
	const char *name, *profile;
	unsigned int sample_ms, stack_ms; /* medians */
	uint64_t samples;
} firsts[] = {
	{ "the_least_counts",
	  STACK "until_0_200;spin 1\n" STACK "until_0_30;spin 2\n" STACK "until_1_50;spin 1\n" STACK
		"until_2_60 1\n",
	  50, 50, 5 },
	{ "without_main_it_is_no_whole_stack",
	  "phases;until_0_2;spin 1\n" STACK "until_0_30;spin 2\n" STACK "until_1_50 1\n" STACK
	  "until_2_60 1\n",
	  50, 50, 5 },
	{ "most_have_none", STACK "until_0_2 1\nphases;until_1_8 1\nphases;until_2_10;spin 1\n", 8,
	  0, 3 },
	{ "none", "other;main 7\n", 0, 0, 7 },
	{ "names_that_are_none", STACK "until_9_2 1\n" STACK "until_ 1\n" STACK "until_1 1\n", 0, 0,
	  3 },
};

START_TEST(first_stack_is_the_youngest)
{
	struct costs_first got;
	struct error error;

	folder_make();
	FILE *file = fopen(in_folder("profile"), "w");

	ck_assert_ptr_nonnull(file);
	fputs(firsts[_i].profile, file);
	fclose(file);
	ck_assert(!costs_first_read(in_folder("profile"), &got, &error));
	ck_assert_uint_eq(costs_first_median(got.sample_ms), firsts[_i].sample_ms);
	ck_assert_uint_eq(costs_first_median(got.stack_ms), firsts[_i].stack_ms);
	ck_assert_uint_eq(got.samples, firsts[_i].samples);
	ck_assert_str_eq(got.unread, "");
	folder_remove();
}
END_TEST

START_TEST(unreadable_profile_is_said)
{
	struct costs_first got;
	struct error error;

	folder_make();
	FILE *file = fopen(in_folder("profile"), "w");

	ck_assert_ptr_nonnull(file);
	fputs("neither this nor that", file);
	fclose(file);
	ck_assert(!costs_first_read(in_folder("profile"), &got, &error));
	ck_assert_str_ne(got.unread, "");
	folder_remove();
}
END_TEST

/* ---- emulation --------------------------------------------------------------------------- */

START_TEST(this_cpu_is_said)
{
	char text[65536] = "";
	FILE *file = fopen("/proc/cpuinfo", "re");

	/* QEMU's own models say so by name, too. */
	ck_assert(file && fread(text, 1, sizeof(text) - 1, file));
	fclose(file);
	ck_assert(!bench_is_emulated() || strstr(text, "hypervisor"));
}
END_TEST

SUITE(costs, TIMEOUT(QUIET_S * 2), LOOP(interval_is_that_of_hand, intervals),
      TEST(any_number_of_pairs_has_an_interval), TEST(words_are_filled_in),
      LOOP(life_of_a_profiler, lives), TEST(tree_has_all_but_the_work),
      TEST(time_is_what_was_used_since), LOOP(first_stack_is_the_youngest, firsts),
      TEST(unreadable_profile_is_said), TEST(this_cpu_is_said))
