/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_tree.c - which processes are the profiler's, and what they have used
 *
 * Whatever a command starts is below this process, and stays there when its parents end, since this one is a subreaper:
 * a daemon that left its session, too. What else is below it is the work. A process's clock has the time of all of its
 * threads, also of those that have ended, in nanoseconds.
 */
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "array.h"
#include "costs.h"
#include "proc_file.h"
#include "process_scan.h"

static uint64_t peak_of(pid_t pid)
{
	FILE_CLOSED FILE *file = proc_file_open(pid, "status");
	char line[256];
	unsigned long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %lu", &kib) == 1)
			break;
	return kib * 1024;
}

static uint64_t cpu_of(pid_t pid)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &used))
		return 0;
	return used.tv_sec * 1000000000ull + used.tv_nsec;
}

static bool is_work(const struct costs_work *work, pid_t pid)
{
	return ARRAY_ANY(work->running, i, work->pid[i] == pid) ||
	       ARRAY_ANY(COSTS_PROBES, i, work->probe[i] == pid);
}

static bool has(const struct costs_tree *tree, pid_t pid)
{
	return ARRAY_ANY(tree->count, i, tree->process[i].pid == pid);
}

static int read_all(struct costs_tree *ret)
{
	DIR_CLOSED DIR *folder = opendir("/proc");
	struct dirent *entry;
	int status = 0;

	while (folder && !status && (entry = readdir(folder))) {
		struct costs_process process = { .pid = atoi(entry->d_name) };

		process.parent = process.pid ? process_parent(process.pid) : 0;
		if (process.parent && !ARRAY_ADD(ret->process, ret->count, process))
			status = -1;
	}
	return status;
}

int costs_tree_read(struct costs_tree *ret, const struct costs_work *work, struct error *error)
{
	struct costs_tree all DEINIT(costs_tree_deinit) = { 0 };
	size_t before;

	ret->count = 0;
	if (read_all(&all))
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for processes");
	/* Children, their children, until nobody is new. */
	do {
		before = ret->count;
		for (size_t i = 0; i < all.count; i++) {
			const struct costs_process *process = &all.process[i];
			struct costs_process *added;

			if ((process->parent != getpid() && !has(ret, process->parent)) ||
			    has(ret, process->pid) || is_work(work, process->pid))
				continue;
			added = ARRAY_ADD(ret->process, ret->count, *process);
			if (!added)
				return error_set(error, ERROR_MEMORY, "", 0,
						 "no memory for processes");
			added->cpu_ns = cpu_of(process->pid);
			added->peak_bytes = peak_of(process->pid);
		}
	} while (ret->count > before);
	return 0;
}

void costs_tree_deinit(struct costs_tree *tree)
{
	free(tree->process);
	*tree = (struct costs_tree) { 0 };
}

uint64_t costs_tree_cpu_ns(const struct costs_tree *before, const struct costs_tree *now)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < now->count; i++) {
		uint64_t used = now->process[i].cpu_ns;

		for (size_t j = 0; j < before->count; j++)
			if (before->process[j].pid == now->process[i].pid &&
			    before->process[j].cpu_ns <= used)
				used -= before->process[j].cpu_ns;
		sum += used;
	}
	return sum;
}

uint64_t costs_tree_peak_bytes(const struct costs_tree *tree)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < tree->count; i++)
		sum += tree->process[i].peak_bytes;
	return sum;
}
