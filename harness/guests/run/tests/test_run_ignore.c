/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_ignore.c - findings in the list of --ignore fail no cell, and all others still do
 *
 * The same cell is judged as it is run, and again as it is read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "base/cli/json_counts.h"
#include "base/cli/exit_status.h"
#include "reports/report/tests/results_fixture.h"
#include "guests/run/run.h"

#define TRUTH ",\"truth\":{\"max_frames\":9}"
#define FINDING(verdict, kind, function, count)                                                    \
	"{\"type\":\"finding\",\"verdict\":\"" verdict "\",\"kind\":\"" kind                       \
	"\",\"image\":\"/x/p\",\"function\":\"" function "\",\"count\":" count "}\n"
#define SCORE(exact)	 "{\"type\":\"score\",\"engine\":\"bpf\",\"points\":100,\"exact\":" exact "}\n"
#define VERDICTS(counts) "{\"type\":\"verdicts\",\"points\":100," counts TRUTH "}\n"

#define ALL_LOSSES   "p\t*\tconversion_loss\t-\tr\n"
#define INIT_MISSING "*\t_init\tmissing\t-\tr\n"
#define INIT	     "*\t_init\t*\t-\tr\n"
/* Lines of the list. */
#define ALL	"*\t*\t*\t-\tr\n"
#define F_WRONG "p\tf\twrong\t-\tr\n"

