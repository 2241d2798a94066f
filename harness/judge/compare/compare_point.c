/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * compare_point.c - one point: the truth, each engine's stack, the verdict
 *
 * The truth is the shadow stack's. Each engine is asked for its stack and scored; what the verdict
 * finds is counted.
 */
#include <string.h>
#include "comparer.h"
#include "walk/walk_rows.h"

/* The walk by the compact table, as bpf was told to do it. */
static int walk_twin(const struct comparer *comparer, const struct point *point,
		     const struct memory_reader *memory, struct walk_memo *memo, struct stack *ret,
		     struct error *error)
{
	if (comparer->options.follow_frame_pointers)
		return walk_table_following(point->space, point->regs, memory, memo, ret, error);
	return walk_table(point->space, point->regs, memory, memo, ret, error);
}

/* A page that was not there may be why bpf ended so: it did not get a return address, or no frame
 * pointer's frame. */
static bool may_be_absent(const struct comparer *comparer, uint32_t stop)
{
	return stop == STOP_READ_FAULT ||
	       (comparer->options.follow_frame_pointers && stop_is_without_cfi(stop));
}

/* Takes bpf's word, and looks what it could have read, before anybody reads the process's memory
 * and so brings pages in. False: error is set. */
static bool ask_bpf(struct comparer *comparer, const struct point *point, struct evidence *evidence,
		    struct error *error)
{
	struct resident_memory resident;
	struct memory_reader reader;
	int status;

	comparer->bpf_answer = ENGINE_SILENT;
	for (size_t i = 0; i < comparer->engine_count; i++) {
		struct compare_engine *engine = &comparer->result->engine[i];

		if (engine->engine->part == ENGINE_PART_BPF && compare_can_answer(engine, point))
			comparer->bpf_answer = engine->engine->walk(engine->open, point,
								    &comparer->bpf, error);
	}
	if (comparer->bpf_answer != ENGINE_STACK)
		return comparer->bpf_answer != ENGINE_ERROR;
	evidence->bpf = &comparer->bpf;
	if (!may_be_absent(comparer, comparer->bpf.stop))
		return true;
	resident_memory_init(&resident, point->stop->tid, *point->memory);
	reader = resident_memory_reader(&resident);
	status = walk_twin(comparer, point, &reader, NULL, &comparer->other, error);
	evidence->absent = !status && resident.absent &&
			   stack_equal(&comparer->bpf, &comparer->other);
	resident_memory_deinit(&resident);
	return !status;
}

/* True if a frame of the stack but the first goes on there. */
static bool has_pc(const struct stack *stack, uint64_t pc)
{
	for (uint32_t i = 1; i < stack->count; i++)
		if (stack->pc[i] == pc)
			return true;
	return false;
}

static int insert_caller(struct stack *truth, uint64_t pc, struct error *error)
{
	if (truth->count == stack_limit(truth))
		return 0;
	if (stack_reserve(truth, truth->count + 1, error))
		return -1;
	memmove(truth->pc + 2, truth->pc + 1, (truth->count - 1) * sizeof(truth->pc[0]));
	truth->pc[1] = pc;
	truth->count++;
	return 0;
}

/* A register has the return address of the frame that was taken off last. It is open, as far as is
 * known now; if the CFI says that it is not, that may be as right (provisional.h). */
static int insert_carried(struct comparer *comparer, const struct shadow_stack *shadow,
			  struct error *error)
{
	const struct stack *cfi = &comparer->cfi;
	uint64_t pc = shadow->taken_off.return_address;
	uint32_t frames;

	/* Of a prefix in a recursion both may be said to agree. */
	if (match_stack(cfi, &comparer->truth, shadow->rooted, &frames) == MATCH_EXACT &&
	    (shadow->rooted || cfi->count < 2 || cfi->pc[1] != pc))
		return 0;
	return insert_caller(&comparer->truth, pc, error);
}

/*
 * The truth where the shadow stack alone does not have it. What a signal interrupted goes on where
 * the saved context says, and the handler may have changed that. And where frames were abandoned
 * but the jump is still to come (longjmp, an exception's landing), a caller inserted after the
 * first frame, the landing, is as right as none: the cfi engine's word is taken, and binds all the
 * others.
 */
static int complete_truth(struct comparer *comparer, const struct trace_stop *stop,
			  const struct memory_reader *memory, struct error *error)
{
	const struct shadow_stack *shadow = stop->shadow;
	const struct stack *cfi = &comparer->cfi;
	struct stack *truth = &comparer->truth;

	for (size_t frame = 1; frame < truth->count; frame++) {
		const struct shadow_frame *call = &shadow->frame[shadow->count - frame];

		if (call->interrupted)
			memory->read(memory->context, call->slot, &truth->pc[frame],
				     sizeof(uint64_t));
	}
	if (!shadow->in_transit)
		return 0;
	comparer->result->transit++;
	if (shadow->carriers)
		return insert_carried(comparer, shadow, error);
	if (cfi->count < 2 || cfi->pc[0] != truth->pc[0] || truth->count == stack_limit(truth) ||
	    (truth->count > 1 && cfi->pc[1] == truth->pc[1]))
		return 0;
	/* longjmp lands behind a call of setjmp, whatever becomes of the walk from there on. Not
	 * where a call that is still open returns to: then the CFI left out the frames above it. */
	if ((cfi->count == truth->count + 1 &&
	     memcmp(cfi->pc + 2, truth->pc + 1, (truth->count - 1) * sizeof(truth->pc[0])) == 0) ||
	    (!has_pc(truth, cfi->pc[1]) &&
	     decoder_call_before(comparer->decoder, cfi->pc[1], memory)))
		return insert_caller(truth, cfi->pc[1], error);
	return 0;
}

