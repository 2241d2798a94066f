/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_compare_json.c - the fields of compare --json that others read: each by its name and value
 *
 * A comparison is filled by hand with a different number in each place, so that no field can be
 * taken for another. Fields may be added; the ones here are a contract.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "tests/suite.h"
#include "judge/compare/compare.h"

#define LINES_MAX 16
#define LINES	  6 /* a finding, an unproven place, a skip, a score, a requirement, the verdicts */

static const struct field {
	int line;
	const char *path; /* "stops.complete" */
	const char *text; /* NULL: a number */
	long long number;
} fields[] = {
	{ 0, "type", "finding", 0 },
	{ 0, "program", "prog", 0 },
	{ 0, "verdict", "table_fault", 0 },
	{ 0, "kind", "missing", 0 },
	{ 0, "image", "/tmp/\\xff\\xfe", 0 },
	{ 0, "function", "_init", 0 },
	{ 0, "place", "_init+0x4 (prog)", 0 },
	{ 0, "address", "0x1004", 0 },
	{ 0, "instruction", "ret", 0 },
	{ 0, "declared", "no FDE covers it", 0 },
	{ 0, "stop", "no_row", 0 },
	{ 0, "actual_cfa", "0x7ff0", 0 },
	{ 0, "frame", NULL, 3 },
	{ 0, "count", NULL, 17 },
	{ 0, "start_file", "crti.o", 0 },
	{ 0, "named_by_debug", NULL, 1 },
	{ 0, "ignored", "a rule", 0 },
	{ 0, "guessed_points", NULL, 7 },
	{ 0, "guessed_exact", NULL, 6 },
	{ 0, "frames_left_out", NULL, 4 },
	{ 0, "frames.0.method", "registers", 0 },
	{ 0, "frames.1.image", "/lib/a", 0 },
	{ 0, "frames.1.function", "f", 0 },
	{ 0, "frames.1.address", "0x2008", 0 },
	{ 0, "frames.1.method", "cfi", 0 },
	{ 0, "frames.2.method", "frame_pointer", 0 },
	{ 1, "type", "unproven", 0 },
	{ 1, "kind", "missing", 0 },
	{ 1, "program", "prog", 0 },
	{ 1, "image", "/tmp/\\xff\\xfe", 0 },
	{ 1, "function", "_init", 0 },
	{ 1, "place", "_init+0x4 (prog)", 0 },
	{ 1, "address", "0x1004", 0 },
	{ 1, "instruction", "ret", 0 },
	{ 1, "declared", "no FDE covers it", 0 },
	{ 1, "frame", NULL, 3 },
	{ 1, "count", NULL, 5 },
	{ 1, "reasons.disturbed", NULL, 3 },
	{ 1, "reasons.open", NULL, 2 },
	{ 2, "type", "skip", 0 },
	{ 2, "program", "prog", 0 },
	{ 2, "engine", "bpf", 0 },
	{ 2, "reason", "no_bpf", 0 },
	{ 2, "message", "not permitted", 0 },
	{ 3, "type", "score", 0 },
	{ 3, "program", "prog", 0 },
	{ 3, "engine", "table", 0 },
	{ 3, "points", NULL, 100 },
	{ 3, "exact", NULL, 90 },
	{ 3, "truncated", NULL, 5 },
	{ 3, "wrong", NULL, 3 },
	{ 3, "extra", NULL, 2 },
	{ 3, "stops.complete", NULL, 94 },
	{ 3, "stops.no_row", NULL, 6 },
	{ 3, "points_covered", NULL, 81 },
	{ 3, "exact_covered", NULL, 80 },
	{ 3, "points_shared", NULL, 79 },
	{ 3, "exact_shared", NULL, 78 },
	{ 3, "false_complete", NULL, 7 },
	{ 3, "silent", NULL, 8 },
	{ 3, "untrapped", NULL, 9 },
	{ 3, "unproven", NULL, 10 },
	{ 3, "frames", NULL, 1000 },
	{ 3, "points_sound", NULL, 77 },
	{ 3, "exact_sound", NULL, 76 },
	{ 3, "frames_own", NULL, 500 },
	{ 3, "frames_own_right", NULL, 490 },
	{ 3, "guessed.exact", NULL, 11 },
	{ 3, "guessed.truncated", NULL, 12 },
	{ 3, "guessed.wrong", NULL, 13 },
	{ 3, "guessed.extra", NULL, 14 },
	{ 3, "guessed.points", NULL, 50 },
	{ 3, "frames_by_method.registers", NULL, 100 },
	{ 3, "frames_by_method.frame_pointer", NULL, 70 },
	{ 3, "frames_by_method.cfi", NULL, 830 },
	{ 3, "frames_guessed_right", NULL, 60 },
	{ 3, "rank", NULL, 1 },
	{ 3, "walks", NULL, 90001 },
	{ 3, "walk_ns", NULL, 90002 },
	{ 3, "walks_sized", NULL, 90003 },
	{ 3, "bytes", NULL, 90004 },
	{ 4, "type", "requirement", 0 },
	{ 4, "program", "prog", 0 },
	{ 4, "requirement", "table.exact >= 99.75", 0 },
	{ 4, "engine", "table", 0 },
	{ 4, "field", "exact", 0 },
	{ 4, "operator", ">=", 0 },
	{ 4, "result", "not_judged", 0 },
	{ 4, "message", "the run was cut short", 0 },
	{ 5, "type", "verdicts", 0 },
	{ 5, "program", "prog", 0 },
	{ 5, "points", NULL, 200 },
	{ 5, "exact", NULL, 101 },
	{ 5, "walk_fault", NULL, 102 },
	{ 5, "conversion_loss_silent", NULL, 103 },
	{ 5, "reader_fault", NULL, 104 },
	{ 5, "table_fault", NULL, 105 },
	{ 5, "conversion_loss_flagged", NULL, 106 },
	{ 5, "unexplained", NULL, 107 },
	{ 5, "absent", NULL, 108 },
	{ 5, "unproven", NULL, 109 },
	{ 5, "unproven_by.stray_return", NULL, 39 },
	{ 5, "unproven_by.memory", NULL, 40 },
	{ 5, "doubts", NULL, 41 },
	{ 5, "conversion_loss", NULL, 209 },
	{ 5, "kernel_fault", NULL, 0 },
	{ 5, "table_fault_missing", NULL, 33 },
	{ 5, "uncovered", NULL, 34 },
	{ 5, "findings_not_kept", NULL, 35 },
	{ 5, "status", NULL, 256 },
	{ 5, "ignored", NULL, 70 },
	{ 5, "ignored_findings", NULL, 42 },
	{ 5, "truth_digest", "0x1234", 0 },
	{ 5, "checked", NULL, 91 }, /* of 200, 109 are unproven */
	{ 5, "truth.steps", NULL, 300 },
	{ 5, "truth.threads", NULL, 301 },
	{ 5, "truth.children", NULL, 37 },
	{ 5, "unread", NULL, 38 },
	{ 5, "points_per_second", NULL, 100 },
	{ 5, "ending", "did not come to its end", 0 },
	{ 5, "partial", "error", 0 },
	{ 5, "partial_message", "asked for", 0 },
	{ 5, "steps", NULL, 299 },
	{ 5, "truth.signals", NULL, 302 },
	{ 5, "truth.unrooted", NULL, 303 },
	{ 5, "truth.untrapped", NULL, 304 },
	{ 5, "truth.in_transit", NULL, 36 },
	{ 5, "truth.unknown_instructions", NULL, 305 },
	{ 5, "truth.untraced", NULL, 319 },
	{ 5, "truth.stale_instructions", NULL, 320 },
	{ 5, "truth.moved", NULL, 321 },
	{ 5, "truth.merged_steps", NULL, 322 },
	{ 5, "truth.rseq_sections", NULL, 323 },
	{ 5, "truth.rseq_aborts", NULL, 324 },
	{ 5, "truth.timer_signals", NULL, 325 },
	{ 5, "truth.timer_signals_late", NULL, 326 },
	{ 5, "truth.call_mismatches", NULL, 327 },
	{ 5, "truth.frames", NULL, 306 },
	{ 5, "truth.min_frames", NULL, 307 },
	{ 5, "truth.max_frames", NULL, 308 },
	{ 5, "truth.returns", NULL, 309 },
	{ 5, "truth.returns_replaced", NULL, 310 },
	{ 5, "truth.returns_stray", NULL, 311 },
	{ 5, "truth.returns_doubled", NULL, 312 },
	{ 5, "truth.returns_registers", NULL, 313 },
	{ 5, "truth.taken_off", NULL, 314 },
	{ 5, "truth.put_back", NULL, 315 },
	{ 5, "truth.frames_moved", NULL, 328 },
	{ 5, "truth.abandoned", NULL, 316 },
	{ 5, "truth.disturbances", NULL, 317 },
	{ 5, "truth.stack_switches", NULL, 318 },
};

