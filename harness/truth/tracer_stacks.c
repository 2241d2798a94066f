/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * tracer_stacks.c - which of the process's stacks a thread is on
 *
 * A stack is a range of rsp between two others, so a switch can't be seen from rsp alone. It is one
 * if
 *
 *	rsp is in another mapping	and no signal brought it there
 *	rsp was set, not moved,		(decode.c) in the same mapping, and what it was set to lies in the
 *					extent of a parked stack (stack_pool.h), or above all that this
 *					stack ever had, or below rsp and came from memory
 *
 * Within rsp and the stack's base it is a longjmp or the end of a function. Below rsp, from a
 * register, it is an array of variable length (clang sets rsp so): that is no switch unless the
 * stack is known.
 *
 * The stack that a thread leaves is parked; one that isn't known begins empty and unrooted: its
 * truth is a prefix. If the next that happens there is a call, and no return or jump before it, the
 * function that switched has gone on (-fsplit-stack's __morestack): the parked frames are open
 * below that call, and are brought back. A main stack that grew is still the same mapping: the
 * ranges overlap, or rsp is in none because nothing was written there yet.
 *
 * The stack that the kernel made for the process has no others in its mapping but those that lie in
 * its own frames: who goes there has these frames open above, and may come to them in a walk.
 *
 * Not seen: the first switch from a register to a lower stack of the same mapping, and to one that
 * is an array in an open frame; switches by a handler that is not left.
 */
#include "truth/tracer.h"

#define STACK_PAGE_MASK 4095ULL

static bool in_range(struct address_range range, uint64_t address)
{
	return address >= range.low && address < range.high;
}

/* Whether a stack whose rsp was at from can have its rsp at sp. */
static bool in_extent(const struct thread *thread, uint64_t from, uint64_t sp)
{
	return sp + STACK_SLACK >= from && sp <= thread->base + STACK_SLACK;
}

void thread_begin_stack(struct tracer *tracer, struct thread *thread, bool rooted)
{
	shadow_stack_deinit(&thread->shadow);
	shadow_stack_init(&thread->shadow, rooted);
	thread->may_continue = false;
	thread->root = thread->tid;
	if (!tracer_mapping_find(tracer, thread->regs.rsp, &thread->stack))
		thread->stack = (struct address_range) { 0 };
	/* The first thread's arguments lie above rsp; another's stack is where clone was told. */
	thread->base = thread->tid == tracer->pid ? thread->stack.high : thread->regs.rsp;
}

/* Puts the thread on a stack that was parked; what is on the one in use is forgotten. */
static void use(struct thread *thread, const struct parked_stack *parked)
{
	shadow_stack_deinit(&thread->shadow);
	thread->shadow = parked->shadow;
	thread->stack = parked->range;
	thread->base = parked->base;
	thread->root = parked->root;
	thread->may_continue = false;
}

static int park(struct tracer *tracer, struct thread *thread, uint64_t sp)
{
	struct parked_stack left = {
		.range = thread->stack,
		.sp = sp,
		.base = thread->base,
		.root = thread->root,
		.shadow = thread->shadow,
	};

	thread->left = stack_pool_park(&tracer->stacks, &left);
	if (!thread->left)
		return tracer_out_of_memory(tracer);
	shadow_stack_init(&thread->shadow, false);
	return 0;
}

/* Nothing has happened on the stack that was switched to last: as if it had not been. *ret_sp: rsp
 * on the one before. False: another thread is on that one. */
static bool switch_back(struct tracer *tracer, struct thread *thread, uint64_t *ret_sp)
{
	struct parked_stack left;

	thread->may_continue = false;
	if (!stack_pool_take_number(&tracer->stacks, thread->left, &left))
		return false;
	use(thread, &left);
	*ret_sp = left.sp;
	tracer->counters.stack_switches--;
	return true;
}

/* The thread is on another stack, at sp: parks this one, and brings back that one or an empty
 * one. */
static int change_stack(struct tracer *tracer, struct thread *thread, uint64_t sp,
			struct address_range range, struct parked_stack *known)
{
	uint64_t from = thread->regs.rsp;

	if (thread->may_continue && known && known->number == thread->left) {
		use(thread, known);
		tracer->counters.stack_switches--;
		return 0;
	}
	if (thread->may_continue && switch_back(tracer, thread, &from) && !known &&
	    in_extent(thread, from, sp))
		return 0;
	if (park(tracer, thread, from)) {
		if (known)
			shadow_stack_deinit(&known->shadow);
		return -1;
	}
	tracer->counters.stack_switches++;
	if (known) {
		use(thread, known);
	} else {
		thread->base = sp;
		thread->root = 0;
		thread->may_continue = true;
	}
	thread->stack = range;
	return 0;
}

/* rsp is in the mapping where it was: is this another stack? */
static int follow_in_mapping(struct tracer *tracer, struct thread *thread, uint64_t sp)
{
	enum sp_source source = thread->next.sp_source;
	uint64_t from = thread->regs.rsp;
	struct parked_stack known;

	/* Handlers and what they interrupted may have one mapping, too: shadow_stack_move() knows. */
	if (thread->shadow.region_count)
		return 0;
	if (source == SP_MOVED || (sp >= from && sp <= thread->base)) {
		if (sp > thread->base)
			thread->base = sp;
		return 0;
	}
	if (stack_pool_take(&tracer->stacks, sp, &tracer->memory, &known))
		return change_stack(tracer, thread, sp, thread->stack, &known);
	if (in_extent(thread, from, sp)) {
		if (sp > thread->base)
			thread->base = sp;
		return 0;
	}
	if (sp < from && (source != SP_FROM_MEMORY || thread->root == tracer->pid))
		return 0;
	return change_stack(tracer, thread, sp, thread->stack, NULL);
}

int thread_follow_stack(struct tracer *tracer, struct thread *thread, uint64_t sp)
{
	struct address_range *stack = &thread->stack;
	struct address_range range;
	struct parked_stack known;

	if (in_range(*stack, sp))
		return follow_in_mapping(tracer, thread, sp);
	if (shadow_stack_on_region(&thread->shadow, sp) || sp == stack->high)
		return 0;
	if (!tracer_mapping_find(tracer, sp, &range)) {
		/* Not written yet. Taken as grown, so that this is asked once a page. */
		if (sp < stack->low)
			stack->low = sp & ~STACK_PAGE_MASK;
		return 0;
	}
	if (!stack->high || (range.low < stack->high && stack->low < range.high)) {
		if (!stack->high)
			thread->base = range.high;
		*stack = range;
		return follow_in_mapping(tracer, thread, sp);
	}

	bool is_known = stack_pool_take(&tracer->stacks, sp, &tracer->memory, &known);

	return change_stack(tracer, thread, sp, range, is_known ? &known : NULL);
}

int thread_continue_stack(struct tracer *tracer, struct thread *thread)
{
	struct address_range here = thread->stack;
	uint64_t base = thread->base, from;

	if (!switch_back(tracer, thread, &from))
		return 0;
	tracer->counters.stack_switches++;
	/* In one mapping with the stack that goes on below: up to that one, or from it on. */
	if (in_range(here, from)) {
		if (base > thread->base)
			here.low = thread->base;
		here.high = base;
	}
	if (!shadow_stack_continue(&thread->shadow, here.low, here.high))
		return tracer_out_of_memory(tracer);
	return 0;
}
