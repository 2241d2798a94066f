/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_batch_parts.c - a batch alone: its size, its command line, its marks and its times
 *
 * Cells are judged and finished by this test, which keeps what it was told; and the clock is its
 * own. What a process's output then says of its cells is in test_run_batch.c.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "tests/suite.h"
#include "guests/run/run.h"

#define BINARIES 80

static double now;

int clock_gettime(clockid_t clock, struct timespec *ret)
{
	if (now <= 0 || clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ret);
	ret->tv_sec = (time_t)now;
	ret->tv_nsec = (long)((now - (double)ret->tv_sec) * 1e9);
	return 0;
}

/* ---- a world of one run ------------------------------------------------------------------- */

static struct corpus_binary binary[BINARIES];
static char path[BINARIES][16], guest_path[BINARIES][24];
static struct cell cell[2 * BINARIES];
static struct results results = { .cell = cell, .cell_count = 2 * BINARIES };
static struct run_options options;
static struct run run;
static struct batch batch;

static char told[4096];
static size_t told_used;

#define TELL(...)                                                                                  \
	told_used += (size_t)snprintf(told + told_used, sizeof(told) - told_used, __VA_ARGS__)

static void tell_output(const struct output *output)
{
	TELL(" \"");
	for (size_t i = 0; i < output->size; i++)
		TELL("%c", output->data[i] == '\n' ? '|' : output->data[i]);
	TELL("\"%s", output->cut ? " cut" : "");
}

void run_cell_judge(struct run *of, size_t lane, size_t index, int exit_code,
		    const struct output *out, const struct output *err, double seconds)
{
	ck_assert_ptr_eq(of, &run);
	TELL("%zu/%zu: %d", lane, index, exit_code);
	tell_output(out);
	tell_output(err);
	TELL(" %g s\n", seconds);
}

void run_cell_finish(struct run *of, size_t lane, size_t index, enum cell_status status,
		     bool environment, const char *reason)
{
	ck_assert_ptr_eq(of, &run);
	TELL("%zu/%zu: %s%s: %s\n", lane, index, status == CELL_ERROR ? "error" : "other",
	     environment ? " of the environment" : "", reason);
}

/* Of each ten binaries those numbered 7 and 8 have their symbols resolved lazily. */
static void set_up(void)
{
	for (int i = 0; i < BINARIES; i++) {
		snprintf(path[i], sizeof(path[i]), "/c/%d", i);
		snprintf(guest_path[i], sizeof(guest_path[i]), "/corpus/%d", i);
		binary[i] = (struct corpus_binary) { .path = path[i], .guest_path = guest_path[i] };
		if (i % 10 == 7 || i % 10 == 8)
			binary[i].expected = (char *)"lazy";
	}
	memset(cell, 0, sizeof(cell));
	options = (struct run_options) { .results = "/results",
					 .engines = "cfi,bpf",
					 .timeout_ms = 5000 };
	run = (struct run) { .options = &options,
			     .results = &results,
			     .manifest = { .binary = binary, .count = BINARIES } };
	told[0] = '\0';
	told_used = 0;
	now = 1000;
}

static void tear_down(void)
{
	now = 0;
	batch_deinit(&batch);
	memset(&batch, 0, sizeof(batch));
}

static size_t begin(size_t lane, bool in_guest, size_t first, size_t count)
{
	size_t list[BINARIES];

	for (size_t i = 0; i < count; i++)
		list[i] = first + i;
	memset(&batch, 0xff, sizeof(batch));
	return batch_init(&batch, &run, lane, in_guest, list, count);
}

/* ---- how many ----------------------------------------------------------------------------- */

