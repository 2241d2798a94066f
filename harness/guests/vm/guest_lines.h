/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_lines.h - what a command printed in one of several guests, each line with its kernel
 */
#ifndef STACKPROOF_GUEST_LINES_H
#define STACKPROOF_GUEST_LINES_H

#include <stddef.h>
#include <stdio.h>

/*
 * Prints text line by line, "KERNEL: LINE", the last one with a newline, too. A line that is a JSON object stays
 * one: it gets a member "kernel_name" in front, unless it has that member.
 */
void guest_lines_print(FILE *file, const char *kernel, const char *text, size_t size);

#endif
