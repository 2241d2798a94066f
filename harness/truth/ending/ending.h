/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * ending.h - how a run ended before it was whole: by what, how far it had come, and where it was
 *
 *	run_cut.c	the record, in words and as JSON
 *
 * compare, truth, sample, step and witness say so in the same words, under the same names.
 */
#ifndef STACKPROOF_ENDING_H
#define STACKPROOF_ENDING_H

#include "walk/address_space.h"
#include "truth/tracer/truth.h"

struct run_cut {
	enum tracer_ending ending;
	struct error early; /* why the run was not whole; its code is ERROR_NONE if it was */
	uint64_t steps, points;
	uint64_t elapsed_ns;
	char place[256]; /* where the program was when it was cut short from outside; "" */
};

/* The run has ended as the counters say. early: why it was not whole; the record's has how far it came,
 * too. points and elapsed_ns are the caller's to set before. space: of the program; NULL: not known. */
void run_cut_set(struct run_cut *ret, const struct tracer_options *options,
		 const struct tracer_counters *counters, const struct address_space *space,
		 const struct error *early);
/* Of a run that no tracer has stepped: what it ended with says by what. */
void run_cut_of_error(struct run_cut *ret, const struct error *error);
/* "timeout", "interrupted", "killed", "error"; NULL if the run was whole, or ended by --limit. */
const char *run_cut_word(const struct run_cut *cut);
/* From outside, while the program ran: there is something to be said of it, though there may be no
 * point yet. */
bool run_cut_from_outside(const struct run_cut *cut);
struct json_t;
/* Sets partial, partial_message, steps and ended_at; of a run that was whole nothing. */
void run_cut_json(struct json_t *object, const struct run_cut *cut);

#endif
