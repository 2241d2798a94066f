/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_html.c - what text becomes in a page: as text, as an anchor, in a table
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "reports/report/html.h"
#include "results_fixture.h"

static const struct {
	const char *name, *text, *id, *html;
} texts[] = {
	{ "nothing", "", "", "" },
	{ "letters_and_digits", "azAZ09", "azAZ09", "azAZ09" },
	{ "what_versions_have", "gcc-12.2.0", "gcc-12-2-0", "gcc-12.2.0" },
	{ "around_the_digits", "/0:", "-0-", "/0:" },
	{ "around_the_letters", "@A[`a{", "-A--a-", "@A[`a{" },
	{ "what_html_has", "<a b=\"c\">&", "-a-b--c---", "&lt;a b=&quot;c&quot;&gt;&amp;" },
	{ "beyond_ascii", "\303\244", "--", "\303\244" },
	{ "control_characters", "\x01\x1f \x7f~\n\t", "-------", "\ufffd\ufffd \ufffd~\n\t" },
	{ "those_of_latin_1", "\xc2\x80\xc2\x9f\xc2\xa0x", "------x", "\ufffd\ufffd\xc2\xa0x" },
	{ "what_looks_like_them", "\xc3\x80\xc5\x82", "----", "\xc3\x80\xc5\x82" },
	{ "no_utf_8", "\x80\x81z\xc2", "--z-", "\ufffd\ufffdz\ufffd" },
};

START_TEST(text_is_escaped)
{
	char *id = NULL, *html = NULL, *print = NULL, expected[128];

	FIXTURE_CAPTURE(id, html_id(capture, texts[_i].text));
	ck_assert_msg(!strcmp(id, texts[_i].id), "%s: id %s", texts[_i].name, id);
	FIXTURE_CAPTURE(html, html_text(capture, texts[_i].text));
	ck_assert_msg(!strcmp(html, texts[_i].html), "%s: html %s", texts[_i].name, html);
	/* The format is the page's own. */
	snprintf(expected, sizeof(expected), "<b>%s</b>&nbsp;42 %s\n", texts[_i].html,
		 texts[_i].html);
	FIXTURE_CAPTURE(print, html_print(capture, "<b>%s</b>&nbsp;%zu %s\n", texts[_i].text,
					  (size_t)42, texts[_i].text));
	ck_assert_msg(!strcmp(print, expected), "%s: printed %s", texts[_i].name, print);
	free(id);
	free(html);
	free(print);
}
END_TEST

START_TEST(title_is_in_head_and_body)
{
	FREED char *html = NULL;

	FIXTURE_CAPTURE(html, html_begin(capture, "a<b"));
	ck_assert_ptr_nonnull(strstr(html, "<title>a&lt;b</title>"));
	ck_assert_ptr_nonnull(strstr(html, "<body>\n<main>\n<h1>a&lt;b</h1>\n"));
}
END_TEST

SUITE(html, LOOP(text_is_escaped, texts), TEST(title_is_in_head_and_body))
