/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_run.c - what a comparer knows of one program is forgotten before the next
 *
 * The program is a function of this one, so that it is stepped at once.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "judge/compare/comparer.h"
#include "corpus/plant/tests/may_trace.h"

static int mappings_told;

static void mappings_are_told(void *context)
{
	mappings_told++;
}

static struct comparer *create(void)
{
	const struct compare_options options = { .on_mappings = mappings_are_told };
	struct comparer *comparer;
	struct error error;

	ck_assert_msg(!comparer_create(&options, &comparer, &error), "%s", error.message);
	return comparer;
}

/* Where nothing was mapped, and what was in an image's place, is asked for again. */
START_TEST(new_mappings_are_looked_at_anew)
{
	struct comparer *comparer = create();

	comparer->unmapped[0] = 7;
	comparer->unmapped[UNMAPPED_PAGES - 1] = 8;
	comparer->anonymous.start = 0x1000;
	comparer->anonymous.end = 0x2000;
	comparer->anonymous.replaces = true;
	ck_assert_int_eq(compare_mappings(comparer, getpid()), 0);
	for (size_t i = 0; i < UNMAPPED_PAGES; i++)
		ck_assert_uint_eq(comparer->unmapped[i], 0);
	ck_assert(!comparer->anonymous.start && !comparer->anonymous.end &&
		  !comparer->anonymous.replaces);
	ck_assert_int_eq(mappings_told, 1);
	ck_assert_uint_gt(comparer->space.mapping_count, 0);
	comparer_destroy(comparer);
}
END_TEST

static int return_7(void *context)
{
	return 7;
}

/* Mappings that could not be read were another program's. */
START_TEST(a_failure_is_of_one_run)
{
	const struct tracer_options options = { .function = return_7, .point_limit = 5 };
	struct comparison comparison;
	struct comparer *comparer;
	struct error error;

	if (!may_trace(&error)) {
		printf("SKIP: %s\n", error.message);
		return;
	}
	comparer = create();
	comparer->mappings_failed = true;
	error_set(&comparer->mapping_error, ERROR_SYSTEM, "", 0, "of the run before");
	ck_assert_msg(comparer_run_far(comparer, &options, &comparison), "%s",
		      comparison.cut.early.message);
	ck_assert_uint_eq(comparison.points, 5);
	ck_assert_int_eq(comparison.cut.early.code, ERROR_NONE);
	ck_assert_int_eq(comparison.cut.ending, TRACER_LIMIT);
	comparison_deinit(&comparison);
	/* And all is counted from 0 again. */
	ck_assert(comparer_run_far(comparer, &options, &comparison));
	ck_assert_uint_eq(comparison.points, 5);
	ck_assert_uint_eq(comparison.cut.points, 5);
	comparison_deinit(&comparison);
	comparer_destroy(comparer);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("compare_run");
	TCase *tcase = tcase_create("compare_run");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, new_mappings_are_looked_at_anew);
	tcase_add_test(tcase, a_failure_is_of_one_run);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
