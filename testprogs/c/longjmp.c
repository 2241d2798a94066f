/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * longjmp.c - several frames left at once, without a return
 *
 * Rule: the truth (and a shadow stack in hardware) must drop every frame that rsp has left; the C
 * library's hand-written setjmp and longjmp change rsp, rbp and rip in the middle of a function.
 */
#include <setjmp.h>
#include "testprog.h"

static jmp_buf environment;

static FRAME int jumps(int depth)
{
	KEEP(depth);
	longjmp(environment, depth);
}

static FRAME int c1(int depth)
{
	depth = jumps(depth + 1);
	KEEP(depth);
	return -1;
}

static FRAME int b1(int depth)
{
	depth = c1(depth + 1);
	KEEP(depth);
	return -1;
}

static FRAME int caught(int depth)
{
	int reached = setjmp(environment);

	if (reached)
		return reached;
	depth = b1(depth + 1);
	KEEP(depth);
	return -1;
}

int main(void)
{
	int first = caught(1), second = caught(2);

	KEEP(first);
	KEEP(second);
	return first != 4 || second != 5;
}
