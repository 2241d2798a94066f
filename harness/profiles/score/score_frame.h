/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_frame.h - a profile's frame against a place of the truth: is it there?
 *
 * By its address, where the profile has one that can be brought into an image; a caller's may be
 * the return address, or the byte before, which profilers that look up lines take. Else by its
 * name; then several functions may be meant. What a name or an image alone can't decide is a
 * "maybe".
 */
#ifndef STACKPROOF_SCORE_FRAME_H
#define STACKPROOF_SCORE_FRAME_H

#include "score_truth.h"

enum frame_how {
	FRAME_ADDRESS, /* image and address */
	FRAME_OFFSET,  /* address is an offset in the file of an image that is not said; or not */
	FRAME_NAME,    /* functions */
	FRAME_IMAGE,   /* only the image is known */
	FRAME_ABSENT,  /* in a file that is none of the truth\'s images */
	FRAME_FOREIGN, /* in no image of the truth's: at most in code that has no file */
	FRAME_NOTHING, /* nothing is known */
};

struct score_frame {
	uint8_t how; /* enum frame_how */
	bool ready;
	bool has_image;	  /* else any */
	bool other_build; /* of an image whose build is not the truth's: nothing can be compared */
	bool may_inline;  /* by its name alone: it may be no frame of the machine's */
	bool is_symbol;	  /* its name is one of a truth's image */
	bool is_beyond;	  /* the offset behind its name is beyond all symbols that have it */
	uint32_t image;
	uint64_t address;
	uint64_t other;	      /* with FRAME_ADDRESS: or it is this one; SCORE_NO_OFFSET: it isn't */
	uint64_t name_offset; /* behind its name, or PROFILE_NO_OFFSET */
	uint32_t key; /* of its name, the one that says most of those that a symbol has; or 0 */
};

/* "No" to "yes". */
enum frame_match { FRAME_NO, FRAME_MAYBE, FRAME_YES };

int score_frame_resolve(struct score_truth *truth, const struct profile *profile, uint32_t number,
			struct score_frame *ret, struct error *error);
/* Functions that are inlined where it is, with FRAME_ADDRESS; UINT32_MAX: not known. */
uint32_t score_frame_inlined(struct score_truth *truth, const struct score_frame *frame);
enum frame_match score_frame_match(const struct score_truth *truth, const struct score_frame *frame,
				   uint32_t place);
/* What people read of a profile's frame. */
void score_frame_describe(const struct score_truth *truth, const struct profile *profile,
			  uint32_t number, const struct score_frame *frame, bool is_caller,
			  char *text, size_t size);

#endif
