/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_kept.h - functions without an FDE of which only the address is kept
 */
#ifndef STACKPROOF_LINT_KEPT_H
#define STACKPROOF_LINT_KEPT_H

#include "analysis/code/code.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_image.h"
#include "lint_addresses.h"

#define LINT_KEPT_BYTES_MAX (1u << 20) /* of one function */

/* Tells of ascending addresses each one that a word keeps, or that an instruction of an FDE makes, in their
 * order. 0, or -1: no memory. */
int lint_kept_which(const struct cfi *cfi, struct code_decoder *decoder,
		    const struct lint_addresses *addresses, flow_taken_fn fn, void *context,
		    struct error *error);
/* Tells each, in the order of addresses. 0, or -1: no memory. */
int lint_kept_find(const struct cfi *cfi, struct code_decoder *decoder,
		   struct flow_callees *callees, flow_taken_fn fn, void *context,
		   struct error *error);

#endif