static const struct {
	size_t left;
	unsigned jobs;
	size_t share;
} shares[] = {
	{ 0, 1, 0 },	{ 1, 1, 1 },	{ 3, 1, 3 },	  { 4, 1, 4 },	  { 5, 1, 5 },
	{ 11, 1, 11 },	{ 12, 1, 12 },	{ 13, 1, 12 },	  { 24, 1, 12 },  { 26, 1, 13 },
	{ 100, 1, 50 }, { 3, 8, 3 },	{ 6, 2, 4 },	  { 7, 2, 4 },	  { 8, 2, 4 },
	{ 9, 2, 5 },	{ 10, 2, 5 },	{ 11, 2, 6 },	  { 22, 2, 11 },  { 23, 2, 12 },
	{ 25, 2, 12 },	{ 100, 4, 12 }, { 103, 4, 12 },	  { 104, 4, 13 }, { 1000, 4, 125 },
	{ 33, 8, 5 },	{ 32, 8, 4 },	{ 1000, 1, 500 },
};

START_TEST(share_of_what_is_left)
{
	ck_assert_msg(batch_share(shares[_i].left, shares[_i].jobs) == shares[_i].share,
		      "%zu of %zu for each of %u", batch_share(shares[_i].left, shares[_i].jobs),
		      shares[_i].left, shares[_i].jobs);
}
END_TEST

/* Lazy ones first, those that are finished not at all; every step-th of the lane. */
START_TEST(list_of_what_is_pending)
{
	size_t list[BINARIES];

	for (int i = 0; i < 2 * BINARIES; i++)
		cell[i].status = CELL_PASSED;
	for (int i = 0; i < 20; i++)
		cell[BINARIES + i].status = CELL_PENDING;
	cell[BINARIES + 9].status = CELL_FAILED;
	ck_assert_uint_eq(batch_list(&run, 0, 0, 1, list), 0);
	ck_assert_uint_eq(batch_list(&run, 1, 0, 1, list), 19);
	ck_assert(list[0] == 7 && list[1] == 8 && list[2] == 17 && list[3] == 18 && list[4] == 0 &&
		  list[11] == 10 && list[18] == 19);
	ck_assert_uint_eq(batch_list(&run, 1, 1, 3, list), 7);
	static const size_t every_third[] = { 7, 1, 4, 10, 13, 16, 19 };
	for (int i = 0; i < COUNT(every_third); i++)
		ck_assert_uint_eq(list[i], every_third[i]);
	ck_assert_uint_eq(batch_list(&run, 1, BINARIES - 1, 1, list), 0);
	cell[2 * BINARIES - 1].status = CELL_PENDING;
	ck_assert_uint_eq(batch_list(&run, 1, BINARIES - 1, 1, list), 1);
	ck_assert_uint_eq(list[0], BINARIES - 1);
}
END_TEST

START_TEST(batch_is_of_one_kind)
{
	ck_assert_uint_eq(begin(0, false, 0, 20), 7);
	ck_assert_uint_eq(batch_left(&batch), 7);
	ck_assert(batch.bind_now && batch.entry[6].binary == 6);
	ck_assert_uint_eq(begin(0, false, 7, 20), 2);
	ck_assert(!batch.bind_now && batch.entry[1].binary == 8);
	ck_assert_uint_eq(begin(0, false, 0, 3), 3);
	ck_assert_uint_eq(begin(0, false, 5, 1), 1);
	ck_assert_uint_eq(begin(0, false, 8, 2), 1);
	ck_assert(!batch.bind_now);
	ck_assert_uint_eq(begin(0, false, 6, 2), 1);
	ck_assert(batch.bind_now);
	for (int i = 0; i < BINARIES; i++)
		binary[i].expected = NULL;
	ck_assert_uint_eq(begin(0, false, 0, 63), 63);
	ck_assert_uint_eq(begin(0, false, 0, 64), 64);
	ck_assert_uint_eq(begin(0, false, 0, 65), 64);
}
END_TEST

