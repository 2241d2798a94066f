/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * made_image.h - an ELF file with as many rows as a test wants, and code in some of them
 *
 * Row k of an image begins at made_row_vaddr(k) and says CFA = rsp + made_cfa(k), return address at
 * CFA - 8; no two neighbours say the same. A hundred bytes of code stand for them: the rest of the
 * text is a hole in the file, which nothing executes.
 *
 *	headers, .eh_frame	one CIE, an FDE for each MADE_FDE_ROWS rows
 *	text			MADE_BEFORE bytes, then the rows, pitch bytes apart
 *
 * made_image_call() puts into a row a call of the next function of a list: the return address is
 * the byte behind the row's first, so that its frame's row is that one.
 */
#ifndef STACKPROOF_TESTS_MADE_IMAGE_H
#define STACKPROOF_TESTS_MADE_IMAGE_H

#include <check.h>
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cfi/cfi_instruction.h"

#define MADE_FDE_ROWS 1000u
#define MADE_BEFORE   64u /* room for the code of row 0's call */
#define MADE_PAGE     4096u

struct made_image {
	uint32_t rows, pitch;
	uint32_t rules; /* different ones; 0: every row has one of its own */
	char path[64];
	int file;
	uint64_t text_vaddr, text_bytes; /* addresses are the file's offsets */
	uint8_t *mapped;		 /* of the text, executable */
};

static inline uint64_t made_row_vaddr(const struct made_image *image, uint32_t row)
{
	return image->text_vaddr + MADE_BEFORE + (uint64_t)row * image->pitch;
}

/* By a draw, so that runs of rows are seldom alike. */
static inline uint32_t made_cfa(const struct made_image *image, uint32_t row)
{
	uint64_t mixed = (row / 2) * 0x9e3779b97f4a7c15ull;
	uint32_t rule = row;

	if (image->rules) /* even ones for even rows, odd ones for odd ones */
		rule = (uint32_t)((mixed >> 33) + (row & 1 ? mixed >> 13 : 0)) %
			       (image->rules / 2) * 2 +
		       (row & 1);
	return 8 + 8 * rule; /* row 0 may be as the CIE's own, which has a rule in any case */
}

/* ---- .eh_frame -------------------------------------------------------------------------- */

static inline uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static inline uint8_t *put_uleb(uint8_t *at, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = 0x80 | (value & 0x7f);
	*at++ = value;
	return at;
}

/* Pads with DW_CFA_nop and fills the length in. */
static inline uint8_t *put_end(uint8_t *entry, uint8_t *at)
{
	while ((at - entry) & 7)
		*at++ = 0;
	put_u32(entry, (uint32_t)(at - entry - 4));
	return at;
}

/* at: where the section's byte `offset` is, which is its address, too. */
static inline uint8_t *put_fde(const struct made_image *image, uint8_t *section, uint64_t vaddr,
			       uint8_t *at, uint32_t first, uint32_t end)
{
	uint8_t *entry = at, *pc;

	at = put_u32(at + 4, (uint32_t)(at + 4 - section)); /* the CIE is the first entry */
	pc = at;
	at = put_u32(at, (uint32_t)(made_row_vaddr(image, first) - (vaddr + (pc - section))));
	at = put_u32(at, (end - first) * image->pitch);
	*at++ = 0;
	for (uint32_t row = first; row < end; row++) {
		if (row > first)
			*at++ = CFA_ADVANCE_LOC | image->pitch;
		*at++ = CFA_DEF_CFA_OFFSET;
		at = put_uleb(at, made_cfa(image, row));
	}
	return put_end(entry, at);
}

static inline size_t put_eh_frame(const struct made_image *image, uint8_t *section, uint64_t vaddr)
{
	/* id 0, version 1, "zR", 1, -8, 16, 1 byte: pcrel sdata4; def_cfa rsp 8; offset rip 1 */
#define INITIAL CFA_DEF_CFA, 7, 8, CFA_OFFSET | 16, 1
	static const uint8_t cie[] = { 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, INITIAL };
#undef INITIAL
	uint8_t *at = section + 4;

	memcpy(at, cie, sizeof(cie));
	at = put_end(section, at + sizeof(cie));
	for (uint32_t first = 0; first < image->rows; first += MADE_FDE_ROWS) {
		uint32_t end = first + MADE_FDE_ROWS;

		at = put_fde(image, section, vaddr, at, first,
			     end < image->rows ? end : image->rows);
	}
	return put_u32(at, 0) - section;
}

