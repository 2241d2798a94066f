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
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>
#include "address_space.h"
#include "mapped_file.h"
#include "proc_file.h"

bool thread_has_memory(pid_t tid)
{
	FILE_CLOSED FILE *file = proc_file_open(tid, "statm");
	unsigned long long pages = 0;

	return file && fscanf(file, "%llu", &pages) == 1 && pages;
}

pid_t process_living_thread(pid_t pid)
{
	DIR_CLOSED DIR *threads = NULL;
	pid_t tid;

	if (thread_has_memory(pid))
		return pid;
	threads = proc_threads_open(pid);
	while (threads && (tid = proc_threads_next(threads)))
		if (tid != pid && thread_has_memory(tid))
			return tid;
	return 0;
}

static bool read_proc_mem(pid_t tid, uint64_t address, void *ret, size_t size)
{
	/* Offsets are signed. */
	FD_CLOSED int fd = address <= INT64_MAX ? proc_file_descriptor(tid, "mem", O_RDONLY) : -1;

	return fd >= 0 && pread(fd, ret, size, (off_t)address) == (ssize_t)size;
}

/* The CPU lets the process itself read all of it, for all that the mappings say. */
static bool is_accessible(pid_t tid, uint64_t address, size_t size)
{
	uint64_t end = address + size;
	FILE_CLOSED FILE *maps = proc_file_open(tid, "maps");
	struct maps_line parsed;
	FREED char *line = NULL;
	size_t capacity = 0;

	while (maps && address < end && getline(&line, &capacity, maps) > 0) {
		if (!maps_line_parse(line, &parsed) || parsed.end <= address)
			continue;
		if (parsed.start > address || !maps_line_is_accessible(&parsed))
			break;
		address = parsed.end;
	}
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
