/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_generate.c - random programs: the same for ever, within their limits, and right
 *
 * The hashes below are of whole programs: whoever changes what is drawn or printed changes every
 * program that anybody has a seed of, and says so by changing them. That a program's check can
 * fail is tested, too: with a result that is wrong by one it must.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "corpus/generate/generate.h"
#include "base/cli/exit_status.h"

#define COMPILER "gcc-12" /* that builds this, too */

/* ---- the numbers -------------------------------------------------------------------------- */

START_TEST(numbers_are_those_of_splitmix64)
{
	struct random random = { .state = 1234567 };
	/* As published with the algorithm. */
	static const uint64_t first[] = { 6457827717110365317u, 3203168211198807973u,
					  9817491932198370423u, 4593380528125082431u,
					  16408922859458223821u };

	for (int i = 0; i < COUNT(first); i++)
		ck_assert_uint_eq(random_next(&random), first[i]);
}
END_TEST

START_TEST(numbers_stay_in_their_bounds_and_reach_them)
{
	struct random random;
	unsigned int seen = 0;

	random_init(&random, 1, "test");
	for (int i = 0; i < 10000; i++) {
		unsigned int number = random_between(&random, 3, 9);

		ck_assert_uint_ge(number, 3);
		ck_assert_uint_le(number, 9);
		seen |= 1u << number;
	}
	ck_assert_uint_eq(seen, 0x3f8);
}
END_TEST

START_TEST(purposes_are_independent)
{
	struct random one, other;

	random_init(&one, 1, "functions");
	random_init(&other, 1, "roots");
	ck_assert_uint_ne(random_next(&one), random_next(&other));
}
END_TEST

/* ---- programs ----------------------------------------------------------------------------- */

static char *program_text(const struct generate_options *options)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	struct error error;

	ck_assert_ptr_nonnull(file);
	ck_assert_msg(!generate_program(options, file, &error), "%s", error.message);
	fclose(file);
	ck_assert_uint_eq(strlen(text), size);
	return text;
}

/* FNV-1a. */
static uint64_t hash(const char *text)
{
	uint64_t value = 0xcbf29ce484222325;

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * 0x100000001b3;
	return value;
}

static const struct hash_case {
	const char *name;
	struct generate_options options;
	uint64_t hash;
} hashes[] = {
	{ "seed_1", { .seed = 1 }, 0x242f5cdfab6ce9ba },
	{ "seed_2", { .seed = 2 }, 0x95e791197c1e1839 },
	{ "the_last_seed", { .seed = UINT64_MAX }, 0x9af4430ce38dfe40 },
	{ "forty_functions", { .seed = 3, .functions = 40 }, 0x210746f83e77f8eb },
	{ "depth_100", { .seed = 4, .depth = 100 }, 0x89e18705e2fc039d },
	{ "hosted", { .seed = 5, .hosted = true }, 0x4f767991c5a496e5 },
};

START_TEST(a_seed_gives_the_same_bytes)
{
	const struct hash_case *one = &hashes[_i];
	FREED char *text = program_text(&one->options), *again = program_text(&one->options);

	ck_assert_str_eq(text, again);
	ck_assert_msg(hash(text) == one->hash, "%s: 0x%016" PRIx64, one->name, hash(text));
}
END_TEST

static const struct limit_case {
	const char *name;
	unsigned int functions, depth, seeds;
} limits[] = {
	{ "as_drawn", 0, 0, 1000 },
	{ "one_function", 1, 0, 100 },
	{ "two_functions", 2, 0, 100 },
	{ "most_functions", GENERATE_FUNCTIONS_MAX, 0, 60 },
	{ "flat", 0, GENERATE_DEPTH_MIN, 200 },
	{ "deep", 0, GENERATE_DEPTH_MAX, 100 },
	{ "many_and_flat", GENERATE_FUNCTIONS_MAX, GENERATE_DEPTH_MIN, 60 },
	{ "many_and_deep", GENERATE_FUNCTIONS_MAX, GENERATE_DEPTH_MAX, 60 },
};

