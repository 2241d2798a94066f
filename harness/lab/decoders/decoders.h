/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decoders.h - what Capstone says of an instruction, in the words of harness/analysis/code
 *
 *	capstone_code.c		by Capstone
 *	compare_decoders.c	the program that asks both
 */
#ifndef STACKPROOF_DECODERS_H
#define STACKPROOF_DECODERS_H

#include "analysis/code/code.h"

struct capstone_decoder;

/* NULL: no memory. The caller's: capstone_decoder_destroy(). */
struct capstone_decoder *capstone_decoder_create(void);
void capstone_decoder_destroy(struct capstone_decoder *decoder);
/* Sets ret's length, flow, target and written; the rest is zero. */
void capstone_decode(struct capstone_decoder *decoder, uint64_t pc, const uint8_t *bytes,
		     size_t size, struct code *ret);
/* The text of what was decoded last, "push rbp"; "" if nothing was. */
void capstone_print(const struct capstone_decoder *decoder, char *text, size_t size);

#endif
