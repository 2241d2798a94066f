/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * calls.c - work of which a good part is calls: `bench emulator_stacks` runs it in a guest
 *
 *	calls ROUNDS
 *
 * A round is a recursion, a loop without calls, a sort by libc that calls back, and numbers as text: some 220 million
 * instructions. Prints a sum and the seconds of CPU time that the rounds took.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NUMBERS 200000
#define TEXTS	20000

static int compare(const void *a, const void *b)
{
	int one = *(const int *)a, other = *(const int *)b;

	return (one > other) - (one < other);
}

static __attribute__((noinline)) unsigned long fibonacci(int n)
{
	return n < 2 ? (unsigned long)n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __attribute__((noinline)) unsigned long scramble(unsigned long value)
{
	for (int i = 0; i < 40; i++)
		value = (value >> 1) ^ (-(value & 1) & 0xedb88320ul);
	return value;
}

static unsigned long run_round(int *number, unsigned long sum)
{
	char text[64];

	sum += fibonacci(30);
	for (int i = 0; i < NUMBERS; i++)
		number[i] = (int)(scramble(i + sum) & 0x7fffffff);
	qsort(number, NUMBERS, sizeof(number[0]), compare);
	for (int i = 0; i < TEXTS; i++)
		sum += (unsigned long)snprintf(text, sizeof(text), "%d %s %x", number[i], "text",
					       i);
	return sum + (unsigned long)number[NUMBERS / 2];
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	int *number = malloc(NUMBERS * sizeof(number[0]));
	unsigned long sum = 0;
	struct timespec begin, end;

	if (!number)
		return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (int i = 0; i < rounds; i++)
		sum = run_round(number, sum);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	printf("%lu %.6f\n", sum,
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
	return 0;
}
