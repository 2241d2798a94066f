/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_host.c - one compare as a child process
 *
 * The child is this program again, so a crash in it costs one cell. Its two streams are read as
 * they come (either can fill a pipe), its end is seen through a pidfd (pidfd_open(2), Linux 5.3)
 * rather than through the end of the streams: a process it left behind may hold them open. Tracer
 * and tracee share the CPU on which they start, so jobs that run at
 * once are each given an own one; the child inherits it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "commands/run.h"

enum { EXIT_TIMED_OUT = 124, EXIT_SIGNAL_BASE = 128 };

void output_add(struct output *output, const void *data, size_t size)
{
	if (size > OUTPUT_BYTES_MAX - output->size) {
		size = OUTPUT_BYTES_MAX - output->size;
		output->cut = true;
	}
	if (output->size + size > output->capacity) {
		size_t capacity = (output->size + size) * 2;
		char *longer = realloc(output->data, capacity);
		if (!longer) {
			output->cut = true;
			return;
		}
		output->data = longer;
		output->capacity = capacity;
	}
	if (size)
		memcpy(output->data + output->size, data, size);
	output->size += size;
}

void output_deinit(struct output *output)
{
	free(output->data);
	*output = (struct output) { 0 };
}

struct child {
	pid_t pid;
	int pidfd;
	int out; /* -1 at its end */
	int err;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Spawns with stdin from /dev/null; on the given CPU if that can be had. */
static int spawn(struct child *child, char *const *argv, int cpu, int out, int err)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	cpu_set_t before, wanted;
	bool pinned = false;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	if (cpu >= 0 && cpu < CPU_SETSIZE && !sched_getaffinity(0, sizeof(before), &before) &&
	    CPU_ISSET(cpu, &before)) {
		CPU_ZERO(&wanted);
		CPU_SET(cpu, &wanted);
		pinned = !sched_setaffinity(0, sizeof(wanted), &wanted);
	}
	errno = posix_spawn(&child->pid, argv[0], &actions, NULL, argv, environ);
	int status = errno ? -1 : 0;
	if (pinned)
		sched_setaffinity(0, sizeof(before), &before);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

static int start(struct child *child, char *const *argv, int cpu, struct error *error)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	int status = -1;

	*child = (struct child) { .pid = -1, .pidfd = -1, .out = -1, .err = -1 };
	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) {
		error_set_errno(error, "no pipe for %s", argv[0]);
		goto out;
	}
	if (spawn(child, argv, cpu, out[1], err[1])) {
		error_set_errno(error, "can't run %s", argv[0]);
		goto out;
	}
	child->pidfd = pidfd_open(child->pid, 0);
	if (child->pidfd < 0) {
		error_set_errno(error, "no pidfd for %s", argv[0]);
		kill(child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
		goto out;
	}
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	child->out = out[0];
	child->err = err[0];
	out[0] = err[0] = -1;
	status = 0;
out:
	close_fd(&out[0]);
	close_fd(&out[1]);
	close_fd(&err[0]);
	close_fd(&err[1]);
	return status;
}

/* Takes what is there; closes the stream at its end. */
static void drain(int *fd, struct output *output)
{
	char buffer[65536];
	ssize_t size = -1;

	while (*fd >= 0 && (size = read(*fd, buffer, sizeof(buffer))) > 0)
		output_add(output, buffer, size);
	if (*fd >= 0 && (!size || (errno != EAGAIN && errno != EINTR)))
		close_fd(fd);
}

int host_compare(char *const *argv, int cpu, unsigned timeout_ms, struct output *ret_out,
		 struct output *ret_err, int *ret_exit, struct error *error)
{
	double deadline = monotonic_seconds() + timeout_ms / 1000.0;
	struct child child;
	bool timed_out = false, ended = false;
	int status;

	if (start(&child, argv, cpu, error))
		return -1;
	while (!ended) {
		struct pollfd fds[] = {
			{ .fd = child.pidfd, .events = POLLIN },
			{ .fd = child.out, .events = POLLIN },
			{ .fd = child.err, .events = POLLIN },
		};
		double left_ms = (deadline - monotonic_seconds()) * 1000;
		poll(fds, 3, timed_out ? -1 : left_ms > 0 ? (int)left_ms + 1 : 0);
		drain(&child.out, ret_out);
		drain(&child.err, ret_err);
		ended = fds[0].revents != 0;
		if (!ended && !timed_out && monotonic_seconds() >= deadline) {
			timed_out = true;
			kill(child.pid, SIGKILL);
		}
	}
	while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR)
		;
	drain(&child.out, ret_out);
	drain(&child.err, ret_err);
	close_fd(&child.out);
	close_fd(&child.err);
	close_fd(&child.pidfd);
	*ret_exit = timed_out		  ? EXIT_TIMED_OUT
		    : WIFSIGNALED(status) ? EXIT_SIGNAL_BASE + WTERMSIG(status)
					  : WEXITSTATUS(status);
	return 0;
}
