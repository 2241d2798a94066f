/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_cases_main.h - the test program that judges lint_cases[] (lint_fixture.h), and nothing else
 *
 * To be included behind them, with LINT_SUITE, its name.
 */
#ifndef STACKPROOF_LINT_CASES_MAIN_H
#define STACKPROOF_LINT_CASES_MAIN_H

#include "lint_fixture.h"

START_TEST(a_function_is_judged)
{
	judge_function(&lint_cases[_i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create(LINT_SUITE);
	TCase *functions = tcase_create("functions");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(functions, 60);
	tcase_add_loop_test(functions, a_function_is_judged, 0,
			    (int)(sizeof(lint_cases) / sizeof(lint_cases[0])));
	suite_add_tcase(suite, functions);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
