/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_kernel_fault.c - bpf's stacks of one kernel held against another's
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "guests/run/run.h"
#include "reports/report/tests/results_fixture.h"

#define NO_DIGEST(points, exact)     "\"points\":" #points ",\"exact\":" #exact
#define SCORE(points, exact, digest) NO_DIGEST(points, exact) ",\"digest\":\"" digest "\""
#define TRUTH(digest)		     ",\"truth_digest\":\"" digest "\""

/* One binary on two kernels. NULL digest: none. */
static const struct kernel_case {
	const char *name;
	const char *one, *two; /* bpf's scores, without braces */
	const char *verdicts_one, *verdicts_two;
	uint64_t compared, not_comparable;
	enum cell_status status_one, status_two;
	uint64_t points; /* of the kernel fault */
} kernel_cases[] = {
	{ "same_digest", SCORE(9, 9, "a"), SCORE(9, 9, "a"), "", "", 1, 0, CELL_PASSED, CELL_PASSED,
	  0 },
	{ "later_has_fewer_exact", SCORE(9, 9, "a"), SCORE(9, 8, "b"), "", "", 1, 0, CELL_PASSED,
	  CELL_FAILED, 1 },
	{ "first_has_fewer_exact", SCORE(9, 7, "a"), SCORE(9, 8, "b"), "", "", 1, 0, CELL_FAILED,
	  CELL_PASSED, 1 },
	{ "equally_inexact_blames_the_later", SCORE(9, 8, "a"), SCORE(9, 8, "b"), "", "", 1, 0,
	  CELL_PASSED, CELL_FAILED, 1 },
	{ "both_exact_means_that_the_program_differed", SCORE(9, 9, "a"), SCORE(9, 9, "b"), "", "",
	  0, 1, CELL_PASSED, CELL_PASSED, 0 },
	{ "same_truth_and_other_stacks", SCORE(9, 9, "a"), SCORE(9, 9, "b"), TRUTH("t"), TRUTH("t"),
	  1, 0, CELL_PASSED, CELL_FAILED, 1 },
	{ "other_truth", SCORE(9, 9, "a"), SCORE(9, 8, "b"), TRUTH("t"), TRUTH("u"), 0, 1,
	  CELL_PASSED, CELL_PASSED, 0 },
	{ "other_point_count", SCORE(9, 9, "a"), SCORE(8, 8, "b"), "", "", 0, 1, CELL_PASSED,
	  CELL_PASSED, 0 },
	{ "cut_short", SCORE(9, 9, "a"), SCORE(9, 8, "b"), "", ",\"partial\":\"timeout\"", 0, 1,
	  CELL_PASSED, CELL_PASSED, 0 },
	{ "by_so_many_points", SCORE(9, 9, "a"), SCORE(9, 6, "b"), "", "", 1, 0, CELL_PASSED,
	  CELL_FAILED, 3 },
	{ "other_point_count_and_not_all_exact", SCORE(9, 8, "a"), SCORE(8, 7, "b"), "", "", 0, 1,
	  CELL_PASSED, CELL_PASSED, 0 },
	{ "the_first_has_no_digest", NO_DIGEST(9, 9), SCORE(9, 8, "b"), "", "", 0, 1, CELL_PASSED,
	  CELL_PASSED, 0 },
	{ "the_second_has_no_digest", SCORE(9, 9, "a"), NO_DIGEST(9, 8), "", "", 0, 1, CELL_PASSED,
	  CELL_PASSED, 0 },
	{ "neither_has_a_digest", NO_DIGEST(9, 9), NO_DIGEST(9, 9), "", "", 0, 1, CELL_PASSED,
	  CELL_PASSED, 0 },
	{ "one_truth_has_no_digest", SCORE(9, 9, "a"), SCORE(9, 8, "b"), TRUTH("t"), "", 1, 0,
	  CELL_PASSED, CELL_FAILED, 1 },
	{ "no_digest", NO_DIGEST(9, 9), SCORE(9, 9, "b"), "", "", 0, 1, CELL_PASSED, CELL_PASSED,
	  0 },
};

static void kernel_cell(struct results *results, const char *kernel, const char *score,
			const char *verdicts)
{
	struct cell *cell = fixture_cell(results, kernel, "p", "gcc", "O2-fp", "c");
	char json[512];

	cell_set(cell, CELL_PASSED, "%s", "");
	snprintf(json, sizeof(json), "{\"type\":\"score\",\"engine\":\"bpf\",%s}", score);
	fixture_object(cell, json);
	snprintf(json, sizeof(json), "{\"type\":\"verdicts\",\"points\":9%s}", verdicts);
	fixture_object(cell, json);
	/* Another engine's score is not bpf's. */
	fixture_object(cell,
		       "{\"type\":\"score\",\"engine\":\"fp\",\"points\":1,\"digest\":\"z\"}");
	fixture_object(cell, "{\"type\":\"skip\",\"engine\":\"bpf\"}");
}

