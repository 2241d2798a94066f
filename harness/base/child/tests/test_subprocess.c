/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_subprocess.c - what a helper program is started with, and what is known of it afterwards
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/child/subprocess.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct {
	const char *name;
	const char *script; /* of sh */
	const char *directory;
	int status;
	const char *output;
} cases[] = {
	{ "both_streams_are_its_output", "echo out; echo err >&2", NULL, 0, "out\nerr\n" },
	{ "its_status", "exit 3", NULL, 3, "" },
	{ "there_is_nothing_to_read", "cat; echo end", NULL, 0, "end\n" },
	{ "its_language", "echo $LC_ALL", NULL, 0, "C\n" },
	{ "its_directory", "pwd", "/usr", 0, "/usr\n" },
	{ "no_such_directory", "pwd", "/no/such", 127, "sh: No such file or directory\n" },
	{ "it_was_killed", "kill -9 $$", NULL, -1, NULL },
	/* Who starts it holds signals back: it does not inherit that. */
	{ "no_signal_is_held_back", "sed -n 's/SigBlk:.0*//p' /proc/self/status", NULL, 0, "\n" },
};

START_TEST(test_run)
{
	char script[128];
	char *argv[] = { "sh", "-c", script, NULL };
	struct error error = { 0 };
	FREED char *output = NULL;
	sigset_t held, before;

	snprintf(script, sizeof(script), "%s", cases[_i].script);
	sigemptyset(&held);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGUSR1);
	sigprocmask(SIG_BLOCK, &held, &before);
	int status = subprocess_run(argv, cases[_i].directory, &output, &error);
	sigprocmask(SIG_SETMASK, &before, NULL);
	ck_assert_msg(status == cases[_i].status, "%s: status %d", cases[_i].name, status);
	ck_assert_msg(status >= 0 || !strcmp(error.message, "sh was killed by signal 9"), "%s",
		      error.message);
	if (cases[_i].output)
		ck_assert_msg(output && !strcmp(output, cases[_i].output), "%s: \"%s\"",
			      cases[_i].name, output ? output : "");
}
END_TEST

START_TEST(test_no_such_program)
{
	char *argv[] = { "no-such-program-anywhere", NULL };
	struct error error = { 0 };
	char *output = NULL, reason[128];

	ck_assert_int_eq(subprocess_run(argv, NULL, &output, &error), 127);
	subprocess_reason(output, reason, sizeof(reason));
	ck_assert_str_eq(reason, "no-such-program-anywhere: No such file or directory");
	free(output);
}
END_TEST

/* More than is kept does not stop it: it writes to its end. */
START_TEST(test_much_output)
{
	char *argv[] = { "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; exit 5", NULL };
	struct error error = { 0 };
	FREED char *output = NULL;

	ck_assert_int_eq(subprocess_run(argv, NULL, &output, &error), 5);
	ck_assert_uint_gt(strlen(output), 1000000);
	ck_assert_uint_le(strlen(output), 1 << 20);
	ck_assert_uint_eq(strspn(output, "x"), strlen(output));
}
END_TEST

/* In pieces of a page, so that it ends where a page does. */
START_TEST(test_as_much_as_is_kept)
{
	char *argv[] = { "sh", "-c", NULL, NULL };
	struct error error = { 0 };
	char *output = NULL, script[160];

	for (int pages = 255; pages <= 258; pages++) {
		snprintf(script, sizeof(script),
			 "head -c %d /dev/zero | tr '\\0' x | dd bs=4096 iflag=fullblock "
			 "2>/dev/null",
			 pages * 4096);
		argv[2] = script;
		ck_assert_int_eq(subprocess_run(argv, NULL, &output, &error), 0);
		ck_assert_uint_eq(strlen(output), (pages < 256 ? pages : 256) * 4096);
		free(output);
	}
}
END_TEST

static const struct {
	const char *output, *reason;
} reasons[] = {
	{ "", "" },
	{ "\n\n", "" },
	{ "one", "one" },
	{ "one\ntwo\n", "two" },
	{ "one\n\n\n", "one" },
	{ "one\r\n", "one" },
	{ "E: first\nE: second\nlast\n", "first" },
	{ "W: first\nE: second\r\nlast\n", "second" },
	{ "E:x\n E: y\n", " E: y" },
	{ "x\nE: ", "" },
	{ "0123456789abcdef", "0123456789abcde" },
};

START_TEST(test_reason)
{
	char reason[17] = "0123456789abcdef";

	subprocess_reason(reasons[_i].output, reason, 16);
	ck_assert_str_eq(reason, reasons[_i].reason);
	ck_assert_int_eq(reason[16], '\0');
}
END_TEST

SUITE(subprocess, LOOP(test_run, cases), TEST(test_no_such_program), TEST(test_much_output),
      TEST(test_as_much_as_is_kept), LOOP(test_reason, reasons))
