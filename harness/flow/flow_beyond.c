/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_beyond.c - whose code lies behind a call that may never come back
 *
 * No row says it, and perhaps no symbol: the function's, or another's that is nobody's way. Both are tried. A
 * way that goes on there is beyond the call, and what it meets says whose it is. It is the function's if
 *
 *	it comes to an instruction that another way of the function leads to, with the same rsp or frame
 *	pointer: nobody jumps into the middle of somebody else's code; or
 *	it returns, or calls in place of a return, with the frame taken down that the function had set up, and
 *	all that callees preserve as it was: another function doesn't know that frame.
 *
 * Then the function is followed again, with what is known now. In the end what is still not seen to be the
 * function's is left out.
 */
#include <stdlib.h>
#include "array.h"
#include "flow/flow.h"

#define ROUNDS_MAX 16 /* in each, something behind calls was found to be the function's */

static void find_own(struct flow *flow, uint32_t number)
{
	while (number && !flow->beyond[number - 1].own) {
		flow->beyond[number - 1].own = true;
		flow->beyond_found = true;
		number = flow->beyond[number - 1].before;
	}
}

static int beyond_at(struct flow *flow, uint64_t pc, size_t *ret, struct error *error)
{
	for (*ret = 0; *ret < flow->beyond_count; ++*ret)
		if (flow->beyond[*ret].pc == pc)
			return 0;
	if (!ARRAY_GROW(flow->beyond, flow->beyond_count))
		return error_set(error, ERROR_MEMORY, NULL, 0, "the ways through a function");
	flow->beyond[flow->beyond_count++] = (struct flow_beyond) { .pc = pc };
	return 0;
}

int flow_beyond_pass(struct flow *flow, uint64_t pc, struct flow_way *way, bool *ret_on,
		     struct error *error)
{
	enum flow_whose whose = flow->world->beyond(flow->world->context, pc, way);
	struct flow_beyond *beyond;
	size_t number;

	*ret_on = whose != FLOW_ANOTHERS;
	if (whose != FLOW_PERHAPS_OWN)
		return 0;
	if (beyond_at(flow, pc, &number, error))
		return -1;
	beyond = &flow->beyond[number];
	if (beyond->own)
		return 0;
	*ret_on = !flow->beyond_settled;
	if (way->beyond != number + 1)
		beyond->before = way->beyond;
	way->beyond = (uint32_t)number + 1;
	return 0;
}

enum flow_meeting flow_beyond_meet(struct flow *flow, const struct flow_block *block,
				   const struct flow_state *state, const struct flow_way *way)
{
	if (!way->beyond == !block->beyond)
		return FLOW_MEET;
	if (!flow_state_same_frame(&block->state, state))
		return way->beyond ? FLOW_LEAVE_OUT : FLOW_REPLACE;
	find_own(flow, way->beyond ? way->beyond : block->beyond);
	return FLOW_MEET;
}

void flow_beyond_return(struct flow *flow, const struct flow_state *state,
			const struct flow_way *way)
{
	if (way->beyond && flow_state_is_entry(state))
		find_own(flow, way->beyond);
}

bool flow_beyond_again(struct flow *flow)
{
	bool open = false;

	if (flow->beyond_settled)
		return false;
	for (size_t i = 0; i < flow->beyond_count; i++)
		open |= !flow->beyond[i].own;
	if (!flow->beyond_found && !open)
		return false;
	flow->beyond_settled = !flow->beyond_found || ++flow->beyond_rounds == ROUNDS_MAX;
	flow->beyond_found = false;
	flow_forget(flow);
	return true;
}
