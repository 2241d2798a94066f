/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_files.h - a folder of a test's own, and the files in it
 *
 * A case makes the folder before it begins, or stands in it, and removes it with all that it has when it ends. What
 * can't be done fails the case.
 */
#ifndef STACKPROOF_TESTS_OWN_FILES_H
#define STACKPROOF_TESTS_OWN_FILES_H

#include <check.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "freed.h"

#define OWN_FOLDER "/tmp/stackproof-test.XXXXXX"

static char folder[sizeof(OWN_FOLDER)] __attribute__((unused)); /* absolute */

static inline void folder_make(void)
{
	strcpy(folder, OWN_FOLDER);
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static inline void folder_enter(void)
{
	folder_make();
	ck_assert_int_eq(chdir(folder), 0);
}

static inline int tree_remove_one(const char *path, const struct stat *status, int type,
				  struct FTW *walk)
{
	return remove(path);
}

/* A folder with all that is in it. What links lead to stays. */
static inline void tree_remove(const char *path)
{
	ck_assert_msg(!nftw(path, tree_remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT), "%s",
		      path);
}

/* The working directory is / then. */
static inline void folder_remove(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	tree_remove(folder);
}

/* Its path; valid until the fourth call after this one. */
static inline const char *in_folder(const char *name)
{
	static char paths[4][4096];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static inline void file_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	ck_assert_msg(file != NULL, "%s", path);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

static inline void file_write_text(const char *path, const char *text)
{
	file_write(path, text, strlen(text));
}

/* A file in the folder. */
static inline void folder_put(const char *name, const void *bytes, size_t size, mode_t mode)
{
	file_write(in_folder(name), bytes, size);
	ck_assert_int_eq(chmod(in_folder(name), mode), 0);
}

/* What the file holds, "" if there is none; valid until the next call. *ret_size: NULL, or its bytes. */
static inline const char *file_read(const char *path, size_t *ret_size)
{
	static char bytes[64 << 20]; /* it may have the test's program in it */
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(bytes, 1, sizeof(bytes) - 1, file) : 0;

	if (file)
		fclose(file);
	bytes[size] = '\0';
	if (ret_size)
		*ret_size = size;
	return bytes;
}

static inline const char *file_text(const char *path)
{
	return file_read(path, NULL);
}

/* Programs in the folder are found before others. */
static inline void folder_in_path(void)
{
	char path[8192];

	snprintf(path, sizeof(path), "%s:%s", folder, getenv("PATH"));
	setenv("PATH", path, 1);
}

/* One that can be run. */
static inline void program_write(const char *path, const char *text)
{
	file_write_text(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

#endif
