/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * crafted_images.h - ELF files whose .eh_frame was written to hurt
 *
 * Each is filled to any size with the one thing that its name says. Behind the section there is
 * code, a segment of CODE_BYTES, so that rows reach the table. CIEs have pc-relative 4-byte
 * addresses where nothing else is said: that is what the fast way of table_build() takes.
 */
#ifndef STACKPROOF_TESTS_CRAFTED_IMAGES_H
#define STACKPROOF_TESTS_CRAFTED_IMAGES_H

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/cfa_bytes.h"

#define FRAME_OFFSET 0x1000
#define CODE_VADDR   0x10000000u
#define CODE_BYTES   (16u << 20)

struct crafted {
	uint8_t *data;
	size_t size;	 /* so far */
	size_t capacity; /* to be filled */
	uint64_t random;
};

/* False: it is full. */
static bool put(struct crafted *section, const void *data, size_t size)
{
	if (size > section->capacity - section->size)
		return false;
	memcpy(section->data + section->size, data, size);
	section->size += size;
	return true;
}

static bool put_number(struct crafted *section, uint64_t value, size_t size)
{
	return put(section, &value, size);
}

static bool put_uleb(struct crafted *section, uint64_t value)
{
	bool fits;

	do
		fits = put_number(section, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
	while (value >>= 7);
	return fits;
}

static uint64_t draw(struct crafted *section)
{
	section->random = section->random * 6364136223846793005u + 1442695040888963407u;
	return section->random >> 33;
}

/* The head of an entry with so many bytes behind its id. cie: its CIE's offset, or of a CIE itself
 * -1. */
static bool put_head(struct crafted *section, int64_t cie, size_t size)
{
	uint64_t id = cie < 0 ? 0 : section->size + 4 - (uint64_t)cie;

	return section->capacity - section->size >= 8 + size && put_number(section, 4 + size, 4) &&
	       put_number(section, id, 4);
}

/* A CIE "zR" whose instructions are the psABI's first row and then these. Returns its offset. */
static size_t put_cie(struct crafted *section, uint8_t encoding, const void *instructions,
		      size_t size)
{
	size_t offset = section->size;

	put_head(section, -1, 9 + 5 + size);
	put(section, "\1zR\0\1\x78\x10\1", 8);
	put_number(section, encoding, 1);
	put(section, CFI_SIZED(CFA_USUAL));
	put(section, instructions, size);
	return offset;
}

#define ENCODING_PCREL 0x1b

/* False: it is full. Instructions follow. */
static bool put_fde(struct crafted *section, size_t cie, uint32_t offset, uint32_t range,
		    size_t size)
{
	if (!put_head(section, (int64_t)cie, 9 + size))
		return false;
	put_number(section, CODE_VADDR + offset - (FRAME_OFFSET + section->size), 4);
	put_number(section, range, 4);
	return put_number(section, 0, 1);
}

/* The rest of the section as one FDE's instructions: unit, again and again. */
static void put_long_fde(struct crafted *section, size_t cie, const void *unit, size_t size)
{
	size_t left = section->capacity - section->size - 17;

	put_fde(section, cie, 0, CODE_BYTES - 1, left / size * size);
	while (put(section, unit, size))
		;
}

/* ---- FDEs -------------------------------------------------------------------------------- */

static void tiny_fdes(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	for (uint32_t i = 0; put_fde(section, cie, i * 16 % CODE_BYTES, 8, 0); i++)
		;
}

static void tiny_fdes_in_no_order(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	for (uint32_t i = 0; put_fde(section, cie, i * 7919u % (CODE_BYTES / 16) * 16, 8, 0); i++)
		;
}

/* Addresses as small as a ULEB128 can be: 11 bytes each. */
static void tiniest_fdes(struct crafted *section)
{
	size_t cie = put_cie(section, 0x01, "", 0);

	while (put_head(section, (int64_t)cie, 3)) {
		put_number(section, section->size % 0x7f, 1);
		put_number(section, 0x7f - section->size % 7, 1);
		put_number(section, 0, 1);
	}
}

static void fdes_that_overlap(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	for (uint32_t i = 0; put_fde(section, cie, i * 8 % (CODE_BYTES / 2), CODE_BYTES / 2, 3);
	     i++)
		put(section, CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(16)));
}

/* The outer FDE's many rows go on behind each inner one. */
static void fdes_in_a_long_one(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0), half = section->capacity / 2;

	put_fde(section, cie, 0, CODE_BYTES - 1, half / 3 * 3);
	for (size_t i = 0; i < half / 3; i++)
		put(section, CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(i % 2 ? 16 : 24)));
	for (uint32_t i = 0; put_fde(section, cie, 64 + i * 64 % (CODE_BYTES - 128), 8, 0); i++)
		;
}

/* ---- CIEs -------------------------------------------------------------------------------- */

static void a_cie_for_each_fde(struct crafted *section)
{
	for (uint32_t i = 0; section->capacity - section->size > 64; i++)
		put_fde(section, put_cie(section, ENCODING_PCREL, "", 0), i * 16 % CODE_BYTES, 8,
			0);
}

