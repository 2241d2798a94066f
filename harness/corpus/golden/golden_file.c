/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_file.c - texts of images and of files; whole or not at all
 *
 * A golden that is half written would be a golden. So a file is written beside its place and then
 * renamed, and a file that is too big to be what it should be is not read.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli/input_file.h"
#include "golden.h"

void golden_table_deinit(struct golden_table *table)
{
	golden_text_deinit(&table->lines);
	free(table->data);
	*table = (struct golden_table) { 0 };
}

int golden_table_of_image(const char *path, struct golden_table *ret, struct error *error)
{
	struct image *image DEINIT(image_destroy_at) = NULL;
	struct cfi *cfi DEINIT(cfi_destroy_at) = NULL;
	FILE *stream = NULL;
	int status = -1;

	*ret = (struct golden_table) { 0 };
	if (image_create(path, &image, error) || cfi_create(image, &cfi, error))
		goto out;
	stream = open_memstream(&ret->data, &ret->size);
	if (!stream) {
		error_set_errno(error, "cannot make a text");
		goto out;
	}
	status = golden_own_text_write(stream, path, cfi, &ret->partial, error);
	if (fclose(stream) && !status)
		status = error_set_errno(error, "cannot make a text");
	if (!status)
		status = golden_text_parse(&ret->lines, ret->data, ret->size, error);
out:
	if (status)
		golden_table_deinit(ret);
	return status;
}

int golden_table_of_file(const char *path, struct golden_table *ret, struct error *error)
{
	*ret = (struct golden_table) { 0 };

	int found = golden_file_read(path, GOLDEN_TABLE_BYTES_MAX, &ret->data, &ret->size, error);

	if (found > 0 && golden_text_parse(&ret->lines, ret->data, ret->size, error)) {
		golden_table_deinit(ret);
		return -1;
	}
	return found;
}

int golden_file_read(const char *path, size_t size_max, char **ret, size_t *ret_size,
		     struct error *error)
{
	FILE_CLOSED FILE *file = input_file_open(path, error);
	struct stat status;
	char *data = NULL;

	*ret = NULL;
	*ret_size = 0;
	if (!file)
		return errno == ENOENT	 ? 0
		       : errno == ESPIPE ? -1
					 : error_set_errno(error, "cannot read %s", path);
	if (fstat(fileno(file), &status))
		return error_set_errno(error, "cannot read %s", path);
	if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size > size_max)
		return error_set(error, ERROR_TEXT_SYNTAX, "", 0,
				 "%s is no file of at most %zu bytes", path, size_max);
	data = malloc((size_t)status.st_size + 1);
	if (!data)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	*ret_size = fread(data, 1, (size_t)status.st_size, file);
	if (ferror(file)) {
		error_set_errno(error, "cannot read %s", path);
		free(data);
		return -1;
	}
	data[*ret_size] = '\0';
	*ret = data;
	return 1;
}

static int make_folders(const char *path)
{
	FREED char *copy = strdup(path);
	int status = copy ? 0 : -1;

	for (char *at = copy; !status && (at = strchr(at + 1, '/'));) {
		*at = '\0';
		if (mkdir(copy, 0777) && errno != EEXIST)
			status = -1;
		*at = '/';
	}
	return status;
}

int golden_file_write(const char *path, const void *data, size_t size, unsigned int mode,
		      struct error *error)
{
	FREED char *temporary = NULL;

	if (asprintf(&temporary, "%s.new-%d", path, getpid()) < 0)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");

	FILE *file = make_folders(path) ? NULL : fopen(temporary, "we");

	if (!file)
		return error_set_errno(error, "cannot write %s", path);

	bool bad = fwrite(data, 1, size, file) != size || fchmod(fileno(file), mode);

	if (fclose(file) || bad || rename(temporary, path)) {
		error_set_errno(error, "cannot write %s", path);
		unlink(temporary);
		return -1;
	}
	return 0;
}
