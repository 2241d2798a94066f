/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stack_copy.c - continuations that are copies of the stack, brought back by memcpy and a long jump
 *
 * Rule: frames that were gone are there again, though nobody has called (greenlet, Guile 1.8). The two bodies
 * share the same addresses, so a truth that remembers slots alone has the other's frames.
 */
#include "bare.h"

#define ROUNDS	   8
#define RED_ZONE   128
#define COPY_BYTES 4096
#define ROOM	   1024 /* between who copies and what is copied */

struct body {
	void *jump[5];
	char *low;
	long steps;
	char copy[COPY_BYTES];
};

static struct body bodies[2];
static int current;
static char *high; /* of what is copied */
static void *home[5];
static volatile long sum;

static inline __attribute__((always_inline)) void copy(char *to, const char *from, long bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/* Who has a landing of the compiler's own can't jump himself. */
static FRAME void leave(void)
{
	__builtin_longjmp(home, 1);
}

static FRAME void yield(void)
{
	struct body *body = &bodies[current];

	body->low = (char *)__builtin_frame_address(0) - RED_ZONE * 2;
	if (!__builtin_setjmp(body->jump)) {
		copy(body->copy, body->low, high - body->low);
		leave();
	}
}

static FRAME long deep(long depth)
{
	long below;

	if (!depth) {
		yield();
		return 1;
	}
	below = deep(depth - 1);
	KEEP(below);
	return below + 1;
}

static FRAME void begin(void)
{
	for (;;)
		sum += deep(bodies[current].steps++ % 3 + current);
}

static FRAME void resume(void)
{
	struct body *body = &bodies[current];
	char room[COPY_BYTES + ROOM];

	KEEP_MEMORY(room);
	copy(body->low, body->copy, high - body->low);
	__builtin_longjmp(body->jump, 1);
}

static FRAME void rounds(void)
{
	static long round;

	__builtin_setjmp(home);
	if (round == ROUNDS)
		return;
	current = round % 2;
	if (round++ < 2)
		begin();
	resume();
}

int run(const unsigned long *stack)
{
	char room[ROOM];

	KEEP_MEMORY(room);
	high = (char *)__builtin_frame_address(0) - ROOM;
	rounds();
	return sum == 0;
}
