/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * cases.h - what a command judged, case by case, for CI servers
 *
 *	cases.c		suites, and their cases
 *	cases_junit.c	as JUnit XML
 *	cases_tap.c	as TAP 14
 *	cases_quality.c	as GitLab's report of code quality
 *	cases_github.c	as GitHub's annotations
 *	cases_options.c	--junit, --tap and --quality of the commands that judge
 *
 * A *case* is one thing that a command judges: a program, an image, a recording, a snapshot. It passed, it failed, it
 * was skipped for a reason, or it is an error: it should have been judged and was not. A case that never ran is
 * skipped or an error. Cases are grouped in *suites*.
 *
 * A command adds its cases as it judges them, and calls cases_finish() at the end. That adds a case for an exit
 * status that no other case explains.
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
/* The status of a case whose program or part ended with this exit status. */
enum case_status case_status_of(enum exit_status status);

/* It failed, or could not be judged. */
static inline bool case_is_bad(enum case_status status)
{
	return status == CASE_FAILED || status == CASE_ERROR;
}

/* The case owns its strings. NULL: not set. */
struct judged_case {
	char *class_name; /* JUnit's classname: what is judged, or on which kernel */
	char *name;
	char *file;
	char *title;	/* for TAP; NULL: class and name */
	char *message;	/* why the case did not pass; "" if it passed */
	char *type;	/* what kind of failure or error, for JUnit */
	char *output;	/* the findings, one a line */
	json_t *detail; /* an object with details, for TAP */
	enum case_status status;
	double seconds;
};

struct case_suite {
	char *name;
	char *output;
	json_t *property; /* an object whose values are strings */
	struct judged_case *judged;
	size_t count;
};

struct cases {
	struct case_suite *suite;
	size_t count;
	json_t *comment; /* an array of lines, for TAP */
	double seconds;	 /* that the run took; negative: the sum over its cases */
};

/* Frees what cases holds. A struct cases begins zeroed. */
void cases_deinit(struct cases *cases);
/* Begins a suite. The pointer is valid until the next suite begins. */
struct case_suite *cases_suite(struct cases *cases, const char *name);
/* Adds a case to the last suite, which must exist. Strings are copied. message: why the case did not pass;
 * unused if it passed. The pointer is valid until the next case is added. */
struct judged_case *cases_add(struct cases *cases, const char *class_name, const char *name,
			      enum case_status status, const char *message);
/* Appends a line to the case's output. */
void case_output(struct judged_case *judged, const char *line);
/* Replaces a string of a case by a copy of value. */
void case_text(char **text, const char *value);
void cases_count(const struct cases *cases, size_t ret_count[CASE_STATUS_COUNT]);
void case_suite_count(const struct case_suite *suite, size_t ret_count[CASE_STATUS_COUNT]);

int cases_print_junit(const struct cases *cases, FILE *file, struct error *error);
void cases_print_tap(const struct cases *cases, FILE *file);

int cases_print_quality(const struct cases *cases, FILE *file, struct error *error);
void cases_print_github(const struct cases *cases, FILE *file);
/* The variable GITHUB_ACTIONS says that a job of GitHub runs this. */
bool cases_are_for_github(void);

/* ---- cases_options.c -------------------------------------------------------------------- */

/* The input of cases_argp. Zero-initialise. */
struct cases_options {
	const char *junit, *tap, *quality; /* files; NULL: not asked for */
	struct cases cases;
};
/* The files that it writes, for FILE_NAMES: none may be an input of the command. */
#define CASES_FILES(options) (options).junit, (options).tap, (options).quality
extern const struct argp cases_argp;
/* argp children of a command: gate_argp or gate_image_argp, then cases_argp. Their inputs have the same order. */
extern const struct argp_child cases_children[], cases_image_children[];
/* Begins the command's only suite. command: the name of both. */
void cases_begin(struct cases_options *options, const char *command);
/*
 * Adds a case for a status that no case explains, writes the files and frees the cases. If nothing was checked,
 * passed cases become skipped. In a job of GitHub what failed is annotated, on stderr. Returns the command's exit
 * status: status, or EXIT_ENVIRONMENT if a file can't be written.
 */
enum exit_status cases_finish(struct cases_options *options, enum exit_status status);

#endif