static void least_cies(struct crafted *section)
{
	while (put_head(section, -1, 5))
		put(section, "\1\0\1\x78\x10", 5);
}

/* Its program is half of the section, and every FDE executes it. */
static void one_cie_of_a_giant_program(struct crafted *section)
{
	size_t half = section->capacity / 2;
	uint8_t *program = malloc(half);

	for (size_t i = 0; program && i < half; i++)
		program[i] = "\x83\2\x86\3"[i % 4];
	size_t cie = put_cie(section, ENCODING_PCREL, program, half & ~1ul);
	free(program);
	for (uint32_t i = 0; put_fde(section, cie, i * 16 % CODE_BYTES, 8, 0); i++)
		;
}

static void one_cie_of_a_giant_expression(struct crafted *section)
{
	size_t half = section->capacity / 2;
	uint8_t *program = malloc(half);
	struct crafted expression = { .data = program, .capacity = half };

	put_number(&expression, 0x0f, 1);
	put_uleb(&expression, half - 16);
	put(&expression, "\x77\x08", 2);
	while (expression.size < expression.capacity - 14 && put_number(&expression, 0x96, 1))
		;
	size_t cie = put_cie(section, ENCODING_PCREL, program, expression.size);
	free(program);
	for (uint32_t i = 0; put_fde(section, cie, i * 16 % CODE_BYTES, 8, 2); i++)
		put(section, CFI_SIZED(CFA_advance_loc(1), CFA_restore(RBX)));
}

static void a_giant_augmentation(struct crafted *section)
{
	size_t half = section->capacity / 2, cie = section->size;

	put_head(section, -1, half);
	put(section, "\1z", 2);
	while (section->size < half)
		put(section, "R", 1);
	put(section, "\0\1\x78\x10\0", 5);
	section->size = cie + 8 + half;
	while (put_fde(section, cie, 64, 8, 0))
		;
}

/* ---- rows -------------------------------------------------------------------------------- */

static void rows_that_alternate(struct crafted *section)
{
	put_long_fde(section, put_cie(section, ENCODING_PCREL, "", 0),
		     CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(16), CFA_advance_loc(1),
			       CFA_def_cfa_offset(24)));
}

static void rows_that_all_differ(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);
	size_t left = section->capacity - section->size - 17;

	put_fde(section, cie, 0, CODE_BYTES - 1, left);
	for (uint64_t i = 1; section->capacity - section->size > 8; i++) {
		put(section, CFI_SIZED(CFA_advance_loc(1), CFA_DEF_CFA_OFFSET));
		put_uleb(section, i * 8);
	}
	memset(section->data + section->size, 0, section->capacity - section->size);
	section->size = section->capacity;
}

/* Of all registers, so that no 16-byte rule holds them. */
static void rows_that_need_places(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL,
			     CFI_SIZED(CFA_offset(RAX, 2), CFA_offset(RDX, 3), CFA_offset(RCX, 4),
				       CFA_offset(RSI, 5), CFA_offset(RDI, 6), CFA_offset(R8, 7),
				       CFA_offset(R9, 8), CFA_offset(R10, 9), CFA_offset(R11, 10)));
	size_t left = section->capacity - section->size - 17;

	put_fde(section, cie, 0, CODE_BYTES - 1, left);
	for (uint64_t i = 1; section->capacity - section->size > 8; i++) {
		put(section, CFI_SIZED(CFA_advance_loc(1), CFA_OFFSET | R11));
		put_uleb(section, i);
	}
	memset(section->data + section->size, 0, section->capacity - section->size);
	section->size = section->capacity;
}

static void rows_of_distinct_expressions(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	put_fde(section, cie, 0, CODE_BYTES - 1, section->capacity - section->size - 17);
	for (uint32_t i = 1; section->capacity - section->size > 16; i++) {
		put(section, CFI_SIZED(CFA_advance_loc(1), CFA_EXPRESSION, RBX, 5, DW_OP_const4u));
		put_number(section, i, 4);
	}
	memset(section->data + section->size, 0, section->capacity - section->size);
	section->size = section->capacity;
}

/* Expressions that are a plain register's, but for 1 KiB of padding in each number. */
static void rows_of_padded_expressions(struct crafted *section)
{
	uint8_t program[1200] = { CFA_EXPRESSION, RBX, ULEB2(1026), DW_OP_breg7 };
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	memset(program + 5, 0x80, 1024);
	program[5 + 1024] = 0; /* 1026 bytes of expression */
	put_fde(section, cie, 0, CODE_BYTES - 1, section->capacity - section->size - 17);
	put(section, program, 5 + 1025);
	while (put(section, CFI_SIZED(CFA_advance_loc(1), CFA_def_cfa_offset(16),
				      CFA_advance_loc(1), CFA_def_cfa_offset(24))))
		;
	memset(section->data + section->size, 0, section->capacity - section->size);
	section->size = section->capacity;
}

static void nothing_but_remember(struct crafted *section)
{
	put_long_fde(section, put_cie(section, ENCODING_PCREL, "", 0),
		     CFI_SIZED(CFA_remember_state));
}

