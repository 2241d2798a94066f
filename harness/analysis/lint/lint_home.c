/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_home.c - whether an FDE's code is a function that is called, by how it ends
 *
 * A first row that has more than a return address on the stack is wrong where a call leads. A symbol is no call:
 * handlers have one, which the CPU enters with an error code there, and what a PLT's stubs push words for. Their code
 * shows it: it leaves by iret, or in no way that a called function does.
 */
#include "lint_begin.h"
#include "lint_home.h"

int lint_home_find(struct flow_world *world, const struct cfi_fde *fde, struct lint_home *ret,
		   struct error *error)
{
	struct flow_part *part;
	struct flow flow;
	enum flow_reason reason;
	bool hides;
	int result = 0;

	*ret = (struct lint_home) { false };
	if (flow_part_of(world, fde, &part, &reason, error))
		return -1;
	if (!part)
		return 0;
	hides = lint_begin_hides_caller(part);
	flow_init(&flow, world, part);
	if (!flow_part_silence(part))
		result = error_set(error, ERROR_MEMORY, NULL, 0, "rows of an FDE");
	if (!result)
		result = flow_follow(&flow, part->begin, NULL, error);
	if (!result)
		result = flow_visit(&flow, NULL, error);
	ret->returns =
		!hides &&
		(flow.found.returns_well || (flow.found.calls_home && !flow.found.has_return)) &&
		!flow.found.returns_unknown && !flow.found.returns_elsewhere &&
		!flow.found.breaks_convention && !flow.found.jump_unread && !flow.found.too_large;
	ret->returns_itself = ret->returns && flow.found.has_return;
	ret->handler = flow.found.is_handler;
	ret->refuted = flow.found.is_handler || flow.found.returns_elsewhere ||
		       flow.found.returned_to ||
		       (!flow.found.has_return && !flow.found.has_tail_call &&
			(hides || flow.found.jump_unread));
	flow_deinit(&flow);
	return result;
}
