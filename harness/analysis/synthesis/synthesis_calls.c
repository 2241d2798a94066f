/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_calls.c - where the code of FDEs leads to, outside of them
 *
 * Each FDE is gone through from its begin along all its branches. Behind a call that never returns nothing
 * is looked at: bytes there may be none of the program's.
 */
#include <stdlib.h>
#include "array.h"
#include "analysis/flow/flow_part.h"
#include "analysis/flow/flow_image.h"
#include "synthesis.h"

struct walk {
	const struct cfi *cfi;
	struct code_decoder *decoder;
	struct flow_callees *callees;
	synthesis_leads_fn fn;
	void *context;
	const struct cfi_fde *fde;
	const uint8_t *bytes;
	uint8_t *seen;	/* a bit for each byte of the FDE */
	uint64_t *todo; /* where ways begin */
	size_t todo_count;
	bool no_memory;
};

static void go(struct walk *walk, uint64_t pc)
{
	if (pc < walk->fde->pc_begin || pc - walk->fde->pc_begin >= walk->fde->pc_range) {
		walk->fn(walk->context, pc, SYNTHESIS_JUMP);
		return;
	}
	if (!ARRAY_GROW(walk->todo, walk->todo_count)) {
		walk->no_memory = true;
		return;
	}
	walk->todo[walk->todo_count++] = pc;
}

/* True: the way goes on behind the instruction. */
static bool pass(struct walk *walk, const struct code *code)
{
	uint64_t taken = flow_taken_by(walk->cfi->image, code);

	walk->fn(walk->context, code->pc, SYNTHESIS_REACHED);
	if (taken)
		walk->fn(walk->context, taken, SYNTHESIS_TAKEN);
	switch (code->flow) {
	case CODE_NEXT:
	case CODE_CALL_INDIRECT: return true;
	case CODE_CALL:
		if (code->target == code->pc + code->length)
			return true;
		walk->fn(walk->context, code->target, SYNTHESIS_CALL);
		return !flow_never_returns_by_code(walk->callees, code->target);
	case CODE_BRANCH:
	case CODE_BEGIN: go(walk, code->target); return true;
	case CODE_JUMP: go(walk, code->target); return false;
	case CODE_JUMP_INDIRECT:
	case CODE_RETURN:
	case CODE_STOP:
	case CODE_UNKNOWN: return false;
	}
	return false;
}

static void follow(struct walk *walk, uint64_t pc)
{
	uint64_t end = walk->fde->pc_begin + walk->fde->pc_range;
	bool on = true;

	while (on && pc < end) {
		uint64_t at = pc - walk->fde->pc_begin;
		struct code code;

		if (walk->seen[at / 8] & 1u << at % 8)
			return;
		walk->seen[at / 8] |= (uint8_t)(1u << at % 8);
		code_decode(walk->decoder, pc, walk->bytes + at, end - pc, &code);
		on = code.length && pass(walk, &code);
		pc += code.length;
	}
}

int synthesis_calls(const struct cfi *cfi, size_t first, size_t end, struct code_decoder *decoder,
		    struct flow_callees *callees, synthesis_leads_fn fn, void *context,
		    struct error *error)
{
	struct walk walk = {
		.cfi = cfi, .decoder = decoder, .callees = callees, .fn = fn, .context = context
	};

	for (size_t i = 0; i < cfi->by_pc_count && !walk.no_memory; i++) {
		if (cfi->by_pc[i] < first || cfi->by_pc[i] >= end)
			continue;
		walk.fde = &cfi->fde[cfi->by_pc[i]];
		walk.bytes = flow_fde_bytes(cfi->image, walk.fde);
		if (!walk.bytes)
			continue;
		walk.seen = calloc(walk.fde->pc_range / 8 + 1, 1);
		walk.no_memory = !walk.seen;
		if (walk.seen)
			go(&walk, walk.fde->pc_begin);
		while (walk.todo_count && !walk.no_memory)
			follow(&walk, walk.todo[--walk.todo_count]);
		free(walk.seen);
	}
	free(walk.todo);
	return walk.no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "calls") : 0;
}
