/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tally.c - what the reports add up: faults by function, each cell once
 */
#include <check.h>
#include <malloc.h>
#include <stdlib.h>
#include "results_fixture.h"

#define FAULT(function, image, count)                                                              \
	"{\"type\":\"finding\",\"verdict\":\"table_fault\",\"function\":\"" function               \
	"\",\"image\":\"" image "\",\"count\":" #count "}"

START_TEST(fault_counts_each_cell_once)
{
	struct results results;
	struct tally tally;

	fixture_results(&results);
	for (size_t i = 0; i < 2; i++) {
		struct cell *cell = &results.cell[i];

		cell_set(cell, CELL_FAILED, "table_fault");
		fixture_object(cell, FAULT("broken", "/lib/a.so", 5));
		fixture_object(cell, FAULT("broken", "/lib/a.so", 7));
		fixture_object(cell, FAULT("other", "/lib/a.so", 1));
		fixture_object(cell, FAULT("broken", "/lib/b.so", 100));
	}
	tally_init(&tally, &results);
	size_t found = 0;
	for (size_t i = 0; i < tally.fault_count; i++) {
		const struct tally_fault *fault = &tally.fault[i];

		ck_assert(!i || tally.fault[i - 1].points >= fault->points);
		if (!strcmp(fault->function, "broken") && !strcmp(fault->image, "a.so")) {
			ck_assert_uint_eq(fault->points, 24);
			ck_assert_uint_eq(fault->cells, 2);
			ck_assert_str_eq(fault->toolchains, "gcc-12.2.0");
			ck_assert_str_eq(fault->kernels, "host");
			found++;
		} else if (!strcmp(fault->function, "broken")) {
			ck_assert_str_eq(fault->image, "b.so");
			ck_assert_uint_eq(fault->points, 200);
			ck_assert_uint_eq(fault->cells, 2);
			found++;
		} else if (!strcmp(fault->function, "other")) {
			ck_assert_uint_eq(fault->points, 2);
			ck_assert_uint_eq(fault->cells, 2);
			found++;
		} else {
			ck_assert_str_eq(fault->function, "_init");
			ck_assert_str_eq(fault->image, "chain");
			ck_assert_uint_eq(fault->points, 2);
			ck_assert_uint_eq(fault->cells, 1);
			found++;
		}
	}
	ck_assert_uint_eq(found, 4);
	ck_assert_uint_eq(tally.fault_count, 4);
	ck_assert_uint_eq(tally.skip_count, 1);
	ck_assert_uint_eq(tally.skip[0].cells, 1);
	ck_assert_str_eq(tally.skip[0].reason, "no_compiler");
	ck_assert_uint_eq(tally.uncovered, 2);
	ck_assert_uint_eq(tally.untrapped, 0);
	tally_deinit(&tally);
	results_deinit(&results);
}
END_TEST

/* What the allocator keeps at hand is less than what a hundred reports would have lost. */
START_TEST(all_memory_is_given_back)
{
	struct results results;
	struct tally tally;
	size_t before;

	fixture_results(&results);
	cell_set(&results.cell[0], CELL_FAILED, "table_fault");
	fixture_object(&results.cell[0], FAULT("first", "/lib/a.so", 9));
	fixture_object(&results.cell[0], FAULT("second", "/lib/a.so", 8));
	before = mallinfo2().uordblks;
	for (int i = 0; i < 100; i++) {
		tally_init(&tally, &results);
		ck_assert_uint_ge(tally.fault_count, 2);
		tally_deinit(&tally);
	}
	ck_assert_uint_lt(mallinfo2().uordblks, before + 4096);
	tally_deinit(&tally); /* it is empty, and may be given back again */
	results_deinit(&results);
}
END_TEST

static const struct {
	const char *name, *toolchain[4], *expected;
} word_cases[] = {
	{ "one", { "gcc" }, "gcc" },
	{ "each_once", { "gcc", "clang", "gcc", "clang" }, "gcc clang" },
	{ "begin_of_another", { "gcc-12", "gcc" }, "gcc-12 gcc" },
	{ "end_of_another", { "my-gcc", "gcc" }, "my-gcc gcc" },
	{ "within_others", { "a.b.c", "x.b.y", "b", "b" }, "a.b.c x.b.y b" },
	{ "behind_its_like", { "gcc-12", "gcc", "gcc" }, "gcc-12 gcc" },
	{ "two_words_of_the_list", { "aa", "a", "aa", "a" }, "aa a" },
};

START_TEST(toolchains_are_whole_words)
{
	struct results results;
	struct tally tally;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	for (int i = 0; i < 4 && word_cases[_i].toolchain[i]; i++) {
		struct cell *cell = fixture_cell(&results, "host", "chain",
						 word_cases[_i].toolchain[i], "O2-fp", "c");

		cell_set(cell, CELL_FAILED, "table_fault");
		fixture_object(cell, FAULT("broken", "/lib/a.so", 1));
	}
	tally_init(&tally, &results);
	ck_assert_uint_eq(tally.fault_count, 1);
	ck_assert_msg(!strcmp(tally.fault[0].toolchains, word_cases[_i].expected), "%s: %s",
		      word_cases[_i].name, tally.fault[0].toolchains);
	ck_assert_str_eq(tally.fault[0].kernels, "host");
	tally_deinit(&tally);
	results_deinit(&results);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tally");
	TCase *tcase = tcase_create("tally");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, fault_counts_each_cell_once);
	tcase_add_test(tcase, all_memory_is_given_back);
	tcase_add_loop_test(tcase, toolchains_are_whole_words, 0,
			    sizeof(word_cases) / sizeof(word_cases[0]));
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
