/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_init_files.c - files -> cpio archives on ttyS1
 *
 * What comes back is regular files, directories and symbolic links of one file system. The archives of a command have
 * FRAME_ARCHIVE_MAX bytes together. What is left out of them is counted by reason, and said on the command's standard
 * error.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include "guest_init.h"

#define CPIO_MAGIC   "070701"
#define CPIO_TRAILER "TRAILER!!!"
#define CPIO_HEADER  110 /* bytes */
#define ENTRY_REST                                                                                 \
	(2 * (CPIO_HEADER + sizeof(CPIO_TRAILER) + 3)) /* a header, its padding, the trailer */

enum left_out { LEFT_SPECIAL, LEFT_TOO_LARGE, LEFT_UNREADABLE, LEFT_ELSEWHERE, LEFT_COUNT };

struct files {
	struct results *results;
	uint16_t index;
	enum frame_type type;
	struct timespec since; /* all 0: everything */
	dev_t device;
	uint32_t number; /* of the entry: its inode, so that none are links of each other */
	uint8_t data[FRAME_PAYLOAD_MAX];
	size_t first; /* bytes that begin each frame's payload: the copy's number */
	size_t used;
	char path[PATH_MAX]; /* in the archive */
	unsigned left_out[LEFT_COUNT];
};

static void files_flush(struct files *files)
{
	if (files->used > files->first)
		results_send(files->results, files->type, files->index, files->data, files->used);
	files->used = files->first;
}

static void files_put(struct files *files, const void *data, size_t size)
{
	const uint8_t *at = data;

	files->results->archive_bytes += size;
	while (size) {
		size_t room = sizeof(files->data) - files->used, part = size < room ? size : room;

		memcpy(files->data + files->used, at, part);
		files->used += part;
		at += part;
		size -= part;
		if (files->used == sizeof(files->data))
			files_flush(files);
	}
}

/* Entries and their data begin at multiples of four (cpio(5), newc). */
static void files_pad(struct files *files, uint64_t written)
{
	files_put(files, "\0\0\0", (size_t)(-written & 3));
}

/* Whether an entry with that much data fits into what the command may send. */
static bool files_have_room(struct files *files, const char *name, uint64_t size)
{
	uint64_t room = FRAME_ARCHIVE_MAX - files->results->archive_bytes;
	bool fits = size <= room && strlen(name) + ENTRY_REST <= room - size;

	files->left_out[LEFT_TOO_LARGE] += !fits;
	return fits;
}

static void files_put_header(struct files *files, const char *name, mode_t mode, uint64_t size)
{
	size_t length = strlen(name) + 1;
	char header[112];
	int used = snprintf(header, sizeof(header),
			    CPIO_MAGIC "%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
			    ++files->number, mode, 0, 0, 1, 0, (unsigned)size, 0, 0, 0, 0,
			    (unsigned)length, 0);

	files_put(files, header, (size_t)used);
	files_put(files, name, length);
	files_pad(files, (uint64_t)used + length);
}

static void files_put_regular(struct files *files, int fd, const struct stat *st)
{
	uint64_t left = (uint64_t)st->st_size;
	char data[4096];

	if (!files_have_room(files, files->path, left))
		return;
	files_put_header(files, files->path, st->st_mode, left);
	while (left) {
		ssize_t n = read(fd, data, left < sizeof(data) ? (size_t)left : sizeof(data));

		if (n <= 0) { /* it became shorter */
			memset(data, 0, sizeof(data));
			n = left < sizeof(data) ? (ssize_t)left : (ssize_t)sizeof(data);
		}
		files_put(files, data, (size_t)n);
		left -= (uint64_t)n;
	}
	files_pad(files, (uint64_t)st->st_size);
}

static void files_put_link(struct files *files, int directory, const char *name, mode_t mode)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(directory, name, target, sizeof(target));

	if (length <= 0 || !files_have_room(files, files->path, (uint64_t)length))
		return;
	files_put_header(files, files->path, mode, (uint64_t)length);
	files_put(files, target, (size_t)length);
	files_pad(files, (uint64_t)length);
}

static void files_walk(struct files *files, int directory);

static bool is_new(const struct files *files, const struct stat *st)
{
	return st->st_ctim.tv_sec > files->since.tv_sec ||
	       (st->st_ctim.tv_sec == files->since.tv_sec &&
		st->st_ctim.tv_nsec >= files->since.tv_nsec);
}

