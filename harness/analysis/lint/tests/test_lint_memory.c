/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lint_memory.c - what `lint` takes for each finding, as text and as JSON, and against a baseline
 *
 * Of so many functions each has a push without a directive. What ten times as many take more is what a finding
 * takes, its part of the file included.
 */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"

#ifdef __SANITIZE_ADDRESS__
#define MEMORY_TIMES 8 /* shadow, and what was freed */
#else
#define MEMORY_TIMES 1
#endif

#define FEW  1500
#define MANY 15000

static char folder[] = "/tmp/stackproof-lint-memory-XXXXXX";

static bool make_file(int functions)
{
	FILE *file = fopen("f.s", "w");

	if (!file)
		return false;
	fputs("	.intel_syntax noprefix\n	.text\n", file);
	for (int i = 0; i < functions; i++)
		fprintf(file,
			"	.globl f%d\n	.type f%d, @function\nf%d:	.cfi_startproc\n"
			"	push rbx\n	call g%d\n	pop rbx\n	ret\n	"
			".cfi_endproc\n"
			"	.size f%d, .-f%d\n",
			i, i, i, i, i, i);
	return !fclose(file) && !system("gcc-12 -c f.s -o f.o");
}

/* Resident, in KiB, of the command or of the process that follows the file, whichever takes more. */
static long memory_of(const char *option, const char *output)
{
	struct rusage usage;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		char *arguments[] = { "lint", "-j1", "f.o", (char *)option, NULL };
		int to = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		dup2(to, STDOUT_FILENO);
		status = command_lint(option ? 4 : 3, arguments);
		fflush(stdout);
		_exit(status);
	}
	ck_assert_int_eq(wait4(pid, &status, 0, &usage), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status),
			 option && strstr(option, "baseline") ? EXIT_OK : EXIT_FINDINGS);
	return usage.ru_maxrss;
}

static const struct {
	const char *option, *output;
	long bytes; /* a finding may take */
} memory_cases[] = {
	{ NULL, "text", 1500 },
	{ "--json", "known", 1500 },
	{ "--baseline=known", "text", 3500 },
	{ "--sarif=sarif", "text", 3000 },
	{ "--page=page", "text", 3000 },
};

START_TEST(a_finding_takes_little)
{
	long few[COUNT(memory_cases)], bytes;

	ck_assert(make_file(FEW));
	for (int i = 0; i < COUNT(memory_cases); i++)
		few[i] = memory_of(memory_cases[i].option, memory_cases[i].output);
	ck_assert(make_file(MANY));
	for (int i = 0; i < COUNT(memory_cases); i++) {
		bytes = memory_of(memory_cases[i].option, memory_cases[i].output) - few[i];
		bytes = bytes * 1024 / (MANY - FEW);
		ck_assert_msg(bytes <= MEMORY_TIMES * memory_cases[i].bytes, "%s: %ld bytes",
			      memory_cases[i].option ? memory_cases[i].option : "text", bytes);
	}
}
END_TEST

SUITE_MAIN(lint_memory)
{
	Suite *suite = suite_create("lint_memory");
	TCase *tcase = tcase_create("findings");
	char command[64];
	int failed;

	if (!mkdtemp(folder) || chdir(folder))
		return EXIT_FAILURE;
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, a_finding_takes_little);
	suite_add_tcase(suite, tcase);
	failed = suite_run(suite);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) || failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
