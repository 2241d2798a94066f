/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * constructor_thread.c - a thread that is older than the program's entry
 *
 * With -DLIBRARY a shared library: its constructor makes a thread and waits until that has called a while in
 * libraries that the loader mapped before. The program lets the thread go on, and joins it.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

pthread_t early_thread;
extern sem_t entered;

#define BEFORE 2 /* calls before the entry, and as many behind it */

#ifdef LIBRARY
sem_t entered;
static sem_t called;

static int compare(const void *left, const void *right)
{
	return *(const char *)left - *(const char *)right;
}

static void *call(void *unused)
{
	char text[] = "a thread that a constructor made";

	for (int i = 0; i < 2 * BEFORE; i++) {
		if (i == BEFORE) {
			sem_post(&called);
			sem_wait(&entered);
		}
		qsort(text, strlen(text), 1, compare);
	}
	return unused;
}

__attribute__((constructor)) static void begin(void)
{
	if (sem_init(&entered, 0, 0) || sem_init(&called, 0, 0) ||
	    pthread_create(&early_thread, NULL, call, NULL))
		abort();
	sem_wait(&called);
}
#else
int main(void)
{
	return sem_post(&entered) || pthread_join(early_thread, NULL);
}
#endif
