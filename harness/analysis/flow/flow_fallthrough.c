/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_fallthrough.c - whose code lies behind a call that may never come back
 *
 * No row says it, and perhaps no symbol: the function's, or another's that is nobody's path. Both are tried. A
 * path that goes on there is beyond the call, and what it meets says whose it is. It is the function's if
 *
 *	it comes to an instruction that another path of the function leads to, with the same rsp or frame
 *	pointer: nobody jumps into the middle of somebody else's code; or
 *	it returns, or calls in place of a return, with the frame taken down that the function had set up, and
 *	all that callees preserve as it was: another function doesn't know that frame.
 *
 * Where a symbol lets suppose that it is the function's, one of these is asked for only if something contradicts that:
 *
 *	a call with the stack not aligned, while it was behind the call (psABI, 3.2.2): code there that sets up a
 *	frame of its own is another function's; or
 *	a call of what only a landing pad calls, or a return, or a jump to another function, with the frame still set up.
 *
 * An address alone says less than a symbol: there must be a call with the stack aligned, too, and none of these. What
 * neither calls nor returns may be anybody's.
 *
 * Then the function is followed again, with what is known now. In the end what is still not seen to be the
 * function's is left out.
 */
#include <stdlib.h>
#include "array.h"
#include "flow_paths.h"

#define STACK_ALIGNMENT 16
#define ROUNDS_MAX	16 /* in each, something behind calls was found to be the function's */

static void find_own(struct flow *flow, uint32_t number)
{
	while (number && !flow->after.code[number - 1].own) {
		flow->after.code[number - 1].own = true;
		flow->after.found = true;
		number = flow->after.code[number - 1].before;
	}
}

/* NULL: none is known there. */
static struct flow_fallthrough *find_after(const struct flow *flow, uint64_t pc)
{
	return ARRAY_FIRST(flow->after.code, flow->after.count, one, one->pc == pc);
}

/* NULL: no memory. */
static struct flow_fallthrough *code_after(struct flow *flow, uint64_t pc)
{
	struct flow_fallthrough *known = find_after(flow, pc);

	if (!known &&
	    !ARRAY_ADD(flow->after.code, flow->after.count, (struct flow_fallthrough) { .pc = pc }))
		flow_lack_ways(flow);
	return known ? known : find_after(flow, pc);
}

/* ---- what is supposed, and contradicted -------------------------------------------------------- */

static bool is_contradicted(const struct flow *flow, uint64_t pc)
{
	const struct flow_fallthrough *known = find_after(flow, pc);

	return known && known->contradicted;
}

static void suppose(struct flow *flow, uint64_t pc, struct flow_path *path)
{
	if (!ARRAY_ADD(flow->after.supposed, flow->after.supposed_count,
		       (struct flow_supposed) { pc, path->supposed }))
		flow_lack_ways(flow);
	path->supposed = (uint32_t)flow->after.supposed_count;
}

void flow_fallthrough_join(const struct flow *flow, struct flow_block *block,
			   const struct flow_path *path)
{
	if (block->supposed && block->supposed != path->supposed &&
	    (!path->supposed || flow->after.supposed[block->supposed - 1].pc !=
					flow->after.supposed[path->supposed - 1].pc))
		block->supposed = 0;
}

/* What is supposed of the code behind that call; whole: any before it may be the call that never comes back. */
static void contradict(struct flow *flow, uint32_t number, bool whole)
{
	for (; number; number = whole ? flow->after.supposed[number - 1].before : 0) {
		struct flow_fallthrough *code = code_after(flow,
							   flow->after.supposed[number - 1].pc);

		if (code && !code->contradicted)
			code->contradicted = flow->after.found = true;
	}
}

/* The same of what is likely: it is not, nor is what the path was beyond before. */
static void refute(struct flow *flow, uint32_t number)
{
	/* In loops it may have been beyond itself. */
	for (size_t left = flow->after.count; number && left; left--) {
		flow->after.code[number - 1].contradicted = true;
		number = flow->after.code[number - 1].before;
	}
}

static bool is_aligned(const struct value *rsp)
{
	return rsp->number % STACK_ALIGNMENT == 0;
}

