/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ifunc.c - a library's function chosen by a resolver at its first call, through a lazy PLT entry
 *
 * Rule: the resolver runs inside the dynamic linker's lazy resolution: below it are _dl_fixup and
 * _dl_runtime_resolve, which realigns the stack, saves every register with xsave into a frame of up
 * to several KiB, and whose CFA hangs on rbx; below that the PLT entry, with two words pushed. So a
 * library that is bound late has code of its own on top of all that.
 */
#include "testprog.h"

int times(int value);

static FRAME int caller(int value)
{
	value = times(value + 1);
	KEEP(value);
	return value + 1;
}

int main(void)
{
	int first = caller(20), second = caller(30);

	KEEP(first);
	return first != 43 || second != 63;
}