static void fill(struct comparison *comparison, struct finding *finding)
{
	struct score *score = &comparison->engine[1].score;
	static struct finding_frame frames[3];
	static struct requirement required;
	struct error error;

	ck_assert(!requirement_parse("table.exact>=99.75", &required, &error));
	memset(finding, 0, sizeof(*finding));
	finding->first = (struct judgement) { .verdict = VERDICT_TABLE_FAULT,
					      .kind = FAULT_MISSING,
					      .frame = 3,
					      .actual_cfa = 0x7ff0,
					      .stop = STOP_NO_ROW };
	finding->count = 17;
	finding->unproven[DOUBT_DISTURBED] = 3;
	finding->unproven[DOUBT_OPEN] = 2;
	finding->vaddr = 0x1004;
	strcpy(finding->place, "_init+0x4 (prog)");
	strcpy(finding->function, "_init");
	strcpy(finding->image, "/tmp/\xff\xfe");
	strcpy(finding->instruction, "ret");
	strcpy(finding->declared, "no FDE covers it");
	finding->start_file = "crti.o";
	finding->named_by_debug = true;
	finding->ignored = "a rule";
	finding->followed = 7;
	finding->followed_exact = 6;
	finding->frame = frames;
	finding->frame_count = 3;
	finding->frames_left_out = 4;
	finding->frame[1].vaddr = 0x2008;
	strcpy(finding->frame[1].image, "/lib/a");
	strcpy(finding->frame[1].function, "f");
	finding->frame[2].guessed = true;
	memset(comparison, 0, sizeof(*comparison));
	comparison->findings = (struct findings) { finding, 1, 35 };
	comparison->engine_count = 2;
	comparison->engine[0].engine = &engine_bpf;
	comparison->engine[0].skipped = true;
	strcpy(comparison->engine[0].skip.message, "not permitted");
	comparison->engine[1].engine = &engine_table;
	score->points = 100;
	score->match[MATCH_EXACT] = 90;
	score->match[MATCH_TRUNCATED] = 5;
	score->match[MATCH_WRONG] = 3;
	score->match[MATCH_EXTRA] = 2;
	score->stop[STOP_COMPLETE] = 94;
	score->stop[STOP_NO_ROW] = 6;
	score->covered = 81;
	score->exact_covered = 80;
	score->shared = 79;
	score->exact_shared = 78;
	score->false_complete = 7;
	score->silent = 8;
	score->untrapped = 9;
	score->unproven = 10;
	score->frames = 1000;
	score->sound = 77;
	score->exact_sound = 76;
	score->frames_own = 500;
	score->frames_own_right = 490;
	for (int match = 0; match < MATCH_COUNT; match++)
		score->guesses.match[match] = 11 + match;
	score->guesses.frames = 70;
	score->guesses.frames_right = 60;
	comparison->engine[1].cost = (struct engine_cost) { 90001, 90002, 90003, 90004 };
	comparison->requirement = &required;
	comparison->requirement_count = 1;
	comparison->follows_frame_pointers = true;
	comparison->ignored_findings = 42;
	comparison->ignored[VERDICT_TABLE_FAULT] = 30;
	comparison->ignored[VERDICT_WALK_FAULT] = 40;
	comparison->truth_digest = 0x1234;
	comparison->points = 200;
	for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
		comparison->verdict[verdict] = 101 + verdict;
	comparison->missing = 33;
	comparison->uncovered = 34;
	comparison->transit = 36;
	comparison->unproven[DOUBT_STRAY_RETURN] = 39;
	comparison->unproven[DOUBT_MEMORY] = 40;
	comparison->doubts = 41;
	comparison->status = 256;
	comparison->unread = 38;
	comparison->elapsed_ns = 2000000000;
	strcpy(comparison->cut.early.message, "asked for");
	comparison->cut.ending = TRACER_FAILED;
	comparison->cut.steps = 299;
	comparison->truth = (struct tracer_counters) {
		.steps = 300,
		.threads = 301,
		.children = 37,
		.signals = 302,
		.unrooted = 303,
		.returns = 309,
		.returns_replaced = 310,
		.returns_stray = 311,
		.returns_doubled = 312,
		.returns_registers = 313,
		.taken_off = 314,
		.put_back = 315,
		.frames_moved = 328,
		.abandoned = 316,
		.disturbances = 317,
		.stack_switches = 318,
		.untrapped = 304,
		.unknown_instructions = 305,
		.frames = 306,
		.min_frames = 307,
		.max_frames = 308,
		.untraced = 319,
		.stale_instructions = 320,
		.moved = 321,
		.merged_steps = 322,
		.rseq_sections = 323,
		.rseq_aborts = 324,
		.timer_signals = 325,
		.timer_signals_late = 326,
		.call_mismatches = 327,
	};
}

