/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * testprog.h - what keeps a frame a frame at -O2
 *
 * A test program claims frames ("main a1 b1 c1 top") that an optimiser would rather inline, clone,
 * evaluate or jump to. FRAME forbids the first two; KEEP hides a value from the optimiser, so that
 * nothing can be evaluated beforehand, and put after a call it also forbids that call to be a jump.
 * Used by C and C++; Rust has its own means. Programs print nothing: their exit status is 0 only if
 * they did what they claim.
 */
#ifndef STACKPROOF_TESTPROG_H
#define STACKPROOF_TESTPROG_H

#ifdef __clang__
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noipa))
#endif

/* The value is opaque from here on. */
#define KEEP(value) __asm__ volatile("" : "+r"(value) : : "memory")
/* The memory at pointer is used, and may have changed. */
#define KEEP_MEMORY(pointer) __asm__ volatile("" : : "r"(pointer) : "memory")

#endif
