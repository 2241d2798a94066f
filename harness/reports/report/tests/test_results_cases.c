/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_cases.c - a results folder as cases: which are there, and what each has
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "reports/report/results_cases.h"
#include "results_fixture.h"

static const char *property(const struct case_suite *suite, const char *name)
{
	const char *value = json_string_value(json_object_get(suite->property, name));

	return value ? value : "";
}

/* A kernel whose words are of one letter each, one that never ran, and cells of two that nobody
 * knows. */
START_TEST(test_suites)
{
	static const char *const comments[] = { "PARTIAL (k): m", "kernel host: 6 n: s",
						"kernel 5.10: not run" };
	struct results results DEINIT(results_deinit);
	struct cases cases;

	results_init(&results);
	fixture_kernel(&results, "host", "6", "p", "n", "o", "s", 0, 0);
	fixture_kernel(&results, "5.10", "", "", "", "", "", 0, 0);
	strcpy(results.partial, "k");
	strcpy(results.partial_message, "m");
	results.missing = 2;
	results.seconds = 3;
	cell_set(fixture_cell(&results, "host", "a", "gcc", "O0", "c"), CELL_PASSED, "%s", "");
	fixture_cell(&results, "9.8", "b", "gcc", "O0", "c");
	cell_set(fixture_cell(&results, "9.9", "c", "gcc", "O0", "c"), CELL_FAILED, "r");
	results_cases(&cases, &results, NULL);
	ck_assert_double_eq(cases.seconds, 3);
	ck_assert_uint_eq(json_array_size(cases.comment), 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(json_string_value(json_array_get(cases.comment, i)), comments[i]);
	ck_assert_uint_eq(cases.count, 4);
	const struct case_suite *suite = &cases.suite[0];
	ck_assert_str_eq(suite->name, "host");
	ck_assert_str_eq(property(suite, "kernel.version"), "6");
	ck_assert_str_eq(property(suite, "kernel.package"), "p");
	ck_assert_str_eq(property(suite, "kernel.accelerator"), "n");
	ck_assert_str_eq(property(suite, "kernel.outcome"), "o");
	ck_assert_str_eq(property(suite, "kernel.sentence"), "s");
	ck_assert_uint_eq(suite->count, 1);
	ck_assert_str_eq(suite->judged[0].file, "a.gcc.O0");
	ck_assert_str_eq(suite->judged[0].title, "host: a.gcc.O0");
	ck_assert_uint_eq(json_object_size(cases.suite[1].property), 0);
	ck_assert_str_eq(cases.suite[2].name, "unknown kernels");
	ck_assert_uint_eq(cases.suite[2].count, 2);
	ck_assert_int_eq(cases.suite[2].judged[0].status, CASE_ERROR);
	ck_assert_int_eq(cases.suite[2].judged[1].status, CASE_FAILED);
	ck_assert_str_eq(cases.suite[3].name, "missing");
	ck_assert_uint_eq(cases.suite[3].count, 1);
	ck_assert_str_eq(cases.suite[3].judged[0].type, "environment");
	cases_deinit(&cases);
}
END_TEST

/* Each cell is a case of its own: with its status, its time, its findings, and whose doing an error was. */
START_TEST(test_cells)
{
	static const struct {
		enum cell_status status;
		bool environment;
		enum case_status expected;
		const char *type;
	} cells[] = { { CELL_ERROR, true, CASE_ERROR, "environment" },
		      { CELL_ERROR, false, CASE_ERROR, "comparison" },
		      { CELL_FAILED, false, CASE_FAILED, "comparison" },
		      { CELL_SKIPPED, false, CASE_SKIPPED, "comparison" },
		      { CELL_PASSED, false, CASE_PASSED, "comparison" } };
	struct results results DEINIT(results_deinit);
	struct cases cases;
	char text[128];

	results_init(&results);
	fixture_kernel(&results, "host", "6", "", "", "ok", "", 0, 0);
	for (int i = 0; i < 5; i++) {
		struct cell *cell = fixture_cell(&results, "host", "p", "gcc", i & 1 ? "O0" : "O2",
						 "c");

		cell_set(cell, cells[i].status, "r%d", i);
		cell->environment = cells[i].environment;
		cell->seconds = i;
		for (int finding = 0; finding < i; finding++) {
			snprintf(text, sizeof(text), "{\"type\":\"finding\",\"n\":%d}",
				 10 * i + finding);
			fixture_object(cell, text);
			fixture_object(cell, "{\"type\":\"score\"}");
		}
	}
	results_cases(&cases, &results, NULL);
	ck_assert_uint_eq(cases.suite[0].count, 5);
	for (int i = 0; i < 5; i++) {
		const struct judged_case *judged = &cases.suite[0].judged[i];

		ck_assert_int_eq(judged->status, cells[i].expected);
		ck_assert_str_eq(judged->type, cells[i].type);
		ck_assert_double_eq(judged->seconds, i);
		ck_assert_str_eq(json_string_value(json_object_get(judged->detail, "variant")),
				 i & 1 ? "O0" : "O2");
		for (int finding = 0; finding < 5; finding++) {
			snprintf(text, sizeof(text), "\"n\":%d,", 10 * i + finding);
			ck_assert_int_eq(judged->output && strstr(judged->output, text),
					 finding < i);
		}
		ck_assert(!judged->output || !strstr(judged->output, "score"));
	}
	cases_deinit(&cases);
}
END_TEST

/* Of a guest that did not end well, the end of its console. size: in bytes; -1: there is none. */
static const struct console_case {
	const char *name, *outcome;
	long size, taken; /* -1: nothing */
	bool no_folder;
} console_cases[] = {
	{ "ended_well", "ok", 10, -1, false },	      { "never_ran", "", 10, -1, false },
	{ "no_folder", "x", 10, -1, true },	      { "no_console", "x", -1, -1, false },
	{ "an_empty_one", "x", 0, -1, false },	      { "short", "x", 10, 10, false },
	{ "just_so_long", "x", 65536, 65536, false }, { "too_long", "x", 65540, 65536, false },
};

START_TEST(test_console)
{
	const struct console_case *c = &console_cases[_i];
	char folder[] = "/tmp/test_results_cases.XXXXXX", kernels[64], path[128];
	struct results results DEINIT(results_deinit);
	struct cases cases;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(kernels, sizeof(kernels), "%s/kernels", folder);
	ck_assert_int_eq(mkdir(kernels, 0777), 0);
	snprintf(path, sizeof(path), "%s/5.10.console", kernels);
	if (c->size >= 0) {
		FILE *file = fopen(path, "we");

		/* It ends with a digit, and its first and last but one bytes are NUL. */
		for (long i = 0; i < c->size; i++)
			putc(i + 2 == c->size || i == c->size - c->taken ? '\0'
			     : i + 1 == c->size				 ? '9'
									 : 'x',
			     file);
		fclose(file);
	}
	results_init(&results);
	fixture_kernel(&results, "5.10", "6", "", "", c->outcome, "", 0, 0);
	/* Memory is never 0 by chance. */
	mallopt(M_PERTURB, 'U');
	results_cases(&cases, &results, c->no_folder ? NULL : folder);
	const char *output = cases.suite[0].output;
	ck_assert_msg(!output == (c->taken < 0), "%s: %s", c->name, output ? output : "nothing");
	if (output) {
		ck_assert_msg((long)strlen(output) == c->taken, "%s: %zu bytes", c->name,
			      strlen(output));
		ck_assert_int_eq(output[0], '?');
		ck_assert_str_eq(output + c->taken - 3, "x?9");
	}
	cases_deinit(&cases);
	unlink(path);
	rmdir(kernels);
	rmdir(folder);
}
END_TEST

SUITE(results_cases, TEST(test_suites), TEST(test_cells), LOOP(test_console, console_cases))
