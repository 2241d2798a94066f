/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tracer_watch.c - a run is ended from outside: by its time, or by a signal
 *
 * The run is a child that waits for ever: it is there, or it was killed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "tests/suite.h"

static int say_eventfd(unsigned int count, int flags);
#define eventfd say_eventfd
#include "truth/tracer/tracer_watch.c"
#undef eventfd

#define FOREVER_MS 3600000
#define NOBODY	   0x3fffffff

static bool wants_0; /* the next one, as a descriptor */

static int say_eventfd(unsigned int count, int flags)
{
	int fd = eventfd(count, flags);

	if (!wants_0)
		return fd;
	dup2(fd, 0);
	close(fd);
	return 0;
}

static struct error error;
static struct tracer_options options;
static struct tracer tracer;

static void setup(void)
{
	memset(&error, 0, sizeof(error));
	options = (struct tracer_options) { 0 };
	tracer = (struct tracer) {
		.core.error = &error,
		.options = &options,
		.watchdog = { .pidfd = -1, .cancel_fd = -1, .signals = { .fd = -1 } }
	};
	tracer.core.pid = fork();
	ck_assert_int_ge(tracer.core.pid, 0);
	if (!tracer.core.pid)
		for (;;)
			pause();
}

/* The signal that has ended it; 0: it lived. */
static int ended_by(void)
{
	int status;

	if (waitpid(tracer.core.pid, &status, WNOHANG) == 0) {
		kill(tracer.core.pid, SIGUSR1);
		ck_assert_int_eq(waitpid(tracer.core.pid, &status, 0), tracer.core.pid);
		ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR1);
		return 0;
	}
	return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

/* Until it has been killed. */
static void wait_for_end(void)
{
	siginfo_t info;

	ck_assert_int_eq(waitid(P_PID, tracer.core.pid, &info, WEXITED | WNOWAIT), 0);
}

static void masks_are(bool blocked)
{
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	ck_assert_int_eq(sigismember(&now, SIGTERM), blocked);
	ck_assert_int_eq(sigismember(&now, SIGINT), blocked);
	ck_assert(!sigismember(&now, SIGUSR1));
}