/* ---- the command line --------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool in_guest, record, lazy;
	const char *external;
	unsigned timeout_ms;
	const char *line;
} lines[] = {
	{ "host", false, false, false, NULL, 5000,
	  "/proc/self/exe compare --each --from _start --timeout 5 --engine cfi,bpf --bind-now -- "
	  "/c/0 "
	  "/c/1" },
	{ "lazy", false, false, true, NULL, 5001,
	  "/proc/self/exe compare --each --from _start --timeout 6 --engine cfi,bpf -- /c/7 /c/8" },
	{ "records", false, true, false, NULL, 1,
	  "/proc/self/exe compare --each --from _start --timeout 1 --engine cfi,bpf --bind-now "
	  "--record "
	  "/results/recordings -- /c/0 /c/1" },
	{ "external", false, false, false, "x=y", 0,
	  "/proc/self/exe compare --each --from _start --timeout 0 --engine cfi,bpf --engine x=y "
	  "--bind-now -- /c/0 /c/1" },
	{ "all", false, true, false, "x=y", 1000,
	  "/proc/self/exe compare --each --from _start --timeout 1 --engine cfi,bpf --engine x=y "
	  "--bind-now --record /results/recordings -- /c/0 /c/1" },
	{ "guest", true, true, false, "x=y", 1999,
	  "/bin/stackproof compare --each --from _start --timeout 2 --engine cfi,bpf --bind-now -- "
	  "/corpus/0 /corpus/1" },
};

static void expect_line(const char *name, const char *expected)
{
	char *const *argv = batch_start(&batch);
	char line[1024] = "";

	for (int i = 0; argv[i]; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", i ? " " : "",
			 argv[i]);
	ck_assert_msg(!strcmp(line, expected), "%s: %s", name, line);
}

START_TEST(command_line)
{
	options.record = lines[_i].record;
	options.external = lines[_i].external;
	options.timeout_ms = lines[_i].timeout_ms;
	begin(0, lines[_i].in_guest, lines[_i].lazy ? 7 : 0, 2);
	expect_line(lines[_i].name, lines[_i].line);
	/* Whoever is done is not started once more. */
	batch.entry[0].done = true;
	if (!_i)
		expect_line("second", "/proc/self/exe compare --each --from _start --timeout 5 "
				      "--engine cfi,bpf --bind-now -- /c/1");
	ck_assert(!_i || !batch.entry[0].begun);
}
END_TEST

/* ---- marks -------------------------------------------------------------------------------- */

static bool say(enum run_stream stream, const char *text)
{
	return batch_output(&batch, stream, text, strlen(text));
}

#define BEGIN(number) "{\"type\":\"begin\",\"program\":\"/c/" #number "\"}\n"
#define END(number, status)                                                                        \
	"{\"type\":\"end\",\"program\":\"/c/" #number "\",\"status\":" #status "}\n"

static void expect_told(const char *expected)
{
	ck_assert_str_eq(told, expected);
	told[0] = '\0';
	told_used = 0;
}

/* What is news, when an entry is finished, and how long it took: from its begin on either stream to its
 * end on standard output. */
START_TEST(news_and_times)
{
	begin(1, false, 0, 3);
	batch_start(&batch);
	ck_assert(!say(RUN_STDERR, "early\n"));
	now = 1010;
	ck_assert(say(RUN_STDERR, BEGIN(0)));
	now = 1012;
	ck_assert(!say(RUN_STDOUT, BEGIN(0)));
	ck_assert(!say(RUN_STDOUT, "out\n"));
	ck_assert(!say(RUN_STDERR, "err\n"));
	now = 1015;
	ck_assert(say(RUN_STDOUT, END(0, 1)));
	expect_told("");
	now = 1018;
	ck_assert(!say(RUN_STDERR, END(0, 0)));
	expect_told("1/0: 1 \"out|\" \"early|err|\" 5 s\n");
	ck_assert_uint_eq(batch_left(&batch), 2);
	/* The end on standard error may come first. */
	now = 1020;
	ck_assert(say(RUN_STDOUT, "late\n" BEGIN(1)));
	ck_assert(!say(RUN_STDERR, BEGIN(1) END(1, 0)));
	now = 1023;
	ck_assert(say(RUN_STDOUT, END(1, 3)));
	expect_told("1/1: 3 \"late|\" \"\" 3 s\n");
	/* The last one waits for the process's end. */
	now = 1030;
	ck_assert(say(RUN_STDOUT, BEGIN(2) END(2, 0)));
	ck_assert(!say(RUN_STDERR, BEGIN(2) END(2, 0) "and more\n"));
	expect_told("");
	now = 1040;
	batch_exit(&batch, 3);
	expect_told("1/2: 0 \"\" \"and more|\" 0 s\n");
	ck_assert_uint_eq(batch_left(&batch), 0);
}
END_TEST

