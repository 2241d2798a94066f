/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * shadow_stack.c - calls seen so far -> the frames that are open now
 *
 * An entry is (address of the slot that holds the return address, return address). A call pushes
 * one; after any instruction, entries whose slot lies below rsp are gone, whatever removed them:
 *
 *	ret, ret n			rsp rises over the slot; the one way that proves the frame
 *	pop, add, lea			rsp rises over one slot: the frame is taken off
 *	longjmp, an exception		rsp rises over many slots at once
 *	a tail call			rsp does not move: the entry is the next function's
 *
 * So on one stack the slots fall strictly from the outermost entry to the innermost.
 *
 * A frame that was taken off may not be gone. Assembly pops its return address to keep it
 * elsewhere, puts rsp back and jumps on (OCaml's caml_c_call, vfork), or pops it and jumps to it.
 * So the last one is kept: it is put back if rsp comes to its slot again and the return address is
 * still there.
 *
 * Or it pops it, takes arguments off or pushes some, and pushes it at another slot (V8's builtins).
 * If the register that is stored there has had the return address all the time since, the frame is
 * open again in its new slot: it has moved. That is no more than likely, for a function may also
 * pass on its own PC as an argument. So what is said by a frame that moved is held back until it
 * returns through there. A copy of the return address further in, beside the word itself, leaves
 * the frame where it is, until a ret goes through the copy: then that was the frame's.
 *
 * What can't be decided is told to whoever watches (struct shadow_observer): a stack is disturbed
 * where several frames go at once, or rsp was set to what isn't computed from it.
 *
 * A signal pushes two: the interrupted PC (its slot is the saved rip in struct ucontext) and the
 * restorer's address, which the kernel leaves as the handler's return address (psABI 3.4.1 says
 * nothing of it; arch/x86/kernel/signal_64.c does). A handler on an alternate stack
 * (sigaltstack(2)) may run above or below the stack it interrupted, so slots can't be compared
 * across the two: a region remembers the alternate stack's bounds and where its entries begin.
 * While rsp stays inside, only the region's entries may be dropped; once it leaves otherwise than
 * by rt_sigreturn, the handler was left by longjmp and all of them go.
 *
 * A function that goes to another stack in its middle and calls from there (__morestack of
 * -fsplit-stack, runtimes with a stack of their own for C) has a region in the same way: its frames
 * stay open below the call.
 *
 * Not done here: other ways to switch stacks (makecontext and the like); step_stacks.c keeps one
 * shadow stack for each, and tells the one from the other.
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "array.h"
#include "shadow_stack.h"

void shadow_stack_init(struct shadow_stack *stack, bool rooted)
{
	*stack = (struct shadow_stack) { .rooted = rooted, .base = UINT64_MAX };
}

void shadow_stack_deinit(struct shadow_stack *stack)
{
	free(stack->frame);
	free(stack->region);
	*stack = (struct shadow_stack) { 0 };
}

bool shadow_stack_copy(const struct shadow_stack *stack, bool watched, struct shadow_stack *ret)
{
	*ret = *stack;
	ret->frame = NULL;
	ret->region = NULL;
	ret->capacity = ret->region_capacity = 0;
	ret->taken_off.watch = watched ? stack->taken_off.watch : 0;
	if (!ARRAY_RESERVE(ret->frame, ret->capacity, stack->count) ||
	    !ARRAY_RESERVE(ret->region, ret->region_capacity, stack->region_count)) {
		shadow_stack_deinit(ret);
		return false;
	}
	for (size_t i = 0; i < stack->count; i++) {
		ret->frame[i] = stack->frame[i];
		ret->frame[i].watch = watched ? stack->frame[i].watch : 0;
	}
	for (size_t i = 0; i < stack->region_count; i++)
		ret->region[i] = stack->region[i];
	return true;
}

static bool reserve_frame(struct shadow_stack *stack)
{
	return ARRAY_RESERVE(stack->frame, stack->capacity, stack->count + 1);
}

void shadow_stack_sum(struct shadow_stack *stack, size_t first)
{
	uint64_t sum = first ? stack->frame[first - 1].sum : 0;

	for (size_t i = first; i < stack->count; i++)
		stack->frame[i].sum = sum = hash_word(sum, stack->frame[i].return_address);
}

static bool push(struct shadow_stack *stack, struct shadow_frame frame)
{
	if (!reserve_frame(stack))
		return false;
	frame.epoch = stack->epoch;
	stack->readers = 0;
	stack->frame[stack->count++] = frame;
	shadow_stack_sum(stack, stack->count - 1);
	return true;
}

static void tell_end(const struct shadow_stack *stack, const struct shadow_frame *frame,
		     enum frame_end end, uint64_t target)
{
	const struct shadow_observer *observer = stack->observer;

	if (frame->watch && observer && observer->frame_ended)
		observer->frame_ended(observer->context, stack, frame, end, target);
}

static void tell_stray(const struct shadow_stack *stack, uint64_t slot, uint64_t target)
{
	const struct shadow_observer *observer = stack->observer;

	if (observer && observer->stray_return)
		observer->stray_return(observer->context, stack, slot, target);
}

static void tell_moved_ended(const struct shadow_stack *stack, const struct shadow_frame *frame,
			     bool returned)
{
	const struct shadow_observer *observer = stack->observer;

	if (frame->moved && observer && observer->moved_ended)
		observer->moved_ended(observer->context, stack, frame->slot, returned);
}

/* What became of the frame that was taken off. */
static void tell_settled(struct shadow_stack *stack, bool was_frame)
{
	const struct shadow_observer *observer = stack->observer;

	if (stack->taken_off.slot && observer && observer->settled)
		observer->settled(observer->context, stack, was_frame);
	stack->taken_off.slot = 0;
	stack->carriers = 0;
}

void shadow_stack_settle_taken_off(struct shadow_stack *stack)
{
	if (stack->taken_off.slot)
		tell_end(stack, &stack->taken_off, FRAME_TAKEN_OFF, 0);
	tell_settled(stack, false);
}

void shadow_stack_disturb(struct shadow_stack *stack)
{
	const struct shadow_observer *observer = stack->observer;

	stack->epoch++;
	if (observer && observer->disturbed)
		observer->disturbed(observer->context, stack);
}

/* The frames from first on are gone, otherwise than by a return. */
static void abandon(struct shadow_stack *stack, size_t first, enum frame_end end)
{
	if (first < stack->count)
		stack->readers = 0;
	for (size_t i = stack->count; i-- > first;) {
		tell_end(stack, &stack->frame[i], end, 0);
		tell_moved_ended(stack, &stack->frame[i], false);
	}
	stack->count = first;
}

void shadow_stack_end(struct shadow_stack *stack, enum frame_end end)
{
	shadow_stack_settle_taken_off(stack);
	stack->ends = end == FRAME_ABANDONED;
	abandon(stack, 0, end);
	stack->ends = false;
}

void shadow_stack_cut(struct shadow_stack *stack, size_t first)
{
	for (size_t i = first; i-- > 0;)
		tell_moved_ended(stack, &stack->frame[i], false);
	for (size_t i = 0; i < first; i++)
		tell_end(stack, &stack->frame[i], FRAME_LOST, 0);
	memmove(stack->frame, stack->frame + first,
		(stack->count - first) * sizeof(stack->frame[0]));
	stack->count -= first;
	shadow_stack_sum(stack, 0);
	while (stack->region_count && stack->region[0].first < first) {
		stack->region_count--;
		memmove(stack->region, stack->region + 1,
			stack->region_count * sizeof(stack->region[0]));
	}
	for (size_t i = 0; i < stack->region_count; i++)
		stack->region[i].first -= first;
	stack->rooted = false;
}

static bool push_region(struct shadow_stack *stack, uint64_t low, uint64_t high, bool called)
{
	if (!ARRAY_RESERVE(stack->region, stack->region_capacity, stack->region_count + 1))
		return false;
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
	/* rsp of an empty stack is the first address behind it. At its lowest address it is
	 * full, and who has that as an array of his own has rsp there (on_sig_stack(),
	 * include/linux/sched/signal.h). */
	return sp > region->low && sp <= region->high;
}

bool shadow_stack_on_region(const struct shadow_stack *stack, uint64_t sp)
{
	return ARRAY_ANY(stack->region_count, i,
			 !stack->region[i].called && region_contains(&stack->region[i], sp));
}

/* The frames whose slots lie below sp, from the innermost on: how many frames stay. */
static size_t frames_above(const struct shadow_stack *stack, size_t floor, uint64_t sp)
{
	size_t count = stack->count;

	while (count > floor && stack->frame[count - 1].slot < sp)
		count--;
	return count;
}

/* One frame goes, and rsp stands just above its slot, or a register has its return address. */
static void take_off(struct shadow_stack *stack)
{
	const struct shadow_observer *observer = stack->observer;

	shadow_stack_settle_taken_off(stack);
	stack->taken_off = stack->frame[--stack->count];
	stack->readers = 0;
	if (observer && observer->taken_off)
		observer->taken_off(observer->context, stack, stack->taken_off.slot);
}

static bool move(struct shadow_stack *stack, uint64_t sp, bool held)
{
	size_t before = stack->count;
	const struct shadow_region *region = top_region(stack);
	bool left = false;

	while (region && !region_contains(region, sp)) {
		abandon(stack, region->first, FRAME_ABANDONED);
		stack->region_count--;
		region = top_region(stack);
		left = true;
	}

	/* The interrupted PC of a handler's region stays until the handler is left. */
	size_t floor = region ? region->first + !region->called : 0;
	size_t stay = frames_above(stack, floor, sp);

	if (!left && stay + 1 == stack->count && !stack->frame[stay].interrupted &&
	    (held || stack->frame[stay].slot + sizeof(uint64_t) == sp)) {
		take_off(stack);
		return true;
	}
	abandon(stack, stay, FRAME_ABANDONED);
	if (stack->taken_off.slot && stack->count < before)
		shadow_stack_settle_taken_off(stack);
	if (left || stack->count < before)
		shadow_stack_disturb(stack);
	return stack->count < before;
}

bool shadow_stack_move(struct shadow_stack *stack, uint64_t sp)
{
	return move(stack, sp, false);
}

bool shadow_stack_move_held(struct shadow_stack *stack, uint64_t sp)
{
	return move(stack, sp, true);
}

/* A ret through a copy of the innermost frame's return address. */
static void return_copy(struct shadow_stack *stack, uint64_t slot, uint64_t target)
{
	const struct shadow_observer *observer = stack->observer;
	struct shadow_frame *top = &stack->frame[stack->count - 1];

	if (observer && observer->copy_returned)
		observer->copy_returned(observer->context, stack, slot, target);
	tell_moved_ended(stack, top, true);
	top->moved = true;
	stack->epoch++; /* it may have been an outer frame's, and rsp not where that one expects it */
	stack->count--;
	tell_end(stack, top, FRAME_RETURNED, target);
}

enum return_kind shadow_stack_return(struct shadow_stack *stack, uint64_t slot, uint64_t target,
				     uint64_t sp)
{
	struct shadow_frame *top = stack->count ? &stack->frame[stack->count - 1] : NULL;
	enum return_kind kind = RETURN_EXPECTED;
	bool copied = top && !top->interrupted && top->slot != slot && top->copied == slot &&
		      top->return_address == target;

	stack->carriers = stack->readers = 0;
	/* The code that took a frame off, deeper in, is done: it will not put it back. */
	if (stack->taken_off.slot && stack->taken_off.slot <= slot)
		shadow_stack_settle_taken_off(stack);
	/* What lies below rsp before the ret was dropped by the instruction before. */
	if (!copied && (!top || top->slot != slot || top->interrupted)) {
		tell_stray(stack, slot, target);
		stack->epoch++; /* which of the open frames are true is not certain any more */
		/* Who made the thread left it a return address: it began further out than
		 * thought. */
		if (stack->rooted && slot >= stack->base) {
			stack->rooted = false;
			stack->base = UINT64_MAX;
		}
		shadow_stack_move(stack, sp);
		return RETURN_STRAY;
	}
	if (copied) {
		return_copy(stack, slot, target);
		return shadow_stack_move(stack, sp) ? RETURN_DOUBLED : RETURN_COPIED;
	}
	/* Two in one slot: one of them never was, and all that was counted from it is wrong. */
	if (stack->count > 1 && top[-1].slot == slot) {
		tell_stray(stack, slot, target);
		abandon(stack, stack->count - 2, FRAME_LOST);
		shadow_stack_move(stack, sp);
		return RETURN_DOUBLED;
	}
	stack->count--;
	if (top->return_address == target) {
		tell_end(stack, top, FRAME_RETURNED, target);
	} else {
		kind = RETURN_REPLACED;
		stack->epoch++;
		tell_end(stack, top, FRAME_REPLACED, target);
	}
	tell_moved_ended(stack, top, kind == RETURN_EXPECTED);
	/* Nothing else goes: ret n takes off the caller's arguments, and no frame. */
	if (shadow_stack_move(stack, sp))
		kind = RETURN_DOUBLED;
	return kind;
}

bool shadow_stack_restores(struct shadow_stack *stack, uint64_t slot, const uint64_t *callee_saved)
{
	struct shadow_frame *top = stack->count ? &stack->frame[stack->count - 1] : NULL;

	/* A handler may go on with whatever registers it likes: the kernel brings back the
	 * others. */
	if (!top || top->slot != slot || (stack->count > 1 && top[-1].interrupted))
		return true;
	top->clobbered = memcmp(top->callee_saved, callee_saved, sizeof(top->callee_saved)) != 0;
	return !top->clobbered;
}

bool shadow_stack_jump(struct shadow_stack *stack, uint64_t pc, uint64_t sp)
{
	if (!stack->taken_off.slot || pc != stack->taken_off.return_address ||
	    sp < stack->taken_off.slot + sizeof(uint64_t))
		return false;
	tell_end(stack, &stack->taken_off, FRAME_RETURNED, pc);
	tell_settled(stack, true);
	return true;
}

void shadow_stack_popped_jump(const struct shadow_stack *stack, uint64_t slot, uint64_t target)
{
	const struct shadow_observer *observer = stack->observer;

	if (observer && observer->popped_jump)
		observer->popped_jump(observer->context, stack, slot, target);
}

bool shadow_stack_put_at(struct shadow_stack *stack, uint64_t slot)
{
	const struct shadow_observer *observer = stack->observer;
	struct shadow_frame frame = stack->taken_off;
	uint64_t epoch = frame.epoch;

	frame.moved |= slot != frame.slot;
	if (!frame.moved)
		tell_settled(stack, true);
	else if (observer && observer->moved)
		observer->moved(observer->context, stack, slot);
	stack->taken_off.slot = 0;
	stack->carriers = 0;
	frame.put_back = true;
	frame.slot = slot;
	frame.copied = 0;
	if (!push(stack, frame))
		return false;
	stack->frame[stack->count - 1].epoch = epoch;
	stack->in_transit = false;
	return true;
}

bool shadow_stack_put_back(struct shadow_stack *stack)
{
	return shadow_stack_put_at(stack, stack->taken_off.slot);
}

bool shadow_stack_call(struct shadow_stack *stack, uint64_t slot, uint64_t return_address,
		       const uint64_t *callee_saved)
{
	struct shadow_frame frame = { .slot = slot, .return_address = return_address };

	if (callee_saved)
		memcpy(frame.callee_saved, callee_saved, sizeof(frame.callee_saved));
	shadow_stack_move(stack, slot);
	if (stack->taken_off.slot && stack->taken_off.slot <= slot)
		shadow_stack_settle_taken_off(stack);
	stack->in_transit = false;
	stack->carriers = 0; /* the callee does as it likes with most of them */
	return push(stack, frame);
}

uint64_t registers_sum(const greg_t registers[SUMMED_REGISTERS])
{
	uint64_t sum = 0;

	for (int i = 0; i < SUMMED_REGISTERS; i++)
		sum = hash_word(sum, (uint64_t)registers[i]);
	return sum;
}

bool shadow_stack_signal(struct shadow_stack *stack, const struct signal_frame *frame)
{
	bool on_alternate = frame->restorer_slot >= frame->alternate_low &&
			    frame->restorer_slot < frame->alternate_high;
	bool was_on_alternate = frame->interrupted_sp > frame->alternate_low &&
				frame->interrupted_sp <= frame->alternate_high;

	if (on_alternate && !was_on_alternate &&
	    !push_region(stack, frame->alternate_low, frame->alternate_high, false))
		return false;
	struct shadow_frame interrupted = {
		.slot = frame->interrupted_slot,
		.return_address = frame->interrupted_pc,
		.interrupted_sp = frame->interrupted_sp,
		.interrupted_sum = frame->interrupted_sum,
		.interrupted = true,
	};

	stack->carriers = 0;
	memcpy(interrupted.callee_saved, frame->callee_saved, sizeof(interrupted.callee_saved));
	return push(stack, interrupted) && push(stack, (struct shadow_frame) {
							       .slot = frame->restorer_slot,
							       .return_address = frame->restorer,
						       });
}

void shadow_stack_leave_handler(struct shadow_stack *stack, uint64_t pc, uint64_t sp)
{
	size_t i = stack->count;

	while (i > 0 && !stack->frame[i - 1].interrupted)
		i--;
	if (i == 0)
		return;

	const struct shadow_frame frame = stack->frame[i - 1];
	bool goes_on = frame.return_address == pc && frame.interrupted_sp == sp;

	abandon(stack, i, FRAME_ABANDONED); /* none, if the handler has returned */
	stack->count--;
	tell_end(stack, &frame, goes_on ? FRAME_RETURNED : FRAME_REPLACED, pc);
	while (stack->region_count && top_region(stack)->first >= stack->count)
		stack->region_count--;
	if (frame.interrupted_sp != sp)
		shadow_stack_disturb(stack);
}

void shadow_stack_sigreturn(struct shadow_stack *stack, uint64_t pc, uint64_t sp)
{
	shadow_stack_leave_handler(stack, pc, sp);
	shadow_stack_move(stack, sp);
}

int shadow_stack_get(const struct shadow_stack *stack, uint64_t pc, struct stack *ret,
		     struct error *error)
{
	size_t room = stack_limit(ret) - 1;
	size_t count = stack->count < room ? stack->count : room;

	if (stack_reserve(ret, count + 1, error))
		return -1;
	ret->pc[0] = pc;
	for (size_t i = 0; i < count; i++)
		ret->pc[i + 1] = stack->frame[stack->count - 1 - i].return_address;
	ret->count = count + 1;
	if (count < stack->count)
		ret->stop = STOP_DEPTH;
	else
		ret->stop = stack->rooted ? STOP_COMPLETE : STOP_NONE;
	return 0;
}

/* A stack may have a frame more or less than the truth (a landing, or a claim); those outside of it
 * are the same. */
bool shadow_stack_is_interrupted(const struct shadow_stack *stack, const struct stack *frames,
				 uint32_t frame)
{
	size_t at = frames->count > stack->count ? frames->count - 1 - frame : stack->count - frame;

	return frame && at < stack->count && stack->frame[at].interrupted &&
	       (frames->count == stack->count + 1 ||
		stack->frame[at].return_address == stack_pc(frames, frame));
}
