/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate.c - `stackproof generate`: a random program that knows its own result
 *
 * The same seed and options give the same bytes, on any machine. With --flags it prints the flags
 * with which the seed wants to be compiled instead. scripts/random-programs makes, compiles and
 * compares many.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "generate/generate.h"
#include "cli/options.h"
#include "harness.h"

enum {
	OPTION_DEPTH = 256,
	OPTION_DROP,
	OPTION_FLAGS,
	OPTION_FUNCTIONS,
	OPTION_HOSTED,
	OPTION_LANGUAGE,
	OPTION_LEVELS,
	OPTION_SEED,
};

static const struct argp_option options[] = {
	{ "depth", OPTION_DEPTH, "N", 0,
	  "at most so many open calls, 4 to 200 (default: drawn, 8 to 48)", 0 },
	{ "drop", OPTION_DROP, "N", 0,
	  "without function N, everything else the same: to make a program smaller that shows "
	  "something",
	  0 },
	{ "flags", OPTION_FLAGS, "gcc|clang", 0,
	  "print the flags that the seed draws for a compiler, and no program", 0 },
	{ "functions", OPTION_FUNCTIONS, "N", 0,
	  "so many functions, 1 to 80 (default: drawn, 6 to 20)", 0 },
	{ "hosted", OPTION_HOSTED, NULL, 0,
	  "a main() for a C library (default: _start, for -static -nostdlib)", 0 },
	{ "language", OPTION_LANGUAGE, "LANGUAGE", 0, "c, the only one", 0 },
	{ "levels", OPTION_LEVELS, "LEVEL,...", 0,
	  "with --flags: of these, one is drawn (default: O0,O1,O2,O3,Os)", 0 },
	{ "output", 'o', "FILE", 0, "(default: standard output)", 0 },
	{ "seed", OPTION_SEED, "N", 0, "which program; needed", 0 },
	{ NULL },
};

struct arguments {
	struct generate_options generate;
	const char *output, *flags, *levels;
	enum compiler_family family;
	bool seeded;
};

static unsigned int number_between(struct argp_state *state, const char *text, const char *what,
				   unsigned int first, unsigned int last)
{
	return (unsigned int)option_between(state, text, what, first, last);
}

/* Every word is a level that gcc and clang have. Blanks separate them, too. */
static void check_levels(struct argp_state *state, const char *list)
{
	static const char *const known[] = { "O0", "O1", "O2", "O3", "Os", "Og", "Oz", "Ofast" };
	char *level[sizeof(known) / sizeof(known[0])], *copy = strdup(list);
	size_t count = sizeof(known) / sizeof(known[0]), last = count;

	if (!copy)
		argp_failure(state, EXIT_ENVIRONMENT, ENOMEM, "--levels");
	if (!list[strspn(list, " ,")])
		argp_error(state, "--levels names none");
	for (char *at = copy; (at = strchr(at, ' '));)
		*at = ',';
	count = option_words(state, copy, "--levels", level, count);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < last && strcmp(level[i], known[k]))
			k++;
		if (k == last)
			argp_error(state, "--levels: '%s' is no level", level[i]);
	}
	free(copy);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct generate_options *generate = &arguments->generate;

	switch (key) {
	case OPTION_DEPTH:
		generate->depth = number_between(state, argument, "--depth", GENERATE_DEPTH_MIN,
						 GENERATE_DEPTH_MAX);
		return 0;
	case OPTION_DROP:
		generate->dropped[number_between(state, argument, "--drop", 0,
						 GENERATE_FUNCTIONS_MAX - 1)] = true;
		return 0;
	case OPTION_FLAGS:
		if (strcmp(argument, "gcc") != 0 && strcmp(argument, "clang") != 0)
			argp_error(state, "--flags takes gcc or clang, not '%s'", argument);
		arguments->flags = argument;
		arguments->family = strcmp(argument, "gcc") ? FAMILY_CLANG : FAMILY_GCC;
		return 0;
	case OPTION_FUNCTIONS:
		generate->functions = number_between(state, argument, "--functions", 1,
						     GENERATE_FUNCTIONS_MAX);
		return 0;
	case OPTION_HOSTED: generate->hosted = true; return 0;
	case OPTION_LANGUAGE:
		if (strcmp(argument, "c") != 0)
			argp_error(state, "no programs in '%s' are made, only in c", argument);
		return 0;
	case OPTION_LEVELS:
		check_levels(state, argument);
		arguments->levels = argument;
		return 0;
	case 'o': arguments->output = option_text(state, argument, "-o"); return 0;
	case OPTION_SEED:
		generate->seed = option_number(state, argument, "--seed");
		arguments->seeded = true;
		return 0;
	case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
	case ARGP_KEY_END:
		if (!arguments->seeded)
			argp_error(state, "--seed is needed");
		return 0;
	default: return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "--seed N",
	.doc = "Prints a random C program: a graph of functions whose frames differ in everything "
	       "that call frame information must say. It computes a number that is known "
	       "beforehand, "
	       "and its exit status is 0 if that is what came out.",
};

int command_generate(int argc, char **argv)
{
	struct arguments arguments = { .levels = "O0,O1,O2,O3,Os" };
	const char *name = "standard output";
	struct error error;
	FILE *file = stdout;
	int status = EXIT_OK;

	argp_err_exit_status = EXIT_USAGE;
	command_parse(&argp, argc, argv, 0, &arguments);
	if (arguments.output) {
		name = arguments.output;
		file = fopen(name, "we");
		if (!file) {
			error_set_errno(&error, "creating it");
			error_print(stderr, name, &error);
			return EXIT_ENVIRONMENT;
		}
	}
	if (arguments.flags) {
		generate_flags(arguments.generate.seed, arguments.family, arguments.levels, file);
	} else if (generate_program(&arguments.generate, file, &error)) {
		/* What isn't a write that failed is options that ask for what can't be. */
		error_print(stderr, error.code == ERROR_SYSTEM ? name : NULL, &error);
		status = error.code == ERROR_SYSTEM ? EXIT_ENVIRONMENT : EXIT_USAGE;
	}
	/* What was lost earlier is not said again by fclose(). Of standard output main.c speaks. */
	bool lost = file != stdout && ferror(file);
	if (file != stdout && (fclose(file) || lost)) {
		error_set_errno(&error, "writing it");
		error_print(stderr, name, &error);
		status = EXIT_ENVIRONMENT;
	}
	return status;
}
