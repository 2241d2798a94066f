/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_terminal_kinds.c - the table of a run that has every kind of cell, kernel and fault
 *
 * It was ended before its time and resumed, has a kernel that is played and one that never ran, and
 * its names are as short or as long as they can be.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "reports/report/results.h"
#include "results_fixture.h"

/* One cell of a run of everything. */
static struct cell *add(struct results *results, const char *kernel, const char *program,
			const char *variant, enum cell_status status, const char *reason)
{
	struct cell *cell = fixture_cell(results, kernel, program, "gcc", variant, "c");

	cell_set(cell, status, "%s", reason);
	return cell;
}

#define FOUND(function, more)                                                                      \
	"{\"type\":\"finding\",\"verdict\":\"table_fault\",\"image\":\"a.gcc.O2-fp\","             \
	"\"function\":"                                                                            \
	"\"" function "\",\"count\":1" more "}"

/* A run that was ended, of every status, of stepped and played kernels, with names of one letter. */
static void fill_everything(struct results *results, const char *partial)
{
	results_init(results);
	json_object_set_new(results->header, "merged",
			    json_pack("[{s:s},{s:s},{},{s:s}]", "toolchain", "gcc", "toolchain",
				      "clang", "toolchain", "gcc"));
	json_object_set_new(results->header, "resumed",
			    json_pack("[{s:s,s:i}]", "time", "2026", "kept", 7));
	fixture_kernel(results, "host", "6", "", "n", "o", "h", 0, 0);
	fixture_kernel(results, "/boot/a_kernel_with_a_long_name", "", "", "", "", "s", 0, 0);
	fixture_kernel(results, "5.10", "5", "p", "t", "x", "y", 0, 0);
	strcpy(results->kernel[0].how, "w");
	strcpy(results->kernel[2].how, RESULTS_PLAYED);
	results->kernel[2].splats = 2;
	results->not_comparable = 1;
	snprintf(results->partial, sizeof(results->partial), "%s", partial);
	strcpy(results->partial_message, "m");
	struct cell *cell = add(results, "host", "a", "O2-fp", CELL_PASSED, "");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":9,\"exact\":9,"
			     "\"untrapped\":3}");
	fixture_object(cell, FOUND("c", ""));
	fixture_object(cell, FOUND("s", ",\"kind\":\"missing\",\"start_file\":\"crti.o\""));
	fixture_object(cell,
		       "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"image\":\"[heap]\","
		       "\"function\":\"\",\"count\":1}");
	add(results, "host", "a", "O2-nofp", CELL_SKIPPED, "r");
	add(results, "host", "b", "O2-fp", CELL_PASSED, "");
	add(results, "host", "c", "O2-fp", CELL_SKIPPED, "r");
	add(results, "host", "d", "O2-fp", CELL_PENDING, "");
	add(results, "host", "e", "O2-fp", CELL_FAILED, "e");
	add(results, "host", "e", "O2-nofp", CELL_ERROR, "g");
	add(results, "host", "e", "O0-fp", CELL_ERROR, "h");
	add(results, "host", "e", "O0-nofp", CELL_SKIPPED, "r");
	cell = add(results, "5.10", "a", "O2-fp", CELL_PASSED, "");
	fixture_object(cell, "{\"type\":\"replay\",\"points\":8}");
	add(results, "5.10", "d", "O2-fp", CELL_ERROR, "d");
}

