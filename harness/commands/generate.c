/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * generate.c - `stackproof generate`: a random program that knows its own result
 *
 * The same seed and options give the same bytes, on any machine. With --flags it prints the flags
 * with which the seed wants to be compiled instead. With --reduce it looks for what can be left out
 * of a program that shows something (generate/generate_reduce.c). scripts/random-programs makes,
 * compiles and compares many.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "corpus/generate/generate.h"
#include "base/cli/options.h"
#include "base/cli/output_file.h"
#include "base/cli/command_line.h"
#include "commands.h"

enum {
	OPTION_DEPTH = 256,
	OPTION_DROP,
	OPTION_FLAGS,
	OPTION_FUNCTIONS,
	OPTION_LANGUAGE,
	OPTION_LEVELS,
	OPTION_REDUCE,
	OPTION_SEED,
	OPTION_TIMEOUT,
};

struct arguments {
	struct generate_options generate;
	const char *output, *flags, *levels;
	struct generate_reducing reducing; /* command NULL: nothing is reduced */
	enum compiler_family family;
	bool seeded;
	bool timed; /* by --timeout */
};

static const struct argp_option options[] = {
	{ "depth", OPTION_DEPTH, "N", 0,
	  "at most so many open calls, 4 to 200 (default: drawn, 8 to 48)", 0 },
	{ "drop", OPTION_DROP, "N[.STEP|.attributes]", OPTION_AGAIN,
	  "without function N, without a step of it, or without its attributes; everything else "
	  "the same",
	  0 },
	{ "flags", OPTION_FLAGS, "gcc|clang", 0,
	  "print the flags that the seed draws for a compiler, and no program", 0 },
	{ "functions", OPTION_FUNCTIONS, "N", 0,
	  "so many functions, 1 to 80 (default: drawn, 6 to 20)", 0 },
	{ "hosted", INTO_FLAG(arguments, generate.hosted), NULL, 0,
	  "a main() for a C library (default: _start, for -static -nostdlib)", 0 },
	{ "language", OPTION_LANGUAGE, "LANGUAGE", 0, "c, the only one", 0 },
	{ "levels", OPTION_LEVELS, "LEVEL,...", 0,
	  "with --flags: of these, one is drawn (default: O0,O1,O2,O3,Os)", 0 },
	{ "output", 'o', "FILE", 0, "(default: standard output)", 0 },
	{ "reduce", OPTION_REDUCE, "COMMAND", 0,
	  "print the smallest program for which a shell's COMMAND, with the program's path for "
	  "{}, ends with the status that it has for the whole one; on standard error what is left",
	  0 },
	{ "seed", OPTION_SEED, "N", 0, "which program; needed", 0 },
	{ "timeout", OPTION_TIMEOUT, "SECONDS", 0,
	  "with --reduce, for COMMAND each time (default: 60)", 0 },
	{ NULL },
};

static unsigned int number_between(struct argp_state *state, const char *text, const char *what,
				   unsigned int first, unsigned int last)
{
	return (unsigned int)option_between(state, text, what, first, last);
}

/* "3", "3.0", "3.attributes". */
static void parse_drop(struct argp_state *state, char *argument, struct generate_options *generate)
{
	char *part = strchr(argument, '.');
	unsigned int function;

	if (part)
		*part++ = '\0';
	function = number_between(state, argument, "--drop", 0, GENERATE_FUNCTIONS_MAX - 1);
	if (!part)
		generate->dropped[function] = true;
	else if (!strcmp(part, "attributes"))
		generate->dropped_attributes[function] = true;
	else
		generate->dropped_steps[function] |=
			(uint8_t)(1u << number_between(state, part, "--drop", 0,
						       FUNCTION_STEPS_MAX - 1));
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
	case OPTION_DROP: parse_drop(state, argument, generate); return 0;
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
	case OPTION_LANGUAGE:
		if (strcmp(argument, "c") != 0)
			argp_error(state, "no programs in '%s' are made, only in c", argument);
		return 0;
	case OPTION_LEVELS:
		check_levels(state, argument);
		arguments->levels = argument;
		return 0;
	case 'o': arguments->output = option_text(state, argument, "-o"); return 0;
	case OPTION_REDUCE:
		arguments->reducing.command = option_text(state, argument, "--reduce");
		if (!generate_command_is_whole(argument))
			argp_error(state, "--reduce: the command needs {}, the program's path");
		return 0;
	case OPTION_TIMEOUT:
		arguments->timed = true;
		arguments->reducing.timeout_ms = option_seconds(state, argument, "--timeout");
		return 0;
	case OPTION_SEED:
		generate->seed = option_number(state, argument, "--seed");
		arguments->seeded = true;
		return 0;
	case ARGP_KEY_ARG: argp_error(state, "'%s' is one argument too many", argument); return 0;
	case ARGP_KEY_END:
		if (!arguments->seeded)
			argp_error(state, "--seed is needed");
		if (arguments->reducing.command && arguments->flags)
			argp_error(state, "--flags prints no program to reduce");
		if (arguments->timed && !arguments->reducing.command)
			argp_error(state, "--timeout is for --reduce: nothing is run");
		return 0;
	default: return option_into(key, argument, state, options);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "--seed N",
	.doc = "Prints a random C program: a graph of functions whose frames differ in everything "
	       "that call frame information must say. It computes a number that is known "
	       "beforehand, "
	       "and its exit status is 0 if that is what came out."
	       "\vWith --reduce the exit status is 77 if there is nothing to show: COMMAND ends "
	       "with 0, can't be run or dies. Let it end with another status where the compiler "
	       "fails: \"gcc -O2 -static -nostdlib -o {}.x {} || exit 9; stackproof compare -- "
	       "{}.x\".",
};

