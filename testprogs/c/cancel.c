/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cancel.c - a thread that is cancelled, or (-DEXITS) ends by pthread_exit, with clean-up handlers
 * in two frames
 *
 * Rule: both unwind the thread's stack by force (_Unwind_ForcedUnwind, Itanium C++ ABI 1.3): the C
 * library's stop function is asked at each frame, landing pads of the clean-ups run on the way and
 * go on by _Unwind_Resume, and at the end all frames are left at once. Needs -fexceptions; the
 * outermost frame's undefined return address is what ends it.
 */
#include <pthread.h>
#include "testprog.h"

static volatile int cleaned;

static FRAME void clean(void *amount)
{
	cleaned += (int)(long)amount;
}

static FRAME long ends_here(long value)
{
	KEEP(value);
#ifdef EXITS
	pthread_exit((void *)value);
#else
	pthread_cancel(pthread_self());
	pthread_testcancel();
#endif
	return -1;
}

static FRAME long inner(long value)
{
	pthread_cleanup_push(clean, (void *)1);
	value = ends_here(value);
	KEEP(value);
	pthread_cleanup_pop(0);
	return value;
}

static FRAME void *outer(void *argument)
{
	long value = (long)argument;

	pthread_cleanup_push(clean, (void *)10);
	value = inner(value);
	KEEP(value);
	pthread_cleanup_pop(0);
	return (void *)value;
}

int main(void)
{
	pthread_t thread;
	void *result;

	if (pthread_create(&thread, 0, outer, (void *)7) || pthread_join(thread, &result))
		return 1;
#ifdef EXITS
	return result != (void *)7 || cleaned != 11;
#else
	return result != PTHREAD_CANCELED || cleaned != 11;
#endif
}
