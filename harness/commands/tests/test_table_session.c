/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_session.c - all that `table`, `stat`, `prove` and `diff` say of small images
 *
 * The sessions are in transcripts/ (transcript.h). What they take is told apart by no time.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"

static const char *const names[] = { "table", "stat", "prove", "diff", "diff_dumps", "sframe" };

static const struct command commands[] = {
	{ "table", command_table, "" }, { "stat", command_stat, "" },
	{ "prove", command_prove, "" }, { "diff", command_diff, "" },
	{ "lint", command_lint, "" },	{ 0 }
};

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(table_session)
{
	return transcript_play(argc, argv, "table_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
