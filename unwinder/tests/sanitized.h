/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sanitized.h - is this test built with AddressSanitizer (make test SANITIZE=1)?
 *
 * A test that then can't be done says SKIP: the address space has no more room in it than ASan
 * leaves, and its search for leaks stops the threads of the process.
 */
#ifndef STACKPROOF_SANITIZED_H
#define STACKPROOF_SANITIZED_H

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#endif
