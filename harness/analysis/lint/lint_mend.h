/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_mend.h - the directive of the assembler that would make a wrong row right
 */
#ifndef STACKPROOF_LINT_MEND_H
#define STACKPROOF_LINT_MEND_H

#include "lint.h"

/* Sets the finding's mend, if one directive before its first instruction makes the row what the state says. */
void lint_mend_set(const struct row *row, const struct flow_state *state,
		   const struct flow_row_verdict *verdict, struct lint_finding *finding);

#endif
