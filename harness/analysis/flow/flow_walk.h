/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_walk.h - the instructions that paths through a range of code come to, each once
 *
 * Whoever looks for functions asks of code what it leads to, and whether it is code at all. Neither needs to know the
 * state before an instruction, a row, or an FDE (flow.h):
 *
 *	struct flow_walk walk = { .world = world, .begin = begin, .end = end, ... };
 *
 *	flow_walk_add(&walk, begin);
 *	while (flow_walk_path(&walk))
 *		while (flow_walk_step(&walk))
 *			walk.code
 *	if (flow_lacks(world))
 *		what was met is not all
 *	flow_walk_deinit(&walk);
 *
 * A path goes on behind a branch, and behind a call unless the callee's code shows that it never returns. Where a
 * branch or a jump leads in the range, another path begins. No path begins at a callee, or at a computed jump's target:
 * the caller may add one.
 */
#ifndef STACKPROOF_FLOW_WALK_H
#define STACKPROOF_FLOW_WALK_H

#include "flow.h"

/* What is known of a byte: a bit each. Where instructions overlap it may be both. */
enum {
	FLOW_WALK_BEGINS = 1, /* an instruction that a path came to begins there */
	FLOW_WALK_INSIDE = 2, /* it is another byte of one */
};

struct flow_walk {
	/* The caller sets these; all are borrowed. */
	const struct flow_world *world;
	uint64_t begin, end; /* the range: instructions that begin there are met */
	const uint8_t *bytes;
	size_t size; /* of bytes, from begin on: at least end - begin. An instruction may go on behind end. */

	/* The caller may read these. */
	uint64_t pc; /* of the next step's instruction */
	bool on; /* the path has not ended; after a false of flow_walk_step(): pc is out of the range */
	struct code code; /* the last step's. CODE_UNKNOWN, with or without a length, ends a path */
	uint8_t *met;	  /* each byte's bits, from begin to end; NULL: no path was added */

	/* Private. */
	uint64_t *worklist; /* where paths begin; the last is taken first */
	size_t worklist_count;
};

/* pc is in the range. */
static inline bool flow_walk_has(const struct flow_walk *walk, uint64_t pc)
{
	return pc >= walk->begin && pc < walk->end;
}

/* A path begins at pc, if that is in the range. */
void flow_walk_add(struct flow_walk *walk, uint64_t pc);
/* Goes to the begin of the path that was added last. False: there is none, or something lacks memory. */
static inline bool flow_walk_path(struct flow_walk *walk)
{
	walk->on = walk->worklist_count && !flow_lacks(walk->world);
	if (walk->on)
		walk->pc = walk->worklist[--walk->worklist_count];
	return walk->on;
}

/* Decodes the instruction at walk->pc, and goes on behind it. False: the path has ended, has left the range (walk->on),
 * or has come to an instruction that was met before. A CODE_UNKNOWN is given, and not marked in met. */
bool flow_walk_step(struct flow_walk *walk);
void flow_walk_deinit(struct flow_walk *walk);

#endif
