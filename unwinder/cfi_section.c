/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cfi_section.c - .eh_frame and .debug_frame: CIEs, FDEs, and the FDE of a PC
 *
 * Both sections are a list of entries that begin with their length (DWARF 5, 6.4.1; LSB 5, 10.6.1).
 * A CIE holds what many functions share, an FDE covers one PC range and names its CIE:
 *
 *			.debug_frame			.eh_frame
 *	CIE id		all ones, 4 or 8 bytes		0, always 4 bytes
 *	an FDE's CIE	offset in the section		bytes back from that field
 *	pointers	plain addresses			as the augmentation 'R' says
 *
 * The first pass walks the list and parses CIEs; the second parses the FDEs, so that an FDE may
 * stand before its CIE. A bad entry is left out with a diagnostic: the length says where the next
 * one begins. Only a length that leaves the section ends the list. A zero length does not: linkers
 * join inputs that each end in one.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "pointer.h"
#include "reader.h"
#include "unwinder.h"

#define LENGTH_64BIT	 UINT32_MAX /* what follows is a length of 8 bytes: 64-bit DWARF */
#define LENGTH_RESERVED	 0xfffffff0u
#define CIE_POINTER_NONE UINT64_MAX

/* The section while it is read. */
struct parser {
	struct cfi *cfi;
	const uint8_t *data;
	size_t cie_capacity;
	size_t fde_capacity;
};

/* One entry's frame: everything after the CIE id or pointer up to the next entry is body. */
struct entry {
	uint64_t offset;
	uint64_t length;
	uint64_t cie; /* CIE_POINTER_NONE: this is a CIE; else the CIE's offset */
	bool is_64bit;
	struct reader body;
};

static int fail(const struct parser *parser, const uint8_t *at, enum error_code code,
		const char *what, struct error *error)
{
	return error_set(error, code, parser->cfi->section->name, at - parser->data, "%s", what);
}

/* ---- CIE --------------------------------------------------------------------------------- */

/* The letters after 'z', in their order. An unknown one ends them: 'z' gave the length of all. */
static int parse_letters(const struct parser *parser, struct cfi_cie *cie, const char *letters,
			 struct reader *data, struct error *error)
{
	struct pointer_context context = { .image = parser->cfi->image,
					   .section = parser->cfi->section,
					   .address_bytes = cie->address_bytes };
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
					    "the CIE's augmentation data are too short", error);
			if (*letters == 'R')
				cie->fde_encoding = encoding;
			else if (*letters == 'L')
				cie->lsda_encoding = encoding;
			else if (encoding != POINTER_OMIT &&
				 pointer_read_size(&context, data, encoding, &skipped, error))
				return -1;
			break;
		default: return 0;
		}
	}
	return 0;
}

static int parse_augmentation(const struct parser *parser, struct cfi_cie *cie, struct reader *body,
			      struct error *error)
{
	const char *letters = cie->augmentation;
	if (*letters == 'z') {
		uint64_t size;
		if (!reader_uleb(body, &size) || !reader_block(body, size, &cie->augmentation_data))
			return fail(parser, body->at, ERROR_CFI_TRUNCATED,
				    "the CIE's augmentation data reach past its end", error);
		cie->has_augmentation_data = true;
		cie->augmentation_data_bytes = size;
		struct reader data = { cie->augmentation_data, cie->augmentation_data + size };
		return parse_letters(parser, cie, letters + 1, &data, error);
	}
	if (!strncmp(letters, "eh", 2))
		letters += 2; /* GCC before 3.0: a pointer, read with the fields before */
	for (; *letters; letters++) {
		if (*letters == 'S')
			cie->signal_frame = true;
		else if (*letters != 'B' && *letters != 'G')
			return error_set(error, ERROR_CIE_AUGMENTATION, parser->cfi->section->name,
					 cie->offset,
					 "augmentation \"%s\" has no 'z' and so no known length",
					 cie->augmentation);
	}
	return 0;
}

static int parse_cie_version(const struct parser *parser, struct cfi_cie *cie, struct reader *body,
			     struct error *error)
{
	const uint8_t *start = body->at;
	if (!reader_u8(body, &cie->version))
		return fail(parser, start, ERROR_CFI_TRUNCATED, "the CIE has no version", error);
	if (cie->version != 1 && cie->version != 3 && cie->version != 4 && cie->version != 5)
		return error_set(error, ERROR_CIE_VERSION, parser->cfi->section->name,
				 start - parser->data, "CIE version %u is not read", cie->version);
	size_t length = strnlen((const char *)body->at, reader_left(body));
	if (length == reader_left(body))
		return fail(parser, body->at, ERROR_CFI_TRUNCATED,
			    "the CIE's augmentation string does not end", error);
	if (length >= sizeof(cie->augmentation))
		return fail(parser, body->at, ERROR_CIE_AUGMENTATION,
			    "the CIE's augmentation string is too long", error);
	memcpy(cie->augmentation, body->at, length + 1);
	body->at += length + 1;

