/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_changes_print.c - changes as text and as JSON, letter by letter
 *
 * The changes are made up. Which there are between two results is test_changes.c's.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "reports/changes/changes.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define CHANGES_MAX   30
#define JSON_HEAD(what, direction)                                                                 \
	"{\"type\":\"results_change\",\"change\":\"" what "\",\"direction\":\"" direction          \
	"\",\"binary\":\"a/p.gcc\",\"program\":\"p\",\"toolchain\":\"gcc\",\"variant\":\"O2\","    \
	"\"language\":\"c\",\"kernel_name\":\"host\","

static struct cell host = {
	.binary = (char *)"a/p.gcc",
	.program = (char *)"p",
	.toolchain = (char *)"gcc",
	.variant = (char *)"O2",
	.language = (char *)"c",
	.kernel = (char *)"host",
	.status = CELL_PASSED,
	.reason = (char *)"",
};

static json_t *object_of(const char *text)
{
	json_t *object = text ? json_loads(text, 0, NULL) : NULL;

	ck_assert_msg(!text || object, "%s", text);
	return object;
}

static char *printed(void (*print)(const struct changes_report *, const struct changes *),
		     struct changes_report report, const struct changes *changes)
{
	struct gate gate = { .unit = "cells" };
	char *text = NULL;
	size_t size;

	report.file = open_memstream(&text, &size);
	report.before = "old";
	report.after = "new\033";
	report.gate = &gate;
	gate_check(&gate, 1);
	print(&report, changes);
	fclose(report.file);
	return text;
}

/* What is printed before the last line. */
static void check_body(char *text, const char *expected, const char *name)
{
	char *last = strrchr(text, '\n');

	ck_assert_msg(last && !last[1], "%s: %s", name, text);
	*last = '\0';
	last = strrchr(text, '\n');
	if (last)
		last[1] = '\0';
	else
		text[0] = '\0';
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s\nis not\n%s", name, text, expected);
	free(text);
}

