/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_watch.c - end a run from outside: when its time is up, or when the user says so
 *
 * The tracer sits in waitpid(2), which takes no time-out, and a signal's handler would be the whole
 * process's affair. So a thread waits instead, and kills the tracee, through a pidfd, so that it
 * can't hit a process that got the same number. The tracer then sees an end like any other, and
 * everything that it has found is still there.
 *
 * SIGINT, SIGTERM and SIGHUP are taken from a signalfd(2), if the caller wants that: they are
 * blocked while the tracee lives, and the tracee has its own mask. What was ignored before stays
 * ignored. A terminal's ^C goes to the tracee, too, which may die of it before the thread here is
 * awake: so what is pending at the end counts as well.
 *
 * The tracee is in our process group, so what it sends to that (kill(0, SIGTERM), as scripts do to end what they have
 * started) comes here, too, and ends nothing: a signal is told by its sender. One of the run's processes has announced
 * it by the call that it made; or it is one that they have made, and nobody follows. What a process of the run sends to
 * us by our number (kill $PPID) ends the run. A sender that nobody follows, and that is gone, is taken for the user.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "array.h"
#include "clock.h"
#include "proc_file.h"
#include "tracer.h"

#define GENERATIONS_MAX 64

void watchdog_own(struct watchdog *watchdog, pid_t pid)
{
	pthread_mutex_lock(&watchdog->lock);
	(void)ARRAY_ADD(watchdog->own, watchdog->owns, pid);
	pthread_mutex_unlock(&watchdog->lock);
}

void watchdog_to_group(struct watchdog *watchdog, uint64_t number)
{
	if (number < 64)
		atomic_fetch_or(&watchdog->to_group, 1ull << number);
}

/* 0: it is gone. */
static pid_t parent_of(pid_t pid)
{
	char text[256];
	const char *behind;

	proc_file_read(pid, "stat", text, sizeof(text));
	behind = strrchr(text, ')'); /* its name, of up to 15 bytes of any kind */
	return behind && strlen(behind) > 4 ? atoi(behind + 4) : 0;
}

/* A process of the run has sent the signal to its group, or one that such a process has made has sent it. */
static bool is_own(struct watchdog *watchdog, pid_t pid, int number)
{
	bool found = false;
	int generation = 0;

	pthread_mutex_lock(&watchdog->lock);
	for (; generation < GENERATIONS_MAX && pid > 1 && !found; generation++) {
		found = ARRAY_ANY(watchdog->owns, j, watchdog->own[j] == pid);
		pid = parent_of(pid);
	}
	pthread_mutex_unlock(&watchdog->lock);
	return found && (generation > 1 || atomic_load(&watchdog->to_group) >> number & 1);
}

/* Takes a pending signal; false: none is. */
static bool take_signal(struct watchdog *watchdog)
{
	pid_t sender;
	int number = ending_signals_take_from(&watchdog->signals, &sender);

	if (number && is_own(watchdog, sender, number))
		watchdog->passed_over++;
	else if (number)
		watchdog->signal = number;
	return number;
}

/* Waits until the run is to be ended. False: it has ended. */
static bool wait_for_reason(struct watchdog *watchdog)
{
	struct pollfd wake[] = { { .fd = watchdog->cancel_fd, .events = POLLIN },
				 { .fd = watchdog->signals.fd, .events = POLLIN } };
	int64_t end = monotonic_ms() + watchdog->timeout_ms;

	while (!watchdog->signal) {
		int64_t left = end - monotonic_ms();

		if (poll(wake, 2,
			 !watchdog->timeout_ms ? -1
			 : left > 0	       ? (int)left
					       : 0) < 0 ||
		    wake[0].revents)
			return false;
		if (!take_signal(watchdog) && watchdog->timeout_ms && monotonic_ms() >= end) {
			watchdog->fired = true;
			return true;
		}
	}
	return true;
}

static void *watch(void *argument)
{
	struct watchdog *watchdog = argument;

	if (!wait_for_reason(watchdog))
		return NULL;
	pthread_mutex_lock(&watchdog->lock);
	atomic_store(&watchdog->over, true);
	syscall(SYS_pidfd_send_signal, watchdog->pidfd, SIGKILL, NULL, 0);
	pthread_mutex_unlock(&watchdog->lock);
	if (watchdog->ended_fd)
		eventfd_write(watchdog->ended_fd, 1);
	return NULL;
}

int watchdog_start(struct tracer *tracer)
{
	struct watchdog *watchdog = &tracer->watchdog;

	if (!tracer->options->timeout_ms && !tracer->options->ended_by_signals)
		return 0;
	watchdog->timeout_ms = tracer->options->timeout_ms;
	watchdog->ended_fd = tracer->options->ended_fd;
	watchdog_own(watchdog, tracer->core.pid);
	watchdog->pidfd = syscall(SYS_pidfd_open, tracer->core.pid, 0);
	if (watchdog->pidfd < 0)
		return error_set_errno(tracer->core.error, "pidfd_open");
	watchdog->cancel_fd = eventfd(0, EFD_CLOEXEC);
	if (watchdog->cancel_fd < 0)
		return error_set_errno(tracer->core.error, "eventfd");
	if (tracer->options->ended_by_signals &&
	    ending_signals_hold(&watchdog->signals, tracer->core.error))
		return -1;

	/* No signal of the caller's is for this thread. */
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	errno = pthread_create(&watchdog->thread, NULL, watch, watchdog);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errno)
		return error_set_errno(tracer->core.error, "the time-out's thread");
	watchdog->started = true;
	return 0;
}

void watchdog_aim(struct watchdog *watchdog, pid_t pid)
{
	if (!watchdog->started)
		return;
	pthread_mutex_lock(&watchdog->lock);
	close(watchdog->pidfd);
	watchdog->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	pthread_mutex_unlock(&watchdog->lock);
}

void watchdog_stop(struct tracer *tracer)
{
	struct watchdog *watchdog = &tracer->watchdog;

	if (watchdog->started) {
		eventfd_write(watchdog->cancel_fd, 1);
		pthread_join(watchdog->thread, NULL);
	}
	while (take_signal(watchdog)) /* none is left for the caller: they were about this run */
		;
	tracer->counters.group_signals = watchdog->passed_over;
	ending_signals_release(&watchdog->signals);
	free(watchdog->own);
	watchdog->own = NULL;
	watchdog->owns = 0;
	const int fds[] = { watchdog->pidfd, watchdog->cancel_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}
