/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sframe_image.c - where the section is: by its header, by PT_GNU_SFRAME, in an object file, for another machine
 *
 *	0x000 ELF header, program headers   0x200 .sframe   0x400 .rela.sframe   0x480 .symtab   0x500 names
 *	0x600 section headers   end 0x1000
 */
#include <endian.h>
#include <unistd.h>
#include "tests/suite.h"
#include "image/sframes.h"
#include "sframe_bytes.h"

#define FILE_BYTES 0x1000
#define RELOCATION 0x400
#define SYMBOLS	   0x480
#define NAMES	   0x500
#define SECTIONS   0x600
#define AT	   0x200 /* of the section in the file */
#define VADDR	   (SFRAME_VADDR - AT)

enum way {
	BY_NAME,
	BY_TYPE,
	BY_SEGMENT,
	TWICE,
	NOWHERE,
	SEGMENT_OUTSIDE,
	OBJECT,
	OBJECT_ODD,
	OBJECT_PAST
};

struct elf_file {
	uint8_t data[FILE_BYTES];
	bool big;
};

static void set(struct elf_file *file, size_t at, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		file->data[at + i] = (uint8_t)(value >> 8 * (file->big ? size - 1 - i : i));
}

static void set_section(struct elf_file *file, int number, uint32_t name, uint32_t type,
			uint64_t vaddr, uint64_t offset, uint64_t size, uint32_t link,
			uint32_t info, uint64_t entry)
{
	size_t at = SECTIONS + 64 * (size_t)number;

	set(file, at, name, 4);
	set(file, at + 4, type, 4);
	set(file, at + 16, vaddr, 8);
	set(file, at + 24, offset, 8);
	set(file, at + 32, size, 8);
	set(file, at + 40, link, 4);
	set(file, at + 44, info, 4);
	set(file, at + 56, entry, 8);
}

static void set_segment(struct elf_file *file, int number, uint32_t type, uint64_t vaddr,
			uint64_t offset, uint64_t size)
{
	size_t at = 64 + 56 * (size_t)number;

	set(file, at, type, 4);
	set(file, at + 4, PF_R | PF_X, 4);
	set(file, at + 8, offset, 8);
	set(file, at + 16, vaddr, 8);
	set(file, at + 24, vaddr, 8);
	set(file, at + 32, size, 8);
	set(file, at + 40, size, 8);
}

static void set_header(struct elf_file *file, uint16_t type, uint16_t machine, bool sections)
{
	memcpy(file->data, "\177ELF\2\1\1", 7);
	file->data[EI_DATA] = file->big ? ELFDATA2MSB : ELFDATA2LSB;
	set(file, 16, type, 2);
	set(file, 18, machine, 2);
	set(file, 20, 1, 4);
	set(file, 32, 64, 8);
	set(file, 40, sections ? SECTIONS : 0, 8);
	set(file, 52, 64, 2);
	set(file, 54, 56, 2);
	set(file, 56, type == ET_REL ? 0 : 2, 2);
	set(file, 58, 64, 2);
	set(file, 60, sections ? 6 : 0, 2);
	set(file, 62, 1, 2);
	/* 1 .shstrtab, 11 .sframe, 19 .other, 26 .rela, 32 .symtab */
	memcpy(file->data + NAMES, "\0.shstrtab\0.sframe\0.other\0.rela\0.symtab", 40);
	set_section(file, 1, 1, SHT_STRTAB, 0, NAMES, 40, 0, 0, 0);
}

/* An object's starts are filled in by relocations: symbol 1 is 0x40 into a section. */
static void set_relocation(struct elf_file *file, uint32_t type, uint64_t offset, uint64_t bytes)
{
	set(file, RELOCATION, offset, 8);
	set(file, RELOCATION + 8, (uint64_t)1 << 32 | type, 8);
	set(file, RELOCATION + 16, 0x100, 8);
	set(file, SYMBOLS + 24 + 6, 5, 2);
	set(file, SYMBOLS + 24 + 8, 0x40, 8);
	set_section(file, 3, 26, SHT_RELA, 0, RELOCATION, 24, 4, 2, 24);
	set_section(file, 4, 32, SHT_SYMTAB, 0, SYMBOLS, 48, 1, 1, 24);
	set_section(file, 2, 11, SHT_PROGBITS, 0, AT, bytes, 0, 0, 0);
}

