/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * throw.cc - an exception through two frames, with a clean-up on its way and a catch
 *
 * Rules: landing pads are entered with the frame half unwound by the C++ runtime, which then jumps
 * in; DW_CFA_GNU_args_size; personality and LSDA in the CIE ("zPLR"); `.cold` parts of functions.
 * The runtime itself unwinds by the same tables that are tested here, and leaves many frames at
 * once, as longjmp does. Just before it jumps, the caller's PC is a landing pad, which is behind no
 * call: PC - 1 may be another row's, in clang's a1 that of the `ret` before it. Nobody's CFI can say so.
 */
#include "../c/testprog.h"

static int cleaned;

/* A destructor that must run while the exception passes b1. */
struct cleaner {
	FRAME ~cleaner()
	{
		cleaned++;
	}
};

extern "C" {

FRAME int top(int depth)
{
	KEEP(depth);
	if (depth > 0)
		throw depth;
	return depth;
}

FRAME int b1(int depth)
{
	cleaner local;

	depth = top(depth + 1);
	KEEP(depth);
	return depth;
}

FRAME int a1(int depth)
{
	try {
		depth = b1(depth + 1);
		KEEP(depth);
	} catch (int thrown) {
		depth = thrown;
	}
	return depth;
}
}

int main()
{
	int caught = a1(1);

	return caught != 3 || cleaned != 1;
}
