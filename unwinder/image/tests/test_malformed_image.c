/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_malformed_image.c - one bad field at a time in a small ELF file, named by code and place
 *
 * The file has two CIEs and three FDEs, a search table over them, and nothing wrong. A case changes
 * a few bytes: of an ELF header, so that the file can't be opened; of .eh_frame_hdr, which is then
 * found to be wrong while every FDE is still read; or of a length in .eh_frame, after which the
 * search table leads on.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfi_bytes.h"
#include "tests/malformed.h"
#include "cfi/cfi.h"

/* ---- a whole ELF file -------------------------------------------------------------------- */

/*
 * 0x000 ELF header, program headers   0x200 .eh_frame_hdr   0x300 .eh_frame   0x800 code
 * 0xd00 section headers: .eh_frame, .eh_frame_hdr, .shstrtab, .debug_frame (empty)
 * 0xe80 .shstrtab   end 0x1000
 *
 * .eh_frame: CIE A, FDE 0 (A), FDE 1 (A), CIE B, FDE 2 (B), terminator; pcrel sdata4 throughout.
 * FDE n covers VADDR+0x800+n*0x100. .eh_frame_hdr: pcrel sdata4, udata4, datarel sdata4.
 */
#define VADDR	   0x10000
#define PROGRAM(n) (64 + 56 * (n))
#define SECTION(n) (0xd00 + 64 * (n))
#define HDR	   0x200
#define TABLE	   (HDR + 12)
#define FRAME	   0x300
#define CIE_A	   0
#define FDE_0	   0x18
#define FDE_1	   0x30
#define CIE_B	   0x48
#define FDE_2	   0x60
#define FRAME_SIZE 0x7c

static void set(struct bytes *file, size_t offset, uint64_t value, size_t size)
{
	memcpy(file->data + offset, &value, size);
}

static void put_entry(struct bytes *file, size_t offset, size_t cie, uint64_t pc)
{
	set(file, FRAME + offset, 0x14, 4);
	if (cie == SIZE_MAX) {
		memcpy(file->data + FRAME + offset + 8, "\1zR\0\1\x78\x10\1\x1b\x0c\x07\x08\x90\1",
		       14);
		return;
	}
	set(file, FRAME + offset + 4, offset + 4 - cie, 4);
	set(file, FRAME + offset + 8, pc - (VADDR + FRAME + offset + 8), 4);
	set(file, FRAME + offset + 12, 0x80, 4);
}

static void make_elf(struct bytes *file)
{
	*file = (struct bytes) { .size = 0x1000 };
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = 1,
			      .e_phoff = 64,
			      .e_shoff = SECTION(0),
			      .e_ehsize = 64,
			      .e_phentsize = 56,
			      .e_phnum = 2,
			      .e_shentsize = 64,
			      .e_shnum = 5,
			      .e_shstrndx = 3 };
	Elf64_Phdr programs_[2] = {
		{ PT_LOAD, PF_R | PF_X, 0, VADDR, VADDR, 0x1000, 0x1000, 0x1000 },
		{ PT_GNU_EH_FRAME, PF_R, HDR, VADDR + HDR, VADDR + HDR, 36, 36, 4 },
	};
	Elf64_Shdr sections[5] = {
		{ 0 },
		{ 1, SHT_PROGBITS, SHF_ALLOC, VADDR + FRAME, FRAME, FRAME_SIZE, 0, 0, 8, 0 },
		{ 11, SHT_PROGBITS, SHF_ALLOC, VADDR + HDR, HDR, 36, 0, 0, 4, 0 },
		{ 25, SHT_STRTAB, 0, 0, 0xe80, 48, 0, 0, 1, 0 },
		{ 35, SHT_PROGBITS, 0, 0, FRAME, 0, 0, 0, 8, 0 },
	};
	memcpy(file->data, &header, sizeof(header));
	memcpy(file->data + PROGRAM(0), programs_, sizeof(programs_));
	memcpy(file->data + SECTION(0), sections, sizeof(sections));
	memcpy(file->data + 0xe80, "\0.eh_frame\0.eh_frame_hdr\0.shstrtab\0.debug_frame", 48);
	static const size_t fdes[] = { FDE_0, FDE_1, FDE_2 };
	put_entry(file, CIE_A, SIZE_MAX, 0);
	put_entry(file, CIE_B, SIZE_MAX, 0);
	memcpy(file->data + HDR, "\1\x1b\x03\x3b", 4);
	set(file, HDR + 4, FRAME - (HDR + 4), 4);
	set(file, HDR + 8, 3, 4);
	for (size_t i = 0; i < 3; i++) {
		put_entry(file, fdes[i], i < 2 ? CIE_A : CIE_B, VADDR + 0x800 + i * 0x100);
		set(file, TABLE + i * 8, 0x800 + i * 0x100 - HDR, 4);
		set(file, TABLE + i * 8 + 4, FRAME + fdes[i] - HDR, 4);
	}
}