static void make_file(struct elf_file *file, enum way way, const struct bytes *bytes)
{
	bool object = way == OBJECT || way == OBJECT_ODD || way == OBJECT_PAST;

	*file = (struct elf_file) { .big = false };
	memcpy(file->data + AT, bytes->data, bytes->size);
	set_header(file, object ? ET_REL : ET_DYN, EM_X86_64,
		   way != BY_SEGMENT && way != SEGMENT_OUTSIDE);
	if (object) {
		set_relocation(file, way == OBJECT_ODD ? R_X86_64_GOTPCREL : R_X86_64_PC32,
			       way == OBJECT_PAST ? bytes->size - 3 : 28, bytes->size);
		return;
	}
	set_segment(file, 0, PT_LOAD, VADDR, 0, FILE_BYTES);
	if (way == BY_SEGMENT || way == SEGMENT_OUTSIDE)
		set_segment(file, 1, PT_GNU_SFRAME, way == BY_SEGMENT ? SFRAME_VADDR : 0x100000, AT,
			    bytes->size + 0x40);
	if (way == BY_NAME || way == TWICE)
		set_section(file, 2, 11, SHT_PROGBITS, SFRAME_VADDR, AT, bytes->size, 0, 0, 0);
	if (way == BY_TYPE || way == TWICE)
		set_section(file, 3, 19, SHT_GNU_SFRAME, SFRAME_VADDR, AT, bytes->size, 0, 0, 0);
}

static const struct {
	const char *name;
	enum way way;
	size_t functions;
	uint64_t first;
	enum error_code code;
	const char *section;
} ways[] = {
	{ "by_its_name", BY_NAME, 3, 0x1000, ERROR_NONE, "" },
	{ "by_its_type", BY_TYPE, 3, 0x1000, ERROR_NONE, "" },
	{ "by_the_segment", BY_SEGMENT, 3, 0x1000, ERROR_NONE, "" },
	{ "two_of_them", TWICE, 6, 0x1000, ERROR_NONE, "" },
	{ "none", NOWHERE, 0, 0, ERROR_NO_SFRAME, "" },
	{ "a_segment_that_leads_nowhere", SEGMENT_OUTSIDE, 0, 0, ERROR_ELF_BOUNDS,
	  "PT_GNU_SFRAME" },
	{ "an_object_is_relocated", OBJECT, 3, 0x140, ERROR_NONE, "" },
	{ "a_relocation_of_another_type", OBJECT_ODD, 0, 0, ERROR_RELOCATION, ".sframe" },
	{ "a_relocation_past_the_end", OBJECT_PAST, 0, 0, ERROR_RELOCATION, ".sframe" },
};

START_TEST(the_section_is_found)
{
	struct made made = { .version = 1 };
	struct bytes bytes = { .size = 0 };
	struct elf_file file;
	struct image *image;
	struct sframe *sframe;
	struct error error;

	made_usual(&made);
	made_finish(&made, &bytes);
	make_file(&file, ways[_i].way, &bytes);
	ck_assert_msg(!image_create_memory(file.data, FILE_BYTES, "made", &image, &error), "%s: %s",
		      ways[_i].name, error.message);
	if (sframe_create(image, &sframe, &error)) {
		ck_assert_msg(error.code == ways[_i].code &&
				      !strcmp(error.section, ways[_i].section),
			      "%s: %s: %s", ways[_i].name, error.section, error.message);
	} else {
		ck_assert_msg(!ways[_i].code, "%s", ways[_i].name);
		ck_assert_uint_eq(sframe->function_count, ways[_i].functions);
		ck_assert_uint_eq(sframe->function[0].pc_begin, ways[_i].first);
		ck_assert_uint_eq(sframe->header[sframe->header_count - 1].section->size,
				  ways[_i].way == BY_SEGMENT ? bytes.size + 0x40 : bytes.size);
		ck_assert_uint_eq(sframe->diagnostics.count, 0);
	}
	sframe_destroy(sframe);
	image_destroy(image);
}
END_TEST

