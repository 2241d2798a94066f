/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * split_threads.c - -fsplit-stack, with threads beside
 *
 * Rule: __morestack goes to another stack in the middle of a function's prologue and calls on there; what
 * one thread gives back another may get. Its own CFI leaves a frame out, on purpose.
 */
#include <pthread.h>
#include <string.h>
#include "../c/testprog.h"

#define FRAME_BYTES 3000
#define THREADS	    2

static FRAME long deep(long depth)
{
	char local[FRAME_BYTES];
	long below = 0;

	KEEP_MEMORY(local);
	if (depth)
		below = deep(depth - 1);
	KEEP(below);
	return below + 1;
}

static void *in_thread(void *depth)
{
	return (void *)deep((long)depth);
}

int main(void)
{
	pthread_t thread[THREADS];
	long wrong = deep(5) != 6;

	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, in_thread, (void *)(4 + i)))
			return 1;
	for (long i = 0; i < THREADS; i++) {
		void *depth;

		pthread_join(thread[i], &depth);
		wrong += (long)depth != 5 + i;
	}
	return wrong != 0;
}
