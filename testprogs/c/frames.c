/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * frames.c - frames of 40 KiB and 72 KiB, and frames whose size is known only at run time
 *
 * Rules: CFA offsets beyond 32,767 and beyond 65,535 (Parca wraps at 16 bits; lightswitch read its
 * field as signed until #527); alloca and a VLA, where the CFA must move to rbp whatever the flags
 * say.
 */
#include <alloca.h>
#include "testprog.h"

static FRAME int leaf(int depth)
{
	KEEP(depth);
	return depth + 1;
}

static FRAME int with_vla(int depth, int size)
{
	int array[size];

	array[size - 1] = leaf(depth + 1);
	KEEP_MEMORY(array);
	return array[size - 1];
}

static FRAME int with_alloca(int depth, int size)
{
	char *memory = alloca(size);

	KEEP_MEMORY(memory);
	depth = with_vla(depth + 1, size);
	KEEP_MEMORY(memory);
	return depth;
}

static FRAME int frame_72k(int depth, int size)
{
	char memory[72 * 1024];

	KEEP_MEMORY(memory);
	depth = with_alloca(depth + 1, size);
	KEEP_MEMORY(memory);
	return depth;
}

static FRAME int frame_40k(int depth, int size)
{
	char memory[40 * 1024];

	KEEP_MEMORY(memory);
	depth = frame_72k(depth + 1, size);
	KEEP_MEMORY(memory);
	return depth;
}

int main(void)
{
	int size = 100;

	KEEP(size);

	int depth = frame_40k(1, size);

	KEEP(depth);
	return depth != 6;
}
