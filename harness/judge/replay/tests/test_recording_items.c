/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_recording_items.c - what is written for a number, a word of memory, a mapping: byte by byte
 *
 * The process is made up: a word at an address is a number that follows from the address, but where
 * the case says that nothing is there.
 */
/* Before libcheck, which has a macro of a function's name. */
#include "tests/suite.h"
#include "judge/replay/recording_write.c"

#include <stdlib.h>
#include <string.h>
#include "recording_folder.h"

struct fixture {
	struct recording_writer writer;
	struct memory_reader memory;
	char *bytes;
	size_t size, told; /* written; told of by written() */
	uint64_t absent;   /* the page of this address is not there */
	uint64_t end;	   /* nobody may read here or behind it; 0: anywhere */
	int reads;
};

static int read_process(void *context, uint64_t address, void *ret, size_t size)
{
	struct fixture *f = context;

	ck_assert(!f->end || address + size <= f->end);
	f->reads++;
	if (f->absent && address / PAGE_SET_PAGE == f->absent / PAGE_SET_PAGE)
		return -1;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)ret)[i] = (uint8_t)(address + i);
	return 0;
}

static void setup(struct fixture *f)
{
	*f = (struct fixture) { .memory = { read_process, f } };
	f->writer.process = &f->memory;
	f->writer.file = open_memstream(&f->bytes, &f->size);
	ck_assert_ptr_nonnull(f->writer.file);
}

static void teardown(struct fixture *f)
{
	fclose(f->writer.file);
	free(f->bytes);
	for (size_t i = 0; i < f->writer.memory.count; i++)
		free(f->writer.memory.page[i].bytes);
	page_set_deinit(&f->writer.memory);
	free(f->writer.mapping);
}

