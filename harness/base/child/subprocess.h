/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * subprocess.h - runs a program and keeps its output
 */
#ifndef STACKPROOF_SUBPROCESS_H
#define STACKPROOF_SUBPROCESS_H

#include <stddef.h>
#include "error.h"

/*
 * Runs argv (searched in PATH) in directory (NULL: the current one), with LC_ALL=C and without input, and waits for
 * its end. It is killed if this process ends. *ret_output: what it wrote to stdout and stderr, NUL-terminated, up to
 * 1 MiB, the caller's to free; NULL if it could not be run. Returns its exit status; -1: it could not be run, or was
 * killed.
 */
int subprocess_run(char *const *argv, const char *directory, char **ret_output,
		   struct error *error);

/* Copies why a program failed out of its output: the first line that begins with "E: ", without that, or
 * else the last line. */
void subprocess_reason(const char *output, char *ret, size_t size);

#endif
