/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_end.h - functions that say from their begin on that they have no caller
 */
#ifndef STACKPROOF_LINT_END_H
#define STACKPROOF_LINT_END_H

#include "lint_addresses.h"
#include "lint_judge.h"

/* Zeros are an empty one. */
struct lint_ends {
	struct lint_addresses begin; /* of such FDEs */
	bool *kept;		     /* by its number there: something keeps its address */
	struct lint_addresses first; /* what a process goes on with from its first function */
};

/* The part is one: it says so, and it is not where a process begins. */
bool lint_end_is(const struct flow_world *world, const struct flow_part *part);
/* Finds out whose address is kept, once all of them were added. 0, or -1: no memory. */
int lint_ends_decide(struct lint_ends *ends, const struct cfi *cfi, struct code_decoder *decoder,
		     struct error *error);
/* Of one that nothing but calls enters, or jumps from where a process begins. */
enum lint_end lint_end_of(const struct lint_ends *ends, uint64_t pc, bool is_called);
/* It is one, and nothing keeps its address. */
bool lint_end_is_unkept(const struct lint_ends *ends, uint64_t pc);
/* The row says that there is no caller: is that so? Sets the verdict. */
void lint_end_judge(const struct lint_judge *judge, const struct flow *flow,
		    const struct flow_state *state, struct flow_row_verdict *verdict);
void lint_ends_deinit(struct lint_ends *ends);

#endif
