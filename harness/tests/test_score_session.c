/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_session.c - what `score` says of small profiles, and of profilers that it runs
 *
 * The session is in transcripts/ (transcript.h). Its truth file is docs/TRUTH_FILE.md's example.
 * Nothing is stepped.
 */
#include "transcript.h"

static const char *const names[] = { "score" };

static const struct command commands[] = { { "score", command_score, "" }, { 0 } };

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
	Suite *suite = suite_create("score_session");
	TCase *tcase = tcase_create("score_session");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, session_is_as_written, 0, sizeof(names) / sizeof(names[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
