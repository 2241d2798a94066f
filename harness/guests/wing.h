/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - kernels: fetched, booted, and asked
 *
 *	vm/		kernels from packages, QEMU, the guest's init; to add a kernel, see kernel_index.c
 *	load/		do BPF objects load in a kernel, and what does its verifier say
 *	run/		the matrix: programs by kernels, stepped here or played in guests
 */
#ifndef STACKPROOF_GUESTS_WING_H
#define STACKPROOF_GUESTS_WING_H

#endif
