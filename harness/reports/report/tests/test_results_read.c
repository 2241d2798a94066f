/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_read.c - results.ndjson that is damaged, cut short, or something else
 *
 * A bad line costs itself, and what nobody judged is an error. What a file is, its first line says.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "reports/report/results.h"
#include "results_fixture.h"
#include "results_folder.h"

#define HEADER "{\"type\":\"header\",\"version\":1,\"kernels\":[{\"name\":\"host\"}],\"cells\":2}\n"
#define RESULT                                                                                     \
	"{\"type\":\"result\",\"binary\":\"a\",\"program\":\"a\",\"kernel\":\"host\","             \
	"\"status\":\"passed\",\"reason\":\"\",\"seconds\":1}\n"
#define UNENDED "{\"type\":\"result\",\"binary\":\"a\",\"kernel\":\"host\",\"status\":\"passed\"}"
#define WITH_STATUS(status)                                                                        \
	"{\"type\":\"result\",\"binary\":\"a\",\"kernel\":\"host\",\"status\":\"" status "\"}\n"
#define SCORE "{\"type\":\"score\",\"binary\":\"a\",\"kernel\":\"host\"}\n"

static const struct damage_case {
	const char *name;
	const char *text;
	int status;
	size_t bad_lines;
	size_t cells;
	size_t missing;
	enum cell_status first;
	const char *problem; /* the first bad line's */
	bool torn;
} damage_cases[] = {
	{ "empty_file_has_no_header", "", -1, 0, 0, 0, 0, "", false },
	{ "no_header", RESULT, -1, 0, 1, 0, CELL_PASSED, "", false },
	{ "other_version_is_no_header", "{\"type\":\"header\",\"version\":2}\n", -1, 1, 0, 0, 0,
	  "line 1 of results.ndjson: a header of another version", false },
	{ "an_older_version_is_none", "{\"type\":\"header\",\"version\":0}\n", -1, 1, 0, 0, 0,
	  "line 1 of results.ndjson: a header of another version", false },
	{ "cut_short_misses_cells", HEADER RESULT, 0, 0, 1, 1, CELL_PASSED, "", false },
	{ "the_last_header_counts", HEADER HEADER RESULT, 0, 0, 1, 1, CELL_PASSED, "", false },
	{ "cell_without_result_is_an_error", HEADER SCORE, 0, 0, 1, 1, CELL_ERROR, "", false },
	{ "cut_inside_a_line", HEADER RESULT "{\"type\":\"resu", 0, 1, 1, 1, CELL_PASSED,
	  "line 3 of", true },
	{ "a_bad_line_with_its_end_is_not_cut", HEADER RESULT "{\"type\":\"resu\n", 0, 1, 1, 1,
	  CELL_PASSED, "line 3 of", false },
	{ "nor_is_a_good_one_without", HEADER "[1]\n" UNENDED, 0, 1, 1, 1, CELL_PASSED, "line 2 of",
	  false },
	{ "garbage_costs_its_line", HEADER "\xff\x01garbage\n" RESULT, 0, 1, 1, 1, CELL_PASSED,
	  "line 2 of", false },
	{ "the_first_bad_line_is_kept", HEADER "[1]\n{}\n" RESULT, 0, 2, 1, 1, CELL_PASSED,
	  "line 2 of results.ndjson: not an object", false },
	{ "no_type", HEADER "{\"binary\":\"b\",\"kernel\":\"host\"}\n" RESULT, 0, 1, 1, 1,
	  CELL_PASSED, "no \"type\"", false },
	{ "a_type_of_one_letter",
	  HEADER "{\"type\":\"x\",\"binary\":\"a\",\"kernel\":\"host\"}\n" RESULT, 0, 0, 1, 1,
	  CELL_PASSED, "", false },
	{ "unknown_status", HEADER WITH_STATUS("fine"), 0, 1, 1, 1, CELL_ERROR,
	  "a status that is not known", false },
	{ "a_status_that_has_no_name", HEADER WITH_STATUS("?"), 0, 1, 1, 1, CELL_ERROR,
	  "a status that is not known", false },
	{ "pending_is_no_result", HEADER WITH_STATUS("pending"), 0, 1, 1, 1, CELL_ERROR,
	  "a status that is not known", false },
	{ "result_without_kernel", HEADER "{\"type\":\"result\",\"binary\":\"a\"}\n", 0, 1, 0, 2, 0,
	  "no \"binary\" and \"kernel\"", false },
	{ "fields_of_wrong_types_are_absent",
	  "{\"type\":\"header\",\"version\":1,\"kernels\":[7,{\"name\":[]}],\"cells\":\"x\"}"
	  "\n" RESULT,
	  0, 0, 1, 0, CELL_PASSED, "", false },
};

