/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_changes_several.c - results of two and more of everything: engines, findings, cells, reasons
 *
 * What is known of one is not taken for the next, and each is counted.
 */
#include "tests/suite.h"
#include "freed.h"
#include "changes_plant.h"
#include "base/cases/cases.h"

#define OBJECT(type, binary, rest) "{\"type\":\"" type "\"," TAG(binary, "host") "," rest "}\n"
#define POINTS			   "\"points\":100"
#define FAULT(function, n)	   FINDING("table_fault", "wrong", "/l/a", function, n)
#define GAP(at, n)		   FINDING("table_fault", "missing", "/l/a", "gap@" at, n)
#define KNOWN			   ",\"ignored\":\"known\""

/* ---- what excuses ------------------------------------------------------------------------- */

static const struct plant plants[] = {
	{ "each_engine_has_its_own_excuse",
	  CELL(SCORE_OF("bpf", POINTS ",\"exact\":100") SCORE_OF("fp", POINTS ",\"exact\":100")
		       VERDICTS(POINTS)),
	  CELL(SCORE_OF("bpf", "\"points\":95,\"exact\":95,\"unproven\":5")
		       SCORE_OF("fp", POINTS ",\"exact\":95") VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    fp        exact 100 -> 95\n"
	  "    bpf       points 100 -> 95, exact 100 -> 95\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "whichever_comes_first",
	  CELL(SCORE_OF("fp", POINTS ",\"exact\":100") SCORE_OF("bpf", POINTS ",\"exact\":100")
		       VERDICTS(POINTS)),
	  CELL(SCORE_OF("fp", POINTS ",\"exact\":95") SCORE_OF(
		  "bpf", "\"points\":95,\"exact\":95,\"untrapped\":5") VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    fp        exact 100 -> 95\n"
	  "    bpf       points 100 -> 95, exact 100 -> 95\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "excuses_add_up", CELL(SCORE(POINTS ",\"exact\":100") VERDICTS(POINTS ",\"absent\":1")),
	  CELL(FAULT("f", "1" KNOWN) SCORE(
		  "\"points\":95,\"exact\":91,\"wrong\":1,\"unproven\":2,\"untrapped\":3")
		       VERDICTS(POINTS ",\"absent\":4")),
	  OTHER PASSED_HOST
	  "    new       table_fault (wrong) in f (a), 1 points; ignored: known\n"
	  "        instruction  ret\n"
	  "    bpf       points 100 -> 95, exact 100 -> 91\n"
	  "    verdicts  absent 1 -> 4\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 1 points in 1 cells\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "and_no_further", CELL(SCORE(POINTS ",\"exact\":100") VERDICTS(POINTS ",\"absent\":1")),
	  CELL(SCORE("\"points\":95,\"exact\":91,\"unproven\":2,\"untrapped\":3")
		       VERDICTS(POINTS ",\"absent\":4")),
	  "WORSE\n" PASSED_HOST "    bpf       points 100 -> 95, exact 100 -> 91\n"
	  "    verdicts  absent 1 -> 4\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "what_was_unproven_before_excuses_nothing",
	  CELL(SCORE("\"points\":90,\"exact\":90,\"unproven\":5,\"untrapped\":5")
		       VERDICTS(POINTS ",\"absent\":5")),
	  CELL(SCORE(POINTS ",\"exact\":89,\"unproven\":0,\"untrapped\":0")
		       VERDICTS(POINTS ",\"absent\":0")),
	  "WORSE\n" PASSED_HOST
	  "    bpf       points 90 -> 100, exact 90 -> 89, untrapped 5 -> 0, unproven 5 -> 0\n"
	  "    verdicts  absent 5 -> 0\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "what_is_ignored_is_no_fault_of_the_verdicts",
	  CELL(VERDICTS(POINTS ",\"table_fault\":1")),
	  CELL(FAULT("f", "2" KNOWN) VERDICTS(POINTS ",\"table_fault\":3")),
	  OTHER PASSED_HOST
	  "    new       table_fault (wrong) in f (a), 2 points; ignored: known\n"
	  "        instruction  ret\n"
	  "    verdicts  table fault 1 -> 3\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "what_is_more_than_ignored_is", CELL(VERDICTS(POINTS ",\"table_fault\":1")),
	  CELL(FAULT("f", "2" KNOWN) VERDICTS(POINTS ",\"table_fault\":4")),
	  "WORSE\n" PASSED_HOST "    verdicts  table fault 1 -> 4\n"
	  "    new       table_fault (wrong) in f (a), 2 points; ignored: known\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "what_is_ignored_at_more_points_excuses_the_difference",
	  CELL(FAULT("f", "2" KNOWN) SCORE(POINTS ",\"exact\":98,\"wrong\":2") VERDICTS(POINTS)),
	  CELL(FAULT("f", "3" KNOWN) SCORE(POINTS ",\"exact\":96,\"wrong\":4") VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    bpf       exact 98 -> 96, wrong 2 -> 4\n"
	  "    points    table_fault (wrong) in f (a), 2 -> 3 points; ignored: known\n"
	  "        instruction  ret\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "what_is_better_is_not_said_to_be_ignored", CELL(FAULT("f", "6" KNOWN) VERDICTS(POINTS)),
	  CELL(FAULT("f", "4" KNOWN) VERDICTS(POINTS)),
	  "BETTER\n" PASSED_HOST "    points    table_fault (wrong) in f (a), 6 -> 4 points\n"
	  "        instruction  ret\n\n" ONE_BETTER,
	  EXIT_OK },
	{ "nor_what_is_as_long_as_the_run", CELL(FAULT("f", "2" KNOWN) VERDICTS("\"points\":100")),
	  CELL(FAULT("f", "4" KNOWN) VERDICTS("\"points\":200")),
	  OTHER PASSED_HOST "    points    table_fault (wrong) in f (a), 2 -> 4 points\n"
			    "        instruction  ret\n"
			    "    verdicts  points 100 -> 200\n\n" ONE_OTHER,
	  EXIT_OK },
	/* ---- findings ---- */
	{ "one_that_is_not_ignored_is_enough", CELL(VERDICTS(POINTS)),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "f", "3,\"declared\":\"first\"")
		       FAULT("f", "2" KNOWN) VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 5 points\n"
	  "        instruction  ret\n"
	  "        declared     first\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 5 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "of_several_the_first_is_the_evidence", CELL(VERDICTS(POINTS)),
	  CELL(FAULT("f", "1" KNOWN) FINDING("table_fault", "wrong", "/l/a", "f",
					     "3,\"declared\":\"first\"")
		       FINDING("table_fault", "wrong", "/l/a", "f", "1,\"declared\":\"second\"")
			       VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 5 points\n"
	  "        instruction  ret\n"
	  "        declared     first\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 5 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "one_without_a_kind_and_one_without_a_function", CELL(VERDICTS(POINTS)),
	  CELL(FINDING("walk_fault", "", "/l/a", "f", "2")
		       FINDING("walk_fault", "k", "/l/a", "", "1") VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    new       walk_fault in f (a), 2 points\n"
	  "        instruction  ret\n"
	  "    new       walk_fault (k) (a), 1 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   walk_fault in f (a): 2 points in 1 cells\n"
	  "    new   walk_fault (k) (a): 1 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "the_first_reason_is_said", CELL(VERDICTS(POINTS)),
	  CELL(FAULT("f", "1" KNOWN) FAULT("f", "1,\"ignored\":\"later\"") VERDICTS(POINTS)),
	  OTHER PASSED_HOST
	  "    new       table_fault (wrong) in f (a), 2 points; ignored: known\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 2 points in 1 cells\n\n" ONE_OTHER,
	  EXIT_OK },
	{ "those_that_move_keep_their_order",
	  CELL(GAP("0x10", "2") GAP("0x20", "3") GAP("0x30", "4") VERDICTS(POINTS)),
	  CELL(GAP("0x40", "2") GAP("0x50", "3") GAP("0x60", "4") VERDICTS(POINTS)), NOTHING,
	  EXIT_OK },
	{ "the_most_points_are_first_wherever_they_come", CELL(VERDICTS(POINTS)),
	  CELL(FAULT("f", "5") FAULT("g", "1") FAULT("h", "3") VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST "    new       table_fault (wrong) in f (a), 5 points\n"
	  "        instruction  ret\n"
	  "    new       table_fault (wrong) in h (a), 3 points\n"
	  "        instruction  ret\n"
	  "    new       table_fault (wrong) in g (a), 1 points\n"
	  "        instruction  ret\n\n"
	  "Findings by function\n"
	  "    new   table_fault (wrong) in f (a): 5 points in 1 cells\n"
	  "    new   table_fault (wrong) in h (a): 3 points in 1 cells\n"
	  "    new   table_fault (wrong) in g (a): 1 points in 1 cells\n\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "an_fde_moves_too",
	  CELL(FINDING("table_fault", "wrong", "/l/a", "fde@0x10", "2") VERDICTS(POINTS)),
	  CELL(FINDING("table_fault", "wrong", "/l/a", "fde@0x20", "2") VERDICTS(POINTS)), NOTHING,
	  EXIT_OK },
	/* ---- engines ---- */
	{ "each_engine_that_is_gone_is_said",
	  CELL(SCORE_OF("bpf", POINTS ",\"exact\":50") SCORE_OF("cfi", POINTS ",\"exact\":90")
		       SCORE_OF("fp", POINTS ",\"exact\":10") VERDICTS(POINTS)),
	  CELL(SCORE_OF("fp", POINTS ",\"exact\":9") SCORE_OF("libdw", POINTS)
		       SCORE_OF("table", POINTS) VERDICTS(POINTS)),
	  "WORSE\n" PASSED_HOST
	  "    cfi       100 points -> gone: the engine has no score any more\n" BPF_GONE
	  "    fp        exact 10 -> 9\n\n"
	  "Only in the first: 2 scores of engines that the other has not\n"
	  "Only in the second: 2 scores of engines that the other has not\n"
	  "checked: 1 cells; not checked: 4 engines\n" ONE_WORSE,
	  EXIT_FINDINGS },
	{ "the_first_of_two_verdicts_counts", CELL(VERDICTS(POINTS ",\"walk_fault\":0")),
	  CELL(VERDICTS(POINTS ",\"walk_fault\":0") VERDICTS(POINTS ",\"walk_fault\":7")), NOTHING,
	  EXIT_OK },
	{ "what_was_skipped_on_both_sides_may_have_scores",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "skipped", "s") SUMMARY,
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "skipped", "s") SUMMARY,
	  NOTHING, EXIT_OK },
	{ "the_first_engine_was_cut",
	  CELL(SCORE_OF("bpf", POINTS) SCORE_OF("fp", POINTS) VERDICTS(POINTS)),
	  CELL(SCORE_OF("bpf", "\"points\":49") SCORE_OF("fp", POINTS) VERDICTS(POINTS)),
	  OTHER PASSED_HOST "    bpf       points 100 -> 49\n\n"
			    "checked: 0 cells; not checked: 1 with fewer than half of the points; "
			    "nothing was checked\n"
			    "old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 "
			    "neither\n",
	  EXIT_SKIPPED },
	{ "the_second_engine_was_cut",
	  CELL(SCORE_OF("bpf", POINTS) SCORE_OF("fp", POINTS) VERDICTS(POINTS)),
	  CELL(SCORE_OF("bpf", POINTS) SCORE_OF("fp", "\"points\":49") VERDICTS(POINTS)),
	  OTHER PASSED_HOST "    fp        points 100 -> 49\n\n"
			    "checked: 0 cells; not checked: 1 with fewer than half of the points; "
			    "nothing was checked\n"
			    "old -> new: 0 cells compared; 1 changed: 0 worse, 0 better, 1 "
			    "neither\n",
	  EXIT_SKIPPED },
};