/* What was written since it was asked last, as text: "c0 00". */
static const char *written(struct fixture *f, char *text, size_t text_size)
{
	size_t used = 0;

	fflush(f->writer.file);
	*text = '\0';
	for (; f->told < f->size && used < text_size; f->told++)
		used += snprintf(text + used, text_size - used, "%s%02x", used ? " " : "",
				 (uint8_t)f->bytes[f->told]);
	return text;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static const struct {
	uint64_t value;
	const char *as_unsigned, *as_signed;
} numbers[] = {
	{ 0, "00", "00" },
	{ 0x3f, "3f", "3f" },
	{ 0x40, "40", "c0 00" },
	{ 0x7f, "7f", "ff 00" },
	{ 0x80, "80 01", "80 01" },
	{ 0x1fff, "ff 3f", "ff 3f" },
	{ 0x2000, "80 40", "80 c0 00" },
	{ 0x3fff, "ff 7f", "ff ff 00" },
	{ 0x4000, "80 80 01", "80 80 01" },
	{ (uint64_t)-1, "ff ff ff ff ff ff ff ff ff 01", "7f" },
	{ (uint64_t)-0x40, "c0 ff ff ff ff ff ff ff ff 01", "40" },
	{ (uint64_t)-0x41, "bf ff ff ff ff ff ff ff ff 01", "bf 7f" },
	{ (uint64_t)-0x2000, "80 c0 ff ff ff ff ff ff ff 01", "80 40" },
	{ (uint64_t)-0x2001, "ff bf ff ff ff ff ff ff ff 01", "ff bf 7f" },
	{ 1ull << 63, "80 80 80 80 80 80 80 80 80 01", "80 80 80 80 80 80 80 80 80 7f" },
};

START_TEST(numbers_are_leb128)
{
	struct fixture f;
	char text[100];

	setup(&f);
	put_unsigned(f.writer.file, numbers[_i].value);
	ck_assert_str_eq(written(&f, text, sizeof(text)), numbers[_i].as_unsigned);
	teardown(&f);
	setup(&f);
	put_signed(f.writer.file, numbers[_i].value);
	ck_assert_str_eq(written(&f, text, sizeof(text)), numbers[_i].as_signed);
	teardown(&f);
}
END_TEST

/* Recordings that others have made must stay readable. */
static const struct {
	uint64_t pc[2];
	uint32_t count;
	uint64_t digest;
} digests[] = {
	{ { 0 }, 0, 0 },
	{ { 1 }, 1, 0x9e3779b9e17d05ac },
	{ { 1, 2 }, 2, 0xe785922be3c82d6d },
	{ { 2, 1 }, 2, 0x751a3b14ffa63159 },
};

START_TEST(digest_is_of_all_pcs_in_order)
{
	uint64_t pc[2] = { digests[_i].pc[0], digests[_i].pc[1] };
	const struct stack stack = { .pc = pc, .count = digests[_i].count };

	ck_assert_uint_eq(recording_digest(&stack), digests[_i].digest);
}
END_TEST

/* ---- memory -------------------------------------------------------------------------------- */

static const struct memory_case {
	const char *name;
	uint64_t address;
	size_t size;
	uint64_t absent, before; /* what was read before, of 8 bytes; 0: nothing */
	const char *written;	 /* by the last */
	int status;
} memory_cases[] = {
	{ "a_word", 0x2000, 8, 0, 0, "57 80 c0 00 08 00 01 02 03 04 05 06 07", 0 },
	{ "a_word_that_is_known", 0x2000, 8, 0, 0x2000, "", 0 },
	{ "another_in_its_page", 0x2008, 8, 0, 0x2000, "57 08 08 08 09 0a 0b 0c 0d 0e 0f", 0 },
	{ "one_before_it", 0x2000, 8, 0, 0x2008, "57 78 08 00 01 02 03 04 05 06 07", 0 },
	{ "two_words", 0x2000, 12, 0, 0,
	  "57 80 c0 00 08 00 01 02 03 04 05 06 07 57 08 04 08 09 0a 0b", 0 },
	{ "to_the_end_of_a_page", 0x2ff8, 8, 0, 0, "57 f8 df 00 08 f8 f9 fa fb fc fd fe ff", 0 },
	{ "over_the_end_of_a_page", 0x2ffc, 8, 0, 0,
	  "57 fc df 00 04 fc fd fe ff 57 04 04 00 01 02 03", 0 },
	{ "absent_where_nothing_was", 0x2000, 8, 0x2000, 0, "", -1 },
	{ "absent_behind_what_is_there", 0x2ffc, 8, 0x3000, 0, "57 fc df 00 04 fc fd fe ff", -1 },
	{ "below_what_can_be_recorded", 4088, 8, 0, 0, "", -1 },
	{ "over_the_lower_border", 4088, 16, 0, 0, "57 80 20 08 00 01 02 03 04 05 06 07", -1 },
	{ "the_last_word", (1ull << 47) - 8, 8, 0, 0,
	  "57 f8 ff ff ff ff ff 1f 08 f8 f9 fa fb fc fd fe ff", 0 },
	{ "above_what_can_be_recorded", 1ull << 47, 8, 0, 0, "", -1 },
	{ "nothing", 0x2000, 0, 0, 0, "", 0 },
};

START_TEST(what_a_walk_reads_is_written)
{
	const struct memory_case *c = &memory_cases[_i];
	uint8_t bytes[16];
	struct fixture f;
	char text[200];

	setup(&f);
	if (c->before) {
		ck_assert_int_eq(read_and_note(&f.writer, c->before, bytes, 8), 0);
		written(&f, text, sizeof(text));
	}
	f.absent = c->absent;
	ck_assert_int_eq(read_and_note(&f.writer, c->address, bytes, c->size), c->status);
	ck_assert_msg(!strcmp(written(&f, text, sizeof(text)), c->written), "%s: %s", c->name,
		      text);
	teardown(&f);
}
END_TEST

START_TEST(what_is_gone_is_written_once)
{
	uint8_t bytes[8];
	struct fixture f;
	char text[200];

	setup(&f);
	ck_assert_int_eq(read_and_note(&f.writer, 0x3000, bytes, 8), 0);
	written(&f, text, sizeof(text));
	f.absent = 0x3000;
	ck_assert_int_eq(read_and_note(&f.writer, 0x3008, bytes, 8), -1);
	ck_assert_int_eq(read_and_note(&f.writer, 0x3010, bytes, 8), -1);
	ck_assert_str_eq(written(&f, text, sizeof(text)), "41 88 60");
	teardown(&f);
}
END_TEST

/* ---- mappings ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	const char *path; /* NULL: the file that is there */
	int inode, size;  /* off by so much */
	bool is_file;
} file_cases[] = {
	{ "the_file", NULL, 0, 0, true },
	{ "another_file", NULL, 1, 0, false },
	{ "a_file_of_another_size", NULL, 0, 1, false },
	{ "no_file", "/nowhere/file", 0, 0, false },
};

