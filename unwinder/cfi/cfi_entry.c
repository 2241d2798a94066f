/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_entry.c - one entry of .eh_frame or .debug_frame: a CIE or an FDE
 *
 * An entry begins with its length and says what it is (DWARF 5, 6.4.1; LSB 5, 10.6.1):
 *
 *			.debug_frame			.eh_frame
 *	CIE id		all ones, 4 or 8 bytes		0, always 4 bytes
 *	an FDE's CIE	offset in the section		bytes back from that field
 *	pointers	plain addresses			as the augmentation 'R' says
 *
 * Every field is read against the entry's end, never the section's: a bad entry can't borrow from
 * its neighbour. Errors say where in the section the field is that was wrong.
 */
#include <inttypes.h>
#include <string.h>
#include "cfi_section.h"
#include "image/pointer.h"
#include "reader.h"

#define LENGTH_64BIT UINT32_MAX /* what follows is a length of 8 bytes: 64-bit DWARF */

/* ---- the head ---------------------------------------------------------------------------- */

/* The length field. The section's own end is the only bound that there is yet. */
static int read_length(const struct image_section *section, struct reader *reader,
		       struct cfi_entry *entry, struct error *error)
{
	if (!reader_unsigned(reader, 4, &entry->length))
		return error_set(error, ERROR_CFI_LENGTH, section->name, entry->offset,
				 "the section ends inside an entry's length");
	bool whole = true;
	if (entry->length == LENGTH_64BIT) {
		entry->is_64bit = true;
		whole = reader_unsigned(reader, 8, &entry->length);
	} else if (entry->length >= CFI_LENGTH_RESERVED) {
		whole = false;
	}
	if (!whole || entry->length > reader_left(reader))
		return error_set(error, ERROR_CFI_LENGTH, section->name, entry->offset,
				 "the entry's length 0x%" PRIx64
				 " reaches past the section's end at 0x%zx",
				 entry->length, section->size);
	entry->end = (uint64_t)(reader->at - section->data) + entry->length;
	return 0;
}

int cfi_entry_read(const struct image_section *section, bool is_eh_frame, uint64_t offset,
		   struct cfi_entry *ret, struct error *error)
{
	*ret = (struct cfi_entry) { .offset = offset };
	if (offset > section->size)
		return error_set(error, ERROR_CFI_LENGTH, section->name, offset,
				 "the section ends at 0x%zx, before the entry", section->size);
	struct reader reader = { section->data + offset, section->data + section->size };
	if (read_length(section, &reader, ret, error))
		return -1;
	if (!ret->length && !ret->is_64bit)
		return 0;
	reader.end = section->data + ret->end;
	unsigned int id_bytes = ret->is_64bit && !is_eh_frame ? 8 : 4;
	uint64_t position = (uint64_t)(reader.at - section->data);
	uint64_t id;
	if (!reader_unsigned(&reader, id_bytes, &id))
		return error_set(error, ERROR_CFI_TRUNCATED, section->name, position,
				 "the entry has no CIE pointer");
	ret->body = reader.at;
	if (is_eh_frame) {
		ret->is_cie = !id;
		/* Signed: the CIE may stand behind its FDE. */
		ret->cie = position - (uint64_t)(int32_t)id;
	} else {
		ret->is_cie = id == (id_bytes == 8 ? UINT64_MAX : UINT32_MAX);
		ret->cie = id;
	}
	return 0;
}

/* ---- CIE --------------------------------------------------------------------------------- */

/* What a CIE or FDE is read with. */
struct parser {
	const struct image *image;
	const struct image_section *section;
	struct reader body;
	struct error *error;
};

static int fail(const struct parser *parser, const uint8_t *at, enum error_code code,
		const char *what)
{
	return error_set(parser->error, code, parser->section->name,
			 (uint64_t)(at - parser->section->data), "%s", what);
}

static struct pointer_context pointers(const struct parser *parser, const struct cfi_cie *cie)
{
	return (struct pointer_context) { .image = parser->image,
					  .section = parser->section,
					  .address_bytes = cie->address_bytes };
}

