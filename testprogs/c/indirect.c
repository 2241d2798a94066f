/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * indirect.c - calls through pointers, and a switch through a jump table
 *
 * Rule: the truth of a call is what was pushed, whatever the target; rows hold inside a function
 * that jumps through a table (static checkers lose their way there), also between the cases'
 * frames.
 */
#include "testprog.h"

typedef int (*step_fn)(int depth, int which);

static FRAME int plus_one(int depth, int which)
{
	KEEP(depth);
	return depth + 1;
}

static FRAME int plus_two(int depth, int which)
{
	depth = plus_one(depth + 1, which);
	KEEP(depth);
	return depth;
}

static FRAME int plus_three(int depth, int which)
{
	char memory[400];

	KEEP_MEMORY(memory);
	depth = plus_two(depth + 1, which);
	KEEP_MEMORY(memory);
	return depth;
}

static const step_fn steps[] = { plus_one, plus_two, plus_three };

static FRAME int dispatch(int depth, int which)
{
	step_fn step = steps[which % 3];

	KEEP(step);
	switch (which) {
	case 0: depth = step(depth, which); break;
	case 1: depth = step(depth, which) * 2; break;
	case 2: depth = step(depth, which) * 3; break;
	case 3: depth = step(depth, which) - 5; break;
	case 4: depth = step(depth, which) ^ 1; break;
	case 5: depth = step(depth, which) + 7; break;
	default: depth = -1;
	}
	KEEP(depth);
	return depth;
}

int main(void)
{
	int sum = 0;

	for (int which = 0; which < 6; which++)
		sum += dispatch(1, which);
	KEEP(sum);
	return sum != 2 + 6 + 12 - 3 + 2 + 11;
}
