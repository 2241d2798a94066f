/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * stepping.h - what commands that step a program to its end have in common
 *
 *	stepping_options.c	the options that say how it is stepped
 *	stepping_native.c	a run that is not stepped
 *	stepping_estimate.c	how long stepping will take: --estimate
 *	stepping_print.c	the estimate for people, and as JSON
 *	attach_options.h	processes that run already
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
	const char *given; /* name of the last stepping option that was given; or NULL */
	bool estimate;	   /* only estimate the time */
};

#define STEPPING_TRACER                                                                            \
	{                                                                                          \
		.timeout_ms = 600000, .silence_output = true, .ended_by_signals = true             \
	}

/* Until ending_signals_release(), a signal that ends processes ends the next run instead of this process. */
void stepping_hold(struct ending_signals *signals);

/* An argp child: its input is the command's struct stepping. The command's parser sets it in
 * child_inputs at ARGP_KEY_INIT. */
extern const struct argp stepping_argp;
/* ---- stepping_native.c ------------------------------------------------------------------ */

struct native_run {
	double seconds, cpu_seconds; /* cpu_seconds: of all its threads, not of its children */
	int status;		     /* as waitpid gives it */
	bool endless;		     /* the process was killed at the time-out */
	bool interrupted;	     /* the process was killed because this process got a signal */
};

/* Runs the program as the tracer would, but unstepped, and waits for its end. -1: the program could not
 * be started, or a signal came. */
int stepping_native(const struct tracer_options *options, struct native_run *ret,
		    struct error *error);

/* A loop of a known number of instructions. memory: NATIVE_LOOP_MEMORY zero bytes. */
struct native_loop {
	void (*run)(uint64_t rounds, const unsigned char *memory);
	uint64_t rounds, steps; /* steps: instructions in a round */
};

#define NATIVE_LOOP_MEMORY (4u << 20)

extern const struct native_loop native_tight, native_waiting;

/* Instructions per second of CPU time: most in a loop that never waits, least in a loop that waits for each
 * load from a far cache. */
struct native_rates {
	double most, least;
};

int stepping_native_rates(struct native_rates *ret, struct error *error);

/* ---- stepping_estimate.c ---------------------------------------------------------------- */

enum estimate_by {
	ESTIMATE_STEPPED, /* from stepping the program to its end, without points */
	ESTIMATE_TIME,	  /* from the CPU time of the unstepped run */
	ESTIMATE_NONE,	  /* no estimate: neither run came to its end */
};

struct stepping_estimate {
	struct native_run native;
	enum estimate_by by;
	uint64_t steps, steps_low;  /* of the whole run: most and least */
	uint64_t stepped;	    /* steps made for the estimate */
	double stepped_seconds;	    /* time of these steps */
	uint64_t threads, children; /* met during these steps */
	int status;		    /* of the stepped run; only for ESTIMATE_STEPPED */
	bool from_missed;	    /* --from was not reached */
	bool input_is_empty;	    /* standard input can't be rewound, so the runs got none */
	double step_ns, point_ns;   /* cost of a step, and what a point adds to it */
	uint64_t every, limit;	    /* as asked for; limit 0: none */
	struct run_cut cut;	    /* if --timeout or a signal cut it short: how far it came */
	bool measured;		    /* the costs and the members below are set */
	/* Derived from the members above. */
	uint64_t points; /* at most */
	double seconds, seconds_low;
	/* --every with which steps, or steps_low, take a minute; 0: there is none */
	uint64_t every_minute, every_minute_low;
	uint64_t limit_minute; /* --limit with which the run takes a minute */
};

/* Sets steps and steps_low by CPU time; they are never fewer than stepped. */
void stepping_estimate_guess(struct stepping_estimate *estimate, const struct native_rates *rates);

/* Sets measured and the derived members. */
void stepping_estimate_derive(struct stepping_estimate *estimate);
/* Runs the program unstepped, steps it without points for a while, and measures the costs of steps and
 * points on a function of this program. -1: error is set; after a signal, ret->cut is, too. */
int stepping_estimate(const struct tracer_options *options, const struct compare_options *engines,
		      struct stepping_estimate *ret, struct error *error);

/* ---- stepping_print.c ------------------------------------------------------------------- */

void stepping_print_text(FILE *file, const char *program, const struct stepping_estimate *estimate);
void stepping_print_json(FILE *file, const char *program, const struct stepping_estimate *estimate);
/* Makes the estimate and prints it. Returns the exit status. */
int stepping_estimate_command(const struct tracer_options *options,
			      const struct compare_options *engines, bool json);

#endif
