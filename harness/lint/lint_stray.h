/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_stray.h - jumps out of a function to where another one's part begins, with another frame
 */
#ifndef STACKPROOF_LINT_STRAY_H
#define STACKPROOF_LINT_STRAY_H

#include "lint/lint_judge.h"

struct lint_stray {
	uint64_t function, part; /* where they begin */
	bool followed;
};

struct lint_strays {
	struct lint_stray *stray;
	size_t count;
	bool decided;
	bool no_memory;
};

/* The function jumps there. Whether the way is to be followed: not before all are known. */
bool lint_stray_meet(struct lint_strays *strays, uint64_t function, uint64_t part);
/* All functions have been followed, but for strays. */
int lint_strays_decide(struct lint_strays *strays, const struct lint_judge *judge,
		       struct code_decoder *decoder, struct error *error);
void lint_strays_deinit(struct lint_strays *strays);

#endif
