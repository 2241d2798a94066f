/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tap.c - a results folder as TAP: cases/cases_tap.c
 */
#include "results_cases.h"

void tap_print(const struct results *results, FILE *file)
{
	struct cases cases;

	results_cases(&cases, results, NULL);
	cases_print_tap(&cases, file);
	cases_deinit(&cases);
}
