/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_provisional.c - what the shadow stacks say reaches the doubts, and the points that agree
 *
 * verdict/provisional.h says why agreement is not the end. What is taken back is unproven, filed at
 * the ret that took it.
 */
#include "comparer.h"

static void frame_ended(void *context, const struct shadow_stack *stack,
			const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	struct comparer *comparer = context;

	doubts_frame_ended(&comparer->doubts, stack, frame, end, target);
}

static struct provisional_place place_of(const struct shadow_stack *stack)
{
	return (struct provisional_place) { .stack_id = stack->id, .region = stack->region_count };
}

static void stray_return(void *context, const struct shadow_stack *stack, uint64_t slot,
			 uint64_t target)
{
	struct comparer *comparer = context;
	const struct provisional_place place = place_of(stack);

	doubts_stray_return(&comparer->doubts, stack, slot, target);
	comparer->stray_at = stack->at;
	provisional_stray_return(&comparer->provisional, &place, slot, target);
	provisional_stray_return(&comparer->alone, &place, slot, target);
}

/* A function begins there: it was called by a jmp, from a word that the stack had for a while. */
static bool is_begin(const struct comparer *comparer, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(&comparer->space, pc);
	const struct cfi_fde *fde = mapping && mapping->entry
					    ? cfi_fde_find(image_entry_cfi(mapping->entry),
							   pc - mapping->bias)
					    : NULL;

	return fde && fde->pc_begin == pc - mapping->bias;
}

static void popped_jump(void *context, const struct shadow_stack *stack, uint64_t slot,
			uint64_t target)
{
	struct comparer *comparer = context;
	const struct provisional_place place = place_of(stack);

	if (is_begin(comparer, target))
		return;
	doubts_stray_return(&comparer->doubts, stack, slot, target);
	comparer->stray_at = stack->at;
	/* Points behind the pop are with those before it already. */
	provisional_stray_return(&comparer->provisional, &place, slot + sizeof(uint64_t), target);
	provisional_stray_return(&comparer->alone, &place, slot + sizeof(uint64_t), target);
}

static void taken_off(void *context, const struct shadow_stack *stack, uint64_t slot)
{
	struct comparer *comparer = context;
	const struct provisional_place place = place_of(stack);

	comparer->taken_off_at = stack->at;
	provisional_taken_off(&comparer->provisional, &place, slot);
	provisional_taken_off(&comparer->alone, &place, slot);
}

static void settled(void *context, const struct shadow_stack *stack, bool was_frame)
{
	struct comparer *comparer = context;
	const struct provisional_place place = place_of(stack);

	provisional_settled(&comparer->provisional, &place, was_frame);
	provisional_settled(&comparer->alone, &place, was_frame);
}

static void disturbed(void *context, const struct shadow_stack *stack)
{
	struct comparer *comparer = context;
	uint64_t taken_off_at = comparer->taken_off_at;

	doubts_disturbed(&comparer->doubts, stack);
	comparer->taken_off_at = stack->at; /* a frame that has moved will not be proven */
	provisional_disturbed(&comparer->provisional, stack->id);
	provisional_disturbed(&comparer->alone, stack->id);
	comparer->taken_off_at = taken_off_at;
}

static void moved(void *context, const struct shadow_stack *stack, uint64_t slot)
{
	struct comparer *comparer = context;
	const struct provisional_place place = place_of(stack);

	provisional_moved(&comparer->provisional, &place, slot);
	provisional_moved(&comparer->alone, &place, slot);
}

static void moved_ended(void *context, const struct shadow_stack *stack, uint64_t slot,
			bool returned)
{
	struct comparer *comparer = context;
	const struct provisional_place place = place_of(stack);
	uint64_t taken_off_at = comparer->taken_off_at;

	comparer->taken_off_at = stack->at;
	provisional_moved_ended(&comparer->provisional, &place, slot, returned);
	provisional_moved_ended(&comparer->alone, &place, slot, returned);
	comparer->taken_off_at = taken_off_at;
}

/* Of an accusation, where the return address was copied to may be another frame's. */
static void copy_returned(void *context, const struct shadow_stack *stack, uint64_t slot,
			  uint64_t target)
{
	struct comparer *comparer = context;

	doubts_stray_return(&comparer->doubts, stack, slot, target);
}

/* The provisional points' on_end. */
static void points_end(void *context, const struct account *account, enum provisional_outcome end)
{
	enum doubt_reason reason = end == PROVISIONAL_TAKEN_OFF ? DOUBT_TAKEN_OFF
								: DOUBT_STRAY_RETURN;
	struct comparer *comparer = context;
	struct memory_reader memory = target_memory_reader(comparer->memory);
	const struct point point = { .space = &comparer->space, .memory = &memory };
	const struct judgement judgement = { .verdict = VERDICT_UNPROVEN,
					     .pc = end == PROVISIONAL_TAKEN_OFF
							   ? comparer->taken_off_at
							   : comparer->stray_at };
	struct finding *finding;

	compare_tell_marks(comparer, &account->marks, end == PROVISIONAL_FINAL);
	if (end == PROVISIONAL_FINAL) {
		comparison_add_account(comparer->result, account);
		return;
	}
	comparison_add_unproven(comparer->result, account, reason);
	finding = findings_place(&comparer->result->findings, &judgement, false, &point,
				 comparer->decoder);
	if (finding)
		finding->unproven[reason] += account->points;
}

void compare_observe(struct comparer *comparer)
{
	doubts_init(&comparer->doubts, comparer->engine_count);
	comparer->doubts.on_end = doubt_end;
	comparer->doubts.comes_out_right = reread_comes_out_right;
	comparer->doubts.context = comparer;
	provisional_init(&comparer->provisional, comparer->engine_count);
	comparer->provisional.on_end = points_end;
	comparer->provisional.context = comparer;
	provisional_init(&comparer->alone, 0);
	comparer->alone.on_end = compare_alone_end;
	comparer->alone.context = comparer;
	comparer->observer = (struct shadow_observer) {
		.context = comparer,
		.frame_ended = frame_ended,
		.stray_return = stray_return,
		.popped_jump = popped_jump,
		.taken_off = taken_off,
		.settled = settled,
		.disturbed = disturbed,
		.moved = moved,
		.moved_ended = moved_ended,
		.copy_returned = copy_returned,
	};
}

void compare_observe_end(struct comparer *comparer)
{
	doubts_end(&comparer->doubts);
	provisional_end(&comparer->provisional);
	provisional_end(&comparer->alone);
}

struct provisional_place compare_place(const struct evidence *evidence)
{
	const struct shadow_stack *shadow = evidence->point->stop->shadow;
	const struct stack *truth = evidence->truth, *cfi = evidence->cfi;
	bool goes_on = !shadow->rooted && cfi->count > truth->count;
	bool has_carried = truth->count > shadow->count + 1;

	return (struct provisional_place) {
		.stack_id = shadow->id,
		.region = shadow->region_count,
		.sp = evidence->point->stop->regs.value[REGISTER_RSP],
		.claim = goes_on ? cfi->pc[truth->count] : 0,
		.carried = !shadow->carriers ? CARRIED_NONE
			   : has_carried     ? CARRIED_WITH
					     : CARRIED_WITHOUT,
	};
}

void compare_provisional(struct comparer *comparer, const struct evidence *evidence,
			 struct reading *reading)
{
	const struct provisional_place place = compare_place(evidence);

	if (reading->judgement.verdict == VERDICT_EXACT && !reading->account)
		reading->account = provisional_find(&comparer->provisional, &place);
}
