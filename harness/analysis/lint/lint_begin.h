/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_begin.h - where functions begin, and where FDEs are entered
 *
 * What returns an int returns 0, or -1 without memory.
 */
#ifndef STACKPROOF_LINT_BEGIN_H
#define STACKPROOF_LINT_BEGIN_H

#include "lint_judge.h"

/* ---- whether a function begins where an FDE does ----------------------------------------- */

/* The FDE of that number in cfi->by_pc perhaps begins where no function does: another FDE covers its begin, or code
 * that no FDE covers goes on into it. */
bool lint_begin_doubtful(const struct flow_world *world, size_t number);
/* The state at the begin of the FDE of that number, if `from` was called and the instructions in between go straight on.
 * False: they don't, or another FDE covers them. */
bool lint_begin_state(const struct flow_world *world, size_t number, uint64_t from,
		      struct flow_state *ret);

/* A function's symbol begins at pc. */
bool lint_begin_is_named(const struct image *image, uint64_t pc);
/* Code outside of this image may call pc. Hidden symbols are not seen outside; a program keeps them as global symbols,
 * a shared object as local ones (gABI, chapter 4, "Symbol Visibility"). */
bool lint_begin_is_exported(const struct image *image, uint64_t pc);

/* ---- where an FDE is entered besides its begin ------------------------------------------- */

/* These three follow paths from more entries in the flow's first fragment. */

/* From each stub of a PLT. */
int lint_enter_stubs(struct flow *flow, struct error *error);
/* From each function that lies behind the end of the FDE's own: lint_extent_next(). */
int lint_enter_others(struct flow *flow, struct error *error);
/* From each function's symbol in the FDE that no path has reached, where the row is that of a function that was just
 * called. */
int lint_enter_functions(struct flow *flow, struct error *error);

/* ---- whether an FDE's code is a function that is called, by how it ends ------------------ */

/* What an FDE's code does if it was just called, whatever its rows say. */
struct lint_as_called {
	/* All paths return as a called function does, or end in a tail call. So a first row with more on the stack than
	 * the return address is wrong, whatever leads there. */
	bool returns;
	bool returns_itself; /* the same, and some path returns */
	/* The code doesn't end as a called function does. Perhaps something else enters it, as its rows may say: the
	 * CPU with an error code, or a PLT's stub that pushed words. */
	bool refuted;
	bool handler; /* it ends as an interrupt's handler does */
};

/* Follows the FDE's code without its rows. world's callbacks are called as ever. */
int lint_as_called_find(struct flow_world *world, const struct cfi_fde *fde,
			struct lint_as_called *ret, struct error *error);

/* ---- functions without an FDE whose address is taken ------------------------------------- */

#define LINT_KEPT_BYTES_MAX (1u << 20) /* of one function */

/* Tells, in order, which of these ascending addresses a word holds, or an instruction of an FDE makes. */
int lint_kept_which(const struct flow_world *world, const struct lint_addresses *addresses,
		    flow_address_fn fn, void *context, struct error *error);
/* Tells, in order, each function between FDEs whose address is taken, and not only to read there. */
int lint_kept_find(const struct flow_world *world, flow_address_fn fn, void *context,
		   struct error *error);

/* ---- FDEs that are entered with a frame that their first row doesn't declare ------------- */

/* Zero-initialise; lint_framed_deinit(). */
struct lint_framed {
	struct lint_addresses framed;  /* begins of FDEs that a path leads to with a frame */
	struct lint_addresses entered; /* addresses that a path leads to without a frame */
	struct lint_addresses called;  /* addresses that a plain fragment calls */
};

/* Adds what a plain fragment (lint_judge_plain()) calls and jumps to: it has no frame anywhere. */
void lint_framed_plain(struct lint_framed *framed, const struct flow_fragment *fragment);
/* Finds the FDEs' begins (among these; NULL: among all) that a path leads to with a frame, and nothing as to a
 * function: no call, no path without a frame, no symbol, and its address is not taken. The caller frees
 * ret->address. */
int lint_framed_find(struct lint_framed *framed, const struct lint_judge *judge,
		     const struct lint_addresses *among, struct lint_addresses *ret,
		     struct error *error);
/* Calls lint_framed_take_back() for all that lint_framed_find() finds, with FLOW_NO_ENTRY. */
int lint_framed_decide(struct lint_framed *framed, struct lint_judge *judge, struct error *error);
/* What was proven of the FDE that begins at pc becomes unproven, for that reason. */
int lint_framed_take_back(struct lint_judge *judge, uint64_t pc, enum flow_reason why,
			  struct error *error);
void lint_framed_deinit(struct lint_framed *framed);

#endif
