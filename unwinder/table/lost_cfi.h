/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lost_cfi.h - which code an error in CFI is about, and which FDEs no table has
 *
 *	lost_cfi.c	all of it
 *
 * An error says where it is in a section; people ask which function lost its rows. For who reports:
 * a walk needs none of it.
 */
#ifndef STACKPROOF_LOST_CFI_H
#define STACKPROOF_LOST_CFI_H

#include "cfi/cfi.h"

/* Where the entries of an image's CFI are, those that could not be read included. */
struct cfi_addresses;
/* cfi must outlive it. 0, or -1 with ERROR_MEMORY. *ret: cfi_addresses_destroy. */
int cfi_addresses_create(const struct cfi *cfi, struct cfi_addresses **ret, struct error *error);
void cfi_addresses_destroy(struct cfi_addresses *addresses);
/*
 * The image addresses of the FDE in which the error is: as it says itself, or, if it can't be read,
 * as .eh_frame_hdr says of it. *ret_pc_end is *ret_pc if nobody says how long it is. False: not
 * known; the error is a CIE's or a section's, or the FDE's head can't be read and no table leads to
 * it.
 */
bool cfi_addresses_find(const struct cfi_addresses *addresses, const struct error *error,
			uint64_t *ret_pc, uint64_t *ret_pc_end);

/* What is said of each of these. */
#define OUTSIDE_MESSAGE "the FDE's code is in no executable segment"

/* An FDE of cfi that covers code, all of it in no executable segment. Non-zero stops. */
typedef int (*cfi_outside_fn)(void *context, const struct cfi_fde *fde);
/*
 * Gives all of them to fn, in order of PC: tables don't have them. Relocatable objects have no
 * segments, and so none. *ret_count: how many. 0; -1: error is set; else what fn returned.
 */
int cfi_outside(const struct cfi *cfi, cfi_outside_fn fn, void *context, uint64_t *ret_count,
		struct error *error);

#endif
