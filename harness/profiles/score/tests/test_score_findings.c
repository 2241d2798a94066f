/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_findings.c - what a finding is made of, and what the sums say of the rest
 *
 * Where an image's names count, the image is this program.
 */
#include "tests/suite.h"
#include "score_own.h"

#define PROG_FILE "test_score_findings"

/* A program that was started by a link of another name has its own image, too. */
START_TEST(the_programs_image_behind_a_link)
{
	truth_images("/nonexistent/other");
	own_image();
	truth_text(&written, "program", "/proc/self/exe");
	open_truth();
	ck_assert_uint_eq(truth.main_image, 1);
}
END_TEST

/* By its name a function is where it was proven to stand, though it is in doubt elsewhere. */
START_TEST(proven_somewhere_in_a_function)
{
	open_own("u place_of_two main\npc main");
	check_counts("by its name", "main;place_of_two 1\n", "exact 1");
	check_counts("of another", "score_print_text;place_of_two 1\n", "doubt 1");
}
END_TEST

/* Wrong callers in one function are one finding. The caller is described by the byte before, as it is the
 * call that counts: a return address may be the next function's first. */
START_TEST(a_finding_of_a_function)
{
	char profile[512], leaf[600], caller[600];

	open_own("pc main");
	snprintf(profile, sizeof(profile),
		 "[" PROG_FILE "+0x%" PRIx64 "];[" PROG_FILE "+0x%" PRIx64 "] 1\n"
		 "[" PROG_FILE "+0x%" PRIx64 "];[" PROG_FILE "+0x%" PRIx64 "] 2\n"
		 "[" PROG_FILE "+0x%" PRIx64 "];[" PROG_FILE "+0x%" PRIx64 "] 4\n",
		 own.offset, own.offset, own.offset + 1, own.offset,
		 own.offset - (own.pc - own.function), own.offset);
	score_text(profile);
	ck_assert_uint_eq(scored.all.class[SCORE_IMPOSSIBLE], 1 + 2 + 4);
	ck_assert_uint_eq(scored.findings, 2);
	ck_assert_uint_eq(scored.finding[0].count, 1 + 2);
	for (int i = 0; i < 2; i++) {
		uint32_t number = scored.finding[1].frame[1];

		score_frame_describe(&truth, &scored.profile, number,
				     score_matcher_frame(scored.matcher, number, NULL), i,
				     i ? caller : leaf, sizeof(leaf));
	}
	ck_assert(!strncmp(leaf, "place_of_two+0x0 ", 17) ||
		  !strncmp(leaf, "also_of_two+0x0 ", 16));
	ck_assert(!strstr(caller, "_of_two+"));
}
END_TEST

/* Nobody was between a frame and one that no stack has as a caller's caller. */
START_TEST(only_a_true_caller_was_left_out)
{
	truth_images("/nonexistent/prog");
	truth_stacks("0:20 0:10");
	open_truth();
	score_text("0:20 0:0");
	ck_assert_uint_eq(scored.findings, 1);
	ck_assert_int_eq(scored.finding[0].repair, SCORE_NO_REPAIR);
}
END_TEST

/* What two stacks that can't be are found to be; image 1 is of no file, and 2 a device. */
static const struct {
	const char *name, *stacks;
	uint32_t findings, callers;
} pairs[] = {
	{ "a_leaf_where_nobody_stood_is_not_repaired", "0:99 0:20 0:30\n0:99 0:20 0:30", 1, 0 },
	{ "callers_of_the_same_function", "0:20 0:99\n0:20 0:99", 1, 1 },
	{ "two_wrong_callers", "0:20 0:99\n0:20 0:98", 2, 1 },
	{ "code_that_no_file_has_is_all_alike", "0:20 1:99\n0:20 1:98", 1, 1 },
	{ "code_in_a_device_is_no_file_s", "2:99\n2:99", 0, 0 },
};

