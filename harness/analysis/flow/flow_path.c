/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_path.c - which jumps lead from the function's entry to an instruction
 *
 * Each block knows one instruction that leads to it. From there to the block that this lies in, and
 * on to the entry, is one way; what is known at the end is so on every way. Of a long one the jumps next
 * to the end are kept.
 */
#include <string.h>
#include "flow.h"

#define STEPS_MAX 4096 /* blocks that are gone back through */

/* It goes elsewhere than to the next instruction, which begins at pc. */
static bool is_jump(const struct flow *flow, struct flow_part *part, uint64_t from, uint64_t pc)
{
	const struct code *code = flow_part_code(part, flow->world->decoder, from);

	return code && (from + code->length != pc || code->flow == CODE_JUMP ||
			code->flow == CODE_JUMP_INDIRECT);
}

void flow_path_find(const struct flow *flow, uint64_t from, uint64_t pc, struct flow_path *ret)
{
	uint64_t jump[FLOW_PATH_MAX]; /* the last first */
	size_t count = 0, steps = 0;

	for (; from && count < FLOW_PATH_MAX && steps < STEPS_MAX; steps++) {
		struct flow_part *part = flow_known_part(flow, from);
		uint32_t number = part ? part->block_at[from - part->begin] : 0;

		if (!number)
			return; /* a flow that was begun anew: nothing is said */
		if (is_jump(flow, part, from, pc)) {
			for (size_t i = 0; i < count; i++)
				if (jump[i] == from)
					return; /* the entry's way was another: it came round */
			jump[count++] = from;
		}
		pc = flow->block[number - 1].pc;
		from = flow->block[number - 1].from;
	}
	ret->known = steps < STEPS_MAX;
	if (!ret->known)
		return;
	ret->cut = from != 0;
	ret->count = (uint8_t)count;
	for (size_t i = 0; i < count; i++)
		ret->jump[i] = jump[count - 1 - i];
}
