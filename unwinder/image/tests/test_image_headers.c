/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image_headers.c - numbers that don't fit the ELF header, which .eh_frame a run-time begins
 * with, and search tables in every encoding
 *
 * One linked file, at 0x1000 in memory, so that every address fits two bytes: three sections
 * .eh_frame with one function each, and an .eh_frame_hdr that a case writes.
 *
 *	0x000 ELF header   0x040 program header   0x100 .eh_frame_hdr   0x200 + 0x100*n .eh_frame n
 *	0x800 + 0x10*n function n   0x900 section names   0xa00 section headers: 1 + n .eh_frame n,
 *	4 .eh_frame_hdr, 5 code, 6 names
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfa_bytes.h"
#include "tests/cfi_bytes.h"
#include "image/eh_frames.h"
#include "image/elf_image.h"
#include "cfi/cfi_section.h"

#define VADDR		0x1000ull
#define FRAMES		3
#define FRAME_AT(n)	(0x200u + 0x100 * (n))
#define FUNCTION_AT(n)	(0x800u + 0x10 * (n))
#define FUNCTION_BYTES	0x10
#define HDR_AT		0x100
#define NAMES_AT	0x900
#define SECTIONS_AT	0xa00
#define FILE_BYTES	0x1000
#define NAME(text)	((uint32_t)(strstr(names, text) - names))
#define SECTIONS	7
#define NAMES_SECTION	6
#define FDE_IN_FRAME(n) (VADDR + FRAME_AT(n) + fde_offset)

/* strstr() finds ".eh_frame" first in ".eh_frame", as it stands before the other. */
static const char names[] = " .eh_frame .eh_frame_hdr .text .shstrtab ";

struct file {
	uint8_t data[FILE_BYTES];
	size_t hdr_bytes;
};

static size_t fde_offset; /* in its section: the same in each */

static Elf64_Ehdr *elf_header(struct file *file)
{
	return (Elf64_Ehdr *)file->data;
}

static Elf64_Shdr *section(struct file *file, int number)
{
	return (Elf64_Shdr *)(file->data + SECTIONS_AT) + number;
}

static void put_section(struct file *file, int number, const char *name, uint64_t at, uint64_t size,
			uint64_t flags)
{
	*section(file, number) = (Elf64_Shdr) {
		.sh_name = NAME(name),
		.sh_type = SHT_PROGBITS,
		.sh_flags = flags,
		.sh_addr = flags ? VADDR + at : 0,
		.sh_offset = at,
		.sh_size = size,
		.sh_addralign = 1,
	};
}

static void put_frame(struct file *file, int number, uint64_t pc, uint64_t pc_range)
{
	struct bytes bytes = { .size = 0 };
	size_t cie = put_cie(&bytes, 0, (struct literal)CFI(CFA_USUAL));

	fde_offset = bytes.size;
	put_fde(&bytes, cie, pc, pc_range,
		(struct literal)CFI(CFA_advance_loc(1), CFA_def_cfa_offset(16)));
	memcpy(file->data + FRAME_AT(number), bytes.data, bytes.size);
	put_section(file, 1 + number, ".eh_frame ", FRAME_AT(number), bytes.size, SHF_ALLOC);
}

static void file_init(struct file *file)
{
	*file = (struct file) { .hdr_bytes = 8 };
	*elf_header(file) = (Elf64_Ehdr) {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = SECTIONS_AT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES_SECTION,
	};
	*(Elf64_Phdr *)(file->data + sizeof(Elf64_Ehdr)) = (Elf64_Phdr) {
		PT_LOAD, PF_R | PF_X, 0, VADDR, VADDR, FILE_BYTES, FILE_BYTES, 0x1000,
	};
	for (int i = 0; i < FRAMES; i++)
		put_frame(file, i, VADDR + FUNCTION_AT(i), FUNCTION_BYTES);
	for (size_t i = 0; i < sizeof(names) - 1; i++) /* a name ends where a space is */
		file->data[NAMES_AT + i] = names[i] == ' ' ? 0 : (uint8_t)names[i];
	put_section(file, 4, ".eh_frame_hdr", HDR_AT, file->hdr_bytes, SHF_ALLOC);
	put_section(file, 5, ".text", FUNCTION_AT(0), FRAMES * FUNCTION_BYTES,
		    SHF_ALLOC | SHF_EXECINSTR);
	put_section(file, NAMES_SECTION, ".shstrtab", NAMES_AT, sizeof(names), 0);
	section(file, NAMES_SECTION)->sh_type = SHT_STRTAB;
}

