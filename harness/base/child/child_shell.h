/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_shell.h - a command of the user's own, as /bin/sh understands it
 */
#ifndef STACKPROOF_CHILD_SHELL_H
#define STACKPROOF_CHILD_SHELL_H

#include <stddef.h>
#include "ending_signals.h"

struct child_shell {
	const char *command;
	unsigned int timeout_ms;
	const struct ending_signals *signals; /* held: one that comes ends the command */
	/* What it prints, a part at a time, as it prints it. NULL: it is of use to nobody. */
	void (*hear)(void *context, const char *text, size_t size);
	void *context;
};

/*
 * Runs it until nobody can print anything any more. 0: it came to its end, with *ret_status as
 * waitpid(2) has it. -1: it was ended, with all that it had begun: ERROR_TIMEOUT, or
 * ending_signals_error(); or it could not be started.
 */
int child_shell_run(const struct child_shell *shell, int *ret_status, struct error *error);

#endif
