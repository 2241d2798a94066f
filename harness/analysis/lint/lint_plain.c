/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_plain.c - parts that never touch what their one row speaks of
 *
 * Small functions mostly have one row, and leave the stack and what callees preserve alone. Such a part is
 * proven whichever way its jumps go, if they go to its instructions. So it is decoded straight on, and no way is
 * followed. What it jumps by may be an entry of a table: those are read, as many as it may have.
 */
#include <elf.h>
#include <sys/syscall.h>
#include "analysis/flow/flow.h"
#include "analysis/flow/flow_callees.h"
#include "lint_plain.h"

/* A register gets to know where the stack is, by which words of it may be written. */
static bool takes_stack(const struct code *code)
{
	return code->source == REGISTER_RSP ||
	       (code->effect == EFFECT_ADDRESS && code->base == REGISTER_RSP);
}

/* Of a system call that begins a thread. */
static bool is_clone(const struct code *code)
{
	return (code->effect == EFFECT_CONSTANT || code->effect == EFFECT_CONSTANT_BYTE) &&
	       code->reg == REGISTER_RAX &&
	       (code->constant == SYS_clone || code->constant == SYS_clone3);
}

static bool leaves_alone(const struct code *code)
{
	if (takes_stack(code) || is_clone(code))
		return false;
	switch (code->flow) {
	case CODE_NEXT:
	case CODE_BRANCH:
		return !(code->written & FLOW_PRESERVED) &&
		       !(code->writes_memory && code->base == REGISTER_RSP);
	case CODE_CALL: return code->target != code->pc + code->length;
	case CODE_CALL_INDIRECT:
	case CODE_JUMP:
	case CODE_JUMP_INDIRECT:
	case CODE_RETURN:
	case CODE_STOP: return true;
	default: return false;
	}
}

/* It leads to code that no FDE covers, or its table may: to what lies behind the part. */
static bool leads_nowhere(const struct cfi *cfi, struct flow_callees *callees,
			  const struct flow_part *part, const struct code *code)
{
	if (code->flow == CODE_JUMP_INDIRECT)
		return !cfi_fde_find(cfi, part->end) && !flow_is_stub(callees, code->pc);
	if (code->flow != CODE_CALL && code->flow != CODE_JUMP && code->flow != CODE_BRANCH)
		return false;
	return (code->target < part->begin || code->target >= part->end) &&
	       !cfi_fde_find(cfi, code->target);
}

/* ---- jump tables -------------------------------------------------------------------------- */

#define ENTRIES_MAX (1u << 17) /* of a part: where there are more to read, its ways are followed */

/* What is read as a table there, up to what leads to no code, leads into the middle of an instruction of the part. Or
 * there is more to read than *left, which gets less. */
static bool leads_inside(const struct cfi *cfi, const struct flow_part *part, uint64_t table,
			 uint64_t count, uint8_t scale, uint64_t *left)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t target;

		if (!flow_jump_entry(cfi->image, table, scale, i, &target))
			return false;
		if (!(*left)--)
			return true;
		if (target - part->begin < part->end - part->begin) {
			if (!part->code_at[target - part->begin])
				return true;
		} else if (!cfi_fde_find(cfi, target)) {
			return false;
		}
	}
	return false;
}

/* Of how many entries a comparison or a mask may say that a table has them. */
static uint64_t entries_of(const struct code *code)
{
	const bool bounds = code->effect == EFFECT_COMPARE || code->effect == EFFECT_AND;

	return bounds && code->constant >= 0 && code->constant <= UINT16_MAX
		       ? (uint64_t)code->constant + 1
		       : 0;
}

