/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_output_file.c - a file that a person has named: whole or not at all, a device stays one, and what
 * is read stays as it is
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/tests/own_files.h"
#include "base/cli/exit_status.h"
#include "base/cli/folder_lock.h"
#include "base/cli/output_file.h"

static void remove_folder(void)
{
	static const char *const names[] = {
		"new", "old", "link", "behind", "pipe", "other", "said"
	};

	for (int i = 0; i < COUNT(names); i++)
		unlink(names[i]);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0); /* nothing unfinished is left */
}

static const char *content(const char *path)
{
	static char text[128];
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	if (!file)
		return "(none)";
	fclose(file);
	text[size] = '\0';
	return text;
}

static const struct output_case {
	const char *name, *path;
	const char *before; /* in the file; NULL: there is none */
	bool finish;
	const char *meanwhile, *after;
} cases[] = {
	{ "a_new_file", "new", NULL, true, "(none)", "text" },
	{ "a_new_file_that_is_given_up", "new", NULL, false, "(none)", "(none)" },
	{ "an_old_file_is_replaced_at_the_end", "old", "before", true, "before", "text" },
	{ "an_old_file_stays_if_it_is_given_up", "old", "before", false, "before", "before" },
};

START_TEST(whole_or_not_at_all)
{
	const struct output_case *c = &cases[_i];
	struct output_file output;
	struct error error;

	if (c->before)
		file_write_text(c->path, c->before);
	ck_assert_int_eq(output_file_open(c->path, &output, &error), 0);
	fputs("text", output.file);
	fflush(output.file);
	ck_assert_str_eq(content(c->path), c->meanwhile);
	ck_assert_int_eq(output_file_close(&output, c->finish, &error), 0);
	ck_assert_str_eq(content(c->path), c->after);
}
END_TEST

START_TEST(a_link_stays_a_link)
{
	struct output_file output;
	struct error error;
	struct stat at;

	file_write_text("behind", "before");
	ck_assert_int_eq(symlink("behind", "link"), 0);
	ck_assert(!output_file_may_replace("link"));
	ck_assert_int_eq(errno, EEXIST);
	ck_assert_int_eq(output_file_open("link", &output, &error), 0);
	fputs("text", output.file);
	ck_assert_int_eq(output_file_close(&output, true, &error), 0);
	ck_assert_str_eq(content("behind"), "text");
	ck_assert_int_eq(lstat("link", &at), 0);
	ck_assert(S_ISLNK(at.st_mode));
}
END_TEST

START_TEST(a_pipe_is_written_to)
{
	struct output_file output;
	struct error error;
	char text[8] = "";
	struct stat at;
	int fd;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(output_file_open("pipe", &output, &error), 0);
	fputs("text", output.file);
	ck_assert_int_eq(output_file_close(&output, true, &error), 0);
	ck_assert_int_eq(read(fd, text, sizeof(text) - 1), 4);
	ck_assert_str_eq(text, "text");
	close(fd);
	ck_assert_int_eq(lstat("pipe", &at), 0);
	ck_assert(S_ISFIFO(at.st_mode));
}
END_TEST

/* The device is there afterwards, too, and what could not be written is said. */
START_TEST(a_full_device_is_an_error)
{
	struct output_file output;
	struct error error;
	struct stat at;

	ck_assert_int_eq(output_file_open("/dev/full", &output, &error), 0);
	fputs("text", output.file);
	ck_assert_int_eq(output_file_close(&output, true, &error), -1);
	ck_assert_int_eq(error.system_errno, ENOSPC);
	ck_assert_str_eq(error.message, "writing /dev/full: No space left on device");
	ck_assert_int_eq(lstat("/dev/full", &at), 0);
	ck_assert(S_ISCHR(at.st_mode));
}
END_TEST