/* ---- one change --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum change_what what;
	const char *before, *after; /* objects */
	uint64_t points_before, points_after;
	const char *ignored;
	const char *text; /* behind the cell's line */
	const char *json; /* behind the cell's fields */
} cases[] = {
	{ "all_evidence", CHANGE_FINDING_NEW, NULL,
	  "{\"verdict\":\"v\\t\",\"kind\":\"k\\t\",\"image\":\"/l/i\\t\",\"function\":\"f\\t\","
	  "\"start_file\":\"crt1.o\",\"place\":\"f+0x4\\t\",\"address\":\"0x4\",\"frame\":2,"
	  "\"stop\":\"s\\t\",\"instruction\":\"ret\\t\",\"declared\":\"cfa=rsp\\t\","
	  "\"declared_cfa\":\"0x10\\t\",\"actual_cfa\":\"0x18\\t\",\"other_kernel\":\"5.10\\t\","
	  "\"count\":9}",
	  0, 3, "why\t",
	  "    new       v? (k?) in f? (i?), 3 points; ignored: why?\n"
	  "        at           f+0x4?, frame 2, stop s?\n"
	  "        instruction  ret?\n"
	  "        declared     cfa=rsp?\n"
	  "        cfa          declared 0x10?, actual 0x18?\n"
	  "        not as on    5.10?\n\n"
	  "Findings by function\n"
	  "    new   v? (k?) in f? (i?): 3 points in 1 cells\n\n",
	  JSON_HEAD("finding_new", "other") "\"image\":\"i\\t\",\"verdict\":\"v\\t\","
					    "\"kind\":\"k\\t\",\"function\":\"f\\t\",\"start_"
					    "file\":\"crt1.o\",\"place\":\"f+0x4\\t\","
					    "\"address\":\"0x4\",\"instruction\":\"ret\\t\","
					    "\"declared\":\"cfa=rsp\\t\",\"frame\":2,"
					    "\"declared_cfa\":\"0x10\\t\",\"actual_cfa\":"
					    "\"0x18\\t\",\"stop\":\"s\\t\",\"before\":0,"
					    "\"after\":3,\"ignored\":\"why\\t\"}\n" },
	{ "no_evidence", CHANGE_FINDING_NEW, NULL, "{\"verdict\":\"v\"}", 0, 1, NULL,
	  "    new       v, 1 points\n\n"
	  "Findings by function\n"
	  "    new   v: 1 points in 1 cells\n\n",
	  JSON_HEAD("finding_new", "other") "\"image\":\"\",\"verdict\":\"v\",\"before\":0,"
					    "\"after\":1}\n" },
	{ "cfa_that_is_declared", CHANGE_FINDING_NEW, NULL,
	  "{\"verdict\":\"v\",\"declared_cfa\":\"0x10\"}", 0, 1, NULL,
	  "    new       v, 1 points\n"
	  "        cfa          declared 0x10\n\n"
	  "Findings by function\n"
	  "    new   v: 1 points in 1 cells\n\n",
	  JSON_HEAD("finding_new",
		    "other") "\"image\":\"\",\"verdict\":\"v\","
			     "\"declared_cfa\":\"0x10\",\"before\":0,\"after\":1}\n" },
	{ "cfa_that_is_actual", CHANGE_FINDING_NEW, NULL,
	  "{\"verdict\":\"v\",\"actual_cfa\":\"8\"}", 0, 1, NULL,
	  "    new       v, 1 points\n"
	  "        cfa          actual 8\n\n"
	  "Findings by function\n"
	  "    new   v: 1 points in 1 cells\n\n",
	  JSON_HEAD("finding_new", "other") "\"image\":\"\",\"verdict\":\"v\","
					    "\"actual_cfa\":\"8\",\"before\":0,\"after\":1}\n" },
	{ "evidence_of_what_is_gone_is_not_for_people", CHANGE_FINDING_GONE,
	  "{\"verdict\":\"v\",\"image\":\"/l/p.gcc\",\"instruction\":\"ret\"}", NULL, 4, 0, NULL,
	  "    gone      v (the program), 4 points\n\n"
	  "Findings by function\n"
	  "    gone  v (the program): 4 points in 1 cells\n\n",
	  JSON_HEAD("finding_gone", "other") "\"image\":\"the program\",\"verdict\":\"v\","
					     "\"instruction\":\"ret\",\"before\":4,"
					     "\"after\":0}\n" },
	{ "points_have_the_evidence_of_after", CHANGE_FINDING_POINTS,
	  "{\"verdict\":\"v\",\"instruction\":\"nop\"}",
	  "{\"verdict\":\"v\",\"instruction\":\"ret\"}", 4, 5, NULL,
	  "    points    v, 4 -> 5 points\n"
	  "        instruction  ret\n\n",
	  JSON_HEAD("finding_points", "other") "\"image\":\"\",\"verdict\":\"v\","
					       "\"instruction\":\"ret\",\"before\":4,"
					       "\"after\":5}\n" },
	{ "engine_is_gone", CHANGE_ENGINE_GONE,
	  "{\"engine\":\"bpf\",\"points\":100,\"exact\":90,\"walk_ns\":5}", NULL, 0, 0, NULL,
	  "    bpf       100 points -> gone: the engine has no score any more\n\n",
	  JSON_HEAD("engine_gone", "other") "\"engine\":\"bpf\",\"before\":{\"points\":100,"
					    "\"exact\":90},\"after\":null}\n" },
	{ "engine_is_skipped", CHANGE_ENGINE_GONE,
	  "{\"engine\":\"b\\t\",\"points\":100,\"exact\":90}",
	  "{\"engine\":\"bpf\",\"reason\":\"no_bpf\",\"message\":\"no\\tBTF\"}", 0, 0, NULL,
	  "    b?        100 points -> skipped: no?BTF\n\n",
	  JSON_HEAD("engine_gone", "other") "\"engine\":\"b\\t\",\"before\":{\"points\":100,"
					    "\"exact\":90},\"after\":{\"status\":\"skipped\","
					    "\"reason\":\"no_bpf\",\"message\":\"no\\tBTF\"}}\n" },
	{ "engine_is_skipped_without_a_message", CHANGE_ENGINE_GONE,
	  "{\"engine\":\"bpf\",\"points\":1}", "{\"engine\":\"bpf\",\"reason\":\"no\\tbpf\"}", 0, 0,
	  NULL, "    bpf       1 points -> skipped: no?bpf\n\n",
	  JSON_HEAD("engine_gone", "other") "\"engine\":\"bpf\",\"before\":{\"points\":1},"
					    "\"after\":{\"status\":\"skipped\","
					    "\"reason\":\"no\\tbpf\",\"message\":\"\"}}\n" },
	{ "score", CHANGE_SCORE, "{\"engine\":\"bpf\",\"points\":100,\"exact\":90,\"wrong\":10}",
	  "{\"engine\":\"bpf\\t\",\"points\":100,\"exact\":91,\"wrong\":9,\"silent\":0}", 0, 0,
	  NULL, "    bpf?      exact 90 -> 91, wrong 10 -> 9\n\n",
	  JSON_HEAD("score",
		    "other") "\"engine\":\"bpf\\t\",\"before\":{\"points\":100,"
			     "\"exact\":90,\"wrong\":10},\"after\":{\"points\":100,"
			     "\"exact\":91,\"wrong\":9,\"silent\":0},\"differ\":[\"exact\","
			     "\"wrong\"]}\n" },
	{ "verdicts", CHANGE_VERDICTS, "{\"points\":100,\"walk_fault\":1}",
	  "{\"points\":100,\"walk_fault\":2}", 0, 0, NULL, "    verdicts  walk fault 1 -> 2\n\n",
	  JSON_HEAD("verdicts", "other") "\"before\":{\"points\":100,\"walk_fault\":1},"
					 "\"after\":{\"points\":100,\"walk_fault\":2},"
					 "\"differ\":[\"walk_fault\"]}\n" },
	{ "replay", CHANGE_REPLAY, "{\"points\":9,\"lost\":1}", "{\"points\":9,\"lost\":2}", 0, 0,
	  NULL, "    played    lost 1 -> 2\n\n",
	  JSON_HEAD("replay", "other") "\"before\":{\"points\":9,\"lost\":1},"
				       "\"after\":{\"points\":9,\"lost\":2},"
				       "\"differ\":[\"lost\"]}\n" },
	{ "status", CHANGE_STATUS, NULL, NULL, 0, 0, NULL, "\n",
	  JSON_HEAD("status", "other") "\"before\":{\"status\":\"passed\",\"reason\":\"\"},"
				       "\"after\":{\"status\":\"passed\",\"reason\":\"\"}}\n" },
};

