/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_input_file.c - nobody waits for a FIFO that has a name; a pipe of a shell is read
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "commands/commands.h"
#include "base/cli/input_file.h"
#include "command_output.h"
#include "base/cli/exit_status.h"

#define FIFO(path) "can't read " path ": it is a FIFO, no regular file"

static void make_files(void)
{
	folder_enter();
	ck_assert_int_eq(mkfifo("pipe", 0600) + mkdir("m", 0700) + symlink("pipe", "link") +
				 mkfifo("m/results.ndjson", 0600) + mkfifo("m/manifest.tsv", 0600) +
				 mkdir("c", 0700) + mkdir("g", 0700) +
				 mkfifo("g/waivers.tsv", 0600),
			 0);
	ck_assert_int_eq(
		system("printf text >file; printf 'skip:none\\tp\\tt\\tv\\tc\\n' >c/manifest.tsv"),
		0);
}

static const struct input_case {
	const char *path, *text; /* NULL: it is refused */
	const char *message;
	int number;
} inputs[] = {
	{ "file", "text", NULL, 0 },
	{ "/dev/null", "", NULL, 0 },
	{ "/dev/fd/0", "piped", NULL, 0 },
	{ "/dev/stdin", "piped", NULL, 0 },
	{ "/proc/self/fd/0", "piped", NULL, 0 },
	{ "stdin", "piped", NULL, 0 }, /* a link to it */
	{ "pipe", NULL, FIFO("pipe"), ESPIPE },
	{ "link", NULL, FIFO("link"), ESPIPE },
	{ "none", NULL, "can't read none: No such file or directory", ENOENT },
};

START_TEST(what_is_opened)
{
	const struct input_case *c = &inputs[_i];
	char text[16] = "";
	struct error error;
	int ends[2];

	ck_assert_int_eq(pipe(ends) + symlink("/dev/stdin", "stdin"), 0);
	ck_assert_int_eq(write(ends[1], "piped", 5), 5);
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], 0), 0);
	FILE *file = input_file_open(c->path, &error);
	int number = errno;

	ck_assert_int_eq(file != NULL, c->text != NULL);
	if (file) {
		text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
		ck_assert_str_eq(text, c->text);
		fclose(file);
	} else {
		ck_assert_str_eq(error.message, c->message);
		ck_assert_int_eq(number, c->number);
	}
}
END_TEST

static const struct command_case {
	int (*command)(int, char **);
	char *argument[6];
	const char *said;
} commands[] = {
	{ command_report, { "report", "m" }, FIFO("m/results.ndjson") },
	{ command_report, { "report", "--ignore=pipe", "m" }, FIFO("m/results.ndjson") },
	{ command_lint, { "lint", "--baseline=pipe", "/bin/true" }, FIFO("pipe") },
	{ command_lint, { "lint", "--table=pipe", "/bin/true" }, FIFO("pipe") },
	{ command_diff, { "diff", "pipe", "/bin/true" }, FIFO("pipe") },
	{ command_diff, { "diff", "m", "m" }, FIFO("m/results.ndjson") },
	{ command_compare, { "compare", "--ignore=pipe", "/bin/true" }, FIFO("pipe") },
	{ command_load, { "load", "--check=pipe", "--record=file" }, FIFO("pipe") },
	{ command_load, { "load", "pipe" }, "pipe: is not a BPF object" },
	{ command_lint, { "lint", "--executed=pipe", "/bin/true" }, "pipe: no regular file" },
	{ command_lint, { "lint", "--confirm=pipe", "/bin/true" }, FIFO("pipe") },
	{ command_score, { "score", "--truth=pipe", "file" }, "pipe: no regular file" },
	{ command_plant,
	  { "plant", "--kind=cfa-offset-low", "--func=f", "-o", "new", "pipe" },
	  "pipe: not a regular file" },
	{ command_golden,
	  { "golden", "check", "--corpus=c", "--golden=g" },
	  FIFO("g/waivers.tsv") },
	{ command_golden, { "golden", "check", "--corpus=c", "--verdicts=pipe" }, FIFO("pipe") },
	{ command_run, { "run", "--corpus=m", "--results=r" }, FIFO("m/manifest.tsv") },
};

START_TEST(a_command_does_not_wait)
{
	const struct command_case *c = &commands[_i];
	char *arguments[COUNT(c->argument) + 1] = { NULL };
	int status;

	memcpy(arguments, c->argument, sizeof(c->argument));
	FREED char *said = command_output(c->command, arguments, &status);

	ck_assert_msg(strstr(said, c->said) != NULL, "%s", said);
	ck_assert_int_eq(status, EXIT_BAD_INPUT);
}
END_TEST

SUITE(input_file, FIXTURE(make_files, folder_remove), LOOP(what_is_opened, inputs),
      LOOP(a_command_does_not_wait, commands))
