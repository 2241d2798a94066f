/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results.c - results.ndjson written and read back, letter by letter; what a run exits with
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "reports/report/results.h"
#include "results_fixture.h"
#include "results_folder.h"

START_TEST(test_written_and_read_back_is_the_same)
{
	char folder[] = "/tmp/test_results.XXXXXX";
	struct results written, read;
	struct error error = { 0 };
	char *before = NULL, *after = NULL;

	fixture_results(&written);
	make_folder(folder, "what was there before");
	ck_assert_msg(!results_write(&written, folder, &error), "%s", error.message);
	ck_assert_msg(!results_read(&read, folder, &error), "%s", error.message);
	ck_assert_uint_eq(read.bad_lines, 0);
	ck_assert_uint_eq(read.missing, 0);
	ck_assert(read.finished);
	FIXTURE_CAPTURE(before, results_print(&written, capture));
	FIXTURE_CAPTURE(after, results_print(&read, capture));
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
	results_deinit(&written);
	results_deinit(&read);
	remove_folder(folder);
}
END_TEST

/* A name as long as the system takes, and one that is longer. */
START_TEST(test_long_names_of_folders)
{
	char folder[] = "/tmp/test_results.XXXXXX", path[8192];
	struct results results;
	struct error error = { 0 };
	size_t longest = 4095 - strlen("/" RESULTS_FILE ".new");

	fixture_results(&results);
	make_folder(folder, "what was there before");
	memset(path, '/', sizeof(path));
	memcpy(path, folder, strlen(folder));
	path[longest] = '\0';
	ck_assert_msg(!results_write(&results, path, &error), "%s", error.message);
	results_deinit(&results);
	ck_assert_msg(!results_read(&results, folder, &error), "%s", error.message);
	ck_assert_uint_gt(results.cell_count, 0);
	for (size_t length = longest + 1; length < sizeof(path); length += 7) {
		memset(path + strlen(folder), '/', length - strlen(folder));
		path[length] = '\0';
		ck_assert_int_eq(results_write(&results, path, &error), -1);
		ck_assert_int_eq(error.system_errno, ENAMETOOLONG);
	}
	results_deinit(&results);
	remove_folder(folder);
}
END_TEST

START_TEST(test_objects_are_tagged)
{
	static const char *const key[] = { "binary", "toolchain", "variant", "kernel" };
	static const char *const value[] = { "p.gcc.O2-fp", "gcc", "O2-fp", "5.10" };
	struct results results DEINIT(results_deinit);

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "5.10", "p", "gcc", "O2-fp", "c");
	fixture_object(cell, "{\"type\":\"score\",\"kernel\":\"what compare thought\"}");
	json_t *object = json_array_get(cell->objects, 0);
	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(json_string_value(json_object_get(object, key[i])), value[i]);
}
END_TEST

#define CELLS(...) .cell = { __VA_ARGS__ }

static const struct exit_case {
	const char *name;
	enum cell_status cell[3]; /* CELL_PENDING: not there */
	bool environment;
	const char *outcome;
	size_t missing;
	int status;
	bool partial;
} exit_cases[] = {
	{ "all_passed", CELLS(CELL_PASSED, CELL_PASSED), .outcome = "ok", .status = EXIT_OK },
	{ "a_skip_is_no_failure", CELLS(CELL_PASSED, CELL_SKIPPED), .outcome = "ok",
	  .status = EXIT_OK },
	{ "all_skipped", CELLS(CELL_SKIPPED, CELL_SKIPPED), .outcome = "", .status = EXIT_SKIPPED },
	{ "one_failed", CELLS(CELL_PASSED, CELL_FAILED), .outcome = "ok", .status = EXIT_FINDINGS },
	{ "compare_broke", CELLS(CELL_PASSED, CELL_ERROR), .outcome = "ok",
	  .status = EXIT_FINDINGS },
	{ "guest_died", CELLS(CELL_PASSED, CELL_ERROR), .environment = true, .outcome = "panic",
	  .status = EXIT_ENVIRONMENT },
	{ "guest_died_after_its_last", CELLS(CELL_PASSED), .outcome = "lost",
	  .status = EXIT_ENVIRONMENT },
	{ "no_outcome", CELLS(CELL_PASSED), .outcome = "", .status = EXIT_OK },
	{ "any_other_outcome", CELLS(CELL_PASSED), .outcome = "x", .status = EXIT_ENVIRONMENT },
	{ "guest_died_and_its_outcome_is_not_known", CELLS(CELL_ERROR), .environment = true,
	  .outcome = "", .status = EXIT_ENVIRONMENT },
	{ "failure_before_environment", CELLS(CELL_FAILED, CELL_ERROR), .environment = true,
	  .outcome = "panic", .status = EXIT_FINDINGS },
	{ "cut_short", CELLS(CELL_PASSED), .outcome = "ok", .missing = 1,
	  .status = EXIT_ENVIRONMENT },
	{ "ended_by_a_signal", CELLS(CELL_PASSED), .outcome = "ok", .status = EXIT_ENVIRONMENT,
	  .partial = true },
	{ "what_was_found_until_then_is_not_certain", CELLS(CELL_FAILED), .outcome = "ok",
	  .status = EXIT_ENVIRONMENT, .partial = true },
	{ "nothing_at_all_is_no_success", CELLS(CELL_PENDING), .outcome = "ok",
	  .status = EXIT_SKIPPED },
};

