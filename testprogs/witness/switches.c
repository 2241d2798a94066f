/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * switches.c - coroutines on slices of one array, in turns, nested, left at different depths and begun anew
 *
 * Rule: a truth that knows stacks by their mapping, or by what lies on them, must find the right one again when a
 * thread comes back to it. Each coroutine recurses before it yields, so its stack is another at each
 * switch; half of them resume another one themselves; and their stacks are used again by the next round.
 */
#include <ucontext.h>
#include "../c/testprog.h"

#define STACK_BYTES 16384
#define COROUTINES  6
#define ROUNDS	    3

struct coroutine {
	ucontext_t context, resumer;
	int number;
	int value;
	int done;
	int yields;
};

static char stacks[COROUTINES][STACK_BYTES] __attribute__((aligned(16)));
static struct coroutine coroutines[COROUTINES];

static FRAME int resume(struct coroutine *coroutine)
{
	swapcontext(&coroutine->resumer, &coroutine->context);
	return coroutine->done ? 0 : coroutine->value;
}

static FRAME int yield(struct coroutine *coroutine, int value)
{
	coroutine->value = value;
	coroutine->yields++;
	swapcontext(&coroutine->context, &coroutine->resumer);
	KEEP(value);
	return value;
}

static FRAME int deeper(struct coroutine *coroutine, int depth)
{
	int value;

	if (depth == 0)
		return yield(coroutine, coroutine->number + 1);
	value = deeper(coroutine, depth - 1);
	KEEP(value);
	return value;
}

static FRAME void body(int number)
{
	struct coroutine *self = &coroutines[number];

	for (int depth = 0; depth < 4; depth++) {
		/* The odd ones run the one before them from their own stack. */
		if (number % 2 && !coroutines[number - 1].done)
			resume(&coroutines[number - 1]);
		deeper(self, depth);
	}
	self->done = 1;
}

static FRAME int begin(struct coroutine *coroutine, int number)
{
	coroutine->number = number;
	coroutine->done = coroutine->yields = 0;
	if (getcontext(&coroutine->context))
		return -1;
	coroutine->context.uc_stack.ss_sp = stacks[number];
	coroutine->context.uc_stack.ss_size = STACK_BYTES;
	coroutine->context.uc_link = &coroutine->resumer;
	makecontext(&coroutine->context, (void (*)(void))body, 1, number);
	return 0;
}

/* How many values the odd ones gave. */
static FRAME int play(void)
{
	int values = 0;

	for (int i = 0; i < COROUTINES; i++)
		if (begin(&coroutines[i], i))
			return -1;
	for (int turn = 0; turn < 5; turn++)
		for (int i = 1; i < COROUTINES; i += 2)
			values += !coroutines[i].done && resume(&coroutines[i]) == i + 1;
	return values;
}

int main(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		int values = play();

		KEEP(values);
		if (values != COROUTINES / 2 * 4)
			return 1;
	}
	return 0;
}
