/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_judge.c - what compare printed and how it ended -> the cell's outcome; expectations;
 * requirements
 */
#include <stdlib.h>
#include <string.h>
#include "base/finding/tests/finding_fixture.h"
#include "tests/suite.h"
#include "guests/run/run.h"
#include "base/cli/exit_status.h"
#include "reports/report/tests/results_fixture.h"

#define BPF(points, exact)                                                                         \
	"{\"type\":\"score\",\"engine\":\"bpf\",\"points\":" #points ",\"exact\":" #exact "}\n"
#define UNPROVEN_BPF(points, exact, unproven)                                                      \
	"{\"type\":\"score\",\"engine\":\"bpf\",\"points\":" #points ",\"exact\":" #exact          \
	",\"unproven\":" #unproven "}\n"
#define VERDICTS(points, more) "{\"type\":\"verdicts\",\"points\":" #points more "}\n"
#define FINDING_IN(image, verdict, kind, function, stop, count)                                    \
	"{\"type\":\"finding\",\"verdict\":\"" verdict "\",\"kind\":\"" kind                       \
	"\",\"image\":\"" image "\",\"function\":\"" function "\",\"stop\":\"" stop                \
	"\",\"declared\":\"cfa=rsp+8\",\"count\":" count "}\n"
#define FINDING(verdict, kind, function, stop, count)                                              \
	FINDING_IN("/corpus/p", verdict, kind, function, stop, count)
#define IN_IMAGE(image, kind) FINDING_IN(image, "table_fault", kind, "f", "no_row", "2")
#define START_FILE(kind)                                                                           \
	FINDING_IN("/corpus/p\",\"start_file\":\"crti.o", "table_fault", kind, "_init", "no_row",  \
		   "2")
#define WRONG_F	    FINDING("table_fault", "wrong", "f", "no_row", "2")
#define LOST_F	    FINDING("conversion_loss", "flagged", "f", "offset_range", "2")
#define MALFORMED_F FINDING("table_fault", "malformed", "f", "malformed", "2")
#define TWO_FAULTS  VERDICTS(9, ",\"table_fault\":2")
#define NO_BPF	    "{\"type\":\"skip\",\"engine\":\"bpf\",\"reason\":\"no_bpf\"}\n"

