/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_stepping_native.c - a run that is not stepped says how it ended, or that it never began
 */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "judge/stepping/stepping.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const struct {
	const char *name, *argv[4];
	int exited, killed; /* -1: not so */
} runs[] = {
	{ "it_has_ended", { "true" }, 0, -1 },
	{ "with_a_status", { "sh", "-c", "exit 3" }, 3, -1 },
	{ "as_if_it_had_not_begun", { "sh", "-c", "exit 127" }, 127, -1 },
	{ "by_a_signal", { "sh", "-c", "kill -TERM $$" }, -1, SIGTERM },
};

START_TEST(ends_are_told)
{
	const struct tracer_options options = { .argv = (char *const *)runs[_i].argv };
	struct native_run got;
	struct error error;

	ck_assert_msg(!stepping_native(&options, &got, &error), "%s: %s", runs[_i].name,
		      error.message);
	ck_assert_int_eq(WIFEXITED(got.status) ? WEXITSTATUS(got.status) : -1, runs[_i].exited);
	ck_assert_int_eq(WIFSIGNALED(got.status) ? WTERMSIG(got.status) : -1, runs[_i].killed);
	ck_assert(!got.endless && !got.interrupted);
	ck_assert_double_ge(got.seconds, 0);
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

int main(void)
{
	Suite *suite = suite_create("stepping_native");
	TCase *tcase = tcase_create("stepping_native");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, ends_are_told, 0, COUNT(runs));
	tcase_add_test(tcase, it_never_began);
	tcase_add_test(tcase, its_time_was_up);
	tcase_add_test(tcase, a_signal_came);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
