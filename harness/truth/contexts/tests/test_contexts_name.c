/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_contexts_name.c - which function a frame of a truth file is named after
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analysis/lint/tests/assembly_fixture.h"
#include "truth/contexts/contexts.h"
#include "truth_bytes.h"

static struct assembled assembled;
static uint64_t f, g, h; /* one behind another */

static void begin(void)
{
	assembled_open(&assembled,
		       "f: nop\n ret\n .size f, . - f\n"
		       ".globl g\n .type g, @function\ng: nop\n ret\n .size g, . - g\n"
		       ".globl h\n .type h, @function\nh: nop\n ret\n .size h, . - h\n");
	f = image_symbol_address(assembled.image, "f");
	g = image_symbol_address(assembled.image, "g");
	h = image_symbol_address(assembled.image, "h");
	ck_assert(g == f + 2 && h == g + 2);
}

static void end(void)
{
	assembled_close(&assembled);
}

/* A file with one image, of this build or of another. */
static void describe(struct truth_bytes *truth, bool same_build)
{
	uint8_t id[BUILD_ID_MAX] = { 0 };
	size_t size = assembled.image->build_id_size;

	ck_assert_uint_gt(size, 0);
	memcpy(id, assembled.image->build_id, size);
	id[size - 1] ^= !same_build;
	truth_image(truth, TRUTH_IMAGE_FILE, assembled.path, id, size);
}

static void check_folded(struct truth_bytes *truth, const char *want, size_t want_missing)
{
	struct truth_file *file;
	struct error error;
	size_t size, missing;
	char path[64], *text;
	FILE *out = open_memstream(&text, &size);
	int fd = truth_write(truth, path);

	ck_assert_msg(!truth_file_open(path, &file, &error), "%s", error.message);
	ck_assert_msg(!contexts_print_folded(out, file, &missing, &error), "%s", error.message);
	fclose(out);
	ck_assert_str_eq(text, want);
	ck_assert_uint_eq(missing, want_missing);
	free(text);
	truth_file_close(file);
	close(fd);
}

/* A return address is of the function that called, though it is the next one's first. */
START_TEST(callers_are_named_by_their_calls)
{
	const struct truth_frame frame[] = { { 0, f }, { 0, g }, { 0, h } };
	struct truth_bytes truth = { 0 };

	describe(&truth, true);
	truth_stack(&truth, &(struct truth_stack) { .points = 3 }, frame, 3);
	truth_stack(&truth, &(struct truth_stack) { .points = 2 }, &frame[2], 1);
	check_folded(&truth, "h 2\ng;f;f 3\n", 0);
}
END_TEST

/* What was interrupted goes on at its own address, and what returns there was not called either. */
START_TEST(what_was_interrupted_is_named_by_its_address)
{
	const struct truth_frame frame[] = { { 0, f }, { 0, g }, { 0, h } };
	struct truth_bytes truth = { 0 };

	describe(&truth, true);
	truth_stack(&truth, &(struct truth_stack) { .points = 1, .interrupts = 1 }, frame, 3);
	check_folded(&truth, "h;g;f 1\n", 0);
}
END_TEST

/* The file was made anew since: its names are not those of the code that ran. */
START_TEST(names_of_another_build_are_not_taken)
{
	const struct truth_frame frame[] = { { 0, f + 1 }, { 0, g + 1 } };
	struct truth_bytes truth = { 0 };

	describe(&truth, false);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 2);
	check_folded(&truth, "[f.so];[f.so] 1\n", 1);
}
END_TEST

/* A file that is gone is missing, whether or not it had a build-id; what never was a file is not. */
START_TEST(files_that_are_missing)
{
	const struct truth_frame frame[] = { { 0, 0x10 }, { 1, 0x10 }, { 2, 0x10 }, { 1, 0x20 } };
	struct truth_bytes truth = { 0 };

	truth_image(&truth, TRUTH_IMAGE_FILE, "/no/such/a", "id", 2);
	truth_image(&truth, TRUTH_IMAGE_FILE, "/no/such/b", "", 0);
	truth_image(&truth, TRUTH_IMAGE_ANONYMOUS, "", "", 0);
	truth_stack(&truth, &(struct truth_stack) { .points = 1 }, frame, 4);
	check_folded(&truth, "[b];[anonymous];[b];[a] 1\n", 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("contexts_name");
	TCase *tcase = tcase_create("contexts_name");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(tcase, begin, end);
	tcase_add_test(tcase, callers_are_named_by_their_calls);
	tcase_add_test(tcase, what_was_interrupted_is_named_by_its_address);
	tcase_add_test(tcase, names_of_another_build_are_not_taken);
	tcase_add_test(tcase, files_that_are_missing);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
