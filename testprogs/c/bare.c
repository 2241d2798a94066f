/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bare.c - a call chain for flags that change every function, or leave .eh_frame out
 *
 * Rule: what a flag adds to a function's beginning or end (nops for -fpatchable-function-entry,
 * calls for -finstrument-functions) moves the CFI with it; a first PC may lie behind nops that
 * belong to the function. With -fno-asynchronous-unwind-tables -g only .debug_frame is left, which
 * lightswitch does not read.
 */
#include "bare.h"

static volatile int sink;

FRAME __attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function,
									    void *site);
FRAME __attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function,
									   void *site);

void __cyg_profile_func_enter(void *function, void *site)
{
	sink++;
}

void __cyg_profile_func_exit(void *function, void *site)
{
	sink--;
}

FRAME int top(int value)
{
	sink = value;
	return value + 1;
}

FRAME int middle(int value)
{
	return top(value + 1) * 2 + top(value);
}

FRAME int bottom(int value)
{
	int array[40];

	for (int i = 0; i < 4; i++)
		array[i * 10] = middle(value + i);
	return array[0] + array[10] + array[20] + array[30];
}

/* The sum over value 1 to 4 of 2 * (value + 2) + value + 1 */
int run(const unsigned long *stack)
{
	return bottom(1) - 50;
}
