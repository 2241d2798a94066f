/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_tally.c - what the reports add up: faults by function, each cell once
 */
#include <malloc.h>
#include <stdlib.h>
#include "tests/suite.h"
#include "results_fixture.h"

#define FAULT(function, image, count)                                                              \
	"{\"type\":\"finding\",\"verdict\":\"table_fault\",\"function\":\"" function               \
	"\",\"image\":\"" image "\",\"count\":" #count "}"

START_TEST(fault_counts_each_cell_once)
{
	struct results results DEINIT(results_deinit);
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
}
END_TEST

/* What the allocator keeps at hand is less than what a hundred reports would have lost. */
START_TEST(all_memory_is_given_back)
{
	struct results results DEINIT(results_deinit);
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
	struct results results DEINIT(results_deinit);
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
}
END_TEST

static const struct {
	const char *variant;
	bool omits;
} variant_cases[] = {
	{ "O2-fp", false }, { "-fp", false }, { "O2-nofp", true },
	{ "fp", true },	    { "-fp2", true }, { "", true },
};

START_TEST(variants_that_omit_the_frame_pointer)
{
	ck_assert_msg(variant_omits_frame_pointer(variant_cases[_i].variant) ==
			      variant_cases[_i].omits,
		      "%s", variant_cases[_i].variant);
}
END_TEST

/* Each fault of a cell of its own: whose image is called the program, and what a point is. */
static const struct {
	const char *name, *binary, *finding, *image;
	uint64_t points;
} fault_cases[] = {
	{ "another_image", "chain", FAULT("f", "/lib/a.so", 3), "a.so", 3 },
	{ "its_own_image", "chain", FAULT("f", "/x/chain", 3), "the program", 3 },
	{ "its_own_image_in_a_folder", "a/b/chain", FAULT("f", "/x/chain", 3), "the program", 3 },
	{ "another_whose_name_ends_so", "a/xchain", FAULT("f", "/x/chain", 3), "chain", 3 },
	{ "at_least_one_point", "chain", FAULT("f", "a.so", 0), "a.so", 1 },
};

START_TEST(faults_are_of_an_image)
{
	struct results results DEINIT(results_deinit);
	struct tally tally;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(&results, "host", "chain", "gcc", "O2-fp", "c");
	free(cell->binary);
	cell->binary = strdup(fault_cases[_i].binary);
	fixture_object(cell, fault_cases[_i].finding);
	tally_init(&tally, &results);
	ck_assert_uint_eq(tally.fault_count, 1);
	ck_assert_msg(!strcmp(tally.fault[0].image, fault_cases[_i].image) &&
			      tally.fault[0].points == fault_cases[_i].points,
		      "%s: %s, %lu points", fault_cases[_i].name, tally.fault[0].image,
		      (unsigned long)tally.fault[0].points);
	tally_deinit(&tally);
}
END_TEST

/* The same function of the same file, but of another's code; the same function of another file; and kernels by
 * their labels. */
