/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * trampoline.c - a nested function whose address is taken (GNU C)
 *
 * Rule: gcc writes a trampoline, `mov $function, %r11; mov $chain, %r10; jmp *%r11`, onto the
 * stack, which has to be executable. No FDE can cover it: there the table is missing, and a walk
 * must say so and not guess; from the nested function's first instruction on it is whole, since the
 * trampoline left no frame. The static chain comes in r10, which psABI 3.2.1 gives that purpose.
 */
#include "bare.h"

FRAME int apply(int (*function)(int), int value)
{
	value = function(value + 1);
	KEEP(value);
	return value + 1;
}

FRAME int outer(int base)
{
	int calls = 0;

	__attribute__((noinline)) int add(int value)
	{
		calls++;
		KEEP(value);
		return value + base;
	}
	int sum = apply(add, 1) + apply(add, 10);

	KEEP(sum);
	return sum * 10 + calls;
}

/* (2 + 100 + 1 + 11 + 100 + 1) * 10 + 2 */
int run(const unsigned long *stack)
{
	return outer(100) - 2152;
}
