/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_middle.c - code in the middle of an FDE that is called
 *
 * Assembly calls inner routines of a function, and labels in the middle of another. A row there that is
 * right for the function is wrong for that caller, whose frame is a fresh one: so each such address is
 * an entry, too. Compilers write none, so they are looked for among all bytes that look like a call to
 * where no FDE begins. Whether that is one is asked when the code there is judged: an instruction must begin there
 * in the FDE's own code, which few chance bytes lead to, and one of the bytes' own FDE with them. Both are decoded from
 * their FDE's begin on.
 *
 * A call into the middle of an instruction counts if ways were seen to come to it.
 *
 * A function's symbol in the middle is an entry, too, if others can call what has it, though nobody was seen to.
 *
 * The stubs of a PLT are entries that are known. A call to the next instruction, or to a pop behind data,
 * asks where it is. Calls
 * by a register, and of addresses in data, are not known.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "analysis/flow/flow_callees.h"
#include "lint_extent.h"
#include "lint_judge.h"
#include "lint_middle.h"

#define CALL	   0xe8 /* call rel32 */
#define CALL_BYTES 5

/* A bit for each byte of code at which an FDE begins. */
struct begins {
	struct flow_code_map map;
	uint8_t *bits;
};

/* pc is code, and no FDE begins there. */
static bool is_inside(const struct begins *begins, uint64_t pc)
{
	const size_t at = flow_code_map_at(&begins->map, pc);

	return at != FLOW_CODE_NONE && !(begins->bits[at / 8] >> at % 8 & 1);
}

static int begins_init(struct begins *begins, const struct cfi *cfi, const bool *doubtful,
		       struct error *error)
{
	if (flow_code_map_init(&begins->map, cfi->image, error))
		return -1;
	begins->bits = calloc(begins->map.size / 8 + 1, 1);
	if (!begins->bits)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for an image's code");
	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		size_t at = flow_code_map_at(&begins->map, cfi->fde[cfi->by_pc[i]].pc_begin);

		if (at != FLOW_CODE_NONE && !doubtful[i])
			begins->bits[at / 8] |= (uint8_t)(1u << at % 8);
	}
	return 0;
}

/* ---- what looks like a call ----------------------------------------------------------------- */

static bool add_call(struct lint_middle *middle, const struct cfi_fde *from, uint64_t at,
		     uint64_t target)
{
	if (!ARRAY_RESERVE(middle->call, middle->room, middle->count + 1))
		return false;
	middle->call[middle->count++] =
		(struct lint_call) { .target = target, .from = from, .at = at };
	return true;
}

/* Of one FDE. False: no memory. */
static bool look_for_calls(struct lint_middle *middle, const struct begins *begins,
			   struct flow_callees *callees, const struct cfi_fde *fde)
{
	const uint8_t *bytes = flow_fde_bytes(middle->cfi->image, fde), *found;

	if (!bytes || fde->pc_range < CALL_BYTES)
		return true;
	for (uint64_t at = 0; at + CALL_BYTES <= fde->pc_range; at++) {
		uint64_t target;
		int32_t distance;

		found = memchr(bytes + at, CALL, fde->pc_range - CALL_BYTES + 1 - at);
		if (!found)
			break;
		at = (uint64_t)(found - bytes);
		memcpy(&distance, found + 1, sizeof(distance));
		target = fde->pc_begin + at + CALL_BYTES + (uint64_t)(int64_t)distance;
		if (distance && is_inside(begins, target) && !flow_is_stub(callees, target) &&
		    cfi_fde_find(middle->cfi, target) && !add_call(middle, fde, at, target))
			return false;
	}
	return true;
}

/* A function that others may call lies in the FDE of another one, and in what that one's symbol says to be its own.
 * (What lies behind that is an entry already: lint_extent_beyond().) */
