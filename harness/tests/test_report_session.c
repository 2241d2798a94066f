/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_report_session.c - all that `report` says of results that are written by hand
 *
 * The sessions are in transcripts/ (transcript.h): the matrix in each format, and what it says of
 * the toolchains, over small images whose CFI `plant` has changed.
 */
#include "transcript.h"

static const char *const names[] = { "report", "toolchains" };

static const struct command commands[] = { { "report", command_report, "" },
					   { "plant", command_plant, "" },
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
	Suite *suite = suite_create("report_session");
	TCase *tcase = tcase_create("report_session");

	tcase_set_timeout(tcase, 300);
	tcase_add_loop_test(tcase, session_is_as_written, 0, sizeof(names) / sizeof(names[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
