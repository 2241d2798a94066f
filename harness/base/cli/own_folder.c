/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * own_folder.c - a folder for what is made on the way
 *
 * By the name that the kernel has for it: mappings of files in it are told by that.
 *
 * Its owner holds a lock of it (flock(2)), which ends with the owner, however that ends. So whose lock is free is
 * nobody's any more. Whoever makes a folder has a minute to lock it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "freed.h"
#include "exit_status.h"
#include "own_folder.h"

#define LOCK_SECONDS 60

struct own_folder {
	int fd; /* holds the lock; or -1 */
	char path[];
};

/* That it is missing, or closed to us, is no fault of a file that was named. */
static char *no_folder(const char *parent, struct error *error)
{
	error_set_errno(error, "the folder for temporary files, %s", parent);
	error_blame_environment(error);
	return NULL;
}

static int open_folder(int at, const char *path)
{
	return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void remove_tree(char *folder)
{
	char *roots[] = { folder, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)))
		if (entry->fts_info == FTS_DP)
			rmdir(entry->fts_accpath);
		else if (entry->fts_info != FTS_D)
			unlink(entry->fts_accpath);
	if (tree)
		fts_close(tree);
}

/* Our user's, and nobody holds its lock. */
static bool is_left(int parent, const char *name)
{
	FD_CLOSED int fd = open_folder(parent, name);
	struct stat status;

	return fd >= 0 && !fstat(fd, &status) && status.st_uid == geteuid() &&
	       (status.st_mode & 07777) == 0700 && time(NULL) - status.st_mtime > LOCK_SECONDS &&
	       !flock(fd, LOCK_EX | LOCK_NB);
}

/* begin: what folders are called, without their last six characters. */
static void remove_left(const char *parent, const char *begin)
{
	DIR_CLOSED DIR *folder = opendir(parent);
	struct dirent *entry;
	char *path;

	while (folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, begin, strlen(begin)) != 0 ||
		    strlen(entry->d_name) != strlen(begin) + 6 ||
		    !is_left(dirfd(folder), entry->d_name) ||
		    asprintf(&path, "%s/%s", parent, entry->d_name) < 0)
			continue;
		remove_tree(path);
		free(path);
	}
}

char *own_folder_create(const char *what, struct error *error)
{
	const char *wish = getenv("TMPDIR"), *named = wish && *wish ? wish : "/tmp";
	FREED char *parent = realpath(named, NULL);
	struct own_folder *folder;
	char begin[64];
	size_t size;

	if (!parent)
		return no_folder(named, error);
	snprintf(begin, sizeof(begin), "stackproof-%s-locked-", what);
	remove_left(parent, begin);
	size = strlen(parent) + strlen(begin) + sizeof("/XXXXXX");
	folder = malloc(sizeof(*folder) + size);
	if (folder)
		snprintf(folder->path, size, "%s/%sXXXXXX", parent, begin);
	if (!folder) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for a path");
		return NULL;
	}
	if (!mkdtemp(folder->path)) {
		no_folder(named, error);
		free(folder);
		return NULL;
	}
	folder->fd = open_folder(AT_FDCWD, folder->path);
	if (folder->fd >= 0)
		flock(folder->fd, LOCK_EX | LOCK_NB);
	return folder->path;
}

void own_folder_remove(char *path)
{
	FREED struct own_folder *folder = NULL;

	if (!path)
		return;
	folder = (struct own_folder *)(path - offsetof(struct own_folder, path));
	remove_tree(path);
	if (folder->fd >= 0)
		close(folder->fd);
}