START_TEST(test_exit_status)
{
	const struct exit_case *c = &exit_cases[_i];
	struct results results DEINIT(results_deinit);

	results_init(&results);
	fixture_kernel(&results, "k", "", "", "", c->outcome, "", 0, 0);
	results.missing = c->missing;
	snprintf(results.partial, sizeof(results.partial), "%s", c->partial ? "signal" : "");
	for (size_t i = 0; i < 3 && c->cell[i] != CELL_PENDING; i++) {
		struct cell *cell = fixture_cell(&results, "k", "p", "t", "v", "c");
		cell_set(cell, c->cell[i], "x");
		cell->environment = c->environment;
	}
	int status = results_exit_status(&results);
	ck_assert_msg(status == c->status, "%s: %d, not %d", c->name, status, c->status);

	size_t count[CELL_STATUS_COUNT];
	struct gate gate;

	results_count(&results, NULL, count);
	results_gate(&results, &gate);
	ck_assert_msg(gate.left[GATE_CUT_SHORT] == count[CELL_ERROR] + c->missing, "%s", c->name);
	ck_assert_uint_eq(gate.left[GATE_SKIPPED], count[CELL_SKIPPED]);
}
END_TEST

#define TAG(program)                                                                               \
	",\"binary\":\"" program ".gcc.O2-fp\",\"program\":\"" program "\",\"toolchain\":\"gcc\"," \
	"\"variant\":\"O2-fp\",\"language\":\"c\",\"kernel\":\"5.10\",\"kernel_name\":\"5.10\""

/* A run of which every field says something. */
static const char whole[] =
	"{\"type\":\"header\",\"version\":1,\"time\":\"t\",\"kernels\":[{\"name\":\"5.10\","
	"\"version\":\"5.10.0-39\",\"kernel_name\":\"5.10\","
	"\"kernel_release\":\"5.10.0-39\",\"package\":\"linux-5.10 1\",\"how\":\"played\","
	"\"accelerator\":\"tcg\",\"outcome\":\"panic\",\"sentence\":\"it died\","
	"\"boot_ms\":2100,\"total_ms\":9000,\"splats\":3}],\"cells\":2}\n"
	"{\"type\":\"verdicts\",\"points\":7" TAG(
		"p") "}\n"
		     "{\"type\":\"replay\",\"points\":5" TAG(
			     "p") "}\n"
				  "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"count\":4,"
				  "\"ignored\":\"known\"" TAG(
					  "p") "}\n"
					       "{\"type\":\"result\"" TAG(
						       "p") ",\"status\":\"failed\",\"reason\":"
							    "\"table_fault "
							    "4\",\"seconds\":0.5,\"expected\":"
							    "\"startup\"}\n"
							    "{\"type\":\"result\"" TAG(
								    "q") ",\"status\":\"error\","
									 "\"reason\":\"it "
									 "died\",\"environment\":"
									 "true,\"seconds\":0.5,"
									 "\"expected\":null}\n"
									 "{\"type\":\"summary\","
									 "\"cells\":2,\"passed\":0,"
									 "\"failed\":1,\"skipped\":"
									 "0,"
									 "\"error\":1,\"points\":7,"
									 "\"points_played\":5,"
									 "\"points_watched\":0,"
									 "\"compared\":2,"
									 "\"not_comparable\":3,"
									 "\"seconds\":17.0,"
									 "\"status\":99,"
									 "\"ignored\":4,"
									 "\"ignored_findings\":1,"
									 "\"ignore\":[\"i\"],"
									 "\"partial\":\"k\","
									 "\"partial_message\":"
									 "\"m\",\"checked\":1,"
									 "\"checked_unit\":"
									 "\"binaries\","
									 "\"not_checked\":{"
									 "\"ignored\":4,\"not_"
									 "judged\":1},\"exit_"
									 "status\":99}\n";

