/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_options.c - values that no command may take silently, as a user types them
 *
 * Each is refused before anything is done: the status is 2, and the message names the option or
 * quotes the value. A value that is accepted and does nothing makes a gate that checks nothing.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "commands/commands.h"
#include "command_output.h"
#include "base/cli/exit_status.h"
#include "base/cli/options.h"
#include "guests/vm/accelerator.h"
#include "guests/vm/vm.h"

#define COUNT_OF(array) (int)(sizeof(array) / sizeof((array)[0]))

static const struct {
	int (*command)(int argc, char **argv);
	const char *arguments[6];
	const char *words; /* of the message */
} refused[] = {
	{ command_table, { "--func=f", "--func=g", "x" }, "--func is given twice" },
	{ command_lint, { "-f", "f", "--function=g", "x" }, "--function is given twice" },
	{ command_lint, { "--baseline=a", "--baseline=b", "x" }, "--baseline is given twice" },
	{ command_lint, { "--confirm", "--confirm=b", "x" }, "--confirm is given twice" },
	{ command_compare, { "--from=f", "--from=g", "x" }, "--from is given twice" },
	{ command_compare, { "--ignore=a", "--ignore=b", "x" }, "--ignore is given twice" },
	{ command_prove, { "--tap=-", "x" }, "--tap takes a file" },
	{ command_lint, { "--junit", "-", "x" }, "--junit takes a file" },
	{ command_lint, { "--sarif=-", "x" }, "--sarif takes a file" },
	{ command_lint, { "--page=-", "x" }, "--page takes a file" },
	{ command_golden, { "chek" }, "did you mean 'check'?" },
	{ command_prove, { "--coverge=3", "x" }, "did you mean '--coverage'?" },
	{ command_prove, { "--tap=a", "x", "--tap=b" }, "--tap is given twice" },
	{ command_score, { "--truth=a", "--truth=b", "x" }, "--truth is given twice" },
	{ command_vm, { "-k", "5.10", "-k5.10", "--", "true" }, "--kernel is given twice" },
	{ command_stat, { "--coverage=9", "--coverage=1", "x" }, "--coverage is given twice" },
	{ command_corpus, { "--cc=a", "--cc=b" }, "--cc is given twice" },
	{ command_lint, { "--step-every=3", "x" }, "--step-every is for --confirm" },
	{ command_lint, { "--step-timeout=3", "--confirm=x" }, "--step-timeout is for --confirm" },
	{ command_lint, { "--from=otel", "x" }, "--from says what a file of --table is" },
	{ command_lint, { "--from=otel", "--table=compact", "x" }, "there is none" },
	{ command_truth, { "--every=5", "x" }, "--every is for --output" },
	{ command_truth, { "--from=f", "--json", "x" }, "--from is for --output" },
	{ command_truth, { "--limit=3", "x" }, "--limit is for --output" },
	{ command_truth, { "--aslr=off", "x" }, "--aslr is for --output" },
	{ command_truth, { "--timeout=3", "--folded", "x" }, "--timeout is for --output" },
	{ command_truth, { "--from=f", "--every=3", "x" }, "--every is for --output" },
	{ command_truth, { "--pass-output", "x" }, "--pass-output is for --output" },
	{ command_truth, { "--bind-now", "x" }, "--bind-now is for --output" },
	{ command_score, { "--timeout=3", "--truth=x", "y" }, "--timeout is for --run" },
	{ command_generate, { "--seed=3", "--timeout=3" }, "--timeout is for --reduce" },
	{ command_table, { "--pc=-1", "x" }, "--pc" },
	{ command_table, { "--pc= 1", "x" }, "--pc" },
	{ command_table, { "--pc=", "x" }, "--pc" },
	{ command_table, { "--pc=1g", "x" }, "1g" },
	{ command_table, { "--func=", "x" }, "--func" },
	{ command_table, { "--func=main", "--pc=1", "x" }, "not both" },
	{ command_table, { "--format=", "x" }, "format" },
	{ command_table, { "--section=.text", "x" }, ".text" },
	{ command_stat, { "--jobs=1x", "x" }, "1x" },
	{ command_stat, { "--jobs=0", "x" }, "--jobs" },
	{ command_stat, { "--jobs=257", "x" }, "257" },
	{ command_stat, { "--jobs= 1", "x" }, "--jobs" },
	{ command_prove, { "--jobs=+1", "x" }, "--jobs" },
	{ command_prove, { "--jobs=100000", "x" }, "--jobs" },
	{ command_prove, { "--every=0", "x" }, "--every" },
	{ command_prove, { "--timeout=0", "x" }, "--timeout" },
	{ command_prove, { "--timeout=4294968", "x" }, "--timeout" },
	{ command_diff, { "--func=", "a", "b" }, "--func" },
	{ command_diff, { "--from=", "a", "b" }, "kind of table" },
	{ command_compare, { "--every=0", "x" }, "--every" },
	{ command_compare, { "--every=-1", "x" }, "--every" },
	{ command_compare, { "--limit=0", "x" }, "--limit" },
	{ command_compare, { "--timeout=0", "x" }, "--timeout" },
	{ command_compare, { "--timeout=99999999999", "x" }, "--timeout" },
	{ command_compare, { "--engine=", "x" }, "--engine" },
	{ command_compare, { "--engine=cfi,", "x" }, "--engine" },
	{ command_compare, { "--engine=cfi,cfi", "x" }, "twice" },
	{ command_compare, { "--engine=cfi,x", "x" }, "'x'" },
	{ command_compare, { "--engine=cfi,fp,fp", "x" }, "'fp' is named twice" },
	{ command_compare, { "--engine=cfi,fp,cfi", "x" }, "'cfi' is named twice" },
	{ command_compare, { "--engine=cfi,,fp", "x" }, "a value of the list is empty" },
	{ command_compare, { "--limit=18446744073709551616", "x" }, "takes a whole number" },
	{ command_table, { "--pc=0x10000000000000000", "x" }, "takes an address" },
	{ command_stat, { "--coverage=", "x" }, "takes a number from 0 to 100" },
	{ command_stat, { "--coverage=100.01", "x" }, "takes a number from 0 to 100" },
	{ command_stat, { "--coverage=1e1", "x" }, "takes a number from 0 to 100" },
	{ command_stat, { "--coverage=-1", "x" }, "takes a number from 0 to 100" },
	{ command_stat, { "--coverage=1.2.3", "x" }, "takes a number from 0 to 100" },
	{ command_compare, { "--from=", "x" }, "--from" },
	{ command_compare, { "--record=", "x" }, "--record" },
	{ command_compare, { "--aslr=yes", "x" }, "--aslr" },
	{ command_witness, { "--timeout=0", "x" }, "--timeout" },
	{ command_witness, { "--timeout=1s", "x" }, "--timeout" },
	{ command_sample, { "--rate=", "x" }, "--rate" },
	{ command_sample, { "--rate=100,100", "x" }, "twice" },
	{ command_sample, { "--rate=0", "x" }, "--rate" },
	{ command_sample, { "--rate=1,2,3,4,5,6,7,8,9", "x" }, "more than 8" },
	{ command_sample, { "--samples=0", "x" }, "--samples" },
	{ command_sample, { "--runs=0", "x" }, "--runs" },
	{ command_sample, { "--drain=0", "x" }, "--drain" },
	{ command_sample, { "--drain=4294967296", "x" }, "--drain" },
	{ command_sample, { "--clock=", "x" }, "--clock" },
	{ command_kernels, { "list", "--refresh" }, "--refresh" },
	{ command_kernels, { "fetch", "--all", "5.10" }, "--all" },
	{ command_vm, { "-k", "", "--", "true" }, "--kernel" },
	{ command_vm, { "-k", ",", "--", "true" }, "--kernel" },
	{ command_vm, { "-k", "5.10,", "--", "true" }, "--kernel" },
	{ command_vm, { "-k", "5.10,5.10", "--", "true" }, "twice" },
	{ command_vm, { "-k", "5.10", "--file=", "--", "true" }, "--file" },
	{ command_vm, { "-k", "5.10", "--file=:x", "--", "true" }, ":x" },
	{ command_vm, { "-k", "5.10", "--file=x:", "--", "true" }, "x:" },
	{ command_vm, { "-k", "5.10", "--memory=0", "--", "true" }, "--memory" },
	{ command_vm, { "-k", "5.10", "--memory=1048577", "--", "true" }, "--memory" },
	{ command_load, { "--check=", "--record=x" }, "--check" },
	{ command_load, { "--check=x", "--record=" }, "--record" },
	{ command_load, { "--check=x", "--record=y", "--kernel=5.10" }, "--kernel" },
	{ command_run, { "--kernels=" }, "--kernels" },
	{ command_run, { "--kernels=host,host" }, "twice" },
	{ command_run, { "--kernels=host,5.1O" }, "5.1O" },
	{ command_run, { "--kernels=host,newest" }, "newest" },
	{ command_run, { "--kernels=host,1.0" }, "1.0" },
	{ command_run, { "--engine=" }, "--engine" },
	{ command_run, { "--engine=cfi,walk" }, "walk" },
	{ command_run, { "--engine=cfi,cfi" }, "twice" },
	{ command_run, { "--filter=" }, "--filter" },
	{ command_run, { "--corpus=" }, "--corpus" },
	{ command_run, { "--results=" }, "--results" },
	{ command_run, { "--require=" }, "--require" },
	{ command_run, { "--require=bpf,vn" }, "vn" },
	{ command_run, { "--jobs= 2" }, "--jobs" },
	{ command_run, { "--timeout=4294968" }, "--timeout" },
	{ command_run, { "word" }, "what is \"word\"?" },
	{ command_run, { "--guests=play", "--kernels=5.10" }, "must name host" },
	{ command_report, { "--html=", "x" }, "--html" },
	{ command_report, { "--json" }, "which results folder?" },
	{ command_report, { "--html=-", "--json", "x" }, "one format at a time" },
	{ command_report, { "--toolchains", "--format=tap", "x" }, "text, json or html" },
	{ command_report, { "--toolchains", "--format=junit", "x" }, "text, json or html" },
	{ command_report, { "--corpus=y", "x" }, "are of --toolchains" },
	{ command_report, { "--verbose", "x" }, "are of --toolchains" },
	{ command_report, { "x", "y", "z" }, "two folders at most" },
	{ command_report, { "--corpus=a", "--corpus=b", "x" }, "one --corpus for one folder" },
	{ command_report, { "--corpus=a", "x", "y" }, "--corpus for both folders" },
	{ command_report, { "--format=xml", "x" }, "no format \"xml\"" },
	{ command_generate, { "--depth=4" }, "--seed is needed" },
	{ command_generate, { "--seed=1", "more" }, "'more' is one argument too many" },
	{ command_report, { "--toolchains", "--corpus=", "x" }, "--corpus" },
	{ command_report, { "--format=", "x" }, "format" },
	{ command_golden, { "check", "--golden=" }, "--golden" },
	{ command_golden, { "check", "--corpus=" }, "--corpus" },
	{ command_golden, { "check", "--verdicts=" }, "--verdicts" },
	{ command_golden, { "check", "--candidates=" }, "--candidates" },
	{ command_plant, { "--check=" }, "--check" },
	{ command_plant, { "--check=x", "--jobs=0" }, "--jobs" },
	{ command_plant, { "--check=x", "--per-kind=0" }, "--per-kind" },
	{ command_plant, { "--check=x", "--points=0" }, "--points" },
	{ command_plant, { "--check=x", "--programs=0" }, "--programs" },
	{ command_plant, { "--check=x", "--program=" }, "--program" },
	{ command_plant, { "--check=x", "--func=main" }, "--func" },
	{ command_plant, { "--func=", "--kind=cfa_offset", "-oy", "x" }, "" },
	{ command_generate, { "--seed=" }, "--seed" },
	{ command_generate, { "--seed=1", "-o", "" }, "-o" },
	{ command_generate, { "--seed=1", "--flags=gcc", "--levels=O1,O9" }, "O9" },
	{ command_generate, { "--seed=1", "--flags=gcc", "--levels=O1,O1" }, "twice" },
	{ command_bench, { "--runs=0" }, "--runs" },
	{ command_bench, { "--runs=" }, "--runs" },
	{ command_bench, { "--runs= 1" }, "--runs" },
	{ command_bench, { "--kernel=" }, "--kernel" },
	{ command_bench, { "--programs=" }, "--programs" },
	{ command_bench, { "" }, "figure" },
	{ command_replay, { "--method=", "x" }, "--method" },
};

