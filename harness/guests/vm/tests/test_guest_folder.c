/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_folder.c - what of a directory a guest gets, and what is too much
 *
 * lstat() is this program's own: files whose name begins with "mounted" are another file system's,
 * and one that is called "gone" is not there any more.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/guest_files.h"

int lstat(const char *path, struct stat *ret)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	if (!strcmp(name, "gone")) {
		errno = ENOENT;
		return -1;
	}
	if (fstatat(AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW))
		return -1;
	ret->st_dev += !strncmp(name, "mounted", 7);
	return 0;
}

static void run(const char *commands)
{
	char text[512];

	snprintf(text, sizeof(text), "cd %s && %s", folder, commands);
	ck_assert_msg(!system(text), "%s", text);
}

/* A line for each, in order: d directory, f file, l link and its target. */
static int listed(char *ret, size_t size, struct error *error)
{
	struct guest_files files = { 0 };
	FILE *sort;
	char list[128];
	int status = guest_files_add_folder(&files, folder, "/g", error);

	snprintf(list, sizeof(list), "sort >%s.list", folder);
	sort = popen(list, "we");
	for (size_t i = 0; i < files.count; i++) {
		const struct guest_path *file = &files.file[i];

		if (file->link)
			fprintf(sort, "%s l %s\n", file->guest, file->link);
		else
			fprintf(sort, "%s %s\n", file->guest, file->host ? "f" : "d");
		ck_assert(!file->host || !strncmp(file->host, folder, strlen(folder)));
	}
	ck_assert(!pclose(sort));
	snprintf(list, sizeof(list), "%s.list", folder);
	sort = fopen(list, "re");
	ret[fread(ret, 1, size - 1, sort)] = '\0';
	fclose(sort);
	unlink(list);
	guest_files_deinit(&files);
	return status;
}

static const struct {
	const char *name, *commands, *list, *message;
} cases[] = {
	{ "nothing", ":", "/g d\n", NULL },
	{ "files_and_directories",
	  "mkdir -p a/b c && echo x >a/b/f && echo x >.hidden && echo x >..more && echo x >...",
	  "/g d\n/g/... f\n/g/..more f\n/g/.hidden f\n/g/a d\n/g/a/b d\n/g/a/b/f f\n/g/c d\n",
	  NULL },
	{ "links_as_they_are", "mkdir d && ln -s d l && ln -s /nowhere m && ln -s l/../n o",
	  "/g d\n/g/d d\n/g/l l d\n/g/m l /nowhere\n/g/o l l/../n\n", NULL },
	{ "others_are_left_out", "mkfifo p && echo x >f", "/g d\n/g/f f\n", NULL },
	{ "other_file_systems_are_left_out",
	  "mkdir mounted d && echo x >mounted/f && echo x >d/mounted2 && ln -s x mounted3 && "
	  "echo x >z",
	  "/g d\n/g/d d\n/g/z f\n", NULL },
	{ "a_program_that_can_t_run", "printf '#!/nonexistent/interpreter\\n' >s", "/g d\n/g/s f\n",
	  NULL },
	{ "a_damaged_program", "printf '\\177ELF\\2\\1\\1' >s", "/g d\n/g/s f\n", NULL },
	{ "as_much_as_there_may_be", "truncate -s 512M a && truncate -s 512M b",
	  "/g d\n/g/a f\n/g/b f\n", NULL },
	{ "a_byte_more", "truncate -s 512M a && mkdir d && truncate -s 536870913 d/b", NULL,
	  " has more than 1024 MB: " },
	{ "gone_meanwhile", "echo x >gone", NULL, "/gone: No such file" },
};