/* The truth, and the stacks that the verdict always needs. */
static int walk_point(struct comparer *comparer, const struct point *point,
		      struct evidence *evidence, struct error *error)
{
	const struct memory_reader *memory = point->memory;

	if (walk_rows(point->space, point->regs, memory, comparer->rows_memo, &comparer->cfi,
		      error) ||
	    walk_table(point->space, point->regs, memory, comparer->table_memo, &comparer->table,
		       error))
		return -1;
	if (comparer->options.follow_frame_pointers) {
		if (walk_twin(comparer, point, memory, comparer->followed_memo, &comparer->followed,
			      error))
			return -1;
		evidence->followed = &comparer->followed;
	}
	if (compare_find_uprobes(comparer)) {
		*error = comparer->mapping_error;
		return -1;
	}
	return complete_truth(comparer, point->stop, memory, error);
}

/* What the truth says of the point; and what the CFI says, if the truth must prove itself first.
 * False: the point is lost. */
static bool judge_point(struct comparer *comparer, const struct evidence *evidence,
			struct reading *readings, size_t *ret_count)
{
	struct judgement *judgement = &readings[0].judgement;
	enum doubt_reason reason;
	uint32_t frames;

	*ret_count = 1;
	comparer->stale = false;
	judge_evidence(evidence, comparer->referee, judgement);
	if (judgement->verdict != VERDICT_EXACT && compare_point_is_lost(comparer, evidence))
		return false;
	if (outside_is_doubtful(comparer, evidence, judgement, &reason)) {
		never_proven(comparer, evidence, &readings[0], reason);
		return true;
	}
	if (match_stack(evidence->cfi, evidence->truth, evidence->point->stop->shadow->rooted,
			&frames) != MATCH_EXACT) {
		doubt_reading(comparer, evidence, frames, readings, ret_count);
		return true;
	}
	if (comparer->options.registers &&
	    (judgement->verdict == VERDICT_EXACT ||
	     judgement->verdict == VERDICT_CONVERSION_LOSS_FLAGGED) &&
	    judge_registers(evidence, comparer->referee, UINT32_MAX, UINT32_MAX, judgement))
		doubt_registers(comparer, evidence, &readings[0]);
	return true;
}

int compare_point(void *context, const struct trace_stop *stop, struct error *error)
{
	struct comparer *comparer = context;
	struct register_values regs;
	struct memory_reader memory = target_memory_reader(comparer->memory);
	struct point point = {
		.stop = stop, .space = &comparer->space, .regs = &regs, .memory = &memory
	};
	struct evidence evidence = {
		.point = &point,
		.truth = &comparer->truth,
		.cfi = &comparer->cfi,
		.table = &comparer->table,
		.of_sframe = comparer->options.table != COMPARE_TABLE_CFI,
	};
	struct reading readings[2];
	size_t count;

	if (comparer->mappings_failed) {
		*error = comparer->mapping_error;
		return -1;
	}
	target_memory_reset(comparer->memory, stop->tid);
	regs = stop->regs;
	if (shadow_stack_get(stop->shadow, stop->regs.value[REGISTER_RIP], &comparer->truth,
			     error) ||
	    !ask_bpf(comparer, &point, &evidence, error) ||
	    walk_point(comparer, &point, &evidence, error))
		return -1;
	if (compare_point_is_lost(comparer, &evidence))
		return 0;
	if (comparer->options.on_evidence)
		comparer->options.on_evidence(comparer->options.context, &evidence);
	reading_init(comparer, stop, &comparer->truth, &readings[0]);
	if (!judge_point(comparer, &evidence, readings, &count))
		return 0;
	compare_provisional(comparer, &evidence, &readings[0]);
	if (score_engines(comparer, &point, readings, count, error) ||
	    compare_cost_point(comparer, &point, error))
		return -1;
	if (comparer->options.on_judgement)
		comparer->options.on_judgement(comparer->options.context, &point,
					       &readings[0].judgement);
	if (evidence.bpf)
		compare_digest(comparer, &evidence, &readings[0].judgement);
	comparer->result->points++;
	for (size_t i = 0; i < count; i++)
		count_reading(comparer, &evidence, &readings[i]);
	if (compare_mark(comparer, &evidence, readings, count, error))
		return -1;
	/* What comes after is read by what is mapped now. */
	if (comparer->stale && compare_mappings(comparer, comparer->space.pid)) {
		*error = comparer->mapping_error;
		return -1;
	}
	if (comparer->options.on_point)
		return comparer->options.on_point(comparer->options.context, &point,
						  &readings[0].judgement, error);
	return 0;
}
