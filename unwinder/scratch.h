/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * scratch.h - the memory of one build, which goes back all at once
 *
 * A build fills arrays that nobody wants in the end, and a process's first build fills them in pages
 * that it has never touched: one fault for each 4 KiB, and those are a sixth of the time. So they
 * lie together, in huge pages (2 MiB) where the kernel gives these: one such fault takes as long as
 * 120 others. What is never touched costs nothing.
 *
 * Nothing is freed by itself, and an array that grows leaves its old place behind: so arrays begin
 * as long as they will mostly be. Private to unwinder/.
 */
#ifndef STACKPROOF_SCRATCH_H
#define STACKPROOF_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scratch_block;

/* Zero-initialise. */
struct scratch {
	struct scratch_block *block; /* the last; each knows the one before */
	size_t bytes;		     /* of all of them */
	uint8_t *at, *end;	     /* what is left of the last */
};

/* About so many bytes will be wanted in all. False: no memory. */
bool scratch_expect(struct scratch *scratch, size_t bytes);
/* Zeros, at the begin of a cache line. NULL: no memory. */
void *scratch_take(struct scratch *scratch, size_t bytes);
/* The array, and zeros up to wanted bytes. NULL: no memory, and it is where it was. */
void *scratch_grow(struct scratch *scratch, const void *array, size_t bytes, size_t wanted);
/* Gives all of it back. */
void scratch_deinit(struct scratch *scratch);

#endif