static int print_comparison(const struct comparison *comparison, json_t *lines[LINES_MAX])
{
	char *text = NULL, *rest = NULL;
	size_t size;
	int count = 0;
	FILE *file = open_memstream(&text, &size);

	compare_print_json(file, "prog", comparison);
	fclose(file);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		ck_assert_int_lt(count, LINES_MAX);
		lines[count] = json_loads(line, 0, NULL);
		ck_assert_msg(json_is_object(lines[count]), "%s", line);
		count++;
	}
	free(text);
	return count;
}

static int print_lines(json_t *lines[LINES_MAX])
{
	static struct comparison comparison;
	struct finding finding;

	fill(&comparison, &finding);
	return print_comparison(&comparison, lines);
}

START_TEST(field_has_its_name_and_value)
{
	const struct field *field = &fields[_i];
	json_t *lines[LINES_MAX];
	char path[64], *rest = NULL;

	ck_assert_int_eq(print_lines(lines), LINES);
	json_t *value = lines[field->line];
	snprintf(path, sizeof(path), "%s", field->path);
	for (char *name = strtok_r(path, ".", &rest); name; name = strtok_r(NULL, ".", &rest))
		value = json_is_array(value) ? json_array_get(value, *name - '0')
					     : json_object_get(value, name);
	ck_assert_msg(value != NULL, "line %d has no %s", field->line, field->path);
	if (field->text)
		ck_assert_msg(json_is_string(value) &&
				      !strcmp(json_string_value(value), field->text),
			      "%s: \"%s\"", field->path, json_string_value(value));
	else
		ck_assert_msg(
			(json_is_integer(value) && json_integer_value(value) == field->number) ||
				(json_is_true(value) && field->number == 1),
			"%s: %lld", field->path, (long long)json_integer_value(value));
	for (int i = 0; i < LINES; i++)
		json_decref(lines[i]);
}
END_TEST

