/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_require.h - what an engine must reach, and whether it did
 *
 *	bpf.exact >= 99.99
 *
 * ENGINE.FIELD OPERATOR NUMBER; blanks between them are optional. Fields are shares of the engine's
 * points in percent (exact, truncated, wrong, extra, false_complete), the same as counts
 * (exact_points, ...), points, and the mean cost of a stack: ns, bytes. Operators: >= <= > < ==. The
 * number is decimal, with up to REQUIREMENT_DECIMALS_MAX decimals. Both sides are compared as
 * fractions, without rounding.
 */
#ifndef STACKPROOF_COMPARE_REQUIRE_H
#define STACKPROOF_COMPARE_REQUIRE_H

#include <stddef.h>
#include <stdint.h>
#include "error.h"

#define REQUIREMENTS_MAX	 64 /* of one command line */
#define REQUIREMENT_DIGITS_MAX	 15 /* of a number, before and behind the point */
#define REQUIREMENT_DECIMALS_MAX 6

struct comparison;

enum requirement_unit {
	REQUIREMENT_SHARE, /* percent of the engine's points */
	REQUIREMENT_POINTS,
	REQUIREMENT_COST, /* mean of a stack, in ns or bytes */
};

enum requirement_relation {
	REQUIREMENT_AT_LEAST,
	REQUIREMENT_AT_MOST,
	REQUIREMENT_MORE,
	REQUIREMENT_LESS,
	REQUIREMENT_EQUAL,
};

struct requirement {
	char engine[64];
	char field[32];
	enum requirement_unit unit;
	enum requirement_relation relation;
	char wanted[REQUIREMENT_DIGITS_MAX + 2]; /* the number as it was written */
	uint64_t number, scale;			 /* its value is number / scale */
};

enum requirement_result { REQUIREMENT_MET, REQUIREMENT_NOT_MET, REQUIREMENT_NOT_JUDGED };

/* Whether a requirement was met. */
struct requirement_verdict {
	enum requirement_result result;
	double value; /* of the field; not set for REQUIREMENT_NOT_JUDGED */
	char message
		[160]; /* "it is 99.937192 % (54099 of 54133 points)", or why it is not judged */
};

/* -1: text is not a requirement; error says why, in a sentence for the user. */
int requirement_parse(const char *text, struct requirement *ret, struct error *error);
void requirement_judge(const struct requirement *requirement, const struct comparison *comparison,
		       struct requirement_verdict *ret);
/* "bpf.exact >= 99.99", whatever its blanks were. */
void requirement_text(const struct requirement *requirement, char *text, size_t size);
const char *requirement_relation_name(enum requirement_relation relation);
/* "met", "not_met", "not_judged" */
const char *requirement_result_name(enum requirement_result result);

#endif
