/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_names.h - what is known of a called function by its name alone
 */
#ifndef STACKPROOF_LINT_NAMES_H
#define STACKPROOF_LINT_NAMES_H

#include "cfi.h"

struct lint_names;

/* cfi: borrowed. NULL: no memory. */
struct lint_names *lint_names_create(const struct cfi *cfi);
void lint_names_destroy(struct lint_names *names);
/* The function there, or behind the stub there, is known not to return. */
bool lint_never_returns(struct lint_names *names, uint64_t pc);
/* pc lies in a stub of a PLT. */
bool lint_is_stub(struct lint_names *names, uint64_t pc);
/* A part that a compiler or a linker cut off of a function begins there, and is named so: f.cold,
 * f.warm, f.cold.1. */
bool lint_is_fragment(const struct lint_names *names, uint64_t pc);
/* The same of the function that begins there. */
bool lint_is_fragment_of(const struct lint_names *names, uint64_t pc, uint64_t function);

#endif
