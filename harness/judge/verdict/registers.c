/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * registers.c - do the rules bring the callee-saved registers back too?
 *
 * A stack of PCs can be right though a register in it is not: nothing shows before a frame's CFA
 * hangs on that register. An exception that lands there, or a debugger, meets it at once. The truth
 * knows what rsp, rbx, rbp and r12 to r15 were at each call; here the walk's word is held against
 * it, frame by frame. The step that first brings one back wrong, or not at all, is at fault, unless
 * the referee reads the right value out of the same CFI: then our reader is.
 *
 * The handler of a signal is not called, so what it must bring back is looked at one frame further:
 * the signal frame has all registers as they were interrupted.
 */
#include "verdict.h"
#include "walk/walk_rows.h"

/* Index of a register among the callee-saved ones, or -1. */
static int callee_saved_index(unsigned int reg)
{
	static const uint8_t number[REGISTER_GPR_COUNT] = {
		[REGISTER_RBX] = 1, [REGISTER_RBP] = 2, [REGISTER_R12] = 3,
		[REGISTER_R13] = 4, [REGISTER_R14] = 5, [REGISTER_R15] = 6,
	};

	return number[reg] - 1;
}

/* What a frame's step must bring back: callee-saved registers, and rsp, which is above the slot
 * of the return address unless a signal put it there. Of a frame that moved, or may be about to, rsp
 * is another at the return than it was at the call, and rows may have either. */
static bool true_value(const struct shadow_frame *truth, unsigned int reg, uint64_t *ret)
{
	int saved = callee_saved_index(reg);

	if (reg == REGISTER_RSP && !truth->interrupted && !truth->moved && !truth->copied)
		*ret = truth->slot + 8;
	else if (saved >= 0)
		*ret = truth->callee_saved[saved];
	else
		return false;
	return true;
}

/* The first register of the mask that a frame's step did not bring back; -1: all are right. */
static int wrong_register(const struct register_values *regs, const struct shadow_frame *truth,
			  uint32_t mask)
{
	for (unsigned int reg = 0; reg < REGISTER_GPR_COUNT; reg++) {
		uint64_t right;

		if (!(mask >> reg & 1) || !true_value(truth, reg, &right))
			continue;
		if (!(regs->known >> reg & 1) || regs->value[reg] != right)
			return reg;
	}
	return -1;
}

/* A row's rule for a register. RULE_UNSPECIFIED: there is no row, too. */
static struct row_rule rule_of(const struct address_space *space, uint64_t pc, unsigned int reg)
{
	const struct mapping *mapping = address_space_find(space, pc);
	struct error ignored;
	struct row row;

	if (!mapping || !mapping->entry ||
	    cfi_row_find(image_entry_cfi(mapping->entry), pc - mapping->bias, &row, &ignored) <= 0)
		return (struct row_rule) { .kind = RULE_UNSPECIFIED };
	return row.reg[reg];
}

bool judge_registers(const struct evidence *evidence, struct referee *referee, uint32_t mask,
		     uint32_t frames, struct judgement *ret)
{
	const struct point *point = evidence->point;
	const struct shadow_stack *shadow = point->stop->shadow;
	struct register_values regs = *point->regs, callee;
	bool exact_pc = true, was_exact;

	/* In transit a landing was put behind the truth's first frame, or its place is not
	 * known. */
	uint32_t landing = shadow->in_transit && evidence->truth->count > shadow->count + 1;

	if (shadow->in_transit && !landing)
		return false;
	for (uint32_t frame = 0; frame < frames && frame < shadow->count + landing; frame++) {
		size_t at = shadow->count - 1 + landing - frame;
		const struct shadow_frame *truth = at < shadow->count ? &shadow->frame[at] : NULL;
		bool is_handler = truth && at > 0 && truth[-1].interrupted && !truth->interrupted;
		struct row_rule rule;
		uint64_t right = 0;
		int reg;

		callee = regs;
		was_exact = exact_pc;
		if (walk_rows_step(point->space, &regs, &exact_pc, point->memory))
			return false;
		reg = !truth || is_handler ? -1 : wrong_register(&regs, truth, mask);
		if (reg < 0)
			continue;
		true_value(truth, reg, &right);
		*ret = (struct judgement) {
			.kind = FAULT_REGISTER,
			.frame = frame,
			.pc = callee.value[REGISTER_RIP] - !was_exact,
			.stop = evidence->cfi->stop,
			.reg = reg,
			.saved_value = right,
		};
		rule = rule_of(point->space, ret->pc, reg);
		if (rule.kind == RULE_OFFSET)
			ret->saved_at = regs.value[REGISTER_RSP] + (uint64_t)rule.offset;
		if (reg == REGISTER_RSP && regs.known >> reg & 1) {
			ret->declared_cfa = regs.value[reg];
			ret->actual_cfa = right;
		}
		ret->verdict = rule_is_beyond(&rule) ? VERDICT_UNPROVEN
			       : referee_reads(referee, point->space, &callee, ret->pc, reg, right,
					       point->memory)
				       ? VERDICT_READER_FAULT
				       : VERDICT_TABLE_FAULT;
		return true;
	}
	return false;
}
