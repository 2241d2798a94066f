/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_diff_match.c - which function of two tables is which
 *
 * A table is a line: "f:ab" is a function f with the rows a and b, "-:ab" one without a name, "9:ab" one
 * at address 9; behind it may stand a length's letter and '!' for a signal frame: "f:ab=x!". What is
 * said is the place in b of each function of a, and '.' for none.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "freed.h"
#include "tables/diff/diff.h"

static void add_function(struct diff_table *table, const char *text)
{
	const char *colon = strchr(text, ':'), *length = strchr(text, '=');
	char name[16] = "";
	struct error error;
	struct diff_function function = { .has_pc = true,
					  .pc = isdigit(*text) ? *text - '0' : 0,
					  .named = isalpha(*text),
					  .length = length ? length[1] : 100,
					  .signal = strchr(text, '!') != NULL,
					  .diagnostic = strchr(text, '?') ? ERROR_CFI_STATE
									  : ERROR_NONE };

	memcpy(name, text, colon - text);
	ck_assert_int_eq(
		diff_table_add_function(table, function.named ? name : NULL, &function, &error), 0);
	for (const char *at = colon + 1; islower(*at); at++) {
		const char words[2] = { *at };

		ck_assert_int_eq(diff_table_add_row(table, at - colon, words, &error), 0);
	}
}

static void add_functions(struct diff_table *table, const char *line)
{
	FREED char *copy = strdup(line);
	char *rest = copy;

	for (char *word; (word = strsep(&rest, " "));)
		if (*word)
			add_function(table, word);
}

static void said_of(const char *a, const char *b, bool by_address, char *said)
{
	struct diff_words words = { 0 };
	struct diff_table of_a = { .words = &words }, of_b = { .words = &words };
	struct diff_match match;
	struct error error;

	add_functions(&of_a, a);
	add_functions(&of_b, b);
	ck_assert_int_eq(diff_match(&of_a, &of_b, by_address, &match, &error), 0);
	for (size_t i = 0; i < of_a.function_count; i++) {
		uint32_t other = match.of_a[i];

		ck_assert(other == DIFF_NONE || match.of_b[other] == i);
		*said++ = other == DIFF_NONE ? '.' : (char)('0' + other);
	}
	*said = '\0';
	for (size_t i = 0; i < of_b.function_count; i++)
		ck_assert(match.of_b[i] == DIFF_NONE || match.of_a[match.of_b[i]] == i);
	diff_match_deinit(&match);
	ck_assert(!match.of_a && !match.of_b);
	diff_table_deinit(&of_a);
	diff_table_deinit(&of_b);
	diff_words_deinit(&words);
}

static const struct match_case {
	const char *name, *a, *b, *said;
	bool by_address;
} cases[] = {
	{ "nothing", "", "", "", false },
	{ "nothing_on_one_side", "f:a -:b", "", "..", false },
	{ "nothing_on_the_other", "", "f:a", "", false },
	/* names */
	{ "one_name", "f:a", "f:b", "0", false },
	{ "names_in_any_order", "f:a g:b h:c", "h:c f:x g:b", "120", false },
	{ "another_name", "f:a", "g:a", ".", false },
	{ "a_name_twice_by_contents", "f:a f:b", "f:b f:a", "10", false },
	{ "a_name_twice_by_order", "f:a f:b", "f:x f:y", "01", false },
	{ "a_name_more_there", "f:a", "f:b f:a", "1", false },
	{ "a_name_less_there", "f:a f:b", "f:b", ".0", false },
	{ "all_alike_by_order", "f:a f:a f:a", "f:a f:a", "01.", false },
	{ "what_is_unique_first", "f:a f:b f:a", "f:a f:a f:b", "021", false },
	{ "changed_ones_follow_those_alike", "f:a f:b f:c", "f:a f:x f:c", "012", false },
	{ "changed_ones_precede_those_alike", "f:x f:a", "f:y f:z f:a", "02", false },
	{ "the_last_of_several", "f:a f:a f:x", "f:a f:a f:y", "012", false },
	/* without names: only what is the same, or stands between those */
	{ "equal_contents", "-:a -:b", "-:b -:a", "10", false },
	{ "one_put_in_front", "-:a -:b", "-:x -:a -:b", "12", false },
	{ "one_put_behind", "-:a -:b", "-:a -:b -:x", "01", false },
	{ "one_put_between", "-:a -:b", "-:a -:x -:b", "02", false },
	{ "a_changed_one_between", "-:a -:x -:b", "-:a -:y -:b", "012", false },
	{ "a_changed_one_at_the_begin", "-:x -:b", "-:y -:b", "01", false },
	{ "a_changed_one_at_the_end", "-:b -:x", "-:b -:y", "01", false },
	{ "behind_one_that_is_gone_is_no_neighbour", "-:a h:y -:x f:m -:b", "-:a -:z g:n -:b",
	  "0...3", false },
	{ "nor_before_it", "-:a f:m -:x h:y -:b", "-:a g:n -:z -:b", "0...3", false },
	{ "neighbours_before_equal_ones", "-:a -:a -:b -:a", "-:a -:b -:a -:a", "0312", false },
	{ "more_equal_ones_here", "-:a -:a -:a", "-:a", "0..", false },
	{ "more_equal_ones_there", "-:a", "-:a -:a -:a", "0", false },
	{ "a_name_that_is_gone", "f:a g:b", "-:a -:b", "01", false },
	{ "a_name_that_came", "-:a -:b", "f:a g:b", "01", false },
	{ "a_name_that_is_gone_and_a_change", "f:a g:b h:c", "-:a -:x -:c", "0.2", false },
	{ "names_and_none", "f:a -:b g:c", "-:b g:x f:y", "201", false },
	{ "two_names_are_never_one", "f:a -:b", "g:a -:b", ".1", false },
	/* what is equal */
	{ "another_length", "-:a=x -:a=y", "-:a=y -:a=x", "10", false },
	{ "another_signal", "-:a! -:a", "-:a -:a!", "10", false },
	{ "another_diagnostic", "-:a? -:a", "-:a -:a?", "10", false },
	{ "fewer_rows", "-:ab -:a", "-:a -:ab", "10", false },
	{ "another_last_row", "-:abc -:abd", "-:abd -:abc", "10", false },
	{ "another_first_row", "-:xbc -:ybc", "-:ybc -:xbc", "10", false },
	{ "no_rows", "-: -:a", "-:a -:", "10", false },
	/* addresses */
	{ "one_address", "1:a", "1:b", "0", true },
	{ "addresses_in_any_order", "1:a 2:b 3:c", "3:x 1:y 2:z", "120", true },
	{ "another_address", "1:a 2:b", "3:a 4:b", "..", true },
	{ "an_address_twice_by_contents", "1:a 1:b", "1:b 1:a", "10", true },
	{ "an_address_twice_by_order", "1:a 1:b 2:c", "2:c 1:x 1:y", "120", true },
	{ "an_address_s_second_is_gone", "1:a 1:b 2:c", "1:b 2:c", ".01", true },
	{ "the_highest_addresses", "9:a 8:b", "8:b 9:c", "10", true },
};