START_TEST(file_is_the_one_that_is_mapped)
{
	struct stat own;
	struct image_entry entry = { 0 };
	struct mapping mapping = { .entry = &entry };
	uint64_t size = 0;

	ck_assert(!stat("/proc/self/exe", &own));
	entry.version.inode = own.st_ino + file_cases[_i].inode;
	entry.version.size = own.st_size + file_cases[_i].size;
	mapping.path = (char *)(file_cases[_i].path ? file_cases[_i].path : "/proc/self/exe");
	ck_assert_msg(is_file(&mapping, &size) == file_cases[_i].is_file, "%s",
		      file_cases[_i].name);
	ck_assert_uint_eq(size, file_cases[_i].is_file ? (uint64_t)own.st_size : 0);
}
END_TEST

static const struct {
	size_t length;
	const char *written; /* before the path */
	size_t kept;
} path_cases[] = {
	{ 4094, "80 10 80 20 00 00 fe 1f", 4094 },
	{ 4095, "80 10 80 20 00 00 ff 1f", 4095 },
	{ 4096, "80 10 80 20 00 00 ff 1f", 4095 },
	{ 5000, "80 10 80 20 00 00 ff 1f", 4095 },
};

START_TEST(path_is_cut)
{
	char *name = calloc(1, path_cases[_i].length + 1), text[8 * 3 + 1];
	struct mapping mapping = { .start = 0x1000, .end = 0x2000, .path = name };
	struct fixture f;

	memset(name, 'x', path_cases[_i].length);
	setup(&f);
	put_mapping(&f.writer, getpid(), &mapping, 0x800);
	fflush(f.writer.file);
	ck_assert_uint_eq(f.size, 8 + path_cases[_i].kept);
	ck_assert_mem_eq(f.bytes + 8, name, path_cases[_i].kept);
	for (int i = 0; i < 8; i++)
		snprintf(text + 3 * i, 4, "%02x ", (uint8_t)f.bytes[i]);
	text[23] = '\0';
	ck_assert_str_eq(text, path_cases[_i].written);
	ck_assert_int_eq(f.writer.error.code, 0);
	teardown(&f);
	free(name);
}
END_TEST

/* The vDSO is read page by page, and nothing behind it. */
START_TEST(memory_is_read_to_its_end)
{
	const size_t size = 2 * PAGE_SET_PAGE + 100;
	const struct mapping mapping = { .start = 0x7000, .end = 0x7000 + size, .path = "[vdso]" };
	struct fixture f;

	setup(&f);
	f.end = mapping.end;
	put_memory(&f.writer, &mapping);
	fflush(f.writer.file);
	ck_assert_int_eq(f.reads, 3);
	ck_assert_uint_eq(f.size, 2 + size);
	ck_assert_mem_eq(f.bytes, "\xe4\x40", 2);
	for (size_t i = 0; i < size; i++)
		ck_assert_uint_eq((uint8_t)f.bytes[2 + i], (uint8_t)(0x7000 + i));
	teardown(&f);
}
END_TEST

