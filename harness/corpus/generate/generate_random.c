/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate_random.c - the random numbers of generated programs
 *
 * SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA
 * 2014): a counter of 64 bits, its step odd, each value scrambled by two multiplications. The
 * constants are theirs (their "mix variant 13"). A C library's rand() differs from one library to
 * the next; a seed must give the same program everywhere and for ever. test_generate.c has the
 * first numbers.
 *
 * A purpose's text is mixed into the seed, so that a choice added to one purpose leaves the
 * others' numbers as they were.
 */
#include "generate.h"

static uint64_t scramble(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
	value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
	return value ^ (value >> 31);
}

uint64_t random_next(struct random *random)
{
	random->state += 0x9e3779b97f4a7c15;
	return scramble(random->state);
}

void random_init(struct random *random, uint64_t seed, const char *purpose)
{
	random->state = seed;
	for (; *purpose; purpose++)
		random->state = random_next(random) ^ (unsigned char)*purpose;
}

/* The upper half of a product: bound / 2^32 is the bias, which nothing here feels. */
unsigned int random_below(struct random *random, unsigned int bound)
{
	return (unsigned int)((random_next(random) >> 32) * bound >> 32);
}

unsigned int random_between(struct random *random, unsigned int first, unsigned int last)
{
	return first + random_below(random, last - first + 1);
}

bool random_chance(struct random *random, unsigned int percent)
{
	return random_below(random, 100) < percent;
}
