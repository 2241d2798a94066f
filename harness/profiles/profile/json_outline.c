/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_outline.c - the keys of JSON that may end anywhere
 *
 * What is between keys is passed over: texts as a whole, brackets counted, everything else by bytes.
 * What is no JSON has no keys, or wrong ones; the reader for the format says what is wrong with it.
 */
#include <ctype.h>
#include "json_outline.h"

static void skip_blanks(struct json_outline *outline)
{
	while (outline->at < outline->end && isspace((unsigned char)*outline->at))
		outline->at++;
}

/* The text that begins at a quote. False: its end is missing. */
static bool take_text(struct json_outline *outline, struct span *ret)
{
	const char *begin = ++outline->at;

	for (; outline->at < outline->end; outline->at++) {
		if (*outline->at == '\\' && outline->at + 1 < outline->end) {
			outline->at++;
			continue;
		}
		if (*outline->at != '"')
			continue;
		*ret = (struct span) { begin, outline->at++ - begin };
		return true;
	}
	return false;
}

/* At a quote. True: it was a key's. */
static bool take_key(struct json_outline *outline, struct json_key *ret)
{
	*ret = (struct json_key) { .depth = outline->depth,
				   .parent = { "", 0 },
				   .text = { "", 0 } };
	if (!take_text(outline, &ret->name))
		return false;
	skip_blanks(outline);
	if (outline->at == outline->end || *outline->at != ':')
		return false;
	outline->at++;
	skip_blanks(outline);
	if (ret->depth > 1 && outline->parent.at)
		ret->parent = outline->parent;
	if (ret->depth == 1)
		outline->parent = ret->name;
	if (outline->at < outline->end && *outline->at == '"' && !take_text(outline, &ret->text))
		ret->text = (struct span) { "", 0 };
	return ret->depth && ret->depth <= JSON_OUTLINE_DEPTH;
}

bool json_outline_next(struct json_outline *outline, struct json_key *ret)
{
	while (outline->at < outline->end && !outline->over) {
		switch (*outline->at) {
		case '"':
			if (take_key(outline, ret))
				return true;
			continue;
		case '{':
		case '[': outline->depth++; break;
		case '}':
		case ']':
			outline->over = outline->depth <= 1;
			outline->depth--;
			break;
		default: break;
		}
		outline->at++;
	}
	return false;
}

bool json_outline_begins(struct span text)
{
	struct json_outline outline = { .at = text.at, .end = text.at + text.size };
	bool is_array;

	skip_blanks(&outline);
	is_array = outline.at < outline.end && *outline.at == '[';
	if (is_array) {
		outline.at++;
		skip_blanks(&outline);
	}
	if (outline.at == outline.end || *outline.at != '{')
		return false;
	outline.at++;
	skip_blanks(&outline);
	return outline.at == outline.end || *outline.at == '"' || *outline.at == '}';
}
