/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * context.c - two generators on stacks of their own (makecontext, swapcontext), taking turns
 *
 * Rule: a context's first function was never called: its return address was planted by makecontext
 * and leads to the C library's __start_context, where a walk ends. Inside swapcontext rsp is
 * another stack's from one instruction on, while rip is still here. Who made the switch can't be
 * seen on the new stack, so the truth there is a prefix.
 */
#include <sys/mman.h>
#include <ucontext.h>
#include "testprog.h"

#define STACK_BYTES 16384
#define GENERATORS  2

struct generator {
	ucontext_t context, caller;
	long value;
	int done;
};

static struct generator generators[GENERATORS];
static struct generator *running;

static FRAME void yield(long value)
{
	running->value = value;
	swapcontext(&running->context, &running->caller);
}

static FRAME void count(long from, long to)
{
	for (; from < to; from++)
		yield(from);
}

static void generate(int first)
{
	count(first, first + 2);
	running->done = 1;
}

static FRAME long next(struct generator *generator)
{
	running = generator;
	if (swapcontext(&generator->caller, &generator->context))
		return -1;
	return generator->done ? -1 : generator->value;
}

static FRAME int create(struct generator *generator, int first)
{
	/* With a page between that nobody may use, so that they are mappings of their own. */
	char *stack = mmap(0, 2 * STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED || mprotect(stack + 4096, STACK_BYTES, PROT_READ | PROT_WRITE) ||
	    getcontext(&generator->context))
		return -1;
	generator->context.uc_stack.ss_sp = stack + 4096;
	generator->context.uc_stack.ss_size = STACK_BYTES;
	generator->context.uc_link = &generator->caller;
	makecontext(&generator->context, (void (*)(void))generate, 1, first);
	return 0;
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < GENERATORS; i++)
		if (create(&generators[i], 10 * (i + 1)))
			return 2;
	for (int turn = 0; turn < 3; turn++)
		for (int i = 0; i < GENERATORS; i++)
			sum += next(&generators[i]);
	/* 10 + 20, 11 + 21, and -1 from each that ended */
	return sum != 60;
}