START_TEST(limits_are_kept_and_every_function_is_executed)
{
	const struct limit_case *one = &limits[_i];

	for (unsigned int seed = 0; seed < one->seeds; seed++) {
		struct generate_options options = { .seed = seed,
						    .functions = one->functions,
						    .depth = one->depth };
		struct graph graph;
		struct worth worth;
		struct error error;

		ck_assert_msg(!graph_draw(&options, &graph, &error), "%s, seed %u: %s", one->name,
			      seed, error.message);
		graph_worth(&graph, &worth);
		ck_assert(!worth.over);
		ck_assert_uint_le(worth.instructions, GENERATE_INSTRUCTIONS_MAX);
		ck_assert_uint_le(worth.depth_max, graph.depth);
		ck_assert_uint_le(worth.stack_max, GENERATE_STACK_MAX);
		ck_assert_uint_eq(worth.depth, 0);
		ck_assert_uint_eq(worth.stack, 0);
		if (one->functions)
			ck_assert_uint_eq(graph.functions, one->functions);
		for (unsigned int f = 0; f < graph.functions; f++)
			ck_assert_msg(worth.calls[f] > 0, "%s, seed %u: f%u is never executed",
				      one->name, seed, f);
	}
}
END_TEST

START_TEST(every_kind_of_step_interface_and_attribute_is_drawn)
{
	unsigned int interfaces = 0, attributes = 0, deep = 0, large = 0;
	unsigned int drawn[64] = { 0 };

	for (unsigned int seed = 0; seed < 300; seed++) {
		struct generate_options options = { .seed = seed };
		struct graph graph;
		struct worth worth;
		struct error error;

		ck_assert(!graph_draw(&options, &graph, &error));
		graph_worth(&graph, &worth);
		deep += worth.depth_max >= 16;
		large += worth.stack_max > 32768;
		for (unsigned int f = 0; f < graph.functions; f++) {
			interfaces |= 1u << graph.function[f].interface;
			attributes |= graph.function[f].attributes;
		}
		for (size_t i = 0; step_kind_at(i); i++)
			drawn[i] += graph_has_step(&graph, step_kind_at(i)->name);
	}
	for (size_t i = 0; step_kind_at(i); i++)
		ck_assert_msg(drawn[i] >= 5, "%s: in %u of 300", step_kind_at(i)->name, drawn[i]);
	ck_assert_uint_eq(interfaces, (1u << (INTERFACE_POINTER + 1)) - 1);
	ck_assert_uint_eq(attributes, (1u << ATTRIBUTE_COUNT) - 1);
	ck_assert_uint_ge(deep, 20);
	ck_assert_uint_ge(large, 30);
}
END_TEST

static uint64_t hash_number(uint64_t value, uint64_t number)
{
	return (value ^ number) * 0x100000001b3;
}

/* The costs decide what is drawn again, so they are of a seed's program for ever, too. */
START_TEST(costs_are_the_same)
{
	uint64_t value = 0xcbf29ce484222325;

	for (unsigned int seed = 0; seed < 300; seed++) {
		struct generate_options options = { .seed = seed };
		struct graph graph;
		struct worth worth;
		struct error error;

		ck_assert(!graph_draw(&options, &graph, &error));
		value = hash_number(value, graph_worth(&graph, &worth));
		value = hash_number(value, worth.instructions);
		value = hash_number(value, worth.stack_max);
		value = hash_number(value, worth.depth_max);
		for (unsigned int f = 0; f < graph.functions; f++)
			value = hash_number(value, worth.calls[f]);
	}
	ck_assert_msg(value == 0x85b6f381898f192c, "0x%016" PRIx64, value);
}
END_TEST

START_TEST(a_dropped_function_is_gone)
{
	for (unsigned int seed = 0; seed < 20; seed++) {
		struct generate_options options = { .seed = seed, .functions = 8 };

		for (unsigned int f = 0; f < 8; f++) {
			char name[16], *text;

			options.dropped[f] = true;
			text = program_text(&options);
			snprintf(name, sizeof(name), "f%u(", f);
			ck_assert_msg(!strstr(text, name), "seed %u: %s", seed, name);
			free(text);
			if (f % 2)
				options.dropped[f] = false;
		}
	}
}
END_TEST

