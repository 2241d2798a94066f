/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fibers.c - two fibers and the thread's own stack, in turns, from different depths
 *
 * Rule: a switch sets rsp and nothing else, so all that tells it from alloca, longjmp or a function's end
 * is where the stacks are. WHERE says that: VMA 1: each was mapped, and the kernel has made one mapping of
 * them; ARRAY 2: parts of one array; FRAME 3: an array in a frame that is open. NESTED: the first fiber makes
 * the second, DOWN: and below itself. CALLED: all that is called on a stack of its own, in the same array. STARTED:
 * a fiber begins by a call on its stack, below frames of the one that makes it.
 */
#include "bare.h"
#include "bare_call.h"
#include "fiber.h"

#define STACK_BYTES 8192
#define STACKS	    3
#define ROUNDS	    4
#define TOP(stack)  (memory + ((stack) + 1) * STACK_BYTES)

#ifdef DOWN
enum { FIRST = 1, SECOND = 0 };
#else
enum { FIRST = 0, SECOND = 1 };
#endif

static char array[STACKS * STACK_BYTES] __attribute__((aligned(4096)));
static char *memory;
static void *home, *first, *second;
static volatile long sum;

static FRAME long deep(long depth, void **save, void **to)
{
	long below;

	if (!depth) {
		fiber_switch(save, *to);
		return 1;
	}
	below = deep(depth - 1, save, to);
	KEEP(below);
	return below + 1;
}

static void in_second(void)
{
	for (long i = 0;; i++)
		sum += deep(i % 3, &second, &first);
}

static void in_first(void)
{
#ifdef NESTED
	second = fiber_make(TOP(SECOND), in_second);
#endif
	for (long i = 0; i < ROUNDS; i++) {
		sum += deep(i % 3, &first, &second);
		sum += deep(i % 2, &first, &home);
	}
	for (;;)
		fiber_switch(&first, home);
}

#ifdef STARTED
static void call_first(long argument)
{
	in_first();
}

static void call_second(long argument)
{
	fiber_switch(&second, home);
	in_second();
}

static void start_first(void)
{
	call_on(call_first, 0, TOP(FIRST));
}

static void start_second(void)
{
	call_on(call_second, 0, TOP(SECOND));
}
#endif

static void all(long rounds)
{
#ifdef STARTED
	fiber_start(&home, start_second);
	fiber_start(&home, start_first);
#elif !defined(NESTED)
	second = fiber_make(TOP(SECOND), in_second);
#endif
#ifndef STARTED
	first = fiber_make(TOP(FIRST), in_first);
#endif
	for (long i = 0; i < rounds; i++)
		sum += deep(i % 4, &home, &first);
}

static char *map(void)
{
	char *pages[STACKS], *low = 0;

	for (int i = 0; i < STACKS; i++) {
		pages[i] = (char *)bare_call(__NR_mmap, 0, STACK_BYTES, 3, 0x22, -1, 0);
		if (!low || pages[i] < low)
			low = pages[i];
	}
	return low;
}

int run(const unsigned long *stack)
{
#if WHERE == 1
	memory = map();
#elif WHERE == 2
	memory = array;
#else
	char local[STACKS * STACK_BYTES];

	KEEP_MEMORY(local);
	memory = local;
#endif
#ifdef CALLED
	call_on(all, ROUNDS, TOP(CALLED));
#else
	all(ROUNDS);
#endif
	KEEP_MEMORY(memory);
	return sum == 0;
}
