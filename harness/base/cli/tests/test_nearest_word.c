/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_nearest_word.c - what a misspelled command or option was meant to be, which option came twice, and
 * what is left alone
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/nearest_word.h"
#include "base/cli/options.h"
#include "base/cli/command_line.h"

static const struct {
	const char *a, *b;
	unsigned int distance;
} distances[] = {
	{ "", "", 0 },
	{ "a", "", 1 },
	{ "compare", "compare", 0 },
	{ "comapre", "compare", 1 },
	{ "compar", "compare", 1 },
	{ "kernel", "kernels", 1 },
	{ "repaly", "replay", 1 },
	{ "kitten", "sitting", 3 },
	{ "ab", "ba", 1 },
	{ "table", "stat", 4 },
};

START_TEST(distance_is_that_of_damerau)
{
	ck_assert_uint_eq(word_distance(distances[_i].a, distances[_i].b, 10),
			  distances[_i].distance);
	ck_assert_uint_eq(word_distance(distances[_i].b, distances[_i].a, 10),
			  distances[_i].distance);
}
END_TEST

/* What is longer than any word is nobody's neighbour. */
START_TEST(long_words_are_far)
{
	char word[42];

	memset(word, 'a', sizeof(word));
	word[40] = '\0';
	ck_assert_uint_eq(word_distance(word, word, 3), 0);
	ck_assert_uint_eq(word_distance(word, word + 1, 3), 1);
	word[40] = 'a';
	word[41] = '\0';
	ck_assert_uint_eq(word_distance(word, word + 1, 3), 4);
	ck_assert_uint_eq(word_distance(word + 1, word, 3), 4);
	ck_assert_uint_eq(word_distance(word + 1, word + 1, 3), 0);
	ck_assert_uint_eq(word_distance("", "abc", 9), 3);
	ck_assert_uint_eq(word_distance("", "", 9), 0);
}
END_TEST

static const struct {
	const char *wanted, *nearest;
} words[] = {
	{ "comapre", "compare" }, { "replya", "replay" },
	{ "krenels", "kernels" }, { "x", NULL },
	{ "something", NULL },	  { "", NULL },
	{ "staat", "stat" },	  { "stable", "table" },
	{ "replax", "replay" },	  { "tabel", "table" },
};

START_TEST(nearest_is_found_if_it_is_near)
{
	static const char *const all[] = { "compare", "replay", "kernels", "stat", "table" };
	struct nearest_word nearest = { NULL, 0 };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		nearest_word_add(&nearest, words[_i].wanted, all[i]);
	if (words[_i].nearest)
		ck_assert_pstr_eq(nearest.word, words[_i].nearest);
	else
		ck_assert_ptr_null(nearest.word);
}
END_TEST

static error_t parse(int key, char *argument, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG && !strcmp(argument, "bad"))
		return EINVAL;
	return key == 'v' || key == 'f' || key == 'a' || key == ARGP_KEY_ARG ? 0 : ARGP_ERR_UNKNOWN;
}

static error_t parse_child(int key, char *argument, struct argp_state *state)
{
	return key == 'j' || key == 'c' ? 0 : ARGP_ERR_UNKNOWN;
}

