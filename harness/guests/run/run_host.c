/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * run_host.c - a batch on this machine, in child processes
 *
 * A child is this program again, so a crash in it costs the cell of the binary at hand; the
 * binaries behind it are given to another child. The two streams are read as they come (either can
 * fill a pipe), its end is seen through a pidfd (pidfd_open(2), Linux 5.3) rather than through the
 * end of the streams: a process it left behind may hold them open. Tracer and tracee share the CPU
 * on which they start, so jobs that run at once are each given an own one; the child inherits it.
 *
 * compare has a time limit for each program. The deadline here is for a compare that hangs itself,
 * and begins anew with each program that begins or ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "base/child/child.h"
#include "base/cli/json_counts.h"
#include "clock.h"
#include "run.h"

/* For loading the BPF programs, and for what compare does after a program was killed. */
#define SLACK_MS 30000

/* For compare to print what it has, once it was told to end. */
#define STOP_MS 10000

/* poll(2) takes an int. */
#define POLL_MS_MAX 1000000

enum { EXIT_TIMED_OUT = 124, EXIT_SIGNAL_BASE = 128 };

void output_add(struct output *output, const void *data, size_t size)
{
	if (size > OUTPUT_BYTES_MAX - output->size) {
		size = OUTPUT_BYTES_MAX - output->size;
		output->cut = true;
	}
	if (!size)
		return;
	if (!ARRAY_RESERVE(output->data, output->capacity, output->size + size)) {
		output->cut = true;
		return;
	}
	memcpy(output->data + output->size, data, size);
	output->size += size;
}

void output_deinit(struct output *output)
{
	free(output->data);
	*output = (struct output) { 0 };
}

void output_objects(struct output *line, const void *data, size_t size,
		    void (*take)(void *context, json_t *object), void *context)
{
	const char *at = data, *end = at + size, *newline;

	for (; (newline = memchr(at, '\n', (size_t)(end - at))); at = newline + 1) {
		output_add(line, at, (size_t)(newline - at));
		JSON_FREED json_t *object = json_loadb(line->data ? line->data : "", line->size, 0,
						       NULL);
		take(context, object);
		output_deinit(line);
	}
	output_add(line, at, (size_t)(end - at));
}

struct child {
	pid_t pid;
	int pidfd;
	int fd[RUN_STREAM_COUNT]; /* -1 at its end */
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
	posix_spawnattr_t attributes;
	sigset_t none, again;
	cpu_set_t before, wanted;
	bool pinned = false;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
	/* What is no CPU's number is in no set (CPU_SET(3)'s macros look at its size). */
	if (!sched_getaffinity(0, sizeof(before), &before) && CPU_ISSET(cpu, &before)) {
		CPU_ZERO(&wanted);
		CPU_SET(cpu, &wanted);
		pinned = !sched_setaffinity(0, sizeof(wanted), &wanted);
	}
	/* The signals that interrupt.c blocks. */
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	child_spawn_gives_back(&again);
	posix_spawnattr_setsigdefault(&attributes, &again);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	errno = posix_spawn(&child->pid, argv[0], &actions, &attributes, argv, environ);
	int status = errno ? -1 : 0;
	if (pinned)
		sched_setaffinity(0, sizeof(before), &before);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return status;
}

static int start(struct child *child, char *const *argv, int cpu, struct error *error)
{
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	int status = -1;

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
	child->fd[RUN_STDOUT] = out[0];
	child->fd[RUN_STDERR] = err[0];
	out[0] = err[0] = -1;
	status = 0;
out:
	close_fd(&out[0]);
	close_fd(&out[1]);
	close_fd(&err[0]);
	close_fd(&err[1]);
	return status;
}

