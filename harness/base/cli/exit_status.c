/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * exit_status.c - what several commands say with their exit status
 */
#include <errno.h>
#include "exit_status.h"

/* What is wrong with a system call's file, and not with the system. */
static bool is_of_the_file(int number)
{
	return number == ENOENT || number == EACCES || number == ENOEXEC;
}

enum exit_status exit_status_of_error(const struct error *error)
{
	switch (error->code) {
	case ERROR_SYSTEM:
		return is_of_the_file(error->system_errno) ? EXIT_BAD_INPUT : EXIT_ENVIRONMENT;
	case ERROR_NONE:
	case ERROR_TABLE_LIMIT: /* of ours */
	case ERROR_MEMORY:
	case ERROR_UNAVAILABLE:
	case ERROR_PROTOCOL:
	case ERROR_TIMEOUT: return EXIT_ENVIRONMENT;
	default: return EXIT_BAD_INPUT; /* what an image, its CFI or a text says */
	}
}

void error_blame_environment(struct error *error)
{
	if (!error_is_want(error))
		error->system_errno = 0;
}

bool error_is_environment(const struct error *error)
{
	if (error->code == ERROR_UNAVAILABLE)
		return errno_is_want(error->system_errno);
	return error_is_want(error) || (error->code == ERROR_SYSTEM && !error->system_errno);
}
