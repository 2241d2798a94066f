/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * golden.h - snapshots of tables, and what keeps them honest
 *
 *	golden.c		the command line; what is compared with what
 *	golden_text.c		two tables' texts -> their differences, function by function
 *	golden_verdict.c	table faults that the truth found, and the waivers that admit them
 *
 * A golden is the table text (docs/TABLE_TEXT.md) of one file that one version of a toolchain
 * built: GOLDEN/tables/gcc-12.2.0/chain.O2-nofp.txt. It is written only by an explicit `golden
 * update`.
 */
#ifndef STACKPROOF_COMMANDS_GOLDEN_H
#define STACKPROOF_COMMANDS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "unwinder.h"

/* ---- golden_text.c ---------------------------------------------------------------------- */

/* One line of a text: a row, an end, a diagnostic. Pointers go into the text. */
struct golden_line {
	const char *function; /* "" before the first function */
	unsigned occurrence;  /* of that name before: static functions may share one */
	const char *key;      /* "+0x1b", "function", "diagnostic malformed": what it is there */
	const char *rule;     /* the rest of the line */
};

struct golden_text {
	char *copy;
	struct golden_line *line;   /* as written */
	struct golden_line *sorted; /* by function, occurrence and key */
	size_t count;
};

/* What one text says and the other does not. expected or actual is NULL if there is no such line.
 */
struct golden_difference {
	const char *function;
	const char *key;
	const char *expected;
	const char *actual;
};

/* Cuts a text of size bytes into lines. -1: out of memory, or it is no table text. */
int golden_text_parse(struct golden_text *ret, const char *text, size_t size, struct error *error);
void golden_text_deinit(struct golden_text *text);
bool golden_text_has_function(const struct golden_text *text, const char *function);
/* The first diagnostic that is not expected (as corpus.tsv says; NULL: none is), or NULL. */
const char *golden_text_diagnostic(const struct golden_text *text, const char *expected);
/*
 * Counts the differences and gives each to fn (may be NULL), expected's order first, then what is
 * only in actual. The order of functions is no difference: only the linker decides it.
 */
size_t golden_text_diff(const struct golden_text *expected, const struct golden_text *actual,
			void (*fn)(void *context, const struct golden_difference *difference),
			void *context);

/* ---- golden_verdict.c ------------------------------------------------------------------- */

/* One line of GOLDEN/waivers.tsv: binary (a glob), function (a glob), reason. */
struct golden_waiver {
	char *binary;
	char *function;
	char *reason;
};

/* A finding of `stackproof compare --json` that blames the table. */
struct golden_fault {
	char *file; /* base name of the image, or of the program if no image is given */
	char *function;
	bool malformed; /* nobody can read it, rather than that it is wrong */
};

struct golden_verdicts {
	struct golden_waiver *waiver;
	size_t waiver_count;
	struct golden_fault *fault;
	size_t fault_count;
};

/* Adds the waivers in path. A file that isn't there has none. */
int golden_waivers_read(struct golden_verdicts *verdicts, const char *path, struct error *error);
/* Adds the table faults in an NDJSON file; other objects are passed over. */
int golden_faults_read(struct golden_verdicts *verdicts, const char *path, struct error *error);
void golden_verdicts_deinit(struct golden_verdicts *verdicts);
/* The first function of the file's text with a table fault that no waiver names and that is not
 * expected (as corpus.tsv says; NULL: nothing is), or NULL. */
const char *golden_verdicts_unwaived(const struct golden_verdicts *verdicts, const char *file,
				     const char *expected, const struct golden_text *text);

#endif