static const struct judged {
	const char *name, *out, *list, *expected;
	enum cell_status status;
	const char *reason;
	uint64_t ignored; /* points, as the verdicts say it */
} judged[] = {
	{ "a_walk_fault_in_the_list_fails_nothing",
	  FINDING("walk_fault", "wrong", "f", "3") SCORE("97")
		  VERDICTS("\"exact\":97,\"walk_fault\":3"),
	  F_WRONG, NULL, CELL_PASSED, "", 3 },
	{ "its_points_only",
	  FINDING("walk_fault", "wrong", "f", "2") FINDING("walk_fault", "wrong", "g", "1")
		  SCORE("97") VERDICTS("\"exact\":97,\"walk_fault\":3"),
	  F_WRONG, NULL, CELL_FAILED,
	  "bpf exact at 97 of 100 points, 0 of them table faults; walk_fault 1", 2 },
	{ "more_inexact_points_than_ignored_ones_fail",
	  FINDING("walk_fault", "wrong", "f", "3") SCORE("96")
		  VERDICTS("\"exact\":97,\"walk_fault\":3"),
	  F_WRONG, NULL, CELL_FAILED, "bpf exact at 96 of 100 points, 0 of them table faults", 3 },
	{ "a_silent_loss_by_its_verdict",
	  FINDING("conversion_loss", "silent", "f", "3") SCORE("97")
		  VERDICTS("\"exact\":97,\"conversion_loss_silent\":3"),
	  ALL_LOSSES, NULL, CELL_PASSED, "", 3 },
	{ "its_points_alone",
	  FINDING("conversion_loss", "silent", "f", "2")
		  FINDING("conversion_loss", "silent", "g", "1") SCORE("97")
			  VERDICTS("\"exact\":97,\"conversion_loss_silent\":3"),
	  "p\tf\tconversion_loss\t-\tr\n", NULL, CELL_FAILED,
	  "bpf exact at 97 of 100 points, 0 of them table faults; conversion_loss_silent 1", 2 },
	{ "of_two_functions_both",
	  FINDING("conversion_loss", "silent", "f", "2")
		  FINDING("conversion_loss", "silent", "g", "1") SCORE("97")
			  VERDICTS("\"exact\":97,\"conversion_loss_silent\":3"),
	  ALL_LOSSES, NULL, CELL_PASSED, "", 3 },
	{ "a_silent_loss_beside_a_flagged_one_that_was_expected",
	  "{\"type\":\"finding\",\"verdict\":\"conversion_loss\",\"kind\":\"flagged\",\"image\":\"/"
	  "x/p\","
	  "\"function\":\"f\",\"stop\":\"x\",\"count\":3}\n" FINDING("conversion_loss", "silent",
								     "g", "2") SCORE("95")
		  VERDICTS("\"exact\":95,\"conversion_loss_flagged\":3,"
			   "\"conversion_loss_silent\":2"),
	  ALL_LOSSES, "flagged:x", CELL_PASSED, "", 5 },
	{ "a_flagged_loss_is_no_silent_one",
	  FINDING("conversion_loss", "flagged", "f", "3") SCORE("94") VERDICTS(
		  "\"exact\":94,\"conversion_loss_silent\":3,\"conversion_loss_flagged\":3"),
	  "p\t*\tflagged\t-\tr\n", NULL, CELL_FAILED,
	  "bpf exact at 94 of 100 points, 0 of them table faults; conversion_loss_silent 3", 3 },
	{ "a_flagged_loss_that_was_not_expected",
	  FINDING("conversion_loss", "flagged", "f", "3") SCORE("97")
		  VERDICTS("\"exact\":97,\"conversion_loss_flagged\":3"),
	  "p\t*\tflagged\t-\tr\n", NULL, CELL_PASSED, "", 3 },
	{ "a_flagged_loss_that_was_expected_is_excused_once",
	  FINDING("conversion_loss", "flagged", "f", "3") SCORE("96")
		  VERDICTS("\"exact\":97,\"conversion_loss_flagged\":3"),
	  "p\t*\tflagged\t-\tr\n", "flagged:x", CELL_FAILED,
	  "bpf exact at 96 of 100 points, 0 of them table faults", 3 },
	{ "a_table_fault_that_was_not_expected",
	  FINDING("table_fault", "missing", "_init", "3") SCORE("97")
		  VERDICTS("\"exact\":97,\"table_fault\":3"),
	  INIT_MISSING, "exact", CELL_PASSED, "", 3 },
	{ "a_table_fault_is_excused_once",
	  FINDING("table_fault", "missing", "_init", "3") SCORE("96")
		  VERDICTS("\"exact\":97,\"table_fault\":3"),
	  INIT_MISSING, "exact", CELL_FAILED,
	  "bpf exact at 96 of 100 points, 3 of them table faults", 3 },
	{ "another_function_is_not_in_the_list",
	  FINDING("table_fault", "missing", "_fini", "3") SCORE("97")
		  VERDICTS("\"exact\":97,\"table_fault\":3"),
	  INIT_MISSING, "exact", CELL_FAILED,
	  "table_fault (missing) in _fini was not expected: ", 0 },
	{ "too_many_table_faults_may_be_ignored",
	  FINDING("table_fault", "missing", "_init", "60") SCORE("40")
		  VERDICTS("\"exact\":40,\"table_fault\":60"),
	  INIT_MISSING, NULL, CELL_PASSED, "", 60 },
	{ "too_many_others_may_not",
	  FINDING("table_fault", "missing", "_init", "9") FINDING("table_fault", "wrong", "f", "51")
		  SCORE("40") VERDICTS("\"exact\":40,\"table_fault\":60"),
	  INIT_MISSING, NULL, CELL_FAILED, "table faults at 51 of 100 points: too many", 9 },
	{ "what_is_expected_must_still_appear", SCORE("100") VERDICTS("\"exact\":100"), ALL,
	  "table_fault:f", CELL_FAILED, "table_fault:f was expected and did not appear", 0 },
	{ "a_kernel_fault_is_nobodys_function",
	  "{\"type\":\"finding\",\"verdict\":\"kernel_fault\"}\n" SCORE("100")
		  VERDICTS("\"exact\":100,\"kernel_fault\":1"),
	  ALL, NULL, CELL_FAILED, "kernel_fault 1", 0 },
};

static void read_list(struct ignore_list *ret, const char *text)
{
	char path[] = "/tmp/test_run_ignore.XXXXXX";
	struct error error = { 0 };
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_msg(!ignore_list_read(ret, path, "2026-11-22", &error), "%s", error.message);
	unlink(path);
	ret->path = "list";
}

static void begin(struct ignore_list *list, struct results *results, const char *text)
{
	results_init(results);
	read_list(list, text);
}

static void asked(struct results *results)
{
	json_object_set_new(results->header, "engines", json_pack("[s, s]", "cfi", "bpf"));
}

static void forget(struct ignore_list *list, struct results *results)
{
	ignore_list_deinit(list);
	results_deinit(results);
}