START_TEST(test_plant)
{
	check_plant(&plants[_i]);
}
END_TEST

/* What tells a finding from another: each part of its name. */
static const struct {
	const char *name, *before, *after;
	bool same;
} findings[] = {
#define OF(verdict, kind, image, function) FINDING(verdict, kind, image, function, "2")
	{ "same", OF("v", "k", "/l/a", "f"), OF("v", "k", "/m/a", "f"), true },
	{ "verdict", OF("v", "k", "/l/a", "f"), OF("w", "k", "/l/a", "f"), false },
	{ "kind", OF("v", "k", "/l/a", "f"), OF("v", "l", "/l/a", "f"), false },
	{ "image", OF("v", "k", "/l/a", "f"), OF("v", "k", "/l/b", "f"), false },
	{ "function", OF("v", "k", "/l/a", "f"), OF("v", "k", "/l/a", "g"), false },
	{ "place_alone", OF("v", "k", "/l/a", "gap@1"), OF("v", "k", "/l/a", "gap@2"), true },
	{ "moved_by_what_is_not_ignored",
	  FINDING("v", "k", "/l/a", "gap@1", "2,\"instruction\":\"nop\"" KNOWN)
		  OF("v", "k", "/l/a", "gap@1"),
	  FINDING("v", "k", "/l/a", "gap@2", "4"), true },
	{ "moved_verdict", OF("v", "k", "/l/a", "gap@1"), OF("w", "k", "/l/a", "gap@2"), false },
	{ "moved_kind", OF("v", "k", "/l/a", "gap@1"), OF("v", "l", "/l/a", "gap@2"), false },
	{ "moved_image", OF("v", "k", "/l/a", "gap@1"), OF("v", "k", "/l/b", "gap@2"), false },
	{ "gap_and_fde", OF("v", "k", "/l/a", "gap@1"), OF("v", "k", "/l/a", "fde@2"), false },
	{ "no_address", OF("v", "k", "/l/a", "f@1"), OF("v", "k", "/l/a", "f@2"), false },
	{ "named_before", OF("v", "k", "/l/a", "fde"), OF("v", "k", "/l/a", "fde@2"), false },
};

