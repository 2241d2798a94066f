/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_read.c - a profile of whatever format: which one it is, and the reader for it
 *
 * The content decides, not the name: perf.data has a magic; NDJSON begins with an object; pprof is
 * no text, and fields of its Profile message, in any order (Go's runtime begins with the time). Of
 * the two texts folded stacks end their lines with a count; in that of `perf script` a line that
 * begins with a tab and a number is a frame.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/input_file.h"
#include "profile/perf_line.h"
#include "profile/wire.h"

#define PERF_DATA_MAGIC	     "PERFILE2"
#define PERF_DATA_MAGIC_PIPE "2ELIFREP" /* of the other byte order */

static const struct {
	const char *name;
	int (*read)(const struct profile_reading *reading, struct error *error);
} formats[PROFILE_FORMAT_COUNT] = {
	[PROFILE_ANY] = { "any", NULL },
	[PROFILE_PERF_SCRIPT] = { "perf-script", perf_script_read },
	[PROFILE_PERF_DATA] = { "perf-data", perf_data_read },
	[PROFILE_FOLDED] = { "folded", folded_read },
	[PROFILE_PPROF] = { "pprof", pprof_read },
	[PROFILE_STACKS] = { "stacks", stacks_read },
};

enum profile_format profile_format_find(const char *name)
{
	enum profile_format format = PROFILE_ANY;

	while (format < PROFILE_FORMAT_COUNT && strcmp(name, formats[format].name))
		format++;
	return format;
}

const char *profile_format_name(enum profile_format format)
{
	return formats[format].name;
}

static bool is_text(struct span data)
{
	for (size_t i = 0; i < data.size; i++)
		if ((unsigned char)data.at[i] < ' ' && !isspace((unsigned char)data.at[i]))
			return false;
	return true;
}

static struct span take_line(struct span *data)
{
	const char *end = data->size ? memchr(data->at, '\n', data->size) : NULL;
	struct span line = { data->at, end ? (size_t)(end - data->at) : data->size };

	data->at += line.size + (end != NULL);
	data->size -= line.size + (end != NULL);
	return line;
}

/* "a;b 12" */
static bool is_folded(struct span line)
{
	struct span rest = line, word = { 0 };
	uint64_t value;
	size_t words = 0;

	while (rest.size) {
		word = span_word(&rest);
		words++;
	}
	return words > 1 && span_decimal(word, &value);
}

/* A line that could be a head of perf's could be a folded stack, too ("bash 12"): the next one tells. */
static bool is_perf_frame(struct span line)
{
	return line.size && line.at[0] == '\t' && perf_frame_begins(line);
}

static enum profile_format format_of_text(struct span data)
{
	while (data.size) {
		struct span line = take_line(&data), next = data, trimmed = span_trim(line);
		struct perf_head head;

		if (is_perf_frame(line) || (trimmed.size && is_perf_frame(take_line(&next))))
			return PROFILE_PERF_SCRIPT;
		if (!trimmed.size || trimmed.at[0] == '#')
			continue;
		if (trimmed.at[0] == '{')
			return PROFILE_STACKS;
		if (is_folded(trimmed))
			return PROFILE_FOLDED;
		if (perf_head_parse(line, &head))
			return PROFILE_PERF_SCRIPT;
		if (memchr(trimmed.at, ';', trimmed.size))
			return PROFILE_FOLDED;
	}
	return PROFILE_ANY;
}

/* How a field of profile.proto's Profile is written: 'b' bytes, 'n' a number, '*' either. */
static char pprof_field(uint32_t number)
{
	/* sample_type, sample, mapping, location, function, string_table, drop_frames, keep_frames,
	 * time_nanos, duration_nanos, period_type, period, comment, default_sample_type, doc_url */
	static const char kinds[] = "-bbbbbbnnnnbn*nn";

	return number < sizeof(kinds) - 1 ? kinds[number] : '-';
}

/* Its fields up to the first that is none of a Profile: a type of samples or a sample is among them,
 * or the last one is too long for what is there of the file. */
static bool is_pprof(struct span data)
{
	struct wire wire = { (const uint8_t *)data.at, (const uint8_t *)data.at + data.size,
			     false };
	struct wire_field field = { 0 };

	while (wire_next(&wire, &field)) {
		char kind = pprof_field(field.number);

		if (field.data && !field.is_bytes) /* of 4 or 8 bytes */
			return false;
		if (kind != '*' && kind != (field.is_bytes ? 'b' : 'n'))
			return false;
		if (field.number <= 2)
			return true;
		field = (struct wire_field) { 0 };
	}
	return field.is_bytes && pprof_field(field.number) == 'b';
}

enum profile_format profile_format_of(const void *data, size_t size)
{
	struct span span = { data, size };

	if (span_begins(span, PERF_DATA_MAGIC) || span_begins(span, PERF_DATA_MAGIC_PIPE))
		return PROFILE_PERF_DATA;
	if (is_text(span))
		return format_of_text(span);
	return is_pprof(span) ? PROFILE_PPROF : PROFILE_ANY;
}

int profile_read(struct profile *profile, const char *path, enum profile_format format,
		 profile_sample_fn *fn, void *context, struct error *error)
{
	struct profile_reading reading = { profile, NULL, path, fn, context };
	int file = input_file_descriptor(path, error), status;
	struct stat about;
	const char *data;
	size_t size;

	if (file < 0)
		return errno == ESPIPE ? -1 : error_set_errno(error, "%s", path);
	if (!fstat(file, &about) && S_ISDIR(about.st_mode)) {
		close(file);
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "a folder, no profile");
	}
	if (profile_lines_open(file, &reading.lines, error))
		return -1;
	status = profile_lines_peek(reading.lines, &data, &size, error);
	if (!status && format == PROFILE_ANY)
		format = profile_format_of(data, size);
	if (!status && format == PROFILE_ANY)
		status = error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				   size ? "none of the formats that are read: perf.data, perf "
					  "script, folded stacks, pprof, NDJSON of stacks"
					: "it is empty");
	profile->format = format;
	if (!status)
		status = formats[format].read(&reading, error);
	profile_lines_close(reading.lines);
	return status;
}
