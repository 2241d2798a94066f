/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_copy.c - where what comes back by name comes to
 */
#include <archive.h>
#include <archive_entry.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/guest_copy.h"

/* guest NULL: it is wrong. */
static const struct {
	const char *argument, *guest, *host;
} parsed[] = {
	{ "/out", "/out", NULL }, { "/out:x", "/out", "x" }, { "/a/b/:x/", "/a/b/", "x/" },
	{ "/:x", "/", "x" },	  { "/..:x", "/..", "x" },   { "/:x/", NULL, NULL },
	{ "/", NULL, NULL },	  { "/a/..", NULL, NULL },   { "out", NULL, NULL },
	{ "", NULL, NULL },	  { ":x", NULL, NULL },	     { "/out:", NULL, NULL },
};

START_TEST(option_is_two_paths)
{
	char argument[64];
	struct copy_out copy;
	const char *wrong;

	strcpy(argument, parsed[_i].argument);
	wrong = copy_out_parse(argument, &copy);
	ck_assert_msg(!wrong == (parsed[_i].guest != NULL), "%s: %s", parsed[_i].argument, wrong);
	if (wrong)
		return;
	ck_assert_str_eq(copy.guest, parsed[_i].guest);
	ck_assert(!copy.host == !parsed[_i].host &&
		  (!copy.host || !strcmp(copy.host, parsed[_i].host)));
}
END_TEST

/* A file of one byte, at name or below it. */
static size_t make_archive(const char *name, const char *below, char *ret, size_t size)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	char path[128];
	size_t used;

	snprintf(path, sizeof(path), "%s%s", name, below);
	archive_write_set_format_cpio_newc(archive);
	ck_assert_int_eq(archive_write_open_memory(archive, ret, size, &used), ARCHIVE_OK);
	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, S_IFREG | 0644);
	archive_entry_set_size(entry, 1);
	ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
	archive_write_data(archive, "x", 1);
	archive_entry_free(entry);
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

/* The archive's one file is below the name that it was asked for under. */
static const struct {
	const char *guest, *host, *several, *below, *becomes;
} places[] = {
	{ "/a/out", NULL, NULL, "/f", "out/f" },
	{ "/a/out/", NULL, NULL, "", "out" },
	{ "/a/out", "x", NULL, "/f", "x/f" },
	{ "/a/out", "there/x", NULL, "/f", "there/x/f" },
	{ "/a/out", "there/", NULL, "", "there/out" },
	{ "/a/out", "there", NULL, "/f", "there/f" },
	{ "/a/out", ".", NULL, "/f", "f" },
	{ "/a/out", "link", NULL, "/f", "there/f" },
	{ "/a/out", "x", "6.1.0", "/f", "x/6.1.0/f" },
	{ "/a/out", NULL, "6.1.0", "", "out/6.1.0" },
};

START_TEST(copy_becomes_what_was_asked_for)
{
	const struct copy_out wanted[] = { { places[_i].guest, places[_i].host },
					   { "/never", "n" } };
	struct copies_out copies;
	struct error error = { 0 };
	char archive[16384];
	size_t size;

	folder_enter();
	ck_assert(!mkdir("there", 0755) && !symlink("there", "link"));
	ck_assert_msg(!copies_out_begin(&copies, wanted, 2, places[_i].several, &error), "%s",
		      error.message);
	size = make_archive(copies.list[0].name, places[_i].below, archive, sizeof(archive));
	copies_out_take(&copies, 0, archive, 100);
	copies_out_take(&copies, 2, "nobody's", 8);
	copies_out_take(&copies, 0, archive + 100, size - 100);
	ck_assert_int_eq(copies_out_unpack(&copies, &error), 1);
	ck_assert_str_eq(error.message, "/never did not come back from the guest");
	ck_assert_uint_eq(copies.one[0].files, 1);
	ck_assert_uint_eq(copies.one[1].files, 0);
	ck_assert_msg(!access(places[_i].becomes, F_OK), "%s", places[_i].becomes);
	copies_out_deinit(&copies);
	folder_remove();
}
END_TEST

START_TEST(another_name_is_refused)
{
	const struct copy_out wanted = { "/out", "x" };
	struct copies_out copies;
	struct error error = { 0 };
	char archive[16384];
	size_t size = make_archive("y", "", archive, sizeof(archive));

	folder_enter();
	ck_assert(!copies_out_begin(&copies, &wanted, 1, NULL, &error));
	copies_out_take(&copies, 0, archive, size);
	ck_assert_int_eq(copies_out_unpack(&copies, &error), -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert(access("y", F_OK));
	copies_out_deinit(&copies);
	folder_remove();
}
END_TEST

SUITE(guest_copy, LOOP(option_is_two_paths, parsed), LOOP(copy_becomes_what_was_asked_for, places),
      TEST(another_name_is_refused))
