/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_image_list.c - the files that a command line means: folders, links, and archives' members
 *
 * The archives are put together byte by byte. Their members are diff_image.h's image, or what only
 * begins as an ELF file does.
 */
#include <ar.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "tables/diff/tests/diff_image.h"
#include "base/images/image_list.h"

#define ELF_BYTES     "\177ELF"
#define HEADER_BYTES  60
#define SHORT_ARCHIVE ARMAG "name/           0           0     0     100644  9"

/* ---- a folder of files ---------------------------------------------------------------------- */

struct ar {
	char bytes[8192];
	size_t size;
};

static void ar_begin(struct ar *ar)
{
	memcpy(ar->bytes, ARMAG, SARMAG);
	ar->size = SARMAG;
}

/* Returns where its bytes begin. */
static size_t ar_add(struct ar *ar, const char *name, const void *bytes, size_t size)
{
	size_t offset = ar->size + HEADER_BYTES;

	ck_assert_uint_lt(offset + size + 1, sizeof(ar->bytes));
	ck_assert_int_eq(snprintf(ar->bytes + ar->size, HEADER_BYTES + 1,
				  "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0100644, size),
			 HEADER_BYTES);
	memcpy(ar->bytes + offset, bytes, size);
	ar->size = offset + size;
	if (size % 2)
		ar->bytes[ar->size++] = '\n';
	return offset;
}

/* ---- archives ------------------------------------------------------------------------------- */

struct members {
	char text[256]; /* "name@offset+size;", of what is no ELF file "name:kind;" */
	int returned;	/* what the callback returns */
};

static int take_member(void *context, const char *name, enum archive_kind kind, uint64_t offset,
		       uint64_t size, struct error *error)
{
	struct members *members = context;
	size_t used = strlen(members->text);

	if (kind == ARCHIVE_ELF)
		snprintf(members->text + used, sizeof(members->text) - used, "%s@%d+%d;", name,
			 (int)offset, (int)size);
	else
		snprintf(members->text + used, sizeof(members->text) - used, "%s:%d;", name, kind);
	if (members->returned)
		error_set(error, ERROR_MEMORY, NULL, 0, "enough");
	return members->returned;
}

START_TEST(members_that_are_elf_files_are_given)
{
	struct members members = { .text = "" };
	struct error error = { 0 };
	struct ar ar;
	FILE *file;

	folder_enter();
	ar_begin(&ar);
	ar_add(&ar, "//", "a_name_of_more_than_16.o/\n", 26);
	ar_add(&ar, "short/", ELF_BYTES, 3);
	ar.bytes[ar.size - 1] = 'F'; /* the padding is no byte of it */
	ar_add(&ar, "elf.o/", ELF_BYTES, 4);
	ar_add(&ar, "other/", "a text", 6);
	ar_add(&ar, "/0", ELF_BYTES "x", 5);
	file_write("lib.a", ar.bytes, ar.size);
	ck_assert_msg(archive_members("lib.a", take_member, &members, &error) == 1, "%s",
		      error.message);
	ck_assert_str_eq(members.text, "elf.o@218+4;a_name_of_more_than_16.o@348+5;");

	/* The first one's end is the walk's. */
	members = (struct members) { .returned = -1 };
	ck_assert_int_eq(archive_members("lib.a", take_member, &members, &error), -1);
	ck_assert_str_eq(members.text, "elf.o@218+4;");
	ck_assert_str_eq(error.message, "enough");

	/* No members at all, and no padding behind the last one. */
	members = (struct members) { .text = "" };
	file_write("empty.a", ar.bytes, SARMAG);
	ck_assert_int_eq(archive_members("empty.a", take_member, &members, &error), 1);
	ck_assert_str_eq(members.text, "");
	file = fopen("lib.a", "r+");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(ftruncate(fileno(file), (off_t)ar.size - 1), 0);
	fclose(file);
	ck_assert_int_eq(archive_members("lib.a", take_member, &members, &error), 1);
	folder_remove();
}
END_TEST

#define BITCODE	 "BC\xc0\xde"
#define NOT_HELD "the archive's member there has a name that it doesn't hold"
#define WRAPPED	 "\xde\xc0\x17\x0b"

/* As BSD's tools write them: the name comes first, and may be filled up. */
static const struct {
	const char *header, *bytes, *expected, *message;
} bsd_cases[] = {
	{ "#1/4", "ab.o" ELF_BYTES, "ab.o@72+4;", NULL },
	{ "#1/4", "ab.o" ELF_BYTES "x", "ab.o@72+5;", NULL },
	{ "#1/5", "a b/c" ELF_BYTES, "a b/c@73+4;", NULL },
	{ "#1/008", "ab.o____" ELF_BYTES, "ab.o@76+4;", NULL },
	{ "#1/12", "__.SYMDEF___\177ELF", "__.SYMDEF@80+4;", NULL },
	{ "#1/4", "ab.o\177EL", "", NULL },
	{ "#1/4", "ab.o", "", NULL },
	{ "#1/4", "ab.o" BITCODE, "ab.o:2;", NULL },
	{ "#1/3", ELF_BYTES "x", "", NULL },
	{ "#1/0", ELF_BYTES, "#1@68+4;", NULL },
	{ "#1/4/", ELF_BYTES ELF_BYTES, "", NOT_HELD },
	{ "#1/5", "ab.o", "", NOT_HELD },
	{ "#1/", ELF_BYTES, "", NOT_HELD },
	{ "#1/x", ELF_BYTES, "", NOT_HELD },
	{ "#1/-4", ELF_BYTES, "", NOT_HELD },
	{ "#1/1844674407370", ELF_BYTES, "", NOT_HELD },
	{ "#1/4294967300", ELF_BYTES, "", NOT_HELD },
	{ "#2/4", "ab.o" ELF_BYTES, "", NULL },
};

START_TEST(names_that_stand_before_the_bytes)
{
	const char *message = bsd_cases[_i].message;
	struct members members = { .text = "" };
	struct error error = { 0 };
	char bytes[32];
	size_t size = strlen(bsd_cases[_i].bytes);
	struct ar ar;

	for (size_t i = 0; i <= size; i++)
		bytes[i] = (char)(bsd_cases[_i].bytes[i] == '_' && i > 1 ? 0
									 : bsd_cases[_i].bytes[i]);
	folder_enter();
	ar_begin(&ar);
	ar_add(&ar, bsd_cases[_i].header, bytes, size);
	file_write("lib.a", ar.bytes, ar.size);
	ck_assert_int_eq(archive_members("lib.a", take_member, &members, &error), message ? -1 : 1);
	ck_assert_str_eq(members.text, bsd_cases[_i].expected);
	ck_assert_str_eq(error.message, message ? message : "");
	ck_assert_uint_eq(error.offset, message ? 68 : 0);
	folder_remove();
}
END_TEST

/* As long as its name may be, and one byte more. */
START_TEST(a_name_as_long_as_a_path)
{
	static char bytes[PATH_MAX + 4];
	struct image_list list = { 0 };
	struct error error = { 0 };
	char header[16];
	struct ar ar;

	folder_enter();
	for (int more = 0; more <= 1; more++) {
		size_t named = (size_t)(PATH_MAX - 1 + more);

		memset(bytes, 'n', named);
		memcpy(bytes + named, ELF_BYTES, 4);
		snprintf(header, sizeof(header), "#1/%zu", named);
		ar_begin(&ar);
		ar_add(&ar, header, bytes, named + 4);
		file_write("lib.a", ar.bytes, ar.size);
		ck_assert_int_eq(image_list_add(&list, "lib.a", &error), more ? -1 : 0);
	}
	ck_assert_uint_eq(list.count, 1);
	ck_assert_uint_eq(strlen(list.image[0].path), strlen("lib.a()") + PATH_MAX - 1);
	ck_assert_uint_eq(list.image[0].offset, 68 + PATH_MAX - 1);
	ck_assert_uint_eq(list.image[0].bytes, 4);
	image_list_deinit(&list);
	folder_remove();
}
END_TEST

/* A symbol table, long names and texts are nothing to be checked. */
static const struct {
	const char *bytes;
	size_t size;
	enum archive_kind kind;
} member_kinds[] = {
	{ "a text of eight bytes and more", 30, ARCHIVE_OTHER },
	{ "", 0, ARCHIVE_OTHER },
	{ ELF_BYTES, 3, ARCHIVE_OTHER },
	{ ELF_BYTES, 4, ARCHIVE_ELF },
	{ BITCODE, 3, ARCHIVE_OTHER },
	{ BITCODE, 4, ARCHIVE_BITCODE },
	{ BITCODE "more", 8, ARCHIVE_BITCODE },
	{ WRAPPED, 3, ARCHIVE_OTHER },
	{ WRAPPED, 4, ARCHIVE_BITCODE },
	{ WRAPPED "more", 8, ARCHIVE_BITCODE },
	{ ARMAG, 7, ARCHIVE_OTHER },
	{ ARMAG, 8, ARCHIVE_AR },
	{ ARMAG "debian-binary", 21, ARCHIVE_AR },
	{ THIN_ARCHIVE_MAGIC, 7, ARCHIVE_OTHER },
	{ THIN_ARCHIVE_MAGIC, 8, ARCHIVE_THIN },
};

START_TEST(members_are_told_apart)
{
	for (int i = 0; i < COUNT(member_kinds); i++)
		ck_assert_msg(archive_kind(member_kinds[i].bytes, member_kinds[i].size) ==
				      member_kinds[i].kind,
			      "%d", i);
}
END_TEST

/* One of each kind, beside one that is checked. */
static void ar_of_all_kinds(struct ar *ar)
{
	char name[16];

	ar_begin(ar);
	ar_add(ar, "/", "\0\0\0\0", 4);
	for (int i = 0; i < COUNT(member_kinds); i++) {
		snprintf(name, sizeof(name), "%d/", i);
		ar_add(ar, name, member_kinds[i].bytes, member_kinds[i].size);
	}
}

START_TEST(members_that_are_not_checked_are_given)
{
	struct members members = { .text = "" };
	struct image_list list = { 0 };
	struct error error = { 0 };
	struct ar ar;

	folder_enter();
	ar_of_all_kinds(&ar);
	file_write("lib.a", ar.bytes, ar.size);
	file_write("empty", "", 0); /* it can be read */
	ck_assert_msg(archive_members("lib.a", take_member, &members, &error) == 1, "%s",
		      error.message);
	ck_assert_str_eq(members.text, "3@346+4;5:2;6:2;8:2;9:2;11:3;12:3;14:4;");
	for (int below = 0; below <= 1; below++) {
		ck_assert_int_eq(image_list_add(&list, below ? "." : "lib.a", &error), 0);
		ck_assert_uint_eq(list.count, 1);
		ck_assert_uint_eq(list.bitcode, 4);
		ck_assert_uint_eq(list.nested_archives, 3);
		ck_assert_uint_eq(list.thin_archives + list.unreadable, 0);
		image_list_deinit(&list);
	}
	folder_remove();
}
END_TEST

/* What is behind the last member that can be read. */
START_TEST(an_archive_must_be_read_to_its_end)
{
	static const char *const tails[] = { "x", "no header, as long as one is, or longer than "
						  "that: sixty bytes and a few" };
	struct members members = { .text = "" };
	struct error error = { 0 };
	struct ar ar;

	folder_enter();
	ar_begin(&ar);
	ar_add(&ar, "elf.o/", ELF_BYTES "x", 5);
	memcpy(ar.bytes + ar.size, tails[_i], strlen(tails[_i]));
	file_write("lib.a", ar.bytes, ar.size + strlen(tails[_i]));
	ck_assert_int_eq(archive_members("lib.a", take_member, &members, &error), -1);
	ck_assert_str_eq(members.text, "elf.o@68+5;");
	ck_assert_int_eq(error.code, ERROR_NOT_ELF);
	ck_assert_uint_eq(error.offset, 74);
	ck_assert_str_eq(error.message, "the archive's member there can't be read");
	folder_remove();
}
END_TEST

static const struct {
	const char *name, *bytes;
	int status;
	const char *message;
	enum error_code code;
} others[] = {
	{ "a text", "not an archive", 0, "", ERROR_NONE },
	{ "nothing", "", 0, "", ERROR_NONE },
	{ "magic alone, cut off", "!<arch>", 0, "", ERROR_NONE },
	{ "thin", "!<thin>\n", -1,
	  "a thin archive: its members are files of their own, to be named themselves",
	  ERROR_THIN_ARCHIVE },
	{ "a header that is cut off", SHORT_ARCHIVE, -1, "the archive's member there can't be read",
	  ERROR_NOT_ELF },
};

START_TEST(files_that_are_no_archives)
{
	struct members members = { .text = "" };
	struct error error = { 0 };

	folder_enter();
	file_write("file", others[_i].bytes, strlen(others[_i].bytes));
	ck_assert_msg(archive_members("file", take_member, &members, &error) == others[_i].status,
		      "%s", others[_i].name);
	ck_assert_str_eq(error.message, others[_i].message);
	ck_assert_int_eq(error.code, others[_i].code);
	ck_assert_int_eq(archive_members("missing", take_member, &members, &error), 0);
	ck_assert_int_eq(archive_members(".", take_member, &members, &error), 0);
	folder_remove();
}
END_TEST

START_TEST(a_member_s_copy)
{
	struct archive_copy copy;
	struct error error = { 0 };
	char bytes[16] = "";
	FILE *file;

	folder_enter();
	file_write("lib.a", "0123456789", 10);
	ck_assert_int_eq(archive_copy_open("lib.a", 3, 4, &copy, &error), 0);
	file = fopen(copy.path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(bytes, 1, sizeof(bytes), file), 4);
	ck_assert_str_eq(bytes, "3456");
	fclose(file);
	archive_copy_close(&copy);
	ck_assert_int_eq(copy.fd, 0);
	ck_assert_int_eq(archive_copy_open("lib.a", 9, 1, &copy, &error), 0);
	archive_copy_close(&copy);
	archive_copy_close(&copy); /* of none: standard input stays open */
	ck_assert_int_ge(fcntl(0, F_GETFD), 0);

	ck_assert_int_eq(archive_copy_open("lib.a", 3, 9, &copy, &error), -1);
	ck_assert_int_eq(copy.fd, 0);
	ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
	ck_assert_uint_eq(error.offset, 3);
	ck_assert_str_eq(error.message, "the archive's member ends 2 bytes too early");
	ck_assert_int_eq(archive_copy_open("missing", 3, 9, &copy, &error), -1);
	ck_assert_int_eq(copy.fd, 0);
	ck_assert_str_eq(error.message, "open: No such file or directory");
	folder_remove();
}
END_TEST

/* ---- lists ---------------------------------------------------------------------------------- */

/* "path bytes offset archive_length[ named][ error]" of each, a line each. */
static void expect_list(const struct image_list *list, const char *expected)
{
	char text[2048] = "";
	size_t used = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct image_path *image = &list->image[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %d %d %d%s%s%s\n",
					 image->path, (int)image->bytes, (int)image->offset,
					 (int)image->archive_length, image->named ? " named" : "",
					 image->error ? ": " : "",
					 image->error ? image->error->message : "");
	}
	ck_assert_str_eq(text, expected);
}