struct patch {
	size_t offset;
	uint64_t value;
	size_t size;
};

static void apply(struct bytes *file, const struct patch *patch, size_t count)
{
	for (size_t i = 0; i < count && patch[i].size; i++)
		set(file, patch[i].offset, patch[i].value, patch[i].size);
}

#define NO_SECTIONS                                                                                \
	{ 40, 0, 8 },                                                                              \
	{                                                                                          \
		60, 0, 4                                                                           \
	}

#define PATCHES(...) .patch = { __VA_ARGS__ }

static const struct {
	const char *name;
	struct patch patch[4];
	enum error_code code;
	const char *section;
	uint64_t offset;
} images[] = {
	{ "magic", PATCHES({ 0, 0, 1 }), ERROR_NOT_ELF, "", 0 },
	{ "class_32", PATCHES({ 4, 1, 1 }), ERROR_UNSUPPORTED_ELF, "", 4 },
	{ "big_endian", PATCHES({ 5, 2, 1 }), ERROR_UNSUPPORTED_ELF, "", 4 },
	{ "machine_i386", PATCHES({ 18, EM_386, 2 }), ERROR_UNSUPPORTED_ELF, "", 18 },
	{ "elf_version_2", PATCHES({ 20, 2, 4 }), ERROR_UNSUPPORTED_ELF, "", 20 },
	{ "section_headers_past_the_end", PATCHES({ 40, 0x1001, 8 }), ERROR_ELF_BOUNDS,
	  "section headers", 0x1001 },
	{ "section_header_of_63_bytes", PATCHES({ 58, 63, 2 }), ERROR_ELF_BOUNDS, "section headers",
	  0xd00 },
	{ "sections_beyond_the_end", PATCHES({ 60, 0xfeff, 2 }), ERROR_ELF_BOUNDS,
	  "section headers", 0xd00 },
	{ "program_headers_past_the_end", PATCHES({ 32, 0x2000, 8 }), ERROR_ELF_BOUNDS,
	  "program headers", 0x2000 },
	{ "program_header_of_55_bytes", PATCHES({ 54, 55, 2 }), ERROR_ELF_BOUNDS, "program headers",
	  64 },
	{ "segments_beyond_the_end", PATCHES({ 56, 1000, 2 }), ERROR_ELF_BOUNDS, "program headers",
	  64 },
	{ "section_past_the_end", PATCHES({ SECTION(1) + 24, 0xff8, 8 }), ERROR_ELF_BOUNDS,
	  ".eh_frame", 0xff8 },
	{ "section_size_that_wraps", PATCHES({ SECTION(1) + 32, UINT64_MAX, 8 }), ERROR_ELF_BOUNDS,
	  ".eh_frame", FRAME },
	{ "segment_larger_in_the_file", PATCHES({ PROGRAM(0) + 40, 0xfff, 8 }), ERROR_ELF_BOUNDS,
	  "segment 0", 0 },
	{ "segment_that_wraps", PATCHES({ PROGRAM(0) + 16, UINT64_MAX, 8 }), ERROR_ELF_BOUNDS,
	  "segment 0", 0 },
	{ "segment_past_the_end", PATCHES({ PROGRAM(0) + 8, 1, 8 }), ERROR_ELF_BOUNDS, "segment 0",
	  1 },
	{ "compressed_rubbish", PATCHES({ SECTION(1) + 8, SHF_COMPRESSED, 8 }), ERROR_ELF_BOUNDS,
	  ".eh_frame", FRAME },
	{ "no_sections_and_a_header_in_no_segment",
	  PATCHES(NO_SECTIONS, { PROGRAM(1) + 16, 0x900000, 8 }), ERROR_ELF_BOUNDS,
	  "PT_GNU_EH_FRAME", HDR },
	{ "no_sections_and_a_header_of_3_bytes", PATCHES(NO_SECTIONS, { PROGRAM(1) + 32, 3, 8 }),
	  ERROR_CFI_TRUNCATED, ".eh_frame_hdr", 0 },
	{ "no_sections_and_header_version_2", PATCHES(NO_SECTIONS, { HDR, 2, 1 }),
	  ERROR_POINTER_ENCODING, ".eh_frame_hdr", 1 },
	{ "no_sections_and_no_eh_frame_pointer", PATCHES(NO_SECTIONS, { HDR + 1, 0xff, 1 }),
	  ERROR_POINTER_ENCODING, ".eh_frame_hdr", 1 },
	{ "no_sections_and_eh_frame_in_no_segment",
	  PATCHES(NO_SECTIONS, { HDR + 4, 0x7fffffff, 4 }), ERROR_ELF_BOUNDS, ".eh_frame_hdr",
	  HDR },
};