START_TEST(nobody_wants_it)
{
	setup();
	ck_assert_int_eq(watchdog_start(&tracer), 0);
	ck_assert(!tracer.watchdog.started && tracer.watchdog.pidfd < 0 &&
		  tracer.watchdog.cancel_fd < 0);
	masks_are(false);
	watchdog_stop(&tracer);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

START_TEST(time_is_up)
{
	int pidfd, cancel_fd;

	setup();
	options.timeout_ms = 1;
	ck_assert_int_eq(watchdog_start(&tracer), 0);
	ck_assert(tracer.watchdog.started && tracer.watchdog.timeout_ms == 1);
	pidfd = tracer.watchdog.pidfd;
	cancel_fd = tracer.watchdog.cancel_fd;
	ck_assert_int_eq(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(cancel_fd, F_GETFD), FD_CLOEXEC);
	wait_for_end();
	watchdog_stop(&tracer);
	ck_assert(tracer.watchdog.fired && !tracer.watchdog.signal);
	ck_assert_int_eq(ended_by(), SIGKILL);
	ck_assert_int_eq(fcntl(pidfd, F_GETFD), -1);
	ck_assert_int_eq(fcntl(cancel_fd, F_GETFD), -1);
}
END_TEST

/* _i: with signals that end it, or with a time alone. */
START_TEST(run_is_over_before)
{
	setup();
	options.timeout_ms = _i ? 0 : FOREVER_MS;
	options.ended_by_signals = _i;
	ck_assert_int_eq(watchdog_start(&tracer), 0);
	masks_are(_i);
	watchdog_stop(&tracer);
	masks_are(false);
	ck_assert(!tracer.watchdog.fired && !tracer.watchdog.signal);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

/* A signal ends it, and not its time, if it has one. */
START_TEST(signal_ends_it)
{
	setup();
	options.timeout_ms = _i ? FOREVER_MS : 0;
	options.ended_by_signals = true;
	ck_assert_int_eq(watchdog_start(&tracer), 0);
	ck_assert_int_eq(kill(getpid(), signals[_i]), 0);
	wait_for_end();
	watchdog_stop(&tracer);
	ck_assert_int_eq(tracer.watchdog.signal, signals[_i]);
	ck_assert(!tracer.watchdog.fired);
	ck_assert_int_eq(ended_by(), SIGKILL);
	masks_are(false);
}
END_TEST

static const struct {
	const char *name;
	bool met, by_child, gone, to_us; /* to_us: not to the group */
	int signal;			 /* that ends the run */
} senders[] = {
	{ "the_run's", .met = true, .signal = 0 },
	{ "one_that_the_run's_has_made", .met = true, .by_child = true, .signal = 0 },
	{ "the_run's_that_is_gone", .met = true, .gone = true, .signal = 0 },
	{ "the_run's_to_our_number", .met = true, .to_us = true, .signal = SIGTERM },
	{ "another's", .signal = SIGTERM },
};

/* What the run's processes send to their process group comes here, too. The user's SIGTERM behind it ends the run. */
START_TEST(who_sent_it)
{
	struct pollfd arrived = { .events = POLLIN };
	pid_t test = getpid(), sender;

	setup();
	ck_assert_int_eq(ending_signals_hold(&tracer.watchdog.signals, &error), 0);
	arrived.fd = tracer.watchdog.signals.fd;
	sender = fork();
	if (!sender) {
		pid_t child = senders[_i].by_child ? fork() : 0;

		if (!child)
			kill(test, SIGTERM);
		while (!senders[_i].gone && (child || !senders[_i].by_child))
			pause();
		_exit(0);
	}
	if (senders[_i].met)
		watchdog_own(&tracer.watchdog, sender);
	if (!senders[_i].to_us)
		watchdog_to_group(&tracer.watchdog, SIGTERM);
	if (senders[_i].gone)
		waitpid(sender, NULL, 0);
	/* Its child is a zombie then, or alive. */
	ck_assert_int_eq(poll(&arrived, 1, -1), 1);
	ck_assert(take_signal(&tracer.watchdog));
	ck_assert_int_eq(tracer.watchdog.signal, senders[_i].signal);
	if (!senders[_i].gone)
		kill(sender, SIGKILL);
	raise(SIGTERM);
	ck_assert(take_signal(&tracer.watchdog));
	ck_assert_int_eq(tracer.watchdog.signal, SIGTERM);
	watchdog_stop(&tracer);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

/* Of those that are pending one after the other is taken; the last one stays. */
START_TEST(signals_are_taken)
{
	setup();
	ck_assert_int_eq(ending_signals_hold(&tracer.watchdog.signals, &error), 0);
	ck_assert(!take_signal(&tracer.watchdog));
	ck_assert_int_eq(tracer.watchdog.signal, 0);
	raise(SIGTERM);
	ck_assert(take_signal(&tracer.watchdog));
	ck_assert_int_eq(tracer.watchdog.signal, SIGTERM);
	ck_assert(!take_signal(&tracer.watchdog));
	ck_assert_int_eq(tracer.watchdog.signal, SIGTERM);
	/* None is left for who comes after: they were about this run. */
	raise(SIGINT);
	raise(SIGHUP);
	watchdog_stop(&tracer);
	ck_assert(tracer.watchdog.signal == SIGINT || tracer.watchdog.signal == SIGHUP);
	masks_are(false);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

START_TEST(number_of_nobody_is_an_error)
{
	setup();
	options.timeout_ms = 1;
	kill(tracer.core.pid, SIGKILL);
	waitpid(tracer.core.pid, NULL, 0);
	tracer.core.pid = NOBODY;
	ck_assert_int_eq(watchdog_start(&tracer), -1);
	ck_assert_ptr_nonnull(strstr(error.message, "pidfd_open"));
	ck_assert(!tracer.watchdog.started);
	watchdog_stop(&tracer);
}
END_TEST

/* No signal of the test's is for the thread that watches. */
START_TEST(watcher_takes_no_signal)
{
	char path[64], line[128];
	uint64_t mask = 0;
	FILE *file;
	struct dirent *task;
	DIR *tasks;

	setup();
	options.timeout_ms = FOREVER_MS;
	ck_assert_int_eq(watchdog_start(&tracer), 0);
	masks_are(false);
	tasks = opendir("/proc/self/task");
	ck_assert_ptr_nonnull(tasks);
	do
		task = readdir(tasks);
	while (task && (task->d_name[0] == '.' || atoi(task->d_name) == getpid()));
	ck_assert_ptr_nonnull(task);
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", atoi(task->d_name));
	closedir(tasks);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		sscanf(line, "SigBlk: %lx", &mask);
	fclose(file);
	for (int signal = 1; signal < 32; signal++)
		ck_assert_msg(signal == SIGKILL || signal == SIGSTOP || mask >> (signal - 1) & 1,
			      "%d", signal);
	watchdog_stop(&tracer);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

/* A descriptor of 0 is one: _i: the run's, or what cancels its time. */
START_TEST(descriptor_of_0_is_one)
{
	setup();
	options.timeout_ms = FOREVER_MS;
	wants_0 = _i;
	if (!_i)
		close(0);
	ck_assert_int_eq(watchdog_start(&tracer), 0);
	ck_assert_int_eq(_i ? tracer.watchdog.cancel_fd : tracer.watchdog.pidfd, 0);
	watchdog_stop(&tracer);
	wants_0 = false;
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

/* _i: as many descriptors as there may be are open, or all but one. */
START_TEST(descriptors_that_can_not_be_had)
{
	struct rlimit before, few;
	int next = dup(2), result;

	close(next);
	setup();
	options.timeout_ms = FOREVER_MS;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = next + _i;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
	result = watchdog_start(&tracer);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(result, -1);
	ck_assert_ptr_nonnull(strstr(error.message, _i ? "eventfd" : "pidfd_open"));
	ck_assert(!tracer.watchdog.started);
	watchdog_stop(&tracer);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

/* Descriptors are closed from 0 on; what is none is left. */
START_TEST(descriptors_are_closed)
{
	int file = open("/dev/null", O_RDONLY);

	setup();
	dup2(file, 0);
	tracer.watchdog.pidfd = 0;
	tracer.watchdog.cancel_fd = file;
	watchdog_stop(&tracer);
	ck_assert_int_eq(fcntl(0, F_GETFD), -1);
	ck_assert_int_eq(fcntl(file, F_GETFD), -1);
	ck_assert_int_eq(ended_by(), 0);
}
END_TEST

SUITE(tracer_watch, TEST(nobody_wants_it), TEST(time_is_up), TIMES(run_is_over_before, 2),
      LOOP(signal_ends_it, signals), LOOP(who_sent_it, senders), TEST(signals_are_taken),
      TEST(number_of_nobody_is_an_error), TEST(watcher_takes_no_signal),
      TIMES(descriptor_of_0_is_one, 2), TIMES(descriptors_that_can_not_be_had, 2),
      TEST(descriptors_are_closed))
