/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_judge.c - instructions against rows, and the FDE's sum
 *
 * One wrong row is one finding, however many instructions it covers: the first, with the end of the
 * last that is wrong in the same way. What lies between is decoded from the end of the instruction
 * before: code that no way leads to, and padding, which is neither proven nor missing.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "lint_aside.h"
#include "lint_contrary.h"
#include "lint_convention.h"
#include "lint_end.h"
#include "lint_inner.h"
#include "lint_judge.h"
#include "lint_meant.h"
#include "lint_mend.h"
#include "lint_plain.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_proof.h"

enum {
	STATUS_NONE,
	STATUS_PROVEN,
	STATUS_UNPROVEN, /* + enum flow_reason */
	STATUS_WAYS =
		0x20, /* beside one of them: a way leads here that no call into the middle began */
	STATUS_SURE = 0x40, /* the same: on a way that is sure it is not proven */
	STATUS_MISMATCH = 0x80,
	STATUS_BESIDE = STATUS_WAYS | STATUS_SURE,
};

_Static_assert(STATUS_UNPROVEN + FLOW_REASON_COUNT <= STATUS_WAYS, "a reason is no flag");

#define PAGE 4096 /* bytes of code */

int lint_judge_init(struct lint_judge *judge, struct error *error)
{
	if (flow_code_map_init(&judge->map, judge->cfi->image, error))
		return -1;
	judge->status = calloc(judge->map.size + 1, 1);
	judge->unsettled = calloc(judge->map.size / PAGE + 1, sizeof(*judge->unsettled));
	if (!judge->status || !judge->unsettled)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for an image's code");
	return 0;
}

void lint_judge_deinit(struct lint_judge *judge)
{
	lint_findings_deinit(&judge->held);
	flow_code_map_deinit(&judge->map);
	free(judge->status);
	free(judge->unsettled);
}

/* NULL: outside of executable segments. */
static uint8_t *status_at(const struct lint_judge *judge, uint64_t pc)
{
	const size_t at = flow_code_map_at(&judge->map, pc);

	return at == FLOW_CODE_NONE ? NULL : &judge->status[at];
}

/* The worst counts. */
static void set_status(struct lint_judge *judge, uint64_t pc, uint8_t status)
{
	uint8_t *at = status_at(judge, pc);

	judge->wrong |= status == STATUS_MISMATCH;
	judge->whole = NULL;
	if (judge->trial || !at)
		return;
	if (status > (*at & ~STATUS_BESIDE))
		*at = (uint8_t)(status | (*at & STATUS_BESIDE));
	if (!judge->inner)
		*at |= STATUS_WAYS;
}

/* What it came to; STATUS_NONE outside of executable segments. */
static uint8_t get_status(const struct lint_judge *judge, uint64_t pc)
{
	const uint8_t *at = status_at(judge, pc);

	return at ? (uint8_t)(*at & ~STATUS_BESIDE) : STATUS_NONE;
}

static void set_sure(struct lint_judge *judge, uint64_t pc)
{
	uint8_t *at = status_at(judge, pc);

	if (judge->trial || !at)
		return;
	*at |= STATUS_SURE;
	judge->unsettled[(size_t)(at - judge->status) / PAGE] = true;
}

void lint_judge_proven(struct lint_judge *judge, const struct flow_part *part)
{
	const struct code *end = part->code + part->code_count;
	uint8_t *status = judge->trial ? NULL : status_at(judge, part->begin); /* one segment's */
	uint8_t others = !status;

	for (const struct code *code = part->code; status && code < end; code++) {
		uint8_t *at = status + (code->pc - part->begin);
		const uint8_t was = *at & (uint8_t)~STATUS_BESIDE;

		if (!flow_proof_reached(part, code)) {
			others |= was;
			continue;
		}
		*at |= STATUS_WAYS | (was ? 0 : STATUS_PROVEN);
		others |= was ? was ^ STATUS_PROVEN : 0;
	}
	judge->whole = others ? NULL : part;
}

