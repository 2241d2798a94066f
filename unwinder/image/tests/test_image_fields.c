/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image_fields.c - what an image is told of its file: its build-id, its sections' bytes, and
 * how many of them there are
 *
 * Each file is made here, of nothing but what the case is about: notes in segments; an .eh_frame
 * with one relocation over a pattern; several sections .eh_frame.
 */
#include <inttypes.h>
#include "tests/suite.h"
#include "tests/cfi_bytes.h"
#include "cfi/cfi.h"

static Elf64_Ehdr header_of_type(uint16_t type)
{
	return (Elf64_Ehdr) { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			      .e_type = type,
			      .e_machine = EM_X86_64,
			      .e_version = 1,
			      .e_ehsize = sizeof(Elf64_Ehdr) };
}

static struct image *open_bytes(const char *name, const struct bytes *bytes)
{
	struct error error = { 0 };
	struct image *image;

	ck_assert_msg(!image_create_memory(bytes->data, bytes->size, name, &image, &error),
		      "%s: %s", name, error.message);
	return image;
}

/* ---- notes (System V gABI, Note Section; GNU: the build-id is type 3 of owner "GNU") ------- */

#define ID_OF_8 "\1\2\3\4\5\6\7\x8"
#define TEN	"0123456789"
#define ID_64	TEN TEN TEN TEN TEN TEN "abcd"

#define NOTE(name_bytes, value_bytes, type, rest)                                                  \
	name_bytes "\0\0\0" value_bytes "\0\0\0" type "\0\0\0" rest

static const struct {
	const char *name;
	struct literal note[2]; /* a segment each */
	uint64_t alignment;
	struct literal expected;
} notes[] = {
	{ "alone", { BYTES(NOTE("\4", "\x8", "\3", "GNU\0" ID_OF_8)) }, 4, BYTES(ID_OF_8) },
	{ "of_any_length",
	  { BYTES(NOTE("\4", "\3", "\3", "GNU\0\7\x8\x9")) },
	  4,
	  BYTES("\7\x8\x9") },
	{ "as_long_as_there_is_room",
	  { BYTES(NOTE("\4", "\x40", "\3", "GNU\0" ID_64)) },
	  4,
	  BYTES(ID_64) },
	{ "longer_than_there_is_room",
	  { BYTES(NOTE("\4", "\x41", "\3", "GNU\0" ID_64 "e\0\0\0")) },
	  4,
	  BYTES("") },
	{ "behind_another_note",
	  { BYTES(NOTE("\4", "\5", "\1", "GNU\0abcde\0\0\0")
			  NOTE("\4", "\x8", "\3", "GNU\0" ID_OF_8)) },
	  4,
	  BYTES(ID_OF_8) },
	{ "behind_a_longer_name",
	  { BYTES(NOTE("\5", "\4", "\3", "stap\0\0\0\0wxyz")
			  NOTE("\4", "\x8", "\3", "GNU\0" ID_OF_8)) },
	  4,
	  BYTES(ID_OF_8) },
	{ "aligned_by_8",
	  { BYTES(NOTE("\4", "\4", "\5", "GNU\0abcd\0\0\0\0")
			  NOTE("\4", "\x8", "\3", "GNU\0" ID_OF_8)) },
	  8,
	  BYTES(ID_OF_8) },
	{ "aligned_by_anything_else_is_by_4",
	  { BYTES(NOTE("\4", "\4", "\5", "GNU\0abcd") NOTE("\4", "\x8", "\3", "GNU\0" ID_OF_8)) },
	  1,
	  BYTES(ID_OF_8) },
	{ "the_first_of_two_segments_counts",
	  { BYTES(NOTE("\4", "\4", "\3", "GNU\0abcd")),
	    BYTES(NOTE("\4", "\4", "\3", "GNU\0wxyz")) },
	  4,
	  BYTES("abcd") },
	{ "in_the_second_segment",
	  { BYTES(NOTE("\4", "\4", "\1", "GNU\0abcd")),
	    BYTES(NOTE("\4", "\4", "\3", "GNU\0wxyz")) },
	  4,
	  BYTES("wxyz") },
	{ "of_another_owner", { BYTES(NOTE("\4", "\4", "\3", "Gnu\0abcd")) }, 4, BYTES("") },
	{ "of_an_owner_that_begins_like_it",
	  { BYTES(NOTE("\5", "\4", "\3", "GNU\0x\0\0\0abcd")) },
	  4,
	  BYTES("") },
	{ "of_another_type", { BYTES(NOTE("\4", "\4", "\2", "GNU\0abcd")) }, 4, BYTES("") },
	{ "cut_in_its_value", { BYTES(NOTE("\4", "\x8", "\3", "GNU\0abcd")) }, 4, BYTES("") },
	{ "cut_in_its_name", { BYTES(NOTE("\4", "\0", "\3", "GN")) }, 4, BYTES("") },
	{ "cut_in_its_head", { BYTES("\4\0\0\0\4\0\0\0\3\0") }, 4, BYTES("") },
};

