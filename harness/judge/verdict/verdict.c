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
#include <string.h>
#include "verdict.h"
#include "walk/walk_rows.h"

static const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_EXACT] = "exact",
	[VERDICT_WALK_FAULT] = "walk_fault",
	[VERDICT_CONVERSION_LOSS_SILENT] = "conversion_loss",
	[VERDICT_READER_FAULT] = "reader_fault",
	[VERDICT_TABLE_FAULT] = "table_fault",
	[VERDICT_CONVERSION_LOSS_FLAGGED] = "conversion_loss",
	[VERDICT_UNEXPLAINED] = "unexplained",
	[VERDICT_ABSENT] = "absent",
	[VERDICT_UNPROVEN] = "unproven",
};

const char *verdict_name(enum verdict verdict)
{
	assert(verdict < VERDICT_COUNT);
	return verdict_names[verdict];
}

/* The stop reasons with which the walk says that the table could not hold a row. */
static bool is_flag(uint32_t stop)
{
	return stop >= STOP_UNSUPPORTED_EXPRESSION && stop <= STOP_TOO_MANY_RULES;
}

bool verdict_reach(const struct point *point, uint32_t frame, struct reached *ret)
{
	bool exact_pc = true;

	ret->regs = *point->regs;
	for (uint32_t i = 0; i < frame; i++)
		if (walk_rows_step(point->space, &ret->regs, &exact_pc, point->memory))
			return false;
	ret->lookup_pc = ret->regs.value[REGISTER_RIP] - !exact_pc;
	return true;
}

/* The truth's CFA of a frame: just above the slot that holds its return address. In transit the
 * shadow stack's frames are not those of the truth. */
static uint64_t truth_cfa(const struct point *point, uint32_t frame)
{
	const struct shadow_stack *shadow = point->stop->shadow;

	if (!shadow || shadow->in_transit || frame >= shadow->count)
		return 0;
	return shadow->frame[shadow->count - 1 - frame].slot + 8;
}

static bool covered(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);

	return mapping && mapping->entry &&
	       cfi_fde_find(image_entry_cfi(mapping->entry), pc - mapping->bias);
}

/* libgcc's uw_install_context() and return hooks of profilers do this on purpose. */
static bool is_overwritten(const struct point *point, uint32_t frame)
{
	const struct shadow_stack *shadow = point->stop->shadow;
	const struct shadow_frame *call;
	uint64_t now;

	if (shadow->in_transit || frame >= shadow->count)
		return false;
	call = &shadow->frame[shadow->count - 1 - frame];
	if (call->interrupted)
		return false;
	return point->memory->read(point->memory->context, call->slot, &now, sizeof(now)) == 0 &&
	       now != call->return_address;
}

/* The registers that a rule looks at, by DWARF number. */
static uint32_t rule_registers(const struct row_rule *rule)
{
	switch (rule->kind) {
	case RULE_REGISTER:
	case RULE_CFA_REGISTER: return 1u << (rule->reg & 31);
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
	case RULE_CFA_EXPRESSION:
		return expression_registers(rule->expression, rule->expression_bytes);
	default: return 0;
	}
}

/* The row that the CFI has for a PC: as cfi_row_find(). */
static int find_row(const struct address_space *space, uint64_t pc, struct row *ret)
{
	const struct mapping *mapping = address_space_find(space, pc);
	struct error ignored;

	if (!mapping || !mapping->entry)
		return 0;
	return cfi_row_find(image_entry_cfi(mapping->entry), pc - mapping->bias, ret, &ignored);
}

/*
 * The CFA or the return address of the frame at fault hangs on registers. Were their values right?
 * The truth knows what they were at each call. If some inner frame's CFI brought one back wrong,
 * that is the frame at fault.
 */
static void blame_register(const struct evidence *evidence, struct referee *referee,
			   struct judgement *ret)
{
	struct judgement inner;
	uint32_t mask;
	struct row row;

	if (find_row(evidence->point->space, ret->pc, &row) <= 0)
		return;
	mask = rule_registers(&row.cfa) | rule_registers(&row.reg[REGISTER_RIP]);
	if (judge_registers(evidence, referee, mask, ret->frame, &inner))
		*ret = inner;
}

