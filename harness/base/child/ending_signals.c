/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ending_signals.c - SIGINT, SIGTERM and SIGHUP, taken instead of dying of them
 *
 * A blocked signal is kept even if it is ignored, and signalfd(2) gives it: so what is ignored is
 * never blocked here.
 */
#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "ending_signals.h"

/* The outermost hold's mask; who holds is the process's main thread. */
static sigset_t outermost;
static unsigned int holds;

void ending_signals_set(sigset_t *ret)
{
	static const int number[] = { SIGINT, SIGTERM, SIGHUP };

	sigemptyset(ret);
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		struct sigaction action;

		if (!sigaction(number[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(ret, number[i]);
	}
}

int ending_signals_hold(struct ending_signals *signals, struct error *error)
{
	sigset_t set;

	ending_signals_set(&set);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd < 0)
		return error_set_errno(error, "signalfd");
	pthread_sigmask(SIG_BLOCK, &set, &signals->before);
	if (!holds++)
		outermost = signals->before;
	return 0;
}

int ending_signals_take_from(const struct ending_signals *signals, pid_t *ret_sender)
{
	struct signalfd_siginfo info;

	if (signals->fd < 0 || read(signals->fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	*ret_sender = info.ssi_code <= 0 ? (pid_t)info.ssi_pid : 0;
	return (int)info.ssi_signo;
}

int ending_signals_take(const struct ending_signals *signals)
{
	pid_t sender;

	return ending_signals_take_from(signals, &sender);
}

void ending_signals_release(struct ending_signals *signals)
{
	if (signals->fd < 0)
		return;
	while (ending_signals_take(signals))
		;
	pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
	close(signals->fd);
	signals->fd = -1;
	holds--;
}

void ending_signals_give_back(void)
{
	if (holds)
		sigprocmask(SIG_SETMASK, &outermost, NULL);
}

int ending_signals_error(struct error *error, int number)
{
	error_set(error, ERROR_SYSTEM, NULL, 0, "the run was ended by SIG%s", sigabbrev_np(number));
	error->system_errno = EINTR;
	return -1;
}
