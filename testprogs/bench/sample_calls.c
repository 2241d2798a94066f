/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_calls.c - calls of every kind, for ever: direct, through pointers, recursive, by the C
 * library's qsort, on frames of different shape, in tail position
 *
 * For `stackproof sample` (sample.h says why rounds are all alike).
 */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"

#define NUMBERS 24

static FRAME long leaf(long value)
{
	for (int i = 0; i < 40; i++) {
		value = value * 31 + i;
		KEEP(value);
	}
	return value;
}

static FRAME long tail(long value)
{
	return leaf(value + 1);
}

/* The size is not known to the compiler: the CFA hangs on rbp. */
static FRAME long on_the_stack(long value)
{
	size_t size = 64 + (value & 7) * 16;
	char *bytes = alloca(size);

	KEEP(size);
	memset(bytes, (int)value, size);
	KEEP_MEMORY(bytes);
	value = tail(bytes[size / 2]);
	KEEP(value);
	return value;
}

/* More values alive over calls than there are registers that survive them. */
static FRAME long many_values(long value)
{
	long a = leaf(value), b = leaf(value + 1), c = leaf(value + 2), d = leaf(value + 3);
	long e = leaf(a), f = leaf(b), g = leaf(c), h = on_the_stack(d);

	return a + b + c + d + e + f + g + h;
}

static FRAME long recursive(long depth, long value)
{
	if (!depth)
		return many_values(value);
	value = recursive(depth - 1, value + depth);
	KEEP(value);
	return value + depth;
}

static FRAME int compare_numbers(const void *left, const void *right)
{
	long a = *(const long *)left, b = *(const long *)right;

	a = tail(a) ? a : -a;
	KEEP(a);
	return (a > b) - (a < b);
}

static FRAME long sorted(long value)
{
	long number[NUMBERS];

	for (int i = 0; i < NUMBERS; i++)
		number[i] = (i * 7 + value) % NUMBERS;
	qsort(number, NUMBERS, sizeof(number[0]), compare_numbers);
	return number[0];
}

static FRAME long five_deep(long value)
{
	value = recursive(5, value);
	KEEP(value);
	return value;
}

int main(int argc, char **argv)
{
	static long (*const call[])(long) = { leaf, tail, on_the_stack, many_values, five_deep,
					      sorted };
	long rounds = sample_rounds(argc, argv), sum = 0;

	for (long round = 0; round < rounds; round++) {
		long value = call[round % 6](round % SAMPLE_PERIOD);

		KEEP(value);
		sum += value & 1;
	}
	return !rounds || sum < 0;
}
