/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_session.c - what `score` says of small profiles, and of profilers that it runs
 *
 * The session is in transcripts/ (transcript.h). Its truth file is docs/TRUTH_FILE.md's example.
 * Nothing is stepped.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"

static const char *const names[] = { "score" };

static const struct command commands[] = { { "score", command_score, "" }, { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(score_session)
{
	return transcript_play(argc, argv, "score_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
