/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_console.c - recorded console logs, and what they must be found to say
 *
 * The logs lie in console_cases/; panic_sysrq, oom_kill, clean_boot and the first lines of
 * fault_of_a_program were recorded from guests, the others follow the kernel's format strings. Each
 * is fed whole and byte by byte: what is seen must not depend on how the bytes came.
 */
#include <check.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vm/console.h"

#define LOG_MAX 65536

struct console_case {
	const char *name; /* of the log */
	unsigned count[CONSOLE_EVENT_COUNT];
	const char *panic; /* how the panic line begins */
};

static const struct console_case cases[] = {
	{ "clean_boot_5_10", { 0 }, "" },
	{ "fault_of_a_program", { 0 }, "" },
	{ "general_protection", { [CONSOLE_GENERAL_PROTECTION] = 2 }, "" },
	{ "hung_task", { [CONSOLE_HUNG_TASK] = 2 }, "" },
	{ "oom_kill_7_2", { [CONSOLE_OOM_KILL] = 1 }, "" },
	{ "oops_null_pointer", { [CONSOLE_BUG] = 1, [CONSOLE_OOPS] = 1 }, "" },
	{ "panic_after_oops",
	  { [CONSOLE_BUG] = 1, [CONSOLE_OOPS] = 1, [CONSOLE_PANIC] = 1 },
	  "Kernel panic - not syncing: Fatal exception" },
	{ "panic_sysrq_5_10",
	  { [CONSOLE_PANIC] = 1 },
	  "Kernel panic - not syncing: sysrq triggered crash" },
	{ "panic_sysrq_7_2",
	  { [CONSOLE_PANIC] = 1 },
	  "Kernel panic - not syncing: sysrq triggered crash" },
	{ "panic_without_newline",
	  { [CONSOLE_PANIC] = 1 },
	  "Kernel panic - not syncing: Attempted to kill init!" },
	{ "prose_is_no_event", { 0 }, "" },
	{ "rcu_stall", { [CONSOLE_RCU_STALL] = 2 }, "" },
	{ "soft_lockup", { [CONSOLE_SOFT_LOCKUP] = 2 }, "" },
	{ "warning", { [CONSOLE_WARNING] = 2 }, "" },
};

static size_t read_log(const char *name, char *ret)
{
	char here[] = __FILE__, path[512];
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/console_cases/%s.log", dirname(here), name);
	file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s is missing", path);
	size = fread(ret, 1, LOG_MAX, file);
	fclose(file);
	ck_assert_msg(size > 0 && size < LOG_MAX, "%s: %zu bytes", path, size);
	return size;
}

static void check_case(const struct console_case *test, const char *log, size_t size, size_t step)
{
	struct console console = { 0 };

	for (size_t i = 0; i < size; i += step)
		console_feed(&console, log + i, size - i < step ? size - i : step);
	console_finish(&console);
	for (int i = 0; i < CONSOLE_EVENT_COUNT; i++)
		ck_assert_msg(console.count[i] == test->count[i],
			      "%s, %zu bytes at a time: %u of %s, expected %u (first event: %s)",
			      test->name, step, console.count[i],
			      console_event_name((enum console_event)i), test->count[i],
			      console.first);
	ck_assert_msg(!strncmp(console.panic, test->panic, strlen(test->panic)) &&
			      !console.panic[0] == !test->panic[0],
		      "%s: panic is \"%s\"", test->name, console.panic);
}

START_TEST(log_is_judged)
{
	char *log = malloc(LOG_MAX);
	size_t size = read_log(cases[_i].name, log);

	check_case(&cases[_i], log, size, size);
	check_case(&cases[_i], log, size, 1);
	check_case(&cases[_i], log, size, 7);
	free(log);
}
END_TEST

START_TEST(tail_keeps_the_last_whole_lines)
{
	struct console console = { 0 };
	char tail[64], line[32];

	for (int i = 0; i < 1000; i++) {
		snprintf(line, sizeof(line), "line %d\r\n", i);
		console_feed(&console, line, strlen(line));
	}
	console_tail(&console, tail, sizeof(tail));
	ck_assert_str_eq(tail, "line 994\nline 995\nline 996\nline 997\nline 998\nline 999\n");
}
END_TEST

START_TEST(tail_of_little_is_everything)
{
	struct console console = { 0 };
	char tail[64];

	console_feed(&console, "a\033[2J\nb", 7);
	console_tail(&console, tail, sizeof(tail));
	ck_assert_str_eq(tail, "a[2J\nb");
}
END_TEST

START_TEST(endless_line_is_judged_by_its_beginning)
{
	struct console console = { 0 };

	console_feed(&console, "BUG: ", 5);
	for (int i = 0; i < 100000; i++)
		console_feed(&console, "x", 1);
	console_feed(&console, "\nBUG: y\n", 8);
	ck_assert_uint_eq(console.count[CONSOLE_BUG], 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("console");
	TCase *tests = tcase_create("console");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, log_is_judged, 0, (int)(sizeof(cases) / sizeof(*cases)));
	tcase_add_test(tests, tail_keeps_the_last_whole_lines);
	tcase_add_test(tests, tail_of_little_is_everything);
	tcase_add_test(tests, endless_line_is_judged_by_its_beginning);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
