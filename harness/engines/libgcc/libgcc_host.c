/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libgcc_host.c - a program: asks libgcc's unwinder for stacks
 *
 *	libgcc_host
 *
 * Started by stackproof, as engine_host is, and speaks the same messages. It is static, linked to
 * HOME_START, and has its heap behind itself. What the kernel has put elsewhere, the stack and the
 * vDSO, might be in the other process's way: it goes on with a stack of its own, and they are
 * unmapped.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include "engines/external/host_serve.h"
#include "libgcc_inside.h"

#define STACK_BYTES 262144u
#define MAPS_BYTES  16384u

static struct host *host;

/* Unmaps what /proc/self/maps has that is not at home. Lines begin with START-END. */
static void leave_other_addresses(void)
{
	static char maps[MAPS_BYTES];
	size_t size = 0;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && size + 1 < sizeof(maps)) {
		got = read(fd, maps + size, sizeof(maps) - 1 - size);
		size += got > 0 ? (size_t)got : 0;
	}
	if (got < 0 || size + 1 == sizeof(maps))
		host_give_up("libgcc_host: /proc/self/maps can't be read");
	close(fd);
	for (char *line = maps, *next; *line; line = next) {
		char *end;
		uint64_t start = strtoull(line, &end, 16), stop = strtoull(end + 1, NULL, 16);

		/* The kernel's [vsyscall] can't be, and is in nobody's way. */
		if (!is_home(start))
			munmap((void *)start, stop - start);
		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
	}
}

static void serve(void)
{
	static const struct host_functions functions = { libgcc_open, libgcc_walk, libgcc_close };

	leave_other_addresses();
	/* What exit(3) would do looks at the environment, which was on the other stack. */
	_exit(host_serve(host, &functions, ""));
}

int main(void)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));
	static ucontext_t context;

	mallopt(M_MMAP_MAX, 0); /* nothing anywhere else */
	host = host_create();
	if (!is_home((uint64_t)host) || !is_home((uint64_t)main))
		host_give_up("libgcc_host: it is not where it was linked to");
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	makecontext(&context, serve, 0);
	setcontext(&context);
	host_give_up("libgcc_host: no other stack");
}
