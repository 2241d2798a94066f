/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * watch_inside.c - a command in a guest, under the witness
 *
 * Profilers run beside it, or one of them runs it: then this program is executed once more below the profiler, and joins
 * (guest_agent_join()).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "base/cli/exit_status.h"
#include "freed.h"
#include "profiles/score/score_made.h"
#include "truth/emulator/guest_agent.h"
#include "watch.h"

#define SIGNAL_STATUS 128 /* a shell's, for a command that a signal ended */
#define GUEST_FOLDER  "/tmp"
#define GUEST_FILE    GUEST_FOLDER "/stackproof-profile.%zu"

bool watch_runs_program(const char *profiler)
{
	return strstr(profiler, "{program}") != NULL;
}

static char *profiler_command(void *context, size_t number, pid_t pid)
{
	const struct watch_inside *what = context;
	char path[sizeof(GUEST_FILE) + 32];
	struct error error;
	char *ret;

	snprintf(path, sizeof(path), GUEST_FILE, number);
	ret = score_command_text(what->profiler[number], path, what->command, pid, &error);
	if (!ret)
		error_print(stderr, "stackproof watch", &error);
	return ret;
}

/* The profiler's command, which runs what is watched. NULL: no memory. */
static char *running_command(struct watch_inside *what)
{
	size_t count = 0, at = 0;

	while (what->command[count])
		count++;
	FREED char **joined = calloc(count + 5, sizeof(*joined));

	if (!joined)
		return NULL;
	joined[at++] = "stackproof";
	joined[at++] = "watch";
	joined[at++] = "--join";
	joined[at++] = "--";
	memcpy(joined + at, what->command, count * sizeof(*joined));
	what->command = joined;
	return profiler_command(what, 0, 0);
}

static void give_profiles(const struct watch_inside *what)
{
	for (size_t i = 0; i < what->profilers; i++) {
		char path[sizeof(GUEST_FILE) + 32];
		struct error error;

		snprintf(path, sizeof(path), GUEST_FILE, i);
		if (guest_agent_give(i, path, &error))
			error_print(stderr, "stackproof watch: no profile", &error);
	}
}

int watch_inside_run(struct watch_inside *what)
{
	FREED char *running = what->profilers && watch_runs_program(what->profiler[0])
				      ? running_command(what)
				      : NULL;
	char *const shell[] = { "/bin/sh", "-c", running, NULL };
	const struct guest_run run = { .argv = running ? shell : what->command,
				       .joined = running != NULL,
				       .command = profiler_command,
				       .context = what,
				       .profilers = running ? 0 : what->profilers,
				       .settle_ms = what->settle_ms };
	struct error error = { 0 };
	int status;

	mkdir(GUEST_FOLDER, 01777);
	if (guest_agent_run(&run, &status, &error)) {
		error_print(stderr, "stackproof watch", &error);
		return error.code == ERROR_UNAVAILABLE ? EXIT_SKIPPED : EXIT_ENVIRONMENT;
	}
	give_profiles(what);
	return WIFEXITED(status) ? WEXITSTATUS(status) : SIGNAL_STATUS + WTERMSIG(status);
}
