/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_dispute_ranges.c - which parts of an image a case keeps, and which pages of memory
 *
 * The image is made up: every section and every segment has a page of its own.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/disputes/disputes.h"

#define PAGE 4096u

/* ---- images --------------------------------------------------------------------------------- */

enum {
	PAGE_SEGMENTS = 1,
	PAGE_SECTIONS = 3,
	PAGE_FIRST_SEGMENT = 10,
	PAGE_FIRST_SECTION = 30,
	PAGES = 90
};

static const struct {
	const char *name;
	uint32_t type;
	bool kept;
} sections[] = {
	{ "", SHT_NULL, false },
	{ ".shstrtab", SHT_STRTAB, true },
	{ ".text", SHT_PROGBITS, false },
	{ ".eh_frame", SHT_PROGBITS, true },
	{ ".eh_frame_hdr", SHT_PROGBITS, true },
	{ ".debug_frame", SHT_PROGBITS, true },
	{ ".zdebug_frame", SHT_PROGBITS, true },
	{ ".debug_info", SHT_PROGBITS, false },
	{ ".gnu_debuglink", SHT_PROGBITS, true },
	{ ".gnu_debugdata", SHT_PROGBITS, true },
	{ ".comment", SHT_PROGBITS, true },
	{ ".plt", SHT_PROGBITS, true },
	{ ".plt.got", SHT_PROGBITS, true },
	{ ".plt.sec", SHT_PROGBITS, true },
	{ ".got", SHT_PROGBITS, true },
	{ ".got.plt", SHT_PROGBITS, false },
	{ ".x1", SHT_X86_64_UNWIND, true },
	{ ".x2", SHT_SYMTAB, true },
	{ ".x3", SHT_DYNSYM, true },
	{ ".x4", SHT_STRTAB, true },
	{ ".x5", SHT_DYNAMIC, true },
	{ ".x6", SHT_NOTE, true },
	{ ".x7", SHT_SYMTAB_SHNDX, true },
	{ ".eh_frame", SHT_NOBITS, false },
	{ ".x8", SHT_RELA, false },
	{ ".x9", SHT_INIT_ARRAY, false },
};

static const struct {
	uint32_t type;
	bool kept;
} segments[] = {
	{ PT_LOAD, false },  { PT_NOTE, true },		{ PT_DYNAMIC, true },
	{ PT_INTERP, true }, { PT_GNU_EH_FRAME, true }, { PT_GNU_STACK, false },
	{ PT_TLS, false },   { PT_PHDR, false },
};

static uint8_t bytes[PAGES * PAGE + 5];

static void make_image(void)
{
	Elf64_Ehdr header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB,
					   EV_CURRENT },
			      .e_type = ET_DYN,
			      .e_machine = EM_X86_64,
			      .e_version = EV_CURRENT,
			      .e_phoff = PAGE_SEGMENTS * PAGE + 8,
			      .e_shoff = PAGE_SECTIONS * PAGE + 16,
			      .e_ehsize = sizeof(header),
			      .e_phentsize = sizeof(Elf64_Phdr),
			      .e_phnum = COUNT(segments),
			      .e_shentsize = sizeof(Elf64_Shdr),
			      .e_shnum = COUNT(sections),
			      .e_shstrndx = 1 };
	Elf64_Shdr section[COUNT(sections)] = { { 0 } };
	Elf64_Phdr segment[COUNT(segments)] = { { 0 } };
	char *names = (char *)bytes + (PAGE_FIRST_SECTION + 2) * PAGE;
	uint32_t used = 1;

	memset(bytes, 0, sizeof(bytes));
	for (int i = 1; i < COUNT(sections); i++) {
		section[i] = (Elf64_Shdr) { .sh_name = used,
					    .sh_type = sections[i].type,
					    .sh_offset = (PAGE_FIRST_SECTION + 2 * i) * PAGE,
					    .sh_size = 1,
					    .sh_addralign = 1 };
		strcpy(names + used, sections[i].name);
		used += strlen(sections[i].name) + 1;
	}
	section[1].sh_size = used;
	for (int i = 0; i < COUNT(segments); i++)
		segment[i] = (Elf64_Phdr) { .p_type = segments[i].type,
					    .p_offset = (PAGE_FIRST_SEGMENT + 2 * i) * PAGE + 7,
					    .p_filesz = 3 };
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + header.e_phoff, segment, sizeof(segment));
	memcpy(bytes + header.e_shoff, section, sizeof(section));
}

