/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * chain.c - main a1 b1 c1 top: the plain case
 *
 * Rule: CFA = rsp+n or rbp+16, return address at CFA-8, and every instruction of every prologue and
 * epilogue in between. Frame-pointer walks skip the caller at those instructions (OTel #1578).
 */
#include "testprog.h"

static FRAME int top(int depth)
{
	KEEP(depth);
	return depth + 1;
}

static FRAME int c1(int depth)
{
	depth = top(depth + 1);
	KEEP(depth);
	return depth;
}

static FRAME int b1(int depth)
{
	depth = c1(depth + 1);
	KEEP(depth);
	return depth;
}

static FRAME int a1(int depth)
{
	depth = b1(depth + 1);
	KEEP(depth);
	return depth;
}

int main(void)
{
	int depth = a1(1);

	KEEP(depth);
	return depth != 5;
}
