/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * scratch.c - blocks, from which pieces are taken in order
 *
 * A block is as large as all before it, or as what is wanted of it. Large ones are mappings of
 * their own, which leave malloc(3) as it was; small ones come from it. Under AddressSanitizer each
 * piece is a block of its own, so that it has an end.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "scratch.h"

#define BLOCK_LEAST    ((size_t)16 << 10)
#define HUGE_PAGE      ((size_t)2 << 20)
#define HUGE_WORTH     ((size_t)512 << 10) /* of a block: half of it is touched, say */
#define HEAP_ALIGNMENT 16		   /* what calloc(3) promises */

#ifdef __SANITIZE_ADDRESS__
#define PIECE_IS_BLOCK	true
#define PIECE_ALIGNMENT HEAP_ALIGNMENT
#else
#define PIECE_IS_BLOCK	false
#define PIECE_ALIGNMENT 64
#endif

/* Lies in its own beginning. */
struct scratch_block {
	_Alignas(HEAP_ALIGNMENT) struct scratch_block *before;
	void *mapping; /* NULL: it is the heap's */
	size_t mapping_bytes;
};

static void *align_up(void *at, size_t alignment)
{
	return (void *)(((uintptr_t)at + alignment - 1) & -alignment);
}

/* Of *bytes, or more: it begins where a huge page can, and ends with one. */
static struct scratch_block *map_block(size_t *bytes)
{
	size_t huge_bytes = (*bytes + HUGE_PAGE - 1) & -HUGE_PAGE;
	void *mapping = mmap(NULL, huge_bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct scratch_block *block;

	if (mapping == MAP_FAILED)
		return NULL;
	block = align_up(mapping, HUGE_PAGE);
	madvise(block, huge_bytes, MADV_HUGEPAGE); /* where there are none, small ones do */
	block->mapping = mapping;
	block->mapping_bytes = huge_bytes + HUGE_PAGE;
	*bytes = huge_bytes;
	return block;
}

static bool add_block(struct scratch *scratch, size_t bytes)
{
	struct scratch_block *block;

	if (bytes > SIZE_MAX / 2)
		return false;
	if (!PIECE_IS_BLOCK) {
		bytes = bytes > BLOCK_LEAST ? bytes : BLOCK_LEAST;
		bytes = bytes > scratch->bytes ? bytes : scratch->bytes;
	}
	bytes += sizeof(*block) + PIECE_ALIGNMENT - HEAP_ALIGNMENT;
	block = bytes >= HUGE_WORTH && !PIECE_IS_BLOCK ? map_block(&bytes) : calloc(1, bytes);
	if (!block)
		return false;
	block->before = scratch->block;
	scratch->block = block;
	scratch->bytes += bytes;
	scratch->at = align_up(block + 1, PIECE_ALIGNMENT);
	scratch->end = (uint8_t *)block + bytes;
	return true;
}

bool scratch_expect(struct scratch *scratch, size_t bytes)
{
	return PIECE_IS_BLOCK || add_block(scratch, bytes);
}

void *scratch_take(struct scratch *scratch, size_t bytes)
{
	bool fits = scratch->block && bytes <= (size_t)(scratch->end - scratch->at);
	uint8_t *piece;

	if ((PIECE_IS_BLOCK || !fits) && !add_block(scratch, bytes))
		return NULL;
	piece = scratch->at;
	bytes = (bytes + PIECE_ALIGNMENT - 1) & -(size_t)PIECE_ALIGNMENT;
	scratch->at = bytes < (size_t)(scratch->end - piece) ? piece + bytes : scratch->end;
	return piece;
}

void *scratch_grow(struct scratch *scratch, const void *array, size_t bytes, size_t wanted)
{
	void *grown = scratch_take(scratch, wanted);

	if (grown && bytes)
		memcpy(grown, array, bytes);
	return grown;
}

void scratch_deinit(struct scratch *scratch)
{
	struct scratch_block *block = scratch->block, *before;

	for (; block; block = before) {
		before = block->before;
		if (block->mapping)
			munmap(block->mapping, block->mapping_bytes);
		else
			free(block);
	}
	*scratch = (struct scratch) { .block = NULL };
}
