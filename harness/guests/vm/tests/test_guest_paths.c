/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_guest_paths.c - where a path of this machine is in a guest
 *
 * Paths are made plain, and the links of the top directory are followed as they are here: what the
 * host has there is asked of the host itself.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/vm/guest_files.h"

static const struct {
	const char *path, *plain;
} paths[] = {
	{ "/", "" },
	{ "/..", "" },
	{ "/../a", "/a" },
	{ "//a///b/", "/a/b" },
	{ "/a/./b/c/../d/.", "/a/b/d" },
	{ "/a/b/../..", "" },
	{ "/a/b/../../../c", "/c" },
	{ "/a/.../b", "/a/.../b" },
	{ "/a/..b/.c/d./e..", "/a/..b/.c/d./e.." },
	{ "/x/bin/y", "/x/bin/y" },
	{ "/bi/y", "/bi/y" },
	{ "/binx/y", "/binx/y" },
	{ "/a23456789012345/b", "/a23456789012345/b" },
	{ "/a234567890123456/b", "/a234567890123456/b" },
};

START_TEST(paths_are_made_plain)
{
	char ret[128], ends[128];
	struct error error = { 0 };

	for (int i = 0; i < COUNT(paths); i++) {
		size_t size = strlen(paths[i].plain) + 1;

		ck_assert(!guest_path_normalise(paths[i].path, ret, sizeof(ret), &error));
		ck_assert_msg(!strcmp(ret, paths[i].plain), "%s: %s", paths[i].path, ret);
		/* Room for exactly that, and for a byte less. */
		memset(ends, 'x', sizeof(ends));
		ck_assert(!guest_path_normalise(paths[i].path, ends, size, &error));
		ck_assert_str_eq(ends, paths[i].plain);
		ck_assert_int_eq(ends[size], 'x');
		if (size == 1)
			continue;
		ck_assert_int_eq(guest_path_normalise(paths[i].path, ends, size - 1, &error), -1);
		ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
		ck_assert(strstr(error.message, ": path too long") &&
			  !strncmp(error.message, paths[i].path, strlen(paths[i].path)));
	}
	ck_assert_int_eq(guest_path_normalise("a/b", ret, sizeof(ret), &error), -1);
	ck_assert_str_eq(error.message, "a/b: a path in the guest must be absolute");
	ck_assert_int_eq(guest_path_normalise("", ret, sizeof(ret), &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
}
END_TEST

START_TEST(longest_path)
{
	static char path[PATH_MAX + 2], ret[2 * PATH_MAX];
	struct error error = { 0 };

	memset(path, 'a', PATH_MAX - 1);
	path[0] = '/';
	ck_assert(!guest_path_normalise(path, ret, sizeof(ret), &error));
	ck_assert_str_eq(ret, path);
	path[PATH_MAX - 1] = 'a';
	ck_assert_int_eq(guest_path_normalise(path, ret, sizeof(ret), &error), -1);
	ck_assert(strstr(error.message, ": path too long"));
}
END_TEST

/* What is below one of the host's links is where the link leads, in the guest too. */
START_TEST(links_of_the_top)
{
	static const char *const name[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };
	char path[128], target[128], expected[300], ret[300], other[128];
	struct error error = { 0 };

	for (int i = 0; i < COUNT(name); i++) {
		ssize_t length;

		ck_assert_str_eq(guest_link_name(i), name[i]);
		snprintf(path, sizeof(path), "/%s", name[i]);
		length = readlink(path, target, sizeof(target) - 1);
		target[length < 0 ? 0 : length] = '\0';
		ck_assert_int_eq(guest_link_target(name[i], other, sizeof(other)),
				 length > 0 && target[0] != '/' && !strstr(target, "..") ? 0 : -1);
		if (guest_link_target(name[i], other, sizeof(other)))
			strcpy(target, name[i]);
		else
			ck_assert_str_eq(other, target);
		snprintf(expected, sizeof(expected), "/%s/x/y", target);
		snprintf(path, sizeof(path), "/%s//x/./y", name[i]);
		ck_assert(!guest_path_normalise(path, ret, sizeof(ret), &error));
		ck_assert_str_eq(ret, expected);
		ck_assert(!guest_path_normalise(path, ret, strlen(expected) + 1, &error));
		for (size_t size = strlen(expected); size; size--)
			ck_assert_int_eq(guest_path_normalise(path, ret, size, &error), -1);
		*strstr(expected, "/x/y") = '\0';
		snprintf(path, sizeof(path), "/%s", name[i]);
		ck_assert(!guest_path_normalise(path, ret, sizeof(ret), &error));
		ck_assert_str_eq(ret, expected);
	}
	ck_assert_ptr_null(guest_link_name(COUNT(name)));
	/* Below the top there are links of every kind. */
	snprintf(expected, sizeof(expected), "%d", getpid());
	ck_assert(!guest_link_target("proc/self", ret, sizeof(ret)));
	ck_assert_str_eq(ret, expected);
	ck_assert(!guest_link_target("proc/self", ret, strlen(expected) + 1));
	ck_assert_str_eq(ret, expected);
	ck_assert_int_eq(guest_link_target("proc/self/exe", ret, sizeof(ret)), -1);
	ck_assert_int_eq(guest_link_target("proc/version", ret, sizeof(ret)), -1);
	ck_assert_int_eq(guest_link_target("nonexistent", ret, sizeof(ret)), -1);
	if (readlink("/sys/class/net/lo", target, sizeof(target)) > 0 && target[0] == '.')
		ck_assert_int_eq(guest_link_target("sys/class/net/lo", ret, sizeof(ret)), -1);
}
END_TEST

START_TEST(relative_paths_are_the_working_directorys)
{
	char folder[] = "/tmp/test_guest_paths.XXXXXX", ret[256], expected[256];
	struct error error = { 0 };

	ck_assert(mkdtemp(folder) && !chdir(folder));
	snprintf(expected, sizeof(expected), "%s/a/../b", folder);
	ck_assert(!guest_path_absolute("a/../b", ret, strlen(expected) + 1, &error));
	ck_assert_str_eq(ret, expected);
	ck_assert_int_eq(guest_path_absolute("a/../b", ret, strlen(expected), &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.message, "a/../b: the path is too long");
	ck_assert(!guest_path_absolute("/a/b", ret, 5, &error));
	ck_assert_str_eq(ret, "/a/b");
	ck_assert_int_eq(guest_path_absolute("/a/b", ret, 4, &error), -1);
	/* One that is gone: only an absolute path needs no other. */
	ck_assert(!mkdir("gone", 0700) && !chdir("gone") && !rmdir("../gone"));
	ck_assert_int_eq(guest_path_absolute("a", ret, sizeof(ret), &error), -1);
	ck_assert(error.code == ERROR_SYSTEM && strstr(error.message, "the working directory"));
	ck_assert(!guest_path_absolute("/a", ret, sizeof(ret), &error));
	ck_assert_str_eq(ret, "/a");
	ck_assert(!chdir("/") && !rmdir(folder));
}
END_TEST

SUITE(guest_paths, TEST(paths_are_made_plain), TEST(longest_path), TEST(links_of_the_top),
      TEST(relative_paths_are_the_working_directorys))
