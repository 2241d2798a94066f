/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_compare.c - what `compare --json` printed, as cells of one kernel
 *
 * A run that did not come to its verdicts is never one that passed.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "report/results.h"

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
} compare_cases[] = {
	{ "one_program", OF("score", "/x/p") ",\"engine\":\"cfi\"}\n" VERDICTS_OF("/x/p", "0"), 1,
	  0, "p", CELL_PASSED, "" },
	{ "findings_fail", VERDICTS_OF("/x/p", "1"), 1, 0, "p", CELL_FAILED, "walk_fault 2" },
	{ "nothing_checked_is_a_skip", VERDICTS_OF("/x/p", "77"), 1, 0, "p", CELL_SKIPPED,
	  "nothing was checked" },
	{ "a_failed_environment_is_an_error", VERDICTS_OF("/x/p", "99"), 1, 0, "p", CELL_ERROR,
	  "compare ended with status 99" },
	{ "no_exit_status_is_an_error", OF("verdicts", "/x/p") "}\n", 1, 0, "p", CELL_ERROR,
	  "the verdicts have no exit_status" },
	{ "a_status_of_another_type_is_none", VERDICTS_OF("/x/p", "\"0\""), 1, 0, "p", CELL_ERROR,
	  "the verdicts have no exit_status" },
	{ "partial_is_an_error",
	  OF("verdicts", "/x/p") ",\"exit_status\":0,\"partial\":\"timeout\",\"partial_message\":"
				 "\"late\"}\n",
	  1, 0, "p", CELL_ERROR, "timeout: late" },
	{ "without_verdicts_it_is_not_judged", OF("score", "/x/p") "}\n", 1, 0, "p", CELL_ERROR,
	  "compare ended before this was judged" },
	{ "the_same_program_again", VERDICTS_OF("/x/p", "0") VERDICTS_OF("/y/p", "1"), 2, 0,
	  "p (2)", CELL_FAILED, "walk_fault 2" },
	{ "each_in_turn",
	  OF("begin", "p") "}\n" VERDICTS_OF("p", "0") OF("end", "p") ",\"status\":0}\n" OF(
		  "begin", "pq") "}\n" OF("end", "pq") ",\"status\":99,\"message\":\"m\"}\n",
	  2, 0, "pq", CELL_ERROR, "compare ended with status 99: m" },
	{ "an_end_of_0_without_verdicts_is_an_error",
	  OF("begin", "p") "}\n" OF("end", "p") ",\"status\":0}\n", 1, 0, "p", CELL_ERROR,
	  "compare printed no verdicts" },
	{ "an_end_of_77",
	  OF("begin", "p") "}\n" OF("end", "p") ",\"status\":77,\"message\":\"m\"}\n", 1, 0, "p",
	  CELL_SKIPPED, "m" },
	{ "a_list_of_ignored_is_no_program", VERDICTS_OF("p", "0") "{\"type\":\"ignore\"}\n", 1, 0,
	  "p", CELL_PASSED, "" },
	{ "what_is_not_known_is_passed_over", VERDICTS_OF("p", "0") "{\"type\":\"rank\"}\n", 1, 0,
	  "p", CELL_PASSED, "" },
	{ "an_object_of_nobody", VERDICTS_OF("p", "0") "{\"type\":\"score\"}\n[]\n{}\n", 1, 3, "p",
	  CELL_PASSED, "" },
};

START_TEST(test_what_compare_printed)
{
	const struct compare_case *c = &compare_cases[_i];
	struct results results;

	read_text(&results, c->text, strlen(c->text));
	ck_assert_msg(results.cell_count == c->cells, "%s: %zu cells", c->name, results.cell_count);
	const struct cell *cell = &results.cell[c->cells - 1];
	ck_assert_msg(!strcmp(cell->binary, c->binary), "%s: %s", c->name, cell->binary);
	ck_assert_msg(cell->status == c->status && !strcmp(cell->reason, c->reason), "%s: %s, %s",
		      c->name, cell_status_name(cell->status), cell->reason);
	ck_assert_msg(results.bad_lines == c->bad_lines, "%s: %zu bad lines", c->name,
		      results.bad_lines);
	ck_assert_str_eq(cell->kernel, "host");
	ck_assert_uint_eq(results.kernel_count, 1);
	ck_assert_str_eq(results.kernel[0].name, "host");
	results_deinit(&results);
}
END_TEST

START_TEST(test_two_releases_are_two_lanes)
{
	static const char text[] =
		VERDICTS_OF("p", "0") "{\"type\":\"verdicts\",\"program\":\"p\",\"kernel_release\":"
				      "\"6.2\",\"exit_status\":0}\n";
	struct results results;

	read_text(&results, text, strlen(text));
	ck_assert_uint_eq(results.kernel_count, 2);
	ck_assert_str_eq(results.cell[0].kernel, "6.1");
	ck_assert_str_eq(results.cell[1].kernel, "6.2");
	results_deinit(&results);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("results_compare");
	TCase *tcase = tcase_create("results_compare");

	tcase_add_loop_test(tcase, test_what_compare_printed, 0,
			    sizeof(compare_cases) / sizeof(compare_cases[0]));
	tcase_add_test(tcase, test_two_releases_are_two_lanes);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