static const struct judge_case {
	const char *name;
	int exit_code;
	const char *out;
	const char *err;
	const char *engines;
	enum cell_status status;
	bool environment;
	const char *reason; /* its beginning */
	size_t objects;
} judge_cases[] = {
	{ "exact_everywhere_passes", 0, BPF(9, 9) VERDICTS(9, ""), "", "cfi,bpf", CELL_PASSED,
	  false, "", 2 },
	{ "last_line_needs_no_newline", 0, BPF(9, 9) "{\"type\":\"verdicts\",\"points\":9}", "",
	  "bpf", CELL_PASSED, false, "", 2 },
	{ "table_faults_are_not_held_against_bpf", 1,
	  BPF(90, 88) VERDICTS(90, ",\"table_fault\":2"), "", "bpf", CELL_PASSED, false, "", 2 },
	{ "table_faults_everywhere_prove_nothing", 1,
	  BPF(90, 40) VERDICTS(90, ",\"table_fault\":50"), "", "bpf", CELL_FAILED, false,
	  "table faults at 50 of 90 points: too many", 2 },
	{ "table_fault_in_no_image_is_not_the_toolchains", 1,
	  BPF(90, 88) "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"image\":\"\"}"
		      "\n" VERDICTS(90, ",\"table_fault\":2"),
	  "", "bpf", CELL_FAILED, false, "a table fault in no known image", 3 },
	{ "one_point_short_fails", 1, BPF(9, 6) VERDICTS(9, ",\"table_fault\":2"), "", "bpf",
	  CELL_FAILED, false, "bpf exact at 6 of 9 points, 2 of them table faults", 2 },
	{ "one_point_short_fails_whatever_the_status", 0, BPF(9, 8) VERDICTS(9, ""), "", "bpf",
	  CELL_FAILED, false, "bpf exact at 8 of 9", 2 },
	{ "bpf_must_be_asked_at_every_point", 0, BPF(8, 8) VERDICTS(9, ""), "", "bpf", CELL_FAILED,
	  false, "bpf was asked at 8 points of 9", 2 },
	{ "untrapped_points_are_counted_apart", 0,
	  "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":7,\"exact\":7,\"untrapped\":2}"
	  "\n" VERDICTS(9, ""),
	  "", "bpf", CELL_PASSED, false, "", 2 },
	{ "bpf_asked_nowhere_is_no_pass", 0,
	  "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":0,\"exact\":0,\"untrapped\":9}"
	  "\n" VERDICTS(9, ""),
	  "", "bpf", CELL_FAILED, false, "bpf was asked at 0 points of 9", 2 },
	{ "program_that_failed_is_no_pass", 0, BPF(9, 9) VERDICTS(9, ",\"status\":256"), "", "bpf",
	  CELL_FAILED, false, "the program ended with status 1", 2 },
	{ "program_that_crashed_is_no_pass", 0, BPF(9, 9) VERDICTS(9, ",\"status\":11"), "", "bpf",
	  CELL_FAILED, false, "the program was killed by signal 11", 2 },
	{ "prefix_of_truth_is_no_pass", 0,
	  BPF(9, 9) VERDICTS(9, ",\"truth\":{\"unrooted\":3,\"max_frames\":8}"), "", "bpf",
	  CELL_FAILED, false, "the truth is only a prefix at 3 points", 2 },
	{ "thin_truth_is_no_pass", 0,
	  BPF(9, 9) VERDICTS(9, ",\"truth\":{\"unrooted\":0,\"max_frames\":1}"), "", "bpf",
	  CELL_FAILED, false, "the truth never had two frames", 2 },
	{ "two_frames_are_enough", 0,
	  BPF(9, 9) VERDICTS(9, ",\"truth\":{\"unrooted\":0,\"max_frames\":2}"), "", "bpf",
	  CELL_PASSED, false, "", 2 },
	{ "unexplained_fails", 1, BPF(9, 9) VERDICTS(9, ",\"unexplained\":1"), "", "bpf",
	  CELL_FAILED, false, "unexplained 1", 2 },
	{ "reader_fault_fails_without_bpf", 1, VERDICTS(9, ",\"reader_fault\":2"), "", "cfi",
	  CELL_FAILED, false, "reader_fault 2", 1 },
	{ "walk_and_kernel_fault_are_both_said", 1,
	  BPF(9, 9) VERDICTS(9, ",\"walk_fault\":1,\"kernel_fault\":2"), "", "bpf", CELL_FAILED,
	  false, "walk_fault 1, kernel_fault 2", 2 },
	{ "silent_loss_fails", 1, BPF(9, 9) VERDICTS(9, ",\"conversion_loss_silent\":1"), "", "bpf",
	  CELL_FAILED, false, "conversion_loss_silent 1", 2 },
	{ "flagged_loss_alone_is_not_ours_but_bpf_is_short", 1,
	  BPF(9, 8) VERDICTS(9, ",\"conversion_loss\":1"), "", "bpf", CELL_FAILED, false,
	  "bpf exact at 8 of 9", 2 },
	{ "no_bpf_is_a_typed_skip", 0, NO_BPF VERDICTS(9, ""), "", "cfi,bpf", CELL_SKIPPED, false,
	  "no_bpf", 2 },
	{ "skip_keeps_its_message", 0,
	  "{\"type\":\"skip\",\"engine\":\"bpf\",\"reason\":\"no_bpf\",\"message\":\"not "
	  "permitted\"}\n" VERDICTS(9, ""),
	  "", "bpf", CELL_SKIPPED, false, "no_bpf: not permitted", 2 },
	{ "another_engines_skip_does_not_excuse_bpf", 0,
	  "{\"type\":\"skip\",\"engine\":\"fp\",\"reason\":\"no_bpf\"}\n" VERDICTS(9, ""), "",
	  "bpf,fp", CELL_ERROR, false, "compare printed no score for bpf", 2 },
	{ "no_bpf_does_not_hide_a_fault", 1, NO_BPF VERDICTS(9, ",\"unexplained\":1"), "", "bpf",
	  CELL_FAILED, false, "unexplained 1", 2 },
	{ "bpf_silent_and_no_skip", 0, VERDICTS(9, ""), "", "bpf", CELL_ERROR, false,
	  "compare printed no score for bpf", 1 },
	{ "bpf_not_asked_for", 0, VERDICTS(9, ""), "", "cfi,fp", CELL_PASSED, false, "", 1 },
	{ "skip_with_reason", 77, NO_BPF, "", "bpf", CELL_SKIPPED, false, "no_bpf", 1 },
	{ "skip_without_reason_is_an_error", 77, "", "", "bpf", CELL_ERROR, false,
	  "compare ended with status 77 and no reason to skip", 0 },
	{ "nothing_is_no_pass", 0, "", "", "bpf", CELL_ERROR, false, "compare printed no verdicts",
	  0 },
	{ "no_points_is_no_pass", 0, BPF(0, 0) VERDICTS(0, ""), "", "bpf", CELL_ERROR, false,
	  "no point was compared", 2 },
	{ "garbage_is_an_error_and_loses_nothing_else", 0, BPF(9, 9) "hello\xff\n" VERDICTS(9, ""),
	  "", "bpf", CELL_ERROR, false, "line 2 of compare's output is not a JSON object: hello?",
	  2 },
	{ "array_is_garbage", 0, "[]\n", "", "bpf", CELL_ERROR, false,
	  "line 1 of compare's output is not a JSON object", 0 },
	{ "result_is_the_runs_own_type", 0, "{\"type\":\"result\"}\n", "", "bpf", CELL_ERROR, false,
	  "line 1 of compare's output has a type", 0 },
	{ "typeless_is_garbage", 0, "{}\n", "", "bpf", CELL_ERROR, false,
	  "line 1 of compare's output has no type", 0 },
	{ "environment_says_its_last_line", 99, "", "first\nno privilege\n", "bpf", CELL_ERROR,
	  true, "compare's environment failed: no privilege", 0 },
	{ "usage_is_an_error", 2, "", "", "bpf", CELL_ERROR, false, "compare ended with status 2",
	  0 },
	{ "segmentation_fault", 139, BPF(9, 9), "", "bpf", CELL_ERROR, false,
	  "compare was killed by signal 11 (Segmentation fault)", 1 },
	{ "timeout", 124, "", "", "bpf", CELL_ERROR, false, "compare did not end in time", 0 },
	{ "missing_in_the_guest", 127, "", "", "bpf", CELL_ERROR, true,
	  "compare could not be started", 0 },
	{ "crash_after_good_output_is_no_pass", 134, BPF(9, 9) VERDICTS(9, ""), "", "bpf",
	  CELL_ERROR, false, "compare was killed by signal 6", 2 },
	{ "table_faults_at_half_of_the_points", 1, BPF(90, 45) VERDICTS(90, ",\"table_fault\":45"),
	  "", "bpf", CELL_PASSED, false, "", 2 },
	{ "empty_lines_are_passed_over", 0, "\n" BPF(9, 9) "\n\n" VERDICTS(9, "") "\n", "", "bpf",
	  CELL_PASSED, false, "", 2 },
	{ "header_is_the_runs_own_type", 0, "{\"type\":\"header\"}\n", "", "bpf", CELL_ERROR, false,
	  "line 1 of compare's output has a type", 0 },
	{ "summary_is_the_runs_own_type", 0, "{\"type\":\"summary\"}\n", "", "bpf", CELL_ERROR,
	  false, "line 1 of compare's output has a type", 0 },
	{ "names_that_have_bpf_in_them", 0, VERDICTS(9, ""), "", "xbpf,bpfx,xbpfx", CELL_PASSED,
	  false, "", 1 },
	{ "bpf_behind_such_a_name", 0, VERDICTS(9, ""), "", "xbpf,bpfx,bpf", CELL_ERROR, false,
	  "compare printed no score for bpf", 1 },
	{ "bpfs_skip_without_a_reason_excuses_nothing", 0,
	  "{\"type\":\"skip\",\"engine\":\"bpf\"}\n" VERDICTS(9, ""), "", "bpf", CELL_ERROR, false,
	  "compare printed no score for bpf", 2 },
	{ "a_reason_and_a_message_of_a_letter", 0,
	  "{\"type\":\"skip\",\"engine\":\"bpf\",\"reason\":\"x\",\"message\":\"y\"}\n" VERDICTS(
		  9, ""),
	  "", "bpf", CELL_SKIPPED, false, "x: y", 2 },
	{ "skip_with_a_reason_of_a_letter", 77, "{\"type\":\"skip\",\"reason\":\"x\"}\n", "", "bpf",
	  CELL_SKIPPED, false, "x", 1 },
	{ "skip_of_no_reason", 77, "{\"type\":\"skip\"}\n", "", "bpf", CELL_ERROR, false,
	  "compare ended with status 77 and no reason to skip", 1 },
	{ "a_message_of_a_letter", 99, "", "x\n", "bpf", CELL_ERROR, true,
	  "compare's environment failed: x", 0 },
	{ "below_the_signals", 128, "", "", "bpf", CELL_ERROR, false,
	  "compare ended with status 128", 0 },
	{ "above_the_signals", 193, "", "", "bpf", CELL_ERROR, false,
	  "compare ended with status 193", 0 },
	{ "a_skip_beside_what_is_no_line", 77, NO_BPF "{\n", "", "bpf", CELL_ERROR, false,
	  "line 2 of compare's output is not a JSON object", 1 },
	{ "what_failed_first_is_said", 1,
	  BPF(90, 40) VERDICTS(90, ",\"table_fault\":50,\"unproven\":80,\"status\":256"), "", "cfi",
	  CELL_FAILED, false, "table faults at 50 of 90 points: too many", 2 },
	{ "the_second_before_the_last", 0,
	  BPF(90, 90) VERDICTS(90, ",\"unproven\":80,\"status\":256"), "", "cfi", CELL_FAILED,
	  false, "the truth is in doubt at 80 of 90 points", 2 },
	{ "negative_counts_are_no_counts", 0, BPF(-9, -9) VERDICTS(-9, ""), "", "bpf", CELL_ERROR,
	  false, "no point was compared", 2 },
};

