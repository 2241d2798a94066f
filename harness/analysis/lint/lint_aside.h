/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_aside.h - ways that end where others go on, for what they bring is not what the row says
 */
#ifndef STACKPROOF_LINT_ASIDE_H
#define STACKPROOF_LINT_ASIDE_H

#include "lint_judge.h"

#define LINT_ASIDES_MAX 64 /* of one function */

/* A way of the function comes to pc. */
struct lint_aside {
	uint64_t function, pc;
	enum flow_reason why; /* what is wrong for it is unproven */
	size_t accused; /* how many findings were held when the one was that accuses it; 0: none does */
	struct flow_state state;
};

/* Zero-initialised: none. lint_asides_deinit(). */
struct lint_asides {
	struct lint_aside *aside;
	size_t count;
	bool no_memory;
};

/* False: there are too many. */
bool lint_asides_add(struct lint_asides *asides, const struct lint_aside *aside);
/* What was said to be proven from there on is unproven where rows are wrong for the way; behind the last of
 * LINT_ASIDES_MAX all of the FDE. sum: by number, of FDEs. None is left. */
int lint_asides_follow(struct lint_asides *asides, struct lint_judge *judge,
		       const struct flow_world *world, struct lint_sum *sum, struct error *error);
/* The same of one. whole: all of the FDE. */
int lint_aside_follow(const struct lint_aside *aside, struct lint_judge *judge,
		      const struct flow_world *world, bool whole, struct lint_sum *sum,
		      struct error *error);
/* The same world, in which a way is followed on trial. */
struct flow_world lint_aside_world(const struct flow_world *world);
void lint_asides_deinit(struct lint_asides *asides);

#endif
