/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_program_main.h - the test program that judges programs[] (lint_program_fixture.h), and nothing else
 *
 * To be included behind them, with LINT_SUITE, its name.
 */
#ifndef STACKPROOF_LINT_PROGRAM_MAIN_H
#define STACKPROOF_LINT_PROGRAM_MAIN_H

#include "tests/suite.h"
#include "lint_program_fixture.h"

START_TEST(a_program_is_judged)
{
	const struct lint_program *test = &programs[_i];
	char path[] = "/tmp/test_lint_program.XXXXXX", *text = NULL;
	struct said said = { NULL };
	const struct lint_watch watch = { .finding = say, .context = &said };
	struct lint_counts counts;
	struct image *image;
	struct cfi *cfi;
	struct error error;
	size_t size;
	int file = mkstemp(path);

	ck_assert_int_ge(file, 0);
	close(file);
	link_program(path, test);
	ck_assert_int_eq(image_create(path, &image, &error), 0);
	ck_assert_int_eq(cfi_create(image, &cfi, &error), 0);
	said = (struct said) { open_memstream(&text, &size), cfi };
	ck_assert_int_eq(lint_image(cfi, NULL, &watch, &counts, &error), 0);
	say_counts(said.file, &counts);
	fclose(said.file);
	ck_assert_msg(!strcmp(text, test->expected), "%s:\n%s\nexpected:\n%s", test->rule, text,
		      test->expected);
	free(text);
	cfi_destroy(cfi);
	image_destroy(image);
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

SUITE(LINT_SUITE, LOOP(a_program_is_judged, programs))

#endif
