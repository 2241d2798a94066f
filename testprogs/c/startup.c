/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * startup.c - code before main and behind it: constructors, destructors, atexit
 *
 * Rule: the C library calls these from frames of its own, below which there is no main: the
 * constructors from __libc_start_main's call_init, the others from exit(), last first. main itself
 * is left by exit() from two frames deep, so its callers never see a return.
 */
#include <stdlib.h>
#include <unistd.h>
#include "testprog.h"

static int order;

static FRAME int step(int expected)
{
	KEEP(expected);
	return order++ == expected ? 0 : 1;
}

static int failures;

__attribute__((constructor(101))) static void first_constructor(void)
{
	failures += step(0);
}

__attribute__((constructor(102))) static void second_constructor(void)
{
	failures += step(1);
}

static void registered_first(void)
{
	failures += step(4);
}

static void registered_last(void)
{
	failures += step(3);
}

/* The last code of the program's own: the status is decided here. */
__attribute__((destructor)) static void destructor(void)
{
	failures += step(5);
	_exit(failures);
}

static FRAME int leave(int depth)
{
	failures += step(2);
	KEEP(depth);
	exit(99);
}

static FRAME int nearly_leave(int depth)
{
	depth = leave(depth + 1);
	KEEP(depth);
	return depth;
}

int main(void)
{
	if (atexit(registered_first) || atexit(registered_last))
		return 1;
	return nearly_leave(1);
}