START_TEST(what_is_too_large_is_said)
{
	struct image_entry entry = { .version = { .size = RECORDING_IMAGE_MAX + 1 } };
	const struct mapping mapping = { .start = 0x7000,
					 .end = 0x7000 + RECORDING_IMAGE_MAX + 1,
					 .path = "",
					 .entry = &entry };
	struct fixture f;

	setup(&f);
	put_memory(&f.writer, &mapping);
	ck_assert_int_eq(f.reads, 0);
	ck_assert_int_eq(f.writer.error.code, ERROR_MEMORY);
	ck_assert_str_eq(f.writer.error.message, "the vDSO can't be recorded");
	memset(&f.writer.error, 0, sizeof(f.writer.error));
	put_mapped_file(&f.writer, getpid(), &mapping);
	ck_assert_int_eq(f.writer.error.code, ERROR_MEMORY);
	ck_assert_str_eq(f.writer.error.message, "a mapped file without a name can't be recorded");
	(fail)(&f.writer, "another"); /* the first counts */
	ck_assert_str_eq(f.writer.error.message, "a mapped file without a name can't be recorded");
	fflush(f.writer.file);
	ck_assert_uint_eq(f.size, 0);
	teardown(&f);
}
END_TEST

START_TEST(as_many_mappings_as_there_may_be)
{
	struct mapping *mapping = calloc(RECORDING_MAPPINGS_MAX, sizeof(*mapping));
	const struct address_space space = { .mapping = mapping,
					     .mapping_count = RECORDING_MAPPINGS_MAX };
	struct fixture f;

	for (size_t i = 0; i < RECORDING_MAPPINGS_MAX; i++)
		mapping[i] = (struct mapping) { .start = 2 * i + 1, .end = 2 * i + 2, .path = "" };
	setup(&f);
	note_mappings(&f.writer, &space);
	ck_assert_int_eq(f.writer.error.code, 0);
	fflush(f.writer.file);
	ck_assert_uint_eq(f.size, 4 + 5 * (size_t)RECORDING_MAPPINGS_MAX);
	ck_assert_mem_eq(f.bytes, "M\x80\x80\x04\1\1\0\0\0\1\1\0\0\0", 14);
	note_mappings(&f.writer, &space); /* the same */
	fflush(f.writer.file);
	ck_assert_uint_eq(f.size, 4 + 5 * (size_t)RECORDING_MAPPINGS_MAX);
	teardown(&f);
	free(mapping);
}
END_TEST

START_TEST(program_s_name_is_cut)
{
	struct recording_writer *writer;
	char name[5001], begin[40];
	struct error error;
	FILE *file;

	memset(name, 'p', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert(!recording_writer_create(path, name, &writer, &error));
	ck_assert(!recording_writer_close(writer, true, &error));
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(begin, 1, sizeof(begin), file), sizeof(begin));
	ck_assert_mem_eq(begin, "stackproof recording 4\nN\xff\x1fpp", 28);
	ck_assert(!fseek(file, 0, SEEK_END));
	ck_assert_int_eq(ftell(file), 23 + 1 + 2 + 4095 + 2 + 4);
	fclose(file);
}
END_TEST

SUITE(recording_items, FIXTURE(folder_begin, folder_end), LOOP(numbers_are_leb128, numbers),
      LOOP(digest_is_of_all_pcs_in_order, digests),
      LOOP(what_a_walk_reads_is_written, memory_cases), TEST(what_is_gone_is_written_once),
      LOOP(file_is_the_one_that_is_mapped, file_cases), LOOP(path_is_cut, path_cases),
      TEST(memory_is_read_to_its_end), TEST(what_is_too_large_is_said),
      TEST(as_many_mappings_as_there_may_be), TEST(program_s_name_is_cut))
