/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_require.c - what compare --require takes, when it holds, and the exit status of that
 *
 * A requirement that can't be judged must never end as a success, and none may hold because a
 * number was rounded.
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "judge/compare/compare.h"
#include "base/cli/exit_status.h"

/* ---- reading ---------------------------------------------------------------------------- */

static const struct {
	const char *text;
	const char *said; /* said again; NULL: refused, with message */
	const char *message;
} texts[] = {
	{ "bpf.exact>=99.99", "bpf.exact >= 99.99", NULL },
	{ " bpf.exact \t>= 99.990 ", "bpf.exact >= 99.990", NULL },
	{ "bpf.wrong<=0", "bpf.wrong <= 0", NULL },
	{ "bpf.extra > 1", "bpf.extra > 1", NULL },
	{ "bpf.truncated < 1", "bpf.truncated < 1", NULL },
	{ "bpf.points == 12", "bpf.points == 12", NULL },
	{ "my.own.false_complete == 100", "my.own.false_complete == 100", NULL },
	{ "a.ns < 999999999999999", "a.ns < 999999999999999", NULL },
	{ "a.bytes < 123456789.123456", "a.bytes < 123456789.123456", NULL },
	{ "a.exact <= 100.000000", "a.exact <= 100.000000", NULL },
	{ "a.wrong_points < 101", "a.wrong_points < 101", NULL },
#define NONE(text) "'" text "' is no requirement: ENGINE.FIELD >= NUMBER, or with <= > < =="
	{ "", NULL, NONE("") },
	{ "bpf", NULL, NONE("bpf") },
	{ "bpf.exact", NULL, NONE("bpf.exact") },
	{ "exact >= 1.5", NULL, NONE("exact >= 1.5") },
	{ ".exact >= 1", NULL, NONE(".exact >= 1") },
	{ "bpf. >= 1", NULL, NONE("bpf. >= 1") },
	{ "bpf.exact = 1", NULL, NONE("bpf.exact = 1") },
	{ "bpf.exact 1", NULL, NONE("bpf.exact 1") },
	{ "b f.exact > 1", NULL, NONE("b f.exact > 1") },
#define FIELD(name) "an engine has no field '" name "'"
	{ "bpf.exakt >= 1", NULL, FIELD("exakt") "; did you mean 'exact'?" },
	{ "bpf.silly >= 1", NULL, FIELD("silly") },
#define NUMBER(text)                                                                               \
	"'" text "': behind the operator stands a number such as 99.99, with at most 6 decimals"
	{ "bpf.exact >=", NULL, NUMBER("bpf.exact >=") },
	{ "bpf.exact >= =1", NULL, NUMBER("bpf.exact >= =1") },
	{ "bpf.exact >= -1", NULL, NUMBER("bpf.exact >= -1") },
	{ "bpf.exact >= +1", NULL, NUMBER("bpf.exact >= +1") },
	{ "bpf.exact >= 1e1", NULL, NUMBER("bpf.exact >= 1e1") },
	{ "bpf.exact >= 0x1", NULL, NUMBER("bpf.exact >= 0x1") },
	{ "bpf.exact >= nan", NULL, NUMBER("bpf.exact >= nan") },
	{ "bpf.exact >= 1.", NULL, NUMBER("bpf.exact >= 1.") },
	{ "bpf.exact >= .5", NULL, NUMBER("bpf.exact >= .5") },
	{ "bpf.exact >= 1.2.3", NULL, NUMBER("bpf.exact >= 1.2.3") },
	{ "bpf.exact >= 1 2", NULL, NUMBER("bpf.exact >= 1 2") },
	{ "bpf.exact >= 99 %", NULL, NUMBER("bpf.exact >= 99 %") },
	{ "bpf.exact >= 1.1234567", NULL, NUMBER("bpf.exact >= 1.1234567") },
	{ "bpf.ns >= 1234567890123456", NULL, NUMBER("bpf.ns >= 1234567890123456") },
	{ "bpf.ns >= 1234567890.123456", NULL, NUMBER("bpf.ns >= 1234567890.123456") },
	{ "bpf.exact >= 101", NULL, "'bpf.exact >= 101': a share is between 0 and 100 percent" },
	{ "bpf.wrong <= 100.000001", NULL,
	  "'bpf.wrong <= 100.000001': a share is between 0 and 100 percent" },
};

