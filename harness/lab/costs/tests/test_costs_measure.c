/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_costs_measure.c - all of a measurement, of a profiler whose costs are known, and of one that fails
 *
 * What a made-up profiler burns is the processor time of a program that is also run by itself: on a busy machine both
 * take longer by the clock, and neither more of the processor than half or twice of the other.
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include "tests/suite.h"
#include "base/child/child.h"
#include "lab/costs/costs.h"

#define QUIET_S 1200	 /* more than a case takes on a busy machine */
#define BURNT	"400000" /* rounds of sample_calls, some 0.2 s */

static const struct ending_signals no_signals = { .fd = -1 };

static void bench_folder(char ret[4096])
{
	struct error error;

	ck_assert(!child_beside("../../../../bench", ret, 4096, &error));
}

static double burnt_s(const char *bench)
{
	char path[4200];
	struct rusage used;
	int status;

	snprintf(path, sizeof(path), "%s/sample_calls", bench);
	pid_t pid = fork();

	if (!pid) {
		execl(path, path, BURNT, NULL);
		_exit(CHILD_NOT_RUN);
	}
	ck_assert(wait4(pid, &status, 0, &used) == pid && !status);
	return used.ru_utime.tv_sec + used.ru_stime.tv_sec +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

/* It burns what sample_calls does, twice, in processes of its own, and then waits. */
START_TEST(known_costs_are_found)
{
	char bench[4096], command[9000];
	struct costs_options options = {
		.programs = bench, .pairs = 6, .work = 1, .settle_ms = 10, .signals = &no_signals
	};
	const struct costs_profiler profiler = { "burner", command };
	struct costs_machine machine;
	struct costs_result got;
	struct error error = { 0 };

	bench_folder(bench);
	double burnt = 2 * burnt_s(bench);

	snprintf(command, sizeof(command),
		 "%s/sample_calls " BURNT "; %s/sample_calls " BURNT
		 "; trap 'echo \"phases;main;until_1_5 {rate}\" >{out}; exit' INT; while :; do "
		 "sleep 0.02; done",
		 bench, bench);
	ck_assert_msg(!costs_machine_init(&machine, &options, &error), "%s", error.message);
	ck_assert(machine.usual.cpu_s > 0 && machine.usual.elapsed_s > 0);
	options.settle_ms = 1000;
	ck_assert_msg(!costs_measure(&machine, &options, &profiler, 19, &got, &error), "%s",
		      error.message);
	ck_assert_msg(got.cpu_s > burnt / 2 && got.cpu_s < burnt * 2, "%.3f s, not %.3f", got.cpu_s,
		      burnt);
	ck_assert_uint_eq(got.first.samples, 19);
	ck_assert(got.cpu_percent.low >= 0 && got.cpu_percent.high <= 100);
	ck_assert(got.resident_bytes > 1000000 && got.bytes_per_minute > 0 && got.load >= 0);
	ck_assert(!got.has_bpf && !got.kernel.map_bytes && !got.kernel.buffer_bytes);
	costs_machine_deinit(&machine);
}
END_TEST

START_TEST(one_that_fails_is_not_measured)
{
	char bench[4096];
	struct costs_options options = {
		.programs = bench, .pairs = 6, .work = 1, .settle_ms = 1000, .signals = &no_signals
	};
	const struct costs_profiler failing = { "failing", "sleep 0.1; exit 1" };
	struct costs_machine machine;
	struct costs_result got;
	struct error error;

	bench_folder(bench);
	ck_assert(!costs_machine_init(&machine, &options, &error));
	for (int i = 0; i < 2; i++)
		ck_assert(costs_measure(&machine, &options, &failing, 19, &got, &error) == -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	costs_machine_deinit(&machine);
	options.programs = "/nowhere";
	ck_assert(costs_machine_init(&machine, &options, &error) == -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	costs_machine_deinit(&machine);
}
END_TEST

SUITE(costs_measure, TIMEOUT(QUIET_S), TEST(known_costs_are_found),
      TEST(one_that_fails_is_not_measured))
