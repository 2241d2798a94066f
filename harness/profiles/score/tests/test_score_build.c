/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_score_build.c - a file at a path of the truth's, which may be another build: nobody is accused by it
 */
#include <fcntl.h>
#include <unistd.h>
#include "score_crafted.h"
#include "profiles/score/score_build.h"
#include "tests/suite.h"

#define RIGHT "0:2810 0:2010"
#define WRONG "0:2810 0:2110"

/* The same code, of which main and leaf have changed places. */
static const struct crafted_symbol rebuilt[] = { { "leaf", 0x2000, 0x100, false },
						 { "f", 0x2100, 0x100, false },
						 { "main", 0x2800, 0x100, false },
						 { 0 } };

/* What became of the file after the truth was written. */
enum fate { SAME, REBUILT, NO_DIGEST, REPLACED_IN_THE_RUN };

static void open_fated(enum fate fate)
{
	const char *path = crafted_path("prog");
	const struct code_digest other = { 1, 2, 3 };

	crafted_write(path, crafted_prog);
	truth_text(&written, "program", path);
	if (fate == NO_DIGEST)
		truth_bare_image(&written, TRUTH_IMAGE_FILE, path, "", 0);
	else
		truth_image(&written, TRUTH_IMAGE_FILE, path, "", 0);
	if (fate == REPLACED_IN_THE_RUN) {
		truth_bare_image(&written, TRUTH_IMAGE_FILE, path, "", 0);
		truth_digest(&written, &other);
	}
	if (fate == REBUILT)
		crafted_write(path, rebuilt);
	truth_stacks(RIGHT);
	open_truth();
}

static const struct {
	const char *name;
	enum fate fate;
	const char *profile, *expected;
} cases[] = {
	{ "a_right_one", SAME, "main;leaf 1\n", "exact 1" },
	{ "a_wrong_one", SAME, WRONG, "caller 1" },
	{ "names_of_another_build_are_none", REBUILT, "main;leaf 1\n", "names 1" },
	{ "nor_do_they_agree", REBUILT, "leaf;main 1\n", "names 1" },
	{ "an_address_that_is_right_there", REBUILT, RIGHT, "exact 1" },
	{ "one_that_is_wrong_may_be_the_new_file_s", REBUILT, WRONG, "build 1" },
	{ "nothing_tells", NO_DIGEST, "main;leaf 1\n", "names 1" },
	{ "so_it_accuses_nobody", NO_DIGEST, WRONG, "build 1" },
	{ "but_an_address_agrees", NO_DIGEST, RIGHT, "exact 1" },
	{ "a_path_is_of_two_files", REPLACED_IN_THE_RUN, WRONG, "names 1" },
};

START_TEST(files_at_a_path)
{
	open_fated(cases[_i].fate);
	check_counts(cases[_i].name, cases[_i].profile, cases[_i].expected);
}
END_TEST

/* The file came after the profile: what differs may be of the one before. */
START_TEST(a_profile_of_before)
{
	const char *path = crafted_path("old.folded");
	const struct timespec old[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct score_frame frame = { .how = FRAME_ADDRESS, .has_image = true };
	char counts[256];
	struct error error;
	FILE *file;

	for (int is_old = 0; is_old < 2; is_old++) {
		open_fated(SAME);
		file = fopen(crafted_path("old.folded"), "w");
		ck_assert_ptr_nonnull(file);
		fputs("main;leaf 1\nf;leaf 2\n", file);
		fclose(file);
		path = crafted_path("old.folded");
		ck_assert(!is_old || !utimensat(AT_FDCWD, path, old, 0));
		ck_assert(!score_init(&scored, &truth, &error));
		ck_assert(!score_profile(&scored, path, PROFILE_FOLDED, &error));
		ck_assert_str_eq(crafted_counts(&scored, counts),
				 is_old ? "exact 1 build 2" : "exact 1 caller 2");
		ck_assert_uint_eq(score_builds_of(&truth).newer, is_old);
		ck_assert_int_eq(score_build_is_open(&truth, &frame), is_old);
		frame.by_build_id = true;
		ck_assert(!score_build_is_open(&truth, &frame));
		frame.by_build_id = false;
		unlink(path);
		truth_end();
	}
}
END_TEST

/* Nothing says which build it was, but that it is younger than the file, which proves nothing. */
START_TEST(a_build_that_is_not_said)
{
	open_fated(SAME);
	truth.same.build = false;
	check_counts("right", RIGHT, "exact 1");
	check_counts("wrong", WRONG, "build 1");
	check_counts("named", "main;leaf 1\nf;leaf 2\n", "exact 1 build 2");
	check_counts("of no file", "nobody;leaf 1\n", "names 1");
	truth.same.build = true;
	check_counts("vouched for", WRONG, "caller 1");
}
END_TEST

SUITE(score_build, CRAFTED, LOOP(files_at_a_path, cases), TEST(a_profile_of_before),
      TEST(a_build_that_is_not_said))
