/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_table_session.c - all that `table`, `stat`, `prove` and `diff` say of small images
 *
 * The sessions are in transcripts/ (transcript.h). What they take is told apart by no time.
 */
#include "transcript.h"

static const char *const names[] = { "table", "stat", "prove", "diff", "diff_dumps" };

static const struct command commands[] = { { "table", command_table, "" },
					   { "stat", command_stat, "" },
					   { "prove", command_prove, "" },
					   { "diff", command_diff, "" },
					   { 0 } };

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
	Suite *suite = suite_create("table_session");
	TCase *tcase = tcase_create("table_session");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, session_is_as_written, 0, sizeof(names) / sizeof(names[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