/* Code that is likely to be the function's calls something. */
static void note_call(struct flow *flow, uint32_t number, const struct code *call,
		      const struct value *rsp)
{
	struct flow_fallthrough *fallthrough = &flow->after.code[number - 1];

	if (call->flow == CODE_CALL && flow_lands(flow->world->callees, call->target))
		refute(flow, number);
	else if (rsp->kind == VALUE_CFA && !is_aligned(rsp))
		fallthrough->contradicted = true;
	else if (rsp->kind == VALUE_CFA)
		fallthrough->calls = true;
}

void flow_fallthrough_call(struct flow *flow, const struct code *call,
			   const struct flow_state *state, const struct flow_path *path)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (flow->followed)
		return;
	if (path->fallthrough)
		note_call(flow, path->fallthrough, call, rsp);
	if (!path->supposed)
		return;
	if (call->flow == CODE_CALL && flow_lands(flow->world->callees, call->target))
		contradict(flow, path->supposed, true);
	else if (rsp->kind == VALUE_CFA && !is_aligned(rsp))
		contradict(flow, path->supposed, false);
}

void flow_fallthrough_leave(struct flow *flow, const struct flow_state *state,
			    const struct flow_path *path)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (flow->followed || rsp->kind != VALUE_CFA || rsp->number == -8 ||
	    flow_callee_pop_returns(state))
		return;
	refute(flow, path->fallthrough);
	contradict(flow, path->supposed, true);
}

/* ---- what is not known ------------------------------------------------------------------------- */

bool flow_fallthrough_pass(struct flow *flow, uint64_t pc, const struct flow_state *state,
			   struct flow_path *path)
{
	enum flow_whose whose = flow->world->fallthrough(flow->world->context, pc, path);
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const bool aligned = rsp->kind == VALUE_CFA && is_aligned(rsp);
	struct flow_fallthrough *fallthrough;
	uint32_t number;

	if (whose == FLOW_ANOTHERS)
		return false;
	if (path->callee && flow_certainly_returns(flow->world->callees, path->callee))
		return true;
	if (whose == FLOW_SUPPOSED_OWN && !is_contradicted(flow, pc)) {
		if (aligned)
			suppose(flow, pc, path);
		return true;
	}
	fallthrough = whose == FLOW_OWN ? NULL : code_after(flow, pc);
	if (!fallthrough || fallthrough->own)
		return true;
	fallthrough->likely = whose == FLOW_LIKELY_OWN && aligned;
	number = (uint32_t)(fallthrough - flow->after.code) + 1;
	if (path->fallthrough != number)
		fallthrough->before = path->fallthrough;
	path->fallthrough = number;
	return !flow->after.settled;
}

enum flow_meeting flow_fallthrough_meet(struct flow *flow, const struct flow_block *block,
					const struct flow_state *state,
					const struct flow_path *path)
{
	if (!path->fallthrough == !block->fallthrough)
		return FLOW_MEET;
	if (!flow_state_same_frame(&block->state, state))
		return path->fallthrough ? FLOW_LEAVE_OUT : FLOW_REPLACE;
	find_own(flow, path->fallthrough ? path->fallthrough : block->fallthrough);
	return FLOW_MEET;
}

void flow_fallthrough_return(struct flow *flow, const struct flow_state *state,
			     const struct flow_path *path)
{
	if (path->fallthrough && flow_state_is_entry(state))
		find_own(flow, path->fallthrough);
}

bool flow_fallthrough_again(struct flow *flow)
{
	bool open = false;

	if (flow->after.settled)
		return false;
	for (size_t i = 0; i < flow->after.count; i++) {
		struct flow_fallthrough *fallthrough = &flow->after.code[i];

		if (!fallthrough->own && fallthrough->likely && fallthrough->calls &&
		    !fallthrough->contradicted)
			fallthrough->own = flow->after.found = true;
		open |= !fallthrough->own;
	}
	if (!flow->after.found && !open)
		return false;
	flow->after.settled = !flow->after.found || ++flow->after.rounds == ROUNDS_MAX;
	flow->after.found = false;
	flow_forget(flow);
	return true;
}