START_TEST(test_judge)
{
	const struct judge_case *c = &judge_cases[_i];
	struct output out = { 0 }, err = { 0 };
	struct cell cell;

	cell_init(&cell, "p.gcc.O2-fp", "p", "gcc", "O2-fp", "c", "host");
	output_add(&out, c->out, strlen(c->out));
	output_add(&err, c->err, strlen(c->err));
	const struct judge_options judge = { c->engines, NULL };
	cell_judge(&cell, &judge, NULL, c->exit_code, &out, &err);
	ck_assert_msg(cell.status == c->status &&
			      !strncmp(cell.reason, c->reason, strlen(c->reason)),
		      "%s: %s \"%s\"", c->name, cell_status_name(cell.status), cell.reason);
	ck_assert_msg(c->reason[0] || !cell.reason[0], "%s: \"%s\"", c->name, cell.reason);
	ck_assert_msg(cell.environment == c->environment, "%s: environment", c->name);
	ck_assert_msg(json_array_size(cell.objects) == c->objects, "%s: %zu objects", c->name,
		      json_array_size(cell.objects));
	cell_deinit(&cell);
	output_deinit(&out);
	output_deinit(&err);
}
END_TEST

/* What is quoted of compare is one line, and cut: %d stands for so many letters. */
static const struct quote_case {
	const char *name;
	int exit_code;
	const char *out, *err; /* printf's formats */
	int letters;
	const char *reason;
	int quoted;
	bool cut;
} quote_cases[] = {
	{ "the_first_bad_line_alone", 0, "ab%.*s\ncd\n" BPF(9, 9), "", 0,
	  "line 1 of compare's output is not a JSON object: ab%.*s", 0, false },
	{ "a_later_one", 0, BPF(9, 9) "\nab%.*s\n" BPF(9, 9), "", 3,
	  "line 3 of compare's output is not a JSON object: ab%.*s", 3, false },
	{ "a_long_one", 0, "%.*s\n", "", 81,
	  "line 1 of compare's output is not a JSON object: %.*s", 80, false },
	{ "output_that_was_cut", 0, BPF(9, 9) VERDICTS(9, "") "%.*s", "", 0,
	  "compare printed more than 67108864 bytes%.*s", 0, true },
	{ "what_was_bad_before_it_was_cut", 0, "ab%.*s\n" VERDICTS(9, ""), "", 0,
	  "line 1 of compare's output is not a JSON object: ab%.*s", 0, true },
	{ "the_last_message_alone", 99, "", "%.*s\nabc \r\n\n", 500,
	  "compare's environment failed: abc%.*s", 0, false },
	{ "a_message_that_fits", 99, "", "%.*s\n", 400, "compare's environment failed: %.*s", 400,
	  false },
	{ "a_long_message", 99, "", "%.*s\n", 401, "compare's environment failed: %.*s", 400,
	  false },
};

