/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* ifunc_times.c - the function for ifunc.c, and the resolver that chooses it */
#include "testprog.h"

static volatile int wanted = 2;

__attribute__((used)) static FRAME int times_one(int value)
{
	KEEP(value);
	return value;
}

__attribute__((used)) static FRAME int times_two(int value)
{
	KEEP(value);
	return value * 2;
}

static FRAME int choose(int which)
{
	KEEP(which);
	return which == 2;
}

typedef int (*function_type)(int);

__attribute__((used)) static function_type resolve_times(void)
{
	int two = choose(wanted);

	KEEP(two);
	return two ? times_two : times_one;
}

int times(int value) __attribute__((ifunc("resolve_times")));