START_TEST(a_folder_stands_for_what_is_below)
{
	struct image_list list = { 0 };
	struct error error = { 0 };
	struct ar ar;

	folder_enter();
	ck_assert_int_eq(mkdir("d", 0755) + mkdir("d/sub", 0755), 0);
	file_write("d/elf", ELF_BYTES "xyz", 7);
	file_write("d/just", ELF_BYTES, 4);
	file_write("d/sub/elf", ELF_BYTES "ab", 6);
	file_write("d/less", ELF_BYTES, 3);
	file_write("d/text", "a text of more bytes", 20);
	file_write("d/thin.a", "!<thin>\n", 8);
	file_write("d/cut.a", "!<arch>", 7);
	file_write("d/no_thin.a", "!<thin>", 7);
	file_write("d/broken.a", SHORT_ARCHIVE, sizeof(SHORT_ARCHIVE) - 1);
	ck_assert_int_eq(symlink("elf", "d/link") + symlink(".", "d/loop") +
				 link("d/elf", "d/another") + mkfifo("d/fifo", 0644),
			 0);
	ar_begin(&ar);
	ar_add(&ar, "a.o/", ELF_BYTES, 4);
	ar_add(&ar, "text/", "text", 4);
	ar_add(&ar, "b.o/", ELF_BYTES "bbb", 7);
	file_write("d/lib.a", ar.bytes, ar.size);
	ck_assert_int_eq(image_list_add(&list, "d", &error), 0);
	image_list_finish(&list, 1);
	expect_list(&list, "d/another 7 0 0\n"
			   "d/broken.a 57 0 0: the archive's member there can't be read\n"
			   "d/just 4 0 0\n"
			   "d/lib.a(a.o) 4 68 7\n"
			   "d/lib.a(b.o) 7 196 7\n"
			   "d/sub/elf 6 0 0\n");
	ck_assert_uint_eq(list.thin_archives, 1);
	ck_assert_uint_eq(list.unreadable, 0);
	image_list_deinit(&list);
	ck_assert(!list.image && !list.count && !list.thin_archives);

	/* Every second of those that were not named, and all that were. */
	ck_assert_int_eq(image_list_add(&list, "d", &error), 0);
	ck_assert_int_eq(image_list_add(&list, "d/text", &error), 0);
	ck_assert_int_eq(image_list_add(&list, "d/link", &error), 0);
	image_list_finish(&list, 2);
	expect_list(&list, "d/broken.a 57 0 0: the archive's member there can't be read\n"
			   "d/lib.a(a.o) 4 68 7\n"
			   "d/link 7 0 0 named\n"
			   "d/sub/elf 6 0 0\n"
			   "d/text 20 0 0 named\n");
	image_list_deinit(&list);
	image_list_finish(&list, 1);
	ck_assert_uint_eq(list.count, 0);

	/* A link that is named is followed. */
	ck_assert_int_eq(symlink("d/sub", "named"), 0);
	ck_assert_int_eq(image_list_add(&list, "named", &error), 0);
	expect_list(&list, "named/elf 6 0 0\n");
	image_list_deinit(&list);
	folder_remove();
}
END_TEST

