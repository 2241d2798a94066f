/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_top.c - what keys do, and what a table is on screens of many sizes
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "plain_text.h"
#include "profiles/top/top.h"
#include "profiles/write/tests/collected_fixture.h"
#include "tests/printed.h"
#include "tests/suite.h"

static struct error error;
static struct collected part[2];
static struct top_table table;
static struct top_view view;

static void begin(void)
{
	ck_assert_ptr_nonnull(setlocale(LC_CTYPE, "C.UTF-8"));
	collected_fixture(&part[0], COLLECTED_CPU);
	collected_fixture(&part[1], COLLECTED_CPU);
	table = (struct top_table) {
		.subject = "all processes",
		.event = "cpu-clock, 97 Hz",
		.elapsed_seconds = 71,
		.load = { 1, 2.5, 3 },
		.result = { .ticks = 120,
			    .stacks = 110,
			    .unknown = 6,
			    .lost = { [RECORD_LOST_RACED] = 8 } },
	};
	table.result.stop[STACKPROOF_STOP_COMPLETE] = 90;
	table.result.stop[STACKPROOF_STOP_NO_ROW] = 4;
	view = (struct top_view) { 0 };
}

static void end(void)
{
	top_table_deinit(&table);
	collected_deinit(&part[0]);
	collected_deinit(&part[1]);
}

/* The keys of all bytes, one after the other. The last wish. */
static enum top_wish press(const char *bytes)
{
	enum top_wish wish = TOP_WISH_NONE;
	size_t left = strlen(bytes), size;
	int key;

	ck_assert_int_eq(top_table_arrange(&table, &view, &error), 0);
	for (; left; bytes += size, left -= size) {
		size = top_key(bytes, left, &key);
		size = size ? size : 1; /* nothing comes any more: the escape key */
		wish = top_view_key(&view, key, 2);
		if (wish == TOP_WISH_CALLERS)
			ck_assert_int_eq(top_table_choose(&table, &view, &error), 0);
		ck_assert_int_eq(top_table_arrange(&table, &view, &error), 0);
	}
	return wish;
}

/* A line's text without blanks at its end; it must fill the columns, by libc's widths, or be empty. Returns its end. */
static const char *copy_line(FILE *file, const char *at, unsigned int columns)
{
	unsigned int cells = 0, blanks = 0;
	size_t size;
	wchar_t wide;

	for (; *at != '\r' && *at != '\033'; at += size) {
		size = plain_character(at);
		ck_assert_msg(size, "a byte %#x", (unsigned char)*at);
		ck_assert_uint_eq(mbtowc(&wide, at, size), size);
		cells += wcwidth(wide);
		blanks = *at == ' ' ? blanks + 1 : 0;
		if (!blanks)
			fprintf(file, "%.*s", (int)size, at);
		else if (at[1] != ' ' && at[1] != '\r' && at[1] != '\033')
			fprintf(file, "%*s", (int)blanks, "");
	}
	ck_assert_msg(!cells || cells == columns, "%u cells of %u", cells, columns);
	putc('\n', file);
	return at;
}

/* The screen's lines, '>' before those that are reverse. Each is erased first. */
static void put_lines(FILE *file, const char *at, unsigned int rows, unsigned int columns)
{
	ck_assert(!strncmp(at, "\033[H", 3));
	at += 3;
	for (unsigned int row = 0; row < rows; row++) {
		ck_assert_msg(
			!strncmp(at, row ? "\r\n\033[m\033[2K" : "\033[m\033[2K", row ? 9 : 7),
			"row %u: %s", row, at);
		at += row ? 9 : 7;
		if (!strncmp(at, "\033[7m", 4)) {
			at += 4;
			putc('>', file);
		}
		at = copy_line(file, at, columns);
	}
	ck_assert_str_eq(at, "\033[m");
}

static char *screen(unsigned int rows, unsigned int columns)
{
	char *drawn = PRINTED(file,
			      top_draw(&table, &view, (struct top_size) { rows, columns }, file));
	char *text = PRINTED(file, put_lines(file, drawn, rows, columns));

	free(drawn);
	return text;
}

