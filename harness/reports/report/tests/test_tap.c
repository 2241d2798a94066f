/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tap.c - TAP 14 to the letter: plan, directives, escapes, YAML blocks
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "plain_text.h"
#include "reports/report/results.h"
#include "results_fixture.h"

static const char expected[] = "TAP version 14\n"
			       "1..9\n"
			       "# kernel host: 6.18.1 native\n"
			       "# kernel 5.10: 5.10.0-39 tcg\n"
			       "# kernel 7.2: 7.2.12 tcg: the kernel panicked: not syncing\n"
			       "ok 1 - host: chain.gcc-12.2.0.O2-fp\n"
			       "ok 2 - host: chain.gcc-12.2.0.O2-nofp\n"
			       "ok 3 - host: panic.rustc-1.63.0.O2-nofp\n"
			       "ok 4 - 5.10: chain.gcc-12.2.0.O2-fp\n"
			       "not ok 5 - 5.10: chain.gcc-12.2.0.O2-nofp\n"
			       "  ---\n"
			       "  status: \"failed\"\n"
			       "  reason: \"walk_fault 3 <#1>\"\n"
			       "  toolchain: \"gcc-12.2.0\"\n"
			       "  variant: \"O2-nofp\"\n"
			       "  duration_ms: 500\n"
			       "  ...\n"
			       "ok 6 - 5.10: panic.rustc-1.63.0.O2-nofp # SKIP no_compiler\n"
			       "not ok 7 - 7.2: chain.gcc-12.2.0.O2-fp\n";

START_TEST(test_points)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	FIXTURE_CAPTURE(text, tap_print(&results, capture));
	text[strlen(expected)] = '\0';
	ck_assert_str_eq(text, expected);
}
END_TEST

/* A '#' in a name would begin a directive, and "# SKIP" turn a failure into a pass. */
START_TEST(test_description_is_escaped)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	cell_set(fixture_cell(&results, "host", "a # SKIP \\b", "gcc", "O0", "c"), CELL_FAILED,
		 "quote \" and\nnewline");
	FIXTURE_CAPTURE(text, tap_print(&results, capture));
	ck_assert_ptr_nonnull(strstr(text, "\nnot ok 1 - host: a \\# SKIP \\\\b.gcc.O0\n"));
	ck_assert_ptr_nonnull(strstr(text, "\n  reason: \"quote \\\" and newline\"\n"));
}
END_TEST

/* What a file of results says may be anybody's. */
START_TEST(test_control_characters_are_replaced)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	results_init(&results);
	fixture_kernel(&results, "5\033[2J", "v\033[31m", "p", "tcg", "panic", "said \033]0;x\a", 0,
		       0);
	cell_set(fixture_cell(&results, "host", "a\033[2J\2332J\xc2\x9b", "gcc\377", "O0", "c"),
		 CELL_FAILED, "escape \033[2J\377");
	FIXTURE_CAPTURE(text, tap_print(&results, capture));
	for (const char *at = text; *at; at++)
		ck_assert_msg(*at == '\n' || plain_character(at) || (*at & 0xc0) == 0x80,
			      "byte 0x%02x at %td", (unsigned char)*at, at - text);
	ck_assert_msg(strstr(text, "\nnot ok 1 - host: a?[2J?2J??.gcc?.O0\n"), "%s", text);
	/* YAML has its own escapes, and keeps what was said. */
	ck_assert_ptr_nonnull(strstr(text, "  toolchain: \"gcc\\\\xff\"\n"));
}
END_TEST

START_TEST(test_missing_cells_fail_the_plan)
{
	struct results results DEINIT(results_deinit);
	FREED char *text = NULL;

	fixture_results(&results);
	results.missing = 2;
	FIXTURE_CAPTURE(text, tap_print(&results, capture));
	ck_assert_ptr_nonnull(strstr(text, "\n1..10\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "\nnot ok 10 - the run was cut short: 2 cells are missing\n"));
}
END_TEST

SUITE(tap, TEST(test_points), TEST(test_description_is_escaped),
      TEST(test_control_characters_are_replaced), TEST(test_missing_cells_fail_the_plan))
