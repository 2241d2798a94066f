/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_run_cut.c - how a run ended before it was whole: the record, the words, the fields
 *
 * A record is used again for the next run, and says nothing of the last one then.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "truth/ending/ending.h"

#define SECOND 1000000000ull

/* ---- by what --------------------------------------------------------------------------------- */

static const struct {
	enum tracer_ending ending;
	const char *word;
	bool outside;
} endings[] = {
	{ TRACER_ENDED, NULL, false },
	{ TRACER_LIMIT, NULL, false },
	{ TRACER_KILLED, "killed", true },
	{ TRACER_TIMEOUT, "timeout", true },
	{ TRACER_INTERRUPTED, "interrupted", true },
	{ TRACER_FAILED, "error", false },
};

START_TEST(words_of_each_ending)
{
	const struct run_cut cut = { .ending = endings[_i].ending };
	const char *word = run_cut_word(&cut);

	ck_assert_msg(!word == !endings[_i].word && (!word || !strcmp(word, endings[_i].word)),
		      "%d: %s", _i, word);
	ck_assert_int_eq(run_cut_from_outside(&cut), endings[_i].outside);
}
END_TEST

static const struct {
	struct error error;
	enum tracer_ending ending;
} errors[] = {
	{ { .code = ERROR_TIMEOUT }, TRACER_TIMEOUT },
	{ { .code = ERROR_TIMEOUT, .system_errno = EINTR }, TRACER_TIMEOUT },
	{ { .code = ERROR_SYSTEM, .system_errno = EINTR }, TRACER_INTERRUPTED },
	{ { .code = ERROR_SYSTEM, .system_errno = ENOENT }, TRACER_FAILED },
	{ { .code = ERROR_MEMORY }, TRACER_FAILED },
};

START_TEST(what_an_error_says_of_a_run_that_was_not_stepped)
{
	struct run_cut cut = { .steps = 9, .points = 9, .elapsed_ns = 9, .place = "before" };

	run_cut_of_error(&cut, &errors[_i].error);
	ck_assert_int_eq(cut.ending, errors[_i].ending);
	ck_assert_int_eq(cut.early.code, errors[_i].error.code);
	ck_assert(!cut.steps && !cut.points && !cut.elapsed_ns && !cut.place[0]);
}
END_TEST

/* ---- how far --------------------------------------------------------------------------------- */

static struct mapping mapping = { .start = 0x1000, .end = 0x2000, .path = (char *)"/lib/code" };
static const struct address_space space = { .mapping = &mapping, .mapping_count = 1 };

static const struct far_case {
	const char *name;
	enum tracer_ending ending;
	uint64_t steps, points, elapsed_ns, last_pc;
	const char *from;
	bool from_reached, no_space;
	const char *message, *place;
} far_cases[] = {
	{ "whole", TRACER_ENDED, 100, 20, SECOND, 0x1010, NULL, true, false, "why", "" },
	{ "limit", TRACER_LIMIT, 100, 20, SECOND, 0x1010, NULL, true, false, "why", "" },
	{ "failed", TRACER_FAILED, 100, 20, SECOND, 0x1010, NULL, true, false, "why", "" },
	{ "with_points", TRACER_TIMEOUT, 100, 20, 2 * SECOND, 0x1010, NULL, true, false,
	  "why; after 100 steps, 50 a second, it was at 0x1010 (code); --limit 600 would end in a "
	  "minute",
	  "0x1010 (code)" },
	{ "killed", TRACER_KILLED, 7, 1, SECOND, 0x1010, NULL, true, false,
	  "why; after 7 steps, 7 a second, it was at 0x1010 (code); --limit 60 would end in a "
	  "minute",
	  "0x1010 (code)" },
	{ "no_point_and_no_from", TRACER_INTERRUPTED, 100, 0, SECOND, 0x1010, NULL, true, false,
	  "why; after 100 steps, 100 a second, it was at 0x1010 (code)", "0x1010 (code)" },
	{ "from_was_not_come_to", TRACER_TIMEOUT, 100, 0, SECOND, 0x1010, "main", false, false,
	  "why; after 100 steps, 100 a second, it was at 0x1010 (code), and had not come to main "
	  "(--from)",
	  "0x1010 (code)" },
	{ "from_was_come_to_without_a_point", TRACER_TIMEOUT, 100, 0, SECOND, 0x1010, "main", true,
	  false, "why; after 100 steps, 100 a second, it was at 0x1010 (code)", "0x1010 (code)" },
	{ "mappings_are_not_known", TRACER_TIMEOUT, 100, 0, SECOND, 0x1010, NULL, true, true,
	  "why; after 100 steps, 100 a second", "" },
	{ "no_step_is_nowhere", TRACER_TIMEOUT, 0, 0, SECOND, 0, NULL, false, false,
	  "why; it had not made a step", "" },
	{ "no_time", TRACER_TIMEOUT, 3, 1, 0, 0x1010, NULL, true, false,
	  "why; after 3 steps, 0 a second, it was at 0x1010 (code)", "0x1010 (code)" },
};