START_TEST(test_finding)
{
	char before[4096], after[4096];
	struct pair pair;

	snprintf(before, sizeof(before), HEADER "%s" VERDICTS(POINTS) "%s", findings[_i].before,
		 RESULT("p.gcc", "host", "passed", "") SUMMARY);
	snprintf(after, sizeof(after), HEADER "%s" VERDICTS(POINTS) "%s", findings[_i].after,
		 RESULT("p.gcc", "host", "passed", "") SUMMARY);
	pair_init(&pair, before, after);
	ck_assert_msg(pair.changes.count == !findings[_i].same, "%s", findings[_i].name);
	if (!findings[_i].same) {
		ck_assert_uint_eq(pair.changes.cell[0].count, 2);
		ck_assert_int_eq(pair.changes.cell[0].change[0].what, CHANGE_FINDING_NEW);
		ck_assert_int_eq(pair.changes.cell[0].change[1].what, CHANGE_FINDING_GONE);
	}
	pair_deinit(&pair);
}
END_TEST

/* ---- outcomes ------------------------------------------------------------------------------ */

/* As changes.c has the table; w worse, b better, o other, - none. Then what was compared: c; s: one was skipped; n:
 * not judged. */
static const char *const statuses[] = { "passed", "failed", "skipped", "error" };
static const char *const outcomes[] = { "-www", "b-oo", "oo--", "oo--" };
static const char *const compared[] = { "ccsn", "ccsn", "ssss", "nnsn" };

