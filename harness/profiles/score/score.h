/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score.h - a profiler's stacks, compared with all true stacks of the program
 *
 *	commands/score.c  the command line
 *	score_truth.c	a truth file: its places, functions and leaves
 *	score_name.c	a function's names, as symbols, demanglers and profilers spell them
 *	score_spelling.c	one spelling for the names of all demanglers
 *	score_inline.c	which functions are inlined somewhere
 *	score_frame.c	a profile's frame against a place of the truth
 *	score_match.c	a stack, frame by frame, against all of the truth
 *	score_code.h	frames that the code alone refutes
 *	score_subject.c	a sample's frames, and whether it is the program's
 *	score_called.h	a frame's name against its address
 *	score_build.h	images that may be another build than the truth's
 *	score_unmapped.c	addresses that a profiler could place in no image
 *	score_judge.c	a profile's samples, counted; findings
 *	score_text.c	the result for people
 *	score_json.c	the result as NDJSON
 *	score_cases.c	the result as a case, for CI servers
 *	score_made.h	an external profiler, run on the program
 *	score_children.h	a profile of several processes
 *	score_moment.h	at which entry into the kernel a sample was taken
 *	score_tally.h	how often each stack is in the profile of a driven profiler, and was
 *
 * A stack is a finding only if the truth can refute it: the truth must be whole, and proven where the
 * program stood, and names must decide. The profile must be of the truth's own build; and of its own run,
 * or the code must refute the stack, too. A stack that is cut short is not a finding.
 */
#ifndef STACKPROOF_SCORE_H
#define STACKPROOF_SCORE_H

#include <stdio.h>
#include "base/cases/cases.h"
#include "score_code.h"
#include "score_made.h"
#include "score_called.h"
#include "score_moment.h"
#include "score_tally.h"

#define SCORE_FINDINGS_MAX    1000 /* findings that are kept */
#define SCORE_CALLERS_MAX     3	   /* true callers that a finding keeps */
#define SCORE_OTHER_NAMES_MAX 1000 /* names of threads or processes that are not the program's */

/* Sums of samples' counts. */
struct score_counts {
	uint64_t class[SCORE_CLASS_COUNT];
};

/* Samples that leave the truth in the same function, by the same wrong caller. */
struct score_finding {
	enum score_reason reason;
	uint64_t count;	   /* sum of the samples' counts */
	uint32_t function; /* of the last frame that agrees; 0: none does */
	uint32_t *frame;   /* the first sample's frames of user space, innermost first */
	uint32_t frames;
	uint32_t agree; /* index of the first frame that does not agree */
	uint64_t place; /* the first sample's, in the profile */
	enum score_repair repair;
	uint32_t left_out;		    /* the function of SCORE_LEFT_OUT */
	uint32_t caller[SCORE_CALLERS_MAX]; /* the truth's functions at frame agree */
	size_t callers;
};

/* A profile's score. */
struct score {
	struct score_truth *truth; /* borrowed */
	struct profile profile;
	struct score_matcher *matcher;
	struct score_tally *tally;     /* of a truth that was driven; or NULL */
	struct score_moments *moments; /* of a truth that has kernel entries; or NULL */
	bool other_clock;    /* the profile's times are none of the truth's: they are not used */
	uint64_t at_moments; /* samples that were held against the stack at their own entry */
	struct score_code *code;
	uint64_t samples; /* sum of all counts */
	struct score_counts all;
	uint64_t reason[SCORE_REASON_COUNT];
	/* Sums over the samples that are SCORE_OPEN: their frames, and those of them that the truth knows. */
	uint64_t open_frames, open_known;
	struct score_counts *function; /* by the truth's functions */
	struct score_counts *image;    /* by the truth's images; the last: no frame agrees */
	struct score_called called;
	struct score_finding *finding;
	uint32_t findings;
	uint64_t findings_not_kept; /* sum of counts */
	struct profile_texts finding_key;
	int32_t main_pid;   /* the program's first process; -1: not known yet */
	bool is_of_several; /* a sample may be another process's, of the same name */
	bool is_driven_pid; /* it is the process that was driven, whatever the profile says first */
	/* What score_subject_unmapped() found last, of a process. */
	int32_t asked_pid;
	uint32_t asked_mapped;
	bool lacks_image;
	int comm_first; /* folded stacks begin with a command's name: 1 yes, -1 no, 0 not known yet */
	/* Names that are not the program's, and the counts of samples with these names that are, or
	 * may be, of other processes. */
	struct profile_texts other_name;
	uint64_t *other_count;
	size_t other_room;
};