START_TEST(every_line_names_the_kernel_and_what_is_unknown_is_left_out)
{
	struct utsname kernel;
	json_t *lines[LINES_MAX];

	uname(&kernel);
	ck_assert_int_eq(print_lines(lines), LINES);
	ck_assert_ptr_null(json_object_get(lines[0], "declared_cfa"));
	ck_assert_ptr_null(json_object_get(lines[3], "method"));
	ck_assert_ptr_null(json_object_get(lines[4], "value"));
	ck_assert(json_real_value(json_object_get(lines[4], "wanted")) == 99.75);
	ck_assert(json_real_value(json_object_get(lines[5], "seconds")) == 2);
	ck_assert_uint_eq(json_object_size(json_object_get(lines[3], "stops")), 2);
	for (int i = 0; i < LINES; i++) {
		ck_assert_str_eq(json_string_value(json_object_get(lines[i], "kernel")),
				 kernel.release);
		ck_assert_str_eq(json_string_value(json_object_get(lines[i], "kernel_release")),
				 kernel.release);
		json_decref(lines[i]);
	}
}
END_TEST

/* A run that was whole; what its engine cost is not known. */
START_TEST(a_requirement_that_is_judged)
{
	static const struct {
		const char *text, *result, *message;
		double value;
	} cases[] = {
		{ "table.exact >= 99.75", "not_met", "it is 75.000000 % (3 of 4 points)", 75 },
		{ "table.points == 4", "met", "it is 4", 4 },
	};
	static struct comparison comparison = { .engine_count = 1 };
	struct requirement requirement;
	struct error error;
	json_t *lines[LINES_MAX];

	comparison.engine[0].engine = &engine_table;
	comparison.engine[0].score.points = 4;
	comparison.engine[0].score.match[MATCH_EXACT] = 3;
	comparison.requirement = &requirement;
	comparison.requirement_count = 1;
	ck_assert(!requirement_parse(cases[_i].text, &requirement, &error));
	ck_assert_int_eq(print_comparison(&comparison, lines), 3);
	ck_assert_str_eq(json_string_value(json_object_get(lines[1], "requirement")),
			 cases[_i].text);
	ck_assert_str_eq(json_string_value(json_object_get(lines[1], "result")), cases[_i].result);
	ck_assert_str_eq(json_string_value(json_object_get(lines[1], "message")),
			 cases[_i].message);
	ck_assert(json_real_value(json_object_get(lines[1], "value")) == cases[_i].value);
	for (int i = 0; i < 4; i++)
		ck_assert_ptr_null(json_object_get(
			lines[0],
			((const char *[]) { "walks", "walk_ns", "walks_sized", "bytes" })[i]));
	for (int i = 0; i < 3; i++)
		json_decref(lines[i]);
}
END_TEST

