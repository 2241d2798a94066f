/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * profile_read.c - a profile of whatever format: the file, and the reader for it
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli/input_file.h"
#include "profile.h"

static int (*const readers[PROFILE_FORMAT_COUNT])(const struct profile_reading *reading,
						  struct error *error) = {
	[PROFILE_PERF_SCRIPT] = perf_script_read,
	[PROFILE_PERF_DATA] = perf_data_read,
	[PROFILE_FOLDED] = folded_read,
	[PROFILE_PPROF] = pprof_read,
	[PROFILE_STACKS] = stacks_read,
	[PROFILE_BPFTRACE] = bpftrace_read,
	[PROFILE_SPEEDSCOPE] = speedscope_read,
	[PROFILE_FIREFOX] = firefox_read,
	[PROFILE_OTLP] = otlp_read,
};

static int unknown_format(struct profile_lines *lines, const char *data, size_t size,
			  struct error *error)
{
	char what[128];

	if (!size)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0, "it is empty");
	profile_format_guess(data, size, what, sizeof(what));
	return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
			 "unknown format: it looks like %s%s (`score --help' says what is read)",
			 what, profile_lines_zipped(lines) ? ", gzip'd" : "");
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
		status = unknown_format(reading.lines, data, size, error);
	profile->format = format;
	if (!status)
		status = readers[format](&reading, error);
	profile_lines_close(reading.lines);
	return status;
}