bool lint_judge_was_reached(const struct lint_judge *judge, uint64_t pc)
{
	const uint8_t *at = status_at(judge, pc);

	return at && *at;
}

bool lint_judge_has_ways(const struct lint_judge *judge, uint64_t pc)
{
	const uint8_t *at = status_at(judge, pc);

	return at && *at & STATUS_WAYS;
}

bool lint_judge_is_wrong(const struct lint_judge *judge, uint64_t begin, uint64_t end)
{
	for (uint64_t pc = begin; pc < end; pc++) {
		const uint8_t *at = status_at(judge, pc);

		if (!at)
			return false;
		if (*at & STATUS_MISMATCH)
			return true;
	}
	return false;
}

void lint_judge_excuse(struct lint_judge *judge, uint64_t begin, uint64_t end)
{
	for (uint64_t pc = begin; pc < end; pc++) {
		uint8_t *at = status_at(judge, pc);

		if (at && *at & STATUS_MISMATCH)
			*at = (uint8_t)(STATUS_UNPROVEN + FLOW_VALUE_UNKNOWN) | (*at & STATUS_WAYS);
	}
}

static void tell(void *context, const struct lint_finding *finding)
{
	struct lint_judge *judge = context;

	judge->counts->findings[finding->id]++;
	judge->watch->finding(judge->watch->context, finding);
}

void lint_judge_report(struct lint_judge *judge, const struct lint_finding *finding)
{
	if (judge->trial)
		return;
	if (judge->holds)
		lint_findings_add(&judge->held, finding);
	else
		tell(judge, finding);
}

int lint_judge_tell(struct lint_judge *judge, struct error *error)
{
	judge->holds = false;
	lint_findings_give(&judge->held, tell, judge);
	return judge->held.no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "findings") : 0;
}

/* ---- instructions ------------------------------------------------------------------------- */

/* A finding that may go on. */
struct run {
	struct lint_finding finding; /* id 0: none */
	struct value actual;
};

static void run_end(struct lint_judge *judge, struct run *run)
{
	if (run->finding.id)
		lint_judge_report(judge, &run->finding);
	run->finding.id = LINT_NONE;
}

static void run_add(struct lint_judge *judge, struct run *run, const struct lint_finding *finding,
		    const struct value *actual, uint64_t pc)
{
	if (run->finding.id == finding->id && run->finding.reg == finding->reg &&
	    run->finding.pc_end == pc && value_equal(&run->actual, actual)) {
		run->finding.pc_end = finding->pc_end;
		return;
	}
	run_end(judge, run);
	run->finding = *finding;
	run->actual = *actual;
}

static void check_inside(struct lint_judge *judge, const struct flow_part *part,
			 const struct code *code)
{
	for (unsigned int i = 1; i < code->length; i++) {
		const struct row *row = flow_part_row(part, code->pc + i);

		if (!row || row->pc != code->pc + i || row == part->row ||
		    row_equal(row, row - 1) || part->block_at[row->pc - part->begin])
			continue; /* or a way has an instruction there, and it is that one's */
		struct lint_finding finding = { .id = LINT_ROW_INSIDE,
						.pc = code->pc,
						.pc_end = code->pc + code->length,
						.function = part->begin };
		snprintf(finding.declared, sizeof(finding.declared), "a row begins at %#" PRIx64,
			 row->pc);
		snprintf(finding.actual, sizeof(finding.actual),
			 "the instruction has %u bytes from %#" PRIx64, code->length, code->pc);
		set_status(judge, code->pc, STATUS_MISMATCH);
		lint_judge_report(judge, &finding);
	}
}

