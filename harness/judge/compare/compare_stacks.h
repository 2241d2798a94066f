/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_stacks.h - each point's stacks, in a file: the true one and every engine's
 *
 * NDJSON, an object for each point when it is met (docs/JSON.md). Its verdict is how it looks there:
 * a doubt ends later. So who listens is told by another object of each point whose truth did not
 * stand.
 */
#ifndef STACKPROOF_COMPARE_STACKS_H
#define STACKPROOF_COMPARE_STACKS_H

#include "compare.h"

struct compare_stacks;
/* Begins the file. *ret: compare_stacks_close(). */
int compare_stacks_create(const char *path, struct compare_stacks **ret, struct error *error);
/* A program begins; the name is borrowed. */
void compare_stacks_begin(struct compare_stacks *stacks, const char *program);
/* And its run has ended, partial as run_cut_word() says. */
void compare_stacks_end(struct compare_stacks *stacks, const char *partial);
/* NULL: there is none. -1: not all of it could be written. */
int compare_stacks_close(struct compare_stacks *stacks, struct error *error);

/* What struct compare_options tells; context is the file. */
void compare_stacks_evidence(struct compare_stacks *stacks, const struct evidence *evidence);
void compare_stacks_stack(struct compare_stacks *stacks, const struct point *point,
			  const struct engine *engine, const struct stack *stack);
int compare_stacks_point(struct compare_stacks *stacks, const struct point *point,
			 const struct judgement *judgement, struct error *error);
/* The truth of a point, by its number from 0 on, did not stand: the CFI's claim does, or nobody knows.
 */
void compare_stacks_settle(struct compare_stacks *stacks, uint64_t point, bool by_claim);
void compare_stacks_mappings(struct compare_stacks *stacks);

#endif
