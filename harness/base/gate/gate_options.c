/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * gate_options.c - --strict and --coverage, for the parsers of all commands
 */
#include "base/cli/options.h"
#include "gate.h"

enum { KEY_STRICT = 0x2000, KEY_COVERAGE };

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct gate *gate = state->input;

	switch (key) {
	case KEY_STRICT: gate->strict = true; return 0;
	case KEY_COVERAGE: gate->coverage = option_percent(state, argument, "--coverage"); return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

#define STRICT                                                                                     \
	{                                                                                          \
		"strict", KEY_STRICT, NULL, 0, "what could not be checked fails", 0                \
	}

static const struct argp_option options[] = { STRICT, { 0 } };

static const struct argp_option image_options[] = {
	STRICT,
	{ "coverage", KEY_COVERAGE, "PERCENT", 0,
	  "an image of whose code a smaller share has CFI fails", 0 },
	{ 0 },
};

const struct argp gate_argp = { .options = options, .parser = parse };
const struct argp gate_image_argp = { .options = image_options, .parser = parse };
