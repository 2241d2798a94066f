/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * child_shell.c - runs a command, hears what it prints, and ends it in time
 *
 * A command has ended when its output is closed: what it left in the background may still write.
 */
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "child.h"
#include "child_shell.h"
#include "clock.h"

#define LOOK_MS 1000 /* at most so long without a look at the clock */

static int too_long(const struct child_shell *shell, uint64_t asked, struct error *error)
{
	return asked > 1 ? error_set(error, ERROR_TIMEOUT, "", 0, "the command was killed")
			 : error_set(error, ERROR_TIMEOUT, "", 0,
				     "the command ran longer than %u s%s", shell->timeout_ms / 1000,
				     asked ? " behind SIGINT" : "");
}

/* What end_fd asks for. */
static uint64_t ask(int end_fd, pid_t pid)
{
	eventfd_t asked;

	if (eventfd_read(end_fd, &asked))
		return 0;
	if (asked == 1)
		kill(-pid, SIGINT);
	return asked;
}

static int hear_all(const struct child_shell *shell, pid_t pid, int output, struct error *error)
{
	struct pollfd wake[] = { { .fd = output, .events = POLLIN },
				 { .fd = shell->signals->fd, .events = POLLIN },
				 { .fd = shell->end_fd ?: -1, .events = POLLIN } };
	int64_t deadline = monotonic_ms() + shell->timeout_ms;
	uint64_t asked = 0;
	char text[4096];
	int number;

	for (;;) {
		int64_t left = deadline - monotonic_ms();
		ssize_t size;

		if (left <= 0 || asked > 1)
			return too_long(shell, asked, error);
		if (poll(wake, 3, left > LOOK_MS ? LOOK_MS : (int)left) <= 0)
			continue;
		if ((number = ending_signals_take(shell->signals)))
			return ending_signals_error(error, number);
		if (wake[2].revents) {
			asked += ask(shell->end_fd, pid);
			deadline = monotonic_ms() + shell->timeout_ms;
		}
		if (!wake[0].revents)
			continue;
		size = read(output, text, sizeof(text));
		if (size <= 0)
			return 0;
		if (shell->hear)
			shell->hear(shell->context, text, (size_t)size);
	}
}

int child_shell_run(const struct child_shell *shell, int *ret_status, struct error *error)
{
	const char *const argv[] = { "/bin/sh", "-c", shell->command, NULL };
	const struct child_command child = { .argv = argv,
					     .errors = true,
					     .takes_interrupts = shell->end_fd != 0 };
	int output, result;
	pid_t pid = child_start(&child, &output, error);

	if (pid < 0)
		return -1;
	result = hear_all(shell, pid, output, error);
	close(output);
	*ret_status = child_end(pid, result != 0);
	return result;
}
