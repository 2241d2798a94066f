/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * input_file.c - a file that is read by its name, and that nobody has to wait for
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "input_file.h"

/* That of a descriptor that is open already: its writer came with it. */
static bool is_descriptor(const char *path)
{
	return !strncmp(path, "/dev/fd/", 8) || !strcmp(path, "/dev/stdin") ||
	       !strncmp(path, "/proc/", 6);
}

static bool is_fifo(int fd)
{
	struct stat at;
	struct statfs system;

	return !fstat(fd, &at) && S_ISFIFO(at.st_mode) &&
	       (fstatfs(fd, &system) || system.f_type != PIPEFS_MAGIC);
}

int input_file_descriptor(const char *path, struct error *error)
{
	bool waits = is_descriptor(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK));

	if (fd < 0)
		return error_set_errno(error, "can't read %s", path);
	if (waits)
		return fd;
	if (!is_fifo(fd) && fcntl(fd, F_SETFL, 0) >= 0)
		return fd;
	close(fd);
	error_set(error, ERROR_SYSTEM, "", 0, "can't read %s: it is a FIFO, no regular file", path);
	error->system_errno = EACCES; /* for the exit status: it may not be read */
	errno = ESPIPE;
	return -1;
}

FILE *input_file_open(const char *path, struct error *error)
{
	int fd = input_file_descriptor(path, error);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file) {
		error_set_errno(error, "can't read %s", path);
		close(fd);
	}
	return file;
}
