/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_popped.c - functions that take their arguments off the stack
 *
 * The psABI's functions leave that to their callers. V8's don't: one ends with `ret 24`, or, if only the
 * caller knows how many arguments there are, by hand:
 *
 *	pop rcx
 *	lea rsp, [rsp+rax*8]
 *	push rcx
 *	ret
 *
 * The return is no other function's: it goes where the caller said, and behind the call rsp is higher by
 * what was taken off. LLVM's tailcc and swifttailcc are such, too, and some assembly: `ret 8`.
 *
 * And some leave the stack lower, for their caller: tcc's alloca, MinGW's ___chkstk, routines that save its
 * registers:
 *
 *	pop rcx
 *	sub rsp, rax
 *	jmp rcx
 *
 * At such a return the CFA is what it was at the entry; but a row that says where the caller has rsp behind it
 * (cfa=rsp+8) leads to the same caller. So that one accuses nobody.
 *
 * In the same way arguments are put beneath the return address before a jump to another function, in a loop
 * if need be, and with it the frame moves. Where the return address is then can't be proven; but a function
 * that is jumped to with it elsewhere than at rsp would never come back.
 */
#include "flow.h"

#define LOWEST INT32_MAX /* bytes below the CFA that a word may lie */

static bool is_home(const struct value *rsp)
{
	return rsp->kind == VALUE_CFA && rsp->number == -8;
}

bool flow_popped_returns(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = value_is_stack(rsp) ? flow_word_find(state, rsp) : NULL;

	return word && value_is_return(word) && !word->number;
}

/* Between the frame's words. Who returned there would come to what a register held, or to nobody's address: something
 * that was called has taken more off the stack than the psABI lets it. */
static bool is_below(const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = value_is_stack(rsp) ? flow_word_find(state, rsp) : NULL;

	return rsp->kind == VALUE_CFA && rsp->number < -8 &&
	       !(word && (word->kind == VALUE_CONSTANT || value_is_return(word)));
}

void flow_popped_return(struct flow *flow, const struct code *code, const struct flow_state *state,
			const struct flow_way *way)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	uint32_t popped = FLOW_POPPED_UNKNOWN;

	if (rsp->kind == VALUE_CFA && rsp->number >= -8 && rsp->number <= INT32_MAX / 2)
		popped = (uint32_t)(rsp->number + 8 + code->returned_bytes);
	flow->found.popped = flow->found.has_return && flow->found.popped != popped
				     ? FLOW_POPPED_UNKNOWN
				     : popped;
	flow->found.pops |= (code->returned_bytes || !is_home(rsp)) && flow_popped_returns(state) &&
			    !way->unsure && !way->beyond;
	flow->round.returns_below |= is_below(state) && !way->stored && !way->unsure &&
				     !way->beyond;
}

/* From rsp, which is elsewhere than a call put it, where the return address is. */
static bool is_moved(const struct flow_state *state)
{
	return !is_home(&state->reg[REGISTER_RSP]) && flow_popped_returns(state);
}

#define LOOK_AHEAD 8 /* instructions that leave rsp and memory alone */

bool flow_popped_leaves(const struct flow *flow, struct flow_part *part, uint64_t pc,
			const struct flow_state *state)
{
	if (!is_moved(state))
		return false;
	for (int i = 0; i < LOOK_AHEAD && pc < part->end; i++) {
		const struct code *code = flow_part_code(part, flow->world->decoder, pc);

		if (!code || code->flow != CODE_NEXT || code->writes_memory || code->system_call ||
		    code->written & 1u << REGISTER_RSP)
			return code && code->flow == CODE_RETURN;
		pc += code->length;
	}
	return false;
}

bool flow_popped_agrees(const struct row *row, uint64_t pc, const struct flow_state *state,
			const struct flow_row_terms *terms)
{
	struct flow_row_verdict verdict;
	struct flow_state moved;

	if (row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg != REGISTER_RSP ||
	    row->cfa.offset != 8)
		return false;
	flow_state_enter(&moved);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		if (i == REGISTER_RSP)
			continue;
		moved.reg[i] = state->reg[i];
		if (value_is_stack(&state->reg[i])) /* another CFA's */
			moved.reg[i] = (struct value) { .kind = VALUE_OTHER };
	}
	flow_row_check_terms(row, pc, &moved, terms, &verdict);
	return verdict.outcome != FLOW_ROW_MISMATCH && !verdict.ends;
}