	cie->address_bytes = 8;
	uint8_t selector_bytes = 0;
	if (cie->version >= 4 &&
	    (!reader_u8(body, &cie->address_bytes) || !reader_u8(body, &selector_bytes)))
		return fail(parser, body->at, ERROR_CFI_TRUNCATED,
			    "the CIE's address size is missing", error);
	if ((cie->address_bytes != 8 && cie->address_bytes != 4) || selector_bytes)
		return error_set(error, ERROR_CIE_VERSION, parser->cfi->section->name,
				 body->at - 2 - parser->data,
				 "addresses of %u bytes with segments of %u are not read",
				 cie->address_bytes, selector_bytes);
	return 0;
}

static int parse_cie(const struct parser *parser, const struct entry *entry, struct cfi_cie *ret,
		     struct error *error)
{
	struct reader body = entry->body;
	*ret = (struct cfi_cie) {
		.offset = entry->offset,
		.length = entry->length,
		.is_64bit = entry->is_64bit,
		.fde_encoding = POINTER_ABSPTR,
		.lsda_encoding = POINTER_OMIT,
	};
	if (parse_cie_version(parser, ret, &body, error))
		return -1;
	uint8_t byte = 0;
	if ((!strncmp(ret->augmentation, "eh", 2) && !reader_skip(&body, ret->address_bytes)) ||
	    !reader_uleb(&body, &ret->code_alignment) ||
	    !reader_sleb(&body, &ret->data_alignment) ||
	    !(ret->version == 1 ? reader_u8(&body, &byte)
				: reader_uleb(&body, &ret->return_register)))
		return fail(parser, body.at, ERROR_CFI_TRUNCATED,
			    "the CIE's alignments or return register reach past its end", error);
	if (ret->version == 1)
		ret->return_register = byte;
	if (parse_augmentation(parser, ret, &body, error))
		return -1;
	ret->instructions = body.at;
	ret->instruction_bytes = reader_left(&body);
	return 0;
}

/* ---- FDE --------------------------------------------------------------------------------- */

