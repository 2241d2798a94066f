/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score.h - any profiler's stacks, held against all stacks that the program has
 *
 *	commands/score.c  the command line
 *	score_truth.c	a truth file: its places, functions and leaves
 *	score_name.c	one function's names, as symbols, demanglers and profilers spell them
 *	score_spelling.c	a demangled name in one spelling, whoever demangled it
 *	score_inline.c	which functions are inlined somewhere
 *	score_frame.c	a profile's frame against a place of the truth
 *	score_match.c	a stack, frame by frame, against all of the truth
 *	score_subject.c	a sample's frames, and whether it is the program's
 *	score_judge.c	a profile's samples, counted; findings
 *	score_text.c	the result for people
 *	score_json.c	the result as NDJSON
 *	score_cases.c	the result as a case, for CI servers
 *	score_made.h	a foreign profiler, run on the program
 *
 * Nobody is accused where the truth does not know: it must be whole, proven where the program
 * stood, and names must be able to decide. A stack that is cut short is no finding.
 */
#ifndef STACKPROOF_SCORE_H
#define STACKPROOF_SCORE_H

#include <stdio.h>
#include "base/cases/cases.h"
#include "score_match.h"

#define SCORE_FINDINGS_MAX    1000 /* different ones that are kept */
#define SCORE_CALLERS_MAX     3	   /* that the truth has, of a finding */
#define SCORE_OTHER_NAMES_MAX 1000 /* of threads or processes that are not the program's */

/* Sums of samples' counts. */
struct score_counts {
	uint64_t class[SCORE_CLASS_COUNT];
};

/* Samples that part from the truth in the same function, to the same caller. */
struct score_finding {
	enum score_reason reason;
	uint64_t count;
	uint32_t function; /* of the last frame that agrees; 0: none does */
	uint32_t *frame;   /* the first sample's, innermost first, of user space */
	uint32_t frames;
	uint32_t agree; /* frames: the next one is where they part */
	uint64_t place; /* its line or offset */
	enum score_repair repair;
	uint32_t left_out;		    /* a function */
	uint32_t caller[SCORE_CALLERS_MAX]; /* functions that the truth has there */
	size_t callers;
};

/* One profile. */
struct score {
	struct score_truth *truth;
	struct profile profile;
	struct score_matcher *matcher;
	uint64_t samples; /* sum of their counts */
	struct score_counts all;
	uint64_t reason[SCORE_REASON_COUNT];
	struct score_counts *function; /* by the truth's functions */
	struct score_counts *image;    /* by its images, and one more: no frame agrees */
	struct score_finding *finding;
	uint32_t findings;
	uint64_t findings_not_kept; /* samples */
	struct profile_texts finding_key;
	int32_t main_pid; /* the first of the program's, -1: none yet */
	int comm_first;	  /* folded stacks begin with the command's name: 1; they don't: -1 */
	/* Names that are not the program's, and how many samples that may be of others have them. */
	struct profile_texts other_name;
	uint64_t *other_count;
	size_t other_room;
};

/* ---- score_judge.c -------------------------------------------------------------------------- */

int score_init(struct score *score, struct score_truth *truth, struct error *error);
void score_deinit(struct score *score);
/* Reads the profile at path, and judges each of its samples. Errors as profile_read(). */
int score_profile(struct score *score, const char *path, enum profile_format format,
		  struct error *error);
/* Most of what is the program's, as far as is known, is unproven: the rest says little of it. */
bool score_is_thin(const struct score *score);
/* "exact", "caller": as in JSON. */
const char *score_class_name(enum score_class class);
const char *score_reason_name(enum score_reason reason);
/* What people read: "the program never stood there". */
const char *score_reason_text(enum score_reason reason);
const char *score_repair_name(enum score_repair repair);
/* Numbers of the truth's functions in which walks went wrong or stopped, the worst first; how
 * many. To be freed. */
uint32_t *score_worst_functions(const struct score *score, uint32_t *ret_count,
				struct error *error);
/* The same of its images; one more than there are: no frame agrees. */
uint32_t *score_worst_images(const struct score *score, uint32_t *ret_count, struct error *error);
/* Numbers of names that are not the program's, the most frequent first; how many. To be freed. */
uint32_t *score_other_names(const struct score *score, uint32_t *ret_count, struct error *error);
/* Findings, the most frequent first. */
void score_sort_findings(struct score *score);

/* ---- score_text.c, score_json.c ------------------------------------------------------------- */

struct score_shown {
	const char *profile; /* its path */
	const char *truth;
	uint64_t findings, functions; /* at most so many */
};

void score_print_truth_text(FILE *file, const char *path, const struct score_truth *truth);
void score_print_text(FILE *file, struct score *score, const struct score_shown *shown);
void score_print_json(FILE *file, struct score *score, const struct score_shown *shown);

/* ---- score_cases.c -------------------------------------------------------------------------- */

/* status: what the gate says of this profile alone. */
void score_add_case(struct cases *cases, const struct score *score, const char *profile,
		    enum case_status status);

#endif
