/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_begin.h - whether a function begins where an FDE does
 */
#ifndef STACKPROOF_LINT_BEGIN_H
#define STACKPROOF_LINT_BEGIN_H

#include "lint_judge.h"

/* Of the FDE of that number in cfi->by_pc: another FDE's code lies where it begins, or code that no FDE
 * covers goes on into it. */
bool lint_begin_doubtful(const struct cfi *cfi, struct code_decoder *decoder, size_t number);
/* The last FDE that begins before pc; NULL: none. */
const struct cfi_fde *lint_begin_before(const struct cfi *cfi, uint64_t pc);
/* Where the first FDE begins that does so at pc or behind it; UINT64_MAX: none. */
uint64_t lint_begin_next(const struct cfi *cfi, uint64_t pc);
/* Where the FDE before it ends. */
uint64_t lint_begin_gap(const struct cfi *cfi, size_t number);
/* What is known at begin if from was called, by the instructions in between; false: nothing, since a way
 * may leave them, or a call is among them. */
bool lint_begin_state(const struct cfi *cfi, struct code_decoder *decoder, uint64_t from,
		      uint64_t begin, struct flow_state *ret);

/* Others may call it that are not in this image. A program keeps hidden symbols as global ones, a shared
 * object as local ones: neither is seen outside (gABI, chapter 4, "Symbol Visibility"). */
bool lint_begin_is_exported(const struct image *image, uint64_t pc);
/* If all of its rows have a word more than a return takes, that is perhaps meant so: it may be entered in
 * another way, and hide who entered it. */
bool lint_begin_hides_caller(const struct flow_part *part);

#endif
