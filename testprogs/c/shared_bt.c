/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* shared_bt.c - b1 and top of shared.c's chain: b1 calls back into the first library. */
#include "testprog.h"
#include "shared.h"

FRAME int b1(int depth)
{
	depth = c1(depth + 1);
	KEEP(depth);
	return depth;
}

FRAME int top(int depth)
{
	KEEP(depth);
	return depth + 1;
}
