/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folder_shell.h - commands of the shell, and paths that are kept, in a folder of a test's own
 *
 *	SUITE(compare_cost, FIXTURE(folder_make, folder_remove), ...)
 */
#ifndef STACKPROOF_TESTS_FOLDER_SHELL_H
#define STACKPROOF_TESTS_FOLDER_SHELL_H

#include <stdarg.h>
#include "own_files.h"

#define FOLDER_PATH 96 /* bytes of a path in it, with the 0 */

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

/* Where the file of that name is, or will be. Returns ret. */
static inline char *folder_path(char ret[FOLDER_PATH], const char *file)
{
	ck_assert_int_lt(snprintf(ret, FOLDER_PATH, "%s/%s", folder, file), FOLDER_PATH);
	return ret;
}

#endif
