/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_linked.c - routines with a link register
 *
 *		lea r11, 1f[rip]	routine: .cfi_def_cfa rsp, 0
 *		jmp routine			 .cfi_register rip, r11
 *	1:	...				 ...
 *						 jmp r11
 *
 * Some assembly hands the return address over in a register, and enters by a jump. The routine's first row says
 * so: the CFA is rsp, and the return address is in that register. A jump there is its call, with whatever frame, and it is
 * entered with that register known, unless a way really has its own return address there: then it is a part of that
 * function as any other. Which registers it leaves alone is between the two: of those that callees preserve it is
 * believed that it does, as of other functions, as long as its code doesn't show that it doesn't.
 */
#include "flow.h"
#include "flow_proof.h"

bool flow_row_is_linked(const struct row *row)
{
	const struct row_rule *link = &row->reg[REGISTER_RIP];

	return row->cfa.kind == RULE_CFA_REGISTER && row->cfa.reg == REGISTER_RSP &&
	       !row->cfa.offset && link->kind == RULE_REGISTER && link->reg < REGISTER_GPR_COUNT &&
	       link->reg != REGISTER_RSP;
}

void flow_linked_enter(const struct row *row, struct flow_state *ret)
{
	flow_state_enter(ret);
	ret->word_count = 0;
	ret->reg[REGISTER_RSP] = (struct value) { .kind = VALUE_CFA };
	ret->reg[row->reg[REGISTER_RIP].reg] = (struct value) { .kind = VALUE_ENTRY,
								.reg = REGISTER_RIP };
}

bool flow_linked_is_call(const struct flow_part *part, uint64_t pc, const struct flow_state *state)
{
	struct flow_row_verdict verdict;

	return pc == part->begin && part->row_count && part->row[0].pc == pc &&
	       flow_row_is_linked(&part->row[0]) && flow_is_mismatch(part, pc, state, &verdict);
}

bool flow_linked_is_home(const struct flow *flow, const struct cfi_fde *fde,
			 const struct flow_state *state)
{
	struct flow_part *part = NULL;
	enum flow_reason reason;
	struct error error;
	bool known = false;

	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		known |= state->reg[i].kind == VALUE_CONSTANT &&
			 flow_has(flow, (uint64_t)state->reg[i].number);
	if (!known || flow_part_create(flow->world->cfi, fde, &part, &reason, &error) || !part)
		return false;
	known = flow_linked_is_call(part, fde->pc_begin, state);
	flow_part_destroy(part);
	return known;
}

/* As behind a call; but nothing is known of registers that no callee preserves: they are agreed on. */
static void come_back(const struct flow_world *world, uint64_t pc, struct flow_state *state)
{
	const struct code call = { .flow = CODE_CALL, .target = pc };

	flow_state_call(state);
	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i))
			state->reg[i] = (struct value) { .kind = VALUE_UNKNOWN };
	flow_call_lend(state);
	flow_breaking_call(world, &call, state);
}

int flow_linked_call(struct flow *flow, const struct flow_part *part,
		     const struct flow_state *state, const struct flow_way *way,
		     struct error *error)
{
	const struct value *to = &state->reg[part->row[0].reg[REGISTER_RIP].reg];
	struct flow_way behind = *way;
	struct flow_state after;

	if (flow->proof)
		flow_proof_fail(flow);
	if (flow->followed || flow->proof || to->kind != VALUE_CONSTANT ||
	    !flow_has(flow, (uint64_t)to->number))
		return 0;
	flow_state_copy(&after, state);
	come_back(flow->world, part->begin, &after);
	behind.weak = true;
	behind.callee = part->begin;
	return flow_come(flow, (uint64_t)to->number, &after, &behind, error);
}

int flow_linked_leave(struct flow *flow, struct flow_part **part, const struct flow_state *state,
		      const struct flow_way *way, struct error *error)
{
	int result = flow_linked_call(flow, *part, state, way, error);

	flow_part_destroy(*part);
	*part = NULL;
	return result;
}

/* No argument is passed in it (psABI, 3.2.3). */
static bool may_link(uint8_t reg)
{
	return !(FLOW_ARGUMENTS >> reg & 1);
}

void flow_linked_return(struct flow *flow, const struct code *jump, const struct flow_state *state,
			const struct flow_way *way)
{
	struct value to = flow_effect_jump(state, jump);

	if (to.kind != VALUE_ENTRY || to.number)
		return;
	if (value_is_return(&to))
		flow_breaking_return(flow, state, way);
	else if (!way->unsure && !way->beyond)
		flow->found.jumps_by_entry |= may_link(to.reg);
}
