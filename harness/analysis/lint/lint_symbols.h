/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_symbols.h - functions without an FDE, by their symbols
 */
#ifndef STACKPROOF_LINT_SYMBOLS_H
#define STACKPROOF_LINT_SYMBOLS_H

#include "analysis/flow/flow.h"
#include "analysis/flow/flow_image.h"
#include "analysis/objects/object.h"

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
int lint_symbols_find(const struct flow_world *world, const struct object *object, flow_taken_fn fn,
		      void *context, struct error *error);
/* Of an image without CFI of which no function was told. */
enum lint_bare lint_symbols_why(const struct image *image);
/* "untyped"; "no symbol says that it is a function's". Not of LINT_BARE_FOUND. */
const char *lint_bare_name(enum lint_bare why);
const char *lint_bare_title(enum lint_bare why);
/* NULL: it is no such name. */
const char *lint_bare_title_of(const char *name);

#endif