START_TEST(functions_are_matched)
{
	const struct match_case *test = &cases[_i];
	char said[64];

	said_of(test->a, test->b, test->by_address, said);
	ck_assert_msg(!strcmp(said, test->said), "%s: %s", test->name, said);
}
END_TEST

/* ---- the same -------------------------------------------------------------------------------- */

static const struct equal_case {
	const char *one, *other;
	bool equal;
} equals[] = {
	{ "f:ab", "f:ab", true },   { "f:ab", "g:ab", true },	 { "f:ab", "-:ab", true },
	{ "1:ab", "2:ab", true },   { "f:ab", "f:ac", false },	 { "f:ab", "f:cb", false },
	{ "f:ab", "f:abc", false }, { "f:abc", "f:ab", false },	 { "f:", "f:", true },
	{ "f:", "f:a", false },	    { "f:a=x", "f:a=y", false }, { "f:a!", "f:a", false },
	{ "f:a?", "f:a", false },   { "f:a?", "f:a?", true },	 { "f:a!", "f:a!", true },
};

START_TEST(what_is_the_same)
{
	const struct equal_case *test = &equals[_i];
	struct diff_words words = { 0 };
	struct diff_table one = { .words = &words }, other = { .words = &words };

	/* Their rows begin at different places. */
	add_functions(&one, "x:xyz");
	add_functions(&one, test->one);
	add_functions(&other, test->other);
	ck_assert_msg(diff_function_equal(&one, &one.function[1], &other, &other.function[0]) ==
				      test->equal &&
			      diff_function_equal(&other, &other.function[0], &one,
						  &one.function[1]) == test->equal,
		      "%s and %s", test->one, test->other);
	diff_table_deinit(&one);
	diff_table_deinit(&other);
	diff_words_deinit(&words);
}
END_TEST

/* A row at another offset is another one. */
START_TEST(offsets_are_held_too)
{
	struct diff_words words = { 0 };
	struct diff_table table = { .words = &words };
	const struct diff_function function = { .has_pc = true };
	struct error error;

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(diff_table_add_function(&table, NULL, &function, &error), 0);
		ck_assert_int_eq(diff_table_add_row(&table, i / 2, "a", &error), 0);
	}
	ck_assert(diff_function_equal(&table, &table.function[0], &table, &table.function[1]));
	ck_assert(!diff_function_equal(&table, &table.function[1], &table, &table.function[2]));
	diff_table_deinit(&table);
	diff_words_deinit(&words);
}
END_TEST

SUITE(diff_match, TIMEOUT(300), LOOP(functions_are_matched, cases), LOOP(what_is_the_same, equals),
      TEST(offsets_are_held_too))