/* A write that failed before the last one. */
START_TEST(an_earlier_failure_is_an_error)
{
	struct output_file output;
	struct error error;

	ck_assert_int_eq(output_file_open("/dev/full", &output, &error), 0);
	fputs("text", output.file);
	ck_assert_int_ne(fflush(output.file), 0);
	ck_assert_int_eq(output_file_close(&output, true, &error), -1);
	ck_assert_str_eq(error.message, "writing /dev/full: Input/output error");
}
END_TEST

static const struct refused_case {
	const char *name, *path, *message;
} refused[] = {
	{ "no_folder", "none/new", "none/new: No such file or directory" },
	{ "a_folder", "/", "/: Is a directory" },
	{ "a_file_as_a_folder", "/dev/null/new", "/dev/null/new: Not a directory" },
};

START_TEST(what_can_not_be_opened)
{
	const struct refused_case *c = &refused[_i];
	struct output_file output;
	struct error error;

	ck_assert_int_eq(output_file_open(c->path, &output, &error), -1);
	ck_assert_str_eq(error.message, c->message);
	ck_assert_int_eq(exit_status_of_error(&error), EXIT_ENVIRONMENT); /* nobody's input */
}
END_TEST

static const struct overwrite_case {
	const char *name, *output, *input;
	const char *said; /* NULL: it may be written */
} overwrites[] = {
	{ "the_same_name", "old", "old", "old" },
	{ "another_name", "./old", "old", "./old" },
	{ "by_a_link", "link", "old", "link" },
	{ "what_a_link_leads_to", "old", "link", "old" },
	{ "a_hard_link", "behind", "old", "behind" },
	{ "another_file_of_the_same_content", "other", "old", NULL },
	{ "a_new_file", "new", "old", NULL },
	{ "an_input_that_is_missing", "old", "new", NULL },
	{ "both_are_missing", "new", "new", NULL },
	{ "nothing_is_written", NULL, "old", NULL },
	{ "nothing_is_read", "old", NULL, NULL },
	{ "a_device_keeps_what_it_is", "/dev/null", "/dev/null", NULL },
	{ "a_pipe", "pipe", "pipe", NULL },
	{ "a_folder_is_not_written", ".", ".", NULL },
};

START_TEST(what_is_read_is_not_written_over)
{
	const struct overwrite_case *c = &overwrites[_i];
	char expected[128] = "";
	bool is_input;

	file_write_text("old", "text");
	file_write_text("other", "text");
	ck_assert_int_eq(symlink("old", "link") + link("old", "behind") + mkfifo("pipe", 0600), 0);
	if (c->said)
		snprintf(expected, sizeof(expected),
			 "stackproof: %s is a file that is read: it is not written over, and "
			 "nothing "
			 "was done\n",
			 c->said);
	ck_assert_ptr_nonnull(freopen("said", "w", stderr));
	is_input = output_files_are_inputs(FILE_NAMES(NULL, c->output), FILE_NAMES(NULL, c->input));
	fflush(stderr);
	ck_assert_int_eq(is_input, c->said != NULL);
	ck_assert_str_eq(content("said"), expected);
	ck_assert_str_eq(content("old"), "text");
}
END_TEST

/* Each output beside each input, not the first ones alone. */
START_TEST(any_of_several_is_refused)
{
	struct stat at;

	file_write_text("old", "text");
	file_write_text("other", "text");
	ck_assert_ptr_nonnull(freopen("said", "w", stderr));
	ck_assert(output_files_are_inputs(FILE_NAMES("new", "old"), FILE_NAMES("none", "old")));
	ck_assert(output_files_are_inputs(FILE_NAMES("old", "new"), FILE_NAMES("other", "old")));
	ck_assert(output_files_are_inputs(FILE_NAMES("new", "new"), FILE_NAMES("other", "old")));
	ck_assert(!output_files_are_inputs(FILE_NAMES("new", "other"), FILE_NAMES("none", "old")));
	ck_assert_int_eq(stat("old", &at), 0);
	ck_assert(output_files_have(FILE_NAMES("other", "old"), at.st_dev, at.st_ino));
	/* On another device a number says nothing. */
	ck_assert(!output_files_have(FILE_NAMES("other", "old"), at.st_dev + 1, at.st_ino));
	ck_assert(!output_files_have(FILE_NAMES("other", "old"), at.st_dev, at.st_ino + 100000));
}
END_TEST

