/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_prove_counts.c - what `prove` makes of what its images' processes say: findings, sums, exit status
 *
 * Objects are made up, one after another as from several images: most of what they say no image shows, for it would be a
 * bug of ours.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "commands/prove.c"

#define PROVEN(more) "{'status':'proven','compared':5" more "}"
#define FINDING	     "{'message':'why'}"

#define OBJECTS(...) .object = { __VA_ARGS__ }

static const struct {
	const char *name;
	const char *object[4]; /* ' is a double quote */
	bool named;
	enum exit_status status;
	uint64_t with_findings, proven, checked;
	const char *not_checked;
} cases[] = {
	{ "proven", OBJECTS(PROVEN(""), PROVEN("")), .named = true, .status = EXIT_OK, .proven = 2,
	  .checked = 10, .not_checked = "{}" },
	{ "silent", OBJECTS(PROVEN(",'silent':1"), PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "search", OBJECTS(PROVEN(",'search_table':{'wrong':1}"), PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "disputed", OBJECTS(PROVEN(",'referee':{'disputed':1}"), PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "unknown", OBJECTS(PROVEN(",'referee':{'unknown':1}"), PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "gaps_disputed", OBJECTS(PROVEN(",'referee':{'gaps_disputed':1}"), PROVEN("")),
	  .named = true, .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "another_line", OBJECTS(PROVEN(",'readelf':{'differ':1}"), PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "counted_apart",
	  OBJECTS(PROVEN(
		  ",'referee':{'hidden':1,'not_asked':1,'malformed':1,'terminated':1,'gaps':1}")),
	  .named = true, .status = EXIT_OK, .proven = 1, .checked = 5, .not_checked = "{}" },
	{ "shown_of_the_first", OBJECTS(FINDING, PROVEN(""), PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 1, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "shown_of_both", OBJECTS(FINDING, PROVEN(""), FINDING, PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .with_findings = 2, .proven = 2, .checked = 10,
	  .not_checked = "{}" },
	{ "shown_before_it_failed", OBJECTS(FINDING, "{'status':'failed'}", PROVEN("")),
	  .named = true, .status = EXIT_FINDINGS, .with_findings = 1, .proven = 1, .checked = 5,
	  .not_checked = "{'failed_images':1}" },
	{ "failed", OBJECTS("{'status':'failed'}", PROVEN("")), .named = true,
	  .status = EXIT_FINDINGS, .proven = 1, .checked = 5,
	  .not_checked = "{'failed_images':1}" },
	{ "failed_of_the_environment",
	  OBJECTS("{'status':'failed','code':'unavailable'}", PROVEN("")), .named = true,
	  .status = EXIT_ENVIRONMENT, .proven = 1, .checked = 5,
	  .not_checked = "{'not_judged':1}" },
	{ "readelf_failed", OBJECTS(PROVEN(",'readelf':{'failed':1}"), PROVEN("")), .named = true,
	  .status = EXIT_ENVIRONMENT, .proven = 2, .checked = 10, .not_checked = "{'no_tool':1}" },
	{ "readelf_was_not_run",
	  OBJECTS(PROVEN(",'readelf':{'not_run':1}"), PROVEN(",'readelf':{'not_run':1}")),
	  .named = true, .status = EXIT_OK, .proven = 2, .checked = 10,
	  .not_checked = "{'no_tool':2}" },
	{ "refused_by_libdw",
	  OBJECTS(PROVEN(",'referee':{'refused':3,'message':'libdw: no'}"), PROVEN("")),
	  .named = true, .status = EXIT_OK, .proven = 2, .checked = 10,
	  .not_checked = "{'refused':1}" },
	{ "rows_outside", OBJECTS(PROVEN(",'outside':3"), PROVEN(",'outside':4")), .named = true,
	  .status = EXIT_OK, .proven = 2, .checked = 10, .not_checked = "{'outside':7}" },
	{ "unread_and_named", OBJECTS("{'status':'unread','code':'elf_bounds'}", PROVEN("")),
	  .named = true, .status = EXIT_BAD_INPUT, .proven = 1, .checked = 5,
	  .not_checked = "{'damaged':1}" },
	{ "unread_and_found", OBJECTS("{'status':'unread','code':'elf_bounds'}", PROVEN("")),
	  .status = EXIT_OK, .proven = 1, .checked = 5, .not_checked = "{'damaged':1}" },
	{ "unchecked", OBJECTS("{'status':'unchecked'}", PROVEN("")), .named = true,
	  .status = EXIT_OK, .proven = 1, .checked = 5, .not_checked = "{'unchecked_images':1}" },
	{ "unchecked_for_a_reason",
	  OBJECTS("{'status':'unchecked','malformed_rows':2}", PROVEN("")), .status = EXIT_OK,
	  .proven = 1, .checked = 5, .not_checked = "{'malformed':2}" },
	{ "no_cfi", OBJECTS("{'status':'no_cfi'}", "{'status':'no_cfi'}"), .named = true,
	  .status = EXIT_SKIPPED, .proven = 2, .not_checked = "{'no_cfi':2}" },
};

static char *double_quoted(const char *text)
{
	char *ret = strdup(text);

	for (char *at = ret; *at; at++)
		*at = *at == '\'' ? '"' : *at;
	return ret;
}

START_TEST(objects_are_counted)
{
	typeof(&cases[0]) c = &cases[_i];
	struct proving proving = { .options.json = true,
				   .gate = { .unit = "comparisons" },
				   .totals.counts = json_object() };
	const struct image_path image = { .path = (char *)"image", .named = c->named };
	json_t *summary = json_object();
	FREED char *not_checked = NULL;

	cases_begin(&proving.cases, "prove");
	for (int i = 0; i < COUNT(c->object) && c->object[i]; i++) {
		FREED char *text = double_quoted(c->object[i]);
		json_t *object = json_loads(text, 0, NULL);

		ck_assert_msg(object != NULL, "%s", text);
		take_object(&proving, &image, object);
		json_decref(object);
	}
	ck_assert_msg(gate_status(&proving.gate) == c->status, "%s: %d", c->name,
		      gate_status(&proving.gate));
	ck_assert_msg(proving.totals.with_findings == c->with_findings, "%s", c->name);
	ck_assert_msg(proving.totals.proven == c->proven, "%s", c->name);
	ck_assert_msg(proving.gate.checked == c->checked, "%s", c->name);
	gate_json(&proving.gate, summary);
	not_checked = json_dumps(json_object_get(summary, "not_checked"), JSON_COMPACT);
	FREED char *expected = double_quoted(c->not_checked);
	ck_assert_msg(!strcmp(not_checked, expected), "%s: %s", c->name, not_checked);
	json_decref(summary);
	json_decref(proving.totals.counts);
}
END_TEST

SUITE(prove_counts, LOOP(objects_are_counted, cases))
