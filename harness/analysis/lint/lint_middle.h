/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_middle.h - code in the middle of an FDE that is called
 */
#ifndef STACKPROOF_LINT_MIDDLE_H
#define STACKPROOF_LINT_MIDDLE_H

#include "analysis/code/code.h"
#include "analysis/flow/flow_fragment.h"
#include "lint.h"
#include "lint_judge.h"

/* ---- code in the middle of an FDE that is called ----------------------------------------- */

struct flow_callees;
struct flow_world;
struct lint_judge;

/* Bytes that look like a call, or, without from, a function's symbol. */
struct lint_call {
	uint64_t target;
	const struct cfi_fde *from;
	uint64_t at;	 /* their distance from its begin */
	uint64_t behind; /* the same of the first instruction from there on; 0: that is not known */
	enum { LINT_CALL_UNASKED, LINT_CALL_IS_ONE, LINT_CALL_IS_NONE } is;
};

/* In the order of addresses. */
struct lint_target {
	uint64_t pc;
	struct lint_call *call;
	uint64_t
		from; /* of the first of an address: a call of it that a path comes to that is sure, or 0 */
};

struct lint_middle {
	const struct cfi *cfi;
	struct code_decoder *decoder; /* borrowed, both */
	struct lint_call *call;	      /* in the order of addresses */
	struct lint_target *target;   /* of each */
	size_t count, room;
};

/* The begin of an FDE that is doubtful counts as a middle. 0, or -1: no memory, or its code is larger
 * than is read here. lint_middle_deinit() in both cases. */
int lint_middle_init(struct lint_middle *middle, const struct lint_judge *judge,
		     struct code_decoder *decoder, struct flow_callees *callees,
		     struct error *error);
void lint_middle_deinit(struct lint_middle *middle);
/* The first from begin on, before end; 0: there is none. fragment: which both lie in, so that what is decoded of it is
 * decoded once; or NULL. */
uint64_t lint_middle_next(struct lint_middle *middle, struct flow_fragment *fragment,
			  uint64_t begin, uint64_t end);

/* A path that is sure comes to the instruction at from, which calls pc. */
void lint_middle_called(struct lint_middle *middle, uint64_t pc, uint64_t from);

/* Calls into the middle of an instruction: once all was followed, to who wants to know (flow_reach()). */
void lint_middle_hidden(const struct lint_middle *middle, const struct lint_judge *judge,
			const struct flow_world *world);

/* ---- functions inside an FDE that nothing but calls into its middle enters --------------- */

#define LINT_INNER_JUMPS_MAX 8 /* that lead back to the begin of one */

/* What a call into the middle of the FDE leads to. */
struct lint_inner {
	uint64_t pc;
	const struct cfi_fde *fde;
	const struct lint_middle *middle;
	bool accuses;			     /* nothing is in doubt */
	bool found;			     /* it would */
	bool doubted;			     /* something else may come there, */
	uint64_t jump[LINT_INNER_JUMPS_MAX]; /* or does so from its own code */
	size_t jump_count;
};

/* Zeros are none. */
struct lint_inners {
	struct lint_inner *inner;
	size_t count;
	bool no_memory;
};

/* Judges its paths: nothing of them is accused yet. own: the paths of the FDE's function. 0, or -1:
 * no memory. */
int lint_inners_meet(struct lint_inners *inners, struct lint_inner *inner, const struct flow *own,
		     struct lint_judge *judge, struct flow_world *world, struct error *error);
/* Once all else was followed: those rows are wrong that are so on the only path there. 0, or -1:
 * no memory. */
int lint_inners_decide(struct lint_inners *inners, struct lint_judge *judge,
		       const struct flow_world *world, struct error *error);
void lint_inners_deinit(struct lint_inners *inners);

/* The judge's inner one accuses the row, which is wrong by the verdict; false, too, if there is none. */
bool lint_inner_accuses(const struct lint_judge *judge, const struct flow_fragment *fragment,
			const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_verdict *verdict);
/* The path to the block; if there is a judge's inner one, from a call of that on. */
void lint_inner_path(const struct lint_judge *judge, const struct flow_block *block,
		     struct flow_trace *ret);

#endif
