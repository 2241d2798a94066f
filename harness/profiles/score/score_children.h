/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_children.h - a profile of several processes, each held against the truth of its own
 *
 * A profile's process is its number, or where the profile does not say one, a thread's name. In another run it had
 * another number. So its truth is that of a process which had its threads' names. Of several such ones, it is the
 * truth that the process agrees with best: which of ten compilers is which, only their stacks say. Where the truth was
 * made beside the profile (--pid), the number alone decides.
 *
 *	score_children.c	whose a sample is, and which truth
 *	score_children_print.c	a line for each process, and a JSON object
 */
#ifndef STACKPROOF_SCORE_CHILDREN_H
#define STACKPROOF_SCORE_CHILDREN_H

#include "score.h"

/* A name of a process's threads, as the profile has it. */
struct score_comm {
	uint32_t text; /* for profile_text() */
	uint64_t count;
};

/* A process of a profile. */
struct score_process {
	int32_t pid; /* -1: the profile does not say it */
	struct score_comm *comm;
	size_t comms;
	uint64_t samples;  /* the sum of their counts */
	size_t candidates; /* truths that may be its own */
	struct score *
		score; /* against the one of them that it agrees with best; NULL: there is none, it is nobody's */
};

struct score_stored;

struct score_children {
	struct score_truth *truth; /* borrowed */
	size_t truths;
	struct profile profile;
	struct score_process *process; /* in the order in which the profile has them */
	size_t processes;
	struct score_stored *stored;
	size_t storeds, stored_room;
	uint32_t *frame;
	size_t frames, frame_room;
	size_t last; /* the last sample's process */
};

/* Reads a profile, and judges each process's samples. root: where the files of the machine that was profiled are; NULL:
 * here. -1: as profile_read(). score_children_deinit() in any case. */
int score_children(struct score_children *children, struct score_truth *truth, size_t truths,
		   const char *path, const char *root, enum profile_format format,
		   struct error *error);
void score_children_deinit(struct score_children *children);
/* The samples of processes that are nobody's. */
uint64_t score_children_nobody(const struct score_children *children);
/* "make, cc1": the names of a process's threads. */
void score_process_names(const struct score_children *children, const struct score_process *process,
			 char *text, size_t size);

/* A line for each process, then what there is to say of those with findings; or their objects. */
void score_children_print(FILE *file, struct score_children *children,
			  const struct score_shown *shown, bool json);

#endif