static void check_cell(const struct judged *c, const struct cell *cell, const char *when)
{
	const json_t *verdicts = json_array_get(cell->objects, json_array_size(cell->objects) - 1);

	ck_assert_msg(cell->status == c->status, "%s, %s: %s: %s", c->name, when,
		      cell_status_name(cell->status), cell->reason);
	ck_assert_msg(!strcmp(cell->reason, c->reason), "%s, %s: %s", c->name, when, cell->reason);
	ck_assert_uint_eq(json_number(verdicts, "ignored"), c->ignored);
	ck_assert(!json_number(verdicts, "ignored_findings") == !c->ignored);
	ck_assert_uint_eq(cell_ignored(cell, NULL, NULL), c->ignored);
}

static void judge(const struct judged *c, struct cell *cell, struct ignore_list *list)
{
	const struct judge_options options = { "cfi,bpf", list };
	struct output out = { (char *)c->out, strlen(c->out), 0, false }, err = { 0 };

	cell_judge(cell, &options, c->expected, EXIT_FINDINGS, &out, &err);
}

START_TEST(test_judged_as_it_is_run)
{
	const struct judged *c = &judged[_i];
	struct ignore_list list;
	struct results results;

	begin(&list, &results, c->list);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	judge(c, cell, &list);
	check_cell(c, cell, "run");
	forget(&list, &results);
}
END_TEST

/* What had not failed is not judged again. */
START_TEST(test_judged_again_as_it_is_read)
{
	const struct judged *c = &judged[_i];
	struct ignore_list list;
	struct results results;

	begin(&list, &results, c->list);
	asked(&results);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	cell_expect(cell, c->expected);
	judge(c, cell, NULL);
	FREED char *before = strdup(cell->reason);
	bool failed = cell->status == CELL_FAILED;
	results_ignore(&results, &list);
	if (c->status == CELL_PASSED)
		check_cell(c, cell, "read");
	else
		ck_assert_str_eq(cell->reason, before);
	ck_assert_int_eq(cell->status, failed ? c->status : CELL_PASSED);
	ck_assert_uint_eq(json_array_size(results.ignore), 1);
	forget(&list, &results);
}
END_TEST

/* Nobody knows what was expected of it. */
START_TEST(test_older_results_stay_as_they_are)
{
	struct ignore_list list;
	struct results results;

	begin(&list, &results, judged[0].list);
	asked(&results);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	judge(&judged[0], cell, NULL);
	results_ignore(&results, &list);
	ck_assert_int_eq(cell->status, CELL_FAILED);
	ck_assert_uint_eq(cell_ignored(cell, NULL, NULL), 3);
	forget(&list, &results);
}
END_TEST

/* What is required must be there: that is no finding. */
START_TEST(test_a_requirement_stays_failed)
{
	struct ignore_list list;
	struct results results;

	begin(&list, &results, INIT);
	asked(&results);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	cell_expect(cell, NULL);
	fixture_object(cell, FINDING("table_fault", "missing", "_init", "3"));
	fixture_object(cell, "{\"type\":\"skip\",\"engine\":\"bpf\",\"reason\":\"no_bpf\"}");
	fixture_object(cell, VERDICTS("\"exact\":97,\"table_fault\":3"));
	cell_set(cell, CELL_FAILED, "bpf is required here: no_bpf");
	results_ignore(&results, &list);
	ck_assert_int_eq(cell->status, CELL_FAILED);
	ck_assert_str_eq(cell->reason, "bpf is required here: no_bpf");
	forget(&list, &results);
}
END_TEST

