/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * proc_file.h - what /proc says of a process or a thread, by its number
 *
 * name: behind /proc/PID/, as "maps" or "root". See proc(5). errno is ENOENT, or ESRCH, if it has ended.
 */
#ifndef STACKPROOF_PROC_FILE_H
#define STACKPROOF_PROC_FILE_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include "freed.h"

#define PROC_PATH_BYTES 96

/* The file's path, in path. */
static inline const char *proc_path(char path[PROC_PATH_BYTES], pid_t pid, const char *name)
{
	snprintf(path, PROC_PATH_BYTES, "/proc/%d/%s", (int)pid, name);
	return path;
}

/* A descriptor of the file, or -1. flags: of open(2), to which O_CLOEXEC is added. */
static inline int proc_file_descriptor(pid_t pid, const char *name, int flags)
{
	char path[PROC_PATH_BYTES];

	return open(proc_path(path, pid, name), flags | O_CLOEXEC);
}

/* The file, for reading, or NULL. */
static inline FILE *proc_file_open(pid_t pid, const char *name)
{
	char path[PROC_PATH_BYTES];

	return fopen(proc_path(path, pid, name), "re");
}

/* The first bytes of the file, at most size - 1, with a NUL behind them. Returns how many, or -1; then text is "". */
static inline ssize_t proc_file_read(pid_t pid, const char *name, char *text, size_t size)
{
	FD_CLOSED int fd = proc_file_descriptor(pid, name, O_RDONLY);
	ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

	text[length < 0 ? 0 : length] = '\0';
	return length;
}

/* The same of where a link leads, as "exe". */
static inline ssize_t proc_link_read(pid_t pid, const char *name, char *text, size_t size)
{
	char path[PROC_PATH_BYTES];
	ssize_t length = readlink(proc_path(path, pid, name), text, size - 1);

	text[length < 0 ? 0 : length] = '\0';
	return length;
}

/* The folder with the process's threads, or NULL; the next one's number, or 0: there is none any more. */
static inline DIR *proc_threads_open(pid_t pid)
{
	char path[PROC_PATH_BYTES];

	return opendir(proc_path(path, pid, "task"));
}
static inline pid_t proc_threads_next(DIR *threads)
{
	struct dirent *entry;

	while ((entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			return atoi(entry->d_name);
	return 0;
}

#endif