static const struct twice_case {
	const char *name, *output[3];
	const char *said; /* NULL: each is a file of its own */
} twice[] = {
	{ "a_new_name_twice", { "new", "new" }, "new" },
	{ "a_new_name_in_another_way", { "new", "./new" }, "./new" },
	{ "new_ones_of_one_folder", { "new", "newer" }, NULL },
	{ "a_new_name_in_two_folders", { "new", "/tmp/new" }, NULL },
	{ "an_old_one_by_a_link", { "old", "link" }, "link" },
	{ "two_old_ones", { "old", "other" }, NULL },
	{ "an_old_and_a_new_one", { "old", "new" }, NULL },
	{ "a_new_and_an_old_one", { "new", "old" }, NULL },
	{ "the_first_and_the_last", { "new", "old", "new" }, "new" },
	{ "the_last_two", { "old", "new", "new" }, "new" },
	{ "the_last_two_old_ones", { "new", "old", "behind" }, "behind" },
	{ "beside_one_that_nobody_wants", { NULL, "new", "new" }, "new" },
	{ "none_is_wanted_twice", { NULL, NULL, "new" }, NULL },
	{ "a_device", { "/dev/null", "/dev/null" }, NULL },
	{ "a_pipe", { "pipe", "pipe" }, NULL },
	{ "in_a_folder_that_is_not_there", { "none/new", "none/new" }, NULL },
};

START_TEST(nothing_is_written_twice)
{
	const struct twice_case *c = &twice[_i];
	char expected[128] = "";

	file_write_text("old", "text");
	file_write_text("other", "text");
	ck_assert_int_eq(symlink("old", "link") + link("old", "behind") + mkfifo("pipe", 0600), 0);
	if (c->said)
		snprintf(expected, sizeof(expected),
			 "stackproof: %s is to be written twice, and nothing was done\n", c->said);
	ck_assert_ptr_nonnull(freopen("said", "w", stderr));
	ck_assert_msg(output_files_are_one(c->output, 3) == (c->said != NULL), "%s", c->name);
	/* Whatever is read, or none. */
	ck_assert(output_files_are_inputs(c->output, 3, FILE_NAMES("none", NULL)) ==
		  (c->said != NULL));
	fflush(stderr);
	ck_assert_int_eq(strncmp(content("said"), expected, strlen(expected)), 0);
	ck_assert_int_eq(content("said")[0], expected[0]);
}
END_TEST

/* The file is too large for this process: what was there stays, and nothing else. */
START_TEST(a_failed_write_leaves_what_was_there)
{
	const struct rlimit least = { 4, RLIM_INFINITY }, all = { RLIM_INFINITY, RLIM_INFINITY };
	struct output_file output;
	struct error error;
	int status;

	file_write_text("old", "before");
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "new" : "old";

		ck_assert_int_eq(output_file_open(name, &output, &error), 0);
		fputs("too much", output.file);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &least), 0);
		status = output_file_close(&output, true, &error);
		ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &all), 0);
		ck_assert_int_eq(status, -1);
		ck_assert_int_eq(error.system_errno, EFBIG);
		ck_assert(!output.file && !output.path && !output.unfinished);
	}
	ck_assert_str_eq(content("old"), "before");
	ck_assert_str_eq(content("new"), "(none)");
}
END_TEST

