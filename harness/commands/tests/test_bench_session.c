/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_bench_session.c - `bench`, but for the measuring: which figures, by what, and how they are said
 *
 * Each bench_*() is this test's: it gives its own name as the reference, and what it was asked for as
 * the note. LACKS and FAILS name one that can't be had here, and one that fails.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "lab/bench/bench.h"
#include "transcript.h"
#include "truth/tracer/truth.h"

static int measure(const char *name, const struct bench_options *options, struct bench_figure *ret,
		   struct error *error)
{
	const char *lacks = getenv("LACKS"), *fails = getenv("FAILS");

	if (lacks && !strcmp(lacks, ret->name))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "there is no %s", ret->name);
	if (fails && !strcmp(fails, ret->name))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for %s", ret->name);
	ret->value = 1234.5;
	ret->unit = "units";
	ret->reference = name;
	ret->reference_value = 617.25;
	ret->ratio = 2;
	snprintf(ret->note, sizeof(ret->note), "of %s by %u runs, %s, %s, %s",
		 ret->subject ? ret->subject : "nothing", options->runs, options->kernel,
		 options->programs, options->gimli);
	return 0;
}

#define MEASURE(name)                                                                              \
	int name(const struct bench_options *options, struct bench_figure *ret,                    \
		 struct error *error)                                                              \
	{                                                                                          \
		return measure(#name, options, ret, error);                                        \
	}

MEASURE(bench_engine_protocol)
MEASURE(bench_engine_so)
MEASURE(bench_first_stack)
MEASURE(bench_guest_start)
MEASURE(bench_kernel_memory)
MEASURE(bench_lint)
MEASURE(bench_lookup_bpf_cold)
MEASURE(bench_lookup_bpf_random)
MEASURE(bench_lookup_bpf_warm)
MEASURE(bench_lookup_cold)
MEASURE(bench_lookup_cold_libdw)
MEASURE(bench_lookup_warm)
MEASURE(bench_lookup_warm_libdw)
MEASURE(bench_profile_taken)
MEASURE(bench_table_build)
MEASURE(bench_table_build_first)
MEASURE(bench_table_build_gimli)
MEASURE(bench_table_open_build)
MEASURE(bench_table_size)
MEASURE(bench_walk)
MEASURE(bench_walk_fixed)

int bench_steps(unsigned int rounds, double *ret_tracer_steps_per_s, double *ret_self_steps_per_s,
		struct error *error)
{
	if (getenv("FAILS"))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for steps");
	*ret_tracer_steps_per_s = 100 * rounds;
	*ret_self_steps_per_s = 1000;
	return 0;
}

static const char *const names[] = { "bench" };

static const struct command commands[] = { { "bench", command_bench, "" }, { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(bench_session)
{
	return transcript_play(argc, argv, "bench_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
