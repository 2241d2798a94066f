/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * bench_child.c - runs another program, takes what it says, and doesn't wait for ever
 *
 * The child gets a process group of its own: cargo starts compilers, and what ran too long ends
 * with all that it started. What is wanted is the beginning of the output (a path, a line of
 * JSON) or, of a program that failed, its last line.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench.h"
#include "base/child/child.h"
#include "clock.h"

#define TAIL_SIZE 160

/* Moves bytes of text in at the tail's end, and as many out at its start as there is no room
 * for. */
static void keep_tail(char tail[TAIL_SIZE], const char *text, size_t bytes)
{
	size_t used = strlen(tail);

	if (bytes > TAIL_SIZE - 1) {
		text += bytes - (TAIL_SIZE - 1);
		bytes = TAIL_SIZE - 1;
	}
	if (used + bytes > TAIL_SIZE - 1) {
		size_t out = used + bytes - (TAIL_SIZE - 1);

		memmove(tail, tail + out, used - out);
		used -= out;
	}
	memcpy(tail + used, text, bytes);
	tail[used + bytes] = '\0';
}

/* Reads to the end of the pipe, keeping the first size - 1 bytes and, in tail, the last ones. 0, or
 * -1 if the time is up. */
static int take(int input, uint64_t deadline_ns, char *ret, size_t size, char tail[TAIL_SIZE])
{
	size_t used = 0;

	for (;;) {
		struct pollfd poll_input = { .fd = input, .events = POLLIN };
		uint64_t now = monotonic_ns();
		char buffer[4096];

		if (now >= deadline_ns)
			return -1;
		if (poll(&poll_input, 1, (deadline_ns - now) / 1000000 + 1) <= 0)
			continue;
		ssize_t bytes = read(input, buffer, sizeof(buffer));
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			return 0;
		size_t kept = (size_t)bytes < size - 1 - used ? (size_t)bytes : size - 1 - used;
		memcpy(ret + used, buffer, kept);
		used += kept;
		ret[used] = '\0';
		keep_tail(tail, buffer, bytes);
	}
}

/* The last line that says something. */
static const char *last_line(char *text)
{
	size_t end = strlen(text);

	while (end && (text[end - 1] == '\n' || text[end - 1] == ' '))
		text[--end] = '\0';
	char *newline = strrchr(text, '\n');
	const char *line = newline ? newline + 1 : text;
	return line + strspn(line, " ");
}

int bench_child(const char *const argv[], bool errors, unsigned int timeout_ms, char *ret,
		size_t size, struct error *error)
{
	uint64_t deadline_ns = monotonic_ns() + timeout_ms * 1000000ull;
	char tail[TAIL_SIZE] = "";
	const struct child_command command = { .argv = argv, .errors = errors };
	int output, status;

	ret[0] = '\0';
	pid_t pid = child_start(&command, &output, error);
	if (pid < 0)
		return -1;
	bool late = take(output, deadline_ns, ret, size, tail);
	close(output);
	status = child_end(pid, late);
	if (late)
		return error_set(error, ERROR_TIMEOUT, "", 0, "%s took more than %u s", argv[0],
				 timeout_ms / 1000);
	if (child_check(argv[0], status, error))
		return -1;
	if (WEXITSTATUS(status))
		return error_set(error, ERROR_PROTOCOL, "", 0, "%s failed: %s", argv[0],
				 last_line(tail));
	return 0;
}
