/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * split_stack.c - gcc's -fsplit-stack: a function that doesn't fit is called on another stack
 *
 * Rule: a prologue compares rsp with a limit and, below it, calls __morestack, which calls the rest
 * of the same function on a new piece of stack, from behind that call. So a function is there
 * twice, with __morestack between, and the CFA goes from one mapping to another in the middle of
 * the stack, upwards or downwards; the first instruction after the call is a `ret` that is reached
 * only on the way back. libgcc's CFI of __morestack is written by hand
 * (libgcc/config/i386/morestack.S). gcc only; the linker has to know the flag.
 */
#include "testprog.h"

#define LARGE (1 << 20)

static FRAME long top(long value)
{
	KEEP(value);
	return value + 1;
}

/* Its frame is larger than any limit leaves room for. */
static FRAME long needs_more(long value)
{
	char array[LARGE];
	char *pointer = array;

	KEEP_MEMORY(pointer);
	pointer[0] = 1;
	value = top(value + 1);
	KEEP_MEMORY(pointer);
	return value + pointer[0];
}

static FRAME long caller(long value)
{
	value = needs_more(value + 1);
	KEEP(value);
	return value + 1;
}

int main(void)
{
	/* Twice: the second time the piece is there already. */
	long first = caller(1), second = caller(10);

	KEEP(first);
	return first != 6 || second != 15;
}
