/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_memory.h - ends the program where memory is short, in code that has no other way to fail
 *
 * Code that puts a report together has hundreds of small allocations and no caller that takes an error. Short memory
 * is the environment's fault and not a bug. So the program does not abort(), which leaves a core file and a status
 * that says "killed". It prints a line and exits with EXIT_ENVIRONMENT. Its children end with it (child/child.h).
 */
#ifndef STACKPROOF_NO_MEMORY_H
#define STACKPROOF_NO_MEMORY_H

#include "array.h"

/* To be called when an allocation has failed. */
void no_memory(void) __attribute__((noreturn));

/* What an allocation gave, unless that is NULL: then the program ends. */
static inline void *need_memory(void *pointer)
{
	if (!pointer)
		no_memory();
	return pointer;
}

/* ARRAY_ADD(), or the program ends. */
#define ARRAY_NEED(array, count, ...)                                                              \
	((__typeof__(&*(array)))need_memory(ARRAY_ADD(array, count, __VA_ARGS__)))

#endif
