/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_changes_parts.c - changes where there are several: points cut, findings of one function, runs
 * that were cut short
 */
#include "changes_plant.h"

static const struct plant plants[] = {
	{ "less_than_half_of_the_points_played",
	  CELL("{\"type\":\"replay\"," TAG("p.gcc", "host") ",\"points\":9,\"same\":9}\n"),
	  CELL("{\"type\":\"replay\"," TAG("p.gcc", "host") ",\"points\":4,\"same\":4}\n"),
	  OTHER PASSED_HOST
	  "    played    points 9 -> 4, as recorded 9 -> 4\n\n"
	  "checked: 0 cells; not checked: 1 with fewer than half of the points; nothing was "
	  "checked\n"
	  "old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
	{ "half_of_an_odd_number_is_the_larger",
	  CELL(SCORE("\"points\":3,\"exact\":2") VERDICTS("\"points\":3")),
	  CELL(SCORE("\"points\":1,\"exact\":1") VERDICTS("\"points\":3")),
	  OTHER PASSED_HOST
	  "    bpf       points 3 -> 1, exact 2 -> 1\n\n"
	  "checked: 0 cells; not checked: 1 with fewer than half of the points; nothing was "
	  "checked\n"
	  "old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
	{ "silent_points_are_points_of_the_run", BEFORE,
	  CELL(SCORE("\"points\":40,\"exact\":40,\"silent\":60") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       points 100 -> 40, exact 100 -> 40\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "the_most_points_are_first", BEFORE,
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "1") FINDING(
		  "table_fault", "wrong", "/l/a", "g", "5") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in g (a), 5 points\n"
	  "        instruction  ret\n"
	  "    new       table_fault (wrong) in f (a), 1 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in g (a): 5 points in 1 cells\n"
	  "    new   table_fault (wrong) in f (a): 1 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "what_is_not_ignored_is_the_evidence", BEFORE,
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2,\"ignored\":\"known\"")
		       FINDING("table_fault", "wrong", "/l/a", "f", "3,\"declared\":\"cfa=rsp+8\"")
			       SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 5 points\n"
	  "        instruction  ret\n"
	  "        declared     cfa=rsp+8\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 5 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "one_that_stayed_has_not_moved_too",
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2") FINDING(
		  "table_fault", "missing", "/l/a", "gap@0x40", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (missing) in gap@0x40 (a), 2 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (missing) in gap@0x40 (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "findings_that_are_not_kept_may_be_there_still",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2")
		       SCORE_BEFORE VERDICTS("\"points\":100")),
	  CELL(SCORE_BEFORE VERDICTS("\"points\":100,\"findings_not_kept\":1")),
	  OTHER PASSED_HOST
	  "    gone      table_fault (wrong) in f (a), 2 points\n\n"
	  "Findings by function\n"
	  "    gone  table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "a_cell_of_a_kernel_that_was_to_run_is_gone",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "")
		  RESULT("p.gcc", "5.10", "passed", "") SUMMARY,
	  BEFORE,
	  "WORSE\np.gcc on 5.10: passed -> gone: there is no such binary any more\n\n"
	  "Only in the first: 1 cells of binaries that the other has not\n" ONLY("first") ONE_WORSE,
	  EXIT_FINDINGS },
	{ "of_cells_that_a_run_did_not_reach_nobody_knows",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "")
		  RESULT("q.gcc", "host", "passed", "") SUMMARY,
	  CELLS_OF("2") SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "") SUMMARY,
	  "PARTIAL: the second run did not come to its end\n"
	  "checked: 1 cells; not checked: 1 not judged\n" NOTHING,
	  EXIT_ENVIRONMENT },
	{ "what_is_gone_since_a_run_that_was_cut_short_is_gone",
	  CELLS_OF("3") SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "")
		  RESULT("q.gcc", "host", "passed", "") SUMMARY,
	  BEFORE,
	  "PARTIAL: the first run did not come to its end\n"
	  "WORSE\nq.gcc on host: passed -> gone: there is no such binary any more\n\n"
	  "Only in the first: 1 cells of binaries that the other has not\n" ONLY("first") ONE_WORSE,
	  EXIT_FINDINGS },
	{ "a_run_before_that_was_cut_short_is_said",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", ""), BEFORE,
	  "PARTIAL: the first run did not come to its end\n" NOTHING, EXIT_OK },
	{ "a_line_before_that_is_damaged",
	  HEADER "{\n" SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "") SUMMARY,
	  BEFORE, NOTHING, EXIT_BAD_INPUT },
};

START_TEST(test_plant)
{
	check_plant(&plants[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("changes_parts");
	TCase *tcase = tcase_create("changes_parts");

	tcase_add_loop_test(tcase, test_plant, 0, sizeof(plants) / sizeof(plants[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
