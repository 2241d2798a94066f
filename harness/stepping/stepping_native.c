/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_native.c - a run that is not stepped: how long it takes, and how it ends
 *
 * CPU time is the process's own, threads included: of processes that it makes none is stepped. The
 * clock is asked for when the process has ended and is not reaped yet.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "child/child.h"
#include "child/ending_signals.h"
#include "clock.h"
#include "stepping/stepping.h"

#define EXIT_NO_START 127
#define RATE_ROUNDS   20000000ull
#define RATE_STEPS    5 /* instructions of a round */

static void __attribute__((noreturn)) become(const struct tracer_options *options, int fail_fd)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), failure;

	child_give_back();
	ending_signals_give_back();
	if (options->silence_output && null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	execvp(options->argv[0], options->argv);
	failure = errno;
	if (write(fail_fd, &failure, sizeof(failure)) != sizeof(failure))
		_exit(EXIT_NO_START);
	_exit(EXIT_NO_START);
}

/* The process, and what makes exec's failure known. */
static pid_t start(const struct tracer_options *options, int *ret_fd, struct error *error)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(options, ends[1]);
	close(ends[1]);
	*ret_fd = ends[0];
	if (pid < 0) {
		error_set_errno(error, "fork");
		close(ends[0]);
	}
	return pid;
}

/* Until it ends, a signal comes, or the time is up. */
static void wait_end(pid_t pid, const struct ending_signals *signals, unsigned int timeout_ms,
		     bool *ret_up, int *ret_signal)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0), ready;
	struct pollfd wake[] = { { .fd = process, .events = POLLIN },
				 { .fd = signals->fd, .events = POLLIN } };

	do
		ready = poll(wake, 2, timeout_ms ? (int)timeout_ms : -1);
	while (ready < 0 && errno == EINTR);
	*ret_up = !ready;
	*ret_signal = ending_signals_take(signals);
	if (process >= 0)
		close(process);
}

static double cpu_seconds(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int stepping_native(const struct tracer_options *options, struct native_run *ret,
		    struct error *error)
{
	struct ending_signals signals;
	double begin = monotonic_seconds();
	int fd = -1, failure = 0, number;
	siginfo_t ended;
	pid_t pid;

	*ret = (struct native_run) { 0 };
	if (ending_signals_hold(&signals, error))
		return -1;
	pid = start(options, &fd, error);
	if (pid < 0) {
		ending_signals_release(&signals);
		return -1;
	}
	wait_end(pid, &signals, options->timeout_ms, &ret->endless, &number);
	if (ret->endless || number)
		kill(pid, SIGKILL);
	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) && errno == EINTR)
		;
	ret->seconds = monotonic_seconds() - begin;
	ret->cpu_seconds = cpu_seconds(pid);
	while (waitpid(pid, &ret->status, 0) < 0 && errno == EINTR)
		;
	if (read(fd, &failure, sizeof(failure)) != sizeof(failure))
		failure = 0;
	close(fd);
	ending_signals_release(&signals);
	if (number)
		return ending_signals_error(error, number);
	errno = failure;
	return failure ? error_set_errno(error, "%s", options->argv[0]) : 0;
}

double stepping_native_rate(void)
{
	uint64_t rounds = RATE_ROUNDS, state = 1, kept;
	double begin = monotonic_seconds();

	__asm__ volatile("1:	imulq $1664525, %0, %0\n"
			 "	addq $1013904223, %0\n"
			 "	movq %0, %2\n"
			 "	decq %1\n"
			 "	jnz 1b\n"
			 : "+r"(state), "+r"(rounds), "=m"(kept)
			 :
			 : "cc");
	double seconds = monotonic_seconds() - begin;

	return seconds > 0 ? RATE_ROUNDS * RATE_STEPS / seconds : 0;
}