static bool is_inner(const struct lint_middle *middle, const struct flow_callees *callees,
		     const struct image_symbol *symbol)
{
	const struct cfi_fde *fde = NULL;

	if (symbol->type == STT_FUNC && symbol->size && symbol->binding != STB_LOCAL)
		fde = cfi_fde_find(middle->cfi, symbol->pc);
	return fde && fde->pc_begin != symbol->pc && !flow_is_fragment(callees, symbol->pc) &&
	       lint_extent_beyond(middle->cfi, callees, fde, symbol->pc) != symbol->pc;
}

/* False: no memory. */
static bool add_inner(struct lint_middle *middle, const struct flow_callees *callees)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(middle->cfi->image, &count);

	for (size_t i = 0; i < count; i++)
		if (is_inner(middle, callees, &symbol[i]) &&
		    !add_call(middle, NULL, 0, symbol[i].pc))
			return false;
	return true;
}

static int compare_targets(const void *a, const void *b)
{
	const struct lint_target *left = a, *right = b;

	return left->pc < right->pc ? -1 : left->pc > right->pc;
}

/* False: no memory. */
static bool sort_targets(struct lint_middle *middle)
{
	middle->target = calloc(middle->count + 1, sizeof(*middle->target));
	if (!middle->target)
		return false;
	for (size_t i = 0; i < middle->count; i++)
		middle->target[i] = (struct lint_target) { middle->call[i].target, &middle->call[i],
							   false };
	qsort(middle->target, middle->count, sizeof(*middle->target), compare_targets);
	return true;
}

int lint_middle_init(struct lint_middle *middle, const struct cfi *cfi, const bool *doubtful,
		     struct code_decoder *decoder, struct flow_callees *callees,
		     struct error *error)
{
	struct begins begins = { .bits = NULL };
	bool memory = true;

	*middle = (struct lint_middle) { .cfi = cfi, .decoder = decoder };
	if (begins_init(&begins, cfi, doubtful, error)) {
		flow_code_map_deinit(&begins.map);
		return -1;
	}
	for (size_t i = 0; i < cfi->by_pc_count && memory; i++)
		memory = look_for_calls(middle, &begins, callees, &cfi->fde[cfi->by_pc[i]]);
	free(begins.bits);
	flow_code_map_deinit(&begins.map);
	if (!memory || !add_inner(middle, callees) || !sort_targets(middle))
		return error_set(error, ERROR_MEMORY, NULL, 0, "addresses that are called");
	return 0;
}

void lint_middle_deinit(struct lint_middle *middle)
{
	free(middle->call);
	free(middle->target);
}

/* ---- is it one? ----------------------------------------------------------------------------- */

/* The bytes are an instruction; *ret: which. What lies before them is decoded once for all that are in the FDE. */
static bool decode_call(const struct lint_middle *middle, struct lint_call *call, struct code *ret)
{
	const struct cfi_fde *fde = call->from;
	const uint8_t *bytes = flow_fde_bytes(middle->cfi->image, fde);
	struct lint_call *before = call;
	uint64_t now;

	if (!bytes)
		return false;
	while (!before->behind && before > middle->call && before[-1].from == fde)
		before--;
	now = before->behind;
	for (; before <= call; before++) {
		for (; now < before->at; now += ret->length ? ret->length : 1)
			code_decode(middle->decoder, fde->pc_begin + now, bytes + now,
				    fde->pc_range - now, ret);
		before->behind = now;
	}
	if (now != call->at)
		return false;
	code_decode(middle->decoder, fde->pc_begin + now, bytes + now, fde->pc_range - now, ret);
	return true;
}

/* The same in a part of which the rest will be asked for, too. *at: an instruction begins there, not behind pc. It
 * moves on. */
static bool part_begins_at(const struct lint_middle *middle, struct flow_part *part, uint64_t *at,
			   uint64_t pc)
{
	const struct code *code = NULL;

	for (; *at < pc; *at = flow_part_behind(code)) {
		code = flow_part_code(part, middle->decoder, *at);
		if (!code)
			return false;
	}
	return *at == pc;
}

