/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_progress.c - what is drawn while something takes long, byte by byte
 *
 * The time is the test's own, and so is what is a terminal. Standard error is a text in memory.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/point_progress.h"
#include "base/cli/progress_bar.h"
#include "reports/report/tests/results_fixture.h"
#include "guests/run/run.h"

static double now; /* 0: the clock's */
static int terminal;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (!now || clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	ret->tv_sec = (time_t)now;
	ret->tv_nsec = (long)((now - (double)ret->tv_sec) * 1e9);
	return 0;
}

int isatty(int fd)
{
	return fd == STDERR_FILENO ? terminal : 0;
}

/* ---- the bar ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	uint64_t done, total;
	double seconds;
	const char *drawn;
} bars[] = {
	{ "nothing_yet", 0, 2445, 0, "\r[                    ]   0%  0:00  text\033[K" },
	{ "under_half", 1102, 2445, 72,
	  "\r[#########           ]  45%  1:12, 1:27 left  text\033[K" },
	{ "a_fiftieth", 1, 50, 10, "\r[                    ]   2%  0:10  text\033[K" },
	{ "a_little_more", 3, 100, 10,
	  "\r[                    ]   3%  0:10, 5:23 left  text\033[K" },
	{ "a_quarter", 1, 4, 61, "\r[#####               ]  25%  1:01, 3:03 left  text\033[K" },
	{ "all", 7, 7, 3600, "\r[####################] 100%  60:00, 0:00 left  text\033[K" },
	{ "how_many_is_not_known", 7, 0, 125, "\r2:05  text\033[K" },
};

/* What is drawn with the clock at 1000 and so many seconds. */
static char *draw(struct progress_bar *bar, double seconds, const char *text)
{
	char *drawn = NULL;
	size_t size;
	FILE *before = stderr;

	stderr = open_memstream(&drawn, &size);
	now = 1000 + seconds;
	if (text)
		progress_bar_draw(bar, text);
	else
		progress_bar_clear(bar);
	now = 0;
	fclose(stderr);
	stderr = before;
	return drawn;
}

static struct progress_bar start(int is_terminal, uint64_t total)
{
	struct progress_bar bar;

	terminal = is_terminal;
	memset(&bar, 0xff, sizeof(bar));
	now = 1000;
	progress_bar_start(&bar, total);
	now = 0;
	return bar;
}

START_TEST(bar_is_drawn)
{
	struct progress_bar bar = start(1, bars[_i].total);
	FREED char *drawn = NULL;

	bar.done = bars[_i].done;
	drawn = draw(&bar, bars[_i].seconds, "text");
	ck_assert_msg(!strcmp(drawn, bars[_i].drawn), "%s: %s", bars[_i].name, drawn);
}
END_TEST

static void expect(struct progress_bar *bar, double seconds, const char *text, const char *expected)
{
	FREED char *drawn = draw(bar, seconds, text);

	ck_assert_str_eq(drawn, expected);
}

START_TEST(bar_is_drawn_some_times_a_second)
{
	struct progress_bar bar = start(1, 0);

	expect(&bar, 1, NULL, "");
	expect(&bar, 1, "a\033b", "\r0:01  a?b\033[K");
	expect(&bar, 1.05, "text", "");
	expect(&bar, 1.15, "text", "\r0:01  text\033[K");
	expect(&bar, 1.2, "text", "");
	expect(&bar, 1.2, NULL, "\r\033[K");
	expect(&bar, 1.2, NULL, "");
	/* Taken away, it comes back at once. */
	expect(&bar, 1.2, "text", "\r0:01  text\033[K");
}
END_TEST

START_TEST(bar_needs_a_terminal)
{
	struct progress_bar bar = start(0, 10);

	expect(&bar, 1, "text", "");
	expect(&bar, 1, NULL, "");
}
END_TEST

/* ---- points ------------------------------------------------------------------------------- */

/* So many points at that second. */
static char *points(struct point_progress *progress, double seconds, int count)
{
	char *drawn = NULL;
	size_t size;
	FILE *before = stderr;

	stderr = open_memstream(&drawn, &size);
	now = 1000 + seconds;
	while (count--)
		point_progress_point(progress);
	now = 0;
	fclose(stderr);
	stderr = before;
	return drawn;
}

static const struct {
	double seconds;
	int points;
	const char *drawn;
} point_cases[] = {
	{ 0, 64, "\r0:00  ls: 64 points, 0 in a second\033[K" },    { 2, 63, "" },
	{ 2, 1, "\r0:02  ls: 128 points, 64 in a second\033[K" },   { 2, 64, "" }, /* not so soon */
	{ 4, 128, "\r0:04  ls: 256 points, 64 in a second\033[K" },
};

