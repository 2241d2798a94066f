/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bytes_out.c - bytes that go to a file, through gzip or not
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "array.h"
#include "bytes_out.h"
#include "plain_text.h"

#define MUCH_BYTES (256 << 10)
#define ZIP_BYTES  (64 << 10)

/* Room for size bytes more; NULL: something has failed. */
static uint8_t *more(struct bytes_out *out, size_t size)
{
	if (!out->failed && !ARRAY_RESERVE(out->data, out->room, out->size + size + 1))
		out->failed = ENOMEM;
	return out->failed ? NULL : out->data + out->size;
}

void bytes_add(struct bytes_out *out, const void *data, size_t size)
{
	uint8_t *at = more(out, size);

	if (!at || !size)
		return;
	memcpy(at, data, size);
	out->size += size;
}

void bytes_text(struct bytes_out *out, const char *text)
{
	bytes_add(out, text, strlen(text));
}

void bytes_format(struct bytes_out *out, const char *format, ...)
{
	char text[256];
	va_list arguments;
	int size;

	va_start(arguments, format);
	size = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	bytes_add(out, text, size < (int)sizeof(text) ? size : (int)sizeof(text) - 1);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void add_escaped(struct bytes_out *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes_format(out, "\\x%02x", (unsigned char)text[i]);
}

void bytes_utf8(struct bytes_out *out, const char *text)
{
	for (;;) {
		const char *begin = text;
		size_t size;

		while (*text && (size = utf8_character(text)))
			text += size;
		bytes_add(out, begin, text - begin);
		if (!*text)
			return;
		add_escaped(out, text++, 1);
	}
}

void bytes_in_line(struct bytes_out *out, const char *text, const char *from, char to)
{
	while (*text) {
		const char *begin = text;
		size_t size = 0;

		while (*text && (size = plain_character(text)) && !strchr(from, *text))
			text += size;
		bytes_add(out, begin, text - begin);
		if (!*text)
			return;
		if (size) {
			bytes_add(out, &to, 1);
		} else {
			size = utf8_character(text);
			size = size ? size : 1;
			add_escaped(out, text, size);
		}
		text += size;
	}
}

/* ---- the file -------------------------------------------------------------------------------- */

static bool write_file(struct bytes_out *out, const void *data, size_t size)
{
	errno = EIO;
	if (size && fwrite(data, 1, size, out->file) != size && !out->failed)
		out->failed = errno;
	return !out->failed;
}

static bool begin_zip(struct bytes_out *out)
{
	const int gzip = 16; /* added to the window's bits: zlib.h */

	out->zip = calloc(1, sizeof(*out->zip));
	if (out->zip && deflateInit2(out->zip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + gzip,
				     MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK)
		return true;
	free(out->zip);
	out->zip = NULL;
	out->failed = ENOMEM;
	return false;
}

static bool write_zip(struct bytes_out *out, const uint8_t *data, size_t size, int flush)
{
	uint8_t zipped[ZIP_BYTES];

	if (!out->zip && !begin_zip(out))
		return false;
	do {
		/* avail_in is 32 bits wide. */
		size_t part = size < INT_MAX ? size : INT_MAX;

		out->zip->next_in = (uint8_t *)data;
		out->zip->avail_in = part;
		do {
			out->zip->next_out = zipped;
			out->zip->avail_out = sizeof(zipped);
			deflate(out->zip, part == size ? flush : Z_NO_FLUSH);
			if (!write_file(out, zipped, sizeof(zipped) - out->zip->avail_out))
				return false;
		} while (!out->zip->avail_out);
		data += part;
		size -= part;
	} while (size);
	return true;
}

/* at_end: nothing comes behind. */
static void write_all(struct bytes_out *out, bool at_end)
{
	if (out->failed)
		return;
	if (out->zipped)
		write_zip(out, out->data, out->size, at_end ? Z_FINISH : Z_NO_FLUSH);
	else
		write_file(out, out->data, out->size);
	out->size = 0;
}

bool bytes_written(struct bytes_out *out)
{
	if (out->file && out->size >= MUCH_BYTES)
		write_all(out, false);
	return !out->failed;
}

int bytes_out_end(struct bytes_out *out, struct error *error)
{
	int failed;

	write_all(out, true);
	errno = EIO;
	if (!out->failed && fflush(out->file))
		out->failed = errno;
	failed = out->failed;
	if (out->zip)
		deflateEnd(out->zip);
	free(out->zip);
	free(out->data);
	*out = (struct bytes_out) { .file = out->file };
	if (failed == ENOMEM)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to write a profile");
	errno = failed;
	return failed ? error_set_errno(error, "writing") : 0;
}
