/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * depth.c - two functions that call each other until the stack has as many frames as its argument says
 *
 *	gcc-12 -O2 -ffreestanding -fno-stack-protector -fasynchronous-unwind-tables -static -nostdlib \
 *		-Itestprogs/c -o depth testprogs/bench/depth.c && ./depth 100000
 *
 * Rule: no limit on depth loses a run. There is no C library in it, so that of few instructions most are
 * calls. One function saves a register and the other does not: their frames have two sizes. A million
 * frames need more than the usual 8 MiB of stack (ulimit -s). _start and run() are two of the frames.
 * -DSTAY=100: the innermost frame goes round so often, so that points far apart meet it, too.
 */
#include "bare.h"

#ifndef STAY
#define STAY 0
#endif

static FRAME long saves_none(long left);

static FRAME long saves_one(long left)
{
	long deeper = 0;

	if (left)
		deeper = saves_none(left - 1);
	for (long stay = left ? 0 : STAY; stay; stay--)
		KEEP(stay);
	KEEP(deeper);
	return deeper + (left >= 0);
}

static FRAME long saves_none(long left)
{
	long deeper = 0;

	if (left)
		deeper = saves_one(left - 1);
	for (long stay = left ? 0 : STAY; stay; stay--)
		KEEP(stay);
	KEEP(deeper);
	return deeper + 1;
}

int run(const unsigned long *stack)
{
	const char *digit = stack[0] > 1 ? (const char *)stack[2] : "3";
	long frames = 0, made;

	for (; *digit >= '0' && *digit <= '9'; digit++)
		frames = frames * 10 + (*digit - '0');
	if (frames < 3)
		return 2;
	made = saves_one(frames - 3);
	KEEP(made);
	return made != frames - 2;
}
