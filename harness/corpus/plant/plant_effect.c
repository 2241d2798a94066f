/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * plant_effect.c - whether a planted row leads a run astray, from the truth alone
 *
 * Not every wrong row is wrong in every run: the slot below rsp that a lost restore still points at
 * holds the right value until something else is pushed there. So that nothing is excused, each
 * point is asked: the truth gives a frame's own registers (rip, rsp, and the callee-saved ones as
 * they were at the call), the planted row takes one step from them, and the truth says what must
 * come out. No engine's stack and no verdict plays a part.
 */
#include <string.h>
#include "array.h"
#include "plant.h"
#include "walk/walk_rows.h"

bool plant_image_address(const struct point *point, const char *path, uint64_t pc,
			 uint64_t *ret_vaddr)
{
	const struct mapping *mapping = address_space_find(point->space, pc);

	if (!mapping || !mapping->path || strcmp(mapping->path, path) != 0)
		return false;
	*ret_vaddr = pc - mapping->bias;
	return true;
}

/* Which DWARF register each of the truth's callee-saved values is. */
static const uint8_t saved_register[CALLEE_SAVED_COUNT] = { REGISTER_RBX, REGISTER_RBP,
							    REGISTER_R12, REGISTER_R13,
							    REGISTER_R14, REGISTER_R15 };

/* The registers of the frame that a shadow frame returns to. A handler may change where what it
 * interrupted goes on: that is in the signal frame. */
static void true_caller(const struct point *point, const struct shadow_frame *frame,
			struct register_values *ret)
{
	*ret = (struct register_values) { .known = CALLEE_SAVED_MASK | 1u << REGISTER_RSP |
						   1u << REGISTER_RIP };
	for (unsigned int i = 0; i < CALLEE_SAVED_COUNT; i++)
		ret->value[saved_register[i]] = frame->callee_saved[i];
	ret->value[REGISTER_RSP] = frame->slot + 8;
	ret->value[REGISTER_RIP] = frame->return_address;
	if (frame->interrupted)
		point->memory->read(point->memory->context, frame->slot, &ret->value[REGISTER_RIP],
				    sizeof(uint64_t));
}

/* Is what a step found the true caller? Not in the shadow frame: rsp behind a signal frame, and the
 * registers that a handler must bring back. */
static bool is_true_caller(const struct point *point, const struct register_values *caller,
			   const struct shadow_frame *truth, bool is_handler)
{
	struct register_values right;
	uint32_t known;

	true_caller(point, truth, &right);
	known = right.known;
	if (truth->interrupted)
		known &= ~(1u << REGISTER_RSP);
	else if (is_handler)
		known &= ~CALLEE_SAVED_MASK;
	return !ARRAY_ANY(REGISTER_COUNT, reg,
			  known >> reg & 1 && (!(caller->known >> reg & 1) ||
					       caller->value[reg] != right.value[reg]));
}

bool plant_has_effect(const struct planting *planting, const struct point *point, const char *path)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	struct register_values regs = *point->regs, caller;
	bool exact_pc = true, flag_lost = false;

	if (shadow->in_transit)
		return false;
	for (size_t at = shadow->count;; at--) {
		const struct shadow_frame *truth = at ? &shadow->frame[at - 1] : NULL;
		bool is_handler = at > 1 && truth[-1].interrupted && !truth->interrupted;
		bool caller_exact = exact_pc, right, planted;
		uint64_t vaddr;

		planted = plant_image_address(point, path, regs.value[REGISTER_RIP] - !exact_pc,
					      &vaddr) &&
			  planting_range(planting, vaddr);
		caller = regs;
		right = !walk_rows_step(point->space, &caller, &caller_exact, point->memory);
		if (truth)
			right = right && is_true_caller(point, &caller, truth, is_handler);
		else /* outermost: the walk ends, whatever it gives as its reason (match.c) */
			right = !right;
		/* What was wrong before in an inner frame hides the outer ones. */
		if (!right)
			return planted || flag_lost;
		if (!truth)
			return false;
		/* All registers of what was interrupted are in the signal frame, and were compared
		 * as far as they are in the truth. Whether it goes on at its own PC is the signal
		 * frame's row to say. */
		flag_lost = truth->interrupted && !caller_exact;
		if (flag_lost && !planted)
			return false;
		if (truth->interrupted)
			regs = caller;
		else
			true_caller(point, truth, &regs);
		exact_pc = truth->interrupted && caller_exact;
	}
}
