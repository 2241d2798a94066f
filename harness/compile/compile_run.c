/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_run.c - the compiler, as if nobody stood between
 *
 * It has our standard input, output, error, directory, environment and process group: ^C of a terminal
 * ends both, and a job server's pipes reach it. That is what harness/child is not for.
 */
#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "compile/compile.h"

#define NOT_FOUND 127 /* POSIX, XCU 2.8.2 */

int compile_run(char *const *argv, int *ret_status, struct error *error)
{
	pid_t pid;
	int failed = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ), status;

	if (failed == ENOENT || failed == EACCES) {
		fprintf(stderr, "stackproof cc: %s: %s\n", argv[0], strerror(failed));
		*ret_status = NOT_FOUND;
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