START_TEST(values_that_are_refused)
{
	char *arguments[8] = { "command" };
	int status;

	/* Parsers cut lists where they are. */
	for (int i = 0; i < 6 && refused[_i].arguments[i]; i++)
		arguments[i + 1] = strdup(refused[_i].arguments[i]);
	FREED char *output = command_output(refused[_i].command, arguments, &status);
	ck_assert_msg(status == EXIT_USAGE && strstr(output, refused[_i].words), "%s %s: %d: %s",
		      refused[_i].arguments[0],
		      refused[_i].arguments[1] ? refused[_i].arguments[1] : "", status, output);
	for (int i = 1; arguments[i]; i++)
		free(arguments[i]);
}
END_TEST

static const struct {
	const char *name;
	bool valid;
} accelerators[] = {
	{ NULL, true },	  { "", true },	     { "tcg", true },  { "kvm", true },
	{ "foo", false }, { "kvm ", false }, { "TCG", false },
};

START_TEST(accelerator_names)
{
	ck_assert_int_eq(accelerator_name_is_valid(accelerators[_i].name), accelerators[_i].valid);
}
END_TEST

static const struct {
	const char *name;
	bool possible;
} kernels[] = {
	{ "5.10", true }, { "7.2", true },     { "6.12.90", true }, { "1.0", false },
	{ "", false },	  { "latest", false }, { "5.1O", false },
};

