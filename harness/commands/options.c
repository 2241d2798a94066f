/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * options.c - what several commands' option parsers need
 */
#include <errno.h>
#include <stdlib.h>
#include "commands/options.h"

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
