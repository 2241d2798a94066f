/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * uprobed.c - a function with a uprobe, and one with a uretprobe, of its own making
 *
 * Rule: a uretprobe replaces the return address while its function runs, and brings the thread back where the
 * call said; a uprobe executes an instruction elsewhere. Exit status 77: no probe can be had here.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../c/testprog.h"

#define SKIPPED 77

extern char __executable_start[];
static volatile long sum;

static FRAME long callee(long value)
{
	sum += value;
	return sum;
}

static FRAME long probed(long value)
{
	value = callee(value) + 1;
	KEEP(value);
	return value;
}

static int probe(int type, int is_return)
{
	struct perf_event_attr attributes = {
		.type = type,
		.size = sizeof(attributes),
		.config = is_return,
		.uprobe_path = (unsigned long)"/proc/self/exe",
		.probe_offset = (unsigned long)((char *)probed - __executable_start),
	};

	return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

int main(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int type = 0;

	if (!file || fscanf(file, "%d", &type) != 1 || probe(type, RETURNS) < 0)
		return SKIPPED;
	fclose(file);
	for (long i = 0; i < 4; i++)
		sum += probed(i);
	return sum == 0;
}
