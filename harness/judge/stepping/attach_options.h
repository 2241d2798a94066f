/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * attach_options.h - commands that step several processes, or such that run already
 *
 *	attach_options.c	the options: which processes, and how much they are disturbed
 *	attach_guard.c		the process that steps is not the one that is ended by hand
 */
#ifndef STACKPROOF_ATTACH_OPTIONS_H
#define STACKPROOF_ATTACH_OPTIONS_H

#include <argp.h>
#include "truth/tracer/truth.h"

/* ---- attach_options.c ------------------------------------------------------------------- */

struct attach_options {
	struct tracer_attach attach; /* pid 0: no process is attached to */
	const char *given;	     /* name of the last of these options that was given; or NULL */
	char program[256];	     /* the process's file, or its number */
	char *argv[2];
};

/* An argp child: its input is the command's struct attach_options. The command's parser sets it in child_inputs at
 * ARGP_KEY_INIT. */
extern const struct argp attach_argp;
/* Behind all options: makes tracer's run one of several processes, or an attached one, if --children or --pid was given;
 * without --pid in bursts only if an option of bursts was. estimates:
 * it is only to be estimated. Exits if options don't fit together. */
void attach_options_apply(struct argp_state *state, struct attach_options *options, bool estimates,
			  struct tracer_options *tracer);

/* ---- attach_guard.c --------------------------------------------------------------------- */

/*
 * Who is killed while it steps leaves a trap flag in the process, which dies of it. So a child steps, in a process group
 * of its own: it is neither what a user sees and kills, nor what a terminal's signals go to. -1: in the child, which
 * goes on with the command; it gets SIGTERM when this process ends, whatever by. Else this process's exit status, when
 * the child has ended. Signals that end processes are passed on to the child meanwhile.
 */
int attach_guard(void);

#endif
