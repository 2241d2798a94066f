/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden_fixture.h - a corpus of one small binary, its goldens, and the command in a child
 *
 * Each test has a folder of its own in /tmp with corpus/self.cc-1.O2-nofp (plant_image.h's four
 * functions of real instructions) and its manifest. The command runs in a child, since argp exits;
 * what it says, on either stream, is kept. Only test_golden*.c use it.
 */
#ifndef STACKPROOF_TESTS_GOLDEN_FIXTURE_H
#define STACKPROOF_TESTS_GOLDEN_FIXTURE_H

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "corpus/golden/golden.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"
#include "corpus/plant/tests/plant_image.h"
#include "base/cli/tests/own_files.h"

#define TOOLCHAIN "cc-1.2.3"
#define BINARY	  "self.cc-1.O2-nofp"
#define GOLDEN	  "golden/tables/" TOOLCHAIN "/self.O2-nofp.txt"
#define VERDICTS  "golden/verdicts/" TOOLCHAIN ".txt"
#define CANDIDATE "golden-candidates/" TOOLCHAIN "/self.O2-nofp.txt"
/* EXPECTED: as corpus.tsv has it. */
#define MANIFEST(EXPECTED) "# path\n" BINARY "\tself\t" TOOLCHAIN "\tO2-nofp\tc\t-\t" EXPECTED "\n"
/* What `run` writes of a binary that was stepped. */
#define STEPPED(KERNEL)                                                                            \
	"{\"type\":\"verdicts\",\"binary\":\"" BINARY "\",\"kernel\":\"" KERNEL "\"}\n"

static inline void write_bytes(const char *path, const void *data, size_t size)
{
	struct error error = { 0 };

	ck_assert_msg(!golden_file_write(path, data, size, 0755, &error), "%s", error.message);
}

static inline void write_text(const char *path, const char *text)
{
	write_bytes(path, text, strlen(text));
}

static inline char *read_text(const char *path)
{
	static char text[1 << 20]; /* one test, one process */
	FILE *file = fopen(path, "r");

	ck_assert_msg(file != NULL, "%s is not there", path);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static inline bool is_there(const char *path)
{
	return !access(path, F_OK);
}

/* Replaces the first occurrence of what in the file; both have to be short. */
static inline void edit(const char *path, const char *what, const char *with)
{
	char *text = strdup(read_text(path)), *at = strstr(text, what), *edited = NULL;

	ck_assert_msg(at != NULL, "%s is not in %s", what, path);
	ck_assert_int_gt(
		asprintf(&edited, "%.*s%s%s", (int)(at - text), text, with, at + strlen(what)), 0);
	write_text(path, edited);
	free(edited);
	free(text);
}

static inline void set_up(void)
{
	static struct plant_file file;

	folder_enter();
	plant_file_make(&file);
	write_bytes("corpus/" BINARY, file.bytes, file.size);
	write_text("corpus/manifest.tsv", MANIFEST("-"));
	unsetenv("CI");
}

#define ARGUMENTS_MAX 8

/* Runs `golden --corpus corpus ARGUMENTS` (up to a NULL) in a child; its status. */
static inline int golden_arguments(const char *const *argument)
{
	char *argv[ARGUMENTS_MAX + 4] = { (char *)"golden", (char *)"--corpus", (char *)"corpus" };
	int argc = 3, status;

	for (size_t i = 0; i < ARGUMENTS_MAX && argument[i]; i++)
		argv[argc++] = (char *)argument[i];
	fflush(NULL);

	pid_t child = fork();

	if (!child) {
		int out = open("output", O_WRONLY | O_CREAT | O_TRUNC, 0666);

		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
		status = command_golden(argc, argv);
		fflush(NULL);
		_exit(status);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
	return WEXITSTATUS(status);
}

#define golden(...) golden_arguments((const char *const[ARGUMENTS_MAX + 1]) { __VA_ARGS__ })

/* What the last command said holds all of text. */
static inline void said(const char *text)
{
	const char *output = read_text("output");

	ck_assert_msg(strstr(output, text) != NULL, "it did not say '%s' but:\n%s", text, output);
}

/* Makes the golden as it should be. */
static inline void bless(void)
{
	ck_assert_int_eq(golden("update", "--unstepped", "self"), EXIT_OK);
}

#endif
