/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * saved.c - all callee-saved registers saved, restored, and partly saved late (shrink-wrapping)
 *
 * Rules: rbx, rbp and r12 to r15 at CFA-16 and below, one row per push and per pop; prologues that
 * begin after an early exit, so that one function has rows of "nothing saved" in its middle. All
 * peers but bpftrace lose rbx and r12 to r15.
 */
#include "testprog.h"

static FRAME int leaf(int value)
{
	KEEP(value);
	return value + 1;
}

/* Eight values that live across a call: all six callee-saved registers and two spills. */
static FRAME int saves_all(int a, int b, int c, int d, int e, int f)
{
	int g = a + b, h = c + d;

	KEEP(g);
	KEEP(h);

	int i = leaf(a);

	KEEP(i);
	a += b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i;
	KEEP(a);
	return a;
}

/* Returns at once for a negative value; saves registers only behind that test. */
static FRAME int saves_late(int value)
{
	if (value < 0)
		return value;

	int first = leaf(value);

	KEEP(first);

	int second = leaf(value + first);

	KEEP(second);
	return value + first + second;
}

int main(void)
{
	int all = saves_all(1, 2, 3, 4, 5, 6);

	KEEP(all);

	int early = saves_late(-1);

	KEEP(early);

	int late = saves_late(1);

	KEEP(late);
	return all != 170 || early != -1 || late != 7;
}
