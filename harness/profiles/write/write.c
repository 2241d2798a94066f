/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * write.c - a collected profile as a file, or as bytes, in one of the formats
 */
#include <errno.h>
#include <stdlib.h>
#include "base/cli/output_file.h"
#include "bytes_out.h"
#include "write.h"

typedef int profile_writer(const struct collected *collected, struct bytes_out *out,
			   struct error *error);

static const struct writer {
	profile_writer *write;
	bool zipped; /* as files are */
} writers[PROFILE_FORMAT_COUNT] = {
	[PROFILE_PPROF] = { pprof_write, true },
	[PROFILE_OTLP] = { otlp_write, false },
	[PROFILE_FOLDED] = { folded_write, false },
	[PROFILE_PERF_SCRIPT] = { perf_write, false },
};

static const struct writer *find_writer(enum profile_format format, struct error *error)
{
	if (format < PROFILE_FORMAT_COUNT && writers[format].write)
		return &writers[format];
	error_set(error, ERROR_UNAVAILABLE, "", 0, "profiles are not written in this format");
	return NULL;
}

static int write_to(const struct collected *collected, profile_writer *write, bool zipped,
		    FILE *file, struct error *error)
{
	struct bytes_out out = { .file = file, .zipped = zipped };
	struct error ending;
	int status = write(collected, &out, error);

	if (!bytes_out_end(&out, &ending) || status)
		return status;
	*error = ending;
	return -1;
}

/* Says of which file an error is. */
static void name_file(const char *path, struct error *error)
{
	struct error copy = *error;

	if (copy.code != ERROR_SYSTEM)
		return;
	errno = copy.system_errno;
	error_set_errno(error, "writing %s", path);
}

int profile_write(const struct collected *collected, enum profile_format format, const char *path,
		  struct error *error)
{
	const struct writer *writer = find_writer(format, error);
	struct output_file output;
	struct error closing;

	if (!writer || output_file_open(path, &output, error))
		return -1;
	if (!write_to(collected, writer->write, writer->zipped, output.file, error))
		return output_file_close(&output, true, error);
	name_file(path, error);
	output_file_close(&output, false, &closing);
	return -1;
}

int profile_write_bytes(const struct collected *collected, enum profile_format format, bool zipped,
			uint8_t **ret, size_t *ret_size, struct error *error)
{
	const struct writer *writer = find_writer(format, error);
	char *bytes = NULL;
	FILE *file;
	int status;

	if (!writer)
		return -1;
	file = open_memstream(&bytes, ret_size);
	if (!file)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory to write a profile");
	status = write_to(collected, writer->write, zipped, file, error);
	/* glibc's fclose() succeeds also where it finds no memory for the bytes' last place. */
	if ((fclose(file) || !bytes) && !status)
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory to write a profile");
	if (status)
		free(bytes);
	else
		*ret = (uint8_t *)bytes;
	return status;
}