START_TEST(text_is_taken_whole_or_refused)
{
	struct requirement requirement;
	struct error error;
	char said[128];
	int status = requirement_parse(texts[_i].text, &requirement, &error);

	ck_assert_msg(!status == !!texts[_i].said, "%s: %d", texts[_i].text, status);
	if (status) {
		ck_assert_str_eq(error.message, texts[_i].message);
		return;
	}
	requirement_text(&requirement, said, sizeof(said));
	ck_assert_str_eq(said, texts[_i].said);
}
END_TEST

/* A name that is as long as there is room for, and one letter longer. */
START_TEST(names_have_room)
{
	struct requirement requirement;
	struct error error;
	char text[128];

	memset(text, 'e', 63 + _i);
	strcpy(text + 63 + _i, ".exact>1");
	ck_assert_int_eq(requirement_parse(text, &requirement, &error), -_i);
	if (!_i)
		ck_assert_uint_eq(strlen(requirement.engine), 63);
}
END_TEST

/* ---- judging ---------------------------------------------------------------------------- */

static const struct engine one = { .name = "one" }, two = { .name = "two" },
			   none = { .name = "none" }, idle = { .name = "idle" };
static const struct external_options program = { .name = "mute", .command = "false" };
static const struct engine mute = { .name = "mute", .external = &program },
			   shy = { .name = "shy", .external = &program };

/* An external engine whose points but for so many are stacks of no frames. */
static void fill_external(struct compare_engine *ret, const struct engine *engine, uint64_t answers)
{
	ret->engine = engine;
	ret->score.points = 100;
	ret->score.match[MATCH_TRUNCATED] = 100 - answers;
	ret->score.match[MATCH_EXACT] = answers;
	ret->external.outcome[EXTERNAL_STACK] = answers;
	ret->external.outcome[EXTERNAL_PROTOCOL_BROKEN] = 6;
	ret->external.outcome[EXTERNAL_GONE] = 94 - answers;
}

/* 10,000 points; each count of its own. */
static void fill(struct comparison *ret)
{
	struct compare_engine *engine = &ret->engine[1];

	memset(ret, 0, sizeof(*ret));
	ret->points = 10000;
	ret->verdict[VERDICT_EXACT] = 10000;
	ret->truth.max_frames = 5;
	ret->engine_count = 6;
	ret->engine[0].engine = &one;
	ret->engine[0].score.points = 3;
	ret->engine[0].score.match[MATCH_EXACT] = 3;
	engine->engine = &two;
	engine->score.points = 10000;
	engine->score.match[MATCH_EXACT] = 9998;
	engine->score.match[MATCH_TRUNCATED] = 40;
	engine->score.match[MATCH_WRONG] = 50;
	engine->score.match[MATCH_EXTRA] = 60;
	engine->score.false_complete = 70;
	engine->cost = (struct engine_cost) { .walks = 3, .walk_ns = 3001, .sized = 7, .bytes = 8 };
	ret->engine[2].engine = &none;
	ret->engine[2].skipped = true;
	ret->engine[3].engine = &idle;
	fill_external(&ret->engine[4], &mute, 0);
	fill_external(&ret->engine[5], &shy, 1);
}

