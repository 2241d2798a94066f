/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_golden_text.c - a table's text cut into lines, known by function, occurrence and key
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "corpus/golden/golden.h"

#define HEAD "stackproof table text 1"

static void parse(struct golden_text *ret, const char *body)
{
	struct error error = { 0 };
	char text[1024];

	snprintf(text, sizeof(text), HEAD "\n%s", body);
	ck_assert_int_eq(golden_text_parse(ret, text, strlen(text), &error), 0);
}

/* "FUNCTION/OCCURRENCE KEY RULE;" of each line */
static char *lines_of(const struct golden_line *line, size_t count)
{
	char *said;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	for (size_t i = 0; i < count; i++)
		fprintf(file, "%s/%u|%s|%s;", line[i].function, line[i].occurrence, line[i].key,
			line[i].rule);
	fclose(file);
	return said;
}

static void check_text(const char *name, char *said, const char *wanted)
{
	ck_assert_msg(!strcmp(said, wanted), "%s: %s", name, said);
	free(said);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static const struct parse_case {
	const char *name, *body, *lines, *sorted;
} parses[] = {
	{ "a_function_and_its_rows", "function f\n  +0x0 cfa=rsp+8 ra=c-8\n  +0x10 end\n",
	  "/0|" HEAD "|;f/0|function|;f/0|+0x0|cfa=rsp+8 ra=c-8;f/0|+0x10|end;",
	  "/0|" HEAD "|;f/0|+0x0|cfa=rsp+8 ra=c-8;f/0|+0x10|end;f/0|function|;" },
	{ "a_function_s_marks", "function f signal more\n",
	  "/0|" HEAD "|;f/0|function|signal more;", "/0|" HEAD "|;f/0|function|signal more;" },
	{ "diagnostics_are_keys", "diagnostic cie\nfunction f\n  diagnostic malformed\n",
	  "/0|" HEAD "|;/0|diagnostic cie|;f/0|function|;f/0|diagnostic malformed|;",
	  "/0|diagnostic cie|;/0|" HEAD "|;f/0|diagnostic malformed|;f/0|function|;" },
	{ "a_key_alone", "function f\n  +0x0\n", "/0|" HEAD "|;f/0|function|;f/0|+0x0|;",
	  "/0|" HEAD "|;f/0|+0x0|;f/0|function|;" },
	{ "three_of_one_name",
	  "function f\n +0x0 a\nfunction g\n +0x0 b\nfunction f\n +0x0 c\n +0x1 d\nfunction f\n",
	  "/0|" HEAD "|;f/0|function|;f/0|+0x0|a;g/0|function|;g/0|+0x0|b;f/1|function|;f/1|+0x0|c;"
	  "f/1|+0x1|d;f/2|function|;",
	  "/0|" HEAD "|;f/0|+0x0|a;f/0|function|;f/1|+0x0|c;f/1|+0x1|d;f/1|function|;f/2|function|;"
	  "g/0|+0x0|b;g/0|function|;" },
	{ "one_key_twice", "function f\n +0x0 b\n +0x0 a\n",
	  "/0|" HEAD "|;f/0|function|;f/0|+0x0|b;f/0|+0x0|a;",
	  "/0|" HEAD "|;f/0|+0x0|a;f/0|+0x0|b;f/0|function|;" },
	{ "empty_lines_are_none", "\n\nfunction f\n\n", "/0|" HEAD "|;f/0|function|;",
	  "/0|" HEAD "|;f/0|function|;" },
	{ "a_name_that_begins_alike", "functional f\nfunction functional\n",
	  "/0|" HEAD "|;/0|functional f|;functional/0|function|;",
	  "/0|functional f|;/0|" HEAD "|;functional/0|function|;" },
};

START_TEST(lines_are_known)
{
	const struct parse_case *test = &parses[_i];
	struct golden_text text;

	parse(&text, test->body);
	check_text(test->name, lines_of(text.line, text.count), test->lines);
	check_text(test->name, lines_of(text.sorted, text.count), test->sorted);
	golden_text_deinit(&text);
	ck_assert(!text.line && !text.sorted && !text.copy && !text.count);
}
END_TEST

START_TEST(what_is_no_text)
{
	static const struct {
		const char *text;
		size_t size;
		int status;
	} cases[] = {
		{ HEAD, sizeof(HEAD) - 1, 0 },
		{ HEAD, sizeof(HEAD) - 2, -1 },
		{ HEAD "\n\0", sizeof(HEAD) + 1, -1 },
		{ "x" HEAD, sizeof(HEAD), -1 },
		{ "", 0, -1 },
	};

	for (int i = 0; i < COUNT(cases); i++) {
		struct golden_text text;
		struct error error = { 0 };

		ck_assert_int_eq(golden_text_parse(&text, cases[i].text, cases[i].size, &error),
				 cases[i].status);
		if (cases[i].status) {
			ck_assert_int_eq(error.code, ERROR_TEXT_SYNTAX);
			ck_assert_uint_eq(error.offset, 1);
		}
		golden_text_deinit(&text);
	}
}
END_TEST

/* ---- questions ------------------------------------------------------------------------------ */

static const char two[] = "diagnostic cie\nfunction f\n +0x0 a\n +0x4 b\n +0x10 end\n"
			  "function g\n +0x0 c\nfunction f\n +0x2 d\n +0x1 e\n diagnostic x\n";

static const struct {
	const char *function;
	unsigned int occurrence;
	uint64_t offset;
	const char *rule; /* NULL: there is none */
} rows[] = {
	{ "f", 0, 0, "a" },	{ "f", 0, 3, "a" },	 { "f", 0, 4, "b" },
	{ "f", 0, 0xf, "b" },	{ "f", 0, 0x10, "end" }, { "f", 0, 0x1000, "end" },
	{ "f", 1, 0, NULL },	{ "f", 1, 1, "e" },	 { "f", 1, 2, "d" },
	{ "f", 1, 0x100, "d" }, { "f", 2, 0, NULL },	 { "g", 0, 0, "c" },
	{ "g", 1, 0, NULL },	{ "h", 0, 0, NULL },	 { "", 0, 0, NULL },
};

START_TEST(the_row_at_an_offset)
{
	struct golden_text text;
	const struct golden_line *line;

	parse(&text, two);
	line = golden_text_row_at(&text, rows[_i].function, rows[_i].occurrence, rows[_i].offset);
	ck_assert_int_eq(line != NULL, rows[_i].rule != NULL);
	if (line)
		ck_assert_str_eq(line->rule, rows[_i].rule);
	golden_text_deinit(&text);
}
END_TEST

START_TEST(keys_that_are_offsets)
{
	static const struct {
		const char *key;
		bool is_one;
		uint64_t offset;
	} keys[] = {
		{ "+0x0", true, 0 },	  { "+0x1b", true, 0x1b }, { "+0x1g", false, 0 },
		{ "+1b", false, 0 },	  { "-0x1b", false, 0 },   { "0x1b", false, 0 },
		{ "function", false, 0 }, { "+0x", false, 0 },
	};

	for (int i = 0; i < COUNT(keys); i++) {
		uint64_t offset = 99;
		bool is_one = golden_key_offset(keys[i].key, &offset);

		ck_assert_msg(is_one == keys[i].is_one, "%s", keys[i].key);
		if (is_one)
			ck_assert_uint_eq(offset, keys[i].offset);
	}
}
END_TEST

START_TEST(functions_that_it_has)
{
	struct golden_text text;

	parse(&text, two);
	ck_assert(golden_text_has_function(&text, "f"));
	ck_assert(golden_text_has_function(&text, "g"));
	ck_assert(!golden_text_has_function(&text, "h"));
	ck_assert(!golden_text_has_function(&text, ""));
	ck_assert_str_eq(golden_text_diagnostic(&text, NULL), "diagnostic cie");
	ck_assert_str_eq(golden_text_diagnostic(&text, "diagnostic:cie"), "diagnostic x");
	ck_assert_ptr_null(golden_text_diagnostic(&text, "diagnostic:x diagnostic:cie"));
	golden_text_deinit(&text);
}
END_TEST

static const struct keep_case {
	const char *name, *of, *kept;
} keeps[] = {
	{ "all", two,
	  "/0|" HEAD "|;/0|diagnostic cie|;f/0|function|;f/0|+0x0|a;f/0|+0x4|b;f/0|+0x10|end;"
	  "g/0|function|;g/0|+0x0|c;f/1|function|;f/1|+0x2|d;f/1|+0x1|e;f/1|diagnostic x|;" },
	{ "none", "", "/0|" HEAD "|;/0|diagnostic cie|;" },
	{ "another_function", "function h\n +0x0 a\n", "/0|" HEAD "|;/0|diagnostic cie|;" },
	{ "the_first_of_two", "function f\n",
	  "/0|" HEAD "|;/0|diagnostic cie|;f/0|function|;f/0|+0x0|a;f/0|+0x4|b;f/0|+0x10|end;" },
	{ "one_between", "function g\n +0x9 x\n",
	  "/0|" HEAD "|;/0|diagnostic cie|;g/0|function|;g/0|+0x0|c;" },
};

START_TEST(functions_of_another_text_are_kept)
{
	const struct keep_case *test = &keeps[_i];
	struct golden_text text, of;

	parse(&text, two);
	parse(&of, test->of);
	golden_text_keep(&text, &of);
	check_text(test->name, lines_of(text.line, text.count), test->kept);
	/* It is still what the other one is held against. */
	ck_assert_uint_eq(golden_text_diff(&text, &text, NULL, NULL), 0);
	golden_text_deinit(&of);
	golden_text_deinit(&text);
}
END_TEST

/* ---- differences ---------------------------------------------------------------------------- */

static void say(void *context, const struct golden_difference *difference)
{
	fprintf(context, "%s/%u|%s|%s|%s;", difference->function, difference->occurrence,
		difference->key, difference->expected ? difference->expected : "-",
		difference->actual ? difference->actual : "-");
}

static const struct difference_case {
	const char *name, *expected, *actual, *said;
	size_t count;
} differences[] = {
	{ "none", two, two, "", 0 },
	{ "the_second_of_one_name", "function f\n +0x0 a\nfunction f\n +0x0 b\n +0x1 c\n",
	  "function f\n +0x0 a\nfunction f\n +0x0 x\n +0x2 c\n",
	  "f/1|+0x0|b|x;f/1|+0x1|c|-;f/1|+0x2|-|c;", 3 },
	{ "the_expected_one_s_order_first", "function b\n +0x0 1\nfunction a\n +0x0 2\n",
	  "function c\n +0x0 3\nfunction a\n +0x0 4\n",
	  "b/0|function||-;b/0|+0x0|1|-;a/0|+0x0|2|4;c/0|function|-|;c/0|+0x0|-|3;", 5 },
	{ "a_function_more", "function a\n", "function a\nfunction a\n", "a/1|function|-|;", 1 },
	{ "nothing_and_something", "", "function a\n +0x0 x\n", "a/0|function|-|;a/0|+0x0|-|x;",
	  2 },
};

START_TEST(differences_in_order)
{
	const struct difference_case *test = &differences[_i];
	struct golden_text expected, actual;
	char *said;
	size_t size;
	FILE *file = open_memstream(&said, &size);

	parse(&expected, test->expected);
	parse(&actual, test->actual);
	ck_assert_uint_eq(golden_text_diff(&expected, &actual, NULL, NULL), test->count);
	ck_assert_uint_eq(golden_text_diff(&expected, &actual, say, file), test->count);
	fclose(file);
	check_text(test->name, said, test->said);
	golden_text_deinit(&expected);
	golden_text_deinit(&actual);
}
END_TEST

SUITE(golden_text, TIMEOUT(300), LOOP(lines_are_known, parses), TEST(what_is_no_text),
      LOOP(the_row_at_an_offset, rows), TEST(keys_that_are_offsets), TEST(functions_that_it_has),
      LOOP(functions_of_another_text_are_kept, keeps), LOOP(differences_in_order, differences))
