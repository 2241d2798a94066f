/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plant_session.c - what `plant` does to an image, fault by fault
 *
 * The sessions are in transcripts/ (transcript.h).
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "transcript.h"

static const char *const names[] = { "plant", "generate" };

static const struct command commands[] = { { "plant", command_plant, "" },
					   { "generate", command_generate, "" },
					   { "table", command_table, "" },
					   { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(plant_session)
{
	return transcript_play(argc, argv, "plant_session", commands, session_is_as_written,
			       sizeof(names) / sizeof(names[0]));
}
