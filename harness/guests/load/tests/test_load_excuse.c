/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_load_excuse.c - a program that was to be loaded and is refused is a failure, and what excuses it
 *
 * The command as a user runs it, with objects that are compiled here; and the rule by itself, for
 * kernels that the tests don't run on.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "bpf_source.h"
#include "base/cli/tests/command_output.h"
#include "base/cli/exit_status.h"
#include "guests/load/load.h"

#define NO_HELPER                                                                                  \
	"static int (*no)(void) = (void *)9999;\n" SECTION("socket") "int f(void *c) { return "    \
								     "no(); }\n"
#define REFUSED SECTION("socket") "int f(long *c) { return *(long *)c[9]; }\n"
#define LOADS	SECTION("socket") "int good(void *c) { return 0; }\n"

#define OPTIONS(...) .options = { __VA_ARGS__ }

/* Whoever asks for a program wants it to load. */
static const struct {
	const char *name, *source, *options[2];
	int status, failures, skipped; /* JUnit's */
	const char *says;
} asked[] = {
	{ "lacks_a_helper", NO_HELPER LOADS LICENSE, .status = EXIT_FINDINGS, .failures = 1,
	  .says = "#9999" },
	{ "refused", REFUSED LOADS LICENSE, .status = EXIT_FINDINGS, .failures = 1,
	  .says = "does not load" },
	{ "may_be_refused", REFUSED LOADS LICENSE, OPTIONS("--optional=f"), .status = EXIT_OK,
	  .skipped = 1, .says = "no failure: --optional" },
	{ "may_lack_a_helper_also_strictly", NO_HELPER LOADS LICENSE,
	  OPTIONS("--optional=tried/[e-g]", "--strict"), .status = EXIT_OK, .skipped = 1,
	  .says = "no failure: --optional" },
	{ "another_may_be_refused", REFUSED LOADS LICENSE, OPTIONS("--optional=good"),
	  .status = EXIT_FINDINGS, .failures = 1, .says = "does not load" },
	{ "all_may_be_refused_and_are", REFUSED LICENSE, OPTIONS("--optional=*"),
	  .status = EXIT_SKIPPED, .skipped = 1, .says = "nothing was checked" },
	{ "nobody_has_the_name", LOADS LICENSE, OPTIONS("--optional=g*", "--optional=walk/good"),
	  .status = EXIT_BAD_INPUT, .says = "--optional walk/good: no program has such a name" },
};

START_TEST(test_who_asks_wants_it_to_load)
{
	char name[] = "stackproof load", junit[sizeof(path) + 16], file[sizeof(path)], first[64],
	     second[64], total[64], text[4096] = "", *output;
	char *arguments[] = { name, junit, file, NULL, NULL, NULL };
	int status;
	FILE *report;

	if (!may_load())
		return;
	compile(asked[_i].source);
	snprintf(junit, sizeof(junit), "--junit=%s.xml", path);
	strcpy(file, path);
	for (int i = 0; i < 2 && asked[_i].options[i]; i++)
		arguments[3 + i] = strcpy(i ? second : first, asked[_i].options[i]);
	output = command_output(command_load, arguments, &status);
	ck_assert_msg(status == asked[_i].status, "%s: status %d: %s", asked[_i].name, status,
		      output);
	ck_assert_msg(strstr(output, asked[_i].says) != NULL, "%s: %s", asked[_i].name, output);
	free(output);
	report = fopen(junit + strlen("--junit="), "re");
	ck_assert_ptr_nonnull(report);
	text[fread(text, 1, sizeof(text) - 1, report)] = '\0';
	fclose(report);
	unlink(junit + strlen("--junit="));
	snprintf(total, sizeof(total), " failures=\"%d\"", asked[_i].failures);
	ck_assert_msg(strstr(text, total) != NULL, "%s: %s", asked[_i].name, text);
	snprintf(total, sizeof(total), " skipped=\"%d\"", asked[_i].skipped);
	ck_assert_msg(strstr(text, total) != NULL, "%s: %s", asked[_i].name, text);
}
END_TEST

