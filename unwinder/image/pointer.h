/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pointer.h - encoded pointers of exception frames (LSB 5, 10.5.1)
 *
 * An encoding byte says how the number is stored (low four bits: DW_EH_PE_absptr, uleb128, udata2
 * ...), what it is relative to (next three bits: DW_EH_PE_pcrel, textrel, datarel, funcrel, aligned),
 * and whether it is the address of the pointer (DW_EH_PE_indirect). Private to unwinder/.
 */
#ifndef STACKPROOF_POINTER_H
#define STACKPROOF_POINTER_H

#include "reader.h"
#include "image.h"

enum {
	POINTER_ABSPTR = 0x00,
	POINTER_ULEB128 = 0x01,
	POINTER_UDATA2 = 0x02,
	POINTER_UDATA4 = 0x03,
	POINTER_UDATA8 = 0x04,
	POINTER_SIGNED = 0x08,
	POINTER_SLEB128 = 0x09,
	POINTER_SDATA2 = 0x0a,
	POINTER_SDATA4 = 0x0b,
	POINTER_SDATA8 = 0x0c,
	POINTER_PCREL = 0x10,
	POINTER_TEXTREL = 0x20,
	POINTER_DATAREL = 0x30,
	POINTER_FUNCREL = 0x40,
	POINTER_ALIGNED = 0x50,
	POINTER_INDIRECT = 0x80,
	POINTER_OMIT = 0xff,
};

/* What an encoded pointer is relative to. */
struct pointer_context {
	const struct image *image;
	const struct image_section *section; /* holds the pointer */
	uint64_t function;		     /* base of DW_EH_PE_funcrel */
	uint8_t address_bytes;		     /* of DW_EH_PE_absptr */
	bool is_header; /* section is .eh_frame_hdr: DW_EH_PE_datarel is relative to it */
};

/* Reads the pointer at reader, and moves past it. */
int pointer_read(const struct pointer_context *context, struct reader *reader, uint8_t encoding,
		 uint64_t *ret, struct error *error);
/* Reads the stored number alone, unsigned: an FDE's PC range, or a pointer that is skipped. */
int pointer_read_size(const struct pointer_context *context, struct reader *reader,
		      uint8_t encoding, uint64_t *ret, struct error *error);

#endif
