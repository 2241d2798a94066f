/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_options.c - the options that say which processes are stepped, and how much they are disturbed
 */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "base/cli/options.h"
#include "attach_options.h"
#include "proc_file.h"
#include "stepping.h"
#include "walk/address_space.h"

/* Beside those of stepping_options.c. */
enum { OPTION_PID = 1100, OPTION_SHARE, OPTION_STOP };

#define BURST_STEPS 1000
#define BURST_MS    20
#define SHARE	    50	/* per mille */
#define SHARE_MAX   900 /* a process must come to something */
#define STOP_MAX    1000
#define DURATION_MS 10000

static const struct argp_option options[] = {
	{ "pid", OPTION_PID, "PID", 0,
	  "attach to a process that runs, step one of its threads in short bursts, and let it go",
	  0 },
	{ "burst", INTO_COUNT64(attach_options, attach.burst_steps), "STEPS", 0,
	  "of --pid: steps of a burst, at most (default 1000); of PROGRAM with --children: in "
	  "bursts, and not whole",
	  0 },
	{ "children", INTO_FLAG(attach_options, attach.children), NULL, 0,
	  "the processes that it makes, too, and theirs, each with its own results: of --pid, in "
	  "bursts; or of PROGRAM, each from its first instruction",
	  0 },
	{ "duration", INTO_SECONDS(attach_options, attach.duration_ms), "SECONDS", 0,
	  "of --pid: let it go after so long (default 10); of PROGRAM with --children: end it", 0 },
	{ "only", INTO_TEXT(attach_options, attach.only), "NAME", 0,
	  "of --pid and --children: step only processes whose file or whose own name is NAME; the "
	  "others run, and what they make is met",
	  0 },
	{ "share", OPTION_SHARE, "PERMILLE", 0,
	  "in bursts: of the time, what a thread is stopped at most (default 50: 50 ms of a "
	  "second)",
	  0 },
	{ "stop", OPTION_STOP, "MILLISECONDS", 0,
	  "in bursts: a burst ends after so long, whatever it has come to (default 20)", 0 },
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
	if (proc_link_read(process_living_thread(attach->attach.pid), "exe", attach->program,
			   sizeof(attach->program)) <= 0)
		snprintf(attach->program, sizeof(attach->program), "process %d",
			 attach->attach.pid);
}

/* A program is stepped whole unless a burst's measures are named; a process that runs never is. */
static void choose_bursts(struct tracer_attach *attach)
{
	attach->whole = !attach->pid && !attach->burst_steps && !attach->burst_ms && !attach->share;
	attach->burst_steps = attach->burst_steps ?: BURST_STEPS;
	attach->burst_ms = attach->burst_ms ?: BURST_MS;
	attach->share = attach->share ?: SHARE;
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
	choose_bursts(&attach->attach);
	if (attach->attach.whole && !estimates)
		return;
	if (estimates)
		argp_error(state, "--estimate is of one program that is stepped alone");
	if (tracer->from || tracer->randomize)
		argp_error(state, "--%s is for what is stepped whole, not in bursts",
			   tracer->from ? "from" : "aslr");
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