/* Does the CFI say the same of two PCs? */
static bool same_row(const struct address_space *space, uint64_t a, uint64_t b)
{
	struct row row_a, row_b;
	int found = find_row(space, a, &row_a);

	return find_row(space, b, &row_b) == found && (found <= 0 || row_equal(&row_a, &row_b));
}

/*
 * What a signal interrupted goes on at its own PC; behind an ordinary frame a PC is that of a
 * call's end. If the frame at fault was looked up one byte too early or too late so, where the CFI
 * says something else, the frame before it should have been said to be a signal frame, or should
 * not.
 */
static bool blame_signal_flag(const struct evidence *evidence, const struct reached *reached,
			      struct judgement *ret)
{
	const struct point *point = evidence->point;
	const struct shadow_stack *shadow = point->stop->shadow;
	uint64_t pc = reached->regs.value[REGISTER_RIP];
	bool is_exact = reached->lookup_pc == pc;
	struct reached before;

	if (!ret->frame || shadow->in_transit || ret->frame > shadow->count ||
	    shadow->frame[shadow->count - ret->frame].interrupted == is_exact ||
	    same_row(point->space, pc, is_exact ? pc - 1 : reached->lookup_pc) ||
	    !verdict_reach(point, ret->frame - 1, &before))
		return false;
	ret->verdict = VERDICT_TABLE_FAULT;
	ret->kind = FAULT_SIGNAL_FLAG;
	ret->frame--;
	ret->pc = before.lookup_pc;
	return true;
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

/* Our reader stopped at its last right frame, because it can make no sense of the CFI there. */
static bool ends_malformed(const struct stack *cfi, uint32_t frames)
{
	return frames == cfi->count &&
	       (cfi->stop == STOP_MALFORMED || cfi->stop == STOP_UNSUPPORTED_EXPRESSION);
}

bool rule_is_beyond(const struct row_rule *rule)
{
	switch (rule->kind) {
	case RULE_REGISTER:
	case RULE_CFA_REGISTER: return rule->reg >= REGISTER_COUNT;
	case RULE_EXPRESSION:
	case RULE_VAL_EXPRESSION:
	case RULE_CFA_EXPRESSION:
		return expression_is_beyond(rule->expression, rule->expression_bytes);
	default: return false;
	}
}

/* The row may be well-formed, and is not evaluated here: that is no fault of who wrote it. */
static bool is_beyond(const struct address_space *space, uint64_t pc)
{
	struct row row;

	return find_row(space, pc, &row) > 0 &&
	       (rule_is_beyond(&row.cfa) || rule_is_beyond(&row.reg[REGISTER_RIP]));
}

/* Several FDEs cover it: which of them holds, readers may decide as they like. */
static bool is_ambiguous(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);
	const struct cfi *cfi = mapping && mapping->entry ? image_entry_cfi(mapping->entry) : NULL;
	unsigned int covering = 0;

	for (size_t i = 0; cfi && cfi->overlapping && i < cfi->by_pc_count && covering < 2; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		covering += pc - mapping->bias - fde->pc_begin < fde->pc_range;
	}
	return covering > 1;
}

