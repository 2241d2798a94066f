/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * step_stacks.c - which of the process's stacks a thread is on
 *
 * A stack is a range of rsp between two others, so a switch can't be seen from rsp alone. It is one
 * if
 *
 *	rsp is in another mapping	and no signal brought it there
 *	rsp was set, not moved,		(decode.c) in the same mapping, and what it was set to lies in the
 *					extent of a parked stack (stack_pool.h), or above all that this
 *					stack ever had, or below rsp and was not computed from it
 *
 * What is computed from rsp (thread->derived, decode_registers.c) is an array of variable length,
 * or the end of one.
 *
 * Within rsp and the stack's base it is a longjmp, the end of a function, or a switch to a stack
 * that is an array in an open frame. If it drops frames, which of these can't be known yet. They
 * are taken for gone, and remembered: if rsp comes back to where they are, and they are still in
 * memory, it was a switch, and what was opened meanwhile is the other stack's. If an outer frame
 * returns, they are gone. And if the first ret takes a word that was pushed since, and goes to the
 * beginning of something
 * (makecontext's first entry), it was a switch, too. Meanwhile the stack counts as disturbed
 * (truth.h).
 *
 * The stack that a thread leaves is parked; one that isn't known begins empty and unrooted: its
 * truth is a prefix. If the next that happens there is a call, and no return or jump before it, the
 * function that switched has gone on (-fsplit-stack's __morestack): the parked frames are open
 * below that call, and are brought back. From then on the two are one stack to the pool: who
 * switches away from there parks both. If rsp comes back to where the function went from, the call
 * is over (or was left by longjmp). A main stack that grew is still the same mapping: the ranges
 * overlap, or rsp is in none because nothing was written there yet.
 *
 * The stack that the kernel made for the process has no others in its mapping but those that lie in
 * its own frames: who goes there has these frames open above, and may come to them in a walk.
 *
 * A switch down that was none, by an address that took a way which is not followed (a spilled one),
 * shows at the first return: it goes through the slot of the stack before, which is then back.
 *
 * rt_sigreturn sets rsp, too, from where the interrupted code had it: a handler may go on with
 * another stack than it has interrupted.
 *
 * Not seen: switches by a handler that is not left.
 */
#include "array.h"
#include "step_stacks.h"

#define STACK_PAGE_MASK 4095ULL

static bool in_range(struct address_range range, uint64_t address)
{
	return address >= range.low && address < range.high;
}

/* Whether a stack whose rsp was at from can have its rsp at sp. */
static bool in_extent(const struct stepped_thread *thread, uint64_t from, uint64_t sp)
{
	return sp + STACK_SLACK >= from && sp <= thread->base + STACK_SLACK;
}

int stepped_out_of_memory(struct stepped_process *process)
{
	return error_set(process->error, ERROR_MEMORY, NULL, 0, "out of memory for a shadow stack");
}

static void begin_shadow(struct stepped_process *process, struct stepped_thread *thread,
			 bool rooted)
{
	shadow_stack_init(&thread->shadow, rooted);
	thread->shadow.id = ++process->last_stack_id;
	thread->shadow.observer = process->observer;
}

/* Forgets what was presumed open; who watched it has been told. */
static void forget_presumed(struct stepped_thread *thread)
{
	if (thread->presumed.valid)
		shadow_stack_deinit(&thread->presumed.stack.shadow);
	thread->presumed.valid = false;
}

void stepped_end(struct stepped_thread *thread)
{
	forget_presumed(thread);
	shadow_stack_end(&thread->shadow, FRAME_ABANDONED);
	shadow_stack_deinit(&thread->shadow);
}

static void disturb(struct stepped_process *process, struct stepped_thread *thread)
{
	process->counters->disturbances++;
	shadow_stack_disturb(&thread->shadow);
}

void stepped_begin(struct stepped_process *process, struct stepped_thread *thread, bool rooted,
		   bool made)
{
	stepped_end(thread);
	begin_shadow(process, thread, rooted);
	if (rooted)
		thread->shadow.base = thread->regs.rsp;
	thread->derived = 0;
	thread->digest = thread->entries = (struct stacks_digest) { 0 };
	thread->may_continue = false;
	thread->root = thread->tid;
	if (!process->find_mapping(process->context, thread->regs.rsp, &thread->stack))
		thread->stack = (struct address_range) { 0 };
	thread->base = made ? thread->regs.rsp : thread->stack.high;
}

/* A parked stack as a forked process has it. root: its thread, in place of the one that has made it, maker. */
static bool copy_parked(const struct parked_stack *stack, pid_t maker, pid_t root,
			struct parked_stack *ret)
{
	*ret = *stack;
	if (ret->root == maker)
		ret->root = root;
	return shadow_stack_copy(&stack->shadow, false, &ret->shadow);
}

int stepped_inherit(struct stepped_process *process, struct stepped_thread *thread,
		    const struct stepped_process *of, const struct stepped_thread *maker)
{
	if (!shadow_stack_copy(&maker->shadow, false, &thread->shadow))
		return stepped_out_of_memory(process);
	thread->stack = maker->stack;
	thread->base = maker->base;
	thread->root = maker->root == maker->tid ? thread->tid : maker->root;
	thread->may_continue = maker->may_continue;
	thread->derived = maker->derived;
	thread->left = maker->left;
	thread->doubt = maker->doubt;
	thread->presumed = maker->presumed;
	if (thread->presumed.valid && !copy_parked(&maker->presumed.stack, maker->tid, thread->tid,
						   &thread->presumed.stack)) {
		thread->presumed.valid = false;
		return stepped_out_of_memory(process);
	}
	process->last_stack_id = of->last_stack_id;
	process->stacks.last_number = of->stacks.last_number;
	for (size_t i = 0; i < of->stacks.count; i++) {
		const struct parked_stack *parked = &of->stacks.parked[i];
		struct parked_stack copy;

		/* Who made the process is the only thread that it has. */
		if (parked->root && parked->root != maker->tid)
			continue;
		if (!ARRAY_GROW(process->stacks.parked, process->stacks.count) ||
		    !copy_parked(parked, maker->tid, thread->tid, &copy))
			return stepped_out_of_memory(process);
		process->stacks.parked[process->stacks.count++] = copy;
	}
	return 0;
}

/* Puts the thread on a stack that was parked; what is on the one in use is forgotten. */
static void use(struct stepped_thread *thread, const struct parked_stack *parked)
{
	shadow_stack_end(&thread->shadow, FRAME_LOST);
	shadow_stack_deinit(&thread->shadow);
	thread->derived = 0;
	thread->shadow = parked->shadow;
	thread->stack = parked->range;
	thread->base = parked->base;
	thread->root = parked->root;
	thread->may_continue = false;
}

static int park(struct stepped_process *process, struct stepped_thread *thread, uint64_t sp)
{
	struct parked_stack left = {
		.range = thread->stack,
		.sp = sp,
		.base = thread->base,
		.root = thread->root,
	};

	forget_presumed(thread);
	disturb(process, thread);
	left.shadow = thread->shadow;
	left.shadow.carriers = left.shadow.readers = 0;
	thread->left = stack_pool_park(&process->stacks, &left);
	if (!thread->left)
		return stepped_out_of_memory(process);
	begin_shadow(process, thread, false);
	thread->derived = 0;
	return 0;
}

/* Nothing has happened on the stack that was switched to last: as if it had not been. *ret_sp: rsp
 * on the one before. False: another thread is on that one. */
static bool switch_back(struct stepped_process *process, struct stepped_thread *thread,
			uint64_t *ret_sp)
{
	struct parked_stack left;

	thread->may_continue = false;
	if (!stack_pool_take_number(&process->stacks, thread->left, &left))
		return false;
	use(thread, &left);
	*ret_sp = left.sp;
	process->counters->stack_switches--;
	return true;
}

/* The thread is on another stack, at sp: parks this one, and brings back that one or an empty
 * one. */
static int change_stack(struct stepped_process *process, struct stepped_thread *thread, uint64_t sp,
			struct address_range range, struct parked_stack *known)
{
	uint64_t from = thread->regs.rsp;

	if (thread->may_continue && known && known->number == thread->left) {
		use(thread, known);
		process->counters->stack_switches--;
		return 0;
	}
	if (thread->may_continue && switch_back(process, thread, &from) && !known &&
	    in_extent(thread, from, sp))
		return 0;
	if (park(process, thread, from)) {
		if (known)
			shadow_stack_deinit(&known->shadow);
		return -1;
	}
	process->counters->stack_switches++;
	if (known) {
		use(thread, known);
		disturb(process, thread);
	} else {
		thread->base = sp;
		thread->root = 0;
		thread->may_continue = true;
	}
	thread->stack = range;
	return 0;
}

/* ---- frames that are presumed gone ------------------------------------------------------- */

/* How many of the shadow stack's frames lie at sp or above. */
static size_t frames_kept(const struct shadow_stack *shadow, uint64_t sp)
{
	size_t kept = shadow->count;

	while (kept > 0 && shadow->frame[kept - 1].slot < sp)
		kept--;
	return kept;
}

/* rsp is set to sp, above open frames: remembers them. */
static int presume_gone(struct stepped_process *process, struct stepped_thread *thread, uint64_t sp)
{
	const struct shadow_stack *shadow = &thread->shadow;
	size_t kept = frames_kept(shadow, sp);
	struct shadow_stack copy;

	if (kept == shadow->count)
		return 0;
	if (!shadow_stack_copy(shadow, true, &copy))
		return stepped_out_of_memory(process);
	copy.taken_off.slot = 0;
	copy.carriers = copy.readers = 0;
	forget_presumed(thread);
	thread->presumed = (struct presumed_stack) {
		.valid = true,
		.stack = { .range = thread->stack,
			   .sp = thread->regs.rsp,
			   .base = thread->base,
			   .root = thread->root,
			   .shadow = copy },
		.kept = kept,
		.landing = sp,
	};
	return 0;
}

void stepped_settle_presumed(struct stepped_thread *thread)
{
	if (thread->presumed.valid && thread->shadow.count < thread->presumed.kept)
		forget_presumed(thread);
}

/* Whether sp is where the frames are that were presumed gone, and they are still there. */
static bool is_presumed(const struct stepped_process *process, const struct stepped_thread *thread,
			uint64_t sp)
{
	const struct presumed_stack *presumed = &thread->presumed;

	return presumed->valid && sp + STACK_SLACK >= presumed->stack.sp &&
	       sp <= presumed->stack.shadow.frame[presumed->kept].slot + sizeof(uint64_t) &&
	       stack_pool_is_intact(&presumed->stack, sp, &process->memory);
}

/* The frames presumed gone were open all the time: the others since are of another stack, which
 * began where rsp was set to then. */
static int come_back(struct stepped_process *process, struct stepped_thread *thread)
{
	struct parked_stack before = thread->presumed.stack;
	size_t kept = thread->presumed.kept;

	thread->presumed.valid = false;
	shadow_stack_cut(&thread->shadow,
			 kept < thread->shadow.count ? kept : thread->shadow.count);
	thread->shadow.id = ++process->last_stack_id;
	thread->base = thread->presumed.landing;
	thread->root = 0;
	if (park(process, thread, thread->regs.rsp)) {
		shadow_stack_deinit(&before.shadow);
		return -1;
	}
	process->counters->stack_switches++;
	use(thread, &before);
	disturb(process, thread);
	return 0;
}

int stepped_enter_array(struct stepped_process *process, struct stepped_thread *thread,
			uint64_t slot, uint64_t target)
{
	const struct presumed_stack *presumed = &thread->presumed;
	struct parked_stack before = presumed->stack;
	uint64_t landing = presumed->landing;

	if (!presumed->valid || thread->shadow.count > presumed->kept || slot >= landing ||
	    decoder_call_before(process->decoder, target, &process->memory))
		return 0;
	thread->presumed.valid = false;
	disturb(process, thread);
	shadow_stack_end(&thread->shadow, FRAME_LOST);
	shadow_stack_deinit(&thread->shadow);
	begin_shadow(process, thread, false);
	thread->base = landing;
	thread->root = 0;
	process->counters->stack_switches++;
	thread->left = stack_pool_park(&process->stacks, &before);
	return thread->left ? 0 : stepped_out_of_memory(process);
}

/* ---- switches --------------------------------------------------------------------------- */

/* The innermost region's, if it is a handler's. */
static bool is_on_signal_stack(const struct stepped_thread *thread)
{
	const struct shadow_stack *shadow = &thread->shadow;

	return shadow->region_count && !shadow->region[shadow->region_count - 1].called;
}

/* What rsp was set to was computed from it. */
static bool is_derived(const struct stepped_thread *thread)
{
	const struct instruction *executed = &thread->next;

	return executed->sp_source == SP_FROM_REGISTER && executed->sp_register < 16 &&
	       (thread->derived >> executed->sp_register & 1);
}

/* rsp was set to sp, between where it was and the base: a longjmp, or a switch to an array. */
static int follow_up(struct stepped_process *process, struct stepped_thread *thread, uint64_t sp)
{
	struct parked_stack known;

	size_t kept = frames_kept(&thread->shadow, sp);

	/* A frame whose return address was taken into a register goes with its arguments. */
	if (kept == thread->shadow.count ||
	    (kept + 1 == thread->shadow.count && thread->shadow.readers &&
	     thread->next.sp_source == SP_FROM_REGISTER))
		return 0;
	/* Another stack that lies in the extent of this one is an array in one of its frames. */
	if (stack_pool_take(&process->stacks, sp, &process->memory, &known)) {
		if (known.sp >= thread->regs.rsp && known.base <= thread->base)
			return change_stack(process, thread, sp, thread->stack, &known);
		if (!stack_pool_park(&process->stacks, &known))
			return stepped_out_of_memory(process);
	}
	return presume_gone(process, thread, sp);
}

/* rsp is in the mapping where it was: is this another stack? */
static int follow_in_mapping(struct stepped_process *process, struct stepped_thread *thread,
			     uint64_t sp)
{
	uint64_t from = thread->regs.rsp;
	struct parked_stack known;

	/* Handlers and what they interrupted may have one mapping, too: shadow_stack_move()
	 * knows. */
	if (is_on_signal_stack(thread))
		return 0;
	if (thread->next.sp_source == SP_MOVED ||
	    (thread->next.sp_source == SP_FROM_FRAME && sp >= from)) {
		if (sp > thread->base)
			thread->base = sp;
		return 0;
	}
	if (is_presumed(process, thread, sp))
		return come_back(process, thread);
	/* Back from a stack that its function went to by itself; or up to no good. */
	if (thread->next.sp_source == SP_FROM_FRAME) {
		disturb(process, thread);
		return 0;
	}
	if (sp >= from && sp <= thread->base)
		return follow_up(process, thread, sp);
	if (stack_pool_take(&process->stacks, sp, &process->memory, &known))
		return change_stack(process, thread, sp, thread->stack, &known);
	if (in_extent(thread, from, sp)) {
		if (sp > thread->base)
			thread->base = sp;
		return 0;
	}
	if (sp < from && is_derived(thread))
		return 0;
	if (sp < from && thread->root == process->pid) {
		disturb(process, thread);
		return 0;
	}
	return change_stack(process, thread, sp, thread->stack, NULL);
}

/* rsp is where a function went from, to call on the stack in use: on that one again, or further
 * out. */
static bool leave_called(struct stepped_thread *thread, uint64_t sp)
{
	const struct shadow_stack *shadow = &thread->shadow;

	if (thread->next.sp_source == SP_MOVED && in_range(thread->stack, sp))
		return false;
	for (size_t i = shadow->region_count; i-- > 0;) {
		const struct left_stack *left = &shadow->region[i].left;

		if (!shadow->region[i].called || sp + STACK_SLACK < left->sp || sp > left->high)
			continue;
		forget_presumed(thread);
		thread->stack = (struct address_range) { left->low_map, left->high_map };
		thread->base = left->base;
		thread->root = left->root;
		return true;
	}
	return false;
}

int stepped_follow_stack(struct stepped_process *process, struct stepped_thread *thread,
			 uint64_t sp)
{
	thread->looked = true;
	struct address_range *stack = &thread->stack;
	struct address_range range;
	struct parked_stack known;

	if (leave_called(thread, sp))
		return 0;
	if (in_range(*stack, sp))
		return follow_in_mapping(process, thread, sp);
	if (shadow_stack_on_region(&thread->shadow, sp) || sp == stack->high)
		return 0;
	if (!process->find_mapping(process->context, sp, &range)) {
		/* Not written yet. Taken as grown, so that this is asked once a page. */
		if (sp < stack->low)
			stack->low = sp & ~STACK_PAGE_MASK;
		return 0;
	}
	if (!stack->high || (range.low < stack->high && stack->low < range.high)) {
		if (!stack->high)
			thread->base = range.high;
		*stack = range;
		return follow_in_mapping(process, thread, sp);
	}

	bool is_known = stack_pool_take(&process->stacks, sp, &process->memory, &known);

	return change_stack(process, thread, sp, range, is_known ? &known : NULL);
}

bool stepped_unswitch_stack(struct stepped_process *process, struct stepped_thread *thread,
			    uint64_t slot, uint64_t target)
{
	struct parked_stack left;
	const struct shadow_frame *top;

	if (thread->shadow.rooted || thread->shadow.count ||
	    !stack_pool_take_number(&process->stacks, thread->left, &left))
		return false;
	top = left.shadow.count ? &left.shadow.frame[left.shadow.count - 1] : NULL;
	if (!top || top->slot != slot || top->return_address != target) {
		thread->left = stack_pool_park(&process->stacks, &left);
		return false;
	}
	use(thread, &left);
	disturb(process, thread);
	process->counters->stack_switches--;
	return true;
}

int stepped_continue_stack(struct stepped_process *process, struct stepped_thread *thread)
{
	struct address_range here = thread->stack, mapping = here;
	struct shadow_stack *shadow = &thread->shadow;
	uint64_t base = thread->base, from;
	struct left_stack left;

	if (!switch_back(process, thread, &from))
		return 0;
	process->counters->stack_switches++;
	left = (struct left_stack) {
		.sp = from,
		.high = is_on_signal_stack(thread) ? shadow->region[shadow->region_count - 1].high
						   : thread->base,
		.low_map = thread->stack.low,
		.high_map = thread->stack.high,
		.base = thread->base,
		.root = thread->root,
	};
	/* In one mapping with the stack that goes on below: up to that one, or from it on. */
	if (in_range(here, from)) {
		if (base > thread->base)
			here.low = thread->base;
		here.high = base;
	}
	if (!shadow_stack_continue(shadow, here.low, here.high))
		return stepped_out_of_memory(process);
	shadow->region[shadow->region_count - 1].left = left;
	thread->stack = mapping;
	thread->base = base;
	thread->root = 0;
	return 0;
}
