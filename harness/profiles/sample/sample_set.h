/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sample_set.h - all the stacks that a program was seen to have, and whether another is one of them
 *
 * A stack is its PCs, innermost first, as struct stack has them.
 */
#ifndef STACKPROOF_SAMPLE_SET_H
#define STACKPROOF_SAMPLE_SET_H

#include "error.h"
#include "walk/stack.h"

/* What a stack is to a set. */
enum set_match {
	SET_NONE,   /* it parts from every stack of the set */
	SET_PREFIX, /* the first frames of one, not all of them */
	SET_OPEN,   /* all frames of one that is only known so far, or those and more */
	SET_WHOLE,  /* a stack of the set, frame by frame */
};

struct sample_set;
struct sample_set *sample_set_create(void);
void sample_set_destroy(struct sample_set *set);

/* Adds a stack; whole: nothing is below its last frame. What is there already is not added again.
 * ERROR_TABLE_LIMIT: the set is full. An empty stack is not added. */
int sample_set_add(struct sample_set *set, const uint64_t *pc, uint32_t count, bool whole,
		   struct error *error);
/* Every PC is compared. A stack that is found whole or open is marked as met. */
enum set_match sample_set_find(struct sample_set *set, const uint64_t *pc, uint32_t count);

/* Distinct stacks that were added, how many of them were met, and frames of the deepest. */
uint64_t sample_set_count(const struct sample_set *set);
uint64_t sample_set_met(const struct sample_set *set);
void sample_set_forget_met(struct sample_set *set);
uint32_t sample_set_depth(const struct sample_set *set);

/* The stack that agrees with pc in the most outer frames, which are counted in *ret_common; false
 * if none agrees in one. For a stack that is not in the set: where its walk lost the way. */
bool sample_set_nearest(const struct sample_set *set, const uint64_t *pc, uint32_t count,
			struct stack *ret, uint32_t *ret_common);

#endif