/* The referee has read a caller, too: does it read the truth, or what ours read? */
static void judge_reading(const struct evidence *evidence, struct referee *referee,
			  const struct referee_step *step, uint32_t frames, struct judgement *ret)
{
	const struct point *point = evidence->point;
	bool truth_ends = frames == evidence->truth->count;
	bool engine_ends = frames == evidence->cfi->count;
	uint64_t caller = truth_ends ? 0 : evidence->truth->pc[frames];
	/* Ours refused to go round in circles. In a recursion the caller's PC may be right all
	 * the same where its frame is not. */
	bool circles = engine_ends && evidence->cfi->stop == STOP_NO_PROGRESS && ret->actual_cfa &&
		       step->cfa != ret->actual_cfa;

	if (truth_ends ? step->outermost
		       : !step->outermost && !step->unreadable && !circles &&
				 step->return_address == caller) {
		ret->verdict = is_ambiguous(point->space, ret->pc) ? VERDICT_UNPROVEN
								   : VERDICT_READER_FAULT;
		ret->kind = FAULT_NONE;
	} else if (referee_agrees(step, evidence->cfi, frames)) {
		ret->verdict = VERDICT_TABLE_FAULT;
		ret->kind = is_overwritten(point, ret->frame) ? FAULT_OVERWRITTEN
			    : truth_ends		      ? FAULT_NO_END
			    : engine_ends		      ? FAULT_EARLY_END
							      : FAULT_WRONG;
		if (engine_ends && evidence->cfi->stop != STOP_COMPLETE &&
		    ret->kind == FAULT_EARLY_END)
			ret->kind = FAULT_WRONG;
		if (ret->kind == FAULT_WRONG)
			blame_register(evidence, referee, ret);
	}
}

/* libdw (0.188) finds an FDE without any code in place of one that covers the PC. What it says
 * of such an image is no word against our reader. */
static bool is_hidden(const struct address_space *space, uint64_t pc)
{
	const struct mapping *mapping = address_space_find(space, pc);

	return mapping && mapping->entry && cfi_has_empty_fde(image_entry_cfi(mapping->entry));
}

/* U is not T: the CFI, or our reading of it? */
static void judge_reader(const struct evidence *evidence, struct referee *referee, uint32_t frames,
			 struct judgement *ret)
{
	const struct point *point = evidence->point;
	bool truth_ends = frames == evidence->truth->count;
	bool engine_ends = frames == evidence->cfi->count;
	struct referee_step step;
	struct reached reached;

	ret->verdict = VERDICT_UNEXPLAINED;
	ret->stop = evidence->cfi->stop;
	ret->frame = frames ? frames - 1 : 0;
	ret->pc = frames ? evidence->truth->pc[frames - 1]
			 : evidence->point->stop->regs.value[REGISTER_RIP];
	if (!frames || !verdict_reach(point, frames - 1, &reached))
		return;
	ret->pc = reached.lookup_pc;
	if (blame_signal_flag(evidence, &reached, ret))
		return;
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
	bool malformed = ends_malformed(evidence->cfi, frames);

	if (malformed && is_beyond(point->space, reached.lookup_pc)) {
		ret->verdict = VERDICT_UNPROVEN;
		ret->kind = FAULT_MALFORMED;
	} else if (malformed) { /* unless the referee reads the truth out of it */
		ret->verdict = VERDICT_TABLE_FAULT;
		ret->kind = FAULT_MALFORMED;
	}
	if (engine_ends && step.stuck &&
	    (evidence->cfi->stop == STOP_READ_FAULT ||
	     evidence->cfi->stop == STOP_REGISTER_UNKNOWN)) {
		ret->verdict = is_beyond(point->space, reached.lookup_pc) ? VERDICT_UNPROVEN
									  : VERDICT_TABLE_FAULT;
		ret->kind = FAULT_WRONG;
		blame_register(evidence, referee, ret);
		return;
	}
	if (!step.known)
		return;
	if (step.no_cfi) {
		if (!malformed)
			ret->verdict = is_hidden(point->space, reached.lookup_pc)
					       ? VERDICT_UNPROVEN
					       : VERDICT_READER_FAULT;
		return;
	}
	ret->declared_cfa = step.cfa;
	judge_reading(evidence, referee, &step, frames, ret);
}

static void point_at_frame(const struct stack *stack, uint32_t frames, struct judgement *ret)
{
	ret->frame = frames ? frames - 1 : 0;
	ret->pc = frames ? stack_pc(stack, frames - 1) - (frames > 1) : 0;
}

/*
 * A table that leads astray may lead to a page of the stack that nothing has touched yet. BPF may
 * not fault it in and fails; whoever reads it from outside makes it, and reads a return address of
 * zero. The frames are the same and neither went on.
 */
