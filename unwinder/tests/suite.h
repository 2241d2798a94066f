/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * suite.h - the cases of a test file, and the program that all test files of a room share
 *
 * A file of tests has no main(): it says SUITE with its cases, or SUITE_MAIN where more than cases is to be done.
 * All files of a folder are linked into one program, `suites` (suite_main.c), and test_NAME is a link to it:
 * the name that it is called by chooses the suite. What a file defines is its own (the build makes its symbols
 * local), so that two files may put different functions in the place of one. A file that must replace a function
 * in other objects, as malloc(), stands alone: ALONE in the Makefile.
 *
 *	SUITE(row,
 *		LOOP(rule_prints, rules),
 *		TEST(register_has_no_name))
 */
#ifndef STACKPROOF_TESTS_SUITE_H
#define STACKPROOF_TESTS_SUITE_H

#include <check.h>
#include <stdbool.h>

/* An old name of libcheck's, which functions under test have, too. */
#undef fail
/* libcheck's, whose pointer only a SUITE_MAIN uses. */
#undef START_TEST
#define START_TEST(name)                                                                           \
	static void name##_fn(int _i CK_ATTRIBUTE_UNUSED);                                         \
	static const TTest name##_ttest = { #name, name##_fn, __FILE__, __LINE__ };                \
	static __attribute__((unused)) const TTest *name = &name##_ttest;                          \
	static void name##_fn(int _i CK_ATTRIBUTE_UNUSED)

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
/* A value in braces as the body of a macro: of bare ones, clang-format gives each a line. */
#define IN_BRACES(...)                                                                             \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

#define SUITE_TIMEOUT_S 120 /* of a case, where the suite says nothing else */

/* One line of a SUITE. */
struct suite_part {
	const char *group; /* here begins another of libcheck's test cases, of that name */
	const TTest *test;
	int count; /* how often it runs, _i says which; 0: it is no test */
	int timeout_s;
	void (*setup)(void), (*teardown)(void);
	bool once; /* setup and teardown: around all, and not around each */
};

/* Runs each element of the array: _i is its index. */
#define LOOP(function, array)	 TIMES(function, COUNT(array))
#define TIMES(function, number)	 IN_BRACES(.test = &function##_ttest, .count = (int)(number))
#define TEST(function)		 TIMES(function, 1)
#define GROUP(name)		 IN_BRACES(.group = #name)
#define TIMEOUT(seconds)	 IN_BRACES(.timeout_s = (seconds))
#define FIXTURE(begin, end)	 IN_BRACES(.setup = begin, .teardown = end)
#define FIXTURE_ONCE(begin, end) IN_BRACES(.setup = begin, .teardown = end, .once = true)

struct suite_file {
	const char *name;
	int (*program)(int argc, char **argv); /* or NULL: */
	const struct suite_part *part;
	unsigned int part_count;
	struct suite_file *next;
};

void suite_enter(struct suite_file *file);
/* Runs a suite that was made by hand, and frees it. The program's exit status. */
int suite_run(Suite *suite);

#define SUITE_ENTER(suite_name, ...)                                                               \
	__attribute__((constructor)) static void suite_enter_##suite_name(void)                    \
	{                                                                                          \
		static struct suite_file suite_own_file = { .name = #suite_name, __VA_ARGS__ };    \
                                                                                                   \
		suite_enter(&suite_own_file);                                                      \
	}

#define SUITE_OF(suite_name, ...)                                                                  \
	static const struct suite_part suite_parts[] = { __VA_ARGS__ };                            \
	SUITE_ENTER(suite_name, .part = suite_parts,                                               \
		    .part_count = sizeof(suite_parts) / sizeof(suite_parts[0]))
/* The name may be a macro's. */
#define SUITE(suite_name, ...) SUITE_OF(suite_name, __VA_ARGS__)

/* The test's own main(int argc, char **argv): what it returns is the exit status. */
#define SUITE_MAIN(suite_name)                                                                     \
	static int suite_program(int argc, char **argv);                                           \
	SUITE_ENTER(suite_name, .program = suite_program)                                          \
	static int suite_program(int argc, char **argv)

#endif
