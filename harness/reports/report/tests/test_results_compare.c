/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_compare.c - what `compare --json` printed, as cells of one kernel
 *
 * A run that did not come to its verdicts is never one that passed.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "reports/report/results.h"

/* Text as a file that results_open() reads. */
static void read_text(struct results *ret, const char *text, size_t size)
{
	char path[] = "/tmp/test_changes.XXXXXX";
	struct error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
	close(fd);
	if (results_open(ret, path, &error))
		ck_assert_ptr_nonnull(strstr(error.message, "has no header"));
	unlink(path);
}

#define OF(type, program)                                                                          \
	"{\"type\":\"" type "\",\"program\":\"" program "\",\"kernel_release\":\"6.1\""
#define VERDICTS_OF(program, status)                                                               \
	OF("verdicts", program) ",\"points\":5,\"walk_fault\":2,\"exit_status\":" status "}\n"

static const struct compare_case {
	const char *name, *text;
	size_t cells, bad_lines;
	const char *binary; /* the last */
	enum cell_status status;
	const char *reason;
	bool environment;
} compare_cases[] = {
	{ "one_program", OF("score", "/x/p") ",\"engine\":\"cfi\"}\n" VERDICTS_OF("/x/p", "0"), 1,
	  0, "p", CELL_PASSED, "", false },
	{ "findings_fail", VERDICTS_OF("/x/p", "1"), 1, 0, "p", CELL_FAILED, "walk_fault 2",
	  false },
	{ "nothing_checked_is_a_skip", VERDICTS_OF("/x/p", "77"), 1, 0, "p", CELL_SKIPPED,
	  "nothing was checked", false },
	{ "a_failed_environment_is_an_error", VERDICTS_OF("/x/p", "99"), 1, 0, "p", CELL_ERROR,
	  "compare ended with status 99", true },
	{ "another_status_is_an_error_of_ours", VERDICTS_OF("/x/p", "3"), 1, 0, "p", CELL_ERROR,
	  "compare ended with status 3", false },
	{ "all_that_fails_is_listed",
	  OF("verdicts", "p") ",\"exit_status\":1,\"table_fault\":34,\"walk_fault\":2,"
			      "\"kernel_fault\":1}\n",
	  1, 0, "p", CELL_FAILED, "table_fault 34, walk_fault 2, kernel_fault 1", false },
	{ "no_exit_status_is_an_error", OF("verdicts", "/x/p") "}\n", 1, 0, "p", CELL_ERROR,
	  "the verdicts have no exit_status", false },
	{ "a_status_of_another_type_is_none", VERDICTS_OF("/x/p", "\"0\""), 1, 0, "p", CELL_ERROR,
	  "the verdicts have no exit_status", false },
	{ "partial_is_an_error",
	  OF("verdicts", "/x/p") ",\"exit_status\":0,\"partial\":\"timeout\",\"partial_message\":"
				 "\"late\"}\n",
	  1, 0, "p", CELL_ERROR, "timeout: late", false },
	{ "without_verdicts_it_is_not_judged", OF("score", "/x/p") "}\n", 1, 0, "p", CELL_ERROR,
	  "compare ended before this was judged", true },
	{ "the_same_program_again", VERDICTS_OF("/x/p", "0") VERDICTS_OF("/y/p", "1"), 2, 0,
	  "p (2)", CELL_FAILED, "walk_fault 2", false },
	{ "each_in_turn",
	  OF("begin", "p") "}\n" VERDICTS_OF("p", "0") OF("end", "p") ",\"status\":0}\n" OF(
		  "begin", "pq") "}\n" OF("end", "pq") ",\"status\":99,\"message\":\"m\"}\n",
	  2, 0, "pq", CELL_ERROR, "compare ended with status 99: m", true },
	{ "what_was_judged_is_not_judged_by_its_end",
	  OF("begin", "p") "}\n" VERDICTS_OF("p", "1") OF("end", "p") ",\"status\":0}\n", 1, 0, "p",
	  CELL_FAILED, "walk_fault 2", false },
	{ "after_an_end_it_is_another_run",
	  OF("begin", "p") "}\n" OF("end", "p") ",\"status\":77}\n" VERDICTS_OF("p", "0"), 2, 0,
	  "p (2)", CELL_PASSED, "", false },
	{ "an_end_of_0_without_verdicts_is_an_error",
	  OF("begin", "p") "}\n" OF("end", "p") ",\"status\":0}\n", 1, 0, "p", CELL_ERROR,
	  "compare printed no verdicts", false },
	{ "an_end_of_77",
	  OF("begin", "p") "}\n" OF("end", "p") ",\"status\":77,\"message\":\"m\"}\n", 1, 0, "p",
	  CELL_SKIPPED, "m", false },
	{ "a_list_of_ignored_is_no_program", VERDICTS_OF("p", "0") "{\"type\":\"ignore\"}\n", 1, 0,
	  "p", CELL_PASSED, "", false },
	{ "what_is_not_known_is_passed_over", VERDICTS_OF("p", "0") "{\"type\":\"rank\"}\n", 1, 0,
	  "p", CELL_PASSED, "", false },
	{ "another_program_s_object_is_another_run",
	  OF("score", "p") "}\n" OF("score", "q") "}\n" VERDICTS_OF("q", "0"), 2, 0, "q",
	  CELL_PASSED, "", false },
	{ "of_a_name_that_begins_alike_too",
	  OF("score", "pq") "}\n" OF("score", "p") "}\n" VERDICTS_OF("p", "0"), 2, 0, "p",
	  CELL_PASSED, "", false },
	{ "of_a_longer_one_too",
	  OF("score", "p") "}\n" OF("score", "pq") "}\n" VERDICTS_OF("pq", "0"), 2, 0, "pq",
	  CELL_PASSED, "", false },
	{ "once_begun_is_not_begun_again",
	  OF("begin", "p") "}\n" VERDICTS_OF("p", "0") OF("end", "p") "}\n" VERDICTS_OF("q", "0")
		  VERDICTS_OF("q", "1"),
	  3, 0, "q (2)", CELL_FAILED, "walk_fault 2", false },
	{ "a_third_time", VERDICTS_OF("p", "0") VERDICTS_OF("p", "0") VERDICTS_OF("p", "1"), 3, 0,
	  "p (3)", CELL_FAILED, "walk_fault 2", false },
	{ "an_object_of_nobody", VERDICTS_OF("p", "0") "{\"type\":\"score\"}\n[]\n{}\n", 1, 3, "p",
	  CELL_PASSED, "", false },
};

