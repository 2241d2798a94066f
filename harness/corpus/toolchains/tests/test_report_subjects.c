/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_report_subjects.c - which binaries a report of toolchains reads: each once, and none that
 * was not built
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "reports/report/tests/results_fixture.h"
#include "corpus/toolchains/report_toolchains.c"

START_TEST(test_subjects)
{
	static const struct {
		const char *program, *kernel;
		enum cell_status status;
		bool subject;
	} cells[] = {
		{ "built", "host", CELL_PASSED, true },
		{ "built", "5.10", CELL_FAILED, false },   /* once */
		{ "skipped", "host", CELL_SKIPPED, true }, /* here it could not run */
		{ "unbuilt", "host", CELL_SKIPPED, false },
		{ "unlisted", "host", CELL_PASSED, true },
		{ "unlisted2", "host", CELL_SKIPPED, false },
		{ "unlisted2", "5.10", CELL_PASSED, true }, /* there it was */
		{ "broken", "host", CELL_ERROR, true },
	};
	static const struct {
		const char *name, *skip;
	} listed[] = {
		{ "built.t.v", NULL },
		{ "unbuilt.t.v", "no_compiler" },
		{ "skipped.t.v", NULL },
		{ "broken.t.v", NULL },
	};
	struct corpus_binary binary[4];
	struct toolchain_report report = { .manifest = { .binary = binary, .count = 4 } };
	struct error error = { 0 };
	struct results results DEINIT(results_deinit);
	size_t count = 0;

	memset(binary, 0, sizeof(binary));
	for (size_t i = 0; i < 4; i++) {
		binary[i].name = (char *)listed[i].name;
		binary[i].skip = (char *)listed[i].skip;
	}
	results_init(&results);
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		cell_set(fixture_cell(&results, cells[i].kernel, cells[i].program, "t", "v", "c"),
			 cells[i].status, "x");
	ck_assert(!list_subjects(&report, &results, &error));
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		const struct report_subject *subject = &report.subject[count];
		const struct corpus_binary *expected = NULL;

		if (!cells[i].subject)
			continue;
		ck_assert_uint_lt(count++, report.subject_count);
		ck_assert_msg(subject->cell == &results.cell[i], "%s on %s", cells[i].program,
			      cells[i].kernel);
		for (size_t j = 0; j < 4; j++)
			if (!strcmp(listed[j].name, results.cell[i].binary))
				expected = &binary[j];
		ck_assert_ptr_eq(subject->binary, expected);
	}
	ck_assert_uint_eq(count, report.subject_count);
	free(report.subject);
}
END_TEST

SUITE(report_subjects, TEST(test_subjects))