/* The letters after 'z', in their order. An unknown one ends them: 'z' gave the length of all. */
static int parse_letters(const struct parser *parser, struct cfi_cie *cie, const char *letters,
			 struct reader *data)
{
	struct pointer_context context = pointers(parser, cie);
	for (; *letters; letters++) {
		uint8_t encoding;
		uint64_t skipped;
		switch (*letters) {
		case 'S': cie->signal_frame = true; break;
		case 'B': /* AArch64: pointer authentication with key B */
		case 'G': /* AArch64: memory tagging */ break;
		case 'R':
		case 'L':
		case 'P':
			if (!reader_u8(data, &encoding))
				return fail(parser, data->at, ERROR_CFI_TRUNCATED,
					    "the CIE's augmentation data are too short");
			if (*letters == 'R')
				cie->fde_encoding = encoding;
			else if (*letters == 'L')
				cie->lsda_encoding = encoding;
			else if (encoding != POINTER_OMIT &&
				 pointer_read_size(&context, data, encoding, &skipped,
						   parser->error))
				return -1;
			break;
		default: return 0;
		}
	}
	return 0;
}

static int parse_augmentation(struct parser *parser, struct cfi_cie *cie)
{
	const char *letters = cie->augmentation;
	if (*letters == 'z') {
		uint64_t size;
		if (!reader_uleb(&parser->body, &size) ||
		    !reader_block(&parser->body, size, &cie->augmentation_data))
			return fail(parser, parser->body.at, ERROR_CFI_TRUNCATED,
				    "the CIE's augmentation data reach past its end");
		cie->has_augmentation_data = true;
		cie->augmentation_data_bytes = (uint32_t)size;
		struct reader data = { cie->augmentation_data, cie->augmentation_data + size };
		return parse_letters(parser, cie, letters + 1, &data);
	}
	if (!strncmp(letters, "eh", 2))
		letters += 2; /* GCC before 3.0: a pointer, read with the fields before */
	for (; *letters; letters++) {
		if (*letters == 'S')
			cie->signal_frame = true;
		else if (*letters != 'B' && *letters != 'G')
			return error_set(parser->error, ERROR_CIE_AUGMENTATION,
					 parser->section->name, cie->offset,
					 "augmentation \"%.32s\" has no 'z' and so no known length",
					 cie->augmentation);
	}
	return 0;
}

static int parse_version(struct parser *parser, struct cfi_cie *cie)
{
	struct reader *body = &parser->body;
	const uint8_t *start = body->at;
	if (!reader_u8(body, &cie->version))
		return fail(parser, start, ERROR_CFI_TRUNCATED, "the CIE has no version");
	if (cie->version != 1 && cie->version != 3 && cie->version != 4 && cie->version != 5)
		return error_set(parser->error, ERROR_CIE_VERSION, parser->section->name,
				 (uint64_t)(start - parser->section->data),
				 "CIE version %u is not read", cie->version);
	cie->augmentation = (const char *)body->at;
	size_t length = strnlen(cie->augmentation, reader_left(body));
	if (length == reader_left(body))
		return fail(parser, body->at, ERROR_CFI_TRUNCATED,
			    "the CIE's augmentation string does not end");
	body->at += length + 1;

	cie->address_bytes = 8;
	uint8_t selector_bytes = 0;
	if (cie->version >= 4 &&
	    (!reader_u8(body, &cie->address_bytes) || !reader_u8(body, &selector_bytes)))
		return fail(parser, body->at, ERROR_CFI_TRUNCATED,
			    "the CIE's address size is missing");
	if ((cie->address_bytes != 8 && cie->address_bytes != 4) || selector_bytes)
		return error_set(parser->error, ERROR_CIE_VERSION, parser->section->name,
				 (uint64_t)(body->at - 2 - parser->section->data),
				 "addresses of %u bytes with segments of %u are not read",
				 cie->address_bytes, selector_bytes);
	return 0;
}

int cfi_cie_parse(const struct image *image, const struct image_section *section,
		  const struct cfi_entry *entry, struct cfi_cie *ret, struct error *error)
{
	struct parser parser = {
		image, section, { entry->body, section->data + entry->end }, error
	};
	struct reader *body = &parser.body;
	*ret = (struct cfi_cie) {
		.section = section,
		.offset = (uint32_t)entry->offset,
		.length = (uint32_t)entry->length,
		.is_64bit = entry->is_64bit,
		.fde_encoding = POINTER_ABSPTR,
		.lsda_encoding = POINTER_OMIT,
	};
	if (parse_version(&parser, ret))
		return -1;
	uint8_t byte = 0;
	if ((!strncmp(ret->augmentation, "eh", 2) && !reader_skip(body, ret->address_bytes)) ||
	    !reader_uleb(body, &ret->code_alignment) || !reader_sleb(body, &ret->data_alignment) ||
	    !(ret->version == 1 ? reader_u8(body, &byte)
				: reader_uleb(body, &ret->return_register)))
		return fail(&parser, body->at, ERROR_CFI_TRUNCATED,
			    "the CIE's alignments or return register reach past its end");
	if (ret->version == 1)
		ret->return_register = byte;
	if (parse_augmentation(&parser, ret))
		return -1;
	if (reader_left(body) > CIE_INSTRUCTION_BYTES_MAX)
		return error_set(error, ERROR_CFI_LENGTH, section->name,
				 (uint64_t)(body->at - section->data),
				 "the CIE has %zu bytes of instructions, more than %u",
				 reader_left(body), CIE_INSTRUCTION_BYTES_MAX);
	ret->instructions = body->at;
	ret->instruction_bytes = (uint32_t)reader_left(body);
	return 0;
}

