/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_proof.h - a function whose rows are all right, shown in one pass over its code
 */
#ifndef STACKPROOF_FLOW_PROOF_H
#define STACKPROOF_FLOW_PROOF_H

#include "flow.h"

struct flow_proof;

/* The caller frees it: flow_proof_destroy(). NULL: no memory. It serves any number of functions. */
struct flow_proof *flow_proof_create(void);
void flow_proof_destroy(struct flow_proof *proof);
/* Follows the function's paths as long as all rows are right. *ret_proven: all instructions of its first fragment
 * were reached, and all that was reached is proven. If not, nothing is known, and the flow is as flow_init() left it.
 * 0, or -1: no memory. */
int flow_proof_try(struct flow_proof *proof, struct flow *flow, bool *ret_proven,
		   struct error *error);
/* A path comes to the instruction. Only after a successful proof, as long as the flow exists. */
static inline bool flow_proof_reached(const struct flow_fragment *fragment, const struct code *code)
{
	return fragment->block_at[code->pc - fragment->begin] != 0;
}

/* ---- called by flow.c, while flow->proof is set --------------------------------------- */

/* A path comes to pc, in the fragment. 0, or -1: no memory. */
int flow_proof_arrive(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, const struct flow_path *path,
		      struct error *error);
/* A path does what this proof doesn't follow: it fails. */
void flow_proof_fail(struct flow *flow);
/* Follows all paths that have come to a label. 0, or -1: no memory. */
int flow_proof_follow(struct flow *flow, struct error *error);

#endif
