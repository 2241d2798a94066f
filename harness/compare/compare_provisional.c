/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_provisional.c - what the shadow stacks say reaches the doubts, and the points that agree
 *
 * verdict/provisional.h says why agreement is not the end. What is taken back is unproven, filed at the
 * ret that took it.
 */
#include "comparer.h"

static void frame_ended(void *context, const struct shadow_stack *stack,
			const struct shadow_frame *frame, enum frame_end end, uint64_t target)
{
	struct comparer *comparer = context;

	doubts_frame_ended(&comparer->doubts, stack, frame, end, target);
}

static void stray_return(void *context, const struct shadow_stack *stack, uint64_t slot,
			 uint64_t target)
{
	struct comparer *comparer = context;
	const struct provisional_place place = { .stack_id = stack->id,
						 .region = stack->region_count };

	doubts_stray_return(&comparer->doubts, stack, slot, target);
	comparer->stray_at = stack->at;
	provisional_stray_return(&comparer->provisional, &place, slot, target);
}

static void disturbed(void *context, const struct shadow_stack *stack)
{
	struct comparer *comparer = context;

	doubts_disturbed(&comparer->doubts, stack);
	provisional_disturbed(&comparer->provisional, stack->id);
}

/* The provisional points' on_end. */
static void points_end(void *context, const struct account *account, bool taken_back)
{
	struct comparer *comparer = context;
	struct memory_reader memory = target_memory_reader(comparer->memory);
	const struct point point = { .space = &comparer->space, .memory = &memory };
	const struct judgement judgement = { .verdict = VERDICT_UNPROVEN,
					     .pc = comparer->stray_at };
	struct finding *finding;

	if (!taken_back) {
		comparison_add_account(comparer->result, account);
		return;
	}
	comparison_add_unproven(comparer->result, account, DOUBT_STRAY_RETURN);
	finding = findings_place(&comparer->result->findings, &judgement, false, &point,
				 comparer->decoder);
	if (finding)
		finding->unproven[DOUBT_STRAY_RETURN] += account->points;
}

void compare_observe(struct comparer *comparer)
{
	doubts_init(&comparer->doubts, comparer->engine_count);
	comparer->doubts.on_end = doubt_end;
	comparer->doubts.context = comparer;
	provisional_init(&comparer->provisional, comparer->engine_count);
	comparer->provisional.on_end = points_end;
	comparer->provisional.context = comparer;
	comparer->observer = (struct shadow_observer) {
		.context = comparer,
		.frame_ended = frame_ended,
		.stray_return = stray_return,
		.disturbed = disturbed,
	};
}

void compare_observe_end(struct comparer *comparer)
{
	doubts_end(&comparer->doubts);
	provisional_end(&comparer->provisional);
}

void compare_provisional(struct comparer *comparer, const struct evidence *evidence,
			 struct reading *reading)
{
	const struct shadow_stack *shadow = evidence->point->stop->shadow;
	const struct stack *truth = evidence->truth, *cfi = evidence->cfi;
	bool goes_on = !shadow->rooted && cfi->count > truth->count;
	const struct provisional_place place = {
		.stack_id = shadow->id,
		.region = shadow->region_count,
		.sp = evidence->point->stop->regs.rsp,
		.claim = goes_on ? cfi->pc[truth->count] : 0,
	};

	if (reading->judgement.verdict == VERDICT_EXACT && !reading->account)
		reading->account = provisional_find(&comparer->provisional, &place);
}
