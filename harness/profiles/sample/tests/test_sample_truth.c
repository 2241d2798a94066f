/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_sample_truth.c - what stepped runs say of a program, and when another run is comparable
 *
 * The program is this test itself, which recurses as deep as it is told and exits. What it has in
 * common with every run is not known, so runs are held against each other.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "profiles/sample/sample.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))

static __attribute__((noipa)) int descend(int depth, int status)
{
	if (!depth)
		return (int)syscall(SYS_exit_group, status);
	__asm__ volatile("" : "+r"(depth)); /* no loop */
	int below = descend(depth - 1, status);
	__asm__ volatile("" : "+r"(below));
	return below + depth;
}

/* -1 and the error, or the depths' truth. */
static int step(struct sample_truth *truth, char *depth, char *status, struct error *error)
{
	char *argv[] = { "/proc/self/exe", "--descend", depth, status, NULL };
	const struct sample_stepping stepping = { .argv = argv, .timeout_ms = 600000 };

	return sample_truth_add(truth, &stepping, error);
}

#ifdef __SANITIZE_ADDRESS__
#define NO_STEPPING 1 /* the sanitizer's start can't be stepped in time */
#else
#define NO_STEPPING 0
#endif

START_TEST(test_deepest_stack_is_known)
{
	struct sample_truth shallow, deep;
	struct error error = { 0 };

	if (NO_STEPPING)
		return;
	ck_assert_int_eq(sample_truth_init(&shallow, &error), 0);
	ck_assert_int_eq(sample_truth_init(&deep, &error), 0);
	ck_assert_msg(!step(&shallow, "3", "0", &error) && !step(&deep, "10", "0", &error), "%s",
		      error.message);
	ck_assert_uint_gt(shallow.max_frames, 3);
	ck_assert_uint_eq(deep.max_frames, shallow.max_frames + 7);
	ck_assert_uint_gt(deep.points, shallow.points);
	ck_assert_uint_eq(deep.runs, 1);
	ck_assert_uint_eq(deep.open_points, 0);
	ck_assert_uint_ge(deep.in_kernel, 1); /* exit_group */
	ck_assert_uint_eq(deep.suspect, 0);
	ck_assert_uint_ge(deep.entry.mapping_count, 2);
	sample_truth_deinit(&shallow);
	sample_truth_deinit(&deep);
}
END_TEST

/* The deepest of several runs, in whichever order; and they must end alike. */
START_TEST(test_runs_are_added)
{
	char *depth[] = { _i ? "9" : "4", _i ? "4" : "9" };
	struct sample_truth truth;
	struct error error = { 0 };
	uint64_t points;
	uint32_t frames;

	if (NO_STEPPING)
		return;
	ck_assert_int_eq(sample_truth_init(&truth, &error), 0);
	ck_assert_msg(!step(&truth, depth[0], "3", &error), "%s", error.message);
	points = truth.points;
	frames = truth.max_frames;
	ck_assert(WIFEXITED(truth.status) && WEXITSTATUS(truth.status) == 3);
	ck_assert_msg(!step(&truth, depth[1], "3", &error), "%s", error.message);
	ck_assert_uint_eq(truth.runs, 2);
	ck_assert_uint_gt(truth.points, points);
	ck_assert_uint_eq(truth.max_frames, _i ? frames : frames + 5);
	ck_assert_int_eq(step(&truth, "4", "0", &error), -1);
	ck_assert_msg(strstr(error.message, "0x300") && strstr(error.message, "0x0"), "%s",
		      error.message);
	sample_truth_deinit(&truth);
}
END_TEST

static const struct {
	const char *name;
	uint64_t points;
	uint32_t frames;
	bool thin;
} thin_cases[] = {
	{ "nothing_was_stepped", 0, 0, true },
	{ "one_point", 1, 3, true },
	{ "two_frames", 2, 2, true },
	{ "enough", 2, 3, false },
};

START_TEST(test_thin)
{
	const struct sample_truth truth = { .points = thin_cases[_i].points,
					    .max_frames = thin_cases[_i].frames };

	ck_assert_msg(sample_truth_is_thin(&truth) == thin_cases[_i].thin, "%s",
		      thin_cases[_i].name);
}
END_TEST

#define AT(from, to, file) IN_BRACES(.start = from, .end = to, .path = file)

static const struct {
	const char *name;
	struct mapping now[3];
	bool same;
} layout_cases[] = {
	{ "as_it_was", { AT(0x1000, 0x3000, "/a"), AT(0x5000, 0x6000, "") }, true },
	{ "one_more",
	  { AT(0x1000, 0x3000, "/a"), AT(0x3000, 0x4000, "/b"), AT(0x5000, 0x6000, "") },
	  true },
	{ "no_name_is_the_empty_name",
	  { AT(0x1000, 0x3000, "/a"), AT(0x5000, 0x6000, NULL) },
	  true },
	{ "one_is_missing", { AT(0x1000, 0x3000, "/a") }, false },
	{ "one_ends_earlier", { AT(0x1000, 0x2000, "/a"), AT(0x5000, 0x6000, "") }, false },
	{ "one_begins_earlier", { AT(0x0800, 0x3000, "/a"), AT(0x5000, 0x6000, "") }, false },
	{ "the_last_begins_earlier", { AT(0x1000, 0x3000, "/a"), AT(0x4000, 0x6000, "") }, false },
	{ "another_file", { AT(0x1000, 0x3000, "/b"), AT(0x5000, 0x6000, "") }, false },
};

START_TEST(test_layout)
{
	struct mapping before[] = { AT(0x1000, 0x3000, "/a"), AT(0x5000, 0x6000, "") };
	struct mapping now[3];
	const struct sample_truth truth = { .entry = { .mapping = before, .mapping_count = 2 } };
	struct address_space space = { .mapping = now };
	struct error error = { 0 };

	memcpy(now, layout_cases[_i].now, sizeof(now));
	while (space.mapping_count < 3 && now[space.mapping_count].end)
		space.mapping_count++;
	ck_assert_msg(sample_truth_same_layout(&truth, &space, &error) ==
			      (layout_cases[_i].same ? 0 : -1),
		      "%s: %s", layout_cases[_i].name, error.message);
	if (!layout_cases[_i].same)
		ck_assert_int_eq(error.code, ERROR_PROTOCOL);
}
END_TEST

SUITE_MAIN(sample_truth)
{
	if (argc == 4 && !strcmp(argv[1], "--descend"))
		return descend(atoi(argv[2]), atoi(argv[3]));

	Suite *suite = suite_create("sample_truth");
	TCase *tcase = tcase_create("sample_truth");

	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_deepest_stack_is_known);
	tcase_add_loop_test(tcase, test_runs_are_added, 0, 2);
	tcase_add_loop_test(tcase, test_thin, 0, LENGTH(thin_cases));
	tcase_add_loop_test(tcase, test_layout, 0, LENGTH(layout_cases));
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