/* A key says which member a value goes into, and nothing else is written. */
struct into {
	bool flag;
	const char *text;
	unsigned int milliseconds, count;
	uint64_t number, wide;
	/* Of each kind another one. */
	uint64_t wide2, number2;
	unsigned int count2, milliseconds2;
	const char *text2;
	bool flag2;
};

static const struct argp_option into_options[] = {
	{ "short", 's', NULL, 0, "", 0 },
	{ "flag", INTO_FLAG(into, flag), NULL, 0, "", 0 },
	{ "text", INTO_TEXT(into, text), "TEXT", 0, "", 0 },
	{ "seconds", INTO_SECONDS(into, milliseconds), "SECONDS", 0, "", 0 },
	{ "count", INTO_COUNT(into, count), "N", 0, "", 0 },
	{ "number", INTO_NUMBER(into, number), "N", 0, "", 0 },
	{ "wide", INTO_COUNT64(into, wide), "N", 0, "", 0 },
	{ "flag2", INTO_FLAG(into, flag2), NULL, 0, "", 0 },
	{ "text2", INTO_TEXT(into, text2), "TEXT", 0, "", 0 },
	{ "seconds2", INTO_SECONDS(into, milliseconds2), "SECONDS", 0, "", 0 },
	{ "count2", INTO_COUNT(into, count2), "N", 0, "", 0 },
	{ "number2", INTO_NUMBER(into, number2), "N", 0, "", 0 },
	{ "wide2", INTO_COUNT64(into, wide2), "N", 0, "", 0 },
	{ 0 },
};