START_TEST(change_is_printed)
{
	struct change change = {
		.what = cases[_i].what,
		.direction = CHANGE_OTHER,
		.before = object_of(cases[_i].before),
		.after = object_of(cases[_i].after),
		.points_before = cases[_i].points_before,
		.points_after = cases[_i].points_after,
		.ignored = cases[_i].ignored,
	};
	change.finding = finding_record_read(change.after ? change.after : change.before);
	struct changed_cell cell = { .before = &host,
				     .after = &host,
				     .change = &change,
				     .count = 1,
				     .direction = CHANGE_OTHER };
	const struct changes changes = { .cell = &cell,
					 .count = 1,
					 .direction = { [CHANGE_OTHER] = 1 } };
	const struct changes_report report = { .all = false };
	char expected[2048];

	snprintf(expected, sizeof(expected),
		 "OTHER: neither better nor worse\na/p.gcc on host: still passed\n%s",
		 cases[_i].text);
	check_body(printed(changes_print_text, report, &changes), expected, cases[_i].name);
	check_body(printed(changes_print_json, report, &changes), cases[_i].json, cases[_i].name);
	json_decref((json_t *)change.before);
	json_decref((json_t *)change.after);
}
END_TEST

/* ---- a cell ------------------------------------------------------------------------------- */

