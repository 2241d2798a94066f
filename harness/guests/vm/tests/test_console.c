/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_console.c - recorded console logs, and what they must be found to say
 *
 * The logs lie in console_cases/; panic_sysrq, oom_kill, clean_boot and the first lines of
 * fault_of_a_program were recorded from guests, the others follow the kernel's format strings. Each
 * is fed whole and byte by byte: what is seen must not depend on how the bytes came.
 */
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "guests/vm/console.h"

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

/* Of a longer line nothing is left in the next. */
START_TEST(lines_are_apart)
{
	static const char log[] = "123456Kernel panic - not syncing: first\n[ 1.0]\nBUG: x\nB\n";
	struct console console = { 0 };

	console_feed(&console, log, strlen(log));
	console_feed(&console, "Kernel panic", 12);
	console_finish(&console);
	ck_assert_uint_eq(console.count[CONSOLE_PANIC], 0);
	ck_assert_uint_eq(console.count[CONSOLE_BUG], 1);
	ck_assert_uint_eq(console_events(&console), 1);
}
END_TEST

static void check_case(const struct console_case *test, const char *log, size_t size, size_t step)
{
	struct console console = { 0 };

	for (size_t i = 0; i < size; i += step)
		console_feed(&console, log + i, size - i < step ? size - i : step);
	console_finish(&console);
	for (int i = 0; i < CONSOLE_EVENT_COUNT; i++)
		ck_assert_msg(console.count[i] == test->count[i],
			      "%s, %zu bytes at a time: %u of event %d, expected %u", test->name,
			      step, console.count[i], i, test->count[i]);
	ck_assert_msg(!strncmp(console.panic, test->panic, strlen(test->panic)) &&
			      !console.panic[0] == !test->panic[0],
		      "%s: panic is \"%s\"", test->name, console.panic);
}

START_TEST(log_is_judged)
{
	FREED char *log = malloc(LOG_MAX);
	size_t size = read_log(cases[_i].name, log);

	check_case(&cases[_i], log, size, size);
	check_case(&cases[_i], log, size, 1);
	check_case(&cases[_i], log, size, 7);
}
END_TEST

/* One line, and which event it is; CONSOLE_EVENT_COUNT: none. */
static const struct {
	const char *line;
	enum console_event event;
} lines[] = {
	{ "Kernel panic - not syncing: x", CONSOLE_PANIC },
	{ "Kernel panic - x", CONSOLE_EVENT_COUNT },
	{ "general protection fault: 0000", CONSOLE_GENERAL_PROTECTION },
	{ "Oops: general protection fault, x", CONSOLE_GENERAL_PROTECTION },
	{ "Oops: 0002", CONSOLE_OOPS },
	{ "invalid opcode: 0000", CONSOLE_OOPS },
	{ "divide error: 0000", CONSOLE_OOPS },
	{ "stack segment: 0000", CONSOLE_OOPS },
	{ "int3: 0000", CONSOLE_OOPS },
	{ "double fault: 0000", CONSOLE_OOPS },
	{ "watchdog: BUG: soft lockup - x", CONSOLE_SOFT_LOCKUP },
	{ "BUG: soft lockup - x", CONSOLE_SOFT_LOCKUP },
	{ "watchdog: Watchdog detected hard LOCKUP on cpu 1", CONSOLE_SOFT_LOCKUP },
	{ "watchdog: CPU1: hard LOCKUP", CONSOLE_SOFT_LOCKUP },
	{ "watchdog: CPU1: x", CONSOLE_EVENT_COUNT },
	{ "BUG: x", CONSOLE_BUG },
	{ "kernel BUG at x", CONSOLE_BUG },
	{ "UBSAN: x", CONSOLE_BUG },
	{ "list_add corruption. x", CONSOLE_BUG },
	{ "list_del corruption. x", CONSOLE_BUG },
	{ "WARNING: x", CONSOLE_WARNING },
	{ "rcu: INFO: rcu_sched detected stalls", CONSOLE_RCU_STALL },
	{ "rcu: INFO: x", CONSOLE_EVENT_COUNT },
	{ "INFO: rcu_sched self-detected stall", CONSOLE_RCU_STALL },
	{ "INFO: rcu_sched x", CONSOLE_EVENT_COUNT },
	{ "INFO: task a:1 blocked for more than 120 seconds.", CONSOLE_HUNG_TASK },
	{ "INFO: task a:1 blocked in I/O wait for 120 seconds.", CONSOLE_HUNG_TASK },
	{ "INFO: task a:1 x", CONSOLE_EVENT_COUNT },
	{ "Out of memory: Killed process 1", CONSOLE_OOM_KILL },
	{ "Out of memory: x", CONSOLE_EVENT_COUNT },
	{ "Memory cgroup out of memory: Killed process 1", CONSOLE_OOM_KILL },
	{ "Memory cgroup out of memory: x", CONSOLE_EVENT_COUNT },
	/* What stands before it. */
	{ "<4>BUG: x", CONSOLE_BUG },
	{ "<4>[    1.0] BUG: x", CONSOLE_BUG },
	{ "[    1.0][   T71]BUG: x", CONSOLE_BUG },
	{ "[    1.0] [   C1]   BUG: x", CONSOLE_BUG },
	{ "x BUG: x", CONSOLE_EVENT_COUNT },
	{ " BUG: x", CONSOLE_EVENT_COUNT },
	{ "<4BUG: x", CONSOLE_EVENT_COUNT },
	{ "<x>BUG: x", CONSOLE_EVENT_COUNT },
	{ "4>BUG: x", CONSOLE_EVENT_COUNT },
	{ "[]BUG: x", CONSOLE_EVENT_COUNT },
	{ "[xBUG: x", CONSOLE_EVENT_COUNT },
	{ "[1xBUG: x", CONSOLE_EVENT_COUNT },
	{ "[1.0]x BUG: x", CONSOLE_EVENT_COUNT },
	{ "<4hard LOCKUP>watchdog: CPU1: x", CONSOLE_EVENT_COUNT },
	{ "B\rUG: \rx\r", CONSOLE_BUG },
};