START_TEST(test_damage)
{
	const struct damage_case *c = &damage_cases[_i];
	char folder[] = "/tmp/test_results.XXXXXX";
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };
	FREED char *text = NULL;

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
	ck_assert_msg(strstr(results.first_bad_line.message, c->problem), "%s: %s", c->name,
		      results.first_bad_line.message);
	ck_assert_msg(results.torn == c->torn, "%s: torn", c->name);
	for (size_t i = 0; i < results.cell_count; i++)
		ck_assert(results.cell[i].environment == (results.cell[i].status == CELL_ERROR));
	if (!status) {
		ck_assert_str_eq(results.partial, "killed");
		ck_assert_str_eq(results.partial_message, "the run did not come to its end");
	}
	ck_assert_uint_le(results.kernel_count, 2);
	ck_assert(strncmp(c->text, HEADER, strlen(HEADER)) || results.kernel_count == 1);
	/* What can be read can be reported. */
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	remove_folder(folder);
}
END_TEST

START_TEST(test_no_folder)
{
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	ck_assert_int_eq(results_read(&results, "/nonexistent", &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

/* Numbers that have no room are absent. */
static const struct {
	const char *text;
	unsigned splats;
} number_cases[] = {
	{ "0", 0 },	      { "1", 1 },
	{ "-1", 0 },	      { "4294967295", 4294967295 },
	{ "4294967296", 0 },  { "4294967297", 0 },
	{ "-4294967295", 0 }, { "\"7\"", 0 },
	{ "1.5", 0 },
};

START_TEST(test_numbers)
{
	char folder[] = "/tmp/test_results.XXXXXX", text[256];
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	snprintf(text, sizeof(text),
		 "{\"type\":\"header\",\"version\":1,\"kernels\":[{\"splats\":%s}],\"cells\":0}\n",
		 number_cases[_i].text);
	make_folder(folder, text);
	ck_assert_int_eq(results_read(&results, folder, &error), 0);
	ck_assert_msg(results.kernel[0].splats == number_cases[_i].splats, "%s: %u",
		      number_cases[_i].text, results.kernel[0].splats);
	remove_folder(folder);
}
END_TEST

/* Names of which no two are taken for one, since they were cut. */
START_TEST(test_long_names)
{
	char folder[] = "/tmp/test_results.XXXXXX", name[4200], text[9000];
	struct results results;
	struct error error = { 0 };

	for (int room = -1; room <= 1; room++) {
		size_t length = 4096 + 64 - strlen("host\n") - 1 + room;

		memset(name, 'a', length);
		name[length - 1] = '\0';
		snprintf(text, sizeof(text),
			 HEADER "{\"type\":\"x\",\"binary\":\"%sb\",\"kernel\":"
				"\"host\"}\n{\"type\":\"x\",\"binary\":\"%sc\","
				"\"kernel\":\"host\"}\n",
			 name, name);
		strcpy(folder, "/tmp/test_results.XXXXXX");
		make_folder(folder, text);
		ck_assert_int_eq(results_read(&results, folder, &error), 0);
		ck_assert_uint_eq(results.cell_count, room > 0 ? 0 : 2);
		ck_assert_uint_eq(results.bad_lines, room > 0 ? 2 : 0);
		results_deinit(&results);
		remove_folder(folder);
	}
}
END_TEST

/* What a file is taken for. NULL: it is not there. */
static const struct recognise_case {
	const char *name, *text;
	bool known;
} recognise_cases[] = {
	{ "results", HEADER RESULT, true },
	{ "compare_each", "{\"type\":\"begin\",\"program\":\"p\"}\n", true },
	{ "compare_json", "{\"type\":\"verdicts\",\"program\":\"p\"}\n", true },
	{ "compares_unproven", "{\"type\":\"unproven\",\"program\":\"p\"}", true },
	{ "another_programs", "{\"type\":\"image\"}\n", false },
	{ "a_longer_type", "{\"type\":\"verdicts0\"}\n", false },
	{ "no_type", "{}\n", false },
	{ "only_the_first_line_counts", "{}\n" HEADER, false },
	{ "an_array", "[]\n", false },
	{ "torn", "{", false },
	{ "empty", "", false },
	{ "not_there", NULL, false },
};

START_TEST(test_recognise)
{
	const struct recognise_case *c = &recognise_cases[_i];
	char folder[] = "/tmp/test_results.XXXXXX", path[256];
	struct results results;
	struct error error = { 0 };

	make_folder(folder, c->text ? c->text : "");
	snprintf(path, sizeof(path), "%s/%s", folder, c->text ? RESULTS_FILE : "gone");
	ck_assert_msg(results_recognise(path) == c->known, "%s", c->name);
	ck_assert(results_recognise(folder));
	int status = results_open(&results, path, &error);
	/* Named by the user, it is read for what can be read. */
	bool has_header = c->text && strstr(c->text, "header");
	ck_assert_msg(status == (c->known || has_header ? 0 : -1), "%s: %d %s", c->name, status,
		      error.message);
	ck_assert(c->text || error.system_errno == ENOENT);
	results_deinit(&results);
	ck_assert_int_eq(results_open(&results, folder, &error), has_header ? 0 : -1);
	results_deinit(&results);
	remove_folder(folder);
}
END_TEST

/* A pipe would be waited for. */
START_TEST(test_a_pipe_is_none)
{
	char folder[] = "/tmp/test_results.XXXXXX", path[256];

	make_folder(folder, "");
	snprintf(path, sizeof(path), "%s/pipe", folder);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!results_recognise(path));
	unlink(path);
	remove_folder(folder);
}
END_TEST

#define COMPARED "{\"type\":\"verdicts\",\"program\":\"p\",\"exit_status\":0}"

/* What compare printed, and was cut off: its last line is torn if it can't be read. */
static const struct {
	const char *name, *text;
	size_t bad_lines;
	bool torn;
} torn_cases[] = {
	{ "whole", COMPARED "\n", 0, false },
	{ "without_its_end_but_good", COMPARED "\n" COMPARED, 0, false },
	{ "cut", COMPARED "\n{\"ty", 1, true },
	{ "bad_with_its_end", COMPARED "\n{\"ty\n", 1, false },
	{ "bad_before_and_cut", COMPARED "\n[]\n{\"ty", 2, true },
	{ "bad_before_and_good_without_its_end", COMPARED "\n[]\n" COMPARED, 1, false },
};

START_TEST(test_compares_last_line)
{
	char folder[] = "/tmp/test_results.XXXXXX", path[256];
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	make_folder(folder, torn_cases[_i].text);
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	ck_assert_int_eq(results_open(&results, path, &error), 0);
	ck_assert_msg(results.bad_lines == torn_cases[_i].bad_lines &&
			      results.torn == torn_cases[_i].torn,
		      "%s: %zu bad lines", torn_cases[_i].name, results.bad_lines);
	remove_folder(folder);
}
END_TEST

#define OF(binary, kernel, more) "{\"binary\":\"" binary "\",\"kernel\":\"" kernel "\"," more "}\n"

/* Lines of several cells in any order: each comes to its own, by binary and kernel. */
START_TEST(test_cells_come_in_any_order)
{
	static const char text[] =
		"{\"type\":\"header\",\"version\":1,\"kernels\":[],\"cells\":3}\n" OF(
			"a", "x", "\"type\":\"score\",\"points\":1") OF("b", "x",
									"\"type\":\"score\","
									"\"points\":2")
			OF("a", "y", "\"type\":\"score\",\"points\":3")
				OF("a", "x", "\"type\":\"verdicts\",\"points\":10")
					OF("b", "x", "\"type\":\"result\",\"status\":\"failed\"")
						OF("a", "y",
						   "\"type\":\"result\",\"status\":"
						   "\"skipped\"")
							OF("a", "x",
							   "\"type\":\"result\",\"status\":"
							   "\"passed\"");
	static const struct {
		const char *binary, *kernel;
		enum cell_status status;
		size_t objects;
		json_int_t points; /* of the first */
	} cells[] = { { "a", "x", CELL_PASSED, 2, 1 },
		      { "b", "x", CELL_FAILED, 1, 2 },
		      { "a", "y", CELL_SKIPPED, 1, 3 } };
	char folder[] = "/tmp/test_results.XXXXXX";
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	make_folder(folder, text);
	ck_assert_int_eq(results_read(&results, folder, &error), 0);
	ck_assert_uint_eq(results.cell_count, 3);
	ck_assert_uint_eq(results.missing, 0);
	for (size_t i = 0; i < 3; i++) {
		const struct cell *cell = &results.cell[i];
		const json_t *first = json_array_get(cell->objects, 0);

		ck_assert_str_eq(cell->binary, cells[i].binary);
		ck_assert_str_eq(cell->kernel, cells[i].kernel);
		ck_assert_int_eq(cell->status, cells[i].status);
		ck_assert_uint_eq(json_array_size(cell->objects), cells[i].objects);
		ck_assert_int_eq(json_integer_value(json_object_get(first, "points")),
				 cells[i].points);
	}
	ck_assert_uint_eq(results_points(&results), 10);
	remove_folder(folder);
}
END_TEST

/* A file of several parts, as a run that was resumed leaves it: the last word on a cell, and on the run, counts. */
START_TEST(test_the_last_word_counts)
{
	static const char text[] =
		"{\"type\":\"header\",\"version\":1,\"kernels\":[{\"name\":\"x\"},{\"name\":\"y\"}]"
		","
		"\"cells\":9,\"host\":\"a\"}\n"
		"{\"type\":\"summary\",\"seconds\":1,\"compared\":2,\"not_comparable\":3,"
		"\"ignore\":"
		"[\"one\"],\"partial\":\"interrupted\",\"partial_message\":\"m\"}\n"
		"{\"type\":\"header\",\"version\":1,\"kernels\":[{\"name\":\"z\"}],\"cells\":5,"
		"\"time\":\"t\"}\n" OF("a", "z",
				       "\"type\":\"result\",\"status\":\"error\",\"environment\":"
				       "true,\"reason\":\"r\",\"seconds\":2,\"expected\":\"e\"")
			OF("b", "z", "\"type\":\"score\"") OF(
				"a", "z",
				"\"type\":\"result\",\"status\":\"error\",\"seconds\":1,"
				"\"expected\":null")
				OF("c", "z", "\"type\":\"result\",\"status\":\"passed\"")
					OF("d", "z", "\"type\":\"score\"") "{\"type\":\"summary\","
									   "\"seconds\":4,"
									   "\"ignore\":[]}\n";
	char folder[] = "/tmp/test_results.XXXXXX";
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	make_folder(folder, text);
	ck_assert_int_eq(results_read(&results, folder, &error), 0);
	ck_assert_uint_eq(results.kernel_count, 1);
	ck_assert_str_eq(results.kernel[0].name, "z");
	ck_assert(json_object_get(results.header, "host") &&
		  json_object_get(results.header, "time"));
	ck_assert_uint_eq(results.cell_count, 4);
	ck_assert_int_eq(results.cell[0].status, CELL_ERROR);
	ck_assert(!results.cell[0].environment && !results.cell[0].reason[0]);
	ck_assert(results.cell[0].expected_known && !results.cell[0].expected);
	ck_assert_double_eq(results.cell[0].seconds, 1);
	ck_assert_int_eq(results.cell[2].status, CELL_PASSED);
	ck_assert(!results.cell[2].expected_known);
	/* Whoever comes before them, and behind. */
	for (size_t i = 1; i < 4; i += 2) {
		ck_assert_int_eq(results.cell[i].status, CELL_ERROR);
		ck_assert(results.cell[i].environment);
		ck_assert_str_eq(results.cell[i].reason, "the run ended before this was judged");
	}
	/* A run that came to its end misses what it misses. */
	ck_assert(results.finished);
	ck_assert_uint_eq(results.missing, 1);
	ck_assert_str_eq(results.partial, "");
	ck_assert_str_eq(results.partial_message, "");
	ck_assert_double_eq(results.seconds, 4);
	ck_assert_uint_eq(results.compared + results.not_comparable, 0);
	ck_assert(json_is_array(results.ignore) && !json_array_size(results.ignore));
	remove_folder(folder);
}
END_TEST

/* It can be opened, and nothing is at its beginning. */
START_TEST(test_what_can_not_be_read)
{
	struct results results DEINIT(results_deinit);
	struct error error = { 0 };

	ck_assert_int_eq(results_open(&results, "/proc/self/mem", &error), -1);
	ck_assert_msg(strstr(error.message, "can't read /proc/self/mem: "), "%s", error.message);
	ck_assert_int_eq(error.system_errno, EIO);
}
END_TEST

SUITE(results_read, LOOP(test_damage, damage_cases), TEST(test_no_folder),
      LOOP(test_numbers, number_cases), TEST(test_long_names),
      LOOP(test_recognise, recognise_cases), TEST(test_a_pipe_is_none),
      LOOP(test_compares_last_line, torn_cases), TEST(test_cells_come_in_any_order),
      TEST(test_the_last_word_counts), TEST(test_what_can_not_be_read))