/* Of one file's names a named one stays, or else the first by the alphabet. */
START_TEST(a_file_counts_once)
{
	static const struct image_path paths[] = {
		{ .path = "m", .device = 1, .inode = 5, .offset = 7 },
		{ .path = "k", .device = 2, .inode = 4 },
		{ .path = "l", .device = 1, .inode = 5 },
		{ .path = "c", .device = 1, .inode = 4 },
		{ .path = "z", .device = 2, .inode = 4, .named = true },
		{ .path = "b", .device = 1, .inode = 4 },
		{ .path = "n", .device = 1, .inode = 5, .offset = 7 },
		{ .path = "a", .device = 1, .inode = 6 },
	};
	struct image_list list = { .count = COUNT(paths) };

	list.image = calloc(COUNT(paths), sizeof(*list.image));
	ck_assert_ptr_nonnull(list.image);
	for (int i = 0; i < COUNT(paths); i++) {
		list.image[i] = paths[i];
		list.image[i].path = strdup(paths[i].path);
	}
	image_list_finish(&list, 1);
	expect_list(&list, "a 0 0 0\nb 0 0 0\nl 0 0 0\nm 0 7 0\nz 0 0 0 named\n");
	image_list_deinit(&list);
}
END_TEST

START_TEST(what_is_named_is_kept)
{
	struct image_list list = { 0 };
	struct error error = { 0 };
	struct ar ar;

	folder_enter();
	ar_begin(&ar);
	ar_add(&ar, "a.o/", ELF_BYTES, 4);
	ar_add(&ar, "b.o/", ELF_BYTES "bb", 6);
	file_write("lib.a", ar.bytes, ar.size);
	file_write("text", "text", 4);
	file_write("thin.a", "!<thin>\n", 8);
	ck_assert_int_eq(image_list_add(&list, "text", &error), 0);
	ck_assert_int_eq(image_list_add(&list, "lib.a", &error), 0);
	expect_list(&list, "text 4 0 0 named\n"
			   "lib.a(a.o) 4 68 5 named\n"
			   "lib.a(b.o) 6 132 5 named\n");
	ck_assert_int_eq(image_list_members(&list, "text", &error), 0);
	ck_assert_int_eq(image_list_members(&list, "missing", &error), 0);
	ck_assert_uint_eq(list.count, 3);
	ck_assert_int_eq(image_list_members(&list, "lib.a", &error), 1);
	ck_assert_uint_eq(list.count, 5);
	image_list_finish(&list, 9);
	expect_list(&list, "lib.a(a.o) 4 68 5 named\n"
			   "lib.a(b.o) 6 132 5 named\n"
			   "text 4 0 0 named\n");
	ck_assert_int_eq(image_list_add(&list, "missing", &error), -1);
	ck_assert_str_eq(error.message, "missing: No such file or directory");
	ck_assert_int_eq(image_list_add(&list, "thin.a", &error), -1);
	ck_assert_str_eq(error.message, "thin.a: a thin archive: its members are files of their "
					"own, to be named themselves");
	ck_assert_int_eq(error.code, ERROR_THIN_ARCHIVE);
	image_list_deinit(&list);
	folder_remove();
}
END_TEST

