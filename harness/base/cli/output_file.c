/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * output_file.c - a file that a person has named, which is there whole or not at all
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "output_file.h"
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

/* It stays another one's file if that has made it the finished one since it was opened. */
static bool is_at(int fd, const char *path)
{
	struct stat own, there;

	return !fstat(fd, &own) && !stat(path, &there) && own.st_dev == there.st_dev &&
	       own.st_ino == there.st_ino;
}

/* Nobody else writes it meanwhile. What another process has left unfinished is emptied. -1: errno, EWOULDBLOCK
 * where another process is at it. */
static int open_unfinished(const char *path)
{
	for (;;) {
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666), number;

		if (fd < 0)
			return -1;
		/* Any other failure: there are no such locks here. */
		number = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? errno : 0;
		if (!number && is_at(fd, path)) {
			if (!ftruncate(fd, 0))
				return fd;
			number = errno;
		}
		close(fd);
		errno = number;
		if (number)
			return -1;
	}
}

/* For the exit status: it is no input that is missing or may not be read. */
static int fail_output(struct error *error, const char *path)
{
	error_set_errno(error, "%s", path);
	if (error->system_errno == ENOENT || error->system_errno == EACCES)
		error->system_errno = EIO;
	return -1;
}

int output_file_check(const char *path, struct error *error)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";
	struct stat at;

	if (output_file_may_replace(path)) {
		if (slash)
			snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - path), path);
		return access(folder, W_OK | X_OK) ? fail_output(error, path) : 0;
	}
	if (errno != EEXIST)
		return fail_output(error, path);
	if (stat(path, &at)) /* a link to what is not there yet */
		return 0;
	errno = EISDIR;
	return S_ISDIR(at.st_mode) || access(path, W_OK) ? fail_output(error, path) : 0;
}

int output_file_open(const char *path, struct output_file *ret, struct error *error)
{
	bool beside = output_file_may_replace(path);
	int fd;

	if (!beside && errno != EEXIST)
		return error_set_errno(error, "%s", path);
	*ret = (struct output_file) { .path = strdup(path) };
	if (!ret->path || (beside && asprintf(&ret->unfinished, "%s.unfinished", path) < 0)) {
		ret->unfinished = NULL;
		forget(ret);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
	}
	fd = beside ? open_unfinished(ret->unfinished)
		    : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	ret->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (ret->file)
		return 0;
	if (fd < 0 && errno == EWOULDBLOCK) {
		error_set(error, ERROR_SYSTEM, "", 0, "%s: another process writes it", path);
		error->system_errno = EBUSY;
	} else {
		fail_output(error, path);
	}
	if (fd >= 0)
		close(fd);
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

/* ---- what is written over --------------------------------------------------------------- */

static bool refuse(const char *path, const char *why)
{
	fprintf(stderr, "stackproof: %s is %s, and nothing was done\n", PLAIN_TEXT(path), why);
	return true;
}

bool output_files_have(const char *const *output, size_t outputs, uint64_t device, uint64_t inode)
{
	struct stat at;

	for (size_t i = 0; i < outputs; i++)
		if (output[i] && !stat(output[i], &at) && S_ISREG(at.st_mode) &&
		    at.st_dev == device && at.st_ino == inode)
			return refuse(output[i], "a file that is read: it is not written over");
	return false;
}

/* What a file that isn't there yet will be: the name behind the last slash, and the folder. False: none. */
static bool new_file(const char *path, const char **ret_name, struct stat *ret_folder)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";

	*ret_name = slash ? slash + 1 : path;
	if (slash && snprintf(folder, sizeof(folder), "%.*s", (int)(slash + 1 - path), path) >=
			     (int)sizeof(folder))
		return false;
	return !stat(folder, ret_folder);
}

static bool are_one_file(const char *one, const char *other)
{
	bool is_there[2];
	const char *name[2];
	struct stat at[2];

	is_there[0] = !stat(one, &at[0]);
	is_there[1] = !stat(other, &at[1]);
	if (is_there[0] != is_there[1] || (is_there[0] && !S_ISREG(at[0].st_mode)))
		return false;
	if (!is_there[0] && (!new_file(one, &name[0], &at[0]) ||
			     !new_file(other, &name[1], &at[1]) || strcmp(name[0], name[1]) != 0))
		return false;
	return at[0].st_dev == at[1].st_dev && at[0].st_ino == at[1].st_ino;
}

bool output_files_are_one(const char *const *output, size_t outputs)
{
	for (size_t i = 0; i < outputs; i++)
		for (size_t j = 0; j < i; j++)
			if (output[i] && output[j] && are_one_file(output[i], output[j]))
				return refuse(output[i], "to be written twice");
	return false;
}

bool output_files_are_inputs(const char *const *output, size_t outputs, const char *const *input,
			     size_t inputs)
{
	struct stat at;

	return ARRAY_ANY(inputs, i,
			 input[i] && !stat(input[i], &at) &&
				 output_files_have(output, outputs, at.st_dev, at.st_ino)) ||
	       output_files_are_one(output, outputs);
}

bool output_files_are_program(const char *const *output, size_t outputs, const char *program)
{
	char path[PATH_MAX];

	return output_files_are_inputs(
		output, outputs,
		FILE_NAMES(program && !child_find(program, path, sizeof(path)) ? path : NULL));
}
