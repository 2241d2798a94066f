/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * json_outline.h - the keys of JSON that may be cut off anywhere
 *
 *	struct json_outline outline = { .at = data, .end = data + size };
 *	while (json_outline_next(&outline, &key))
 *		if (key.depth == 1 && span_is(key.name, "traceEvents")) ...
 *
 * The keys in a file's beginning tell which format it is, and a library reads only complete JSON. Keys are
 * not unescaped: none of those that are looked for has a '\'.
 */
#ifndef STACKPROOF_JSON_OUTLINE_H
#define STACKPROOF_JSON_OUTLINE_H

#include "perf_line.h"

#define JSON_OUTLINE_DEPTH 3

struct json_key {
	unsigned int depth; /* how many arrays and objects it is in: 1 to JSON_OUTLINE_DEPTH */
	struct span parent; /* the key at depth 1 that it is below, or empty */
	struct span name;
	struct span text; /* the value, if it is a complete string; else empty */
};

struct json_outline {
	const char *at, *end;
	unsigned int depth;
	struct span parent;
	bool over; /* the outermost value has ended */
};

/* The next key down to JSON_OUTLINE_DEPTH. False: there is none. */
bool json_outline_next(struct json_outline *outline, struct json_key *ret);
/* True if text could be the beginning of a JSON object, or of an array of objects. */
bool json_outline_begins(struct span text);

#endif