/* Takes the descriptor. */
static void files_put_open(struct files *files, int fd, const struct stat *st)
{
	if (S_ISREG(st->st_mode)) {
		files_put_regular(files, fd, st);
		close(fd);
		return;
	}
	if (is_new(files, st) && files_have_room(files, files->path, 0))
		files_put_header(files, files->path, st->st_mode, 0);
	files_walk(files, fd);
}

static void files_visit(struct files *files, int directory, const char *name)
{
	struct stat st;
	int fd;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW))
		return; /* it is gone */
	if (st.st_dev != files->device) {
		files->left_out[LEFT_ELSEWHERE]++;
		return;
	}
	if (!S_ISDIR(st.st_mode) && !is_new(files, &st))
		return;
	if (S_ISLNK(st.st_mode))
		files_put_link(files, directory, name, st.st_mode);
	else if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		files->left_out[LEFT_SPECIAL]++;
	else if ((fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		files->left_out[LEFT_UNREADABLE]++;
	else
		files_put_open(files, fd, &st);
}

/* Takes the descriptor. */
static void files_walk(struct files *files, int directory)
{
	size_t length = strlen(files->path);
	DIR *dir = fdopendir(directory);
	struct dirent *entry;

	if (!dir) {
		files->left_out[LEFT_UNREADABLE]++;
		close(directory);
		return;
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (length + strlen(entry->d_name) + 2 > sizeof(files->path)) {
			files->left_out[LEFT_UNREADABLE]++;
			continue;
		}
		sprintf(files->path + length, "%s%s", length ? "/" : "", entry->d_name);
		files_visit(files, dirfd(dir), entry->d_name);
		files->path[length] = '\0';
	}
	closedir(dir);
}

static void say(const struct files *files, const char *what, const char *reason)
{
	char line[PATH_MAX + 256];
	int length = snprintf(line, sizeof(line), "stackproof: %s: %s\n", what, reason);

	results_send(files->results, FRAME_STDERR, files->index, line, (size_t)length);
}

static void files_end(struct files *files, const char *what)
{
	static const char *const name[LEFT_COUNT] = {
		[LEFT_SPECIAL] = "are neither file nor directory nor link",
		[LEFT_TOO_LARGE] = "are more than may come back",
		[LEFT_UNREADABLE] = "can't be read",
		[LEFT_ELSEWHERE] = "are on another file system",
	};
	char reason[128];

	files_put_header(files, CPIO_TRAILER, 0, 0);
	files_flush(files);
	/* Of a working directory, other file systems are nobody's loss: it may be the root. */
	for (int i = 0; i < (files->type == FRAME_COPY ? LEFT_COUNT : LEFT_ELSEWHERE); i++) {
		snprintf(reason, sizeof(reason), "%u left out, which %s", files->left_out[i],
			 name[i]);
		if (files->left_out[i])
			say(files, what, reason);
	}
}

static struct files *files_begin(struct results *results, uint16_t index, enum frame_type type)
{
	static struct files files; /* too big for a careful stack */

	files = (struct files) { .results = results, .index = index, .type = type };
	return &files;
}

void files_send(struct results *results, uint16_t index, const char *directory,
		const struct timespec *since)
{
	struct files *files = files_begin(results, index, FRAME_FILES);
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		dprintf(2, "stackproof init: %s: %s\n", directory, strerror(errno));
		return;
	}
	files->since = *since;
	files->device = st.st_dev;
	files_walk(files, fd);
	files_end(files, directory);
}

void files_send_copy(struct results *results, uint16_t index, uint16_t number, const char *path,
		     const char *name)
{
	struct files *files = files_begin(results, index, FRAME_COPY);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	/* The host sees that nothing came. */
	if (fd < 0 || fstat(fd, &st)) {
		say(files, path, strerror(errno));
		return;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		say(files, path, "neither a file nor a directory");
		close(fd);
		return;
	}
	memcpy(files->data, &number, sizeof(number));
	files->first = files->used = sizeof(number);
	files->device = st.st_dev;
	snprintf(files->path, sizeof(files->path), "%s", name);
	files_put_open(files, fd, &st);
	files_end(files, path);
}
