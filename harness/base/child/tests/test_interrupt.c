/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_interrupt.c - signals that end a run: the first is told, the second finds its own action
 *
 * Each test is a process of its own, whose signals are its own.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/child/interrupt.h"

/* What is waited for at most; a busy machine takes its time. */
#define PATIENCE_MS 60000

static volatile sig_atomic_t taken;

static void take(int number)
{
	taken = number;
}

static bool is_readable(int fd, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, timeout_ms) == 1;
}

static bool same_mask(const sigset_t *before)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	for (int number = 1; number < NSIG; number++)
		if (sigismember(&now, number) != sigismember(before, number))
			return false;
	return true;
}

static size_t threads(void)
{
	size_t count = 0;
	DIR *dir = opendir("/proc/self/task");

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2; /* "." and ".." */
}

static const struct {
	int number;
	const char *said;
} signals[] = { { SIGINT, "\nstackproof run: SIGINT: what was found is kept; once more ends it at "
			  "once\n" },
		{ SIGTERM,
		  "\nstackproof run: SIGTERM: what was found is kept; once more ends it at "
		  "once\n" },
		{ SIGHUP, "\nstackproof run: SIGHUP: what was found is kept; once more ends it at "
			  "once\n" } };

START_TEST(test_a_signal)
{
	int number = signals[_i].number, messages[2], fds[3];
	struct sigaction action = { .sa_handler = take };
	struct interrupt interrupt;
	struct error error = { 0 };
	char said[256] = "";
	sigset_t before;

	ck_assert_int_eq(pipe(messages), 0);
	dup2(messages[1], STDERR_FILENO);
	ck_assert_int_eq(sigaction(number, &action, NULL), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	ck_assert_int_eq(
		interrupt_init(&interrupt, "stackproof run", "what was found is kept", &error), 0);
	ck_assert_int_eq(interrupt_signal(&interrupt), 0);
	ck_assert(!is_readable(interrupt.stop_fd, 0));
	kill(getpid(), number);
	ck_assert(is_readable(interrupt.stop_fd, PATIENCE_MS));
	ck_assert(is_readable(interrupt.stop_fd, 0)); /* and stays so */
	ck_assert_int_eq(interrupt_signal(&interrupt), number);
	ck_assert_int_eq(taken, 0);
	ck_assert_int_gt(read(messages[0], said, sizeof(said) - 1), 0);
	ck_assert_str_eq(said, signals[_i].said);
	/* This thread holds it still; the one that waits does not any more. */
	kill(getpid(), number);
	for (int i = 0; !taken && i < PATIENCE_MS; i++)
		poll(NULL, 0, 1);
	ck_assert_int_eq(taken, number);
	memcpy(fds, (int[]) { interrupt.stop_fd, interrupt.end_fd, interrupt.signal_fd },
	       sizeof(fds));
	interrupt_deinit(&interrupt);
	for (int i = 0; threads() > 1 && i < PATIENCE_MS; i++)
		poll(NULL, 0, 1);
	ck_assert_uint_eq(threads(), 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(fcntl(fds[i], F_GETFD), -1);
	ck_assert(same_mask(&before));
}
END_TEST

/* One that is ignored stays so, and without any nothing happened. */
START_TEST(test_no_signal)
{
	struct interrupt interrupt;
	struct error error = { 0 };
	sigset_t before;

	signal(SIGHUP, SIG_IGN);
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	ck_assert_int_eq(
		interrupt_init(&interrupt, "stackproof run", "what was found is kept", &error), 0);
	kill(getpid(), SIGHUP);
	ck_assert(!is_readable(interrupt.stop_fd, 50));
	ck_assert_int_eq(interrupt_signal(&interrupt), 0);
	interrupt_deinit(&interrupt);
	ck_assert(same_mask(&before));
	ck_assert_int_eq(interrupt_signal(NULL), 0);
}
END_TEST

/* So many descriptors are to be had that it needs three, and one is missing. */
START_TEST(test_no_descriptors)
{
	struct interrupt interrupt;
	struct error error = { 0 };
	struct rlimit limit;
	sigset_t before;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	int next = dup(STDERR_FILENO);
	limit.rlim_cur = (rlim_t)next + _i;
	close(next);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq(
		interrupt_init(&interrupt, "stackproof run", "what was found is kept", &error), -1);
	ck_assert_msg(strstr(error.message, "no descriptor to wait for signals"), "%s",
		      error.message);
	ck_assert_int_eq(fcntl(next, F_GETFD), -1);
	ck_assert(same_mask(&before));
}
END_TEST

SUITE(interrupt, LOOP(test_a_signal, signals), TEST(test_no_signal), TIMES(test_no_descriptors, 3))