static bool is_call(const struct lint_middle *middle, struct flow_part *part, uint64_t *at,
		    struct lint_call *call)
{
	const struct cfi_fde *fde = part ? part->fde : cfi_fde_find(middle->cfi, call->target);
	struct code code;

	if (part ? !part_begins_at(middle, part, at, call->target)
		 : !flow_part_begins(middle->cfi, middle->decoder, fde, call->target))
		return false;
	if (!call->from)
		return true;
	return decode_call(middle, call, &code) && code.flow == CODE_CALL &&
	       !flow_call_is_push(call->from, middle->cfi->image, middle->decoder,
				  code.pc + code.length, call->target);
}

/* The number of the first whose target is not before pc. */
static size_t first_from(const struct lint_middle *middle, uint64_t pc)
{
	size_t low = 0, high = middle->count;

	while (low < high) {
		size_t half = low + (high - low) / 2;

		if (middle->target[half].pc < pc)
			low = half + 1;
		else
			high = half;
	}
	return low;
}

uint64_t lint_middle_next(struct lint_middle *middle, struct flow_part *part, uint64_t begin,
			  uint64_t end)
{
	uint64_t at = part ? part->begin : 0;

	for (size_t i = first_from(middle, begin); i < middle->count && middle->target[i].pc < end;
	     i++) {
		struct lint_call *call = middle->target[i].call;

		if (call->is == LINT_CALL_UNASKED)
			call->is = is_call(middle, part, &at, call) ? LINT_CALL_IS_ONE
								    : LINT_CALL_IS_NONE;
		if (call->is == LINT_CALL_IS_ONE)
			return call->target;
	}
	return 0;
}

/* Calls of pc, or NULL. */
static struct lint_target *target_of(const struct lint_middle *middle, uint64_t pc)
{
	const size_t first = first_from(middle, pc);

	return first < middle->count && middle->target[first].pc == pc ? &middle->target[first]
								       : NULL;
}

void lint_middle_called(struct lint_middle *middle, uint64_t pc, uint64_t from)
{
	struct lint_target *target = target_of(middle, pc);

	if (target)
		target->from = from;
}

uint64_t lint_middle_caller(const struct lint_middle *middle, uint64_t pc)
{
	const struct lint_target *target = target_of(middle, pc);

	return target ? target->from : 0;
}

bool lint_middle_has_frame(const struct lint_middle *middle, uint64_t pc, int64_t bytes)
{
	const struct lint_target *end = middle->target + middle->count;

	for (const struct lint_target *target = target_of(middle, pc);
	     target && target < end && target->pc == pc; target++) {
		const struct lint_call *call = target->call;
		struct error error;
		struct row row;

		if (call->from && (cfi_row_find(middle->cfi, call->from->pc_begin + call->at, &row,
						&error) <= 0 ||
				   row.cfa.kind != RULE_CFA_REGISTER ||
				   row.cfa.reg != REGISTER_RSP || row.cfa.offset == bytes))
			return true;
	}
	return false;
}

void lint_middle_hidden(const struct lint_middle *middle, const struct lint_judge *judge,
			const struct flow_world *world)
{
	struct flow_state entry;

	flow_state_enter(&entry);
	for (size_t i = 0; i < middle->count; i++) {
		const struct lint_call *call = &middle->call[i];
		const struct cfi_fde *fde = call->from;
		uint64_t pc = fde ? fde->pc_begin + call->at : 0;

		/* Where ways came to, an instruction begins. */
		if (fde && call->is != LINT_CALL_IS_ONE && lint_judge_was_reached(judge, pc) &&
		    !flow_call_is_push(fde, middle->cfi->image, middle->decoder, pc + CALL_BYTES,
				       call->target))
			flow_reach(world, fde->pc_begin, call->target, &entry, FLOW_VALUE_UNKNOWN);
	}
}
