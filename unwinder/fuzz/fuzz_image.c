/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_image.c - bytes as an ELF file
 *
 * What `stackproof table` does with a file: headers, segments, symbols, build-id, both sections,
 * rows, text, table. What the image says of itself must lie inside the bytes.
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "cfi/code_name.h"

static void check_segments(const struct image *image, size_t size)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];

		fuzz_require(segment->vaddr + segment->memory_bytes >= segment->vaddr,
			     "segment %zu wraps", i);
		fuzz_require(segment->file_bytes <= segment->memory_bytes,
			     "segment %zu is larger in the file", i);
		fuzz_require(!segment->file_bytes ||
				     (segment->file_offset <= size &&
				      segment->file_bytes <= size - segment->file_offset),
			     "segment %zu leaves the file", i);
		if (!segment->file_bytes)
			continue;
		const uint8_t *byte = image_bytes(image, segment->vaddr, 1);
		fuzz_require(byte, "segment %zu has no first byte", i);
		fuzz_require(!image_bytes(image, segment->vaddr, UINT64_MAX),
			     "segment %zu has too many", i);
	}
}

static void check_symbols(const struct image *image)
{
	size_t count, length = 0;
	const struct image_symbol *symbol = image_symbols(image, &count);

	fuzz_require(image_symbols(image, &count) == symbol, "symbols were read twice");
	for (size_t i = 0; i < count; i++) {
		fuzz_require(!i || symbol[i - 1].pc <= symbol[i].pc, "symbol %zu isn't sorted", i);
		fuzz_require(symbol[i].name && *symbol[i].name, "symbol %zu has no name", i);
		length += strlen(symbol[i].name);
		const struct image_symbol *found = image_symbol_find(image, symbol[i].pc);
		fuzz_require(!found || found->pc <= symbol[i].pc, "found behind the address");
		fuzz_require(symbol[i].end > symbol[i].pc, "symbol %zu covers nothing", i);
		fuzz_require(!found || symbol[i].pc < found->end, "found before the address");
	}
	fuzz_require(!count || length, "no names");
	if (count)
		fuzz_require(image_symbol_address(image, symbol[0].name) == symbol[0].pc,
			     "the first name has another address");
}

/* Where sections, symbols, stubs and FDEs begin, there is a name, and it begins at or before. */
static void check_names(const struct image *image, const struct cfi *cfi)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	struct code_name name;
	char text[64];

	for (uint64_t i = 0; i < 16; i++) {
		uint64_t vaddr = image->entry + 8 * i;
		if (i < count)
			vaddr = symbol[i].pc + symbol[i].size;
		else if (cfi && i < cfi->by_pc_count)
			vaddr = cfi->fde[cfi->by_pc[i]].pc_begin;
		code_name_find(image, cfi, vaddr, &name);
		fuzz_require(name.start <= vaddr, "it begins behind its address");
		code_name_print(&name, text, sizeof(text));
		fuzz_require(text[0], "an empty name");
		code_name_print_place(&name, text, sizeof(text));
		fuzz_require(text[0], "an empty place");
	}
}

static void check_section(const struct image *image, const char *name, size_t size)
{
	struct error error = { 0 };
	struct cfi *cfi = NULL;

	if (cfi_create_section(image, name, &cfi, &error))
		fuzz_check_error(&error, NULL, size);
	else
		fuzz_check_cfi(cfi);
	cfi_destroy(cfi);
}

int fuzz_image(const uint8_t *data, size_t size)
{
	struct image *image = NULL;
	struct error error = { 0 };
	struct cfi *cfi = NULL;

	if (image_create_memory(data, size, "fuzz", &image, &error)) {
		fuzz_require(!image, "failed, and left an image");
		/* An offset that the file itself gives may lie anywhere. */
		fuzz_check_error(&error, NULL, UINT64_MAX);
		return 0;
	}
	fuzz_require(image->build_id_size <= BUILD_ID_MAX, "a build-id of %zu bytes",
		     image->build_id_size);
	check_segments(image, size);
	check_symbols(image);
	check_section(image, ".debug_frame", size);
	if (cfi_create(image, &cfi, &error))
		fuzz_check_error(&error, NULL, size);
	else
		fuzz_check_cfi(cfi);
	check_names(image, cfi);
	fuzz_check_table(image, cfi);
	cfi_destroy(cfi);
	image_destroy(image);
	return 0;
}