START_TEST(build_id_is_found)
{
	const struct literal *note = notes[_i].note, *expected = &notes[_i].expected;
	struct bytes bytes = { .size = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) };
	Elf64_Ehdr header = header_of_type(ET_DYN);
	Elf64_Phdr segment[2] = { { 0 } };

	for (int i = 0; i < 2; i++) {
		segment[i] = (Elf64_Phdr) { .p_type = note[i].size ? PT_NOTE : PT_NULL,
					    .p_offset = bytes.size,
					    .p_filesz = note[i].size,
					    .p_align = notes[_i].alignment };
		put_literal(&bytes, note[i]);
	}
	put(&bytes, "no note", 8);
	header.e_phoff = sizeof(header);
	header.e_phentsize = sizeof(Elf64_Phdr);
	header.e_phnum = 2;
	memcpy(bytes.data, &header, sizeof(header));
	memcpy(bytes.data + sizeof(header), segment, sizeof(segment));

	struct image *image = open_bytes(notes[_i].name, &bytes);

	ck_assert_msg(image->build_id_size == expected->size &&
			      !memcmp(image->build_id, expected->data, expected->size),
		      "%s: %zu bytes", notes[_i].name, image->build_id_size);
	image_destroy(image);
}
END_TEST

/* Notes that are not in the file: there is no build-id, and the image is read. */
START_TEST(notes_past_the_end)
{
	static const struct literal note = BYTES(NOTE("\4", "\4", "\3", "GNU\0abcd"));
	struct bytes bytes = { .size = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) };
	Elf64_Ehdr header = header_of_type(ET_DYN);
	Elf64_Phdr segment = { .p_type = PT_NOTE, .p_offset = bytes.size, .p_align = 4 };

	segment.p_filesz = note.size + _i;
	put_literal(&bytes, note);
	header.e_phoff = sizeof(header);
	header.e_phentsize = sizeof(Elf64_Phdr);
	header.e_phnum = 1;
	memcpy(bytes.data, &header, sizeof(header));
	memcpy(bytes.data + sizeof(header), &segment, sizeof(segment));

	struct image *image = open_bytes("past_the_end", &bytes);

	ck_assert_uint_eq(image->build_id_size, _i ? 0 : 4);
	image_destroy(image);
}
END_TEST

/* ---- relocations (psABI, table 4.9: field and calculation) --------------------------------- */

enum { NONE, FRAME, MORE_FRAMES, RELA, SYMTAB, STRTAB, SECTIONS };

static const char names[] = "\0.eh_frame\0.rela\0.symtab\0.str";

#define FRAME_VADDR  0x40
#define FRAME_BYTES  32
#define SYMBOL_VALUE 0x1122334455667788ull
#define PATTERN	     0xcc

static const struct {
	const char *name;
	uint32_t type;
	uint64_t offset;
	int64_t addend;
	uint64_t value; /* of the field; of its 8, 4, 2 or 1 bytes */
	size_t bytes;	/* 0: an error */
} relocations[] = {
	{ "none", R_X86_64_NONE, 8, 5, 0, 0 },
	{ "absolute_64", R_X86_64_64, 8, 5, SYMBOL_VALUE + 5, 8 },
	{ "absolute_32", R_X86_64_32, 8, 5, SYMBOL_VALUE + 5, 4 },
	{ "absolute_32_signed", R_X86_64_32S, 8, -1, SYMBOL_VALUE - 1, 4 },
	{ "absolute_16", R_X86_64_16, 8, 5, SYMBOL_VALUE + 5, 2 },
	{ "absolute_8", R_X86_64_8, 8, 5, SYMBOL_VALUE + 5, 1 },
	{ "relative_64", R_X86_64_PC64, 8, 5, SYMBOL_VALUE + 5 - (FRAME_VADDR + 8), 8 },
	{ "relative_32", R_X86_64_PC32, 12, 5, SYMBOL_VALUE + 5 - (FRAME_VADDR + 12), 4 },
	{ "relative_by_plt", R_X86_64_PLT32, 12, -4, SYMBOL_VALUE - 4 - (FRAME_VADDR + 12), 4 },
	{ "relative_16", R_X86_64_PC16, 2, 5, SYMBOL_VALUE + 5 - (FRAME_VADDR + 2), 2 },
	{ "relative_8", R_X86_64_PC8, 1, 5, SYMBOL_VALUE + 5 - (FRAME_VADDR + 1), 1 },
	{ "not_aligned", R_X86_64_64, 3, 0, SYMBOL_VALUE, 8 },
	{ "the_first_bytes", R_X86_64_32, 0, 0, SYMBOL_VALUE, 4 },
	{ "the_last_8_bytes", R_X86_64_64, FRAME_BYTES - 8, 0, SYMBOL_VALUE, 8 },
	{ "the_last_byte", R_X86_64_8, FRAME_BYTES - 1, 0, SYMBOL_VALUE, 1 },
};

