/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_landing.c - where exceptions are caught
 *
 * An FDE with 'L' in its CIE's augmentation points to a language-specific data area. GCC and LLVM
 * write the same format for C++, Rust, D, Ada and C's cleanups:
 *
 *	LPStart	an encoding, and a pointer unless it is DW_EH_PE_omit: base of landing pads
 *	TType	an encoding, and a ULEB128 unless it is DW_EH_PE_omit: not needed here
 *	call sites	an encoding, the table's bytes as ULEB128, and for each: start, length,
 *			landing pad (0: none), all from the function's begin or LPStart, and an
 *			action as ULEB128
 *
 * Other languages may put anything there. What can't be decoded so has no landing pads, and that is
 * kept: code that is then reached by none may be one.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "cfi/cfi_section.h"
#include "flow_part.h"
#include "image/pointer.h"

/* The FDE's pointer to it. false: it has none. */
static bool find_area(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t *ret)
{
	const struct cfi_cie *cie = &cfi->cie[fde->cie];
	struct pointer_context context = { .image = cfi->image,
					   .section = cie->section,
					   .function = fde->pc_begin,
					   .address_bytes = cie->address_bytes };
	struct error error;
	struct cfi_entry entry;
	struct reader reader, number;
	uint64_t ignored;

	if (cie->lsda_encoding == POINTER_OMIT || /* most: not read once more */
	    cfi_entry_read(cie->section, true, fde->offset, &entry, &error))
		return false;
	/* Behind the PCs and the size of what lies before the instructions. */
	reader = (struct reader) { entry.body, fde->instructions };
	if (pointer_read(&context, &reader, cie->fde_encoding, &ignored, &error) ||
	    pointer_read_size(&context, &reader, cie->fde_encoding, &ignored, &error) ||
	    !reader_uleb(&reader, &ignored))
		return false;
	/* 0 is none, whatever it would be relative to: as in libgcc. */
	number = reader;
	return !pointer_read_size(&context, &number, cie->lsda_encoding, &ignored, &error) &&
	       ignored && !pointer_read(&context, &reader, cie->lsda_encoding, ret, &error);
}

/* The bytes from address to its segment's end. */
static bool area_bytes(const struct image *image, uint64_t address, struct image_section *ret)
{
	*ret = (struct image_section) { .vaddr = address, .name = ".gcc_except_table" };
	ret->data = image_bytes_most(image, address, SIZE_MAX, &ret->size);
	return ret->data != NULL;
}

static bool read_site(const struct pointer_context *context, struct reader *reader,
		      uint8_t encoding, uint64_t base, struct flow_part *part, bool *ret_memory)
{
	uint64_t start, length, pad, action;
	struct error error;

	if (pointer_read_size(context, reader, encoding, &start, &error) ||
	    pointer_read_size(context, reader, encoding, &length, &error) ||
	    pointer_read_size(context, reader, encoding, &pad, &error) ||
	    !reader_uleb(reader, &action))
		return false;
	if (!pad)
		return true;
	if (!ARRAY_GROW(part->pad, part->pad_count)) {
		*ret_memory = false;
		return true;
	}
	part->pad[part->pad_count++] = (struct landing_pad) {
		.begin = part->begin + start,
		.end = part->begin + start + length,
		.pad = base + pad,
	};
	return true;
}

int flow_landing_read(const struct cfi *cfi, struct flow_part *part, struct error *error)
{
	struct image_section area = { NULL };
	struct pointer_context context = {
		.image = cfi->image, .section = &area, .function = part->begin, .address_bytes = 8
	};
	struct reader reader, sites;
	uint64_t address, base = part->begin, size, ignored;
	uint8_t encoding;
	struct error malformed;
	bool memory = true;

	if (!find_area(cfi, part->fde, &address))
		return 0;
	part->pads_unread = true;
	if (!area_bytes(cfi->image, address, &area))
		return 0;
	reader = (struct reader) { area.data, area.data + area.size };
	if (!reader_u8(&reader, &encoding) ||
	    (encoding != POINTER_OMIT &&
	     pointer_read(&context, &reader, encoding, &base, &malformed)) ||
	    !reader_u8(&reader, &encoding) ||
	    (encoding != POINTER_OMIT && !reader_uleb(&reader, &ignored)) ||
	    !reader_u8(&reader, &encoding) || !reader_uleb(&reader, &size) ||
	    size > reader_left(&reader))
		return 0;
	sites = (struct reader) { reader.at, reader.at + size };
	while (sites.at < sites.end)
		if (!read_site(&context, &sites, encoding, base, part, &memory))
			return 0;
	part->pads_unread = false;
	return memory ? 0 : error_set(error, ERROR_MEMORY, NULL, 0, "landing pads");
}