static void put_hdr(struct file *file, const struct bytes *bytes)
{
	memcpy(file->data + HDR_AT, bytes->data, bytes->size);
	section(file, 4)->sh_size = bytes->size;
}

/* .eh_frame is at 4 bytes, absolute; there is no table. */
static void name_frame(struct file *file, uint64_t vaddr)
{
	struct bytes bytes = { .size = 0 };

	put(&bytes, "\1\x03\xff\xff", 4);
	put_number(&bytes, vaddr, 4);
	put_hdr(file, &bytes);
}

static struct image *open_file(const struct file *file)
{
	struct error error = { 0 };
	struct image *image;

	ck_assert_msg(!image_create_memory(file->data, sizeof(file->data), "file", &image, &error),
		      "%s", error.message);
	return image;
}

/* ---- numbers ------------------------------------------------------------------------------ */

/* System V gABI, ELF Header: what doesn't fit is in section header 0. */
static void many_segments(struct file *file)
{
	elf_header(file)->e_phnum = PN_XNUM;
	section(file, 0)->sh_info = 1;
}

static void many_sections(struct file *file)
{
	elf_header(file)->e_shnum = 0;
	section(file, 0)->sh_size = SECTIONS;
}

static void names_far_behind(struct file *file)
{
	elf_header(file)->e_shstrndx = SHN_XINDEX;
	section(file, 0)->sh_link = NAMES_SECTION;
}

static void all_of_them(struct file *file)
{
	many_segments(file);
	many_sections(file);
	names_far_behind(file);
}

/* What stands there without being asked for. */
static void nothing_asked_for(struct file *file)
{
	section(file, 0)->sh_info = 7;
	section(file, 0)->sh_size = 70000;
	section(file, 0)->sh_link = 2;
}

static void (*const numbers[])(struct file *file) = {
	many_segments, many_sections, names_far_behind, all_of_them, nothing_asked_for,
};

START_TEST(large_numbers_are_in_section_0)
{
	struct file file;

	file_init(&file);
	name_frame(&file, VADDR + FRAME_AT(0));
	numbers[_i](&file);

	struct image *image = open_file(&file);

	ck_assert_uint_eq(image->segment_count, 1);
	ck_assert_uint_eq(image->segment[0].vaddr, VADDR);
	ck_assert_uint_eq(image->segment[0].file_bytes, FILE_BYTES);
	ck_assert_uint_eq(image->eh_frame.vaddr, VADDR + FRAME_AT(0));
	ck_assert_uint_eq(image->eh_frame_hdr.vaddr, VADDR + HDR_AT);
	image_destroy(image);
}
END_TEST

/* One more than the file has room for. */
static void segments_past_the_end(struct file *file)
{
	many_segments(file);
	section(file, 0)->sh_info = (FILE_BYTES - sizeof(Elf64_Ehdr)) / sizeof(Elf64_Phdr) + 1;
}

static void sections_past_the_end(struct file *file)
{
	many_sections(file);
	section(file, 0)->sh_size = (FILE_BYTES - SECTIONS_AT) / sizeof(Elf64_Shdr) + 1;
}

static const struct {
	void (*spoil)(struct file *file);
	const char *section;
	uint64_t offset;
} spoilt[] = {
	{ segments_past_the_end, "program headers", sizeof(Elf64_Ehdr) },
	{ sections_past_the_end, "section headers", SECTIONS_AT },
};

