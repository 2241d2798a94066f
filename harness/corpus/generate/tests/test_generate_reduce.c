/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_generate_reduce.c - a program that shows something becomes one that shows nothing else
 *
 * What is to be shown is a word of its source, so that no compiler is needed: what is left must have
 * it, and from what is left nothing more can be taken.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "corpus/generate/generate.h"
#include "base/cli/exit_status.h"

static char *text_of(const struct generate_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct error error;

	if (generate_program(options, file, &error)) {
		fclose(file);
		free(text);
		return NULL;
	}
	ck_assert(!fclose(file));
	return text;
}

/* By seeds whose programs have the word: how much of it is left. */
static const struct word_case {
	const char *word;
	uint64_t seed;
	unsigned int functions, steps, attributes;
} words[] = {
	{ "__builtin_alloca", 1, 1, 1, 0 },
	{ "__builtin_alloca", 3, 1, 1, 0 },
	{ "switch ((x >>", 9, 1, 1, 0 },
	{ "ms_abi", 3, 1, 0, 1 },
	{ "kept3", 3, 1, 1, 0 },
};

START_TEST(what_is_left_shows_it_and_nothing_else)
{
	const struct word_case *test = &words[_i];
	struct generate_options options = { .seed = test->seed }, less;
	char command[200], *text;
	struct generate_reducing reducing = { .command = command, .timeout_ms = 60000 };
	struct generate_reduced reduced;
	struct error error;

	snprintf(command, sizeof(command), "if grep -qF '%s' {}; then exit 5; fi", test->word);
	ck_assert_msg(!generate_reduce(&reducing, &options, &reduced, &error), "%s", error.message);
	ck_assert_int_eq(reduced.status, 5);
	ck_assert_uint_gt(reduced.before.functions, 5);
	ck_assert_uint_gt(reduced.before.steps, reduced.before.functions);
	ck_assert_uint_gt(reduced.before.attributes, 0);
	ck_assert_msg(reduced.after.functions == test->functions &&
			      reduced.after.steps == test->steps &&
			      reduced.after.attributes == test->attributes,
		      "%s: %u functions, %u steps, %u attributes", test->word,
		      reduced.after.functions, reduced.after.steps, reduced.after.attributes);
	ck_assert_uint_gt(reduced.tried, 3);
	text = text_of(&options);
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text, test->word));
	free(text);
	for (unsigned int f = 0; f < reduced.before.functions; f++) {
		less = options;
		less.dropped[f] = true;
		text = text_of(&less);
		ck_assert(options.dropped[f] || !text || !strstr(text, test->word));
		free(text);
	}
}
END_TEST

static const struct refused_case {
	const char *name, *command;
	enum error_code code;
	const char *says;
} refused[] = {
	{ "nothing_to_show", "test -s {}", ERROR_PROTOCOL, "there is nothing to show" },
	{ "no_such_command", "no_such_command_at_all {}", ERROR_PROTOCOL,
	  "status 127: it was not found" },
	{ "not_a_program", "/dev/null {}", ERROR_PROTOCOL, "status 126: it was not found" },
	{ "it_dies", "kill -9 $$; {}", ERROR_PROTOCOL, "status 137: it died of a signal" },
	{ "it_hangs", "sleep 1000; {}", ERROR_TIMEOUT, "the command ran longer than 0 s" },
};

START_TEST(a_command_that_shows_nothing_is_refused)
{
	const struct refused_case *test = &refused[_i];
	struct generate_reducing reducing = { .command = test->command,
					      .timeout_ms = test->code == ERROR_TIMEOUT ? 50
											: 60000 };
	struct generate_options options = { .seed = 3 };
	struct generate_reduced reduced;
	struct error error;

	ck_assert_int_eq(generate_reduce(&reducing, &options, &reduced, &error), -1);
	ck_assert_int_eq(error.code, test->code);
	ck_assert_msg(strstr(error.message, test->says) != NULL, "%s: %s", test->name,
		      error.message);
	ck_assert_uint_eq(reduced.tried, 1);
	ck_assert(!options.dropped[0] && !options.dropped_steps[0]);
}
END_TEST

/* Programs on which it hangs later are none that show it. */
START_TEST(a_command_that_hangs_later_costs_its_time_alone)
{
	struct generate_reducing reducing = {
		.command = "grep -q 'f0(u64' {} || sleep 1000; exit 5", .timeout_ms = 300
	};
	struct generate_options options;
	struct generate_reduced reduced;
	struct error error;
	int status;

	/* On a busy machine grep, too, may need more. */
	do {
		options = (struct generate_options) { .seed = 3, .functions = 3 };
		status = generate_reduce(&reducing, &options, &reduced, &error);
		ck_assert(!status || error.code == ERROR_TIMEOUT);
		reducing.timeout_ms *= 2;
	} while (status && reducing.timeout_ms < 100000);
	ck_assert_msg(!status, "%s", error.message);
	ck_assert_int_eq(reduced.status, 5);
	ck_assert(!options.dropped[0]);
	ck_assert(options.dropped[1] || options.dropped[2]);
}
END_TEST