/* ---- --reduce ----------------------------------------------------------------------------- */

static void print_size(const struct generate_size *size)
{
	fprintf(stderr, "%u functions, %u steps, %u with attributes", size->functions, size->steps,
		size->attributes);
}

/* What is left, as the options that make it. */
static void print_reduced(const struct arguments *arguments, const struct generate_reduced *reduced)
{
	fprintf(stderr, "status %d; %u programs tried; ", reduced->status, reduced->tried);
	print_size(&reduced->before);
	fprintf(stderr, " -> ");
	print_size(&reduced->after);
	fputc('\n', stderr);
	print_options(stderr, &arguments->generate);
	fputc('\n', stderr);
}

/* It is the whole one's, or the smallest's, by chance. */
static bool is_steady(const struct generate_reduced *reduced)
{
	if (reduced->again == reduced->status)
		return true;
	fprintf(stderr, "generate --reduce: the command does not end alike each time: ");
	if (reduced->again < 0)
		fprintf(stderr, "of the program that is left it did not end\n");
	else
		fprintf(stderr, "of the program that is left now with status %d\n", reduced->again);
	return false;
}

/* EXIT_OK: generate is the smallest. After a signal what was reached is said. */
static enum exit_status reduce(struct arguments *arguments, struct generate_reduced *ret)
{
	struct error error;

	if (!generate_reduce(&arguments->reducing, &arguments->generate, ret, &error))
		return EXIT_OK;
	error_print(stderr, "generate --reduce", &error);
	if (error.code == ERROR_SYSTEM && error.system_errno == EINTR && ret->status)
		print_reduced(arguments, ret);
	return error.code == ERROR_PROTOCOL	 ? EXIT_SKIPPED
	       : error.code == ERROR_UNAVAILABLE ? EXIT_USAGE
						 : EXIT_ENVIRONMENT;
}

/* Prints what was asked for. */
static enum exit_status print(const struct arguments *arguments, const char *name, FILE *file)
{
	struct error error;

	if (arguments->flags) {
		generate_flags(arguments->generate.seed, arguments->family, arguments->levels,
			       file);
		return EXIT_OK;
	}
	if (!generate_program(&arguments->generate, file, &error))
		return EXIT_OK;
	/* What isn't a write that failed is options that ask for what can't be. */
	error_print(stderr, error.code == ERROR_SYSTEM ? name : NULL, &error);
	return error.code == ERROR_SYSTEM ? EXIT_ENVIRONMENT : EXIT_USAGE;
}

/* The same, in its file. Of standard output main.c says whether all of it was written. */
static enum exit_status print_into(const struct arguments *arguments, struct output_file *output)
{
	const char *name = arguments->output ? arguments->output : "standard output";
	enum exit_status status = print(arguments, name, output->file);
	struct error error;

	/* What was lost earlier is not said again. */
	if (arguments->output && output_file_close(output, !status, &error) && !status) {
		error_print(stderr, NULL, &error);
		return EXIT_ENVIRONMENT;
	}
	return status;
}

int command_generate(int argc, char **argv)
{
	struct arguments arguments = { .levels = "O0,O1,O2,O3,Os", .reducing.timeout_ms = 60000 };
	struct output_file output = { .file = stdout };
	struct generate_reduced reduced;
	struct error error;
	int status = EXIT_OK;

	command_parse(&argp, argc, argv, 0, &arguments);
	if (arguments.output && output_file_open(arguments.output, &output, &error)) {
		error_print(stderr, NULL, &error);
		return EXIT_ENVIRONMENT;
	}
	if (arguments.reducing.command)
		status = reduce(&arguments, &reduced);
	if (status) {
		if (arguments.output)
			output_file_close(&output, false, &error);
		return status;
	}
	status = print_into(&arguments, &output);
	/* Behind the program: who closes standard error early has it all the same. */
	if (arguments.reducing.command && !status) {
		print_reduced(&arguments, &reduced);
		if (!is_steady(&reduced))
			status = EXIT_SKIPPED;
	}
	return status;
}