static void two_kernels(struct results *ret)
{
	results_init(ret);
	fixture_kernel(ret, "host", "", "", "", "ok", "", 0, 0);
	fixture_kernel(ret, "5.10", "", "", "", "ok", "", 0, 0);
}

START_TEST(test_kernels)
{
	const struct kernel_case *c = &kernel_cases[_i];
	struct results results DEINIT(results_deinit);

	two_kernels(&results);
	kernel_cell(&results, "host", c->one, c->verdicts_one);
	kernel_cell(&results, "5.10", c->two, c->verdicts_two);
	results_compare_kernels(&results);
	ck_assert_msg(
		results.compared == c->compared && results.not_comparable == c->not_comparable,
		"%s: compared %llu, not comparable %llu", c->name,
		(unsigned long long)results.compared, (unsigned long long)results.not_comparable);
	ck_assert_msg(results.cell[0].status == c->status_one, "%s: host %s", c->name,
		      results.cell[0].reason);
	ck_assert_msg(results.cell[1].status == c->status_two, "%s: 5.10 %s", c->name,
		      results.cell[1].reason);
	for (size_t i = 0; i < 2; i++) {
		json_t *verdicts = json_array_get(results.cell[i].objects, 1);
		bool failed = results.cell[i].status == CELL_FAILED;
		ck_assert_msg(json_count(verdicts, "kernel_fault") ==
				      (failed ? (json_int_t)c->points : 0),
			      "%s: verdicts of cell %zu", c->name, i);
		ck_assert_msg(json_array_size(results.cell[i].objects) == (failed ? 5 : 4),
			      "%s: finding of cell %zu", c->name, i);
	}
}
END_TEST

/* What had failed before says so still. */
START_TEST(test_a_cell_that_had_failed)
{
	struct results results DEINIT(results_deinit);

	two_kernels(&results);
	kernel_cell(&results, "host", SCORE(9, 9, "a"), "");
	kernel_cell(&results, "5.10", SCORE(9, 8, "b"), "");
	cell_set(&results.cell[1], CELL_FAILED, "walk_fault 1");
	results_compare_kernels(&results);
	ck_assert_int_eq(results.cell[1].status, CELL_FAILED);
	ck_assert_str_eq(results.cell[1].reason, "walk_fault 1; kernel_fault: bpf's stacks are not "
						 "those on host");
}
END_TEST

/* A kernel without evidence is passed over: the third is held against the first. */
static const struct {
	const char *name, *objects[2];
	enum cell_status status;
} unjudged[] = {
	{ "an_error",
	  { "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":9,\"exact\":1,\"digest\":\"c\"}",
	    "{\"type\":\"verdicts\",\"points\":9}" },
	  CELL_ERROR },
	{ "no_score", { "{\"type\":\"verdicts\",\"points\":9}" }, CELL_PASSED },
	{ "no_verdicts",
	  { "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":9,\"exact\":1,\"digest\":\"c\"}" },
	  CELL_PASSED },
	{ "a_skip", { NULL }, CELL_SKIPPED },
};

START_TEST(test_a_kernel_without_evidence)
{
	struct results results DEINIT(results_deinit);

	two_kernels(&results);
	fixture_kernel(&results, "7.2", "", "", "", "ok", "", 0, 0);
	kernel_cell(&results, "host", SCORE(9, 9, "a"), "");
	struct cell *cell = fixture_cell(&results, "5.10", "p", "gcc", "O2-fp", "c");
	cell_set(cell, unjudged[_i].status, "%s", "");
	for (int i = 0; i < 2 && unjudged[_i].objects[i]; i++)
		fixture_object(cell, unjudged[_i].objects[i]);
	kernel_cell(&results, "7.2", SCORE(9, 8, "b"), "");
	results_compare_kernels(&results);
	ck_assert_msg(results.compared == 1 && results.not_comparable == 0, "%s: %llu, %llu",
		      unjudged[_i].name, (unsigned long long)results.compared,
		      (unsigned long long)results.not_comparable);
	ck_assert_int_eq(results.cell[1].status, unjudged[_i].status);
	ck_assert_int_eq(results.cell[2].status, CELL_FAILED);
}
END_TEST

START_TEST(test_no_kernel)
{
	struct results results DEINIT(results_deinit);

	results_init(&results);
	results_compare_kernels(&results);
	ck_assert_uint_eq(results.compared + results.not_comparable, 0);
}
END_TEST

SUITE(run_kernel_fault, LOOP(test_kernels, kernel_cases), TEST(test_a_cell_that_had_failed),
      LOOP(test_a_kernel_without_evidence, unjudged), TEST(test_no_kernel))
