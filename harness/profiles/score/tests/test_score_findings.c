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
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct own own;

	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/other", "", 0);
	own_init(&own, &bytes);
	truth_text(&bytes, "program", "/proc/self/exe");
	open_truth(&bytes, &truth);
	ck_assert_uint_eq(truth.main_image, 1);
	score_truth_close(&truth);
	image_destroy(own.image);
}
END_TEST

/* By its name a function is where it was proven to stand, though it is in doubt elsewhere. */
START_TEST(proven_somewhere_in_a_function)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct own own;

	own_init(&own, &bytes);
	truth_stack(&bytes, &(struct truth_stack) { .unproven = 1 },
		    (struct truth_frame[]) { { 0, own.function }, { 0, own.main } }, 2);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, own.pc }, { 0, own.main } }, 2);
	open_truth(&bytes, &truth);
	check_own(&truth, "by its name", "main;place_of_two 1\n", SCORE_EXACT, SCORE_NO_REASON);
	check_own(&truth, "of another", "score_print_text;place_of_two 1\n", SCORE_UNPROVEN,
		  SCORE_DOUBT);
	score_truth_close(&truth);
	image_destroy(own.image);
}
END_TEST

/* Wrong callers in one function are one finding. The caller is described by the byte before, as it is the
 * call that counts: a return address may be the next function's first. */
START_TEST(a_finding_of_a_function)
{
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	struct own own;
	char profile[512], leaf[600], caller[600];

	own_init(&own, &bytes);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, own.pc }, { 0, own.main } }, 2);
	open_truth(&bytes, &truth);
	snprintf(profile, sizeof(profile),
		 "[" PROG_FILE "+0x%" PRIx64 "];[" PROG_FILE "+0x%" PRIx64 "] 1\n"
		 "[" PROG_FILE "+0x%" PRIx64 "];[" PROG_FILE "+0x%" PRIx64 "] 2\n"
		 "[" PROG_FILE "+0x%" PRIx64 "];[" PROG_FILE "+0x%" PRIx64 "] 4\n",
		 own.offset, own.offset, own.offset + 1, own.offset,
		 own.offset - (own.pc - own.function), own.offset);
	score_bytes(&score, &truth, profile, strlen(profile));
	ck_assert_uint_eq(score.all.class[SCORE_IMPOSSIBLE], 1 + 2 + 4);
	ck_assert_uint_eq(score.findings, 2);
	ck_assert_uint_eq(score.finding[0].count, 1 + 2);
	for (int i = 0; i < 2; i++) {
		uint32_t number = score.finding[1].frame[1];

		score_frame_describe(&truth, &score.profile, number,
				     score_matcher_frame(score.matcher, number, NULL), i,
				     i ? caller : leaf, sizeof(leaf));
	}
	ck_assert(!strncmp(leaf, "place_of_two+0x0 ", 17) ||
		  !strncmp(leaf, "also_of_two+0x0 ", 16));
	ck_assert(!strstr(caller, "_of_two+"));
	score_deinit(&score);
	score_truth_close(&truth);
	image_destroy(own.image);
}
END_TEST

/* Nobody was between a frame and one that no stack has as a caller's caller. */
START_TEST(only_a_true_caller_was_left_out)
{
	static const char profile[] =
		"{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/prog\"}\n"
		"{\"type\":\"profile_stack\",\"count\":1,\"frames\":[{\"image\":1,\"vaddr\":"
		"\"0x20\"},"
		"{\"image\":1,\"vaddr\":\"0x0\"}]}\n";
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;

	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/prog", "", 0);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, 0x20 }, { 0, 0x10 } }, 2);
	open_truth(&bytes, &truth);
	score_bytes(&score, &truth, profile, strlen(profile));
	ck_assert_uint_eq(score.findings, 1);
	ck_assert_int_eq(score.finding[0].repair, SCORE_NO_REPAIR);
	score_deinit(&score);
	score_truth_close(&truth);
}
END_TEST

/* What two stacks that can't be are found to be. */
static const struct {
	const char *name, *one, *other; /* "1:20 2:99": image and address, the leaf first */
	uint32_t findings, callers;
} pairs[] = {
	{ "a_leaf_where_nobody_stood_is_not_repaired", "1:99 1:20 1:30", "1:99 1:20 1:30", 1, 0 },
	{ "callers_of_the_same_function", "1:20 1:99", "1:20 1:99", 1, 1 },
	{ "two_wrong_callers", "1:20 1:99", "1:20 1:98", 2, 1 },
	{ "code_that_no_file_has_is_all_alike", "1:20 2:99", "1:20 2:98", 1, 1 },
	{ "code_in_a_device_is_no_file_s", "3:99", "3:99", 0, 0 },
};

