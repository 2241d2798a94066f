/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_part.c - an FDE's rows, instructions and landing pads
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_part.h"
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
	struct flow_part *part = context;
	uint32_t agreed = 0, claimed = 0;

	if (part->row_count == FLOW_ROWS_MAX ||
	    !ARRAY_RESERVE(part->row, part->row_room,
			   part->row_count ? part->row_count + 1 : ROWS_LIKELY))
		return 1;
	part->row[part->row_count++] = *row;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		const enum rule_kind kind = row->reg[i].kind;

		if (kind == RULE_UNSPECIFIED)
			continue;
		if (kind == RULE_VAL_OFFSET || kind == RULE_VAL_EXPRESSION)
			agreed |= 1u << i;
		claimed |= 1u << i;
	}
	part->agreed |= agreed;
	part->claimed |= claimed;
	return 0;
}

static int read_rows(const struct cfi *cfi, struct flow_part *part, struct error *error)
{
	int result = cfi_rows(cfi, part->fde, add_row, part, &part->why_malformed);

	if (result > 0 && part->row_count < FLOW_ROWS_MAX)
		return error_set(error, ERROR_MEMORY, NULL, 0, "rows of an FDE");
	part->malformed = result != 0;
	part->silent = part->row_count == 1 && part->row[0].cfa.kind == RULE_UNSPECIFIED;
	return 0;
}

const uint8_t *flow_fde_bytes(const struct image *image, const struct cfi_fde *fde)
{
	return image_code_segment(image, fde->pc_begin)
		       ? image_bytes(image, fde->pc_begin, fde->pc_range)
		       : NULL;
}

bool flow_part_begins(const struct cfi *cfi, struct code_decoder *decoder,
		      const struct cfi_fde *fde, uint64_t pc)
{
	const uint8_t *bytes = flow_fde_bytes(cfi->image, fde);
	uint64_t at = 0;
	struct code code;

	for (; bytes && at < pc - fde->pc_begin; at += code.length ? code.length : 1)
		code_decode(decoder, fde->pc_begin + at, bytes + at, fde->pc_range - at, &code);
	return bytes && at == pc - fde->pc_begin;
}

int flow_part_create(const struct cfi *cfi, const struct cfi_fde *fde, struct flow_part **ret,
		     enum flow_reason *ret_reason, struct error *error)
{
	struct flow_part *part;
	const uint8_t *bytes;

	*ret = NULL;
	*ret_reason = FLOW_REASON_COUNT;
	if (fde->pc_range > FLOW_PART_BYTES_MAX) {
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
	part = calloc(1, sizeof(*part));
	if (!part)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
	part->fde = fde;
	part->begin = fde->pc_begin;
	part->end = fde->pc_begin + fde->pc_range;
	part->bytes = bytes;
	image_bytes_most(cfi->image, part->begin, fde->pc_range + CODE_HEAD_READ, &part->readable);
	part->code_at = calloc(3 * fde->pc_range, sizeof(*part->code_at));
	if (!part->code_at) {
		flow_part_destroy(part);
		return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
	}
	part->block_at = part->code_at + fde->pc_range;
	part->label_at = part->block_at + fde->pc_range;
	if (read_rows(cfi, part, error) || flow_landing_read(cfi, part, error)) {
		flow_part_destroy(part);
		return -1;
	}
	*ret = part;
	return 0;
}

void flow_part_destroy(struct flow_part *part)
{
	if (!part)
		return;
	free(part->row);
	free(part->code);
	free(part->code_at); /* and block_at, label_at */
	free(part->pad);
	free(part);
}

bool flow_part_silence(struct flow_part *part)
{
	const struct row nothing = { .pc = part->begin, .pc_end = part->end };

	if (!ARRAY_RESERVE(part->row, part->row_room, 1))
		return false;
	part->row[0] = nothing;
	part->row_count = 1;
	part->silent = true;
	part->agreed = part->claimed = 0;
	return true;
}

const struct row *flow_part_row(const struct flow_part *part, uint64_t pc)
{
	size_t low = 0, high = part->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct row *row = &part->row[middle];

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
static inline const struct code *decode(struct flow_part *part, struct code_decoder *decoder,
					uint64_t pc)
{
	uint64_t at = pc - part->begin;
	struct code *code = &part->code[part->code_count++];

	part->code_at[at] = (uint32_t)part->code_count;
	code[1].pc = 0;
	return code_decode_within(decoder, pc, part->bytes + at, part->end - pc,
				  part->readable - at, code);
}

static __attribute__((noinline)) bool grow(struct flow_part *part)
{
	uint64_t bytes = part->end - part->begin;
	size_t wanted = part->code_count ? part->code_count : bytes / BYTES_OF_CODE;

	return ARRAY_RESERVE(part->code, part->code_room, wanted + 2);
}

static __attribute__((noinline)) const struct code *
grow_and_decode(struct flow_part *part, struct code_decoder *decoder, uint64_t pc)
{
	return grow(part) ? decode(part, decoder, pc) : NULL;
}

const struct code *flow_part_decode(struct flow_part *part, struct code_decoder *decoder,
				    uint64_t pc)
{
	return part->code_count + 2 > part->code_room ? grow_and_decode(part, decoder, pc)
						      : decode(part, decoder, pc);
}

bool flow_part_sweep(struct flow_part *part, struct code_decoder *decoder)
{
	const uint64_t begin = part->begin, size = part->end - part->begin;
	size_t count = part->code_count, length;

	for (uint64_t at = 0; at < size; at += length ? length : 1) {
		const uint32_t number = part->code_at[at];

		if (number) {
			length = part->code[number - 1].length;
			continue;
		}
		if (count + 2 > part->code_room) {
			part->code_count = count;
			if (!grow(part))
				return false;
		}
		length = code_decode_within(decoder, begin + at, part->bytes + at, size - at,
					    part->readable - at, &part->code[count++])
				 ->length;
		part->code_at[at] = (uint32_t)count;
	}
	if (count > part->code_count)
		part->code[count].pc = 0;
	part->code_count = count;
	return true;
}
