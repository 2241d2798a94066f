/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_lines.h - prints a guest's output, each line with its kernel
 */
#ifndef STACKPROOF_GUEST_LINES_H
#define STACKPROOF_GUEST_LINES_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints each line of text, of size bytes, as "KERNEL: LINE" and a newline. A line that is a JSON object
 * gets a first member "kernel_name" instead, unless it has that member.
 */
void guest_lines_print(FILE *file, const char *kernel, const char *text, size_t size);

#endif
