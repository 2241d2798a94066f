/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_report_session.c - all that `report` says of results that are written by hand
 *
 * The sessions are in transcripts/ (transcript.h): the matrix in each format, and what it says of
 * the toolchains, over small images whose CFI `plant` has changed; two runs side by side, and what of
 * one became worse in the other.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"
#include "transcript_terminal.h"

static const char *const names[] = { "report", "report_two", "toolchains", "diff_results" };

static const struct command commands[] = { { "report", command_report, "" },
					   { "diff", command_diff, "" },
					   { "plant", command_plant, "" },
					   { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(report_session)
{
	return transcript_play(argc, argv, "report_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
