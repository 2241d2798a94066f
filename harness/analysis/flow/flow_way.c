/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_way.c - what is thought of a way behind an instruction
 *
 * A way is weak behind a call, or another instruction, that may never come back, and unsure where perhaps
 * nobody goes: neither accuses (flow.h).
 */
#include "flow.h"

/* Padding changes nothing: where the row does, the code behind it is another block's. */
static bool ends_block(const struct flow_part *part, const struct code *padding)
{
	const struct row *row = flow_part_row(part, padding->pc);
	const struct row *next = flow_part_row(part, padding->pc + padding->length);

	return row && next && !row_equal(row, next);
}

#define PAGE_BYTES 4096u

/* Compilers let a way that never happens end in an access to the page at 0, and know of system calls that never
 * come back. Then another block begins behind it, as behind such calls. Where there are no rows, code behind it is the
 * function's. */
static bool may_end_way(const struct flow_part *part, const struct code *code)
{
	if (part->silent)
		return false;
	return code->may_stop ||
	       (code->has_memory && code->base == CODE_NO_REGISTER &&
		code->effect != EFFECT_ADDRESS && code->index == CODE_NO_REGISTER &&
		!code->foreign_segment && (uint64_t)code->displacement < PAGE_BYTES);
}

void flow_way_pass(struct flow_way *way, const struct flow_part *part, const struct code *code)
{
	way->from = code->pc;
	way->stored = code->writes_memory;
	/* Padding behind a call that perhaps doesn't come back is no better than it, and a jump
	 * there is none of the program's. */
	if (!code->is_padding) {
		way->weak = code->flow == CODE_CALL || code->flow == CODE_CALL_INDIRECT ||
			    may_end_way(part, code);
		way->callee = code->flow == CODE_CALL ? code->target : 0;
	} else if (ends_block(part, code))
		way->unsure = flow_doubt_more(way->unsure, FLOW_UNSURE);
}

void flow_way_return(struct flow *flow, const struct code *code, const struct flow_state *state,
		     const struct flow_way *way)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	bool home = rsp->kind == VALUE_CFA && rsp->number == -8;
	bool well = home && flow_row_preserves(state);

	flow_popped_return(flow, code, state, way);
	if (rsp->kind == VALUE_CFA && !home && way->unsure != FLOW_NEVER &&
	    !flow_popped_returns(state))
		flow_reach_returned(flow, state);
	if (home && !well)
		flow_breaking_return(flow, state, way);
	flow->found.has_return = true;
	flow_beyond_return(flow, state, way);
	flow->found.returns_elsewhere |= (rsp->kind == VALUE_CFA && !home &&
					  !flow_popped_returns(state)) ||
					 state->thread == FLOW_THREAD_NEW;
	flow->found.returned_to |= rsp->kind == VALUE_CFA && rsp->number >= 0 && !way->weak &&
				   !way->unsure && !way->beyond;
	if (!flow->followed)
		return;
	flow->found.returns_well |= well && !way->weak && !way->unsure;
	flow->found.returns_unknown |= !well;
	flow->found.returns_lost |= !home || code->returned_bytes || !flow_popped_returns(state);
}

/* The registers of which the instruction uses the caller's value as an address. */
static uint32_t goes_by(const struct code *code, const struct flow_state *state)
{
	uint32_t ret = 0;

	if (!code->has_memory || code->effect == EFFECT_ADDRESS)
		return 0;
	for (int i = 0; i < 2; i++) {
		uint8_t reg = i ? code->index : code->base;

		if (reg < REGISTER_GPR_COUNT && state->reg[reg].kind == VALUE_ENTRY)
			ret |= 1u << state->reg[reg].reg;
	}
	return ret & FLOW_PRESERVED;
}

static int visit_block(struct flow *flow, uint32_t number, struct error *error)
{
	const struct flow_visitor *visitor = flow->visitor;
	const struct flow_block *block = &flow->block[number];
	struct flow_part *part = block->part;
	struct flow_state state;
	struct flow_way way = { .weak = block->weak, .unsure = block->unsure };
	uint64_t pc = block->pc;
	bool on = true;

	flow_state_copy(&state, &block->state);
	/* Whose instruction it is was said last when the paths were followed. */
	while (on && pc < part->end && part->block_at[pc - part->begin] == number + 1) {
		const struct code *found = flow_part_code(part, flow->world->decoder, pc);
		struct code code;

		if (!found)
			return error_set(error, ERROR_MEMORY, NULL, 0,
					 "the ways through a function");
		code = *found; /* the array may move */
		if (visitor && visitor->instruction)
			visitor->instruction(visitor->context, flow, block, &code, &state);
		flow->found.arguments |= goes_by(&code, &state);
		if (flow_go(flow, part, &code, &state, &way, &on, error))
			return -1;
		flow_way_pass(&way, part, &code);
		pc += code.length;
	}
	if (visitor && visitor->block_end)
		visitor->block_end(visitor->context);
	return on && pc < part->end && visitor && visitor->edge
		       ? flow_come(flow, pc, &state, &way, error)
		       : 0;
}

int flow_visit(struct flow *flow, const struct flow_visitor *visitor, struct error *error)
{
	int result = 0;

	flow->followed = true;
	flow->visitor = visitor;
	for (uint32_t i = 0; i < flow->block_count && !result; i++)
		result = visit_block(flow, i, error);
	flow->visitor = NULL;
	return result;
}

/* Another block's way goes on to pc from an instruction that overlaps the one at from, and ends where that ends. */
static bool overlaps(const struct flow *flow, struct flow_part *part, uint64_t from, uint64_t pc)
{
	const uint32_t other = part->block_at[pc - part->begin];

	for (uint64_t at = pc; pc - at < CODE_BYTES_MAX && at-- > part->begin;) {
		const struct code *code;

		if (at == from || part->block_at[at - part->begin] != other)
			continue;
		code = flow_part_code(part, flow->world->decoder, at);
		if (code && at + code->length == pc)
			return true;
	}
	return false;
}

enum flow_meeting flow_way_overlap(const struct flow *flow, uint32_t number, struct flow_part *part,
				   uint64_t from, uint64_t pc)
{
	const uint32_t other = part->block_at[pc - part->begin];

	if (!other || other == number + 1 || flow->block[other - 1].unsure >= FLOW_UNSURE ||
	    !overlaps(flow, part, from, pc))
		return FLOW_REPLACE;
	return flow->block[number].unsure >= FLOW_UNSURE ? FLOW_LEAVE_OUT : FLOW_MEET;
}