START_TEST(test_quotes)
{
	const struct quote_case *c = &quote_cases[_i];
	char letters[512], text[2048], reason[1024];
	struct output out = { .cut = c->cut }, err = { 0 };
	struct cell cell;

	memset(letters, 'x', sizeof(letters));
	cell_init(&cell, "p.gcc.O2-fp", "p", "gcc", "O2-fp", "c", "host");
	snprintf(text, sizeof(text), c->out, c->letters, letters);
	output_add(&out, text, strlen(text));
	snprintf(text, sizeof(text), c->err, c->letters, letters);
	output_add(&err, text, strlen(text));
	snprintf(reason, sizeof(reason), c->reason, c->quoted, letters);
	const struct judge_options judge = { "bpf", NULL };
	cell_judge(&cell, &judge, NULL, c->exit_code, &out, &err);
	ck_assert_msg(cell.status == CELL_ERROR && !strcmp(cell.reason, reason), "%s: %s", c->name,
		      cell.reason);
	cell_deinit(&cell);
	output_deinit(&out);
	output_deinit(&err);
}
END_TEST

static const struct require_case {
	const char *name;
	const char *require;
	const char *toolchain;
	const char *reason;
	enum cell_status status;
} require_cases[] = {
	{ "nothing_required", "", "gcc-12.2.0", "no_bpf", CELL_SKIPPED },
	{ "bpf", "bpf", "gcc-12.2.0", "no_bpf", CELL_FAILED },
	{ "bpf_with_details", "vm,bpf", "gcc-12.2.0", "no_bpf: not permitted", CELL_FAILED },
	{ "vm_covers_kernels", "vm", "gcc-12.2.0", "no_kernel: no network", CELL_FAILED },
	{ "vm_is_not_bpf", "vm", "gcc-12.2.0", "no_bpf", CELL_SKIPPED },
	{ "rustc", "bpf,vm,clang,rustc", "rustc", "no_compiler", CELL_FAILED },
	{ "clang_is_not_rustc", "clang", "rustc", "no_compiler", CELL_SKIPPED },
	{ "clang", "clang", "clang-14", "no_compiler", CELL_FAILED },
	{ "another_reason", "clang", "clang-14", "no_compilers", CELL_SKIPPED },
};

