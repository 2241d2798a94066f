/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping.h - what commands that step a program to its end have in common
 *
 *	stepping_options.c	the options that say how it is stepped
 */
#ifndef STACKPROOF_STEPPING_H
#define STACKPROOF_STEPPING_H

#include <argp.h>
#include "child/ending_signals.h"
#include <stdio.h>
#include "compare/compare.h"
#include "truth/truth.h"

/* ---- stepping_options.c ----------------------------------------------------------------- */

struct stepping {
	struct tracer_options tracer;
	const char *given; /* one of these options that was; or NULL */
};

#define STEPPING_TRACER                                                                            \
	{                                                                                          \
		.timeout_ms = 600000, .silence_output = true, .ended_by_signals = true             \
	}

/* From here on a signal does not kill this process: the run that comes is ended by it, and says so. Until
 * ending_signals_release(). */
void stepping_hold(struct ending_signals *signals);

/* argp child: its input is the command's struct stepping, which its parser sets in child_inputs at
 * ARGP_KEY_INIT. */
extern const struct argp stepping_argp;
#endif