START_TEST(test_outcome)
{
	char text[2][2048];
	struct pair pair;

	for (int j = 0; j < COUNT(statuses); j++) {
		const char expected = outcomes[_i][j], how = compared[_i][j];

		for (int side = 0; side < 2; side++)
			snprintf(text[side], sizeof(text[0]), HEADER "%s%s%s" SUMMARY,
				 "{\"type\":\"result\"," TAG("p.gcc", "host") ",\"status\":\"",
				 statuses[side ? j : _i], "\",\"reason\":\"\"}\n");
		pair_init(&pair, text[0], text[1]);
		ck_assert_msg(pair.changes.count == (expected != '-'), "%s -> %s", statuses[_i],
			      statuses[j]);
		if (expected != '-') {
			const struct changed_cell *cell = &pair.changes.cell[0];

			ck_assert_msg(cell->direction == (expected == 'w'   ? CHANGE_WORSE
							  : expected == 'b' ? CHANGE_BETTER
									    : CHANGE_OTHER),
				      "%s -> %s", statuses[_i], statuses[j]);
			ck_assert_uint_eq(cell->count, 1);
			ck_assert_int_eq(cell->change[0].what, CHANGE_STATUS);
			ck_assert(cell->compared == (how == 'c'));
		}
		ck_assert_msg(pair.changes.compared == (how == 'c') &&
				      pair.changes.outcomes_alone == (how == 'c') &&
				      pair.changes.skipped == (how == 's') &&
				      pair.changes.not_judged == (how == 'n'),
			      "%s -> %s", statuses[_i], statuses[j]);
		pair_deinit(&pair);
	}
	/* And of what is gone, where others of its compiler are there. */
	static const char gone[] = "wo--";
	snprintf(text[0], sizeof(text[0]), HEADER "%s%s%s" SUMMARY,
		 RESULT("q.gcc", "host", "passed",
			"") "{\"type\":\"result\"," TAG("p.gcc", "host") ",\"status\":\"",
		 statuses[_i], "\",\"reason\":\"\"}\n");
	pair_init(&pair, text[0], HEADER RESULT("q.gcc", "host", "passed", "") SUMMARY);
	ck_assert_uint_eq(pair.changes.only[0][ONE_SIDE_BINARY], 1);
	ck_assert_uint_eq(pair.changes.count, gone[_i] != '-');
	if (gone[_i] != '-')
		ck_assert_int_eq(pair.changes.cell[0].direction,
				 gone[_i] == 'w' ? CHANGE_WORSE : CHANGE_OTHER);
	pair_deinit(&pair);
}
END_TEST

