/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_facts.h - what printed JSON must have, as JSON
 *
 * What is expected is written as it is printed, but with ' for ". Each of its values is a fact: what was printed
 * has that value at the same place; "-" says that it has none there. What else was printed is no matter.
 *
 *	[{'type':'finding','frames':[{'method':'cfi'}],'ignored':'-'}]		three facts
 */
#ifndef STACKPROOF_TESTS_JSON_FACTS_H
#define STACKPROOF_TESTS_JSON_FACTS_H

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_FACTS_ALL (-1)

/* The objects of a text that has one a line, as an array; it is freed. */
static inline json_t *json_lines(char *text)
{
	json_t *lines = json_array();
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		ck_assert_msg(!json_array_append_new(lines, json_loads(line, 0, NULL)), "%s", line);
	free(text);
	return lines;
}

static inline void json_facts_below(const json_t *expected, const json_t *got, const char *place,
				    int wanted, int *count)
{
	const char *name, *text = json_string_value(expected);
	char below[256];
	json_t *value;
	size_t i;

	json_object_foreach((json_t *)expected, name, value)
	{
		snprintf(below, sizeof(below), "%s.%s", place, name);
		json_facts_below(value, json_object_get(got, name), below, wanted, count);
	}
	json_array_foreach(expected, i, value)
	{
		snprintf(below, sizeof(below), "%s.%zu", place, i);
		json_facts_below(value, json_array_get(got, i), below, wanted, count);
	}
	if (json_is_object(expected) || json_is_array(expected))
		return;
	if (wanted == JSON_FACTS_ALL || wanted == *count)
		ck_assert_msg(text && !strcmp(text, "-") ? !got : json_equal(got, expected),
			      "%s is not %s but %s", place, json_dumps(expected, JSON_ENCODE_ANY),
			      got ? json_dumps(got, JSON_ENCODE_ANY) : "not there");
	++*count;
}

/* Checks the fact of that number, or all. How many there are. */
static inline int json_facts(const json_t *got, const char *expected, int wanted)
{
	char *text = strdup(expected);
	json_t *facts;
	int count = 0;

	for (char *at = text; (at = strchr(at, '\''));)
		*at = '"';
	facts = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	ck_assert_msg(facts != NULL, "%s", text);
	json_facts_below(facts, got, "", wanted, &count);
	json_decref(facts);
	free(text);
	return count;
}

#endif