static bool is_kept(const struct dispute_image *image, uint64_t page)
{
	for (size_t i = 0; i < image->range_count; i++)
		if (image->range[i].offset <= page * PAGE &&
		    page * PAGE < image->range[i].offset + image->range[i].size)
			return true;
	return false;
}

static bool is_wanted(uint64_t page)
{
	for (int i = 0; i < COUNT(sections); i++)
		if (page == (uint64_t)PAGE_FIRST_SECTION + 2 * i)
			return sections[i].kept;
	for (int i = 0; i < COUNT(segments); i++)
		if (page == (uint64_t)PAGE_FIRST_SEGMENT + 2 * i)
			return segments[i].kept;
	return page == 0 || page == PAGE_SEGMENTS || page == PAGE_SECTIONS;
}

START_TEST(what_is_read_of_an_image)
{
	struct dispute_image image = { .bytes = bytes, .file_bytes = sizeof(bytes) };
	struct error error;

	make_image();
	ck_assert_int_eq(dispute_keep_ranges(&image, &error), 0);
	ck_assert(!image.whole);
	for (uint64_t page = 0; page <= PAGES; page++)
		ck_assert_msg(is_kept(&image, page) == is_wanted(page), "page %d", (int)page);
	for (size_t i = 0; i < image.range_count; i++) {
		ck_assert_uint_eq(image.range[i].size % PAGE, 0);
		ck_assert(!i || image.range[i].offset >
					image.range[i - 1].offset + image.range[i - 1].size);
	}
	free(image.range);
}
END_TEST

/* All of a file without section headers, or that is none. */
static const struct {
	const char *name;
	size_t at;
	uint8_t value[8];
} wholes[] = {
	{ "no_sections", offsetof(Elf64_Ehdr, e_shnum), { 0 } },
	{ "no_elf_file", 0, { 0 } },
};

