/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * exit_status.h - what commands say with their exit status
 */
#ifndef STACKPROOF_EXIT_STATUS_H
#define STACKPROOF_EXIT_STATUS_H

#include "error.h"

#define STACKPROOF_VERSION "0.2"

/* gate/gate.h decides which. */
enum exit_status {
	EXIT_OK = 0,	       /* something was checked, and nothing found */
	EXIT_FINDINGS = 1,     /* findings or failed comparisons */
	EXIT_USAGE = 2,	       /* a bad command line */
	EXIT_BAD_INPUT = 3,    /* unreadable or malformed input */
	EXIT_SKIPPED = 77,     /* nothing was checked */
	EXIT_ENVIRONMENT = 99, /* no VM, no privilege, a guest that died */
};

/* The exit status for a program or an image that could not be used: EXIT_BAD_INPUT if it is missing, may not
 * be read or executed, is malformed, or is no ELF file of this machine; else EXIT_ENVIRONMENT. */
enum exit_status exit_status_of_error(const struct error *error);
/* Makes an error the environment's fault and not the input's: there is no folder for temporary files, say.
 * Its errno becomes 0, unless it says that memory or file descriptors were short. */
void error_blame_environment(struct error *error);
/* True for an error so marked, and if memory or file descriptors were short, even where a BPF session made
 * that ERROR_UNAVAILABLE. */
bool error_is_environment(const struct error *error);

#endif
