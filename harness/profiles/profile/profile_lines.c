/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_lines.c - a file or a pipe, gzip'd or not, line by line
 *
 * zlib reads what is not compressed as it is. Lines are handed out where they lie in the buffer,
 * which grows with the longest one; what is longer than PROFILE_LINE_MAX is passed over. So is UTF-8's
 * byte order mark at a text's start, which editors of Windows put there.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include "array.h"
#include "profile.h"

#define READ_BYTES (256 << 10)

struct profile_lines {
	gzFile file;
	char *buffer;
	size_t room, start, end; /* start..end is not handed out yet */
	uint64_t number;
	bool begun; /* some of it was read */
	bool at_end;
	bool passing; /* over the rest of a line */
};

int profile_lines_open(int file, struct profile_lines **ret, struct error *error)
{
	struct profile_lines *lines = calloc(1, sizeof(*lines));

	if (lines)
		lines->file = gzdopen(file, "rb");
	if (!lines || !lines->file) {
		free(lines);
		close(file);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to read a profile");
	}
	gzbuffer(lines->file, READ_BYTES);
	*ret = lines;
	return 0;
}

void profile_lines_close(struct profile_lines *lines)
{
	if (!lines)
		return;
	gzclose_r(lines->file);
	free(lines->buffer);
	free(lines);
}

/* More bytes behind those that are there; moves them to the buffer's start. */
static int fill(struct profile_lines *lines, struct error *error)
{
	size_t left = lines->end - lines->start, room;
	static const char byte_order_mark[] = "\357\273\277";
	const size_t mark = sizeof(byte_order_mark) - 1;
	const char *message;
	int count, code;

	if (lines->start && left)
		memmove(lines->buffer, lines->buffer + lines->start, left);
	lines->start = 0;
	lines->end = left;
	/* As long as there is any room: to grow is to copy all of it. */
	if (left == lines->room && !ARRAY_RESERVE(lines->buffer, lines->room, left + READ_BYTES))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a profile's line");
	room = lines->room - left;
	count = gzread(lines->file, lines->buffer + left, room < READ_BYTES ? room : READ_BYTES);
	message = gzerror(lines->file, &code);
	if (code == Z_ERRNO)
		return error_set_errno(error, "reading");
	if (count < 0 || code == Z_BUF_ERROR)
		return error_set(error, ERROR_TEXT_SYNTAX, "", gztell(lines->file),
				 "the compressed data are damaged or cut off: %s", message);
	lines->end += count;
	lines->at_end = count == 0;
	if (!lines->begun && lines->end >= mark && !memcmp(lines->buffer, byte_order_mark, mark) &&
	    !memchr(lines->buffer, '\0', lines->end))
		lines->start = mark;
	lines->begun = true;
	return 0;
}

int profile_lines_next(struct profile_lines *lines, struct profile_line *ret, struct error *error)
{
	size_t searched = 0;

	for (;;) {
		size_t size = lines->end - lines->start;
		const char *at = lines->buffer + lines->start,
			   *end = size > searched ? memchr(at + searched, '\n', size - searched)
						  : NULL;
		bool whole = end != NULL, too_long = lines->passing;

		if (!end && !lines->at_end && size <= PROFILE_LINE_MAX) {
			searched = size;
			if (fill(lines, error))
				return -1;
			continue;
		}
		if (!end && !size && !too_long)
			return 0;
		if (!end && !lines->at_end) { /* longer than any is */
			lines->passing = true;
			lines->start = lines->end;
			searched = 0;
			continue;
		}
		end = end ? end : at + size;
		too_long |= end - at > PROFILE_LINE_MAX;
		lines->start += end - at + whole;
		lines->passing = false;
		*ret = (struct profile_line) { too_long ? NULL : at, end - at, ++lines->number,
					       whole };
		return 1;
	}
}

int profile_lines_peek(struct profile_lines *lines, const char **ret, size_t *ret_size,
		       struct error *error)
{
	while (lines->end - lines->start < READ_BYTES && !lines->at_end)
		if (fill(lines, error))
			return -1;
	*ret = lines->buffer + lines->start;
	*ret_size = lines->end - lines->start;
	return 0;
}

bool profile_lines_zipped(struct profile_lines *lines)
{
	return !gzdirect(lines->file);
}

int profile_lines_all(struct profile_lines *lines, size_t limit, const uint8_t **ret,
		      size_t *ret_size, struct error *error)
{
	while (!lines->at_end) {
		if (fill(lines, error))
			return -1;
		if (lines->end - lines->start > limit)
			return error_set(error, ERROR_TABLE_LIMIT, "", limit,
					 "the profile has more than %zu bytes", limit);
	}
	*ret = (const uint8_t *)lines->buffer + lines->start;
	*ret_size = lines->end - lines->start;
	return 0;
}
