/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_proof.h - a function whose rows are all right, shown in one pass over its code
 */
#ifndef STACKPROOF_LINT_PROOF_H
#define STACKPROOF_LINT_PROOF_H

#include "lint/lint_flow.h"

struct lint_proof;

/* NULL: no memory. The caller's: lint_proof_destroy(). One serves any number of functions. */
struct lint_proof *lint_proof_create(void);
void lint_proof_destroy(struct lint_proof *proof);
/* Follows the function's ways as far as all is right. *ret_proven: all instructions of its first part
 * were reached, and everything that was reached is proven. If not, nothing is known, and the flow
 * is as lint_flow_init() left it. 0, or -1: no memory. */
int lint_proof_try(struct lint_proof *proof, struct lint_flow *flow, bool *ret_proven,
		   struct error *error);
/* Each instruction that was reached, once. Only behind a proof, while the flow is there. */
void lint_proof_tell(const struct lint_proof *proof, const struct lint_flow *flow,
		     void (*fn)(void *context, uint64_t pc), void *context);

/* ---- lint_flow.c asks, while a flow has a proof -------------------------------------------- */

/* A way comes to pc, in part. */
int lint_proof_arrive(struct lint_flow *flow, struct lint_part *part, uint64_t pc,
		      const struct lint_state *state, const struct lint_way *way,
		      struct error *error);
/* A way leads where no proof is sought. */
void lint_proof_fail(struct lint_flow *flow);
/* Goes on from all that ways have come to. */
int lint_proof_follow(struct lint_flow *flow, struct error *error);

#endif