START_TEST(findings_of_two_stacks)
{
	static const char *const paths[] = { "/nonexistent/prog", "//anon", "/dev/zero" };
	char *profile = profile_of(pairs[_i].stacks, paths, 3);

	truth_images("/nonexistent/prog");
	truth_image(&written, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	truth_stacks("0:20 0:30 0:10\n0:20 0:30 0:60\n1:70 0:10");
	open_truth();
	score_text(profile);
	free(profile);
	ck_assert_msg(scored.findings == pairs[_i].findings, "%s: %u findings", pairs[_i].name,
		      (unsigned int)scored.findings);
	ck_assert_uint_eq(scored.all.class[SCORE_IMPOSSIBLE], scored.findings ? 2 : 0);
	if (scored.findings) {
		ck_assert_uint_eq(scored.finding[0].callers, pairs[_i].callers);
		ck_assert_int_eq(scored.finding[0].repair, SCORE_NO_REPAIR);
	}
}
END_TEST

/* First by what is impossible, then by what is truncated, then by what is unproven. */
START_TEST(the_worst_first)
{
	static struct score_counts counts[] = {
		{ { [SCORE_EXACT] = 9 } },	{ { [SCORE_UNPROVEN] = 1 } },
		{ { [SCORE_UNPROVEN] = 2 } },	{ { [SCORE_TRUNCATED] = 1 } },
		{ { [SCORE_IMPOSSIBLE] = 1 } },
	};
	const struct score score = { .truth = &truth, .function = counts };
	struct error error;
	uint32_t count, *worst;

	truth.functions = 5;
	worst = score_worst_functions(&score, &count, &error);
	truth.functions = 0;
	ck_assert_uint_eq(count, 4);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(worst[i], 4 - i);
	free(worst);
}
END_TEST

/* Of images five are shown, of functions as many as are asked for, and the number of the others. */
static const struct {
	unsigned int images, functions;
	const char *more[2]; /* images, functions; NULL: all are shown */
} mores[] = {
	{ 7, 3, { " and 2 more\n", " and 4 more\n" } },
	{ 6, 5, { " and 1 more\n", " and 1 more\n" } },
	{ 5, 5, { NULL, NULL } },
	{ 5, 4, { NULL, " and 1 more\n" } },
};

START_TEST(what_is_not_shown_is_counted)
{
	static const char *const paths[] = { "/nonexistent/0", "/nonexistent/1", "/nonexistent/2",
					     "/nonexistent/3", "/nonexistent/4", "/nonexistent/5",
					     "/nonexistent/6" };
	char lines[128] = "", stacks[128] = "", *profile, *text, *part[2];

	for (unsigned int i = 0; i < mores[_i].images; i++) {
		truth_images(paths[i]);
		sprintf(stacks + strlen(stacks), "%u:20 0:10\n", i);
		sprintf(lines + strlen(lines), "%u:20\n", i);
	}
	truth_stacks(stacks);
	open_truth();
	profile = profile_of(lines, paths, mores[_i].images);
	score_text(profile);
	free(profile);
	text = score_told(false, 10, mores[_i].functions);
	part[1] = strstr(text, "where the walk ended");
	ck_assert_ptr_nonnull(part[1]);
	part[1][-1] = '\0';
	part[0] = text;
	for (int i = 0; i < 2; i++) {
		const char *more = strstr(part[i], " and ");

		ck_assert_int_eq(!more, !mores[_i].more[i]);
		ck_assert(!more || !strncmp(more, mores[_i].more[i], strlen(mores[_i].more[i])));
	}
	free(text);
}
END_TEST

/* Of strange names five are shown, and the number of the others. Where all is open, that is said first. */
START_TEST(names_that_are_not_shown)
{
	static const char *const paths[] = { "/nonexistent/lib.so" };
	char *profile = profile_of("*1\n~other0 0:20\n~other1 0:20\n~other2 0:20\n~other3 0:20\n"
				   "~other4 0:20\n~other5 0:20\n~other6 0:20\n",
				   paths, 1);
	char *text[2];

	truth_text(&written, "program", "/bin/prog");
	truth_images("/nonexistent/prog /nonexistent/lib.so");
	truth_stacks("1:20 0:10");
	open_truth();
	score_text(profile);
	free(profile);
	for (int json = 0; json < 2; json++)
		text[json] = score_told(json, 10, 10);
	ck_assert(strstr(text[0], "1 other4 and 2 more (--comm"));
	ck_assert(strstr(text[0], "7 of 7 samples (100.00 %) are unproven"));
	ck_assert(strstr(text[1], "'thin':true"));
	free(text[0]);
	free(text[1]);
}
END_TEST

SUITE(score_findings, FIXTURE(own_begin, own_end), TEST(the_programs_image_behind_a_link),
      TEST(proven_somewhere_in_a_function), TEST(a_finding_of_a_function),
      TEST(only_a_true_caller_was_left_out), LOOP(findings_of_two_stacks, pairs),
      TEST(the_worst_first), LOOP(what_is_not_shown_is_counted, mores),
      TEST(names_that_are_not_shown))
