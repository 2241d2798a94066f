/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_readelf.c - `table --format readelf` says what `readelf -wF` says, line for line
 *
 * An independent reader of the same sections is the best check of ours. The images are those every
 * machine with this toolchain has: the C library, the dynamic loader, a shell, libstdc++ and this
 * program. Both outputs go to pipes and are compared line by line. The format is that of binutils
 * 2.40; an image or a readelf that isn't there is said and left out, but this program's own table
 * must be compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/exit_status.h"
#include "commands/commands.h"

static const char *const images[] = {
	"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6",	      "/lib64/ld-linux-x86-64.so.2",
	"/bin/bash",	  "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
};

/* A path that means the same file in a child: /proc/self/exe doesn't. */
static const char *real_path(const char *path, char real[4096])
{
	ssize_t length = readlink(path, real, 4095);
	if (strcmp(path, "/proc/self/exe") || length < 0)
		return path;
	real[length] = '\0';
	return real;
}

/* A child whose standard output is *ret. readelf: run that, else our command. */
static pid_t start(bool readelf, const char *path, FILE **ret)
{
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		if (readelf) {
			setenv("LC_ALL", "C", 1);
			execlp("readelf", "readelf", "-wF", path, NULL);
			_exit(127);
		}
		char *arguments[] = { "table", "--format", "readelf", (char *)path, NULL };
		int status = command_table(4, arguments);
		fflush(stdout);
		_exit(status);
	}
	close(ends[1]);
	*ret = fdopen(ends[0], "r");
	ck_assert_ptr_nonnull(*ret);
	return child;
}

static int finish(pid_t child, FILE *file)
{
	int status;
	fclose(file);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool readelf_is_2_40(void)
{
	FILE *file = popen("LC_ALL=C readelf --version 2>/dev/null", "r");
	char line[256] = "";
	bool ret = file && fgets(line, sizeof(line), file) && strstr(line, " 2.40");
	if (file)
		pclose(file);
	return ret;
}

START_TEST(lines_are_equal)
{
	char real[4096];
	const char *path = real_path(images[_i], real);
	if (access(path, R_OK)) {
		fprintf(stderr, "%s: not on this machine\n", path);
		ck_assert_msg(_i > 0, "this program can't be read");
		return;
	}
	FILE *ours;
	FILE *theirs;
	pid_t our_child = start(false, path, &ours);
	pid_t their_child = start(true, path, &theirs);
	FREED char *our_line = NULL;
	FREED char *their_line = NULL;
	size_t our_size = 0;
	size_t their_size = 0;
	unsigned long number = 0;
	bool equal = true;
	for (;;) {
		ssize_t our_length = getline(&our_line, &our_size, ours);
		ssize_t their_length = getline(&their_line, &their_size, theirs);
		number++;
		if (our_length < 0 && their_length < 0)
			break;
		equal = our_length == their_length &&
			!memcmp(our_line, their_line, (size_t)our_length);
		if (!equal) {
			fprintf(stderr, "%s:%lu: '%s', readelf '%s'\n", path, number,
				our_length < 0 ? "" : our_line, their_length < 0 ? "" : their_line);
			break;
		}
	}
	int our_status = finish(our_child, ours);
	int their_status = finish(their_child, theirs);
	ck_assert_int_ne(their_status, 127);
	ck_assert_msg(equal, "%s differs in line %lu", path, number);
	ck_assert_int_eq(our_status, EXIT_OK);
	ck_assert_msg(number > 50, "%s: only %lu lines were compared", path, number);
}
END_TEST

START_TEST(bad_file_does_not_stop_the_others)
{
	char real[4096];
	char *arguments[] = { "table",
			      "--format",
			      "readelf",
			      "/nonexistent/file",
			      (char *)real_path("/proc/self/exe", real),
			      NULL };
	int ends[2];
	ck_assert_int_eq(pipe(ends), 0);
	fflush(NULL);
	pid_t child = fork();
	if (!child) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		_exit(command_table(5, arguments));
	}
	close(ends[1]);
	FILE *file = fdopen(ends[0], "r");
	char line[256] = "";
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	ck_assert_str_eq(line, "Contents of the .eh_frame section:\n");
	while (fgets(line, sizeof(line), file))
		;
	ck_assert_int_eq(finish(child, file), EXIT_BAD_INPUT);
}
END_TEST

SUITE_MAIN(table_readelf)
{
	Suite *suite = suite_create("table_readelf");
	TCase *tcase = tcase_create("table_readelf");
	tcase_set_timeout(tcase, 120);
	if (readelf_is_2_40())
		tcase_add_loop_test(tcase, lines_are_equal, 0, sizeof(images) / sizeof(images[0]));
	else
		fprintf(stderr, "no readelf of binutils 2.40: nothing to compare with\n");
	tcase_add_test(tcase, bad_file_does_not_stop_the_others);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
