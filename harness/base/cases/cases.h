/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases.h - what was judged, one by one, for CI servers: JUnit XML and TAP
 *
 *	cases.c		suites, and their cases
 *	cases_junit.c	as JUnit XML
 *	cases_tap.c	as TAP 14
 *	cases_options.c	--junit and --tap of the commands that judge
 *
 * A *case* is what a command judges by itself: a program, an image, a recording, a snapshot. It
 * passed or failed; was skipped, for a reason; or is an error: it should have been judged and was
 * not. What never ran is one of the last two, never the first. Cases lie in *suites*.
 *
 * A command adds its cases as it judges, and ends with cases_finish(), which has the last word: an
 * exit status that no case accounts for becomes a case.
 */
#ifndef STACKPROOF_CASES_H
#define STACKPROOF_CASES_H

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include "base/cli/exit_status.h"
#include "error.h"

enum case_status { CASE_PASSED, CASE_FAILED, CASE_SKIPPED, CASE_ERROR, CASE_STATUS_COUNT };
/* "passed". */
const char *case_status_name(enum case_status status);
/* What an exit status says of what ended with it. */
enum case_status case_status_of(enum exit_status status);

/* Strings are the case's own; NULL: there is none. */
struct judged_case {
	char *class_name; /* what kind of thing, or whose */
	char *name;
	char *file;
	char *title;	/* for TAP; NULL: class and name */
	char *message;	/* why it is not passed; "" if it is */
	char *type;	/* of a failure or error, for JUnit */
	char *output;	/* what was found, lines */
	json_t *detail; /* an object: more of it, for TAP */
	enum case_status status;
	double seconds;
};

struct case_suite {
	char *name;
	char *output;
	json_t *property; /* an object of texts */
	struct judged_case *judged;
	size_t count;
};

struct cases {
	struct case_suite *suite;
	size_t count;
	json_t *comment; /* an array of lines, for TAP */
	double seconds;	 /* negative: what the cases took */
};

/* Zero-initialise. */
void cases_deinit(struct cases *cases);
/* Begins another suite. Valid until the next is begun. */
struct case_suite *cases_suite(struct cases *cases, const char *name);
/* Adds to the last suite, which there must be. Valid until the next is added. message: why it is
 * not passed, of one that is not. */
struct judged_case *cases_add(struct cases *cases, const char *class_name, const char *name,
			      enum case_status status, const char *message);
/* Appends a line to what was found. */
void case_output(struct judged_case *judged, const char *line);
/* Replaces one of the case's strings. */
void case_text(char **text, const char *value);
void cases_count(const struct cases *cases, size_t ret_count[CASE_STATUS_COUNT]);
void case_suite_count(const struct case_suite *suite, size_t ret_count[CASE_STATUS_COUNT]);

int cases_print_junit(const struct cases *cases, FILE *file, struct error *error);
void cases_print_tap(const struct cases *cases, FILE *file);

/* ---- cases_options.c -------------------------------------------------------------------- */

/* Zero-initialise; the argp child's input. */
struct cases_options {
	const char *junit, *tap; /* files; NULL: not asked for */
	struct cases cases;
};
extern const struct argp cases_argp;
/* Of a command whose children are the gate, or an image's, and the cases: their inputs in this order. */
extern const struct argp_child cases_children[], cases_image_children[];
/* The command's only suite. command: its name, which is the suite's. */
void cases_begin(struct cases_options *options, const char *command);
/*
 * The last word: adds a case for a status that none accounts for, writes the files and forgets all.
 * The command's exit status: what it was, or EXIT_ENVIRONMENT if a file could not be written.
 */
enum exit_status cases_finish(struct cases_options *options, enum exit_status status);

#endif