START_TEST(how_far_it_had_come)
{
	const struct far_case *c = &far_cases[_i];
	const struct tracer_options options = { .from = c->from };
	const struct tracer_counters counters = { .ending = c->ending,
						  .steps = c->steps,
						  .last_pc = c->last_pc,
						  .from_reached = c->from_reached };
	const struct error early = { .code = ERROR_TIMEOUT, .message = "why" };
	struct run_cut cut = { .ending = TRACER_KILLED,
			       .early = { .message = "of the run before" },
			       .steps = 12345,
			       .points = c->points,
			       .elapsed_ns = c->elapsed_ns,
			       .place = "where the run before was" };

	run_cut_set(&cut, &options, &counters, c->no_space ? NULL : &space, &early);
	ck_assert_int_eq(cut.ending, c->ending);
	ck_assert_uint_eq(cut.steps, c->steps);
	ck_assert_uint_eq(cut.points, c->points);
	ck_assert_msg(!strcmp(cut.early.message, c->message), "%s: %s", c->name, cut.early.message);
	ck_assert_msg(!strcmp(cut.place, c->place), "%s: %s", c->name, cut.place);
	ck_assert_int_eq(cut.early.code, ERROR_TIMEOUT);
}
END_TEST

/* A message that fills its room is cut, and nothing is written behind it. */
START_TEST(a_long_message_stays_in_its_room)
{
	const struct tracer_options options = { .from = "main" };
	const struct tracer_counters counters = { .ending = TRACER_TIMEOUT, .last_pc = 0x1010 };
	struct run_cut cut = { .points = 1, .elapsed_ns = SECOND };
	struct error early = { .code = ERROR_TIMEOUT };

	memset(early.message, 'a', sizeof(early.message) - 6);
	run_cut_set(&cut, &options, &counters, &space, &early);
	ck_assert_uint_eq(strlen(cut.early.message), sizeof(early.message) - 1);
	ck_assert_str_eq(cut.early.message + sizeof(early.message) - 6, "; aft");
	ck_assert_str_eq(cut.place, "0x1010 (code)");
}
END_TEST

/* ---- fields ---------------------------------------------------------------------------------- */

static const struct {
	enum tracer_ending ending;
	const char *place, *json;
	uint64_t steps;
} fields[] = {
	{ TRACER_ENDED, "", "{}", 5 },
	{ TRACER_LIMIT, "somewhere", "{}", 5 },
	{ TRACER_FAILED, "", "{\"partial\": \"error\", \"partial_message\": \"why\", \"steps\": 5}",
	  5 },
	{ TRACER_TIMEOUT, "somewhere",
	  "{\"ended_at\": \"somewhere\", \"partial\": \"timeout\", \"partial_message\": \"why\", "
	  "\"steps\": 5}",
	  5 },
	{ TRACER_INTERRUPTED, "the beginning",
	  "{\"ended_at\": \"the beginning\", \"partial\": \"interrupted\", "
	  "\"partial_message\": \"why\", \"steps\": 0}",
	  0 },
};

START_TEST(fields_of_each_ending)
{
	struct run_cut cut = { .ending = fields[_i].ending,
			       .early = { .message = "why" },
			       .steps = fields[_i].steps };
	json_t *object = json_object();
	char *text;

	strcpy(cut.place, fields[_i].place);
	run_cut_json(object, &cut);
	text = json_dumps(object, JSON_SORT_KEYS);
	ck_assert_str_eq(text, fields[_i].json);
	free(text);
	json_decref(object);
}
END_TEST

SUITE(run_cut, LOOP(words_of_each_ending, endings),
      LOOP(what_an_error_says_of_a_run_that_was_not_stepped, errors),
      LOOP(how_far_it_had_come, far_cases), TEST(a_long_message_stays_in_its_room),
      LOOP(fields_of_each_ending, fields))
