/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_breaking.c - functions that come back without a register that callees preserve
 *
 * By the psABI (3.2.1) a function hands rbx, rbp and r12 to r15 back as it found them, and lint takes that for granted of
 * what it can't see. But routines of assembly that are called in the same file keep to what they agree on with
 * their callers: they hand results over in such registers, or bring a register back that the caller has saved.
 *
 *	f:	call next		next:	lodsq
 *		...				mov rbx, rax
 *						ret
 *
 * A function that is seen to do so is believed, not the psABI: behind its call the register is not known. Seen is
 * what a way brings to the return that is sure: another value; or one of which nothing is known, in a function
 * whose ways are all seen, that nowhere puts the register aside, nor has a rule that says so. So is the end of one
 * that goes on in such a function.
 *
 * What one function does is known when it has been followed, which may be after its callers were. Then all of the
 * image's are followed once more. There are few images that have any.
 */
#include <stdlib.h>
#include "array.h"
#include "flow.h"

static int compare(const void *left, const void *right)
{
	const struct flow_breaker *a = left, *b = right;

	return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static uint32_t find(const struct flow_breaker *known, size_t count, uint64_t pc)
{
	const struct flow_breaker key = { .pc = pc };
	const struct flow_breaker *found =
		count ? bsearch(&key, known, count, sizeof(*known), compare) : NULL;

	return found ? found->registers : 0;
}

/* ---- what a function does ------------------------------------------------------------------- */

/* Some of the function's ways are perhaps none: what all bring together says little. */
static bool is_doubtful(const struct flow *flow)
{
	return flow->round.guessed_end || flow->found.too_large;
}

/* The function puts it aside, or a row of it says that it does. */
static bool puts_aside(const struct flow_part *part, uint8_t reg)
{
	for (size_t i = 0; i < part->row_count; i++) {
		const enum rule_kind kind = part->row[i].reg[reg].kind;

		if (kind != RULE_UNSPECIFIED && kind != RULE_UNDEFINED && kind != RULE_SAME_VALUE)
			return true;
	}
	for (size_t i = 0; i < part->code_count; i++)
		if (part->code[i].source == reg)
			return true;
	return false;
}

static bool has_put_aside(const struct flow *flow, uint8_t reg)
{
	for (size_t i = 0; i < flow->part_count; i++)
		if (puts_aside(flow->part[i], reg))
			return true;
	return false;
}

void flow_breaking_return(struct flow *flow, const struct flow_state *state,
			  const struct flow_way *way)
{
	if (way->unsure || way->beyond)
		return;
	for (uint32_t left = FLOW_PRESERVED & ~(1u << REGISTER_RSP); left; left &= left - 1) {
		unsigned int reg = (unsigned int)__builtin_ctz(left);
		const struct value *value = &state->reg[reg];

		if (value->kind == VALUE_UNKNOWN || value_is_part(value))
			flow->found.perhaps_breaks |= 1u << reg;
		else if (value->kind != VALUE_ENTRY || value->reg != reg || value->number)
			flow->found.breaks |= 1u << reg;
	}
}

void flow_breaking_leave(struct flow *flow, uint64_t pc, const struct flow_way *way)
{
	const struct flow_breaking *breaking = flow->world->breaking;

	if (breaking && !way->unsure && !way->beyond)
		flow->found.breaks |= find(breaking->known, breaking->known_count, pc);
}

static void add(struct flow_breaking *breaking, uint64_t pc, uint32_t registers)
{
	if (!registers)
		return;
	if (ARRAY_GROW(breaking->found, breaking->found_count))
		breaking->found[breaking->found_count++] = (struct flow_breaker) { pc, registers };
	else
		breaking->no_memory = true;
}

void flow_breaking_pass(struct flow_breaking *breaking, const struct flow_part *part)
{
	uint32_t registers = 0;

	for (size_t i = 0; breaking->known_count && i < part->code_count; i++) {
		const struct code *code = &part->code[i];

		if ((code->flow == CODE_JUMP || code->flow == CODE_BRANCH) &&
		    (code->target < part->begin || code->target >= part->end))
			registers |= find(breaking->known, breaking->known_count, code->target);
	}
	add(breaking, part->begin, registers);
}

void flow_breaking_note(struct flow_breaking *breaking, const struct flow *flow)
{
	uint32_t registers = flow->found.breaks;

	for (uint32_t left = is_doubtful(flow) ? 0
					       : flow->found.perhaps_breaks & ~flow->found.breaks;
	     left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctz(left);

		if (!has_put_aside(flow, reg))
			registers |= 1u << reg;
	}
	add(breaking, flow->function, registers & ~flow_row_unruled(flow->part[0]->agreed));
}

/* ---- who calls it --------------------------------------------------------------------------- */

void flow_breaking_call(const struct flow_world *world, const struct code *call,
			struct flow_state *state)
{
	const struct flow_breaking *breaking = world->breaking;

	if (!breaking || call->flow != CODE_CALL)
		return;
	for (uint32_t left = find(breaking->known, breaking->known_count, call->target); left;
	     left &= left - 1)
		state->reg[__builtin_ctz(left)] = (struct value) { .kind = VALUE_UNKNOWN };
}

#define CALL	   0xe8
#define JUMP	   0xe9
#define JUMP_SHORT 0xeb

/* The bytes from at on look like a call or a jump: where it goes. */
static bool leads(const uint8_t *bytes, size_t size, size_t at, uint64_t pc, uint64_t *ret)
{
	const uint8_t byte = bytes[at];
	int32_t distance;

	if (byte == JUMP_SHORT || (byte & 0xf0) == 0x70) {
		if (size - at < 2)
			return false;
		*ret = pc + 2 + (uint64_t)(int64_t)(int8_t)bytes[at + 1];
		return true;
	}
	if (byte != CALL && byte != JUMP && !((byte & 0xf0) == 0x80 && at && bytes[at - 1] == 0x0f))
		return false;
	if (size - at < 1 + sizeof(distance))
		return false;
	memcpy(&distance, bytes + at + 1, sizeof(distance));
	*ret = pc + 1 + sizeof(distance) + (uint64_t)(int64_t)distance;
	return true;
}

static bool is_called(const struct flow_breaker *more, size_t count, const struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		const uint8_t *bytes = image_bytes(image, segment->vaddr, segment->file_bytes);
		uint64_t target;

		for (size_t at = 0; segment->executable && bytes && at < segment->file_bytes; at++)
			if (leads(bytes, segment->file_bytes, at, segment->vaddr + at, &target) &&
			    target >= more[0].pc && target <= more[count - 1].pc &&
			    find(more, count, target))
				return true;
	}
	return false;
}