START_TEST(a_member_is_named_as_lists_name_it)
{
	struct image_list list = { 0 };
	struct error error = { 0 };
	struct ar ar;

	folder_enter();
	ar_begin(&ar);
	ar_add(&ar, "a.o/", ELF_BYTES, 4);
	ar_add(&ar, "b.o/", ELF_BYTES "bb", 6);
	file_write("lib.a", ar.bytes, ar.size);
	file_write("text", "text", 4);
	file_write("x(y)", ELF_BYTES, 4);
	ck_assert_int_eq(image_list_add(&list, "lib.a(b.o)", &error), 0);
	expect_list(&list, "lib.a(b.o) 6 132 5 named\n");
	ck_assert_int_eq(image_list_add(&list, "lib.a(c.o)", &error), -1);
	ck_assert_str_eq(error.message, "lib.a(c.o): No such file or directory");
	ck_assert_int_eq(image_list_add(&list, "text(b.o)", &error), -1);
	ck_assert_int_eq(image_list_add(&list, "lib.a(b.o", &error), -1);
	ck_assert_int_eq(image_list_add(&list, "(b.o)", &error), -1);
	ck_assert_uint_eq(list.count, 1);
	ck_assert_int_eq(image_list_add(&list, "x(y)", &error), 0);
	expect_list(&list, "lib.a(b.o) 6 132 5 named\nx(y) 4 0 0 named\n");
	image_list_deinit(&list);
	folder_remove();
}
END_TEST

