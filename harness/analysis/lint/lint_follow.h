/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_follow.h - follows all functions of an image, and decides what was in doubt
 */
#ifndef STACKPROOF_LINT_FOLLOW_H
#define STACKPROOF_LINT_FOLLOW_H

#include "lint_begin.h"
#include "lint_judge.h"
#include "lint_middle.h"

/* ---- deferred paths: they end where another path meets them for which the row is right ---- */

/*
 * A deferred path is followed by itself later, and accuses nobody: where rows are wrong for it they become unproven.
 */

#define LINT_DEFERRALS_MAX 64 /* of one function */

/* The path of the function that comes to pc with that state. */
struct lint_deferral {
	uint64_t function, pc;
	enum flow_reason why; /* of rows that are wrong for it */
	size_t accused; /* the number in held, plus 1, of the finding that accuses it; 0: none does */
	struct flow_state state;
};

/* Zero-initialise. */
struct lint_deferrals {
	struct lint_deferral *deferral;
	size_t count;
	bool no_memory;
};

/* False: there are too many, or no memory. */
bool lint_deferrals_add(struct lint_deferrals *deferrals, const struct lint_deferral *deferral);

/* ---- crossings: jumps to a fragment's begin with another frame than its first row declares --- */

/*
 * The fragment is another function's, or its row is wrong. Which, is decided once all functions are known.
 */

struct lint_crossing {
	uint64_t function, fragment; /* their begins */
	bool falls;		     /* all paths fall into the fragment */
	bool followed;		     /* the path is followed: the row is held against it */
	enum flow_reason why;	     /* of rows that are wrong for a path that is not followed */
	struct flow_state *state;    /* of such a path, once it is decided; or NULL */
};

struct lint_crossings {
	struct lint_crossing *crossing;
	size_t count;
	struct lint_crossing *doubt; /* other paths that perhaps lead there: FLOW_LEADS_PERHAPS */
	size_t doubt_count;
	bool decided;
	bool no_memory;
};

/* Keeps the crossing. Returns whether to follow the path: never before all are decided. */
bool lint_crossing_meet(struct lint_crossings *crossings, uint64_t function, uint64_t fragment,
			const struct flow_state *state, bool falls);
/* Decides which crossings are followed, once all functions were. 0, or -1: no memory. */
int lint_crossings_decide(struct lint_crossings *crossings, const struct lint_judge *judge,
			  struct error *error);
void lint_crossings_deinit(struct lint_crossings *crossings);

/* ---- functions whose first row says that they have no caller ----------------------------- */

/* Zero-initialise. */
struct lint_ends {
	struct lint_addresses begin; /* of their FDEs */
	bool *kept;		     /* by the number in begin: its address is taken */
	struct lint_addresses first; /* where a process goes on from its first function */
};

/* The row says that there is no caller. Sets the verdict: whether that is true. */
void lint_end_judge(const struct lint_judge *judge, const struct flow *flow,
		    const struct flow_state *state, struct flow_row_verdict *verdict);

/* ---- functions that end in an interrupt's handler ---------------------------------------- */

/* A function that ends in a jump to another. Both by their begins. */
struct lint_tail {
	uint64_t from, to;
};

/* Zero-initialise. */
struct lint_handlers {
	uint64_t function; /* that is followed now */
	struct lint_tail *tail;
	size_t count, room;
	struct lint_addresses begin; /* of handlers, by how they return */
	bool no_memory;		     /* some tails are missing */
};

/* ---- all functions of an image, each followed once --------------------------------------- */

/* A sure path comes to the instruction at from, which calls pc, in that FDE. */
struct lint_sure_call {
	const struct cfi_fde *fde;
	uint64_t pc, from;
};

/* An image that is linted. */
struct linting {
	struct flow_world *world; /* borrowed: it stays when functions are followed again */
	struct lint_judge judge;
	struct lint_sure_call *calls; /* of the function that is followed, not noted in judge yet */
	size_t call_count, call_room;
	bool no_memory;
	struct lint_addresses uncovered; /* led to by a path, a symbol or a taken address; no FDE */
	struct lint_addresses entered;	 /* those of them that not only jumps lead to */
	struct lint_framed framed;
	struct lint_handlers handlers;
	struct lint_addresses
		open; /* numbers in by_pc of FDEs with wrong rows that are perhaps never entered */
	struct lint_addresses tails; /* what calls of plain fragments, or tail calls, lead to */
	struct lint_addresses
		fragments; /* begins of FDEs that perhaps begin inside a function (lint_known.later) */
	struct lint_ends ends;
	struct lint_crossings crossings;
	struct lint_deferrals deferrals; /* of the function that is followed */
	struct lint_middle middle;
	struct lint_inners inners;
};

#endif
