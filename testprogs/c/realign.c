/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * realign.c - functions that align their own stack
 *
 * A local that needs 64 bytes of alignment makes the compiler round rsp down: the distance to the
 * CFA is then unknown at compile time. With rbp as the CFA's base that is easy; with stack
 * arguments or alloca gcc keeps the old rsp in r10 (the DRAP), stores it in the frame, and the CFI
 * must say
 * *(rbp-8), an expression, with the saved registers as expressions on rbp. Parca and lightswitch
 * cannot; gperftools #1225 crashed in the epilogue's `lea -8(%r10),%rsp`.
 * Also built with -mstackrealign, as the program stackrealign.
 */
#include <alloca.h>
#include <cpuid.h>
#include <stdbool.h>
#include "testprog.h"

typedef float vector __attribute__((vector_size(32)));

static FRAME int leaf(int depth)
{
	KEEP(depth);
	return depth + 1;
}

/* The compiler's own test would bring libgcc's, and 1,000 instructions, along. */
static bool has_avx(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_AVX) && (c & bit_OSXSAVE);
}

/* An AVX value that lives across a call is spilled to an aligned slot. */
__attribute__((target("avx"))) static FRAME int spills_avx(int depth, const vector *in, vector *out)
{
	vector value = *in + *in;

	depth = leaf(depth + 1);
	KEEP(depth);
	*out = value;
	return depth;
}

static FRAME int aligned_local(int depth)
{
	char memory[64] __attribute__((aligned(64)));

	KEEP_MEMORY(memory);
	if (has_avx()) {
		vector in = { 1.0f }, out = { 0.0f };

		depth = spills_avx(depth + 1, &in, &out);
		return out[0] == 2.0f ? depth : -1;
	}
	depth = leaf(depth + 2);
	KEEP_MEMORY(memory);
	return depth;
}

/* Nine arguments: the last three are on the stack, above the return address. */
static FRAME int aligned_arguments(int depth, int b, int c, int d, int e, int f, int g, int h,
				   int i)
{
	char memory[64] __attribute__((aligned(64)));

	KEEP_MEMORY(memory);
	depth = aligned_local(depth + 1);
	KEEP_MEMORY(memory);
	return b + c + d + e + f + g + h + i == 8 ? depth : -1;
}

static FRAME int aligned_alloca(int depth, int size)
{
	char memory[64] __attribute__((aligned(64)));
	char *more = alloca(size);

	KEEP_MEMORY(memory);
	KEEP_MEMORY(more);
	depth = aligned_arguments(depth + 1, 1, 1, 1, 1, 1, 1, 1, 1);
	KEEP_MEMORY(memory);
	return depth;
}

int main(void)
{
	int size = 48;

	KEEP(size);

	int depth = aligned_alloca(1, size);

	KEEP(depth);
	return depth != 6;
}