static void tell_point(struct lint_judge *judge, const struct flow *flow,
		       const struct flow_block *block, const struct code *code,
		       const struct row *row, const struct flow_state *state,
		       const struct flow_row_verdict *verdict)
{
	struct lint_point point = {
		.pc = code->pc,
		.length = code->length,
		.function = block->part->begin,
		.row = row,
		.agreed = block->part->agreed,
		.outcome = verdict->outcome,
		.reason = verdict->reason,
		.unsure = block->unsure || judge->doubtful,
		.returns = flow->found.has_return,
		.leaves = judge->watch->point &&
			  flow_popped_leaves(flow, block->part, code->pc, state),
		.verdict = verdict,
		.state = state,
	};

	if (judge->watch->point && !judge->trial)
		judge->watch->point(judge->watch->context, &point);
}

static void unproven(struct flow_row_verdict *verdict, enum flow_reason reason)
{
	verdict->outcome = FLOW_ROW_UNPROVEN;
	verdict->reason = reason;
}

/* It goes back from elsewhere than at its entry, and the row says so: there it has the one CFA as well as the other. */
static bool goes_back(const struct flow *flow, struct flow_part *part, const struct row *row,
		      uint64_t pc, const struct flow_state *state,
		      const struct flow_row_verdict *verdict)
{
	const struct flow_row_terms terms = { .agreed = part->agreed, .declared = UINT32_MAX };

	return verdict->outcome == FLOW_ROW_MISMATCH && verdict->fault == FLOW_CFA &&
	       flow_popped_leaves(flow, part, pc, state) &&
	       flow_popped_agrees(row, pc, state, &terms);
}

/* Who was entered in another way than by a call. */
static void judge_entry(const struct lint_judge *judge, const struct flow *flow,
			struct flow_row_verdict *verdict)
{
	if (flow->found
		    .is_handler) /* what is on the stack then, an error code or none, the CPU knows */
		unproven(verdict, FLOW_SIGNAL_FRAME);
	else if (flow->found.returned_to && !judge->doubtful)
		unproven(verdict, FLOW_NO_ENTRY); /* whoever put its address there knows */
}

/* Nobody is accused of what a doubtful way brings; where it meets itself its values are not known, either. */
static void doubt(const struct lint_judge *judge, struct flow_row_verdict *verdict)
{
	if (verdict->outcome == FLOW_ROW_MISMATCH && verdict->callers_stack)
		unproven(verdict, FLOW_VALUE_UNKNOWN);
	if (judge->doubtful &&
	    (verdict->outcome == FLOW_ROW_MISMATCH ||
	     (verdict->outcome == FLOW_ROW_UNPROVEN && verdict->reason == FLOW_VALUE_UNKNOWN)))
		unproven(verdict, judge->why_doubtful);
}

/* A flow that is judged. */
struct judging {
	struct lint_judge *judge;
	bool called; /* its first row is not a function's, although it is called */
	struct run run;
};

