/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_middle.h - calls into the middle of an FDE
 *
 * Assembly calls inner routines of a function. Such a call enters the FDE with a frame of its own, for which the row
 * there may be wrong. What returns an int returns 0, or -1 without memory.
 */
#ifndef STACKPROOF_LINT_MIDDLE_H
#define STACKPROOF_LINT_MIDDLE_H

#include "lint_judge.h"

/* ---- what is called in the middle of an FDE ---------------------------------------------- */

/* Bytes that look like a call of target; or, if from is NULL, a function's symbol at target. */
struct lint_call {
	uint64_t target;
	const struct cfi_fde *from; /* the FDE that has the bytes */
	uint64_t at;		    /* the distance of the bytes from its begin */
	uint64_t behind; /* the same of the first instruction at or behind them; 0: not known yet */
	enum { LINT_CALL_UNASKED, LINT_CALL_IS_ONE, LINT_CALL_IS_NONE } is;
};

struct lint_target {
	uint64_t pc;
	struct lint_call *call;
	uint64_t
		from; /* a call of pc that a sure path comes to, or 0; only in the first element of that pc */
};

struct lint_middle {
	const struct flow_world *world; /* borrowed */
	struct lint_call *call;		/* by address; then those by symbols */
	struct lint_target *target;	/* the target of each, by address */
	size_t count, room;
};

/* Finds all such calls. A doubtful begin of an FDE counts as its middle. lint_middle_deinit() in both cases. */
int lint_middle_init(struct lint_middle *middle, const struct lint_judge *judge,
		     struct error *error);
void lint_middle_deinit(struct lint_middle *middle);
/* The first target in begin .. end that is really called; 0: none. fragment: NULL, or the one that covers begin .. end,
 * so that it is decoded only once. */
uint64_t lint_middle_next(struct lint_middle *middle, struct flow_fragment *fragment,
			  uint64_t begin, uint64_t end);

/* A sure path comes to the instruction at from, which calls pc. */
void lint_middle_called(struct lint_middle *middle, uint64_t pc, uint64_t from);

/* Once all was followed: tells calls into the middle of an instruction that paths came to (flow_reach()). */
void lint_middle_hidden(const struct lint_middle *middle, const struct lint_judge *judge);

/* ---- inner functions: only calls into the middle of an FDE enter them -------------------- */

#define LINT_INNER_JUMPS_MAX 8 /* jumps back to its begin */

/* What such a call leads to. */
struct lint_inner {
	uint64_t pc;
	const struct cfi_fde *fde;
	const struct lint_middle *middle;
	bool accuses;			     /* nothing is in doubt: wrong rows are findings */
	bool found;			     /* some row is wrong */
	bool doubted;			     /* something else perhaps enters it */
	uint64_t jump[LINT_INNER_JUMPS_MAX]; /* what looks like jumps to pc: its own code? */
	size_t jump_count;
};

/* Zero-initialise; lint_inners_deinit(). */
struct lint_inners {
	struct lint_inner *inner;
	size_t count;
	bool no_memory;
};

/* Judges the paths from inner->pc, which accuse nobody yet, and keeps inner if it may accuse later. own: the flow of
 * the FDE's function. */
int lint_inners_meet(struct lint_inners *inners, struct lint_inner *inner, const struct flow *own,
		     struct lint_judge *judge, struct error *error);
/* Once all else was followed: if only calls enter an inner function, its wrong rows are findings. */
int lint_inners_decide(struct lint_inners *inners, struct lint_judge *judge, struct error *error);
void lint_inners_deinit(struct lint_inners *inners);

/* judge->inner accuses the row, which is wrong by the verdict. False if there is no inner. */
bool lint_inner_accuses(const struct lint_judge *judge, const struct flow_fragment *fragment,
			const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_verdict *verdict);
/* A path to the block; with judge->inner it begins at a call of that. */
void lint_inner_path(const struct lint_judge *judge, const struct flow_block *block,
		     struct flow_trace *ret);

#endif