START_TEST(large_numbers_are_distrusted)
{
	struct error error = { 0 };
	struct image *image;
	struct file file;

	file_init(&file);
	spoilt[_i].spoil(&file);
	ck_assert_int_eq(image_create_memory(file.data, sizeof(file.data), "file", &image, &error),
			 -1);
	ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
	ck_assert_str_eq(error.section, spoilt[_i].section);
	ck_assert_uint_eq(error.offset, spoilt[_i].offset);
}
END_TEST

/* ---- the .eh_frame of the search table ----------------------------------------------------- */

/* Which one .eh_frame_hdr names, and the order in which they are had then, as in the file. */
static const struct {
	const char *name;
	uint64_t vaddr;
	int order[FRAMES];
	const char *others[FRAMES];
} chosen[] = {
	{ "the_first",
	  VADDR + FRAME_AT(0),
	  { 0, 1, 2 },
	  { ".eh_frame", ".eh_frame[2]", ".eh_frame[3]" } },
	{ "the_second",
	  VADDR + FRAME_AT(1),
	  { 1, 0, 2 },
	  { ".eh_frame", ".eh_frame[1]", ".eh_frame[3]" } },
	{ "the_third",
	  VADDR + FRAME_AT(2),
	  { 2, 1, 0 },
	  { ".eh_frame", ".eh_frame[2]", ".eh_frame[1]" } },
	{ "none_of_them",
	  VADDR + FRAME_AT(1) + 4,
	  { 0, 1, 2 },
	  { ".eh_frame", ".eh_frame[2]", ".eh_frame[3]" } },
};

