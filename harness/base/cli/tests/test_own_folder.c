/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_own_folder.c - a folder is nobody else's, has its real name, and goes with all that is in it
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/exit_status.h"
#include "base/cli/own_folder.h"

static char place[] = "/tmp/test_own_folder.XXXXXX";

/* A folder "real", and "link" that leads to it. */
static void prepare(void)
{
	ck_assert_ptr_nonnull(mkdtemp(place));
	ck_assert_int_eq(chdir(place), 0);
	ck_assert_int_eq(mkdir("real", 0755), 0);
	ck_assert_int_eq(symlink("real", "link"), 0);
}

static void clean(void)
{
	ck_assert_int_eq(unlink("link"), 0);
	ck_assert_int_eq(rmdir("real"), 0);
	ck_assert_int_eq(rmdir(place), 0);
}

static void write_file(const char *folder, const char *name)
{
	char path[5000];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fclose(file);
}

START_TEST(folder_comes_and_goes)
{
	char real[4096], path[500], begin[4200];
	struct error error = { 0 };
	struct stat status;
	char *folder;

	ck_assert_ptr_nonnull(realpath("real", real));
	snprintf(path, sizeof(path), "%s/link", place);
	setenv("TMPDIR", path, 1);
	folder = own_folder_create("test", &error);
	ck_assert_ptr_nonnull(folder);
	snprintf(begin, sizeof(begin), "%s/stackproof-test-locked-", real);
	ck_assert_int_eq(strncmp(folder, begin, strlen(begin)), 0);
	ck_assert_int_eq(strlen(folder), strlen(begin) + 6);
	ck_assert_int_eq(stat(folder, &status), 0);
	ck_assert_int_eq(status.st_mode, S_IFDIR | 0700);

	/* What a link leads to stays. */
	write_file(real, "kept");
	write_file(folder, "file");
	snprintf(path, sizeof(path), "%s/below", folder);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	write_file(path, "file");
	snprintf(path, sizeof(path), "%s/below/up", folder);
	ck_assert_int_eq(symlink(real, path), 0);
	own_folder_remove(folder);
	ck_assert_int_eq(access("real/kept", F_OK), 0);
	ck_assert_int_eq(unlink("real/kept"), 0);
	/* clean() fails if anything else is there. */
}
END_TEST

START_TEST(no_place_for_it)
{
	struct error error = { 0 };

	setenv("TMPDIR", "/no/such", 1);
	ck_assert_ptr_null(own_folder_create("test", &error));
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_str_eq(error.message, "the folder for temporary files, /no/such: "
					"No such file or directory");
	/* Not the fault of a file that was named. */
	ck_assert(error_is_environment(&error));
	ck_assert_int_eq(exit_status_of_error(&error), EXIT_ENVIRONMENT);
	own_folder_remove(NULL);
}
END_TEST

/* An empty TMPDIR is none. */
START_TEST(default_place)
{
	struct error error = { 0 };
	char *folder, *real = realpath("/tmp", NULL);

	setenv("TMPDIR", "", 1);
	folder = own_folder_create("test", &error);
	ck_assert_ptr_nonnull(folder);
	ck_assert_int_eq(strncmp(folder, real, strlen(real)), 0);
	ck_assert_str_eq(strstr(folder + strlen(real), "/stackproof-test-"), folder + strlen(real));
	own_folder_remove(folder);
	free(real);
}
END_TEST

/* Makes it look as if it had not been written into for minutes. */
static void make_old(const char *folder)
{
	const struct timespec times[] = { { .tv_nsec = UTIME_OMIT },
					  { .tv_sec = time(NULL) - 300 } };

	ck_assert_int_eq(utimensat(AT_FDCWD, folder, times, 0), 0);
}

/* Of a process that was killed. */
static void leave_folder(const char *what, bool is_old, char ret[4096])
{
	struct error error = { 0 };
	int ends[2];
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		char *folder = own_folder_create(what, &error);

		write_file(folder, "profile");
		if (is_old)
			make_old(folder);
		dprintf(ends[1], "%s", folder);
		kill(getpid(), SIGKILL);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	memset(ret, 0, 4096);
	ck_assert_int_gt(read(ends[0], ret, 4095), 0);
	close(ends[0]);
	close(ends[1]);
	ck_assert_int_eq(access(ret, F_OK), 0);
}

START_TEST(what_was_left)
{
	char place_of_it[500], old[4096], recent[4096], other[4096];
	struct error error = { 0 };
	char *live, *next;

	snprintf(place_of_it, sizeof(place_of_it), "%s/real", place);
	setenv("TMPDIR", place_of_it, 1);
	live = own_folder_create("test", &error);
	ck_assert_ptr_nonnull(live);
	make_old(live);
	ck_assert_int_eq(mkdir("real/stackproof-test-abcdef", 0700), 0);
	make_old("real/stackproof-test-abcdef");
	ck_assert_int_eq(mkdir("real/stackproof-test-locked-abcdef", 0755), 0);
	make_old("real/stackproof-test-locked-abcdef");
	leave_folder("other", true, other);
	leave_folder("test", false, recent);
	leave_folder("test", true, old);

	next = own_folder_create("test", &error);
	ck_assert_int_ne(access(old, F_OK), 0);
	/* The owner lives; it may be about to lock it; it is of another kind, or nobody's of us. */
	ck_assert_int_eq(access(live, F_OK), 0);
	ck_assert_int_eq(access(recent, F_OK), 0);
	ck_assert_int_eq(access(other, F_OK), 0);
	own_folder_remove(next);
	own_folder_remove(live);
	ck_assert_int_eq(rmdir("real/stackproof-test-abcdef"), 0);
	ck_assert_int_eq(rmdir("real/stackproof-test-locked-abcdef"), 0);
	make_old(recent);
	own_folder_remove(own_folder_create("test", &error));
	own_folder_remove(own_folder_create("other", &error));
	/* clean() fails if anything else is there. */
}
END_TEST

SUITE(own_folder, FIXTURE(prepare, clean), TEST(folder_comes_and_goes), TEST(no_place_for_it),
      TEST(default_place), TEST(what_was_left))