/* What is neither a misspelled option nor one that came twice reaches argp. */
static const struct {
	const char *argument[4];
	bool in_order;
	const char *said; /* "": it is taken */
} lines[] = {
	{ { "--verbsoe" }, false, "did you mean '--verbose'?" },
	{ { "--fiel=x" }, false, "did you mean '--file'?" },
	{ { "x", "--verbsoe" }, false, "did you mean '--verbose'?" },
	{ { "x", "--verbsoe" }, true, "unrecognized option" },
	{ { "--verbsoe" }, true, "did you mean '--verbose'?" },
	{ { "-v", "--verbsoe" }, true, "did you mean '--verbose'?" },
	{ { "--verb" }, false, "" },
	{ { "--file", "--verbsoe" }, false, "" },
	{ { "-f", "--verbsoe" }, false, "" },
	{ { "--file=x", "--verbsoe" }, false, "did you mean '--verbose'?" },
	{ { "--", "--verbsoe" }, false, "" },
	{ { "bad", "--verbsoe" }, true, "prog: the command line: Invalid argument" },
	{ { "bad" }, false, "prog: the command line: Invalid argument" },
	{ { "--zzzzzzzz" }, false, "unrecognized option '--zzzzzzzz'" },
	{ { "--jnuit=x" }, false, "did you mean '--junit'?" },
	{ { "--versoin" }, false, "unrecognized option '--versoin'" },
	{ { "--file=x", "--file=y" }, false, "prog: --file is given twice" },
	{ { "--file=x", "--file=x" }, false, "--file is given twice" },
	{ { "--file", "x", "-fy" }, false, "--file is given twice" },
	{ { "-vfx", "x", "--fi=y" }, false, "--file is given twice" },
	{ { "--file=x", "--file=y" }, true, "--file is given twice" },
	{ { "--junit=x", "-v", "--junit=y" }, false, "--junit is given twice" },
	{ { "--check=x", "--check" }, false, "--check is given twice" },
	{ { "--file=x", "--file=y", "--zzzzzzzz" }, false, "--file is given twice" },
	{ { "--file=x", "--", "--file=y" }, false, "" },
	{ { "--file", "--file=x" }, false, "" },
	{ { "--file=x", "x", "--file=y" }, true, "" },
	{ { "--also=x", "--also=y", "-ax" }, false, "" },
	{ { "-v", "--verbose", "-vv" }, false, "" },
	{ { "--check=x", "--junit=x", "-vvfx" }, false, "" },
	{ { "--file=x", "--junit=x", "--file=y" }, false, "--file is given twice" },
	{ { "--check=x", "--file=y", "--check=z" }, false, "--check is given twice" },
	{ { "-fx", "-jx", "-jy" }, false, "--junit is given twice" },
	/* argp's own options are known, too; who asks for help is told nothing else. */
	{ { "--hlep" }, false, "did you mean '--help'?" },
	{ { "--usaeg" }, false, "did you mean '--usage'?" },
	{ { "--help", "--file=x", "--file=y" }, false, "" },
	{ { "--file=x", "--file=y", "--help" }, false, "--file is given twice" },
};

START_TEST(what_is_meant_is_named)
{
	static const struct argp_option options[] = {
		{ "verbose", 'v', NULL, 0, "", 0 },
		{ "file", 'f', "FILE", 0, "", 0 },
		{ "also", 'a', "FILE", OPTION_AGAIN, "", 0 },
		{ 0 },
	};
	static const struct argp_option child_options[] = {
		{ "junit", 'j', "FILE", 0, "", 0 },
		{ "check", 'c', "FILE", OPTION_ARG_OPTIONAL, "", 0 },
		{ 0 },
	};
	static const struct argp child = { .options = child_options, .parser = parse_child };
	static const struct argp_child children[] = { { &child, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.children = children,
	};
	char *argv[6] = { strdup("prog") }, text[512] = "";
	int argc = 1, ends[2], status;

	while (argc < 5 && lines[_i].argument[argc - 1]) {
		argv[argc] = strdup(lines[_i].argument[argc - 1]);
		argc++;
	}
	ck_assert(!pipe(ends));
	pid_t pid = fork();
	if (!pid) {
		dup2(ends[1], 2);
		ck_assert_ptr_nonnull(freopen("/dev/null", "w", stdout)); /* where help goes */
		argp_err_exit_status = EXIT_USAGE;
		/* In order, what follows the first argument is not ours: this one stops there. */
		command_parse(&argp, argc, argv, lines[_i].in_order ? ARGP_IN_ORDER : 0, NULL);
		_exit(0);
	}
	close(ends[1]);
	for (size_t used = 0; used < sizeof(text) - 1;) {
		ssize_t n = read(ends[0], text + used, sizeof(text) - 1 - used);

		if (n <= 0)
			break;
		used += (size_t)n;
	}
	close(ends[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), lines[_i].said[0] ? EXIT_USAGE : 0);
	if (lines[_i].said[0])
		ck_assert_msg(strstr(text, lines[_i].said) != NULL, "line %d: %s", _i, text);
	else
		ck_assert_str_eq(text, "");
	for (int i = 0; i < argc; i++)
		free(argv[i]);
}
END_TEST

SUITE(nearest_word, LOOP(distance_is_that_of_damerau, distances), TEST(long_words_are_far),
      LOOP(nearest_is_found_if_it_is_near, words), LOOP(what_is_meant_is_named, lines))