/* Left out, everything else stays. */
START_TEST(steps_and_attributes_are_left_out)
{
	struct generate_options options = { .seed = 3 };
	struct graph whole, less;
	struct error error;

	ck_assert_int_eq(graph_draw(&options, &whole, &error), 0);
	ck_assert_uint_ge(whole.function[0].steps, 2);
	options.dropped_steps[0] = 1;
	options.dropped_attributes[12] = true;
	ck_assert_int_eq(graph_draw(&options, &less, &error), 0);
	ck_assert_uint_eq(less.function[0].steps, whole.function[0].steps - 1);
	ck_assert_ptr_eq(less.function[0].step[0].kind, whole.function[0].step[1].kind);
	ck_assert_uint_eq(less.function[0].step[0].key[0], whole.function[0].step[1].key[0]);
	ck_assert_uint_ne(whole.function[12].attributes, 0);
	ck_assert_uint_eq(less.function[12].attributes, 0);
	ck_assert_uint_eq(less.function[11].attributes, whole.function[11].attributes);
	options.dropped_steps[0] = (uint8_t)(1u << whole.function[0].steps);
	ck_assert_int_eq(graph_draw(&options, &less, &error), -1);
	ck_assert_msg(strstr(error.message, "function 0 has no such step to drop") != NULL, "%s",
		      error.message);
}
END_TEST

/* 3 the first times, as a file beside the program remembers, and then 4. */
#define FLAKY "f={}n; echo >>$f; [ $(wc -l <$f) -lt 3 ] && exit 3; exit 4"

static const struct line_case {
	const char *name;
	const char *argument[8];
	int status;
	const char *says;
} lines[] = {
	{ "no_place", { "--seed", "1", "--reduce", "true" }, EXIT_USAGE, "needs {}" },
	{ "no_program",
	  { "--seed", "1", "--reduce", "{}", "--flags", "gcc" },
	  EXIT_USAGE,
	  "no program to reduce" },
	{ "nothing", { "--seed", "1", "--reduce", "true {}" }, EXIT_SKIPPED, "nothing to show" },
	{ "no_such_function",
	  { "--seed", "1", "--functions", "2", "--drop", "2.attributes" },
	  EXIT_USAGE,
	  "no function 2 to drop" },
	{ "no_such_part", { "--seed", "1", "--drop", "1.x" }, EXIT_USAGE, "--drop takes" },
	{ "no_such_step", { "--seed", "1", "--drop", "1.8" }, EXIT_USAGE, "between 0 and 7" },
	{ "it_says_what_is_left",
	  { "--seed", "7", "--drop", "0.attributes", "--reduce", "test -s {} && exit 3" },
	  EXIT_OK,
	  "--drop 0 " },
	{ "it_does_not_end_alike_each_time",
	  { "--seed", "3", "--functions", "1", "--reduce", FLAKY },
	  EXIT_SKIPPED,
	  "does not end alike" },
	{ "no_place_for_it",
	  { "--seed", "3", "-o", "/dev/null/x", "--reduce", "test -s {} && exit 3" },
	  EXIT_ENVIRONMENT,
	  "/dev/null/x" },
	{ "as_written",
	  { "--seed", "3", "--drop", "0.1", "--drop", "1" },
	  EXIT_OK,
	  "generate --seed 3 --drop 0.1 --drop 1\n" },
};

START_TEST(the_command_line_is_checked)
{
	const struct line_case *test = &lines[_i];
	char name[] = "generate", copy[8][80], *arguments[10] = { name };
	int status;

	for (int i = 0; i < 8 && test->argument[i]; i++) {
		snprintf(copy[i], sizeof(copy[i]), "%s", test->argument[i]);
		arguments[i + 1] = copy[i];
	}
	FREED char *output = command_output(command_generate, arguments, &status);

	ck_assert_msg(status == test->status, "%s: status %d: %s", test->name, status, output);
	ck_assert_msg(strstr(output, test->says) != NULL, "%s: %.300s", test->name, output);
}
END_TEST

SUITE(generate_reduce, TIMEOUT(600), LOOP(what_is_left_shows_it_and_nothing_else, words),
      LOOP(a_command_that_shows_nothing_is_refused, refused),
      TEST(a_command_that_hangs_later_costs_its_time_alone),
      TEST(steps_and_attributes_are_left_out), LOOP(the_command_line_is_checked, lines))
