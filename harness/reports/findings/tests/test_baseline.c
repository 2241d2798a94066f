/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_baseline.c - findings of lint against an earlier run's
 *
 * Objects are written with ' in place of ". Findings are written "id function offset actual", one
 * after the other, separated by ';'.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "freed.h"
#include "base/cli/json_counts.h"
#include "baseline_fixture.h"

static char path[] = "/tmp/stackproof-baseline-XXXXXX";

static void write_file(const char *text, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < size; i++)
		putc(text[i] == '\'' ? '"' : text[i], file);
	ck_assert_int_eq(fclose(file), 0);
}

static struct baseline *read_text(const char *text)
{
	struct baseline *baseline;
	struct error error;

	write_file(text, strlen(text));
	ck_assert_msg(!baseline_read(path, &baseline, &error), "%s", error.message);
	return baseline;
}

/* ---- what is no baseline ------------------------------------------------------------------ */

#define FINDING "{'type':'lint_finding','image':'a','id':'SP001','actual':'x'}\n"
#define IMAGE	"{'type':'lint','image':'a','status':'linted','wanted_findings':1}\n"
#define TOTAL	"{'type':'lint_total','images':1}\n"

static const struct bad_case {
	const char *rule, *text, *expected; /* behind the path */
} bads[] = {
	{ "whole", FINDING IMAGE TOTAL, NULL },
	{ "what_a_run_with_a_baseline_adds",
	  FINDING "{'type':'lint_gone','image':'a','id':'SP001'}\n" IMAGE TOTAL, NULL },
	{ "an_image_that_failed_said_what_it_could",
	  FINDING "{'type':'lint','image':'a','status':'failed'}\n" TOTAL, NULL },
	{ "empty", "", " has no total: it is not whole" },
	{ "without_total", FINDING IMAGE, " has no total: it is not whole" },
	{ "no_json", "x\n", ", line 1: no JSON object" },
	{ "an_array", "[]\n", ", line 1: no JSON object" },
	{ "an_empty_line", "\n" FINDING IMAGE TOTAL, ", line 1: no JSON object" },
	{ "of_another_command", "{'type':'proof','image':'a'}\n",
	  ", line 1: not what `lint --json` prints" },
	{ "without_an_image", "{'type':'lint','image':1}\n",
	  ", line 1: not what `lint --json` prints" },
	{ "a_finding_without_id", "{'type':'lint_finding','image':'a'}\n",
	  ", line 1: a finding without an id" },
	{ "a_finding_with_an_empty_id", "{'type':'lint_finding','image':'a','id':''}\n",
	  ", line 1: a finding without an id" },
	{ "a_finding_is_missing", IMAGE TOTAL, ", line 1: not as many findings as it says" },
	{ "a_finding_too_many", FINDING FINDING IMAGE TOTAL,
	  ", line 3: not as many findings as it says" },
	{ "more_than_one_without_cfi_says",
	  FINDING "{'type':'lint','image':'a','status':'no_cfi','wanted_findings':0}\n" TOTAL,
	  ", line 2: not as many findings as it says" },
	{ "findings_of_another_image",
	  "{'type':'lint_finding','image':'b','id':'SP001'}\n" IMAGE TOTAL,
	  ", line 2: findings of another image stand before it" },
	{ "findings_of_two_images",
	  "{'type':'lint_finding','image':'b','id':'SP001'}\n" FINDING IMAGE TOTAL,
	  ", line 2: findings of two images, and no object of the first" },
	{ "an_image_twice", FINDING IMAGE FINDING IMAGE TOTAL,
	  ", line 4: an image that was there before" },
	{ "an_image_is_missing", FINDING TOTAL, ", line 2: an image's object is missing" },
	{ "images_are_missing", FINDING IMAGE "{'type':'lint_total','images':2}\n",
	  ", line 3: not as many images as it says" },
	{ "two_runs", FINDING IMAGE TOTAL TOTAL, ", line 4: behind the total" },
};

