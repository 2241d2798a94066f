/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * costs_work.c - the fixed work that is done beside a profiler
 *
 * COSTS_PROCESSES processes start at once, and each does its rounds and ends: in C without frame pointers
 * (testprogs/bench/sample_calls.c), in C++ (work_cxx.cc), and in Python where that is installed. How many rounds is
 * fixed, so that figures of two machines and of two days are of the same work: some 10 s of processor time in all.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "clock.h"
#include "costs.h"

#define ROUNDS_C       500000
#define ROUNDS_CXX     20000
#define ROUNDS_PYTHON  3500
#define ROUNDS_ENDLESS 1000000000 /* days */
#define POLL_MS	       1

static const char python_code[] =
	"import sys\n"
	"def leaf(n):\n"
	"    return sum(i * n % 7 for i in range(40))\n"
	"def tree(depth):\n"
	"    return leaf(depth) if depth < 2 else tree(depth - 1) + tree(depth - 2)\n"
	"for _ in range(int(sys.argv[1])):\n"
	"    sorted('a fixed piece of work'.split(), key=len)\n"
	"    tree(8)\n";

static struct costs_kind *add(struct costs_work *work, const char *name, uint64_t rounds,
			      unsigned int percent, bool endless)
{
	struct costs_kind *kind = &work->kind[work->kinds++];
	uint64_t all = endless ? ROUNDS_ENDLESS : rounds * percent / 100;

	kind->name = name;
	snprintf(kind->rounds, sizeof(kind->rounds), "%ju", (uintmax_t)(all ? all : 1));
	kind->argv[0] = kind->path;
	kind->argv[1] = kind->rounds;
	return kind;
}

int costs_work_init(struct costs_work *ret, const char *programs, unsigned int percent,
		    bool endless, struct error *error)
{
	static const struct {
		const char *name, *file;
		uint64_t rounds;
	} own[] = { { "C", "sample_calls", ROUNDS_C }, { "C++", "work_cxx", ROUNDS_CXX } };

	*ret = (struct costs_work) { 0 };
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		struct costs_kind *kind = add(ret, own[i].name, own[i].rounds, percent, endless);

		snprintf(kind->path, sizeof(kind->path), "%s/%s", programs, own[i].file);
		if (access(kind->path, X_OK))
			return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s is not built",
					 kind->path);
	}
	/* Debian's own first: what stands in PATH may be a script that looks for it. */
	char python[4096] = "/usr/bin/python3";

	if (access(python, X_OK) && child_find("python3", python, sizeof(python)))
		return 0;
	struct costs_kind *kind = add(ret, "Python", ROUNDS_PYTHON, percent, endless);

	snprintf(kind->path, sizeof(kind->path), "%s", python);
	const char *const argv[] = {
		kind->path, "-I", "-S", "-c", python_code, kind->rounds, NULL
	};

	memcpy(kind->argv, argv, sizeof(argv));
	return 0;
}

int costs_work_start(struct costs_work *work, struct error *error)
{
	work->running = 0;
	work->started_ns = monotonic_ns();
	for (unsigned int i = 0; i < COSTS_PROCESSES; i++) {
		const struct child_command command = { .argv = work->kind[i % work->kinds].argv };
		pid_t pid = child_start(&command, NULL, error);

		if (pid < 0)
			return -1;
		work->pid[work->running++] = pid;
	}
	return 0;
}

int costs_sleep(const struct ending_signals *signals, unsigned int ms, struct error *error)
{
	struct pollfd wait = { .fd = signals->fd, .events = POLLIN };
	int64_t end_ms = monotonic_ms() + ms;

	for (int64_t left_ms = ms; left_ms > 0; left_ms = end_ms - monotonic_ms())
		if (poll(&wait, 1, left_ms) > 0)
			return ending_signals_error(error, ending_signals_take(signals));
	return 0;
}

int costs_work_wait(struct costs_work *work, const struct ending_signals *signals,
		    struct costs_work_time *ret, struct error *error)
{
	*ret = (struct costs_work_time) { 0 };
	for (unsigned int i = 0; i < work->running; i++) {
		struct rusage used;
		int status = 0;
		pid_t ended;

		while (!(ended = wait4(work->pid[i], &status, WNOHANG, &used)))
			if (costs_sleep(signals, POLL_MS, error))
				return -1;
		work->pid[i] = 0;
		if (ended < 0)
			return error_set_errno(error, "waiting for the work");
		if (status)
			return error_set(error, ERROR_PROTOCOL, "", 0,
					 "a process of the work in %s failed",
					 work->kind[i % work->kinds].name);
		ret->cpu_s += used.ru_utime.tv_sec + used.ru_stime.tv_sec +
			      (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	}
	ret->elapsed_s = (monotonic_ns() - work->started_ns) / 1e9;
	work->running = 0;
	return 0;
}

void costs_work_kill(struct costs_work *work)
{
	for (unsigned int i = 0; i < work->running; i++)
		if (work->pid[i])
			child_end(work->pid[i], true);
	work->running = 0;
}
