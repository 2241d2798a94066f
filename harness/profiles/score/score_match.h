/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * score_match.h - a profile's stack against all stacks of the truth, frame by frame from the leaf
 *
 * A state is the set of nodes of the truth's tree that the last frame may be, given the frames before.
 * The next frame leads to the next state: from each node to its parent, if the frame matches the parent.
 * States are made on first use and kept, so that stacks with the same innermost frames share them. A
 * state without nodes means that no stack of the truth has these frames.
 *
 *	profile  leaf b a	  truth	 main - a - b - leaf	START -leaf-> {4, 7} -b-> {3} -a-> {2}
 *					     \ c - leaf
 *
 * An element of a state (a node) may be uncertain in two ways: a name could not decide (MAYBE), or the
 * truth was unproven whenever the program stood there (DOUBT). Certain elements are preferred.
 */
#ifndef STACKPROOF_SCORE_MATCH_H
#define STACKPROOF_SCORE_MATCH_H

#include "score_frame.h"

/* The class of a stack that ends in a state. */
enum score_class {
	SCORE_EXACT,	  /* a true stack, whole */
	SCORE_TRUNCATED,  /* the innermost frames of a true stack */
	SCORE_IMPOSSIBLE, /* not of any true stack: a finding */
	SCORE_UNPROVEN,	  /* the truth, or the names, can't decide */
	SCORE_SKIPPED,	  /* not compared */
	SCORE_CLASS_COUNT,
};

enum score_reason {
	SCORE_NO_REASON,
	/* impossible */
	SCORE_LEAF,   /* the program never stood in that function */
	SCORE_CALLER, /* the last frame that agrees never had this caller */
	SCORE_BEYOND, /* the last frame that agrees has no caller */
	SCORE_NO_CODE, /* there was no code at that address; this and the next two are by code alone: score_code.h */
	SCORE_NO_CALL, /* no call returns to that address */
	SCORE_CALLEE, /* the call that returns there is of another function than the frame within */
	/* unproven */
	SCORE_OPEN,	/* the truth is only a prefix, and the stack agrees so far */
	SCORE_DOUBT,	/* the truth was unproven there */
	SCORE_LEAF_PC,	/* it agrees, but the program never stood at the leaf's instruction */
	SCORE_NAMES,	/* a name, or a missing one, could mean a true stack */
	SCORE_GAP,	/* the truth is partial, or began late, or lacks instructions */
	SCORE_EXCHANGE, /* the kernel was exchanging the registers */
	SCORE_PROCESS,	/* it may be another process's */
	SCORE_PUT, /* no call returns to that instruction, but a signal's handler may let a function return there */
	SCORE_UNMAPPED, /* perf has no mapping at that address, and may have lost it */
	SCORE_UPROBES,	/* in the kernel's code for uprobes, which no other run has */
	SCORE_SIGNAL, /* the truth has not that place below a signal's frame, but a signal may come anywhere */
	SCORE_BUILD, /* an image of its frames may be another build than the truth's */
	SCORE_UNSEEN, /* the truth's run did not have it, but the code allows it: another run may have */
	SCORE_MOMENT, /* at which entry into the kernel it was taken is not known, and it makes a difference */
	SCORE_NO_ENTRY, /* the truth has no entry of its thread at its time */
	/* not compared */
	SCORE_EMPTY,	     /* it has no frames */
	SCORE_KERNEL_ONLY,   /* it has no frames of user space */
	SCORE_OTHER_PROCESS, /* it is not the program's */
	SCORE_OTHER_BUILD,   /* an image is another build than the truth's */
	SCORE_REASON_COUNT,
};

struct score_state {
	uint32_t first, count; /* elements */
	uint32_t before;       /* the state before frame */
	uint32_t frame;	       /* the profile's frame that leads here */
	uint32_t frames;       /* number of frames that agree */
	uint32_t function;     /* of the last frame that agrees; 0: none */
	uint32_t finding;      /* for the caller's use; 0 at first */
	uint8_t class, reason; /* of a stack that ends here */
	bool is_end;	       /* frame does not agree: no state follows */
	bool is_doubted;       /* the truth has unproven points in the leaf's function */
	bool is_leaf_unseen;   /* the truth has the leaf's function, but not its address */
	bool is_pinned;	       /* of one stack of the truth, and not of all */
	bool is_vague;	       /* names leave so much open that no further frame is asked */
	bool is_name_open; /* a frame so far can't be identified: its name is not a symbol, or has
				* an offset beyond the symbol's end; or it is an offset in an unknown
				* image */
};

#define SCORE_START 0u

struct score_matcher;
/* truth and profile are borrowed. */
int score_matcher_create(struct score_truth *truth, const struct profile *profile,
			 struct score_matcher **ret, struct error *error);
void score_matcher_destroy(struct score_matcher *matcher);

/* The profile's frame, resolved. NULL: no memory. Valid until frames are added to the profile. */
const struct score_frame *score_matcher_frame(struct score_matcher *matcher, uint32_t number,
					      struct error *error);
/* How many functions are inlined at a frame, for which score_matcher_frame() was called; UINT32_MAX: not
 * known. */
uint32_t score_matcher_inlined(struct score_matcher *matcher, uint32_t number);
/* The state that a frame leads to; UINT32_MAX: no memory. */
uint32_t score_matcher_next(struct score_matcher *matcher, uint32_t state, uint32_t frame,
			    struct error *error);
/* The state before any frame of a stack that must be the one of a node; UINT32_MAX: no memory. */
uint32_t score_matcher_pin(struct score_matcher *matcher, uint32_t node, struct error *error);
/* Valid until the next state is made. */
struct score_state *score_matcher_state(struct score_matcher *matcher, uint32_t state);
/* The class of the function that a state's last frame is in, by class, an array by the truth's functions; 0: of the
 * certain elements not all are in one. */
uint32_t score_matcher_class(struct score_matcher *matcher, uint32_t state, const uint32_t *class);
/* Between two stacks: forgets all states if they take much memory. */
int score_matcher_trim(struct score_matcher *matcher, struct error *error);

/* Which change would make a stack agree where it ended. */
enum score_repair {
	SCORE_NO_REPAIR,
	SCORE_LEFT_OUT, /* a frame of the truth is missing before the last frame */
	SCORE_PUT_IN,	/* the last frame is too many */
};
/* For a state with is_end. after: the profile's frame after the last one, 0: none. *ret_function: the
 * function of SCORE_LEFT_OUT. */
enum score_repair score_matcher_repair(struct score_matcher *matcher, uint32_t state,
				       uint32_t after, uint32_t *ret_function, struct error *error);
/* Writes up to max different functions that call a state's nodes in the truth. Returns their number. */
size_t score_matcher_callers(struct score_matcher *matcher, uint32_t state, uint32_t *ret,
			     size_t max);

#endif
