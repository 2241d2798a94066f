/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compared_program.h - a program that is built for a case, and compared
 */
#ifndef STACKPROOF_TESTS_COMPARED_PROGRAM_H
#define STACKPROOF_TESTS_COMPARED_PROGRAM_H

#include "base/cli/tests/folder_shell.h"
#include "judge/compare/compare.h"

static char program[FOLDER_PATH];

/* Before each case: the folder, and where in it the program is to be. */
static inline void program_begin(void)
{
	folder_make();
	folder_path(program, "program");
}

/* A whole run of argv, from that function on; NULL: from the beginning. comparison_deinit() what comes of it. */
static inline void compare_command(struct comparer *comparer, char *argv[], const char *from,
				   struct comparison *ret)
{
	const struct tracer_options tracer = { .argv = argv, .from = from, .timeout_ms = 900000 };
	struct error error;

	ck_assert_msg(!comparer_run(comparer, &tracer, ret, &error), "%s: %s", argv[0],
		      error.message);
}

/* The same of the program, by a comparer of its own. */
static inline void compare_program(const struct compare_options *options, const char *from,
				   struct comparison *ret)
{
	struct comparer *comparer;
	struct error error;

	ck_assert_msg(!comparer_create(options, &comparer, &error), "%s", error.message);
	compare_command(comparer, (char *[]) { program, NULL }, from, ret);
	comparer_destroy(comparer);
}

#endif
