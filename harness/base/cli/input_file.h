/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * input_file.h - opens a file by its name, and never waits for a writer
 *
 * To open a FIFO blocks until a writer opens it, which may be never. So a FIFO that has a name in the file system is
 * refused. A pipe that a shell has made has none: /dev/stdin, and /dev/fd/63 of a process substitution, can be read.
 */
#ifndef STACKPROOF_CLI_INPUT_FILE_H
#define STACKPROOF_CLI_INPUT_FILE_H

#include <stdio.h>
#include "error.h"

/* Opens path for reading; the caller closes it. NULL: error is set, and so is errno, to ESPIPE for a FIFO. */
FILE *input_file_open(const char *path, struct error *error);
/* The same as a descriptor, or -1. */
int input_file_descriptor(const char *path, struct error *error);

#endif
