/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_package_copy.c - what a package is, where its files are copied to, and why it can't be
 *
 * Packages of a few files, uncompressed. What is read of real ones is in test_package.c.
 */
#include <archive.h>
#include <archive_entry.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/images/package.h"

#define ROOM (1u << 20)

static char path[64];

static void enter(void)
{
	folder_make();
	snprintf(path, sizeof(path), "%s/p.deb", folder);
}

/* ---- what is one ---------------------------------------------------------------------------- */

#define WHOLE "!<arch>\ndebian-binary"

static const struct {
	const char *bytes;
	size_t size;
	bool is;
} begins[] = {
	{ WHOLE, 21, true },
	{ WHOLE " and more", 30, true },
	{ WHOLE, 20, false },
	{ "", 0, false },
	{ "!<arcH>\ndebian-binary", 21, false },
	{ "!<arch> debian-binary", 21, false },
	{ "!<arch>\nDebian-binary", 21, false },
	{ "!<arch>\ndebian-binarx", 21, false },
};

START_TEST(a_package_begins_so)
{
	file_write(path, begins[_i].bytes, begins[_i].size);
	ck_assert_int_eq(package_is(path), begins[_i].is);
}
END_TEST

/* A pipe that nobody writes to is not waited for. */
START_TEST(what_is_no_file_is_none)
{
	ck_assert(!package_is(path));
	ck_assert(!package_is(folder));
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert(!package_is(path));
}
END_TEST

/* ---- packages ------------------------------------------------------------------------------- */

struct member {
	const char *name;
	int64_t claims; /* 0: all of it is there */
	size_t size;
	const char *text; /* no ELF file */
	bool sparse;	  /* of what it claims 512 bytes are there, and the others are zero */
};

static void fill_elf(uint8_t *bytes, size_t size)
{
	const Elf64_Ehdr header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
						 ELFDATA2LSB, EV_CURRENT },
				    .e_type = ET_DYN,
				    .e_machine = EM_X86_64,
				    .e_version = EV_CURRENT,
				    .e_ehsize = sizeof(Elf64_Ehdr) };

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(size + i / 251);
	memcpy(bytes, &header, sizeof(header));
}

static void add(struct archive *archive, const struct member *member, const void *bytes)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, member->name);
	archive_entry_set_size(entry, member->claims ? member->claims : (la_int64_t)member->size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	if (member->sparse)
		archive_entry_sparse_add_entry(entry, 0, 512);
	ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
	ck_assert_int_eq(archive_write_data(archive, bytes, member->size),
			 (la_ssize_t)member->size);
	archive_entry_free(entry);
}

/* Members up to one without a name; behind one that claims more than it has nothing is written. */
static void make_package(const struct member *member)
{
	struct archive *data = archive_write_new(), *package = archive_write_new();
	uint8_t *bytes = malloc(ROOM), *file = malloc(ROOM);
	size_t used = 0;

	archive_write_set_format_pax(data);
	ck_assert_int_eq(archive_write_open_memory(data, bytes, ROOM, &used), ARCHIVE_OK);
	for (; member->name; member++) {
		if (!member->text)
			fill_elf(file, member->size);
		add(data, member, member->text ? member->text : (const char *)file);
		if (member->claims && !member->sparse)
			archive_write_fail(data);
	}
	archive_write_close(data);
	archive_write_free(data);
	archive_write_set_format_ar_svr4(package);
	ck_assert_int_eq(archive_write_open_filename(package, path), ARCHIVE_OK);
	add(package, &(struct member) { .name = "debian-binary", .size = 4 }, "2.0\n");
	add(package, &(struct member) { .name = "data.tar", .size = used }, bytes);
	archive_write_close(package);
	archive_write_free(package);
	free(bytes);
	free(file);
}

/* ---- where they are ------------------------------------------------------------------------- */

static char given[300];
static bool stops; /* at the first */

static int note(void *context, const char *name, enum archive_kind kind, uint64_t offset,
		uint64_t size, struct error *error)
{
	size_t used = strlen(given);

	ck_assert_int_eq(kind, ARCHIVE_ELF);
	ck_assert_ptr_eq(context, given);
	snprintf(given + used, sizeof(given) - used, "%s %" PRIu64 "+%" PRIu64 "\n", name, offset,
		 size);
	return stops ? error_set(error, ERROR_PROTOCOL, NULL, 0, "enough") : 0;
}

