/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_subject.h - a sample's frames of user space, and whether they are the program's
 */
#ifndef STACKPROOF_SCORE_SUBJECT_H
#define STACKPROOF_SCORE_SUBJECT_H

#include "score_match.h"

enum score_origin {
	SCORE_ORIGIN_OWN,   /* the program's */
	SCORE_ORIGIN_OPEN,  /* not known */
	SCORE_ORIGIN_OTHER, /* another process's */
};

struct score_subject {
	const struct profile_sample *sample; /* borrowed */
	const uint32_t *frame;		     /* the sample's frames of user space */
	uint32_t count, kernel;		     /* their number, and that of the kernel's frames */
	enum score_origin origin;
	int32_t pid;	       /* -1: not in the profile */
	const char *comm_text; /* the thread's name; NULL: not in the profile */
	uint32_t comm;	       /* its number in score.other_name; 0: the program's, or not noted */
	bool other_name;       /* comm_text is not a name of the program */
	bool main_image;       /* a frame is in the program's image */
	bool main_name;	       /* a frame has the name of a function in the program's image */
	bool foreign;	       /* a frame's function is in no image of the truth */
	bool other_build;      /* a frame's image is another build than the truth's */
	bool repeated;	       /* a frame has PROFILE_REPEATED */
};

/* Whether the truth's process, or a thread of it, had that name. */
bool score_truth_has_name(const struct score_truth *truth, const char *name);

struct score;
/* -1: no memory. */
int score_subject_init(struct score *score, const struct profile_sample *sample,
		       struct score_subject *ret, struct error *error);
/* Why the sample can't be compared; else SCORE_NO_REASON. */
enum score_reason score_subject_leave(const struct score *score,
				      const struct score_subject *subject);

/* Why the frame at a subject's index, which agrees with no stack, is no wrong one all the same: SCORE_UNMAPPED or
 * SCORE_UPROBES; SCORE_NO_REASON: it is. is_leaf: it is the machine's innermost. (score_unmapped.c) */
enum score_reason score_subject_unmapped(struct score *score, const struct score_subject *subject,
					 uint32_t at, bool is_leaf);

#endif
