/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_cut_file.c - who reads a file that was cut meanwhile says which, and ends with status 3
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/child/child.h"
#include "base/cli/cut_file.h"
#include "base/cli/exit_status.h"

static void end(void)
{
	unlink("image");
	unlink("im\nage");
	unlink("im\033\177age");
	ck_assert_int_eq(rmdir(folder), 0);
}

/* Two pages of a file, which has none any more. */
static volatile char *map_cut(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	volatile char *bytes;

	if (fd < 0 || ftruncate(fd, 8192))
		_exit(50);
	bytes = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED || ftruncate(fd, 0))
		_exit(51);
	return bytes;
}

static void read_it(void)
{
	_exit(map_cut("image")[5000]);
}

static void read_a_name_of_two_lines(void)
{
	_exit(map_cut("im\nage")[0]);
}

static void read_a_name_of_control_characters(void)
{
	_exit(map_cut("im\033\177age")[0]);
}

/* The second of two that are mapped, and the first, which is whole. */
static void read_one_of_two(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	volatile char *whole = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0), *bytes;

	bytes = map_cut("image");
	_exit(whole[0] + bytes[4096]);
}

static void read_without_a_name(void)
{
	int fd = open("image", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char *bytes = fd < 0 || ftruncate(fd, 4096)
			      ? MAP_FAILED
			      : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	unlink("image");
	if (bytes == MAP_FAILED || ftruncate(fd, 0))
		_exit(52);
	_exit(*(volatile char *)bytes);
}

static void be_told(void)
{
	raise(SIGBUS);
	_exit(53);
}

/* Its parent is told of what it died. */
static void read_in_a_child(void)
{
	pid_t pid = child_fork();
	int status;

	if (!pid)
		read_it();
	status = child_end(pid, false);
	_exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS ? 7 : 54);
}

static const struct {
	const char *name;
	void (*run)(void);
	int status, signal;
	const char *said; /* behind the folder's name */
} cases[] = {
	{ "a_file", read_it, EXIT_BAD_INPUT, 0, "/image: " CUT_FILE_MESSAGE "\n" },
	{ "a_name_of_two_lines", read_a_name_of_two_lines, EXIT_BAD_INPUT, 0,
	  "/im\\012age: " CUT_FILE_MESSAGE "\n" },
	{ "a_name_of_control_characters", read_a_name_of_control_characters, EXIT_BAD_INPUT, 0,
	  "/im??age: " CUT_FILE_MESSAGE "\n" },
	{ "one_of_two", read_one_of_two, EXIT_BAD_INPUT, 0, "/image: " CUT_FILE_MESSAGE "\n" },
	{ "a_file_that_is_gone", read_without_a_name, EXIT_BAD_INPUT, 0,
	  "/image (deleted): " CUT_FILE_MESSAGE "\n" },
	{ "somebody_else's_signal", be_told, 0, SIGBUS, NULL },
	{ "a_child's", read_in_a_child, 7, 0, NULL },
};

START_TEST(what_was_cut_is_said)
{
	char said[8192] = "", wanted[8192] = "", real[4096];
	int ends[2], status;
	ssize_t size;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		cut_file_watch("stackproof test");
		cases[_i].run();
	}
	close(ends[1]);
	size = read(ends[0], said, sizeof(said) - 1);
	for (size_t used = 0; size > 0; size = read(ends[0], said + used, sizeof(said) - 1 - used))
		used += (size_t)size;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(ends[0]);
	ck_assert_msg(cases[_i].signal
			      ? WIFSIGNALED(status) && WTERMSIG(status) == cases[_i].signal
			      : WIFEXITED(status) && WEXITSTATUS(status) == cases[_i].status,
		      "%s: 0x%x %s", cases[_i].name, status, said);
	ck_assert_ptr_nonnull(realpath(folder, real));
	if (cases[_i].said)
		snprintf(wanted, sizeof(wanted), "stackproof test: %s%s", real, cases[_i].said);
	ck_assert_msg(!strcmp(said, wanted), "%s: %s", cases[_i].name, said);
}
END_TEST

SUITE(cut_file, FIXTURE(folder_enter, end), LOOP(what_was_cut_is_said, cases))
