/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * output_file.c - a file that a person has named, which is there whole or not at all
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/output_file.h"
#include "plain_text.h"

bool output_file_may_replace(const char *path)
{
	struct stat at;

	if (lstat(path, &at))
		return errno == ENOENT;
	errno = EEXIST;
	return S_ISREG(at.st_mode);
}

static void forget(struct output_file *output)
{
	free(output->path);
	free(output->unfinished);
	*output = (struct output_file) { .file = NULL };
}

int output_file_open(const char *path, struct output_file *ret, struct error *error)
{
	bool beside = output_file_may_replace(path);

	if (!beside && errno != EEXIST)
		return error_set_errno(error, "%s", path);
	*ret = (struct output_file) { .path = strdup(path) };
	if (!ret->path || (beside && asprintf(&ret->unfinished, "%s.unfinished", path) < 0)) {
		ret->unfinished = NULL;
		forget(ret);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	}
	ret->file = fopen(beside ? ret->unfinished : path, "we");
	if (ret->file)
		return 0;
	error_set_errno(error, "%s", path);
	forget(ret);
	return -1;
}

int output_file_close(struct output_file *output, bool finish, struct error *error)
{
	bool lost = ferror(output->file);
	int status = 0;

	errno = EIO; /* which write it was, and so why, is not known any more */
	if (fflush(output->file) || lost)
		status = error_set_errno(error, "writing %s", output->path);
	if (fclose(output->file) && !status)
		status = error_set_errno(error, "writing %s", output->path);
	if (output->unfinished && finish && !status && rename(output->unfinished, output->path))
		status = error_set_errno(error, "%s", output->path);
	if (output->unfinished && (!finish || status))
		unlink(output->unfinished);
	forget(output);
	return status;
}

bool output_files_have(const char *const *output, size_t outputs, uint64_t device, uint64_t inode)
{
	struct stat at;

	for (size_t i = 0; i < outputs; i++) {
		if (!output[i] || stat(output[i], &at) || !S_ISREG(at.st_mode) ||
		    at.st_dev != device || at.st_ino != inode)
			continue;
		fprintf(stderr,
			"stackproof: %s is a file that is read: it is not written over, and "
			"nothing "
			"was done\n",
			PLAIN_TEXT(output[i]));
		return true;
	}
	return false;
}

bool output_files_are_inputs(const char *const *output, size_t outputs, const char *const *input,
			     size_t inputs)
{
	struct stat at;

	for (size_t i = 0; i < inputs; i++)
		if (input[i] && !stat(input[i], &at) &&
		    output_files_have(output, outputs, at.st_dev, at.st_ino))
			return true;
	return false;
}