static struct cell guest = {
	.binary = (char *)"a/p.gcc",
	.program = (char *)"p",
	.toolchain = (char *)"gcc",
	.variant = (char *)"O2",
	.language = (char *)"c",
	.kernel = (char *)"5.10\t",
	.status = CELL_FAILED,
	.reason = (char *)"walk\tfault",
};

static const struct {
	const char *name;
	const struct cell *before, *after;
	enum change_what what;
	const char *text, *json;
} cells[] = {
	{ "another_kernel", &host, &guest, CHANGE_STATUS,
	  "a/p.gcc on host -> 5.10?: passed -> failed: walk?fault\n",
	  JSON_HEAD("status", "worse") "\"kernel_name_after\":\"5.10\\t\","
				       "\"before\":{\"status\":\"passed\",\"reason\":\"\"},"
				       "\"after\":{\"status\":\"failed\","
				       "\"reason\":\"walk\\tfault\"}}\n" },
	{ "gone", &host, NULL, CHANGE_GONE,
	  "a/p.gcc on host: passed -> gone: there is no such binary any more\n",
	  JSON_HEAD("gone", "worse") "\"before\":{\"status\":\"passed\",\"reason\":\"\"},"
				     "\"after\":null}\n" },
};

START_TEST(cell_is_printed)
{
	struct change change = { .what = cells[_i].what, .direction = CHANGE_WORSE };
	struct changed_cell cell = { .before = cells[_i].before,
				     .after = cells[_i].after,
				     .change = &change,
				     .count = 1,
				     .direction = CHANGE_WORSE };
	const struct changes changes = { .cell = &cell,
					 .count = 1,
					 .direction = { [CHANGE_WORSE] = 1 } };
	const struct changes_report report = { .all = false };
	char expected[1024];

	snprintf(expected, sizeof(expected), "WORSE\n%s\n", cells[_i].text);
	check_body(printed(changes_print_text, report, &changes), expected, cells[_i].name);
	check_body(printed(changes_print_json, report, &changes), cells[_i].json, cells[_i].name);
}
END_TEST

/* A cell that was not there before has its name from after (in JSON; people are told of none). */
START_TEST(new_cell_has_a_name)
{
	struct change change = { .what = CHANGE_STATUS, .direction = CHANGE_OTHER };
	struct changed_cell cell = {
		.after = &guest, .change = &change, .count = 1, .direction = CHANGE_OTHER
	};
	const struct changes changes = { .cell = &cell, .count = 1 };

	check_body(
		printed(changes_print_json, (struct changes_report) { .all = false }, &changes),
		"{\"type\":\"results_change\",\"change\":\"status\",\"direction\":\"other\","
		"\"binary\":\"a/p.gcc\",\"program\":\"p\",\"toolchain\":\"gcc\","
		"\"variant\":\"O2\",\"language\":\"c\",\"kernel_name\":\"5.10\\t\","
		"\"before\":null,\"after\":{\"status\":\"failed\",\"reason\":\"walk\\tfault\"}}\n",
		"new");
}
END_TEST

/* ---- by function -------------------------------------------------------------------------- */

struct function_change_of {
	enum change_what what;
	const char *function;
	uint64_t points;
};

/* One cell of such changes, twice. To be freed with the last. */
static void make_findings(const struct function_change_of *of, size_t count,
			  struct change change[CHANGES_MAX], struct changed_cell cell[2])
{
	for (size_t i = 0; i < count; i++) {
		bool is_new = of[i].what == CHANGE_FINDING_NEW;
		json_t *object = json_pack("{s:s}", "verdict", of[i].function);

		change[i] = (struct change) { .what = of[i].what,
					      .direction = CHANGE_WORSE,
					      .finding = finding_record_read(object) };
		*(is_new ? &change[i].points_after : &change[i].points_before) = of[i].points;
	}
	for (int i = 0; i < 2; i++)
		cell[i] = (struct changed_cell) { .before = &host,
						  .after = &host,
						  .change = change,
						  .count = count,
						  .direction = CHANGE_BETTER };
}

static void free_findings(struct change *change, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_decref(change[i].finding.object);
}

