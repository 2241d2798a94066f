/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* dlopen_one.c - a small frame, at the address where dlopen_two.c has a large one */
#include "dlopen.h"

FRAME long work(long (*function)(long), long value)
{
	value = function(value);
	KEEP(value);
	return value + 10;
}
