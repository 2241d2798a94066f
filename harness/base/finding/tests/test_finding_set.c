/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_finding_set.c - what was found before against what is found now: whose is whose
 *
 * A finding is a letter for its key, one for its function, a digit for its offset, and, if it can have moved, a letter
 * for what it is then known by: "af4", "af4m".
 */
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "finding_fixture.h"

static const struct {
	const char *rule, *before, *now;
	const char *pairs; /* of each now the number of before's, from 0 on; '-': it is new */
} cases[] = {
	{ "nothing", "", "", "" },
	{ "nothing_before", "", "af1", "-" },
	{ "nothing_now", "af1", "", "" },
	{ "the_same", "af1", "af1", "0" },
	{ "another_key", "af1", "bf1", "-" },
	{ "at_another_place", "af1", "af2", "0" },
	{ "in_another_function", "af1", "ag1", "0" },
	{ "the_same_place_is_preferred", "af1 af2", "af2 af1", "10" },
	{ "and_the_same_function", "af1 ag1", "ag1 af1", "10" },
	{ "places_first_and_then_keys", "af1 af2", "af3 af2", "01" },
	{ "each_is_paired_once", "af1", "af2 af1", "-0" },
	{ "of_several_the_first_are", "af1 af2", "af3 af4 af5", "01-" },
	{ "of_several_before_the_first_are", "af9 af2 af1", "af3", "0" },
	{ "among_others", "cf1 af1 bf1", "bf1 df1 cf1", "2-0" },
	{ "moved", "af1m", "bf1m", "0" },
	{ "not_moved_to_another", "af1m", "bf1n", "-" },
	{ "what_can_not_move_has_not", "af1", "bf1m", "-" },
	{ "nor_where_it_could_not", "af1m", "bf1", "-" },
	{ "keys_before_what_moved", "af1m bf1m", "cf1m bf1m", "01" },
	{ "of_those_that_moved_the_first", "af1m bf1m", "cf1m", "0" },
};

static struct finding_set set_of(const char *words)
{
	struct finding_set set = { NULL };
	FREED char *copy = strdup(words);
	char *rest = copy, *word;

	while (*words && (word = strsep(&rest, " "))) {
		const char function[] = { word[1], '\0' };
		struct finding_record finding = finding_record_read(NULL);

		finding.function = function;
		finding.offset = (uint64_t)(word[2] - '0');
		finding_set_copy(&set, &finding, strndup(word, 1));
		if (word[3])
			set.held[set.count - 1].moved = strdup(word + 3);
	}
	return set;
}

START_TEST(findings_are_paired)
{
	struct finding_set before = set_of(cases[_i].before), now = set_of(cases[_i].now);
	char pairs[8] = "";
	size_t paired = 0;

	finding_sets_match(&before, &now);
	for (size_t i = 0; i < now.count; i++) {
		const struct finding_held *same = now.held[i].same;

		pairs[i] = same ? (char)('0' + (same - before.held)) : '-';
		ck_assert_msg(!same || same->same == &now.held[i], "%s", cases[_i].rule);
		paired += same != NULL;
	}
	ck_assert_msg(!strcmp(pairs, cases[_i].pairs), "%s: %s", cases[_i].rule, pairs);
	for (size_t i = 0; i < before.count; i++)
		paired -= before.held[i].same != NULL;
	ck_assert_uint_eq(paired, 0);
	finding_set_deinit(&before);
	finding_set_deinit(&now);
}
END_TEST

/* What has found its like in one set is not there for another one. */
START_TEST(pairs_are_kept)
{
	struct finding_set before = set_of("af1 af2"), now = set_of("af2"),
			   later = set_of("af2 af2");

	finding_sets_match(&before, &now);
	finding_set_deinit(&now);
	finding_sets_match(&before, &later);
	ck_assert_ptr_eq(later.held[0].same, &before.held[0]);
	ck_assert_ptr_null(later.held[1].same);
	finding_set_deinit(&before);
	finding_set_deinit(&later);
}
END_TEST

START_TEST(sets_are_sorted)
{
	struct finding_set set = set_of("bf2 bf1 af9 cf0"), none = { NULL };
	char text[16] = "";

	finding_set_sort(&none);
	finding_set_sort(&set);
	for (size_t i = 0; i < set.count; i++)
		sprintf(text + strlen(text), "%s%d", set.held[i].key,
			(int)set.held[i].finding.offset);
	ck_assert_str_eq(text, "a9b1b2c0");
	finding_set_deinit(&set);
}
END_TEST

/* Many of one key are no more work than their number. */
START_TEST(many_of_one_key)
{
	enum { MANY = 20000 };
	struct finding_set before = { NULL }, now = { NULL };
	struct finding_record finding = finding_record_read(NULL);

	for (int i = 0; i < MANY; i++) {
		finding.offset = (uint64_t)(MANY - i);
		finding_set_add(&before, &finding, strdup("k"));
		finding.offset = (uint64_t)(MANY + i);
		finding_set_add(&now, &finding, strdup("k"));
	}
	finding_sets_match(&before, &now);
	ck_assert_ptr_eq(now.held[0].same, &before.held[0]); /* at the same place */
	for (int i = 1; i < MANY; i++)
		ck_assert_ptr_eq(now.held[i].same, &before.held[i]);
	finding_set_deinit(&before);
	finding_set_deinit(&now);
}
END_TEST

SUITE(finding_set, LOOP(findings_are_paired, cases), TEST(pairs_are_kept), TEST(sets_are_sorted),
      TEST(many_of_one_key))
