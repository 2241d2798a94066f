/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * wing.h - kernels: fetched, booted, and asked
 *
 *	vm/		kernels and QEMU from packages, the guest's init; a new series: kernel_index.c
 *	load/		whether a kernel loads BPF objects, and what its verifier says
 *	watch/		a command in a guest, under the witness
 *	doctor/		what this machine can do, and what adds what it can't
 *	run/		the matrix: each program on each kernel, stepped, or played from a recording
 */
#ifndef STACKPROOF_GUESTS_WING_H
#define STACKPROOF_GUESTS_WING_H

#endif
