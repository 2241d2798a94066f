/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_plain_text.c - which bytes are a character that a terminal may have
 *
 * The first and the last character of each length that UTF-8 has, and what lies beside them (RFC
 * 3629, 4: UTF8-octets), by all functions; and words for a shell, read by one. harness/commands/tests/test_plain_text.c has the commands.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "suite.h"
#include "plain_text.h"

static const struct {
	const char *name;
	const char *text; /* begins with what the case is about; "a" may follow */
	size_t bytes;	  /* of the character; 0: none, or a control character */
	const char *plain;
	const char *lines; /* NULL: the same */
	size_t width;
} characters[] = {
	{ "last_control_character", "\x1f", 0, "?", NULL, 1 },
	{ "space", " ", 1, " ", NULL, 1 },
	{ "last_of_one_byte", "~", 1, "~", NULL, 1 },
	{ "delete", "\x7f", 0, "?", NULL, 1 },
	{ "newline", "\na", 0, "?a", "\na", 2 },
	{ "tab", "\ta", 0, "?a", "\ta", 2 },
	{ "return", "\ra", 0, "?a", NULL, 2 },
	{ "rest_without_a_first_byte", "\x80\x61", 0, "?a", NULL, 1 },
	{ "overlong_of_two", "\xc1\xbf", 0, "??", NULL, 1 },
	{ "first_of_two_bytes_is_a_control", "\xc2\x80", 0, "?", NULL, 1 },
	{ "last_control_of_two_bytes", "\xc2\x9f", 0, "?", NULL, 1 },
	{ "first_of_two_bytes_that_is_none", "\xc2\xa0", 2, "\xc2\xa0", NULL, 1 },
	{ "not_every_9f_is_a_control", "\xc3\x9f", 2, "\xc3\x9f", NULL, 1 },
	{ "last_of_two_bytes", "\xdf\xbf", 2, "\xdf\xbf", NULL, 1 },
	{ "two_bytes_cut", "\xc3", 0, "?", NULL, 1 },
	{ "two_bytes_and_another", "\xc3\x61", 0, "?a", NULL, 2 },
	{ "overlong_of_three", "\xe0\x9f\xbf", 0, "???", NULL, 1 },
	{ "first_of_three_bytes", "\xe0\xa0\x80", 3, "\xe0\xa0\x80", NULL, 1 },
	{ "before_the_surrogates", "\xed\x9f\xbf", 3, "\xed\x9f\xbf", NULL, 1 },
	{ "first_surrogate", "\xed\xa0\x80", 0, "???", NULL, 1 },
	{ "behind_the_surrogates", "\xee\x80\x80", 3, "\xee\x80\x80", NULL, 1 },
	{ "last_of_three_bytes", "\xef\xbf\xbf", 3, "\xef\xbf\xbf", NULL, 1 },
	{ "three_bytes_cut", "\xe2\x82", 0, "??", NULL, 1 },
	{ "three_bytes_and_another", "\xe2\x82\x61", 0, "??a", NULL, 2 },
	{ "overlong_of_four", "\xf0\x8f\xbf\xbf", 0, "????", NULL, 1 },
	{ "first_of_four_bytes", "\xf0\x90\x80\x80", 4, "\xf0\x90\x80\x80", NULL, 1 },
	{ "of_four_bytes", "\xf1\x80\x80\x80", 4, "\xf1\x80\x80\x80", NULL, 1 },
	{ "last_of_four_bytes", "\xf4\x8f\xbf\xbf", 4, "\xf4\x8f\xbf\xbf", NULL, 1 },
	{ "beyond_unicode", "\xf4\x90\x80\x80", 0, "????", NULL, 1 },
	{ "four_bytes_cut", "\xf1\x80\x80", 0, "???", NULL, 1 },
	{ "four_bytes_and_another", "\xf1\x80\x80\x61", 0, "???a", NULL, 2 },
	{ "never_a_first_byte", "\xf5\x80\x80\x80", 0, "????", NULL, 1 },
	{ "last_byte", "\xff", 0, "?", NULL, 1 },
};

