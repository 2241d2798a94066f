/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_lane.c - the host's lane with real processes, and how it is cut into batches
 *
 * A shell plays compare: what it does with a binary is in the binary's name.
 */
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "host_lane.h"

/* Real processes through real pipes. One whose time is up ends so; when that is: test_run_host_wait.c. */
static int shell_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	static const char script[] =
		"while [ \"$1\" != -- ]; do shift; done; shift\n"
		"mark() { echo \"$1\"; echo \"$1\" >&2; }\n"
		"for i; do\n"
		"	mark '{\"type\":\"begin\",\"program\":\"'$i'\"}'\n"
		"	echo said of ${i##*/} >&2\n"
		"	case $i in\n"
		"	*crash*) kill -SEGV $$ ;;\n"
		"	*hang*) exit 124 ;;\n"
		"	*slow*) sleep 1.2 ;;\n"
		"	esac\n"
		"	echo '{\"type\":\"verdicts\",\"points\":5}'\n"
		"	mark '{\"type\":\"end\",\"program\":\"'$i'\",\"status\":0}'\n"
		"done\n";
	const char *argv[64] = { "/bin/sh", "-c", script, "sh" };
	struct child_options shell = *options;

	ck_assert_uint_gt(options->timeout_ms, LANE_TIMEOUT_MS);
	for (size_t i = 0; options->argv[i]; i++)
		argv[4 + i] = options->argv[i];
	shell.argv = (char *const *)argv;
	shell.timeout_ms = 600000;
	return host_compare(&shell, ret_exit, error);
}

static const struct shell_case {
	const char *name;
	const char *binaries;
	const char *statuses;
	const char *about; /* this binary's ... */
	const char *reason;
	const char *message; /* stderr, "|" for newlines */
} shell_cases[] = {
	{ "crash", "a crash c d", "PEPP", "crash", "killed by signal 11", "said of crash|" },
	{ "hang", "a hang c", "PEP", "c", "", "said of c|" },
	{ "last_hangs", "a hang", "PE", "hang", "did not end in time", "said of hang|" },
	{ "time_is_each_ones", "a slow", "PP", "slow", "", "said of slow|" },
};

START_TEST(test_processes)
{
	static const struct run_backend backend = { .compare = shell_compare };
	const struct shell_case *c = &shell_cases[_i];
	char corpus[] = "/tmp/test_run.XXXXXX", folder[] = "/tmp/test_run.XXXXXX";
	char statuses[LANE_BINARIES_MAX + 1];
	struct results results DEINIT(results_deinit);

	make_corpus(corpus, c->binaries);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	run_host(&results, corpus, folder, &backend);
	letters(&results, statuses);
	ck_assert_msg(!strcmp(statuses, c->statuses), "%s: %s", c->name, statuses);
	const struct cell *cell = cell_of(&results, c->about);
	ck_assert_msg(strstr(cell->reason, c->reason), "%s: \"%s\"", c->name, cell->reason);
	check_message(c->name, c->about, folder, c->message);
	for (size_t i = 0; i < results.cell_count; i++) {
		bool slow = strstr(results.cell[i].binary, "slow");

		cell = &results.cell[i];
		ck_assert_msg(cell->seconds > 0 && (!slow || cell->seconds > 1.1),
			      "%s: %s took %g s", c->name, cell->binary, cell->seconds);
	}
	remove_tree(corpus);
	remove_tree(folder);
}
END_TEST

/* The backend of a lane, and what it has seen. */
struct counter {
	struct run_backend backend; /* first: a child finds its counter by it */
	char sizes[256];	    /* how many binaries each process was given */
};

static void say(const struct child_options *options, enum run_stream stream, const char *type,
		const char *program)
{
	char text[512];

	snprintf(text, sizeof(text), "{\"type\":\"%s\",\"program\":\"%s\",\"points\":5}\n", type,
		 program);
	options->on_output(options->context, stream, text, strlen(text));
}

/* All is well with each. */
static int counting_compare(const struct child_options *options, int *ret_exit, struct error *error)
{
	const struct batch *batch = options->context;
	struct counter *counter = (struct counter *)batch->run->backend;
	char *const *binary = options->argv;
	size_t count = 0, used = strlen(counter->sizes);

	while (strcmp(*binary, "--") != 0)
		binary++;
	while (*++binary) {
		for (int stream = 0; stream < RUN_STREAM_COUNT; stream++) {
			say(options, stream, "begin", *binary);
			if (stream == RUN_STDOUT)
				say(options, stream, "verdicts", *binary);
			say(options, stream, "end", *binary);
		}
		count++;
	}
	snprintf(counter->sizes + used, sizeof(counter->sizes) - used, "%s%zu", used ? " " : "",
		 count);
	*ret_exit = 0;
	return 0;
}

/* Batches end where the programs begin that bind at once. */
static const struct size_case {
	size_t lazy, at_once;
	const char *sizes;
} size_cases[] = {
	{ 1, 0, "1" },		 { 5, 0, "5" },
	{ 60, 0, "30 15 12 3" }, { 100, 3, "51 26 13 10 3" },
	{ 0, 30, "15 12 3" },	 { 180, 0, "64 58 29 14 12 3" },
};

START_TEST(test_sizes)
{
	const struct size_case *c = &size_cases[_i];
	char corpus[] = "/tmp/test_run.XXXXXX", folder[] = "/tmp/test_run.XXXXXX";
	char list[2048] = "";
	struct results results DEINIT(results_deinit);

	for (size_t i = 0, used = 0; i < c->lazy + c->at_once; i++)
		used += snprintf(list + used, sizeof(list) - used, "%c%zu ",
				 i < c->lazy ? 'l' : 'x', i);
	make_corpus(corpus, list);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	struct counter counter = { .backend = { .compare = counting_compare } };

	run_host(&results, corpus, folder, &counter.backend);
	ck_assert_str_eq(counter.sizes, c->sizes);
	for (size_t i = 0; i < results.cell_count; i++)
		ck_assert_int_eq(results.cell[i].status, CELL_PASSED);
	remove_tree(corpus);
	remove_tree(folder);
}
END_TEST

static const struct share_case {
	const char *name;
	size_t left;
	unsigned jobs;
	size_t share;
} share_cases[] = {
	{ "half_of_a_workers_share", 262, 2, 65 },
	{ "no_fewer_than_are_worth_a_load", 40, 2, 12 },
	{ "but_each_worker_gets_some", 16, 2, 8 },
	{ "odd_ones_out", 9, 2, 5 },
	{ "few_go_to_one_worker", 6, 4, 4 },
	{ "no_more_than_are_left", 3, 8, 3 },
	{ "one_worker", 12, 1, 12 },
	{ "many_workers", 100000, 1024, 48 },
};

START_TEST(test_share)
{
	const struct share_case *c = &share_cases[_i];
	size_t share = batch_share(c->left, c->jobs);

	ck_assert_msg(share == c->share, "%s: %zu", c->name, share);
}
END_TEST

SUITE(run_lane, LOOP(test_processes, shell_cases), LOOP(test_sizes, size_cases),
      LOOP(test_share, share_cases))
