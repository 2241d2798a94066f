/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * verdict.c - the table of verdict.h as code
 *
 * Where the cfi engine and the truth disagree, the step at fault is the one from the last frame on
 * which they agree. The engine's own registers at that frame are found again by walking there, and
 * the referee reads the CFI for the same PC and registers. Three words are then held against each
 * other: ours, the referee's, the truth's.
 */
#include <assert.h>
#include "verdict.h"

static const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_EXACT] = "exact",
	[VERDICT_WALK_FAULT] = "walk_fault",
	[VERDICT_CONVERSION_LOSS_SILENT] = "conversion_loss",
	[VERDICT_READER_FAULT] = "reader_fault",
	[VERDICT_TABLE_FAULT] = "table_fault",
	[VERDICT_CONVERSION_LOSS_FLAGGED] = "conversion_loss",
	[VERDICT_UNEXPLAINED] = "unexplained",
};

static const char *const kind_names[FAULT_KIND_COUNT] = {
	[FAULT_NONE] = "none",
	[FAULT_MISSING] = "missing",
	[FAULT_REGISTER] = "register",
	[FAULT_WRONG] = "wrong",
	[FAULT_NO_END] = "no_end",
	[FAULT_EARLY_END] = "early_end",
	[FAULT_OVERWRITTEN] = "overwritten",
	[FAULT_FLAGGED] = "flagged",
	[FAULT_SILENT] = "silent",
};

const char *verdict_name(enum verdict verdict)
{
	assert(verdict < VERDICT_COUNT);
	return verdict_names[verdict];
}

const char *fault_kind_name(enum fault_kind kind)
{
	assert(kind < FAULT_KIND_COUNT);
	return kind_names[kind];
}

/* The stop reasons with which the walk says that the table could not hold a row. */
static bool is_flag(uint32_t stop)
{
	return stop >= STOP_UNSUPPORTED_EXPRESSION && stop <= STOP_TOO_MANY_RULES;
}

/* A frame that was walked to: its registers, and what its CFI is looked up with. */
struct reached {
	struct register_values regs;
	uint64_t lookup_pc;
};

static bool reach(const struct point *point, uint32_t frame, struct reached *ret)
{
	bool exact_pc = true;

	ret->regs = *point->regs;
	for (uint32_t i = 0; i < frame; i++)
		if (walk_rows_step(point->space, &ret->regs, &exact_pc, point->memory))
			return false;
	ret->lookup_pc = ret->regs.value[REGISTER_RIP] - !exact_pc;
	return true;
}

/* The truth's CFA of a frame: just above the slot that holds its return address. */
static uint64_t truth_cfa(const struct point *point, uint32_t frame)
{
	const struct shadow_stack *shadow = point->stop->shadow;

	if (!shadow || frame >= shadow->count)
		return 0;
	return shadow->frame[shadow->count - 1 - frame].slot + 8;
}

static bool covered(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);

	return mapping && mapping->entry && mapping->entry->cfi &&
	       cfi_fde_find(mapping->entry->cfi, pc - mapping->bias);
}

/* libgcc's uw_install_context() and return hooks of profilers do this on purpose. */
static bool is_overwritten(const struct point *point, uint32_t frame)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	const struct shadow_frame *call;
	uint64_t now;

	if (frame >= shadow->count)
		return false;
	call = &shadow->frame[shadow->count - 1 - frame];
	if (call->interrupted)
		return false;
	return point->memory->read(point->memory->context, call->slot, &now, sizeof(now)) == 0 &&
	       now != call->return_address;
}

/* The register that the CFA of the row at a frame hangs on; -1 if it is not one alone. */
static int cfa_register(const struct address_space *space, uint64_t lookup_pc)
{
	const struct mapping *mapping = address_space_find(space, lookup_pc);
	struct expression_shape shape;
	struct error ignored;
	struct row row;

	if (!mapping || !mapping->entry ||
	    cfi_row_find(mapping->entry->cfi, lookup_pc - mapping->bias, &row, &ignored) <= 0)
		return -1;
	if (row.cfa.kind == RULE_CFA_REGISTER)
		return row.cfa.reg;
	expression_recognise(row.cfa.expression, row.cfa.expression_bytes, &shape);
	return shape.form == EXPRESSION_OTHER || shape.scale ? -1 : (int)shape.reg;
}

/* Index of a register among the callee-saved ones, or -1. */
static int callee_saved_index(int reg)
{
	static const int8_t index[REGISTER_GPR_COUNT] = { -1, -1, -1, 0,  -1, -1, 1, -1,
							  -1, -1, -1, -1, 2,  3,  4, 5 };

	return reg >= 0 && reg < REGISTER_GPR_COUNT ? index[reg] : -1;
}

/*
 * The CFA of the frame at fault hangs on a callee-saved register. Was its value right? The truth
 * knows what it was at each call. If some inner frame's CFI brought it back wrong, that is the
 * frame at fault.
 */
static void blame_register(const struct point *point, struct judgement *ret)
{
	int reg = cfa_register(point->space, ret->pc);
	int saved = callee_saved_index(reg);
	const struct shadow_stack *shadow = point->stop->shadow;
	struct reached reached;

	for (uint32_t frame = 1; saved >= 0 && frame <= ret->frame && frame <= shadow->count;
	     frame++) {
		uint64_t truth = shadow->frame[shadow->count - frame].callee_saved[saved];

		if (!reach(point, frame, &reached))
			return;
		if (reached.regs.known >> reg & 1 && reached.regs.value[reg] == truth)
			continue;
		if (!reach(point, frame - 1, &reached))
			return;
		ret->kind = FAULT_REGISTER;
		ret->frame = frame - 1;
		ret->pc = reached.lookup_pc;
		ret->declared_cfa = ret->actual_cfa = 0;
		return;
	}
}

