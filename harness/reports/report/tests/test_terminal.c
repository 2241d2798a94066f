/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_terminal.c - the table that a person reads, to the letter
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "reports/report/results.h"
#include "results_fixture.h"

static const char expected[] =
	"program   host                  5.10                  7.2\n"
	"chain     exact 2/2             FAILED 1/2            ERROR 2/2\n"
	"panic     exact 1/1             skipped 1             ERROR 1/1\n"
	"\n"
	"Exact where the CFI is right, in code with / without frame pointers\n"
	"engine    host                  5.10                  7.2\n"
	"bpf       100.00 % / 100.00 %   100.00 % / 99.90 %    - / -\n"
	"fp        99.10 % / 0.20 %      100.00 % / -          - / -\n"
	"2 points have a frame without CFI: table faults, see below\n"
	"\n"
	"Failed\n"
	"  chain.gcc-12.2.0.O2-nofp on 5.10: walk_fault 3 <#1>\n"
	"\n"
	"Errors: not judged\n"
	"  chain.gcc-12.2.0.O2-fp on 7.2: while this ran: the guest's outcome is panic\n"
	"  chain.gcc-12.2.0.O2-nofp on 7.2: not run: the guest's outcome is panic\n"
	"  panic.rustc-1.63.0.O2-nofp on 7.2: not run: the guest's outcome is panic\n"
	"\n"
	"Table faults of system libraries\n"
	"  _init (chain): 2 points in 1 runs; gcc-12.2.0; on 5.10\n"
	"\n"
	"Skipped\n"
	"  1 on 5.10: no_compiler\n"
	"\n"
	"Kernels\n"
	"  host   6.18.1, native, 3.0 s\n"
	"  5.10   5.10.0-39 (linux-image-5.10 5.10.262-1), tcg, booted in 2.1 s, 9.0 s\n"
	"  7.2    7.2.12 (linux-binary-7.2 7.2.12-1), tcg, booted in 2.4 s, 5.0 s\n"
	"         panic: the kernel panicked: not syncing\n"
	"         console: out/kernels/7.2.console\n"
	"\n"
	"Across kernels: bpf's stacks compared 1 times, not comparable 1\n"
	"Errors, counted as failed: 3\n"
	"5000 points, 17.0 s, results in out\n"
	"4 passed, 4 failed, 1 skipped\n";

START_TEST(test_table)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	FIXTURE_CAPTURE(text, terminal_print(&results, "out", false, capture));
	ck_assert_str_eq(text, expected);
}
END_TEST

START_TEST(test_colour_only_where_asked)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, true, capture));
	ck_assert_ptr_nonnull(strstr(text, "\033[1;31mFAILED 1/2\033[0m            "));
	ck_assert_ptr_nonnull(strstr(text, "\033[32mexact 2/2\033[0m"));
}
END_TEST

static const char *const escape = "x\033[2J\2332J\a\r\177";

/* The words of results are those of compilers, guests and files: none talks to the terminal. */
START_TEST(test_control_characters_are_replaced)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "5.10", escape, escape, "tcg", escape, escape, 0, 0);
	struct cell *cell = fixture_cell(&results, "5.10", escape, escape, "O2-fp", "c");
	cell_set(cell, CELL_FAILED, "failed %s", escape);
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"bpf\\u001b[2J\",\"points\":10,"
			     "\"exact\":1,\"digest\":\"ab\"}");
	fixture_object(cell,
		       "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"kind\":\"row\","
		       "\"function\":\"f\\u001b[2J\",\"image\":\"i\\u001b[2J\",\"points\":1}");
	cell_set(fixture_cell(&results, "5.10", "b", "gcc", "O2-fp", "c"), CELL_SKIPPED, "%s",
		 escape);
	snprintf(results.partial_message, sizeof(results.partial_message), "%s", escape);
	snprintf(results.partial, sizeof(results.partial), "signal");
	FIXTURE_CAPTURE(text, terminal_print(&results, escape, false, capture));
	for (const char *at = text; *at; at++)
		ck_assert_msg(*at == '\n' || (unsigned char)(*at - ' ') < 0x5f,
			      "byte 0x%02x at %td of %s", (unsigned char)*at, at - text, text);
	ck_assert_ptr_nonnull(strstr(text, "bpf?[2J"));
}
END_TEST

#define FRAMES(points, own, right)                                                                 \
	"{\"type\":\"score\",\"engine\":\"cfi\",\"points\":" #points ",\"exact\":1,"               \
	"\"frames_own\":" #own ",\"frames_own_right\":" #right ",\"digest\":\"ab\"}"

/* Of the program's own frames nothing is said where nobody counted them. */
static const struct {
	const char *name, *variant, *score, *said, *exact;
} frame_cases[] = {
	{ "none_were_counted", "O2-fp", FRAMES(4, 0, 0), NULL, "\ncfi       25.00 % / -\n" },
	{ "some_were_found", "O2-fp", FRAMES(4, 8, 6), "\ncfi       75.00 % / -\n",
	  "\ncfi       25.00 % / -\n" },
	{ "only_without_frame_pointers", "O2-nofp", FRAMES(4, 8, 6), "\ncfi       - / 75.00 %\n",
	  "\ncfi       - / 25.00 %\n" },
};

