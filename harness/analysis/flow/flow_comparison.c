/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_comparison.c - the last comparison, and what a branch by it says
 *
 * Of an index how large it is at most, and of two registers that they are equal.
 */
#include <string.h>
#include "flow_state.h"

#define VALUE(...) ((struct value) { __VA_ARGS__ })

void flow_comparison_make(struct flow_state *state, const struct code *code)
{
	struct last_comparison *comparison = &state->comparison;

	if (!code->constant && code->effect == EFFECT_COMPARE &&
	    state->thread != FLOW_THREAD_EITHER) {
		comparison->valid = false; /* with 0 tells nothing of an index */
		return;
	}
	memset(comparison, 0, sizeof(*comparison));
	comparison->valid = true;
	comparison->reg = code->reg;
	comparison->constant = code->constant;
	if (code->effect == EFFECT_COMPARE_REGISTER) {
		comparison->with_register = true;
		comparison->source = code->source;
	} else if (code->reg == CODE_NO_REGISTER) {
		comparison->at = flow_effect_address(state, code);
		comparison->of_word = true;
		comparison->valid = value_is_stack(&comparison->at) && !comparison->at.scale;
	}
}

static void bound_value(struct value *value, uint64_t bound)
{
	if (bound > UINT16_MAX)
		return;
	if (value->kind == VALUE_BOUND && value->compared && value->bound <= bound)
		return;
	if (value->kind == VALUE_UNKNOWN || value->kind == VALUE_OTHER ||
	    (value->kind == VALUE_BOUND && value->scale == 1) ||
	    (value->kind == VALUE_ENTRY && value->reg != REGISTER_RBX &&
	     value->reg != REGISTER_RBP && value->reg < REGISTER_R12))
		*value = VALUE(.kind = VALUE_BOUND, .scale = 1, .compared = true,
			       .bound = (uint32_t)bound);
}

static void bound_compared(struct flow_state *state, uint64_t bound)
{
	const struct last_comparison *comparison = &state->comparison;
	struct value value = { .kind = VALUE_UNKNOWN };

	if (!comparison->of_word) {
		bound_value(&state->reg[comparison->reg], bound);
		return;
	}
	bound_value(&value, bound);
	if (value.kind == VALUE_BOUND)
		flow_word_note(state, &comparison->at, value);
}

static void make_equal(struct flow_state *state)
{
	struct value *a = &state->reg[state->comparison.reg];
	struct value *b = &state->reg[state->comparison.source];

	if (value_is_stack(a) && (b->kind == VALUE_UNKNOWN || b->kind == VALUE_OTHER))
		*b = *a;
	else if (value_is_stack(b) && (a->kind == VALUE_UNKNOWN || a->kind == VALUE_OTHER))
		*a = *b;
	else if (a->kind == VALUE_CFA && b->kind == VALUE_CFA) {
		/* Where they differ it is not this round of a loop that ends it, but a later one: by
		 * then rsp, which makes the room, has come to where the other is. */
		if (state->comparison.reg == REGISTER_RSP)
			*a = *b;
		else if (state->comparison.source == REGISTER_RSP)
			*b = *a;
	}
}

void flow_effect_branch(struct flow_state *state, enum code_condition condition, bool taken)
{
	static const enum code_condition opposite[CONDITION_COUNT] = {
		[CONDITION_OTHER] = CONDITION_OTHER,
		[CONDITION_EQUAL] = CONDITION_NOT_EQUAL,
		[CONDITION_NOT_EQUAL] = CONDITION_EQUAL,
		[CONDITION_ABOVE] = CONDITION_BELOW_EQUAL,
		[CONDITION_ABOVE_EQUAL] = CONDITION_BELOW,
		[CONDITION_BELOW] = CONDITION_ABOVE_EQUAL,
		[CONDITION_BELOW_EQUAL] = CONDITION_ABOVE,
	};
	const struct last_comparison *comparison = &state->comparison;
	enum code_condition holds = taken ? condition : opposite[condition];

	if (!comparison->valid)
		return;
	flow_thread_branch(state, holds);
	if (comparison->with_register) {
		if (holds == CONDITION_EQUAL)
			make_equal(state);
	} else if (comparison->constant >= 0) {
		if (holds == CONDITION_BELOW_EQUAL)
			bound_compared(state, (uint64_t)comparison->constant);
		else if (holds == CONDITION_BELOW && comparison->constant)
			bound_compared(state, (uint64_t)comparison->constant - 1);
	}
}
