/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cache.c - where kernels and what was learned about this machine are kept
 *
 * Several stackproof processes may use the cache at once, so a file only ever appears by rename(2),
 * complete. Directories follow the XDG Base Directory Specification.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cache.h"

#define TREE_DESCRIPTORS 16

int cache_path(const char *name, char *ret, size_t size, struct error *error)
{
	const char *own = getenv("STACKPROOF_CACHE");
	const char *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");
	int length;

	if (own && *own)
		length = snprintf(ret, size, "%s/%s", own, name);
	else if (xdg && *xdg == '/')
		length = snprintf(ret, size, "%s/stackproof/%s", xdg, name);
	else if (home && *home == '/')
		length = snprintf(ret, size, "%s/.cache/stackproof/%s", home, name);
	else
		return error_set(error, ERROR_UNAVAILABLE, "", 0,
				 "no cache directory: neither STACKPROOF_CACHE nor HOME is set");
	if (length >= (int)size)
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "cache directory: path too long");
	return 0;
}

int make_directories(const char *path, struct error *error)
{
	char part[PATH_MAX];
	size_t length = strlen(path);

	if (length >= sizeof(part))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s: path too long", path);
	for (size_t i = 1; i <= length; i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		if (mkdir(part, 0755) && errno != EEXIST)
			return error_set_errno(error, "can't create %.150s", part);
	}
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	remove(path);
	return 0;
}

void remove_tree(const char *path)
{
	nftw(path, remove_one, TREE_DESCRIPTORS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int write_file_atomically(const char *path, const void *data, size_t size, struct error *error)
{
	char temporary[PATH_MAX];
	size_t done = 0;
	int fd;

	snprintf(temporary, sizeof(temporary), "%.4000s.XXXXXX", path);
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return error_set_errno(error, "can't create %.150s", path);
	fchmod(fd, 0644);
	while (done < size) {
		ssize_t n = write(fd, (const char *)data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			goto failed;
		done += (size_t)n;
	}
	if (close(fd)) {
		fd = -1;
		goto failed;
	}
	fd = -1;
	if (!rename(temporary, path))
		return 0;
failed:
	error_set_errno(error, "can't write %.150s", path);
	if (fd >= 0)
		close(fd);
	unlink(temporary);
	return -1;
}

int read_small_file(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	*ret = '\0';
	if (fd < 0)
		return -1;
	n = read(fd, ret, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	ret[n] = '\0';
	return 0;
}
