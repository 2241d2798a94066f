/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ending.h - how a run that is not whole ended: by what, how far it had come, and where it was
 *
 *	run_cut.c	the record, in words and as JSON
 *	run_processes.c	of a run of several processes, who was judged
 *
 * compare, truth, sample, step and witness use the same words and JSON names for it.
 */
#ifndef STACKPROOF_ENDING_H
#define STACKPROOF_ENDING_H

#include <stdio.h>
#include "walk/address_space.h"
#include "truth/tracer/truth.h"

struct run_cut {
	enum tracer_ending ending;
	struct error early; /* why the run was not whole; its code is ERROR_NONE if it was */
	uint64_t steps, points;
	uint64_t elapsed_ns;
	char place[256]; /* where the program was when it was ended from outside; else "" */
};

/* Fills ret for a run that has ended. The caller sets ret->points and ret->elapsed_ns before. early: why the
 * run is not whole; its copy in ret also says how far a run came that was ended from outside. space: of the
 * program; NULL: not known. */
void run_cut_set(struct run_cut *ret, const struct tracer_options *options,
		 const struct tracer_counters *counters, const struct address_space *space,
		 const struct error *early);
/* The same for a run without a tracer, by the error that it ended with. */
void run_cut_of_error(struct run_cut *ret, const struct error *error);
/* "timeout", "interrupted", "killed", "error"; NULL if the run was whole, or ended by --limit. */
const char *run_cut_word(const struct run_cut *cut);
/* True if the program was ended from outside while it ran: that is reported even if there is no point yet. */
bool run_cut_from_outside(const struct run_cut *cut);
struct json_t;
/* Sets "partial", "partial_message", "steps" and "ended_at"; nothing if run_cut_word() is NULL. */
void run_cut_json(struct json_t *object, const struct run_cut *cut);

/* ---- run_processes.c -------------------------------------------------------------------- */

/* judged + without_points + all of tracer.left are tracer.met; 0: the run was of one process. */
struct run_processes {
	struct tracer_processes tracer;
	uint64_t judged;	 /* that had points */
	uint64_t without_points; /* that were stepped, and had none */
};
struct gate;
/* Counts those that were not judged, and those that found that they are traced. What --only left out was not to be
 * checked. */
void run_processes_gate(const struct run_processes *processes, struct gate *gate);
/* A line, or an object, with the gate's fields unless it is NULL; nothing of a run of one process. */
void run_processes_print(FILE *file, const struct run_processes *processes, const struct gate *gate,
			 bool json);

#endif
