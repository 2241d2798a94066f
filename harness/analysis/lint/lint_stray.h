/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_stray.h - jumps out of a function to where another one's part begins, with another frame
 */
#ifndef STACKPROOF_LINT_STRAY_H
#define STACKPROOF_LINT_STRAY_H

#include "lint_judge.h"

struct lint_stray {
	uint64_t function, part; /* where they begin */
	bool falls;		 /* what comes there has no end before */
	bool followed;
	enum flow_reason why;	  /* it accuses nobody */
	struct flow_state *state; /* of who is not, once that is decided; or NULL */
};

struct lint_strays {
	struct lint_stray *stray;
	size_t count;
	struct lint_stray *doubt; /* ways that perhaps lead there, and are none of these */
	size_t doubt_count;
	bool decided;
	bool no_memory;
};

/* The function leads there. Whether the way is to be followed: not before all are known. */
bool lint_stray_meet(struct lint_strays *strays, uint64_t function, uint64_t part,
		     const struct flow_state *state, bool falls);
/* The function perhaps leads there, in a way that is never followed. */
void lint_stray_doubt(struct lint_strays *strays, uint64_t function, uint64_t part,
		      const struct flow_state *state, enum flow_reason why);
/* It was met of the function that is followed now, or of any, once all are known. */
bool lint_stray_has(const struct lint_strays *strays, uint64_t function, uint64_t part);
/* All functions have been followed, but for strays. */
int lint_strays_decide(struct lint_strays *strays, const struct lint_judge *judge,
		       struct code_decoder *decoder, struct error *error);
/* Once functions were followed again that lead to parts: of those whose way was not, and of doubts, what is wrong
 * for it in a part of another's is unproven. sum: by number, of FDEs. */
int lint_strays_doubt(const struct lint_strays *strays, struct lint_judge *judge,
		      const struct flow_world *world, struct lint_sum *sum, struct error *error);
void lint_strays_deinit(struct lint_strays *strays);

#endif
