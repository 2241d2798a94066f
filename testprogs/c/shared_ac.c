/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* shared_ac.c - a1 and c1 of shared.c's chain: each calls into the other library through the PLT.
 */
#include "testprog.h"
#include "shared.h"

FRAME int a1(int depth)
{
	depth = b1(depth + 1);
	KEEP(depth);
	return depth;
}

FRAME int c1(int depth)
{
	depth = top(depth + 1);
	KEEP(depth);
	return depth;
}