START_TEST(what_can_not_be_read_is_counted)
{
	struct image_list list = { 0 };
	struct error error = { 0 };

	if (!geteuid()) {
		/* Root reads everything. */
		if (seteuid(65534)) {
			printf("SKIP there is no other user to be: %s\n", strerror(errno));
			return;
		}
	}
	folder_enter();
	ck_assert_int_eq(mkdir("d", 0755), 0);
	file_write("d/elf", ELF_BYTES, 4);
	file_write("d/secret", ELF_BYTES, 4);
	ck_assert_int_eq(mkdir("d/listed", 0755), 0);
	file_write("d/listed/elf", ELF_BYTES, 4);
	ck_assert_int_eq(mkdir("d/closed", 0) + chmod("d/secret", 0) + chmod("d/listed", 0444), 0);
	ck_assert_int_eq(image_list_add(&list, "d", &error), 0);
	expect_list(&list, "d/elf 4 0 0\n");
	ck_assert_uint_eq(list.unreadable, 3);
	ck_assert_int_eq(image_list_add(&list, "d/closed", &error), -1);
	ck_assert_str_eq(error.message, "d/closed: Permission denied");
	ck_assert_int_eq(chmod("d/listed", 0755), 0);
	image_list_deinit(&list);
	folder_remove();
	/* Leaks are looked for as who it was, by a process that may be looked at. */
	ck_assert_int_eq(seteuid(getuid()) + prctl(PR_SET_DUMPABLE, 1), 0);
}
END_TEST

