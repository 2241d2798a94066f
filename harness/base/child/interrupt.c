/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * interrupt.c - ^C, SIGTERM and SIGHUP end a run, and what was found until then is kept
 *
 * The signals are blocked in every thread, and one thread waits for them. At the first one it makes
 * stop_fd readable: whoever waits for a child or a guest has it among his descriptors, ends what he
 * started, and begins nothing more. Then the results are written as of a run that came to its end,
 * but marked partial. A second signal finds its own action restored, and ends this process at once:
 * what was written line by line until then is read back as a run that was killed.
 *
 * A signal that is ignored when the run begins (nohup) stays ignored.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "ending_signals.h"
#include "interrupt.h"

static void *wait_for_signal(void *context)
{
	struct interrupt *interrupt = context;
	struct signalfd_siginfo info;
	struct pollfd fds[] = {
		{ .fd = interrupt->signal_fd, .events = POLLIN },
		{ .fd = interrupt->end_fd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) < 0 || !(fds[0].revents | fds[1].revents))
		;
	if (fds[1].revents ||
	    read(interrupt->signal_fd, &info, sizeof(info)) != (ssize_t)sizeof(info))
		return NULL;
	atomic_store(&interrupt->signal, (int)info.ssi_signo);
	fprintf(stderr, "\n%s: SIG%s: %s; once more ends it at once\n", interrupt->command,
		sigabbrev_np((int)info.ssi_signo), interrupt->keeps);
	eventfd_write(interrupt->stop_fd, 1);
	pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
	while (poll(&fds[1], 1, -1) < 0)
		;
	return NULL;
}

int interrupt_init(struct interrupt *interrupt, const char *command, const char *keeps,
		   struct error *error)
{
	sigset_t signals;

	*interrupt = (struct interrupt) { .command = command, .keeps = keeps };
	ending_signals_set(&signals);
	pthread_sigmask(SIG_BLOCK, &signals, &interrupt->before);
	interrupt->stop_fd = eventfd(0, EFD_CLOEXEC);
	interrupt->end_fd = eventfd(0, EFD_CLOEXEC);
	interrupt->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
	if (interrupt->stop_fd < 0 || interrupt->end_fd < 0 || interrupt->signal_fd < 0) {
		error_set_errno(error, "no descriptor to wait for signals");
	} else if (pthread_create(&interrupt->thread, NULL, wait_for_signal, interrupt)) {
		error_set_errno(error, "no thread to wait for signals");
	} else {
		interrupt->started = true;
		return 0;
	}
	interrupt_deinit(interrupt);
	return -1;
}

void interrupt_deinit(struct interrupt *interrupt)
{
	int fds[] = { interrupt->stop_fd, interrupt->end_fd, interrupt->signal_fd };

	if (interrupt->started) {
		eventfd_write(interrupt->end_fd, 1);
		pthread_join(interrupt->thread, NULL);
	}
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	pthread_sigmask(SIG_SETMASK, &interrupt->before, NULL);
}

int interrupt_signal(struct interrupt *interrupt)
{
	return interrupt ? atomic_load(&interrupt->signal) : 0;
}
