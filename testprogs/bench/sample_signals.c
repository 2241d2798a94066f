/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_signals.c - signal handlers without end: one in another, on the thread's stack and on one
 * of their own
 *
 * For `stackproof sample` (sample.h says why rounds are all alike). raise(3) delivers at the same
 * instruction each time, which no timer does.
 */
#include <signal.h>
#include "sample.h"

#define WORK	    100
#define STACK_BYTES 65536

static volatile sig_atomic_t inner_calls, outer_calls, own_stack_calls;

static FRAME long work(long value)
{
	for (int i = 0; i < WORK; i++) {
		value = value * 31 + i;
		KEEP(value);
	}
	return value;
}

static void on_usr2(int signal)
{
	long value = work(signal);

	KEEP(value);
	inner_calls++;
}

static void on_usr1(int signal)
{
	long value = work(signal);

	KEEP(value);
	raise(SIGUSR2);
	value = work(value);
	KEEP(value);
	outer_calls++;
}

static void on_urg(int signal)
{
	long value = work(signal);

	KEEP(value);
	own_stack_calls++;
}

static FRAME long interrupted(long round)
{
	static const int number[] = { SIGUSR1, SIGURG, SIGUSR2 };
	long value = work(round);

	KEEP(value);
	raise(number[round % 3]);
	value = work(value);
	KEEP(value);
	return value;
}

int main(int argc, char **argv)
{
	static char bytes[STACK_BYTES];
	stack_t stack = { .ss_sp = bytes, .ss_size = sizeof(bytes) };
	struct sigaction action = { .sa_handler = on_usr1 };
	long rounds = sample_rounds(argc, argv);

	sigaction(SIGUSR1, &action, 0);
	action.sa_handler = on_usr2;
	sigaction(SIGUSR2, &action, 0);
	sigaltstack(&stack, 0);
	action.sa_handler = on_urg;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGURG, &action, 0);
	for (long round = 0; round < rounds; round++) {
		long value = interrupted(round % SAMPLE_PERIOD);

		KEEP(value);
	}
	return !inner_calls || !outer_calls || !own_stack_calls;
}
