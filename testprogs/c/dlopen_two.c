/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* dlopen_two.c - a large frame, at the address where dlopen_one.c has a small one */
#include "dlopen.h"

FRAME long work(long (*function)(long), long value)
{
	long array[40];
	long *pointer = array;

	KEEP_MEMORY(pointer);
	pointer[7] = function(value);
	KEEP_MEMORY(pointer);
	return pointer[7] + 20;
}
