/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * eh_frame_hdr.h - the search table that the linker makes (LSB 5, 10.6.2)
 */
#ifndef STACKPROOF_EH_FRAME_HDR_H
#define STACKPROOF_EH_FRAME_HDR_H

#include "image.h"

struct eh_frame_hdr {
	const struct image *image;
	uint64_t eh_frame_vaddr;
	uint64_t count; /* of the table's entries, all inside the section; 0: no table */
	uint64_t table_offset;
	unsigned int entry_bytes;
	uint8_t table_encoding;
};

/* Reads the header. -1: the image has no .eh_frame_hdr (ERROR_NO_CFI), or it is malformed. */
int eh_frame_hdr_read(const struct image *image, struct eh_frame_hdr *ret, struct error *error);
/* Reads entry number index: the first PC of an FDE, and the FDE's own address. */
int eh_frame_hdr_entry(const struct eh_frame_hdr *hdr, uint64_t index, uint64_t *ret_pc,
		       uint64_t *ret_fde_vaddr, struct error *error);

#endif
