/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * far.c - two executable segments whose addresses lie far apart, and near in the file
 *
 * Rule: an address in the file is not a file offset, and one difference doesn't serve a whole file:
 * each segment has its own (gABI, p_offset and p_vaddr). What is found by the first segment's
 * difference is another function's table in the second. lld and mold write such files, and prelink
 * did.
 */
#include "bare.h"

#define FAR __attribute__((section(".far")))

static volatile int sink;

FRAME int near_top(int value)
{
	sink = value;
	return value + 1;
}

FAR FRAME int far_middle(int value)
{
	volatile int array[30];

	array[3] = near_top(value + 1);
	return array[3] + 1;
}

FRAME int near_bottom(int value)
{
	value = far_middle(value + 1);
	KEEP(value);
	return value + 1;
}

FAR FRAME int far_bottom(int value)
{
	value = near_bottom(value + 1);
	KEEP(value);
	return value + 1;
}

int run(const unsigned long *stack)
{
	return far_bottom(1) - 8;
}