/* Takes what is there; closes the stream at its end. True if the child got on. */
static bool drain(struct child *child, enum run_stream stream, const struct child_options *options)
{
	char buffer[65536];
	int *fd = &child->fd[stream];
	ssize_t size = -1;
	bool got_on = false;

	while (*fd >= 0 && (size = read(*fd, buffer, sizeof(buffer))) > 0)
		got_on |= options->on_output(options->context, stream, buffer, size);
	if (*fd >= 0 && (!size || (errno != EAGAIN && errno != EINTR)))
		close_fd(fd);
	return got_on;
}

static bool drain_all(struct child *child, const struct child_options *options)
{
	bool got_on = drain(child, RUN_STDOUT, options);

	return drain(child, RUN_STDERR, options) || got_on;
}

/* Until it ends, and all that it wrote is taken; killed when its time is up. True if it was. One that
 * is to end is asked to, first. */
static bool follow(struct child *child, const struct child_options *options)
{
	double deadline = monotonic_seconds() + options->timeout_ms / 1000.0;
	bool timed_out = false, ended = false, asked = false;

	while (!ended) {
		struct pollfd fds[] = {
			{ .fd = child->pidfd, .events = POLLIN },
			{ .fd = child->fd[RUN_STDOUT], .events = POLLIN },
			{ .fd = child->fd[RUN_STDERR], .events = POLLIN },
			{ .fd = options->stop_fd > 0 && !asked ? options->stop_fd : -1,
			  .events = POLLIN },
		};
		double left_ms = (deadline - monotonic_seconds()) * 1000;
		int wait_ms = left_ms <= 0	      ? 0
			      : left_ms < POLL_MS_MAX ? (int)left_ms + 1
						      : POLL_MS_MAX;

		poll(fds, 4, timed_out ? -1 : wait_ms);
		if (fds[3].revents) {
			asked = true;
			deadline = monotonic_seconds() + STOP_MS / 1000.0;
			kill(child->pid, SIGTERM);
		}
		if (drain_all(child, options) && !asked)
			deadline = monotonic_seconds() + options->timeout_ms / 1000.0;
		ended = fds[0].revents != 0;
		if (!ended && !timed_out && monotonic_seconds() >= deadline) {
			timed_out = true;
			kill(child->pid, SIGKILL);
		}
	}
	return timed_out;
}

int host_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	struct child child;
	int status = W_EXITCODE(0, SIGKILL); /* what nobody can say is no success */

	if (start(&child, options->argv, options->cpu, error))
		return -1;
	bool timed_out = follow(&child, options);
	waitpid(child.pid, &status, 0); /* it has ended: there is nothing to wait for */
	close_fd(&child.fd[RUN_STDOUT]);
	close_fd(&child.fd[RUN_STDERR]);
	close_fd(&child.pidfd);
	if (!WIFSIGNALED(status))
		*ret_exit = WEXITSTATUS(status);
	else
		*ret_exit = timed_out ? EXIT_TIMED_OUT : EXIT_SIGNAL_BASE + WTERMSIG(status);
	return 0;
}

unsigned host_deadline_ms(const struct run_options *options)
{
	return options->timeout_ms > UINT_MAX - SLACK_MS ? UINT_MAX
							 : options->timeout_ms + SLACK_MS;
}

static bool on_output(void *context, enum run_stream stream, const void *data, size_t size)
{
	return batch_output(context, stream, data, size);
}

void run_host_batch(struct batch *batch, int cpu)
{
	struct run *run = batch->run;

	while (batch_left(batch) && !interrupt_signal(run->options->interrupt)) {
		struct child_options options = {
			.argv = batch_start(batch),
			.cpu = cpu,
			.timeout_ms = host_deadline_ms(run->options),
			.stop_fd = run->options->interrupt ? run->options->interrupt->stop_fd : 0,
			.on_output = on_output,
			.context = batch,
		};
		struct error error = { 0 };
		int exit_code;

		if (run->backend->compare(&options, &exit_code, &error))
			batch_fail(batch, error.message);
		else
			batch_exit(batch, exit_code);
	}
}
