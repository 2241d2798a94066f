/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tailcall.c - calls that the optimiser turns into jumps (built at -O2 only)
 *
 * Rule: after `jmp b1` the caller's frame is gone and the stack is main's caller's view: main, then
 * b1. A shadow stack must not push for the jump; a row must be back at CFA = rsp+8 before it, also
 * when registers were saved and a frame was open (`d1`).
 */
#include "testprog.h"

#ifdef __clang__
#define TAIL __attribute__((musttail))
#else
#define TAIL
#endif

static FRAME int top(int depth)
{
	KEEP(depth);
	return depth + 1;
}

static FRAME int d1(int depth)
{
	char memory[64];

	KEEP_MEMORY(memory);

	int deeper = top(depth);

	KEEP(deeper);
	depth += deeper;
	KEEP(depth);
	TAIL return top(depth);
}

static FRAME int c1(int depth)
{
	KEEP(depth);
	TAIL return d1(depth + 1);
}

static FRAME int b1(int depth)
{
	KEEP(depth);
	TAIL return c1(depth + 1);
}

int main(void)
{
	int depth = b1(1);

	KEEP(depth);
	return depth != 8;
}
