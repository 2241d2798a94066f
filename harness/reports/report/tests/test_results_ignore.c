/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_ignore.c - findings of several cells held against a list of several entries
 *
 * What is marked is counted in its own cell's verdicts, once, and added to what compare has ignored before.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "base/ignore/ignore.h"
#include "reports/report/results.h"
#include "results_fixture.h"

#define FINDING(verdict, kind, function, count)                                                    \
	"{\"type\":\"finding\",\"verdict\":\"" verdict "\",\"kind\":\"" kind                       \
	"\",\"function\":\"" function "\",\"image\":\"/x/p\",\"count\":" #count "}"

#define OBJECTS(...) .object = { __VA_ARGS__ }
#define COUNTED(...) .counted = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *object[6];
	size_t marked;		/* by the list */
	uint64_t points, table; /* that are ignored then, of all; of table faults */
	uint64_t findings;	/* with those of before */
	int counted[2];		/* of the verdicts: points, findings; -1: it says nothing of them */
} cases[] = {
	{ "two_of_three",
	  OBJECTS(FINDING("table_fault", "wrong", "f", 3), FINDING("walk_fault", "none", "f", 40),
		  FINDING("table_fault", "missing", "g", 500),
		  "{\"type\":\"verdicts\",\"points\":900}"),
	  2, 43, 3, 2, COUNTED(43, 2) },
	{ "by_another_entry",
	  OBJECTS(FINDING("table_fault", "wrong", "h", 1), "{\"type\":\"verdicts\"}"), 1, 1, 1, 1,
	  COUNTED(1, 1) },
	{ "none", OBJECTS(FINDING("table_fault", "wrong", "g", 3), "{\"type\":\"verdicts\"}"), 0, 0,
	  0, 0, COUNTED(-1, -1) },
	{ "verdicts_before_their_findings",
	  OBJECTS("{\"type\":\"verdicts\"}", FINDING("table_fault", "wrong", "f", 3),
		  FINDING("table_fault", "missing", "f", 4)),
	  2, 7, 7, 2, COUNTED(7, 2) },
	{ "beside_what_compare_has_ignored",
	  OBJECTS("{\"type\":\"finding\",\"verdict\":\"table_fault\",\"function\":\"f\",\"count\":"
		  "7,"
		  "\"ignored\":\"before\"}",
		  FINDING("reader_fault", "none", "f", 20),
		  "{\"type\":\"verdicts\",\"ignored\":7,\"ignored_findings\":1}"),
	  1, 27, 7, 2, COUNTED(27, 2) },
	{ "a_kernel_fault_is_no_function_s",
	  OBJECTS(FINDING("kernel_fault", "none", "f", 5), FINDING("table_fault", "wrong", "f", 1),
		  "{\"type\":\"verdicts\"}"),
	  1, 1, 1, 1, COUNTED(1, 1) },
	{ "no_finding_is_none",
	  OBJECTS("{\"type\":\"skip\",\"function\":\"f\",\"image\":\"/x/p\",\"count\":9}",
		  "{\"type\":\"verdicts\"}"),
	  0, 0, 0, 0, COUNTED(-1, -1) },
};

static void read_list(struct ignore_list *ret)
{
	char path[] = "/tmp/test_results_ignore.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct error error;

	fputs("p\tf\t*\t-\tf is known\np\th\twrong\t-\th, too\nq\t*\t*\t-\tanother\n", file);
	fclose(file);
	ck_assert_int_eq(ignore_list_read(ret, path, "2026-11-22", &error), 0);
	unlink(path);
}

static int said(const struct cell *cell, const char *key)
{
	json_t *object;
	size_t i;

	json_array_foreach(cell->objects, i, object)
	{
		if (!strcmp(json_text(object, "type"), "verdicts"))
			return json_object_get(object, key) ? (int)json_count(object, key) : -1;
	}
	return -2;
}

/* All are cells of one run, and the list is one: each time, too, nothing is marked twice. */
START_TEST(findings_are_ignored_cell_by_cell)
{
	uint64_t points = 0, findings = 0, got;
	struct ignore_list list;
	struct results results DEINIT(results_deinit);
	struct gate gate;

	results_init(&results);
	read_list(&list);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cell *cell = fixture_cell(&results, "host", "p", "gcc-1", "O2", "c");

		cell_set(cell, CELL_PASSED, "%s", "");
		for (size_t j = 0; j < COUNT(cases[i].object) && cases[i].object[j]; j++)
			fixture_object(cell, cases[i].object[j]);
		ck_assert_msg(cell_ignore(cell, &list) == cases[i].marked, "%s", cases[i].name);
		ck_assert_msg(cell_ignore(cell, &list) == 0, "%s again", cases[i].name);
		ck_assert_msg(cell_ignored(cell, NULL, NULL) == cases[i].points, "%s",
			      cases[i].name);
		ck_assert_msg(cell_ignored(cell, "table_fault", NULL) == cases[i].table, "%s",
			      cases[i].name);
		ck_assert_uint_eq(cell_ignored(cell, "exact", NULL), 0);
		ck_assert_msg(said(cell, "ignored") == cases[i].counted[0], "%s: %d", cases[i].name,
			      said(cell, "ignored"));
		ck_assert_msg(said(cell, "ignored_findings") == cases[i].counted[1], "%s",
			      cases[i].name);
		points += cases[i].points;
		findings += cases[i].findings;
		ck_assert_uint_eq(results_ignored(&results, &got), points);
		ck_assert_uint_eq(got, findings);
	}
	results_gate(&results, &gate);
	ck_assert_uint_eq(gate.left[GATE_IGNORED], points);
	/* The reason is the entry's; the list knows what each was worth. */
	ck_assert_str_eq(json_text(json_array_get(results.cell[0].objects, 1), "ignored"),
			 "f is known");
	ck_assert_str_eq(json_text(json_array_get(results.cell[1].objects, 0), "ignored"),
			 "h, too");
	ck_assert_str_eq(json_text(json_array_get(results.cell[4].objects, 0), "ignored"),
			 "before");
	ck_assert_uint_eq(list.entry[0].findings, 6);
	ck_assert_uint_eq(list.entry[0].points, 71);
	ck_assert_uint_eq(list.entry[1].points, 1);
	ck_assert_uint_eq(list.entry[2].findings, 0);
	ignore_list_deinit(&list);
}
END_TEST

SUITE(results_ignore, TEST(findings_are_ignored_cell_by_cell))
