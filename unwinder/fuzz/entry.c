/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * entry.c - gives one target the name that libFuzzer calls, and a bound on its heap
 *
 * Compiled once for each target, with FUZZ_TARGET defined as its function. Unit tests link the
 * targets without this file.
 *
 * libFuzzer's own limit is a process's resident memory, which a leak of an hour's inputs reaches as
 * well as one input that takes a gigabyte for a kilobyte. Here each input has its own: what is
 * allocated at a time, at the most, less what was there before it.
 */
#include <sanitizer/allocator_interface.h>
#include <stdio.h>
#include <stdlib.h>
#include "fuzz.h"

/* The least that a table's builder and a text's reader begin with, and what an input's bytes may
 * become: the targets keep rows to hold them against each other, each of 750 bytes. */
#define HEAP_ALWAYS (24u << 20)
#define HEAP_TIMES  2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct {
	size_t now;
	size_t peak;
} heap; /* the hooks have no context of their own */

static void on_malloc(const volatile void *block, size_t size)
{
	heap.now += size;
	heap.peak = heap.now > heap.peak ? heap.now : heap.peak;
}

static void on_free(const volatile void *block)
{
	heap.now -= block ? __sanitizer_get_allocated_size(block) : 0;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (!__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t before = heap.now;
	heap.peak = before;
	int result = FUZZ_TARGET(data, size);
	fuzz_require(heap.peak - before <= HEAP_ALWAYS + HEAP_TIMES * size,
		     "%zu bytes of heap for an input of %zu", heap.peak - before, size);
	return result;
}
