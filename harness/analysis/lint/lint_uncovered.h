/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_uncovered.h - code that no FDE covers, and FDEs that cover more than their function
 */
#ifndef STACKPROOF_LINT_UNCOVERED_H
#define STACKPROOF_LINT_UNCOVERED_H

#include "lint_judge.h"

/* ---- code that no FDE covers, and how far it goes on ------------------------------------- */

/* There is code at pc: the file has bytes there, and they are no padding and no zeros. What a symbol says to be data is
 * none, unless the instruction at from calls it or jumps there: compilers let a path that they hold to be unreachable
 * end in whatever comes behind the function. from 0: of data that is not asked. *ret_entered: the instruction at from is
 * a call, or from is 0. */
bool lint_uncovered_is_code(const struct flow_world *world, uint64_t pc, uint64_t from,
			    bool *ret_entered);
/* Only the linker will know the place of some FDE, so it may cover any code. */
bool lint_uncovered_is_unknown(const struct flow_world *world);
/* Reports a finding for each of these ascending addresses. */
void lint_uncovered_tell(struct lint_judge *judge, const struct lint_addresses *uncovered);

/* ---- functions without an FDE, by their symbols ------------------------------------------ */

/* Why no function can be named in a file without CFI. */
enum lint_bare {
	LINT_BARE_FOUND,	/* one can */
	LINT_BARE_NO_CODE,	/* the file has no code */
	LINT_BARE_NO_SYMBOLS,	/* its code has no symbols */
	LINT_BARE_UNTYPED,	/* no symbol says that it is a function's */
	LINT_BARE_UNFOLLOWED,	/* what its functions' symbols name is no function as a whole */
	LINT_BARE_OTHER_TABLES, /* it is unwound by other tables */
	LINT_BARE_NOT_UNWOUND,	/* there is no unwinder where it runs */
	LINT_BARE_COUNT,
};

/* Tells each such function, in no order. 0, or -1: no memory. */
int lint_symbols_find(const struct flow_world *world, flow_address_fn fn, void *context,
		      struct error *error);
/* Why none was told, of an image without CFI. */
enum lint_bare lint_symbols_why(const struct image *image);
/* "untyped". Not of LINT_BARE_FOUND. */
const char *lint_bare_name(enum lint_bare why);
/* "no symbol says that it is a function's"; NULL: no reason has that name. */
const char *lint_bare_title_of(const char *name);

/* ---- FDEs that reach beyond their function, and sections that unwinders don't find ------- */

/* The first function from pc on in the FDE that lies behind the end of the FDE's own function, is not local, and has no
 * FDE of its own; 0: none. */
uint64_t lint_extent_next(const struct flow_world *world, const struct cfi_fde *fde, uint64_t pc);
/* Once all instructions were judged: reports FDEs that overlap, or reach beyond their function or the code. */
void lint_extent_check(struct lint_judge *judge);

/* ---- lint_uncovered.c ---------------------------------------------------------------------- */

/* Reports sections .eh_frame of a linked image that unwinders are not led to. */
void lint_sections_check(struct lint_judge *judge);

#endif