static const struct {
	const char *text;
	enum requirement_result result;
	const char *message;
} judged[] = {
#define EXACT "it is 99.980000 % (9998 of 10000 points)"
	{ "two.exact >= 99.98", REQUIREMENT_MET, EXACT },
	{ "two.exact >= 99.980001", REQUIREMENT_NOT_MET, EXACT },
	{ "two.exact > 99.98", REQUIREMENT_NOT_MET, EXACT },
	{ "two.exact > 99.979999", REQUIREMENT_MET, EXACT },
	{ "two.exact <= 99.98", REQUIREMENT_MET, EXACT },
	{ "two.exact <= 99.979999", REQUIREMENT_NOT_MET, EXACT },
	{ "two.exact < 99.98", REQUIREMENT_NOT_MET, EXACT },
	{ "two.exact < 99.980001", REQUIREMENT_MET, EXACT },
	{ "two.exact == 99.98", REQUIREMENT_MET, EXACT },
	{ "two.exact == 99.980001", REQUIREMENT_NOT_MET, EXACT },
	{ "one.exact == 100", REQUIREMENT_MET, "it is 100.000000 % (3 of 3 points)" },
	{ "two.truncated == 0.4", REQUIREMENT_MET, "it is 0.400000 % (40 of 10000 points)" },
	{ "two.wrong == 0.5", REQUIREMENT_MET, "it is 0.500000 % (50 of 10000 points)" },
	{ "two.extra == 0.6", REQUIREMENT_MET, "it is 0.600000 % (60 of 10000 points)" },
	{ "two.false_complete == 0.7", REQUIREMENT_MET, "it is 0.700000 % (70 of 10000 points)" },
	{ "two.exact_points == 9998", REQUIREMENT_MET, "it is 9998" },
	{ "two.truncated_points == 40", REQUIREMENT_MET, "it is 40" },
	{ "two.wrong_points == 50", REQUIREMENT_MET, "it is 50" },
	{ "two.extra_points == 60", REQUIREMENT_MET, "it is 60" },
	{ "two.false_complete_points == 70", REQUIREMENT_MET, "it is 70" },
	{ "two.points == 10000", REQUIREMENT_MET, "it is 10000" },
	{ "two.points == 9999.5", REQUIREMENT_NOT_MET, "it is 10000" },
	{ "two.ns <= 1000.333333", REQUIREMENT_NOT_MET, "it is 1000.333 (mean of 3 stacks)" },
	{ "two.ns <= 1000.333334", REQUIREMENT_MET, "it is 1000.333 (mean of 3 stacks)" },
	{ "two.bytes <= 1.142857", REQUIREMENT_NOT_MET, "it is 1.142 (mean of 7 stacks)" },
	{ "two.bytes <= 1.142858", REQUIREMENT_MET, "it is 1.142 (mean of 7 stacks)" },
	{ "one.ns >= 0", REQUIREMENT_NOT_JUDGED, "the cost is not known" },
	{ "one.bytes >= 0", REQUIREMENT_NOT_JUDGED, "the cost is not known" },
	{ "none.wrong == 0", REQUIREMENT_NOT_JUDGED, "the engine was skipped" },
	{ "idle.wrong == 0", REQUIREMENT_NOT_JUDGED, "the engine has no points" },
	{ "idle.points == 0", REQUIREMENT_NOT_JUDGED, "the engine has no points" },
#define MUTE "the engine answered at no point"
	{ "mute.wrong <= 0", REQUIREMENT_NOT_JUDGED, MUTE },
	{ "mute.exact >= 99", REQUIREMENT_NOT_JUDGED, MUTE },
	{ "mute.truncated <= 100", REQUIREMENT_NOT_JUDGED, MUTE },
	{ "mute.points >= 100", REQUIREMENT_NOT_JUDGED, MUTE },
	{ "mute.ns <= 5", REQUIREMENT_NOT_JUDGED, MUTE },
	{ "shy.wrong <= 0", REQUIREMENT_MET, "it is 0.000000 % (0 of 100 points)" },
	{ "shy.exact >= 2", REQUIREMENT_NOT_MET, "it is 1.000000 % (1 of 100 points)" },
	{ "three.wrong == 0", REQUIREMENT_NOT_JUDGED, "the engine was not asked" },
};

START_TEST(nothing_is_rounded)
{
	static struct comparison comparison;
	struct requirement requirement;
	struct requirement_verdict verdict;
	struct error error;
	struct gate gate;

	fill(&comparison);
	ck_assert(!requirement_parse(judged[_i].text, &requirement, &error));
	requirement_judge(&requirement, &comparison, &verdict);
	ck_assert_msg(verdict.result == judged[_i].result, "%s: %s", judged[_i].text,
		      requirement_result_name(verdict.result));
	ck_assert_str_eq(verdict.message, judged[_i].message);
	comparison.requirement = &requirement;
	comparison.requirement_count = 1;
	comparison_gate(&comparison, &gate);
	ck_assert_uint_eq(gate.left[GATE_REQUIREMENTS],
			  judged[_i].result == REQUIREMENT_NOT_JUDGED);
	ck_assert_int_eq(gate_status(&gate), judged[_i].result == REQUIREMENT_MET ? EXIT_OK
					     : judged[_i].result == REQUIREMENT_NOT_MET
						     ? EXIT_FINDINGS
						     : EXIT_ENVIRONMENT);
}
END_TEST

