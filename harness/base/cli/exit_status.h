/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * exit_status.h - what commands say with their exit status
 */
#ifndef STACKPROOF_EXIT_STATUS_H
#define STACKPROOF_EXIT_STATUS_H

#include "error.h"

#define STACKPROOF_VERSION "0.1"

/* gate/gate.h decides which. */
enum exit_status {
	EXIT_OK = 0,	       /* something was checked, and nothing found */
	EXIT_FINDINGS = 1,     /* findings or failed comparisons */
	EXIT_USAGE = 2,	       /* the command line */
	EXIT_BAD_INPUT = 3,    /* unreadable or malformed input */
	EXIT_SKIPPED = 77,     /* nothing was checked */
	EXIT_ENVIRONMENT = 99, /* no VM, no privilege, a guest that died */
};

/* Of a program or an image that could not be used: EXIT_BAD_INPUT if it is missing, may not be
 * read or executed, or is no ELF file of this machine; else EXIT_ENVIRONMENT. */
enum exit_status exit_status_of_error(const struct error *error);
/* What was met is no fault of what was named: there is no folder for temporary files, say. Of a system error:
 * from here on no errno says that a file is missing. */
void error_blame_environment(struct error *error);
/* It is such a one, or there was no memory or no file descriptor: for a BPF session, too, which is else
 * ERROR_UNAVAILABLE because the machine can't. */
bool error_is_environment(const struct error *error);

#endif
