/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_taken.h - addresses of code that something keeps, to call it one day
 *
 * A function that is only called by pointers is called by nothing that can be seen. But its address is
 * somewhere: in a word that the loader relocates, in .init_array, in a number that an instruction makes.
 * So are addresses of labels, for computed jumps. Who asks must tell them apart: a label's frame is the
 * one of the function around it, and from a label no way returns as from a function.
 */
#ifndef STACKPROOF_FLOW_TAKEN_H
#define STACKPROOF_FLOW_TAKEN_H

#include "analysis/code/code.h"
#include "image/image.h"

#define FLOW_FUNCTION_ALIGNMENT 16 /* of gcc and clang, unless they are to save bytes */

typedef void (*flow_taken_fn)(void *context, uint64_t pc);

/* Tells each address in an executable segment that a word of the image holds when it runs, in no order,
 * more than once: of a relocation without a symbol (DT_RELA, DT_RELR); where the image is not
 * relocated, of each aligned word that looks like one. */
void flow_taken_words(const struct image *image, flow_taken_fn fn, void *context);
/* The address that the instruction makes, or 0. */
uint64_t flow_taken_by(const struct image *image, const struct code *code);
/* A function may begin there: with an endbr64; or where compilers align functions to, not with padding,
 * and behind padding or what ends code (a return, a jump, a call that may never come back). */
bool flow_taken_may_begin(const struct image *image, struct code_decoder *decoder, uint64_t pc);

#endif