static const struct expect_case {
	const char *name;
	const char *expected;
	const char *out;
	enum cell_status status;
	const char *reason; /* its beginning */
} expect_cases[] = {
	{ "exact", "exact", BPF(9, 9) VERDICTS(9, ""), CELL_PASSED, "" },
	{ "fault_that_was_not_expected_fails", "exact", WRONG_F BPF(9, 7) TWO_FAULTS, CELL_FAILED,
	  "table_fault (wrong) in f was not expected: cfa=rsp+8" },
	{ "fault_that_was_expected", "startup table_fault:f", WRONG_F BPF(9, 7) TWO_FAULTS,
	  CELL_PASSED, "" },
	{ "fault_in_another_function_was_not_expected", "table_fault:g",
	  WRONG_F BPF(9, 7) TWO_FAULTS, CELL_FAILED, "table_fault (wrong) in f was not expected" },
	{ "expected_fault_that_does_not_appear_fails", "table_fault:f", BPF(9, 9) VERDICTS(9, ""),
	  CELL_FAILED, "table_fault:f was expected and did not appear" },
	{ "one_of_two_expected_faults_is_not_enough", "table_fault:f table_fault:g",
	  WRONG_F BPF(9, 7) TWO_FAULTS, CELL_FAILED,
	  "table_fault:g was expected and did not appear" },
	{ "fault_that_may_appear_need_not", "table_fault?:f", BPF(9, 9) VERDICTS(9, ""),
	  CELL_PASSED, "" },
	{ "fault_that_may_appear_may", "table_fault?:f", WRONG_F BPF(9, 7) TWO_FAULTS, CELL_PASSED,
	  "" },
	{ "expected_faults_may_be_at_most_points", "table_fault:[fg]",
	  WRONG_F BPF(3, 1) VERDICTS(3, ",\"table_fault\":2"), CELL_PASSED, "" },
	{ "fault_of_startup_code_is_not_the_programs", "startup",
	  START_FILE("missing") BPF(9, 7) TWO_FAULTS, CELL_PASSED, "" },
	{ "startup_excuses_no_function_for_its_name", "startup",
	  FINDING("table_fault", "missing", "frame_dummy", "no_row", "2") BPF(9, 7) TWO_FAULTS,
	  CELL_FAILED, "table_fault (missing) in frame_dummy was not expected" },
	{ "startup_excuses_no_wrong_table", "startup", START_FILE("wrong") BPF(9, 7) TWO_FAULTS,
	  CELL_FAILED, "table_fault (wrong) in _init was not expected" },
	{ "startup_excuses_no_gap_in_the_program_itself", "startup",
	  FINDING("table_fault", "missing", "gap@0x1000", "no_row", "2") BPF(9, 7) TWO_FAULTS,
	  CELL_FAILED, "table_fault (missing) in gap@0x1000 was not expected" },
	{ "library_without_cfi", "missing:ld-musl-*.so.1",
	  IN_IMAGE("/lib/ld-musl-x86_64.so.1", "missing") BPF(9, 7) TWO_FAULTS, CELL_PASSED, "" },
	{ "another_image_without_cfi_was_not_expected", "missing:ld-musl-*.so.1",
	  IN_IMAGE("/tmp/p", "missing") BPF(9, 7) TWO_FAULTS, CELL_FAILED,
	  "table_fault (missing) in f was not expected" },
	{ "missing_excuses_no_wrong_table", "missing:ld-musl-*.so.1",
	  IN_IMAGE("/lib/ld-musl-x86_64.so.1", "wrong") BPF(9, 7) TWO_FAULTS, CELL_FAILED,
	  "table_fault (wrong) in f was not expected" },
	{ "flag_that_was_expected_excuses_bpf", "flagged:offset_range",
	  LOST_F BPF(9, 7) VERDICTS(9, ",\"conversion_loss_flagged\":2"), CELL_PASSED, "" },
	{ "flag_with_another_reason_was_not_expected", "flagged:malformed",
	  LOST_F BPF(9, 7) VERDICTS(9, ",\"conversion_loss_flagged\":2"), CELL_FAILED,
	  "conversion_loss (flagged) in f was not expected" },
	{ "flag_excuses_no_point_more", "flagged:offset_range",
	  LOST_F BPF(9, 6) VERDICTS(9, ",\"conversion_loss_flagged\":2"), CELL_FAILED,
	  "bpf exact at 6 of 9" },
	{ "flag_that_does_not_appear_fails", "flagged:offset_range", BPF(9, 9) VERDICTS(9, ""),
	  CELL_FAILED, "flagged:offset_range was expected and did not appear" },
	{ "malformed_is_a_flag", "flagged:malformed", MALFORMED_F BPF(9, 7) TWO_FAULTS, CELL_PASSED,
	  "" },
	{ "malformed_is_no_wrong_table", "table_fault:f", MALFORMED_F BPF(9, 7) TWO_FAULTS,
	  CELL_FAILED, "table_fault (malformed) in f was not expected" },
	{ "memory_that_was_absent_excuses_bpf", "absent", BPF(9, 7) VERDICTS(9, ",\"absent\":2"),
	  CELL_PASSED, "" },
	{ "absent_memory_excuses_no_point_more", "absent", BPF(9, 6) VERDICTS(9, ",\"absent\":2"),
	  CELL_FAILED, "bpf exact at 6 of 9" },
	{ "absent_memory_need_not_be_expected", "exact", BPF(9, 7) VERDICTS(9, ",\"absent\":2"),
	  CELL_PASSED, "" },
	{ "absent_memory_that_does_not_appear_fails", "absent",
	  BPF(9, 9) VERDICTS(9, ",\"absent\":0"), CELL_FAILED,
	  "absent was expected and did not appear" },
	{ "unproven_points_excuse_bpf", "exact",
	  UNPROVEN_BPF(95, 95, 5) VERDICTS(100, ",\"unproven\":5"), CELL_PASSED, "" },
	{ "unproven_points_excuse_no_point_more", "exact",
	  UNPROVEN_BPF(95, 95, 4) VERDICTS(100, ",\"unproven\":4"), CELL_FAILED,
	  "bpf was asked at 95 points of 100" },
	{ "a_truth_in_doubt_is_no_pass", "exact",
	  UNPROVEN_BPF(94, 94, 6) VERDICTS(100, ",\"unproven\":6"), CELL_FAILED,
	  "the truth is in doubt at 6 of 100 points" },
	{ "a_truth_in_doubt_that_was_expected", "unproven",
	  UNPROVEN_BPF(40, 40, 60) VERDICTS(100, ",\"unproven\":60"), CELL_PASSED, "" },
	{ "a_doubt_that_does_not_appear_fails", "startup unproven",
	  BPF(9, 9) VERDICTS(9, ",\"unproven\":0"), CELL_FAILED,
	  "unproven was expected and did not appear" },
	{ "prefix_that_was_expected", "prefix",
	  BPF(9, 9) VERDICTS(9, ",\"truth\":{\"unrooted\":3,\"max_frames\":8}"), CELL_PASSED, "" },
	{ "prefix_that_does_not_appear_fails", "startup prefix",
	  BPF(9, 9) VERDICTS(9, ",\"truth\":{\"unrooted\":0,\"max_frames\":8}"), CELL_FAILED,
	  "prefix was expected and did not appear" },
	{ "prefix_excuses_no_thin_truth", "prefix",
	  BPF(9, 9) VERDICTS(9, ",\"truth\":{\"unrooted\":3,\"max_frames\":1}"), CELL_FAILED,
	  "the truth never had two frames" },
	{ "expectation_excuses_nothing_of_ours", "table_fault:f",
	  WRONG_F BPF(9, 7) VERDICTS(9, ",\"table_fault\":2,\"reader_fault\":1"), CELL_FAILED,
	  "reader_fault 1" },
};

