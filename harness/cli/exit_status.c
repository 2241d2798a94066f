/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * exit_status.c - what several commands say with their exit status
 */
#include <errno.h>
#include <stddef.h>
#include "cli/exit_status.h"

enum exit_status exit_status_of_error(const struct error *error)
{
	switch (error->code) {
	case ERROR_NOT_ELF:
	case ERROR_THIN_ARCHIVE:
	case ERROR_ELF_BOUNDS:
	case ERROR_UNSUPPORTED_ELF: return EXIT_BAD_INPUT;
	case ERROR_SYSTEM:
		return error->system_errno == ENOENT || error->system_errno == EACCES ||
				       error->system_errno == ENOEXEC
			       ? EXIT_BAD_INPUT
			       : EXIT_ENVIRONMENT;
	default: return EXIT_ENVIRONMENT;
	}
}