START_TEST(bad_image_is_named)
{
	struct bytes file;
	struct image *image;
	struct error error = { 0 };
	make_elf(&file);
	apply(&file, images[_i].patch, 4);
	ck_assert_msg(image_create_memory(file.data, file.size, "file", &image, &error) == -1,
		      "%s: was opened", images[_i].name);
	ck_assert_ptr_null(image);
	check_error(images[_i].name, &error, images[_i].code, images[_i].section,
		    images[_i].offset);
}
END_TEST

/* ---- a section that can't be read costs itself --------------------------------------------- */

static const struct {
	const char *name;
	struct patch patch[4];
	const char *wanted; /* section; NULL: what cfi_create() takes */
	enum error_code code;
	const char *section;
	uint64_t offset;
} unreadable[] = {
	{ "compressed_rubbish_in_debug_frame",
	  PATCHES({ SECTION(4) + 8, SHF_COMPRESSED, 8 }, { SECTION(4) + 32, 24, 8 }),
	  ".debug_frame", ERROR_ELF_BOUNDS, ".debug_frame", FRAME },
	{ "compressed_rubbish_in_debug_frame_and_no_eh_frame",
	  PATCHES({ SECTION(4) + 8, SHF_COMPRESSED, 8 }, { SECTION(4) + 32, 24, 8 },
		  { SECTION(1), 2, 4 }, { PROGRAM(1), PT_NULL, 4 }),
	  NULL, ERROR_ELF_BOUNDS, ".debug_frame", FRAME },
	{ "no_sections_and_an_empty_header", PATCHES(NO_SECTIONS, { PROGRAM(1) + 32, 0, 8 }), NULL,
	  ERROR_NO_CFI, "", 0 },
	{ "debug_frame_is_empty", .wanted = ".debug_frame", .code = ERROR_NO_CFI, .section = "" },
};

START_TEST(bad_section_costs_itself)
{
	struct bytes file;
	struct image *image;
	struct cfi *cfi;
	struct error error = { 0 };
	make_elf(&file);
	apply(&file, unreadable[_i].patch, 4);
	ck_assert_msg(!image_create_memory(file.data, file.size, "file", &image, &error), "%s: %s",
		      unreadable[_i].name, error.message);
	int result = unreadable[_i].wanted
			     ? cfi_create_section(image, unreadable[_i].wanted, &cfi, &error)
			     : cfi_create(image, &cfi, &error);
	ck_assert_int_eq(result, -1);
	check_error(unreadable[_i].name, &error, unreadable[_i].code, unreadable[_i].section,
		    unreadable[_i].offset);
	cfi_destroy(cfi);
	if (unreadable[_i].wanted) {
		ck_assert_msg(!cfi_create(image, &cfi, &error), "%s", error.message);
		ck_assert_uint_eq(cfi->fde_count, 3);
		cfi_destroy(cfi);
	}
	image_destroy(image);
}
END_TEST

/* ---- .eh_frame_hdr, and lengths that it corrects ------------------------------------------ */

#define ALL 7u

