/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_program.c - bytes as call frame instructions
 *
 * Headers that are hard to hit by chance are written here: one CIE and one FDE of two pages. Input:
 *
 *	byte 0	bits 0-1 code factor 1, 2, 4, 0; bits 2-3 data factor -8, -4, 8, 1; bit 4: 'S';
 *		bit 5: addresses are pcrel sdata4, else absolute; bit 6: .debug_frame; bit 7: the
 *		image is of AArch64, whose instructions are read, but of which no tables are made
 *	byte 1	how many of the bytes that follow are the CIE's; the rest are the FDE's
 *
 * The CIE begins with the usual cfa=rsp+8 ra=c-8.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

#define PC	     (FUZZ_CODE_VADDR + 0x0ff0)
#define PC_RANGE     0x2000
#define PROGRAM_MAX  1024
#define HEADER_BYTES 128

struct section {
	uint8_t data[PROGRAM_MAX + HEADER_BYTES];
	size_t size;
};

static void put(struct section *section, const void *bytes, size_t size)
{
	memcpy(section->data + section->size, bytes, size);
	section->size += size;
}

static void put_number(struct section *section, uint64_t value, size_t size)
{
	put(section, &value, size);
}

static void end_entry(struct section *section, size_t start)
{
	uint32_t length = section->size - start - 4;

	memcpy(section->data + start, &length, 4);
}

static void put_cie(struct section *section, uint8_t flags, const uint8_t *program, size_t size)
{
	static const uint8_t code_factor[] = { 1, 2, 4, 0 };
	static const uint8_t data_factor[] = { 0x78, 0x7c, 8, 1 }; /* SLEB128 */
	bool is_debug_frame = flags & 0x40;

	put_number(section, 0, 4);
	put_number(section, is_debug_frame ? UINT32_MAX : 0, 4);
	put_number(section, is_debug_frame ? 3 : 1, 1);
	put(section, flags & 0x10 ? "zRS" : "zR", flags & 0x10 ? 4 : 3);
	put_number(section, code_factor[flags & 3], 1);
	put_number(section, data_factor[flags >> 2 & 3], 1);
	put(section, "\x10\1", 2);
	put_number(section, flags & 0x20 ? 0x1b : 0, 1);
	put(section, "\x0c\x07\x08\x90\x01", 5);
	put(section, program, size);
	end_entry(section, 0);
}

static void put_fde(struct section *section, uint8_t flags, const uint8_t *program, size_t size)
{
	size_t start = section->size;
	bool is_debug_frame = flags & 0x40;
	uint64_t vaddr = is_debug_frame ? 0 : FUZZ_SECTION_VADDR;

	put_number(section, 0, 4);
	put_number(section, is_debug_frame ? 0 : section->size, 4);
	if (flags & 0x20) {
		put_number(section, PC - (vaddr + section->size), 4);
		put_number(section, PC_RANGE, 4);
	} else {
		put_number(section, PC, 8);
		put_number(section, PC_RANGE, 8);
	}
	put_number(section, 0, 1);
	put(section, program, size);
	end_entry(section, start);
}

int fuzz_program(const uint8_t *data, size_t size)
{
	struct section section = { .size = 0 };
	struct fuzz_image fuzz;
	struct error error;
	struct cfi *cfi;

	if (size < 2 || size - 2 > PROGRAM_MAX)
		return 0;
	uint8_t flags = data[0];
	size_t cie_bytes = data[1];
	data += 2;
	size -= 2;
	if (cie_bytes > size)
		cie_bytes = size;
	put_cie(&section, flags, data, cie_bytes);
	put_fde(&section, flags, data + cie_bytes, size - cie_bytes);

	fuzz_image_init(&fuzz, section.data, section.size, flags & 0x40);
	if (flags & 0x80)
		fuzz.image.machine = EM_AARCH64;
	fuzz_require(!cfi_create(&fuzz.image, &cfi, &error), "%s", error.message);
	fuzz_require(cfi->fde_count == 1 && cfi->fde[0].pc_begin == PC &&
			     cfi->fde[0].pc_range == PC_RANGE,
		     "the FDE was not read: %s",
		     cfi->diagnostics.count ? cfi->diagnostics.error[0].message : "no diagnostic");
	fuzz_check_cfi(cfi);
	if (!(flags & 0x80))
		fuzz_check_table(&fuzz.image, cfi);
	cfi_destroy(cfi);
	fuzz_image_deinit(&fuzz);
	return 0;
}