static void remembered_states_that_differ(struct crafted *section)
{
	put_long_fde(section, put_cie(section, ENCODING_PCREL, "", 0),
		     CFI_SIZED(CFA_remember_state, CFA_def_cfa_offset(16), CFA_advance_loc(1)));
}

static void remembered_in_many_fdes(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	for (uint32_t i = 0; put_fde(section, cie, i * 1024 % CODE_BYTES, 1000, 600); i++)
		for (int n = 0; n < 100; n++)
			put(section,
			    CFI_SIZED(CFA_remember_state, CFA_advance_loc(1),
				      CFA_def_cfa_offset(n % 2 ? 16 : 24), CFA_advance_loc(1),
				      n % 2 ? CFA_OFFSET | RBX : CFA_OFFSET | RBP));
}

static void advances_by_one(struct crafted *section)
{
	put_long_fde(section, put_cie(section, ENCODING_PCREL, "", 0),
		     CFI_SIZED(CFA_advance_loc(1)));
}

static void bad_instructions(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	for (uint32_t i = 0; put_fde(section, cie, i * 16 % CODE_BYTES, 8, 1); i++)
		put(section, CFI_SIZED(0x3f /* undefined */));
}

static void random_instructions(struct crafted *section)
{
	size_t cie = put_cie(section, ENCODING_PCREL, "", 0);

	for (uint32_t i = 0; put_fde(section, cie, i * 32 % CODE_BYTES, 32, 16); i++)
		for (int n = 0; n < 8; n++)
			put_number(section,
				   0x0e41 + ((draw(section) % 3) << 8) + ((draw(section) & 7) << 4),
				   2);
}

static void zeros(struct crafted *section)
{
	section->size = section->capacity;
}

static const struct {
	const char *name;
	void (*fill)(struct crafted *section);
} crafted_kinds[] = {
#define CRAFTED(name)                                                                              \
	{                                                                                          \
#name, name                                                                        \
	}
	CRAFTED(tiny_fdes),
	CRAFTED(tiny_fdes_in_no_order),
	CRAFTED(tiniest_fdes),
	CRAFTED(fdes_that_overlap),
	CRAFTED(fdes_in_a_long_one),
	CRAFTED(a_cie_for_each_fde),
	CRAFTED(least_cies),
	CRAFTED(one_cie_of_a_giant_program),
	CRAFTED(one_cie_of_a_giant_expression),
	CRAFTED(a_giant_augmentation),
	CRAFTED(rows_that_alternate),
	CRAFTED(rows_that_all_differ),
	CRAFTED(rows_that_need_places),
	CRAFTED(rows_of_distinct_expressions),
	CRAFTED(rows_of_padded_expressions),
	CRAFTED(nothing_but_remember),
	CRAFTED(remembered_states_that_differ),
	CRAFTED(remembered_in_many_fdes),
	CRAFTED(advances_by_one),
	CRAFTED(bad_instructions),
	CRAFTED(random_instructions),
	CRAFTED(zeros),
};
#define CRAFTED_COUNT (sizeof(crafted_kinds) / sizeof(crafted_kinds[0]))

/* Writes the file; the code is a hole in it. 0, or -1 with errno. */
static int crafted_write(const char *path, size_t kind, size_t bytes)
{
	static const char names[] = "\0.eh_frame\0.text";
	struct crafted section = { .data = calloc(1, bytes), .capacity = bytes, .random = 1 };
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (!section.data || fd < 0)
		return -1;
	crafted_kinds[kind].fill(&section);
	const uint64_t code = (FRAME_OFFSET + bytes + 0xfff) & ~0xffful;
	const uint64_t tail = code + CODE_BYTES;
	const Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = tail + 64,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 4,
		.e_shstrndx = 3,
	};
	const Elf64_Phdr segments[2] = {
		{ PT_LOAD, PF_R, FRAME_OFFSET, FRAME_OFFSET, FRAME_OFFSET, bytes, bytes, 0x1000 },
		{ PT_LOAD, PF_R | PF_X, code, CODE_VADDR, CODE_VADDR, CODE_BYTES, CODE_BYTES,
		  0x1000 },
	};
	const Elf64_Shdr sections[4] = {
		[1] = { 1, SHT_PROGBITS, SHF_ALLOC, FRAME_OFFSET, FRAME_OFFSET, section.size, 0, 0,
			8, 0 },
		[2] = { 11, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, CODE_VADDR, code, CODE_BYTES,
			0, 0, 16, 0 },
		[3] = { 0, SHT_STRTAB, 0, 0, tail, sizeof(names), 0, 0, 1, 0 },
	};
	bool written = pwrite(fd, &header, sizeof(header), 0) == sizeof(header) &&
		       pwrite(fd, segments, sizeof(segments), sizeof(header)) == sizeof(segments) &&
		       pwrite(fd, section.data, section.size, FRAME_OFFSET) ==
			       (ssize_t)section.size &&
		       pwrite(fd, names, sizeof(names), (off_t)tail) == sizeof(names) &&
		       pwrite(fd, sections, sizeof(sections), (off_t)tail + 64) == sizeof(sections);
	free(section.data);
	close(fd);
	return written ? 0 : -1;
}

#endif
