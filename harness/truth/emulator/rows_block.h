/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * rows_block.h - where rsp and rbp are before each instruction of a block, by where they were at its begin
 *
 * push, pop, call, `sub rsp, 24`, `mov rbp, rsp` change them by what their bytes say: if the registers are read before the
 * block, they are known before all its instructions. Behind an instruction that does something else to them they must be
 * read again. So a block has *segments*, each with a reading at its begin.
 *
 *	push rbp		CFA - rsp = n			(read)
 *	mov rbp, rsp		CFA - rsp = n + 8
 *	sub rsp, 32		CFA - rbp = n + 8
 *	leave			CFA - rsp = n + 40
 *	ret			(read)
 */
#ifndef STACKPROOF_ROWS_BLOCK_H
#define STACKPROOF_ROWS_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "fast.h"

/* An instruction of a segment. */
struct rows_step {
	uint32_t offset; /* from the segment's begin */
	bool stores;	 /* something before it in the segment writes to memory */
	bool carries;	 /* ... what may have been read from memory there */
	bool bp_is_by_sp; /* rbp is that far from rsp at the segment's begin; else it is as it was there */
	int64_t sp; /* CFA - rsp before it, less that at the segment's begin */
	int64_t bp; /* bp_is_by_sp: the same of CFA - rbp, less CFA - rsp at the segment's begin */
};

/* Fills in a step for each instruction of the segment that begins with the first of count. Returns how many that are.
 * length: each instruction's. */
size_t rows_segment(const struct fast_instruction *one, size_t count, struct rows_step *ret);

#endif
