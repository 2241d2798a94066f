/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_match.h - a profile's stack against all stacks of the truth, frame by frame from the leaf
 *
 * A state is what the frames so far may be: nodes of the truth's tree, each the outermost frame of
 * an innermost part of a true stack. A frame leads from a state to the next: from each node to its
 * parent, if the frame matches that one. States are made when they are first come to, and kept:
 * stacks that begin alike share them. Where a state has no nodes, no stack of the truth goes on so.
 *
 *	profile  leaf b a	  truth	 main - a - b - leaf	START -leaf-> {4, 7} -b-> {3} -a-> {2}
 *					     \ c - leaf
 *
 * An element of a state may be uncertain in two ways: a name could not decide (MAYBE), or the truth
 * was in doubt wherever the program stood there (DOUBT). What agrees without either is preferred.
 */
#ifndef STACKPROOF_SCORE_MATCH_H
#define STACKPROOF_SCORE_MATCH_H

#include "score_frame.h"

/* What a stack is that ends in a state. */
enum score_class {
	SCORE_EXACT,	  /* a true stack, whole */
	SCORE_TRUNCATED,  /* the innermost frames of one */
	SCORE_IMPOSSIBLE, /* of none: a finding */
	SCORE_UNPROVEN,	  /* the truth does not say, or names don't */
	SCORE_SKIPPED,	  /* not compared */
	SCORE_CLASS_COUNT,
};

enum score_reason {
	SCORE_NO_REASON,
	/* impossible */
	SCORE_LEAF,   /* the program never stood in that function */
	SCORE_CALLER, /* the last frame that agrees never had that caller there */
	SCORE_BEYOND, /* that frame is the outermost one */
	/* unproven */
	SCORE_OPEN,	/* the truth is a prefix, and agrees */
	SCORE_DOUBT,	/* the truth was in doubt there */
	SCORE_LEAF_PC,	/* it agrees, but the program never stood at that instruction */
	SCORE_NAMES,	/* a name, or none, could mean a true stack */
	SCORE_GAP,	/* the truth is partial, or began late, or has not every instruction */
	SCORE_EXCHANGE, /* the kernel was exchanging the registers */
	SCORE_PROCESS,	/* it may be another process's */
	/* not compared */
	SCORE_EMPTY,	     /* it has no frames */
	SCORE_KERNEL_ONLY,   /* none of user space */
	SCORE_OTHER_PROCESS, /* not the program's */
	SCORE_OTHER_BUILD,   /* an image is another build than the truth's */
	SCORE_REASON_COUNT,
};

struct score_state {
	uint32_t first, count; /* elements */
	uint32_t before;       /* the state that it comes from */
	uint32_t frame;	       /* by this frame, a number of the profile's */
	uint32_t frames;       /* that agree */
	uint32_t function;     /* the last of them is in, 0: none */
	uint32_t finding;      /* a number of the caller's, 0: none yet */
	uint8_t class, reason; /* of a stack that ends here */
	bool is_end;	       /* no frame agrees: it ends here */
	bool is_doubted;       /* the truth was in doubt at the leaf's function */
	bool is_leaf_unseen;   /* the leaf's function was seen, its address was not */
	bool is_name_open;     /* a frame so far is not known by what the truth has: a name that is
				* no symbol or has an offset beyond it, an offset in an image that is not
				* said */
};

#define SCORE_START 0u

struct score_matcher;
int score_matcher_create(struct score_truth *truth, const struct profile *profile,
			 struct score_matcher **ret, struct error *error);
void score_matcher_destroy(struct score_matcher *matcher);

const struct score_frame *score_matcher_frame(struct score_matcher *matcher, uint32_t number,
					      struct error *error);
/* How many functions are inlined where the frame is, which was asked for before; UINT32_MAX: not
 * known. */
uint32_t score_matcher_inlined(struct score_matcher *matcher, uint32_t number);
/* The state that a frame leads to; UINT32_MAX: no memory. */
uint32_t score_matcher_next(struct score_matcher *matcher, uint32_t state, uint32_t frame,
			    struct error *error);
struct score_state *score_matcher_state(struct score_matcher *matcher, uint32_t state);
/* Forgets all states if they have grown large. Between two stacks only. */
int score_matcher_trim(struct score_matcher *matcher, struct error *error);

/* How a state ended: what would have agreed. */
enum score_repair {
	SCORE_NO_REPAIR,
	SCORE_LEFT_OUT, /* one more frame of the truth's */
	SCORE_PUT_IN,	/* without the frame */
};
/* after: the frame behind it, 0: none. *ret_function: which one was left out. */
enum score_repair score_matcher_repair(struct score_matcher *matcher, uint32_t state,
				       uint32_t after, uint32_t *ret_function, struct error *error);
/* Up to max different functions that the truth has next behind a state. */
size_t score_matcher_callers(struct score_matcher *matcher, uint32_t state, uint32_t *ret,
			     size_t max);

#endif