START_TEST(bad_baselines_are_refused)
{
	const struct bad_case *test = &bads[_i];
	struct baseline *baseline = NULL;
	struct error error = { 0 };
	char expected[300];

	write_file(test->text, strlen(test->text));
	if (!test->expected) {
		ck_assert_msg(!baseline_read(path, &baseline, &error), "%s", error.message);
		ck_assert_uint_eq(baseline->count, 1);
		ck_assert_uint_eq(baseline->image[0].findings.count, 1);
		baseline_destroy(baseline);
		return;
	}
	snprintf(expected, sizeof(expected), "%s%s", path, test->expected);
	ck_assert_int_eq(baseline_read(path, &baseline, &error), -1);
	ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
	ck_assert_str_eq(error.message, expected);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_error)
{
	struct baseline *baseline;
	struct error error;

	ck_assert_int_eq(baseline_read("/no/such", &baseline, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
	ck_assert_int_eq(baseline_read("/", &baseline, &error), -1);
	ck_assert_int_eq(error.code, ERROR_SYSTEM);
}
END_TEST

/* No part of one is one, but without the last newline; and no byte that changes harms. */
START_TEST(a_part_is_refused)
{
	static const char whole[] = FINDING IMAGE TOTAL;
	size_t size = sizeof(whole) - 1;
	struct baseline *baseline;
	struct error error;

	for (size_t i = 0; i < size - 1; i++) {
		write_file(whole, i);
		ck_assert_int_eq(baseline_read(path, &baseline, &error), -1);
	}
	for (size_t i = 0; i < size; i++)
		for (unsigned int bit = 0; bit < 8; bit++) {
			char changed[sizeof(whole)];

			memcpy(changed, whole, sizeof(whole));
			changed[i] = (char)(changed[i] ^ 1 << bit);
			write_file(changed, size);
			if (!baseline_read(path, &baseline, &error))
				baseline_destroy(baseline);
		}
}
END_TEST

/* ---- images ------------------------------------------------------------------------------- */

static const struct pair_case {
	const char *rule, *before, *now, *expected; /* of each before its now, or "-" */
} pairs[] = {
	{ "the_same_path", "/a/f /b/f", "/b/f /a/f", "/a/f /b/f" },
	{ "the_same_name_elsewhere", "/a/f", "/b/f", "/b/f" },
	{ "the_more_folders_are_alike", "/old/x/f /old/y/f", "/new/y/f /new/x/f",
	  "/new/x/f /new/y/f" },
	{ "one_of_the_same_path_is_nobody_elses", "/a/f", "/b/f /a/f", "/a/f" },
	{ "of_several_that_are_as_alike_none", "/a/f /b/f", "/c/f", "- -" },
	{ "a_name_that_ends_alike_is_another", "/a/xf", "/b/f", "-" },
	{ "a_name_without_folders", "f", "/b/f", "/b/f" },
	{ "and_the_other_way_round", "/b/f", "f", "f" },
	{ "each_is_one_image", "/a/f", "/b/f /c/f", "/b/f" },
	{ "an_image_takes_one_of_the_baseline", "/a/f /b/f", "/a/f", "/a/f -" },
	{ "members_of_archives", "/a/l.a(m.o) /a/l.a(n.o)", "/b/l.a(n.o)", "- /b/l.a(n.o)" },
	{ "none", "/a/f", "/a/g", "-" },
	{ "a_name_that_is_the_end_of_another", "/a/f", "/b/xf", "-" },
	{ "a_less_alike_one_behind_it", "/a/x/f /b/f", "/c/x/f", "/c/x/f -" },
};

START_TEST(images_are_found)
{
	const struct pair_case *test = &pairs[_i];
	char text[2000] = "", said[300] = "", *before = strdup(test->before),
	     *now = strdup(test->now), *rest;
	const char *image[8];
	size_t count = 0, paired = 0;
	struct baseline *baseline;

	for (char *word = strtok_r(before, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		sprintf(text + strlen(text),
			"{'type':'lint','image':'%s','status':'linted','wanted_findings':0}\n",
			word);
		count++;
	}
	sprintf(text + strlen(text), "{'type':'lint_total','images':%zu}\n", count);
	baseline = read_text(text);
	count = 0;
	for (char *word = strtok_r(now, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		image[count++] = word;
	count = baseline_pair(baseline, image, count);
	for (size_t i = 0; i < baseline->count; i++) {
		const char *is = baseline->image[i].now;

		sprintf(said + strlen(said), "%s%s", i ? " " : "", is ? is : "-");
		paired += is != NULL;
		if (is)
			ck_assert_ptr_eq(baseline_image_find(baseline, is), &baseline->image[i]);
	}
	ck_assert_msg(!strcmp(said, test->expected), "%s: %s", test->rule, said);
	ck_assert_uint_eq(paired, count);
	ck_assert_uint_eq(baseline_left(baseline), baseline->count - paired);
	ck_assert_ptr_null(baseline_image_find(baseline, "/no/such"));
	baseline_destroy(baseline);
	free(before);
	free(now);
}
END_TEST

/* ---- findings ----------------------------------------------------------------------------- */

static const struct match_case {
	const char *rule, *before, *now;
	const char *known; /* of each now: + or - */
	const char *gone;  /* offsets */
} matches[] = {
	{ "the_same", "SP001 f 4 x", "SP001 f 4 x", "+", "" },
	{ "at_another_place", "SP001 f 4 x", "SP001 f 9 x", "+", "" },
	{ "in_another_function", "SP001 f 4 x", "SP001 g 4 x", "-", "4" },
	{ "of_another_kind", "SP001 f 4 x", "SP002 f 4 x", "-", "4" },
	{ "of_another_rule", "SP001 f 4 cfa=rsp+8", "SP001 f 4 cfa=rsp+16", "-", "4" },
	{ "addresses_in_a_rule_say_nothing", "SP007 f 4 a_row_at_0x12f", "SP007 f 4 a_row_at_0x2a",
	  "+", "" },
	{ "but_what_is_behind_one_does", "SP007 f 4 0x12+8", "SP007 f 4 0x2+9", "-", "4" },
	{ "an_fde_without_a_symbol_has_no_name", "SP001 fde@0x10 4 x", "SP001 fde@0x20 4 x", "+",
	  "" },
	{ "a_hash_of_rust_is_no_name", "SP001 _ZN1a1b17h0123456789abcdefE 4 x",
	  "SP001 _ZN1a1b17hfedcba9876543210E 4 x", "+", "" },
	{ "one_is_known_once", "SP001 f 4 x", "SP001 f 4 x;SP001 f 4 x", "+-", "" },
	{ "the_one_at_the_same_place", "SP001 f 4 x", "SP001 f 2 x;SP001 f 4 x", "-+", "" },
	{ "places_first_and_then_the_others", "SP001 f 4 x;SP001 f 2 x",
	  "SP001 f 1 x;SP001 f 2 x;SP001 f 3 x", "++-", "" },
	{ "what_is_left_is_gone", "SP001 f 6 x;SP001 f 4 x;SP001 f 5 x", "SP001 f 5 x", "+",
	  "4,6" },
	{ "at_the_begin_of_the_function", "SP001 f 0 x", "SP001 f 9 x", "+", "" },
	{ "two_at_other_places", "SP001 f 4 x;SP001 f 6 x", "SP001 f 1 x;SP001 f 2 x", "++", "" },
	{ "behind_those_of_another_function", "SP001 a 1 x;SP001 f 4 x;SP001 f 6 x",
	  "SP001 f 1 x;SP001 f 2 x", "++", "1" },
	{ "among_many", "SP001 a 1 x;SP001 b 1 x;SP001 c 1 x;SP001 d 1 x;SP001 e 1 x;SP001 f 1 x",
	  "SP001 a 1 x;SP001 c 2 x;SP001 e 1 x;SP001 f 2 x;SP001 g 1 x", "++++-", "1,1" },
	{ "functions_in_another_order_than_their_places",
	  "SP001 z 1 x;SP001 a 5 x;SP001 m 3 x;SP001 b 2 x",
	  "SP001 a 5 x;SP001 b 9 x;SP001 m 3 x;SP001 z 1 x", "++++", "" },
	{ "nothing_now", "SP001 f 4 x", "", "", "4" },
	{ "nothing_before", "", "SP001 f 4 x", "-", "" },
};

static json_t *make_findings(const char *list)
{
	json_t *array = json_array();
	FREED char *copy = strdup(list);
	char *rest, id[8], function[64], actual[64];
	int offset;

	for (char *one = strtok_r(copy, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
		ck_assert_int_eq(sscanf(one, "%7s %63s %d %63s", id, function, &offset, actual), 4);
		json_array_append_new(array,
				      json_pack("{s:s, s:s, s:s, s:s, s:i, s:s}", "type",
						"lint_finding", "image", "a", "id", id, "function",
						function, "offset", offset, "actual", actual));
	}
	return array;
}

static struct baseline *make_baseline(const char *list)
{
	json_t *findings = make_findings(list), *finding;
	FREED char *text = NULL;
	size_t size, i;
	FILE *file = open_memstream(&text, &size);
	struct baseline *baseline;

	json_array_foreach(findings, i, finding)
	{
		json_dumpf(finding, file, 0);
		putc('\n', file);
	}
	fprintf(file, "{'type':'lint','image':'a','status':'linted','wanted_findings':%zu}\n",
		json_array_size(findings));
	fputs(TOTAL, file);
	fclose(file);
	baseline = read_text(text);
	json_decref(findings);
	return baseline;
}

static bool any(const void *context, const struct finding_record *finding)
{
	return finding->id[0];
}

static bool none(const void *context, const struct finding_record *finding)
{
	return false;
}

START_TEST(findings_are_matched)
{
	const struct match_case *test = &matches[_i];
	static const char *const image[] = { "a" };
	struct baseline *baseline = make_baseline(test->before);
	json_t *findings = make_findings(test->now), *gone, *one;
	char known[16] = "", left[64] = "";
	size_t i, count;

	ck_assert_uint_eq(baseline_pair(baseline, image, 1), 1);
	count = match(&baseline->image[0], findings);
	json_array_foreach(findings, i, one)
	{
		bool is = json_is_true(json_object_get(one, "known"));

		strcat(known, is ? "+" : "-");
		count -= is;
	}
	ck_assert_uint_eq(count, 0);
	gone = baseline_gone(&baseline->image[0], any, NULL);
	json_array_foreach(gone, i, one)
	{
		ck_assert_str_eq(json_text(one, "type"), "lint_gone");
		ck_assert_str_eq(json_text(one, "image"), "a");
		sprintf(left + strlen(left), "%s%d", i ? "," : "", (int)json_count(one, "offset"));
	}
	ck_assert_msg(!strcmp(known, test->known) && !strcmp(left, test->gone), "%s: %s %s",
		      test->rule, known, left);
	json_decref(gone);
	gone = baseline_gone(&baseline->image[0], none, NULL);
	ck_assert_uint_eq(json_array_size(gone), 0);
	json_decref(gone);
	json_decref(findings);
	baseline_destroy(baseline);
}
END_TEST

#define MEMBER(offset)                                                                             \
	"{'type':'lint_finding','image':'l.a(m)','id':'SP001','function':'f','offset':" offset     \
	",'actual':'x'}\n{'type':'lint','image':'l.a(m)','status':'no_cfi','wanted_findings':1}\n"

/* Members of one name in one archive: what is known of any is, and once; what is gone is said when none is left. */
START_TEST(members_of_one_name)
{
	static const char *const image[] = { "l.a(m)", "l.a(m)" };
	struct baseline *baseline =
		read_text(MEMBER("4") MEMBER("6") "{'type':'lint_total','images':2}\n");
	json_t *object = json_pack("{s:s, s:s, s:i}", "image", "l.a(m)", "status", "no_cfi",
				   "wanted_findings", 1);
	json_t *findings = make_findings("SP001 f 6 x");

	ck_assert_uint_eq(baseline->count, 1);
	ck_assert_uint_eq(baseline->image[0].findings.count, 2);
	ck_assert_uint_eq(baseline->image[0].copies, 2);
	ck_assert_uint_eq(baseline_pair(baseline, image, 2), 2);
	hold(baseline, object, findings, any);
	ck_assert_uint_eq(json_number(object, "known_findings"), 1);
	ck_assert_uint_eq(json_number(object, "gone_findings"), 0);
	json_decref(findings);
	findings = make_findings("SP001 g 1 x");
	hold(baseline, object, findings, any);
	ck_assert_uint_eq(json_number(object, "known_findings"), 0);
	ck_assert_uint_eq(json_number(object, "new_findings"), 1);
	ck_assert_uint_eq(json_number(object, "gone_findings"), 1);
	ck_assert_uint_eq(json_array_size(findings), 2);
	ck_assert_uint_eq(json_number(json_array_get(findings, 1), "offset"), 4);
	json_decref(findings);
	json_decref(object);
	baseline_destroy(baseline);
}
END_TEST

/* What one member has is found among what the other has, whichever was read first. */
START_TEST(members_of_one_name_belong_together)
{
	static const char *const offsets[] = { "SP001 f 2 x", "SP001 f 4 x", "SP001 f 6 x" };
	struct baseline *baseline =
		read_text(MEMBER("6") MEMBER("4") MEMBER("2") "{'type':'lint_total','images':3}\n");

	ck_assert_uint_eq(baseline->count, 1);
	for (size_t i = 0; i < 3; i++) {
		json_t *findings = make_findings(offsets[i]);

		ck_assert_uint_eq(match(&baseline->image[0], findings), 1);
		ck_assert_uint_eq(baseline->image[0].findings.held[i].finding.offset, 2 * i + 2);
		ck_assert(baseline->image[0].findings.held[i].same != NULL);
		json_decref(findings);
	}
	baseline_destroy(baseline);
}
END_TEST

/* An image that nobody looked at for findings has none that are gone. */
START_TEST(what_was_not_looked_at_is_not_gone)
{
	static const char *const image[] = { "a" };
	struct baseline *baseline = make_baseline("SP001 f 4 x");
	json_t *object = json_pack("{s:s, s:s}", "image", "a", "status", "no_cfi");
	json_t *findings = json_array();

	ck_assert_uint_eq(baseline_pair(baseline, image, 1), 1);
	hold(baseline, object, findings, any);
	ck_assert_ptr_null(json_object_get(object, "gone_findings"));
	ck_assert_uint_eq(json_array_size(findings), 0);
	json_decref(findings);
	json_decref(object);
	baseline_destroy(baseline);
}
END_TEST

/* Of two functions that differ in a hash alone the one of the same name is known; the other is gone. */
START_TEST(what_is_gone_is_said)
{
	static const char *const image[] = { "a" };
	struct baseline *baseline = make_baseline("SP001 _ZN1a1b17h0123456789abcdefE 4 x;"
						  "SP001 _ZN1a1b17hfedcba9876543210E 4 x");
	json_t *findings = make_findings("SP001 _ZN1a1b17hfedcba9876543210E 4 x"), *gone;
	FREED char *text = NULL;

	ck_assert_uint_eq(baseline_pair(baseline, image, 1), 1);
	ck_assert_uint_eq(match(&baseline->image[0], findings), 1);
	gone = baseline_gone(&baseline->image[0], any, NULL);
	text = json_dumps(gone, JSON_COMPACT);
	ck_assert_str_eq(text, "[{\"type\":\"lint_gone\",\"image\":\"a\",\"id\":\"SP001\","
			       "\"function\":\"_ZN1a1b17h0123456789abcdefE\",\"offset\":4,"
			       "\"actual\":\"x\"}]");
	json_decref(gone);
	json_decref(findings);
	baseline_destroy(baseline);
	baseline_destroy(NULL);
}
END_TEST

static bool of_table(const void *context, const struct finding_record *finding)
{
	return !strcmp(finding->table, context);
}

/* A finding of another table than the CFI is still known to be of that one when it is gone. */
START_TEST(what_is_gone_has_its_table)
{
	static const char *const image[] = { "a" }, *const tables[] = { "orc", "sframe" };
	struct baseline *baseline = read_text(
		"{'type':'lint_finding','image':'a','id':'SP001','table':'orc'}\n" IMAGE TOTAL);

	ck_assert_uint_eq(baseline_pair(baseline, image, 1), 1);
	for (size_t i = 0; i < 2; i++) {
		json_t *gone = baseline_gone(&baseline->image[0], of_table, tables[i]);

		ck_assert_uint_eq(json_array_size(gone), i == 0);
		json_decref(gone);
	}
	baseline_destroy(baseline);
}
END_TEST

/* A baseline of other images is the wrong file; where there is nothing to be looked at, none is. */
static const struct {
	const char *rule;
	size_t images; /* of "b", "a" */
	const char *text;
	bool opens;
} opens[] = {
	{ "one_of_them", 2, FINDING IMAGE TOTAL, true },
	{ "none_of_them", 1, FINDING IMAGE TOTAL, false },
	{ "no_images", 0, FINDING IMAGE TOTAL, true },
	{ "no_baseline", 2, FINDING IMAGE, false },
};

START_TEST(a_baseline_is_of_the_images)
{
	char b[] = "b", a[] = "a", expected[100];
	struct image_path paths[] = { { .path = b }, { .path = a } };
	const struct image_list list = { .image = paths, .count = opens[_i].images };
	struct baseline *baseline = NULL;
	struct error error = { 0 };

	write_file(opens[_i].text, strlen(opens[_i].text));
	ck_assert_msg(!baseline_open(path, &list, &baseline, &error) == opens[_i].opens, "%s: %s",
		      opens[_i].rule, error.message);
	ck_assert_msg(!baseline == !opens[_i].opens, "%s", opens[_i].rule);
	if (opens[_i].images == 1) {
		snprintf(expected, sizeof(expected), "%s has none of the images", path);
		ck_assert_str_eq(error.message, expected);
	}
	baseline_destroy(baseline);
}
END_TEST

/* What an image gets: its counts, and what is gone behind what it has. */
static const struct hold_case {
	const char *rule, *image, *status;
	const char *expected; /* the image's fields */
	size_t findings, missing;
} holds[] = {
	{ "held", "a", "linted", ",\"known_findings\":1,\"new_findings\":1,\"gone_findings\":1", 3,
	  0 },
	{ "one_that_failed", "a", "failed", "", 2, 0 },
	{ "one_that_it_does_not_have", "b", "linted",
	  ",\"known_findings\":0,\"new_findings\":2,\"gone_findings\":0", 2, 1 },
};

START_TEST(a_run_is_held_against_it)
{
	const struct hold_case *test = &holds[_i];
	static const char *const paired[] = { "a" };
	struct baseline *baseline = make_baseline("SP001 f 4 x;SP001 g 4 x");
	json_t *findings = make_findings("SP001 f 4 x;SP001 h 4 x");
	json_t *image = json_pack("{s:s, s:s}", "image", test->image, "status", test->status);
	char *text, expected[200];

	ck_assert_uint_eq(baseline_pair(baseline, paired, 1), 1);
	hold(baseline, image, findings, any);
	text = json_dumps(image, JSON_COMPACT);
	snprintf(expected, sizeof(expected), "{\"image\":\"%s\",\"status\":\"%s\"%s}", test->image,
		 test->status, test->expected);
	ck_assert_str_eq(text, expected);
	ck_assert_uint_eq(json_array_size(findings), test->findings);
	ck_assert_uint_eq(baseline->missing, test->missing);
	if (test->findings == 3)
		ck_assert_str_eq(json_text(json_array_get(findings, 2), "type"), "lint_gone");
	free(text);
	json_decref(image);
	json_decref(findings);
	baseline_destroy(baseline);
}
END_TEST

START_TEST(without_an_image_nothing_is_known)
{
	json_t *findings = make_findings("SP001 f 4 x");

	ck_assert_uint_eq(match(NULL, findings), 0);
	ck_assert(json_is_false(json_object_get(json_array_get(findings, 0), "known")));
	json_decref(findings);
}
END_TEST

/* ---- what is said ------------------------------------------------------------------------- */

START_TEST(sums_are_said)
{
	static const char *const image[] = { "a" };
	struct baseline *baseline = make_baseline("");
	json_t *counts = json_pack("{s:i, s:i, s:i}", "known_findings", 12, "new_findings", 1,
				   "gone_findings", 3);
	char expected[600], *said = NULL;
	json_t *object;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	baseline->missing = 2;
	baseline_print(baseline, counts, file);
	baseline->missing = 0;
	baseline_print(baseline, counts, file);
	ck_assert_uint_eq(baseline_pair(baseline, image, 1), 1);
	baseline_print(baseline, counts, file);
	baseline->missing = 2;
	baseline_print(baseline, counts, file);
	fclose(file);
	snprintf(expected, sizeof(expected),
		 "baseline %s: 12 known findings, 1 new, 3 gone; it doesn't have 2 of the images; "
		 "1 of its images are not among them\n"
		 "baseline %s: 12 known findings, 1 new, 3 gone; "
		 "1 of its images are not among them\n"
		 "baseline %s: 12 known findings, 1 new, 3 gone\n"
		 "baseline %s: 12 known findings, 1 new, 3 gone; it doesn't have 2 of the images\n",
		 path, path, path, path);
	ck_assert_str_eq(said, expected);
	baseline->missing = 4;
	object = baseline_json(baseline);
	ck_assert_str_eq(json_text(object, "file"), path);
	ck_assert_int_eq(json_count(object, "not_in_baseline"), 4);
	ck_assert_int_eq(json_count(object, "only_in_baseline"), 0);
	json_decref(object);
	json_decref(counts);
	free(said);
	baseline_destroy(baseline);
}
END_TEST

/* Of one that is new, one that is known and one that is of the whole image; and of many. */
START_TEST(a_case_has_the_findings_that_fail_it)
{
	struct cases cases = { 0 };
	json_t *findings = make_findings("SP001 f 20 x;SP002 g 0 y;SP001 h 4 z");
	struct judged_case *judged;
	size_t lines = 0;

	json_object_set_new(json_array_get(findings, 0), "title", json_string("t"));
	json_object_set_new(json_array_get(findings, 1), "known", json_true());
	json_object_del(json_array_get(findings, 2), "function");
	json_array_append_new(findings,
			      json_pack("{s:s, s:s}", "type", "lint_gone", "id", "SP001"));
	cases_suite(&cases, "s");
	judged = cases_add(&cases, "c", "n", CASE_FAILED, "m");
	say_case(judged, findings);
	ck_assert_str_eq(judged->output, "f+0x14: SP001 t: x\nthe image+0x4: SP001 : z\n");
	json_decref(findings);

	findings = json_array();
	for (int i = 0; i < 20; i++)
		json_array_append_new(findings, json_pack("{s:s}", "type", "lint_finding"));
	judged = cases_add(&cases, "c", "n", CASE_FAILED, "m");
	say_case(judged, findings);
	for (const char *at = judged->output; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, 20);
	ck_assert_ptr_null(strstr(judged->output, "..."));
	json_array_append_new(findings, json_pack("{s:s}", "type", "lint_finding"));
	judged = cases_add(&cases, "c", "n", CASE_FAILED, "m");
	say_case(judged, findings);
	ck_assert_str_eq(strstr(judged->output, "..."), "...\n");
	json_decref(findings);
	cases_deinit(&cases);
}
END_TEST

SUITE_MAIN(baseline)
{
	Suite *suite = suite_create("baseline");
	TCase *reading = tcase_create("reading"), *matching = tcase_create("matching");
	int failed, file = mkstemp(path);

	if (file < 0)
		return EXIT_FAILURE;
	close(file);
	tcase_set_timeout(reading, 60);
	tcase_add_loop_test(reading, bad_baselines_are_refused, 0, COUNT(bads));
	tcase_add_test(reading, a_file_that_is_not_there_is_an_error);
	tcase_add_test(reading, a_part_is_refused);
	tcase_add_loop_test(matching, images_are_found, 0, COUNT(pairs));
	tcase_add_loop_test(matching, findings_are_matched, 0, COUNT(matches));
	tcase_add_test(matching, what_is_gone_is_said);
	tcase_add_test(matching, what_is_gone_has_its_table);
	tcase_add_loop_test(reading, a_baseline_is_of_the_images, 0, COUNT(opens));
	tcase_add_test(matching, members_of_one_name);
	tcase_add_test(matching, members_of_one_name_belong_together);
	tcase_add_test(matching, what_was_not_looked_at_is_not_gone);
	tcase_add_loop_test(matching, a_run_is_held_against_it, 0, COUNT(holds));
	tcase_add_test(matching, without_an_image_nothing_is_known);
	tcase_add_test(matching, sums_are_said);
	tcase_add_test(matching, a_case_has_the_findings_that_fail_it);
	suite_add_tcase(suite, reading);
	suite_add_tcase(suite, matching);
	failed = suite_run(suite);
	unlink(path);
	return failed;
}
