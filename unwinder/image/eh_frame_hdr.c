/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * eh_frame_hdr.c - the linker's search table over .eh_frame
 *
 * .eh_frame_hdr (LSB 5, 10.6.2) is where an unwinder in the process looks first:
 *
 *	version, 1 byte: 1
 *	encodings, 1 byte each: of the next two fields, and of the table
 *	address of .eh_frame
 *	number of entries
 *	entries: (first PC, address of its FDE), sorted by PC
 *
 * DW_EH_PE_datarel counts from its own start. Whether the table is true, cfi/search_table.c says.
 */
#include <inttypes.h>
#include "eh_frame_hdr.h"
#include "pointer.h"

static struct pointer_context header_pointers(const struct image *image)
{
	return (struct pointer_context) { .image = image,
					  .section = &image->eh_frame_hdr,
					  .address_bytes = 8,
					  .is_header = true };
}

static int fail(uint64_t offset, struct error *error, const char *what)
{
	return error_set(error, ERROR_SEARCH_TABLE, ".eh_frame_hdr", offset, "%s", what);
}

/* Bytes of one pointer of the table; 0: their number varies, so that nobody can search in it. */
static unsigned int fixed_bytes(uint8_t encoding)
{
	switch (encoding & 0x0f) {
	case POINTER_UDATA2:
	case POINTER_SDATA2: return 2;
	case POINTER_UDATA4:
	case POINTER_SDATA4: return 4;
	case POINTER_ABSPTR:
	case POINTER_SIGNED:
	case POINTER_UDATA8:
	case POINTER_SDATA8: return 8;
	default: return 0;
	}
}

int eh_frame_hdr_read(const struct image *image, struct eh_frame_hdr *ret, struct error *error)
{
	const struct image_section *section = &image->eh_frame_hdr;
	*ret = (struct eh_frame_hdr) { .image = image };
	if (!section->data)
		return error_set(error, ERROR_NO_CFI, NULL, 0, "the image has no .eh_frame_hdr");
	struct reader reader = { section->data, section->data + section->size };
	struct pointer_context context = header_pointers(image);
	if (!reader_skip(&reader, 4))
		return fail(0, error, "the header is shorter than 4 bytes");
	if (section->data[0] != 1)
		return error_set(error, ERROR_SEARCH_TABLE, section->name, 0,
				 "version %u is not read", section->data[0]);
	if (pointer_read(&context, &reader, section->data[1], &ret->eh_frame_vaddr, error))
		return -1;
	uint8_t count_encoding = section->data[2];
	ret->table_encoding = section->data[3];
	if (count_encoding == POINTER_OMIT || ret->table_encoding == POINTER_OMIT)
		return 0;
	uint64_t count;
	if (pointer_read(&context, &reader, count_encoding, &count, error))
		return -1;
	ret->entry_bytes = 2 * fixed_bytes(ret->table_encoding);
	if (!ret->entry_bytes || ret->table_encoding & POINTER_INDIRECT)
		return error_set(error, ERROR_POINTER_ENCODING, section->name, 3,
				 "a table of encoding 0x%02x can't be searched",
				 ret->table_encoding);
	ret->table_offset = (uint64_t)(reader.at - section->data);
	if (count > reader_left(&reader) / ret->entry_bytes)
		return error_set(error, ERROR_SEARCH_TABLE, section->name, ret->table_offset,
				 "%" PRIu64 " entries reach past the section's end at 0x%zx", count,
				 section->size);
	ret->count = count;
	return 0;
}

int eh_frame_hdr_entry(const struct eh_frame_hdr *hdr, uint64_t index, uint64_t *ret_pc,
		       uint64_t *ret_fde_vaddr, struct error *error)
{
	const uint8_t *entry = hdr->image->eh_frame_hdr.data + hdr->table_offset +
			       index * hdr->entry_bytes;
	struct reader reader = { entry, entry + hdr->entry_bytes };
	struct pointer_context context = header_pointers(hdr->image);
	return pointer_read(&context, &reader, hdr->table_encoding, ret_pc, error) ||
			       pointer_read(&context, &reader, hdr->table_encoding, ret_fde_vaddr,
					    error)
		       ? -1
		       : 0;
}