static void make_whole(struct results *results)
{
	results_init(results);
	json_object_set_new(results->header, "time", json_string("t"));
	fixture_kernel(results, "5.10", "5.10.0-39", "linux-5.10 1", "tcg", "panic", "it died",
		       2100, 9000);
	strcpy(results->kernel[0].how, RESULTS_PLAYED);
	results->kernel[0].splats = 3;
	struct cell *cell = fixture_cell(results, "5.10", "p", "gcc", "O2-fp", "c");
	fixture_object(cell, "{\"type\":\"verdicts\",\"points\":7}");
	fixture_object(cell, "{\"type\":\"replay\",\"points\":5}");
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"count\":4,"
			     "\"ignored\":\"known\"}");
	cell_set(cell, CELL_FAILED, "table_fault 4");
	cell_expect(cell, "startup");
	cell = fixture_cell(results, "5.10", "q", "gcc", "O2-fp", "c");
	cell_set(cell, CELL_ERROR, "it died");
	cell->environment = true;
	cell_expect(cell, NULL);
	results->compared = 2;
	results->not_comparable = 3;
	results->seconds = 17;
	results->ignore = json_pack("[s]", "i");
	strcpy(results->partial, "k");
	strcpy(results->partial_message, "m");
}

START_TEST(test_what_is_written)
{
	char folder[] = "/tmp/test_results.XXXXXX";
	struct results results;
	struct error error = { 0 };
	char *text = NULL;

	make_whole(&results);
	FIXTURE_CAPTURE(text, ck_assert_int_eq(results_print(&results, capture), 0));
	ck_assert_str_eq(text, whole);
	free(text);
	results_deinit(&results);
	make_folder(folder, whole);
	ck_assert_msg(!results_read(&results, folder, &error), "%s", error.message);
	ck_assert_ptr_null(json_object_get(results.header, "kernels"));
	ck_assert_ptr_null(json_object_get(results.header, "cells"));
	FIXTURE_CAPTURE(text, ck_assert_int_eq(results_print(&results, capture), 0));
	ck_assert_str_eq(text, whole);
	free(text);
	results_deinit(&results);
	remove_folder(folder);
}
END_TEST

/* A disk that is full is said, and the file of before stays. */
START_TEST(test_what_cannot_be_written)
{
	char folder[] = "/tmp/test_results.XXXXXX", path[256], text[64] = "";
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	make_folder(folder, "before");
	snprintf(path, sizeof(path), "%s/%s.new", folder, RESULTS_FILE);
	ck_assert_int_eq(symlink("/dev/full", path), 0);
	make_whole(&results);
	ck_assert_int_eq(results_write(&results, folder, &error), -1);
	ck_assert_msg(strstr(error.message, "can't write /tmp/test_results."), "%s", error.message);
	ck_assert_int_eq(error.system_errno, ENOSPC);
	ck_assert_int_eq(access(path, F_OK), -1);
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(text, 1, sizeof(text) - 1, file), 6);
	fclose(file);
	ck_assert_str_eq(text, "before");
	FILE *full = fopen("/dev/full", "we");
	setvbuf(full, NULL, _IONBF, 0);
	ck_assert_int_ne(cell_write(&results.cell[0], full), 0);
	fclose(full);
	remove_folder(folder);
}
END_TEST

/* A reason is one line of text that JSON can hold. */
static const struct {
	const char *name, *said, *reason;
} reason_cases[] = {
	{ "plain", "a b~c", "a b~c" },
	{ "control_characters", "a\nb\tc\033d\x7f", "a b c d " },
	{ "utf_8", "\xc3\xbc\n", "\xc3\xbc " },
	{ "no_utf_8", "\x80 \x81 \xc3\xbc \xff", "? ? ?? ?" },
};