static struct cfi_cie *find_cie(const struct cfi *cfi, uint64_t offset)
{
	size_t low = 0;
	size_t high = cfi->cie_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (cfi->cie[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < cfi->cie_count && cfi->cie[low].offset == offset ? &cfi->cie[low] : NULL;
}

/* fde has its offset, length and, from the first pass, body and its CIE's offset as pc_begin. */
static int parse_fde(const struct parser *parser, struct cfi_fde *fde, struct error *error)
{
	const struct cfi *cfi = parser->cfi;
	const struct cfi_cie *cie = find_cie(cfi, fde->pc_begin);
	if (!cie)
		return error_set(error, ERROR_CIE_POINTER, cfi->section->name, fde->offset,
				 "the FDE's CIE would be at 0x%" PRIx64 ", where there is none",
				 fde->pc_begin);
	if (cie->bad)
		return error_set(error, ERROR_CIE_POINTER, cfi->section->name, fde->offset,
				 "the FDE's CIE at 0x%" PRIx64 " could not be read", cie->offset);
	fde->cie = cie - cfi->cie;

	struct reader body = { fde->instructions, fde->instructions + fde->instruction_bytes };
	struct pointer_context context = { .image = cfi->image,
					   .section = cfi->section,
					   .address_bytes = cie->address_bytes };
	if (pointer_read(&context, &body, cie->fde_encoding, &fde->pc_begin, error) ||
	    pointer_read_size(&context, &body, cie->fde_encoding, &fde->pc_range, error))
		return -1;
	if (fde->pc_begin + fde->pc_range < fde->pc_begin)
		return error_set(error, ERROR_CFI_RANGE, cfi->section->name, fde->offset,
				 "the FDE's range 0x%" PRIx64 "+0x%" PRIx64 " wraps", fde->pc_begin,
				 fde->pc_range);
	fde->augmentation_data = NULL;
	fde->augmentation_data_bytes = 0;
	if (cie->has_augmentation_data) {
		uint64_t size;
		if (!reader_uleb(&body, &size) ||
		    !reader_block(&body, size, &fde->augmentation_data))
			return fail(parser, body.at, ERROR_CFI_TRUNCATED,
				    "the FDE's augmentation data reach past its end", error);
		fde->augmentation_data_bytes = size;
	}
	fde->instructions = body.at;
	fde->instruction_bytes = reader_left(&body);
	return 0;
}

/* Second pass: reads the FDEs in place and closes the gaps that bad ones leave. */
static void parse_fdes(const struct parser *parser)
{
	struct cfi *cfi = parser->cfi;
	size_t kept = 0;
	for (size_t i = 0; i < cfi->fde_count; i++) {
		struct cfi_fde fde = cfi->fde[i];
		struct error error;
		if (parse_fde(parser, &fde, &error))
			error_list_add(&cfi->diagnostics, &error);
		else
			cfi->fde[kept++] = fde;
	}
	cfi->fde_count = kept;
}

/* ---- the list of entries ----------------------------------------------------------------- */

static int add_cie(struct parser *parser, const struct entry *entry, struct error *error)
{
	struct cfi *cfi = parser->cfi;
	if (cfi->cie_count == parser->cie_capacity) {
		size_t capacity = parser->cie_capacity ? parser->cie_capacity * 2 : 16;
		struct cfi_cie *grown = realloc(cfi->cie, capacity * sizeof(*grown));
		if (!grown)
			return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for CIEs");
		cfi->cie = grown;
		parser->cie_capacity = capacity;
	}
	struct cfi_cie *cie = &cfi->cie[cfi->cie_count++];
	struct error diagnostic;
	cie->bad = parse_cie(parser, entry, cie, &diagnostic);
	if (cie->bad)
		error_list_add(&cfi->diagnostics, &diagnostic);
	return 0;
}

static int add_fde(struct parser *parser, const struct entry *entry, struct error *error)
{
	struct cfi *cfi = parser->cfi;
	if (cfi->fde_count == parser->fde_capacity) {
		/* The common FDE has 20 to 60 bytes: the first guess is nearly always enough. */
		size_t capacity = parser->fde_capacity ? parser->fde_capacity * 2
						       : cfi->section->size / 40 + 16;
		struct cfi_fde *grown = realloc(cfi->fde, capacity * sizeof(*grown));
		if (!grown)
			return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for FDEs");
		cfi->fde = grown;
		parser->fde_capacity = capacity;
	}
	cfi->fde[cfi->fde_count++] = (struct cfi_fde) {
		.offset = entry->offset,
		.length = entry->length,
		.pc_begin = entry->cie,
		.instructions = entry->body.at,
		.instruction_bytes = reader_left(&entry->body),
	};
	return 0;
}

/* The CIE id or pointer at the start of the body. */
static int read_id(const struct parser *parser, struct entry *entry, struct error *error)
{
	const uint8_t *start = entry->body.at;
	bool is_eh_frame = parser->cfi->is_eh_frame;
	unsigned int size = entry->is_64bit && !is_eh_frame ? 8 : 4;
	uint64_t id;
	if (!reader_unsigned(&entry->body, size, &id))
		return fail(parser, start, ERROR_CFI_TRUNCATED, "the entry has no CIE pointer",
			    error);
	if (is_eh_frame) /* signed: the CIE may stand behind its FDE */
		entry->cie = id ? (uint64_t)(start - parser->data) - (uint64_t)(int32_t)id
				: CIE_POINTER_NONE;
	else
		entry->cie = id == (size == 8 ? UINT64_MAX : UINT32_MAX) ? CIE_POINTER_NONE : id;
	return 0;
}

/* First pass. Only memory fails it: a length that leaves the section is the last diagnostic. */
static int parse_entries(struct parser *parser, struct error *error)
{
	struct cfi *cfi = parser->cfi;
	struct reader reader = { parser->data, parser->data + cfi->section->size };
	struct error diagnostic;
	while (reader_left(&reader)) {
		struct entry entry = { .offset = reader.at - parser->data };
		const uint8_t *start = reader.at;
		if (!reader_unsigned(&reader, 4, &entry.length)) {
			/* Some linkers pad the section with fewer zero bytes than a length has. */
			bool zero = true;
			for (const uint8_t *byte = start; byte < reader.end; byte++)
				zero &= !*byte;
			if (zero)
				break;
			fail(parser, start, ERROR_CFI_LENGTH,
			     "the section ends inside an entry's length", &diagnostic);
			error_list_add(&cfi->diagnostics, &diagnostic);
			break;
		}
		if (!entry.length)
			continue;
		bool whole = true;
		if (entry.length == LENGTH_64BIT) {
			entry.is_64bit = true;
			whole = reader_unsigned(&reader, 8, &entry.length);
		} else if (entry.length >= LENGTH_RESERVED) {
			whole = false;
		}
		entry.body.at = reader.at;
		if (!whole || !reader_skip(&reader, entry.length)) {
			error_set(&diagnostic, ERROR_CFI_LENGTH, cfi->section->name, entry.offset,
				  "the entry's length 0x%" PRIx64
				  " reaches past the section's end at 0x%zx",
				  entry.length, cfi->section->size);
			error_list_add(&cfi->diagnostics, &diagnostic);
			break;
		}
		entry.body.end = reader.at;
		if (read_id(parser, &entry, &diagnostic)) {
			error_list_add(&cfi->diagnostics, &diagnostic);
			continue;
		}
		if (entry.cie == CIE_POINTER_NONE ? add_cie(parser, &entry, error)
						  : add_fde(parser, &entry, error))
			return -1;
	}
	return 0;
}

/* ---- by PC ------------------------------------------------------------------------------- */

struct sort_key {
	uint64_t pc;
	uint32_t fde;
};

/* Stable, byte by byte from the lowest; bytes that all keys share cost one pass of counting. */
static struct sort_key *radix_sort(struct sort_key *key, struct sort_key *spare, size_t count)
{
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		size_t start[256] = { 0 };
		for (size_t i = 0; i < count; i++)
			start[key[i].pc >> shift & 0xff]++;
		if (start[key[0].pc >> shift & 0xff] == count)
			continue;
		size_t sum = 0;
		for (unsigned int byte = 0; byte < 256; byte++) {
			size_t here = start[byte];
			start[byte] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			spare[start[key[i].pc >> shift & 0xff]++] = key[i];
		struct sort_key *other = key;
		key = spare;
		spare = other;
	}
	return key;
}

static int sort_by_pc(struct cfi *cfi, struct error *error)
{
	if (!cfi->fde_count)
		return 0;
	struct sort_key *keys = malloc(2 * cfi->fde_count * sizeof(*keys));
	cfi->by_pc = malloc(cfi->fde_count * sizeof(*cfi->by_pc));
	if (!keys || !cfi->by_pc) {
		free(keys);
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory to sort FDEs");
	}
	size_t count = 0;
	bool sorted = true;
	for (size_t i = 0; i < cfi->fde_count; i++) {
		if (!cfi->fde[i].pc_range)
			continue;
		keys[count] = (struct sort_key) { cfi->fde[i].pc_begin, i };
		sorted &= !count || keys[count - 1].pc <= keys[count].pc;
		count++;
	}
	const struct sort_key *order = keys;
	if (!sorted)
		order = radix_sort(keys, keys + cfi->fde_count, count);
	uint64_t end = 0;
	for (size_t i = 0; i < count; i++) {
		const struct cfi_fde *fde = &cfi->fde[order[i].fde];
		cfi->by_pc[i] = order[i].fde;
		cfi->overlapping |= fde->pc_begin < end;
		if (fde->pc_begin + fde->pc_range > end)
			end = fde->pc_begin + fde->pc_range;
	}
	cfi->by_pc_count = count;
	free(keys);
	return 0;
}

const struct cfi_fde *cfi_fde_find(const struct cfi *cfi, uint64_t vaddr)
{
	size_t low = 0;
	size_t high = cfi->by_pc_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (cfi->fde[cfi->by_pc[middle]].pc_begin <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	/* Only where FDEs overlap may one that begins further back reach this far. */
	for (size_t i = low; i > 0; i--) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i - 1]];
		if (vaddr - fde->pc_begin < fde->pc_range)
			return fde;
		if (!cfi->overlapping)
			break;
	}
	return NULL;
}

