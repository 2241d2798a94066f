/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * html_check.h - a page of HTML is well formed: what begins ends, in order, and rows are of one
 * length
 *
 * Of HTML only what our pages have: no comments, no '>' in an attribute, and every element but
 * <meta>, <br> and <input> has an end. What is in a <script> is none: only that it ends.
 */
#ifndef STACKPROOF_TESTS_HTML_CHECK_H
#define STACKPROOF_TESTS_HTML_CHECK_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define HTML_DEPTH_MAX 32

struct html_state {
	char open[HTML_DEPTH_MAX][16];
	int depth;
	unsigned int columns, cells; /* of the table's head, of the row at hand */
};

static inline void html_check_begin(struct html_state *state, const char *name, const char *at)
{
	const char *outer = state->depth ? state->open[state->depth - 1] : "";

	ck_assert_int_lt(state->depth, HTML_DEPTH_MAX);
	snprintf(state->open[state->depth++], sizeof(state->open[0]), "%s", name);
	if (!strcmp(name, "table"))
		state->columns = 0;
	if (!strcmp(name, "tr"))
		state->cells = 0;
	if (!strcmp(name, "th") || !strcmp(name, "td")) {
		ck_assert_msg(!strcmp(outer, "tr"), "a cell in no row: %.200s", at);
		state->cells++;
	}
	ck_assert_msg(strcmp(name, "tr") || !strcmp(outer, "thead") || !strcmp(outer, "tbody"),
		      "a row in no table: %.200s", at);
}

static inline void html_check_end(struct html_state *state, const char *name, const char *at)
{
	ck_assert_msg(state->depth && !strcmp(state->open[state->depth - 1], name),
		      "%s ends in %s: %.200s", name,
		      state->depth ? state->open[state->depth - 1] : "nothing", at);
	state->depth--;
	if (!strcmp(name, "tr") && !state->columns)
		state->columns = state->cells;
	ck_assert_msg(strcmp(name, "tr") || state->cells == state->columns,
		      "%u cells of %u before %.200s", state->cells, state->columns, at);
}

/* Returns how many elements there are. */
static inline unsigned int html_check(const char *page)
{
	struct html_state state = { .depth = 0 };
	unsigned int elements = 0;

	ck_assert_msg(!strncmp(page, "<!DOCTYPE html>\n<html", 21), "%.40s", page);
	for (const char *at = strchr(page + 1, '<'); at; at = strchr(at + 1, '<')) {
		bool end = at[1] == '/';
		char name[16];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at + 1 + end, " >"),
			 at + 1 + end);
		ck_assert_msg(strchr(at, '>') != NULL, "%.200s", at);
		if (end)
			html_check_end(&state, name, at);
		else if (strcmp(name, "meta") != 0 && strcmp(name, "br") != 0 &&
			 strcmp(name, "input") != 0)
			html_check_begin(&state, name, at);
		if (!end && !strcmp(name, "script")) {
			at = strstr(at, "</script>");
			ck_assert_ptr_nonnull(at);
			at--; /* it is the next */
		}
		elements++;
	}
	ck_assert_msg(!state.depth, "%s does not end", state.open[0]);
	return elements;
}

#endif
