/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compile_fixture.h - what tests of `stackproof cc` share: a folder of their own, command lines, the end of main()
 */
#ifndef STACKPROOF_TESTS_COMPILE_FIXTURE_H
#define STACKPROOF_TESTS_COMPILE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cli/tests/command_output.h"
#include "commands/commands.h"

#define ARGUMENTS_MAX 40

/* Its words, with blanks between, ended by NULL. What holds them, to be freed. */
static inline char *split(const char *text, char *argv[ARGUMENTS_MAX])
{
	char *line = strdup(text), *rest = line;

	for (size_t count = 0; (argv[count] = strsep(&rest, " "));)
		ck_assert_uint_lt(++count, ARGUMENTS_MAX);
	return line;
}

/* Of `stackproof` with that command line, which begins with "cc". To be freed. */
static inline char *cc_output(const char *text, int *ret_status)
{
	char *argv[ARGUMENTS_MAX], *line = split(text, argv);
	char *output = command_output(command_cc, argv, ret_status);

	free(line);
	return output;
}

#endif