static const char expected[] =
	"PARTIAL (k): m; what follows was found until then\n"
	"\n"
	"program   host                       a_kernel_with_a_long_name  5.10\n"
	"a         \033[33mexact 1/1, 1 skipped\033[0m       -                          "
	"\033[32mplayed 1/1\033[0m\n"
	"b         \033[32mexact 1/1\033[0m                  -                          -\n"
	"c         \033[33mskipped 1\033[0m                  -                          -\n"
	"d         \033[1;35mexact 0 of 1\033[0m               -                          "
	"\033[1;35mplayed 0 of 1\033[0m\n"
	"e         \033[1;31mFAILED 1/4\033[0m                 -                          -\n"
	"\n"
	"Exact where the CFI is right, in code with / without frame pointers\n"
	"engine    host                       a_kernel_with_a_long_name  5.10\n"
	"bpf       100.00 % / -               - / -                      -\n"
	"bpf not asked at 3 points: no trap ran it there\n"
	"\n"
	"Failed\n"
	"  e.gcc.O2-fp on host: e\n"
	"\n"
	"Errors: not judged\n"
	"  e.gcc.O2-nofp on host: g\n"
	"  e.gcc.O0-fp on host: h\n"
	"  d.gcc.O2-fp on 5.10: d\n"
	"\n"
	"Table faults of compiled code: the toolchain's; failures only if the corpus does not "
	"expect them\n"
	"  c (the program): 1 points in 1 runs; gcc; on host\n"
	"\n"
	"Table faults of start-up objects: the C library's and the compiler's\n"
	"  s (the program): 1 points in 1 runs; gcc; on host\n"
	"\n"
	"Table faults of hand-written and generated code: the corpus's own, on purpose\n"
	"  ? ([heap]): 1 points in 1 runs; gcc; on host\n"
	"\n"
	"Skipped\n"
	"  3 on host: r\n"
	"\n"
	"Merged: the same file as another binary, which was run\n"
	"  2 of gcc\n"
	"  1 of clang\n"
	"\n"
	"Kernels\n"
	"  host   6, n, w\n"
	"         o: h\n"
	"  a_kernel_with_a_long_name not run\n"
	"         s\n"
	"  5.10   5 (p), t, 8 points of the host played, 2 kernel warnings\n"
	"         x: y\n"
	"         console: o/kernels/5.10.console\n"
	"\n"
	"Across kernels: bpf's stacks compared 0 times, not comparable 1\n"
	"Resumed 2026 with 7 cells that had been judged\n"
	"Errors, counted as failed: 4\n"
	"0 points, 0.0 s, results in o\n"
	"3 passed, 5 failed, 3 skipped\n";

START_TEST(test_every_kind)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fill_everything(&results, "k");
	FIXTURE_CAPTURE(text, terminal_print(&results, "o", true, capture));
	ck_assert_str_eq(text, expected);
}
END_TEST

/* What nobody judged is an error in a run that came to its end; and without a folder there is no
 * console. */
START_TEST(test_a_run_that_was_whole)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fill_everything(&results, "");
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, true, capture));
	ck_assert_msg(!strncmp(text, "program ", strlen("program ")), "%s", text);
	ck_assert_ptr_nonnull(strstr(text, "\nd         \033[1;35mERROR 1/1\033[0m "));
	ck_assert_ptr_null(strstr(text, "console"));
}
END_TEST

START_TEST(test_nothing_at_all)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	ck_assert_str_eq(text, "program   \n\nKernels\n\n0 points, 0.0 s\n"
			       "0 passed, 0 failed, 0 skipped\n");
}
END_TEST

/* Twenty are listed, and the others counted. */
static const struct {
	size_t count;
	const char *more;
} list_cases[] = { { 20, NULL }, { 21, "  and 1 more\n" }, { 25, "  and 5 more\n" } };

START_TEST(test_long_lists)
{
	const char *more = list_cases[_i].more;
	struct results results DEINIT(results_deinit);
	size_t lines = 0;
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6", "", "native", "ok", "", 0, 0);
	for (size_t i = 0; i < list_cases[_i].count; i++) {
		struct cell *cell = add(&results, "host", "a", "O2-fp", CELL_FAILED, "z");
		char found[256];

		snprintf(found, sizeof(found), FOUND("f%zu", ""), i);
		fixture_object(cell, found);
	}
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		lines += !strncmp(at, "\n  a.gcc", 8) || !strncmp(at, "\n  f", 4);
	ck_assert_uint_eq(lines, 40);
	const char *failed = strstr(text, "  and "),
		   *faults = failed ? strstr(failed + 1, "  and ") : NULL;
	ck_assert(!failed == !more && !faults == !more);
	if (more)
		ck_assert(!strncmp(failed, more, strlen(more)) &&
			  !strncmp(faults, more, strlen(more)));
}
END_TEST

SUITE(terminal_kinds, TEST(test_every_kind), TEST(test_a_run_that_was_whole),
      TEST(test_nothing_at_all), LOOP(test_long_lists, list_cases))