START_TEST(character_is_plain_or_not)
{
	const char *lines = characters[_i].lines ? characters[_i].lines : characters[_i].plain;
	char *written = NULL, plain[16];
	size_t size;
	FILE *file = open_memstream(&written, &size);

	plain_lines(file, characters[_i].text);
	fclose(file);
	ck_assert_msg(plain_character(characters[_i].text) == characters[_i].bytes, "%s: %zu bytes",
		      characters[_i].name, plain_character(characters[_i].text));
	ck_assert_str_eq(plain_text(characters[_i].text, plain, sizeof(plain)),
			 characters[_i].plain);
	ck_assert_str_eq(written, lines);
	ck_assert_msg(plain_width(characters[_i].text) == characters[_i].width, "%s: %zu columns",
		      characters[_i].name, plain_width(characters[_i].text));
	free(written);
}
END_TEST

/* Every size from none to one that is enough: never more, and no part of a character. */
START_TEST(text_is_cut_between_characters)
{
	static const char text[] = "a\xc3\x9f\n\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t ends[] = { 0, 1, 3, 4, 7, 11, 12 }; /* of what is left of it */

	for (size_t size = 1; size <= sizeof(text) + 1; size++) {
		char plain[sizeof(text) + 2];
		size_t wanted = 0;

		memset(plain, 'x', sizeof(plain));
		plain_text(text, plain, size);
		for (int i = 0; i < COUNT(ends); i++)
			if (ends[i] < size)
				wanted = ends[i];
		ck_assert_uint_eq(strlen(plain), wanted);
		ck_assert(plain[size] == 'x');
	}
}
END_TEST

static const struct {
	const char *name, *word, *printed;
} words[] = {
	{ "harmless", "/usr/lib/a-b_c+d=e,f:g@h%i.so", "/usr/lib/a-b_c+d=e,f:g@h%i.so" },
	{ "empty", "", "''" },
	{ "blank", "a b", "'a b'" },
	{ "quote", "it's", "'it'\\''s'" },
	{ "quotes", "\"a\"", "'\"a\"'" },
	{ "dollar", "$HOME `id` \\", "'$HOME `id` \\'" },
	{ "home", "~", "'~'" },
	{ "glob", "*?[a]{b,c}", "'*?[a]{b,c}'" },
	{ "comment", "#a", "'#a'" },
	{ "history", "a!b", "'a!b'" },
	{ "newline", "a\nb", "$'a\\nb'" },
	{ "tab", "a\tb", "$'a\\tb'" },
	{ "escape", "\x1b[2J", "$'\\033[2J'" },
	{ "digits_behind_an_escape",
	  "\x01"
	  "234",
	  "$'\\001234'" },
	{ "quote_and_newline", "'\n\\$\"", "$'\\'\\n\\\\$\"'" },
	{ "utf8", "\xc3\xbc", "'\xc3\xbc'" },
	{ "utf8_beside_what_is_none", "\xc3\xbc\xff", "$'\xc3\xbc\\377'" },
	{ "control_of_two_bytes", "\xc2\x9b", "$'\\302\\233'" },
};

static void print_word(size_t number, char *ret, size_t size)
{
	FILE *file = fmemopen(ret, size, "w");

	ck_assert_ptr_nonnull(file);
	plain_word(file, words[number].word);
	fclose(file);
}

START_TEST(word_is_one_of_a_shell)
{
	char printed[128] = "", command[256], read[64] = "";

	print_word((size_t)_i, printed, sizeof(printed));
	ck_assert_str_eq(printed, words[_i].printed);
	setenv("WORD", printed, 1);
	snprintf(command, sizeof(command), "bash -c 'eval \"printf %%s $WORD\"'");
	FILE *shell = popen(command, "r");

	ck_assert_ptr_nonnull(shell);
	read[fread(read, 1, sizeof(read) - 1, shell)] = '\0';
	ck_assert_int_eq(pclose(shell), 0);
	ck_assert_str_eq(read, words[_i].word);
}
END_TEST

SUITE(plain_text, LOOP(character_is_plain_or_not, characters), LOOP(word_is_one_of_a_shell, words),
      TEST(text_is_cut_between_characters))