/* The last is of one byte more than is read at once. */
static const struct member sizes[] = {
	{ .name = "./a", .size = 4096 },
	{ .name = "b", .size = 4097 },
	{ .name = "./.c", .size = 100 },
	{ .name = "d/e", .size = 4095 },
	{ .name = "f", .size = 3 * 65536 },
	{ .name = "g", .size = 65537 },
	{ .name = NULL },
};

START_TEST(each_begins_at_a_page)
{
	struct package_copy copy;
	struct error error;
	struct stat st;
	static uint8_t expected[ROOM], bytes[ROOM];
	static const uint64_t places[] = { 4096, 8192, 16384, 20480, 24576, 221184 };
	int fd;

	make_package(sizes);
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), 0);
	ck_assert_str_eq(given, "a 4096+4096\nb 8192+4097\n.c 16384+100\nd/e 20480+4095\n"
				"f 24576+196608\ng 221184+65537\n");
	ck_assert_int_ge(copy.fd, 0);
	ck_assert_int_eq(fstat(copy.fd, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0600);
	ck_assert_int_eq(fcntl(copy.fd, F_GETFD), FD_CLOEXEC);
	fd = open(copy.path, O_RDONLY | O_CLOEXEC);
	for (int i = 0; i < COUNT(places); i++) {
		fill_elf(expected, sizes[i].size);
		ck_assert_int_eq(pread(fd, bytes, sizes[i].size, (off_t)places[i]),
				 (ssize_t)sizes[i].size);
		ck_assert_mem_eq(bytes, expected, sizes[i].size);
	}
	close(fd);
	fd = copy.fd;
	package_copy_close(&copy);
	ck_assert_int_eq(copy.fd, -1);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	package_copy_close(&copy);
}
END_TEST

/* What holds no code, or code that is made later, is passed over: however it ends. */
START_TEST(other_files_are_passed_over)
{
	static const struct member members[] = {
		{ .name = "script", .size = 10, .text = "#!/bin/sh\n" },
		{ .name = "empty", .size = 0, .text = "" },
		{ .name = "bitcode", .size = 4, .text = "BC\xc0\xde" },
		{ .name = "thin", .size = 8, .text = "!<thin>\n" },
		{ .name = "a", .size = 64 },
		{ .name = "library", .size = 8, .text = "!<arch>\n" },
		{ .name = "b", .size = 64 },
		{ .name = NULL },
	};
	struct package_copy copy;
	struct error error;

	make_package(members);
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), 0);
	ck_assert_str_eq(given, "a 4096+64\nb 12288+64\n");
	package_copy_close(&copy);
}
END_TEST

START_TEST(who_is_given_a_file_may_stop)
{
	struct package_copy copy;
	struct error error;

	make_package(sizes);
	stops = true;
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), -1);
	ck_assert_str_eq(error.message, "enough");
	ck_assert_str_eq(given, "a 4096+4096\n");
	package_copy_close(&copy);
}
END_TEST

/* ---- why not -------------------------------------------------------------------------------- */

static const struct {
	const char *directory; /* TMPDIR */
	const char *error;     /* its begin; NULL: there is none */
} directories[] = {
	{ NULL, NULL },
	{ "", NULL },
	{ "/tmp", NULL },
	{ "q", "q: a package's copy: " },
	{ "/there/is/none", "/there/is/none: a package's copy: " },
};

START_TEST(copies_lie_where_files_may)
{
	struct package_copy copy;
	struct error error;
	const char *expected = directories[_i].error;

	ck_assert_int_eq(chdir(folder), 0);
	make_package(sizes);
	if (directories[_i].directory)
		setenv("TMPDIR", directories[_i].directory, true);
	else
		unsetenv("TMPDIR");
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), expected ? -1 : 0);
	if (expected) {
		ck_assert_int_eq(error.code, ERROR_SYSTEM);
		ck_assert_int_eq(strncmp(error.message, expected, strlen(expected)), 0);
		ck_assert_int_eq(copy.fd, -1);
	}
	package_copy_close(&copy);
}
END_TEST

START_TEST(a_copy_that_finds_no_room)
{
	const struct rlimit limit = { 8192 + 50, 8192 + 50 };
	struct package_copy copy;
	struct error error;

	make_package(sizes);
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_str_eq(error.message, "a package's copy: File too large");
	ck_assert_str_eq(given, "a 4096+4096\n");
	package_copy_close(&copy);
}
END_TEST

#define GIB (INT64_C(1) << 30)

static const char zeros[512];

