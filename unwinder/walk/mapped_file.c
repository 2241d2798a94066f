/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * mapped_file.c - open the very file that a process has mapped
 *
 * A path says too little: the file may have been deleted or replaced since, and in a container it
 * is another one's. /proc/PID/map_files has the file itself, but asks for CAP_CHECKPOINT_RESTORE.
 * Without, there is the path as the process sees it (/proc/PID/root, which asks for what ptrace(2)
 * does), and as we see it. What is found there is taken only if it is the mapped file: tables of
 * another would give complete stacks, and wrong ones.
 *
 * Which file it is, maps says by device and inode. stat(2) may say others (btrfs, overlayfs). So
 * where the two differ, the file is mapped here and our own line compared.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "mapped_file.h"

#define VDSO_BYTES_MAX (256u << 10)

/* In place: the kernel has "\\012" for a newline in a path, and no other escape (seq_file_path(), show_map_vma()). */
static void undo_newlines(char *path)
{
	for (char *at = path; (at = strstr(at, "\\012")); at++) {
		*at = '\n';
		memmove(at + 1, at + 4, strlen(at + 4) + 1);
	}
}

bool maps_line_parse(char *line, struct maps_line *ret)
{
	int path_at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &ret->start, &ret->end, ret->permissions, &ret->offset, &ret->major, &ret->minor,
		   &ret->inode, &path_at) < 7)
		return false;
	line[strcspn(line, "\n")] = '\0';
	ret->path = line + path_at;
	undo_newlines(line + path_at);
	return ret->start < ret->end;
}

char *maps_line_find(pid_t tid, uint64_t address, struct maps_line *ret)
{
	char path[32] = "/proc/self/maps", *text = NULL;
	size_t capacity = 0;
	bool found = false;
	FILE_CLOSED FILE *maps = NULL;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	maps = fopen(path, "re");
	while (maps && !found && getline(&text, &capacity, maps) > 0)
		found = maps_line_parse(text, ret) && ret->start <= address && ret->end > address;
	if (found)
		return text;
	free(text);
	return NULL;
}

/* ---- which file it is ------------------------------------------------------------------- */

/* What maps says of a mapping of ours. False: it can't be read. */
static bool own_line(const void *address, uint64_t *ret_device, uint64_t *ret_inode)
{
	struct maps_line parsed;
	FREED char *line = maps_line_find(0, (uintptr_t)address, &parsed);

	if (!line)
		return false;
	*ret_device = makedev(parsed.major, parsed.minor);
	*ret_inode = parsed.inode;
	return true;
}

/* False: errno is ESTALE, or says why it can't be told. */
static bool is_mapped_one(int fd, const struct maps_line *line)
{
	uint64_t device = makedev(line->major, line->minor), own_device, own_inode;
	struct stat file;
	void *page;
	bool same;

	if (fstat(fd, &file))
		return false;
	errno = ESTALE;
	if (!S_ISREG(file.st_mode))
		return false;
	if (file.st_dev == device && file.st_ino == line->inode)
		return true;
	page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return false;
	same = own_line(page, &own_device, &own_inode) && own_device == device &&
	       own_inode == line->inode;
	munmap(page, 1);
	return same;
}

/* ---- opening ---------------------------------------------------------------------------- */

/* The file itself, whatever its name is by now. */
static void mapped_path(pid_t tid, const struct maps_line *line, char ret[64])
{
	snprintf(ret, 64, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, tid, line->start, line->end);
}

/* What has that path, if it is the file. -1: error is set. */
static int open_path(const char *path, const struct maps_line *line, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return error_set_errno(error, "%s", path);
	if (is_mapped_one(fd, line))
		return fd;
	error_set_errno(error, "%s is not what is mapped", path);
	close(fd);
	return -1;
}

/* By its path in the process's file system, or in ours. */
static int open_paths(pid_t tid, const struct maps_line *line, struct error *error)
{
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root%s", tid, line->path);
	fd = open_path(path, line, error);
	return fd < 0 && !error_is_want(error) ? open_path(line->path, line, error) : fd;
}

int mapped_file_descriptor(pid_t tid, const struct maps_line *line)
{
	struct error ignored;
	char path[64];
	int fd;

	mapped_path(tid, line, path);
	fd = open_path(path, line, &ignored);
	return fd < 0 ? open_paths(tid, line, &ignored) : fd;
}

static struct image *open_file(pid_t tid, const struct maps_line *line, struct error *error)
{
	struct image *image = NULL;
	struct error first;
	char path[64];
	int fd;

	mapped_path(tid, line, path);
	if (!image_create(path, &image, error))
		return image;
	if (error->code != ERROR_SYSTEM || error_is_want(error))
		return NULL;
	first = *error;
	fd = open_paths(tid, line, error);
	if (fd >= 0) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (image_create(path, &image, error))
			image = NULL;
		close(fd);
	}
	/* That it is no ELF says more than that the first way was closed. */
	if (!image && error->code == ERROR_SYSTEM && !error_is_want(error))
		*error = first;
	return image;
}

struct image *mapped_file_open(pid_t tid, const struct maps_line *line, struct error *error)
{
	struct image *image = open_file(tid, line, error);
	char *name = image ? strdup(line->path) : NULL;

	if (image && !name) {
		image_destroy(image);
		error_set(error, ERROR_MEMORY, "", 0, "no memory for %s", line->path);
		return NULL;
	}
	if (image) {
		free(image->path);
		image->path = name;
	}
	return image;
}

struct image *mapped_vdso_open(pid_t tid, const struct maps_line *line, struct error *error)
{
	size_t size = line->end - line->start;
	struct image *image = NULL;
	FREED void *bytes = NULL;

	if (size > VDSO_BYTES_MAX) {
		error_set(error, ERROR_UNSUPPORTED_ELF, "", 0, "a vDSO of %zu bytes", size);
		return NULL;
	}
	bytes = malloc(size);
	if (!bytes) {
		error_set(error, ERROR_MEMORY, "", 0, "no memory for the vDSO");
		return NULL;
	}
	if (!thread_read_memory(tid, line->start, bytes, size))
		error_set_errno(error, "reading the vDSO of process %d", tid);
	else if (image_create_memory(bytes, size, "[vdso]", &image, error))
		image = NULL;
	return image;
}

struct file_version mapped_file_version(pid_t tid, const struct maps_line *line)
{
	struct file_version version = { 0 };
	char path[64], seen[PATH_MAX + 32];
	struct stat file;

	mapped_path(tid, line, path);
	snprintf(seen, sizeof(seen), "/proc/%d/root%s", tid, line->path);
	if (!stat(path, &file) || (!stat(seen, &file) && file.st_ino == line->inode) ||
	    (!stat(line->path, &file) && file.st_ino == line->inode))
		version = file_version(&file);
	/* The device as maps has it, which on some file systems is not what stat(2) says. */
	version.device = makedev(line->major, line->minor);
	version.inode = line->inode;
	return version;
}