static const struct {
	const char *name, *value;
	struct into wanted;
} into_cases[] = {
	{ "flag", NULL, { .flag = true } },
	{ "text", "a text", { .text = "a text" } },
	{ "seconds", "7", { .milliseconds = 7000 } },
	{ "count", "4294967295", { .count = UINT32_MAX } },
	{ "number", "0", { .number = 0 } },
	{ "number", "18446744073709551615", { .number = UINT64_MAX } },
	{ "wide", "4294967296", { .wide = 4294967296 } },
	{ "flag2", NULL, { .flag2 = true } },
	{ "text2", "a text", { .text2 = "a text" } },
	{ "seconds2", "4294967", { .milliseconds2 = 4294967000 } },
	{ "count2", "1", { .count2 = 1 } },
	{ "number2", "5", { .number2 = 5 } },
	{ "wide2", "1", { .wide2 = 1 } },
};

START_TEST(values_go_where_the_key_says)
{
	struct into into = { 0 }, wanted = into_cases[_i].wanted;
	struct argp_state state = { .input = &into };
	const struct argp_option *option = into_options;
	char value[32] = "";

	if (into_cases[_i].value)
		strcpy(value, into_cases[_i].value);
	while (strcmp(option->name, into_cases[_i].name))
		option++;
	ck_assert_int_eq(option_into(option->key, value, &state, into_options), 0);
	ck_assert_pstr_eq(into.text, wanted.text);
	ck_assert_pstr_eq(into.text2, wanted.text2);
	into.text = wanted.text = into.text2 = wanted.text2 = NULL;
	ck_assert_mem_eq(&into, &wanted, sizeof(into));
}
END_TEST

