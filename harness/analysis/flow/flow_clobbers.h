/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_clobbers.h - functions that do not preserve a register that callees preserve
 */
#ifndef STACKPROOF_FLOW_CLOBBERS_H
#define STACKPROOF_FLOW_CLOBBERS_H

#include "analysis/code/code.h"
#include "flow_state.h"
#include "image/image.h"

struct flow;
struct flow_fragment;
struct flow_path;
struct flow_world;

#define FLOW_CLOBBERS_ROUNDS_MAX                                                                   \
	8 /* times that all functions are followed again, since more was learned */

/* A bit for each register of FLOW_PRESERVED that the function there is seen not to preserve. */
struct flow_clobber {
	uint64_t pc;
	uint32_t registers;
};

/* Zero-initialise. flow_clobbers_deinit(). */
struct flow_clobbers {
	struct flow_clobber *known; /* sorted: what callers are told */
	size_t known_count;
	struct flow_clobber *found; /* since the last flow_clobbers_learn() */
	size_t found_count;
	bool no_memory;
};

/* Adds what the function was seen to do, once its paths have been followed. */
void flow_clobbers_note(struct flow_clobbers *clobbers, const struct flow *flow);
/* The same of a fragment that leaves such registers alone: it may jump to a function that does not. */
void flow_clobbers_pass(struct flow_clobbers *clobbers, const struct flow_fragment *fragment);
/* What was found becomes known. True if that is more of some function that the image's code calls, as far as bytes say:
 * then all functions are to be followed again. */
bool flow_clobbers_learn(struct flow_clobbers *clobbers, const struct image *image);
void flow_clobbers_deinit(struct flow_clobbers *clobbers);

/* ---- while paths are followed ---------------------------------------------------------------- */

/* The state is that behind the call: registers that the callee is known not to preserve become unknown. */
void flow_clobbers_call(const struct flow_world *world, const struct code *call,
			struct flow_state *state);
/* The path comes to a return, with rsp at the return address. */
void flow_clobbers_return(struct flow *flow, const struct flow_state *state,
			  const struct flow_path *path);
/* The path ends in a tail call of the function at pc. */
void flow_clobbers_leave(struct flow *flow, uint64_t pc, const struct flow_path *path);

#endif
