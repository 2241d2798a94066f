/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_fragment.c - an FDE's rows, instructions and landing pads
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_fragment.h"
#include "cfi/cfi_section.h"
#include "image/pointer.h"

/* ==== landing pads ========================================================================== */

/*
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
		      uint8_t encoding, uint64_t base, struct flow_fragment *fragment,
		      bool *ret_memory)
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
	*ret_memory &= ARRAY_ADD(fragment->pad, fragment->pad_count,
				 (struct landing_pad) { .begin = fragment->begin + start,
							.end = fragment->begin + start + length,
							.pad = base + pad }) != NULL;
	return true;
}

int flow_landing_read(const struct cfi *cfi, struct flow_fragment *fragment, struct error *error)
{
	struct image_section area = { NULL };
	struct pointer_context context = { .image = cfi->image,
					   .section = &area,
					   .function = fragment->begin,
					   .address_bytes = 8 };
	struct reader reader, sites;
	uint64_t address, base = fragment->begin, size, ignored;
	uint8_t encoding;
	struct error malformed;
	bool memory = true;

	if (!find_area(cfi, fragment->fde, &address))
		return 0;
	fragment->pads_unread = true;
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
		if (!read_site(&context, &sites, encoding, base, fragment, &memory))
			return 0;
	fragment->pads_unread = false;
	return memory ? 0 : error_set(error, ERROR_MEMORY, NULL, 0, "landing pads");
}

/* ==== rows and instructions ================================================================= */

/*
 * Instructions are decoded once, when somebody comes to them: where they begin is known from the
 * paths, not from the bytes before.
 */

/* What most functions don't exceed. */
#define ROWS_LIKELY   32
#define BYTES_OF_CODE 3 /* an instruction's, or more */

static int add_row(void *context, const struct row *row)
{
	struct flow_fragment *fragment = context;
	uint32_t agreed = 0, claimed = 0;

	if (fragment->row_count == FLOW_ROWS_MAX ||
	    !ARRAY_RESERVE(fragment->row, fragment->row_room,
			   fragment->row_count ? fragment->row_count + 1 : ROWS_LIKELY))
		return 1;
	fragment->row[fragment->row_count++] = *row;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		const enum rule_kind kind = row->reg[i].kind;

		if (kind == RULE_UNSPECIFIED)
			continue;
		if (kind == RULE_VAL_OFFSET || kind == RULE_VAL_EXPRESSION)
			agreed |= 1u << i;
		claimed |= 1u << i;
	}
	fragment->agreed |= agreed;
	fragment->claimed |= claimed;
	return 0;
}

static int read_rows(const struct cfi *cfi, struct flow_fragment *fragment, struct error *error)
{
	int result = cfi_rows(cfi, fragment->fde, add_row, fragment, &fragment->why_malformed);

	if (result > 0 && fragment->row_count < FLOW_ROWS_MAX)
		return error_set(error, ERROR_MEMORY, NULL, 0, "rows of an FDE");
	fragment->malformed = result != 0;
	fragment->silent = fragment->row_count == 1 &&
			   fragment->row[0].cfa.kind == RULE_UNSPECIFIED;
	return 0;
}

int flow_fragment_create(const struct cfi *cfi, const struct cfi_fde *fde,
			 struct flow_fragment **ret, enum flow_reason *ret_reason,
			 struct error *error)
{
	struct flow_fragment *fragment;
	const uint8_t *bytes;

