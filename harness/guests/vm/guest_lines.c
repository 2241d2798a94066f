/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_lines.c - what a command printed in one of several guests, each line with its kernel
 *
 * Two kernels' outputs lie in one file behind each other. A heading would be lost by sort, grep and
 * diff, and the two are then the same lines; so the kernel is in each line. Whoever reads JSON, one
 * object per line, reads on: there the kernel is a member. The rest of the object is not touched, since a
 * number that is read and printed again may be another.
 */
#include <jansson.h>
#include <string.h>
#include "base/cli/json_counts.h"
#include "plain_text.h"
#include "guest_lines.h"

/* 1: an object that does not say its kernel. 0: it does. -1: no object. */
static int lacks_kernel(const char *line, size_t length)
{
	JSON_FREED json_t *object = NULL;

	if (!length || *line != '{')
		return -1;
	object = json_loadb(line, length, 0, NULL);
	return !json_is_object(object) ? -1 : !json_object_get(object, "kernel_name");
}

/* With kernel_name in front of the members that it has. */
static void print_object(FILE *file, const char *kernel, const char *line, size_t length)
{
	JSON_FREED json_t *name = json_bytes(kernel);
	size_t blanks = strspn(line + 1, " \t");

	fputs("{\"kernel_name\":", file);
	json_dumpf(name, file, JSON_ENCODE_ANY);
	if (line[1 + blanks] != '}')
		fputc(',', file);
	fwrite(line + 1, 1, length - 1, file);
}

void guest_lines_print(FILE *file, const char *kernel, const char *text, size_t size)
{
	for (size_t at = 0, length; at < size; at += length + 1) {
		const char *line = text + at, *end = memchr(line, '\n', size - at);
		int lacks;

		length = end ? (size_t)(end - line) : size - at;
		lacks = lacks_kernel(line, length);
		if (lacks < 0)
			fprintf(file, "%s: ", PLAIN_TEXT(kernel));
		if (lacks > 0)
			print_object(file, kernel, line, length);
		else
			fwrite(line, 1, length, file);
		fputc('\n', file);
	}
}
