/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * input_file.h - a file that is read by its name, and that nobody has to wait for
 *
 * Who opens a FIFO waits until somebody writes to it, which may be never. So a FIFO that has a name is
 * refused. A pipe that a shell has made is none: /dev/stdin, and /dev/fd/63 of a process substitution,
 * are read as ever.
 */
#ifndef STACKPROOF_CLI_INPUT_FILE_H
#define STACKPROOF_CLI_INPUT_FILE_H

#include <stdio.h>
#include "error.h"

/* To be read from its beginning. NULL: error is set, and errno, which is ESPIPE of a FIFO. */
FILE *input_file_open(const char *path, struct error *error);
/* The same as a descriptor; -1. */
int input_file_descriptor(const char *path, struct error *error);

#endif
