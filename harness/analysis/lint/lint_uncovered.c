/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_uncovered.c - how far code goes on that no FDE covers
 *
 * From where it is reached the instructions are passed as they stand in memory: to the next FDE, to the next
 * function's symbol, or to where no way goes on and none of their jumps leads further. Whoever stands in between
 * has no row either.
 */
#include <elf.h>
#include <string.h>
#include "cfi/code_name.h"
#include "analysis/flow/flow_callees.h"
#include "lint_begin.h"
#include "lint_uncovered.h"

#define UNCOVERED_BYTES_MAX (1u << 20)

/* The instruction there; false: the file has nothing there. */
static bool code_there(const struct flow_world *world, uint64_t pc, struct code *ret)
{
	size_t size;
	const uint8_t *bytes = image_bytes_most(world->cfi->image, pc, CODE_BYTES_MAX, &size);

	if (bytes)
		code_decode(world->decoder, pc, bytes, size, ret);
	return bytes != NULL;
}

/* What is called, or jumped to, is code, whatever its symbol says. */
static bool leads(const struct flow_world *world, uint64_t from, uint64_t pc)
{
	struct code code;

	return code_there(world, from, &code) && code.target == pc &&
	       (code.flow == CODE_CALL || code.flow == CODE_JUMP || code.flow == CODE_BRANCH);
}

bool lint_uncovered_is_none(const struct flow_world *world, uint64_t pc, uint64_t from)
{
	const uint8_t *bytes = image_bytes(world->cfi->image, pc, 2);
	struct code code;

	return (bytes && !bytes[0] && !bytes[1]) || !code_there(world, pc, &code) ||
	       code.is_padding ||
	       (from && image_is_data(world->cfi->image, pc) && !leads(world, from, pc));
}

bool lint_uncovered_is_call(const struct flow_world *world, uint64_t pc)
{
	struct code code;

	return code_there(world, pc, &code) && code.flow == CODE_CALL;
}

uint64_t lint_uncovered_end(const struct flow_world *world, const struct object *object,
			    uint64_t pc)
{
	const struct object_section *section = object ? object_section_find(object, pc) : NULL;
	const struct image_segment *segment = image_code_segment(world->cfi->image, pc);

	uint64_t end = section	 ? section->vaddr + section->size
		       : segment ? segment->vaddr + segment->file_bytes
				 : pc;
	uint64_t next = lint_begin_next(world->cfi, pc);

	return next < end ? next : end;
}

/* The code that pc lies in goes on there, in the same section and before another function. */
static bool is_more(const struct flow_world *world, uint64_t pc, uint64_t at)
{
	const struct image *image = world->cfi->image;
	const struct image_symbol *symbol = image_symbol_find(image, at);
	struct code_name first, here;

	if (symbol && symbol->pc == at && symbol->type == STT_FUNC)
		return at == pc;
	code_name_find(image, world->cfi, pc, &first);
	code_name_find(image, world->cfi, at, &here);
	return !strcmp(first.section, here.section);
}

/* No way goes on behind it. */
static bool is_last(const struct flow_world *world, const struct code *code)
{
	switch (code->flow) {
	case CODE_CALL:
		return flow_never_returns(world->callees, code->target) ||
		       flow_never_returns_by_code(world->callees, code->target);
	case CODE_NEXT:
	case CODE_BRANCH:
	case CODE_BEGIN:
	case CODE_CALL_INDIRECT: return false;
	default: return true;
	}
}

/* At an instruction's end, and at limit at the latest. */
static uint64_t end_of(const struct flow_world *world, const struct object *object, uint64_t pc,
		       uint64_t limit)
{
	uint64_t at = pc, furthest = pc, end = lint_uncovered_end(world, object, pc);
	const uint8_t *bytes;
	struct code code;
	size_t size;

	if (end > limit)
		end = limit;
	if (end - pc > UNCOVERED_BYTES_MAX)
		end = pc + UNCOVERED_BYTES_MAX;
	while (at < end && is_more(world, pc, at)) {
		bytes = image_bytes_most(world->cfi->image, at, CODE_BYTES_MAX, &size);
		if (!bytes)
			break;
		code_decode(world->decoder, at, bytes, size, &code);
		if (!code.length)
			break;
		at += code.length;
		if ((code.flow == CODE_BRANCH || code.flow == CODE_BEGIN ||
		     code.flow == CODE_JUMP) &&
		    code.target > furthest && code.target < end)
			furthest = code.target;
		if (is_last(world, &code) && furthest < at)
			break;
	}
	return at > pc ? at : pc + 1;
}

bool lint_uncovered_is_unknown(const struct cfi *cfi, const struct object *object)
{
	for (size_t i = 0; object && object->cfi_unknown && i < cfi->fde_count; i++)
		if (!image_code_segment(cfi->image, cfi->fde[i].pc_begin))
			return true;
	return false;
}

void lint_uncovered_tell(struct lint_judge *judge, const struct flow_world *world,
			 const struct object *object, const struct lint_addresses *uncovered)
{
	if (lint_uncovered_is_unknown(world->cfi, object))
		return;
	for (size_t i = 0; i < uncovered->count; i++) {
		uint64_t pc = uncovered->address[i];
		uint64_t next = i + 1 < uncovered->count ? uncovered->address[i + 1] : UINT64_MAX;

		lint_judge_uncovered(judge, pc, end_of(world, object, pc, next));
	}
}