static const struct {
	struct member member;
	const char *error;
	enum error_code code;
} claims[] = {
	{ { .name = "./a", .claims = GIB + 1, .size = 64 },
	  "the package's a claims 1073741825 bytes, more than are read of one file",
	  ERROR_TABLE_LIMIT },
	{ { .name = "./a", .claims = GIB, .size = 64 },
	  "the package can't be read: ",
	  ERROR_NOT_ELF },
	{ { .name = "./a", .claims = 20000, .size = 64 },
	  "the package can't be read: ",
	  ERROR_NOT_ELF },
	{ { .name = "./a", .claims = 200000, .size = 70000 },
	  "the package can't be read: ",
	  ERROR_NOT_ELF },
};

START_TEST(a_file_claims_more_than_there_is)
{
	const struct member members[] = { claims[_i].member, { .name = NULL } };
	struct package_copy copy;
	struct error error;

	make_package(members);
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), -1);
	ck_assert_int_eq(error.code, claims[_i].code);
	ck_assert_msg(!strncmp(error.message, claims[_i].error, strlen(claims[_i].error)), "%s",
		      error.message);
	ck_assert_str_eq(given, "");
	package_copy_close(&copy);
}
END_TEST

/* 16 GiB of all its files; one byte more is too much. */
START_TEST(all_files_claim_too_much)
{
	struct member members[18] = { { .name = NULL } };
	struct package_copy copy;
	struct error error;

	for (int i = 0; i < 16; i++)
		members[i] = (struct member) {
			.name = "zeros", .claims = GIB, .size = 512, .text = zeros, .sparse = true
		};
	if (_i)
		members[16] = (struct member) { .name = "b", .size = 1, .text = "b" };
	make_package(members);
	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), _i ? -1 : 0);
	if (_i) {
		ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
		ck_assert_str_eq(error.message,
				 "the package claims more bytes than are read of one");
	}
	package_copy_close(&copy);
}
END_TEST

/* Where it is cut off: in the head of its second member, or in that member. */
static const struct {
	off_t bytes;
	const char *error;
} cuts[] = {
	{ 4, "the package can't be read: " },
	{ 72, "the package has no data.tar" },
	{ 1000, "the package can't be read: Truncated ar archive" },
	{ 0, "the package can't be read: " },
};

static void check_damaged(int number, const char *expected)
{
	struct package_copy copy;
	struct error error;

	ck_assert_int_eq(package_unpack(path, &copy, note, given, &error), -1);
	ck_assert_int_eq(error.code, ERROR_NOT_ELF);
	ck_assert_msg(!strncmp(error.message, expected, strlen(expected)), "%d: %s", number,
		      error.message);
	package_copy_close(&copy);
}

START_TEST(a_package_that_is_cut_off)
{
	make_package(sizes);
	ck_assert_int_eq(truncate(path, cuts[_i].bytes), 0);
	check_damaged((int)cuts[_i].bytes, cuts[_i].error);
}
END_TEST

/* Of a manual page, say, in front of a program. */
START_TEST(a_package_that_is_cut_off_in_what_is_no_image)
{
	static char page[100000];
	struct member members[] = { { .name = "a", .size = 64 },
				    { .name = "page", .size = sizeof(page), .text = page },
				    { .name = "b", .size = 64 },
				    { .name = NULL } };

	memset(page, 'x', sizeof(page));
	make_package(members);
	ck_assert_int_eq(truncate(path, sizeof(page) / 2), 0);
	check_damaged(0, "the package can't be read: ");
}
END_TEST

/* The head of its second member. */
START_TEST(a_package_that_is_damaged)
{
	FILE *file;

	make_package(sizes);
	file = fopen(path, "r+");
	ck_assert_int_eq(fseek(file, 72 + 58, SEEK_SET), 0);
	fputs("xx", file);
	fclose(file);
	check_damaged(0, "the package can't be read: Incorrect file header signature");
}
END_TEST

SUITE(package_copy, FIXTURE(enter, folder_remove), LOOP(a_package_begins_so, begins),
      TEST(what_is_no_file_is_none), TEST(each_begins_at_a_page), TEST(other_files_are_passed_over),
      TEST(who_is_given_a_file_may_stop), LOOP(copies_lie_where_files_may, directories),
      TEST(a_copy_that_finds_no_room), LOOP(a_file_claims_more_than_there_is, claims),
      TIMES(all_files_claim_too_much, 2), LOOP(a_package_that_is_cut_off, cuts),
      TEST(a_package_that_is_damaged), TEST(a_package_that_is_cut_off_in_what_is_no_image))
