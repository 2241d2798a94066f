/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * alternative.c - the truth as it would be if the CFI were right where the two part
 *
 * The shadow stack lacks a frame that was pushed by hand, and has one too many where a call was
 * none. Both leave the frames outside of it alone. So if the CFI's stack joins the truth again
 * after a few frames, what it names may be the truth; if it doesn't, it is some other stack, or no
 * stack at all.
 */
#include <string.h>
#include "doubt.h"

#define FRAMES_INSERTED_MAX 8
#define FRAMES_SKIPPED_MAX  8

/* Whether the CFI's frames from a on are the truth's from b on, to the end of either. */
static bool joins(const struct stack *cfi, uint32_t a, const struct stack *truth, uint32_t b,
		  bool rooted)
{
	while (a < cfi->count && b < truth->count)
		if (cfi->pc[a++] != truth->pc[b++])
			return false;
	/* Beyond a root there is nothing; beyond a prefix, whatever the CFI finds. */
	return a == cfi->count || !rooted;
}

/* The CFI's first a frames, then the truth's from b on. */
static bool splice(const struct stack *cfi, uint32_t a, const struct stack *truth, uint32_t b,
		   struct stack *ret)
{
	uint32_t rest = truth->count - b;
	struct error ignored;

	if (stack_set(ret, cfi->pc, a, truth->stop, &ignored) ||
	    stack_reserve(ret, a + rest, &ignored))
		return false;
	memcpy(ret->pc + a, truth->pc + b, rest * sizeof(ret->pc[0]));
	ret->count = a + rest;
	return true;
}

bool alternative_truth(const struct stack *cfi, const struct stack *truth, uint32_t frames,
		       bool rooted, struct stack *ret)
{
	for (uint32_t sum = 1; sum <= FRAMES_INSERTED_MAX + FRAMES_SKIPPED_MAX; sum++)
		for (uint32_t inserted = 0; inserted <= sum; inserted++) {
			uint32_t skipped = sum - inserted, a = frames + inserted,
				 b = frames + skipped;

			if (inserted <= FRAMES_INSERTED_MAX && skipped <= FRAMES_SKIPPED_MAX &&
			    a < cfi->count && b < truth->count && joins(cfi, a, truth, b, rooted))
				return splice(cfi, a, truth, b, ret);
		}
	return false;
}
