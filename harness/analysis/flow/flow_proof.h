/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_proof.h - a function whose rows are all right, shown in one pass over its code
 */
#ifndef STACKPROOF_FLOW_PROOF_H
#define STACKPROOF_FLOW_PROOF_H

#include "flow.h"

struct flow_proof;

/* NULL: no memory. The caller's: flow_proof_destroy(). One serves any number of functions. */
struct flow_proof *flow_proof_create(void);
void flow_proof_destroy(struct flow_proof *proof);
/* Follows the function's paths as far as all is right. *ret_proven: all instructions of its first fragment
 * were reached, and everything that was reached is proven. If not, nothing is known, and the flow
 * is as flow_init() left it. 0, or -1: no memory. */
int flow_proof_try(struct flow_proof *proof, struct flow *flow, bool *ret_proven,
		   struct error *error);
/* The instruction was reached. Only behind a proof, while the flow is there. */
static inline bool flow_proof_reached(const struct flow_fragment *fragment, const struct code *code)
{
	return fragment->block_at[code->pc - fragment->begin] != 0;
}

/* ---- flow.c asks, while a flow has a proof -------------------------------------------- */

/* A path comes to pc, in part. */
int flow_proof_arrive(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, const struct flow_path *path,
		      struct error *error);
/* A path leads where no proof is sought. */
void flow_proof_fail(struct flow *flow);
/* Goes on from all that ways have come to. */
int flow_proof_follow(struct flow *flow, struct error *error);

#endif
