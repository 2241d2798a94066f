/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cache.c - where the cache is, and that files appear in it whole or not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "guests/vm/cache.h"

static size_t most_at_once; /* bytes of a write(); 0: as many as they are */
static int interrupted;	    /* so often before */
static bool writes_nothing;

ssize_t write(int fd, const void *data, size_t size)
{
	if (interrupted > 0 && interrupted--) {
		errno = EINTR;
		return -1;
	}
	if (most_at_once && size > most_at_once)
		size = most_at_once;
	return syscall(SYS_write, fd, data, writes_nothing ? 0 : size);
}

static const char *below(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static const struct {
	const char *own, *xdg, *home, *path; /* NULL: there is none */
} places[] = {
	{ "/own", "/xdg", "/home/me", "/own/a/b" },
	{ "own", NULL, NULL, "own/a/b" },
	{ NULL, "/xdg", "/home/me", "/xdg/stackproof/a/b" },
	{ "", "/xdg", NULL, "/xdg/stackproof/a/b" },
	/* The specification says of what is relative that it is ignored. */
	{ NULL, "xdg", "/home/me", "/home/me/.cache/stackproof/a/b" },
	{ NULL, "", "/home/me", "/home/me/.cache/stackproof/a/b" },
	{ "", NULL, "/", "//.cache/stackproof/a/b" },
	{ NULL, NULL, "me", NULL },
	{ NULL, NULL, "", NULL },
	{ "", "", NULL, NULL },
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

START_TEST(cache_is_where_the_user_says)
{
	char path[256];
	struct error error = { 0 };
	int status;

	set("STACKPROOF_CACHE", places[_i].own);
	set("XDG_CACHE_HOME", places[_i].xdg);
	set("HOME", places[_i].home);
	status = cache_path("a/b", path, sizeof(path), &error);
	ck_assert_int_eq(status, places[_i].path ? 0 : -1);
	if (places[_i].path)
		ck_assert_str_eq(path, places[_i].path);
	else
		ck_assert_msg(strstr(error.message, "neither STACKPROOF_CACHE nor HOME") != NULL,
			      "%s", error.message);
}
END_TEST

START_TEST(path_of_the_cache_fits_or_is_refused)
{
	struct error error = { 0 };
	char path[9];

	setenv("STACKPROOF_CACHE", "/own", 1);
	ck_assert_int_eq(cache_path("abc", path, 9, &error), 0);
	ck_assert_str_eq(path, "/own/abc");
	ck_assert_int_eq(cache_path("abc", path, 8, &error), -1);
	ck_assert(strstr(error.message, "path too long"));
}
END_TEST

START_TEST(directories_are_made_as_needed)
{
	struct error error = { 0 };
	char path[PATH_MAX + 1];
	struct stat st;

	umask(0);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(!make_directories(below("a/b/c"), &error), "%s", error.message);
	/* Nobody else writes into it. */
	ck_assert(!stat(below("a"), &st));
	ck_assert_int_eq(st.st_mode & 07777, 0755);
	ck_assert(!stat(below("a/b/c"), &st) && S_ISDIR(st.st_mode));
	ck_assert(!make_directories(below("d/"), &error) && !access(below("d"), F_OK));
	ck_assert(!chdir(folder) && !make_directories("r/s", &error));
	ck_assert(!access(below("r/s"), F_OK) && !chdir("/"));
	ck_assert(!write_file_atomically(below("file"), "x", 1, &error));
	ck_assert_int_eq(make_directories(below("file/e"), &error), -1);
	ck_assert_int_eq(error.system_errno, ENOTDIR);
	ck_assert_msg(strstr(error.message, "can't create ") != NULL, "%s", error.message);
	memset(path, '/', sizeof(path));
	path[PATH_MAX - 1] = '\0';
	ck_assert(!make_directories(path, &error));
	path[PATH_MAX - 1] = '/';
	path[PATH_MAX] = '\0';
	ck_assert_int_eq(make_directories(path, &error), -1);
	ck_assert(strstr(error.message, "path too long"));
}
END_TEST

START_TEST(tree_is_removed_and_nothing_else)
{
	struct error error = { 0 };
	char tree[256];

	snprintf(tree, sizeof(tree), "%s", below("tree"));
	ck_assert(!make_directories(below("tree/a/b"), &error));
	ck_assert(!make_directories(below("other/a"), &error));
	ck_assert(!write_file_atomically(below("tree/a/file"), "x", 1, &error));
	ck_assert(!symlink("../other", below("tree/link")));
	remove_tree(tree);
	ck_assert(access(tree, F_OK) && errno == ENOENT);
	ck_assert(!access(below("other/a"), F_OK));
	remove_tree(tree);
}
END_TEST

START_TEST(file_is_replaced)
{
	struct error error = { 0 };
	char content[16], *large = malloc(1 << 20);
	struct stat st;

	umask(0077);
	ck_assert(!write_file_atomically(below("file"), "a first text", 12, &error));
	ck_assert(!write_file_atomically(below("file"), "second", 6, &error));
	ck_assert(!read_small_file(below("file"), content, sizeof(content)));
	ck_assert_str_eq(content, "second");
	/* Other users' processes read it, whatever this one's umask is. */
	ck_assert(!stat(below("file"), &st));
	ck_assert_int_eq(st.st_mode & 07777, 0644);
	memset(large, 'x', 1 << 20);
	ck_assert(!write_file_atomically(below("file"), large, 1 << 20, &error));
	ck_assert(!stat(below("file"), &st) && st.st_size == 1 << 20);
	free(large);
	ck_assert(!write_file_atomically(below("file"), "", 0, &error));
	ck_assert(!stat(below("file"), &st) && st.st_size == 0);
}
END_TEST

/* In as many parts as it takes; one that takes none is an error. */
START_TEST(file_is_written_in_parts)
{
	struct error error = { 0 };
	char content[32];

	most_at_once = 3;
	interrupted = 2;
	ck_assert(!write_file_atomically(below("file"), "0123456789", 10, &error));
	most_at_once = 0;
	ck_assert(!read_small_file(below("file"), content, sizeof(content)));
	ck_assert_str_eq(content, "0123456789");
	writes_nothing = true;
	int status = write_file_atomically(below("file"), "x", 1, &error);
	writes_nothing = false;
	ck_assert_int_eq(status, -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert(!read_small_file(below("file"), content, sizeof(content)));
	ck_assert_str_eq(content, "0123456789");
}
END_TEST

/* What can't take its place leaves nothing behind. */
START_TEST(file_that_cannot_be_written)
{
	struct error error = { 0 };

	ck_assert(!make_directories(below("a/file/b"), &error));
	ck_assert_int_eq(write_file_atomically(below("a/file"), "x", 1, &error), -1);
	ck_assert_msg(strstr(error.message, "can't write ") != NULL, "%s", error.message);
	ck_assert_int_eq(rmdir(below("a/file/b")) | rmdir(below("a/file")) | rmdir(below("a")), 0);
	ck_assert_int_eq(write_file_atomically(below("a/file"), "x", 1, &error), -1);
	ck_assert_msg(strstr(error.message, "can't create ") != NULL, "%s", error.message);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_msg(fcntl(STDIN_FILENO, F_GETFD) >= 0, "it closed what is not its own");
}
END_TEST

/* A limit stands in for a full disk: what was there stays, and nothing else. What the last error was
 * does not matter. */
START_TEST(file_for_which_there_is_no_room)
{
	const struct rlimit limit = { 10000, 10000 };
	struct error error = { 0 };
	static char large[30000];
	char content[16];

	signal(SIGXFSZ, SIG_IGN);
	ck_assert(!setrlimit(RLIMIT_FSIZE, &limit));
	errno = EINTR;
	ck_assert(!write_file_atomically(below("file"), "old", 3, &error));
	int input = dup(STDIN_FILENO);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(write_file_atomically(below("file"), large, sizeof(large), &error),
				 -1);
		ck_assert_int_eq(error.system_errno, EFBIG);
		if (!i)
			close(STDIN_FILENO);
	}
	bool left_open = fcntl(STDIN_FILENO, F_GETFD) >= 0;
	dup2(input, STDIN_FILENO);
	ck_assert(!left_open);
	ck_assert(!read_small_file(below("file"), content, sizeof(content)));
	ck_assert_str_eq(content, "old");
	ck_assert(!unlink(below("file")) && !rmdir(folder) && !mkdir(folder, 0700));
}
END_TEST

START_TEST(small_file_is_read_as_far_as_there_is_room)
{
	struct error error = { 0 };
	char content[6] = "old";

	ck_assert_int_eq(read_small_file(below("file"), content, sizeof(content)), -1);
	ck_assert_str_eq(content, "");
	ck_assert(!write_file_atomically(below("file"), "123456789", 9, &error));
	ck_assert_int_eq(read_small_file(below("file"), content, sizeof(content)), 0);
	ck_assert_str_eq(content, "12345");
	strcpy(content, "old");
	ck_assert_int_eq(read_small_file(folder, content, sizeof(content)), -1);
	ck_assert_str_eq(content, "");
}
END_TEST

/* A program that was started without it: the first descriptor is free, and is free again after. */
START_TEST(files_without_standard_input)
{
	struct error error = { 0 };
	char content[16];
	int input = dup(STDIN_FILENO), wrong = 0;

	ck_assert(!make_directories(below("folder/a"), &error));
	close(STDIN_FILENO);
	if (write_file_atomically(below("file"), "text", 4, &error) ||
	    fcntl(STDIN_FILENO, F_GETFD) >= 0)
		wrong = 1;
	else if (read_small_file(below("file"), content, sizeof(content)) ||
		 strcmp(content, "text") || fcntl(STDIN_FILENO, F_GETFD) >= 0)
		wrong = 2;
	else if (!write_file_atomically(below("folder"), "text", 4, &error) ||
		 fcntl(STDIN_FILENO, F_GETFD) >= 0)
		wrong = 3;
	else if (!read_small_file(folder, content, sizeof(content)) ||
		 fcntl(STDIN_FILENO, F_GETFD) >= 0)
		wrong = 4;
	dup2(input, STDIN_FILENO);
	ck_assert_int_eq(wrong, 0);
}
END_TEST

SUITE(cache, FIXTURE(folder_make, folder_remove), LOOP(cache_is_where_the_user_says, places),
      TEST(path_of_the_cache_fits_or_is_refused), TEST(directories_are_made_as_needed),
      TEST(tree_is_removed_and_nothing_else), TEST(file_is_replaced),
      TEST(file_is_written_in_parts), TEST(file_that_cannot_be_written),
      TEST(file_for_which_there_is_no_room), TEST(small_file_is_read_as_far_as_there_is_room),
      TEST(files_without_standard_input))