/* ---- life -------------------------------------------------------------------------------- */

int cfi_create_section(const struct image *image, const char *name, struct cfi **ret,
		       struct error *error)
{
	struct cfi *cfi = calloc(1, sizeof(*cfi));
	*ret = cfi;
	if (!cfi)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for CFI");
	cfi->image = image;
	cfi->is_eh_frame = strcmp(name, ".debug_frame") != 0;
	cfi->section = cfi->is_eh_frame ? &image->eh_frame : &image->debug_frame;
	if ((cfi->is_eh_frame && strcmp(name, ".eh_frame")) || !cfi->section->data)
		return error_set(error, ERROR_NO_CFI, NULL, 0, "the image has no %s", name);

	struct parser parser = { .cfi = cfi, .data = cfi->section->data };
	if (parse_entries(&parser, error))
		goto fail;
	parse_fdes(&parser);
	if (sort_by_pc(cfi, error))
		goto fail;
	return 0;
fail:
	cfi_destroy(cfi);
	*ret = NULL;
	return -1;
}

int cfi_create(const struct image *image, struct cfi **ret, struct error *error)
{
	if (image->eh_frame.data || !image->debug_frame.data) {
		int result = cfi_create_section(image, ".eh_frame", ret, error);
		if (result && error->code == ERROR_NO_CFI)
			error_set(error, ERROR_NO_CFI, NULL, 0,
				  "the image has neither .eh_frame nor .debug_frame");
		return result;
	}
	return cfi_create_section(image, ".debug_frame", ret, error);
}

void cfi_destroy(struct cfi *cfi)
{
	if (!cfi)
		return;
	error_list_deinit(&cfi->diagnostics);
	free(cfi->by_pc);
	free(cfi->fde);
	free(cfi->cie);
	free(cfi);
}
