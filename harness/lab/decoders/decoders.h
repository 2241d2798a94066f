/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * decoders.h - Capstone's decoding of an instruction, as a struct code of harness/analysis/code
 *
 *	capstone_code.c		decodes with Capstone
 *	compare_decoders.c	the program that compares it with Zydis
 */
#ifndef STACKPROOF_DECODERS_H
#define STACKPROOF_DECODERS_H

#include "analysis/code/code.h"

struct capstone_decoder;

/* The caller's: capstone_decoder_destroy(). NULL: no memory. */
struct capstone_decoder *capstone_decoder_create(void);
void capstone_decoder_destroy(struct capstone_decoder *decoder);
/* Decodes the instruction at bytes, of which there are size; pc is its address. Sets ret's length, flow, target
 * and written; the rest is zero. */
void capstone_decode(struct capstone_decoder *decoder, uint64_t pc, const uint8_t *bytes,
		     size_t size, struct code *ret);
/* Writes the last decoded instruction, "push rbp", to text of size bytes; "" if there is none. */
void capstone_print(const struct capstone_decoder *decoder, char *text, size_t size);

#endif