START_TEST(test_reasons)
{
	struct cell cell;

	cell_init(&cell, "p", "p", "t", "v", "c", "k");
	cell_set(&cell, CELL_ERROR, "%s", reason_cases[_i].said);
	ck_assert_msg(!strcmp(cell.reason, reason_cases[_i].reason), "%s: %s",
		      reason_cases[_i].name, cell.reason);
	cell_deinit(&cell);
}
END_TEST

START_TEST(test_labels)
{
	static const char *const names[][3] = { { "host", "6.1", "host" },
						{ "/boot/vmlinuz", "6.1-cloud", "6.1-cloud" },
						{ "/boot/vmlinuz-7", "", "vmlinuz-7" },
						{ "./b", "6", "6" },
						{ "/boot/gone", NULL, "gone" } };
	struct results results DEINIT(results_deinit);

	results_init(&results);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][1])
			fixture_kernel(&results, names[i][0], names[i][1], "", "", "", "", 0, 0);
	ck_assert_str_eq(cell_status_name(CELL_STATUS_COUNT), "?");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(results_kernel_label(&results, names[i][0]), names[i][2]);
}
END_TEST

START_TEST(test_counts_are_of_a_kernel)
{
	size_t count[CELL_STATUS_COUNT];
	struct results results DEINIT(results_deinit);

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	cell_set(cell, CELL_PASSED, "%s", "");
	fixture_object(cell, "{\"type\":\"replay\",\"points\":5}");
	cell = fixture_cell(&results, "5.10", "p", "gcc", "O2-fp", "c");
	cell_set(cell, CELL_SKIPPED, "x");
	fixture_object(cell, "{\"type\":\"replay\",\"points\":70}");
	fixture_object(cell, "{\"points\":600}");
	results_count(&results, "host", count);
	ck_assert(count[CELL_PASSED] == 1 && count[CELL_SKIPPED] == 0);
	results_count(&results, "5.10", count);
	ck_assert(count[CELL_PASSED] == 0 && count[CELL_SKIPPED] == 1);
	ck_assert_uint_eq(results_points_played(&results, "host"), 5);
	ck_assert_uint_eq(results_points_played(&results, "5.10"), 70);
	ck_assert_uint_eq(results_points_played(&results, NULL), 75);
}
END_TEST

/* What does not fit is cut, and never written behind. */
static const struct {
	size_t size;
	const char *path;
} path_cases[] = {
	{ 64, "f/kernels/_boot_a.console" },
	{ 26, "f/kernels/_boot_a.console" },
	{ 13, "f/kernels/_b" },
	{ 11, "f/kernels/" },
	{ 10, "f/kernels" },
	{ 3, "f/" },
};

START_TEST(test_paths)
{
	char path[80];

	memset(path, '/', sizeof(path));
	results_path(path, path_cases[_i].size, "f", "kernels", "/boot/a", "console");
	ck_assert_str_eq(path, path_cases[_i].path);
	for (size_t i = path_cases[_i].size; i < sizeof(path); i++)
		ck_assert_int_eq(path[i], '/');
}
END_TEST

/* What a gate is told of cells that were not judged, and of lines that could not be read. */
static const struct {
	const char *name;
	size_t bad_lines;
	bool pending, broken, partial;
	int status;
	uint64_t findings, cut_short;
} gate_cases[] = {
	{ "all_is_well", 0, false, false, false, EXIT_OK, 0, 0 },
	{ "a_bad_line", 1, false, false, false, EXIT_BAD_INPUT, 0, 0 },
	{ "one_that_is_pending", 0, true, false, false, EXIT_ENVIRONMENT, 0, 1 },
	{ "one_that_broke", 0, false, true, false, EXIT_FINDINGS, 1, 1 },
	{ "a_run_that_was_cut_short", 0, false, true, true, EXIT_ENVIRONMENT, 0, 1 },
};