START_TEST(faults_are_of_an_origin_and_in_order)
{
	static const struct {
		const char *function, *image;
		unsigned int origin;
		uint64_t points;
	} expected[] = { { "e", "z.so", ORIGIN_LIBRARY, 9 },
			 { "f", "a.so", ORIGIN_LIBRARY, 4 },
			 { "f", "b.so", ORIGIN_LIBRARY, 4 },
			 { "f", "the program", ORIGIN_COMPILED, 3 },
			 { "f", "the program", ORIGIN_STARTUP, 2 } };
	struct results results DEINIT(results_deinit);
	struct tally tally;

	results_init(&results);
	fixture_kernel(&results, "/boot/vmlinuz-6", "6.1-cloud", "", "kvm", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(&results, "/boot/vmlinuz-6", "chain", "gcc", "O2-fp", "c");
	fixture_object(cell, FAULT("f", "/lib/b.so", 4));
	fixture_object(cell, FAULT("f", "/lib/a.so", 4));
	fixture_object(cell, FAULT("e", "/lib/z.so", 9));
	fixture_object(cell, FAULT("f", "/x/chain.gcc.O2-fp", 3));
	fixture_object(cell, "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"function\":\"f\","
			     "\"image\":\"/x/chain.gcc.O2-fp\",\"count\":2,\"kind\":\"missing\","
			     "\"start_file\":\"crti.o\"}");
	tally_init(&tally, &results);
	ck_assert_uint_eq(tally.fault_count, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_str_eq(tally.fault[i].function, expected[i].function);
		ck_assert_str_eq(tally.fault[i].image, expected[i].image);
		ck_assert_uint_eq(tally.fault[i].origin, expected[i].origin);
		ck_assert_uint_eq(tally.fault[i].points, expected[i].points);
		ck_assert_str_eq(tally.fault[i].kernels, "6.1-cloud");
	}
	tally_deinit(&tally);
}
END_TEST

START_TEST(skips_are_of_a_kernel_and_a_reason)
{
	static const struct {
		const char *kernel, *reason;
		size_t cells;
	} skipped[] = { { "host", "no_compiler", 3 },
			{ "host", "no_bpf", 2 },
			{ "5.10", "no_compiler", 1 },
			{ "5.10", "no_bpf", 4 },
			{ "5.10", "no_bpf_here", 2 } };
	struct results results DEINIT(results_deinit);
	struct tally tally;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	fixture_kernel(&results, "5.10", "5.10", "", "tcg", "ok", "", 0, 0);
	for (size_t round = 0; round < 4; round++)
		for (size_t i = 0; i < 5; i++)
			if (round < skipped[i].cells)
				cell_set(fixture_cell(&results, skipped[i].kernel, "chain", "gcc",
						      "O2-fp", "c"),
					 CELL_SKIPPED, "%s", skipped[i].reason);
	tally_init(&tally, &results);
	ck_assert_uint_eq(tally.skip_count, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_str_eq(tally.skip[i].kernel, skipped[i].kernel);
		ck_assert_str_eq(tally.skip[i].reason, skipped[i].reason);
		ck_assert_uint_eq(tally.skip[i].cells, skipped[i].cells);
	}
	tally_deinit(&tally);
}
END_TEST

#define IGNORED(type, reason, count)                                                               \
	"{\"type\":\"" type "\",\"verdict\":\"walk_fault\",\"ignored\":\"" reason                  \
	"\",\"count\":" #count "}"

START_TEST(ignored_findings_are_of_a_reason)
{
	static const struct {
		const char *reason;
		size_t findings;
		uint64_t points;
	} expected[] = { { "known", 3, 16 }, { "later", 2, 5 } };
	struct results results DEINIT(results_deinit);
	struct tally tally;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	struct cell *cell = fixture_cell(&results, "host", "chain", "gcc", "O2-fp", "c");
	fixture_object(cell, IGNORED("finding", "known", 3));
	fixture_object(cell, IGNORED("finding", "later", 1));
	fixture_object(cell, IGNORED("finding", "", 100));
	fixture_object(cell, IGNORED("remark", "known", 1000));
	fixture_object(cell, IGNORED("finding", "known", 6));
	fixture_object(cell, IGNORED("finding", "later", 4));
	fixture_object(cell, IGNORED("finding", "known", 7));
	tally_init(&tally, &results);
	ck_assert_uint_eq(tally.ignored_count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_str_eq(tally.ignored[i].reason, expected[i].reason);
		ck_assert_uint_eq(tally.ignored[i].findings, expected[i].findings);
		ck_assert_uint_eq(tally.ignored[i].points, expected[i].points);
	}
	ck_assert_uint_eq(tally.fault_count, 0);
	tally_deinit(&tally);
}
END_TEST

/* What nobody can be credited with is left out. */
START_TEST(scores_are_of_an_engine_and_a_kernel)
{
	struct results results DEINIT(results_deinit);
	struct tally tally;

	results_init(&results);
	fixture_kernel(&results, "host", "6.1", "", "native", "ok", "", 0, 0);
	fixture_cell(&results, "host", "chain", "gcc", "O2-fp", "c");
	struct cell *stray = fixture_cell(&results, "9.9", "chain", "gcc", "O2-fp", "c");
	struct cell *cell = stray - 1;
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"\",\"points\":100}");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"x\",\"points\":7,\"exact\":6,"
			     "\"frames_own\":5,\"frames_own_right\":4,\"untrapped\":50}");
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":8,"
			     "\"untrapped\":3}");
	/* Of no point it is known that it is sound: all have a table fault. */
	fixture_object(cell, "{\"type\":\"score\",\"engine\":\"y\",\"points\":9,\"exact\":9,"
			     "\"points_sound\":0,\"exact_sound\":0}");
	fixture_object(stray, "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":1000}");
	tally_init(&tally, &results);
	ck_assert_uint_eq(tally.engine_count, 3);
	ck_assert_str_eq(tally.engine[2], "y");
	ck_assert_uint_eq(tally.share[2].points[0], 0);
	ck_assert_uint_eq(tally.share[2].exact[0], 0);
	ck_assert_str_eq(tally.engine[0], "x");
	ck_assert_uint_eq(tally.share[0].points[0], 7);
	ck_assert_uint_eq(tally.share[0].exact[0], 6);
	ck_assert_uint_eq(tally.share[0].frames[0], 5);
	ck_assert_uint_eq(tally.share[0].frames_right[0], 4);
	ck_assert_uint_eq(tally.share[0].points[1], 0);
	ck_assert_str_eq(tally.engine[1], "bpf");
	ck_assert_uint_eq(tally.share[1].points[0], 8);
	ck_assert_uint_eq(tally.untrapped, 3);
	tally_deinit(&tally);
}
END_TEST

