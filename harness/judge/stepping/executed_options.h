/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_options.h - the run that a command line names, for commands that hold something against it
 *
 *	executed_step.c		a program, stepped now: the row of each instruction is held against the truth
 *	executed_options.c	the options, and the run that they name
 */
#ifndef STACKPROOF_EXECUTED_OPTIONS_H
#define STACKPROOF_EXECUTED_OPTIONS_H

#include <argp.h>
#include <jansson.h>
#include "truth/executed/executed.h"

/* ---- executed_step.c ------------------------------------------------------------------ */

struct executed_options {
	const struct tracer_options *tracer;
	void (*on_point)(void *context); /* one more was looked at; NULL */
	void *context;
};

/* Steps a program. Of a run that was not whole ret has what was found until then, and error why: -1
 * with ret->partial. ret: executed_deinit(), in any case. */
int executed_step(const struct executed_options *options, struct executed *ret,
		  struct error *error);

/* ---- executed_options.c --------------------------------------------------------------- */

struct executed_wish {
	const char *truth;	      /* a file; or NULL */
	bool confirm;		      /* step a program */
	const char *results;	      /* or read what compare has written: a file; or NULL */
	struct tracer_options tracer; /* of --confirm */
	const char *of_stepping;      /* an option that says how; or NULL */
};

/* An argp child: its input is the command's wish. */
extern const struct argp executed_argp;
/* Before anything is parsed: cuts the program off that stands behind "--", if one is to be stepped. */
void executed_wish_init(struct executed_wish *wish, int *argc, char **argv);
bool executed_is_wanted(const struct executed_wish *wish);
/* Reads the file, or steps the program; what of that failed is said. EXIT_OK: there is something to
 * hold against, or nothing is wanted. A run that was cut short is used, and the gate fails. ret:
 * executed_deinit(), in any case. */
enum exit_status executed_open(const struct executed_wish *wish, struct executed *ret,
			       struct gate *gate);
/* What it was, for programs and for people. */
json_t *executed_json(const struct executed *run);
void executed_print(FILE *file, const struct executed *run);

#endif
