/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_cases_main.h - the test program that judges lint_cases[] (lint_fixture.h), and nothing else
 *
 * To be included behind them, with LINT_SUITE, its name.
 */
#ifndef STACKPROOF_LINT_CASES_MAIN_H
#define STACKPROOF_LINT_CASES_MAIN_H

#include "tests/suite.h"
#include "lint_fixture.h"

START_TEST(a_function_is_judged)
{
	judge_function(&lint_cases[_i]);
}
END_TEST

SUITE(LINT_SUITE, LOOP(a_function_is_judged, lint_cases))

#endif