static const struct {
	const char *name;
	struct patch patch[4];
	unsigned int fdes;    /* bit n: FDE n is there */
	size_t diagnostics;   /* of cfi_create */
	enum error_code code; /* of the first error that cfi_check gives */
	const char *section;
	uint64_t offset;
} tables[] = {
	{ "nothing_is_wrong", .fdes = ALL, .code = ERROR_NONE, .section = "" },
	{ "no_sections_and_nothing_is_wrong", PATCHES(NO_SECTIONS), ALL, 0, ERROR_NONE, "", 0 },
	{ "section_without_its_name", PATCHES({ SECTION(1), 2, 4 }), ALL, 0, ERROR_NONE, "", 0 },
	{ "version_2", PATCHES({ HDR, 2, 1 }), ALL, 0, ERROR_SEARCH_TABLE, ".eh_frame_hdr", 0 },
	{ "header_of_3_bytes", PATCHES({ SECTION(2) + 32, 3, 8 }, { PROGRAM(1) + 32, 3, 8 }), ALL,
	  0, ERROR_SEARCH_TABLE, ".eh_frame_hdr", 0 },
	{ "eh_frame_pointer_omitted", PATCHES({ HDR + 1, 0xff, 1 }), ALL, 0, ERROR_POINTER_ENCODING,
	  ".eh_frame_hdr", 4 },
	{ "eh_frame_is_elsewhere", PATCHES({ HDR + 4, 0, 4 }), ALL, 0, ERROR_SEARCH_TABLE,
	  ".eh_frame_hdr", 4 },
	{ "count_of_undefined_format", PATCHES({ HDR + 2, 0x05, 1 }), ALL, 0,
	  ERROR_POINTER_ENCODING, ".eh_frame_hdr", 8 },
	{ "more_entries_than_bytes", PATCHES({ HDR + 8, 4, 4 }), ALL, 0, ERROR_SEARCH_TABLE,
	  ".eh_frame_hdr", 12 },
	{ "table_of_lebs", PATCHES({ HDR + 3, 0x31, 1 }), ALL, 0, ERROR_POINTER_ENCODING,
	  ".eh_frame_hdr", 3 },
	{ "indirect_table", PATCHES({ HDR + 3, 0xbb, 1 }), ALL, 0, ERROR_POINTER_ENCODING,
	  ".eh_frame_hdr", 3 },
	{ "entry_of_another_pc", PATCHES({ TABLE + 8, 0x901 - HDR, 4 }), ALL, 0, ERROR_SEARCH_TABLE,
	  ".eh_frame_hdr", 12 + 8 },
	{ "entries_out_of_order",
	  PATCHES({ TABLE, 0x900 - HDR, 4 }, { TABLE + 4, FRAME + FDE_1 - HDR, 4 },
		  { TABLE + 8, 0x800 - HDR, 4 }, { TABLE + 12, FRAME + FDE_0 - HDR, 4 }),
	  ALL, 0, ERROR_SEARCH_TABLE, ".eh_frame_hdr", 12 + 8 },
	{ "entry_of_no_fde", PATCHES({ TABLE + 4, FRAME + CIE_A - HDR, 4 }), ALL, 0,
	  ERROR_SEARCH_TABLE, ".eh_frame_hdr", 12 },
	{ "one_fde_twice",
	  PATCHES({ TABLE + 8, 0x800 - HDR, 4 }, { TABLE + 12, FRAME + FDE_0 - HDR, 4 }), ALL, 0,
	  ERROR_SEARCH_TABLE, ".eh_frame_hdr", 12 + 8 },
	{ "fde_in_no_entry", PATCHES({ HDR + 8, 2, 4 }), ALL, 0, ERROR_SEARCH_TABLE, ".eh_frame",
	  FDE_2 },
	{ "length_past_the_section", PATCHES({ FRAME + FDE_0, 0x1000, 4 }), ALL & ~1u, 1,
	  ERROR_CFI_LENGTH, ".eh_frame", FDE_0 },
	{ "length_past_the_section_before_a_cie", PATCHES({ FRAME + FDE_1, 0x1000, 4 }), ALL & ~2u,
	  1, ERROR_CFI_LENGTH, ".eh_frame", FDE_1 },
	{ "length_over_other_entries", PATCHES({ FRAME + FDE_0, 0x14 + 0x18, 4 }), ALL & ~1u, 1,
	  ERROR_CFI_LENGTH, ".eh_frame", FDE_0 },
	{ "length_over_a_cie", PATCHES({ FRAME + FDE_1, 0x14 + 0x18, 4 }), ALL & ~2u, 1,
	  ERROR_CFI_LENGTH, ".eh_frame", FDE_1 },
	{ "length_of_the_first_cie",
	  PATCHES({ FRAME + CIE_A, 0xffffffff, 4 }, { FRAME + CIE_A + 8, UINT64_MAX, 4 }), 4,
	  3, /* it, and its two FDEs */
	  ERROR_CFI_LENGTH, ".eh_frame", CIE_A },
	{ "two_lengths", PATCHES({ FRAME + FDE_0, 0x1000, 4 }, { FRAME + FDE_1, 0x2000, 4 }), 4, 2,
	  ERROR_CFI_LENGTH, ".eh_frame", FDE_0 },
	{ "length_without_a_table",
	  PATCHES({ FRAME + FDE_1, 0x1000, 4 }, { SECTION(2) + 4, SHT_NOBITS, 4 },
		  { PROGRAM(1) + 32, 0, 8 }),
	  ALL & ~2u, 1, ERROR_CFI_LENGTH, ".eh_frame", FDE_1 },
	{ "a_table_without_a_section_is_the_segment_s",
	  PATCHES({ SECTION(2) + 4, SHT_NOBITS, 4 }, { TABLE, 0x7fffffff, 4 }), ALL, 0,
	  ERROR_SEARCH_TABLE, ".eh_frame_hdr", TABLE - HDR },
	{ "length_with_a_table_that_lies",
	  PATCHES({ FRAME + FDE_0, 0x1000, 4 }, { TABLE + 8 + 4, FRAME + FDE_1 + 4 - HDR, 4 }),
	  ALL & ~1u, 1, ERROR_CFI_LENGTH, ".eh_frame", FDE_0 },
	{ "zero_word_in_the_middle_without_sections",
	  PATCHES(NO_SECTIONS, { FRAME + FDE_1, 0, 4 }, { FRAME + FDE_1 + 4, 0x10, 4 }), ALL & ~2u,
	  1, ERROR_CIE_POINTER, ".eh_frame", FDE_1 + 4 },
	{ "bad_length_without_sections", PATCHES(NO_SECTIONS, { FRAME + FDE_1, 0x1000, 4 }),
	  ALL & ~2u, 1, ERROR_CFI_LENGTH, ".eh_frame", FDE_1 },
};

