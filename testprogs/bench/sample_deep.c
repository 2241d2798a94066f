/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_deep.c - up to 300 frames and back, again and again
 *
 * For `stackproof sample` (sample.h says why rounds are all alike). Three functions that call each
 * other, with frames of different shape, so that no two neighbours are alike.
 */
#include <alloca.h>
#include "sample.h"

#define DEPTH 300

static FRAME long bottom(long value)
{
	for (int i = 0; i < 300; i++) {
		value = value * 31 + i;
		KEEP(value);
	}
	return value;
}

static long plain(int depth, long value);

static FRAME long on_the_stack(int depth, long value)
{
	size_t size = 16 + (depth & 3) * 16;
	char *bytes = alloca(size);

	KEEP(size);
	bytes[size - 1] = (char)value;
	KEEP_MEMORY(bytes);
	value = plain(depth - 1, value);
	KEEP(value);
	return value + bytes[size - 1];
}

static FRAME long many_values(int depth, long value, long a, long b, long c)
{
	a += value;
	b += a;
	c += b;
	KEEP(a);
	KEEP(b);
	KEEP(c);
	value = on_the_stack(depth - 1, value);
	KEEP(value);
	return value + a + b + c;
}

static FRAME long plain(int depth, long value)
{
	value = depth > 2 ? many_values(depth - 1, value, 1, 2, 3) : bottom(value);
	KEEP(value);
	return value + depth;
}

int main(int argc, char **argv)
{
	long rounds = sample_rounds(argc, argv);

	for (long round = 0; round < rounds; round++) {
		long value = plain(DEPTH, round % SAMPLE_PERIOD);

		KEEP(value);
	}
	return !rounds;
}
