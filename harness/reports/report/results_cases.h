/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_cases.h - a results folder as cases, for junit.c and tap.c
 */
#ifndef STACKPROOF_RESULTS_CASES_H
#define STACKPROOF_RESULTS_CASES_H

#include "base/cases/cases.h"
#include "results.h"

/* Makes a suite per kernel, a case per cell. folder: where the consoles of dead guests are; NULL: none.
 * ret is the caller's to deinit. */
void results_cases(struct cases *ret, const struct results *results, const char *folder);

#endif
