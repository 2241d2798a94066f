/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_frame.h - whether a profile's frame is at a place of the truth
 *
 * A frame is matched by its address, if the profile has one that can be converted to an image's; a
 * caller's may be the return address, or the byte before, which profilers that look up lines take. Else
 * it is matched by its name, which several functions may have. If a name or an image alone can't
 * decide, the match is "maybe".
 */
#ifndef STACKPROOF_SCORE_FRAME_H
#define STACKPROOF_SCORE_FRAME_H

#include "score_truth.h"

enum frame_how {
	FRAME_ADDRESS, /* by image and address */
	FRAME_OFFSET,  /* by address, probably an offset in the file of an unknown image */
	FRAME_NAME,    /* by name */
	FRAME_IMAGE,   /* only the image is known */
	FRAME_ABSENT,  /* in a file that is none of the truth's images */
	FRAME_FOREIGN, /* in no image of the truth, unless in code that has no file */
	FRAME_NOTHING, /* nothing is known */
};

struct score_frame {
	uint8_t how;	  /* enum frame_how */
	bool ready;	  /* resolved */
	bool has_image;	  /* image is known; else any image is possible */
	bool by_build_id; /* the profile has the build-id of that image */
	bool other_build; /* the image is another build than the truth's: can't be compared */
	bool may_inline;  /* only a name, which may be that of an inlined function */
	bool is_symbol;	  /* an image of the truth has a symbol of this name */
	bool is_beyond;	  /* name_offset is beyond the end of all these symbols */
	bool is_strange;  /* its name says what no function of its key has, and these are several */
	bool is_text;	  /* its name is all that the text has of it: "lib!x" */
	uint32_t image;
	uint64_t address;
	uint64_t other;	  /* FRAME_ADDRESS: a second possible address, or SCORE_NO_OFFSET */
	uint64_t runtime; /* of the process, where its mapping is not said; or SCORE_NO_OFFSET */
	uint64_t name_offset; /* offset after the name, or PROFILE_NO_OFFSET */
	uint32_t key;	      /* of the functions that the name means; 0: no symbol has the name */
	uint32_t symbol_key;  /* the same of all symbols that have the name */
	uint32_t doubtful;    /* key of those that it may mean, too; or 0 */
	uint32_t
		other_whole; /* that of another reading of the text, so that all is uncertain; or 0 */
};

/* Finds how frame number of the profile can be matched. -1: no memory. */
int score_frame_resolve(struct score_truth *truth, const struct profile *profile, uint32_t number,
			struct score_frame *ret, struct error *error);
/* How many functions are inlined at a FRAME_ADDRESS frame; UINT32_MAX: not known. */
uint32_t score_frame_inlined(struct score_truth *truth, const struct score_frame *frame);
/* It is at code that returns from a signal's handler, by the CFI: its own address may be a return address, behind it. */
bool score_frame_is_signal(const struct score_truth *truth, const struct score_frame *frame);
enum frame_match score_frame_match(const struct score_truth *truth, const struct score_frame *frame,
				   uint32_t place);
/* Describes a profile's frame for people. */
void score_frame_describe(const struct score_truth *truth, const struct profile *profile,
			  uint32_t number, const struct score_frame *frame, bool is_caller,
			  char *text, size_t size);

#endif
