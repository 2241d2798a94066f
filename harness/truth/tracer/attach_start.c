/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_start.c - a program that is started to be attached to, with all processes that it makes
 *
 * A process between us and the program, the nursery, inherits whatever the program leaves behind
 * (PR_SET_CHILD_SUBREAPER, prctl(2)): so a daemon is below it, too, and it ends when there is nobody left. How the
 * program has ended it says by a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach.h"
#include "process_scan.h"
#include "target_start.h"

#define END_TRIES 1000 /* of a millisecond: some make others while they are ended */

static void __attribute__((noreturn)) run_program(const struct tracer_options *options, int fail_fd)
{
	const struct target_program program = {
		.argv = options->argv,
		.envp = options->envp,
		.silence_output = options->silence_output,
		.randomize = true,
	};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	target_prepare(&program);
	target_become(&program, fail_fd);
}

static void write_number(int fd, int number)
{
	ssize_t written = write(fd, &number, sizeof(number));

	(void)written; /* nobody wants to know any more */
}

/* Starts the program, writes its number and later its status, and waits for all others. */
static void __attribute__((noreturn))
be_nursery(const struct tracer_options *options, int say_fd, int fail_fd)
{
	pid_t program, got;
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	program = fork();
	if (!program)
		run_program(options, fail_fd);
	write_number(say_fd, program);
	close(fail_fd);
	while ((got = waitpid(-1, &status, 0)) > 0 || errno == EINTR)
		if (got == program)
			write_number(say_fd, status);
	_exit(0);
}

static bool read_number(int fd, int *ret)
{
	ssize_t size;

	do
		size = read(fd, ret, sizeof(*ret));
	while (size < 0 && errno == EINTR);
	return size == sizeof(*ret);
}

int attach_start(const struct tracer_options *options, struct nursery *ret, struct error *error)
{
	int say[2], fail[2], failure, program;

	*ret = (struct nursery) { .fd = -1 };
	if (pipe2(say, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	if (pipe2(fail, O_CLOEXEC)) {
		close(say[0]);
		close(say[1]);
		return error_set_errno(error, "pipe");
	}
	fflush(NULL);
	ret->pid = fork();
	if (!ret->pid)
		be_nursery(options, say[1], fail[1]);
	close(say[1]);
	close(fail[1]);
	ret->fd = say[0];
	if (ret->pid < 0 || !read_number(say[0], &program) || program < 0) {
		close(fail[0]);
		return error_set_errno(error, "fork");
	}
	ret->program = program;
	if (read_number(fail[0], &failure)) { /* closed by exec otherwise */
		close(fail[0]);
		errno = failure;
		return error_set_errno(error, "%s", options->argv[0]);
	}
	close(fail[0]);
	return 0;
}

bool attach_has_ended(struct nursery *nursery)
{
	int status;

	if (nursery->pid > 0 && waitpid(nursery->pid, &status, WNOHANG) == nursery->pid)
		nursery->pid = 0;
	return !nursery->pid;
}

static void end_one(void *context, pid_t pid)
{
	if (pid != *(const pid_t *)context)
		kill(pid, SIGKILL);
}

void attach_end(struct nursery *nursery, int *ret_status)
{
	struct error ignored;
	int status;

	for (int i = 0; nursery->pid > 0 && !attach_has_ended(nursery) && i < END_TRIES; i++) {
		process_scan(nursery->pid, end_one, &nursery->pid, &ignored);
		usleep(1000);
	}
	if (nursery->pid > 0) {
		kill(nursery->pid, SIGKILL);
		waitpid(nursery->pid, &status, 0);
	}
	nursery->pid = 0;
	if (nursery->fd >= 0) {
		if (!read_number(nursery->fd, ret_status))
			*ret_status = SIGKILL;
		close(nursery->fd);
	}
	nursery->fd = -1;
}
