/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * liar.c - an instrumented program that reports what is not so, or does what nobody may
 *
 * scripts/check-witness builds it with each LIE: `stackproof witness` must say so, by that name. Without
 * one it is an honest program.
 *
 *	1	reports the exit of a function that is not the innermost: log
 *	2	reports a caller that did not call it: log
 *	3	overwrites its own return address, calls, and puts it back: memory
 *	4	takes numbers of reports that nobody makes: lost
 */
#include "../c/testprog.h"

#ifndef LIE
#define LIE 0
#endif

extern volatile unsigned long witness_events;
void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static FRAME int leaf(int value)
{
	KEEP(value);
	return value + 1;
}

static FRAME int liar(int value)
{
	void *volatile *base = __builtin_frame_address(0);
	void *site = base[1];

	KEEP(value);
#if LIE == 1
	__cyg_profile_func_exit((void *)leaf, site);
#elif LIE == 2
	__cyg_profile_func_enter((void *)leaf, (char *)site + 1);
#elif LIE == 3
	base[1] = (void *)leaf;
#elif LIE == 4
	witness_events += 2;
#endif
	value = leaf(value);
	base[1] = site;
	KEEP(value);
	return value;
}

int main(void)
{
	int value = liar(1);

	KEEP(value);
	return value != 2;
}
