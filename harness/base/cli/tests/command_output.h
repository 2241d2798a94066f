/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * command_output.h - a command in a child, as a user runs it: its exit status and all that it says
 *
 * A child because argp exits, and because a command prints to the descriptors of its process.
 */
#ifndef STACKPROOF_TESTS_COMMAND_OUTPUT_H
#define STACKPROOF_TESTS_COMMAND_OUTPUT_H

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "freed.h"

#define READ_BYTES 65536

/* Standard output and error of command(count, arguments), to be freed. arguments ends in NULL. */
static inline char *command_output(int (*command)(int, char **), char **arguments, int *ret_status)
{
	int ends[2];
	int count = 0;
	char *output = NULL;
	size_t size = 0;
	while (arguments[count])
		count++;
	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		int status = command(count, arguments);
		fflush(NULL);
		_exit(status);
	}
	close(ends[1]);
	for (ssize_t bytes = 1; bytes;) {
		ck_assert_ptr_nonnull(output = realloc(output, size + READ_BYTES + 1));
		bytes = read(ends[0], output + size, READ_BYTES);
		if (bytes < 0 && errno == EINTR)
			continue;
		ck_assert_int_ge(bytes, 0);
		size += (size_t)bytes;
		output[size] = '\0';
	}
	close(ends[0]);
	ck_assert_int_eq(waitpid(child, ret_status, 0), child);
	ck_assert_msg(WIFEXITED(*ret_status), "killed by signal %d: %s", WTERMSIG(*ret_status),
		      output);
	*ret_status = WEXITSTATUS(*ret_status);
	return output;
}

/* Each of has is in output, and none of has_not; NULL ends either before its count. name: the case. */
static inline void output_says(const char *name, const char *output, const char *const *has,
			       int has_count, const char *const *has_not, int has_not_count)
{
	for (int i = 0; i < has_count && has[i]; i++)
		ck_assert_msg(strstr(output, has[i]) != NULL, "%s: no \"%s\" in %s", name, has[i],
			      output);
	for (int i = 0; i < has_not_count && has_not[i]; i++)
		ck_assert_msg(!strstr(output, has_not[i]), "%s: \"%s\" in %s", name, has_not[i],
			      output);
}

#endif
