/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_host.c - real children that end well, badly, late, or leave someone behind
 */
#include <check.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "commands/run.h"

static const struct child_case {
	const char *name;
	const char *script;
	unsigned timeout_ms;
	int exit_code;
	const char *out;
	const char *err;
} child_cases[] = {
	{ "streams_are_apart", "echo out; echo err >&2; exit 1", 10000, 1, "out\n", "err\n" },
	{ "no_input", "read line; echo $?", 10000, 0, "1\n", "" },
	{ "killed_is_128_and_the_signal", "kill -SEGV $$", 10000, 128 + SIGSEGV, "", "" },
	{ "hang_is_ended", "echo before; exec sleep 60", 300, 124, "before\n", "" },
	{ "ignores_term_is_ended", "trap '' TERM; while :; do :; done", 300, 124, "", "" },
	{ "left_behind_holds_the_pipe", "sleep 5 & echo done; exit 3", 10000, 3, "done\n", "" },
	{ "closed_streams", "exec >&- 2>&-; sleep 0.2; exit 4", 10000, 4, "", "" },
};

START_TEST(test_child)
{
	const struct child_case *c = &child_cases[_i];
	char shell[] = "/bin/sh", flag[] = "-c", script[256];
	char *argv[] = { shell, flag, script, NULL };
	struct output out = { 0 }, err = { 0 };
	struct error error = { 0 };
	int exit_code = -1;
	double start = monotonic_seconds();

	snprintf(script, sizeof(script), "%s", c->script);
	int status = host_compare(argv, -1, c->timeout_ms, &out, &err, &exit_code, &error);
	ck_assert_msg(!status, "%s: %s", c->name, error.message);
	ck_assert_msg(exit_code == c->exit_code, "%s: exit %d", c->name, exit_code);
	ck_assert_msg(out.size == strlen(c->out) &&
			      (!out.size || !memcmp(out.data, c->out, out.size)),
		      "%s: stdout %.*s", c->name, (int)out.size, out.data);
	ck_assert_msg(err.size == strlen(c->err) &&
			      (!err.size || !memcmp(err.data, c->err, err.size)),
		      "%s: stderr %.*s", c->name, (int)err.size, err.data);
	ck_assert_msg(monotonic_seconds() - start < 4, "%s: too slow", c->name);
	output_deinit(&out);
	output_deinit(&err);
}
END_TEST

START_TEST(test_much_output_on_both_streams)
{
	char shell[] = "/bin/sh", flag[] = "-c",
	     script[] = "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2";
	char *argv[] = { shell, flag, script, NULL };
	struct output out = { 0 }, err = { 0 };
	struct error error = { 0 };
	int exit_code = -1;

	ck_assert_int_eq(host_compare(argv, -1, 20000, &out, &err, &exit_code, &error), 0);
	ck_assert_int_eq(exit_code, 0);
	ck_assert_uint_eq(out.size, 1000000);
	ck_assert_uint_eq(err.size, 1000000);
	output_deinit(&out);
	output_deinit(&err);
}
END_TEST

START_TEST(test_no_such_program)
{
	char program[] = "/nonexistent/program";
	char *argv[] = { program, NULL };
	struct output out = { 0 }, err = { 0 };
	struct error error = { 0 };
	int exit_code = -1;

	ck_assert_int_eq(host_compare(argv, -1, 1000, &out, &err, &exit_code, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

START_TEST(test_child_gets_its_cpu_and_the_parent_keeps_its_own)
{
	char shell[] = "/bin/sh", flag[] = "-c",
	     script[] = "grep Cpus_allowed_list /proc/self/status | tr -dc 0-9,-";
	char *argv[] = { shell, flag, script, NULL };
	struct output out = { 0 }, err = { 0 };
	struct error error = { 0 };
	cpu_set_t before, after;
	int exit_code = -1, cpu = sched_getcpu();
	char expected[16];

	sched_getaffinity(0, sizeof(before), &before);
	ck_assert_int_eq(host_compare(argv, cpu, 10000, &out, &err, &exit_code, &error), 0);
	sched_getaffinity(0, sizeof(after), &after);
	ck_assert(CPU_EQUAL(&before, &after));
	snprintf(expected, sizeof(expected), "%d", cpu);
	ck_assert_uint_eq(out.size, strlen(expected));
	ck_assert_mem_eq(out.data, expected, out.size);
	output_deinit(&out);
	output_deinit(&err);
}
END_TEST

START_TEST(test_output_is_cut)
{
	struct output output = { 0 };
	char *megabyte = calloc(1, 1 << 20);

	for (int i = 0; i < 65; i++)
		output_add(&output, megabyte, 1 << 20);
	ck_assert_uint_eq(output.size, OUTPUT_BYTES_MAX);
	ck_assert(output.cut);
	output_deinit(&output);
	free(megabyte);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("run_host");
	TCase *tcase = tcase_create("run_host");

	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, test_child, 0, sizeof(child_cases) / sizeof(child_cases[0]));
	tcase_add_test(tcase, test_much_output_on_both_streams);
	tcase_add_test(tcase, test_no_such_program);
	tcase_add_test(tcase, test_child_gets_its_cpu_and_the_parent_keeps_its_own);
	tcase_add_test(tcase, test_output_is_cut);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
