/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_changes.c - two results held against each other: what is worse is found, named, and nothing
 * else
 *
 * Results are texts as `run` and `compare` write them. A regression is planted by other counts; then
 * several of them, in one cell, and in runs that were cut short.
 */
#include "tests/suite.h"
#include "changes_plant.h"

static const struct plant plants[] = {
	{ "the_same_is_no_change", BEFORE, BEFORE, NOTHING, EXIT_OK },
	{ "exact_that_became_wrong_is_worse", BEFORE,
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":3,\"truncated\":0") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       exact 100 -> 97, wrong 0 -> 3\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "exact_that_became_truncated_is_worse", BEFORE,
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":0,\"truncated\":3") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       exact 100 -> 97, truncated 0 -> 3\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "wrong_that_became_truncated_is_better",
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":3,\"truncated\":0") VERDICTS_BEFORE),
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":0,\"truncated\":3") VERDICTS_BEFORE),
	  "BETTER\n" PASSED_HOST "    bpf       truncated 0 -> 3, wrong 3 -> 0\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "false_complete_alone_is_worse",
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":3,\"false_complete\":0")
		       VERDICTS_BEFORE),
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":3,\"false_complete\":1")
		       VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       false complete 0 -> 1\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "a_count_that_one_side_has_not_is_not_compared", BEFORE,
	  CELL(SCORE("\"points\":100,\"exact\":100,\"wrong\":0,\"false_complete\":7")
		       VERDICTS_BEFORE),
	  NOTHING, EXIT_OK },
	{ "costs_are_not_compared",
	  CELL(SCORE("\"points\":100,\"exact\":100,\"walk_ns\":5") VERDICTS_BEFORE),
	  CELL(SCORE("\"points\":100,\"exact\":100,\"walk_ns\":500") VERDICTS_BEFORE), NOTHING,
	  EXIT_OK },
	{ "twice_as_long_is_not_worse",
	  CELL(SCORE("\"points\":100,\"exact\":90,\"wrong\":10") VERDICTS("\"points\":100,"
									  "\"exact\":90,\"walk_"
									  "fault\":10")),
	  CELL(SCORE("\"points\":200,\"exact\":180,\"wrong\":20") VERDICTS("\"points\":200,"
									   "\"exact\":180,\"walk_"
									   "fault\":20")),
	  OTHER PASSED_HOST "    bpf       points 100 -> 200, exact 90 -> 180, wrong 10 -> 20\n"
			    "    verdicts  points 100 -> 200, exact 90 -> 180, walk fault 10 -> "
			    "20\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "fewer_exact_and_a_smaller_share_of_them_is_worse",
	  CELL(SCORE("\"points\":100,\"exact\":97,\"wrong\":3") VERDICTS_BEFORE),
	  CELL(SCORE("\"points\":50,\"exact\":47,\"wrong\":3") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       points 100 -> 50, exact 97 -> 47\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "unproven_is_nobodys_fault", BEFORE,
	  CELL(SCORE("\"points\":95,\"exact\":95,\"wrong\":0,\"unproven\":5")
		       VERDICTS("\"points\":100,\"exact\":95,\"unproven\":5")),
	  OTHER PASSED_HOST "    bpf       points 100 -> 95, exact 100 -> 95\n"
			    "    verdicts  exact 100 -> 95\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "untrapped_is_nobodys_fault", BEFORE,
	  CELL(SCORE("\"points\":95,\"exact\":95,\"wrong\":0,\"untrapped\":5") VERDICTS_BEFORE),
	  OTHER PASSED_HOST "    bpf       points 100 -> 95, exact 100 -> 95\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "absent_is_nobodys_fault",
	  CELL(SCORE_BEFORE VERDICTS("\"points\":100,\"exact\":100,\"absent\":0")),
	  CELL(SCORE("\"points\":100,\"exact\":95,\"wrong\":0,\"truncated\":5")
		       VERDICTS("\"points\":100,\"exact\":95,\"absent\":5")),
	  OTHER PASSED_HOST "    bpf       exact 100 -> 95, truncated 0 -> 5\n"
			    "    verdicts  exact 100 -> 95, absent 0 -> 5\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "absent_excuses_its_points_only",
	  CELL(SCORE_BEFORE VERDICTS("\"points\":100,\"absent\":0")),
	  CELL(SCORE("\"points\":100,\"exact\":94,\"wrong\":0,\"truncated\":6")
		       VERDICTS("\"points\":100,\"absent\":5")),
	  "WORSE\n" PASSED_HOST "    bpf       exact 100 -> 94, truncated 0 -> 6\n"
	  "    verdicts  absent 0 -> 5\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "absent_excuses_bpf_only",
	  CELL(SCORE_OF("fp", "\"points\":100,\"exact\":100")
		       VERDICTS("\"points\":100,\"absent\":0")),
	  CELL(SCORE_OF("fp", "\"points\":100,\"exact\":95")
		       VERDICTS("\"points\":100,\"absent\":5")),
	  "WORSE\n" PASSED_HOST "    fp        exact 100 -> 95\n"
	  "    verdicts  absent 0 -> 5\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "a_new_fault_of_the_verdicts_is_worse", BEFORE,
	  CELL(SCORE_BEFORE VERDICTS("\"points\":100,\"exact\":99,\"walk_fault\":1")),
	  "WORSE\n" PASSED_HOST "    verdicts  exact 100 -> 99, walk fault 0 -> 1\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "a_new_finding_is_named", BEFORE,
	  CELL(FINDING("table_fault", "wrong", "/x/p.gcc", "f", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (the program), 2 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (the program): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "a_finding_that_is_gone_is_better",
	  CELL(FINDING("table_fault", "wrong", "/l/libc.so.6", "f", "2")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  BEFORE,
	  "BETTER\n" PASSED_HOST "    gone      table_fault (wrong) in f (libc.so.6), 2 points\n\n"
	  "Findings by function\n"
	  "    gone  table_fault (wrong) in f (libc.so.6): 2 points in 1 cells\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "another_kind_is_another_finding",
	  CELL(FINDING("table_fault", "missing", "/l/a", "f", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 2 points\n"
	  "        instruction  ret\n"
	  "    gone      table_fault (missing) in f (a), 2 points\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n"
	  "    gone  table_fault (missing) in f (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "findings_of_one_function_are_one",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2") FINDING(
		  "table_fault", "wrong", "/l/a", "f", "3") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "wrong", "/m/a", "f", "5") SCORE_BEFORE VERDICTS_BEFORE),
	  NOTHING, EXIT_OK },
	{ "a_finding_at_more_points_is_worse",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "3") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    points    table_fault (wrong) in f (a), 2 -> 3 points\n"
	  "        instruction  ret\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "an_address_in_a_name_may_move",
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2") FINDING(
		  "table_fault", "missing", "/l/a", "gap@0x20", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x30", "2") FINDING(
		  "table_fault", "missing", "/l/a", "gap@0x40", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  NOTHING, EXIT_OK },
	{ "one_gap_more_is_worse",
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x30", "2") FINDING(
		  "table_fault", "missing", "/l/a", "gap@0x40", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (missing) in gap@0x40 (a), 2 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (missing) in gap@0x40 (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "findings_that_were_not_kept_may_be_old",
	  CELL(SCORE_BEFORE VERDICTS("\"points\":100,\"findings_not_kept\":1")),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2")
		       SCORE_BEFORE VERDICTS("\"points\":100")),
	  OTHER PASSED_HOST
	  "    new       table_fault (wrong) in f (a), 2 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "a_cell_that_fails_now", BEFORE,
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "failed", "so \\u001b[2J")
		  SUMMARY,
	  "WORSE\np.gcc on host: passed -> failed: so  [2J\n\n" ONE_WORSE, EXIT_FINDINGS },
	{ "a_cell_that_is_skipped_now", BEFORE,
	  HEADER RESULT("p.gcc", "host", "skipped", "no_bpf") SUMMARY,
	  "WORSE\np.gcc on host: passed -> skipped: no_bpf\n" BPF_GONE "\n" ONE_SCORE
	  "checked: 0 cells; not checked: 1 engines, 1 skipped; nothing was checked\n"
	  "old -> new: 0 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n",
	  EXIT_FINDINGS },
	{ "a_cell_that_crashes_now", BEFORE,
	  HEADER SCORE("\"points\":1,\"exact\":0") RESULT("p.gcc", "host", "error", "killed")
		  SUMMARY,
	  "WORSE\np.gcc on host: passed -> error: killed\n\n"
	  "checked: 0 cells; not checked: 1 not judged; nothing was checked\n"
	  "old -> new: 0 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n",
	  EXIT_FINDINGS },
	{ "of_a_cell_that_had_crashed_nothing_is_known",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "error", "killed") SUMMARY,
	  CELL(""),
	  OTHER "p.gcc on host: error -> passed\n\n"
		"checked: 0 cells; not checked: 1 not judged; nothing was checked\n"
		"old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
	{ "an_engine's_first_score_counts",
	  CELL(SCORE_BEFORE SCORE("\"points\":100,\"exact\":90") VERDICTS_BEFORE), BEFORE, NOTHING,
	  EXIT_OK },
	{ "what_is_ignored_is_the_sum_of_all_cells",
	  HEADER VERDICTS_OF("p.gcc", "0") VERDICTS_OF("q.gcc", "0") TWO_PASSED SUMMARY,
	  HEADER VERDICTS_OF("p.gcc", "2") VERDICTS_OF("q.gcc", "3") TWO_PASSED SUMMARY,
	  "checked: 2 cells; not checked: 5 points in the list of --ignore\n"
	  "old -> new: 2 cells compared; 0 changed: 0 worse, 0 better, 0 neither\n",
	  EXIT_OK },
	{ "a_cell_that_passes_now", HEADER RESULT("p.gcc", "host", "failed", "x") SUMMARY, BEFORE,
	  "BETTER\np.gcc on host: failed -> passed\n\n"
	  "Only in the second: 1 scores of engines that the other has not\n"
	  "Of 1 cells only the outcomes were compared: one side has nothing else\n"
	  "checked: 1 cells; not checked: 1 engines\n" ONE_BETTER,
	  EXIT_OK },
	{ "a_failure_of_what_had_been_skipped_is_not_worse",
	  HEADER RESULT("p.gcc", "host", "skipped", "no_bpf") SUMMARY,
	  HEADER RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  OTHER "p.gcc on host: skipped -> failed: x\n\n"
		"checked: 0 cells; not checked: 1 skipped; nothing was checked\n"
		"old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
	{ "a_failure_that_is_skipped_now_is_not_better",
	  HEADER RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  HEADER RESULT("p.gcc", "host", "skipped", "y") SUMMARY,
	  OTHER "p.gcc on host: failed -> skipped: y\n\n"
		"checked: 0 cells; not checked: 1 skipped; nothing was checked\n"
		"old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
	{ "a_cell_that_is_gone", HEADER RESULT("q.gcc", "host", "passed", "") SUMMARY, BEFORE,
	  "WORSE\nq.gcc on host: passed -> gone: there is no such binary any more\n\n"
	  "Only in the first: 1 cells of binaries that the other has not\n"
	  "Only in the second: 1 cells of binaries that the other has not\n"
	  "checked: 0 cells; not checked: 1 in the first only, 1 in the second only; nothing was "
	  "checked\n"
	  "old -> new: 0 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n",
	  EXIT_FINDINGS },
	{ "a_failure_that_is_gone_is_not_worse",
	  HEADER RESULT("q.gcc", "host", "failed", "") RESULT("p.gcc", "host", "passed", "")
		  SUMMARY,
	  HEADER RESULT("p.gcc", "host", "passed", "") SUMMARY,
	  OTHER "q.gcc on host: failed -> gone: there is no such binary any more\n\n"
		"Only in the first: 1 cells of binaries that the other has not\n"
		"Of 1 cells only the outcomes were compared: one side has nothing else\n" ONLY(
			"first") ONE_OTHER,
	  EXIT_OK },
	{ "a_kernel_that_was_not_run_is_counted",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "")
		  RESULT("p.gcc", "6.1", "passed", "") SUMMARY,
	  BEFORE,
	  "Only in the first: 1 cells of kernels that the other has not\n" ONLY("first") NOTHING,
	  EXIT_OK },
	{ "an_engine_that_was_not_asked_is_worse", BEFORE,
	  CELL(SCORE_OF("cfi", "\"points\":100,\"exact\":100") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST BPF_GONE "\n" ONE_SCORE
	  "Only in the second: 1 scores of engines that the other has not\n"
	  "checked: 1 cells; not checked: 2 engines\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "an_engine_that_had_not_been_asked_is_counted", CELL(SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(SCORE_BEFORE SCORE_OF("cfi", "\"points\":100,\"exact\":1") VERDICTS_BEFORE),
	  "Only in the second: 1 scores of engines that the other has not\n"
	  "checked: 1 cells; not checked: 1 engines\n" NOTHING,
	  EXIT_OK },
	{ "an_engine_that_is_skipped_says_why", BEFORE,
	  CELL(SKIP("cfi", "other") SKIP("bpf", "no \\u001b BTF") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       100 points -> skipped: no ? BTF\n\n" ONE_SCORE
	  "checked: 1 cells; not checked: 1 engines\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "an_engine_that_is_skipped_without_a_message_has_a_reason", BEFORE,
	  CELL(SKIP("bpf", "") VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    bpf       100 points -> skipped: no_bpf\n\n" ONE_SCORE
	  "checked: 1 cells; not checked: 1 engines\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "an_engine_that_had_been_skipped_is_no_loss", CELL(SKIP("bpf", "x") VERDICTS_BEFORE),
	  CELL(SKIP("bpf", "y") VERDICTS_BEFORE), NOTHING, EXIT_OK },
	{ "a_cell_that_passes_without_a_score_is_worse", BEFORE, CELL(""),
	  "WORSE\n" PASSED_HOST BPF_GONE "\n" ONE_SCORE
	  "Of 1 cells only the outcomes were compared: one side has nothing else\n"
	  "checked: 1 cells; not checked: 1 engines\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "a_failure_whose_scores_are_gone_is_worse",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  HEADER SKIP("bpf", "y") RESULT("p.gcc", "host", "skipped", "z") SUMMARY,
	  "WORSE\np.gcc on host: failed -> skipped: z\n"
	  "    bpf       100 points -> skipped: y\n\n" ONE_SCORE
	  "checked: 0 cells; not checked: 1 engines, 1 skipped; nothing was checked\n"
	  "old -> new: 0 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n",
	  EXIT_FINDINGS },
	{ "less_than_half_of_the_points_is_not_better",
	  HEADER FINDING("table_fault", "wrong", "/l/a", "f", "2")
		  SCORE("\"points\":100,\"exact\":98,\"wrong\":2") VERDICTS("\"points\":100")
			  RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  CELL(SCORE("\"points\":49,\"exact\":49,\"wrong\":0") VERDICTS("\"points\":49")),
	  OTHER "p.gcc on host: failed -> passed\n"
		"    gone      table_fault (wrong) in f (a), 2 points\n"
		"    bpf       points 100 -> 49, exact 98 -> 49, wrong 2 -> 0\n"
		"    verdicts  points 100 -> 49\n\n"
		"Findings by function\n"
		"    gone  table_fault (wrong) in f (a): 2 points in 1 cells\n\n"
		"checked: 0 cells; not checked: 1 with fewer than half of the points; nothing was "
		"checked\n"
		"old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
	{ "half_of_the_points_is_compared",
	  CELL(SCORE("\"points\":100,\"exact\":98,\"wrong\":2") VERDICTS("\"points\":100")),
	  CELL(SCORE("\"points\":50,\"exact\":50,\"wrong\":0") VERDICTS("\"points\":50")),
	  "BETTER\n" PASSED_HOST "    bpf       points 100 -> 50, exact 98 -> 50, wrong 2 -> 0\n"
	  "    verdicts  points 100 -> 50\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "what_less_than_half_of_the_points_found_is_worse", BEFORE,
	  CELL(SCORE("\"points\":10,\"exact\":8,\"wrong\":2") VERDICTS("\"points\":100")),
	  "WORSE\n" PASSED_HOST "    bpf       points 100 -> 10, exact 100 -> 8, wrong 0 -> 2\n\n"
	  "checked: 0 cells; not checked: 1 with fewer than half of the points; nothing was "
	  "checked\n"
	  "old -> new: 0 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n",
	  EXIT_FINDINGS },
	{ "unproven_points_of_the_verdicts_are_among_their_points",
	  CELL(SCORE_BEFORE VERDICTS("\"points\":100,\"unproven\":0")),
	  CELL(SCORE_BEFORE VERDICTS("\"points\":40,\"unproven\":20")),
	  OTHER PASSED_HOST "    verdicts  points 100 -> 40, unproven 0 -> 20\n\n"
			    "checked: 0 cells; not checked: 1 with fewer than half of the points; "
			    "nothing was checked\n"
			    "old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 "
			    "neither\n",
	  EXIT_SKIPPED },
	{ "a_run_that_was_cut_short_is_no_success", BEFORE,
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", ""),
	  "PARTIAL: the second run did not come to its end\n" NOTHING, EXIT_ENVIRONMENT },
	{ "points_played_otherwise",
	  CELL("{\"type\":\"replay\"," TAG("p.gcc", "host") ",\"points\":9,\"same\":9,"
							    "\"different\":0,\"lost\":0}\n"),
	  CELL("{\"type\":\"replay\"," TAG("p.gcc", "host") ",\"points\":9,\"same\":7,"
							    "\"different\":1,\"lost\":1}\n"),
	  "WORSE\n" PASSED_HOST
	  "    played    as recorded 9 -> 7, different 0 -> 1, lost 0 -> 1\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "nothing_in_common", HEADER SUMMARY, HEADER SUMMARY,
	  "checked: 0 cells; nothing was checked\n"
	  "old -> new: 0 cells compared; 0 changed: 0 worse, 0 better, 0 neither\n",
	  EXIT_SKIPPED },
	{ "a_line_that_is_damaged", BEFORE,
	  HEADER "{\n" SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "") SUMMARY,
	  NOTHING, EXIT_BAD_INPUT },
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
	{ "a_finding_at_more_points_may_be_ignored",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "3,\"ignored\":\"known\"")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  OTHER PASSED_HOST
	  "    points    table_fault (wrong) in f (a), 2 -> 3 points; ignored: known\n"
	  "        instruction  ret\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "not_because_it_was_before",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2,\"ignored\":\"known\"")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "3") SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    points    table_fault (wrong) in f (a), 2 -> 3 points\n"
	  "        instruction  ret\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "the_points_of_all_that_are_ignored_are_excused", BEFORE,
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2,\"ignored\":\"known\"")
		       FINDING("table_fault", "wrong", "/l/a", "g", "3,\"ignored\":\"known\"")
			       SCORE("\"points\":100,\"exact\":95,\"wrong\":5") VERDICTS_BEFORE),
	  OTHER PASSED_HOST
	  "    new       table_fault (wrong) in g (a), 3 points; ignored: known\n"
	  "        instruction  ret\n"
	  "    new       table_fault (wrong) in f (a), 2 points; ignored: known\n"
	  "        instruction  ret\n"
	  "    bpf       exact 100 -> 95, wrong 0 -> 5\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in g (a): 3 points in 1 cells\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "of_a_cell_that_crashes_now_no_finding_is_gone",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  HEADER VERDICTS_BEFORE RESULT("p.gcc", "host", "error", "killed") SUMMARY,
	  "WORSE\np.gcc on host: passed -> error: killed\n\n"
	  "checked: 0 cells; not checked: 1 not judged; nothing was checked\n"
	  "old -> new: 0 cells compared; 1 changed: 1 worse, 0 better, 0 neither\n",
	  EXIT_FINDINGS },
	{ "a_cell_that_had_been_skipped_is_not_gone",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "")
		  RESULT("q.gcc", "host", "skipped", "") SUMMARY,
	  BEFORE,
	  "Only in the first: 1 cells of binaries that the other has not\n" ONLY("first") NOTHING,
	  EXIT_OK },
	{ "a_finding_without_a_count_is_at_one_point",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "0") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "1") SCORE_BEFORE VERDICTS_BEFORE),
	  NOTHING, EXIT_OK },
	{ "a_finding_at_fewer_points_is_better",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "6")
		       SCORE_BEFORE VERDICTS("\"points\":100")),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "4")
		       SCORE_BEFORE VERDICTS("\"points\":80")),
	  "BETTER\n" PASSED_HOST "    points    table_fault (wrong) in f (a), 6 -> 4 points\n"
	  "        instruction  ret\n"
	  "    verdicts  points 100 -> 80\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "a_longer_run_has_more_points_of_the_same",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2")
		       SCORE_BEFORE VERDICTS("\"points\":100")),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "4")
		       SCORE_BEFORE VERDICTS("\"points\":200")),
	  OTHER PASSED_HOST "    points    table_fault (wrong) in f (a), 2 -> 4 points\n"
			    "        instruction  ret\n"
			    "    verdicts  points 100 -> 200\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "a_name_moves_to_no_other_instruction",
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x30", "2,\"instruction\":\"nop\"")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (missing) in gap@0x30 (a), 2 points\n"
	  "        instruction  nop\n"
	  "    gone      table_fault (missing) in gap@0x10 (a), 2 points\n\n"
	  "Findings by function\n"
	  "    new   table_fault (missing) in gap@0x30 (a): 2 points in 1 cells\n"
	  "    gone  table_fault (missing) in gap@0x10 (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "what_had_been_ignored_is_gone_all_the_same",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "2,\"ignored\":\"known\"")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  BEFORE,
	  "BETTER\n" PASSED_HOST "    gone      table_fault (wrong) in f (a), 2 points\n\n"
	  "Findings by function\n"
	  "    gone  table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "fewer_points_of_a_shorter_run_are_not_better",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "6")
		       SCORE_BEFORE VERDICTS("\"points\":100")),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "5")
		       SCORE_BEFORE VERDICTS("\"points\":80")),
	  OTHER PASSED_HOST "    points    table_fault (wrong) in f (a), 6 -> 5 points\n"
			    "        instruction  ret\n"
			    "    verdicts  points 100 -> 80\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "what_stayed_is_not_where_another_moved_to",
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2") FINDING(
		  "table_fault", "missing", "/l/a", "gap@0x40", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x10", "2")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  "BETTER\n" PASSED_HOST "    gone      table_fault (missing) in gap@0x40 (a), 2 points\n\n"
	  "Findings by function\n"
	  "    gone  table_fault (missing) in gap@0x40 (a): 2 points in 1 cells\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "a_function_of_the_name_gap_has_not_moved",
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap", "2") SCORE_BEFORE VERDICTS_BEFORE),
	  CELL(FINDING("table_fault", "missing", "/l/a", "gap@0x30", "2")
		       SCORE_BEFORE VERDICTS_BEFORE),
	  "WORSE\n" PASSED_HOST "    new       table_fault (missing) in gap@0x30 (a), 2 points\n"
	  "        instruction  ret\n"
	  "    gone      table_fault (missing) in gap (a), 2 points\n\n"
	  "Findings by function\n"
	  "    new   table_fault (missing) in gap@0x30 (a): 2 points in 1 cells\n"
	  "    gone  table_fault (missing) in gap (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "the_last_change_of_less_than_half_is_not_better",
	  CELL(SCORE("\"points\":100,\"exact\":98,\"wrong\":2") VERDICTS("\"points\":100")),
	  CELL(SCORE("\"points\":49,\"exact\":49,\"wrong\":0") VERDICTS("\"points\":100")),
	  OTHER PASSED_HOST
	  "    bpf       points 100 -> 49, exact 98 -> 49, wrong 2 -> 0\n\n"
	  "checked: 0 cells; not checked: 1 with fewer than half of the points; nothing was "
	  "checked\n"
	  "old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 neither\n",
	  EXIT_SKIPPED },
};

START_TEST(test_plant)
{
	check_plant(&plants[_i]);
}
END_TEST

SUITE(changes, LOOP(test_plant, plants))