/* What lies behind the last entry is no entry, whatever it holds. */
static void poison(bool closed, int exit_status)
{
	batch.entry[batch.count] = (struct batch_entry) { .binary = BINARIES - 1,
							  .started = true,
							  .begun = true,
							  .closed = { closed, closed },
							  .exit_status = exit_status };
}

START_TEST(nothing_behind_the_last)
{
	/* Named by nobody, and no reason for a status. */
	begin(0, false, 0, 2);
	batch_start(&batch);
	poison(true, 99);
	ck_assert(!say(RUN_STDOUT, BEGIN(79)));
	say(RUN_STDOUT, BEGIN(0));
	batch_exit(&batch, 99);
	expect_told("0/0: 99 \"(its end was not reported)|\" \"\" 0 s\n");
	batch_settle(&batch);
	expect_told("");
	batch_start(&batch);
	poison(true, 98);
	batch_exit(&batch, 98);
	expect_told("0/1: 98 \"\" \"\" 0 s\n");
	/* Nor guilty. */
	begin(0, false, 0, 2);
	batch_start(&batch);
	say(RUN_STDOUT, BEGIN(0) END(0, 0) BEGIN(1) END(1, 0));
	say(RUN_STDERR, BEGIN(0) END(0, 0) BEGIN(1) END(1, 0));
	expect_told("0/0: 0 \"\" \"\" 0 s\n");
	poison(false, 0);
	batch_exit(&batch, 139);
	expect_told("0/1: 139 \"\" \"\" 0 s\n");
	begin(0, false, 0, 2);
	batch_start(&batch);
	poison(false, 0);
	batch_abandon(&batch, 5);
	expect_told("0/0: 5 \"\" \"\" 0 s\n0/1: 5 \"\" \"\" 0 s\n");
	ck_assert_uint_eq(batch_left(&batch), 0);
}
END_TEST

/* A status that one of them had explains the end: nobody is guilty. */
START_TEST(status_of_one_of_them)
{
	for (int i = 0; i < 3; i++) {
		begin(0, false, 0, 4);
		batch_start(&batch);
		say(RUN_STDOUT, BEGIN(0) END(0, 3) BEGIN(1) END(1, 5) "more\n");
		say(RUN_STDERR, BEGIN(0) END(0, 0) "a line");
		batch_exit(&batch, i == 0 ? 3 : i == 1 ? 5 : 9);
		told[0] = '\0';
		told_used = 0;
		/* Else it is laid to the one that had not ended. */
		ck_assert_uint_eq(batch_left(&batch), i < 2 ? 2 : 1);
		ck_assert_int_eq(batch.entry[2].done, i == 2);
		batch_deinit(&batch);
	}
	memset(&batch, 0, sizeof(batch));
}
END_TEST

/* Who did not end took until now; who did not begin took no time. */
START_TEST(times_of_what_does_not_end)
{
	begin(0, false, 0, 3);
	batch_start(&batch);
	say(RUN_STDOUT, BEGIN(0));
	now = 1007;
	batch_exit(&batch, 139);
	expect_told("0/0: 139 \"(its end was not reported)|\" \"\" 7 s\n");
	batch_start(&batch);
	now = 1009;
	batch_exit(&batch, 99);
	expect_told("0/1: 99 \"\" \"\" 0 s\n");
	batch_abandon(&batch, 124);
	expect_told("0/2: 124 \"\" \"\" 0 s\n");
}
END_TEST

