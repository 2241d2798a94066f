/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_interrupted_session.c - who is ended by SIGTERM or ^C meanwhile has not succeeded
 *
 * The session is in transcripts/ (transcript.h). Each program sends the signal to its tracer, and then
 * does nothing.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"

static const char *const names[] = { "interrupted" };

static const struct command commands[] = { { "witness", command_witness, "" },
					   { "step", command_step, "" },
					   { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(interrupted_session)
{
	return transcript_play(argc, argv, "interrupted_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
