/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_folder_lock.c - one at a time writes into a folder, where folders can be locked and where not
 *
 * flock() is this test's: some file systems lock files only, some nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/folder_lock.h"
#include "base/cli/output_file.h"
#include "error.h"

static bool locks_folders, locks_files;
static int interrupts; /* so many calls first */

int flock(int fd, int operation)
{
	struct stat status;

	if (interrupts && interrupts--) {
		errno = EINTR;
		return -1;
	}
	ck_assert(!fstat(fd, &status));
	if (S_ISDIR(status.st_mode) ? locks_folders : locks_files)
		return (int)syscall(SYS_flock, fd, operation);
	errno = EOPNOTSUPP;
	return -1;
}

static const struct {
	const char *name;
	bool folders, files;
	bool no_file; /* in-use is a link, which is not followed */
	int interrupts;
	bool holds; /* a second one is refused */
	bool makes; /* there is an in-use then */
	mode_t what;
} cases[] = {
	{ "a_folder", true, true, false, 0, true, false, S_IFDIR },
	{ "a_folder_where_files_are_not", true, false, false, 0, true, false, S_IFDIR },
	{ "signals_in_between", true, true, false, 3, true, false, S_IFDIR },
	{ "a_file_in_it", false, true, false, 0, true, true, S_IFREG },
	{ "a_file_and_signals", false, true, false, 2, true, true, S_IFREG },
	{ "nothing_locks", false, false, false, 0, false, true, S_IFREG },
	{ "no_file_can_be_made", false, true, true, 0, false, false, S_IFDIR },
};

static int open_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

START_TEST(a_folder_is_locked)
{
	char folder[] = "/tmp/test_folder_lock.XXXXXX", file[64], message[128];
	int before = open_files();
	struct error error = { 0 };
	struct stat status;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(file, sizeof(file), "%s/in-use", folder);
	snprintf(message, sizeof(message), "another stackproof writes into %s", folder);
	if (cases[_i].no_file)
		ck_assert(!symlink("nowhere", file));
	locks_folders = cases[_i].folders;
	locks_files = cases[_i].files;
	interrupts = cases[_i].interrupts;
	int first = folder_lock(folder, &error);
	ck_assert_int_ge(first, 0);
	ck_assert_int_eq(interrupts, 0);
	ck_assert(!fstat(first, &status));
	ck_assert_uint_eq(status.st_mode & S_IFMT, cases[_i].what);
	ck_assert_int_eq(open_files(), before + 1);
	ck_assert_int_eq(!stat(file, &status), cases[_i].makes);
	ck_assert_int_ne(fcntl(first, F_GETFD) & FD_CLOEXEC, 0);
	int second = folder_lock(folder, &error);
	ck_assert_int_eq(second < 0, cases[_i].holds);
	if (cases[_i].holds) {
		ck_assert_str_eq(error.message, message);
		ck_assert_int_eq(error.code, ERROR_SYSTEM);
		ck_assert_int_eq(error.system_errno, EBUSY);
		ck_assert_int_eq(second, -1);
		ck_assert_int_eq(open_files(), before + 1);
	} else {
		close(second);
	}
	close(first);
	first = folder_lock(folder, &error);
	ck_assert_int_ge(first, 0);
	close(first);
	ck_assert_int_eq(open_files(), before);
	unlink(file);
	ck_assert(!rmdir(folder));
}
END_TEST

/* Who writes a file is not stopped by what the file system lacks. */
START_TEST(an_output_where_nothing_locks)
{
	char path[] = "/tmp/test_folder_lock.XXXXXX";
	struct output_file output;
	struct error error = { 0 };

	close(mkstemp(path));
	locks_files = false;
	interrupts = 0;
	errno = EWOULDBLOCK; /* from elsewhere */
	ck_assert_msg(!output_file_open(path, &output, &error), "%s", error.message);
	fputs("text", output.file);
	ck_assert(!output_file_close(&output, true, &error));
	locks_files = true;
	errno = EWOULDBLOCK;
	ck_assert_msg(!output_file_open(path, &output, &error), "%s", error.message);
	ck_assert(!output_file_close(&output, false, &error));
	ck_assert(!unlink(path));
	ck_assert_int_eq(output_file_open("/nothing/there", &output, &error), -1);
	ck_assert_ptr_null(output.path);
	ck_assert_ptr_null(output.file);
	ck_assert_ptr_null(output.unfinished);
}
END_TEST

START_TEST(what_is_no_folder)
{
	struct error error = { 0 };

	ck_assert_int_eq(folder_lock("/nothing/there", &error), -1);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert_str_eq(error.message, "/nothing/there: No such file or directory");
	ck_assert_int_eq(folder_lock("/dev/null", &error), -1);
	ck_assert_int_eq(error.system_errno, ENOTDIR);
}
END_TEST

SUITE(folder_lock, LOOP(a_folder_is_locked, cases), TEST(an_output_where_nothing_locks),
      TEST(what_is_no_folder))