/* What compare printed fails for its findings, silence, and a truth that is thin. */
static const struct compared {
	const char *name, *score, *verdicts;
	enum cell_status status;
} compared[] = {
	{ "all_ignored", SCORE("97"), VERDICTS("\"exact\":97,\"table_fault\":3"), CELL_PASSED },
	{ "some_are_not", SCORE("96"), VERDICTS("\"exact\":96,\"table_fault\":4"), CELL_FAILED },
	{ "absent_is_innocent", SCORE("96"),
	  VERDICTS("\"exact\":95,\"table_fault\":3,\"absent\":2"), CELL_PASSED },
	{ "a_flagged_loss_is_innocent", SCORE("95"),
	  VERDICTS("\"exact\":95,\"conversion_loss_flagged\":2,\"table_fault\":3"), CELL_PASSED },
	{ "one_that_is_ignored_counts_once", FINDING("conversion_loss", "flagged", "_init", "2"),
	  VERDICTS("\"exact\":95,\"conversion_loss_flagged\":2,\"table_fault\":3"), CELL_PASSED },
	{ "one_that_is_not_ignored_counts", FINDING("walk_fault", "wrong", "g", "1"),
	  VERDICTS("\"exact\":96,\"walk_fault\":1,\"table_fault\":3"), CELL_FAILED },
	{ "no_more_than_half_is_a_prefix", SCORE("97"),
	  "{\"type\":\"verdicts\",\"points\":100,\"exact\":97,\"truth\":{\"max_frames\":2,"
	  "\"unrooted\":50}}",
	  CELL_PASSED },
	{ "a_silent_engine", "{\"type\":\"score\",\"engine\":\"fp\",\"silent\":1}",
	  VERDICTS("\"exact\":97,\"table_fault\":3"), CELL_FAILED },
	{ "a_requirement_that_is_not_met", "{\"type\":\"requirement\",\"result\":\"not_met\"}",
	  VERDICTS("\"exact\":97,\"table_fault\":3"), CELL_FAILED },
	{ "one_that_is_met", "{\"type\":\"requirement\",\"result\":\"met\"}",
	  VERDICTS("\"exact\":97,\"table_fault\":3"), CELL_PASSED },
	{ "half_is_unproven", SCORE("97"),
	  VERDICTS("\"exact\":46,\"table_fault\":3,\"unproven\":51"), CELL_FAILED },
	{ "no_more_than_half", SCORE("97"),
	  VERDICTS("\"exact\":47,\"table_fault\":3,\"unproven\":50"), CELL_PASSED },
	{ "a_thin_truth", SCORE("97"),
	  "{\"type\":\"verdicts\",\"points\":100,\"exact\":97,\"truth\":{\"max_frames\":1}}",
	  CELL_FAILED },
	{ "a_prefix", SCORE("97"),
	  "{\"type\":\"verdicts\",\"points\":100,\"exact\":97,\"truth\":{\"max_frames\":2,"
	  "\"unrooted\":51}}",
	  CELL_FAILED },
};

START_TEST(test_what_compare_printed)
{
	const struct compared *c = &compared[_i];
	struct ignore_list list;
	struct results results;

	begin(&list, &results, INIT);
	struct cell *cell = fixture_cell(&results, "host", "p", "", "", "");
	fixture_object(cell, FINDING("table_fault", "missing", "_init", "3"));
	fixture_object(cell, c->score);
	fixture_object(cell, c->verdicts);
	cell_set(cell, CELL_FAILED, "findings");
	results_ignore(&results, &list);
	ck_assert_msg(cell->status == c->status, "%s: %s", c->name, cell_status_name(cell->status));
	forget(&list, &results);
}
END_TEST

/* What failed for something else, or was never judged, stays what it is. */
static const struct {
	const char *name, *function;
	enum cell_status status;
	bool verdicts, of_run;
} kept_cases[] = {
	{ "nothing_of_it_is_in_the_list", "g", CELL_FAILED, true, false },
	{ "an_error", "_init", CELL_ERROR, true, false },
	{ "no_verdicts", "_init", CELL_FAILED, false, false },
	{ "no_verdicts_in_a_run", "_init", CELL_FAILED, false, true },
	{ "an_error_in_a_run", "_init", CELL_ERROR, true, true },
};

START_TEST(test_what_stays_as_it_is)
{
	struct ignore_list list;
	struct results results;
	char finding[512];

	begin(&list, &results, INIT);
	if (kept_cases[_i].of_run)
		json_object_set_new(results.header, "engines", json_pack("[s]", "cfi"));
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	cell_expect(cell, NULL);
	snprintf(finding, sizeof(finding), FINDING("table_fault", "missing", "%s", "3"),
		 kept_cases[_i].function);
	fixture_object(cell, finding);
	if (kept_cases[_i].verdicts)
		fixture_object(cell, VERDICTS("\"exact\":100"));
	cell_set(cell, kept_cases[_i].status, "as it was");
	results_ignore(&results, &list);
	ck_assert_msg(cell->status == kept_cases[_i].status && !strcmp(cell->reason, "as it was"),
		      "%s: %s %s", kept_cases[_i].name, cell_status_name(cell->status),
		      cell->reason);
	/* Neither is it judged when it is asked for alone. */
	cell_set(cell, CELL_PASSED, "as it was");
	cell_judge_again(cell, "cfi");
	ck_assert_str_eq(cell->reason, "as it was");
	forget(&list, &results);
}
END_TEST

