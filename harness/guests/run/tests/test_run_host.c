/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_host.c - real children that end well, badly, or leave someone behind
 */
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/run/run.h"

/* None comes to it: what time does is in test_run_host_wait.c. */
#define LIMIT_MS 120000

struct collected {
	struct output stream[RUN_STREAM_COUNT];
};

static bool collect(void *context, enum run_stream stream, const void *data, size_t size)
{
	struct collected *collected = context;

	output_add(&collected->stream[stream], data, size);
	return true;
}

static bool is_text(const struct output *output, const char *text)
{
	return output->size == strlen(text) &&
	       (!output->size || !memcmp(output->data, text, output->size));
}

static int run_shell(const char *script, int cpu, struct collected *ret, int *ret_exit,
		     struct error *error)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct child_options options = {
		.argv = (char *const *)argv,
		.cpu = cpu,
		.timeout_ms = LIMIT_MS,
		.on_output = collect,
		.context = ret,
	};

	*ret = (struct collected) { 0 };
	return host_compare(&options, ret_exit, error);
}

static void collected_deinit(struct collected *collected)
{
	output_deinit(&collected->stream[RUN_STDOUT]);
	output_deinit(&collected->stream[RUN_STDERR]);
}

static const struct child_case {
	const char *name;
	const char *script;
	int exit_code;
	const char *out, *err;
} child_cases[] = {
	{ "streams_are_apart", "echo out; echo err >&2; exit 1", 1, "out\n", "err\n" },
	{ "no_input", "read line; echo $?", 0, "1\n", "" },
	{ "killed_is_128_and_the_signal", "kill -SEGV $$", 128 + SIGSEGV, "", "" },
	{ "closed_streams", "exec >&- 2>&-; sleep 0.2; exit 4", 4, "", "" },
};

START_TEST(test_child)
{
	const struct child_case *c = &child_cases[_i];
	struct collected collected;
	struct error error = { 0 };
	int exit_code = -1;
	int status = run_shell(c->script, -1, &collected, &exit_code, &error);
	ck_assert_msg(!status, "%s: %s", c->name, error.message);
	ck_assert_msg(exit_code == c->exit_code, "%s: exit %d", c->name, exit_code);
	ck_assert_msg(is_text(&collected.stream[RUN_STDOUT], c->out), "%s: stdout %.*s", c->name,
		      (int)collected.stream[RUN_STDOUT].size, collected.stream[RUN_STDOUT].data);
	ck_assert_msg(is_text(&collected.stream[RUN_STDERR], c->err), "%s: stderr %.*s", c->name,
		      (int)collected.stream[RUN_STDERR].size, collected.stream[RUN_STDERR].data);
	collected_deinit(&collected);
}
END_TEST

/* Its end counts, and not that of the pipe, which somebody else holds open and never closes. */
START_TEST(test_left_behind_holds_the_pipe)
{
	struct collected collected;
	struct error error = { 0 };
	struct output *out = &collected.stream[RUN_STDOUT];
	int exit_code = -1;

	ck_assert_int_eq(run_shell("exec 2>/dev/null; sleep 1000 & echo $!; exit 3", -1, &collected,
				   &exit_code, &error),
			 0);
	ck_assert_int_eq(exit_code, 3);
	output_add(out, "", 1);
	ck_assert_msg(!kill((pid_t)strtol((char *)out->data, NULL, 10), SIGKILL), "%s", out->data);
	collected_deinit(&collected);
}
END_TEST

START_TEST(test_much_output_on_both_streams)
{
	struct collected collected;
	struct error error = { 0 };
	int exit_code = -1;

	ck_assert_int_eq(run_shell("head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2", -1,
				   &collected, &exit_code, &error),
			 0);
	ck_assert_int_eq(exit_code, 0);
	ck_assert_uint_eq(collected.stream[RUN_STDOUT].size, 1000000);
	ck_assert_uint_eq(collected.stream[RUN_STDERR].size, 1000000);
	collected_deinit(&collected);
}
END_TEST

START_TEST(test_no_such_program)
{
	char program[] = "/nonexistent/program";
	char *argv[] = { program, NULL };
	struct collected collected = { 0 };
	struct child_options options = { .argv = argv,
					 .cpu = -1,
					 .timeout_ms = LIMIT_MS,
					 .on_output = collect,
					 .context = &collected };
	struct error error = { 0 };
	int exit_code = -1;

	ck_assert_int_eq(host_compare(&options, &exit_code, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

START_TEST(test_child_gets_its_cpu_and_the_parent_keeps_its_own)
{
	struct collected collected;
	struct error error = { 0 };
	cpu_set_t before, after;
	int exit_code = -1, cpu = sched_getcpu();
	char expected[16];

	sched_getaffinity(0, sizeof(before), &before);
	ck_assert_int_eq(run_shell("grep Cpus_allowed_list /proc/self/status | tr -dc 0-9,-", cpu,
				   &collected, &exit_code, &error),
			 0);
	sched_getaffinity(0, sizeof(after), &after);
	ck_assert(CPU_EQUAL(&before, &after));
	snprintf(expected, sizeof(expected), "%d", cpu);
	ck_assert(is_text(&collected.stream[RUN_STDOUT], expected));
	collected_deinit(&collected);
}
END_TEST

static const struct deadline_case {
	unsigned timeout_ms, deadline_ms;
} deadline_cases[] = {
	{ 0, 30000 },
	{ 1000, 31000 },
	{ 40000, 70000 },
	{ UINT_MAX - 30001, UINT_MAX - 1 },
	{ UINT_MAX - 30000, UINT_MAX },
	{ UINT_MAX - 1, UINT_MAX },
};

START_TEST(test_deadline)
{
	struct run_options options = { .timeout_ms = deadline_cases[_i].timeout_ms };

	ck_assert_uint_eq(host_deadline_ms(&options), deadline_cases[_i].deadline_ms);
}
END_TEST

START_TEST(test_output_is_cut)
{
	struct output output = { 0 };
	FREED char *megabyte = calloc(1, 1 << 20);

	for (int i = 0; i < 65; i++)
		output_add(&output, megabyte, 1 << 20);
	ck_assert_uint_eq(output.size, OUTPUT_BYTES_MAX);
	ck_assert(output.cut);
	output_deinit(&output);
}
END_TEST

SUITE(run_host, TIMEOUT(200), LOOP(test_child, child_cases), TEST(test_left_behind_holds_the_pipe),
      TEST(test_much_output_on_both_streams), TEST(test_no_such_program),
      TEST(test_child_gets_its_cpu_and_the_parent_keeps_its_own),
      LOOP(test_deadline, deadline_cases), TEST(test_output_is_cut))
