/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_options.c - the options that say which processes are stepped, and how much they are disturbed
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "base/cli/options.h"
#include "attach_options.h"
#include "stepping.h"

/* Beside those of stepping_options.c. */
enum { OPTION_PID = 1100, OPTION_SHARE, OPTION_STOP };

#define SHARE_MAX   900 /* per mille: a process must come to something */
#define STOP_MAX    1000
#define DURATION_MS 10000

static const struct argp_option options[] = {
	{ "pid", OPTION_PID, "PID", 0,
	  "attach to a process that runs, step one of its threads in short bursts, and let it go",
	  0 },
	{ "burst", INTO_COUNT64(attach_options, attach.burst_steps), "STEPS", 0,
	  "of --pid and --children: steps of a burst, at most (default 1000)", 0 },
	{ "children", INTO_FLAG(attach_options, attach.children), NULL, 0,
	  "the processes that it makes, too, and theirs, each with its own results: of --pid, or "
	  "of "
	  "PROGRAM, which then is stepped in bursts as well",
	  0 },
	{ "duration", INTO_SECONDS(attach_options, attach.duration_ms), "SECONDS", 0,
	  "of --pid: let it go after so long (default 10); of PROGRAM with --children: end it", 0 },
	{ "only", INTO_TEXT(attach_options, attach.only), "NAME", 0,
	  "of --pid and --children: of these processes those whose file or whose own name is NAME",
	  0 },
	{ "share", OPTION_SHARE, "PERMILLE", 0,
	  "of --pid and --children: of the time, what a thread is stopped at most (default 50: 50 "
	  "ms of a second)",
	  0 },
	{ "stop", OPTION_STOP, "MILLISECONDS", 0,
	  "of --pid and --children: a burst ends after so long, whatever it has come to (default "
	  "20)",
	  0 },
	{ NULL },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct attach_options *input = state->input;
	const char *name = option_name(options, key);

	if (name && key != OPTION_PID)
		input->given = name;
	switch (key) {
	case OPTION_PID:
		input->attach.pid = (pid_t)option_between(state, argument, "--pid", 1, INT_MAX);
		return 0;
	case OPTION_SHARE:
		input->attach.share = (unsigned)option_between(state, argument, "--share", 1,
							       SHARE_MAX);
		return 0;
	case OPTION_STOP:
		input->attach.burst_ms = (unsigned)option_between(state, argument, "--stop", 1,
								  STOP_MAX);
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

const struct argp attach_argp = { .options = options, .parser = parse };

/* What the results are named by. */
static void name_program(struct attach_options *attach)
{
	char path[64];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/exe", attach->attach.pid);
	size = readlink(path, attach->program, sizeof(attach->program) - 1);
	if (size > 0)
		attach->program[size] = '\0';
	else
		snprintf(attach->program, sizeof(attach->program), "process %d",
			 attach->attach.pid);
}

void attach_options_apply(struct argp_state *state, struct attach_options *attach, bool estimates,
			  struct tracer_options *tracer)
{
	const struct tracer_options fresh = STEPPING_TRACER;

	if (!attach->attach.pid && !attach->attach.children && attach->given)
		argp_error(state, "--%s is for --pid or --children", attach->given);
	if (!attach->attach.pid && !attach->attach.children)
		return;
	tracer->attach = &attach->attach;
	if (tracer->from || tracer->randomize || estimates)
		argp_error(state, "--%s is for one program that is stepped whole",
			   tracer->from	       ? "from"
			   : tracer->randomize ? "aslr"
					       : "estimate");
	if (!attach->attach.pid)
		return;
	if (!attach->attach.duration_ms)
		attach->attach.duration_ms = DURATION_MS;
	if (tracer->timeout_ms == fresh.timeout_ms)
		tracer->timeout_ms = 0; /* it has a --duration */
	name_program(attach);
	attach->argv[0] = attach->program;
	tracer->argv = attach->argv;
}
