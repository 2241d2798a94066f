/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * fast_steps.c - calls and returns, by what they store and load
 *
 * A call and its slot say all that stepped_apply() asks of the registers: rsp before and after. So the slow way makes
 * such registers up, and the rules stay in one place.
 */
#include "fast.h"

#define PAGE_BYTES 4096

/*
 * A frame was taken off. If rsp comes to its slot again, it may have been put back, between two instructions that
 * were seen. It is not known any more whether the frame is open, until rsp rises above the slot.
 */
static void note_doubt(struct stepped_thread *thread, uint64_t sp)
{
	uint64_t slot = thread->shadow.taken_off.slot;

	if (sp > thread->doubt)
		thread->doubt = 0;
	if (slot && sp <= slot && slot > thread->doubt)
		thread->doubt = slot;
}

static const struct instruction moves; /* rsp, by an offset from itself */

/* rsp is at sp now. landed: the first instruction of the block there; 0: it is not known. */
static int move(struct fast_state *state, uint64_t sp, uint64_t landed)
{
	struct stepped_thread *thread = state->thread;
	const struct shadow_stack *shadow = &thread->shadow;
	struct user_regs_struct after = thread->regs;
	int status;

	if (shadow->count && state->words->room < FAST_ROOM_ENOUGH)
		thread->regs.rsp = shadow->frame[shadow->count - 1].slot - state->words->room;
	if (thread->regs.rsp == sp && !shadow->taken_off.slot)
		return 0;
	/* A jump to the return address of a frame that was taken off is its return; of other jumps nothing is said. */
	if (thread->shadow.taken_off.slot && landed == thread->shadow.taken_off.return_address) {
		thread->regs.rip = 0;
		after.rip = landed;
	}
	after.rsp = sp;
	note_doubt(thread, sp);
	thread->next = moves;
	status = stepped_apply(state->process, thread, &after);
	thread->regs.rip = after.rip;
	thread->regs.rsp = sp;
	return status;
}

/* What lies below rsp before a call or a return is gone. */
static int catch_up(struct fast_state *state, uint64_t sp)
{
	size_t before = state->thread->shadow.count;
	int status = move(state, sp, 0);

	if (state->thread->shadow.count < before)
		state->late += before - state->thread->shadow.count;
	return status;
}

static int apply(struct fast_state *state, const struct instruction *instruction, uint64_t rip,
		 uint64_t sp, const struct user_regs_struct *after)
{
	struct stepped_thread *thread = state->thread;
	int status;

	thread->regs.rip = rip;
	thread->regs.rsp = sp;
	thread->next = *instruction;
	status = stepped_apply(state->process, thread, after);
	thread->regs.rip = after->rip;
	thread->regs.rsp = after->rsp;
	if (!status)
		fast_sync(state, after->rsp);
	return status;
}

int fast_call(struct fast_state *state, const struct instruction *instruction, uint64_t slot,
	      uint64_t return_address)
{
	struct user_regs_struct after = state->thread->regs;

	state->calls++;
	if (catch_up(state, slot + sizeof(slot)))
		return -1;
	after.rip = 0; /* not known, and not asked for */
	after.rsp = slot;
	return apply(state, instruction, return_address - instruction->length, slot + sizeof(slot),
		     &after);
}

int fast_return(struct fast_state *state, const struct instruction *instruction, uint64_t slot,
		uint64_t target, uint64_t sp)
{
	struct user_regs_struct after = state->thread->regs;

	state->returns++;
	if (catch_up(state, slot))
		return -1;
	after.rip = target;
	after.rsp = sp;
	return apply(state, instruction, 0, slot, &after);
}

int fast_leave(struct fast_state *state, uint64_t address)
{
	uint64_t sp = address + sizeof(address);
	int status = move(state, sp, 0);

	if (!status)
		fast_sync(state, sp);
	return status;
}

void fast_try(struct fast_state *state)
{
	state->words->stepping = 1;
	state->careful = true;
}

int fast_settle(struct fast_state *state, const struct user_regs_struct *regs)
{
	struct stepped_thread *thread = state->thread;
	uint64_t id = thread->shadow.id;
	int status = thread->pending ? stepped_apply(state->process, thread, regs)
				     : move(state, regs->rsp, regs->rip);

	/* Which stack it is on hangs on which frames are open. */
	if (thread->doubt && thread->shadow.id != id)
		thread->doubt = UINT64_MAX;
	thread->pending = false;
	thread->regs = *regs;
	return status;
}

int fast_step(struct fast_state *state, const struct user_regs_struct *regs,
	      const struct instruction *instruction, uint16_t derived)
{
	struct stepped_thread *thread = state->thread;
	bool goes_on = thread->pending;
	int status = fast_settle(state, regs);

	if (!goes_on)
		thread->derived = derived;
	thread->next = *instruction;
	thread->pending = true;
	state->careful = true;
	return status;
}

void fast_sync(struct fast_state *state, uint64_t sp)
{
	struct stepped_thread *thread = state->thread;
	struct shadow_stack *shadow = &thread->shadow;
	uint64_t slot = shadow->count ? shadow->frame[shadow->count - 1].slot : 0;
	size_t kept = thread->presumed.valid ? thread->presumed.kept : 0;

	note_doubt(thread, sp);
	/* Which registers have return addresses is not followed from here on. */
	shadow->readers = shadow->carriers = 0;
	state->careful = shadow->region_count || shadow->taken_off.slot || thread->doubt ||
			 thread->may_continue;
	state->floor = kept ? kept : 1;
	state->words->stepping = 0;
	state->words->room = slot >= sp ? slot - sp : FAST_ROOM_ENOUGH;
}

bool fast_is_doubtful(const struct stepped_thread *thread, uint64_t sp)
{
	uint64_t slot = thread->shadow.taken_off.slot;

	return (slot && sp <= slot) || (thread->doubt && sp <= thread->doubt);
}

size_t fast_open(const struct stepped_thread *thread, uint64_t sp)
{
	const struct shadow_stack *shadow = &thread->shadow;
	size_t count = shadow->count, floor = 0;

	for (size_t i = shadow->region_count; i-- > 0;) {
		const struct shadow_region *region = &shadow->region[i];

		floor = region->first + !region->called;
		if (sp > region->low && sp <= region->high)
			break;
		count = region->first;
		floor = 0;
	}
	while (count > floor && shadow->frame[count - 1].slot < sp)
		count--;
	return count;
}

void fast_confirm(struct fast_state *state)
{
	const struct memory_reader *memory = &state->process->memory;
	struct shadow_stack *shadow = &state->thread->shadow;
	size_t changed = shadow->count;

	for (size_t i = shadow->count; i-- > 0 && !shadow->frame[i].confirmed;) {
		struct shadow_frame *frame = &shadow->frame[i];
		uint64_t word;

		frame->confirmed = true;
		if (frame->interrupted ||
		    memory->read(memory->context, frame->slot, &word, sizeof(word)) ||
		    word == frame->return_address)
			continue;
		/* The same code at another place, for a mapping begins at a page. */
		if ((word ^ frame->return_address) % PAGE_BYTES) {
			state->overwritten++;
			continue;
		}
		frame->return_address = word;
		state->remapped++;
		changed = i;
	}
	shadow_stack_sum(shadow, changed);
}