START_TEST(functions_are_in_order)
{
	static const struct function_change_of of[] = {
		{ CHANGE_FINDING_GONE, "gone", 90 },	{ CHANGE_FINDING_NEW, "b", 2 },
		{ CHANGE_FINDING_GONE, "gone too", 9 }, { CHANGE_FINDING_NEW, "most", 3 },
		{ CHANGE_FINDING_NEW, "a", 2 },		{ CHANGE_FINDING_NEW, "gone", 1 },
		{ CHANGE_FINDING_NEW, "b", 0 },
	};
	struct change change[CHANGES_MAX];
	struct changed_cell cell[2];
	const struct changes changes = { .cell = cell, .count = 2 };

	make_findings(of, LENGTH(of), change, cell);
	/* No direction has a cell, so only the functions are printed. */
	check_body(printed(changes_print_text, (struct changes_report) { .all = false }, &changes),
		   "Findings by function\n"
		   "    new   most: 6 points in 2 cells\n"
		   "    new   a: 4 points in 2 cells\n"
		   "    new   b: 4 points in 4 cells\n"
		   "    new   gone: 2 points in 2 cells\n"
		   "    gone  gone: 180 points in 2 cells\n"
		   "    gone  gone too: 18 points in 2 cells\n\n",
		   "order");
	free_findings(change, LENGTH(of));
}
END_TEST

static const struct {
	size_t count, lines;
	bool all;
	const char *more;
} many[] = {
	{ 20, 20, false, "" },
	{ 21, 20, false, "    and 1 more: --verbose\n" },
	{ 22, 20, false, "    and 2 more: --verbose\n" },
	{ 22, 22, true, "" },
};

START_TEST(functions_beyond_twenty_are_counted)
{
	struct function_change_of of[CHANGES_MAX];
	struct change change[CHANGES_MAX];
	struct changed_cell cell[2];
	const struct changes changes = { .cell = cell, .count = 1 };
	char names[CHANGES_MAX][4], expected[2048] = "Findings by function\n";

	for (size_t i = 0; i < many[_i].count; i++) {
		snprintf(names[i], sizeof(names[i]), "f%02zu", i);
		of[i] = (struct function_change_of) { CHANGE_FINDING_NEW, names[i], 1 };
		if (i < many[_i].lines)
			sprintf(expected + strlen(expected), "    new   %s: 1 points in 1 cells\n",
				names[i]);
	}
	strcat(expected, many[_i].more);
	strcat(expected, "\n");
	make_findings(of, many[_i].count, change, cell);
	check_body(printed(changes_print_text, (struct changes_report) { .all = many[_i].all },
			   &changes),
		   expected, "many");
	free_findings(change, many[_i].count);
}
END_TEST

START_TEST(cells_beyond_twenty_are_counted)
{
	struct change change = { .what = CHANGE_STATUS };
	struct changed_cell cell[CHANGES_MAX];
	struct changes changes = { .cell = cell, .count = many[_i].count + 1 };
	char expected[2048] = "BETTER\n";

	for (size_t i = 0; i <= many[_i].count; i++)
		cell[i] = (struct changed_cell) { .before = &host,
						  .after = &host,
						  .change = &change,
						  .count = 1,
						  .direction = CHANGE_BETTER };
	cell[1].direction = CHANGE_DIRECTION_COUNT; /* in no list */
	changes.direction[CHANGE_BETTER] = many[_i].count;
	for (size_t i = 0; i < many[_i].lines; i++)
		strcat(expected, "a/p.gcc on host: still passed\n");
	if (many[_i].lines < many[_i].count)
		sprintf(expected + strlen(expected), "and %zu cells more: --verbose\n",
			many[_i].count - many[_i].lines);
	strcat(expected, "\n");
	check_body(printed(changes_print_text, (struct changes_report) { .all = many[_i].all },
			   &changes),
		   expected, "cells");
}
END_TEST