/* ---- other machines ------------------------------------------------------------------------- */

static const struct {
	const char *name;
	uint16_t machine;
	uint8_t abi;
	bool big, object;
	uint32_t relocation;
	uint64_t first;
	enum error_code code;
} machines[] = {
	{ "aarch64", EM_AARCH64, SFRAME_AARCH64, false, false, 0, 0x1000, ERROR_NONE },
	{ "aarch64_big_endian", EM_AARCH64, SFRAME_AARCH64_BIG, true, false, 0, 0x1000,
	  ERROR_NONE },
	{ "s390x", EM_S390, SFRAME_S390X, true, false, 0, 0x1000, ERROR_NONE },
	{ "x86_64", EM_X86_64, SFRAME_AMD64, false, false, 0, 0x1000, ERROR_NONE },
	{ "aarch64_object", EM_AARCH64, SFRAME_AARCH64, false, true, R_AARCH64_PREL64, 0x140,
	  ERROR_NONE },
	{ "s390x_object", EM_S390, SFRAME_S390X, true, true, R_390_PC64, 0x140, ERROR_NONE },
	{ "x86_64_object", EM_X86_64, SFRAME_AMD64, false, true, R_X86_64_PC64, 0x140, ERROR_NONE },
	{ "another_relocation", EM_AARCH64, SFRAME_AARCH64, false, true, R_AARCH64_ABS64, 0,
	  ERROR_RELOCATION },
	{ "another_machine", EM_RISCV, SFRAME_AARCH64, false, false, 0, 0, ERROR_UNSUPPORTED_ELF },
};

START_TEST(a_foreign_section_is_read)
{
	struct made made = { .version = 3,
			     .machine = machines[_i].abi,
			     .big = machines[_i].big,
			     .flags = machines[_i].object ? SFRAME_START_PCREL : 0 };
	struct bytes bytes = { .size = 0 };
	struct elf_file file = { .big = machines[_i].big };
	struct sframe_foreign *foreign;
	char path[] = "/tmp/sframe_foreign_XXXXXX";
	int fd = mkstemp(path);
	struct error error;

	made_function(&made, machines[_i].object ? SFRAME_VADDR + 28 : 0x1000, 12, ADDR1, 0, 0, 1);
	made_row(&made, 1, 0, ROW(BY_SP, 1, 1), 8);
	made_finish(&made, &bytes);
	memcpy(file.data + AT, bytes.data, bytes.size);
	set_header(&file, machines[_i].object ? ET_REL : ET_DYN, machines[_i].machine, true);
	set_section(&file, 2, 11, SHT_PROGBITS, SFRAME_VADDR, AT, bytes.size, 0, 0, 0);
	if (machines[_i].object)
		set_relocation(&file, machines[_i].relocation, 28, bytes.size);
	ck_assert(fd >= 0 && write(fd, file.data, FILE_BYTES) == FILE_BYTES);
	close(fd);
	if (sframe_foreign_open(path, &foreign, &error)) {
		ck_assert_msg(error.code == machines[_i].code, "%s: %s", machines[_i].name,
			      error.message);
	} else {
		const struct sframe *sframe = sframe_foreign_get(foreign);

		ck_assert_msg(!machines[_i].code, "%s", machines[_i].name);
		ck_assert_uint_eq(sframe->function_count, 1);
		ck_assert_uint_eq(sframe->function[0].pc_begin, machines[_i].first);
		ck_assert_uint_eq(sframe->header[0].machine, machines[_i].abi);
	}
	sframe_foreign_close(foreign);
	unlink(path);
}
END_TEST

SUITE(sframe_image, LOOP(the_section_is_found, ways), LOOP(a_foreign_section_is_read, machines))
