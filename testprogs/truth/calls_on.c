/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * calls_on.c - a function that is called on another stack, and calls on a third one from there
 *
 * Rule: the frames of who called stay open below, wherever the stacks lie. WHERE 1: an array in the caller's
 * frame; 2: two parts of one array, the second above the first; 3: the second below the first. JUMPS: out of it
 * all by longjmp.
 */
#include "bare.h"
#include "fiber.h"

#define STACK_BYTES 8192

static char array[2 * STACK_BYTES] __attribute__((aligned(16)));
static char *tops[2];
static volatile long sum;
static void *target[5];

static FRAME long deep(long depth)
{
	long below;

	if (!depth)
		return 1;
	below = deep(depth - 1);
	KEEP(below);
	return below + 1;
}

static FRAME void leave(void)
{
#ifdef JUMPS
	if (sum > 100)
		__builtin_longjmp(target, 1);
#endif
}

static void inner(long depth)
{
	sum += deep(depth);
	leave();
}

static void outer(long depth)
{
	sum += deep(1);
	call_on(inner, depth, tops[1]);
	sum += deep(depth);
}

static FRAME long guarded(long depth)
{
	if (__builtin_setjmp(target))
		return deep(2);
	call_on(outer, depth, tops[0]);
	KEEP(depth);
	return deep(depth);
}

int run(const unsigned long *stack)
{
#if WHERE == 1
	char local[2 * STACK_BYTES] __attribute__((aligned(16)));

	KEEP_MEMORY(local);
	tops[0] = local + STACK_BYTES;
	tops[1] = local + 2 * STACK_BYTES;
#elif WHERE == 2
	tops[0] = array + STACK_BYTES;
	tops[1] = array + 2 * STACK_BYTES;
#else
	tops[0] = array + 2 * STACK_BYTES;
	tops[1] = array + STACK_BYTES;
#endif
	for (long i = 0; i < 4; i++) {
		sum += guarded(i);
#ifdef JUMPS
		sum += 60;
#endif
	}
	return sum == 0;
}
