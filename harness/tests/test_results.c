/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results.c - results.ndjson written, read back, damaged; what a run exits with
 */
#include <check.h>
#include <stdlib.h>
#include <unistd.h>
#include "harness.h"
#include "report/results.h"
#include "results_fixture.h"

/* A folder with that text as its results.ndjson, removed by remove_folder. */
static void make_folder(char *folder, const char *text)
{
	char path[256];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	FILE *file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void remove_folder(const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);
}

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
	struct results results;

	results_init(&results);
	struct cell *cell = fixture_cell(&results, "5.10", "p", "gcc", "O2-fp", "c");
	fixture_object(cell, "{\"type\":\"score\",\"kernel\":\"what compare thought\"}");
	json_t *object = json_array_get(cell->objects, 0);
	for (size_t i = 0; i < 4; i++)
		ck_assert_str_eq(json_string_value(json_object_get(object, key[i])), value[i]);
	results_deinit(&results);
}
END_TEST

#define HEADER "{\"type\":\"header\",\"version\":1,\"kernels\":[{\"name\":\"host\"}],\"cells\":2}\n"
#define RESULT                                                                                     \
	"{\"type\":\"result\",\"binary\":\"a\",\"program\":\"a\",\"kernel\":\"host\","             \
	"\"status\":\"passed\",\"reason\":\"\",\"seconds\":1}\n"
#define SCORE "{\"type\":\"score\",\"binary\":\"a\",\"kernel\":\"host\"}\n"

static const struct damage_case {
	const char *name;
	const char *text;
	int status;
	size_t bad_lines;
	size_t cells;
	size_t missing;
	enum cell_status first;
} damage_cases[] = {
	{ "empty_file_has_no_header", "", -1, 0, 0, 0, 0 },
	{ "no_header", RESULT, -1, 0, 1, 0, CELL_PASSED },
	{ "other_version_is_no_header", "{\"type\":\"header\",\"version\":2}\n", -1, 1, 0, 0, 0 },
	{ "cut_short_misses_cells", HEADER RESULT, 0, 0, 1, 1, CELL_PASSED },
	{ "cell_without_result_is_an_error", HEADER SCORE, 0, 0, 1, 1, CELL_ERROR },
	{ "cut_inside_a_line", HEADER RESULT "{\"type\":\"resu", 0, 1, 1, 1, CELL_PASSED },
	{ "garbage_costs_its_line", HEADER "\xff\x01garbage\n" RESULT, 0, 1, 1, 1, CELL_PASSED },
	{ "array_is_no_object", HEADER "[1]\n" RESULT, 0, 1, 1, 1, CELL_PASSED },
	{ "unknown_status",
	  HEADER "{\"type\":\"result\",\"binary\":\"a\",\"kernel\":\"host\",\"status\":\"fine\"}\n",
	  0, 1, 1, 1, CELL_ERROR },
	{ "result_without_kernel", HEADER "{\"type\":\"result\",\"binary\":\"a\"}\n", 0, 1, 0, 2,
	  0 },
	{ "fields_of_wrong_types_are_absent",
	  "{\"type\":\"header\",\"version\":1,\"kernels\":[7,{\"name\":[]}],\"cells\":\"x\"}"
	  "\n" RESULT,
	  0, 0, 1, 0, CELL_PASSED },
};

START_TEST(test_damage)
{
	const struct damage_case *c = &damage_cases[_i];
	char folder[] = "/tmp/test_results.XXXXXX";
	struct results results;
	struct error error = { 0 };
	char *text = NULL;

	make_folder(folder, c->text);
	int status = results_read(&results, folder, &error);
	ck_assert_msg(status == c->status, "%s: status %d: %s", c->name, status, error.message);
	ck_assert_msg(!status || error.message[0], "%s: no message", c->name);
	ck_assert_msg(results.bad_lines == c->bad_lines, "%s: %zu bad lines", c->name,
		      results.bad_lines);
	ck_assert_msg(results.cell_count == c->cells, "%s: %zu cells", c->name, results.cell_count);
	ck_assert_msg(results.missing == c->missing, "%s: %zu missing", c->name, results.missing);
	if (c->cells)
		ck_assert_msg(results.cell[0].status == c->first, "%s: %s", c->name,
			      cell_status_name(results.cell[0].status));
	/* What can be read can be reported. */
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	free(text);
	results_deinit(&results);
	remove_folder(folder);
}
END_TEST

START_TEST(test_no_folder)
{
	struct results results;
	struct error error = { 0 };

	ck_assert_int_eq(results_read(&results, "/nonexistent", &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	results_deinit(&results);
}
END_TEST

static const struct exit_case {
	const char *name;
	enum cell_status cell[3]; /* CELL_PENDING: not there */
	bool environment;
	const char *outcome;
	size_t missing;
	int status;
	bool partial;
} exit_cases[] = {
	{ "all_passed", { CELL_PASSED, CELL_PASSED }, false, "ok", 0, EXIT_OK, false },
	{ "a_skip_is_no_failure", { CELL_PASSED, CELL_SKIPPED }, false, "ok", 0, EXIT_OK, false },
	{ "all_skipped", { CELL_SKIPPED, CELL_SKIPPED }, false, "", 0, EXIT_SKIPPED, false },
	{ "one_failed", { CELL_PASSED, CELL_FAILED }, false, "ok", 0, EXIT_FINDINGS, false },
	{ "compare_broke", { CELL_PASSED, CELL_ERROR }, false, "ok", 0, EXIT_FINDINGS, false },
	{ "guest_died", { CELL_PASSED, CELL_ERROR }, true, "panic", 0, EXIT_ENVIRONMENT, false },
	{ "guest_died_after_its_last", { CELL_PASSED }, false, "lost", 0, EXIT_ENVIRONMENT, false },
	{ "no_outcome", { CELL_PASSED }, false, "", 0, EXIT_OK, false },
	{ "any_other_outcome", { CELL_PASSED }, false, "x", 0, EXIT_ENVIRONMENT, false },
	{ "failure_before_environment",
	  { CELL_FAILED, CELL_ERROR },
	  true,
	  "panic",
	  0,
	  EXIT_FINDINGS,
	  false },
	{ "cut_short", { CELL_PASSED }, false, "ok", 1, EXIT_ENVIRONMENT, false },
	{ "ended_by_a_signal", { CELL_PASSED }, false, "ok", 0, EXIT_ENVIRONMENT, true },
	{ "what_was_found_until_then_is_not_certain",
	  { CELL_FAILED },
	  false,
	  "ok",
	  0,
	  EXIT_ENVIRONMENT,
	  true },
	{ "nothing_at_all_is_no_success", { CELL_PENDING }, false, "ok", 0, EXIT_SKIPPED, false },
};

START_TEST(test_exit_status)
{
	const struct exit_case *c = &exit_cases[_i];
	struct results results;

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
	results_deinit(&results);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("results");
	TCase *tcase = tcase_create("results");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_written_and_read_back_is_the_same);
	tcase_add_test(tcase, test_long_names_of_folders);
	tcase_add_test(tcase, test_objects_are_tagged);
	tcase_add_loop_test(tcase, test_damage, 0, sizeof(damage_cases) / sizeof(damage_cases[0]));
	tcase_add_test(tcase, test_no_folder);
	tcase_add_loop_test(tcase, test_exit_status, 0, sizeof(exit_cases) / sizeof(exit_cases[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
