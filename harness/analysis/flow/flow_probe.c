/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_probe.c - functions that only touch the stack
 *
 * Where a frame is larger than a page, Rust and MinGW's compilers have it touched page by page:
 *
 *	mov eax, 0x1e08
 *	call __rust_probestack
 *	sub rsp, rax
 *
 * That function leaves rax alone, against the psABI. It has no symbol in a stripped image, so its code
 * is asked: a short one without calls that writes no rax.
 */
#include "flow.h"

#define PROBE_BYTES 128u

static bool leaves_rax(const struct flow_part *part, const struct code *code)
{
	bool inside = code->target >= part->begin && code->target < part->end;

	if (!code->length || code->written & 1u << REGISTER_RAX || code->system_call)
		return false;
	switch (code->flow) {
	case CODE_NEXT:
	case CODE_RETURN:
	case CODE_STOP: return true;
	case CODE_JUMP:
	case CODE_BRANCH: return inside;
	default: return false;
	}
}

/* The function at pc only touches the stack: it leaves rax as it was. */
static int is_probe(const struct flow_world *world, uint64_t pc, bool *ret, struct error *error)
{
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, pc);
	struct flow_part *part;
	enum flow_reason reason;
	bool returns = false;

	*ret = false;
	if (!fde || fde->pc_begin != pc || fde->pc_range > PROBE_BYTES)
		return 0;
	if (flow_part_create(world->cfi, fde, &part, &reason, error))
		return -1;
	while (part && pc < part->end) {
		const struct code *code = flow_part_code(part, world->decoder, pc);

		if (!code || !leaves_rax(part, code))
			break;
		returns |= code->flow == CODE_RETURN;
		pc += code->length;
	}
	*ret = part && pc == part->end && returns;
	flow_part_destroy(part);
	return 0;
}

/* The call's size of a frame is taken off rsp behind it: rax is what it was, if that is a probe. */
int flow_probe_call(struct flow *flow, struct flow_part *part, const struct code *call,
		    const struct value *rax, struct flow_state *state, struct error *error)
{
	uint64_t next = call->pc + call->length;
	const struct code *code;
	bool probe;

	if (call->flow != CODE_CALL || rax->kind != VALUE_CONSTANT || next >= part->end)
		return 0;
	code = flow_part_code(part, flow->world->decoder, next);
	if (!code)
		return error_set(error, ERROR_MEMORY, NULL, 0, "the ways through a function");
	if (code->effect != EFFECT_SUBTRACT_REGISTER || code->reg != REGISTER_RSP ||
	    code->source != REGISTER_RAX)
		return 0;
	if (is_probe(flow->world, call->target, &probe, error))
		return -1;
	if (probe)
		state->reg[REGISTER_RAX] = *rax;
	return 0;
}
