/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * process.c - a thread through which a process's memory can be asked for
 *
 * A process whose first thread has ended (main called pthread_exit) goes on in the others, and
 * keeps its number. But that number is the first thread's, and that one has no memory any more:
 * under it /proc/PID/maps and pagemap are empty or can't be opened, and process_vm_readv(2) fails
 * with ESRCH. All of that works under the number of a thread that lives. /proc/PID/task lists them,
 * those too that are ending; /proc/TID/statm, which needs no permission, says zeroes of one that
 * has no memory
 * (proc(5)).
 *
 * Containers forbid process_vm_readv(2) where ptrace(2) is allowed: then /proc/TID/mem says the same.
 * That file is asked, too, where process_vm_readv(2) finds nothing: it wants PROT_READ, which the CPU
 * does not (a page that may be written or executed only is read all the same, but for protection
 * keys), and it has no way into device memory. But a tracer gets by that file what nobody may have
 * (PROT_NONE: FOLL_FORCE in mm/gup.c), so the mapping's permissions decide whether it counts.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include "address_space.h"
#include "mapped_file.h"

bool thread_has_memory(pid_t tid)
{
	unsigned long long pages = 0;
	char path[32];
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	read = fscanf(file, "%llu", &pages) == 1;
	fclose(file);
	return read && pages;
}

pid_t process_living_thread(pid_t pid)
{
	struct dirent *entry;
	pid_t found = 0;
	char path[32];
	DIR *folder;

	if (thread_has_memory(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder))) {
		pid_t tid = atoi(entry->d_name); /* 0: "." and ".." */

		if (tid > 0 && tid != pid && thread_has_memory(tid))
			found = tid;
	}
	if (folder)
		closedir(folder);
	return found;
}

static bool read_proc_mem(pid_t tid, uint64_t address, void *ret, size_t size)
{
	char path[32];
	bool read;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)tid);
	fd = address <= INT64_MAX ? open(path, O_RDONLY | O_CLOEXEC) : -1; /* offsets are signed */
	if (fd < 0)
		return false;
	read = pread(fd, ret, size, (off_t)address) == (ssize_t)size;
	close(fd);
	return read;
}

/* The CPU lets the process itself read all of it, for all that the mappings say. */
static bool is_accessible(pid_t tid, uint64_t address, size_t size)
{
	uint64_t end = address + size;
	struct maps_line parsed;
	char *line = NULL, path[32];
	size_t capacity = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	maps = fopen(path, "re");
	while (maps && address < end && getline(&line, &capacity, maps) > 0) {
		if (!maps_line_parse(line, &parsed) || parsed.end <= address)
			continue;
		if (parsed.start > address || !maps_line_is_accessible(&parsed))
			break;
		address = parsed.end;
	}
	if (maps)
		fclose(maps);
	free(line);
	return address >= end;
}

bool thread_read_memory(pid_t tid, uint64_t address, void *ret, size_t size)
{
	struct iovec local = { .iov_base = ret, .iov_len = size };
	struct iovec remote = { .iov_base = (void *)address, .iov_len = size };
	ssize_t read = process_vm_readv(tid, &local, 1, &remote, 1, 0);
	int reason = read < 0 ? errno : EFAULT; /* a part of it only */

	if (read == (ssize_t)size)
		return true;
	if (reason == EPERM || reason == ENOSYS || reason == EACCES) {
		if (read_proc_mem(tid, address, ret, size))
			return true;
	} else if (reason == EFAULT && read_proc_mem(tid, address, ret, size) &&
		   is_accessible(tid, address, size)) {
		return true;
	}
	errno = reason;
	return false;
}
