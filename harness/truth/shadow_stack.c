/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * shadow_stack.c - calls seen so far -> the frames that are open now
 *
 * An entry is (address of the slot that holds the return address, return address). A call pushes
 * one; after any instruction, entries whose slot lies below rsp are gone, whatever removed them:
 *
 *	ret, ret n, `call; pop`		rsp rises over the slot
 *	longjmp, an exception		rsp rises over many slots at once
 *	a tail call			rsp does not move: the entry is the next function's
 *
 * So on one stack the slots fall strictly from the outermost entry to the innermost.
 *
 * A signal pushes two: the interrupted PC (its slot is the saved rip in struct ucontext) and the
 * restorer's address, which the kernel leaves as the handler's return address (psABI 3.4.1 says
 * nothing of it; arch/x86/kernel/signal_64.c does). A handler on an alternate stack
 * (sigaltstack(2)) may run above or below the stack it interrupted, so slots can't be compared
 * across the two: a region remembers the alternate stack's bounds and where its entries begin. While
 * rsp stays inside, only the region's entries may be dropped; once it leaves otherwise than by
 * rt_sigreturn, the handler was left by longjmp and all of them go.
 *
 * A function that goes to another stack in its middle and calls from there (__morestack of
 * -fsplit-stack, runtimes with a stack of their own for C) has a region in the same way: its frames stay
 * open below the call.
 *
 * Not done here: other ways to switch stacks (makecontext and the like); tracer_step.c keeps one
 * shadow stack for each, and tells the one from the other.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "truth/truth.h"

void shadow_stack_init(struct shadow_stack *stack, bool rooted)
{
	*stack = (struct shadow_stack) { .rooted = rooted };
}

void shadow_stack_deinit(struct shadow_stack *stack)
{
	free(stack->frame);
	free(stack->region);
	*stack = (struct shadow_stack) { 0 };
}

static bool reserve_frame(struct shadow_stack *stack)
{
	if (stack->count < stack->capacity)
		return true;

	size_t capacity = stack->capacity ? stack->capacity * 2 : 64;
	struct shadow_frame *frame = reallocarray(stack->frame, capacity, sizeof(*frame));

	if (!frame)
		return false;
	stack->frame = frame;
	stack->capacity = capacity;
	return true;
}

static bool push(struct shadow_stack *stack, struct shadow_frame frame)
{
	if (!reserve_frame(stack))
		return false;
	stack->frame[stack->count++] = frame;
	return true;
}

static bool push_region(struct shadow_stack *stack, uint64_t low, uint64_t high, bool called)
{
	if (stack->region_count == stack->region_capacity) {
		size_t capacity = stack->region_capacity ? stack->region_capacity * 2 : 4;
		struct shadow_region *region = reallocarray(stack->region, capacity,
							    sizeof(*region));

		if (!region)
			return false;
		stack->region = region;
		stack->region_capacity = capacity;
	}
	stack->region[stack->region_count++] = (struct shadow_region) {
		.low = low,
		.high = high,
		.first = stack->count,
		.called = called,
	};
	return true;
}

bool shadow_stack_continue(struct shadow_stack *stack, uint64_t low, uint64_t high)
{
	return push_region(stack, low, high, true);
}

static const struct shadow_region *top_region(const struct shadow_stack *stack)
{
	return stack->region_count ? &stack->region[stack->region_count - 1] : NULL;
}

static bool region_contains(const struct shadow_region *region, uint64_t sp)
{
	/* rsp of an empty stack is the first address after it. */
	return sp >= region->low && sp <= region->high;
}

bool shadow_stack_on_region(const struct shadow_stack *stack, uint64_t sp)
{
	for (size_t i = 0; i < stack->region_count; i++)
		if (region_contains(&stack->region[i], sp))
			return true;
	return false;
}

bool shadow_stack_move(struct shadow_stack *stack, uint64_t sp)
{
	size_t before = stack->count;
	const struct shadow_region *region = top_region(stack);

	while (region && !region_contains(region, sp)) {
		stack->count = region->first;
		stack->region_count--;
		region = top_region(stack);
	}

	/* The interrupted PC of a handler's region stays until the handler is left. */
	size_t floor = region ? region->first + !region->called : 0;

	while (stack->count > floor && stack->frame[stack->count - 1].slot < sp)
		stack->count--;
	return stack->count < before;
}

bool shadow_stack_call(struct shadow_stack *stack, uint64_t slot, uint64_t return_address,
		       const uint64_t *callee_saved)
{
	struct shadow_frame frame = { .slot = slot, .return_address = return_address };

	if (callee_saved)
		memcpy(frame.callee_saved, callee_saved, sizeof(frame.callee_saved));
	shadow_stack_move(stack, slot);
	stack->in_transit = false;
	return push(stack, frame);
}

bool shadow_stack_signal(struct shadow_stack *stack, const struct signal_frame *frame)
{
	bool on_alternate = frame->restorer_slot >= frame->alternate_low &&
			    frame->restorer_slot < frame->alternate_high;
	bool was_on_alternate = frame->interrupted_sp >= frame->alternate_low &&
				frame->interrupted_sp <= frame->alternate_high;

	if (on_alternate && !was_on_alternate &&
	    !push_region(stack, frame->alternate_low, frame->alternate_high, false))
		return false;
	struct shadow_frame interrupted = {
		.slot = frame->interrupted_slot,
		.return_address = frame->interrupted_pc,
		.interrupted = true,
	};

	memcpy(interrupted.callee_saved, frame->callee_saved, sizeof(interrupted.callee_saved));
	return push(stack, interrupted) && push(stack, (struct shadow_frame) {
							       .slot = frame->restorer_slot,
							       .return_address = frame->restorer,
						       });
}

void shadow_stack_sigreturn(struct shadow_stack *stack, uint64_t sp)
{
	size_t i = stack->count;

	while (i > 0 && !stack->frame[i - 1].interrupted)
		i--;
	if (i > 0) {
		stack->count = i - 1;
		while (stack->region_count && top_region(stack)->first >= stack->count)
			stack->region_count--;
	}
	shadow_stack_move(stack, sp);
}

bool shadow_stack_get(const struct shadow_stack *stack, uint64_t pc, struct stack *ret)
{
	size_t room = WALK_FRAMES_MAX - 1;
	size_t count = stack->count < room ? stack->count : room;
	bool whole = count == stack->count;

	ret->pc[0] = pc;
	for (size_t i = 0; i < count; i++)
		ret->pc[i + 1] = stack->frame[stack->count - 1 - i].return_address;
	ret->count = count + 1;
	if (!whole)
		ret->stop = STOP_DEPTH;
	else
		ret->stop = stack->rooted ? STOP_COMPLETE : STOP_NONE;
	return whole;
}