/* A value that is refused is said by its own option's name, whichever has one of that kind, too. */
static const struct {
	const char *name, *value, *said;
} into_refused[] = {
	{ "text", "", "--text: the value is empty" },
	{ "text2", "", "--text2: the value is empty" },
	{ "seconds", "0", "--seconds is between 1 and 4294967, not 0" },
	{ "seconds2", "4294968", "--seconds2 is between 1 and 4294967, not 4294968" },
	{ "count", "4294967296", "--count is between 1 and 4294967295, not 4294967296" },
	{ "count2", "0", "--count2 is between 1 and 4294967295, not 0" },
	{ "number2", "x", "--number2 takes a whole number, not 'x'" },
	{ "wide2", "0", "--wide2 is between 1 and 18446744073709551615, not 0" },
};

static error_t parse_into(int key, char *value, struct argp_state *state)
{
	return option_into(key, value, state, into_options);
}

static int read_into(int argc, char **argv)
{
	static const struct argp argp = { .options = into_options, .parser = parse_into };
	struct into into = { 0 };

	argp_err_exit_status = EXIT_USAGE;
	return argp_parse(&argp, argc, argv, 0, NULL, &into);
}

START_TEST(values_are_refused_by_the_option_s_name)
{
	char word[64], *arguments[] = { "command", word, NULL };
	int status;

	snprintf(word, sizeof(word), "--%s=%s", into_refused[_i].name, into_refused[_i].value);
	FREED char *output = command_output(read_into, arguments, &status);
	ck_assert_int_eq(status, EXIT_USAGE);
	ck_assert_msg(strstr(output, into_refused[_i].said) != NULL, "%s", output);
}
END_TEST

/* Whatever it was: an empty one is none to the dynamic loader. */
START_TEST(symbols_are_bound_now)
{
	static const char *const before[] = { NULL, "", "1" };
	struct argp_state state = { .flags = 0 };

	if (before[_i])
		setenv("LD_BIND_NOW", before[_i], 1);
	else
		unsetenv("LD_BIND_NOW");
	option_bind_now(&state);
	ck_assert_str_eq(getenv("LD_BIND_NOW"), "1");
}
END_TEST

START_TEST(keys_of_nothing_are_left_to_others)
{
	static const int keys[] = { 's', 'x', ARGP_KEY_ARG, ARGP_KEY_INIT, ARGP_KEY_END };
	struct argp_state state = { .input = NULL };

	ck_assert_int_eq(option_into(keys[_i], NULL, &state, into_options), ARGP_ERR_UNKNOWN);
}
END_TEST

START_TEST(kernel_names)
{
	ck_assert_int_eq(kernel_is_possible(kernels[_i].name), kernels[_i].possible);
}
END_TEST

SUITE(options, LOOP(values_that_are_refused, refused), LOOP(accelerator_names, accelerators),
      LOOP(values_go_where_the_key_says, into_cases),
      LOOP(values_are_refused_by_the_option_s_name, into_refused), TIMES(symbols_are_bound_now, 3),
      TIMES(keys_of_nothing_are_left_to_others, 5), LOOP(kernel_names, kernels))
