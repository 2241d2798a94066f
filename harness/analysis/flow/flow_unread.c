/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_unread.c - what ways bring that nobody sees
 *
 * A computed jump whose targets are not known leads on in the function: to code that no other way reaches, and
 * from there back, or at once to what others reach, too. What is known at such jumps is kept: lint holds
 * rows against it. Without rows nothing says what the jump brings. So it may come to each block that
 * has its stack pointer, and a register that callees preserve is what it was there only if it is at the
 * jump, and if what the jump alone reaches doesn't write it. With rows that is so of what one register has of another.
 *
 * That rsp is the same where such ways come back, and that words that keep registers are not overwritten, is
 * taken for granted: compilers keep to it.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow.h"
#include "flow_callees.h"

/* A return, or to the dynamic linker. */
static bool leaves(const struct flow *flow, const struct code *jump, const struct flow_state *state)
{
	struct value to = flow_effect_jump(state, jump);

	return value_is_return(&to) || flow_is_binder(flow->world->callees, jump->pc);
}

static size_t find(const struct flow *flow, uint64_t pc)
{
	size_t i = 0;

	while (i < flow->unread.count && flow->unread.jump[i].pc != pc)
		i++;
	return i;
}

void flow_unread_forget(struct flow *flow, uint64_t pc)
{
	size_t i = find(flow, pc);

	if (i < flow->unread.count)
		flow->unread.jump[i] = flow->unread.jump[--flow->unread.count];
}

int flow_unread_note(struct flow *flow, const struct flow_part *part, const struct code *jump,
		     const struct flow_state *state, struct error *error)
{
	size_t i = find(flow, jump->pc);

	if (!part->silent && leaves(flow, jump, state))
		return 0;
	if (i == flow->unread.count) {
		if (!ARRAY_GROW(flow->unread.jump, flow->unread.count))
			return error_set(error, ERROR_MEMORY, NULL, 0,
					 "the ways through a function");
		flow->unread.count++;
	}
	flow->unread.jump[i].pc = jump->pc;
	flow_state_copy(&flow->unread.jump[i].state, state);
	return 0;
}

/* ---- what the jump alone reaches -------------------------------------------------------------- */

struct gap {
	struct flow *flow;
	struct flow_part *part;
	uint8_t *leads_back; /* of each byte of the part: from the instruction there */
	uint32_t written;    /* by those; what they pop was there before */
	bool changed, no_memory;
};

bool flow_unread_leads(const struct flow *flow, uint64_t pc)
{
	for (size_t i = 0; i < flow->unread.back_count; i++)
		if (flow->unread.back[i] == pc)
			return true;
	return false;
}

/* An instruction that no way reached leads to pc. True: from there back. */
static bool lead(struct gap *gap, uint64_t pc)
{
	const struct flow_part *part = gap->part;
	struct flow *flow = gap->flow;

	if (pc < part->begin || pc >= part->end)
		return false;
	if (!part->block_at[pc - part->begin])
		return gap->leads_back[pc - part->begin];
	if (flow_unread_leads(flow, pc))
		return true;
	if (ARRAY_GROW(flow->unread.back, flow->unread.back_count))
		flow->unread.back[flow->unread.back_count++] = pc;
	else
		gap->no_memory = true;
	return true;
}

static bool leads_back(struct gap *gap, const struct code *code)
{
	bool jumps = code->flow == CODE_BRANCH || code->flow == CODE_BEGIN ||
		     code->flow == CODE_JUMP;
	bool back = jumps && lead(gap, code->target);

	if (code->flow == CODE_JUMP || code->flow == CODE_JUMP_INDIRECT ||
	    code->flow == CODE_RETURN || code->flow == CODE_STOP || code->flow == CODE_UNKNOWN)
		return back;
	return lead(gap, code->pc + code->length) || back;
}

static void sweep(struct gap *gap)
{
	struct flow_part *part = gap->part;
	struct code code;

	for (uint64_t pc = part->begin; pc < part->end; pc += code.length) {
		uint64_t at = pc - part->begin;

		code_decode(gap->flow->world->decoder, pc, part->bytes + at, part->end - pc, &code);
		if (!code.length) {
			code.length = 1;
			continue;
		}
		if (part->block_at[at] || gap->leads_back[at] || !leads_back(gap, &code))
			continue;
		gap->leads_back[at] = 1;
		gap->changed = true;
		gap->written |= code.effect == EFFECT_POP ? 0 : code.written;
		if (code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT)
			gap->written |= ~(uint32_t)FLOW_PRESERVED;
	}
}

