/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_output.c - what a guest sends back stays in its folder, whatever its names are
 */
#include <archive.h>
#include <archive_entry.h>
#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "vm/guest_output.h"

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

static void path_in(char *ret, size_t size, const char *folder, const char *name)
{
	snprintf(ret, size, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
}

START_TEST(files_stay_in_their_folder)
{
	const struct unpacking *c = &unpackings[_i];
	char folder[] = "/tmp/test_guest_output.XXXXXX", out[64], path[256], archive[16384];
	size_t size = make_archive(c->sent, archive, sizeof(archive)), files;
	struct error error = { 0 };
	struct stat st;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(out, sizeof(out), "%s/out", folder);
	mkdir(out, 0755);
	path_in(path, sizeof(path), folder, "out/old");
	ck_assert(!symlink("/nonexistent/elsewhere", path));
	int status = guest_output_unpack(archive, size, out, &files, &error);
	ck_assert_msg((status == 0) == c->well, "%s: %d %s", c->name, status, error.message);
	ck_assert_msg(!c->well || files == c->files, "%s: %zu files", c->name, files);
	if (c->there) {
		path_in(path, sizeof(path), folder, c->there);
		ck_assert_msg(!lstat(path, &st), "%s: no %s", c->name, path);
		ck_assert_msg(!(st.st_mode & S_ISUID), "%s: setuid", c->name);
	}
	if (c->not_there) {
		path_in(path, sizeof(path), folder, c->not_there);
		ck_assert_msg(lstat(path, &st) != 0, "%s: %s was made", c->name, path);
	}
	snprintf(path, sizeof(path), "rm -r %s", folder);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

START_TEST(archive_that_ends_early_is_an_error)
{
	static const struct sent sent[ENTRIES_MAX] = { { "a", "content" } };
	char folder[] = "/tmp/test_guest_output.XXXXXX", command[64], archive[16384];
	size_t size = make_archive(sent, archive, sizeof(archive)), files;
	struct error error = { 0 };

	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert(!guest_output_unpack(archive, size, folder, &files, &error));
	for (size_t cut = 1; cut < 120; cut += 7)
		ck_assert(guest_output_unpack(archive, cut, folder, &files, &error));
	/* Nothing at all: nothing was written. */
	ck_assert(!guest_output_unpack(archive, 0, folder, &files, &error));
	ck_assert_uint_eq(files, 0);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("guest_output");
	TCase *tcase = tcase_create("guest_output");

	tcase_add_loop_test(tcase, files_stay_in_their_folder, 0,
			    sizeof(unpackings) / sizeof(unpackings[0]));
	tcase_add_test(tcase, archive_that_ends_early_is_an_error);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
