/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_image.h - an ELF file small enough to write its dumps by hand
 *
 * Six functions, without names, whose rules the dumps of other tools treat differently: an ordinary
 * frame, an outermost one, a PLT section, a signal frame, a realigned stack, and a return address
 * in a register. What a case of test_diff.c changes is one byte of an FDE, by its name here;
 * test_row_referee.c uses it, too. test_row_rules.c has FDEs of its own in such a file.
 */
#ifndef STACKPROOF_TESTS_DIFF_IMAGE_H
#define STACKPROOF_TESTS_DIFF_IMAGE_H

#include <assert.h>
#include <elf.h>
#include <stdint.h>
#include <string.h>
#include "tests/cfa_bytes.h"

#define DIFF_IMAGE_EH_FRAME 0x100 /* offset in the file and address */

struct diff_image {
	uint8_t bytes[0x800];
	size_t size;
};

static inline void diff_image_put(struct diff_image *image, const void *bytes, size_t size)
{
	assert(image->size + size <= sizeof(image->bytes));
	memcpy(image->bytes + image->size, bytes, size);
	image->size += size;
}

/* A CIE or an FDE: its length and padding are added here. Returns where it begins. */
static inline size_t diff_image_entry(struct diff_image *image, const uint8_t *bytes, size_t size)
{
	size_t start = image->size;
	uint32_t length = (uint32_t)((size + 4 + 7) / 8 * 8 - 4);
	diff_image_put(image, &length, sizeof(length));
	diff_image_put(image, bytes, size);
	image->size = start + 4 + length;
	return start;
}

static inline void diff_image_fde(struct diff_image *image, size_t cie, uint64_t pc, uint64_t range,
				  const uint8_t *instructions, size_t size)
{
	uint8_t bytes[96] = { 0 };
	uint32_t back = (uint32_t)(image->size + 4 - cie);
	assert(size <= sizeof(bytes) - 21);
	memcpy(bytes, &back, 4);
	memcpy(bytes + 4, &pc, 8);
	memcpy(bytes + 12, &range, 8); /* then the length of no augmentation data */
	memcpy(bytes + 21, instructions, size);
	diff_image_entry(image, bytes, 21 + size);
}

#define DIFF_IMAGE_FDE(image, cie, pc, range, ...)                                                 \
	diff_image_fde(image, cie, pc, range, (uint8_t[]) { __VA_ARGS__ },                         \
		       sizeof((uint8_t[]) { __VA_ARGS__ }))

static inline void diff_image_fdes(struct diff_image *image)
{
	/* id 0, version 1, "zR", 1, -8, 16, 1 byte: absptr */
	static const uint8_t plain[] = { CIE_USUAL };
	/* "zRS", and no rules */
	static const uint8_t signal[] = { 0, 0, 0, 0, 1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0 };
	size_t cie = diff_image_entry(image, plain, sizeof(plain));
	size_t signal_cie = diff_image_entry(image, signal, sizeof(signal));
	/* push %rbp; mov %rsp,%rbp; ...; leave */
	DIFF_IMAGE_FDE(image, cie, 0x1000, 0x20, CFA_advance_loc(1), CFA_def_cfa_offset(16),
		       CFA_offset(RBP, 2), CFA_advance_loc(3), CFA_def_cfa_register(RBP),
		       CFA_advance_loc(27), CFA_def_cfa(RSP, 8));
	DIFF_IMAGE_FDE(image, cie, 0x1020, 0x10, CFA_undefined(RIP));
	/* rsp + 8 + (((rip & 15) >= 11) << 3) */
	DIFF_IMAGE_FDE(image, cie, 0x1040, 0x20, CFA_def_cfa_offset(16), CFA_advance_loc(6),
		       CFA_def_cfa_offset(24), CFA_advance_loc(10),
		       CFA_def_cfa_expression(DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
					      DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
					      DW_OP_shl, DW_OP_plus));
	/* cfa *(rsp+160); rip at rsp+168 */
	DIFF_IMAGE_FDE(image, signal_cie, 0x1060, 9,
		       CFA_def_cfa_expression(DW_OP_breg7, SLEB2(160), DW_OP_deref),
		       CFA_expression(RIP, DW_OP_breg7, SLEB2(168)));
	/* lea 8(%rsp),%r10; ...: cfa r10, then *(rbp-8); rbp at rbp */
	DIFF_IMAGE_FDE(image, cie, 0x1070, 0x10, CFA_advance_loc(4), CFA_def_cfa(R10, 0),
		       CFA_advance_loc(4),
		       CFA_def_cfa_expression(DW_OP_breg6, SLEB(-8), DW_OP_deref),
		       CFA_expression(RBP, DW_OP_breg6, 0));
	DIFF_IMAGE_FDE(image, cie, 0x1080, 8, CFA_advance_loc(1), CFA_def_cfa_offset(0),
		       CFA_register(RIP, RDI));
}

/* The whole file: header, one segment that is its own address, .eh_frame, section headers. */
static inline void diff_image_of(struct diff_image *image, void (*fdes)(struct diff_image *))
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	*image = (struct diff_image) { .size = DIFF_IMAGE_EH_FRAME };
	fdes(image);
	size_t eh_frame_bytes = image->size - DIFF_IMAGE_EH_FRAME;
	size_t names_offset = image->size;
	diff_image_put(image, names, sizeof(names));
	image->size = (image->size + 7) / 8 * 8;
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_shoff = image->size,
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Shdr sections[3] = {
		{ 0 },
		{ .sh_name = 1,
		  .sh_type = SHT_PROGBITS,
		  .sh_flags = SHF_ALLOC,
		  .sh_addr = DIFF_IMAGE_EH_FRAME,
		  .sh_offset = DIFF_IMAGE_EH_FRAME,
		  .sh_size = eh_frame_bytes,
		  .sh_addralign = 8 },
		{ .sh_name = 11,
		  .sh_type = SHT_STRTAB,
		  .sh_offset = names_offset,
		  .sh_size = sizeof(names),
		  .sh_addralign = 1 },
	};
	diff_image_put(image, sections, sizeof(sections));
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = image->size,
		.p_memsz = 0x2000,
		.p_align = 0x1000,
	};
	memcpy(image->bytes, &header, sizeof(header));
	memcpy(image->bytes + sizeof(header), &segment, sizeof(segment));
}

static inline void diff_image_make(struct diff_image *image)
{
	diff_image_of(image, diff_image_fdes);
}

#endif
