/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_inner.h - functions inside an FDE that nothing but calls into its middle enters
 */
#ifndef STACKPROOF_LINT_INNER_H
#define STACKPROOF_LINT_INNER_H

#include "lint_judge.h"
#include "lint_middle.h"

#define LINT_INNER_JUMPS_MAX 8 /* that lead back to the begin of one */

/* What a call into the middle of the FDE leads to. */
struct lint_inner {
	uint64_t pc;
	const struct cfi_fde *fde;
	const struct lint_middle *middle;
	bool accuses;			     /* nothing is in doubt */
	bool found;			     /* it would */
	bool doubted;			     /* something else may come there, */
	uint64_t jump[LINT_INNER_JUMPS_MAX]; /* or does so from its own code */
	size_t jump_count;
};

/* Zeros are none. */
struct lint_inners {
	struct lint_inner *inner;
	size_t count;
	bool no_memory;
};

/* Judges its ways: nothing of them is accused yet. own: the ways of the FDE's function. 0, or -1:
 * no memory. */
int lint_inners_meet(struct lint_inners *inners, struct lint_inner *inner, const struct flow *own,
		     struct lint_judge *judge, struct flow_world *world, struct lint_sum *sum,
		     struct error *error);
/* Once all else was followed: those rows are wrong that are so on the only way there. 0, or -1:
 * no memory. */
int lint_inners_decide(struct lint_inners *inners, struct lint_judge *judge,
		       const struct flow_world *world, struct lint_sum *sum, struct error *error);
void lint_inners_deinit(struct lint_inners *inners);

/* The judge's inner one accuses the row, which is wrong by the verdict; false, too, if there is none. */
bool lint_inner_accuses(const struct lint_judge *judge, const struct flow_part *part,
			const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_verdict *verdict);
/* The way to the block; if there is a judge's inner one, from a call of that on. */
void lint_inner_path(const struct lint_judge *judge, const struct flow_block *block,
		     struct flow_path *ret);

#endif