/* What is no finding, is a kernel's fault, or is ignored already is not marked again. */
START_TEST(test_what_is_marked)
{
	static const struct {
		const char *object, *reason; /* NULL: it is not marked */
	} objects[] = {
		{ "{\"type\":\"finding\",\"verdict\":\"walk_fault\",\"count\":3}", "r" },
		{ "{\"type\":\"score\",\"verdict\":\"walk_fault\",\"count\":3}", NULL },
		{ "{\"type\":\"finding\",\"verdict\":\"kernel_fault\",\"count\":3}", NULL },
		{ "{\"type\":\"finding\",\"verdict\":\"walk_fault\",\"ignored\":\"s\",\"count\":3}",
		  "s" },
		{ "{\"type\":\"finding\",\"verdict\":\"table_fault\",\"count\":4}", "r" },
		{ "{\"type\":\"verdicts\",\"ignored\":10,\"ignored_findings\":1}", NULL },
	};
	struct ignore_list list;
	struct results results;
	uint64_t findings;

	begin(&list, &results, ALL);
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		fixture_object(cell, objects[i].object);
	ck_assert_uint_eq(cell_ignore(cell, &list), 2);
	for (size_t i = 0; i < 5; i++)
		ck_assert_str_eq(json_text(json_array_get(cell->objects, i), "ignored"),
				 objects[i].reason ? objects[i].reason : "");
	const json_t *verdicts = json_array_get(cell->objects, 5);
	ck_assert_uint_eq(json_number(verdicts, "ignored"), 17);
	ck_assert_uint_eq(json_number(verdicts, "ignored_findings"), 3);
	ck_assert_uint_eq(cell_ignored(cell, "walk_fault", NULL), 6);
	ck_assert_uint_eq(results_ignored(&results, &findings), 10);
	ck_assert_uint_eq(findings, 3);
	forget(&list, &results);
}
END_TEST

START_TEST(test_summary_says_what_was_ignored)
{
	static const char expected[] =
		"\"ignored\":3,\"ignored_findings\":1,\"ignore\":[{\"type\":\"ignore\",\"file\":"
		"\"list\",\"line\":1,\"state\":\"matched\",\"image\":\"p\",\"function\":\"f\","
		"\"kind\":\"wrong\",\"reason\":\"r\",\"findings\":1,\"points\":3},{\"type\":"
		"\"ignore\",\"file\":\"list\",\"line\":2,\"state\":\"expired\",\"image\":\"p\","
		"\"function\":\"f\",\"kind\":\"wrong\",\"reason\":\"s\",\"until\":\"2026-11-21\","
		"\"findings\":0,\"points\":0}],";
	struct ignore_list list;
	struct results results;
	char *text = NULL;

	begin(&list, &results, "p\tf\twrong\t-\tr\np\tf\twrong\t2026-11-21\ts\n");
	struct cell *cell = fixture_cell(&results, "host", "p", "gcc", "O2-fp", "c");
	judge(&judged[0], cell, &list);
	results.ignore = ignore_list_json(&list);
	json_t *summary = results_summary_json(&results);
	text = json_dumps(summary, JSON_COMPACT);
	ck_assert_msg(strstr(text, expected) != NULL, "%s", text);
	free(text);
	json_decref(summary);
	FIXTURE_CAPTURE(text, terminal_print(&results, NULL, false, capture));
	ck_assert_ptr_nonnull(strstr(text, "\nIgnored findings\n  1 at 3 points: r\n\n"));
	free(text);
	FIXTURE_CAPTURE(text, matrix_html_print(&results, capture));
	ck_assert_ptr_nonnull(strstr(text, "<h2 id=\"ignored\">Ignored findings</h2>"));
	free(text);
	forget(&list, &results);
}
END_TEST

SUITE(run_ignore, LOOP(test_judged_as_it_is_run, judged),
      LOOP(test_judged_again_as_it_is_read, judged), TEST(test_older_results_stay_as_they_are),
      TEST(test_a_requirement_stays_failed), LOOP(test_what_compare_printed, compared),
      LOOP(test_what_stays_as_it_is, kept_cases), TEST(test_what_is_marked),
      TEST(test_summary_says_what_was_ignored))