START_TEST(all_of_an_image)
{
	struct dispute_image image = { .bytes = bytes, .file_bytes = sizeof(bytes) };
	struct error error;

	make_image();
	memcpy(bytes + wholes[_i].at, wholes[_i].value, 2);
	if (!_i)
		memset(bytes + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
	ck_assert_int_eq(dispute_keep_ranges(&image, &error), 0);
	ck_assert_msg(image.whole, "%s", wholes[_i].name);
	ck_assert_uint_eq(image.range_count, 1);
	ck_assert_uint_eq(image.range[0].offset, 0);
	ck_assert_uint_eq(image.range[0].size, sizeof(bytes));
	free(image.range);
}
END_TEST

/* ---- ranges --------------------------------------------------------------------------------- */

/* Of a file of ten pages and five bytes. */
static const struct range_case {
	const char *name;
	struct dispute_range keep[4]; /* size 0: no more */
	const char *kept;	      /* "FIRST+BYTES ..." */
} ranges[] = {
	{ "a_byte", { { 0, 1 } }, "0+4096 " },
	{ "the_last_byte_of_a_page", { { 4095, 1 } }, "0+4096 " },
	{ "the_first_byte_of_a_page", { { 4096, 1 } }, "4096+4096 " },
	{ "a_page", { { 4096, 4096 } }, "4096+4096 " },
	{ "a_byte_more", { { 4096, 4097 } }, "4096+8192 " },
	{ "two_bytes_of_two_pages", { { 4095, 2 } }, "0+8192 " },
	{ "the_last_byte", { { 40964, 1 } }, "40960+5 " },
	{ "beyond_the_last_byte", { { 40964, 100 } }, "40960+5 " },
	{ "the_largest_size", { { 40960, UINT64_MAX } }, "40960+5 " },
	{ "to_the_end", { { 0, UINT64_MAX } }, "0+40965 " },
	{ "behind_the_end", { { 40965, 1 } }, "" },
	{ "far_behind_the_end", { { UINT64_MAX, 9 } }, "" },
	{ "apart", { { 0, 1 }, { 8192, 1 } }, "0+4096 8192+4096 " },
	{ "apart_backwards", { { 8192, 1 }, { 0, 1 } }, "0+4096 8192+4096 " },
	{ "one_behind_another", { { 0, 1 }, { 4096, 1 } }, "0+8192 " },
	{ "one_before_another", { { 4096, 1 }, { 0, 1 } }, "0+8192 " },
	{ "one_in_the_gap", { { 0, 1 }, { 8192, 1 }, { 4096, 1 } }, "0+12288 " },
	{ "one_in_a_wider_gap",
	  { { 0, 1 }, { 16384, 1 }, { 8192, 1 } },
	  "0+4096 8192+4096 16384+4096 " },
	{ "inside_another", { { 0, 20000 }, { 8192, 1 } }, "0+20480 " },
	{ "over_others", { { 8192, 1 }, { 16384, 1 }, { 4096, 20000 } }, "4096+20480 " },
	{ "over_one_of_three",
	  { { 0, 1 }, { 32768, 1 }, { 16384, 1 }, { 12288, 8192 } },
	  "0+4096 12288+8192 32768+4096 " },
	{ "the_same_again", { { 4096, 1 }, { 4096, 1 } }, "4096+4096 " },
};

START_TEST(ranges_join)
{
	struct dispute_image image = { .file_bytes = 40965 };
	struct error error;
	char said[128] = "";

	for (int i = 0; i < 4 && ranges[_i].keep[i].size; i++)
		ck_assert_int_eq(dispute_keep_range(&image, ranges[_i].keep[i].offset,
						    ranges[_i].keep[i].size, &error),
				 0);
	for (size_t i = 0; i < image.range_count; i++)
		sprintf(said + strlen(said), "%d+%d ", (int)image.range[i].offset,
			(int)image.range[i].size);
	ck_assert_msg(!strcmp(said, ranges[_i].kept), "%s: %s", ranges[_i].name, said);
	ck_assert_int_eq(dispute_keep_range(&image, 0, 0, &error), 0);
	free(image.range);
}
END_TEST

/* ---- memory --------------------------------------------------------------------------------- */

/* Memory from FIRST to LAST, whose bytes are their address's; reads are counted. */
#define FIRST 0x10000u
#define LAST  0x14000u

static unsigned int reads;

static int made_up_read(void *context, uint64_t address, void *ret, size_t size)
{
	reads++;
	if (address < FIRST || address >= LAST || address + size > LAST)
		return -1;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)ret)[i] = (uint8_t)((address + i) / 3);
	return 0;
}

static struct dispute *make_dispute(void)
{
	struct error error;
	struct dispute *ret = dispute_create(&error);

	ck_assert_ptr_nonnull(ret);
	reads = 0;
	return ret;
}

static const struct read_case {
	uint64_t address;
	size_t size;
	int status;
	unsigned int reads;	 /* of pages */
	unsigned int kept, lost; /* pages */
} read_cases[] = {
	{ 0x10000, 1, 0, 1, 1, 0 },	 { 0x10fff, 1, 0, 1, 1, 0 },
	{ 0x10fff, 2, 0, 2, 2, 0 },	 { 0x10800, 0x2000, 0, 3, 3, 0 },
	{ 0x11000, 0x1000, 0, 1, 1, 0 }, { 0x13fff, 1, 0, 1, 1, 0 },
	{ 0x13fff, 2, -1, 2, 1, 1 },	 { 0xffff, 2, -1, 1, 0, 1 },
	{ 0x5000, 8, -1, 1, 0, 1 },	 { UINT64_MAX - 3, 8, -1, 0, 0, 0 },
	{ 0x10000, 0, 0, 0, 0, 0 },
};