/* The same of all addresses that the part makes or counts from, if it jumps by an entry of a table. */
static bool tables_lead_inside(const struct cfi *cfi, struct flow_callees *callees,
			       const struct flow_part *part)
{
	const struct code *end = part->code + part->code_count;
	bool jumps = false, short_entries = false, long_entries = false, inside = false;
	uint64_t count = 0, left = ENTRIES_MAX;

	for (const struct code *code = part->code; code < end; code++) {
		const bool reads = code->has_memory && code->index != CODE_NO_REGISTER;

		count = entries_of(code) > count ? entries_of(code) : count;
		jumps |= code->flow == CODE_JUMP_INDIRECT && !flow_is_stub(callees, code->pc);
		short_entries |= reads && code->memory_bytes == 4;
		long_entries |= reads && code->memory_bytes == 8 && cfi->image->type == ET_EXEC;
	}
	for (const struct code *code = part->code; jumps && !inside && code < end; code++) {
		const bool constant = code->effect == EFFECT_CONSTANT;
		const uint64_t table = (uint64_t)(constant ? code->constant : code->displacement);

		if (!constant && (!code->has_memory || code->base != CODE_NO_REGISTER))
			continue;
		inside = (short_entries && leads_inside(cfi, part, table, count, 4, &left)) ||
			 (long_entries && leads_inside(cfi, part, table, count, 8, &left));
	}
	return inside;
}

/* ---- parts -------------------------------------------------------------------------------- */

/* It says the same wherever it is asked: an expression may count from rip, as that of a PLT does. */
static bool is_the_same(const struct row *row)
{
	for (unsigned int i = 0; i < REGISTER_COUNT; i++)
		if (row->reg[i].kind == RULE_EXPRESSION || row->reg[i].kind == RULE_VAL_EXPRESSION)
			return false;
	return row->cfa.kind == RULE_CFA_REGISTER;
}

/* What is known at all its instructions alike. */
void lint_plain_tell(const struct lint_watch *watch, const struct flow_part *part)
{
	const struct flow_row_verdict verdict = { .outcome = FLOW_ROW_PROVEN };
	struct flow_state state;
	struct lint_point point = {
		.function = part->begin,
		.row = &part->row[0],
		.agreed = part->agreed,
		.outcome = FLOW_ROW_PROVEN,
		.verdict = &verdict,
		.state = &state,
	};

	flow_state_enter(&state);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i))
			state.reg[i] = (struct value) { .kind = VALUE_UNKNOWN };
	for (size_t i = 0; i < part->code_count; i++)
		point.returns |= part->code[i].flow == CODE_RETURN;
	for (size_t i = 0; i < part->code_count; i++) {
		point.pc = part->code[i].pc;
		point.length = part->code[i].length;
		watch->point(watch->context, &point);
	}
}

/* Where it jumps to in the part, an instruction begins as the part is decoded straight on. */
static bool jumps_are_met(const struct flow_part *part)
{
	const struct code *end = part->code + part->code_count;

	for (const struct code *code = part->code; code < end; code++)
		if ((code->flow == CODE_BRANCH || code->flow == CODE_JUMP) &&
		    code->target - part->begin < part->end - part->begin &&
		    !part->code_at[code->target - part->begin])
			return false;
	return true;
}

bool lint_plain_is(const struct cfi *cfi, struct code_decoder *decoder,
		   struct flow_callees *callees, struct flow_part *part)
{
	uint64_t pc = part->begin;
	bool on = false;

	if (part->row_count != 1 || part->malformed || part->row[0].pc != part->begin ||
	    part->row[0].pc_end != part->end ||
	    part->row[0].reg[REGISTER_RIP].kind == RULE_UNDEFINED || !is_the_same(&part->row[0]) ||
	    !flow_row_is_entry(&part->row[0]) || flow_row_has_others(&part->row[0]))
		return false;
	while (pc < part->end) {
		const struct code *code = flow_part_code(part, decoder, pc);

		if (!code || !code->length || !leaves_alone(code) ||
		    leads_nowhere(cfi, callees, part, code))
			return false;
		if (!code->is_padding)
			on = code->flow == CODE_NEXT || code->flow == CODE_BRANCH;
		pc += code->length;
	}
	if (on || !jumps_are_met(part) || tables_lead_inside(cfi, callees, part))
		return false; /* it goes on behind its end, or in the middle of an instruction */
	return true;
}