START_TEST(the_search_table_says_which_is_first)
{
	struct file file;

	file_init(&file);
	name_frame(&file, chosen[_i].vaddr);

	struct image *image = open_file(&file);

	for (int i = 0; i < FRAMES; i++) {
		const struct image_section *frame = image_eh_frame(image, i);

		ck_assert_msg(frame && frame->vaddr == VADDR + FRAME_AT(chosen[_i].order[i]),
			      "%s: number %d", chosen[_i].name, i);
		ck_assert_str_eq(frame->name, chosen[_i].others[i]);
		ck_assert_ptr_eq(image_cfi_section(image, chosen[_i].others[i]), frame);
	}
	ck_assert_ptr_null(image_eh_frame(image, FRAMES));
	struct cfi *cfi = cfi_of(image);
	ck_assert_uint_eq(cfi->fde_count, FRAMES);
	for (int i = 0; i < FRAMES; i++) {
		const struct cfi_fde *fde = cfi_fde_find(cfi, VADDR + FUNCTION_AT(i) + 1);

		ck_assert_ptr_nonnull(fde);
		ck_assert_uint_eq(fde->pc_begin, VADDR + FUNCTION_AT(i));
	}
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* Where the second and the third lie, in bytes of one, from the first on; one less: a byte. */
static const struct {
	const char *name;
	struct {
		int frames, bytes;
	} second, third;
	bool shared[FRAMES];
} placed[] = {
	{ "side_by_side", { 1, 0 }, { 2, 0 }, { false, false, false } },
	{ "third_on_the_first", { 1, 0 }, { 0, 0 }, { false, false, true } },
	{ "third_on_the_second", { 1, 0 }, { 1, 0 }, { false, false, true } },
	{ "third_on_the_second_s_end", { 1, 0 }, { 2, -1 }, { false, false, true } },
	{ "third_on_the_second_s_begin", { 2, 0 }, { 1, 1 }, { false, false, true } },
	{ "third_before_the_second", { 2, 0 }, { 1, 0 }, { false, false, false } },
	{ "both_on_the_first", { 0, 0 }, { 0, 0 }, { false, true, true } },
	{ "second_on_the_first_s_end", { 1, -1 }, { 3, 0 }, { false, true, false } },
	{ "third_on_one_that_is_shared", { 1, -1 }, { 2, -2 }, { false, true, true } },
};

START_TEST(bytes_are_read_as_one_section)
{
	struct error_list list = { .error = NULL };
	struct file file;
	size_t said = 0;

	file_init(&file);

	uint64_t bytes = section(&file, 1)->sh_size;

	section(&file, 2)->sh_offset += bytes * placed[_i].second.frames + placed[_i].second.bytes -
					0x100;
	section(&file, 3)->sh_offset += bytes * placed[_i].third.frames + placed[_i].third.bytes -
					0x200;
	for (int i = 1; i < FRAMES; i++)
		memmove(file.data + section(&file, 1 + i)->sh_offset, file.data + FRAME_AT(0),
			bytes);

	struct image *image = open_file(&file);

	image_eh_frame_errors(image, &list);
	for (int i = 0; i < FRAMES; i++) {
		ck_assert_msg((image_eh_frame(image, i)->data == NULL) == placed[_i].shared[i],
			      "%s: number %d", placed[_i].name, i);
		if (!placed[_i].shared[i])
			continue;
		ck_assert_uint_lt(said, list.count);
		ck_assert_ptr_nonnull(strstr(list.error[said].message, "another section's, too"));
		ck_assert_uint_eq(list.error[said++].offset, section(&file, 1 + i)->sh_offset);
	}
	ck_assert_uint_eq(said, list.count);
	error_list_deinit(&list);
	image_destroy(image);
}
END_TEST

/* What the FDEs of the three say of the code: the place of each, from the first function on. */
static const struct {
	const char *name;
	int named; /* by .eh_frame_hdr */
	struct {
		uint64_t offset, bytes;
	} place[FRAMES];
	bool left_out[FRAMES];
} repeated[] = {
	{ "neighbours", 0, { { 0, 16 }, { 16, 16 }, { 32, 16 } }, { false } },
	{ "the_same", 0, { { 0, 16 }, { 0, 16 }, { 32, 16 } }, { false, true } },
	{ "the_same_where_the_second_is_named", 1, { { 0, 16 }, { 0, 16 }, { 32, 16 } }, { true } },
	{ "one_byte_of_the_last", 0, { { 0, 17 }, { 16, 16 }, { 32, 16 } }, { false, true } },
	{ "one_byte_of_the_next", 0, { { 16, 16 }, { 0, 17 }, { 32, 16 } }, { false, true } },
	{ "inside", 0, { { 0, 48 }, { 16, 16 }, { 32, 16 } }, { false, true, true } },
	{ "around", 0, { { 16, 1 }, { 0, 16 }, { 0, 48 } }, { false, false, true } },
	{ "nothing_in_it", 0, { { 0, 16 }, { 8, 0 }, { 32, 16 } }, { false } },
};

START_TEST(the_first_that_says_it_has_the_word)
{
	struct file file;
	size_t out = 0;

	file_init(&file);
	for (int i = 0; i < FRAMES; i++)
		put_frame(&file, i, VADDR + FUNCTION_AT(0) + repeated[_i].place[i].offset,
			  repeated[_i].place[i].bytes);
	name_frame(&file, VADDR + FRAME_AT(repeated[_i].named));

	struct image *image = open_file(&file);

	struct cfi *cfi = cfi_of(image);
	for (int i = 0; i < FRAMES; i++) {
		uint64_t pc = VADDR + FUNCTION_AT(0) + repeated[_i].place[i].offset;
		bool found = false;

		for (size_t f = 0; f < cfi->fde_count; f++)
			found |= cfi->fde[f].pc_begin == pc &&
				 cfi->fde[f].pc_range == repeated[_i].place[i].bytes &&
				 cfi->cie[cfi->fde[f].cie].section->vaddr == VADDR + FRAME_AT(i);
		ck_assert_msg(found != repeated[_i].left_out[i], "%s: %d", repeated[_i].name, i);
		if (found)
			continue;
		ck_assert_uint_lt(out, cfi->diagnostics.count);
		ck_assert_int_eq(cfi->diagnostics.error[out].code, ERROR_CFI_RANGE);
		ck_assert_uint_eq(cfi->diagnostics.error[out].offset, fde_offset);
		ck_assert_ptr_nonnull(strstr(cfi->diagnostics.error[out++].message, "left out"));
	}
	ck_assert_uint_eq(cfi->diagnostics.count, out);
	ck_assert_uint_eq(cfi->fde_count, FRAMES - out);
	ck_assert_uint_eq(cfi->other_fde_count, FRAMES - 1 - out);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* ---- search tables ------------------------------------------------------------------------- */

/* LSB, Linux Standard Base Core, 10.6.2: three encodings, .eh_frame, how many, pairs of a PC and its
 * FDE. from: what a pointer is said from. bytes 0: not what an entry may have. */
static const struct {
	const char *name;
	uint8_t frame, count, table;
	unsigned int bytes; /* of one pointer of the table */
	uint64_t from;
} encodings[] = {
	{ "datarel_sdata4", 0x1b, 0x03, 0x3b, 4, VADDR + HDR_AT },
	{ "datarel_sdata2", 0x1b, 0x02, 0x3a, 2, VADDR + HDR_AT },
	{ "datarel_sdata8", 0x1b, 0x04, 0x3c, 8, VADDR + HDR_AT },
	{ "datarel_udata4", 0x3b, 0x0b, 0x33, 4, VADDR + HDR_AT },
	{ "absolute_8", 0x00, 0x00, 0x00, 8, 0 },
	{ "signed_8", 0x04, 0x0c, 0x08, 8, 0 },
	{ "udata8", 0x0c, 0x0c, 0x04, 8, 0 },
	{ "udata2", 0x02, 0x0a, 0x02, 2, 0 },
	{ "udata4", 0x03, 0x03, 0x03, 4, 0 },
	{ "uleb128", 0x03, 0x03, 0x01, 0, 0 },
	{ "sleb128", 0x03, 0x03, 0x09, 0, 0 },
	{ "indirect", 0x03, 0x03, 0xbb, 0, 0 },
};

static unsigned int bytes_of(uint8_t encoding)
{
	switch (encoding & 7) {
	case 2: return 2;
	case 3: return 4;
	default: return 8;
	}
}

static void put_table(struct bytes *bytes, int number, const int order[FRAMES])
{
	uint64_t frame = VADDR + FRAME_AT(0), from = encodings[number].from;
	unsigned int size = encodings[number].bytes ? encodings[number].bytes : 4;

	*bytes = (struct bytes) { .size = 0 };
	put_number(bytes, 1, 1);
	put_number(bytes, encodings[number].frame, 1);
	put_number(bytes, encodings[number].count, 1);
	put_number(bytes, encodings[number].table, 1);
	if (encodings[number].frame >> 4 == 1)
		frame -= VADDR + HDR_AT + bytes->size;
	else if (encodings[number].frame >> 4 == 3)
		frame -= VADDR + HDR_AT;
	put_number(bytes, frame, bytes_of(encodings[number].frame));
	put_number(bytes, FRAMES, bytes_of(encodings[number].count));
	for (int i = 0; i < FRAMES; i++) {
		put_number(bytes, VADDR + FUNCTION_AT(order[i]) - from, size);
		put_number(bytes, FDE_IN_FRAME(order[i]) - from, size);
	}
}

static const int in_order[FRAMES] = { 0, 1, 2 };

START_TEST(search_tables_are_read)
{
	struct error error = { 0 };
	struct eh_frame_hdr hdr;
	struct bytes bytes;
	struct file file;

	file_init(&file);
	put_table(&bytes, _i, in_order);
	put_hdr(&file, &bytes);

	struct image *image = open_file(&file);

	if (!encodings[_i].bytes) {
		ck_assert_int_eq(eh_frame_hdr_read(image, &hdr, &error), -1);
		ck_assert_int_eq(error.code, ERROR_POINTER_ENCODING);
		ck_assert_uint_eq(error.offset, 3);
		image_destroy(image);
		return;
	}
	ck_assert_msg(!eh_frame_hdr_read(image, &hdr, &error), "%s: %s", encodings[_i].name,
		      error.message);
	ck_assert_uint_eq(hdr.eh_frame_vaddr, VADDR + FRAME_AT(0));
	ck_assert_uint_eq(hdr.count, FRAMES);
	ck_assert_uint_eq(hdr.entry_bytes, 2 * encodings[_i].bytes);
	for (int i = 0; i < FRAMES; i++) {
		uint64_t pc, fde;

		ck_assert(!eh_frame_hdr_entry(&hdr, i, &pc, &fde, &error));
		ck_assert_uint_eq(pc, VADDR + FUNCTION_AT(i));
		ck_assert_uint_eq(fde, FDE_IN_FRAME(i));
	}
	image_destroy(image);
}
END_TEST

/* A table that has all its bytes, and one that lacks the last. */
START_TEST(search_tables_end_with_the_section)
{
	struct error error = { 0 };
	struct eh_frame_hdr hdr;
	struct bytes bytes;
	struct file file;

	if (!encodings[_i].bytes)
		return;
	file_init(&file);
	put_table(&bytes, _i, in_order);
	bytes.size--;
	put_hdr(&file, &bytes);

	struct image *image = open_file(&file);

	ck_assert_int_eq(eh_frame_hdr_read(image, &hdr, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SEARCH_TABLE);
	ck_assert_uint_eq(error.offset, bytes.size + 1 - FRAMES * 2 * encodings[_i].bytes);
	image_destroy(image);
}
END_TEST

/* What is wrong with a table that can be read, in the words of eh_frame_hdr_check(). */
static const struct {
	const char *name;
	int order[FRAMES];
	const char *said[FRAMES]; /* of diagnostics, in their order */
} wrong_orders[] = {
	{ "right", { 0, 1, 2 }, { NULL } },
	{ "not_in_order", { 1, 0, 2 }, { "is not in order" } },
	{ "one_twice", { 0, 1, 1 }, { "is the second one", "is not in the search table" } },
	{ "all_the_same",
	  { 2, 2, 2 },
	  { "is the second one", "is the second one", "is not in the search table" } },
};

START_TEST(search_tables_are_held_against_fdes)
{
	struct error_list list = { 0 };
	struct bytes bytes;
	struct file file;
	int said = 0;

	file_init(&file);
	put_table(&bytes, 0, wrong_orders[_i].order);
	put_hdr(&file, &bytes);

	struct image *image = open_file(&file);

	struct cfi *cfi = cfi_of(image);
	eh_frame_hdr_check(cfi, &list);
	for (; said < FRAMES && wrong_orders[_i].said[said]; said++)
		ck_assert_msg((int)list.count > said &&
				      strstr(list.error[said].message, wrong_orders[_i].said[said]),
			      "%s: %s", wrong_orders[_i].name,
			      (int)list.count > said ? list.error[said].message : "nothing");
	/* The last has two that are nowhere. */
	ck_assert_int_eq((int)list.count, said + (wrong_orders[_i].order[0] == 2));
	error_list_deinit(&list);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* A segment of code has more than code; without section headers nothing tells. */
START_TEST(the_next_code_is_a_section_s)
{
	const uint64_t text = VADDR + FUNCTION_AT(0), end = text + FRAMES * FUNCTION_BYTES;
	struct image *image;
	struct file file;

	file_init(&file);
	image = open_file(&file);
	ck_assert_uint_eq(image_next_code(image, VADDR), text);
	ck_assert_uint_eq(image_next_code(image, text), text);
	ck_assert_uint_eq(image_next_code(image, end - 1), end - 1);
	ck_assert_uint_eq(image_next_code(image, end), UINT64_MAX);
	image_destroy(image);
	elf_header(&file)->e_shoff = 0;
	elf_header(&file)->e_shnum = elf_header(&file)->e_shstrndx = 0;
	image = open_file(&file);
	ck_assert_uint_eq(image_next_code(image, VADDR), VADDR);
	image_destroy(image);
}
END_TEST

SUITE(image_headers, TEST(the_next_code_is_a_section_s),
      LOOP(large_numbers_are_in_section_0, numbers), LOOP(large_numbers_are_distrusted, spoilt),
      LOOP(the_search_table_says_which_is_first, chosen),
      LOOP(bytes_are_read_as_one_section, placed),
      LOOP(the_first_that_says_it_has_the_word, repeated), LOOP(search_tables_are_read, encodings),
      LOOP(search_tables_end_with_the_section, encodings),
      LOOP(search_tables_are_held_against_fdes, wrong_orders))
