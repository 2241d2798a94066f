/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_tally.h - how often a driven profile has each stack, against how often the program stopped with it
 *
 * A profile seldom says all addresses, so stacks are counted by their functions. Functions that share a name are one
 * here. A sample that counts as another true stack leaves that one with more samples than stops, and its own with
 * fewer.
 */
#ifndef STACKPROOF_SCORE_TALLY_H
#define STACKPROOF_SCORE_TALLY_H

#include "score_match.h"

/* What became of the points at which the profiler was driven. */
struct score_tally_sums {
	uint64_t points;   /* proven, of whole stacks: counted + lost */
	uint64_t unproven; /* in doubt */
	uint64_t open;	   /* of stacks that are known only so far */
	uint64_t counted;  /* they have their sample */
	uint64_t lost;	   /* they have none */
	uint64_t surplus;  /* exact samples beyond the points of their stack */
	uint64_t
		in_kernel; /* the same, of stacks that a system call has: it may be switched out there by itself */
	uint64_t undecided; /* exact samples whose names mean several stacks */
};

struct score_tally_function {
	uint32_t function; /* the leaf's: one of those that share a name */
	uint64_t points, lost;
};

struct score_tally;
/* truth is borrowed. -1: ERROR_MEMORY. */
int score_tally_create(const struct score_truth *truth, struct score_tally **ret,
		       struct error *error);
void score_tally_destroy(struct score_tally *tally);
/* Counts samples that are exact, and end in a state. */
void score_tally_count(struct score_tally *tally, struct score_matcher *matcher, uint32_t state,
		       uint64_t count);
struct score_tally_sums score_tally_sums(const struct score_tally *tally);
/* The functions that lost most, the worst first; up to max. Returns their number. */
size_t score_tally_lost(const struct score_tally *tally, struct score_tally_function *ret,
			size_t max);

#endif
