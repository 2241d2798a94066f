/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_threads.c - three threads that each do the same, without a lock between them
 *
 * For `stackproof sample` (sample.h says why rounds are all alike). A thread's samples come from
 * an event that it inherits. The first thread does the least and is joined first: the others are
 * still at work then, stepped or free, so joining waits in both.
 */
#include <pthread.h>
#include "sample.h"

#define THREADS 3

struct work {
	long rounds, sum;
};

static FRAME long top(long value)
{
	for (int i = 0; i < 60; i++) {
		value = value * 31 + i;
		KEEP(value);
	}
	return value;
}

static FRAME long middle(long depth, long value)
{
	value = depth ? middle(depth - 1, value + 1) : top(value);
	KEEP(value);
	return value;
}

static FRAME void *worker(void *argument)
{
	struct work *work = argument;

	for (long round = 0; round < work->rounds; round++) {
		long value = middle(round % SAMPLE_PERIOD, round);

		KEEP(value);
		work->sum += value;
	}
	return work;
}

int main(int argc, char **argv)
{
	long rounds = sample_rounds(argc, argv);
	struct work work[THREADS] = { { 0, 0 } };
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++) {
		work[i].rounds = rounds * (i + 1);
		if (pthread_create(&thread[i], 0, worker, &work[i]))
			return 1;
	}
	for (int i = 0; i < THREADS; i++)
		if (pthread_join(thread[i], 0))
			return 1;
	return !rounds;
}