static void judge_instruction(void *context, const struct flow *flow,
			      const struct flow_block *block, const struct code *code,
			      const struct flow_state *state)
{
	struct judging *judging = context;
	struct lint_judge *judge = judging->judge;
	struct run *run = &judging->run;
	const struct flow_part *part = block->part;
	const struct row *row = flow_part_row(part, code->pc);
	struct flow_row_verdict verdict = { .outcome = FLOW_ROW_UNPROVEN,
					    .reason = FLOW_MALFORMED };
	struct lint_finding finding = { .pc = code->pc,
					.pc_end = code->pc + code->length,
					.function = part->begin };

	if (!code->length) {
		set_status(judge, code->pc, STATUS_UNPROVEN + FLOW_UNDECODED);
		return;
	}
	if (row)
		flow_row_check(row, code->pc, state, part->agreed, &verdict);
	if (verdict.ends)
		lint_end_judge(judge, flow, state, &verdict);
	if (verdict.outcome == FLOW_ROW_MISMATCH && lint_convention_is(flow, part, state, &verdict))
		unproven(&verdict, lint_convention_reason(&verdict));
	if (goes_back(flow, block->part, row, code->pc, state, &verdict))
		unproven(&verdict, FLOW_VALUE_UNKNOWN);
	judge_entry(judge, flow, &verdict);
	if (verdict.outcome == FLOW_ROW_MISMATCH && block->unsure)
		unproven(&verdict, flow_doubt_reason(block->unsure));
	if (verdict.outcome == FLOW_ROW_PROVEN &&
	    !lint_unread_agrees(judge, row, code->pc, part->agreed))
		unproven(&verdict, FLOW_JUMP_UNKNOWN);
	if (judge->contrary)
		lint_contrary_note(judge->contrary, code->pc,
				   verdict.outcome == FLOW_ROW_PROVEN && !block->unsure);
	if (!lint_inner_accuses(judge, part, row, code->pc, state, &verdict))
		doubt(judge, &verdict);
	if (verdict.outcome == FLOW_ROW_PROVEN) {
		set_status(judge, code->pc, STATUS_PROVEN);
	} else if (block->unsure == FLOW_NEVER) {
		/* Nobody comes, or others, of whom more is said. */
	} else if (verdict.outcome == FLOW_ROW_UNPROVEN) {
		set_status(judge, code->pc, (uint8_t)(STATUS_UNPROVEN + verdict.reason));
	} else {
		set_status(judge, code->pc, STATUS_MISMATCH);
		finding.id = lint_id_of(verdict.fault);
		finding.reg = verdict.reg;
		if (judging->called && code->pc == flow->function && verdict.fault == FLOW_CFA)
			finding.id = LINT_ENTRY;
		flow_row_describe(row, state, &verdict, finding.declared, finding.actual);
		lint_mend_set(row, state, &verdict, &finding);
		if (verdict.fault == FLOW_RETURN && flow->function == flow->world->first)
			snprintf(finding.actual, sizeof(finding.actual),
				 "a process begins here, with argc there");
		run_add(judge, run, &finding, &verdict.actual, code->pc);
		if (run->finding.pc == code->pc)
			lint_inner_path(judge, block, &run->finding.path);
	}
	if (verdict.outcome != FLOW_ROW_PROVEN && block->unsure <= FLOW_MASKED)
		set_sure(judge, code->pc);
	if (!block->unsure && !judge->doubtful)
		check_inside(judge, part, code);
	tell_point(judge, flow, block, code, row, state, &verdict);
}

static bool may_come_back(const struct lint_judge *judge, uint64_t callee)
{
	return judge->callees && (!callee || !flow_never_returns_by_code(judge->callees, callee));
}

/* What the way brings goes on nowhere; but what lies behind is as wrong for it. */
static bool put_aside(struct lint_judge *judge, const struct flow_edge *edge)
{
	struct lint_aside aside = { .function = judge->flow->function,
				    .pc = edge->to,
				    .why = edge->weak ? FLOW_BEHIND_CALL : flow_edge_reason(edge) };

	if (!judge->asides || judge->trial || judge->doubtful ||
	    (edge->weak && !may_come_back(judge, edge->callee)))
		return false;
	if (!edge->weak && flow_jump_is_doubtful(judge->flow, edge->from, edge->to))
		aside.why = FLOW_JUMP_UNKNOWN;
	flow_state_copy(&aside.state, edge->state);
	return lint_asides_add(judge->asides, &aside);
}