/* ---- counts -------------------------------------------------------------------------------- */

#define OTHER_KERNEL(binary, toolchain, kernel)                                                    \
	"{\"type\":\"result\",\"binary\":\"" binary "\",\"toolchain\":\"" toolchain                \
	"\",\"kernel\":\"" kernel "\",\"status\":\"passed\"}\n"
#define ALONE(letter)                                                                              \
	OTHER_KERNEL(letter "1", "gcc", "6." letter)                                               \
	OTHER_KERNEL(letter "2", "gcc", "6." letter)                                               \
	OTHER_KERNEL(letter "3", "cc" letter, "host")                                              \
	OTHER_KERNEL(letter "4", "cc" letter, "host")                                              \
	OTHER_KERNEL(letter "5", "gcc", "host") OTHER_KERNEL(letter "6", "gcc", "host")
#define TWO(status, one, two) RESULT(one, "host", status, "") RESULT(two, "host", status, "")
#define OF_POINTS(n, one, two)                                                                     \
	OBJECT("verdicts", one, "\"points\":" n) OBJECT("verdicts", two, "\"points\":" n)

/* Two cells for each reason. */
START_TEST(test_each_is_counted)
{
	struct pair pair;

	pair_init(&pair,
		  HEADER ALONE("a") OF_POINTS("100", "c", "d") OF_POINTS("7", "k", "l")
			  TWO("passed", "c", "d") TWO("passed", "e", "f") TWO("error", "g", "h")
				  TWO("passed", "i", "j") TWO("failed", "k", "l") SUMMARY,
		  HEADER ALONE("b") OF_POINTS("10", "c", "d") OF_POINTS("7", "k", "l")
			  TWO("passed", "c", "d") TWO("skipped", "e", "f") TWO("failed", "g", "h")
				  TWO("passed", "i", "j") TWO("passed", "k", "l") SUMMARY);
	for (int side = 0; side < 2; side++) {
		ck_assert_uint_eq(pair.changes.only[side][ONE_SIDE_KERNEL], 2);
		ck_assert_uint_eq(pair.changes.only[side][ONE_SIDE_TOOLCHAIN], 2);
		ck_assert_uint_eq(pair.changes.only[side][ONE_SIDE_BINARY], 2);
		ck_assert_uint_eq(pair.changes.only[side][ONE_SIDE_ENGINE], 0);
	}
	ck_assert_uint_eq(pair.changes.fewer_points, 2);
	ck_assert_uint_eq(pair.changes.skipped, 2);
	ck_assert_uint_eq(pair.changes.not_judged, 2);
	ck_assert_uint_eq(pair.changes.outcomes_alone, 2);
	ck_assert_uint_eq(pair.changes.compared, 4);
	ck_assert_uint_eq(pair.changes.direction[CHANGE_WORSE], 4); /* gone, skipped */
	ck_assert_uint_eq(pair.changes.direction[CHANGE_BETTER], 2);
	ck_assert_uint_eq(pair.changes.direction[CHANGE_OTHER], 4); /* cut; g and h */
	ck_assert_uint_eq(pair.gate.checked, 4);
	ck_assert_uint_eq(pair.gate.findings, 4);
	ck_assert_uint_eq(pair.gate.left[GATE_ONLY_BEFORE], 6);
	ck_assert_uint_eq(pair.gate.left[GATE_ONLY_AFTER], 6);
	ck_assert_uint_eq(pair.gate.left[GATE_FEWER_POINTS], 2);
	ck_assert_uint_eq(pair.gate.left[GATE_SKIPPED], 2);
	ck_assert_uint_eq(pair.gate.left[GATE_CUT_SHORT], 2);
	/* What somebody has found before stays found. */
	pair.gate.bad_input = pair.gate.environment = true;
	changes_gate(&pair.changes, &pair.gate);
	ck_assert(pair.gate.bad_input && pair.gate.environment);
	pair_deinit(&pair);
}
END_TEST

