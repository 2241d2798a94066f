/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_noreturn.h - does a call of a function ever come back? By its code
 *
 * Needs no CFI: where there is some, landing pads are read from it.
 */
#ifndef STACKPROOF_LINT_NORETURN_H
#define STACKPROOF_LINT_NORETURN_H

#include "cfi.h"
#include "code/code.h"
#include "lint/lint_names.h"

#define LINT_NORETURN_CODE_MAX 65536u /* instructions of one function */

struct lint_noreturn;

/* All borrowed. NULL: no memory. lint_noreturn_destroy(). */
struct lint_noreturn *lint_noreturn_create(const struct cfi *cfi, struct code_decoder *decoder,
					   struct lint_names *names);
void lint_noreturn_destroy(struct lint_noreturn *noreturn);
/* The code at pc, called, never returns: it ends, goes round for ever, or leaves by an exception.
 * False if that is not certain, and without memory. */
bool lint_noreturn_find(struct lint_noreturn *noreturn, uint64_t pc);

#endif
