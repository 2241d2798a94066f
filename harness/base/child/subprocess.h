/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * subprocess.h - runs a program and keeps what it says
 */
#ifndef STACKPROOF_SUBPROCESS_H
#define STACKPROOF_SUBPROCESS_H

#include <stddef.h>
#include "error.h"

/*
 * Runs argv (found in PATH) in directory (NULL: here) with nothing to read and LC_ALL=C, until it
 * ends; it dies with this process. *ret_output: what it wrote, both streams, NUL-terminated, the
 * caller's to free (NULL if it could not be run). Returns its exit status, or -1 if it could not be
 * run or was killed.
 */
int subprocess_run(char *const *argv, const char *directory, char **ret_output,
		   struct error *error);

/* Why it failed, in its own words: the first line that begins with "E: ", or else the last one. */
void subprocess_reason(const char *output, char *ret, size_t size);

#endif
