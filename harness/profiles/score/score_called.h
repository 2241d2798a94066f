/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_called.h - what a profile calls its frames, against what is at their addresses
 *
 * Where a frame has an address, that decides whether its stack is a true one (score_frame.h). Its name may be another
 * function's all the same: of a profiler whose symbols are of another build, say, or off by one. People read names, so
 * each different frame that has both is asked, once:
 *
 *	agrees		the name is one of the address's function: of its symbol, of another one there, of the
 *			function that the DWARF has there or one that it has inlined
 *	contradicts	it is none of these, but known to be another function's
 *	not checked	the function at the address is not known; or the name is nobody's; or it may be a short form
 *			of the function's, or that of the exported symbol before it, or of what is inlined there in a
 *			DWARF that is not here
 */
#ifndef STACKPROOF_SCORE_CALLED_H
#define STACKPROOF_SCORE_CALLED_H

#include "score_code.h"
#include "score_frame.h"

#define SCORE_CALLED_KEPT 10

/* Counts of different frames; zero-initialise. */
struct score_called {
	uint64_t frames; /* with a name, and an address in an image of the truth */
	uint64_t checked;
	uint64_t contradict;
	uint64_t
		samples; /* sum of the counts of those samples that have a frame which contradicts */
	struct score_called_frame {
		uint32_t frame; /* the profile's */
		bool is_caller;
	} first[SCORE_CALLED_KEPT]; /* of those that contradict */
	uint8_t *asked;		    /* by frame, and whether it is a caller */
	size_t room;
};

/* Asks a frame of the profile, unless it was asked before. is_caller: its address is one that a call returns to. 1: it
 * contradicts; -1: ERROR_MEMORY. */
int score_called_ask(struct score_called *called, struct score_truth *truth,
		     struct score_code *code, const struct profile *profile, uint32_t number,
		     const struct score_frame *frame, bool is_caller, struct error *error);
void score_called_deinit(struct score_called *called);

#endif
