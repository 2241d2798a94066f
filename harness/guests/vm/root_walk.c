/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * root_walk.c - what is in a folder that is to be a guest's root
 *
 * The key says whether an image that was made of the folder is still of it. No file is read for it: a file's time of
 * change (st_ctime) can't be set by anybody, so what was written, renamed or given to somebody else since has another
 * one. Entries are added up, so that their order does not count.
 */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "freed.h"
#include "frame.h"
#include "hash.h"
#include "root_image.h"

#define FAST_LINK_BYTES 60 /* a shorter target lies in the inode */

static uint64_t entry_key(const char *name, const struct stat *st, bool readable)
{
	const uint64_t word[] = {
		(uint64_t)st->st_ino,
		st->st_mode,
		st->st_uid,
		st->st_gid,
		(uint64_t)st->st_size,
		(uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec,
		st->st_rdev,
		readable,
	};

	return hash_mix(hash_bytes_on(hash_bytes(name, strlen(name)), word, sizeof(word)));
}

static uint64_t entry_bytes(const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size, blocks = 0;

	if (S_ISDIR(st->st_mode))
		blocks = 1 + size / ROOT_BLOCK_BYTES;
	else if (S_ISREG(st->st_mode) || (S_ISLNK(st->st_mode) && size >= FAST_LINK_BYTES))
		blocks = (size + ROOT_BLOCK_BYTES - 1) / ROOT_BLOCK_BYTES;
	return blocks * ROOT_BLOCK_BYTES;
}

/* Whether the entry's content can be read, and what is in a directory asked for. */
static bool is_readable(const FTSENT *entry)
{
	mode_t type = entry->fts_statp->st_mode;

	return (!S_ISDIR(type) && !S_ISREG(type)) ||
	       !faccessat(AT_FDCWD, entry->fts_accpath, S_ISDIR(type) ? R_OK | X_OK : R_OK,
			  AT_EACCESS);
}

static void count_entry(struct root_contents *contents, const char *name, const struct stat *st,
			bool readable)
{
	contents->all++;
	contents->key += entry_key(name, st, readable);
	contents->bytes += entry_bytes(st);
	contents->content += S_ISREG(st->st_mode) && readable ? (uint64_t)st->st_size : 0;
	/* A directory that can't be read is there, and empty. */
	contents->entries += S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode) ||
			     (S_ISREG(st->st_mode) && readable);
	if (!readable && !contents->unreadable++)
		snprintf(contents->first, sizeof(contents->first), "%s", name);
}

int root_walk(const char *folder, root_visit *visit, void *context, struct root_contents *ret,
	      struct error *error)
{
	char path[PATH_MAX];
	char *const paths[] = { path, NULL };
	struct stat top;
	int status = 0;
	FTSENT *entry;
	FTS *tree;

	*ret = (struct root_contents) { 0 };
	if (!realpath(folder, path) || stat(path, &top))
		return error_set_errno(error, "%.150s", folder);
	if (!S_ISDIR(top.st_mode))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%.150s is not a directory",
				 folder);
	tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	if (!tree)
		return error_set_errno(error, "%.150s", folder);
	while (!status && (errno = 0, entry = fts_read(tree))) {
		const char *name = entry->fts_path + strlen(path);
		bool readable;

		if (entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR)
			continue; /* it was there before */
		if (entry->fts_info == FTS_NS || entry->fts_info == FTS_ERR) {
			errno = entry->fts_errno;
			status = error_set_errno(error, "%.150s", entry->fts_path);
			continue;
		}
		readable = is_readable(entry);
		count_entry(ret, name, entry->fts_statp, readable);
		if (S_ISDIR(entry->fts_statp->st_mode)) {
			bool elsewhere = entry->fts_statp->st_dev != top.st_dev;

			ret->elsewhere += elsewhere;
			if (!readable || elsewhere)
				fts_set(tree, entry, FTS_SKIP);
		}
		if (visit && entry->fts_level)
			status = visit(context, name, entry->fts_statp, error);
	}
	if (!status && errno)
		status = error_set_errno(error, "%.150s", folder);
	fts_close(tree);
	if (!status && !*ret->first && ret->unreadable)
		strcpy(ret->first, "/");
	return status;
}

bool guest_root_has(const char *folder, const char *name)
{
	FD_CLOSED int root = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	char path[PATH_MAX];
	size_t length;

	if (root < 0 || strchr(name, '/'))
		return true; /* root_image_open() says what is wrong with the folder */
	for (const char *at = FRAME_GUEST_PATH; *at; at += length + (at[length] == ':')) {
		int fd;

		length = strcspn(at, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)length, at, name);
		fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
		if (fd >= 0)
			close(fd);
		/* Before Linux 5.6 only the guest can tell. */
		if (fd >= 0 || errno == ENOSYS)
			return true;
	}
	return false;
}
