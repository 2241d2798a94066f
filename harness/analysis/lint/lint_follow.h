/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_follow.h - all functions of an image
 */
#ifndef STACKPROOF_LINT_FOLLOW_H
#define STACKPROOF_LINT_FOLLOW_H

#include "lint_begin.h"
#include "lint_judge.h"
#include "lint_middle.h"

/* ---- paths that end where others go on, for what they bring is not what the row says ------ */

#define LINT_DEFERRALS_MAX 64 /* of one function */

/* A path of the function comes to pc. */
struct lint_deferral {
	uint64_t function, pc;
	enum flow_reason why; /* what is wrong for it is unproven */
	size_t accused; /* how many findings were held when the one was that accuses it; 0: none does */
	struct flow_state state;
};

/* Zero-initialised: none. lint_deferrals_deinit(). */
struct lint_deferrals {
	struct lint_deferral *deferral;
	size_t count;
	bool no_memory;
};

/* False: there are too many. */
bool lint_deferrals_add(struct lint_deferrals *deferrals, const struct lint_deferral *deferral);
/* The same world, in which a path is followed on trial. */
struct flow_world lint_deferral_world(const struct flow_world *world);

/* ---- jumps out of a function to where another one's fragment begins, with another frame ------ */

struct lint_crossing {
	uint64_t function, fragment; /* where they begin */
	bool falls;		     /* what comes there has no end before */
	bool followed;
	enum flow_reason why;	  /* it accuses nobody */
	struct flow_state *state; /* of who is not, once that is decided; or NULL */
};

struct lint_crossings {
	struct lint_crossing *crossing;
	size_t count;
	struct lint_crossing *doubt; /* paths that perhaps lead there, and are none of these */
	size_t doubt_count;
	bool decided;
	bool no_memory;
};

/* The function leads there. Whether the path is to be followed: not before all are known. */
bool lint_crossing_meet(struct lint_crossings *crossings, uint64_t function, uint64_t fragment,
			const struct flow_state *state, bool falls);
/* All functions have been followed, but for crossings. */
int lint_crossings_decide(struct lint_crossings *crossings, const struct lint_judge *judge,
			  struct code_decoder *decoder, struct error *error);
void lint_crossings_deinit(struct lint_crossings *crossings);

/* ---- functions that say from their begin on that they have no caller --------------------- */

/* Zeros are an empty one. */
struct lint_ends {
	struct lint_addresses begin; /* of such FDEs */
	bool *kept;		     /* by its number there: something keeps its address */
	struct lint_addresses first; /* what a process goes on with from its first function */
};

/* The row says that there is no caller: is that so? Sets the verdict. */
void lint_end_judge(const struct lint_judge *judge, const struct flow *flow,
		    const struct flow_state *state, struct flow_row_verdict *verdict);

/* ---- functions that go on in an interrupt's handler -------------------------------------- */

/* A function that ends in another one. Both by their begin. */
struct lint_tail {
	uint64_t from, to;
};

/* Zeros are an empty one. lint_handlers_deinit(). */
struct lint_handlers {
	uint64_t function; /* the one at hand */
	struct lint_tail *tail;
	size_t count, room;
	struct lint_addresses begin; /* of handlers, by how they leave */
	bool no_memory;		     /* some are missing */
};

/* ---- all functions of an image, each followed once --------------------------------------- */

/* A path that is sure comes to the instruction at from, which calls pc, in the FDE. */
struct lint_sure_call {
	const struct cfi_fde *fde;
	uint64_t pc, from;
};

/* An image that is linted. What is borrowed stays as it is when its functions are followed once more. */
struct linting {
	struct flow_world world;
	struct lint_judge judge;
	struct flow_clobbers *clobbers; /* borrowed: what is learned for the next time */
	struct flow_proof *proof;	/* borrowed */
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
	struct lint_addresses
		fragments; /* begins of FDEs that perhaps begin inside of a function */
	struct lint_ends ends;
	struct lint_crossings crossings;
	struct lint_deferrals deferrals; /* of the function at hand */
	struct lint_middle middle;
	struct lint_inners inners;
};

#endif
