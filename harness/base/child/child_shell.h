/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_shell.h - runs a user's command with /bin/sh
 */
#ifndef STACKPROOF_CHILD_SHELL_H
#define STACKPROOF_CHILD_SHELL_H

#include <stddef.h>
#include "ending_signals.h"

struct child_shell {
	const char *command;
	unsigned int timeout_ms;
	const struct ending_signals *signals; /* held; if one arrives, the command ends */
	/* Called with each part of stdout and stderr, as it is printed. NULL: the output is dropped. */
	void (*hear)(void *context, const char *text, size_t size);
	void *context;
	/* An eventfd(2). When 1 is added, the command and what it started get SIGINT, and have timeout_ms from then
	 * on; when 2, they are killed. 0: none. */
	int end_fd;
};

/*
 * Runs the command until every process that could write its output has closed it. 0: *ret_status is the status of
 * waitpid(2). -1: it could not be started, or it was killed with all processes that it had started (ERROR_TIMEOUT, also
 * for end_fd, or ending_signals_error()).
 */
int child_shell_run(const struct child_shell *shell, int *ret_status, struct error *error);

#endif
