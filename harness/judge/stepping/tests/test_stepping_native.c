/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_native.c - a run that is not stepped says how it ended, or that it never began
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/child/child.h"
#include "judge/stepping/stepping.h"

static const struct {
	const char *name, *argv[4];
	int exited, killed; /* -1: not so */
} runs[] = {
	{ "it_has_ended", { "true" }, 0, -1 },
	{ "with_a_status", { "sh", "-c", "exit 3" }, 3, -1 },
	{ "as_if_it_had_not_begun", { "sh", "-c", "exit 127" }, 127, -1 },
	{ "by_a_signal", { "sh", "-c", "kill -TERM $$" }, -1, SIGTERM },
	/* That one we ignore ourselves, and hold back those that end a run: its own are as ever. */
	{ "of_a_file_that_is_too_long", { "sh", "-c", "kill -XFSZ $$" }, -1, SIGXFSZ },
};

START_TEST(ends_are_told)
{
	const struct tracer_options options = { .argv = (char *const *)runs[_i].argv };
	struct native_run got;
	struct error error;

	child_full_file_is_an_error();
	ck_assert_msg(!stepping_native(&options, &got, &error), "%s: %s", runs[_i].name,
		      error.message);
	ck_assert_int_eq(WIFEXITED(got.status) ? WEXITSTATUS(got.status) : -1, runs[_i].exited);
	ck_assert_int_eq(WIFSIGNALED(got.status) ? WTERMSIG(got.status) : -1, runs[_i].killed);
	ck_assert(!got.endless && !got.interrupted);
	/* What it takes alone, of one thread, is within what passes meanwhile. */
	ck_assert_double_gt(got.cpu_seconds, 0);
	ck_assert_double_gt(got.seconds, got.cpu_seconds);
}
END_TEST

/* What is not stepped of a program takes no time of it: here its child's. */
START_TEST(children_s_time_is_their_own)
{
	static const char burn[] = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; :";
	char *self[] = { (char *)"sh", (char *)"-c", (char *)burn, NULL };
	char *child[] = { (char *)"sh", (char *)"-c", (char *)"sh -c \"$0\"; :", (char *)burn,
			  NULL };
	struct native_run by_self, by_child;
	struct error error;

	ck_assert(!stepping_native(&(struct tracer_options) { .argv = self }, &by_self, &error));
	ck_assert(!stepping_native(&(struct tracer_options) { .argv = child }, &by_child, &error));
	ck_assert_double_lt(by_child.cpu_seconds, by_self.cpu_seconds);
}
END_TEST

/* Nothing of it is in our output if its own is silenced, of neither kind; and no descriptor is left. */
START_TEST(its_output_is_silenced_or_not)
{
	char *argv[] = { (char *)"sh", (char *)"-c", (char *)"echo out; echo err >&2", NULL };
	const struct tracer_options options = { .argv = argv, .silence_output = _i };
	int ends[2], before[] = { dup(STDOUT_FILENO), dup(STDERR_FILENO) }, next;
	struct native_run got;
	struct error error;
	char text[64] = "";

	ck_assert(!pipe2(ends, O_CLOEXEC));
	next = dup(ends[0]);
	close(next);
	fflush(NULL);
	dup2(ends[1], STDOUT_FILENO);
	dup2(ends[1], STDERR_FILENO);
	int status = stepping_native(&options, &got, &error);
	dup2(before[0], STDOUT_FILENO);
	dup2(before[1], STDERR_FILENO);
	close(ends[1]);
	ck_assert_int_eq(status, 0);
	ck_assert_int_ge(read(ends[0], text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, _i ? "" : "out\nerr\n");
	ck_assert_int_eq(dup(ends[0]), ends[1]);
	ck_assert_int_eq(dup(ends[0]), next);
}
END_TEST

START_TEST(it_never_began)
{
	char *argv[] = { (char *)"/no/such/program", NULL };
	const struct tracer_options options = { .argv = argv };
	struct native_run got;
	struct error error;

	ck_assert_int_eq(stepping_native(&options, &got, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(error.system_errno, ENOENT);
	ck_assert(!got.endless && !got.interrupted);
}
END_TEST

START_TEST(its_time_was_up)
{
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	const struct tracer_options options = { .argv = argv, .timeout_ms = 20 };
	struct native_run got;
	struct error error;

	ck_assert_int_eq(stepping_native(&options, &got, &error), 0);
	ck_assert(got.endless && !got.interrupted);
	ck_assert_double_ge(got.seconds, 0.02);
	ck_assert(WIFSIGNALED(got.status) && WTERMSIG(got.status) == SIGKILL);
}
END_TEST

/* The program is ended by it, and does not go on by itself. */
START_TEST(a_signal_came)
{
	char *argv[] = { (char *)"sleep", (char *)"1000", NULL };
	const struct tracer_options options = { .argv = argv };
	struct native_run got;
	struct error error;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGINT);
	ck_assert_int_eq(stepping_native(&options, &got, &error), -1);
	ck_assert(got.interrupted && !got.endless);
	ck_assert(WIFSIGNALED(got.status) && WTERMSIG(got.status) == SIGKILL);
	ck_assert_int_eq(error.system_errno, EINTR);
}
END_TEST

SUITE(stepping_native, LOOP(ends_are_told, runs), TEST(children_s_time_is_their_own),
      TIMES(its_output_is_silenced_or_not, 2), TEST(it_never_began), TEST(its_time_was_up),
      TEST(a_signal_came))
