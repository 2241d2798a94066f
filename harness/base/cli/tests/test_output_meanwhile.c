/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_output_meanwhile.c - what another process does between two system calls of output_file.c
 *
 * output_file.c is included: its calls go through functions of the test, which do that first.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"

static int finished; /* times that another one's file takes its place, before ours is locked */
static bool cut;     /* what is left can't be emptied */
static bool lossy;   /* what was written is lost when it is closed, as NFS does it */

static int lock(int fd, int operation)
{
	if (finished && finished--) {
		ck_assert_int_eq(write(fd, "another's", 9), 9);
		ck_assert_int_eq(rename("new.unfinished", "new"), 0);
	}
	return flock(fd, operation);
}

static int empty(int fd, off_t size)
{
	errno = EIO;
	return cut ? -1 : ftruncate(fd, size);
}

static int close_stream(FILE *file)
{
	int status = fclose(file);

	errno = EDQUOT;
	return lossy ? EOF : status;
}

#define flock	  lock
#define ftruncate empty
#define fclose	  close_stream
#include "base/cli/output_file.c"
#undef fclose

static char folder[] = "/tmp/test_output_meanwhile.XXXXXX";

static void enter_folder(void)
{
	finished = cut = lossy = 0;
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void remove_folder(void)
{
	unlink("new");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing unfinished is left */
}

static const char *content(void)
{
	static char text[64];
	FILE *file = fopen("new", "r");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (!file)
		return "(none)";
	fclose(file);
	text[size] = '\0';
	return text;
}

/* Who has finished it meanwhile has a whole one: it is not emptied, and not written into. */
START_TEST(what_was_finished_meanwhile_stays_whole)
{
	struct output_file output;
	struct error error;

	finished = _i;
	ck_assert_int_eq(output_file_open("new", &output, &error), 0);
	fputs("ours", output.file);
	fflush(output.file);
	ck_assert_str_eq(content(), _i ? "another's" : "(none)");
	ck_assert_int_eq(output_file_close(&output, true, &error), 0);
	ck_assert_str_eq(content(), "ours");
}
END_TEST

START_TEST(what_can_not_be_emptied_is_not_written)
{
	struct output_file output;
	struct error error;

	cut = true;
	ck_assert_int_eq(output_file_open("new", &output, &error), -1);
	ck_assert_str_eq(error.message, "new: Input/output error");
	ck_assert_int_eq(unlink("new.unfinished"), 0);
}
END_TEST

START_TEST(what_is_lost_at_the_end_is_no_file)
{
	struct output_file output;
	struct error error;

	for (int i = 0; i < 2; i++) {
		lossy = false;
		ck_assert_int_eq(output_file_open("new", &output, &error), 0);
		fputs(i ? "second" : "first", output.file);
		lossy = i > 0;
		ck_assert_int_eq(output_file_close(&output, true, &error), i ? -1 : 0);
	}
	ck_assert_str_eq(error.message, "writing new: Disk quota exceeded");
	ck_assert_str_eq(content(), "first");
}
END_TEST

SUITE(output_meanwhile, FIXTURE(enter_folder, remove_folder),
      TIMES(what_was_finished_meanwhile_stays_whole, 3),
      TEST(what_can_not_be_emptied_is_not_written), TEST(what_is_lost_at_the_end_is_no_file))
