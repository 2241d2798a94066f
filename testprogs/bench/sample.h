/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample.h - what the programs that `stackproof sample` runs share
 *
 * Each does one thing argv[1] times, the same thing each time: what it does depends on the round
 * only through round % SAMPLE_PERIOD. So the stacks of SAMPLE_PERIOD rounds, which can be stepped,
 * are the stacks of a million, which can be sampled. At least two digits: reading a number goes
 * round a loop, and a loop that ends in its first round has not been seen whole.
 */
#ifndef STACKPROOF_BENCH_SAMPLE_H
#define STACKPROOF_BENCH_SAMPLE_H

#include "../c/testprog.h"

#define SAMPLE_PERIOD 12

static inline long sample_number(const char *digit)
{
	long number = 0;

	for (; *digit; digit++)
		number = number * 10 + (*digit - '0');
	return number;
}

/* argv[1] as a number; 0 if there is none. */
static inline long sample_rounds(int argc, char **argv)
{
	return argc > 1 ? sample_number(argv[1]) : 0;
}

#endif