START_TEST(findings_of_two_stacks)
{
	const char *const frames[] = { pairs[_i].one, pairs[_i].other };
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	char profile[2048];
	size_t size;

	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/prog", "", 0);
	truth_image(&bytes, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, 0x20 }, { 0, 0x30 }, { 0, 0x10 } }, 3);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 0, 0x20 }, { 0, 0x30 }, { 0, 0x60 } }, 3);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 1, 0x70 }, { 0, 0x10 } }, 2);
	open_truth(&bytes, &truth);
	size = snprintf(profile, sizeof(profile),
			"{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/prog\"}\n"
			"{\"type\":\"profile_image\",\"image\":2,\"path\":\"//anon\"}\n"
			"{\"type\":\"profile_image\",\"image\":3,\"path\":\"/dev/zero\"}\n");
	for (int i = 0; i < 2; i++) {
		size += snprintf(profile + size, sizeof(profile) - size,
				 "{\"type\":\"profile_stack\",\"count\":1,\"frames\":[");
		for (const char *at = frames[i]; *at; at += strcspn(at, " "), at += *at == ' ')
			size += snprintf(profile + size, sizeof(profile) - size,
					 "%s{\"image\":%c,\"vaddr\":\"0x%.2s\"}",
					 at == frames[i] ? "" : ",", *at, at + 2);
		size += snprintf(profile + size, sizeof(profile) - size, "]}\n");
	}
	score_bytes(&score, &truth, profile, size);
	ck_assert_msg(score.findings == pairs[_i].findings, "%s: %u findings", pairs[_i].name,
		      (unsigned int)score.findings);
	ck_assert_uint_eq(score.all.class[SCORE_IMPOSSIBLE], score.findings ? 2 : 0);
	if (score.findings) {
		ck_assert_uint_eq(score.finding[0].callers, pairs[_i].callers);
		ck_assert_int_eq(score.finding[0].repair, SCORE_NO_REPAIR);
	}
	score_deinit(&score);
	score_truth_close(&truth);
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
	struct score_truth truth = { .functions = 5 };
	const struct score score = { .truth = &truth, .function = counts };
	struct error error;
	uint32_t count, *worst = score_worst_functions(&score, &count, &error);

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
	const struct score_shown shown = { "profile", "truth", 10, mores[_i].functions, NULL };
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	char profile[4096], path[32], *text, *part[2];
	size_t size = 0;
	FILE *file;

	for (unsigned int i = 0; i < mores[_i].images; i++) {
		snprintf(path, sizeof(path), "/nonexistent/%u", i);
		truth_image(&bytes, TRUTH_IMAGE_FILE, path, "", 0);
		truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
			    (struct truth_frame[]) { { i, 0x20 }, { 0, 0x10 } }, 2);
		size += snprintf(profile + size, sizeof(profile) - size,
				 "{\"type\":\"profile_image\",\"image\":%u,\"path\":\"%s\"}\n"
				 "{\"type\":\"profile_stack\",\"count\":1,\"frames\":"
				 "[{\"image\":%u,\"vaddr\":\"0x20\"}]}\n",
				 i + 1, path, i + 1);
	}
	open_truth(&bytes, &truth);
	score_bytes(&score, &truth, profile, size);
	file = open_memstream(&text, &size);
	score_print_text(file, &score, &shown);
	fclose(file);
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
	score_deinit(&score);
	score_truth_close(&truth);
}
END_TEST

/* Of strange names five are shown, and the number of the others. Where all is open, that is said first. */
START_TEST(names_that_are_not_shown)
{
	const struct score_shown shown = { "profile", "truth", 10, 10, NULL };
	struct truth_bytes bytes = { 0 };
	struct score_truth truth;
	struct score score;
	char profile[2048], *text[2];
	size_t size = 0;

	truth_text(&bytes, "program", "/bin/prog");
	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/prog", "", 0);
	truth_image(&bytes, TRUTH_IMAGE_FILE, "/nonexistent/lib.so", "", 0);
	truth_stack(&bytes, &(struct truth_stack) { .points = 1 },
		    (struct truth_frame[]) { { 1, 0x20 }, { 0, 0x10 } }, 2);
	open_truth(&bytes, &truth);
	size = snprintf(
		profile, sizeof(profile),
		"{\"type\":\"profile_image\",\"image\":1,\"path\":\"/nonexistent/lib.so\"}\n"
		"{\"type\":\"profile_stack\",\"count\":1,\"frames\":[]}\n");
	for (int i = 0; i < 7; i++)
		size += snprintf(
			profile + size, sizeof(profile) - size,
			"{\"type\":\"profile_stack\",\"count\":1,\"comm\":\"other%d\",\"frames\":"
			"[{\"image\":1,\"vaddr\":\"0x20\"}]}\n",
			i);
	score_bytes(&score, &truth, profile, size);
	for (int json = 0; json < 2; json++) {
		FILE *file = open_memstream(&text[json], &size);

		if (json)
			score_print_json(file, &score, &shown);
		else
			score_print_text(file, &score, &shown);
		fclose(file);
	}
	ck_assert(strstr(text[0], "1 other4 and 2 more (--comm"));
	ck_assert(strstr(text[0], "7 of 7 samples (100.00 %) are unproven"));
	ck_assert(strstr(text[1], "\"thin\":true"));
	free(text[0]);
	free(text[1]);
	score_deinit(&score);
	score_truth_close(&truth);
}
END_TEST

SUITE(score_findings, TEST(the_programs_image_behind_a_link), TEST(proven_somewhere_in_a_function),
      TEST(a_finding_of_a_function), TEST(only_a_true_caller_was_left_out),
      LOOP(findings_of_two_stacks, pairs), TEST(the_worst_first),
      LOOP(what_is_not_shown_is_counted, mores), TEST(names_that_are_not_shown))
