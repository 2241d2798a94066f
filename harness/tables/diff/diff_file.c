/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * diff_file.c - a file that holds a table, and which kind it is
 *
 * Its first bytes say it: an ELF file, a saved table, or a dump's dialect. What is none of these is not
 * read any further, and a file without end is not read to its end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cli/input_file.h"
#include "diff.h"

#define HEAD_BYTES 65536u /* by which it is seen what a file is: kernels, too, give pipes so much */
/* Of a text or a dump. Firefox's libxul has 130 MB, as readelf prints it. */
#define TEXT_BYTES_MAX (1ull << 30)

bool diff_file_is_elf(const struct diff_file *file)
{
	return file->size >= 4 && !memcmp(file->bytes, "\177ELF", 4);
}

static bool is_saved(const struct diff_file *file)
{
	static const char magic[] = "stackproof table text ";
	return !strncmp(file->bytes, magic, sizeof(magic) - 1);
}

/* Reads on until there are wanted bytes, or no more. */
static int read_up_to(struct diff_file *file, FILE *stream, size_t wanted, struct error *error)
{
	char *moved = realloc(file->bytes, wanted + 1);
	if (!moved)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to read the file");
	file->bytes = moved;
	file->size += fread(file->bytes + file->size, 1, wanted - file->size, stream);
	file->bytes[file->size] = '\0';
	return ferror(stream) ? error_set_errno(error, "cannot read the file") : 0;
}

/* What it is, by its beginning or by --from. -1: nothing that is known. */
static int recognise(struct diff_file *file, const char *from, struct error *error)
{
	if (diff_file_is_elf(file))
		return 0;
	if (from)
		file->dialect = diff_dialect_find(from); /* NULL: text */
	else if (!is_saved(file))
		file->dialect = diff_dialect_detect(file->bytes);
	if (file->dialect || from || is_saved(file))
		return 0;
	return error_set(error, ERROR_TEXT_SYNTAX, "", 1,
			 "neither an ELF file nor a table in a format that is known");
}

/* All of it, but nothing of what can't be a table: neither a file of something else, nor what is
 * behind a NUL. */
static int read_stream(struct diff_file *file, FILE *stream, const char *from, struct error *error)
{
	if (read_up_to(file, stream, HEAD_BYTES, error) || recognise(file, from, error))
		return -1;
	for (size_t wanted = 16 * HEAD_BYTES; !feof(stream); wanted *= 2) {
		if (file->size >= TEXT_BYTES_MAX)
			return error_set(error, ERROR_MEMORY, "", file->size,
					 "a table of more than %llu bytes is not read",
					 TEXT_BYTES_MAX);
		if (!diff_file_is_elf(file) && memchr(file->bytes, 0, file->size))
			break;
		if (read_up_to(file, stream, wanted, error))
			return -1;
	}
	return 0;
}

int diff_file_read(struct diff_file *file, const char *from, struct error *error)
{
	if (!strcmp(file->path, "-"))
		return read_stream(file, stdin, from, error);
	FILE_CLOSED FILE *stream = input_file_open(file->path, error);
	if (!stream)
		return errno == ESPIPE ? -1 : error_set_errno(error, "cannot open the file");
	int result = read_up_to(file, stream, 4, error);
	if (!result && !diff_file_is_elf(file))
		result = read_stream(file, stream, from, error);
	return result;
}

void diff_file_forget(struct diff_file *file)
{
	free(file->bytes);
	file->bytes = NULL;
}

int diff_file_table(struct diff_file *file, struct diff_table *ret, struct error *error)
{
	if (memchr(file->bytes, 0, file->size))
		return error_set(error, ERROR_TEXT_SYNTAX, "", 1, "a dump with NUL bytes");
	ret->dialect = file->dialect;
	int result = file->dialect->read(file->bytes, ret, error);
	diff_file_forget(file);
	return result;
}