static int find_back(struct flow *flow, uint32_t *ret_written, struct error *error)
{
	*ret_written = 0;
	for (size_t i = 0; i < flow->part_count; i++) {
		struct flow_part *part = flow->part[i];
		struct gap gap = { .flow = flow, .part = part, .changed = true };

		if (!part->silent)
			continue;
		gap.leads_back = calloc(part->end - part->begin, 1);
		gap.no_memory = !gap.leads_back;
		while (gap.changed && !gap.no_memory) {
			gap.changed = false;
			sweep(&gap);
		}
		free(gap.leads_back);
		*ret_written |= gap.written;
		if (gap.no_memory)
			return error_set(error, ERROR_MEMORY, NULL, 0,
					 "the ways through a function");
	}
	return 0;
}

/* ---- what is not known then -------------------------------------------------------------------- */

/* Where rsp is known on neither way, rbp tells a function's frame from the one that was taken down. */
static bool same_frame(const struct flow_state *a, const struct flow_state *b)
{
	const struct value *rsp = &a->reg[REGISTER_RSP];

	return value_equal(rsp, &b->reg[REGISTER_RSP]) &&
	       (value_is_stack(rsp) ||
		value_is_stack(&a->reg[REGISTER_RBP]) == value_is_stack(&b->reg[REGISTER_RBP]));
}

/* What a register of the caller held is in another one: code may take it back from there. */
static bool is_copy(const struct value *value, unsigned int reg)
{
	return value->kind == VALUE_ENTRY && value->reg != reg && FLOW_PRESERVED >> value->reg & 1;
}

/* silent: no row says what the jump may bring. Else rows are held against it (lint_unread.c), but what code takes
 * back from a copy they don't say. */
static bool lose(struct flow_state *state, const struct flow_state *at_jump, uint32_t written,
		 bool silent)
{
	bool changed = false;

	if (!same_frame(state, at_jump))
		return false;
	for (unsigned int i = 0; i < REGISTER_GPR_COUNT; i++) {
		struct value *value = &state->reg[i];
		bool kept = silent && FLOW_PRESERVED >> i & 1 && value->kind == VALUE_ENTRY &&
			    value->reg == i;
		bool stack = silent && FLOW_PRESERVED >> i & 1 && value_is_stack(value);
		bool copy = is_copy(value, i);

		if (i == REGISTER_RSP || (!kept && !stack && !copy) ||
		    (value_equal(value, &at_jump->reg[i]) && !((kept || copy) && written >> i & 1)))
			continue;
		*value = (struct value) { .kind = VALUE_UNKNOWN };
		changed = true;
	}
	return changed;
}

/* The block that passes through pc, where one is to begin. */
static int part_block(struct flow *flow, uint64_t pc, struct error *error)
{
	for (size_t i = 0; i < flow->part_count; i++) {
		const struct flow_part *part = flow->part[i];
		uint32_t number;

		if (pc < part->begin || pc >= part->end)
			continue;
		number = part->block_at[pc - part->begin];
		if (number && flow->block[number - 1].pc != pc)
			return flow_enqueue(flow, number - 1, error);
	}
	return 0;
}

#define ALIKE 8 /* of those before it, each jump is compared with so many */

/* The numbers of jumps at which registers hold different things, as far as it is seen; the caller's, free(). Mostly there
 * are many jumps and few such. NULL: no memory. */
static size_t *find_unlike(const struct flow *flow, size_t *ret_count)
{
	size_t *number = malloc(flow->unread.count * sizeof(*number)), count = 0;

	for (size_t k = 0; number && k < flow->unread.count; k++) {
		bool alike = false;

		for (size_t i = 1; i <= ALIKE && i <= count && !alike; i++)
			alike = !memcmp(flow->unread.jump[number[count - i]].state.reg,
					flow->unread.jump[k].state.reg,
					sizeof(flow->unread.jump[k].state.reg));
		if (!alike)
			number[count++] = k;
	}
	*ret_count = count;
	return number;
}

static int lose_all(struct flow *flow, uint32_t written, struct error *error)
{
	size_t count, *number = find_unlike(flow, &count);
	int result = 0;

	if (!number)
		return error_set(error, ERROR_MEMORY, NULL, 0, "the ways through a function");
	for (uint32_t i = 0; i < flow->block_count && !result; i++) {
		bool changed = false;

		for (size_t k = 0; k < count; k++)
			changed |= lose(&flow->block[i].state, &flow->unread.jump[number[k]].state,
					written, flow->block[i].part->silent);
		if (changed)
			result = flow_enqueue(flow, i, error);
	}
	free(number);
	return result;
}

int flow_unread_doubt(struct flow *flow, struct error *error)
{
	size_t known = flow->unread.back_count;
	uint32_t written;

	if (!flow->unread.count)
		return 0;
	if (find_back(flow, &written, error))
		return -1;
	for (; known < flow->unread.back_count; known++)
		if (part_block(flow, flow->unread.back[known], error))
			return -1;
	return lose_all(flow, written, error);
}
