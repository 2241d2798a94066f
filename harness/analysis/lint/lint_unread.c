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
 * a register is has said all that its code goes on to restore. Only what would be taken back from a copy in another
 * register is forgotten where it may differ (flow_unread.c). A register without a rule is not held against
 * the jump: in other conventions than the psABI's none is preserved where one function leads to another.
 */
#include "lint_judge.h"

void lint_unread_join(struct lint_judge *judge, const struct flow *flow)
{
	judge->has_unread = flow->unread.count != 0;
	for (size_t i = 0; i < flow->unread.count; i++)
		if (i)
			flow_state_join(&judge->unread, &flow->unread.jump[i].state);
		else
			flow_state_copy(&judge->unread, &flow->unread.jump[i].state);
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