static void judge_edge(void *context, const struct flow_edge *edge)
{
	struct lint_judge *judge = ((struct judging *)context)->judge;
	enum flow_reason why = judge->doubtful ? judge->why_doubtful : flow_edge_reason(edge);
	const struct row *row = flow_part_row(edge->part, edge->to);
	struct lint_finding finding = { .id = lint_id_of(edge->verdict.fault),
					.pc = edge->to,
					.pc_end = edge->to,
					.from = edge->from,
					.reg = edge->verdict.reg,
					.function = edge->part->begin };
	bool aside;

	if (judge->flow->found.is_handler || (judge->flow->found.returned_to && !judge->doubtful))
		return; /* its instructions were said to be unproven */
	aside = put_aside(judge, edge);
	if (edge->weak)
		return; /* doubt_calls() */
	if (edge->unsure == FLOW_MASKED)
		set_sure(judge, edge->to);
	if (lint_convention_is(judge->flow, edge->part, edge->state, &edge->verdict))
		return set_status(
			judge, edge->to,
			(uint8_t)(STATUS_UNPROVEN + lint_convention_reason(&edge->verdict)));
	if (judge->doubtful || edge->unsure >= FLOW_DOUBTED || edge->verdict.callers_stack ||
	    !lint_edge_is_meant(judge->flow, edge) ||
	    goes_back(judge->flow, flow_known_part(judge->flow, edge->to), row, edge->to,
		      edge->state, &edge->verdict))
		return set_status(judge, edge->to, (uint8_t)(STATUS_UNPROVEN + why));
	if (edge->unsure == FLOW_MASKED || flow_jump_is_doubtful(judge->flow, edge->from, edge->to))
		return set_status(judge, edge->to, STATUS_UNPROVEN + FLOW_JUMP_UNKNOWN);
	flow_row_describe(row, edge->state, &edge->verdict, finding.declared, finding.actual);
	flow_path_find(judge->flow, edge->from, edge->to, &finding.path);
	set_status(judge, edge->to, STATUS_MISMATCH);
	lint_judge_report(judge, &finding);
	if (aside && judge->holds)
		judge->asides->aside[judge->asides->count - 1].accused = judge->held.count;
}

static void judge_block_end(void *context)
{
	struct judging *judging = context;

	run_end(judging->judge, &judging->run);
}

static void note_step(void *context, const struct flow_part *part, uint64_t from, uint64_t to,
		      const struct flow_state *state)
{
	lint_contrary_note_step(((struct judging *)context)->judge->contrary, part, from, to,
				state);
}

/* Where a call's way was left out as wrong, and not all that is known says that it never returns: if it
 * does, the row is wrong, whoever else comes there. */
static void doubt_calls(struct lint_judge *judge, const struct flow *flow)
{
	for (size_t i = 0; i < flow->behind_call_count; i++) {
		const struct flow_behind *behind = &flow->behind_call[i];

		if (may_come_back(judge, behind->callee))
			set_status(judge, behind->pc, STATUS_UNPROVEN + FLOW_BEHIND_CALL);
	}
}

int lint_judge_flow(struct lint_judge *judge, struct flow *flow, bool called, struct error *error)
{
	struct judging judging = { .judge = judge, .called = called };
	const struct flow_visitor first = { .step = judge->contrary ? note_step : NULL,
					    .context = &judging };
	const struct flow_visitor visitor = { .instruction = judge_instruction,
					      .block_end = judge_block_end,
					      .edge = judge_edge,
					      .step = first.step,
					      .context = &judging };

	judge->flow = flow;
	/* How the function returns is known when all of it was visited. */
	if (flow_visit(flow, &first, error))
		return -1;
	lint_unread_join(judge, flow);
	if (flow_visit(flow, &visitor, error))
		return -1;
	doubt_calls(judge, flow);
	if (!judge->trial && !judge->doubtful)
		judge->counts->calls_not_returning += flow->found.calls_not_returning;
	return 0;
}

int lint_judge_try(struct lint_judge *judge, struct flow *flow, bool *ret_wrong,
		   struct error *error)
{
	int result;

	judge->trial = true;
	judge->wrong = false;
	result = lint_judge_flow(judge, flow, false, error);
	judge->trial = false;
	*ret_wrong = judge->wrong;
	return result;
}

/* ---- what is plain ------------------------------------------------------------------------- */

bool lint_judge_plain(struct lint_judge *judge, struct code_decoder *decoder,
		      struct flow_callees *callees, struct flow_part *part)
{
	if (!lint_plain_is(judge->cfi, decoder, callees, part))
		return false;
	for (size_t i = 0; i < part->code_count; i++)
		set_status(judge, part->code[i].pc, STATUS_PROVEN);
	if (judge->watch->point)
		lint_plain_tell(judge->watch, part);
	return true;
}

