/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_enter.h - where an FDE is entered besides its begin
 *
 * Each follows all ways from there, of the flow's first part. 0, or -1: no memory.
 */
#ifndef STACKPROOF_LINT_ENTER_H
#define STACKPROOF_LINT_ENTER_H

#include "analysis/flow/flow.h"

/* Every stub of a PLT is an entry. */
int lint_enter_stubs(struct flow *flow, struct error *error);
/* Every function that lies in the FDE of another, too. */
int lint_enter_others(struct flow *flow, struct error *error);
/* Functions that the FDE covers besides the one that it begins with: no way of that one leads there, it has a
 * function's symbol and no FDE of its own, and its row says that it was called. */
int lint_enter_functions(struct flow *flow, struct error *error);

#endif
