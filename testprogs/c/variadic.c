/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * variadic.c - variable arguments, of both classes, walked by a callee
 *
 * Rule: a variadic function's prologue saves up to six integer and eight vector registers into an
 * area of 176 bytes (psABI 3.5.7), behind a branch on al that lies inside the prologue; more
 * arguments are on the stack, so the caller's CFA offset moves with its pushes.
 */
#include <stdarg.h>
#include "bare.h"

FRAME long add_all(int count, va_list arguments)
{
	double fractions = 0;
	long sum = 0;

	for (int i = 0; i < count; i++) {
		sum += va_arg(arguments, long);
		fractions += va_arg(arguments, double);
	}
	return sum + (long)fractions;
}

FRAME long add(int count, ...)
{
	va_list arguments;

	va_start(arguments, count);
	long sum = add_all(count, arguments);
	va_end(arguments);
	KEEP(sum);
	return sum;
}

/* No vector register is in use: al is 0. */
FRAME long add_integers(int count, ...)
{
	va_list arguments;
	long sum = 0;

	va_start(arguments, count);
	for (int i = 0; i < count; i++)
		sum += va_arg(arguments, long);
	va_end(arguments);
	KEEP(sum);
	return sum;
}

int run(const unsigned long *stack)
{
	long few = add(2, 1L, 0.5, 2L, 0.5);
	long many = add(9, 1L, 1.0, 2L, 2.0, 3L, 3.0, 4L, 4.0, 5L, 5.0, 6L, 6.0, 7L, 7.0, 8L, 8.0,
			9L, 9.0);
	long integers = add_integers(7, 1L, 2L, 3L, 4L, 5L, 6L, 7L);

	KEEP(few);
	return few != 4 || many != 90 || integers != 28;
}
