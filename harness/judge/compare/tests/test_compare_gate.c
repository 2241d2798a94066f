/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_gate.c - what a comparison's counts say of its success, and its ending in words
 *
 * test_compare_require.c has requirements, test_compare_thin.c what proves little.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "judge/compare/compare.h"

/* ---- in words ---------------------------------------------------------------------------- */

static const struct {
	enum tracer_ending ending;
	int status;
	const char *text;
} endings[] = {
	{ TRACER_ENDED, 0, "exited with status 0" },
	{ TRACER_ENDED, 0x300, "exited with status 3" },
	{ TRACER_ENDED, 0xff00, "exited with status 255" },
	{ TRACER_ENDED, SIGSEGV, "was ended by SIGSEGV (Segmentation fault)" },
	{ TRACER_ENDED, SIGSEGV | 0x80, "was ended by SIGSEGV (Segmentation fault)" },
	{ TRACER_ENDED, 40, "was ended by signal 40" },
	{ TRACER_KILLED, SIGKILL, "was ended by SIGKILL (Killed)" },
	{ TRACER_LIMIT, SIGKILL, "was ended after so many points (--limit)" },
	{ TRACER_TIMEOUT, SIGKILL, "did not come to its end" },
	{ TRACER_INTERRUPTED, SIGKILL, "did not come to its end" },
	{ TRACER_FAILED, 0, "did not come to its end" },
};

START_TEST(endings_in_words)
{
	const struct comparison comparison = { .status = endings[_i].status,
					       .cut.ending = endings[_i].ending };
	char text[128];

	compare_ending_text(&comparison, text, sizeof(text));
	ck_assert_str_eq(text, endings[_i].text);
	compare_ending_text(&comparison, text, 5);
	ck_assert_uint_eq(strlen(text), 4);
}
END_TEST

/* ---- the gate ---------------------------------------------------------------------------- */

#define EXACT(number)	   [VERDICT_EXACT] = (number)
#define UNPROVEN(number)   [VERDICT_UNPROVEN] = (number)
#define FLAGGED(number)	   [VERDICT_CONVERSION_LOSS_FLAGGED] = (number)
#define FAULTS(number)	   [VERDICT_TABLE_FAULT] = (number)
#define ABSENT(number)	   [VERDICT_ABSENT] = (number)
#define WALK_FAULT(number) [VERDICT_WALK_FAULT] = (number)

#define VERDICTS(...) .verdict = { __VA_ARGS__ }
#define IGNORED(...)  .ignored = { __VA_ARGS__ }
#define SILENT(...)   .silent = { __VA_ARGS__ }
#define SKIPPED(...)  .skipped = { __VA_ARGS__ }

