/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_options.c - the options that say how a program is stepped
 */
#include <string.h>
#include "base/cli/options.h"
#include "stepping.h"

/* Beside those of the commands, which begin at 256. */
enum { OPTION_ASLR = 1024, OPTION_BIND_NOW };

static const struct argp_option options[] = {
	{ "aslr", OPTION_ASLR, "on|off", 0,
	  "whether the program's addresses are random (default: off, so that runs repeat)", 0 },
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "estimate", INTO_FLAG(stepping, estimate), NULL, 0,
	  "say how long it would take, and what would end in a minute: the program is run once, "
	  "and "
	  "then stepped for up to 20 seconds, and nothing else is done",
	  0 },
	{ "every", INTO_COUNT64(stepping, tracer.every), "N", 0,
	  "a point at every Nth instruction (default 1)", 0 },
	{ "from", INTO_TEXT(stepping, tracer.from), "SYMBOL", 0,
	  "from SYMBOL's first execution on; _start: from the program's entry point, the dynamic "
	  "loader unstepped; main: of a stripped program what _start hands the C library "
	  "(default: the first instruction of all)",
	  0 },
	{ "limit", INTO_COUNT64(stepping, tracer.point_limit), "POINTS", 0,
	  "end the program after so many points; what is written is then partial", 0 },
	{ "timeout", INTO_SECONDS(stepping, tracer.timeout_ms), "SECONDS", 0,
	  "give up after so long (default 600)", 0 },
	{ NULL },
};

static bool parse_on(struct argp_state *state, const char *text)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		argp_error(state, "--aslr takes on or off, not '%s'", text);
	return !strcmp(text, "on");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct stepping *stepping = state->input;
	struct tracer_options *tracer = &stepping->tracer;
	const char *name = option_name(options, key);

	if (name)
		stepping->given = name;
	switch (key) {
	case OPTION_ASLR: tracer->randomize = parse_on(state, argument); return 0;
	case OPTION_BIND_NOW: option_bind_now(state); return 0;
	default: return option_into(key, argument, state, options);
	}
}

void stepping_hold(struct ending_signals *signals)
{
	struct error error; /* the tracer needs the same, and says it */

	ending_signals_hold(signals, &error);
}

const struct argp stepping_argp = { .options = options, .parser = parse };
