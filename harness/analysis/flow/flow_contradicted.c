/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_contradicted.c - code behind a call that perhaps never returns, where others come with another frame
 *
 *	1:	call array_bound_error	; never returns, which nothing says
 *	2:	push 36			; declared as behind the call: rsp+48
 *		call more_stack
 *		pop r10
 *		jmp 3f			; wrong by that: rsp+8 is declared
 *
 * A jump leads to 2 with rsp+8. The row there is right for the way behind the call alone, and wrong for the jump: that is a
 * finding. If the call returns, two frames meet at 2. If it doesn't, the row is wrong for all who come, and what
 * lies behind is as it is for the jump. So what only follows from the call's return accuses nobody, unless the
 * callee is seen to return.
 */
#include "array.h"
#include "flow.h"
#include "flow_callees.h"

bool flow_is_contradicted(const struct flow *flow, uint64_t pc, const struct flow_way *way)
{
	for (size_t i = 0; way->weak && i < flow->contradicted_count; i++)
		if (flow->contradicted[i] == pc)
			return true;
	return false;
}

/* By its code, which is here. */
static bool is_seen_to_return(const struct flow *flow, uint64_t callee)
{
	return callee && flow_comes_to_return(flow->world->callees, callee);
}

int flow_contradict(struct flow *flow, uint64_t pc, uint64_t callee, struct error *error)
{
	for (size_t i = 0; i < flow->contradicted_count; i++)
		if (flow->contradicted[i] == pc)
			return 0;
	if (is_seen_to_return(flow, callee))
		return 0;
	if (!ARRAY_GROW(flow->contradicted, flow->contradicted_count))
		return error_set(error, ERROR_MEMORY, NULL, 0, "the ways through a function");
	flow->contradicted[flow->contradicted_count++] = pc;
	flow->round.contradicts = true;
	return 0;
}
