/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * results_folder.h - a results folder of a text, for the tests that read it
 */
#ifndef STACKPROOF_TESTS_RESULTS_FOLDER_H
#define STACKPROOF_TESTS_RESULTS_FOLDER_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "reports/report/results.h"

/* A folder with that text as its results.ndjson, removed by remove_folder. */
static inline void make_folder(char *folder, const char *text)
{
	char path[256];

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	FILE *file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static inline void remove_folder(const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, RESULTS_FILE);
	unlink(path);
	ck_assert_int_eq(rmdir(folder), 0);
}

#endif
