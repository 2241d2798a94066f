/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * recursion.c - one function, 300 frames deep
 *
 * Rule: a walk is as long as the stack. Peers stop at 127 (Parca, Perforator), 145 (OTel), 165
 * (profile-bee) or 200 (lightswitch) frames; one of two alternating functions saves a register, so
 * that the frames are not all of one size.
 */
#include "testprog.h"

#define DEPTH 300

static FRAME int odd(int depth, int limit);

static FRAME int even(int depth, int limit)
{
	if (depth == limit)
		return depth;
	depth = odd(depth + 1, limit);
	KEEP(depth);
	return depth;
}

static FRAME int odd(int depth, int limit)
{
	if (depth == limit)
		return depth;

	int deeper = even(depth + 1, limit);

	KEEP(deeper);
	return deeper > depth ? deeper : -1;
}

int main(void)
{
	int depth = odd(1, DEPTH);

	KEEP(depth);
	return depth != DEPTH;
}
