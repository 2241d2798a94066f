/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_stacks.h - each point's stacks, in a file: the true one and every engine's
 *
 * NDJSON, an object for each point when it is met (docs/JSON.md). A point's verdict may be
 * provisional, since a doubt ends later. If the truth of a point does not stand, a later object says
 * so.
 */
#ifndef STACKPROOF_COMPARE_STACKS_H
#define STACKPROOF_COMPARE_STACKS_H

#include "compare.h"

struct compare_stacks;
/* Begins the file. -1: error is set. compare_stacks_close() frees *ret. */
int compare_stacks_create(const char *path, struct compare_stacks **ret, struct error *error);
/* A program's run begins; the name is copied. */
void compare_stacks_begin(struct compare_stacks *stacks, const char *program);
/* The run has ended. partial: run_cut_word()'s text, or NULL. */
void compare_stacks_end(struct compare_stacks *stacks, const char *partial);
/* Closes the file; stacks may be NULL. -1: not all could be written. */
int compare_stacks_close(struct compare_stacks *stacks, struct error *error);

/* For the callbacks of struct compare_options. */
void compare_stacks_evidence(struct compare_stacks *stacks, const struct evidence *evidence);
void compare_stacks_stack(struct compare_stacks *stacks, const struct point *point,
			  const struct engine *engine, const struct stack *stack);
int compare_stacks_point(struct compare_stacks *stacks, const struct point *point,
			 const struct judgement *judgement, struct error *error);
/* The truth of a point (counted from 0) did not stand. by_claim: the CFI's claim stands; false: the
 * point is unproven. */
void compare_stacks_settle(struct compare_stacks *stacks, uint64_t point, bool by_claim);
void compare_stacks_mappings(struct compare_stacks *stacks);

#endif
