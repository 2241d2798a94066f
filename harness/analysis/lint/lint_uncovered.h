/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_uncovered.h - code that no FDE covers, and FDEs that cover what is none of their function
 */
#ifndef STACKPROOF_LINT_UNCOVERED_H
#define STACKPROOF_LINT_UNCOVERED_H

#include "analysis/flow/flow.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_image.h"
#include "analysis/objects/object.h"
#include "lint_judge.h"

/* ---- code that no FDE covers, and how far it goes on ------------------------------------- */

/* Padding is there, or nothing; or data, by a symbol, which the instruction at from doesn't lead to for certain (0: it is
 * led to). What a compiler holds to be never reached it lets end in whatever comes behind the function. Linkers fill
 * what lies between with no-ops, or with zeros. */
bool lint_uncovered_is_none(const struct flow_world *world, uint64_t pc, uint64_t from);
/* A call is there. */
bool lint_uncovered_is_call(const struct flow_world *world, uint64_t pc);
/* Some FDE's place is a number that the linker is told: it may cover any code. object: or NULL. */
bool lint_uncovered_is_unknown(const struct cfi *cfi, const struct object *object);
/* A finding for each of these addresses, which are in order. object: that the image was made of, or NULL. */
void lint_uncovered_tell(struct lint_judge *judge, const struct flow_world *world,
			 const struct object *object, const struct lint_addresses *uncovered);

/* ---- functions without an FDE, by their symbols ------------------------------------------ */

/* Why no function of a file without CFI can be named that lacks it. */
enum lint_bare {
	LINT_BARE_FOUND,	/* some can */
	LINT_BARE_NO_CODE,	/* there is no code */
	LINT_BARE_NO_SYMBOLS,	/* and no symbol in it */
	LINT_BARE_UNTYPED,	/* symbols, and none says that it is a function's */
	LINT_BARE_UNFOLLOWED,	/* functions' symbols, and what is there is none as a whole */
	LINT_BARE_OTHER_TABLES, /* it has others, by which it is unwound */
	LINT_BARE_NOT_UNWOUND,	/* where it runs is no unwinder */
	LINT_BARE_COUNT,
};

/* Tells each, in no order. object: that the image was made of, or NULL. 0, or -1: no memory. */
int lint_symbols_find(const struct flow_world *world, const struct object *object,
		      flow_address_fn fn, void *context, struct error *error);
/* Of an image without CFI of which no function was told. */
enum lint_bare lint_symbols_why(const struct image *image);
/* "untyped"; "no symbol says that it is a function's". Not of LINT_BARE_FOUND. */
const char *lint_bare_name(enum lint_bare why);
const char *lint_bare_title(enum lint_bare why);
/* NULL: it is no such name. */
const char *lint_bare_title_of(const char *name);

/* ---- FDEs that reach beyond their function, and sections that unwinders don't find ------- */

/* The first function from pc on that others call and that lies in the FDE behind the end of the FDE's own,
 * without an FDE of its own; 0: none. */
uint64_t lint_extent_next(const struct cfi *cfi, const struct flow_callees *callees,
			  const struct cfi_fde *fde, uint64_t pc);
/* Once all instructions were judged: reports what reaches where it should not. object: that the image
 * was made of, or NULL. */
void lint_extent_check(struct lint_judge *judge, const struct flow_callees *callees,
		       const struct object *object);

/* ---- lint_uncovered.c ---------------------------------------------------------------------- */

/* The same of sections .eh_frame of a linked image. */
void lint_sections_check(struct lint_judge *judge);

#endif
