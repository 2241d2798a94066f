/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.c - what several commands' option parsers need
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "commands/options.h"
#include "harness.h"

uint64_t option_number(struct argp_state *state, const char *text, const char *what)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end || end == text || *text == '-')
		argp_error(state, "%s takes a whole number, not '%s'", what, text);
	return value;
}

void option_bind_now(struct argp_state *state)
{
	if (setenv("LD_BIND_NOW", "1", 1))
		argp_failure(state, EXIT_ENVIRONMENT, errno, "LD_BIND_NOW");
}

enum walk_method option_method(struct argp_state *state, const char *text)
{
	if (strcmp(text, "loop") == 0)
		return WALK_METHOD_LOOP;
	if (strcmp(text, "chain") != 0)
		argp_error(state, "--method takes loop or chain");
	return WALK_METHOD_CHAIN;
}