static const struct {
	const char *name, *keys;
	unsigned int rows, columns;
	const char *expected;
} cases[] = {
	{ "at_first", "", 24, 80,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  "> 40.00%  40.00% [unknown]                     [lost: no_space]\n"
	  " 30.00%  30.00% bash c0ffee    bash           inner\n"
	  " 20.00%  20.00% bash c0ffee    bash           [bash+0x1500]\n"
	  " 10.00%  10.00% Web Content    [kernel.kalls… do_syscall_64\n"
	  "  0.00%  50.00% bash c0ffee    bash           main\n"
	  "  0.00%  30.00% bash c0ffee    bash           work\n"
	  "  0.00%  30.00% bash c0ffee    bash           _start\n"
	  "  0.00%  20.00% bash c0ffee                   [incomplete: no_row]\n"
	  "  0.00%  10.00% Web Content                   [unknown]\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "by_pid_and_total", "gs", 14, 80,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by PID, by total\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  ">  0.00%  50.00% bash[7] c0ffee bash           main\n"
	  " 40.00%  40.00% [unknown]                     [lost: no_space]\n"
	  " 30.00%  30.00% bash[7] c0ffee bash           inner\n"
	  "  0.00%  30.00% bash[7] c0ffee bash           work\n"
	  "  0.00%  30.00% bash[7] c0ffee bash           _start\n"
	  " 20.00%  20.00% bash[7] c0ffee bash           [bash+0x1500]\n"
	  "  0.00%  20.00% bash[7] c0ffee                [incomplete: no_row]\n"
	  " 10.00%  10.00% Web Content[9] [kernel.kalls… do_syscall_64\n"
	  "  0.00%  10.00% Web Content[9]                [unknown]\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "functions", "gg", 14, 100,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by function, by self\n"
	  ">   SELF   TOTAL IMAGE            FUNCTION\n"
	  "> 40.00%  40.00%                  [lost: no_space]\n"
	  " 30.00%  30.00% bash             inner\n"
	  " 20.00%  20.00% bash             [bash+0x1500]\n"
	  " 10.00%  10.00% [kernel.kallsym… do_syscall_64\n"
	  "  0.00%  50.00% bash             main\n"
	  "  0.00%  30.00% bash             work\n"
	  "  0.00%  30.00% bash             _start\n"
	  "  0.00%  20.00%                  [incomplete: no_row]\n"
	  "  0.00%  10.00%                  [unknown]\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "the_chosen_row_is_on_its_page", "\033[6~\033[6~\033[6~\033OA", 8, 50,
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to\n"
	  "come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self\n"
	  ">   SELF   TOTAL PROCESS        FUNCTION\n"
	  "  0.00%  50.00% bash c0ffee    main\n"
	  ">  0.00%  30.00% bash c0ffee    work\n"
	  "  0.00%  30.00% bash c0ffee    _start\n"
	  "  0.00%  20.00% bash c0ffee    [incomplete: no_ro…\n" },
	{ "the_last_row", "\033[F", 8, 39,
	  "120 ticks: 110 stacks, 8 lost (raced\n"
	  "8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by\n"
	  "self\n"
	  ">   SELF   TOTAL FUNCTION\n"
	  "  0.00%  30.00% _start\n"
	  "  0.00%  20.00% [incomplete: no_row]\n"
	  ">  0.00%  10.00% [unknown]\n" },
	{ "the_filter_is_typed", "/MAINx\x7f", 10, 80,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self; filter: MAIN_\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  ">  0.00%  50.00% bash c0ffee    bash           main\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "the_filter_holds", "/bash\n", 12, 80,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self; filter: bash\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  "> 30.00%  30.00% bash c0ffee    bash           inner\n"
	  " 20.00%  20.00% bash c0ffee    bash           [bash+0x1500]\n"
	  "  0.00%  50.00% bash c0ffee    bash           main\n"
	  "  0.00%  30.00% bash c0ffee    bash           work\n"
	  "  0.00%  30.00% bash c0ffee    bash           _start\n"
	  "  0.00%  20.00% bash c0ffee                   [incomplete: no_row]\n"
	  "\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "the_filter_is_given_up", "/bash\033", 7, 80,
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  "> 40.00%  40.00% [unknown]                     [lost: no_space]\n"
	  " 30.00%  30.00% bash c0ffee    bash           inner\n"
	  " 20.00%  20.00% bash c0ffee    bash           [bash+0x1500]\n"
	  " 10.00%  10.00% Web Content    [kernel.kalls… do_syscall_64\n" },
	{ "nothing_is_found", "/nothing\n", 8, 80,
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self; filter: nothing\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n"
	  "\n" },
	{ "callers", "j\n", 12, 80,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, callers\n"
	  ">  SHARE FUNCTION, BELOW IT ITS CALLERS\n"
	  "> 30.00% inner\n"
	  " 30.00%   work\n"
	  " 30.00%     main\n"
	  " 30.00%       _start\n"
	  "\n"
	  "\n"
	  "\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "callers_of_all_processes", "gg/main\n\n", 10, 80,
	  "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load 1.00 2.50 3.00\n"
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, callers; filter: main\n"
	  ">  SHARE FUNCTION, BELOW IT ITS CALLERS\n"
	  "> 50.00% main\n"
	  " 30.00%   _start\n"
	  " 20.00%   [incomplete: no_row]\n"
	  "\n"
	  "\n"
	  "q quit  p pause  s self/total  g process/PID/function  / filter  Enter callers\n" },
	{ "callers_are_left", "\n\nj", 7, 80,
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  " 40.00%  40.00% [unknown]                     [lost: no_space]\n"
	  "> 30.00%  30.00% bash c0ffee    bash           inner\n"
	  " 20.00%  20.00% bash c0ffee    bash           [bash+0x1500]\n"
	  " 10.00%  10.00% Web Content    [kernel.kalls… do_syscall_64\n" },
	{ "paused", "p", 8, 80,
	  "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6, incomplete 4\n"
	  "last 20 s: 20 ticks, by process, by self; paused\n"
	  ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
	  "> 40.00%  40.00% [unknown]                     [lost: no_space]\n"
	  " 30.00%  30.00% bash c0ffee    bash           inner\n"
	  " 20.00%  20.00% bash c0ffee    bash           [bash+0x1500]\n"
	  " 10.00%  10.00% Web Content    [kernel.kalls… do_syscall_64\n"
	  "  0.00%  50.00% bash c0ffee    bash           main\n" },
	{ "no_room_but_for_the_account", "", 3, 20,
	  "120 ticks: 110\n"
	  "stacks, 8 lost\n"
	  "(raced 8), 2 to\n" },
	{ "one_cell", "", 1, 1, "…\n" },
};

START_TEST(a_table_is_drawn_in_any_size)
{
	ck_assert_int_eq(top_table_fill(&table, part, 2, &error), 0);
	press(cases[_i].keys);
	check_printed(cases[_i].name, screen(cases[_i].rows, cases[_i].columns),
		      cases[_i].expected);
}
END_TEST

/* Cells, not bytes or characters, are what a screen has; and escapes are no more than text. */
START_TEST(names_are_wide_or_hostile)
{
	static const char *const names[] = { "\xe9\x96\xa2\xe6\x95\xb0\xe9\x96\xa2\xe6\x95\xb0",
					     "e\xcc\x81t\xc3\xa9", "\033[2J\033]0;x\a\xc2\x9b\x31m",
					     "\xe2\x80\xae\xff\r\n\t" };
	struct collected *collected = &part[0];

	for (int i = 0; i < COUNT(names); i++) {
		uint32_t location = add_location(collected, COLLECTED_IN_USER, 1,
						 0x555500002000 + i, NAMES(names[i]));

		add_sample(collected, STACK(collected, NULL, location),
			   add_task(collected, 30 + i, 30 + i, names[i], ""), 100 - i, 0);
	}
	ck_assert_int_eq(top_table_fill(&table, part, 1, &error), 0);
	strcpy(table.result.why_no_larger, "\033[31m");
	press("/\033[A\xe9\x96\x1b");
	for (unsigned int columns = 1; columns < 130; columns++)
		free(screen(20, columns));
	check_printed("wide", screen(13, 63),
		      "stackproof profile: cpu-clock, 97 Hz; all processes; 1:11; load\n"
		      "1.00 2.50 3.00\n"
		      "120 ticks: 110 stacks, 8 lost (raced 8), 2 to come; unknown 6,\n"
		      "incomplete 4; no larger session: ?[31m\n"
		      "last 10 s: 404 ticks, by process, by self\n"
		      ">   SELF   TOTAL PROCESS        IMAGE          FUNCTION\n"
		      "> 24.75%  24.75% 関数関数       bash           関数関数\n"
		      " 24.50%  24.50% été            bash           été\n"
		      " 24.26%  24.26% \\x1b[2J\\x1b]0… bash           \\x1b[2J\\x1b]0;x\\…\n"
		      " 24.01%  24.01% \\xe2\\x80\\xae\\… bash           \\xe2\\x80\\xae\\xff…\n"
		      "  0.99%   0.99% [unknown]                     [lost: no_space]\n"
		      "  0.74%   0.74% bash c0ffee    bash           inner\n"
		      "q quit  p pause  s self/total  g process/PID/function  / filte…\n");
}
END_TEST

/* What a key is may take more bytes to know. */
static const struct {
	const char *bytes;
	size_t size;
	int key;
} keys[] = {
	{ "q", 1, 'q' },
	{ "\033", 0, TOP_KEY_ESCAPE },
	{ "\033[", 0, TOP_KEY_ESCAPE },
	{ "\033[5", 0, TOP_KEY_ESCAPE },
	{ "\033[5~q", 4, TOP_KEY_PAGE_UP },
	{ "\033[1;5C", 6, TOP_KEY_OTHER },
	{ "\033OHq", 3, TOP_KEY_HOME },
	{ "\033q", 1, TOP_KEY_ESCAPE },
	{ "\177", 1, TOP_KEY_BACKSPACE },
	{ "\xc3\xa9", 1, 0xc3 },
};

START_TEST(bytes_are_keys)
{
	int key;

	ck_assert_uint_eq(top_key(keys[_i].bytes, strlen(keys[_i].bytes), &key), keys[_i].size);
	ck_assert_int_eq(key, keys[_i].key);
}
END_TEST

/* A filter has an end, and q is a letter there. */
START_TEST(q_ends_it)
{
	press("/");
	for (int i = 0; i < 200; i++)
		ck_assert_int_eq(press("q"), TOP_WISH_NONE);
	ck_assert_uint_eq(strlen(view.filter), sizeof(view.filter) - 1);
	ck_assert_int_eq(press("\033q"), TOP_WISH_QUIT);
}
END_TEST

SUITE(top, FIXTURE(begin, end), LOOP(a_table_is_drawn_in_any_size, cases),
      TEST(names_are_wide_or_hostile), LOOP(bytes_are_keys, keys), TEST(q_ends_it))
