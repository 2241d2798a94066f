/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_session.c - commands that follow code which nobody runs, or that hold it against a run, over small images
 *
 * The sessions are in transcripts/ (transcript.h).
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"
#include "transcript_terminal.h"

static const char *const names[] = { "lint", "synthesize", "archives", "executed" };

static const struct command commands[] = { { "cc", command_cc, "" },
					   { "lint", command_lint, "" },
					   { "executed", command_executed, "" },
					   { "plant", command_plant, "" },
					   { "prove", command_prove, "" },
					   { "stat", command_stat, "" },
					   { "synthesize", command_synthesize, "" },
					   { "table", command_table, "" },
					   { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(lint_session)
{
	return transcript_play(argc, argv, "lint_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
