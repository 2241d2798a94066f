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
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tracer.h"

/* Takes a pending signal; false: none is. */
static bool take_signal(struct watchdog *watchdog)
{
	int number = ending_signals_take(&watchdog->signals);

	if (number)
		watchdog->signal = number;
	return number;
}

static void *watch(void *argument)
{
	struct watchdog *watchdog = argument;
	struct pollfd wake[] = { { .fd = watchdog->cancel_fd, .events = POLLIN },
				 { .fd = watchdog->signals.fd, .events = POLLIN } };
	int ready = poll(wake, 2, watchdog->timeout_ms ? (int)watchdog->timeout_ms : -1);

	if (ready < 0 || wake[0].revents)
		return NULL;
	if (!take_signal(watchdog))
		watchdog->fired = true;
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
	watchdog->pidfd = syscall(SYS_pidfd_open, tracer->pid, 0);
	if (watchdog->pidfd < 0)
		return error_set_errno(tracer->error, "pidfd_open");
	watchdog->cancel_fd = eventfd(0, EFD_CLOEXEC);
	if (watchdog->cancel_fd < 0)
		return error_set_errno(tracer->error, "eventfd");
	if (tracer->options->ended_by_signals &&
	    ending_signals_hold(&watchdog->signals, tracer->error))
		return -1;

	/* No signal of the caller's is for this thread. */
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	errno = pthread_create(&watchdog->thread, NULL, watch, watchdog);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errno)
		return error_set_errno(tracer->error, "the time-out's thread");
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
	ending_signals_release(&watchdog->signals);
	const int fds[] = { watchdog->pidfd, watchdog->cancel_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}