/* ---- two of everything ---------------------------------------------------------------------- */

/* What is there of one and not of the other: a finding that was only in doubt and one that never was, an engine
 * that can't run here and one in the kernel that is the better one. */
static const struct {
	int line;
	const char *path, *text; /* text NULL: it is not there */
} pairs_of[] = {
	{ 0, "type", "finding" },
	{ 0, "function", "second" },
	{ 0, "start_file", NULL },
	{ 0, "named_by_debug", NULL },
	{ 0, "ignored", NULL },
	{ 0, "guessed_points", NULL },
	{ 0, "frames", NULL },
	{ 0, "actual_cfa", NULL },
	{ 0, "declared_cfa", "0x10" },
	{ 1, "type", "finding" },
	{ 1, "function", "third" },
	{ 1, "declared_cfa", NULL },
	{ 2, "type", "unproven" },
	{ 2, "function", "first" },
	{ 2, "count", "2" },
	{ 2, "reasons.open", "2" },
	{ 2, "reasons.disturbed", NULL },
	{ 3, "type", "unproven" },
	{ 3, "function", "third" },
	{ 3, "reasons.disturbed", "3" },
	{ 4, "type", "skip" },
	{ 4, "engine", "libdw" },
	{ 4, "reason", "unavailable" },
	{ 5, "engine", "table" },
	{ 5, "rank", "2" },
	{ 5, "guessed", NULL },
	{ 5, "method", NULL },
	{ 5, "digest", NULL },
	{ 5, "external", NULL },
	{ 6, "engine", "bpf" },
	{ 6, "rank", "1" },
	{ 6, "method", "tail_calls" },
	{ 6, "digest", "0xabc" },
	{ 6, "guessed", NULL },
	{ 7, "engine", "own" },
	{ 7, "rank", "3" },
	{ 7, "external", "prog" },
	{ 7, "method", NULL },
	{ 8, "requirement", "table.points >= 1" },
	{ 9, "requirement", "bpf.points >= 2" },
	{ 10, "type", "verdicts" },
	{ 10, "partial", NULL },
	{ 10, "unproven_by.open", NULL },
	{ 10, "synthesized.images", "71" },
	{ 10, "synthesized.functions", "72" },
	{ 10, "synthesized.written", "73" },
	{ 10, "synthesized.replaced", "74" },
	{ 10, "ending", "exited with status 3" },
};

