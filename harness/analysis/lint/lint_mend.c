/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_mend.c - the directive of the assembler that would make a wrong row right
 *
 *	.cfi_adjust_cfa_offset 8	the row counts from the right register, and not far enough
 *	.cfi_def_cfa rsp, 16		it counts from another one
 *	.cfi_offset rbx, -16		the register is in this word
 *	.cfi_register rip, r11		or in another register
 *	.cfi_restore rbx		or where the CIE says: in itself
 *
 * (GNU as manual, "CFI directives".) It stands before the finding's first instruction, and is said only of
 * what all ways bring there: where one way alone is wrong no directive is right for the others.
 */
#include <inttypes.h>
#include "analysis/flow/flow_row.h"
#include "lint_mend.h"

static bool is_callers(const struct value *value, uint8_t reg)
{
	return value->kind == VALUE_ENTRY && value->reg == reg && !value->number;
}

static void mend_cfa(const struct row *row, const struct flow_state *state,
		     const struct value *actual, struct lint_finding *finding)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (row->cfa.kind == RULE_CFA_REGISTER && actual->kind == VALUE_CFA &&
	    finding->id != LINT_ENTRY)
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_adjust_cfa_offset %" PRId64,
			 -actual->number);
	else if (rsp->kind == VALUE_CFA)
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_def_cfa rsp, %" PRId64,
			 -rsp->number);
}

/* The highest word of this frame that has it, which no signal overwrites. */
static const struct value *word_of(const struct flow_state *state, uint8_t reg)
{
	const struct value *rsp = &state->reg[REGISTER_RSP], *found = NULL;

	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];

		if (is_callers(&word->value, reg) && word->at.kind == VALUE_CFA &&
		    (rsp->kind != VALUE_CFA ||
		     word->at.number >= rsp->number - FLOW_RED_ZONE_BYTES) &&
		    (!found || word->at.number > found->number))
			found = &word->at;
	}
	return found;
}

static void mend_register(const struct flow_state *state, uint8_t reg, struct lint_finding *finding)
{
	const struct value *word = word_of(state, reg);

	if (reg != REGISTER_RIP && is_callers(&state->reg[reg], reg)) {
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_restore %s",
			 register_name(reg));
		return;
	}
	if (word) {
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_offset %s, %" PRId64,
			 register_name(reg), word->number);
		return;
	}
	for (uint8_t i = 0; i < REGISTER_GPR_COUNT && !finding->mend[0]; i++)
		if (is_callers(&state->reg[i], reg))
			snprintf(finding->mend, sizeof(finding->mend), ".cfi_register %s, %s",
				 register_name(reg), register_name(i));
}

void lint_mend_set(const struct row *row, const struct flow_state *state,
		   const struct flow_row_verdict *verdict, struct lint_finding *finding)
{
	finding->mend[0] = '\0';
	if (verdict->fault == FLOW_CFA)
		mend_cfa(row, state, &verdict->actual, finding);
	else
		mend_register(state, verdict->reg, finding);
}
