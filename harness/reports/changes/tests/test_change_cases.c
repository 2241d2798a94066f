/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_change_cases.c - changes as cases for CI servers: only what was compared has passed
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cases/cases.h"
#include "changes_fixture.h"

#define SKIPPED(line) "ok 1 - host: p.gcc # SKIP not compared: " line "\n"

static const struct as_cases {
	const char *name, *before, *after, *tap;
} as_cases[] = {
	{ "what_is_better_has_passed", HEADER RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  BEFORE, "1..1\nok 1 - host: p.gcc\n" },
	{ "what_did_not_change_has_passed", BEFORE, BEFORE,
	  "1..1\nok 1 - diff: cells without a change\n" },
	{ "a_failure_that_is_skipped_now_has_not_passed",
	  HEADER RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  HEADER RESULT("p.gcc", "host", "skipped", "y") SUMMARY,
	  "1..2\n" SKIPPED(
		  "failed -> skipped: y") "ok 2 - diff: cells that were skipped # SKIP one "
					  "of the two was skipped\n" },
	{ "what_had_been_skipped_has_not_passed",
	  HEADER RESULT("p.gcc", "host", "skipped", "x") SUMMARY,
	  HEADER RESULT("p.gcc", "host", "passed", "") SUMMARY,
	  "1..2\n" SKIPPED(
		  "skipped -> passed") "ok 2 - diff: cells that were skipped # SKIP one of "
				       "the two was skipped\n" },
	{ "a_failure_that_is_gone_has_not_passed",
	  HEADER RESULT("p.gcc", "host", "failed", "x") SUMMARY,
	  HEADER RESULT("q.gcc", "host", "failed", "x") SUMMARY,
	  "1..1\n" SKIPPED("failed -> gone") },
	{ "what_did_not_change_is_told_beside_what_is_gone",
	  HEADER SCORE_BEFORE VERDICTS_BEFORE RESULT("p.gcc", "host", "passed", "")
		  RESULT("q.gcc", "host", "failed", "x") SUMMARY,
	  BEFORE,
	  "1..2\nok 1 - host: q.gcc # SKIP not compared: failed -> gone\n"
	  "ok 2 - diff: cells without a change\n" },
	{ "less_than_half_of_the_points_has_not_passed", BEFORE,
	  CELL(SCORE("\"points\":9,\"exact\":9") VERDICTS("\"points\":9")),
	  "1..1\n" SKIPPED("passed -> passed") },
	{ "what_is_worse_has_failed", BEFORE,
	  HEADER RESULT("p.gcc", "host", "skipped", "y") SUMMARY,
	  "1..2\nnot ok 1 - host: p.gcc\n  ---\n  status: \"failed\"\n"
	  "  reason: \"worse: passed -> skipped: y\"\n  duration_ms: 0\n  ...\n"
	  "ok 2 - diff: cells that were skipped # SKIP one of the two was skipped\n" },
};

START_TEST(test_cases)
{
	const struct as_cases *c = &as_cases[_i];
	struct cases cases = { 0 };
	struct pair pair;
	FREED char *text = NULL;
	size_t size;

	pair_init(&pair, c->before, c->after);
	cases_suite(&cases, "diff");
	changes_cases(&cases, &pair.changes);
	FILE *file = open_memstream(&text, &size);
	cases_print_tap(&cases, file);
	fclose(file);
	ck_assert_msg(!strncmp(text, "TAP version 14\n", 15) && !strcmp(text + 15, c->tap),
		      "%s:\n%s\nis not\n%s", c->name, text, c->tap);
	cases_deinit(&cases);
	pair_deinit(&pair);
}
END_TEST

SUITE(change_cases, LOOP(test_cases, as_cases))
