/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fuzz_program.c - bytes as call frame instructions
 *
 * Headers that are hard to hit by chance are written here: one CIE, one FDE of two pages, another
 * of half a page with the same instructions, which table_build() then has met before, and a third
 * of nothing but padding, since it does not remember what stands at a section's very end. Input:
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
#include "cfi/cfi_instruction.h"
#include "fuzz.h"

#define PC	      (FUZZ_CODE_VADDR + 0x0ff0)
#define PROGRAM_MAX   1024
#define HEADER_BYTES  128 /* of one CIE and one FDE */
#define PADDING_BYTES 64

static const struct function {
	uint64_t pc, pc_range;
} functions[] = { { PC, 0x2000 }, { PC + 0x2000, 0x800 }, { PC + 0x2810, 0x10 } };
#define FUNCTION_COUNT (sizeof(functions) / sizeof(functions[0]))

struct section {
	uint8_t data[2 * PROGRAM_MAX + 3 * HEADER_BYTES + PADDING_BYTES];
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
	static const uint8_t usual[] = { CFA_DEF_CFA, REGISTER_RSP, 8, CFA_OFFSET | REGISTER_RIP,
					 1 };
	bool is_debug_frame = flags & 0x40;

	put_number(section, 0, 4);
	put_number(section, is_debug_frame ? UINT32_MAX : 0, 4);
	put_number(section, is_debug_frame ? 3 : 1, 1);
	put(section, flags & 0x10 ? "zRS" : "zR", flags & 0x10 ? 4 : 3);
	put_number(section, code_factor[flags & 3], 1);
	put_number(section, data_factor[flags >> 2 & 3], 1);
	put(section, "\x10\1", 2);
	put_number(section, flags & 0x20 ? 0x1b : 0, 1);
	put(section, usual, sizeof(usual));
	put(section, program, size);
	end_entry(section, 0);
}

static void put_fde(struct section *section, uint8_t flags, const struct function *function,
		    const uint8_t *program, size_t size)
{
	size_t start = section->size;
	bool is_debug_frame = flags & 0x40;
	uint64_t vaddr = is_debug_frame ? 0 : FUZZ_SECTION_VADDR;

	put_number(section, 0, 4);
	put_number(section, is_debug_frame ? 0 : section->size, 4);
	if (flags & 0x20) {
		put_number(section, function->pc - (vaddr + section->size), 4);
		put_number(section, function->pc_range, 4);
	} else {
		put_number(section, function->pc, 8);
		put_number(section, function->pc_range, 8);
	}
	put_number(section, 0, 1);
	put(section, program, size);
	end_entry(section, start);
}

static void check_read(const struct cfi *cfi)
{
	fuzz_require(cfi->fde_count == FUNCTION_COUNT, "%zu FDEs were read: %s", cfi->fde_count,
		     cfi->diagnostics.count ? cfi->diagnostics.error[0].message : "no diagnostic");
	for (size_t i = 0; i < FUNCTION_COUNT; i++)
		fuzz_require(cfi->fde[i].pc_begin == functions[i].pc &&
				     cfi->fde[i].pc_range == functions[i].pc_range,
			     "FDE %zu was read wrongly", i);
}

int fuzz_program(const uint8_t *data, size_t size)
{
	static const uint8_t padding[PADDING_BYTES] = { CFA_NOP };
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
	put_fde(&section, flags, &functions[0], data + cie_bytes, size - cie_bytes);
	put_fde(&section, flags, &functions[1], data + cie_bytes, size - cie_bytes);
	put_fde(&section, flags, &functions[2], padding, sizeof(padding));

	fuzz_image_init(&fuzz, section.data, section.size, flags & 0x40 ? 0 : section.size);
	if (flags & 0x80)
		fuzz.image.machine = EM_AARCH64;
	fuzz_require(!cfi_create(&fuzz.image, &cfi, &error), "%s", error.message);
	check_read(cfi);
	fuzz_check_cfi(cfi);
	if (!(flags & 0x80))
		fuzz_check_table(&fuzz.image, cfi);
	cfi_destroy(cfi);
	fuzz_image_deinit(&fuzz);
	return 0;
}