/* It is looked at the clock each 64 points; the figures are of all since the start, in each of two runs. */
START_TEST(points_are_counted)
{
	struct point_progress progress;
	char *drawn;

	for (int run = 0; run < 2; run++) {
		terminal = 1;
		memset(&progress, 0xff, sizeof(progress));
		now = 1000;
		point_progress_start(&progress, run ? "ls" : "/bin/ls", 0);
		for (int i = 0; i < COUNT(point_cases); i++) {
			drawn = points(&progress, point_cases[i].seconds, point_cases[i].points);
			ck_assert_msg(!strcmp(drawn, point_cases[i].drawn), "%d: %s", i, drawn);
			free(drawn);
		}
		expect(&progress.bar, 4, NULL, "\r\033[K");
	}
	now = 1000;
	point_progress_start(&progress, "a-program-of-a-name-that-is-longer-than-forty-letters",
			     256);
	drawn = points(&progress, 30, 64);
	ck_assert_str_eq(drawn, "\r[#####               ]  25%  0:30, 1:30 left  "
				"a-program-of-a-name-that-is-longer-than-: 64 points, 2 in a second"
				"\033[K");
	free(drawn);
	terminal = 0;
	now = 1000;
	point_progress_start(&progress, "ls", 0);
	drawn = points(&progress, 5, 640);
	ck_assert_str_eq(drawn, "");
	free(drawn);
}
END_TEST

/* ---- the matrix --------------------------------------------------------------------------- */

static char *shown(struct run *run, double at, void (*call)(struct run *run))
{
	char *text = NULL;
	size_t size;

	run->progress.file = open_memstream(&text, &size);
	now = at;
	call(run);
	now = 0;
	fclose(run->progress.file);
	return text;
}

static void expect_shown(struct run *run, double at, void (*call)(struct run *run),
			 const char *expected)
{
	FREED char *text = shown(run, at, call);

	ck_assert_str_eq(text, expected);
}

static void lane_0(struct run *run)
{
	progress_lane_done(run, 0);
}

static void lane_1(struct run *run)
{
	progress_lane_done(run, 1);
}

static void lane_2(struct run *run)
{
	progress_lane_done(run, 2);
}

static const struct {
	double at;
	const char *line;
} lines[] = {
	{ 1062, "\r1:02  host 3/3  5.10 2/3 (1 failed)  7.2 3/3 (3 failed)\033[K" },
	{ 1062.05, "" },
	{ 1062.2, "\r1:02  host 3/3  5.10 2/3 (1 failed)  7.2 3/3 (3 failed)\033[K" },
	{ 1062.25, "" },
	{ 1062.325, "\r1:02  host 3/3  5.10 2/3 (1 failed)  7.2 3/3 (3 failed)\033[K" },
	{ 4600, "\r60:00  host 3/3  5.10 2/3 (1 failed)  7.2 3/3 (3 failed)\033[K" },
};

START_TEST(matrix_on_a_terminal)
{
	struct results results DEINIT(results_deinit);
	struct run run = { .results = &results, .progress = { .live = true, .start = 1000 } };

	fixture_results(&results);
	cell_set(&results.cell[5], CELL_PENDING, "%s", "");
	for (int i = 0; i < COUNT(lines); i++)
		expect_shown(&run, lines[i].at, progress_cell, lines[i].line);
	expect_shown(&run, 4601, lane_0, "");
	expect_shown(&run, 4601, progress_end, "\r\033[K");
	run.progress.file = NULL;
	progress_cell(&run);
	progress_end(&run);
}
END_TEST

/* A tenth of a second is long enough, and one nanosecond less is not. */
START_TEST(matrix_is_drawn_each_tenth)
{
	struct results results DEINIT(results_deinit);
	struct run run = { .results = &results, .progress = { .live = true } };

	fixture_results(&results);
	expect_shown(&run, 0.099999999, progress_cell, "");
	expect_shown(&run, 0.1, progress_cell,
		     "\r0:00  host 3/3  5.10 3/3 (1 failed)  7.2 3/3 (3 failed)\033[K");
}
END_TEST

START_TEST(matrix_in_a_log)
{
	struct results results DEINIT(results_deinit);
	struct run run = { .results = &results, .progress = { .start = 1000 } };

	fixture_results(&results);
	cell_set(&results.cell[6], CELL_PENDING, "%s", "");
	snprintf(results.kernel[0].version, sizeof(results.kernel[0].version), "%s", "");
	expect_shown(&run, 1010, progress_cell, "");
	expect_shown(&run, 1010, lane_0, "host: 3 passed, 0 failed, 0 errors, 0 skipped, 3.0 s\n");
	expect_shown(&run, 1010, lane_1,
		     "5.10 = 5.10.0-39: 1 passed, 1 failed, 0 errors, 1 skipped, 9.0 s\n");
	expect_shown(&run, 1010, lane_2,
		     "7.2 = 7.2.12: 0 passed, 0 failed, 3 errors, 0 skipped, 5.0 s: the kernel "
		     "panicked: not syncing\n");
	strcpy(results.kernel[2].sentence, "x");
	strcpy(results.kernel[2].version, "7");
	expect_shown(&run, 1010, lane_2,
		     "7.2 = 7: 0 passed, 0 failed, 3 errors, 0 skipped, 5.0 s: x\n");
	expect_shown(&run, 1010, progress_end, "");
	run.progress.file = NULL;
	progress_lane_done(&run, 0);
}
END_TEST

SUITE(progress, LOOP(bar_is_drawn, bars), TEST(bar_is_drawn_some_times_a_second),
      TEST(bar_needs_a_terminal), TEST(points_are_counted), TEST(matrix_on_a_terminal),
      TEST(matrix_is_drawn_each_tenth), TEST(matrix_in_a_log))
