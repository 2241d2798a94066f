/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_set.h - a set of stacks, and whether a stack is in it
 *
 * A stack is its PCs, innermost first, as struct stack has them.
 */
#ifndef STACKPROOF_SAMPLE_SET_H
#define STACKPROOF_SAMPLE_SET_H

#include "error.h"
#include "walk/stack.h"

/* How a stack matches a set. */
enum set_match {
	SET_NONE,   /* it differs from every stack of the set */
	SET_PREFIX, /* it is the first frames of a stack of the set, but not all */
	SET_OPEN,   /* it has all frames of a stack that is not whole, and perhaps more */
	SET_WHOLE,  /* it is a whole stack of the set */
};

struct sample_set;
/* NULL: no memory. */
struct sample_set *sample_set_create(void);
void sample_set_destroy(struct sample_set *set);

/* Adds a stack of count PCs, unless the set has it or count is 0. whole: its last frame has no caller.
 * ERROR_TABLE_LIMIT: the set is full. ERROR_MEMORY. */
int sample_set_add(struct sample_set *set, const uint64_t *pc, uint32_t count, bool whole,
		   struct error *error);
/* Compares every PC. A stack that is found whole or open is marked as met. */
enum set_match sample_set_find(struct sample_set *set, const uint64_t *pc, uint32_t count);

/* The number of different stacks, how many of them were met, and the frames of the deepest. */
uint64_t sample_set_count(const struct sample_set *set);
uint64_t sample_set_met(const struct sample_set *set);
void sample_set_forget_met(struct sample_set *set);
uint32_t sample_set_depth(const struct sample_set *set);

/* For a stack that is not in the set: finds the stack that shares the most outermost frames with it
 * (*ret_common), so that one sees where the walk went wrong. False: none shares any, or no memory. */
bool sample_set_nearest(const struct sample_set *set, const uint64_t *pc, uint32_t count,
			struct stack *ret, uint32_t *ret_common);

#endif
