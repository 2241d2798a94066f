/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_bench_figures.c - figures of `bench` as they are printed, but for what a machine decides
 *
 * One run each, of those that take little time. In what is expected # is a number: no speed is
 * judged. How many frames a walk has is no speed. A figure that can't
 * be had here is a skip, with its reason.
 */
#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "base/cli/tests/command_output.h"
#include "engines/external/tests/external_points.h"
#include "base/cli/exit_status.h"

#define STACKS "bpf_get_stack over frame pointers"
#define WALK(frames, with)                                                                         \
	"a walk: # ns for " frames " frames without frame pointers (#; # not in the memo), "       \
	"# ns for " with " with; # mappings"
#define PLACED                                                                                     \
	"five libraries, libc and the loader are new. Walked # ms after the exec. In between: "    \
	"until the exec's events are read # ms, reading mappings # ms, opening images and making " \
	"tables # ms, placing"
#define LIBC "/#/libc.so.6"
#define LOOKUP_                                                                                    \
	"; the same rules at all 65536 before; # ns that the loop takes are taken off both; # "    \
	"entries, # plain rows"

static const struct {
	const char *name, *unit, *reference, *note; /* note: how it begins */
	bool cost;				    /* the ratio is value by reference */
} figures[] = {
	{ "walk_one_image", "ns/frame", STACKS, WALK("104.0", "102.0"), true },
	{ "walk_five_images", "ns/frame", STACKS, WALK("104.0", "102.0"), true },
	{ "walk_one_image_new", "ns/frame", STACKS, WALK("104.0", "102.0"), true },
	{ "walk_recursion", "ns/frame", STACKS, WALK("104.0", "102.0"), true },
	{ "walk_shallow", "ns/frame", STACKS, WALK("14.0", "12.0"), true },
	{ "walk_deep", "ns/frame", STACKS, WALK("1004.0", "127.0"), true },
	{ "walk_fixed", "ns/walk", STACKS,
	  "then # ns a frame without frame pointers, # with: # times (the line through depths 10 "
	  "and "
	  "100)",
	  true },
	{ "first_stack", "ms", "the first stack of bpf_get_stack, which needs no tables", PLACED,
	  true },
	{ "kernel_memory", "MiB", "64 MiB",
	  "room for 300 processes, each with 40 mappings of # images. Of it 119 bytes for each "
	  "process "
	  "and # for each of its mappings, and in the arrays # bytes of tables for each image (# "
	  "MiB)",
	  true },
	{ "tracer_steps", "steps/s", "a program that single-steps itself",
	  "the tracer alone, no engine", true },
	{ "engine_so", "points/s", "a bare round trip of as many bytes",
	  "a shared object: it answers with two frames, and has 4096 bytes of the stack with each "
	  "point; in batches of 64 # points/s",
	  true },
	{ "engine_protocol", "points/s", "a bare round trip of as many bytes",
	  "a program that speaks lines: it answers with two frames, and has 4096 bytes of the "
	  "stack "
	  "with each point; in batches of 64 # points/s",
	  true },
	{ "table_size_libc", "bytes/row", "plain sorted rows",
	  LIBC ": # CFI rows in # bytes: # pages #, # entries #, shapes of # rows #, # rules and "
	       "markers #, # places #; plain: # stretches of one rule",
	  false },
	{ "lookup_bpf_warm_libc", "ns/PC", "plain sorted rows, in BPF",
	  "64 random PCs of " LIBC ", again and again" LOOKUP_, false },
	{ "lookup_bpf_random_libc", "ns/PC", "plain sorted rows, in BPF",
	  "65536 random PCs of " LIBC ", one after the other" LOOKUP_, false },
};

/* Beside the tests' folder. */
static void programs_of(char *ret, size_t size)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	ck_assert_int_gt(length, 0);
	self[length] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = '\0';
	snprintf(ret, size, "--programs=%s/bench", self);
}

/* Does text begin as is expected? # is a number, or a word where a number or a path may differ. */
static bool fits(const char *text, const char *expected)
{
	for (; *expected; expected++) {
		if (*expected != '#') {
			if (*text++ != *expected)
				return false;
			continue;
		}
		const char *begin = text;
		while (*text && *text != expected[1] && *text != '\n')
			text++;
		if (text == begin)
			return false;
		if (expected[1] == '/') /* of a path as many folders as there are */
			while (strchr(text + 1, '/') && strncmp(text, expected + 1, 5) != 0)
				text = strchr(text + 1, '/');
	}
	return true;
}

static const char *text_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static double number_of(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

START_TEST(figure_is_printed)
{
	char programs[PATH_MAX + 32], name[64];
	char *arguments[] = { "bench", "--json", "--runs=1", programs, name, NULL };
	int status;

	programs_of(programs, sizeof(programs));
	snprintf(name, sizeof(name), "%s", figures[_i].name);
	set_engine_host();
	char *output = command_output(command_bench, arguments, &status);
	/* Without BPF, or without time for the program that is walked. */
	if (status == EXIT_SKIPPED || strstr(output, "\"reason\":\"timeout\"")) {
		printf("SKIP: %s", output);
		free(output);
		return;
	}
	json_t *object = json_loads(output, 0, NULL);
	ck_assert_msg(status == EXIT_OK && object, "%d: %s", status, output);
	ck_assert_str_eq(text_of(object, "type"), "bench");
	ck_assert_str_eq(text_of(object, "name"), figures[_i].name);
	ck_assert_str_eq(text_of(object, "unit"), figures[_i].unit);
	ck_assert_str_eq(text_of(object, "reference"), figures[_i].reference);
	ck_assert_int_eq(number_of(object, "runs"), 1);
	ck_assert_msg(fits(text_of(object, "note"), figures[_i].note), "%s: %s", figures[_i].name,
		      text_of(object, "note"));
	double value = number_of(object, "value"), reference = number_of(object, "reference_value");
	double ratio = number_of(object, "ratio");
	ck_assert_msg(value > 0 && reference > 0 && ratio > 0, "%s", output);
	ck_assert_msg(value < 1e9 && reference < 1e9 && ratio < 1e9, "%s", output);
	/* A walk's ratio is that of whole walks: their frames are almost as many. */
	double expected = figures[_i].cost ? value / reference : reference / value;
	ck_assert_msg(ratio > 0.8 * expected && ratio < 1.25 * expected, "%s: %s", figures[_i].name,
		      output);
	json_decref(object);
	free(output);
}
END_TEST

/* As text, four lines and an empty one. Blanks before a number are as many as it needs. */
START_TEST(figure_as_text)
{
	char *arguments[] = { "bench", "--runs=1", "table_size_libc", NULL };
	int status;
	FREED char *output = command_output(command_bench, arguments, &status);

	ck_assert_int_eq(status, EXIT_OK);
	char *to = output;
	for (const char *from = output; *from; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	ck_assert_msg(fits(output, "table_size_libc # bytes/row\n # bytes/row (plain sorted rows)\n"
				   " # times smaller\n " LIBC ": # CFI rows in # bytes: "),
		      "%s", output);
}
END_TEST

SUITE(bench_figures, TIMEOUT(600), LOOP(figure_is_printed, figures), TEST(figure_as_text))
