/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * match.c - one stack against the truth
 *
 * Stacks are compared frame by frame, as addresses. Why the engine stopped plays no part here: an
 * engine that has every frame is exact even if it could not prove that there is no more.
 */
#include <assert.h>
#include <string.h>
#include "verdict.h"

static const char *const match_names[MATCH_COUNT] = {
	[MATCH_EXACT] = "exact",
	[MATCH_TRUNCATED] = "truncated",
	[MATCH_WRONG] = "wrong",
	[MATCH_EXTRA] = "extra",
};

const char *match_name(enum match match)
{
	assert(match < MATCH_COUNT);
	return match_names[match];
}

enum match match_stack(const struct stack *stack, const struct stack *truth, bool rooted,
		       uint32_t *ret_frames)
{
	uint32_t shorter = stack->count < truth->count ? stack->count : truth->count;
	uint32_t frames = 0;

	while (frames < shorter && stack_pc(stack, frames) == stack_pc(truth, frames))
		frames++;
	*ret_frames = frames;
	if (frames < shorter)
		return MATCH_WRONG;
	if (stack->count < truth->count)
		return MATCH_TRUNCATED;
	if (stack->count > truth->count && rooted)
		return MATCH_EXTRA;
	return MATCH_EXACT;
}

bool stack_equal(const struct stack *a, const struct stack *b)
{
	return a->count == b->count && a->stop == b->stop &&
	       (!a->count || memcmp(a->pc, b->pc, a->count * sizeof(a->pc[0])) == 0);
}