/* What may not be written is nobody's input, however it is named: it is the environment's. */
START_TEST(a_closed_folder_is_the_environment_s)
{
	static const char *const names[] = { "new", "old" };
	struct output_file output;
	struct error error;

	file_write_text("old", "before");
	ck_assert_int_eq(chmod(".", 0555) + chmod("old", 0444), 0);
	if (seteuid(65534)) {
		printf("SKIP: no other user\n");
		return;
	}
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(output_file_open(names[i], &output, &error), -1);
		ck_assert_ptr_nonnull(strstr(error.message, ": Permission denied"));
		ck_assert_int_eq(exit_status_of_error(&error), EXIT_ENVIRONMENT);
	}
	ck_assert_int_eq(seteuid(0), 0);
	ck_assert_int_eq(chmod(".", 0700), 0);
	ck_assert_str_eq(content("old"), "before");
}
END_TEST

/* What took its place meanwhile can't be replaced. */
START_TEST(a_place_that_is_taken)
{
	struct output_file output;
	struct error error;

	ck_assert_int_eq(output_file_open("new", &output, &error), 0);
	ck_assert_int_eq(mkdir("new", 0700), 0);
	ck_assert_int_eq(output_file_close(&output, true, &error), -1);
	ck_assert_str_eq(error.message, "new: Is a directory");
	ck_assert_int_eq(rmdir("new"), 0);
}
END_TEST

/* Two that write it at once would mix their bytes. The second is refused, and the first one's is whole. */
START_TEST(two_at_once)
{
	struct output_file first, second;
	struct error error;

	ck_assert_int_eq(output_file_open("new", &first, &error), 0);
	fputs("first", first.file);
	fflush(first.file);
	ck_assert_int_eq(output_file_open("./new", &second, &error), -1);
	ck_assert_str_eq(error.message, "./new: another process writes it");
	ck_assert_int_eq(error.system_errno, EBUSY);
	ck_assert_int_eq(output_file_close(&first, true, &error), 0);
	ck_assert_str_eq(content("new"), "first");
	ck_assert_int_eq(output_file_open("new", &second, &error), 0);
	fputs("2nd", second.file);
	ck_assert_int_eq(output_file_close(&second, true, &error), 0);
	ck_assert_str_eq(content("new"), "2nd");
}
END_TEST

/* What a process that was killed has left is no part of it. */
START_TEST(an_unfinished_one_is_emptied)
{
	struct output_file output;
	struct error error;

	file_write_text("new.unfinished", "of long ago");
	ck_assert_int_eq(output_file_open("new", &output, &error), 0);
	fputs("new", output.file);
	ck_assert_int_eq(output_file_close(&output, true, &error), 0);
	ck_assert_str_eq(content("new"), "new");
}
END_TEST

/* ---- folders ------------------------------------------------------------------------------ */

START_TEST(a_folder_is_one_process_s)
{
	struct error error;
	int fd = folder_lock(".", &error);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(folder_lock(folder, &error), -1);
	ck_assert(strstr(error.message, "another stackproof writes into /tmp/"));
	ck_assert_int_eq(error.system_errno, EBUSY);
	close(fd);
	fd = folder_lock(folder, &error);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(folder_lock("none", &error), -1);
	ck_assert_str_eq(error.message, "none: No such file or directory");
} /* remove_folder(): nothing is left in it */
END_TEST

SUITE(output_file, FIXTURE(folder_enter, remove_folder), LOOP(whole_or_not_at_all, cases),
      TEST(a_link_stays_a_link), TEST(a_pipe_is_written_to), TEST(a_full_device_is_an_error),
      TEST(an_earlier_failure_is_an_error), LOOP(what_can_not_be_opened, refused),
      TEST(a_place_that_is_taken), TEST(two_at_once), TEST(an_unfinished_one_is_emptied),
      TEST(a_folder_is_one_process_s), LOOP(what_is_read_is_not_written_over, overwrites),
      TEST(any_of_several_is_refused), LOOP(nothing_is_written_twice, twice),
      TEST(a_failed_write_leaves_what_was_there), TEST(a_closed_folder_is_the_environment_s))