START_TEST(test_what_compare_printed)
{
	const struct compare_case *c = &compare_cases[_i];
	struct results results DEINIT(results_deinit);

	read_text(&results, c->text, strlen(c->text));
	ck_assert_msg(results.cell_count == c->cells, "%s: %zu cells", c->name, results.cell_count);
	const struct cell *cell = &results.cell[c->cells - 1];
	ck_assert_msg(!strcmp(cell->binary, c->binary), "%s: %s", c->name, cell->binary);
	ck_assert_msg(cell->status == c->status && !strcmp(cell->reason, c->reason), "%s: %s, %s",
		      c->name, cell_status_name(cell->status), cell->reason);
	ck_assert_msg(results.bad_lines == c->bad_lines, "%s: %zu bad lines", c->name,
		      results.bad_lines);
	ck_assert_msg(cell->environment == c->environment, "%s: environment", c->name);
	ck_assert(results.finished);
	ck_assert_str_eq(cell->kernel, "host");
	ck_assert_uint_eq(results.kernel_count, 1);
	ck_assert_str_eq(results.kernel[0].name, "host");
}
END_TEST

/* Its objects are those of the run, without the marks around them, and its time is the verdicts'. */
START_TEST(test_a_cell_keeps_what_was_said)
{
	static const char text[] = OF("begin", "p") "}\n" OF("score", "p") "}\n" OF(
		"verdicts", "p") ",\"exit_status\":0,\"seconds\":2.5}\n" OF("end", "p") "}\n[]\n";
	struct results results DEINIT(results_deinit);

	read_text(&results, text, strlen(text));
	ck_assert_uint_eq(results.cell_count, 1);
	ck_assert_uint_eq(json_array_size(results.cell[0].objects), 2);
	ck_assert_double_eq(results.cell[0].seconds, 2.5);
	ck_assert_uint_eq(results.bad_lines, 1);
	ck_assert_msg(strstr(results.first_bad_line.message, "not an object"), "%s",
		      results.first_bad_line.message);
}
END_TEST

