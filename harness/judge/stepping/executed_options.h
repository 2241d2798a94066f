/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * executed_options.h - the run that a command line names, for commands that compare code with it
 *
 *	executed_step.c		steps a program and compares the row of each instruction with the truth
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
	void (*on_point)(void *context); /* called at each point; may be NULL */
	void *context;
};

/* Steps a program. -1: the run was cut short, as error says; ret has what was found until then, and
 * ret->partial is set. executed_deinit() frees ret in either case. */
int executed_step(const struct executed_options *options, struct executed *ret,
		  struct error *error);

/* ---- executed_options.c --------------------------------------------------------------- */

struct executed_wish {
	const char *truth;	      /* path of a truth file; or NULL */
	bool confirm;		      /* step a program */
	const char *results;	      /* path of compare's results; or NULL */
	struct tracer_options tracer; /* for confirm */
	const char *of_stepping;      /* a given option that needs confirm; or NULL */
};

/* An argp child: its input is the command's struct executed_wish. */
extern const struct argp executed_argp;
/* Call before parsing: with --confirm, cuts "--" and the program behind it off argv. */
void executed_wish_init(struct executed_wish *wish, int *argc, char **argv);
bool executed_is_wanted(const struct executed_wish *wish);
/* Reads the file, or steps the program, and prints errors on stderr. EXIT_OK: ret holds a run, or
 * none is wanted. A run that was cut short is used, but the gate then fails. executed_deinit() frees
 * ret in any case. */
enum exit_status executed_open(const struct executed_wish *wish, struct executed *ret,
			       struct gate *gate);
/* Describe the run. */
json_t *executed_json(const struct executed *run);
void executed_print(FILE *file, const struct executed *run);

#endif