/* ---- the file --------------------------------------------------------------------------- */

static inline void made_write(int file, const void *bytes, size_t size, uint64_t offset)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = pwrite(file, (const char *)bytes + done, size - done, offset + done);

		ck_assert_int_gt(put, 0);
		done += put;
	}
}

#define MADE_EH_FRAME MADE_PAGE

static inline void made_write_headers(const struct made_image *image, size_t eh_frame_bytes)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	struct {
		Elf64_Ehdr elf;
		Elf64_Phdr segment[2];
		Elf64_Shdr section[3];
		char names[sizeof(names)];
	} head = {
		.elf = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT },
			 .e_type = ET_DYN,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(Elf64_Ehdr),
			 .e_ehsize = sizeof(Elf64_Ehdr),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = 2,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 3,
			 .e_shstrndx = 2 },
		.segment = { { .p_type = PT_LOAD,
			       .p_flags = PF_R,
			       .p_filesz = MADE_EH_FRAME + eh_frame_bytes,
			       .p_memsz = MADE_EH_FRAME + eh_frame_bytes,
			       .p_align = MADE_PAGE },
			     { .p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_offset = image->text_vaddr,
			       .p_vaddr = image->text_vaddr,
			       .p_filesz = image->text_bytes,
			       .p_memsz = image->text_bytes,
			       .p_align = MADE_PAGE } },
		.section = { { 0 },
			     { .sh_name = 1,
			       .sh_type = SHT_PROGBITS,
			       .sh_flags = SHF_ALLOC,
			       .sh_addr = MADE_EH_FRAME,
			       .sh_offset = MADE_EH_FRAME,
			       .sh_size = eh_frame_bytes,
			       .sh_addralign = 8 },
			     { .sh_name = 11, .sh_type = SHT_STRTAB, .sh_size = sizeof(names) } },
	};

	head.elf.e_shoff = (uint64_t)((char *)head.section - (char *)&head);
	head.section[2].sh_offset = (uint64_t)(head.names - (char *)&head);
	memcpy(head.names, names, sizeof(names));
	made_write(image->file, &head, sizeof(head), 0);
}

/* Makes the file and maps its text. */
static inline void made_image_init(struct made_image *image)
{
	/* An advance and an offset of up to 4 bytes a row, and what an entry has besides. */
	size_t most = 64 + image->rows * 6ull + (image->rows / MADE_FDE_ROWS + 1) * 32ull;
	uint8_t *section = malloc(most);
	uint64_t text;
	size_t size;

	ck_assert_ptr_nonnull(section);
	strcpy(image->path, "/tmp/test_large_table.XXXXXX");
	image->file = mkstemp(image->path);
	ck_assert_int_ge(image->file, 0);
	text = (MADE_EH_FRAME + most + MADE_PAGE - 1) & ~(uint64_t)(MADE_PAGE - 1);
	image->text_vaddr = text;
	image->text_bytes = MADE_BEFORE + (uint64_t)image->rows * image->pitch;
	size = put_eh_frame(image, section, MADE_EH_FRAME);
	ck_assert_uint_le(size, most);
	made_write(image->file, section, size, MADE_EH_FRAME);
	free(section);
	made_write_headers(image, size);
	ck_assert(!ftruncate(image->file, text + image->text_bytes + MADE_PAGE));
	image->mapped = mmap(NULL, image->text_bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE,
			     image->file, text);
	ck_assert_ptr_ne(image->mapped, MAP_FAILED);
}

static inline void made_image_deinit(struct made_image *image)
{
	munmap(image->mapped, image->text_bytes);
	close(image->file);
	unlink(image->path);
}

/*
 * Code whose call ends at the row's first byte. It makes its frame as large as the row says, and
 * calls the next function of the list that rdi points into. Returns where it begins; it never
 * returns itself.
 */
static inline const void *made_image_call(const struct made_image *image, uint32_t row)
{
	uint8_t code[] = { 0x48, 0x81, 0xec, 0,	   0, 0, 0, /* sub $size, %rsp */
			   0x48, 0x83, 0xc7, 0x08,	    /* add $8, %rdi */
			   0xff, 0x17 };		    /* call *(%rdi) */
	uint64_t at = made_row_vaddr(image, row) + 1 - sizeof(code);

	put_u32(code + 3, made_cfa(image, row) - 8);
	made_write(image->file, code, sizeof(code), at);
	return image->mapped + (at - image->text_vaddr);
}

#endif
