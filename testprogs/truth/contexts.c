/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * contexts.c - swapcontext(3) with stacks that nobody expects
 *
 * Rule: a context's stack is any memory. WHERE 1: an array in the caller's frame, used again by the next context;
 * 2: allocated and freed in a loop, so that the same memory is another stack each time.
 */
#include <stdlib.h>
#include <ucontext.h>
#include "../c/testprog.h"

#define STACK_BYTES 16384
#define ROUNDS	    3

static ucontext_t home, context;
static volatile long sum;

static FRAME void body(void)
{
	for (long i = 0; i < 2; i++) {
		sum += i + 1;
		swapcontext(&context, &home);
	}
}

static FRAME int turn(char *stack)
{
	if (getcontext(&context))
		return -1;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK_BYTES;
	context.uc_link = &home;
	makecontext(&context, body, 0);
	for (int i = 0; i < 3; i++)
		if (swapcontext(&home, &context))
			return -1;
	KEEP_MEMORY(stack);
	return 0;
}

int main(void)
{
#if WHERE == 1
	char local[STACK_BYTES] __attribute__((aligned(16)));
#endif

	for (int round = 0; round < ROUNDS; round++) {
#if WHERE == 1
		if (turn(local))
			return 1;
#else
		char *stack = malloc(STACK_BYTES + 64 * round);

		if (!stack || turn(stack))
			return 1;
		free(stack);
#endif
	}
	return sum != 3 * ROUNDS;
}
