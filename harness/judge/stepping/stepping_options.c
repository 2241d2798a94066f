/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_options.c - the options that say how a program is stepped
 */
#include <string.h>
#include "base/cli/options.h"
#include "stepping.h"

/* Beside those of the commands, which begin at 256. */
enum {
	OPTION_ASLR = 1024,
	OPTION_BIND_NOW,
	OPTION_ESTIMATE,
	OPTION_EVERY,
	OPTION_FROM,
	OPTION_LIMIT,
	OPTION_TIMEOUT,
};

static const struct argp_option options[] = {
	{ "aslr", OPTION_ASLR, "on|off", 0,
	  "whether the program's addresses are random (default: off, so that runs repeat)", 0 },
	{ "bind-now", OPTION_BIND_NOW, NULL, 0,
	  "the dynamic loader resolves every symbol before the program begins (LD_BIND_NOW)", 0 },
	{ "estimate", OPTION_ESTIMATE, NULL, 0,
	  "say how long it would take, and what would end in a minute: the program is run once, "
	  "and "
	  "then stepped for up to 20 seconds, and nothing else is done",
	  0 },
	{ "every", OPTION_EVERY, "N", 0, "a point at every Nth instruction (default 1)", 0 },
	{ "from", OPTION_FROM, "SYMBOL", 0,
	  "from SYMBOL's first execution on; _start: from the program's entry point, the dynamic "
	  "loader unstepped; main: of a stripped program what _start hands the C library "
	  "(default: the first instruction of all)",
	  0 },
	{ "limit", OPTION_LIMIT, "POINTS", 0,
	  "end the program after so many points; what is written is then partial", 0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0, "give up after so long (default 600)", 0 },
	{ NULL },
};

static bool parse_on(struct argp_state *state, const char *text)
{
	if (strcmp(text, "on") != 0 && strcmp(text, "off") != 0)
		argp_error(state, "--aslr takes on or off, not '%s'", text);
	return !strcmp(text, "on");
}

static const char *name_of(int key)
{
	for (const struct argp_option *option = options; option->name; option++)
		if (option->key == key)
			return option->name;
	return NULL;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct stepping *stepping = state->input;
	struct tracer_options *tracer = &stepping->tracer;
	const char *name = name_of(key);

	if (name)
		stepping->given = name;
	switch (key) {
	case OPTION_ASLR: tracer->randomize = parse_on(state, argument); return 0;
	case OPTION_BIND_NOW: option_bind_now(state); return 0;
	case OPTION_ESTIMATE: stepping->estimate = true; return 0;
	case OPTION_EVERY:
		tracer->every = option_between(state, argument, "--every", 1, UINT64_MAX);
		return 0;
	case OPTION_FROM: tracer->from = option_text(state, argument, "--from"); return 0;
	case OPTION_LIMIT:
		tracer->point_limit = option_between(state, argument, "--limit", 1, UINT64_MAX);
		return 0;
	case OPTION_TIMEOUT:
		tracer->timeout_ms = option_seconds(state, argument, "--timeout");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

void stepping_hold(struct ending_signals *signals)
{
	struct error error; /* the tracer needs the same, and says it */

	ending_signals_hold(signals, &error);
}

const struct argp stepping_argp = { .options = options, .parser = parse };