/* ---- the order ------------------------------------------------------------------------------ */

#define SCORED(binary, n)                                                                          \
	OBJECT("score", binary, "\"engine\":\"bpf\",\"points\":100,\"exact\":" n)                  \
	OBJECT("verdicts", binary, "\"points\":100,\"exact\":9,\"absent\":0")
#define PLAYED(binary, n) OBJECT("replay", binary, "\"points\":9,\"same\":" n)
#define FOUND(binary, v, n)                                                                        \
	OBJECT("finding", binary, "\"verdict\":\"" v "\",\"function\":\"f\",\"count\":" n)
#define ALL_PASSED                                                                                 \
	RESULT("a", "host", "passed", "")                                                          \
	RESULT("b", "host", "passed", "")                                                          \
	RESULT("c", "host", "passed", "")                                                          \
	RESULT("d", "host", "passed", "")                                                          \
	RESULT("e", "host", "passed", "")                                                          \
	RESULT("f", "host", "passed", "") RESULT("g", "host", "passed", "")

/* A stack that is wrong comes before a point that is played otherwise, that before a table, and that before an engine
 * and its score; the most points first, in each cell and of all cells. */
START_TEST(test_worst_is_first)
{
	static const char *const cells = "fdcegba";
	static const enum change_what last[] = { CHANGE_STATUS,	     CHANGE_FINDING_NEW,
						 CHANGE_REPLAY,	     CHANGE_FINDING_NEW,
						 CHANGE_ENGINE_GONE, CHANGE_SCORE,
						 CHANGE_VERDICTS };
	struct pair pair;

	pair_init(&pair,
		  HEADER SCORED("a", "90") SCORED("b", "90") PLAYED("c", "9") PLAYED("d", "9")
			  SCORED("e", "90") SCORED("f", "90") SCORED("g", "90") ALL_PASSED SUMMARY,
		  HEADER SCORED("a", "87") SCORED("b", "85") PLAYED("c", "7") PLAYED("d", "5")
			  FOUND("e", "table_fault", "9") SCORED("e", "89")
				  FOUND("f", "table_fault", "9") FOUND("f", "walk_fault", "1")
					  SCORED("f", "89") OBJECT("verdicts", "g",
								   "\"points\":100,\"exact\":9")
						  ALL_PASSED SUMMARY);
	ck_assert_uint_eq(pair.changes.count, strlen(cells));
	for (size_t i = 0; i < pair.changes.count; i++)
		ck_assert_msg(pair.changes.cell[i].before->binary[0] == cells[i], "%zu: %s", i,
			      pair.changes.cell[i].before->binary);
	ck_assert_str_eq(pair.changes.cell[0].change[0].finding.verdict, "walk_fault");
	ck_assert_str_eq(pair.changes.cell[0].change[1].finding.verdict, "table_fault");
	ck_assert_int_eq(pair.changes.cell[3].change[1].what, CHANGE_SCORE);
	pair_deinit(&pair);
	/* All of it in one cell. */
	pair_init(&pair,
		  HEADER SCORED("a", "90")
			  OBJECT("score", "a", "\"engine\":\"fp\",\"points\":100,\"exact\":90")
				  PLAYED("a", "9") RESULT("a", "host", "passed", "") SUMMARY,
		  HEADER OBJECT("score", "a", "\"engine\":\"fp\",\"points\":100,\"exact\":80")
			  OBJECT("verdicts", "a",
				 "\"points\":100,\"exact\":8,\"absent\":0,\"walk_fault\":1")
				  FOUND("a", "table_fault", "9") PLAYED("a", "8")
					  FOUND("a", "walk_fault", "1")
						  RESULT("a", "host", "failed", "") SUMMARY);
	ck_assert_uint_eq(pair.changes.count, 1);
	ck_assert_uint_eq(pair.changes.cell[0].count, COUNT(last));
	for (int i = 0; i < COUNT(last); i++)
		ck_assert_msg(pair.changes.cell[0].change[i].what == last[i], "%d: %s", i,
			      change_what_name(pair.changes.cell[0].change[i].what));
	pair_deinit(&pair);
}
END_TEST

