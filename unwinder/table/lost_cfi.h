/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lost_cfi.h - the code that an error in CFI is about, and the FDEs that no table has
 *
 *	lost_cfi.c	all of it
 *
 * An error has an offset in a section; a report names the function that lost its rows. A walk needs none
 * of this.
 */
#ifndef STACKPROOF_LOST_CFI_H
#define STACKPROOF_LOST_CFI_H

#include "cfi/cfi.h"

/* Where the entries of an image's CFI are, including unreadable ones. */
struct cfi_addresses;
/* cfi is borrowed and must outlive *ret: cfi_addresses_destroy(). -1: ERROR_MEMORY. */
int cfi_addresses_create(const struct cfi *cfi, struct cfi_addresses **ret, struct error *error);
void cfi_addresses_destroy(struct cfi_addresses *addresses);
/*
 * The image addresses of the FDE in which the error is: from the FDE, or, if it can't be read, from
 * .eh_frame_hdr. *ret_pc_end is *ret_pc if the length is not known. False: the addresses are not known,
 * because the error is in a CIE or about a section, or the FDE can't be read and .eh_frame_hdr has no
 * entry for it.
 */
bool cfi_addresses_find(const struct cfi_addresses *addresses, const struct error *error,
			uint64_t *ret_pc, uint64_t *ret_pc_end);

/* The message for an FDE that cfi_outside() gives. */
#define OUTSIDE_MESSAGE "the FDE's code is in no executable segment"

/* Is given an FDE whose code is in no executable segment. Non-zero stops. */
typedef int (*cfi_outside_fn)(void *context, const struct cfi_fde *fde);
/*
 * Gives all such FDEs to fn, in order of PC: tables don't have them. For a relocatable object, which has no
 * segments, there are none. *ret_count: how many. 0; -1: error is set; else what fn returned.
 */
int cfi_outside(const struct cfi *cfi, cfi_outside_fn fn, void *context, uint64_t *ret_count,
		struct error *error);

#endif