/* ---- score_judge.c -------------------------------------------------------------------------- */

int score_init(struct score *score, struct score_truth *truth, struct error *error);
void score_deinit(struct score *score);
/* The process that was driven: samples with another process's number are not the program's. */
void score_set_driven(struct score *score, int32_t pid);
/* Reads the profile at path, and judges each of its samples. Errors as profile_read(). */
int score_profile(struct score *score, const char *path, enum profile_format format,
		  struct error *error);
/* Judges one sample; context is the score, profile its own. */
int score_sample(void *context, const struct profile *profile, const struct profile_sample *sample,
		 struct error *error);
/* Whether the truth has an entry of the sample's thread at its time with its leaf's address: 1; 0: no; -1: that can't be
 * asked. -2: no memory. */
int score_sample_at_entry(struct score *score, const struct profile_sample *sample,
			  struct error *error);
/* The sum of the samples of which the truth, or the code, says something; and of the program's others. Of an attached
 * truth those that agree as far as it is known are among the first. */
uint64_t score_compared(const struct score *score);
uint64_t score_unproven(const struct score *score);
/* True if more of the program's samples are unproven than compared, so that the score says little. */
bool score_is_thin(const struct score *score);
/* Of a driven profiler: points that have no sample, not even one that is wrong or cut short. Else 0. */
uint64_t score_absent(const struct score *score);
/* Whether the address of a stack's frame, by its index, is a return address: that of the innermost is none, nor that of
 * a frame which a signal interrupted. */
bool score_is_return(struct score *score, const uint32_t *frame, uint32_t at);
/* Writes what is at the address of a frame that contradicts its name, "f+0x10 (prog)". */
void score_called_found(const struct score *score, const struct score_called_frame *frame,
			char *text, size_t size);
/* "exact", "caller": names in JSON. */
const char *score_class_name(enum score_class class);
const char *score_reason_name(enum score_reason reason);
/* For people: "the program never stood in that function". */
const char *score_reason_text(enum score_reason reason);
const char *score_repair_name(enum score_repair repair);
/* The truth's functions that have samples other than exact ones, the worst first. free() it; NULL:
 * ERROR_MEMORY. */
uint32_t *score_worst_functions(const struct score *score, uint32_t *ret_count,
				struct error *error);
/* The same for the truth's images; their number stands for samples of which no frame agrees. */
uint32_t *score_worst_images(const struct score *score, uint32_t *ret_count, struct error *error);
/* Numbers of other_name, the most frequent first. free() it; NULL: ERROR_MEMORY. */
uint32_t *score_other_names(const struct score *score, uint32_t *ret_count, struct error *error);
/* Sorts the findings, the most frequent first. */
void score_sort_findings(struct score *score);

/* ---- score_text.c, score_json.c ------------------------------------------------------------- */

struct score_shown {
	const char *profile;		   /* path */
	const char *truth;		   /* path */
	uint64_t findings, functions;	   /* at most so many are printed */
	const struct score_driven *driven; /* or NULL */
};

void score_print_truth_text(FILE *file, const char *path, const struct score_truth *truth);
void score_print_text(FILE *file, struct score *score, const struct score_shown *shown);
void score_print_json(FILE *file, struct score *score, const struct score_shown *shown);

/* ---- score_cases.c -------------------------------------------------------------------------- */

/* Adds the profile's case. status: by the gate of this profile alone. */
void score_add_case(struct cases *cases, const struct score *score, const char *profile,
		    enum case_status status);

#endif
