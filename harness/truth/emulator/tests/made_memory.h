/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * made_memory.h - a guest's memory that is made up, for plugin_kernel.c, which is included
 */
#ifndef STACKPROOF_TESTS_MADE_MEMORY_H
#define STACKPROOF_TESTS_MADE_MEMORY_H

#include <string.h>
#include "truth/emulator/plugin_kernel.c"

#define DIRECT 0xffff888000000000ull /* where all of it is mapped */
#define PAGES  32
#define NONE   UINT64_MAX

static uint8_t memory[PAGES * PAGE_BYTES];
static uint64_t hole; /* a page that can't be read; NONE: all can */
static uint64_t reads;

bool plugin_memory_read(uint64_t address, void *ret, size_t size)
{
	uint64_t at = address - DIRECT;

	reads++;
	if (at >= sizeof(memory) || size > sizeof(memory) - at ||
	    (hole != NONE && at < (hole + 1) * PAGE_BYTES && at + size > hole * PAGE_BYTES))
		return false;
	memcpy(ret, memory + at, size);
	return true;
}

static inline void memory_clear(void)
{
	memset(memory, 0, sizeof(memory));
	hole = NONE;
	reads = 0;
}

/* A word at a physical address. */
static inline void put(uint64_t at, uint64_t word)
{
	memcpy(memory + at, &word, sizeof(word));
}

#endif
