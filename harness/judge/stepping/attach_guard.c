/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_guard.c - the process that steps is not the one that is ended by hand
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/cli/exit_status.h"
#include "attach_options.h"

static void wait_and_pass_on(pid_t child, const struct ending_signals *signals, int *ret_status)
{
	int process = (int)syscall(SYS_pidfd_open, child, 0), number;
	struct pollfd wake[] = { { .fd = process, .events = POLLIN },
				 { .fd = signals->fd, .events = POLLIN } };

	while (process >= 0 && !wake[0].revents) {
		if (poll(wake, 2, -1) < 0 && errno != EINTR)
			break;
		number = ending_signals_take(signals);
		if (number)
			kill(child, number);
	}
	while (waitpid(child, ret_status, 0) < 0 && errno == EINTR)
		;
	if (process >= 0)
		close(process);
}

/* Nobody means the child: its number is new, and may have been another's a moment ago. What does not end it in order it
 * does not take; what it starts begins with an empty mask (child_fork()). */
static void block_strays(void)
{
	static const int taken[] = { SIGHUP,  SIGINT,  SIGTERM, SIGPIPE, SIGCHLD, SIGTSTP,
				     SIGTTIN, SIGTTOU, SIGCONT, SIGABRT, SIGBUS,  SIGFPE,
				     SIGILL,  SIGSEGV, SIGSYS,	SIGTRAP };
	sigset_t strays;

	sigfillset(&strays);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigdelset(&strays, taken[i]);
	sigprocmask(SIG_BLOCK, &strays, NULL);
}

int attach_guard(void)
{
	struct ending_signals signals;
	struct error error;
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = child_fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGTERM); /* it lets the process go first */
		block_strays();
		return -1;
	}
	if (child < 0 || ending_signals_hold(&signals, &error)) {
		if (child < 0)
			error_set_errno(&error, "fork");
		else
			kill(child, SIGTERM);
		error_print(stderr, "stackproof", &error);
		return EXIT_ENVIRONMENT;
	}
	wait_and_pass_on(child, &signals, &status);
	ending_signals_release(&signals);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr,
		"stackproof: the process that steps was killed by SIG%s: a thread that it was "
		"stepping may die of SIGTRAP\n",
		sigabbrev_np(WTERMSIG(status)));
	return EXIT_ENVIRONMENT;
}
