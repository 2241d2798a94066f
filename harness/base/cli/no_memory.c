/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_memory.c - the program's end where memory is short
 *
 * No stdio: it may want memory, too, and what it holds of an unfinished report would be written by
 * exit(3) as if it were whole.
 */
#include <unistd.h>
#include "no_memory.h"
#include "exit_status.h"

void no_memory(void)
{
	static const char text[] = "stackproof: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EXIT_ENVIRONMENT);
	_exit(EXIT_ENVIRONMENT);
}
