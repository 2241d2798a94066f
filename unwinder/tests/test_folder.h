/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_folder.h - a folder of a case's own, what is in it, and commands of the shell
 *
 *	SUITE(compare_cost, FIXTURE(folder_begin, folder_end), ...)
 */
#ifndef STACKPROOF_TESTS_TEST_FOLDER_H
#define STACKPROOF_TESTS_TEST_FOLDER_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER_PATH 96 /* bytes of a path in it, with the 0 */

static char folder[32];

/* The command's status: 0 for success. */
__attribute__((format(printf, 1, 2))) static inline int shell(const char *format, ...)
{
	char command[1024];
	va_list arguments;

	va_start(arguments, format);
	ck_assert_int_lt(vsnprintf(command, sizeof(command), format, arguments), sizeof(command));
	va_end(arguments);
	return system(command);
}

static inline void folder_begin(void)
{
	strcpy(folder, "/tmp/stackproof.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* With all that is in it. */
static inline void folder_end(void)
{
	ck_assert_int_eq(shell("rm -r %s", folder), 0);
}

/* Where the file of that name is, or will be. Returns ret. */
static inline char *folder_path(char ret[FOLDER_PATH], const char *file)
{
	ck_assert_int_lt(snprintf(ret, FOLDER_PATH, "%s/%s", folder, file), FOLDER_PATH);
	return ret;
}

#endif
