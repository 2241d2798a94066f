/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_contrary.h - findings that the other of two ways contradicts
 */
#ifndef STACKPROOF_LINT_CONTRARY_H
#define STACKPROOF_LINT_CONTRARY_H

#include "lint_addresses.h"
#include "lint_judge.h"

struct lint_right_edge {
	uint64_t from, to;
};

/* What an accused way that is followed by itself comes to. Zero-initialise; lint_contrary_deinit(). */
struct lint_contrary {
	struct lint_addresses right, wrong; /* instructions; their rows are, for it */
	struct lint_right_edge *edge;	    /* what it brings there is what the row says */
	size_t edge_count;
	bool no_memory; /* then nobody is contradicted */
};

void lint_contrary_note(struct lint_contrary *contrary, uint64_t pc, bool right);
/* An edge from the instruction at from to a block at to. */
void lint_contrary_note_step(struct lint_contrary *contrary, const struct flow_part *part,
			     uint64_t from, uint64_t to, const struct flow_state *state);
/* Of the findings that are held, those from that number on are taken back whose rows are right for the way: their
 * places are NULL until lint_findings_pack(). What they accused is unproven. */
void lint_contrary_take_back(struct lint_contrary *contrary, struct lint_judge *judge,
			     size_t number);
void lint_contrary_deinit(struct lint_contrary *contrary);

#endif
