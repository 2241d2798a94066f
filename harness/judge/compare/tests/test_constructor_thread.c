/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_constructor_thread.c - threads that are older than the program's entry point
 *
 * The loader runs unstepped, but a thread that a library's constructor makes is stepped from its
 * first instruction. Its points begin with the program's: before, the libraries that the loader
 * maps aren't known. testprogs/truth/constructor_thread.c is the program and its library.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "judge/compare/tests/compared_program.h"

#define SOURCE "gcc-12 -O2 -pthread testprogs/truth/constructor_thread.c -o "

static uint64_t early; /* points of another thread before the first of the first thread */
static pid_t first;

static void build(void)
{
	char library[FOLDER_PATH];

	program_begin();
	folder_path(library, "libearly.so");
	ck_assert_int_eq(shell(SOURCE "%s -shared -fPIC -DLIBRARY", library), 0);
	ck_assert_int_eq(shell(SOURCE "%s %s", program, library), 0);
}

static int count_early(void *context, const struct trace_stop *stop, struct error *error)
{
	(void)context, (void)error;
	if (!first && stop->tid == stop->pid)
		first = stop->tid;
	early += !first;
	return 0;
}

START_TEST(points_begin_at_the_entry)
{
	const struct tracer_options options = { .argv = (char *[]) { program, NULL },
						.from = "_start",
						.timeout_ms = 600000 };
	const struct tracer_callbacks callbacks = { .on_stop = count_early };
	struct tracer_counters counters;
	struct error error;
	int status;

	ck_assert_msg(!tracer_run(&options, &callbacks, &counters, &status, &error), "%s",
		      error.message);
	ck_assert_int_eq(status, 0);
	ck_assert_uint_eq(counters.threads, 2);
	ck_assert_int_ne(first, 0);
	ck_assert_uint_eq(early, 0);
}
END_TEST

START_TEST(its_libraries_are_known)
{
	const struct compare_options options = { .engine = { &engine_cfi, &engine_table },
						 .engine_count = 2 };
	struct comparison comparison;

	compare_program(&options, "_start", &comparison);
	ck_assert_int_eq(comparison.status, 0);
	for (size_t i = 0; i < comparison.findings.count; i++) {
		const struct finding *finding = &comparison.findings.finding[i];

		ck_assert_msg(finding->first.kind == FAULT_MISSING,
			      "%s (%s) at %s, %" PRIu64 " times",
			      verdict_name(finding->first.verdict),
			      fault_kind_name(finding->first.kind), finding->place, finding->count);
	}
	ck_assert_uint_eq(comparison.verdict[VERDICT_UNEXPLAINED], 0);
	/* The thread's calls behind the entry are points. */
	ck_assert_uint_gt(comparison.points, 5000);
	comparison_deinit(&comparison);
}
END_TEST

SUITE(constructor_thread, FIXTURE(build, folder_remove), TEST(points_begin_at_the_entry),
      TEST(its_libraries_are_known))