/* ---- compiled ----------------------------------------------------------------------------- */

static int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int run(const char *format, ...)
{
	char command[1024];
	va_list list;
	int status;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	status = system(command);
	ck_assert_msg(WIFEXITED(status), "%s", command);
	return WEXITSTATUS(status);
}

static void write_graph(const char *path, const struct graph *graph, uint64_t expected)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	graph_print(file, graph, expected);
	ck_assert_int_eq(fclose(file), 0);
}

static const struct compile_case {
	const char *name, *flags;
	unsigned int seed, functions;
	bool hosted;
} compiled[] = {
	{ "unoptimised", "-O0 -fno-omit-frame-pointer", 1, 0, false },
	{ "optimised", "-O2", 2, 0, false },
	{ "small", "-Os -fno-pie", 3, 0, false },
	{ "protected", "-O1 -fstack-protector-all -fcf-protection", 4, 0, false },
	{ "probed_and_realigned", "-O2 -fstack-clash-protection -mstackrealign", 5, 0, false },
	{ "many_functions", "-O3 -mno-red-zone", 6, GENERATE_FUNCTIONS_MAX, false },
	{ "one_function", "-O2", 7, 1, false },
	{ "hosted_with_sanitizers", "-O1 -fsanitize=undefined,address -fno-sanitize-recover=all", 8,
	  30, true },
	{ "hosted_with_sanitizers_2", "-O2 -fsanitize=undefined -fno-sanitize-recover=all", 9, 30,
	  true },
};

START_TEST(programs_compile_without_a_warning_and_check_themselves)
{
	const struct compile_case *one = &compiled[_i];
	struct generate_options options = { .seed = one->seed,
					    .functions = one->functions,
					    .hosted = one->hosted };
	char folder[] = "/tmp/test_generate.XXXXXX", path[64];
	const char *link = one->hosted ? "" : "-static -nostdlib";
	struct graph graph;
	struct worth worth;
	struct error error;
	uint64_t expected;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/p.c", folder);
	ck_assert(!graph_draw(&options, &graph, &error));
	expected = graph_worth(&graph, &worth);
	write_graph(path, &graph, expected);
	ck_assert_msg(run(COMPILER " -Wall -Wextra -Werror %s %s -o %s/p %s", one->flags, link,
			  folder, path) == 0,
		      "%s", one->name);
	ck_assert_msg(run("%s/p", folder) == 0, "%s", one->name);
	write_graph(path, &graph, expected + 1);
	ck_assert_int_eq(run(COMPILER " %s %s -o %s/p %s", one->flags, link, folder, path), 0);
	ck_assert_msg(run("%s/p", folder) == 1, "%s: its check can't fail", one->name);
	run("rm -r %s", folder);
}
END_TEST

/* ---- flags, and the command line ---------------------------------------------------------- */

static char *flags_text(uint64_t seed, enum compiler_family family, const char *levels)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(file);
	generate_flags(seed, family, levels, file);
	fclose(file);
	return text;
}

START_TEST(flags_are_of_the_family_and_of_the_levels)
{
	unsigned int levels = 0;

	for (unsigned int seed = 0; seed < 300; seed++) {
		FREED char *gcc = flags_text(seed, FAMILY_GCC, "O0 O2");
		char *again;
		FREED char *clang = flags_text(seed, FAMILY_CLANG, "Os");

		again = flags_text(seed, FAMILY_GCC, "O0 O2");
		ck_assert_str_eq(gcc, again);
		ck_assert_ptr_null(strstr(gcc, "-mllvm"));
		ck_assert_ptr_null(strstr(clang, "-maccumulate-outgoing-args"));
		ck_assert(!strncmp(clang, "-Os ", 4));
		ck_assert(!strncmp(gcc, "-O0 ", 4) || !strncmp(gcc, "-O2 ", 4));
		levels |= 1u << (gcc[2] - '0');
		free(again);
	}
	ck_assert_uint_eq(levels, 5);
}
END_TEST

