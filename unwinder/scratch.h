/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * scratch.h - the temporary memory of one table build, freed all at once
 *
 * A process's first build touches each page of its temporary arrays for the first time. With pages of
 * 4 KiB these faults are a sixth of the build's time. So the arrays lie together, in huge pages (2 MiB)
 * if the kernel has them: a fault for a huge page takes as long as 120 faults for 4 KiB. Memory that is
 * never touched costs nothing.
 *
 * No array is freed by itself, and an array that grows leaves its old memory behind. So arrays should
 * begin with the size that they mostly reach. Private to unwinder/.
 */
#ifndef STACKPROOF_SCRATCH_H
#define STACKPROOF_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scratch_block;

/* Zero-initialise. */
struct scratch {
	struct scratch_block *block; /* the newest; each has a pointer to the one before */
	size_t bytes;		     /* of all blocks */
	uint8_t *at, *end;	     /* the unused part of the newest block */
};

/* Prepares for about so many bytes in all. False: no memory. */
bool scratch_expect(struct scratch *scratch, size_t bytes);
/* Zeroed memory, aligned to a cache line. NULL: no memory. */
void *scratch_take(struct scratch *scratch, size_t bytes);
/* A copy of the array's bytes, with zeros up to wanted bytes. NULL: no memory; array is still valid. */
void *scratch_grow(struct scratch *scratch, const void *array, size_t bytes, size_t wanted);
/* Frees everything. */
void scratch_deinit(struct scratch *scratch);

#endif