/* Does the referee end where our reader ended, or name the same caller? */
static bool referee_agrees(const struct referee_step *step, const struct stack *cfi,
			   uint32_t frames)
{
	if (frames < cfi->count)
		return !step->outermost && !step->unreadable &&
		       step->return_address == cfi->pc[frames];
	switch (cfi->stop) {
	case STOP_COMPLETE: return step->outermost;
	case STOP_READ_FAULT: return step->unreadable;
	case STOP_ZERO_RETURN:
		return !step->outermost && !step->unreadable && !step->return_address;
	/* Both read the same; ours only refuses to follow it. */
	case STOP_NO_PROGRESS: return !step->outermost && !step->unreadable;
	default: return false;
	}
}

/* U is not T: the CFI, or our reading of it? */
static void judge_reader(const struct evidence *evidence, struct referee *referee, uint32_t frames,
			 struct judgement *ret)
{
	const struct point *point = evidence->point;
	bool truth_ends = frames == evidence->truth->count;
	bool engine_ends = frames == evidence->cfi->count;
	uint64_t caller = truth_ends ? 0 : evidence->truth->pc[frames];
	struct referee_step step;
	struct reached reached;

	ret->verdict = VERDICT_UNEXPLAINED;
	ret->stop = evidence->cfi->stop;
	ret->frame = frames ? frames - 1 : 0;
	ret->pc = frames ? evidence->truth->pc[frames - 1] : evidence->point->stop->regs.rip;
	if (!frames || !reach(point, frames - 1, &reached))
		return;
	ret->pc = reached.lookup_pc;
	ret->actual_cfa = truth_ends ? 0 : truth_cfa(point, ret->frame);
	referee_step(referee, point->space, &reached.regs, reached.lookup_pc, point->memory, &step);
	if (!address_space_find(point->space, reached.lookup_pc))
		return; /* code where nothing executable was mapped: not the toolchain's doing */
	if (!covered(point->space, reached.lookup_pc)) {
		/* Our reader finds no FDE: the referee must find none either. */
		bool agreed = !step.known || step.no_cfi;

		ret->verdict = agreed ? VERDICT_TABLE_FAULT : VERDICT_READER_FAULT;
		ret->kind = agreed ? FAULT_MISSING : FAULT_NONE;
		return;
	}
	if (!step.known)
		return;
	if (step.no_cfi) {
		ret->verdict = VERDICT_READER_FAULT;
		return;
	}
	ret->declared_cfa = step.cfa;
	if (truth_ends ? step.outermost
		       : !step.outermost && !step.unreadable && step.return_address == caller) {
		ret->verdict = VERDICT_READER_FAULT;
	} else if (referee_agrees(&step, evidence->cfi, frames)) {
		ret->verdict = VERDICT_TABLE_FAULT;
		ret->kind = is_overwritten(point, ret->frame) ? FAULT_OVERWRITTEN
			    : truth_ends		      ? FAULT_NO_END
			    : engine_ends		      ? FAULT_EARLY_END
							      : FAULT_WRONG;
		if (engine_ends && evidence->cfi->stop != STOP_COMPLETE &&
		    ret->kind == FAULT_EARLY_END)
			ret->kind = FAULT_WRONG;
		if (ret->kind == FAULT_WRONG)
			blame_register(point, ret);
	}
}

static void point_at_frame(const struct stack *stack, uint32_t frames, struct judgement *ret)
{
	ret->frame = frames ? frames - 1 : 0;
	ret->pc = frames ? stack->pc[frames - 1] - (frames > 1) : 0;
}

void judge(const struct evidence *evidence, struct referee *referee, struct judgement *ret)
{
	const struct stack *table = evidence->table;
	bool rooted = evidence->point->stop->shadow->rooted;
	struct judgement loss = { .verdict = VERDICT_EXACT };
	uint32_t frames;

	*ret = (struct judgement) { .verdict = VERDICT_EXACT };
	if (evidence->bpf && table && !stack_equal(evidence->bpf, table)) {
		match_stack(evidence->bpf, table, true, &frames);
		ret->verdict = VERDICT_WALK_FAULT;
		ret->stop = evidence->bpf->stop;
		point_at_frame(table, frames, ret);
		return;
	}
	if (table && match_stack(table, evidence->cfi, true, &frames) != MATCH_EXACT) {
		bool flagged = frames == table->count && is_flag(table->stop);

		loss.verdict = flagged ? VERDICT_CONVERSION_LOSS_FLAGGED
				       : VERDICT_CONVERSION_LOSS_SILENT;
		loss.kind = flagged ? FAULT_FLAGGED : FAULT_SILENT;
		loss.stop = table->stop;
		point_at_frame(evidence->cfi, frames, &loss);
		if (!flagged) {
			*ret = loss;
			return;
		}
	}
	if (match_stack(evidence->cfi, evidence->truth, rooted, &frames) != MATCH_EXACT)
		judge_reader(evidence, referee, frames, ret);
	else if (loss.verdict != VERDICT_EXACT)
		*ret = loss;
}
