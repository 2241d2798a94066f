/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * guest_agent.c - the witness's helper in the guest
 *
 * It opens the kernel's rings of events about processes, says where they are, and makes room in them: what it takes out
 * the witness has seen, which looks into them whenever any watched process, or this one, goes on.
 *
 * SIGINT goes to its process group, as by ^C: the program ends by it, and so profilers do that are beside it, and this one
 * goes on to what comes behind the program's end.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>
#include "clock.h"
#include "guest_agent.h"
#include "perf_ring.h"

#define RING_PAGES	 256
#define POLL_MS		 20
#define STATUS_NOT_FOUND 127 /* a shell's */
#define STATUS_NOT_RUN	 126

/* The nops of guest_told.h. */
#define TELL(what, told)                                                                           \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x84, 0x00; .long %c0"                                 \
			 :                                                                         \
			 : "i"(what), "D"(told)                                                    \
			 : "memory")

void __attribute__((noinline)) guest_agent_tell(const struct guest_told *told)
{
	TELL(GUEST_TELLS, told);
}

/* ---- the clock of perf's events -------------------------------------------------------------- */

#define CLOCK_TRIES 8

struct perf_clock {
	struct perf_event_mmap_page *page; /* NULL: there is none */
	struct guest_clock told;
};

/* An event that never fires, for what its page says. */
static void open_clock(struct perf_clock *ret)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_DUMMY };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *page = fd < 0 ? MAP_FAILED
			    : mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd,
				   0);

	*ret = (struct perf_clock) { .page = page == MAP_FAILED ? NULL : page };
	if (fd >= 0)
		close(fd); /* the mapping holds the event */
}

static void __attribute__((noinline)) tell_clock_once(struct guest_clock *clock)
{
	clock->ticks = __rdtsc();
	TELL(GUEST_CLOCK, clock);
}

/* If it is another one than was told last. */
static void tell_clock(struct perf_clock *clock)
{
	const struct perf_event_mmap_page *page = clock->page;
	struct guest_clock now = { .bytes = sizeof(now) };
	uint32_t lock;

	if (!page)
		return;
	do {
		lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		now.mult = page->time_mult;
		now.shift = page->time_shift;
		now.zero_ns = page->time_zero;
		if (!page->cap_user_time_zero)
			return;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (lock != page->lock || lock & 1);
	if (now.mult == clock->told.mult && now.shift == clock->told.shift &&
	    now.zero_ns == clock->told.zero_ns)
		return;
	clock->told = now;
	for (int i = 0; i < CLOCK_TRIES; i++)
		tell_clock_once(&now);
}

/* ---- what the host gets ----------------------------------------------------------------------- */

#define PART_BYTES 65536

static void __attribute__((noinline)) give(const struct guest_given *given)
{
	TELL(GUEST_GIVES, given);
}

int guest_agent_give(size_t number, const char *path, struct error *error)
{
	static uint8_t part[PART_BYTES];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (file < 0)
		return error_set_errno(error, "%s", path);
	while ((size = read(file, part, sizeof(part))) > 0)
		give(&(struct guest_given) { .bytes = sizeof(struct guest_given),
					     .number = number,
					     .address = (uintptr_t)part,
					     .size = (uint64_t)size });
	close(file);
	return size < 0 ? error_set_errno(error, "%s", path) : 0;
}

int guest_agent_join(char *const argv[])
{
	TELL(GUEST_JOINS, NULL);
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "%s: %s\n", argv[0], strerror(errno));
	return errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}

/* ---- the program ------------------------------------------------------------------------------- */

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

/* Waits for a child's end; with pid 0, for so long. */
static int wait_for(pid_t pid, struct perf_rings *rings, struct perf_clock *clock, int64_t most_ms,
		    int *ret_status, struct error *error)
{
	int64_t until = monotonic_ms() + most_ms;
	struct epoll_event event;
	pid_t ended = 0;

	while (pid ? (ended = waitpid(pid, ret_status, WNOHANG)) == 0 : monotonic_ms() < until) {
		epoll_wait(rings->epoll_fd, &event, 1, POLL_MS);
		guest_agent_make_room(rings);
		tell_clock(clock);
	}
	return ended == pid ? 0 : error_set_errno(error, "waitpid");
}

