/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_plain.c - fragments that never touch what their one row speaks of
 *
 * Small functions mostly have one row, and leave the stack and what callees preserve alone. Such a fragment is
 * proven whichever path its jumps go, if they go to its instructions. So it is decoded straight on, and no path is
 * followed. What it jumps by may be an entry of a table: those are read, as many as it may have.
 */
#include <elf.h>
#include <sys/syscall.h>
#include "array.h"
#include "flow_paths.h"

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

/* It leads to code that no FDE covers, or its table may: to what lies behind the fragment. */
static bool leads_nowhere(const struct flow_world *world, const struct flow_fragment *fragment,
			  const struct code *code)
{
	if (code->flow == CODE_JUMP_INDIRECT)
		return !cfi_fde_find(world->cfi, fragment->end) &&
		       !flow_is_stub(world->callees, code->pc);
	if (code->flow != CODE_CALL && code->flow != CODE_JUMP && code->flow != CODE_BRANCH)
		return false;
	return (code->target < fragment->begin || code->target >= fragment->end) &&
	       !cfi_fde_find(world->cfi, code->target);
}

/* ---- jump tables -------------------------------------------------------------------------- */

#define ENTRIES_MAX                                                                                \
	(1u << 17) /* of a fragment: where there are more to read, its paths are followed */

/* What is read as a table there, up to what leads to no code, leads into the middle of an instruction of the fragment. Or
 * there is more to read than *left, which gets less. */
static bool leads_inside(const struct flow_world *world, const struct flow_fragment *fragment,
			 uint64_t table, uint64_t count, uint8_t scale, uint64_t *left)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t target;

		if (!flow_jump_entry(world->cfi->image, table, scale, i, &target))
			return false;
		if (!(*left)--)
			return true;
		if (target - fragment->begin < fragment->end - fragment->begin) {
			if (!fragment->code_at[target - fragment->begin])
				return true;
		} else if (!cfi_fde_find(world->cfi, target)) {
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

/* The same of all addresses that the fragment makes or counts from, if it jumps by an entry of a table. */
static bool tables_lead_inside(const struct flow_world *world, const struct flow_fragment *fragment)
{
	const struct code *end = fragment->code + fragment->code_count;
	bool jumps = false, short_entries = false, long_entries = false, inside = false;
	uint64_t count = 0, left = ENTRIES_MAX;

	for (const struct code *code = fragment->code; code < end; code++) {
		const bool reads = code->has_memory && code->index != CODE_NO_REGISTER;

		count = entries_of(code) > count ? entries_of(code) : count;
		jumps |= code->flow == CODE_JUMP_INDIRECT &&
			 !flow_is_stub(world->callees, code->pc);
		short_entries |= reads && code->memory_bytes == 4;
		long_entries |= reads && code->memory_bytes == 8 &&
				world->cfi->image->type == ET_EXEC;
	}
	for (const struct code *code = fragment->code; jumps && !inside && code < end; code++) {
		const bool constant = code->effect == EFFECT_CONSTANT;
		const uint64_t table = (uint64_t)(constant ? code->constant : code->displacement);

		if (!constant && (!code->has_memory || code->base != CODE_NO_REGISTER))
			continue;
		inside = (short_entries && leads_inside(world, fragment, table, count, 4, &left)) ||
			 (long_entries && leads_inside(world, fragment, table, count, 8, &left));
	}
	return inside;
}

/* ---- fragments -------------------------------------------------------------------------------- */

/* It says the same wherever it is asked: an expression may count from rip, as that of a PLT does. */
static bool is_the_same(const struct row *row)
{
	return !ARRAY_ANY(REGISTER_COUNT, i,
			  row->reg[i].kind == RULE_EXPRESSION ||
				  row->reg[i].kind == RULE_VAL_EXPRESSION) &&
	       row->cfa.kind == RULE_CFA_REGISTER;
}

/* Where it jumps to in the fragment, an instruction begins as the fragment is decoded straight on. */
static bool jumps_are_met(const struct flow_fragment *fragment)
{
	const struct code *end = fragment->code + fragment->code_count;

	for (const struct code *code = fragment->code; code < end; code++)
		if ((code->flow == CODE_BRANCH || code->flow == CODE_JUMP) &&
		    code->target - fragment->begin < fragment->end - fragment->begin &&
		    !fragment->code_at[code->target - fragment->begin])
			return false;
	return true;
}

static bool is_plain(const struct flow_world *world, struct flow_fragment *fragment)
{
	uint64_t pc = fragment->begin;
	bool on = false;

	if (fragment->row_count != 1 || fragment->malformed ||
	    fragment->row[0].pc != fragment->begin || fragment->row[0].pc_end != fragment->end ||
	    fragment->row[0].reg[REGISTER_RIP].kind == RULE_UNDEFINED ||
	    !is_the_same(&fragment->row[0]) || !flow_row_is_entry(&fragment->row[0]) ||
	    flow_row_has_others(&fragment->row[0]))
		return false;
	while (pc < fragment->end) {
		const struct code *code = flow_fragment_code(fragment, world->decoder, pc);

		if (!code || !code->length || !leaves_alone(code) ||
		    leads_nowhere(world, fragment, code))
			return false;
		if (!code->is_padding)
			on = code->flow == CODE_NEXT || code->flow == CODE_BRANCH;
		pc += code->length;
	}
	if (on || !jumps_are_met(fragment) || tables_lead_inside(world, fragment))
		return false; /* it goes on behind its end, or in the middle of an instruction */
	return true;
}

bool flow_plain(struct flow_world *world, struct flow_fragment *fragment,
		struct flow_state *ret_state)
{
	if (!is_plain(world, fragment))
		return false;
	flow_clobbers_pass(world, fragment);
	if (!ret_state)
		return true;
	flow_state_enter(ret_state);
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i))
			ret_state->reg[i] = value_unknown();
	return true;
}