static const struct line_case {
	const char *name;
	const char *argument[6];
	int status;
	const char *says;
} lines[] = {
	{ "no_seed", { NULL }, EXIT_USAGE, "--seed is needed" },
	{ "seed_is_a_number", { "--seed", "x" }, EXIT_USAGE, "--seed takes a whole number" },
	{ "seed_is_not_negative", { "--seed", "-1" }, EXIT_USAGE, "--seed takes a whole number" },
	{ "no_functions", { "--seed", "1", "--functions", "0" }, EXIT_USAGE, "between 1 and 80" },
	{ "too_many_functions",
	  { "--seed", "1", "--functions", "81" },
	  EXIT_USAGE,
	  "between 1 and" },
	{ "too_deep", { "--seed", "1", "--depth", "201" }, EXIT_USAGE, "between 4 and 200" },
	{ "too_flat", { "--seed", "1", "--depth", "3" }, EXIT_USAGE, "between 4 and 200" },
	{ "no_such_function", { "--seed", "1", "--drop", "80" }, EXIT_USAGE, "between 0 and 79" },
	{ "not_so_many_functions",
	  { "--seed", "1", "--functions", "5", "--drop", "5" },
	  EXIT_USAGE,
	  "no function 5 to drop" },
	{ "only_c", { "--seed", "1", "--language", "rust" }, EXIT_USAGE, "only in c" },
	{ "no_such_family", { "--seed", "1", "--flags", "icc" }, EXIT_USAGE, "gcc or clang" },
	{ "no_levels",
	  { "--seed", "1", "--flags", "gcc", "--levels", "," },
	  EXIT_USAGE,
	  "names none" },
	{ "no_argument", { "--seed", "1", "more" }, EXIT_USAGE, "too many" },
	{ "no_folder",
	  { "--seed", "1", "-o", "/nonexistent/p.c" },
	  EXIT_ENVIRONMENT,
	  "/nonexistent/p.c: No such file" },
	{ "full_disk", { "--seed", "1", "-o", "/dev/full" }, EXIT_ENVIRONMENT, "No space left" },
	{ "a_program", { "--seed", "1", "--language", "c" }, EXIT_OK, "generate --seed 1\n" },
	{ "a_bare_one", { "--seed", "1" }, EXIT_OK, "_start" },
	{ "a_hosted_one", { "--seed", "1", "--hosted" }, EXIT_OK, "int main(void)" },
	{ "flags", { "--seed", "1", "--flags", "clang", "--levels", "O3" }, EXIT_OK, "-O3 " },
};

START_TEST(the_command_line_is_checked)
{
	const struct line_case *one = &lines[_i];
	char name[] = "generate", copy[6][32], *arguments[8] = { name };
	int status;

	for (int i = 0; i < 6 && one->argument[i]; i++) {
		snprintf(copy[i], sizeof(copy[i]), "%s", one->argument[i]);
		arguments[i + 1] = copy[i];
	}
	FREED char *output = command_output(command_generate, arguments, &status);

	ck_assert_msg(status == one->status, "%s: status %d: %s", one->name, status, output);
	ck_assert_msg(strstr(output, one->says) != NULL, "%s: %.300s", one->name, output);
}
END_TEST

SUITE(generate, TEST(numbers_are_those_of_splitmix64),
      TEST(numbers_stay_in_their_bounds_and_reach_them), TEST(purposes_are_independent),
      LOOP(a_seed_gives_the_same_bytes, hashes),
      LOOP(limits_are_kept_and_every_function_is_executed, limits),
      TEST(every_kind_of_step_interface_and_attribute_is_drawn), TEST(costs_are_the_same),
      TEST(a_dropped_function_is_gone),
      LOOP(programs_compile_without_a_warning_and_check_themselves, compiled),
      TIMES(flags_are_of_the_family_and_of_the_levels, 1), LOOP(the_command_line_is_checked, lines))
