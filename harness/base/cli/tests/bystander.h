/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bystander.h - somebody of this process group who ends a run as a user does, when the program that is run wants it
 *
 * The program's own signals don't end the run. So it sends SIGWINCH to the group (kill(0, 28)), which everybody else
 * ignores.
 */
#ifndef STACKPROOF_TESTS_BYSTANDER_H
#define STACKPROOF_TESTS_BYSTANDER_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts one, nobody's child, who sends this process number then; or ends after a while. */
static inline void bystander_start(int number)
{
	pid_t whom = getpid(), child;
	sigset_t set, before;
	int got;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, &before);
	child = fork();
	if (!child) {
		if (fork())
			_exit(0);
		close(STDOUT_FILENO); /* who reads what is said waits for its end */
		close(STDERR_FILENO);
		alarm(300);
		sigwait(&set, &got);
		kill(whom, number);
		_exit(0);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	waitpid(child, NULL, 0);
}

#endif
