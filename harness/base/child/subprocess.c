/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * subprocess.c - runs a program and keeps what it says
 *
 * For apt-get, whose words belong into our messages when it fails. What it says is bounded: beyond
 * OUTPUT_MAX it is read and dropped, so that a program gone mad costs no memory.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "array.h"
#include "child.h"
#include "subprocess.h"

#define OUTPUT_MAX (1u << 20)
#define READ_BYTES 4096

static char *read_all(int fd)
{
	char *output = NULL, chunk[READ_BYTES];
	size_t used = 0, capacity = 0;
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		if (used + (size_t)n > OUTPUT_MAX ||
		    !ARRAY_RESERVE(output, capacity, used + (size_t)n + 1))
			continue;
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
	const struct child_command command = {
		.argv = (const char *const *)argv,
		.directory = directory,
		.errors = true,
	};
	int output, status;
	pid_t pid;

	*ret_output = NULL;
	pid = child_start(&command, &output, error);
	if (pid < 0)
		return -1;
	*ret_output = read_all(output);
	close(output);
	status = child_end(pid, false);
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
