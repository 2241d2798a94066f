/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_kept.c - what a run that is resumed takes over: cells, lanes, and what it is known by
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "reports/report/tests/results_fixture.h"
#include "reports/report/tests/results_folder.h"
#include "guests/run/run.h"

#define FOUND(verdict, more)                                                                       \
	"{\"type\":\"" verdict                                                                     \
	"\",\"image\":\"/x/p\",\"function\":\"f\",\"kind\":\"wrong\",\"count\":3" more "}"

/* A run of one binary in one lane, and what is known of it. */
static struct cell *begin(struct results *results, const char *kernel, const char *outcome,
			  const char *sentence)
{
	static const char *const parts[] = { "stackproof",  "corpus", "kernels",  "engines",
					     "host_kernel", "cpu",    "recorded", "ignore" };

	results_init(results);
	json_t *same = json_object();
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		json_object_set_new(same, parts[i], json_string("x"));
	json_object_set_new(results->header, "identity", same);
	fixture_kernel(results, kernel, "6.1", "p", "tcg", outcome, sentence, 5, 7);
	return fixture_cell(results, kernel, "p", "gcc", "O2-fp", "c");
}

/* The old run goes into a folder, and the new one takes over what it can. */
static int resume(struct results *old, struct results *results, struct ignore_list *list,
		  double *ret_seconds)
{
	char folder[] = "/tmp/test_run_kept.XXXXXX";
	const struct run_options options = { .results = folder, .require = "", .ignore = list };
	struct error error = { 0 };

	make_folder(folder, "");
	ck_assert_msg(!results_write(old, folder, &error), "%s", error.message);
	int status = run_resume(results, &options, ret_seconds, &error);
	ck_assert_msg(!status, "%s", error.message);
	results_deinit(old);
	remove_folder(folder);
	return status;
}

/* How a guest ended is news if it is not run again. */
static const struct lane_case {
	const char *name, *kernel, *outcome, *sentence;
	enum cell_status status; /* of its cell; an error is run again */
	const char *then, *said;
} lane_cases[] = {
	{ "the_host", "host", "o", "s", CELL_PASSED, "o", "s" },
	{ "the_host_again", "host", "o", "s", CELL_ERROR, "o", "s" },
	{ "a_guest_that_was_well", "5.10", "ok", "", CELL_PASSED, "ok", "" },
	{ "one_that_died_when_all_was_done", "5.10", "panic", "died", CELL_FAILED, "panic",
	  "died" },
	{ "an_outcome_of_a_letter", "5.10", "x", "s", CELL_PASSED, "x", "s" },
	{ "one_that_was_interrupted", "5.10", "interrupted", "s", CELL_PASSED, "ok", "" },
	{ "one_of_which_nothing_was_said", "5.10", "", "s", CELL_PASSED, "ok", "" },
	{ "one_that_died_before", "5.10", "panic", "died", CELL_ERROR, "", "" },
	{ "one_that_was_interrupted_before", "5.10", "interrupted", "s", CELL_ERROR, "", "" },
};

START_TEST(test_lanes)
{
	const struct lane_case *c = &lane_cases[_i];
	struct results old, results;
	double seconds;

	cell_set(begin(&old, c->kernel, c->outcome, c->sentence), c->status, "%s", "");
	begin(&results, c->kernel, "", "");
	results.kernel[0].boot_ms = results.kernel[0].total_ms = 0;
	resume(&old, &results, NULL, &seconds);
	ck_assert_msg(!strcmp(results.kernel[0].outcome, c->then), "%s: %s", c->name,
		      results.kernel[0].outcome);
	ck_assert_msg(!strcmp(results.kernel[0].sentence, c->said), "%s: %s", c->name,
		      results.kernel[0].sentence);
	ck_assert_uint_eq(results.kernel[0].boot_ms, 5);
	ck_assert_uint_eq(results.kernel[0].total_ms, 7);
	ck_assert_int_eq(results.cell[0].status,
			 c->status == CELL_ERROR ? CELL_PENDING : c->status);
	results_deinit(&results);
}
END_TEST

/* A lane that the earlier run has not stays as it is. */
START_TEST(test_a_lane_more)
{
	struct results old, results;
	double seconds;

	cell_set(begin(&old, "host", "ok", ""), CELL_PASSED, "%s", "");
	begin(&results, "host", "", "");
	fixture_kernel(&results, "7.2", "7.2.1", "q", "kvm", "", "s", 0, 0);
	fixture_cell(&results, "7.2", "p", "gcc", "O2-fp", "c");
	resume(&old, &results, NULL, &seconds);
	ck_assert_str_eq(results.kernel[1].name, "7.2");
	ck_assert_str_eq(results.kernel[1].sentence, "s");
	ck_assert_int_eq(results.cell[1].status, CELL_PENDING);
	results_deinit(&results);
}
END_TEST

