/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_agent.c - the witness's helper in the guest
 *
 * It opens the kernel's rings of events about processes, says where they are, and makes room in them: what it takes out
 * the witness has seen, which looks into them whenever any watched process, or this one, goes on.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest_agent.h"
#include "perf_ring.h"

#define RING_PAGES	 256
#define POLL_MS		 20
#define STATUS_NOT_FOUND 127 /* a shell's */
#define STATUS_NOT_RUN	 126

/* The nop of guest_told.h. */
void __attribute__((noinline)) guest_agent_tell(const struct guest_told *told)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long %c0"
			 :
			 : "i"(GUEST_TELLS), "D"(told)
			 : "memory");
}

/* Waits at the pipe until it is watched, then executes argv. */
static void __attribute__((noreturn)) run_child(char *const argv[], int go_fd)
{
	char go;

	if (read(go_fd, &go, 1) != 1)
		_exit(STATUS_NOT_RUN);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN);
}

void guest_agent_make_room(struct perf_rings *rings)
{
	for (unsigned int i = 0; i < rings->count; i++) {
		rings->ring[i].tail = perf_ring_head(&rings->ring[i]);
		perf_ring_release(&rings->ring[i]);
	}
}

void guest_agent_touch(const void *memory, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < bytes; at += page)
		(void)((const volatile uint8_t *)memory)[at];
}

int guest_agent_rings(struct guest_told *told, const struct perf_rings *rings, struct error *error)
{
	if (rings->count > GUEST_RINGS_MAX)
		return error_set(error, ERROR_UNAVAILABLE, NULL, 0,
				 "the witness knows %d CPUs at most", GUEST_RINGS_MAX);
	told->rings = rings->count;
	told->ring_bytes = rings->ring[0].bytes;
	for (unsigned int i = 0; i < rings->count; i++) {
		told->ring[i] = (uint64_t)(uintptr_t)rings->ring[i].memory;
		guest_agent_touch(rings->ring[i].memory,
				  rings->ring[i].bytes + (size_t)sysconf(_SC_PAGESIZE));
	}
	return 0;
}

static int wait_for(pid_t pid, struct perf_rings *rings, int *ret_status, struct error *error)
{
	struct epoll_event event;
	pid_t ended;

	while ((ended = waitpid(pid, ret_status, WNOHANG)) == 0) {
		epoll_wait(rings->epoll_fd, &event, 1, POLL_MS);
		guest_agent_make_room(rings);
	}
	return ended == pid ? 0 : error_set_errno(error, "waitpid");
}

static int run(char *const argv[], struct guest_told *told, struct perf_rings *rings,
	       int *ret_status, struct error *error)
{
	int go[2];
	pid_t pid;

	if (pipe(go))
		return error_set_errno(error, "pipe");
	pid = fork();
	if (!pid) {
		close(go[1]);
		run_child(argv, go[0]);
	}
	close(go[0]);
	if (pid < 0) {
		close(go[1]);
		return error_set_errno(error, "fork");
	}
	told->watched = (uint32_t)pid;
	guest_agent_make_room(rings);
	guest_agent_tell(told);
	if (write(go[1], "", 1) != 1)
		kill(pid, SIGKILL);
	close(go[1]);
	int status = wait_for(pid, rings, ret_status, error);

	told->watched = 0; /* the rings go */
	guest_agent_tell(told);
	return status;
}

int guest_agent_run(char *const argv[], int *ret_status, struct error *error)
{
	struct guest_told told = { 0 };
	struct perf_rings rings;
	int status = -1;

	if (guest_layout_read(&told, error))
		return -1;
	if (!perf_rings_open(&rings, RING_PAGES, error) && !guest_agent_rings(&told, &rings, error))
		status = run(argv, &told, &rings, ret_status, error);
	perf_rings_close(&rings);
	return status;
}
