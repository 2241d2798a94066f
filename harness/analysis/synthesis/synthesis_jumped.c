/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_jumped.c - code that a symbol calls a function, and that is only jumped to
 *
 * GHC's is: it has a stack of its own in rbp, and no return address lies at rsp where it begins. Of such code
 * no call is seen, no way returns, and one goes on elsewhere with registers overwritten that a callee of the
 * psABI preserves. What does nothing but to jump there with its caller's frame is no better.
 *
 * Nor is it if the CPU enters it: an interrupt's handler may have an error code where a function has its return
 * address. One that leaves by iret is known for that. One that never ends (a double fault's) looks like any function
 * that never does; so where an image has handlers, and nothing is seen to call it, it is perhaps one.
 */
#include <search.h>
#include <stdlib.h>
#include "array.h"
#include "synthesis.h"

static int add(struct synthesis_jumped *jumped, uint64_t begin, uint64_t to, bool endless,
	       struct error *error)
{
	if (!ARRAY_GROW(jumped->leaving, jumped->count))
		return error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
	jumped->leaving[jumped->count++] =
		(struct synthesis_leaving) { .begin = begin, .to = to, .endless = endless };
	return 0;
}

int synthesis_jumped_add(struct synthesis_jumped *jumped, uint64_t begin, bool breaks,
			 const uint64_t *to, size_t count, struct error *error)
{
	for (size_t i = 0; i < count + breaks; i++)
		if (add(jumped, begin, i < count ? to[i] : 0, false, error))
			return -1;
	return 0;
}

int synthesis_jumped_endless(struct synthesis_jumped *jumped, uint64_t begin, struct error *error)
{
	return add(jumped, begin, 0, true, error);
}

bool synthesis_jumped_has(const struct synthesis_jumped *jumped, uint64_t begin)
{
	return tfind(&begin, &jumped->root, array_order_u64) != NULL;
}

int synthesis_jumped_spread(struct synthesis_jumped *jumped, struct error *error)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < jumped->count; i++) {
			struct synthesis_leaving *leaving = &jumped->leaving[i];

			if ((leaving->endless && !jumped->handlers) ||
			    (leaving->to && !synthesis_jumped_has(jumped, leaving->to)) ||
			    synthesis_jumped_has(jumped, leaving->begin))
				continue;
			if (!tsearch(&leaving->begin, &jumped->root, array_order_u64))
				return error_set(error, ERROR_MEMORY, NULL, 0,
						 "functions without CFI");
			changed = true;
		}
	}
	return 0;
}

static void keep(void *begin)
{
}

void synthesis_jumped_deinit(struct synthesis_jumped *jumped)
{
	tdestroy(jumped->root, keep);
	free(jumped->leaving);
	*jumped = (struct synthesis_jumped) { NULL };
}