static const struct {
	const char *name;
	uint32_t type;
	uint64_t offset;
} beyond[] = {
	{ "8_bytes", R_X86_64_64, FRAME_BYTES - 7 },
	{ "1_byte", R_X86_64_PC8, FRAME_BYTES },
	{ "behind_it", R_X86_64_8, FRAME_BYTES + 1 },
};

/* An object file of one .eh_frame (and as many more as more says) and a relocation in it. */
static void put_object(struct bytes *bytes, const Elf64_Rela *relocation, const uint8_t *frame,
		       const Elf64_Shdr *more, size_t more_count)
{
	Elf64_Ehdr header = header_of_type(ET_REL);
	const Elf64_Sym symbols[] = { { 0 }, { .st_value = SYMBOL_VALUE, .st_shndx = SHN_ABS } };
	Elf64_Shdr sections[SECTIONS] = {
		[FRAME] = { 1, SHT_PROGBITS, SHF_ALLOC, FRAME_VADDR, 0, FRAME_BYTES, 0, 0, 8, 0 },
		[RELA] = { 11, SHT_RELA, 0, 0, 0, relocation ? sizeof(*relocation) : 0, SYMTAB,
			   FRAME, 8, sizeof(*relocation) },
		[SYMTAB] = { 17, SHT_SYMTAB, 0, 0, 0, sizeof(symbols), STRTAB, 1, 8,
			     sizeof(Elf64_Sym) },
		[STRTAB] = { 25, SHT_STRTAB, 0, 0, 0, sizeof(names), 0, 0, 1, 0 },
	};

	*bytes = (struct bytes) { .size = sizeof(header) };
	sections[FRAME].sh_offset = bytes->size;
	put(bytes, frame, FRAME_BYTES);
	sections[RELA].sh_offset = bytes->size;
	if (relocation)
		put(bytes, relocation, sizeof(*relocation));
	sections[SYMTAB].sh_offset = bytes->size;
	put(bytes, symbols, sizeof(symbols));
	sections[STRTAB].sh_offset = bytes->size;
	put(bytes, names, sizeof(names));
	bytes->size = (bytes->size + 7) & ~(size_t)7;
	header.e_shoff = bytes->size;
	header.e_shentsize = sizeof(Elf64_Shdr);
	header.e_shnum = (uint16_t)(SECTIONS + more_count);
	header.e_shstrndx = STRTAB;
	put(bytes, sections, sizeof(sections));
	put(bytes, more, more_count * sizeof(*more));
	memcpy(bytes->data, &header, sizeof(header));
}

START_TEST(relocation_fills_its_field)
{
	const Elf64_Rela relocation = { relocations[_i].offset,
					ELF64_R_INFO(1ull, relocations[_i].type),
					relocations[_i].addend };
	uint8_t frame[FRAME_BYTES];
	struct bytes bytes;

	memset(frame, PATTERN, sizeof(frame));
	put_object(&bytes, &relocation, frame, NULL, 0);
	memcpy(frame + relocations[_i].offset, &relocations[_i].value, relocations[_i].bytes);

	struct image *image = open_bytes(relocations[_i].name, &bytes);

	ck_assert_uint_eq(image->eh_frame.size, FRAME_BYTES);
	for (size_t i = 0; i < FRAME_BYTES; i++)
		ck_assert_msg(image->eh_frame.data[i] == frame[i], "%s: byte %zu is 0x%x, not 0x%x",
			      relocations[_i].name, i, image->eh_frame.data[i], frame[i]);
	image_destroy(image);
}
END_TEST

START_TEST(relocation_beyond_the_section_is_an_error)
{
	const Elf64_Rela relocation = { beyond[_i].offset, ELF64_R_INFO(1ull, beyond[_i].type), 0 };
	static const uint8_t frame[FRAME_BYTES];
	struct error error = { 0 };
	struct bytes bytes;
	struct image *image;
	uint64_t place = beyond[_i].offset < FRAME_BYTES ? beyond[_i].offset : FRAME_BYTES;

	put_object(&bytes, &relocation, frame, NULL, 0);
	ck_assert_msg(image_create_memory(bytes.data, bytes.size, "object", &image, &error) == -1,
		      "%s", beyond[_i].name);
	ck_assert_int_eq(error.code, ERROR_RELOCATION);
	ck_assert_msg(error.offset == place, "%s: at 0x%" PRIx64, beyond[_i].name, error.offset);
}
END_TEST

