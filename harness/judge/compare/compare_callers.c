/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_callers.c - what the callers say of a register that was overwritten and not saved
 *
 * A function's row says that rbp is its caller's, and the function has put something else into it. The
 * caller's CFA hangs on rbp, so the walk goes astray there. If the function returns, with rbp as it was at
 * the call, that is decided. A function that never returns decides nothing by itself. Then the frames
 * further out do: with the registers as they were at the call, the callers' own CFI names the truth's
 * frames, each at the slot where the call was seen to put the return address, which is still there. With
 * those of the row it does not. Three witnesses that share nothing agree then: the calls, the words in
 * memory, and the callers' CFI.
 *
 * Only of a row that has the register unchanged (same value, or no rule of a register that the psABI has
 * preserved: figure 3.4). If it is read from memory, a callee may have changed the word for a while.
 */
#include "comparer.h"
#include "walk/walk_rows.h"

/* The truth's numbers of the registers in shadow_frame.callee_saved. */
static const unsigned int saved_registers[CALLEE_SAVED_COUNT] = { 3, 6, 12, 13, 14, 15 };

static bool is_kept(const struct address_space *space, uint64_t pc, unsigned int reg)
{
	const struct mapping *mapping = address_space_find(space, pc);
	struct error ignored;
	struct row row;

	return mapping && mapping->entry && reg < REGISTER_COUNT &&
	       cfi_row_find(image_entry_cfi(mapping->entry), pc - mapping->bias, &row, &ignored) >
		       0 &&
	       (row.reg[reg].kind == RULE_SAME_VALUE || row.reg[reg].kind == RULE_UNSPECIFIED);
}

/* The step came to where the call of this frame was made. */
static bool is_callers(const struct register_values *regs, const struct shadow_frame *call)
{
	return regs->value[REGISTER_RIP] == call->return_address &&
	       regs->value[REGISTER_RSP] == call->slot + sizeof(uint64_t);
}

bool callers_confirm(const struct point *point, const struct judgement *judgement, uint32_t frames)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	struct register_values regs = *point->regs;
	bool exact_pc = true;

	if (judgement->kind != FAULT_REGISTER || frames > shadow->count ||
	    frames < judgement->frame + 2 || !is_kept(point->space, judgement->pc, judgement->reg))
		return false;
	for (uint32_t i = 0; i < frames; i++) {
		const struct shadow_frame *call = &shadow->frame[shadow->count - 1 - i];

		if (walk_rows_step(point->space, &regs, &exact_pc, point->memory))
			return false;
		if (i < judgement->frame)
			continue;
		if (call->interrupted || call->moved || !is_callers(&regs, call))
			return false;
		if (i > judgement->frame)
			continue;
		for (unsigned int reg = 0; reg < CALLEE_SAVED_COUNT; reg++) {
			regs.value[saved_registers[reg]] = call->callee_saved[reg];
			regs.known |= 1u << saved_registers[reg];
		}
	}
	return true;
}
