/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * faulty_image.h - an ELF file of five FDEs, two of them malformed, in memory
 *
 * Its one segment is its own address. Of a malformed FDE the rows before the fault are left. There
 * may be more entries, which have nothing but a fault.
 */
#ifndef STACKPROOF_TESTS_FAULTY_IMAGE_H
#define STACKPROOF_TESTS_FAULTY_IMAGE_H

#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"

#define FAULTY_EH_FRAME 0x100 /* offset in the file and address */
#define FAULTY_FIRST	0x3000
#define FAULTY_FDES	5
#define FAULTY_FAULTS	2

static inline void faulty_eh_frame(struct bytes *bytes, unsigned int more)
{
	size_t cie = put_cie(bytes, 0, (struct literal)CFI(CFA_USUAL));

	put_fde(bytes, cie, FAULTY_FIRST, 0x10,
		(struct literal)CFI(CFA_advance_loc(8), CFA_def_cfa_offset(16)));
	put_fde(bytes, cie, FAULTY_FIRST + 0x10, 0x10,
		(struct literal)CFI(CFA_advance_loc(4), CFA_def_cfa_offset(24), CFA_advance_loc(4),
				    CFA_restore_state));
	/* The walk in the kernel can't have so large a frame. */
	put_fde(bytes, cie, FAULTY_FIRST + 0x20, 0x10,
		(struct literal)CFI(CFA_advance_loc(4), CFA_DEF_CFA_OFFSET, 0x80, 0x80, 0x80, 0x80,
				    0x80, 0x40));
	put_fde(bytes, cie, FAULTY_FIRST + 0x30, 0x10,
		(struct literal)CFI(CFA_advance_loc(2), CFA_def_cfa_offset(32), 0x3f));
	put_fde(bytes, cie, FAULTY_FIRST + 0x40, 0x10, (struct literal)CFI(CFA_nop));
	for (unsigned int i = 0; i < more; i++) {
		put_number(bytes, 4, 4);
		put_number(bytes, 1, 4);
	}
	put_number(bytes, 0, 4);
}

static inline void faulty_image_make(struct bytes *image, unsigned int more)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	struct bytes section = { .size = 0 };
	Elf64_Shdr sections[3] = { { 0 } };
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_memsz = 0x3000, .p_align = 0x1000
	};

	faulty_eh_frame(&section, more);
	*image = (struct bytes) { .size = FAULTY_EH_FRAME };
	put(image, section.data, section.size);
	sections[1] = (Elf64_Shdr) { .sh_name = 1,
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC,
				     .sh_addr = FAULTY_EH_FRAME,
				     .sh_offset = FAULTY_EH_FRAME,
				     .sh_size = section.size,
				     .sh_addralign = 4 };
	sections[2] = (Elf64_Shdr) { .sh_name = 11,
				     .sh_type = SHT_STRTAB,
				     .sh_offset = image->size,
				     .sh_size = sizeof(names),
				     .sh_addralign = 1 };
	put(image, names, sizeof(names));
	image->size = (image->size + 7) / 8 * 8;
	header.e_shoff = image->size;
	put(image, sections, sizeof(sections));
	image->size = FAULTY_FIRST + 0x100; /* code is in the file */
	segment.p_filesz = segment.p_memsz = image->size;
	memcpy(image->data, &header, sizeof(header));
	memcpy(image->data + sizeof(header), &segment, sizeof(segment));
}

#endif
