/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* sample_library.c - what sample_processes.c loads and unloads: a frame between two of the program's */
#include "../c/testprog.h"

FRAME long library_call(long (*function)(long), long value)
{
	volatile long frame[9] = { value };

	value = function(frame[0] + 1);
	KEEP(value);
	return value + frame[0];
}