static const struct gate_case {
	const char *name;
	uint64_t points, verdict[VERDICT_COUNT], ignored[VERDICT_COUNT];
	uint64_t silent[2]; /* of each engine */
	uint64_t unread, untraced;
	bool skipped[2], strict;
	enum tracer_ending ending;
	int status;
	uint64_t checked, findings, ignored_points;
} gates[] = {
	{ "all_exact", 10, VERDICTS(EXACT(10)), .checked = 10 },
	{ "nothing", 0, .status = EXIT_SKIPPED },
	{ "what_nobody_is_at_fault_for", 10, VERDICTS(EXACT(5), FLAGGED(2), ABSENT(1), UNPROVEN(2)),
	  .checked = 8 },
	{ "no_more_than_all_are_unproven", 2, VERDICTS(UNPROVEN(3)), .findings = 1,
	  .status = EXIT_FINDINGS },
	{ "a_fault", 10, VERDICTS(EXACT(9), FAULTS(1)), .checked = 10, .findings = 1,
	  .status = EXIT_FINDINGS },
	{ "another_fault", 10, VERDICTS(EXACT(9), WALK_FAULT(1)), .checked = 10, .findings = 1,
	  .status = EXIT_FINDINGS },
	{ "all_faults_are_ignored", 10, VERDICTS(EXACT(7), FAULTS(2), WALK_FAULT(1)),
	  IGNORED(FAULTS(2), WALK_FAULT(1)), .checked = 10, .ignored_points = 3 },
	{ "one_is_not", 10, VERDICTS(EXACT(7), FAULTS(2), WALK_FAULT(1)), IGNORED(FAULTS(2)),
	  .checked = 10, .ignored_points = 2, .findings = 1, .status = EXIT_FINDINGS },
	/* What is flagged is no fault: that it is ignored takes none away. */
	{ "an_ignored_loss_excuses_no_fault", 10, VERDICTS(EXACT(7), FLAGGED(1), FAULTS(2)),
	  IGNORED(FLAGGED(1), FAULTS(1)), .checked = 10, .ignored_points = 2, .findings = 1,
	  .status = EXIT_FINDINGS },
	{ "the_first_engine_was_silent", 10, VERDICTS(EXACT(10)), SILENT(1, 0), .checked = 10,
	  .findings = 1, .status = EXIT_FINDINGS },
	{ "the_last_engine_was_silent", 10, VERDICTS(EXACT(10)), SILENT(0, 1), .checked = 10,
	  .findings = 1, .status = EXIT_FINDINGS },
	{ "an_engine_was_skipped", 10, VERDICTS(EXACT(10)), SKIPPED(false, true), .checked = 10 },
	{ "which_fails_if_that_is_asked_for", 10, VERDICTS(EXACT(10)), SKIPPED(true, false),
	  .strict = true, .checked = 10, .status = EXIT_FINDINGS },
	{ "all_were_skipped", 10, VERDICTS(EXACT(8), FAULTS(2)), SKIPPED(true, true),
	  .status = EXIT_SKIPPED },
	{ "threads_that_nobody_saw", 10, VERDICTS(EXACT(10)), .untraced = 2, .checked = 10 },
	{ "which_fail_if_that_is_asked_for", 10, VERDICTS(EXACT(10)), .untraced = 2, .strict = true,
	  .checked = 10, .status = EXIT_FINDINGS },
	{ "points_that_could_not_be_read", 10, VERDICTS(EXACT(10)), .unread = 3, .checked = 10 },
	/* Of a run that was cut short nothing is final. */
	{ "a_fault_of_half_a_run", 10, VERDICTS(EXACT(9), FAULTS(1)), .ending = TRACER_TIMEOUT,
	  .checked = 10, .status = EXIT_ENVIRONMENT },
	{ "of_one_that_was_killed", 10, VERDICTS(EXACT(9), FAULTS(1)), .ending = TRACER_KILLED,
	  .checked = 10, .status = EXIT_ENVIRONMENT },
	{ "a_silent_engine_of_half_a_run", 10, VERDICTS(EXACT(10)), SILENT(1, 1),
	  .ending = TRACER_INTERRUPTED, .checked = 10, .status = EXIT_ENVIRONMENT },
	{ "half_a_run_that_skipped_all", 10, VERDICTS(EXACT(10)), SKIPPED(true, true),
	  .ending = TRACER_FAILED, .status = EXIT_ENVIRONMENT },
	{ "as_many_points_as_were_asked_for", 10, VERDICTS(EXACT(9), FAULTS(1)),
	  .ending = TRACER_LIMIT, .checked = 10, .findings = 1, .status = EXIT_FINDINGS },
};

START_TEST(counts_make_a_status)
{
	const struct gate_case *c = &gates[_i];
	static struct comparison comparison;
	struct gate gate;

	memset(&comparison, 0, sizeof(comparison));
	comparison.points = c->points;
	comparison.engine_count = 2;
	for (int i = 0; i < 2; i++) {
		comparison.engine[i].skipped = c->skipped[i];
		comparison.engine[i].score.silent = c->silent[i];
	}
	memcpy(comparison.verdict, c->verdict, sizeof(c->verdict));
	memcpy(comparison.ignored, c->ignored, sizeof(c->ignored));
	comparison.truth.max_frames = 2;
	comparison.truth.untraced = c->untraced;
	comparison.unread = c->unread;
	comparison.strict = c->strict;
	comparison.cut.ending = c->ending;
	comparison_gate(&comparison, &gate);
	ck_assert_msg((int)gate_status(&gate) == c->status, "%s: %d", c->name, gate_status(&gate));
	ck_assert_msg(gate.checked == c->checked && gate.findings == c->findings,
		      "%s: %lu checked, %lu findings", c->name, (unsigned long)gate.checked,
		      (unsigned long)gate.findings);
	ck_assert_str_eq(gate.unit, "points");
	ck_assert_int_eq(gate.strict, c->strict);
	ck_assert_uint_eq(comparison_ignored(&comparison), c->ignored_points);
	ck_assert_uint_eq(gate.left[GATE_IGNORED], c->ignored_points);
	ck_assert_uint_eq(gate.left[GATE_ENGINES], c->skipped[0] + c->skipped[1]);
	ck_assert_uint_eq(gate.left[GATE_UNPROVEN], c->verdict[VERDICT_UNPROVEN]);
	ck_assert_uint_eq(gate.left[GATE_LOST_POINTS], c->unread);
	ck_assert_uint_eq(gate.left[GATE_UNTRACED], c->untraced);
}
END_TEST

START_TEST(points_in_a_second)
{
	const struct comparison comparison = { .points = 10, .elapsed_ns = _i ? 4000000000ull : 0 };

	ck_assert_double_eq(compare_points_per_second(&comparison), _i ? 2.5 : 0);
}
END_TEST

SUITE(compare_gate, LOOP(endings_in_words, endings), LOOP(counts_make_a_status, gates),
      TIMES(points_in_a_second, 2))
