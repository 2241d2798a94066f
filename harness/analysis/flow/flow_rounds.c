/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_rounds.c - how often a function's ways are followed
 *
 * Again from the entry, as long as that may come to something else than before: what was met of jump tables and
 * landing pads is known from then on.
 */
#include <stdlib.h>
#include <string.h>
#include "flow.h"

#define ROUNDS_MAX 4 /* in each, jump tables are met that were not known in the one before */

void flow_init(struct flow *flow, struct flow_world *world, struct flow_part *first)
{
	memset(flow, 0, sizeof(*flow));
	flow->world = world;
	flow->function = first->begin;
	flow->part[flow->part_count++] = first;
}

/* A pad that no way was let come to, since each that does has a lower rsp than its row says: then the row is
 * wrong. */
static bool lets_in(struct flow *flow)
{
	bool more = false;

	for (size_t i = 0;
	     i < flow->part_count && !flow->found.jump_unknown && !flow->behind_call_count; i++)
		for (size_t j = 0; j < flow->part[i]->pad_count; j++) {
			struct landing_pad *pad = &flow->part[i]->pad[j];

			more |= pad->left_out && !pad->let_in && !pad->reached;
			pad->let_in |= pad->left_out && !pad->reached;
		}
	return more;
}

/* Where a table ends that was read in this round is known better by now. */
static bool tells_ends(const struct flow *flow)
{
	return flow->round.met_table && flow->round.guessed_end &&
	       (flow->round.read_beyond ||
		(flow->round.guessed_parts && flow->round.guessed_parts < flow->part_count));
}

bool flow_again(struct flow *flow, int round)
{
	bool pops = flow->round.returns_below && flow->round.called_unseen && !flow->unseen_pop;

	flow->unseen_pop |= pops;
	return !round || (round < ROUNDS_MAX && lets_in(flow)) ||
	       (round < ROUNDS_MAX && (tells_ends(flow) || flow->round.contradicts || pops));
}

void flow_restart(struct flow *flow)
{
	for (size_t i = 0; flow->round.entered && i < flow->part_count; i++)
		memset(flow->part[i]->block_at, 0,
		       (flow->part[i]->end - flow->part[i]->begin) * sizeof(uint32_t));
	flow->block_count = flow->queue_count = flow->behind_call_count = 0;
	flow->unread.count = flow->unread.back_count = flow->after.supposed_count = 0;
	flow->round = (struct flow_round) { .entered = false };
	flow->found = (struct flow_found) { .has_return = false };
}

int flow_follow(struct flow *flow, uint64_t entry, const struct flow_state *state,
		struct error *error)
{
	int result = 0;

	for (int round = 0; !result && flow_again(flow, round); round++) {
		flow_restart(flow);
		result = state ? flow_enter_knowing(flow, entry, state, error)
			       : flow_enter(flow, entry, error);
	}
	return result;
}

void flow_forget(struct flow *flow)
{
	for (; flow->part_count > 1; flow->part_count--)
		flow_part_destroy(flow->part[flow->part_count - 1]);
	flow->tables.count = flow->contradicted_count = 0;
	flow->unseen_pop = false;
	flow_restart(flow);
}

void flow_deinit(struct flow *flow)
{
	for (size_t i = 0; i < flow->part_count; i++)
		flow_part_destroy(flow->part[i]);
	free(flow->block);
	free(flow->queue);
	free(flow->behind_call);
	free(flow->after.code);
	free(flow->after.supposed);
	free(flow->unread.jump);
	free(flow->unread.back);
	free(flow->contradicted);
}
