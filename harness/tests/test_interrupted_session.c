/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_interrupted_session.c - who is ended by SIGTERM or ^C meanwhile has not succeeded
 *
 * The session is in transcripts/ (transcript.h). Each program sends the signal to its tracer, and then
 * does nothing.
 */
#include "transcript.h"

static const char *const names[] = { "interrupted" };

static const struct command commands[] = {

	{ "witness", command_witness, "" }, { 0 }
};

START_TEST(session_is_as_written)
{
	transcript_check(names[_i]);
}
END_TEST

int main(int argc, char **argv)
{
	int status = transcript_main(argc, argv, commands);

	if (status >= 0)
		return status;
	/* Who runs the tests may ignore them; a session sends them. */
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	Suite *suite = suite_create("interrupted_session");
	TCase *tcase = tcase_create("interrupted_session");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, session_is_as_written, 0, sizeof(names) / sizeof(names[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