/* ---- lanes ---------------------------------------------------------------------------------- */

/* A toolchain that another lane has is not this one's; a lane that is nowhere has no cell. */
START_TEST(test_lanes_of_one_folder)
{
	static const char text[] = HEADER OTHER_KERNEL("p", "gcc", "host")
		OTHER_KERNEL("q", "clang", "host") OTHER_KERNEL("p", "gcc", "5.10")
			OTHER_KERNEL("r", "rustc", "5.10") OTHER_KERNEL("q", "clang", "7.2")
				SUMMARY;
	struct results results DEINIT(results_deinit);
	struct changes changes;

	read_text(&results, text, strlen(text));
	changes_init(&changes);
	changes_add(&changes, &results, "host", &results, "5.10");
	ck_assert_uint_eq(changes.compared, 1);
	ck_assert_uint_eq(changes.only[0][ONE_SIDE_TOOLCHAIN], 1);
	ck_assert_uint_eq(changes.only[1][ONE_SIDE_TOOLCHAIN], 1);
	changes_add(&changes, &results, "host", &results, "6.12");
	ck_assert_uint_eq(changes.only[0][ONE_SIDE_KERNEL], 2);
	changes_add(&changes, &results, "6.12", &results, "host");
	ck_assert_uint_eq(changes.only[1][ONE_SIDE_KERNEL], 2);
	ck_assert_uint_eq(changes.compared, 1);
	ck_assert_uint_eq(changes.count, 0);
	changes_deinit(&changes);
	ck_assert(!changes.cell && !changes.compared);
}
END_TEST

/* ---- names and cases ------------------------------------------------------------------------ */