static const char timed_out[] =
	"{\"type\":\"end\",\"program\":\"/c/0\",\"status\":99,\"timed_out\":true}\n";

START_TEST(ways_to_end)
{
	/* Settled: those whose end was read. */
	begin(0, false, 0, 3);
	batch_start(&batch);
	say(RUN_STDOUT, BEGIN(0));
	say(RUN_STDOUT, timed_out);
	say(RUN_STDOUT, BEGIN(1));
	say(RUN_STDERR, BEGIN(2) END(2, 0));
	batch_settle(&batch);
	expect_told("0/0: 124 \"\" \"\" 0 s\n");
	batch_settle(&batch);
	expect_told("");
	/* Failed: what is left. */
	batch_fail(&batch, "no guest");
	expect_told("0/1: error of the environment: no guest\n0/2: error of the environment: no "
		    "guest\n");
	batch_fail(&batch, "no guest");
	batch_abandon(&batch, 1);
	expect_told("");
}
END_TEST

/* What was cut says so, wherever it was kept. */
START_TEST(cut_is_said)
{
	begin(0, false, 0, 2);
	batch_start(&batch);
	say(RUN_STDERR, "x\n");
	batch.stream[RUN_STDERR].stray.cut = true;
	say(RUN_STDOUT, BEGIN(0));
	say(RUN_STDERR, BEGIN(0));
	say(RUN_STDOUT, END(0, 0));
	say(RUN_STDERR, END(0, 0));
	expect_told("0/0: 0 \"\" \"x|\" cut 0 s\n");
}
END_TEST

/* Marks of who is not started, is done, or is no text; lines that only look like marks. */
START_TEST(marks_that_are_none)
{
	static const char *const none[] = {
		BEGIN(9), END(9, 0), END(0, 0), "{\"type\":\"begin\"}\n", "{\"type\":\"end\",\"program\":7}\n",
	}, *const lines_of_it[] = {
		"[{\"type\":\"begin\",\"program\":\"/c/0\"}]\n", "{\"type\":\"other\",\"program\":\"/c/0\"}\n",
		" {\"type\":\"begin\",\"program\":\"/c/0\"}\n", "{\"type\":7}\n", "{}\n", "\n", "{\n",
	};
	char expected[512] = "0/0: 5 \"";

	begin(0, false, 0, 2);
	batch_start(&batch);
	for (int i = 0; i < COUNT(none); i++)
		ck_assert(!say(RUN_STDOUT, none[i]));
	ck_assert(say(RUN_STDOUT, BEGIN(0)));
	ck_assert(!say(RUN_STDOUT, BEGIN(0)));
	for (int i = 0; i < COUNT(lines_of_it); i++) {
		ck_assert(!say(RUN_STDOUT, lines_of_it[i]));
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "%.*s|",
			 (int)strlen(lines_of_it[i]) - 1, lines_of_it[i]);
	}
	ck_assert(!say(RUN_STDOUT, END(1, 0)));
	ck_assert(say(RUN_STDOUT, END(0, 5)));
	ck_assert(!say(RUN_STDERR, BEGIN(0) END(0, 0)));
	snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), "\" \"\" 0 s\n");
	expect_told(expected);
	ck_assert(!say(RUN_STDOUT, BEGIN(0)));
}
END_TEST

SUITE(run_batch_parts, FIXTURE(set_up, tear_down), LOOP(share_of_what_is_left, shares),
      TEST(list_of_what_is_pending), TEST(batch_is_of_one_kind), LOOP(command_line, lines),
      TEST(news_and_times), TEST(nothing_behind_the_last), TEST(status_of_one_of_them),
      TEST(times_of_what_does_not_end), TEST(ways_to_end), TEST(cut_is_said),
      TEST(marks_that_are_none))