START_TEST(test_expect)
{
	const struct expect_case *c = &expect_cases[_i];
	struct output out = { 0 }, err = { 0 };
	struct cell cell;

	cell_init(&cell, "p.gcc.asm", "p", "gcc", "asm", "asm", "host");
	output_add(&out, c->out, strlen(c->out));
	const struct judge_options judge = { "cfi,table,bpf", NULL };
	cell_judge(&cell, &judge, c->expected, EXIT_FINDINGS, &out, &err);
	ck_assert_msg(cell.status == c->status &&
			      !strncmp(cell.reason, c->reason, strlen(c->reason)),
		      "%s: %s \"%s\"", c->name, cell_status_name(cell.status), cell.reason);
	cell_deinit(&cell);
	output_deinit(&out);
}
END_TEST

static const struct word_case {
	const char *words;
	bool valid;
} word_cases[] = {
	{ "exact", true },
	{ "startup", true },
	{ "startup prefix table_fault:f", true },
	{ "flagged:malformed diagnostic:cfi_instruction", true },
	{ "startup table_fault:a1 table_fault?:gap@*", true },
	{ "startup missing:libc.so", true },
	{ "missing", false },
	{ "", false },
	{ " ", false },
	{ "exactly", false },
	{ "exact:f", false },
	{ "exact prefix", false },
	{ "absent", true },
	{ "absent:f", false },
	{ "prefix:f", false },
	{ "flagged", false },
	{ "flagged:", false },
	{ "table_fault", false },
	{ "exact table_fault:f", false },
	{ "exact exact", false },
	{ "startup faults:f", false },
};

