/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping.h - what commands that step a program to its end have in common
 *
 *	stepping_options.c	the options that say how it is stepped
 *	stepping_native.c	a run that is not stepped
 *	stepping_estimate.c	how long stepping will take: --estimate
 *	stepping_print.c	the estimate for people, and as JSON
 */
#ifndef STACKPROOF_STEPPING_H
#define STACKPROOF_STEPPING_H

#include <argp.h>
#include "base/child/ending_signals.h"
#include <stdio.h>
#include "judge/compare/compare.h"
#include "truth/ending/ending.h"
#include "truth/tracer/truth.h"

/* ---- stepping_options.c ----------------------------------------------------------------- */

struct stepping {
	struct tracer_options tracer;
	const char *given; /* one of these options that was; or NULL */
	bool estimate;	   /* how long it would take is all that is asked */
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
/* ---- stepping_native.c ------------------------------------------------------------------ */

struct native_run {
	double seconds, cpu_seconds; /* the latter of the process and its threads alone */
	int status;		     /* as waitpid gives it */
	bool endless;		     /* it was ended when the time was up */
	bool interrupted;	     /* or by a signal to this process */
};

/* Runs the program as the tracer would, and waits for its end. -1: it could not be started, or a signal
 * came. */
int stepping_native(const struct tracer_options *options, struct native_run *ret,
		    struct error *error);

/* A loop whose instructions are known; memory: NATIVE_LOOP_MEMORY zeros. */
struct native_loop {
	void (*run)(uint64_t rounds, const unsigned char *memory);
	uint64_t rounds, steps; /* of each */
};

#define NATIVE_LOOP_MEMORY (4u << 20)

extern const struct native_loop native_tight, native_waiting;

/* Instructions in a second of CPU time: of a loop that never waits, and of one that waits for each load from
 * a far cache. */
struct native_rates {
	double most, least;
};

int stepping_native_rates(struct native_rates *ret, struct error *error);

/* ---- stepping_estimate.c ---------------------------------------------------------------- */

enum estimate_by {
	ESTIMATE_STEPPED, /* the program was stepped to its end, without points */
	ESTIMATE_TIME,	  /* it was not: by the CPU time of the unstepped run */
	ESTIMATE_NONE,	  /* neither has an end */
};

struct stepping_estimate {
	struct native_run native;
	enum estimate_by by;
	uint64_t steps, steps_low;  /* of the whole run, at most and at least */
	uint64_t stepped;	    /* that were made to know that */
	double stepped_seconds;	    /* in which */
	uint64_t threads, children; /* met meanwhile */
	int status;		    /* of the stepped run; ESTIMATE_STEPPED alone */
	bool from_missed;	    /* --from was not reached */
	bool input_is_empty;	    /* what is on standard input can be read once only */
	double step_ns, point_ns;   /* costs; a point's come on top */
	uint64_t every, limit;	    /* as asked for; 0: no limit */
	struct run_cut cut;	    /* by --timeout, or by a signal: how far it came */
	bool measured;		    /* costs, and what follows, are there: no signal came */
	/* What follows. */
	uint64_t points; /* at most */
	double seconds, seconds_low;
	/* --every that ends in a minute, of that many steps; 0: none does */
	uint64_t every_minute, every_minute_low;
	uint64_t limit_minute; /* --limit that does */
};

/* Sets steps and steps_low by CPU time; they are never fewer than were counted. */
void stepping_estimate_guess(struct stepping_estimate *estimate, const struct native_rates *rates);

/* Sets what follows from the others. */
void stepping_estimate_derive(struct stepping_estimate *estimate);
/* Runs the program unstepped, steps it without points for a while, and measures what steps and points
 * with these engines cost on a function of ours. -1: error is set; of a signal's, the cut, too. */
int stepping_estimate(const struct tracer_options *options, const struct compare_options *engines,
		      struct stepping_estimate *ret, struct error *error);

/* ---- stepping_print.c ------------------------------------------------------------------- */

void stepping_print_text(FILE *file, const char *program, const struct stepping_estimate *estimate);
void stepping_print_json(FILE *file, const char *program, const struct stepping_estimate *estimate);
/* Makes the estimate and prints it. The exit status. */
int stepping_estimate_command(const struct tracer_options *options,
			      const struct compare_options *engines, bool json);

#endif