	*ret = NULL;
	*ret_reason = FLOW_REASON_COUNT;
	if (fde->pc_range > FLOW_FRAGMENT_BYTES_MAX) {
		*ret_reason = FLOW_TOO_LARGE;
		return 0;
	}
	bytes = flow_fde_bytes(cfi->image, fde);
	if (!bytes) {
		*ret_reason = image_bytes(cfi->image, fde->pc_begin, 1) &&
					      !image_code_segment(cfi->image, fde->pc_begin)
				      ? FLOW_NO_ENTRY
				      : FLOW_UNDECODED;
		return 0;
	}
	fragment = calloc(1, sizeof(*fragment));
	if (!fragment)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
	fragment->fde = fde;
	fragment->begin = fde->pc_begin;
	fragment->end = fde->pc_begin + fde->pc_range;
	fragment->bytes = bytes;
	image_bytes_most(cfi->image, fragment->begin, fde->pc_range + CODE_HEAD_READ,
			 &fragment->readable);
	fragment->code_at = calloc(3 * fde->pc_range, sizeof(*fragment->code_at));
	if (!fragment->code_at) {
		flow_fragment_destroy(fragment);
		return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
	}
	fragment->block_at = fragment->code_at + fde->pc_range;
	fragment->label_at = fragment->block_at + fde->pc_range;
	if (read_rows(cfi, fragment, error) || flow_landing_read(cfi, fragment, error)) {
		flow_fragment_destroy(fragment);
		return -1;
	}
	*ret = fragment;
	return 0;
}

void flow_fragment_destroy(struct flow_fragment *fragment)
{
	if (!fragment)
		return;
	free(fragment->row);
	free(fragment->code);
	free(fragment->code_at); /* and block_at, label_at */
	free(fragment->pad);
	free(fragment);
}

bool flow_fragment_silence(struct flow_fragment *fragment)
{
	const struct row nothing = { .pc = fragment->begin, .pc_end = fragment->end };

	if (!ARRAY_RESERVE(fragment->row, fragment->row_room, 1))
		return false;
	fragment->row[0] = nothing;
	fragment->row_count = 1;
	fragment->silent = true;
	fragment->agreed = fragment->claimed = 0;
	return true;
}

const struct row *flow_fragment_row(const struct flow_fragment *fragment, uint64_t pc)
{
	size_t low = 0, high = fragment->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct row *row = &fragment->row[middle];

		if (pc < row->pc)
			high = middle;
		else if (pc >= row->pc_end)
			low = middle + 1;
		else
			return row;
	}
	return NULL;
}

/* There is room for it, and for the end behind it. */
static inline const struct code *decode(struct flow_fragment *fragment,
					struct code_decoder *decoder, uint64_t pc)
{
	uint64_t at = pc - fragment->begin;
	struct code *code = &fragment->code[fragment->code_count++];

	fragment->code_at[at] = (uint32_t)fragment->code_count;
	code[1].pc = 0;
	return code_decode_within(decoder, pc, fragment->bytes + at, fragment->end - pc,
				  fragment->readable - at, code);
}

static __attribute__((noinline)) bool grow(struct flow_fragment *fragment)
{
	uint64_t bytes = fragment->end - fragment->begin;
	size_t wanted = fragment->code_count ? fragment->code_count : bytes / BYTES_OF_CODE;

	return ARRAY_RESERVE(fragment->code, fragment->code_room, wanted + 2);
}

static __attribute__((noinline)) const struct code *
grow_and_decode(struct flow_fragment *fragment, struct code_decoder *decoder, uint64_t pc)
{
	return grow(fragment) ? decode(fragment, decoder, pc) : NULL;
}

const struct code *flow_fragment_decode(struct flow_fragment *fragment,
					struct code_decoder *decoder, uint64_t pc)
{
	return fragment->code_count + 2 > fragment->code_room
		       ? grow_and_decode(fragment, decoder, pc)
		       : decode(fragment, decoder, pc);
}

bool flow_fragment_sweep(struct flow_fragment *fragment, struct code_decoder *decoder)
{
	const uint64_t begin = fragment->begin, size = fragment->end - fragment->begin;
	size_t count = fragment->code_count, length;

	for (uint64_t at = 0; at < size; at += length ? length : 1) {
		const uint32_t number = fragment->code_at[at];

		if (number) {
			length = fragment->code[number - 1].length;
			continue;
		}
		if (count + 2 > fragment->code_room) {
			fragment->code_count = count;
			if (!grow(fragment))
				return false;
		}
		length = code_decode_within(decoder, begin + at, fragment->bytes + at, size - at,
					    fragment->readable - at, &fragment->code[count++])
				 ->length;
		fragment->code_at[at] = (uint32_t)count;
	}
	if (count > fragment->code_count)
		fragment->code[count].pc = 0;
	fragment->code_count = count;
	return true;
}
