/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * suite_main.c - the program that runs the suite that it is named after: test_NAME
 *
 * By any other name it runs what TEST_SUITE says, which a test hands to whom it starts: itself, as
 * /proc/self/exe, is so the same suite again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"

static struct suite_file *files;

void suite_enter(struct suite_file *file)
{
	file->next = files;
	files = file;
}

static TCase *begin_cases(Suite *suite, const char *name)
{
	TCase *cases = tcase_create(name);

	tcase_set_timeout(cases, SUITE_TIMEOUT_S);
	suite_add_tcase(suite, cases);
	return cases;
}

static void add_part(TCase *cases, const struct suite_part *part)
{
	if (part->timeout_s)
		tcase_set_timeout(cases, part->timeout_s);
	else if (part->once)
		tcase_add_unchecked_fixture(cases, part->setup, part->teardown);
	else if (part->setup || part->teardown)
		tcase_add_checked_fixture(cases, part->setup, part->teardown);
	else
		tcase_add_loop_test(cases, part->test, 0, part->count);
}

int suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_file(const struct suite_file *file)
{
	Suite *suite = suite_create(file->name);
	TCase *cases = NULL;

	for (const struct suite_part *part = file->part; part < file->part + file->part_count;
	     part++)
		if (part->group)
			cases = begin_cases(suite, part->group);
		else
			add_part(cases ? cases : (cases = begin_cases(suite, file->name)), part);
	return suite_run(suite);
}

/* "test_row" and "test_row.plain" are the suite "row". */
static bool is_called(const struct suite_file *file, const char *name)
{
	size_t length = strlen(file->name);

	return !strncmp(name, file->name, length) && (!name[length] || name[length] == '.');
}

/* Stays below what it calls, for tests that walk their own stack. */
__attribute__((optimize("no-optimize-sibling-calls"))) int main(int argc, char **argv)
{
	const char *name = program_invocation_short_name;
	const char *said = !strncmp(name, "test_", 5) ? name + 5 : getenv("TEST_SUITE");

	for (const struct suite_file *file = files; said && file; file = file->next) {
		if (!is_called(file, said))
			continue;
		setenv("TEST_SUITE", file->name, 1);
		return file->program ? file->program(argc, argv) : run_file(file);
	}
	for (const struct suite_file *file = files; file; file = file->next)
		printf("test_%s\n", file->name);
	fprintf(stderr, "call this by one of these names, or with it in TEST_SUITE\n");
	return 2;
}