START_TEST(test_words)
{
	const struct word_case *c = &word_cases[_i];

	ck_assert_msg(expectation_valid(c->words) == c->valid, "\"%s\"", c->words);
}
END_TEST

#define TABLE_FAULT(kind, function)                                                                \
	"'verdict':'table_fault','kind':'" kind "','function':'" function "'"

static const struct finding_case {
	const char *name;
	const char *expected;
	const char *finding; /* without braces */
	bool allowed;
} finding_cases[] = {
	{ "the_function_that_was_named", "prefix table_fault:f", TABLE_FAULT("wrong", "f"), true },
	{ "another_function", "prefix table_fault:f", TABLE_FAULT("wrong", "g"), false },
	{ "one_that_may_be", "table_fault?:runtime.*", TABLE_FAULT("wrong", "runtime.mcall"),
	  true },
	{ "start_up_code_without_cfi", "startup",
	  TABLE_FAULT("missing", "frame_dummy") ",'start_file':'crtbegin.o'", true },
	{ "a_function_that_only_has_the_name_of_start_up_code", "startup",
	  TABLE_FAULT("missing", "frame_dummy"), false },
	{ "start_up_code_that_is_wrong", "startup",
	  TABLE_FAULT("wrong", "frame_dummy") ",'start_file':'crtbegin.o'", false },
	{ "an_entry_point_is_no_start_up_code", "startup",
	  TABLE_FAULT("missing", "_start") ",'start_file':'crt1.o'", false },
	{ "start_up_code_without_the_word", "exact",
	  TABLE_FAULT("missing", "frame_dummy") ",'start_file':'crtbegin.o'", false },
	{ "a_gap_in_a_library", "startup", TABLE_FAULT("missing", "gap@0x1") ",'image':'libc.so.6'",
	  true },
	{ "a_gap_in_the_program", "startup", TABLE_FAULT("missing", "gap@0x1") ",'image':'p'",
	  false },
	{ "a_stop_that_was_named", "flagged:range",
	  "'verdict':'conversion_loss','kind':'flagged','stop':'range'", true },
	{ "another_stop", "flagged:range",
	  "'verdict':'conversion_loss','kind':'flagged','stop':'memory'", false },
	{ "a_loss_that_nobody_says", "flagged:range",
	  "'verdict':'conversion_loss','kind':'silent','stop':'range'", false },
};

