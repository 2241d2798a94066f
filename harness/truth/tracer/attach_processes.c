/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_processes.c - processes and threads that may be attached to, as proc(5) shows them
 *
 * A process's number may come back. So a process is its number and the time at which it began.
 */
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach.h"
#include "proc_file.h"
#include "walk/address_space.h"

#define KERNEL_THREAD 0x00200000u /* PF_KTHREAD, include/linux/sched.h */

/* "TID (NAME) STATE PARENT ...": the name may hold parentheses and blanks. */
bool task_state_read(pid_t pid, pid_t tid, struct task_state *ret)
{
	char name[32], text[512];
	const char *end;
	unsigned int flags;

	snprintf(name, sizeof(name), "task/%d/stat", tid);
	proc_file_read(pid, name, text, sizeof(text));
	end = strrchr(text, ')');
	*ret = (struct task_state) { .cpu = -1 };
	/* Field 3 is the state, 4 the parent, 9 the flags, 22 the begin, 39 the CPU. */
	if (!end || sscanf(end,
			   ") %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			   "%*d %*d %" SCNu64 " %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u "
			   "%*u %*u %*u %*d %d",
			   &ret->state, &ret->parent, &flags, &ret->start, &ret->cpu) < 4)
		return false;
	ret->is_kernel = flags & KERNEL_THREAD;
	return true;
}

/* What it calls itself. False: it is gone. */
static bool read_comm(pid_t pid, char *ret, size_t size)
{
	if (proc_file_read(pid, "comm", ret, size) <= 0)
		return false;
	ret[strcspn(ret, "\n")] = '\0';
	return true;
}

void tracer_process_name(pid_t pid, char *ret, size_t size)
{
	static const char gone[] = " (deleted)";
	ssize_t length = proc_link_read(process_living_thread(pid), "exe", ret, size);

	if (length > 0) {
		if ((size_t)length >= sizeof(gone) &&
		    !strcmp(ret + length - (sizeof(gone) - 1), gone))
			ret[length - (sizeof(gone) - 1)] = '\0';
		return;
	}
	if (!read_comm(pid, ret, size))
		snprintf(ret, size, "%d", pid);
}

bool tracer_process_is_named(const struct tracer_process *process, const char *only)
{
	const char *slash = strrchr(process->name, '/');
	char name[32];

	if (!only || !strcmp(only, slash ? slash + 1 : process->name))
		return true;
	return read_comm(process->pid, name, sizeof(name)) && !strcmp(only, name);
}

const char *process_left_name(enum process_left left)
{
	static const char *const names[PROCESS_LEFT_COUNT] = {
		[PROCESS_NOT_NAMED] = "not_named", [PROCESS_REFUSED] = "refused",
		[PROCESS_TOO_MANY] = "too_many",   [PROCESS_BRIEF] = "brief",
		[PROCESS_IDLE] = "idle",	   [PROCESS_UNTRACED] = "untraced",
	};

	return names[left];
}

bool tracer_process_find(pid_t pid, struct tracer_process *ret)
{
	struct task_state state;

	if (!task_state_read(pid, pid, &state))
		return false;
	*ret = (struct tracer_process) { .pid = pid, .start = state.start };
	tracer_process_name(pid, ret->name, sizeof(ret->name));
	return true;
}

/* ---- who can be attached to ------------------------------------------------------------- */

static int no_process(struct error *error, const char *text, pid_t pid)
{
	error_set(error, ERROR_SYSTEM, NULL, 0, text, pid);
	error->system_errno = ENOENT; /* what was named is not there */
	return -1;
}

/* A number of /proc/PID/status; -1: it has no such line. */
static long status_number(pid_t pid, const char *name)
{
	FILE_CLOSED FILE *file = proc_file_open(pid, "status");
	char line[128];
	size_t length = strlen(name);
	long ret = -1;

	while (file && ret < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, length))
			ret = strtol(line + length, NULL, 10);
	return ret;
}

pid_t task_leader(pid_t tid)
{
	long leader = status_number(tid, "Tgid:");

	return leader > 0 ? (pid_t)leader : 0;
}

/* Its memory may be written: so it may be traced, by the same rule (ptrace(2), "access mode checking"). A first thread
 * that has ended has none to show. */
static int check_access(pid_t pid, struct error *error)
{
	pid_t living = process_living_thread(pid) ?: pid;
	FD_CLOSED int memory = proc_file_descriptor(living, "mem", O_RDWR);
	char ident[EI_NIDENT + 1];

	if (memory < 0) {
		error_set_errno(error, "process %d can't be traced", pid);
		error->code = ERROR_UNAVAILABLE;
		return -1;
	}
	if (proc_file_read(living, "exe", ident, sizeof(ident)) == EI_NIDENT &&
	    ident[EI_CLASS] != ELFCLASS64)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "process %d is not 64-bit x86 code", pid);
	return 0;
}

int tracer_process_check(pid_t pid, struct error *error)
{
	struct task_state state;
	pid_t leader = task_leader(pid);
	long tracer;

	if (leader && leader != pid)
		return no_process(error, "%d is a thread and no process", pid);
	if (!task_state_read(pid, pid, &state))
		return no_process(error, "there is no process %d", pid);
	if (state.is_kernel)
		return no_process(error, "process %d is the kernel's own", pid);
	if (status_number(pid, "Threads:") < 2 && (state.state == 'Z' || state.state == 'X'))
		return no_process(error, "process %d has ended: nobody has asked how", pid);
	if (pid == getpid())
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "process %d is stackproof itself", pid);
	tracer = status_number(pid, "TracerPid:");
	if (tracer > 0)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "process %d is traced by process %ld already", pid, tracer);
	return check_access(pid, error);
}

/* ---- which thread ----------------------------------------------------------------------- */

pid_t tracer_process_running(pid_t pid, pid_t after, bool *ret_others)
{
	pid_t first = 0, next = 0;
	size_t count = 0;
	DIR_CLOSED DIR *threads = proc_threads_open(pid);
	pid_t tid;

	while (threads && (tid = proc_threads_next(threads))) {
		struct task_state state;

		count++;
		if (!task_state_read(pid, tid, &state) || state.state != 'R')
			continue;
		if (!first || tid < first)
			first = tid;
		if (tid > after && (!next || tid < next))
			next = tid;
	}
	*ret_others = count > 1;
	return next ? next : first;
}
