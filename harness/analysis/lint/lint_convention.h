/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_convention.h - does a register without a rule keep what its caller had in it?
 */
#ifndef STACKPROOF_LINT_CONVENTION_H
#define STACKPROOF_LINT_CONVENTION_H

#include "analysis/flow/flow.h"

/* Having no rule for the register, of which the verdict is, doesn't say that it is unchanged: the function is none of
 * the psABI's, or nobody knows. Or the rule that says that it is lost is right but for what lies below rsp. state: of
 * which the verdict is. */
bool lint_convention_is(const struct flow *flow, const struct flow_part *part,
			const struct flow_state *state, const struct flow_row_verdict *verdict);
/* Why what is so is unproven. */
enum flow_reason lint_convention_reason(const struct flow_row_verdict *verdict);

#endif