/* Of one that said its verdicts twice the last ones count, and are not added. */
START_TEST(test_the_last_verdicts_count)
{
	static const char text[] = OF("begin", "p") "}\n" OF(
		"verdicts", "p") ",\"exit_status\":1,\"walk_fault\":3,\"seconds\":2.5}"
				 "\n" OF("verdicts", "p") ",\"exit_status\":0,\"seconds\":"
							  "1}\n" OF("end", "p") ",\"status\":1}\n";
	struct results results DEINIT(results_deinit);

	read_text(&results, text, strlen(text));
	ck_assert_uint_eq(results.cell_count, 1);
	ck_assert_int_eq(results.cell[0].status, CELL_PASSED);
	ck_assert_double_eq(results.cell[0].seconds, 1);
}
END_TEST

#define VERDICTS_ON(key, kernel)                                                                   \
	"{\"type\":\"verdicts\",\"program\":\"p\",\"exit_status\":0,\"" key "\":\"" kernel "\"}\n"
#define OF_61 "0123456789012345678901234567890123456789012345678901234567890"

/* The lanes of two runs; a lane's name holds 63 letters of a release. */
static const struct lane_case {
	const char *name, *text, *first, *second; /* NULL: the first's */
} lane_cases[] = {
	{ "two_releases", VERDICTS_ON("kernel_release", "6.1") VERDICTS_ON("kernel_release", "6.2"),
	  "6.1", "6.2" },
	{ "one_release", VERDICTS_ON("kernel_release", "6.1") VERDICTS_ON("kernel_release", "6.1"),
	  "host", NULL },
	{ "an_older_compare_says_kernel",
	  VERDICTS_ON("kernel_release", "6.1") VERDICTS_ON("kernel", "6.2"), "6.1", "6.2" },
	{ "the_release_counts",
	  VERDICTS_ON("kernel_release", "6.1")
		  VERDICTS_ON("kernel_release\":\"7\",\"kernel", "6.1"),
	  "6.1", "7" },
	{ "a_release_that_has_no_room",
	  VERDICTS_ON("kernel_release", OF_61 "abcd") VERDICTS_ON("kernel_release", OF_61 "abcd"),
	  "host", NULL },
	{ "releases_alike_as_far_as_there_is_room",
	  VERDICTS_ON("kernel_release", OF_61 "abcd") VERDICTS_ON("kernel_release", OF_61 "abce"),
	  "host", NULL },
	{ "a_release_that_begins_as_another",
	  VERDICTS_ON("kernel_release", "6.1") VERDICTS_ON("kernel_release", "6.12"), "6.1",
	  "6.12" },
	{ "or_goes_on", VERDICTS_ON("kernel_release", "6.12") VERDICTS_ON("kernel_release", "6.1"),
	  "6.12", "6.1" },
	{ "releases_that_differ_in_the_last_letter",
	  VERDICTS_ON("kernel_release", OF_61 "ab") VERDICTS_ON("kernel_release", OF_61 "ac"),
	  OF_61 "ab", OF_61 "ac" },
};

START_TEST(test_lanes)
{
	const struct lane_case *c = &lane_cases[_i];
	struct results results DEINIT(results_deinit);

	read_text(&results, c->text, strlen(c->text));
	ck_assert_uint_eq(results.cell_count, 2);
	ck_assert_msg(results.kernel_count == (c->second ? 2 : 1), "%s: %zu", c->name,
		      results.kernel_count);
	ck_assert_str_eq(results.cell[0].kernel, c->first);
	ck_assert_str_eq(results.cell[1].kernel, c->second ? c->second : c->first);
}
END_TEST

/* Who never said on which kernel it ran is of the first, and takes nobody's away. */
START_TEST(test_a_run_of_no_kernel)
{
	static const char text[] = VERDICTS_ON("kernel_release", "6.1")
		VERDICTS_ON("kernel_release", "6.2") "{\"type\":\"begin\",\"program\":\"q\"}\n"
						     "{\"type\":\"end\",\"program\":\"q\","
						     "\"status\":3}\n";
	static const char *const kernels[] = { "6.1", "6.2", "6.1" };
	struct results results DEINIT(results_deinit);

	read_text(&results, text, strlen(text));
	ck_assert_uint_eq(results.cell_count, 3);
	for (size_t i = 0; i < 3; i++)
		ck_assert_str_eq(results.cell[i].kernel, kernels[i]);
}
END_TEST

SUITE(results_compare, LOOP(test_what_compare_printed, compare_cases),
      TEST(test_a_cell_keeps_what_was_said), TEST(test_the_last_verdicts_count),
      LOOP(test_lanes, lane_cases), TEST(test_a_run_of_no_kernel))