/* ---- FDEs --------------------------------------------------------------------------------- */

enum flow_reason lint_judge_why(const struct flow *flow, const struct flow_part *part)
{
	if (!flow)
		return FLOW_NO_ENTRY;
	if (flow->found.too_large)
		return FLOW_TOO_LARGE;
	for (size_t i = 0; i < flow->behind_call_count; i++)
		if (flow->behind_call[i].pc >= part->begin && flow->behind_call[i].pc < part->end)
			return FLOW_BEHIND_CALL;
	return flow->found.jump_unknown ? FLOW_JUMP_UNKNOWN : FLOW_REACHED_BY_NONE;
}

static void tell_judged(struct lint_judge *judge, uint64_t pc, uint8_t status,
			enum flow_reason reason)
{
	enum flow_outcome outcome = status == STATUS_MISMATCH ? FLOW_ROW_MISMATCH
				    : status == STATUS_PROVEN ? FLOW_ROW_PROVEN
							      : FLOW_ROW_UNPROVEN;

	if (judge->watch->judged)
		judge->watch->judged(judge->watch->context, pc, outcome, reason);
}

static void count_fde(struct lint_judge *judge, const struct lint_fde *fde)
{
	struct lint_counts *counts = judge->counts;

	counts->fdes++;
	switch (fde->outcome) {
	case FLOW_ROW_MISMATCH: counts->mismatch++; break;
	case FLOW_ROW_UNPROVEN: counts->unproven[fde->reason]++; break;
	case FLOW_ROW_PROVEN: counts->proven++; break;
	}
	if (judge->watch->fde)
		judge->watch->fde(judge->watch->context, fde);
}

/* An FDE's instructions, as they are gone over. */
struct summing {
	struct lint_judge *judge;
	struct lint_sum *sum;
	bool tell, mismatch;
};

static void sum_add(struct summing *summing, uint64_t pc, uint8_t status)
{
	struct lint_fde *fde = &summing->sum->fde;
	enum flow_reason own = FLOW_REASON_COUNT;

	summing->sum->instructions++;
	summing->sum->proven += status == STATUS_PROVEN;
	summing->mismatch |= status == STATUS_MISMATCH;
	if (status == STATUS_NONE)
		own = summing->sum->none;
	else if (status >= STATUS_UNPROVEN && status < STATUS_MISMATCH)
		own = (enum flow_reason)(status - STATUS_UNPROVEN);
	if (fde->reason == FLOW_REASON_COUNT && own != FLOW_REASON_COUNT) {
		fde->reason = own;
		fde->pc = pc;
	}
	if (summing->tell)
		tell_judged(summing->judge, pc, status, own);
}

/* Something on its pages is not proven on a way that is sure. */
static bool is_unsettled(const struct lint_judge *judge, const struct flow_part *part)
{
	const uint8_t *at = status_at(judge, part->begin), *last = status_at(judge, part->end - 1);
	bool found = !at || !last;

	for (size_t i = found ? 0 : (size_t)(at - judge->status) / PAGE;
	     !found && i <= (size_t)(last - judge->status) / PAGE; i++)
		found = judge->unsettled[i];
	return found;
}

/* Those that begin in the middle of another, where a jump leads that is no doubtful entry of a table: they count if
 * they are not proven. */
static int sum_inside(struct summing *summing, struct code_decoder *decoder, struct flow_part *part,
		      struct error *error)
{
	const struct code *code = NULL;
	uint64_t next;

	for (uint64_t pc = part->begin; pc < part->end; pc = next) {
		code = code ? flow_part_next(part, decoder, code)
			    : flow_part_code(part, decoder, pc);
		if (!code)
			return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
		next = flow_part_behind(code);
		while (++pc < next) {
			const uint8_t *at = status_at(summing->judge, pc);

			if (at && *at & STATUS_SURE)
				sum_add(summing, pc, get_status(summing->judge, pc));
		}
	}
	return 0;
}