/* Findings that are ignored count for the list, with or without one. */
START_TEST(test_cell)
{
	char path[] = "/tmp/test_run_kept.XXXXXX";
	static const char text[] = "p\tf\twrong\t-\tr\n";
	struct ignore_list list;
	struct error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert(!ignore_list_read(&list, path, "2026-11-22", &error));
	unlink(path);
	list.path = "list";
	for (int with = 0; with < 2; with++) {
		struct results old, results;
		double seconds = 0;

		struct cell *cell = begin(&old, "host", "ok", "");
		json_object_set_new(old.header, "time", json_string("then"));
		old.seconds = 17;
		cell_set(cell, CELL_FAILED, "r");
		cell->seconds = 2.5;
		fixture_object(cell, FOUND("finding", ",\"ignored\":\"r\""));
		fixture_object(cell, FOUND("finding", ""));
		fixture_object(
			cell,
			"{\"type\":\"verdicts\",\"image\":\"/x/"
			"p\",\"function\":\"f\",\"kind\":\"wrong\",\"ignored\":3,\"count\":9}");
		begin(&results, "host", "", "");
		json_object_set_new(results.header, "time", json_string("now"));
		resume(&old, &results, with ? &list : NULL, &seconds);
		cell = &results.cell[0];
		ck_assert_int_eq(cell->status, CELL_FAILED);
		ck_assert_str_eq(cell->reason, "r");
		ck_assert_double_eq(cell->seconds, 2.5);
		ck_assert_uint_eq(json_array_size(cell->objects), 3);
		ck_assert_double_eq(seconds, 17);
		ck_assert_str_eq(json_text(results.header, "time"), "then");
		const json_t *resumed = json_array_get(json_object_get(results.header, "resumed"),
						       0);
		ck_assert_str_eq(json_text(resumed, "time"), "now");
		ck_assert_uint_eq(json_number(resumed, "kept"), 1);
		results_deinit(&results);
	}
	json_t *worth = ignore_list_json(&list);
	ck_assert_uint_eq(json_number(json_array_get(worth, 0), "findings"), 1);
	ck_assert_uint_eq(json_number(json_array_get(worth, 0), "points"), 3);
	json_decref(worth);
	ignore_list_deinit(&list);
}
END_TEST

/* A bad line before the last one is an error; the last was cut off. */
static const struct {
	const char *name, *tail;
	int status;
} tails[] = {
	{ "whole", "", 0 },
	{ "cut", "{\"ty", 0 },
	{ "bad", "{\"ty\n", -1 },
	{ "bad_before_it_was_cut", "{\"ty\n{\"ty", -1 },
};

START_TEST(test_last_line)
{
	char folder[] = "/tmp/test_run_kept.XXXXXX", path[64];
	const struct run_options options = { .results = folder, .require = "" };
	struct results old, results;
	struct error error = { 0 };
	double seconds;

	make_folder(folder, "");
	cell_set(begin(&old, "host", "ok", ""), CELL_PASSED, "%s", "");
	ck_assert(!results_write(&old, folder, &error));
	snprintf(path, sizeof(path), "%s/" RESULTS_FILE, folder);
	FILE *file = fopen(path, "ae");
	fputs(tails[_i].tail, file);
	fclose(file);
	begin(&results, "host", "", "");
	ck_assert_msg(run_resume(&results, &options, &seconds, &error) == tails[_i].status,
		      "%s: %s", tails[_i].name, error.message);
	ck_assert(!tails[_i].status || strstr(error.message, "line "));
	results_deinit(&old);
	results_deinit(&results);
	remove_folder(folder);
}
END_TEST

/* ---- what a run is known by ------------------------------------------------------------- */

static char *identity(const char *key, const char *first, const char *second)
{
	char folder[] = "/tmp/test_run_kept.XXXXXX", path[2][64];
	char *files[] = { path[0], path[1] }, *names[] = { "/corpus/one", "/corpus/two" };
	struct corpus_binary binary = { .name = "p",
					.program = "p",
					.toolchain = "gcc",
					.variant = "O2",
					.language = "c",
					.path = "/nowhere",
					.file = files,
					.guest_file = names,
					.file_count = 2 };
	const struct manifest manifest = { .binary = &binary, .count = 1 };
	const struct run_options options = { .record = true };
	struct results results;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%d", folder, i);
		FILE *file = fopen(path[i], "we");
		fputs(i ? second : first, file);
		fclose(file);
	}
	begin(&results, "host", "", "");
	fixture_kernel(&results, "5.10", "", "", "", "", "", 0, 0);
	strcpy(results.kernel[0].how, RESULTS_STEPPED);
	strcpy(results.kernel[1].how, RESULTS_PLAYED);
	run_identify(&results, &manifest, &options);
	char *text = json_dumps(json_object_get(json_object_get(results.header, "identity"), key),
				JSON_COMPACT | JSON_ENCODE_ANY);
	results_deinit(&results);
	for (int i = 0; i < 2; i++)
		unlink(path[i]);
	rmdir(folder);
	return text;
}

static const struct {
	const char *name, *first, *second;
	bool same;
} file_cases[] = {
	{ "the_same", "a", "b", true },
	{ "the_first_is_another", "A", "b", false },
	{ "the_second_is_another", "a", "B", false },
	{ "one_for_the_other", "b", "a", false },
	{ "nothing_is_in_them", "", "", false },
};

START_TEST(test_files_of_a_binary)
{
	FREED char *before = identity("corpus", "a", "b");
	FREED char *now = identity("corpus", file_cases[_i].first, file_cases[_i].second);

	ck_assert_msg(!strcmp(before, now) == file_cases[_i].same, "%s: %s", file_cases[_i].name,
		      now);
}
END_TEST

START_TEST(test_identity)
{
	static const char *const parts[][2] = { { "kernels", "[\"host stepped\",\"5.10 played\"]" },
						{ "recorded", "true" },
						{ "ignore", "null" } };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		FREED char *text = identity(parts[i][0], "a", "b");

		ck_assert_str_eq(text, parts[i][1]);
	}
}
END_TEST

SUITE(run_kept, LOOP(test_lanes, lane_cases), TEST(test_a_lane_more), TEST(test_cell),
      LOOP(test_last_line, tails), LOOP(test_files_of_a_binary, file_cases), TEST(test_identity))
