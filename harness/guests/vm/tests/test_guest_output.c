/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_output.c - what a guest sends back stays in its folder, whatever its names are
 */
#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/guest_output.h"

#define ENTRIES_MAX 3

/* A file's content, or behind "->" a link's target, or "/" of a directory. */
struct sent {
	const char *name, *content;
};

static size_t make_archive(const struct sent *sent, char *ret, size_t size)
{
	struct archive *archive = archive_write_new();
	size_t used;

	archive_write_set_format_cpio_newc(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	ck_assert_int_eq(archive_write_open_memory(archive, ret, size, &used), ARCHIVE_OK);
	for (int i = 0; i < ENTRIES_MAX && sent[i].name; i++) {
		struct archive_entry *entry = archive_entry_new();
		const char *content = sent[i].content;
		bool link = !strncmp(content, "->", 2), directory = !strcmp(content, "/");

		archive_entry_set_pathname(entry, sent[i].name);
		archive_entry_set_mode(entry, link	  ? S_IFLNK | 0777
					      : directory ? S_IFDIR | 0755
							  : S_IFREG | 04755);
		archive_entry_set_size(entry, link || directory ? 0 : (la_int64_t)strlen(content));
		if (link)
			archive_entry_set_symlink(entry, content + 2);
		ck_assert_int_eq(archive_write_header(archive, entry), ARCHIVE_OK);
		if (!link && !directory)
			archive_write_data(archive, content, strlen(content));
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
	return used;
}

static const struct unpacking {
	const char *name;
	struct sent sent[ENTRIES_MAX];
	bool well;
	size_t files;
	const char *there, *not_there; /* in the folder that has "out" in it */
} unpackings[] = {
	{ "a file and one below", { { "a", "x" }, { "b/c", "y" } }, true, 2, "out/b/c", NULL },
	{ "an empty directory", { { "d", "/" } }, true, 0, "out/d", NULL },
	{ "a link stays one", { { "a", "x" }, { "l", "->a" } }, true, 1, "out/l", NULL },
	{ "a file as large as a page", { { "p", "0123456789" } }, true, 1, "out/p", NULL },
	{ "up", { { "../up", "x" } }, false, 0, NULL, "up" },
	{ "up in the middle", { { "a/../../up", "x" } }, false, 0, NULL, "up" },
	{ "absolute",
	  { { "/tmp/test_guest_output_absolute", "x" } },
	  false,
	  0,
	  NULL,
	  "/tmp/test_guest_output_absolute" },
	/* A directory takes the link's place. */
	{ "through a link", { { "l", "->.." }, { "l/up", "x" } }, true, 1, "out/l/up", "up" },
	{ "through a link that was there",
	  { { "old/x", "x" } },
	  true,
	  1,
	  "out/old/x",
	  "/nonexistent/elsewhere/x" },
	{ "what was there is replaced", { { "old", "new" } }, true, 1, "out/old", NULL },
};

START_TEST(files_stay_in_their_folder)
{
	const struct unpacking *c = &unpackings[_i];
	char out[64], archive[16384];
	size_t size = make_archive(c->sent, archive, sizeof(archive)), files;
	struct error error = { 0 };
	struct stat st;

	folder_make();
	snprintf(out, sizeof(out), "%s/out", folder);
	mkdir(out, 0755);
	ck_assert(!symlink("/nonexistent/elsewhere", in_folder("out/old")));
	int status = guest_output_unpack(archive, size, out, NULL, &files, &error);
	ck_assert_msg((status == 0) == c->well, "%s: %d %s", c->name, status, error.message);
	ck_assert_msg(!c->well || files == c->files, "%s: %zu files", c->name, files);
	if (c->there) {
		const char *path = in_folder(c->there);

		ck_assert_msg(!lstat(path, &st), "%s: no %s", c->name, path);
		ck_assert_msg(!(st.st_mode & S_ISUID), "%s: setuid", c->name);
	}
	if (c->not_there) {
		const char *path = *c->not_there == '/' ? c->not_there : in_folder(c->not_there);

		ck_assert_msg(lstat(path, &st) != 0, "%s: %s was made", c->name, path);
	}
	folder_remove();
}
END_TEST

static mode_t mode_of(const char *name)
{
	struct stat st;

	ck_assert_msg(!lstat(in_folder(name), &st), "%s", name);
	return st.st_mode;
}

/* The folder is made if it is not there; what lies in it stays. */
START_TEST(what_comes_back_is_what_was_sent)
{
	static const struct sent sent[ENTRIES_MAX] = { { "a", "some\ncontent" },
						       { "l", "->a/b" },
						       { "d", "/" } };
	char out[64], text[64] = "";
	char archive[16384];
	size_t size = make_archive(sent, archive, sizeof(archive)), files;
	struct error error = { 0 };

	umask(0);
	folder_make();
	snprintf(out, sizeof(out), "%s/out", folder);
	for (int times = 0; times < 2; times++) {
		ck_assert_msg(!guest_output_unpack(archive, size, out, NULL, &files, &error), "%s",
			      error.message);
		ck_assert_uint_eq(files, 1);
		ck_assert_uint_eq(mode_of("out"), S_IFDIR | 0777);
		ck_assert_uint_eq(mode_of("out/a"), S_IFREG | 0755);
		ck_assert_uint_eq(mode_of("out/d"), S_IFDIR | 0755);
		ck_assert_int_eq(readlink(in_folder("out/l"), text, sizeof(text)), 3);
		ck_assert(!memcmp(text, "a/b", 3));
		ck_assert_str_eq(file_text(in_folder("out/a")), "some\ncontent");
	}
	folder_remove();
}
END_TEST

/* Each is refused with what is wrong, and where. @ is the folder. */
static const struct {
	const char *name; /* of what was sent */
	const char *out;
	enum error_code code;
	const char *message;
} refusals[] = {
	{ "../up", "@", ERROR_PROTOCOL,
	  "the guest sent a file whose name leads out of the folder: ../up" },
	{ "a/..", "@", ERROR_PROTOCOL,
	  "the guest sent a file whose name leads out of the folder: a/.." },
	{ "/abs", "@", ERROR_PROTOCOL,
	  "the guest sent a file whose name leads out of the folder: /abs" },
	{ "full/a", "@", ERROR_UNAVAILABLE, "can't write @/full/a: " },
	{ "a", "@/file/below", ERROR_SYSTEM, "can't make the folder @/file/below: Not a dir" },
	{ "a", "@/dangling", ERROR_SYSTEM, "@/dangling: No such file or directory" },
};

START_TEST(refusal_has_its_reason)
{
	const struct sent sent[ENTRIES_MAX] = { { refusals[_i].name, "x" } };
	char out[128], archive[16384];
	char expected[256] = "";
	size_t size = make_archive(sent, archive, sizeof(archive)), files = 77;
	struct error error = { 0 };

	folder_make();
	file_write_text(in_folder("file"), "");
	ck_assert(!symlink("/nonexistent/x", in_folder("dangling")));
	/* A folder is needed where a file is, and that is kept: a folder of the name is in it. */
	ck_assert(!mkdir(in_folder("full"), 0755));
	ck_assert(!mkdir(in_folder("full/a"), 0755));
	ck_assert(!mkdir(in_folder("full/a/b"), 0755));
	snprintf(out, sizeof(out), "%s%s", folder, refusals[_i].out + 1);
	for (const char *at = refusals[_i].message; *at; at++)
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%.*s",
			 *at == '@' ? 99 : 1, *at == '@' ? folder : at);
	int status = guest_output_unpack(archive, size, out, NULL, &files, &error);
	ck_assert_msg(status == -1 && !strncmp(error.message, expected, strlen(expected)),
		      "%d %s, not %s", status, error.message, expected);
	ck_assert_int_eq(error.code, refusals[_i].code);
	ck_assert_uint_eq(files, 0);
	folder_remove();
}
END_TEST

/* Of an archive that was asked for under the name "n": whether it is taken, and what must not be there. */
static const struct {
	struct sent sent[ENTRIES_MAX];
	bool taken;
} only_named[] = {
	{ { { "n", "file" } }, true },	    { { { "n", "/" }, { "n/a", "x" } }, true },
	{ { { "n/a/../b", "x" } }, false }, { { { "m", "x" } }, false },
	{ { { "nn", "x" } }, false },	    { { { "n", "/" }, { "n.bashrc", "x" } }, false },
	{ { { "./n", "x" } }, false },	    { { { "/n", "x" } }, false },
	{ { { ".", "/" } }, false },
};

START_TEST(only_what_was_asked_for)
{
	char archive[16384], out[64];
	size_t size = make_archive(only_named[_i].sent, archive, sizeof(archive)), files;
	struct error error = { 0 };

	folder_make();
	snprintf(out, sizeof(out), "%s/out", folder);
	ck_assert_msg(!guest_output_unpack(archive, size, out, "n", &files, &error) ==
			      only_named[_i].taken,
		      "%d: %s", _i, error.message);
	ck_assert(access(in_folder("out/m"), F_OK) && access(in_folder("out/nn"), F_OK) &&
		  access(in_folder("out/n.bashrc"), F_OK));
	folder_remove();
}
END_TEST

START_TEST(what_is_no_archive)
{
	char noise[600];
	struct error error = { 0 };
	size_t files = 77;

	folder_make();
	memset(noise, 'x', sizeof(noise));
	ck_assert_int_eq(guest_output_unpack(noise, sizeof(noise), folder, NULL, &files, &error),
			 -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_msg(!strncmp(error.message, "the guest's files can't be read: ", 33), "%s",
		      error.message);
	ck_assert_uint_eq(files, 0);
	ck_assert(!rmdir(folder));
}
END_TEST

/* Whoever sent it is at fault, and not this machine, which could write. */
START_TEST(archive_that_is_cut_off)
{
	static const struct sent sent[ENTRIES_MAX] = { { "a", "0123456789abcdef" } };
	char archive[16384];
	size_t size = make_archive(sent, archive, sizeof(archive)), files;
	const char *content = memmem(archive, size, "0123456789abcdef", 16);
	struct error error = { 0 };

	ck_assert_ptr_nonnull(content);
	folder_make();
	ck_assert_int_eq(guest_output_unpack(archive, (size_t)(content - archive) + 7, folder, NULL,
					     &files, &error),
			 -1);
	ck_assert_int_eq(error.code, ERROR_PROTOCOL);
	ck_assert_msg(!strncmp(error.message, "the guest's files can't be read: ", 33), "%s",
		      error.message);
	ck_assert_uint_eq(files, 0);
	folder_remove();
}
END_TEST

/* A pipe is left out, and not counted. */
START_TEST(what_is_no_file)
{
	char buffer[16384];
	static const mode_t types[] = { S_IFIFO, S_IFCHR };
	struct archive *archive = archive_write_new();
	struct error error = { 0 };
	size_t size, files = 77;

	archive_write_set_format_cpio_newc(archive);
	ck_assert(!archive_write_open_memory(archive, buffer, sizeof(buffer), &size));
	for (int i = 0; i < 2; i++) {
		struct archive_entry *entry = archive_entry_new();

		archive_entry_set_pathname(entry, i ? "device" : "pipe");
		archive_entry_set_mode(entry, types[i] | 0644);
		archive_entry_set_size(entry, 0);
		ck_assert(!archive_write_header(archive, entry));
		archive_entry_free(entry);
	}
	archive_write_close(archive);
	archive_write_free(archive);
	folder_make();
	ck_assert_msg(!guest_output_unpack(buffer, size, folder, NULL, &files, &error), "%s",
		      error.message);
	ck_assert_uint_eq(files, 0);
	ck_assert(!rmdir(folder));
}
END_TEST

START_TEST(archive_that_ends_early_is_an_error)
{
	static const struct sent sent[ENTRIES_MAX] = { { "a", "content" } };
	char archive[16384];
	size_t size = make_archive(sent, archive, sizeof(archive)), files;
	struct error error = { 0 };

	folder_make();
	ck_assert(!guest_output_unpack(archive, size, folder, NULL, &files, &error));
	for (size_t cut = 1; cut < 120; cut += 7)
		ck_assert(guest_output_unpack(archive, cut, folder, NULL, &files, &error));
	/* Nothing at all: nothing was written. */
	ck_assert(!guest_output_unpack(archive, 0, folder, NULL, &files, &error));
	ck_assert_uint_eq(files, 0);
	folder_remove();
}
END_TEST

SUITE(guest_output, LOOP(files_stay_in_their_folder, unpackings),
      TEST(what_comes_back_is_what_was_sent), LOOP(refusal_has_its_reason, refusals),
      LOOP(only_what_was_asked_for, only_named), TEST(what_is_no_archive),
      TEST(archive_that_is_cut_off), TEST(what_is_no_file),
      TEST(archive_that_ends_early_is_an_error))