static pid_t start(void (*run)(void *context), void *context)
{
	pid_t pid = fork();

	if (!pid) {
		signal(SIGINT, SIG_DFL);
		run(context);
		_exit(STATUS_NOT_RUN);
	}
	return pid;
}

/* The program, which waits until it is watched. */
struct held_program {
	char *const *argv;
	int go[2];
};

static void run_held(void *context)
{
	struct held_program *program = context;

	close(program->go[1]);
	run_child(program->argv, program->go[0]);
}

static void run_profiler(void *context)
{
	setpgid(0, 0);
	execl("/bin/sh", "sh", "-c", (const char *)context, NULL);
}

static int start_profilers(const struct guest_run *what, pid_t program, pid_t *ret)
{
	for (size_t i = 0; i < what->profilers; i++) {
		char *command = what->command(what->context, i, program);

		ret[i] = command ? start(run_profiler, command) : -1;
		free(command);
		if (ret[i] < 0)
			return -1;
	}
	return 0;
}

/* They are told to end, as by ^C. */
static int end_profilers(const pid_t *pid, size_t count, struct perf_rings *rings,
			 struct perf_clock *clock, struct error *error)
{
	int status = 0, ended;

	for (size_t i = 0; i < count; i++)
		if (pid[i] > 0)
			kill(-pid[i], SIGINT);
	for (size_t i = 0; i < count; i++)
		if (pid[i] > 0)
			status |= wait_for(pid[i], rings, clock, 0, &ended, error);
	return status;
}

static int run(const struct guest_run *what, struct guest_told *told, struct perf_rings *rings,
	       int *ret_status, struct error *error)
{
	struct held_program program = { .argv = what->argv };
	pid_t profiler[GUEST_FILES_MAX] = { 0 };
	struct perf_clock clock;
	int status, ignored;
	pid_t pid;

	if (pipe2(program.go, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	open_clock(&clock);
	pid = start(run_held, &program);
	close(program.go[0]);
	if (pid < 0) {
		close(program.go[1]);
		return error_set_errno(error, "fork");
	}
	told->watched = (uint32_t)(what->joined ? getpid() : pid);
	guest_agent_make_room(rings);
	guest_agent_tell(told);
	tell_clock(&clock);
	status = start_profilers(what, pid, profiler);
	signal(SIGPIPE, SIG_IGN); /* SIGINT may have ended the program already */
	if (status)
		error_set(error, ERROR_SYSTEM, NULL, 0, "a profiler can't be started");
	else if (what->profilers)
		status = wait_for(0, rings, &clock, what->settle_ms, &ignored, error);
	if (status || write(program.go[1], "", 1) != 1)
		kill(pid, SIGKILL);
	close(program.go[1]);
	status |= wait_for(pid, rings, &clock, 0, ret_status, error);
	status |= end_profilers(profiler, what->profilers, rings, &clock, error);
	told->watched = 0; /* the rings go */
	guest_agent_tell(told);
	return status;
}

static void on_interrupt(int number)
{
	/* It is the program's. */
}

int guest_agent_run(const struct guest_run *what, int *ret_status, struct error *error)
{
	struct guest_told told = { 0 };
	struct perf_rings rings;
	int status = -1;

	signal(SIGINT, on_interrupt); /* what is executed has the default action */
	if (guest_layout_read(&told, error))
		return -1;
	if (!perf_rings_open(&rings, RING_PAGES, error) && !guest_agent_rings(&told, &rings, error))
		status = run(what, &told, &rings, ret_status, error);
	perf_rings_close(&rings);
	return status;
}