START_TEST(test_names)
{
	static const char *const whats[] = { "status",	     "gone",	       "finding_new",
					     "finding_gone", "finding_points", "verdicts",
					     "engine_gone",  "score",	       "replay" };
	static const char *const directions[] = { "worse", "better", "other" };
	static const char *const sides[] = { "kernel", "toolchain", "binary", "engine" };

	ck_assert_int_eq(COUNT(whats), CHANGE_WHAT_COUNT);
	for (int i = 0; i < COUNT(whats); i++)
		ck_assert_str_eq(change_what_name((enum change_what)i), whats[i]);
	for (int i = 0; i < COUNT(directions); i++)
		ck_assert_str_eq(change_direction_name((enum change_direction)i), directions[i]);
	for (int i = 0; i < COUNT(sides); i++)
		ck_assert_str_eq(one_side_name((enum one_side)i), sides[i]);
}
END_TEST

/* A line for each case: how it ended, its kernel and binary, the message, and what is told of it. */
static const struct {
	const char *name, *before, *after, *cases;
} as_cases[] = {
	{ "two_that_are_worse_and_one_that_is_not",
	  HEADER RESULT("p", "host", "passed", "") RESULT("q", "5.10", "passed", "")
		  RESULT("r", "host", "failed", "") SUMMARY,
	  HEADER OBJECT("score", "p", "\"engine\":\"x\"") RESULT("p", "host", "failed", "one")
		  RESULT("q", "5.10", "error", "two") RESULT("r", "host", "passed", "") SUMMARY,
	  "F host p worse: passed -> failed: one [status\n]\n"
	  "F 5.10 q worse: passed -> error: two [status\n]\n"
	  "P host r  [status\n]\n"
	  "E diff cells that were not judged a run did not judge them []\n" },
	{ "each_change_is_told", HEADER SCORED("p", "90") RESULT("p", "host", "passed", "") SUMMARY,
	  HEADER FOUND("p", "walk_fault", "2") SCORED("p", "80") RESULT("p", "host", "failed", "w")
		  SUMMARY,
	  "F host p worse: passed -> failed: w [status\nfinding_new\nscore\n]\n" },
	{ "gone", HEADER TWO("passed", "p", "q") SUMMARY,
	  HEADER RESULT("q", "host", "passed", "") SUMMARY,
	  "F host p worse: passed -> gone [gone\n]\nP diff cells without a change  []\n" },
	{ "the_second_run_was_cut_short", HEADER RESULT("p", "host", "passed", "") SUMMARY,
	  HEADER RESULT("p", "host", "passed", ""),
	  "P diff cells without a change  []\n"
	  "E diff cells that were not judged a run did not judge them []\n" },
	{ "the_first_run_was_cut_short", HEADER RESULT("p", "host", "passed", ""),
	  HEADER RESULT("p", "host", "passed", "") SUMMARY, "P diff cells without a change  []\n" },
	{ "crashed_on_both_sides", HEADER RESULT("p", "host", "error", "x") SUMMARY,
	  HEADER RESULT("p", "host", "error", "x") SUMMARY,
	  "E diff cells that were not judged a run did not judge them []\n" },
};

START_TEST(test_cases)
{
	static const char letter[CASE_STATUS_COUNT] = "PFSE";
	struct cases cases = { 0 };
	char said[2048] = "";
	struct pair pair;

	pair_init(&pair, as_cases[_i].before, as_cases[_i].after);
	cases_suite(&cases, "diff");
	changes_cases(&cases, &pair.changes);
	for (size_t i = 0; i < cases.suite[0].count; i++) {
		const struct judged_case *judged = &cases.suite[0].judged[i];

		snprintf(said + strlen(said), sizeof(said) - strlen(said), "%c %s %s %s [%s]\n",
			 letter[judged->status], judged->class_name, judged->name, judged->message,
			 judged->output ? judged->output : "");
	}
	ck_assert_msg(!strcmp(said, as_cases[_i].cases), "%s:\n%s", as_cases[_i].name, said);
	cases_deinit(&cases);
	pair_deinit(&pair);
}
END_TEST

SUITE(changes_several, LOOP(test_plant, plants), LOOP(test_finding, findings),
      LOOP(test_outcome, statuses), TEST(test_each_is_counted), TEST(test_worst_is_first),
      TEST(test_lanes_of_one_folder), TEST(test_names), LOOP(test_cases, as_cases))
