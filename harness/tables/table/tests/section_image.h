/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * section_image.h - an ELF file of whatever sections a case names, as a file
 *
 * Beside diff_image.h, whose file has one .eh_frame and nothing else: here are several of them, .debug_frame,
 * what can't be read, and the name of a debug file. One segment, of SECTION_IMAGE_CODE bytes from
 * address 0, is code; sections lie behind SECTION_IMAGE_FIRST in the order in which they are given.
 */
#ifndef STACKPROOF_TESTS_SECTION_IMAGE_H
#define STACKPROOF_TESTS_SECTION_IMAGE_H

#include <check.h>
#include <stdio.h>
#include "crc32.h"
#include "tables/diff/tests/diff_image.h"

#define SECTION_IMAGE_BYTES 0x10000
#define SECTION_IMAGE_CODE  0x4000
#define SECTION_IMAGE_FIRST 0x2000
#define SECTION_IMAGE_MAX   6
#define SECTION_NAMES                                                                              \
	"\0.shstrtab\0.eh_frame\0.debug_frame\0.gnu_debuglink\0.eh_frame_hdr"                      \
	"\0.symtab\0.strtab\0.text"

/* A section's bytes and how it is marked. */
struct test_section {
	const char *name; /* NULL: no more of them */
	void (*make)(struct diff_image *image);
	uint32_t type;	/* 0: SHT_PROGBITS */
	uint64_t flags; /* beside SHF_ALLOC, which .eh_frame has */
	size_t repeat;	/* the bytes so often, behind each other; 0: once */
};

#define SECTION(name, make)                                                                        \
	{                                                                                          \
		name, make, 0, 0, 0                                                                \
	}
#define NO_SECTION                                                                                 \
	{                                                                                          \
		NULL, NULL, 0, 0, 0                                                                \
	}

/* CIEs and FDEs of .debug_frame: offsets are absolute, and nothing is augmented. */
static inline size_t debug_frame_cie(struct diff_image *image)
{
	static const uint8_t cie[] = { 0xff, 0xff, 0xff, 0xff, 1, 0, 1, 0x78, 16, CFA_USUAL };

	return diff_image_entry(image, cie, sizeof(cie));
}

static inline void debug_frame_fde(struct diff_image *image, uint32_t cie, uint64_t pc,
				   uint64_t range, uint8_t offset)
{
	const uint8_t instructions[] = { CFA_advance_loc(1), CFA_def_cfa_offset(offset) };
	uint8_t bytes[20 + sizeof(instructions)];

	memcpy(bytes, &cie, 4);
	memcpy(bytes + 4, &pc, 8);
	memcpy(bytes + 12, &range, 8);
	memcpy(bytes + 20, instructions, sizeof(instructions));
	diff_image_entry(image, bytes, sizeof(bytes));
}

static inline uint32_t section_name(const char *name)
{
	for (uint32_t at = 1; at < sizeof(SECTION_NAMES); at += strlen(SECTION_NAMES + at) + 1)
		if (!strcmp(SECTION_NAMES + at, name))
			return at;
	ck_abort_msg("%s", name);
	return 0;
}

/* The bytes of .gnu_debuglink: the file that is there by that name. */
static inline void section_debug_link(struct diff_image *image, const char *name)
{
	static uint8_t bytes[SECTION_IMAGE_BYTES];
	FILE *file = fopen(name, "r");
	size_t size = (strlen(name) + 4) & ~3ul;
	uint32_t crc;

	ck_assert_ptr_nonnull(file);
	crc = crc32_add(0, bytes, fread(bytes, 1, sizeof(bytes), file));
	fclose(file);
	memset(bytes, 0, size);
	strcpy((char *)bytes, name);
	diff_image_put(image, bytes, size);
	diff_image_put(image, &crc, sizeof(crc));
}

/* Writes the file. A section of type SHT_NOBITS has its size, and no bytes. */
static inline void section_image_write(const char *path, const struct test_section *sections)
{
	static uint8_t bytes[SECTION_IMAGE_BYTES];
	Elf64_Shdr header[SECTION_IMAGE_MAX + 2] = { { 0 } };
	size_t count = 1, at = SECTION_IMAGE_FIRST;
	Elf64_Ehdr elf = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(elf),
		.e_ehsize = sizeof(elf),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = SECTION_IMAGE_CODE,
		.p_memsz = SECTION_IMAGE_CODE,
		.p_align = 0x1000,
	};

	memset(bytes, 0, sizeof(bytes));
	for (const struct test_section *s = sections; s->name; s++, count++) {
		struct diff_image made = { .size = 0 };
		bool allocated = !strncmp(s->name, ".eh_frame", 9);
		size_t times = s->repeat ? s->repeat : 1;

		s->make(&made);
		ck_assert(count <= SECTION_IMAGE_MAX &&
			  at + times * made.size < SECTION_IMAGE_BYTES - 0x400);
		for (size_t i = 0; s->type != SHT_NOBITS && i < times; i++)
			memcpy(bytes + at + i * made.size, made.bytes, made.size);
		header[count] = (Elf64_Shdr) {
			.sh_name = section_name(s->name),
			.sh_type = s->type ? s->type : SHT_PROGBITS,
			.sh_flags = s->flags | (allocated ? SHF_ALLOC : 0),
			.sh_addr = allocated ? at : 0,
			.sh_offset = at,
			.sh_size = times * made.size,
			.sh_link = s->type == SHT_SYMTAB ? count + 1 : 0, /* the names */
			.sh_info = s->type == SHT_SYMTAB,
			.sh_entsize = s->type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0,
			.sh_addralign = 1,
		};
		if (s->flags & SHF_EXECINSTR) { /* half of the segment */
			header[count].sh_addr = header[count].sh_offset = 0x1000;
			header[count].sh_size = SECTION_IMAGE_CODE / 2;
		}
		at = (at + times * made.size + 7) / 8 * 8;
	}
	header[count] = (Elf64_Shdr) { .sh_name = section_name(".shstrtab"),
				       .sh_type = SHT_STRTAB,
				       .sh_offset = at,
				       .sh_size = sizeof(SECTION_NAMES),
				       .sh_addralign = 1 };
	memcpy(bytes + at, SECTION_NAMES, sizeof(SECTION_NAMES));
	elf.e_shoff = (at + sizeof(SECTION_NAMES) + 7) / 8 * 8;
	elf.e_shstrndx = count;
	elf.e_shnum = count + 1;
	ck_assert_uint_le(elf.e_shoff + (count + 1) * sizeof(*header), sizeof(bytes));
	memcpy(bytes, &elf, sizeof(elf));
	memcpy(bytes + sizeof(elf), &segment, sizeof(segment));
	memcpy(bytes + elf.e_shoff, header, (count + 1) * sizeof(*header));
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
	ck_assert_int_eq(fclose(file), 0);
}

#endif
