/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_external_report.c - an engine's stops and outcomes by name, and what a stranger writes
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "engines/external/external_inside.h"
#include "engines/external/stackproof_engine.h"

/* Each reason by its number and by its word. */
static const struct {
	uint32_t number;
	const char *word;
	enum stop_reason stop;
} stop_cases[] = {
	{ STACKPROOF_ENGINE_COMPLETE, "complete", STOP_COMPLETE },
	{ STACKPROOF_ENGINE_NO_MAPPING, "no_mapping", STOP_NO_MAPPING },
	{ STACKPROOF_ENGINE_NO_ROW, "no_row", STOP_NO_ROW },
	{ STACKPROOF_ENGINE_MALFORMED, "malformed", STOP_MALFORMED },
	{ STACKPROOF_ENGINE_UNSUPPORTED, "unsupported", STOP_UNSUPPORTED_EXPRESSION },
	{ STACKPROOF_ENGINE_REGISTER_UNKNOWN, "register_unknown", STOP_REGISTER_UNKNOWN },
	{ STACKPROOF_ENGINE_READ_FAULT, "read_fault", STOP_READ_FAULT },
	{ STACKPROOF_ENGINE_NO_PROGRESS, "no_progress", STOP_NO_PROGRESS },
	{ STACKPROOF_ENGINE_ZERO_RETURN, "zero_return", STOP_ZERO_RETURN },
	{ STACKPROOF_ENGINE_DEPTH, "depth", STOP_DEPTH },
	{ STACKPROOF_ENGINE_GUESSED, "guessed", STOP_GUESSED },
	{ STACKPROOF_ENGINE_FOREIGN, "foreign", STOP_FOREIGN },
};

START_TEST(stops_have_a_number_and_a_word)
{
	const char *word = stop_cases[_i].word;

	ck_assert_uint_eq(stop_cases[_i].number, (uint32_t)_i + 1);
	ck_assert_int_eq(external_stop(stop_cases[_i].number), stop_cases[_i].stop);
	ck_assert_int_eq(external_stop_find(word, strlen(word)), stop_cases[_i].stop);
	ck_assert_int_eq(external_stop_find(word, strlen(word) - 1), STOP_NONE);
	ck_assert_int_eq(external_stop(COUNT(stop_cases) + 1), STOP_NONE);
	ck_assert_int_eq(external_stop(UINT32_MAX), STOP_NONE);
}
END_TEST

/* What a stranger wrote keeps its place, and its room. */
START_TEST(text_of_a_stranger_is_plain)
{
	static const struct {
		const char *text;
		size_t size, room;
		const char *wanted;
	} texts[] = {
		{ "abcd", 4, 8, "abcd" }, { "abcd", 3, 8, "abc" },	   { "abcd", 4, 5, "abcd" },
		{ "abcd", 4, 4, "abc" },  { "a\0\nb\x7f", 5, 8, "a??b?" }, { "abcd", 0, 4, "" },
		{ "abcd", 4, 1, "" },
	};
	char text[8];

	for (size_t i = 0; i < COUNT(texts); i++) {
		memset(text, 'x', sizeof(text));
		external_text(texts[i].text, texts[i].size, text, texts[i].room);
		ck_assert_str_eq(text, texts[i].wanted);
	}
}
END_TEST

START_TEST(outcomes_have_a_name)
{
	static const char *const names[] = { "stack", "died", "timeout", "protocol",
					     "flood", "gone", "late" };

	ck_assert_uint_eq(COUNT(names), EXTERNAL_OUTCOME_COUNT);
	for (unsigned int i = 0; i < EXTERNAL_OUTCOME_COUNT; i++)
		ck_assert_str_eq(external_outcome_name(i), names[i]);
}
END_TEST

SUITE(external_report, LOOP(stops_have_a_number_and_a_word, stop_cases),
      TEST(text_of_a_stranger_is_plain), TEST(outcomes_have_a_name))
