/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_branch.c - where a branch goes
 *
 * A way that the code itself rules out (flow_flags.c) brings nothing to code that others reach, and what it alone
 * reaches is followed, so that its rows may be proven, but accuses nobody. That is so as long as no more ways
 * come to the branch, which may bring other numbers: then it goes both ways. So those ways come last. A computed
 * jump of which no target is known may bring them anywhere; so from then on such ways are only doubted.
 */
#include "flow.h"

enum flow_reason flow_doubt_reason(uint8_t doubt)
{
	switch ((enum flow_doubt)doubt) {
	case FLOW_DOUBTED: return FLOW_VALUE_UNKNOWN;
	case FLOW_UNTHROWN: return FLOW_THROW_UNKNOWN;
	case FLOW_NEVER: return FLOW_REACHED_BY_NONE;
	default: return FLOW_JUMP_UNKNOWN;
	}
}

static enum flow_doubt doubt_of(const struct flow *flow, bool ruled_out, bool perhaps)
{
	if (!ruled_out && !perhaps)
		return FLOW_SURE;
	return perhaps || flow->found.jump_unread ? FLOW_DOUBTED : FLOW_NEVER;
}

/* Now, or not yet. Where a jump table has no end, it ends where another one begins, on whatever way that is met: the
 * sooner the better. */
static bool goes_now(struct flow *flow, const struct flow_part *part, const struct code *code,
		     enum flow_doubt doubt)
{
	uint32_t number = part->block_at[code->pc - part->begin];

	if (!doubt || flow->followed)
		return true;
	if (number)
		flow->block[number - 1].rules_out = true;
	return flow->round.late || flow->tables.any;
}

/* To the next instruction, as another way than the one that came. */
static int pass(struct flow *flow, struct flow_part *part, const struct code *code,
		const struct flow_state *state, const struct flow_way *way, struct error *error)
{
	uint64_t next = code->pc + code->length;

	return next < part->end ? flow_come(flow, next, state, way, error)
				: flow_fall_out(flow, next, state, way, error);
}

#define LOOK_AHEAD 4 /* instructions that leave the flags as they are */

bool flow_branch_asks(const struct flow *flow, struct flow_part *part, uint64_t pc)
{
	for (int i = 0; i < LOOK_AHEAD && pc < part->end; i++) {
		const struct code *code = flow_part_code(part, flow->world->decoder, pc);

		if (!code || code->flow == CODE_BRANCH || code->flow == CODE_JUMP)
			return true;
		if (code->flow != CODE_NEXT || code->flags != FLAGS_KEPT)
			return false;
		pc += code->length;
	}
	return false;
}

/* To the target, with what the branch says if it is taken; and state is what it says if it is not: of its flag the
 * opposite. */
static int take(struct flow *flow, const struct code *code, struct flow_state *state,
		const struct flow_way *way, bool now, struct error *error)
{
	struct flow_state other;
	int result = 0;

	if (now && state->comparison.valid) {
		flow_state_copy(&other, state);
		flow_effect_branch(&other, code->condition, true);
		flow_flags_branch(&other, code->condition, true);
		result = flow_come(flow, code->target, &other, way, error);
	} else if (now) {
		flow_flags_branch(state, code->condition, true);
		result = flow_come(flow, code->target, state, way, error);
	}
	flow_effect_branch(state, code->condition, false);
	flow_flags_branch(state, code->condition, false);
	return result;
}

int flow_branch(struct flow *flow, struct flow_part *part, const struct code *code,
		struct flow_state *state, const struct flow_way *come, bool *ret_on,
		struct error *error)
{
	struct flow_way taken = { .from = code->pc,
				  .unsure = come->unsure,
				  .beyond = come->beyond,
				  .supposed = come->supposed };
	struct flow_way passed = taken;
	enum flow_decision decision = FLOW_BOTH_WAYS;
	enum flow_doubt doubt;

	if (code->flow == CODE_BRANCH)
		decision = flow_flags_decide(state, code->condition);
	else
		flow_flags_effect(state, code);
	flow_effect(state, code, 0);
	doubt = doubt_of(flow, decision == FLOW_PASSED, decision == FLOW_PERHAPS_PASSED);
	taken.unsure = flow_doubt_more(taken.unsure, doubt);
	if (take(flow, code, state, &taken, goes_now(flow, part, code, doubt), error))
		return -1;
	doubt = doubt_of(flow, decision == FLOW_TAKEN, decision == FLOW_PERHAPS_TAKEN);
	passed.unsure = flow_doubt_more(passed.unsure, doubt);
	*ret_on = passed.unsure == come->unsure;
	return *ret_on || !goes_now(flow, part, code, doubt)
		       ? 0
		       : pass(flow, part, code, state, &passed, error);
}

static int enqueue_ruling(struct flow *flow, struct error *error)
{
	for (uint32_t i = 0; i < flow->block_count; i++)
		if (flow->block[i].rules_out && flow_enqueue(flow, i, error))
			return -1;
	return 0;
}

int flow_branch_late(struct flow *flow, struct error *error)
{
	if (flow->round.late)
		return 0;
	flow->round.late = true;
	return enqueue_ruling(flow, error);
}

int flow_jump_met(struct flow *flow, struct error *error)
{
	bool first = !flow->found.jump_unread && !flow->followed;

	flow->found.jump_unread = true;
	return first ? enqueue_ruling(flow, error) : 0;
}
