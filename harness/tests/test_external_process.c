/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external_process.c - what an engine's process has of ours, and what is left of it
 */
#include <signal.h>
#include <sys/wait.h>
#include "external_engines.h"

/* What the engine says to standard error is what the test wants to know. */
static void check_said(const char *command, const char *wanted)
{
	struct external_options options = options_of(command, NULL, false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;

	open_engine(&options, &external);
	ask(external, 1, answer);
	external_report(external, &report);
	ck_assert_str_eq(report.said, wanted);
	external_close(external);
}

START_TEST(no_descriptor_is_inherited)
{
	int open_here = dup(STDOUT_FILENO);

	ck_assert_int_ge(open_here, 3);
	check_said(HELLO "exec >&2; ls -1 /proc/$$/fd; exit", "0\n1\n2\n");
	close(open_here);
}
END_TEST

START_TEST(the_environment_is_clean)
{
	setenv("LD_BIND_NOW", "1", 1);
	setenv("LANG", "de_DE.UTF-8", 1);
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("HOME", "/home", 1);
	unsetenv("TMPDIR");
	unsetenv("TZ");
	check_said(HELLO
		   "env | grep -v '^\\(PWD\\|_\\|OLDPWD\\|SHLVL\\)=' | LC_ALL=C sort >&2; exit",
		   "HOME=/home\nLC_ALL=C\nPATH=/usr/bin:/bin\n");
}
END_TEST

START_TEST(signals_are_as_they_were_born)
{
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	ignore_signals();
	check_said(HELLO "grep 'Sig[BI]' /proc/self/status >&2; exit",
		   "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}
END_TEST

START_TEST(the_beginning_of_what_it_says_is_kept)
{
	struct external_options options =
		options_of(HELLO "tr '\\0' e </dev/zero | head -c 100000 >&2; exit", NULL, false);
	struct external_report report;
	char answer[POINTS][200];
	struct external *external;

	open_engine(&options, &external);
	ask(external, 1, answer);
	external_report(external, &report);
	ck_assert_uint_eq(strlen(report.said), sizeof(report.said) - 1);
	ck_assert_uint_eq(strspn(report.said, "e"), sizeof(report.said) - 1);
	external_close(external);
}
END_TEST

/* The number in a file that somebody writes. */
static pid_t await_number(const char *path)
{
	int number = 0;

	for (;;) {
		FILE *file = fopen(path, "re");
		int got = file ? fscanf(file, "%d\n", &number) : 0;

		if (file)
			fclose(file);
		if (got == 1)
			return number;
		usleep(1000);
	}
}

/* Who is killed ends nothing itself: the keeper does, also what has left the engine's group. */
START_TEST(engines_end_when_we_are_killed)
{
	char folder[] = "/tmp/external.XXXXXX", engine[64], stray[64], command[300];
	struct external_options options = options_of(command, NULL, false);
	pid_t self, pid[2];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(engine, sizeof(engine), "%s/engine", folder);
	snprintf(stray, sizeof(stray), "%s/stray", folder);
	snprintf(command, sizeof(command),
		 HELLO "setsid sh -c 'echo $$ >%s; exec sleep 1000' & echo $$ >%s; exec sleep 1000",
		 stray, engine);
	self = fork();
	if (!self) {
		struct external *external;
		struct error error;

		if (external_open(&options, &external, &error))
			_exit(1);
		for (;;)
			pause();
	}
	pid[0] = await_number(engine);
	pid[1] = await_number(stray);
	kill(self, SIGKILL);
	ck_assert_int_eq(waitpid(self, NULL, 0), self);
	for (int i = 0; i < 2; i++)
		while (!kill(pid[i], 0))
			usleep(1000);
	unlink(engine);
	unlink(stray);
	rmdir(folder);
}
END_TEST

START_TEST(without_a_host_objects_are_skipped)
{
	struct external_options options = options_of("", "", false);
	struct external *external;
	struct error error;

	setenv("STACKPROOF_ENGINE_HOST", "/nowhere/host", 1);
	ck_assert_int_eq(external_open(&options, &external, &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.message, "what loads shared objects, /nowhere/host "
					"(STACKPROOF_ENGINE_HOST), is not there");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("external_process");
	TCase *tcase = tcase_create("external_process");
	SRunner *runner = srunner_create(suite);

	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, no_descriptor_is_inherited);
	tcase_add_test(tcase, the_environment_is_clean);
	tcase_add_test(tcase, signals_are_as_they_were_born);
	tcase_add_test(tcase, the_beginning_of_what_it_says_is_kept);
	tcase_add_test(tcase, engines_end_when_we_are_killed);
	tcase_add_test(tcase, without_a_host_objects_are_skipped);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
