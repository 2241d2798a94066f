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
#include "lab/costs/costs.h"
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
MEASURE(bench_emulator_rows_all)
MEASURE(bench_emulator_rows_first)
MEASURE(bench_emulator_stacks)
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
MEASURE(bench_sframe_read)
MEASURE(bench_sframe_table)
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

/* ---- costs: as of a machine with two CPUs, the profiler's name and the rate in the figures -------- */

bool bench_is_emulated(void)
{
	return getenv("EMULATED") != NULL;
}

int costs_machine_init(struct costs_machine *ret, const struct costs_options *options,
		       struct error *error)
{
	if (getenv("LACKS") && !strcmp(getenv("LACKS"), "work"))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "no work in %s",
				 options->programs);
	*ret = (struct costs_machine) { .cpus = 2,
					.stats = -1,
					.work.kinds = COSTS_KINDS_MAX,
					.usual = { .cpu_s = options->work / 10.0,
						   .elapsed_s = options->settle_ms / 1000.0 } };
	return 0;
}

void costs_machine_deinit(struct costs_machine *machine)
{
}

int costs_measure(struct costs_machine *machine, const struct costs_options *options,
		  const struct costs_profiler *profiler, unsigned int rate_hz,
		  struct costs_result *ret, struct error *error)
{
	const char *lacks = getenv("LACKS"), *fails = getenv("FAILS");

	if (lacks && !strcmp(lacks, profiler->name))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "its command was not found");
	if (fails && !strcmp(fails, profiler->name))
		return error_set(error, ERROR_PROTOCOL, "", 0, "it wrote no profile: status 1");
	*ret = (struct costs_result) {
		.profiler = profiler,
		.rate_hz = rate_hz,
		.pairs = options->pairs,
		.work_cpu_s = 10,
		.work_elapsed_s = 5,
		.cpu_slower = { 1.25, 0.5, 2, 0.96 },
		.elapsed_slower = { 1.25, -0.5, 3, 0.96 },
		.cpu_percent = { 0.75, 0.5, 1, 0.96 },
		.cpu_s = 0.5,
		.has_bpf = profiler->name[0] == 's',
		.bpf_percent = 0.25,
		.resident_bytes = 10 << 20,
		.kernel = { .map_bytes = 3 << 20,
			    .program_bytes = 1 << 20,
			    .buffer_bytes = 1 << 19 },
		.bytes_per_minute = 1500000,
		.first = { { 25, 20, 50 }, { 0, 100, 0 }, 4711 },
		.load = 1.5,
	};
	if (profiler->name[0] == 'x')
		strcpy(ret->first.unread, "a format that nobody knows");
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
