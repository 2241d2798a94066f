/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * leaf.c - a leaf that keeps its locals in the red zone
 *
 * Rule: a leaf may use 128 bytes below rsp without moving it (psABI 3.2.2): the CFA stays rsp+8 in
 * all of it, and what lies below rsp is data. A frame-pointer walk loses the leaf's caller.
 */
#include "testprog.h"

static FRAME int leaf(int value)
{
	volatile int local[24];

	for (int i = 0; i < 24; i++)
		local[i] = value + i;
	return local[0] + local[23];
}

static FRAME int caller(int value)
{
	value = leaf(value + 1);
	KEEP(value);
	return value;
}

int main(void)
{
	int value = caller(1);

	KEEP(value);
	return value != 27;
}
