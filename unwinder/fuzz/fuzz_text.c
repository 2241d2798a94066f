/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_text.c - bytes as a saved table (docs/TABLE_TEXT.md)
 *
 * Goldens are merged and edited by hand. What is read must be written again as it was; anything
 * else is an error with the number of a line. The first line is added here where it is missing,
 * since nothing else is looked at without it.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

#define FIRST_LINE "stackproof table text 1\n"

int fuzz_text(const uint8_t *data, size_t size)
{
	size_t first = strlen(FIRST_LINE);
	char *text = malloc(first + size);

	if (!text)
		abort();
	if (size >= 10 && !memcmp(data, FIRST_LINE, 10))
		first = 0;
	memcpy(text, FIRST_LINE, first);
	if (size)
		memcpy(text + first, data, size);
	fuzz_check_text(text, first + size, false);
	free(text);
	return 0;
}