/* Sorts them; of each function one is left. */
static size_t merge(struct flow_breaker *breaker, size_t count)
{
	size_t kept = 0;

	qsort(breaker, count, sizeof(*breaker), compare);
	for (size_t i = 0; i < count; i++)
		if (kept && breaker[kept - 1].pc == breaker[i].pc)
			breaker[kept - 1].registers |= breaker[i].registers;
		else
			breaker[kept++] = breaker[i];
	return kept;
}

bool flow_breaking_learn(struct flow_breaking *breaking, const struct image *image)
{
	size_t more = 0;
	bool again;

	if (!breaking->found_count)
		return false;
	breaking->found_count = merge(breaking->found, breaking->found_count);
	for (size_t i = 0; i < breaking->found_count; i++) {
		struct flow_breaker *found = &breaking->found[i];
		uint32_t known = find(breaking->known, breaking->known_count, found->pc);

		if (found->registers & ~known)
			breaking->found[more++] = *found;
	}
	again = more && is_called(breaking->found, more, image);
	for (size_t i = 0; i < more && again; i++) {
		if (!ARRAY_GROW(breaking->known, breaking->known_count)) {
			breaking->no_memory = true;
			return false;
		}
		breaking->known[breaking->known_count++] = breaking->found[i];
	}
	if (again)
		breaking->known_count = merge(breaking->known, breaking->known_count);
	breaking->found_count = 0;
	return again;
}

void flow_breaking_deinit(struct flow_breaking *breaking)
{
	free(breaking->known);
	free(breaking->found);
}
