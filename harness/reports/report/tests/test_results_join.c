/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_results_join.c - two runs as one: what binaries, toolchains and kernels are called then
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "array.h"
#include "corpus/manifest/corpus.h"

#define TOOLCHAINS(...) .toolchain = { __VA_ARGS__ }
#define KERNELS(...)	.kernel = { __VA_ARGS__ }
#define EXPECTED(...)	.expected = { __VA_ARGS__ }

/* A cell of each run, and what they become. */
static const struct join_case {
	const char *rule;
	const char *toolchain[2], *kernel[2];
	const char *expected[2];
	size_t kernels;
} join_cases[] = {
	{ "other names stay", TOOLCHAINS("gcc-12.2.0", "clang-14.0.6"), KERNELS("host", "host"),
	  EXPECTED("gcc-12.2.0", "clang-14.0.6"), 1 },
	{ "a name that both have is two families", TOOLCHAINS("gcc-12.2.0", "gcc-12.2.0"),
	  KERNELS("host", "5.10"), EXPECTED("gcc@A-12.2.0", "gcc@B-12.2.0"), 2 },
	{ "another version is another name", TOOLCHAINS("gcc-12.2.0", "gcc-12.2.1"),
	  KERNELS("host", "host"), EXPECTED("gcc-12.2.0", "gcc-12.2.1"), 1 },
	{ "a linker's version is not the compiler's",
	  TOOLCHAINS("cc-1.0+lld-14.0.6", "cc-1.0+lld-14.0.6"), KERNELS("host", "host"),
	  EXPECTED("cc@A-1.0+lld-14.0.6", "cc@B-1.0+lld-14.0.6"), 1 },
	{ "without a version", TOOLCHAINS("my-cc", "my-cc"), KERNELS("host", "host"),
	  EXPECTED("my-cc@A", "my-cc@B"), 1 },
	{ "the last number is the version", TOOLCHAINS("gcc-12-3", "gcc-12-3"),
	  KERNELS("host", "host"), EXPECTED("gcc-12@A-3", "gcc-12@B-3"), 1 },
	{ "a version alone", TOOLCHAINS("-1", "-1"), KERNELS("host", "host"),
	  EXPECTED("@A-1", "@B-1"), 1 },
	{ "of nothing", TOOLCHAINS("", ""), KERNELS("host", "host"), EXPECTED("@A", "@B"), 1 },
};

static void fill(struct results *results, const char *toolchain, const char *kernel)
{
	results_init(results);
	ck_assert(ARRAY_GROW(results->cell, results->cell_count));
	cell_init(&results->cell[results->cell_count++], "chain", "chain", toolchain, "O2", "c",
		  kernel);
	ck_assert(ARRAY_GROW(results->kernel, results->kernel_count));
	results->kernel[results->kernel_count] = (struct results_kernel) { .how = "stepped" };
	strcpy(results->kernel[results->kernel_count++].name, kernel);
	results->finished = true;
}

START_TEST(two_runs_are_one)
{
	const struct join_case *test = &join_cases[_i];
	struct results a, b;

	fill(&a, test->toolchain[0], test->kernel[0]);
	fill(&b, test->toolchain[1], test->kernel[1]);
	b.finished = false;
	b.bad_lines = 2;
	b.missing = 3;
	a.missing = 40;
	snprintf(b.first_bad_line.message, sizeof(b.first_bad_line.message), "torn");
	results_join(&a, &b);
	ck_assert_uint_eq(b.cell_count, 0);
	ck_assert_uint_eq(a.cell_count, 2);
	ck_assert_str_eq(a.cell[0].binary, "A/chain");
	ck_assert_str_eq(a.cell[1].binary, "B/chain");
	for (int i = 0; i < 2; i++) {
		ck_assert_str_eq(a.cell[i].program, "chain");
		ck_assert_str_eq(a.cell[i].toolchain, test->expected[i]);
	}
	ck_assert_uint_eq(a.kernel_count, test->kernels);
	ck_assert_str_eq(a.kernel[a.kernel_count - 1].name, test->kernel[1]);
	ck_assert(!a.finished);
	ck_assert_uint_eq(a.bad_lines, 2);
	ck_assert_uint_eq(a.missing, 43);
	ck_assert_str_eq(a.first_bad_line.message, "torn");
	results_deinit(&a);
	results_deinit(&b);
}
END_TEST

/* What either lacks both lack; of bad lines the first run's first is kept. */
START_TEST(what_either_lacks)
{
	static const struct {
		bool finished[2];
		size_t bad_lines[2];
		const char *first;
	} runs[] = { { { true, true }, { 0, 0 }, "" },
		     { { false, true }, { 1, 0 }, "a" },
		     { { true, false }, { 0, 2 }, "b" },
		     { { false, false }, { 3, 40 }, "a" } };

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct results side[2];

		for (int s = 0; s < 2; s++) {
			fill(&side[s], "gcc-1", "host");
			side[s].finished = runs[i].finished[s];
			side[s].bad_lines = runs[i].bad_lines[s];
			if (runs[i].bad_lines[s])
				strcpy(side[s].first_bad_line.message, s ? "b" : "a");
		}
		results_join(&side[0], &side[1]);
		ck_assert(side[0].finished == (runs[i].finished[0] && runs[i].finished[1]));
		ck_assert_uint_eq(side[0].bad_lines, runs[i].bad_lines[0] + runs[i].bad_lines[1]);
		ck_assert_str_eq(side[0].first_bad_line.message, runs[i].first);
		results_deinit(&side[0]);
		results_deinit(&side[1]);
	}
}
END_TEST

START_TEST(two_manifests_are_one)
{
	struct corpus_binary own = { .name = strdup("chain") }, other = { .name = strdup("chain") };
	struct manifest a = { 0 }, b = { 0 };

	ck_assert(ARRAY_GROW(a.binary, a.count));
	a.binary[a.count++] = own;
	ck_assert(ARRAY_GROW(b.binary, b.count));
	b.binary[b.count++] = other;
	ck_assert_int_eq(manifest_join(&a, &b), 0);
	ck_assert_uint_eq(a.count, 2);
	ck_assert_str_eq(a.binary[0].name, "A/chain");
	ck_assert_str_eq(a.binary[1].name, "B/chain");
	manifest_deinit(&b);
	manifest_deinit(&a);
}
END_TEST

SUITE(results_join, LOOP(two_runs_are_one, join_cases), TEST(what_either_lacks),
      TEST(two_manifests_are_one))
