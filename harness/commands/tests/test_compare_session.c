/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_session.c - commands that step a program, over one of 18 instructions
 *
 * The sessions are in transcripts/ (transcript.h). The program's FDEs are right, and its first function
 * has none, so each point there is a table fault. Nothing needs a privilege but ptrace.
 */
#include "tests/suite.h"
#include "commands/commands.h"
#include "corpus/plant/tests/may_trace.h"
#include "transcript.h"
#include "transcript_terminal.h"
#include "judge/replay/replay.h"

/* The last needs BPF. */
static const char *const names[] = { "compare", "compare_sframe", "replay",
				     "step",	"truth",	  "run",
				     "witness", "score_run",	  "replay_walk" };

static const struct command commands[] = { { "compare", command_compare, "" },
					   { "corpus", command_corpus, "" },
					   { "replay", command_replay, "" },
					   { "report", command_report, "" },
					   { "run", command_run, "" },
					   { "plant", command_plant, "" },
					   { "score", command_score, "" },
					   { "step", command_step, "" },
					   { "truth", command_truth, "" },
					   { "witness", command_witness, "" },
					   { 0 } };

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

SUITE_MAIN(compare_session)
{
	size_t count = sizeof(names) / sizeof(names[0]);
	struct replayer *replayer;
	struct error error = { 0 };

	if (argc > 1 && argv[1][0] == '-')
		return transcript_main(argc, argv, commands);
	for (const struct command *command = commands; argc > 1; command++) {
		/* as `run` starts it */
		if (!command->name)
			return 126;
		if (!strcmp(command->name, argv[1]))
			return command->run(argc - 1, argv + 1);
	}
	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return EXIT_SUCCESS;
	}
	if (replayer_create(WALK_METHOD_PROBE, &replayer, &error)) {
		printf("SKIP: %s: %s\n", names[--count], error.message);
	} else {
		replayer_destroy(replayer);
	}
	return transcript_play(argc, argv, "compare_session", commands, session_is_as_written,
			       count);
}