static bool is_untouched(const struct stack *bpf, const struct stack *table)
{
	return bpf->stop == STOP_READ_FAULT && table->stop == STOP_ZERO_RETURN &&
	       bpf->count == table->count && bpf->count &&
	       memcmp(bpf->pc, table->pc, bpf->count * sizeof(bpf->pc[0])) == 0;
}

/* The walk in BPF can hold WALK_FRAMES_MAX frames and its twin more. Up to there they agree. */
static bool is_at_its_limit(const struct stack *bpf, const struct stack *table)
{
	return bpf->stop == STOP_DEPTH && bpf->count == WALK_FRAMES_MAX &&
	       table->count > bpf->count &&
	       memcmp(bpf->pc, table->pc, bpf->count * sizeof(bpf->pc[0])) == 0;
}

/* A page that the tracer has read before anybody could ask whether it was there (a stack that
 * was just switched to): whether it was, can't be known any more. */
static bool may_be_absent(const struct evidence *evidence, const struct stack *bpf,
			  const struct stack *table)
{
	return evidence->point->stop->looked && bpf->stop == STOP_READ_FAULT &&
	       bpf->count <= table->count &&
	       memcmp(bpf->pc, table->pc, bpf->count * sizeof(bpf->pc[0])) == 0;
}

/* bpf against table. False: they differ, and that is bpf's fault; or, where bpf has found what
 * happened, nobody's that is known: the table that it walked by and the CFI that was in it were right,
 * and so is not what was read from outside. */
static bool judge_walk(const struct evidence *evidence, struct judgement *ret)
{
	const struct stack *table = evidence->followed ? evidence->followed : evidence->table;
	const struct stack *bpf = evidence->bpf;
	uint32_t frames, ignored;

	if (!bpf || !table || stack_equal(bpf, table) || is_untouched(bpf, table) ||
	    is_at_its_limit(bpf, table))
		return true;
	match_stack(bpf, table, true, &frames);
	bool absent = evidence->absent || may_be_absent(evidence, bpf, table);
	bool exact = match_stack(bpf, evidence->truth, evidence->point->stop->shadow->rooted,
				 &ignored) == MATCH_EXACT;

	ret->verdict = absent ? VERDICT_ABSENT : exact ? VERDICT_UNEXPLAINED : VERDICT_WALK_FAULT;
	ret->stop = bpf->stop;
	point_at_frame(table, frames, ret);
	return absent;
}

/* The table leads elsewhere than the CFI behind the first frames frames. */
static void judge_table(const struct evidence *evidence, uint32_t frames, struct judgement *ret)
{
	const struct stack *table = evidence->table;
	bool flagged = frames == table->count && is_flag(table->stop);

	if (evidence->of_sframe && judge_sframe(evidence, frames, ret))
		return;
	ret->verdict = flagged ? VERDICT_CONVERSION_LOSS_FLAGGED : VERDICT_CONVERSION_LOSS_SILENT;
	ret->kind = flagged ? FAULT_FLAGGED : FAULT_SILENT;
	ret->stop = table->stop;
	point_at_frame(evidence->cfi, frames, ret);
}

void judge_evidence(const struct evidence *evidence, struct referee *referee, struct judgement *ret)
{
	const struct stack *table = evidence->table;
	bool rooted = evidence->point->stop->shadow->rooted;
	struct judgement loss = { .verdict = VERDICT_EXACT };
	uint32_t frames;

	*ret = (struct judgement) { .verdict = VERDICT_EXACT };
	if (!judge_walk(evidence, ret))
		return;
	if (table && match_stack(table, evidence->cfi, true, &frames) != MATCH_EXACT) {
		judge_table(evidence, frames, &loss);
		if (loss.verdict == VERDICT_CONVERSION_LOSS_SILENT) {
			*ret = loss;
			return;
		}
	}
	if (match_stack(evidence->cfi, evidence->truth, rooted, &frames) != MATCH_EXACT) {
		*ret = (struct judgement) { .verdict = VERDICT_EXACT };
		judge_reader(evidence, referee, frames, ret);
	} else if (loss.verdict != VERDICT_EXACT) {
		*ret = loss;
	}
}
