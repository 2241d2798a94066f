/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * failing_heap.h - the heap's functions are the test's own, and the one that is to fail says NULL
 *
 * For one test program only: they replace the C library's. AddressSanitizer has a heap of its own:
 * then none ever fails.
 */
#ifndef STACKPROOF_FAILING_HEAP_H
#define STACKPROOF_FAILING_HEAP_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "sanitized.h"

static long until_none; /* the allocation that fails: the first is 1; 0: none does */
static __attribute__((unused)) bool lasting; /* and so do all after it */
static long failed;			     /* how many have */

#if !SANITIZED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static bool is_none(void)
{
	if (!until_none || (until_none > 1 && --until_none))
		return false;
	until_none = lasting;
	failed++;
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return is_none() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return is_none() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
	return is_none() ? NULL : __libc_realloc(memory, size);
}
#endif

#endif
