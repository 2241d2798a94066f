/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_convention.c - does a register without a rule keep what its caller had in it?
 *
 * By the psABI it does, if it is one that callees preserve. Other conventions pass arguments in such registers, and
 * then no rule is made for them, for no rule would be right: Swift's and Zig's, LLVM's regcall, preserve_none and GHC's.
 * An argument, or a global variable of GNU C's, that is kept over a call and then put back looks just as a register that
 * is saved. But who saves a register pushes it, if it pushes others and says so: one that is kept otherwise is none. And
 * who counts on from what its caller had in a register takes it for a variable.
 *
 * And who says that he loses it does, though it may still lie where rsp has gone by.
 */
#include "lint_convention.h"

/* Some row of the function says where the caller's register is: so without a rule it is unchanged. */
static bool has_rule(const struct flow_part *part, uint8_t reg)
{
	for (size_t i = 0; i < part->row_count; i++)
		if (part->row[i].reg[reg].kind != RULE_UNSPECIFIED)
			return true;
	return false;
}

/* Registers by which callers tell the function something, and it them. */
static uint32_t arguments_of(const struct flow *flow)
{
	const uint32_t swift = 1u << REGISTER_R12 | 1u << REGISTER_R13 | 1u << REGISTER_R14;

	return flow->found.arguments | (flow->world->swift ? swift : 0);
}

/* By any of its parts. */
static bool is_pushed(const struct flow *flow, uint8_t reg)
{
	for (size_t i = 0; i < flow->part_count; i++)
		for (size_t j = 0; j < flow->part[i]->code_count; j++) {
			const struct code *code = &flow->part[i]->code[j];

			if (code->effect == EFFECT_PUSH && code->source == reg)
				return true;
		}
	return false;
}

/* The function keeps it in memory or in a register, and pushes one that has a rule. In memory may be by way of another
 * register, as without optimization: no saved one goes there so. */
static bool is_argument(const struct flow *flow, const struct flow_part *part, uint8_t reg,
			const struct flow_state *state)
{
	bool keeps = flow_row_has_saved(state, reg), pushes = false;

	for (size_t i = 0; i < part->code_count; i++) {
		const struct code *code = &part->code[i];

		keeps |= code->source == reg &&
			 (code->effect == EFFECT_STORE ||
			  (code->effect == EFFECT_MOVE && has_rule(part, code->reg)));
		pushes |= code->effect == EFFECT_PUSH && code->source < REGISTER_GPR_COUNT &&
			  FLOW_PRESERVED >> code->source & 1 && has_rule(part, code->source);
	}
	return keeps && pushes && !is_pushed(flow, reg);
}

/* It is what the caller had there, and a number more: `register long *top asm("r13")`, and `top++`. Of rbp that may be
 * a frame's. */
static bool is_counted_on(const struct flow *flow, const struct flow_row_verdict *verdict)
{
	const struct value *actual = &verdict->actual;

	return actual->kind == VALUE_ENTRY && actual->reg == verdict->reg && actual->number &&
	       verdict->reg != REGISTER_RBP && !is_pushed(flow, verdict->reg);
}

/* It is in no word that rsp is not above. */
static bool is_below_stack(const struct flow_state *state, uint8_t reg)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];

		if (word->value.kind == VALUE_ENTRY && word->value.reg == reg &&
		    !word->value.number &&
		    !(value_is_stack(rsp) && flow_align_is_below(state, &word->at, rsp)))
			return false;
	}
	return true;
}

/* Wherever it leaves. */
static bool brings_back(const struct flow *flow, uint8_t reg)
{
	return (flow->found.has_return || flow->found.has_tail_call) &&
	       !((flow->found.breaks | flow->found.perhaps_breaks) >> reg & 1) &&
	       !(flow->found.has_tail_call && flow->found.breaks_convention);
}

/* The row says that it is lost, and what has it is a word that it was popped from: the function doesn't bring it back. */
static bool is_left_over(const struct flow *flow, const struct flow_state *state,
			 const struct flow_row_verdict *verdict)
{
	const struct value *own = &state->reg[verdict->reg];

	return verdict->fault == FLOW_LOST && !brings_back(flow, verdict->reg) &&
	       !(own->kind == VALUE_ENTRY && own->reg == verdict->reg && !own->number) &&
	       is_below_stack(state, verdict->reg);
}

bool lint_convention_is(const struct flow *flow, const struct flow_part *part,
			const struct flow_state *state, const struct flow_row_verdict *verdict)
{
	const struct cfi *cfi = flow->world->cfi;

	if (is_left_over(flow, state, verdict))
		return true;
	/* On a way that isn't seen it may be lost: then no other rule is true. */
	if (verdict->fault == FLOW_LOST && flow->found.jump_unknown)
		return true;
	if (!flow_row_is_vague(verdict))
		return false;
	return (!flow->found.has_return && !flow->found.has_tail_call) ||
	       ((flow->found.breaks_convention || arguments_of(flow) >> verdict->reg & 1 ||
		 is_argument(flow, part, verdict->reg, state) || is_counted_on(flow, verdict)) &&
		!has_rule(part, verdict->reg)) ||
	       flow->world->ocaml ||
	       (flow->world->go && cfi->cie[part->fde->cie].section == &cfi->image->debug_frame);
}

enum flow_reason lint_convention_reason(const struct flow_row_verdict *verdict)
{
	return flow_row_is_vague(verdict) ? FLOW_NOT_KEPT : FLOW_RULE_UNKNOWN;
}
