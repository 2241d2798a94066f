/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * uprobed.c - a function with a uprobe, and one with a uretprobe, of its own making
 *
 * Rule: a uretprobe replaces the return address while its function runs, and brings the thread back where the
 * call said; a uprobe executes an instruction elsewhere. With CALLS that is a call, which the breakpoint's
 * byte does not show. Exit status 77: no probe can be had here.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../c/testprog.h"

#define SKIPPED 77

extern char __executable_start[];
static volatile long sum;

__attribute__((unused)) static FRAME long callee(long value)
{
	sum += value;
	return sum;
}

#ifdef CALLS
long probed(long value);
__asm__(".text\n"
	".type probed, @function\n"
	"probed:\n"
	"	.cfi_startproc\n"
	"	call 1f\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size probed, . - probed\n"
	".type within, @function\n"
	"within:\n"
	"1:	.cfi_startproc\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size within, . - within\n");
#else
static FRAME long probed(long value)
{
	value = callee(value) + 1;
	KEEP(value);
	return value;
}
#endif

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
