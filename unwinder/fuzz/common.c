/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * common.c - how targets fail, the memory they read, the image around a section
 */
#include <elf.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

void fuzz_failed(const char *function, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "broken promise: %s: ", function);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	abort();
}

uint64_t fuzz_mix(uint64_t value)
{
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ value >> 27) * 0x94d049bb133111ebull;
	return value ^ value >> 31;
}

/* Byte by byte, so that reads of different sizes agree on what overlaps. */
static uint8_t memory_byte(const struct fuzz_memory *memory, uint64_t address)
{
	uint64_t word = fuzz_mix(address & ~7ull);

	if (memory && memory->later && !(word >> 60 & 3))
		word = fuzz_mix(word);
	if (memory && memory->code_bytes && word & 1)
		word = memory->code + (word >> 1) % memory->code_bytes;
	return word >> 8 * (address & 7);
}

int fuzz_memory_read(void *context, uint64_t address, void *ret, size_t size)
{
	uint8_t *to = ret;

	for (size_t i = 0; i < size; i++)
		if (!(fuzz_mix((address + i) >> 12) & 7))
			return -1;
	for (size_t i = 0; i < size; i++)
		to[i] = memory_byte(context, address + i);
	return 0;
}

void fuzz_check_error(const struct error *error, const struct image_section *section,
		      uint64_t limit)
{
	fuzz_require(error->code > ERROR_NONE && error->code < ERROR_CODE_COUNT, "code %d",
		     error->code);
	fuzz_require(error->message[0] && !strchr(error->message, '\n'), "%s: message \"%s\"",
		     error_code_name(error->code), error->message);
	fuzz_require(!section || !error->section[0] || !strcmp(error->section, section->name),
		     "%s: section \"%s\"", error_code_name(error->code), error->section);
	/* Of a section whose bytes could not be had, where it is in the file. */
	if (section && section->data && error->section[0])
		limit = section->size;
	fuzz_require(error->offset <= limit, "%s: \"%s\": offset 0x%llx of 0x%llx",
		     error_code_name(error->code), error->message,
		     (unsigned long long)error->offset, (unsigned long long)limit);
}

/* Not NULL if there are any. */
static void *copy(const void *bytes, size_t size, size_t before)
{
	uint8_t *ret = calloc(1, before + size + !(before + size));

	if (!ret)
		abort();
	if (size)
		memcpy(ret + before, bytes, size);
	return ret;
}

void fuzz_image_init(struct fuzz_image *ret, const uint8_t *sections, size_t size,
		     size_t eh_frame_bytes)
{
	size_t debug_bytes = size - eh_frame_bytes;
	uint8_t *data = copy(sections, eh_frame_bytes, FUZZ_CODE_BYTES);

	*ret = (struct fuzz_image) {
		.image = { .path = "fuzz", .machine = EM_X86_64, .type = ET_DYN },
		.segment = { { FUZZ_CODE_VADDR, FUZZ_CODE_BYTES, 0, FUZZ_CODE_BYTES, true },
			     { FUZZ_SECTION_VADDR, eh_frame_bytes, FUZZ_CODE_BYTES, eh_frame_bytes,
			       false } },
		/* No ELF file behind it: the symbols are known to be none. */
		.file = { .data = data,
			  .size = FUZZ_CODE_BYTES + eh_frame_bytes,
			  .symbols_read = true },
		.debug_frame = copy(sections + eh_frame_bytes, debug_bytes, 0),
	};
	if (eh_frame_bytes)
		ret->image.eh_frame = (struct image_section) { data + FUZZ_CODE_BYTES,
							       eh_frame_bytes, FUZZ_SECTION_VADDR,
							       FUZZ_CODE_BYTES, ".eh_frame" };
	if (debug_bytes)
		ret->image.debug_frame = (struct image_section) { ret->debug_frame, debug_bytes, 0,
								  FUZZ_CODE_BYTES, ".debug_frame" };
	ret->image.text_vaddr = FUZZ_CODE_VADDR;
	ret->image.data_vaddr = FUZZ_SECTION_VADDR;
	ret->image.segment = ret->segment;
	ret->image.segment_count = 2;
	ret->image.priv = &ret->file;
}

void fuzz_image_deinit(struct fuzz_image *fuzz)
{
	free(fuzz->debug_frame);
	free(fuzz->file.data);
	free(fuzz->file.range);
	free(fuzz->file.stub);
}