int cfi_cie_read(const struct image *image, const struct image_section *section, bool is_eh_frame,
		 uint64_t offset, struct cfi_cie *ret, struct error *error)
{
	struct cfi_entry entry;
	if (cfi_entry_read(section, is_eh_frame, offset, &entry, error))
		return -1;
	if (!entry.is_cie)
		return error_set(error, ERROR_CIE_POINTER, section->name, offset,
				 "there is no CIE");
	return cfi_cie_parse(image, section, &entry, ret, error);
}

/* ---- FDE --------------------------------------------------------------------------------- */

int cfi_fde_parse(const struct image *image, const struct image_section *section,
		  const struct cfi_entry *entry, const struct cfi_cie *cie, struct cfi_fde *ret,
		  struct error *error)
{
	struct parser parser = {
		image, section, { entry->body, section->data + entry->end }, error
	};
	struct reader *body = &parser.body;
	struct pointer_context context = pointers(&parser, cie);
	*ret = (struct cfi_fde) { .offset = (uint32_t)entry->offset,
				  .length = (uint32_t)entry->length };
	bool fast = cie->fde_encoding == (POINTER_PCREL | POINTER_SDATA4) &&
		    cie->has_augmentation_data && cfi_fde_parse_fast(section, entry, ret);
	if (!fast && (pointer_read(&context, body, cie->fde_encoding, &ret->pc_begin, error) ||
		      pointer_read_size(&context, body, cie->fde_encoding, &ret->pc_range, error)))
		return -1;
	if (ret->pc_begin + ret->pc_range < ret->pc_begin)
		return error_set(error, ERROR_CFI_RANGE, section->name, entry->offset,
				 "the FDE's range 0x%" PRIx64 "+0x%" PRIx64 " wraps", ret->pc_begin,
				 ret->pc_range);
	if (fast)
		return 0;
	uint64_t size;
	const uint8_t *augmentation_data;
	if (cie->has_augmentation_data &&
	    (!reader_uleb(body, &size) || !reader_block(body, size, &augmentation_data)))
		return fail(&parser, body->at, ERROR_CFI_TRUNCATED,
			    "the FDE's augmentation data reach past its end");
	ret->instructions = body->at;
	ret->instruction_bytes = (uint32_t)reader_left(body);
	return 0;
}

int cfi_fde_read(const struct image *image, const struct image_section *section, bool is_eh_frame,
		 uint64_t offset, const struct cfi_cie *cie, struct cfi_fde *ret,
		 struct error *error)
{
	struct cfi_entry entry;
	if (cfi_entry_read(section, is_eh_frame, offset, &entry, error))
		return -1;
	if (!entry.length || entry.is_cie)
		return error_set(error, ERROR_CIE_POINTER, section->name, offset,
				 "there is no FDE");
	if (entry.cie != cie->offset)
		return error_set(error, ERROR_CIE_POINTER, section->name, offset,
				 "the FDE's CIE would be at 0x%" PRIx64 ", not at 0x%" PRIx32,
				 entry.cie, cie->offset);
	return cfi_fde_parse(image, section, &entry, cie, ret, error);
}

const struct cfi_cie *cfi_cie_cached(struct cfi_cie_cache *cache, const struct image *image,
				     const struct image_section *section, bool is_eh_frame,
				     uint64_t offset)
{
	size_t slot = (offset ^ offset >> 6 ^ offset >> 12) % 64;
	struct error ignored;
	if (cache->used[slot] && cache->cie[slot].offset == offset)
		return &cache->cie[slot];
	cache->used[slot] = false;
	if (cfi_cie_read(image, section, is_eh_frame, offset, &cache->cie[slot], &ignored))
		return NULL;
	cache->used[slot] = true;
	return &cache->cie[slot];
}
