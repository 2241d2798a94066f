/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_reach.c - ways into another function's part that are perhaps none
 *
 *	f:	sub rsp, 40
 *		jmp 9f
 *	g:	sub rsp, 72
 *		lea rax, [rip + 9f]
 *		jmp rax			; or push rax; ret
 *	9:	add rsp, 40		; f's rows
 *
 * A part says what frame comes to it. A jump with an address leads there for certain (flow.c asks whose it is). Others
 * may: a computed jump to an address that its function makes, or that a table has; a return to one that was pushed; the
 * end of a function behind a call that perhaps comes back, or behind which no-ops or a few instructions without an FDE
 * lie. Such a way is not followed: none of it is held against anybody. But with another frame than the part says, what
 * it says is proven for some that come there alone; who wants to know is told. So he is of ways into the middle of an
 * FDE, perhaps of an instruction of it, that nobody else sees.
 */
#include "flow.h"
#include "flow_proof.h"

#define UNCOVERED_MAX                                                                              \
	32 /* instructions that no FDE covers, from where one ends to another one's begin */

static bool is_wrong(const struct flow_world *world, const struct cfi_fde *fde,
		     const struct flow_state *state)
{
	struct flow_part *part = NULL;
	struct flow_row_verdict verdict;
	enum flow_reason reason;
	struct error error;
	const struct row *row;
	bool wrong;

	if (flow_part_of(world, fde, &part, &reason, &error) || !part)
		return false;
	row = flow_part_row(part, part->begin);
	wrong = row && !flow_row_is_entry(row) && !flow_row_is_linked(row) && !part->has_end &&
		flow_is_mismatch(part, part->begin, state, &verdict) &&
		!flow_row_is_vague(&verdict);
	flow_part_destroy(part);
	return wrong;
}

/* Along code that no FDE covers, straight on and by jumps. *pc: where an FDE covers it. */
static bool pass_uncovered(const struct flow_world *world, uint64_t *pc, struct flow_state *state)
{
	for (int i = 0; i < UNCOVERED_MAX && !cfi_fde_find(world->cfi, *pc); i++) {
		size_t size;
		const uint8_t *bytes = image_bytes_most(world->cfi->image, *pc, CODE_BYTES_MAX,
							&size);
		struct code code;

		if (!bytes || !image_code_segment(world->cfi->image, *pc))
			return false;
		code_decode(world->decoder, *pc, bytes, size, &code);
		if (code.flow != CODE_NEXT && code.flow != CODE_JUMP)
			return false;
		if (code.flow == CODE_NEXT)
			flow_effect(state, &code, 0);
		*pc = code.flow == CODE_JUMP ? code.target : *pc + code.length;
	}
	return true;
}

void flow_reach(const struct flow_world *world, uint64_t function, uint64_t pc,
		const struct flow_state *state, enum flow_reason why)
{
	const struct cfi_fde *fde;
	struct flow_state there;

	if (!world->reached)
		return;
	flow_state_copy(&there, state);
	if (!pass_uncovered(world, &pc, &there))
		return;
	fde = cfi_fde_find(world->cfi, pc);
	if (!fde || (fde->pc_begin == pc &&
		     (fde == cfi_fde_find(world->cfi, function) || !is_wrong(world, fde, &there))))
		return;
	/* Whether it is wrong in the middle, or further on, is seen when it is followed. */
	if (!flow_is_stub(world->callees, pc))
		world->reached(world->context, function, pc, &there, why);
}

void flow_reach_returned(struct flow *flow, const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = flow_word_find(state, rsp);
	struct flow_state there;

	if (!flow_tells_reached(flow))
		return;
	if (flow->proof) {
		flow_proof_fail(flow); /* it keeps no such words */
		return;
	}
	if (!word || word->kind != VALUE_CONSTANT)
		return;
	flow_state_copy(&there, state);
	there.reg[REGISTER_RSP] = value_add(*rsp, 8);
	flow_reach(flow->world, flow->function, (uint64_t)word->number, &there, FLOW_VALUE_UNKNOWN);
}

void flow_reach_called(const struct flow *flow, const struct code *call,
		       const struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	const struct value value = flow_effect_jump(state, call);
	const struct cfi_fde *fde;
	struct flow_state entry;

	if (value.kind != VALUE_CONSTANT || !flow_tells_reached(flow))
		return;
	fde = cfi_fde_find(world->cfi, (uint64_t)value.number);
	if (!fde || fde->pc_begin == (uint64_t)value.number)
		return;
	flow_state_enter(&entry);
	flow_reach(world, flow->function, (uint64_t)value.number, &entry, FLOW_VALUE_UNKNOWN);
}

void flow_reach_cut_off(const struct flow *flow, const struct flow_part *part,
			const struct code *unknown, const struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	struct flow_state behind;
	const uint8_t *bytes;
	struct code code;
	size_t size;

	if (!flow_tells_reached(flow) || part->end - unknown->pc >= CODE_BYTES_MAX)
		return;
	bytes = image_bytes_most(world->cfi->image, unknown->pc, CODE_BYTES_MAX, &size);
	if (!bytes)
		return;
	code_decode(world->decoder, unknown->pc, bytes, size, &code);
	if (code.flow != CODE_NEXT || unknown->pc + code.length <= part->end)
		return;
	flow_state_copy(&behind, state);
	flow_effect(&behind, &code, 0);
	flow_reach(world, flow->function, unknown->pc + code.length, &behind, FLOW_VALUE_UNKNOWN);
}

/* An address that the instruction makes; 0: none. */
static uint64_t made_by(const struct code *code)
{
	if (code->effect == EFFECT_CONSTANT)
		return (uint64_t)code->constant;
	return code->effect == EFFECT_ADDRESS && code->base == CODE_NO_REGISTER &&
			       code->index == CODE_NO_REGISTER
		       ? (uint64_t)code->displacement
		       : 0;
}

void flow_reach_made(const struct flow *flow)
{
	for (size_t i = 0; i < flow->part_count && flow->unread.count; i++) {
		const struct flow_part *part = flow->part[i];

		for (size_t j = 0; j < part->code_count; j++) {
			const uint64_t pc = made_by(&part->code[j]);
			const bool begins = pc && cfi_fde_begins(flow->world->cfi, pc);

			for (size_t k = 0; begins && k < flow->unread.count; k++)
				flow_reach(flow->world, flow->function, pc,
					   &flow->unread.jump[k].state, FLOW_JUMP_UNKNOWN);
		}
	}
}