START_TEST(search_table_is_checked_and_helps)
{
	struct bytes file;
	struct image *image;
	struct error error = { 0 };
	make_elf(&file);
	apply(&file, tables[_i].patch, 4);
	ck_assert_msg(!image_create_memory(file.data, file.size, "file", &image, &error), "%s: %s",
		      tables[_i].name, error.message);
	struct cfi *cfi = cfi_of(image);
	unsigned int fdes = 0;
	for (size_t i = 0; i < cfi->fde_count; i++)
		fdes |= 1u << (cfi->fde[i].pc_begin - VADDR - 0x800) / 0x100;
	ck_assert_msg(fdes == tables[_i].fdes && (size_t)__builtin_popcount(fdes) == cfi->fde_count,
		      "%s: FDEs 0x%x, %zu of them", tables[_i].name, fdes, cfi->fde_count);
	ck_assert_msg(cfi->diagnostics.count == tables[_i].diagnostics, "%s: %zu diagnostics: %s",
		      tables[_i].name, cfi->diagnostics.count,
		      cfi->diagnostics.count ? cfi->diagnostics.error->message : "");
	struct error_list found = { 0 };
	cfi_check(cfi, &found);
	if (tables[_i].code)
		check_error(tables[_i].name, found.error, tables[_i].code, tables[_i].section,
			    tables[_i].offset);
	else
		ck_assert_msg(!found.count, "%s: %s", tables[_i].name,
			      found.count ? found.error->message : "");
	error_list_deinit(&found);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* Where its CFI is, by section headers and without them. */
START_TEST(frame_is_found)
{
	const struct patch no_sections[] = { NO_SECTIONS };
	struct bytes file;
	struct image *image;
	struct error error = { 0 };
	make_elf(&file);
	if (_i)
		apply(&file, no_sections, 2);
	ck_assert_msg(!image_create_memory(file.data, file.size, "file", &image, &error), "%s",
		      error.message);
	ck_assert_uint_eq(image->eh_frame.vaddr, VADDR + FRAME);
	ck_assert_uint_eq(image->eh_frame.file_offset, FRAME);
	ck_assert_uint_eq(image->eh_frame.size, FRAME_SIZE);
	ck_assert_int_eq(memcmp(image->eh_frame.data, file.data + FRAME, FRAME_SIZE), 0);
	ck_assert_uint_eq(image->eh_frame_hdr.vaddr, VADDR + HDR);
	ck_assert_uint_eq(image->eh_frame_hdr.file_offset, HDR);
	ck_assert_uint_eq(image->eh_frame_hdr.size, 36);
	ck_assert_uint_eq(image->data_vaddr, VADDR + HDR);
	ck_assert_uint_eq(image->type, ET_DYN);
	image_destroy(image);
}
END_TEST

SUITE(malformed_image, LOOP(bad_image_is_named, images), LOOP(bad_section_costs_itself, unreadable),
      TIMES(frame_is_found, 2), LOOP(search_table_is_checked_and_helps, tables))