START_TEST(reads_are_kept_by_pages)
{
	const struct read_case *test = &read_cases[_i];
	struct dispute *dispute = make_dispute();
	struct dispute_recorder recorder = { dispute, { .read = made_up_read } };
	struct memory_reader reader = dispute_recorder_reader(&recorder);
	struct dispute_memory memory = { .dispute = dispute };
	struct memory_reader kept = dispute_memory_reader(&memory);
	static uint8_t got[0x3000];

	for (int again = 0; again < 2; again++) {
		memset(got, 0xee, sizeof(got));
		ck_assert_int_eq(reader.read(reader.context, test->address, got, test->size),
				 test->status);
		ck_assert_uint_eq(reads, test->reads);
		for (size_t i = 0; !test->status && i < test->size; i++)
			ck_assert_uint_eq(got[i], (uint8_t)((test->address + i) / 3));
		ck_assert_uint_eq(got[test->size], 0xee);
	}
	ck_assert_uint_eq(dispute->memory.count, test->kept);
	ck_assert_uint_eq(dispute->unreadable_count, test->lost);
	ck_assert(!dispute->cut);
	/* The same is read of what is kept; and no page is missed that nobody could read. */
	memset(got, 0xee, sizeof(got));
	ck_assert_int_eq(kept.read(kept.context, test->address, got, test->size), test->status);
	for (size_t i = 0; !test->status && i < test->size; i++)
		ck_assert_uint_eq(got[i], (uint8_t)((test->address + i) / 3));
	ck_assert_uint_eq(memory.missed, 0);
	ck_assert_int_eq(kept.read(kept.context, 0x9000, got, 8), -1);
	ck_assert_uint_eq(memory.missed, 1);
	ck_assert_uint_eq(reads, test->reads);
	dispute_destroy(dispute);
}
END_TEST

static const struct record_case {
	uint64_t start, end;
	unsigned int kept, lost;
} records[] = {
	{ 0x10000, 0x14000, 4, 0 }, { 0x10001, 0x10002, 1, 0 },
	{ 0x10fff, 0x11001, 2, 0 }, { 0x10000, 0x11000, 1, 0 },
	{ 0x10000, 0x10000, 0, 0 }, { 0x11000, 0x10000, 0, 0 },
	{ 0xf000, 0x15000, 4, 2 },  { UINT64_MAX - 4096, UINT64_MAX, 0, 2 },
};

START_TEST(a_stretch_of_memory)
{
	struct dispute *dispute = make_dispute();
	struct dispute_recorder recorder = { dispute, { .read = made_up_read } };

	dispute_record(&recorder, records[_i].start, records[_i].end);
	ck_assert_uint_eq(dispute->memory.count, records[_i].kept);
	ck_assert_uint_eq(dispute->unreadable_count, records[_i].lost);
	dispute_destroy(dispute);
}
END_TEST

/* As many pages as are kept, and one more. */
START_TEST(pages_have_a_limit)
{
	static const uint8_t page[PAGE];
	struct dispute *dispute = make_dispute();
	struct dispute_recorder recorder = { dispute, { .read = made_up_read } };

	for (unsigned int i = 0; i < DISPUTE_PAGES_MAX - 1; i++)
		ck_assert(dispute_add_page(dispute, 0x100000 + i * PAGE, page));
	dispute_record(&recorder, 0x10000, 0x11000);
	ck_assert(!dispute->cut);
	ck_assert_uint_eq(dispute->memory.count, DISPUTE_PAGES_MAX);
	ck_assert(!dispute_add_page(dispute, 0x12000, page));
	dispute_record(&recorder, 0x11000, 0x12000);
	ck_assert(dispute->cut);
	ck_assert_uint_eq(dispute->memory.count, DISPUTE_PAGES_MAX);
	dispute_destroy(dispute);
}
END_TEST

START_TEST(unreadable_pages_have_a_limit)
{
	struct dispute *dispute = make_dispute();
	struct dispute_recorder recorder = { dispute, { .read = made_up_read } };

	dispute_record(&recorder, 0x20000000, 0x20000000 + DISPUTE_PAGES_MAX * (uint64_t)PAGE);
	ck_assert_uint_eq(dispute->unreadable_count, DISPUTE_PAGES_MAX);
	ck_assert(!dispute->cut);
	dispute_record(&recorder, 0x10000000, 0x10001000);
	ck_assert_uint_eq(dispute->unreadable_count, DISPUTE_PAGES_MAX);
	ck_assert(dispute->cut);
	dispute_destroy(dispute);
}
END_TEST

SUITE(dispute_ranges, TIMEOUT(300), TEST(what_is_read_of_an_image), LOOP(all_of_an_image, wholes),
      LOOP(ranges_join, ranges), LOOP(reads_are_kept_by_pages, read_cases),
      LOOP(a_stretch_of_memory, records), TEST(pages_have_a_limit),
      TEST(unreadable_pages_have_a_limit))
