/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_run.c - the compiler, as if nobody stood between
 *
 * It has our standard input, output, error, directory, environment and process group: ^C of a terminal
 * ends both, and a job server's pipes reach it. That is what harness/base/child is not for.
 */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/child/child.h"
#include "base/cli/exit_status.h"
#include "compile.h"

static int say_not_found(const char *name, int failed)
{
	fprintf(stderr, "stackproof cc: %s: %s\n", name, strerror(failed));
	return failed == ENOENT || failed == EACCES ? CHILD_NOT_RUN : EXIT_ENVIRONMENT;
}

int compile_become(char *const *argv)
{
	fflush(NULL);
	child_give_back();
	execvp(argv[0], argv);
	return say_not_found(argv[0], errno);
}

int compile_run(char *const *argv, int *ret_status, struct error *error)
{
	posix_spawnattr_t attributes;
	sigset_t as_found;
	pid_t pid;
	int failed = posix_spawnattr_init(&attributes), status;

	if (!failed) {
		child_spawn_gives_back(&as_found);
		posix_spawnattr_setsigdefault(&attributes, &as_found);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
		failed = posix_spawnp(&pid, argv[0], NULL, &attributes, argv, environ);
		posix_spawnattr_destroy(&attributes);
	}

	if (failed == ENOENT || failed == EACCES) {
		*ret_status = say_not_found(argv[0], failed);
		return 0;
	}
	errno = failed;
	if (failed)
		return error_set_errno(error, "%s", argv[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_set_errno(error, "waitpid");
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return 0;
}
