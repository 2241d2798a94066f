/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_outline.h - the keys of JSON that may end anywhere
 *
 *	struct json_outline outline = { .at = data, .end = data + size };
 *	while (json_outline_next(&outline, &key))
 *		if (key.depth == 1 && span_is(key.name, "traceEvents")) ...
 *
 * Which format JSON is, is told by a file's beginning; a library reads only what is whole. Nothing is
 * unescaped: no key that is sought has a '\'.
 */
#ifndef STACKPROOF_JSON_OUTLINE_H
#define STACKPROOF_JSON_OUTLINE_H

#include "perf_line.h"

#define JSON_OUTLINE_DEPTH 3

struct json_key {
	unsigned int depth; /* arrays and objects that it is in, 1 to JSON_OUTLINE_DEPTH */
	struct span parent; /* the key at depth 1 that it is below, or empty */
	struct span name;
	struct span text; /* its value, if that is a text that is whole */
};

struct json_outline {
	const char *at, *end;
	unsigned int depth;
	struct span parent;
	bool over; /* the first value is */
};

/* The next key, not deeper than that. False: there is none. */
bool json_outline_next(struct json_outline *outline, struct json_key *ret);
/* The text could be JSON: an object, or an array of objects. */
bool json_outline_begins(struct span text);

#endif