/* ---- several sections ---------------------------------------------------------------------- */

/* How many more there are, whose bytes are the first one's, too. Of 64 each is said. */
static const int other_counts[] = { 0, 1, 64, 65, 70 };

#define OTHERS_MAX 70

START_TEST(other_sections_are_said)
{
	uint8_t frame[FRAME_BYTES] = { 0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1 };
	int count = other_counts[_i], each = count < 64 ? count : 64;
	Elf64_Shdr more[OTHERS_MAX];
	struct bytes bytes;

	for (int i = 0; i < count; i++)
		more[i] = (Elf64_Shdr) { 1,
					 SHT_PROGBITS,
					 SHF_ALLOC,
					 0,
					 sizeof(Elf64_Ehdr) + i % 8,
					 FRAME_BYTES / 2 + 1,
					 0,
					 0,
					 1,
					 0 };
	put_object(&bytes, NULL, frame, more, count);

	struct image *image = open_bytes("several", &bytes);

	struct cfi *cfi = cfi_of(image);
	ck_assert_uint_eq(cfi->cie_count, 1);
	ck_assert_uint_eq(cfi->diagnostics.count + cfi->diagnostics.dropped, each + (count > each));
	for (int i = 0; i < each && i < (int)cfi->diagnostics.count; i++) {
		const struct error *other = &cfi->diagnostics.error[i];

		ck_assert_int_eq(other->code, ERROR_ELF_BOUNDS);
		ck_assert_uint_eq(other->offset, sizeof(Elf64_Ehdr) + i % 8);
		ck_assert_msg(strstr(other->message, "another section's"), "%s", other->message);
	}
	if (count > each) {
		const struct error *rest = &cfi->diagnostics.error[each];

		ck_assert_uint_gt(cfi->diagnostics.count, each);
		ck_assert_int_eq(rest->code, ERROR_UNSUPPORTED_ELF);
		ck_assert_int_eq(atoi(strstr(rest->message, ": ") ? strstr(rest->message, ": ") + 2
								  : rest->message),
				 count - each);
	}
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* What only ends an .eh_frame has nothing that could be lost: 16 zero bytes or fewer. */
START_TEST(terminators_are_no_other_sections)
{
	static const struct {
		uint64_t offset, bytes; /* in .eh_frame, where 17 bytes are zero */
		size_t said;
	} ends[] = { { 15, 4, 0 }, { 15, 16, 0 }, { 15, 17, 1 }, { 0, 16, 1 }, { 14, 4, 1 } };
	uint8_t frame[FRAME_BYTES] = { 0x0b, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0, 1 };
	const Elf64_Shdr more = { 1,
				  SHT_PROGBITS,
				  SHF_ALLOC,
				  0,
				  sizeof(Elf64_Ehdr) + ends[_i].offset,
				  ends[_i].bytes,
				  0,
				  0,
				  1,
				  0 };
	struct bytes bytes;

	put_object(&bytes, NULL, frame, &more, 1);

	struct image *image = open_bytes("ends", &bytes);

	struct cfi *cfi = cfi_of(image);
	ck_assert_uint_eq(cfi->diagnostics.count, ends[_i].said);
	cfi_destroy(cfi);
	image_destroy(image);
}
END_TEST

/* The image's is the first that has bytes; those before it are counted. */
START_TEST(empty_sections_come_before)
{
	uint8_t frame[FRAME_BYTES] = { 0x0b, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0x78, 16, 0, 1 };
	const Elf64_Shdr empty = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC };
	Elf64_Shdr more[6];
	struct bytes bytes;

	for (int i = 0; i < COUNT(more); i++)
		more[i] = empty;
	more[_i].sh_offset = sizeof(Elf64_Ehdr);
	more[_i].sh_size = FRAME_BYTES;
	put_object(&bytes, NULL, frame, more, COUNT(more));
	((Elf64_Shdr *)(bytes.data + ((Elf64_Ehdr *)bytes.data)->e_shoff))[FRAME].sh_size = 0;

	struct image *image = open_bytes("empty", &bytes);

	ck_assert_uint_eq(image->empty_eh_frames, 1 + _i);
	ck_assert_uint_eq(image->eh_frame.size, FRAME_BYTES);
	image_destroy(image);
}
END_TEST

SUITE(image_fields, LOOP(build_id_is_found, notes), TIMES(notes_past_the_end, 2),
      LOOP(relocation_fills_its_field, relocations),
      LOOP(relocation_beyond_the_section_is_an_error, beyond),
      LOOP(other_sections_are_said, other_counts), TIMES(terminators_are_no_other_sections, 5),
      TIMES(empty_sections_come_before, 4))