START_TEST(test_frames_of_the_program_s_own)
{
	static const char title[] = "\nThe program's own frames found, in code with / without ";
	const char *said = frame_cases[_i].said;
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(&results, "host", "chain", "gcc-12.2.0",
					 frame_cases[_i].variant, "c");
	cell_set(cell, CELL_PASSED, "%s", "");
	fixture_object(cell, frame_cases[_i].score);
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	ck_assert_msg(!strstr(text, title) == !said, "%s: %s", frame_cases[_i].name, text);
	ck_assert_msg(!said || strstr(text, said), "%s: %s", frame_cases[_i].name, text);
	ck_assert_msg(strstr(text, frame_cases[_i].exact), "%s: %s", frame_cases[_i].name, text);
}
END_TEST

START_TEST(test_missing_cells_are_failures)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	results.missing = 5;
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	ck_assert_ptr_nonnull(strstr(text, "The run was cut short: 5 cells are missing\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n4 passed, 9 failed, 1 skipped\n"));
}
END_TEST

/* One that is not judged is counted as an error is; a column is as wide as its longest word. */
START_TEST(test_pending_cells_and_long_names)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	fixture_cell(&results, "host", "a_program_with_a_name", "gcc", "O2-fp", "c");
	cell_set(fixture_cell(&results, "host", "b", "gcc", "O2-fp", "c"), CELL_ERROR, "x");
	cell_set(fixture_cell(&results, "host", "c", "gcc", "O2-fp", "c"), CELL_ERROR, "y");
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	ck_assert_ptr_nonnull(strstr(text, "\nErrors, counted as failed: 3\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n0 passed, 3 failed, 0 skipped\n"));
	ck_assert_msg(!strncmp(text,
			       "program                host\n"
			       "a_program_with_a_name  ERROR 1/1\n"
			       "b                      ERROR 1/1\n",
			       94),
		      "%s", text);
}
END_TEST

/* Three lanes, one of them played, one watched: each has its own figures, and programs of which cells do not stand together a
 * line each. */
START_TEST(test_lanes_are_apart)
{
	static const char *const kernels[] = { "host", "5.10", "7.2" }, *const programs[] = { "p",
											      "q" };
	static const char *const hows[] = { RESULTS_STEPPED, RESULTS_PLAYED, RESULTS_WATCHED };
	struct results results DEINIT(results_deinit);
	char json[128], *text = NULL;

	results_init(&results);
	for (int k = 0; k < 3; k++) {
		fixture_kernel(&results, kernels[k], kernels[k], "", "", "ok", "", 0, 0);
		strcpy(results.kernel[k].how, hows[k]);
	}
	for (int i = 0; i < 12; i++) {
		struct cell *cell = fixture_cell(&results, kernels[i % 3], programs[i / 3 % 2],
						 "gcc", "O2-fp", "c");

		cell_set(cell, i == 4 ? CELL_FAILED : i == 5 ? CELL_SKIPPED : CELL_PASSED, "x");
		snprintf(json, sizeof(json), "{\"type\":\"%s\",\"points\":%d}",
			 i % 3 == 2 ? "walks" : "replay", i % 3 ? 10 * (i + 1) : 0);
		fixture_object(cell, json);
		if (i % 3 == 0)
			fixture_object(cell, "{\"type\":\"score\",\"engine\":\"e\",\"points\":4,"
					     "\"exact\":3}");
	}
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	ck_assert_msg(
		!strncmp(text,
			 "program   host                  5.10                  7.2\n"
			 "p         exact 2/2             played 2/2            watched 2/2\n"
			 "q         exact 2/2             FAILED 1/2            watched 1/1, 1 "
			 "skipped\n\n",
			 182),
		"%s", text);
	ck_assert_msg(strstr(text, "\ne         75.00 % / -           -                     -\n"),
		      "%s", text);
	ck_assert_msg(strstr(text, "  host   host, stepped\n"
				   "  5.10   5.10, 260 points of the host played\n"
				   "  7.2    7.2, 300 points watched by the emulator\n"),
		      "%s", text);
	free(text);
}
END_TEST

static const struct share_case {
	const char *name;
	uint64_t exact;
	uint64_t points;
	const char *text;
} share_cases[] = {
	{ "no_points_is_no_share", 0, 0, "-" },
	{ "all_is_100", 7, 7, "100.00 %" },
	{ "one_missing_in_a_million_is_not_100", 999999, 1000000, "99.99 %" },
	{ "one_in_a_million_is_cut_to_0", 1, 1000000, "0.00 %" },
	{ "no_overflow_beyond_2_to_50", 1ULL << 60, 1ULL << 61, "50.00 %" },
};

START_TEST(test_share)
{
	const struct share_case *c = &share_cases[_i];
	char text[32];

	share_print(text, sizeof(text), c->exact, c->points);
	ck_assert_msg(!strcmp(text, c->text), "%s: %s, not %s", c->name, text, c->text);
}
END_TEST

static const struct variant_case {
	const char *variant;
	bool omits;
} variant_cases[] = {
	{ "O0-fp", false }, { "O2-fp", false }, { "O2-nofp", true }, { "asm", true }, { "", true },
};

START_TEST(test_variant)
{
	const struct variant_case *c = &variant_cases[_i];

	ck_assert_msg(variant_omits_frame_pointer(c->variant) == c->omits, "%s", c->variant);
}
END_TEST

SUITE(terminal, TEST(test_table), TEST(test_colour_only_where_asked),
      TEST(test_control_characters_are_replaced),
      LOOP(test_frames_of_the_program_s_own, frame_cases), TEST(test_missing_cells_are_failures),
      TEST(test_pending_cells_and_long_names), TEST(test_lanes_are_apart),
      LOOP(test_share, share_cases), LOOP(test_variant, variant_cases))
