/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_follow.h - all functions of an image, each followed once
 */
#ifndef STACKPROOF_LINT_FOLLOW_H
#define STACKPROOF_LINT_FOLLOW_H

#include "lint_addresses.h"
#include "lint_aside.h"
#include "lint_end.h"
#include "lint_framed.h"
#include "lint_handler.h"
#include "lint_inner.h"
#include "lint_judge.h"
#include "lint_middle.h"
#include "lint_stray.h"

/* A way that is sure comes to the instruction at from, which calls pc, in the FDE. */
struct lint_sure_call {
	const struct cfi_fde *fde;
	uint64_t pc, from;
};

/* An image that is linted. What is borrowed stays as it is when its functions are followed once more. */
struct linting {
	struct flow_world world;
	struct lint_judge judge;
	struct flow_breaking *breaking; /* borrowed: what is learned for the next time */
	struct flow_proof *proof;	/* borrowed */
	bool *called;			/* by number: FDEs whose begin is called */
	struct lint_sure_call *calls; /* of the function at hand, of which it is not decided yet */
	size_t call_count, call_room;
	bool no_memory;
	struct lint_addresses uncovered;
	struct lint_addresses entered; /* of these who is called, or is a function by a symbol */
	struct lint_framed framed;
	struct lint_handlers handlers;
	struct lint_addresses
		open; /* numbers in by_pc of FDEs with wrong rows, if they are entered at all */
	struct lint_addresses tails; /* what jumps lead to with the frame of a call */
	struct lint_addresses parts; /* begins of FDEs that perhaps begin inside of a function */
	struct lint_ends ends;
	struct lint_strays strays;
	struct lint_asides asides; /* of the function at hand */
	struct lint_middle middle;
	struct lint_inners inners;
	bool *doubtful;	      /* by_pc: FDEs that perhaps begin where no function does */
	bool *later;	      /* those that begin in the middle */
	struct lint_sum *sum; /* by number: what each came to */
	bool *again; /* by_pc: those that lead to a part that is perhaps another function's */
};

/* The world and the judge are set up, but for the judge's own; all else is zero. 0, or -1; lint_follow_deinit() in both
 * cases. */
int lint_follow_init(struct linting *linting, struct error *error);
/* object: that the image was made of, or NULL. */
int lint_follow(struct linting *linting, const struct object *object, struct error *error);
void lint_follow_deinit(struct linting *linting);

/* For struct flow_world: what ways lead to. */
void lint_follow_watch(struct linting *linting);
/* Of an address that is kept. */
void lint_follow_kept(void *linting, uint64_t pc);

#endif