START_TEST(test_contents)
{
	struct error error = { 0 };
	char list[1024];

	run(cases[_i].commands);
	int status = listed(list, sizeof(list), &error);

	ck_assert_msg(!status == !cases[_i].message, "%s: %s", cases[_i].name, error.message);
	ck_assert_msg(!cases[_i].list || !strcmp(list, cases[_i].list), "%s:\n%s", cases[_i].name,
		      list);
	ck_assert_msg(!cases[_i].message || (strstr(error.message, cases[_i].message) &&
					     !strncmp(error.message, folder, strlen(folder))),
		      "%s: %s", cases[_i].name, error.message);
}
END_TEST

START_TEST(test_depth)
{
	struct error error = { 0 };
	char list[65536];

	run("i=0; while [ $i -lt 64 ]; do mkdir d && cd d || exit; i=$((i + 1)); done; >f");
	ck_assert_msg(!listed(list, sizeof(list), &error), "%s", error.message);
	ck_assert_ptr_nonnull(strstr(list, "/d/f f\n"));
	run("i=0; while [ $i -lt 64 ]; do cd d || exit; i=$((i + 1)); done; mkdir d");
	ck_assert_int_eq(listed(list, sizeof(list), &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_ptr_nonnull(strstr(error.message, ": directories nest too deep"));
}
END_TEST

/* A folder that is named by a link is that folder, on the file system where it is. */
START_TEST(test_a_link_to_the_folder)
{
	struct guest_files files = { 0 };
	struct error error = { 0 };
	char path[128];

	run("mkdir d && echo x >d/f && ln -s d mounted");
	snprintf(path, sizeof(path), "%s/mounted", folder);
	ck_assert_msg(!guest_files_add_folder(&files, path, "/g", &error), "%s", error.message);
	ck_assert_uint_eq(files.count, 2);
	ck_assert_str_eq(files.file[1].guest, "/g/f");
	guest_files_deinit(&files);
}
END_TEST

/* A script's program is what env(1) finds, with what that needs; one that is nowhere it will miss, and say so. */
START_TEST(test_program_that_env_finds)
{
	static const char *const programs[] = { "-S sh -e", "no_such_program" };
	char text[128], place[PATH_MAX];
	struct error error = { 0 };

	ck_assert(!guest_path_normalise("/usr/bin/sh", place, sizeof(place), &error));
	for (int i = 0; i < 2; i++) {
		struct guest_files files = { 0 };
		bool found = false;

		snprintf(text, sizeof(text), "echo '#!/usr/bin/env %s' >script", programs[i]);
		run(text);
		snprintf(text, sizeof(text), "%s/script", folder);
		ck_assert_msg(!guest_files_add(&files, text, NULL, &error), "%s", error.message);
		for (size_t j = 0; j < files.count; j++)
			found |= !strcmp(files.file[j].guest, place);
		ck_assert_msg(found == !i, "%s", programs[i]);
		guest_files_deinit(&files);
	}
}
END_TEST

START_TEST(test_what_is_no_directory)
{
	struct guest_files files = { 0 };
	struct error error = { 0 };
	int before = dup(STDIN_FILENO), after;

	close(before);
	ck_assert_int_eq(guest_files_add_folder(&files, "/nonexistent/x", "/g", &error), -1);
	ck_assert(error.code == ERROR_SYSTEM && !strncmp(error.message, "/nonexistent/x: ", 16));
	ck_assert_int_eq(guest_files_add_folder(&files, "/etc/passwd", "/g", &error), -1);
	ck_assert_int_eq(error.system_errno, ENOTDIR);
	ck_assert_int_eq(guest_files_add_folder(&files, folder, "g", &error), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "must be absolute"));
	ck_assert_uint_eq(files.count, 0);
	after = dup(STDIN_FILENO);
	ck_assert_int_eq(after, before);
	close(after);
	guest_files_deinit(&files);
}
END_TEST

SUITE(guest_folder, FIXTURE(folder_make, folder_remove), LOOP(test_contents, cases),
      TEST(test_depth), TEST(test_a_link_to_the_folder), TEST(test_program_that_env_finds),
      TEST(test_what_is_no_directory))