/* ---- the end ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	struct changes changes; /* without cells */
	bool only_summary;
	const char *ignore; /* an object */
	const char *text, *json;
} ends[] = {
	{ "nothing",
	  { .compared = 7 },
	  false,
	  NULL,
	  "old -> new?: 7 cells compared; 0 changed: 0 worse, 0 better, 0 neither\n",
	  "\"cells\":7,\"cells_worse\":0,\"cells_better\":0,\"cells_other\":0,"
	  "\"outcomes_alone\":0,\"only_before\":{},\"only_after\":{},\"before_cut_short\":false,"
	  "\"after_cut_short\":false," },
	{ "everything",
	  { .compared = 70,
	    .outcomes_alone = 5,
	    .direction = { 1, 2, 4 },
	    .only = { { 11, 12, 13, 14 }, { 0, 22, 0, 24 } },
	    .cut_short = { true, false } },
	  true,
	  "{\"entries\":1}",
	  "PARTIAL: the first run did not come to its end\n"
	  "Only in the first: 11 cells of kernels that the other has not, 12 cells of toolchains "
	  "that the other has not, 13 cells of binaries that the other has not, 14 scores of "
	  "engines that the other has not\n"
	  "Only in the second: 22 cells of toolchains that the other has not, 24 scores of engines "
	  "that the other has not\n"
	  "Of 5 cells only the outcomes were compared: one side has nothing else\n"
	  "old -> new?: 70 cells compared; 7 changed: 1 worse, 2 better, 4 neither\n",
	  "\"cells\":70,\"cells_worse\":1,\"cells_better\":2,\"cells_other\":4,"
	  "\"outcomes_alone\":5,\"only_before\":{\"kernel\":11,\"toolchain\":12,\"binary\":13,"
	  "\"engine\":14},\"only_after\":{\"toolchain\":22,\"engine\":24},"
	  "\"before_cut_short\":true,\"after_cut_short\":false,\"ignore\":{\"entries\":1}," },
	{ "the_second_was_cut",
	  { .only = { { 0 }, { 21 } }, .cut_short = { false, true } },
	  false,
	  NULL,
	  "PARTIAL: the second run did not come to its end\n"
	  "Only in the second: 21 cells of kernels that the other has not\n"
	  "old -> new?: 0 cells compared; 0 changed: 0 worse, 0 better, 0 neither\n",
	  "\"cells\":0,\"cells_worse\":0,\"cells_better\":0,\"cells_other\":0,"
	  "\"outcomes_alone\":0,\"only_before\":{},\"only_after\":{\"kernel\":21},\"before_cut_"
	  "short\":false,"
	  "\"after_cut_short\":true," },
};

START_TEST(end_is_printed)
{
	struct change change = { .what = CHANGE_STATUS };
	struct changed_cell cell = { .before = &host,
				     .after = &host,
				     .change = &change,
				     .count = 1,
				     .direction = CHANGE_WORSE };
	struct changes changes = ends[_i].changes;
	struct changes_report report = { .only_summary = ends[_i].only_summary,
					 .ignore = object_of(ends[_i].ignore) };
	char expected[1024], *text;

	if (report.only_summary) {
		changes.cell = &cell;
		changes.count = 1;
	}
	text = printed(changes_print_text, report, &changes);
	ck_assert_msg(!strcmp(text, ends[_i].text), "%s:\n%s", ends[_i].name, text);
	free(text);
	text = printed(changes_print_json, report, &changes);
	snprintf(expected, sizeof(expected),
		 "{\"type\":\"results_diff\",\"before\":\"old\",\"after\":\"new\\u001B\",%s"
		 "\"checked\":1,\"checked_unit\":\"cells\",\"not_checked\":{},\"exit_status\":0}\n",
		 ends[_i].json);
	ck_assert_msg(!strcmp(text, expected), "%s:\n%s\nis not\n%s", ends[_i].name, text,
		      expected);
	free(text);
	json_decref(report.ignore);
}
END_TEST

SUITE(changes_print, LOOP(change_is_printed, cases), LOOP(cell_is_printed, cells),
      TEST(new_cell_has_a_name), TEST(functions_are_in_order),
      LOOP(functions_beyond_twenty_are_counted, many), LOOP(cells_beyond_twenty_are_counted, many),
      LOOP(end_is_printed, ends))
