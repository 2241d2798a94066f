/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * transcript.h - sessions with a command, as they are typed and as they are answered
 *
 * A file of transcripts/ holds lines that begin with "$ ", which a shell runs one after another in an
 * empty folder, and behind each what it prints on either stream; lines that begin with "## " are for
 * the reader. The whole file must come out again, byte by byte. In a session
 *
 *	sp COMMAND ARGS		is stackproof's command, and prints its status behind what it says
 *	make_image KIND FILE	writes a small ELF file: plant, program (plant_image.h) or diff (diff_image.h)
 *	@			in what is printed is the folder
 *
 * `TRANSCRIPTS_WRITE=1 build/harness/commands/tests/test_NAME` writes what came out into the files: look at
 * every difference before it is committed. TRANSCRIPT=NAME: that file's alone.
 */
#ifndef STACKPROOF_TESTS_TRANSCRIPT_H
#define STACKPROOF_TESTS_TRANSCRIPT_H

#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "tables/diff/tests/diff_image.h"
#include "corpus/plant/tests/plant_image.h"

#define TRANSCRIPT_BYTES_MAX (4 << 20)

static const char transcript_shell[] =
	"sp() { \"$TRANSCRIPT_SELF\" --command \"$@\" 2>&1; echo \"= $?\"; }\n"
	"make_image() { \"$TRANSCRIPT_SELF\" --image \"$@\"; }\n"
	"exec 2>&1; umask 022\n"
	"while IFS= read -r line <&9; do\n"
	"	case $line in\n"
	"	'$ '*) printf '%s\\n' \"$line\"; eval \"${line#??}\";;\n"
	"	'## '*) printf '%s\\n' \"$line\";;\n"
	"	esac\n"
	"done 9<\"$TRANSCRIPT_FILE\"\n";

/* Beside the tests. */
static inline void transcript_path(const char *name, char *ret, size_t size)
{
	char here[] = __FILE__, folder[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(dirname(here), folder));
	snprintf(ret, size, "%s/transcripts/%s.txt", folder, name);
}

static inline char *transcript_read(FILE *file)
{
	char *text = malloc(TRANSCRIPT_BYTES_MAX);

	ck_assert_ptr_nonnull(text);
	text[fread(text, 1, TRANSCRIPT_BYTES_MAX - 1, file)] = '\0';
	return text;
}

/* Each name of the folder becomes @. */
static inline void transcript_plain(char *text, const char *folder)
{
	size_t length = strlen(folder);
	char *to = text;

	for (const char *from = text; *from;) {
		bool is_folder = !strncmp(from, folder, length);

		*to++ = is_folder ? '@' : *from;
		from += is_folder ? length : 1;
	}
	*to = '\0';
}

static inline void transcript_check(const char *name)
{
	char folder[] = "/tmp/transcript.XXXXXX", path[2 * PATH_MAX], self[PATH_MAX];
	const char *only = getenv("TRANSCRIPT");
	char command[128];

	if (only && strcmp(only, name) != 0)
		return;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	transcript_path(name, path, sizeof(path));
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	setenv("TRANSCRIPT_SELF", self, 1);
	setenv("TRANSCRIPT_FILE", path, 1);
	setenv("LC_ALL", "C", 1);
	unsetenv("CI");
	signal(SIGPIPE, SIG_DFL); /* who ignores it lets shells complain */
	FILE *file = fopen(path, "re");
	ck_assert_msg(file != NULL, "%s is missing", path);
	char *expected = transcript_read(file);
	fclose(file);
	ck_assert(!chdir(folder));
	FILE *shell = popen(transcript_shell, "re");
	ck_assert_ptr_nonnull(shell);
	char *printed = transcript_read(shell);
	ck_assert_int_eq(pclose(shell), 0);
	ck_assert(!chdir("/"));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
	transcript_plain(printed, folder);
	if (getenv("TRANSCRIPTS_WRITE") && (file = fopen(path, "we"))) {
		fputs(printed, file);
		fclose(file);
	}
	size_t same = 0, line = 1;
	for (; expected[same] && expected[same] == printed[same]; same++)
		line += expected[same] == '\n';
	while (same && printed[same - 1] != '\n')
		same--;
	ck_assert_msg(!strcmp(expected, printed), "%s, line %zu, printed:\n%.2000s", name, line,
		      printed + same);
	free(expected);
	free(printed);
}

static inline int transcript_image(const char *kind, const char *path)
{
	FILE *file = fopen(path, "we");
	static struct plant_file plant;
	static struct diff_image diff;

	if (!file)
		return 1;
	plant_file_make(&plant);
	if (!strcmp(kind, "program"))
		plant_file_run(&plant);
	diff_image_make(&diff);
	if (strcmp(kind, "diff") != 0)
		fwrite(plant.bytes, 1, plant.size, file);
	else
		fwrite(diff.bytes, 1, diff.size, file);
	fchmod(fileno(file), 0755);
	return fclose(file) ? 1 : 0;
}

/* Of a test's main(): what a session has started; -1: it is the test itself. */
static inline int transcript_main(int argc, char **argv, const struct command *command)
{
	if (argc == 4 && !strcmp(argv[1], "--image"))
		return transcript_image(argv[2], argv[3]);
	if (argc < 3 || strcmp(argv[1], "--command") != 0)
		return -1;
	for (; command->name; command++)
		if (!strcmp(command->name, argv[2]))
			return command->run(argc - 2, argv + 2);
	return 126;
}

/* All of a test's main() that plays sessions: test for each number below count, or what a session has
 * started. */
static inline int transcript_play(int argc, char **argv, const char *name,
				  const struct command *commands, const TTest *test, size_t count)
{
	int status = transcript_main(argc, argv, commands);
	Suite *suite;
	TCase *tcase;

	if (status >= 0)
		return status;
	/* Who runs the tests may ignore them; a session sends them. */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	suite = suite_create(name);
	tcase = tcase_create(name);
	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, test, 0, (int)count);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}

#endif
