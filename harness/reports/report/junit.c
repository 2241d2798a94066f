/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * junit.c - a results folder as JUnit XML: cases/cases_junit.c
 */
#include "results_cases.h"

int junit_print(const struct results *results, const char *folder, FILE *file, struct error *error)
{
	struct cases cases;

	results_cases(&cases, results, folder);
	int status = cases_print_junit(&cases, file, error);
	cases_deinit(&cases);
	return status;
}
