/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_child_beside.c - what lies beside this program, even if it is gone
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/child/child.h"

START_TEST(it_is_in_the_same_folder)
{
	char self[PATH_MAX], expected[PATH_MAX + 8], got[PATH_MAX];
	struct error error;

	ck_assert_ptr_nonnull(realpath("/proc/self/exe", self));
	snprintf(expected, sizeof(expected), "%s/x", dirname(self));
	ck_assert_int_eq(child_beside("x", got, sizeof(got), &error), 0);
	ck_assert_str_eq(got, expected);
	/* With room for it, and a byte too little. */
	ck_assert_int_eq(child_beside("x", got, strlen(expected) + 1, &error), 0);
	ck_assert_str_eq(got, expected);
	ck_assert_int_eq(child_beside("x", got, strlen(expected), &error), -1);
	ck_assert_int_eq(error.code, ERROR_UNAVAILABLE);
	ck_assert_str_eq(error.message, "path too long");
	ck_assert_str_eq(got, "./x");
}
END_TEST

/* A copy that takes its file away, and then asks. */
START_TEST(it_may_be_gone)
{
	char folder[] = "/tmp/test_child_beside.XXXXXX", command[256], line[256] = "", expected[64];
	FILE *pipe;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(expected, sizeof(expected), "%s/x\n", folder);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s/copy && exec %s/copy --gone",
		 getpid(), folder, folder);
	pipe = popen(command, "re");
	ck_assert_ptr_nonnull(pipe);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), pipe));
	ck_assert_int_eq(pclose(pipe), 0);
	ck_assert_str_eq(line, expected);
	ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

SUITE_MAIN(child_beside)
{
	if (argc > 1 && !strcmp(argv[1], "--gone")) {
		char got[PATH_MAX];
		struct error error;

		if (unlink(argv[0]) || child_beside("x", got, sizeof(got), &error))
			return EXIT_FAILURE;
		puts(got);
		return EXIT_SUCCESS;
	}
	Suite *suite = suite_create("child_beside");
	TCase *tcase = tcase_create("child_beside");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, it_is_in_the_same_folder);
	tcase_add_test(tcase, it_may_be_gone);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