#define PAIR_LINES 11

static void fill_pairs(struct comparison *comparison, struct finding findings[3],
		       struct requirement required[2])
{
	static const struct compare_synthesized synthesized = { 71, 72, 73, 74 };
	static const struct external_options program = { .command = "prog" };
	static const struct engine own = { .name = "own", .external = &program };
	const struct engine *engine[] = { &engine_libdw, &engine_table, &engine_bpf, &own };
	struct error error;

	memset(findings, 0, 3 * sizeof(*findings));
	strcpy(findings[0].function, "first");
	findings[0].unproven[DOUBT_OPEN] = 2;
	strcpy(findings[1].function, "second");
	findings[1].count = 1;
	findings[1].first.declared_cfa = 0x10;
	strcpy(findings[2].function, "third");
	findings[2].count = 1;
	findings[2].unproven[DOUBT_DISTURBED] = 3;
	comparison->findings = (struct findings) { findings, 3, 0 };
	comparison->engine_count = 4;
	for (int i = 0; i < 4; i++) {
		comparison->engine[i].engine = engine[i];
		comparison->engine[i].score.points = 10;
		comparison->engine[i].score.match[MATCH_EXACT] = i == 2 ? 9 : i == 1 ? 8 : 7;
	}
	comparison->engine[0].skipped = true;
	comparison->points = 10;
	comparison->digest = 0xabc;
	strcpy(comparison->bpf_method, "tail_calls");
	comparison->synthesized = &synthesized;
	comparison->status = 0x300;
	ck_assert(!requirement_parse("table.points>=1", &required[0], &error));
	ck_assert(!requirement_parse("bpf.points>=2", &required[1], &error));
	comparison->requirement = required;
	comparison->requirement_count = 2;
}

START_TEST(each_of_two_has_its_own)
{
	static struct comparison comparison;
	struct finding findings[3];
	struct requirement required[2];
	json_t *lines[LINES_MAX], *value;
	char path[64], text[64], *rest = NULL;

	fill_pairs(&comparison, findings, required);
	ck_assert_int_eq(print_comparison(&comparison, lines), PAIR_LINES);
	value = lines[pairs_of[_i].line];
	snprintf(path, sizeof(path), "%s", pairs_of[_i].path);
	for (char *name = strtok_r(path, ".", &rest); name; name = strtok_r(NULL, ".", &rest))
		value = json_object_get(value, name);
	snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
	ck_assert_msg(!value == !pairs_of[_i].text, "%d: %s", pairs_of[_i].line, pairs_of[_i].path);
	if (value)
		ck_assert_str_eq(json_is_string(value) ? json_string_value(value) : text,
				 pairs_of[_i].text);
	for (int i = 0; i < PAIR_LINES; i++)
		json_decref(lines[i]);
}
END_TEST

SUITE(compare_json, LOOP(field_has_its_name_and_value, fields),
      TEST(every_line_names_the_kernel_and_what_is_unknown_is_left_out),
      TIMES(a_requirement_that_is_judged, 2), LOOP(each_of_two_has_its_own, pairs_of))
