/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_begin.h - where functions begin, and where FDEs are entered
 */
#ifndef STACKPROOF_LINT_BEGIN_H
#define STACKPROOF_LINT_BEGIN_H

#include "analysis/code/code.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_image.h"
#include "cfi/cfi.h"
#include "lint_judge.h"

/* ---- whether a function begins where an FDE does ----------------------------------------- */

/* Of the FDE of that number in cfi->by_pc: another FDE's code lies where it begins, or code that no FDE
 * covers goes on into it. */
bool lint_begin_doubtful(const struct cfi *cfi, struct code_decoder *decoder, size_t number);
/* The last FDE that begins before pc; NULL: none. */
const struct cfi_fde *lint_begin_before(const struct cfi *cfi, uint64_t pc);
/* Where the first FDE begins that does so at pc or behind it; UINT64_MAX: none. */
uint64_t lint_begin_next(const struct cfi *cfi, uint64_t pc);
/* Where the FDE before it ends. */
uint64_t lint_begin_gap(const struct cfi *cfi, size_t number);
/* What is known at begin if from was called, by the instructions in between; false: nothing, since a path
 * may leave them, or a call is among them. */
bool lint_begin_state(const struct cfi *cfi, struct code_decoder *decoder, uint64_t from,
		      uint64_t begin, struct flow_state *ret);

/* Others may call it that are not in this image. A program keeps hidden symbols as global ones, a shared
 * object as local ones: neither is seen outside (gABI, chapter 4, "Symbol Visibility"). */
bool lint_begin_is_exported(const struct image *image, uint64_t pc);

/* ---- where an FDE is entered besides its begin ------------------------------------------- */

/* Every stub of a PLT is an entry. */
int lint_enter_stubs(struct flow *flow, struct error *error);
/* Every function that lies in the FDE of another, too. */
int lint_enter_others(struct flow *flow, struct error *error);
/* Functions that the FDE covers besides the one that it begins with: no path of that one leads there, it has a
 * function's symbol and no FDE of its own, and its row says that it was called. */
int lint_enter_functions(struct flow *flow, struct error *error);

/* ---- whether an FDE's code is a function that is called, by how it ends ------------------ */

/* What an FDE's code does if it was just called, whatever its rows say. */
struct lint_as_called {
	/* It returns, or calls in place of that, on all paths as a function does. Where its first row says that
	 * there is a frame, that is wrong then, whoever comes there. */
	bool returns;
	bool returns_itself; /* the same, and it has a return of its own */
	/* It does neither, and its rows may mean who is entered in another way: an interrupt's handler with an
	 * error code, which may never return; what a PLT pushed words for. */
	bool refuted;
	bool handler; /* the former, seen by how it returns */
};

/* world: its callbacks are called as for any function. Fails for want of memory. */
int lint_as_called_find(struct flow_world *world, const struct cfi_fde *fde,
			struct lint_as_called *ret, struct error *error);

/* ---- functions without an FDE of which only the address is kept -------------------------- */

#define LINT_KEPT_BYTES_MAX (1u << 20) /* of one function */

/* Tells of ascending addresses each one that a word keeps, or that an instruction of an FDE makes, in their
 * order. 0, or -1: no memory. */
int lint_kept_which(const struct cfi *cfi, struct code_decoder *decoder,
		    const struct lint_addresses *addresses, flow_address_fn fn, void *context,
		    struct error *error);
/* Tells each, in the order of addresses. 0, or -1: no memory. */
int lint_kept_find(const struct cfi *cfi, struct code_decoder *decoder,
		   struct flow_callees *callees, flow_address_fn fn, void *context,
		   struct error *error);

/* ---- FDEs that are entered with a frame that their first row doesn't know ---------------- */

/* Zeros are an empty one. The lists are the owner's to free. */
struct lint_framed {
	struct lint_addresses framed;  /* FDEs' begins that a path leads to with a frame */
	struct lint_addresses entered; /* those that one leads to as to a function */
	struct lint_addresses called;  /* those that a fragment without a frame calls */
};

/* The fragment has no frame anywhere (lint_judge_plain()): whom it calls and jumps to, it enters as a function. */
void lint_framed_plain(struct lint_framed *framed, const struct flow_fragment *fragment);
/* Its begin is one of `entered`, before lint_framed_decide(). */
bool lint_framed_enters(const struct lint_framed *framed, uint64_t pc);
/* A fragment that has no frame anywhere calls it. */
bool lint_framed_calls(const struct lint_framed *framed, uint64_t pc);
/* Those of the FDEs' begins in among (NULL: of all) that nothing is seen to enter as a function, though a path leads there
 * with a frame: not one of `entered`, without a symbol, and with an address that nothing keeps. The list is the
 * caller's to free. 0, or -1: no memory. */
int lint_framed_find(struct lint_framed *framed, const struct lint_judge *judge,
		     struct code_decoder *decoder, const struct lint_addresses *among,
		     struct lint_addresses *ret, struct error *error);
/* Takes back what was proven of each of these. 0, or -1: no
 * memory. */
int lint_framed_decide(struct lint_framed *framed, struct lint_judge *judge,
		       struct code_decoder *decoder, struct error *error);
/* Of the FDE that begins at pc what was proven is not, for that reason. */
int lint_framed_take_back(struct lint_judge *judge, struct code_decoder *decoder, uint64_t pc,
			  enum flow_reason why, struct error *error);
void lint_framed_deinit(struct lint_framed *framed);

#endif
