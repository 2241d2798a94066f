/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_unread.c - rows that a jump of unknown targets would make wrong
 *
 * Such a jump leads to some instruction of its function, and nobody knows to which. So a row that is
 * right on all ways that were followed is proven only if it is right with what is known at the jump, as well:
 * a label that is only in a table somewhere may be any instruction. A function with one frame from its
 * jump to all its labels keeps those rows; its prologue and epilogue are unproven.
 *
 * What lies behind a label is not followed once more with the jump's state: a row that declares where
 * a register is has said all that its code goes on to restore. A register without a rule is not held against
 * the jump: in other conventions than the psABI's none is preserved where one function leads to another.
 */
#include "lint/lint_judge.h"

static void note(struct lint_judge *judge, const struct flow_state *state)
{
	if (judge->has_unread)
		flow_state_join(&judge->unread, state);
	else
		flow_state_copy(&judge->unread, state);
	judge->has_unread = true;
}

static int look_in(struct lint_judge *judge, struct flow *flow, uint32_t number,
		   struct error *error)
{
	const struct flow_block *block = &flow->block[number];
	struct flow_part *part = block->part;
	struct flow_state state = block->state;
	struct flow_way way = { .weak = block->weak, .unsure = block->unsure };
	uint64_t pc = block->pc;
	bool on = true;

	while (on && pc < part->end && part->block_at[pc - part->begin] == number + 1) {
		const struct code *found = flow_part_code(part, flow->world->decoder, pc);
		struct code code;

		if (!found)
			return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
		code = *found;
		if (!code.length)
			break;
		if (flow_jump_is_unread(flow, &code, &state))
			note(judge, &state);
		if (flow_step(flow, part, &code, &state, &way, NULL, NULL, &on, error))
			return -1;
		pc += code.length;
	}
	return 0;
}

int lint_unread_find(struct lint_judge *judge, struct flow *flow, struct error *error)
{
	judge->has_unread = false;
	if (!flow->jump_unread)
		return 0;
	for (uint32_t i = 0; i < flow->block_count; i++)
		if (look_in(judge, flow, i, error))
			return -1;
	return 0;
}

bool lint_unread_agrees(const struct lint_judge *judge, const struct row *row, uint64_t pc,
			uint32_t agreed)
{
	struct flow_row_verdict verdict;

	if (!judge->has_unread || !row)
		return true;
	flow_row_check(row, pc, &judge->unread, agreed, &verdict);
	return verdict.outcome == FLOW_ROW_PROVEN ||
	       (verdict.outcome == FLOW_ROW_MISMATCH && flow_row_is_vague(&verdict));
}