/* Of several engines, kernels and variants each has its own sums, whatever memory holds before; twice each. */
START_TEST(scores_add_up)
{
	static const char *const engines[] = { "cfi", "bpf", "mine" },
				 *const kernels[] = { "host", "5.10", "7.2" },
				 *const variants[] = { "O2-fp", "O2-nofp" };
	struct results results DEINIT(results_deinit);
	struct tally tally;
	char json[512];
	uint64_t untrapped = 0;

	mallopt(M_PERTURB, 0x5a);
	results_init(&results);
	for (int k = 0; k < 3; k++)
		fixture_kernel(&results, kernels[k], kernels[k], "", "", "ok", "", 0, 0);
	for (int i = 0; i < 2 * 3 * 2 * 3; i++) {
		int engine = i / 12, kernel = i / 4 % 3, variant = i / 2 % 2;
		struct cell *cell = fixture_cell(&results, kernels[kernel], "p", "gcc",
						 variants[variant], "c");
		int n = 1 + i;

		snprintf(json, sizeof(json),
			 "{\"type\":\"score\",\"engine\":\"%s\",\"points\":99,\"exact\":98,"
			 "\"points_sound\":%d,\"exact_sound\":%d,\"frames_own\":%d,"
			 "\"frames_own_right\":%d,\"untrapped\":%d}",
			 engines[engine], 1000 * n, 100 * n, 10 * n, n, n);
		fixture_object(cell, json);
		snprintf(json, sizeof(json), "{\"type\":\"verdicts\",\"uncovered\":%d}", n);
		fixture_object(cell, json);
		untrapped += engine == 1 ? n : 0;
	}
	tally_init(&tally, &results);
	mallopt(M_PERTURB, 0);
	ck_assert_uint_eq(tally.engine_count, 3);
	for (int i = 0; i < 18; i++) {
		const struct tally_share *share = &tally.share[i / 6 * 3 + i / 2 % 3];
		uint64_t sum = (1 + 2 * i) + (2 + 2 * i);

		ck_assert_str_eq(tally.engine[i / 6], engines[i / 6]);
		ck_assert_uint_eq(share->points[i % 2], 1000 * sum);
		ck_assert_uint_eq(share->exact[i % 2], 100 * sum);
		ck_assert_uint_eq(share->frames[i % 2], 10 * sum);
		ck_assert_uint_eq(share->frames_right[i % 2], sum);
	}
	ck_assert_uint_eq(tally.uncovered, 36 * 37 / 2);
	ck_assert_uint_eq(tally.untrapped, untrapped);
	tally_deinit(&tally);
}
END_TEST

SUITE(tally, TEST(fault_counts_each_cell_once), TEST(all_memory_is_given_back),
      LOOP(toolchains_are_whole_words, word_cases),
      LOOP(variants_that_omit_the_frame_pointer, variant_cases),
      LOOP(faults_are_of_an_image, fault_cases), TEST(faults_are_of_an_origin_and_in_order),
      TEST(skips_are_of_a_kernel_and_a_reason), TEST(ignored_findings_are_of_a_reason),
      TEST(scores_are_of_an_engine_and_a_kernel), TEST(scores_add_up))
