/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * subprocess.c - runs a program and keeps what it says
 *
 * For apt-get, whose words belong into our messages when it fails. What it says is bounded: beyond
 * OUTPUT_MAX it is read and dropped, so that a program gone mad costs no memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vm/subprocess.h"

#define OUTPUT_MAX (1u << 20)
#define READ_BYTES 4096

/* In the child. Does not return. */
static void become(char *const *argv, const char *directory, int output, pid_t parent)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL); /* who waits for signals has blocked them */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	dup2(nothing, 0);
	dup2(output, 1);
	dup2(output, 2);
	setenv("LC_ALL", "C", 1);
	if (!directory || !chdir(directory))
		execvp(argv[0], argv);
	dprintf(2, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static char *read_all(int fd)
{
	char *output = NULL, chunk[READ_BYTES];
	size_t used = 0;
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		char *grown;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (used + (size_t)n > OUTPUT_MAX)
			continue;
		grown = realloc(output, used + (size_t)n + 1);
		if (!grown)
			continue;
		output = grown;
		memcpy(output + used, chunk, (size_t)n);
		used += (size_t)n;
	}
	if (!output)
		return strdup("");
	output[used] = '\0';
	return output;
}

int subprocess_run(char *const *argv, const char *directory, char **ret_output, struct error *error)
{
	pid_t parent = getpid(), pid;
	int ends[2], status = 0;

	*ret_output = NULL;
	if (pipe2(ends, O_CLOEXEC))
		return error_set_errno(error, "pipe");
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_set_errno(error, "fork");
	}
	if (!pid)
		become(argv, directory, ends[1], parent);
	close(ends[1]);
	*ret_output = read_all(ends[0]);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!*ret_output)
		return error_set(error, ERROR_MEMORY, "", 0, "out of memory");
	if (!WIFEXITED(status))
		return error_set(error, ERROR_UNAVAILABLE, "", 0, "%s was killed by signal %d",
				 argv[0], WTERMSIG(status));
	return WEXITSTATUS(status);
}

void subprocess_reason(const char *output, char *ret, size_t size)
{
	const char *line = output, *last = "", *reason = NULL;
	size_t length;

	while (*line && !reason) {
		length = strcspn(line, "\n");
		if (!strncmp(line, "E: ", 3))
			reason = line + 3;
		else if (length)
			last = line;
		line += length + (line[length] == '\n');
	}
	reason = reason ? reason : last;
	snprintf(ret, size, "%.*s", (int)strcspn(reason, "\r\n"), reason);
}