START_TEST(test_finding)
{
	const struct finding_case *c = &finding_cases[_i];
	char text[256];

	snprintf(text, sizeof(text), "{%s}", c->finding);
	for (char *at = text; (at = strchr(at, '\''));)
		*at = '"';

	json_t *finding = json_loads(text, 0, NULL);

	ck_assert(finding);
	ck_assert_msg(expectation_has_finding(c->expected, RECORD(finding)) == c->allowed, "%s",
		      c->name);
	json_decref(finding);
}
END_TEST

START_TEST(test_require)
{
	const struct require_case *c = &require_cases[_i];
	struct cell cell;

	cell_init(&cell, "p", "p", c->toolchain, "O2-fp", "c", "host");
	cell_set(&cell, CELL_SKIPPED, "%s", c->reason);
	cell_require(&cell, c->require);
	ck_assert_msg(cell.status == c->status, "%s: %s", c->name, cell_status_name(cell.status));
	ck_assert_msg(strstr(cell.reason, c->reason), "%s: %s", c->name, cell.reason);
	cell_deinit(&cell);
}
END_TEST

/* Only what was skipped can be required. */
START_TEST(test_require_of_what_was_not_skipped)
{
	struct cell cell;

	cell_init(&cell, "p", "p", "gcc", "O2-fp", "c", "host");
	cell_set(&cell, CELL_ERROR, "no_bpf");
	cell_require(&cell, "bpf");
	ck_assert_int_eq(cell.status, CELL_ERROR);
	ck_assert_str_eq(cell.reason, "no_bpf");
	cell_deinit(&cell);
}
END_TEST

START_TEST(test_require_words)
{
	const char *word;

	ck_assert(require_valid("", &word));
	ck_assert(require_valid("bpf,vm,clang,rustc,gcc", &word));
	ck_assert(!require_valid("bpf,rust", &word));
	ck_assert_str_eq(word, "rust");
	ck_assert(!require_valid("bpf,", &word));
}
END_TEST

SUITE(run_judge, LOOP(test_judge, judge_cases), LOOP(test_quotes, quote_cases),
      LOOP(test_expect, expect_cases), LOOP(test_words, word_cases),
      LOOP(test_finding, finding_cases), LOOP(test_require, require_cases),
      TEST(test_require_of_what_was_not_skipped), TEST(test_require_words))
