/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping_native.c - a run that is not stepped: how long it takes, and how it ends; and how many
 * instructions are made in a second
 *
 * CPU time is the process's own, threads included: of processes that it makes none is stepped. The
 * clock is asked for when the process has ended and is not reaped yet.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/child/ending_signals.h"
#include "clock.h"
#include "stepping.h"

#define RATE_TRIES 10

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
		_exit(CHILD_NOT_RUN);
	_exit(CHILD_NOT_RUN);
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
	FD_CLOSED int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int ready;
	struct pollfd wake[] = { { .fd = process, .events = POLLIN },
				 { .fd = signals->fd, .events = POLLIN } };

	do
		ready = poll(wake, 2, timeout_ms ? (int)timeout_ms : -1);
	while (ready < 0 && errno == EINTR);
	*ret_up = !ready;
	*ret_signal = ending_signals_take(signals);
}

static double thread_cpu_seconds(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time))
		return 0;
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
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
	ret->interrupted = number;
	if (number)
		return ending_signals_error(error, number);
	errno = failure;
	return failure ? error_set_errno(error, "%s", options->argv[0]) : 0;
}

/* ---- how many instructions a second ------------------------------------------------------ */

/* As many at once as a processor can: no chain of values, loads, copies and compares with their jumps, which
 * take no unit of their own. */
static void run_tight(uint64_t rounds, const unsigned char *memory)
{
	__asm__ volatile("	xorl %%r10d, %%r10d\n"
			 "1:	movq %%rsi, %%rax\n"
			 "	movq %%rdi, %%rcx\n"
			 "	addq $1, %%rdx\n"
			 "	movq (%1), %%r8\n"
			 "	addq $1, %%r9\n"
			 "	cmpq %%rsp, %%r10\n"
			 "	je 2f\n"
			 "	movq %%rsi, %%rax\n"
			 "	movq %%rdi, %%rcx\n"
			 "	addq $1, %%r11\n"
			 "	movq (%1), %%r8\n"
			 "	addq $1, %%rdx\n"
			 "	cmpq %%rsp, %%r10\n"
			 "	je 2f\n"
			 "	addq $1, %%r9\n"
			 "	addq $1, %%r11\n"
			 "	decq %0\n"
			 "	jnz 1b\n"
			 "2:\n"
			 : "+r"(rounds)
			 : "r"(memory)
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc",
			   "memory");
}

/* Each load waits for the one before, and is in no near cache: where it goes can't be foreseen. The memory
 * is all zeros. */
static void run_waiting(uint64_t rounds, const unsigned char *memory)
{
	uint64_t at = 1, place;

	__asm__ volatile("1:	imulq $1664525, %0, %0\n"
			 "	addq $1013904223, %0\n"
			 "	movl %k0, %k2\n"
			 "	shrl $10, %k2\n"
			 "	addq (%3, %2), %0\n"
			 "	decq %1\n"
			 "	jnz 1b\n"
			 : "+&r"(at), "+&r"(rounds), "=&r"(place)
			 : "r"(memory)
			 : "cc", "memory");
}

const struct native_loop native_tight = { .run = run_tight, .rounds = 1500000, .steps = 18 };
const struct native_loop native_waiting = { .run = run_waiting, .rounds = 200000, .steps = 7 };

/* By CPU time: what else runs meanwhile does not count. */
static double rate_of(const struct native_loop *loop, const unsigned char *memory)
{
	double begin = thread_cpu_seconds(), seconds;

	loop->run(loop->rounds, memory);
	seconds = thread_cpu_seconds() - begin;
	return seconds > 0 ? (double)(loop->rounds * loop->steps) / seconds : 0;
}

int stepping_native_rates(struct native_rates *ret, struct error *error)
{
	unsigned char *memory = malloc(NATIVE_LOOP_MEMORY);

	if (!memory)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a loop");
	memset(memory, 0, NATIVE_LOOP_MEMORY); /* pages of its own */
	*ret = (struct native_rates) { 0 };
	for (int i = 0; i < RATE_TRIES; i++) {
		double most = rate_of(&native_tight, memory),
		       least = rate_of(&native_waiting, memory);

		if (most > ret->most)
			ret->most = most;
		if (!i || least < ret->least)
			ret->least = least;
	}
	free(memory);
	return 0;
}
