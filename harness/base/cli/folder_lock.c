/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * folder_lock.c - a folder that one command at a time writes into
 *
 * The lock is on the folder itself (flock(2)), so that nothing is left in it. NFS has locks of files that are
 * open for writing only, which a folder can't be: there it is on a file in it, "in-use".
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include "folder_lock.h"

/* EWOULDBLOCK: another process has it. */
static int lock(int fd)
{
	int status;

	do
		status = flock(fd, LOCK_EX | LOCK_NB);
	while (status && errno == EINTR);
	return status;
}

int folder_lock(const char *folder, struct error *error)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), file;

	if (fd < 0)
		return error_set_errno(error, "%s", folder);
	if (!lock(fd))
		return fd;
	if (errno != EWOULDBLOCK) {
		file = openat(fd, "in-use", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (file >= 0)
			close(fd);
		fd = file >= 0 ? file : fd;
		if (file < 0 || !lock(fd) || errno != EWOULDBLOCK)
			return fd;
	}
	close(fd);
	error_set(error, ERROR_SYSTEM, "", 0, "another stackproof writes into %s", folder);
	error->system_errno = EBUSY; /* for the exit status: the environment's */
	return -1;
}
