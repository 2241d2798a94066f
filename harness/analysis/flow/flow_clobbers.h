/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_clobbers.h - functions that come back without a register that callees preserve
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
	8 /* times that functions are followed once more, when more was learned */

/* A bit for each register of FLOW_PRESERVED that the function there is seen not to preserve. */
struct flow_clobber {
	uint64_t pc;
	uint32_t registers;
};

/* Zero-initialised: none. flow_clobbers_deinit(). */
struct flow_clobbers {
	struct flow_clobber *known; /* sorted: callers ask for these */
	size_t known_count;
	struct flow_clobber *found; /* since then */
	size_t found_count;
	bool no_memory;
};

/* What the function is seen to do, once its paths have been followed. */
void flow_clobbers_note(struct flow_clobbers *clobbers, const struct flow *flow);
/* The same of one that leaves such registers alone. */
void flow_clobbers_pass(struct flow_clobbers *clobbers, const struct flow_fragment *fragment);
/* What was found is known from now on. Whether the image's code calls a function of which that is more than
 * before, as far as bytes say: then all is to be followed again. */
bool flow_clobbers_learn(struct flow_clobbers *clobbers, const struct image *image);
void flow_clobbers_deinit(struct flow_clobbers *clobbers);

/* ---- while paths are followed ---------------------------------------------------------------- */

/* Behind the call: what the callee is known not to preserve is not known. */
void flow_clobbers_call(const struct flow_world *world, const struct code *call,
			struct flow_state *state);
/* The path comes to a return, with rsp as a function has it there. */
void flow_clobbers_return(struct flow *flow, const struct flow_state *state,
			  const struct flow_path *path);
/* It goes on in the function at pc, as if that had been called. */
void flow_clobbers_leave(struct flow *flow, uint64_t pc, const struct flow_path *path);

#endif
