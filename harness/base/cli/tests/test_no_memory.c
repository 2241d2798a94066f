/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_no_memory.c - short memory is the environment's fault: a line and a status, no signal
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "tests/suite.h"
#include "base/cases/cases.h"
#include "base/cli/no_memory.h"
#include "command_output.h"
#include "base/cli/exit_status.h"

#define SAID "stackproof: out of memory\n"

static int end(int argc, char **argv)
{
	fputs("what was begun", stdout); /* and is not written as if it were whole */
	no_memory();
}

/* Cases of a megabyte each, until there is no room for the next. */
static int add_cases(int argc, char **argv)
{
	static char message[1 << 20];
	struct rlimit limit = { 256u << 20, 256u << 20 };
	struct cases cases = { 0 };

	memset(message, 'x', sizeof(message) - 1);
	setrlimit(RLIMIT_AS, &limit);
	cases_suite(&cases, "suite");
	for (int i = 0; i < 1024; i++)
		cases_add(&cases, "class", "name", CASE_FAILED, message);
	return EXIT_OK;
}

static int (*const ends[])(int, char **) = { end, add_cases };

START_TEST(short_memory_is_the_environments)
{
	char name[] = "report", *arguments[] = { name, NULL }, *said;
	int status;

#ifdef __SANITIZE_ADDRESS__
	if (_i)
		return; /* its own memory has no bounds */
#endif
	said = command_output(ends[_i], arguments, &status);
	ck_assert_str_eq(said, SAID);
	ck_assert_int_eq(status, EXIT_ENVIRONMENT);
	free(said);
}
END_TEST

SUITE(no_memory, TIMES(short_memory_is_the_environments, 2))