START_TEST(test_gate)
{
	struct results results DEINIT(results_deinit);
	struct gate gate;

	results_init(&results);
	results.bad_lines = gate_cases[_i].bad_lines;
	results.strict = gate_cases[_i].partial;
	strcpy(results.partial, gate_cases[_i].partial ? "x" : "");
	struct cell *cell = fixture_cell(&results, "k", "p", "t", "v", "c");
	if (!gate_cases[_i].pending)
		cell_set(cell, gate_cases[_i].broken ? CELL_ERROR : CELL_PASSED, "%s", "");
	cell_set(fixture_cell(&results, "k", "q", "t", "v", "c"), CELL_PASSED, "%s", "");
	if (gate_cases[_i].partial) /* with --strict a skip alone would fail it */
		cell_set(fixture_cell(&results, "k", "r", "t", "v", "c"), CELL_SKIPPED, "x");
	results_gate(&results, &gate);
	ck_assert_msg(results_exit_status(&results) == gate_cases[_i].status, "%s: %d",
		      gate_cases[_i].name, results_exit_status(&results));
	ck_assert_uint_eq(gate.findings, gate_cases[_i].findings);
	ck_assert_uint_eq(gate.left[GATE_CUT_SHORT], gate_cases[_i].cut_short);
}
END_TEST

/* What a list of --ignore was worth is said if there was one, and of none nothing. */
START_TEST(test_a_list_that_ignores_nothing)
{
	struct results results DEINIT(results_deinit);
	json_t *summary;

	results_init(&results);
	summary = results_summary_json(&results);
	ck_assert_ptr_null(json_object_get(summary, "ignored"));
	ck_assert_ptr_null(json_object_get(summary, "ignore"));
	json_decref(summary);
	results.ignore = json_array();
	summary = results_summary_json(&results);
	ck_assert(json_is_integer(json_object_get(summary, "ignored")));
	ck_assert(json_is_integer(json_object_get(summary, "ignored_findings")));
	ck_assert(json_is_array(json_object_get(summary, "ignore")));
	json_decref(summary);
}
END_TEST

/* Two findings of one cell, and one of another: points are not findings, nor the last one's all. */
START_TEST(test_ignored_points)
{
	uint64_t findings = 99;
	struct results results DEINIT(results_deinit);
	struct gate gate;

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "a", "p", "t", "v", "c");
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"walk_fault\",\"count\":5,"
			     "\"ignored\":\"known\"}");
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"count\":70,"
			     "\"ignored\":\"known\"}");
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"count\":1000}");
	fixture_object(cell, "{\"type\":\"verdicts\",\"count\":10000,\"ignored\":75}");
	ck_assert_uint_eq(cell_ignored(cell, NULL, NULL), 75);
	ck_assert_uint_eq(cell_ignored(cell, "table_fault", NULL), 70);
	ck_assert_uint_eq(cell_ignored(cell, "kernel_fault", NULL), 0);
	cell = fixture_cell(&results, "b", "p", "t", "v", "c");
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"walk_fault\",\"count\":600,"
			     "\"ignored\":\"known\"}");
	ck_assert_uint_eq(results_ignored(&results, &findings), 675);
	ck_assert_uint_eq(findings, 3);
	results_gate(&results, &gate);
	ck_assert_uint_eq(gate.left[GATE_IGNORED], 675);
}
END_TEST

/* Cells in any order: a later one takes nothing back. 0 passed, 1 failed, 2 skipped, 3 an error of ours, 4 the
 * environment's, 5 not judged. */
START_TEST(test_cells_in_any_order)
{
	static const enum cell_status statuses[] = { CELL_PASSED, CELL_FAILED, CELL_SKIPPED,
						     CELL_ERROR,  CELL_ERROR,  CELL_PENDING };

	for (int i = 0; i < 6 * 6 * 6; i++) {
		const int kinds[] = { i / 36, i / 6 % 6, i % 6 };
		uint64_t count[6] = { 0 };
		struct results results DEINIT(results_deinit);
		struct gate gate;

		results_init(&results);
		for (int j = 0; j < 3; j++) {
			struct cell *cell = fixture_cell(&results, "k", "p", "t", "v", "c");

			if (kinds[j] < 5)
				cell_set(cell, statuses[kinds[j]], "x");
			cell->environment = kinds[j] == 4;
			count[kinds[j]]++;
		}
		results_gate(&results, &gate);
		ck_assert_uint_eq(gate.checked, count[0] + count[1]);
		ck_assert_uint_eq(gate.findings, count[1] + count[3]);
		ck_assert_int_eq(gate.environment, count[4] + count[5] > 0);
		ck_assert_uint_eq(gate.left[GATE_CUT_SHORT], count[3] + count[4] + count[5]);
		ck_assert_uint_eq(gate.left[GATE_SKIPPED], count[2]);
		ck_assert(!gate.bad_input);
	}
}
END_TEST

