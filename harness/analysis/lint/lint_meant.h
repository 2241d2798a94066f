/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_meant.h - branches that lead where compilers hold that nobody comes
 */
#ifndef STACKPROOF_LINT_MEANT_H
#define STACKPROOF_LINT_MEANT_H

#include "analysis/flow/flow.h"

/* The code shows that the way is taken, or it is no branch whose target may be none. */
bool lint_edge_is_meant(const struct flow *flow, const struct flow_edge *edge);

#endif