bool flow_popped_move(const struct flow_world *world, uint64_t pc, const struct flow_state *state,
		      struct flow_state *ret)
{
	if (!world->enters || is_home(&state->reg[REGISTER_RSP]) ||
	    !world->enters(world->context, pc))
		return false;
	flow_state_enter(ret);
	ret->thread = state->thread;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		if (i == REGISTER_RSP || i == REGISTER_RBP)
			continue; /* whoever jumps has put the caller's rbp back */
		ret->reg[i] = state->reg[i];
		if (value_is_stack(&state->reg[i]))
			ret->reg[i] = (struct value) { .kind = VALUE_UNKNOWN };
	}
	return true;
}

void flow_popped_push(const struct flow *flow, const struct code *code, struct flow_state *state)
{
	if (flow->world->enters && code->effect == EFFECT_PUSH)
		flow_effect_base(state, (uint32_t)(code->pc - flow->function));
}

/* Right behind the call of what can't be seen from here the stack gets lower, and the row there knows nothing of it: the
 * callee has taken that much off it, and room is made again. */
static bool makes_room_again(const struct flow_world *world, struct flow_part *part, uint64_t pc,
			     const struct value *rsp)
{
	const struct code *code = pc < part->end ? flow_part_code(part, world->decoder, pc) : NULL;
	const struct row *row;

	if (!code || code->effect != EFFECT_ADD || code->reg != REGISTER_RSP ||
	    code->constant >= 0 || rsp->kind != VALUE_CFA)
		return false;
	row = flow_part_row(part, flow_part_behind(code));
	return row && row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
	       row->cfa.offset == -rsp->number;
}

/* No row says where rsp is behind the call. */
static bool is_unsaid(struct flow_part *part, const struct code *call)
{
	const uint64_t next = call->pc + call->length;
	const struct row *row = next < part->end ? flow_part_row(part, next) : NULL;

	return !row || row->cfa.kind != RULE_CFA_REGISTER || row->cfa.reg != REGISTER_RSP;
}

/* What the computed call leads to may be who makes room on the stack, and no row says that rsp is known behind it. The
 * fast proof doesn't ask: what lies above is as it was. */
static bool may_lower(const struct flow *flow, struct flow_part *part, const struct code *call)
{
	return flow->world->lowers && !flow->proof && call->flow == CODE_CALL_INDIRECT &&
	       is_unsaid(part, call);
}

/* Bytes that what is called takes off the stack, or FLOW_POPPED_UNKNOWN. */
static uint32_t taken_by(struct flow *flow, struct flow_part *part, const struct code *call,
			 uint64_t callee, const struct value *rsp)
{
	const struct flow_world *world = flow->world;
	enum flow_takes takes;

	if (!callee) {
		flow->round.called_unseen = true;
		return may_lower(flow, part, call) || (flow->unseen_pop && is_unsaid(part, call)) ||
				       makes_room_again(world, part, call->pc + call->length, rsp)
			       ? FLOW_POPPED_UNKNOWN
			       : 0;
	}
	if (flow->proof && !world->pops)
		return 0;
	takes = flow_callee_takes(world->callees, callee);
	return takes == FLOW_TAKES_NOTHING ? 0 : flow_popped_by(world, callee, takes);
}

/* Behind the call rsp is another one. What lies beneath where it was, the callee has written, if it is lower. */
static void move(struct flow_state *state, uint32_t popped)
{
	struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value before = *rsp;
	const bool unknown = popped == FLOW_POPPED_UNKNOWN;

	*rsp = unknown ? (struct value) { .kind = VALUE_UNKNOWN }
		       : value_add(before, (int32_t)popped);
	if (state->saved_only || (!unknown && (int32_t)popped > 0))
		return;
	if (before.kind == VALUE_CFA)
		flow_word_touched(state, unknown ? -LOWEST : rsp->number, before.number);
	state->bases_touched |= before.kind != VALUE_CFA;
}

void flow_popped_call(struct flow *flow, struct flow_part *part, const struct code *call,
		      uint64_t callee, struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	uint32_t popped = 0;

	if (!world->strange) {
		popped = taken_by(flow, part, call, callee, &state->reg[REGISTER_RSP]);
	} else if (world->strange(world->context, call->flow == CODE_CALL ? call->target : 0,
				  &popped)) {
		for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
			if (i != REGISTER_RSP && i != REGISTER_RBP)
				state->reg[i] = (struct value) { .kind = VALUE_UNKNOWN };
	} else {
		popped = 0;
	}
	if (popped)
		move(state, popped);
}
