/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_reread.c - whose words a row reads
 *
 * A row may be right and read words that a callee has changed for a while: the slot of a saved
 * register, or what the CFA is kept in (DW_OP_deref; functions that realign their stack). What the
 * step at fault was made with is kept, and it is made again when the frame returns
 * (verdict/doubt.h).
 */
#include <dwarf.h>
#include "array.h"
#include "comparer.h"
#include "walk/walk_rows.h"

/* The rule's value is a word in memory, or hangs on one. That of a return address by an offset
 * from the CFA is the truth's slot, or is not right at any time. */
static bool is_by_memory(const struct row_rule *rule)
{
	switch (rule->kind) {
	case RULE_EXPRESSION: return true;
	case RULE_VAL_EXPRESSION:
	case RULE_CFA_EXPRESSION:
		return expression_has(rule->expression, rule->expression_bytes, DW_OP_deref) ||
		       expression_has(rule->expression, rule->expression_bytes, DW_OP_deref_size);
	default: return false;
	}
}

/* The caller that the row at pc names hangs on words in memory. */
static bool reads_words(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);
	struct error ignored;
	struct row row;

	return mapping && mapping->entry &&
	       cfi_row_find(image_entry_cfi(mapping->entry), pc - mapping->bias, &row, &ignored) >
		       0 &&
	       (is_by_memory(&row.cfa) || is_by_memory(&row.reg[REGISTER_RIP]));
}

/* At the point's own function nobody but it has written yet what is not saved yet. Further out
 * callees have run since. */
static bool is_asked(const struct judgement *judgement, const struct point *point,
		     const struct shadow_frame *frame)
{
	if (judgement->kind == FAULT_REGISTER)
		return judgement->frame ||
		       judgement->saved_at >= point->stop->regs.value[REGISTER_RSP];
	return judgement->kind != FAULT_SIGNAL_FLAG && judgement->frame && frame &&
	       reads_words(point->space, judgement->pc);
}

static void set_right(struct register_values *right, unsigned int reg, uint64_t value)
{
	right->value[reg] = value;
	right->known |= 1u << reg;
}

void reread_set(const struct judgement *judgement, const struct point *point,
		const struct shadow_frame *frame, struct reread *ret)
{
	*ret = (struct reread) { .regs = *point->regs, .exact_pc = true };
	if (!is_asked(judgement, point, frame))
		return;
	for (uint32_t i = 0; i < judgement->frame; i++)
		if (walk_rows_step(point->space, &ret->regs, &ret->exact_pc, point->memory))
			return;
	if (judgement->kind == FAULT_REGISTER) {
		set_right(&ret->right, judgement->reg, judgement->saved_value);
	} else {
		set_right(&ret->right, REGISTER_RIP, frame->return_address);
		if (!frame->interrupted)
			set_right(&ret->right, REGISTER_RSP, frame->slot + sizeof(uint64_t));
	}
	ret->asked = true;
}

/* Memory is read anew: the program has gone on since the last point. */
bool reread_comes_out_right(void *context, const struct reread *reread)
{
	struct comparer *comparer = context;
	struct memory_reader memory = target_memory_reader(comparer->memory);
	pid_t tid = process_living_thread(comparer->space.pid);
	struct register_values regs = reread->regs;
	bool exact_pc = reread->exact_pc;

	if (!tid)
		return false;
	target_memory_reset(comparer->memory, tid);
	if (walk_rows_step(&comparer->space, &regs, &exact_pc, &memory))
		return false;
	return !ARRAY_ANY(
		REGISTER_COUNT, reg,
		reread->right.known >> reg & 1 &&
			(!(regs.known >> reg & 1) || regs.value[reg] != reread->right.value[reg]));
}