/* What excuses a refusal, by who brought the program and what the kernel has. */
static const struct {
	const char *name, *method;
	enum load_outcome outcome;
	bool built_in, loops, optional;
	enum load_excuse excuse;
} excuses[] = {
	{ "ours_that_is_not_used_here", "bpf_loop", LOAD_NO, true, false, false, LOAD_UNUSED },
	{ "ours_without_its_helper", "bpf_loop", LOAD_NO_HELPER, true, false, false, LOAD_UNUSED },
	{ "ours_that_is_used_here", "bpf_loop", LOAD_NO, true, true, false, LOAD_NO_EXCUSE },
	{ "ours_that_takes_its_place", "tail_calls", LOAD_NO, true, false, false, LOAD_NO_EXCUSE },
	{ "ours_that_does_not_go_round", "plain", LOAD_NO_HELPER, true, false, false,
	  LOAD_NO_EXCUSE },
	{ "a_file_s", "bpf_loop", LOAD_NO, false, false, false, LOAD_NO_EXCUSE },
	{ "a_file_s_without_its_helper", "bpf_loop", LOAD_NO_HELPER, false, false, false,
	  LOAD_NO_EXCUSE },
	{ "a_file_s_that_may_be_refused", "plain", LOAD_NO, false, true, true, LOAD_OPTIONAL },
	{ "ours_that_may_be_refused", "bpf_loop", LOAD_NO, true, false, true, LOAD_OPTIONAL },
	{ "it_may_be_refused_and_loads", "plain", LOAD_YES, false, true, true, LOAD_NO_EXCUSE },
	{ "not_used_here_and_loads", "bpf_loop", LOAD_YES, true, false, false, LOAD_NO_EXCUSE },
};

START_TEST(test_excuses)
{
	struct load_result result = { .outcome = excuses[_i].outcome };
	enum load_excuse got;

	strcpy(result.method, excuses[_i].method);
	got = load_excuse(&result, excuses[_i].built_in, excuses[_i].loops, excuses[_i].optional);
	ck_assert_msg(got == excuses[_i].excuse, "%s: \"%s\"", excuses[_i].name,
		      load_excuse_name(got));
}
END_TEST

/* Of what notes changes only what traces a function of the kernel's. */
START_TEST(test_what_may_be_spared)
{
	struct load_result result = { .object = "task_notes",
				      .program = "note_move",
				      .method = "plain",
				      .outcome = LOAD_NO };

	ck_assert_int_eq(load_excuse(&result, true, true, false), LOAD_SPARED);
	ck_assert_int_eq(load_excuse(&result, false, true, false), LOAD_NO_EXCUSE);
	strcpy(result.program, "note_exec");
	ck_assert_int_eq(load_excuse(&result, true, true, false), LOAD_NO_EXCUSE);
}
END_TEST

/* A name that another one says, too, is met as well. */
START_TEST(test_each_name_is_met)
{
	struct load_optional optional = { 0 };
	const struct load_result result = { .object = "tried", .program = "f" };

	ck_assert(!load_optional_add(&optional, "f*") && !load_optional_add(&optional, "g") &&
		  !load_optional_add(&optional, "tried/f"));
	ck_assert(load_optional_has(&optional, &result));
	ck_assert(optional.name[0].met && !optional.name[1].met && optional.name[2].met);
	/* Nor is it met no more because the next program has another name. */
	const struct load_result next = { .object = "other", .program = "g" };
	const struct load_result last = { .object = "tried", .program = "h" };

	ck_assert(load_optional_has(&optional, &next) && !load_optional_has(&optional, &last));
	ck_assert(optional.name[0].met && optional.name[1].met && optional.name[2].met);
	static const char *const names[] = { "", "optional", "unused", "spared", "?" };
	for (int i = 0; i < COUNT(names); i++)
		ck_assert_str_eq(load_excuse_name((enum load_excuse)i), names[i]);
	load_optional_deinit(&optional);
}
END_TEST

SUITE(load_excuse, GROUP(rule), LOOP(test_excuses, excuses), TEST(test_what_may_be_spared),
      TEST(test_each_name_is_met), GROUP(objects), FIXTURE(set_up, tear_down),
      LOOP(test_who_asks_wants_it_to_load, asked))
