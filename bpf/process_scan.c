/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process_scan.c - find processes in /proc, with their children
 *
 * The kernel says of a process who its parent is (/proc/PID/stat, proc(5)), not who its children
 * are: /proc/PID/task/TID/children is an option that kernels may lack. So a tree is found by
 * marking, from all processes with their parents, those whose parent is marked, until none is
 * added.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "freed.h"
#include "array.h"
#include "process_scan.h"

struct scanned {
	pid_t pid, parent;
	bool wanted;
};

struct scan {
	struct scanned *process;
	size_t count;
};

/* 0: the name is not a number. */
static pid_t name_number(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	return *end || number <= 0 || number != (pid_t)number ? 0 : number;
}

/* "PID (NAME) STATE PARENT ...": the name may hold parentheses and blanks. False: it is gone, or
 * errno_is_want(). */
static bool read_stat(pid_t pid, char *ret_state, pid_t *ret_parent)
{
	char path[48], text[256];
	const char *end;
	FILE_CLOSED FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	end = strrchr(text, ')');
	return end && sscanf(end, ") %c %d", ret_state, ret_parent) == 2;
}

static int add(struct scan *scan, const struct scanned *process, struct error *error)
{
	if (!ARRAY_ADD(scan->process, scan->count, *process))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for processes");
	return 0;
}

static int list(struct scan *scan, pid_t root, struct error *error)
{
	DIR_CLOSED DIR *folder = opendir("/proc");
	struct dirent *entry;
	int status = 0;
	char state;

	if (!folder)
		return error_set_errno(error, "/proc");
	while (!status && (entry = readdir(folder))) {
		struct scanned process = { .pid = name_number(entry->d_name) };

		if (!process.pid)
			continue;
		errno = 0;
		if (root && !read_stat(process.pid, &state, &process.parent)) {
			if (errno_is_want(errno))
				status = error_set_errno(error, "process %d", process.pid);
			continue;
		}
		process.wanted = !root || process.pid == root;
		status = add(scan, &process, error);
	}
	return status;
}

static bool is_wanted(const struct scan *scan, pid_t pid)
{
	for (size_t i = 0; i < scan->count; i++)
		if (scan->process[i].pid == pid)
			return scan->process[i].wanted;
	return false;
}

static void mark_descendants(struct scan *scan)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < scan->count; i++) {
			struct scanned *process = &scan->process[i];

			if (!process->wanted && process->parent && is_wanted(scan, process->parent))
				more = process->wanted = true;
		}
	}
}

int process_scan(pid_t root, void (*fn)(void *context, pid_t pid), void *context,
		 struct error *error)
{
	struct scan scan = { 0 };
	int status = list(&scan, root, error);

	if (!status && root) {
		mark_descendants(&scan);
		if (!is_wanted(&scan, root)) {
			errno = ESRCH;
			status = error_set_errno(error, "process %d", root);
		}
	}
	for (size_t i = 0; !status && i < scan.count; i++)
		if (scan.process[i].wanted)
			fn(context, scan.process[i].pid);
	free(scan.process);
	return status;
}

pid_t process_other_thread(pid_t pid)
{
	struct dirent *entry;
	pid_t found = 0;
	char path[32];
	DIR_CLOSED DIR *folder = NULL;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		pid_t tid = name_number(entry->d_name);

		if (tid && tid != pid)
			found = tid;
	}
	return found;
}

pid_t process_parent(pid_t pid)
{
	pid_t parent;
	char state;

	return read_stat(pid, &state, &parent) ? parent : 0;
}

bool process_is_asleep(pid_t pid)
{
	pid_t parent;
	char state;

	return read_stat(pid, &state, &parent) && state == 'S';
}

static bool stat_says_ended(pid_t pid)
{
	pid_t parent;
	char state;

	/* Zombie, or dead: proc(5). In this order: a thread that executes takes the leader's
	 * number. */
	errno = 0;
	if (process_other_thread(pid) || errno_is_want(errno))
		return false;
	return read_stat(pid, &state, &parent) ? state == 'Z' || state == 'X'
					       : !errno_is_want(errno);
}

/* A pidfd is readable when the last thread has ended (pidfd_open(2), Linux 5.3), and costs a tenth of what /proc does. */
bool process_has_ended(pid_t pid)
{
	struct pollfd end = { .fd = syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	bool ended;

	if (end.fd < 0)
		return errno == ESRCH || stat_says_ended(pid);
	ended = poll(&end, 1, 0) > 0;
	close(end.fd);
	return ended;
}
