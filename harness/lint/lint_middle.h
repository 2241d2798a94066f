/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_middle.h - code in the middle of an FDE that is called
 */
#ifndef STACKPROOF_LINT_MIDDLE_H
#define STACKPROOF_LINT_MIDDLE_H

#include "code/code.h"
#include "lint/lint.h"
#include "lint/lint_addresses.h"

struct flow_names;

struct lint_middle {
	struct lint_addresses called; /* sorted */
};

/* doubtful: by_pc, FDEs of which the begin counts as a middle. 0, or -1: no memory, or its code is larger
 * than is read here. lint_middle_deinit() in both cases. */
int lint_middle_init(struct lint_middle *middle, const struct cfi *cfi, const bool *doubtful,
		     struct code_decoder *decoder, struct flow_names *names, struct error *error);
void lint_middle_deinit(struct lint_middle *middle);
/* The first from begin on, before end; 0: there is none. */
uint64_t lint_middle_next(const struct lint_middle *middle, uint64_t begin, uint64_t end);

#endif
