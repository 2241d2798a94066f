/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_framed.h - FDEs that are entered with a frame that their first row doesn't know
 */
#ifndef STACKPROOF_LINT_FRAMED_H
#define STACKPROOF_LINT_FRAMED_H

#include "lint_addresses.h"
#include "lint_judge.h"

/* Zeros are an empty one. The lists are the owner's to free. */
struct lint_framed {
	struct lint_addresses framed;  /* FDEs' begins that a way leads to with a frame */
	struct lint_addresses entered; /* those that one leads to as to a function */
	struct lint_addresses called;  /* those that a part without a frame calls */
};

/* The part has no frame anywhere (lint_judge_plain()): whom it calls and jumps to, it enters as a function. */
void lint_framed_plain(struct lint_framed *framed, const struct flow_part *part);
/* Its begin is one of `entered`, before lint_framed_decide(). */
bool lint_framed_enters(const struct lint_framed *framed, uint64_t pc);
/* A part that has no frame anywhere calls it. */
bool lint_framed_calls(const struct lint_framed *framed, uint64_t pc);
/* Those of the FDEs' begins in among (NULL: of all) that nothing is seen to enter as a function, though a way leads there
 * with a frame: not one of `entered`, without a symbol, and with an address that nothing keeps. The list is the
 * caller's to free. 0, or -1: no memory. */
int lint_framed_find(struct lint_framed *framed, const struct cfi *cfi,
		     struct code_decoder *decoder, const bool *called,
		     const struct lint_addresses *among, struct lint_addresses *ret,
		     struct error *error);
/* Takes back what was proven of each of these. sum: of each FDE by its number, marked as met if so. 0, or -1: no
 * memory. */
int lint_framed_decide(struct lint_framed *framed, struct lint_judge *judge,
		       struct code_decoder *decoder, const bool *called, struct lint_sum *sum,
		       struct error *error);
/* Of the FDE that begins at pc what was proven is not, for that reason. */
int lint_framed_take_back(struct lint_judge *judge, struct code_decoder *decoder, uint64_t pc,
			  enum flow_reason why, struct lint_sum *sum, struct error *error);
void lint_framed_deinit(struct lint_framed *framed);

#endif
