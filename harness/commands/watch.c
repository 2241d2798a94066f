/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch.c - `stackproof watch`: a program under the witness outside of the guest
 *
 *	stackproof vm -k 6.12 --plugin watch,out=truth.json -- stackproof watch -- COMMAND
 *
 * The command and all that it makes run as they are: nobody steps them. The emulator's plugin has their true stacks. The
 * exit status is the command's.
 */
#include <argp.h>
#include <stdio.h>
#include <sys/wait.h>
#include "base/cli/command_line.h"
#include "base/cli/exit_status.h"
#include "commands.h"
#include "truth/emulator/guest_agent.h"

#define SIGNAL_STATUS 128 /* a shell's, for a command that a signal ended */

static error_t parse(int key, char *argument, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_ARGS: *(char ***)state->input = state->argv + state->next; return 0;
	case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

int command_watch(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "-- COMMAND [ARGS]",
		.doc = "Inside of a guest of `stackproof vm --plugin watch`: runs a command so "
		       "that the plugin "
		       "has the true stacks of all its threads and processes, from their first "
		       "instruction on.",
	};
	char **command = NULL;
	struct error error = { 0 };
	int status;

	command_parse(&argp, argc, argv, ARGP_IN_ORDER, &command);
	if (guest_agent_run(command, &status, &error)) {
		error_print(stderr, "stackproof watch", &error);
		return error.code == ERROR_UNAVAILABLE ? EXIT_SKIPPED : EXIT_ENVIRONMENT;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_STATUS + WTERMSIG(status);
}
