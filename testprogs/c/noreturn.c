/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * noreturn.c - functions whose last instruction is a call that does not return
 *
 * Rule: a return address is looked up as pc-1. The address after the call belongs to the next
 * function, or to none; functions are built without alignment so that it is always the next one,
 * whose first row says something else. OTel #1382 and #1027 found the next FDE.
 */
#include <unistd.h>
#include "testprog.h"

static FRAME __attribute__((noreturn)) void leaves(int depth)
{
	KEEP(depth);
	_exit(depth != 4);
}

/* Ends in a call; saves registers and has a big frame so that the rows differ from the next one's.
 */
static FRAME __attribute__((noreturn)) void ends_in_call(int depth)
{
	char memory[200];

	KEEP_MEMORY(memory);
	leaves(depth + 1);
}

static FRAME __attribute__((noreturn)) void ends_in_call_too(int depth)
{
	char memory[1000];

	KEEP_MEMORY(memory);
	ends_in_call(depth + 1);
}

int main(void)
{
	int depth = 1;

	KEEP(depth);
	ends_in_call_too(depth + 1);
}