/* Two at once, in either order: each is counted, and none takes back what the other said. */
static const struct {
	const char *text[2];
	uint64_t findings, not_judged;
	int status;
} pairs[] = {
	{ { "two.exact >= 99", "two.wrong_points <= 50" }, 0, 0, EXIT_OK },
	{ { "two.exact >= 100", "two.exact >= 99" }, 1, 0, EXIT_FINDINGS },
	{ { "two.exact >= 100", "two.wrong <= 0" }, 2, 0, EXIT_FINDINGS },
	{ { "one.ns >= 0", "two.exact >= 99" }, 0, 1, EXIT_ENVIRONMENT },
	{ { "one.ns >= 0", "none.wrong == 0" }, 0, 2, EXIT_ENVIRONMENT },
	{ { "one.ns >= 0", "two.exact >= 100" }, 1, 1, EXIT_FINDINGS },
};

START_TEST(each_of_two_is_counted)
{
	static struct comparison comparison;
	struct requirement requirement[2];
	struct error error;
	struct gate gate;

	for (int turn = 0; turn < 2; turn++) {
		fill(&comparison);
		for (int i = 0; i < 2; i++)
			ck_assert(!requirement_parse(pairs[_i].text[i], &requirement[i ^ turn],
						     &error));
		comparison.requirement = requirement;
		comparison.requirement_count = 2;
		comparison_gate(&comparison, &gate);
		ck_assert_uint_eq(gate.findings, pairs[_i].findings);
		ck_assert_uint_eq(gate.left[GATE_REQUIREMENTS], pairs[_i].not_judged);
		ck_assert_int_eq(gate.environment, pairs[_i].not_judged > 0);
		ck_assert_int_eq(gate_status(&gate), pairs[_i].status);
	}
}
END_TEST

/* What was found of half a run proves nothing of the whole. */
START_TEST(half_a_run_is_not_judged)
{
	static struct comparison comparison;
	struct requirement requirement;
	struct requirement_verdict verdict;
	struct error error;
	struct gate gate;

	fill(&comparison);
	comparison.cut.ending = TRACER_TIMEOUT;
	comparison.requirement = &requirement;
	comparison.requirement_count = 1;
	ck_assert(!requirement_parse(_i ? "two.exact > 99" : "two.exact > 99.99", &requirement,
				     &error));
	requirement_judge(&requirement, &comparison, &verdict);
	ck_assert_int_eq(verdict.result, REQUIREMENT_NOT_JUDGED);
	ck_assert_str_eq(verdict.message, "the run was cut short");
	comparison_gate(&comparison, &gate);
	ck_assert_int_eq(gate_status(&gate), EXIT_ENVIRONMENT);
}
END_TEST

/* Without a single engine nothing is checked; with a requirement that is no skip. */
START_TEST(all_engines_were_skipped)
{
	static struct comparison comparison;
	struct requirement requirement;
	struct error error;
	struct gate gate;

	memset(&comparison, 0, sizeof(comparison));
	comparison.points = 10;
	comparison.engine_count = 1;
	comparison.engine[0].engine = &one;
	comparison.engine[0].skipped = true;
	ck_assert(!requirement_parse("one.wrong == 0", &requirement, &error));
	comparison.requirement = &requirement;
	comparison.requirement_count = (size_t)_i;
	comparison_gate(&comparison, &gate);
	ck_assert_int_eq(gate_status(&gate), _i ? EXIT_ENVIRONMENT : EXIT_SKIPPED);
}
END_TEST

START_TEST(results_have_names)
{
	static const char *const results[] = { "met", "not_met", "not_judged" };
	static const char *const relations[] = { ">=", "<=", ">", "<", "==" };

	for (int i = 0; i < COUNT(results); i++)
		ck_assert_str_eq(requirement_result_name((enum requirement_result)i), results[i]);
	for (int i = 0; i < COUNT(relations); i++)
		ck_assert_str_eq(requirement_relation_name((enum requirement_relation)i),
				 relations[i]);
}
END_TEST

SUITE(compare_require, LOOP(text_is_taken_whole_or_refused, texts), TIMES(names_have_room, 2),
      LOOP(nothing_is_rounded, judged), LOOP(each_of_two_is_counted, pairs),
      TIMES(half_a_run_is_not_judged, 2), TIMES(all_engines_were_skipped, 2),
      TEST(results_have_names))
