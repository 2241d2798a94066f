/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_plain.h - parts that never touch what their one row speaks of
 */
#ifndef STACKPROOF_LINT_PLAIN_H
#define STACKPROOF_LINT_PLAIN_H

#include "lint.h"

/* The part is one. All its instructions are decoded then, and no others. */
bool lint_plain_is(const struct cfi *cfi, struct code_decoder *decoder,
		   struct flow_callees *callees, struct flow_part *part);
/* What is known at all its instructions alike: watch->point is not NULL. */
void lint_plain_tell(const struct lint_watch *watch, const struct flow_part *part);

#endif
