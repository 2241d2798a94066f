/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * pointer.c - reads encoded pointers (LSB 5, 10.5.1)
 *
 * Addresses are the image's own: pcrel counts from the pointer's own address in the section. An
 * indirect pointer is followed in the file's bytes, as they are before relocation.
 */
#include "pointer.h"

static uint64_t offset_of(const struct pointer_context *context, const uint8_t *at)
{
	return at - context->section->data;
}

static int fail(const struct pointer_context *context, const uint8_t *at, uint8_t encoding,
		enum error_code code, const char *what, struct error *error)
{
	return error_set(error, code, context->section->name, offset_of(context, at),
			 "pointer of encoding 0x%02x %s", encoding, what);
}

/* Only the low four bits: the number as it is stored, sign-extended if the format is signed. */
static int read_format(const struct pointer_context *context, struct reader *reader,
		       uint8_t encoding, uint64_t *ret, struct error *error)
{
	const uint8_t *start = reader->at;
	bool read = false;
	int64_t number = 0;
	*ret = 0;
	switch (encoding & 0x0f) {
	case POINTER_ABSPTR: read = reader_unsigned(reader, context->address_bytes, ret); break;
	case POINTER_ULEB128: read = reader_uleb(reader, ret); break;
	case POINTER_UDATA2: read = reader_unsigned(reader, 2, ret); break;
	case POINTER_UDATA4: read = reader_unsigned(reader, 4, ret); break;
	case POINTER_UDATA8: read = reader_unsigned(reader, 8, ret); break;
	case POINTER_SIGNED: read = reader_signed(reader, context->address_bytes, &number); break;
	case POINTER_SLEB128: read = reader_sleb(reader, &number); break;
	case POINTER_SDATA2: read = reader_signed(reader, 2, &number); break;
	case POINTER_SDATA4: read = reader_signed(reader, 4, &number); break;
	case POINTER_SDATA8: read = reader_signed(reader, 8, &number); break;
	default:
		return fail(context, start, encoding, ERROR_POINTER_ENCODING, "is not defined",
			    error);
	}
	if (!read)
		return fail(context, start, encoding, ERROR_CFI_TRUNCATED,
			    "reaches past its entry's end", error);
	if (encoding & POINTER_SIGNED)
		*ret = (uint64_t)number;
	return 0;
}

/* DW_EH_PE_aligned: an address-sized pointer at the next address that is a multiple of its size. */
static int read_aligned(const struct pointer_context *context, struct reader *reader, uint64_t *ret,
			struct error *error)
{
	const uint8_t *start = reader->at;
	uint64_t vaddr = context->section->vaddr + offset_of(context, start);
	if (!reader_skip(reader, -vaddr % context->address_bytes) ||
	    !reader_unsigned(reader, context->address_bytes, ret))
		return fail(context, start, POINTER_ALIGNED, ERROR_CFI_TRUNCATED,
			    "reaches past its entry's end", error);
	return 0;
}

int pointer_read(const struct pointer_context *context, struct reader *reader, uint8_t encoding,
		 uint64_t *ret, struct error *error)
{
	const uint8_t *start = reader->at;
	if (encoding == POINTER_ALIGNED)
		return read_aligned(context, reader, ret, error);
	if (encoding == POINTER_OMIT)
		return fail(context, start, encoding, ERROR_POINTER_ENCODING, "is not there",
			    error);
	uint64_t base = 0;
	switch (encoding & 0x70) {
	case 0: break;
	case POINTER_PCREL: base = context->section->vaddr + offset_of(context, start); break;
	case POINTER_TEXTREL: base = context->image->text_vaddr; break;
	case POINTER_DATAREL:
		base = context->is_header ? context->section->vaddr : context->image->data_vaddr;
		break;
	case POINTER_FUNCREL: base = context->function; break;
	default:
		return fail(context, start, encoding, ERROR_POINTER_ENCODING, "is not defined",
			    error);
	}
	if (read_format(context, reader, encoding, ret, error))
		return -1;
	*ret += base;
	if (encoding & POINTER_INDIRECT) {
		const uint8_t *cell = image_bytes(context->image, *ret, sizeof(*ret));
		if (!cell)
			return fail(context, start, encoding, ERROR_POINTER_ENCODING,
				    "leads outside of the image", error);
		memcpy(ret, cell, sizeof(*ret));
	}
	return 0;
}

int pointer_read_size(const struct pointer_context *context, struct reader *reader,
		      uint8_t encoding, uint64_t *ret, struct error *error)
{
	if (encoding == POINTER_ALIGNED)
		return read_aligned(context, reader, ret, error);
	/* A size has no sign: 0xfffffff0 in sdata4 is nearly 4 GiB, not a range that goes back. */
	return read_format(context, reader, encoding & 0x0f & ~POINTER_SIGNED, ret, error);
}