/* ---- images --------------------------------------------------------------------------------- */

START_TEST(images_are_opened)
{
	struct image_list list = { 0 };
	struct opened_image opened;
	struct error error = { 0 };
	struct diff_image image;
	struct stat status;
	struct ar ar;

	folder_enter();
	diff_image_make(&image);
	file_write("image", image.bytes, image.size);
	ar_begin(&ar);
	ar_add(&ar, "a.o/", image.bytes, image.size);
	ar_add(&ar, "b.o/", ELF_BYTES, 4);
	file_write("lib.a", ar.bytes, ar.size);
	ck_assert_int_eq(image_list_add(&list, "image", &error), 0);
	ck_assert_int_eq(image_list_add(&list, "lib.a", &error), 0);
	ck_assert_uint_eq(list.count, 3);

	ck_assert_int_eq(image_path_open(&list.image[0], &opened, &error), 0);
	ck_assert_str_eq(opened.file, "image");
	ck_assert_str_eq(opened.image->path, "image");
	ck_assert_uint_gt(opened.image->eh_frame.size, 0);
	ck_assert_int_eq(opened.copy.fd, 0);
	image_path_close(&opened);
	ck_assert_ptr_null(opened.image);

	ck_assert_msg(!image_path_open(&list.image[1], &opened, &error), "%s", error.message);
	ck_assert_str_eq(opened.file, opened.copy.path);
	ck_assert_int_eq(stat(opened.file, &status), 0);
	ck_assert_int_eq(status.st_size, (off_t)image.size);
	ck_assert_str_eq(opened.image->path, "lib.a(a.o)");
	ck_assert_uint_gt(opened.image->eh_frame.size, 0);
	image_path_close(&opened);
	ck_assert(!opened.image && !opened.copy.fd);
	image_path_close(&opened);

	ck_assert_int_eq(image_path_open(&list.image[2], &opened, &error), -1);
	ck_assert(!opened.image && !opened.copy.fd);
	list.image[1].bytes += ar.size;
	ck_assert_int_eq(image_path_open(&list.image[1], &opened, &error), -1);
	ck_assert(!opened.image && !opened.copy.fd);
	ck_assert_int_eq(error.code, ERROR_ELF_BOUNDS);
	list.image[1].bytes = 0; /* a list has none so short */
	ck_assert_int_eq(image_path_open(&list.image[1], &opened, &error), -1);
	ck_assert_str_eq(error.message, "mmap: Invalid argument");
	list.image[0].error = malloc(sizeof(error));
	ck_assert_ptr_nonnull(list.image[0].error);
	error_set(list.image[0].error, ERROR_PROTOCOL, NULL, 7, "why");
	ck_assert_int_eq(image_path_open(&list.image[0], &opened, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_uint_eq(error.offset, 7);
	ck_assert_str_eq(error.message, "why");
	image_list_deinit(&list);
	folder_remove();
}
END_TEST

SUITE(image_list, TEST(members_that_are_elf_files_are_given), TEST(members_are_told_apart),
      TEST(members_that_are_not_checked_are_given),
      LOOP(names_that_stand_before_the_bytes, bsd_cases), TEST(a_name_as_long_as_a_path),
      TIMES(an_archive_must_be_read_to_its_end, 2), LOOP(files_that_are_no_archives, others),
      TEST(a_member_s_copy), TEST(a_folder_stands_for_what_is_below), TEST(a_file_counts_once),
      TEST(what_is_named_is_kept), TEST(a_member_is_named_as_lists_name_it),
      TEST(what_can_not_be_read_is_counted), TEST(images_are_opened))
