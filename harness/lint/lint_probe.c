/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_probe.c - functions that only touch the stack
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
#include "lint/lint_flow.h"

#define PROBE_BYTES 128u

static bool leaves_rax(const struct lint_part *part, const struct code *code)
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

int lint_probe_find(const struct lint_world *world, uint64_t pc, bool *ret, struct error *error)
{
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, pc);
	struct lint_part *part;
	enum lint_reason reason;
	bool returns = false;

	*ret = false;
	if (!fde || fde->pc_begin != pc || fde->pc_range > PROBE_BYTES)
		return 0;
	if (lint_part_create(world->cfi, fde, &part, &reason, error))
		return -1;
	while (part && pc < part->end) {
		const struct code *code = lint_part_code(part, world->decoder, pc);

		if (!code || !leaves_rax(part, code))
			break;
		returns |= code->flow == CODE_RETURN;
		pc += code->length;
	}
	*ret = part && pc == part->end && returns;
	lint_part_destroy(part);
	return 0;
}
