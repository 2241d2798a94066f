/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_walk.c - the instructions that paths through a range of code come to, each once
 *
 * Depth first: a path goes straight on as far as it can, and the branch that it met last is taken next.
 */
#include <stdlib.h>
#include "array.h"
#include "flow_walk.h"

void flow_walk_add(struct flow_walk *walk, uint64_t pc)
{
	if (!flow_walk_has(walk, pc))
		return;
	if (!walk->met)
		walk->met = calloc(walk->end - walk->begin, sizeof(*walk->met));
	if (!walk->met || !ARRAY_ADD(walk->worklist, walk->worklist_count, pc))
		flow_lack(walk->world, "the instructions of a function");
}

static void mark(struct flow_walk *walk, uint64_t pc, unsigned int length)
{
	walk->met[pc - walk->begin] |= FLOW_WALK_BEGINS;
	for (unsigned int i = 1; i < length && flow_walk_has(walk, pc + i); i++)
		walk->met[pc + i - walk->begin] |= FLOW_WALK_INSIDE;
}

/* The path goes on behind the instruction. */
static bool goes_on(struct flow_walk *walk, const struct code *code)
{
	if (code->flow == CODE_CALL)
		return !flow_never_returns_by_code(walk->world->callees, code->target);
	if (code->flow == CODE_BRANCH || code->flow == CODE_BEGIN || code->flow == CODE_JUMP)
		flow_walk_add(walk, code->target);
	return code_falls_through(code);
}

bool flow_walk_step(struct flow_walk *walk)
{
	const uint64_t pc = walk->pc, at = pc - walk->begin;
	struct code *code = &walk->code;

	if (!walk->on || !flow_walk_has(walk, pc))
		return false;
	walk->on = !(walk->met[at] & FLOW_WALK_BEGINS);
	if (!walk->on)
		return false;
	code_decode(walk->world->decoder, pc, walk->bytes + at, walk->size - at, code);
	if (code->flow != CODE_UNKNOWN)
		mark(walk, pc, code->length);
	walk->on = goes_on(walk, code);
	walk->pc += code->length;
	return true;
}

void flow_walk_deinit(struct flow_walk *walk)
{
	free(walk->met);
	free(walk->worklist);
}
