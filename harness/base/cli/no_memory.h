/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * no_memory.h - the program's end where memory is short, in code that has no other way to fail
 *
 * What puts a report together has hundreds of small allocations and nobody to hand an error to. Short
 * memory is the environment's fault and no mistake of ours: neither abort() nor an assertion, which leave a
 * core file and a status that says "killed". It is said in a line, and the status is
 * EXIT_ENVIRONMENT. Nothing that was started outlives it (child/child.h).
 */
#ifndef STACKPROOF_NO_MEMORY_H
#define STACKPROOF_NO_MEMORY_H

/* Of the allocation that failed. Does not return. */
void no_memory(void) __attribute__((noreturn));

#endif
