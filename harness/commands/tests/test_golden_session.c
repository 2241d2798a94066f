/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_session.c - all that `golden` says and writes, over a corpus of small binaries
 *
 * The sessions are in transcripts/ (transcript.h).
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"

static const char *const names[] = { "golden_check", "golden_update", "golden_findings",
				     "golden_pack" };

static const struct command commands[] = { { "golden", command_golden, "" }, { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(golden_session)
{
	return transcript_play(argc, argv, "golden_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