START_TEST(line_is_the_event_that_it_begins_like)
{
	const char *line = lines[_i].line;
	bool panic = lines[_i].event == CONSOLE_PANIC;

	for (int ended = 0; ended < 2; ended++) {
		struct console console = { 0 };

		console_feed(&console, line, strlen(line));
		if (ended)
			console_feed(&console, "\0\n", 2);
		console_finish(&console);
		for (int i = 0; i < CONSOLE_EVENT_COUNT; i++)
			ck_assert_msg(console.count[i] == (i == (int)lines[_i].event), "%s", line);
		ck_assert_uint_eq(console_events(&console), lines[_i].event != CONSOLE_EVENT_COUNT);
		ck_assert_str_eq(console.panic, panic ? line : "");
	}
}
END_TEST

START_TEST(events_are_added_up_and_the_first_panic_is_kept)
{
	static const char log[] = "BUG: 1\nWARNING: 2\nWARNING: 3\n"
				  "[    9.0] Kernel panic - not syncing: 4\n"
				  "Kernel panic - not syncing: 5\nx\n";
	struct console console = { 0 };

	console_feed(&console, log, strlen(log));
	console_finish(&console);
	ck_assert_uint_eq(console_events(&console), 5);
	ck_assert_uint_eq(console.count[CONSOLE_PANIC], 2);
	ck_assert_uint_eq(console.count[CONSOLE_WARNING], 2);
	ck_assert_str_eq(console.panic, "Kernel panic - not syncing: 4");
}
END_TEST

/* 511 bytes of a line are looked at. */
START_TEST(long_line_is_judged_by_its_beginning)
{
	static const char begin[] = "INFO: task ", end[] = "blocked in I/O wait";
	const size_t ends = sizeof(begin) - 1 + sizeof(end) - 1;

	for (size_t length = 510; length <= 513; length++) {
		struct console console = { 0 };

		console_feed(&console, begin, sizeof(begin) - 1);
		for (size_t i = ends; i < length; i++)
			console_feed(&console, "x", 1);
		console_feed(&console, end, sizeof(end) - 1);
		console_feed(&console, "yyyyy\nWARNING: z\n", 17);
		ck_assert_uint_eq(console.count[CONSOLE_HUNG_TASK], length <= 511);
		ck_assert_uint_eq(console.count[CONSOLE_WARNING], 1);
		ck_assert_uint_eq(console_events(&console), 1 + (length <= 511));
	}
}
END_TEST

/* What is cut off is cut off behind a newline. */
static const struct {
	size_t size;
	const char *tail;
} tails[] = {
	{ 64, "ab\nc\td\nef\n" },
	{ 11, "ab\nc\td\nef\n" },
	{ 10, "c\td\nef\n" },
	{ 9, "c\td\nef\n" },
	{ 8, "ef\n" },
	{ 5, "ef\n" },
	{ 4, "" },
	{ 2, "" },
	{ 1, "" },
};

START_TEST(tail_has_the_room_that_it_is_given)
{
	struct console console = { 0 };
	char tail[65];

	memset(tail, 'X', sizeof(tail));
	console_feed(&console, "ab\nc\td\nef\n", 10);
	console_tail(&console, tail, tails[_i].size);
	ck_assert_str_eq(tail, tails[_i].tail);
	ck_assert_int_eq(tail[tails[_i].size], 'X');
}
END_TEST

START_TEST(tail_is_of_the_last_4096_bytes)
{
	for (size_t size = CONSOLE_TAIL_MAX - 1; size <= CONSOLE_TAIL_MAX + 1; size++) {
		static char tail[2 * CONSOLE_TAIL_MAX];
		struct console console = { 0 };

		console_feed(&console, "1\n", 2);
		for (size_t i = 2; i < size - 1; i++)
			console_feed(&console, "x", 1);
		console_feed(&console, "\n", 1);
		console_tail(&console, tail, sizeof(tail));
		ck_assert_uint_eq(strlen(tail),
				  size <= CONSOLE_TAIL_MAX ? size : CONSOLE_TAIL_MAX - 1);
		ck_assert_int_eq(tail[0], size <= CONSOLE_TAIL_MAX ? '1' : 'x');
	}
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

SUITE(console, LOOP(log_is_judged, cases), LOOP(line_is_the_event_that_it_begins_like, lines),
      TEST(events_are_added_up_and_the_first_panic_is_kept), TEST(lines_are_apart),
      TEST(long_line_is_judged_by_its_beginning), LOOP(tail_has_the_room_that_it_is_given, tails),
      TEST(tail_is_of_the_last_4096_bytes), TEST(tail_keeps_the_last_whole_lines),
      TEST(tail_of_little_is_everything), TEST(endless_line_is_judged_by_its_beginning))
