/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_subject.h - a sample's frames of user space, and whose they are
 */
#ifndef STACKPROOF_SCORE_SUBJECT_H
#define STACKPROOF_SCORE_SUBJECT_H

#include "score_match.h"

enum score_origin {
	SCORE_ORIGIN_OWN,   /* the program's */
	SCORE_ORIGIN_OPEN,  /* it can't be told */
	SCORE_ORIGIN_OTHER, /* another process's */
};

struct score_subject {
	const struct profile_sample *sample;
	const uint32_t *frame;
	uint32_t count, kernel;
	enum score_origin origin;
	int32_t pid;	       /* -1: not said */
	const char *comm_text; /* NULL: none is said */
	uint32_t comm;	       /* a number of score.other_name; 0: the program's, or not noted */
	bool other_name;       /* it is none of the program's */
	bool main_image;       /* the program's image is among the frames */
	bool main_name;	       /* a name is that of a function of it */
	bool foreign;	       /* a function is in no image of the truth */
	bool other_build;
	bool repeated; /* there are frames that may be the machine's or not */
};

struct score;
int score_subject_init(struct score *score, const struct profile_sample *sample,
		       struct score_subject *ret, struct error *error);
/* Why the sample is not compared, or SCORE_NO_REASON. */
enum score_reason score_subject_leave(const struct score *score,
				      const struct score_subject *subject);

#endif
