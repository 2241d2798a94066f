/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * threads.c - three threads with a chain each, joined in order
 *
 * Rules: a thread's outermost frame is the C library's clone3 wrapper (undefined return address),
 * its stack is a mapping of its own, and its truth begins at its first instruction, not at main.
 */
#include <pthread.h>
#include "testprog.h"

#define THREADS 3

static FRAME long top(long depth)
{
	KEEP(depth);
	return depth + 1;
}

static FRAME long b1(long depth)
{
	depth = top(depth + 1);
	KEEP(depth);
	return depth;
}

static FRAME void *worker(void *argument)
{
	long depth = b1((long)argument + 1);

	KEEP(depth);
	return (void *)depth;
}

int main(void)
{
	pthread_t thread[THREADS];
	long sum = 0;

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], 0, worker, (void *)(i * 10)))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		void *depth;

		if (pthread_join(thread[i], &depth))
			return 1;
		sum += (long)depth;
	}
	return sum != 3 + 13 + 23;
}