/* Whose doing it was is said of each error, and of nothing else. */
START_TEST(test_errors_say_whose_they_are)
{
	struct results results DEINIT(results_deinit);

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "k", "p", "t", "v", "c");
	for (int i = 0; i < 4; i++) {
		FREED char *text = NULL;

		cell_set(cell, i < 2 ? CELL_ERROR : CELL_FAILED, "x");
		cell->environment = i & 1;
		FIXTURE_CAPTURE(text, ck_assert_int_eq(cell_write(cell, capture), 0));
		ck_assert_int_eq(strstr(text, "\"environment\":true") != NULL, i == 1);
		ck_assert_int_eq(strstr(text, "\"environment\":false") != NULL, i == 0);
	}
}
END_TEST

/* What the header of before says of itself does not hide what it is, and how many cells there are now. */
START_TEST(test_a_header_is_of_this_run)
{
	struct results results DEINIT(results_deinit);
	json_t *header;

	results_init(&results);
	json_object_set_new(results.header, "type", json_string("other"));
	json_object_set_new(results.header, "version", json_integer(9));
	json_object_set_new(results.header, "cells", json_integer(7));
	json_object_set_new(results.header, "kernels", json_string("none"));
	json_object_set_new(results.header, "host", json_string("h"));
	cell_set(fixture_cell(&results, "k", "p", "t", "v", "c"), CELL_PASSED, "x");
	header = results_header_json(&results);
	ck_assert_str_eq(json_string_value(json_object_get(header, "type")), "header");
	ck_assert_int_eq(json_integer_value(json_object_get(header, "version")), RESULTS_VERSION);
	ck_assert_int_eq(json_integer_value(json_object_get(header, "cells")), 1);
	ck_assert(json_is_array(json_object_get(header, "kernels")));
	ck_assert_str_eq(json_string_value(json_object_get(header, "host")), "h");
	json_decref(header);
}
END_TEST

/* A folder is in its place: it stays, and nothing is left beside it. */
START_TEST(test_a_place_that_is_taken)
{
	char folder[] = "/tmp/test_results.XXXXXX", path[256];
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	make_whole(&results);
	ck_assert_int_eq(results_write(&results, folder, &error), -1);
	ck_assert_int_eq(error.system_errno, EISDIR);
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

/* Of two guests the first one died: so did the run. */
START_TEST(test_any_guest_may_have_died)
{
	static const char *const outcomes[][2] = {
		{ "ok", "ok" }, { "panic", "ok" }, { "ok", "panic" }, { "", "panic" }
	};

	for (size_t i = 0; i < 4; i++) {
		struct results results DEINIT(results_deinit);

		results_init(&results);
		for (size_t k = 0; k < 2; k++)
			fixture_kernel(&results, k ? "b" : "a", "", "", "", outcomes[i][k], "", 0,
				       0);
		cell_set(fixture_cell(&results, "a", "p", "t", "v", "c"), CELL_PASSED, "%s", "");
		ck_assert_int_eq(results_exit_status(&results), i ? EXIT_ENVIRONMENT : EXIT_OK);
	}
}
END_TEST

SUITE(results, TEST(test_written_and_read_back_is_the_same), TEST(test_long_names_of_folders),
      TEST(test_objects_are_tagged), TEST(test_what_is_written), TEST(test_what_cannot_be_written),
      LOOP(test_reasons, reason_cases), TEST(test_labels), TEST(test_counts_are_of_a_kernel),
      LOOP(test_paths, path_cases), LOOP(test_exit_status, exit_cases), LOOP(test_gate, gate_cases),
      TEST(test_a_list_that_ignores_nothing), TEST(test_ignored_points),
      TEST(test_any_guest_may_have_died), TEST(test_cells_in_any_order),
      TEST(test_errors_say_whose_they_are), TEST(test_a_header_is_of_this_run),
      TEST(test_a_place_that_is_taken))