int lint_judge_fde(struct lint_judge *judge, struct code_decoder *decoder, struct flow_part *part,
		   bool tell, struct lint_sum *sum, struct error *error)
{
	struct lint_fde *fde = &sum->fde;
	struct summing summing = { .judge = judge, .sum = sum, .tell = tell };
	const uint8_t *all = status_at(judge, part->begin); /* it is in one segment, or in none */
	const struct code *code = NULL;
	uint32_t proven = judge->whole == part && !tell ? (uint32_t)part->whole : 0;
	uint64_t pc = proven ? part->end : part->begin;

	*sum = (struct lint_sum) {
		.fde = { part->begin, part->end, FLOW_ROW_PROVEN, FLOW_REASON_COUNT, part->begin,
			 sum->fde.unruled },
		.none = sum->none,
		.made = true,
	};
	for (; pc < part->end; pc = flow_part_behind(code)) {
		uint8_t status = all ? all[pc - part->begin] & (uint8_t)~STATUS_BESIDE
				     : STATUS_NONE;

		code = code ? flow_part_next(part, decoder, code)
			    : flow_part_code(part, decoder, pc);
		if (!code)
			return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
		if (status == STATUS_PROVEN && !tell)
			proven++;
		else if (status != STATUS_NONE ||
			 (!code->is_padding && code->flow != CODE_STOP && code->length))
			sum_add(&summing, pc, status);
	}
	sum->instructions += proven;
	sum->proven += proven;
	if (is_unsettled(judge, part) && sum_inside(&summing, decoder, part, error))
		return -1;
	if (fde->reason == FLOW_REASON_COUNT && part->malformed)
		fde->reason = FLOW_MALFORMED;
	else if (fde->reason == FLOW_REASON_COUNT && !sum->instructions)
		fde->reason = FLOW_REACHED_BY_NONE;
	if (summing.mismatch)
		fde->outcome = FLOW_ROW_MISMATCH;
	else if (fde->reason != FLOW_REASON_COUNT)
		fde->outcome = FLOW_ROW_UNPROVEN;
	return 0;
}

void lint_judge_count(struct lint_judge *judge, const struct lint_sum *sum)
{
	judge->counts->instructions += sum->instructions;
	judge->counts->instructions_proven += sum->proven;
	count_fde(judge, &sum->fde);
}

int lint_judge_whole(struct lint_judge *judge, struct code_decoder *decoder, struct flow_part *part,
		     const struct flow *flow, struct error *error)
{
	struct lint_sum sum = { .none = lint_judge_why(flow, part) };

	lint_judge_program(judge, part);
	if (lint_judge_fde(judge, decoder, part, judge->watch->judged != NULL, &sum, error))
		return -1;
	lint_judge_count(judge, &sum);
	return 0;
}

int lint_judge_take_back(struct lint_judge *judge, struct code_decoder *decoder,
			 struct flow_part *part, enum flow_reason why, struct error *error)
{
	const struct code *code = NULL;

	for (uint64_t pc = part->begin; pc < part->end; pc = flow_part_behind(code)) {
		code = code ? flow_part_next(part, decoder, code)
			    : flow_part_code(part, decoder, pc);
		if (!code)
			return error_set(error, ERROR_MEMORY, NULL, 0, "an FDE's instructions");
		if (lint_judge_was_reached(judge, pc))
			set_status(judge, pc, (uint8_t)(STATUS_UNPROVEN + why));
	}
	return 0;
}

void lint_judge_unread(const struct cfi_fde *fde, enum flow_reason reason, struct lint_sum *ret)
{
	*ret = (struct lint_sum) {
		.fde = { fde->pc_begin, fde->pc_begin + fde->pc_range, FLOW_ROW_UNPROVEN, reason,
			 fde->pc_begin, false },
		.made = true,
	};
}
