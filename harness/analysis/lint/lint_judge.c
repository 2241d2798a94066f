/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_judge.c - every instruction that was reached, against its row, and what FDEs come to
 */
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_inside.h"
#include "image/eh_frames.h"

/* ==== the directive that would make a row right ============================================= */

/*
 *	.cfi_adjust_cfa_offset 8	the row counts from the right register, and not far enough
 *	.cfi_def_cfa rsp, 16		it counts from another one
 *	.cfi_offset rbx, -16		the register is in this word
 *	.cfi_register rip, r11		or in another register
 *	.cfi_restore rbx		or where the CIE says: in itself
 *
 * (GNU as manual, "CFI directives".) It stands before the finding's first instruction, and is said only of
 * what all paths bring there: where one path alone is wrong no directive is right for the others.
 */

static bool is_callers(const struct value *value, uint8_t reg)
{
	return value->kind == VALUE_ENTRY && value->reg == reg && !value->number;
}

static void mend_cfa(const struct row *row, const struct flow_state *state,
		     const struct value *actual, struct lint_finding *finding)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (row->cfa.kind == RULE_CFA_REGISTER && actual->kind == VALUE_CFA &&
	    finding->id != LINT_ENTRY)
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_adjust_cfa_offset %" PRId64,
			 -actual->number);
	else if (rsp->kind == VALUE_CFA)
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_def_cfa rsp, %" PRId64,
			 -rsp->number);
}

/* The highest word of this frame that has it, which no signal overwrites. */
static const struct value *word_of(const struct flow_state *state, uint8_t reg)
{
	const struct value *rsp = &state->reg[REGISTER_RSP], *found = NULL;

	for (uint32_t i = 0; i < state->word_count; i++) {
		const struct word *word = &state->word[i];

		if (is_callers(&word->value, reg) && word->at.kind == VALUE_CFA &&
		    (rsp->kind != VALUE_CFA ||
		     word->at.number >= rsp->number - FLOW_RED_ZONE_BYTES) &&
		    (!found || word->at.number > found->number))
			found = &word->at;
	}
	return found;
}

static void mend_register(const struct flow_state *state, uint8_t reg, struct lint_finding *finding)
{
	const struct value *word = word_of(state, reg);

	if (reg != REGISTER_RIP && is_callers(&state->reg[reg], reg)) {
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_restore %s",
			 register_name(reg));
		return;
	}
	if (word) {
		snprintf(finding->mend, sizeof(finding->mend), ".cfi_offset %s, %" PRId64,
			 register_name(reg), word->number);
		return;
	}
	for (uint8_t i = 0; i < REGISTER_GPR_COUNT && !finding->mend[0]; i++)
		if (is_callers(&state->reg[i], reg))
			snprintf(finding->mend, sizeof(finding->mend), ".cfi_register %s, %s",
				 register_name(reg), register_name(i));
}

/* Sets the finding's mend, if one directive before its first instruction makes the row what the state says. */
static void lint_mend_set(const struct row *row, const struct flow_state *state,
			  const struct flow_row_verdict *verdict, struct lint_finding *finding)
{
	finding->mend[0] = '\0';
	if (verdict->fault == FLOW_CFA)
		mend_cfa(row, state, &verdict->actual, finding);
	else
		mend_register(state, verdict->reg, finding);
}

/* ==== findings that are kept until all are known ============================================ */

void lint_findings_add(struct lint_findings *list, const struct lint_finding *finding)
{
	struct lint_finding *copy = malloc(sizeof(*copy));

	if (copy)
		*copy = *finding;
	if (copy && ARRAY_ADD(list->finding, list->count, copy))
		return;
	free(copy);
	list->no_memory = true;
}

/* Gives each to fn, in order, and forgets it. */
static void lint_findings_give(struct lint_findings *list,
			       void (*fn)(void *context, const struct lint_finding *finding),
			       void *context)
{
	for (size_t i = 0; i < list->count; i++) {
		fn(context, list->finding[i]);
		free(list->finding[i]);
	}
	list->count = 0;
	lint_findings_deinit(list);
}

void lint_findings_pack(struct lint_findings *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->finding[i])
			list->finding[kept++] = list->finding[i];
	list->count = kept;
}

static int compare(const void *left, const void *right)
{
	const struct lint_finding *const *a = left, *const *b = right;

	return lint_finding_compare(*a, *b);
}

void lint_findings_sort(struct lint_findings *list)
{
	ARRAY_SORT(list->finding, list->count, compare);
}

void lint_findings_deinit(struct lint_findings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->finding[i]);
	free(list->finding);
	list->finding = NULL;
	list->count = 0;
}

/* ==== findings that the other of two paths contradicts ====================================== */

/*
 *	f:	test edi, edi
 *		jz 1f
 *		sub rsp, 64		; no directive
 *	1:	nop			; wrong by the room: SP001
 *		test edi, edi		; as before
 *		jz 2f
 *		add rsp, 64
 *	2:	ret			; right: who comes from the addition has made the room
 *
 * Where two paths meet and one is accused, what the other brings goes on (flow.c). It goes on by all branches, those
 * too that only the accused one takes, and is wrong there in its turn. The accused path is followed by itself
 * (lint_follow.c). If a row that was found wrong behind the meeting is right for it, somebody comes there for whom it is
 * right but for what was said of him before, and perhaps nobody else does: it is unproven. So it is where a second
 * fault makes up for the first; the function is accused of the first.
 *
 * Of two meetings in a loop each is behind the other: the one that was found first contradicts, and whoever is
 * contradicted contradicts nobody.
 */

/* An edge from the instruction at from to a block at to. */
static void lint_contrary_note_step(const struct lint_judge *judge,
				    const struct flow_fragment *fragment, uint64_t from,
				    uint64_t to, const struct flow_state *state)
{
	struct lint_contrary *contrary = judge->contrary;
	const struct row *row = flow_fragment_row(fragment, to);
	struct flow_row_verdict verdict;

	if (!row)
		return;
	flow_row_check(row, to, state, fragment->agreed, &verdict);
	if (verdict.outcome == FLOW_ROW_PROVEN &&
	    !ARRAY_ADD(contrary->edge, contrary->edge_count, (struct lint_right_edge) { from, to }))
		flow_lack(judge->world, "the ways through a function");
}

/* Some are right, and none is wrong. */
static bool are_right(const struct lint_contrary *contrary, uint64_t begin, uint64_t end)
{
	return lint_addresses_has(&contrary->right, begin, NULL) &&
	       lint_addresses_from(&contrary->wrong, begin) ==
		       lint_addresses_from(&contrary->wrong, end);
}

static bool is_right_edge(const struct lint_contrary *contrary, uint64_t from, uint64_t to)
{
	return ARRAY_ANY(contrary->edge_count, i,
			 contrary->edge[i].from == from && contrary->edge[i].to == to);
}

static bool is_contradicted(const struct lint_contrary *contrary,
			    const struct lint_finding *finding)
{
	if (finding->id > LINT_OVERWRITTEN && finding->id != LINT_LOST)
		return false;
	return finding->from ? is_right_edge(contrary, finding->from, finding->pc)
			     : are_right(contrary, finding->pc, finding->pc_end);
}

static void lint_judge_excuse(struct lint_judge *judge, uint64_t begin, uint64_t end);
void lint_contrary_take_back(struct lint_contrary *contrary, struct lint_judge *judge,
			     size_t number)
{
	struct lint_findings *held = &judge->held;

	lint_addresses_sort(&contrary->right);
	lint_addresses_sort(&contrary->wrong);
	for (; number < held->count; number++) {
		struct lint_finding *finding = held->finding[number];

		if (!finding || !is_contradicted(contrary, finding))
			continue;
		lint_judge_excuse(judge, finding->pc,
				  finding->from ? finding->pc + 1 : finding->pc_end);
		free(finding);
		held->finding[number] = NULL;
	}
}

void lint_contrary_deinit(struct lint_contrary *contrary)
{
	free(contrary->right.address);
	free(contrary->wrong.address);
	free(contrary->edge);
}

/* ==== does a register without a rule keep what its caller had in it? ======================== */

/*
 * By the psABI it does, if it is one that callees preserve. Other conventions pass arguments in such registers, and
 * then no rule is made for them, for no rule would be right: Swift's and Zig's, LLVM's regcall, preserve_none and GHC's.
 * An argument, or a global variable of GNU C's, that is kept over a call and then put back looks just as a register that
 * is saved. But who saves a register pushes it, if it pushes others and says so: one that is kept otherwise is none. And
 * who counts on from what its caller had in a register takes it for a variable.
 *
 * And who says that he loses it does, though it may still lie where rsp has gone by.
 */

/* Some row of the function says where the caller's register is: so without a rule it is unchanged. */
static bool has_rule(const struct flow_fragment *fragment, uint8_t reg)
{
	return ARRAY_ANY(fragment->row_count, i,
			 fragment->row[i].reg[reg].kind != RULE_UNSPECIFIED);
}

/* Registers by which callers tell the function something, and it them. */
static uint32_t arguments_of(const struct flow *flow)
{
	const uint32_t swift = 1u << REGISTER_R12 | 1u << REGISTER_R13 | 1u << REGISTER_R14;

	return flow->found.arguments | (flow->world->swift ? swift : 0);
}

/* By any of its fragments. */
static bool is_pushed(const struct flow *flow, uint8_t reg)
{
	for (size_t i = 0; i < flow->fragment_count; i++)
		for (size_t j = 0; j < flow->fragment[i]->code_count; j++) {
			const struct code *code = &flow->fragment[i]->code[j];

			if (code->effect == EFFECT_PUSH && code->source == reg)
				return true;
		}
	return false;
}

/* The function keeps it in memory or in a register, and pushes one that has a rule. In memory may be by way of another
 * register, as without optimization: no saved one goes there so. */
static bool is_argument(const struct flow *flow, const struct flow_fragment *fragment, uint8_t reg,
			const struct flow_state *state)
{
	bool keeps = flow_row_has_saved(state, reg), pushes = false;

	for (size_t i = 0; i < fragment->code_count; i++) {
		const struct code *code = &fragment->code[i];

		keeps |= code->source == reg &&
			 (code->effect == EFFECT_STORE ||
			  (code->effect == EFFECT_MOVE && has_rule(fragment, code->reg)));
		pushes |= code->effect == EFFECT_PUSH && code->source < REGISTER_GPR_COUNT &&
			  FLOW_PRESERVED >> code->source & 1 && has_rule(fragment, code->source);
	}
	return keeps && pushes && !is_pushed(flow, reg);
}

/* It is what the caller had there, and a number more: `register long *top asm("r13")`, and `top++`. Of rbp that may be
 * a frame's. */
static bool is_counted_on(const struct flow *flow, const struct flow_row_verdict *verdict)
{
	const struct value *actual = &verdict->actual;

	return actual->kind == VALUE_ENTRY && actual->reg == verdict->reg && actual->number &&
	       verdict->reg != REGISTER_RBP && !is_pushed(flow, verdict->reg);
}

/* It is in no word that rsp is not above. */
static bool is_below_stack(const struct flow_state *state, uint8_t reg)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	return !ARRAY_ANY(state->word_count, i,
			  state->word[i].value.kind == VALUE_ENTRY &&
				  state->word[i].value.reg == reg && !state->word[i].value.number &&
				  !(value_is_stack(rsp) &&
				    flow_align_is_below(state, &state->word[i].at, rsp)));
}

/* Wherever it leaves. */
static bool brings_back(const struct flow *flow, uint8_t reg)
{
	return (flow->found.has_return || flow->found.has_tail_call) &&
	       !((flow->found.clobbers | flow->found.perhaps_clobbers) >> reg & 1) &&
	       !(flow->found.has_tail_call && flow->found.breaks_convention);
}

/* The row says that it is lost, and what has it is a word that it was popped from: the function doesn't bring it back. */
static bool is_left_over(const struct flow *flow, const struct flow_state *state,
			 const struct flow_row_verdict *verdict)
{
	const struct value *own = &state->reg[verdict->reg];

	return verdict->fault == FLOW_LOST && !brings_back(flow, verdict->reg) &&
	       !(own->kind == VALUE_ENTRY && own->reg == verdict->reg && !own->number) &&
	       is_below_stack(state, verdict->reg);
}

/* Having no rule for the register, of which the verdict is, doesn't say that it is unchanged: the function is none of
 * the psABI's, or nobody knows. Or the rule that says that it is lost is right but for what lies below rsp. state: of
 * which the verdict is. */
static bool lint_convention_is(const struct flow *flow, const struct flow_fragment *fragment,
			       const struct flow_state *state,
			       const struct flow_row_verdict *verdict)
{
	const struct cfi *cfi = flow->world->cfi;

	if (is_left_over(flow, state, verdict))
		return true;
	/* On a path that isn't seen it may be lost: then no other rule is true. */
	if (verdict->fault == FLOW_LOST && flow->found.jump_unknown)
		return true;
	if (!flow_row_is_vague(verdict))
		return false;
	return (!flow->found.has_return && !flow->found.has_tail_call) ||
	       ((flow->found.breaks_convention || arguments_of(flow) >> verdict->reg & 1 ||
		 is_argument(flow, fragment, verdict->reg, state) ||
		 is_counted_on(flow, verdict)) &&
		!has_rule(fragment, verdict->reg)) ||
	       flow->world->ocaml ||
	       (flow->world->go &&
		cfi->cie[fragment->fde->cie].section == &cfi->image->debug_frame);
}

/* Why what is so is unproven. */
static enum flow_reason lint_convention_reason(const struct flow_row_verdict *verdict)
{
	return flow_row_is_vague(verdict) ? FLOW_NOT_KEPT : FLOW_RULE_UNKNOWN;
}

/* ==== what jumps bring whose targets nobody knows =========================================== */

/*
 * Such a jump leads to some instruction of its function, and nobody knows to which. So a row that is
 * right on all paths that were followed is proven only if it is right with what is known at the jump, as well:
 * a label that is only in a table somewhere may be any instruction. A function with one frame from its
 * jump to all its labels keeps those rows; its prologue and epilogue are unproven.
 *
 * What lies behind a label is not followed once more with the jump's state: a row that declares where
 * a register is has said all that its code goes on to restore. Only what would be taken back from a copy in another
 * register is forgotten where it may differ (flow_jump.c). A register without a rule is not held against
 * the jump: in other conventions than the psABI's none is preserved where one function leads to another.
 */

/* The row is right at pc on the ways that were followed: it would be, too, if such a jump leads there. */
static bool lint_unread_agrees(const struct flow *flow, const struct row *row, uint64_t pc,
			       uint32_t agreed)
{
	struct flow_row_verdict verdict;

	if (!flow->unread.count || !row)
		return true;
	flow_row_check(row, pc, &flow->unread.all, agreed, &verdict);
	return verdict.outcome == FLOW_ROW_PROVEN ||
	       (verdict.outcome == FLOW_ROW_MISMATCH && flow_row_is_vague(&verdict));
}

/* ==== branches that lead where compilers hold that nobody comes ============================= */

/*
 *		add	rdx, 1
 *		je	1f			; __builtin_unreachable(): a block without instructions
 *		...
 *	1:	mov	[rsp+0x98], r15		; the next block: r15 is saved
 *		.cfi_offset r15, -16
 *		call	__throw_out_of_range@plt
 *
 * An empty block has the address of what comes behind it, and GCC saves registers where they are needed alone
 * (-fshrink-wrap-separate). So a branch to such a block, or what falls into it, seems to bring a register to the next
 * that this one holds to be the caller's. The CFA is the same.
 *
 * Is the path meant? Who knows that the register was saved brings it back. So the path is followed on from there: if it
 * returns on some path with all that callees preserve, or comes to where a row is right for it, the one that is wrong is
 * the CFI's fault. If it only comes to calls that never return, or returns without, the code agrees with the row, and
 * nothing shows that anybody comes.
 */

/* An unconditional jump, a call and a landing pad's path are meant: no compiler writes one to what it holds to be
 * unreachable. */
static bool may_be_none(const struct flow *flow, const struct flow_edge *edge)
{
	struct flow_fragment *fragment = flow_known_fragment(flow, edge->from);
	const struct code *code =
		fragment ? flow_fragment_code(fragment, flow->world->decoder, edge->from) : NULL;

	return (edge->verdict.fault == FLOW_NOT_SAVED || edge->verdict.fault == FLOW_OVERWRITTEN) &&
	       code &&
	       (code->flow == CODE_BRANCH ||
		(code->flow == CODE_NEXT && code->pc + code->length == edge->to));
}

struct trial {
	uint64_t to; /* where it begins */
	bool righted;
};

static void note_step(void *context, const struct flow_fragment *fragment, uint64_t from,
		      uint64_t to, const struct flow_state *state)
{
	struct trial *trial = context;
	const struct row *row = to == trial->to ? NULL : flow_fragment_row(fragment, to);
	struct flow_row_verdict verdict;

	if (!row || trial->righted)
		return;
	flow_row_check(row, to, state, fragment->agreed, &verdict);
	trial->righted = verdict.outcome == FLOW_ROW_PROVEN;
}

/* The code shows that the path is taken, or it is no branch whose target may be none. Without memory nobody is accused. */
static bool lint_edge_is_meant(const struct flow *flow, const struct flow_edge *edge)
{
	const struct flow_plan plan = { .fde = cfi_fde_find(flow->world->cfi, edge->to),
					.function = flow->function,
					.entry = edge->to,
					.state = edge->state,
					.doubtful = true,
					.quiet = true };
	struct trial trial = { .to = edge->to };
	const struct flow_visitor visitor = { .step = note_step, .context = &trial };
	struct flow on;
	bool ret;

	if (!may_be_none(flow, edge))
		return true;
	flow_follow(&on, flow->world, &plan);
	flow_visit(&on, &visitor);
	ret = !flow_lacks(flow->world) &&
	      (on.found.returns_well || on.found.tail_calls_well || trial.righted);
	flow_deinit(&on);
	return ret;
}

/* ==== what FDEs cover, whatever their rows say ============================================== */

void lint_judge_overlap(struct lint_judge *judge, const struct cfi_fde *before,
			const struct cfi_fde *fde)
{
	struct lint_finding finding = { .id = LINT_OVERLAP,
					.pc = fde->pc_begin,
					.pc_end = before->pc_begin + before->pc_range,
					.function = fde->pc_begin };

	snprintf(finding.declared, sizeof(finding.declared), "by the FDE of %#" PRIx64,
		 before->pc_begin);
	snprintf(finding.actual, sizeof(finding.actual), "and by that of %#" PRIx64, fde->pc_begin);
	lint_judge_report(judge, &finding);
}

void lint_judge_uncovered(struct lint_judge *judge, uint64_t pc, uint64_t pc_end)
{
	struct lint_finding finding = { .id = LINT_UNCOVERED, .pc = pc, .pc_end = pc_end };

	snprintf(finding.declared, sizeof(finding.declared), "no FDE covers it");
	snprintf(finding.actual, sizeof(finding.actual),
		 "it is a function, or something leads there");
	snprintf(finding.mend, sizeof(finding.mend), LINT_MEND_FDE);
	lint_judge_report(judge, &finding);
}

void lint_judge_search_table(struct lint_judge *judge)
{
	struct error_list list DEINIT(error_list_deinit) = { NULL };

	eh_frame_hdr_check(judge->world->cfi, &list);
	for (size_t i = 0; i < list.count; i++) {
		struct lint_finding finding = { .id = LINT_SEARCH_TABLE };

		snprintf(finding.actual, sizeof(finding.actual), "%.95s", list.error[i].message);
		lint_judge_report(judge, &finding);
	}
}

/* What no reader can make a row of. What some readers know, as other machines' instructions, accuses
 * nobody. */
void lint_judge_program(struct lint_judge *judge, const struct flow_fragment *fragment)
{
	const struct error *why = &fragment->why_malformed;
	struct lint_finding finding = { .id = LINT_BROKEN_OFF,
					.pc = fragment->begin,
					.pc_end = fragment->end,
					.function = fragment->begin };

	if (!fragment->malformed ||
	    (why->code != ERROR_CFI_STATE && why->code != ERROR_CFI_TRUNCATED))
		return;
	if (fragment->row_count)
		finding.pc = fragment->row[fragment->row_count - 1].pc_end;
	snprintf(finding.declared, sizeof(finding.declared), "%.95s", why->message);
	snprintf(finding.actual, sizeof(finding.actual), "no row from here on");
	lint_judge_report(judge, &finding);
}

/* ==== instructions against rows, and the FDE's sum ========================================== */

/*
 * One wrong row is one finding, however many instructions it covers: the first, with the end of the
 * last that is wrong in the same way. What lies between is decoded from the end of the instruction
 * before: code that no path leads to, and padding, which is neither proven nor missing.
 */

enum {
	STATUS_NONE,
	STATUS_PROVEN,
	STATUS_UNPROVEN, /* + enum flow_reason */
	STATUS_PATHS =
		0x20, /* beside one of them: a path leads here that no call into the middle began */
	STATUS_SURE = 0x40, /* the same: on a path that is sure it is not proven */
	STATUS_MISMATCH = 0x80,
	STATUS_FLAGS = STATUS_PATHS | STATUS_SURE,
};

_Static_assert(STATUS_UNPROVEN + FLOW_REASON_COUNT <= STATUS_PATHS, "a reason is no flag");

#define PAGE 4096 /* bytes of code */

bool lint_judge_init(struct lint_judge *judge)
{
	const size_t bytes = judge->world->map.size;

	judge->status = calloc(bytes + 1, 1);
	judge->unsettled = calloc(bytes / PAGE + 1, sizeof(*judge->unsettled));
	return judge->status && judge->unsettled;
}

void lint_judge_deinit(struct lint_judge *judge)
{
	lint_findings_deinit(&judge->held);
	free(judge->status);
	free(judge->unsettled);
}

/* NULL: outside of executable segments. */
static uint8_t *status_at(const struct lint_judge *judge, uint64_t pc)
{
	const size_t at = flow_code_map_at(&judge->world->map, pc);

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
	if (status > (*at & ~STATUS_FLAGS))
		*at = (uint8_t)(status | (*at & STATUS_FLAGS));
	if (!judge->inner)
		*at |= STATUS_PATHS;
}

/* What it came to; STATUS_NONE outside of executable segments. */
static uint8_t get_status(const struct lint_judge *judge, uint64_t pc)
{
	const uint8_t *at = status_at(judge, pc);

	return at ? (uint8_t)(*at & ~STATUS_FLAGS) : STATUS_NONE;
}

static void set_sure(struct lint_judge *judge, uint64_t pc)
{
	uint8_t *at = status_at(judge, pc);

	if (judge->trial || !at)
		return;
	*at |= STATUS_SURE;
	judge->unsettled[(size_t)(at - judge->status) / PAGE] = true;
}

void lint_judge_proven(struct lint_judge *judge, const struct flow_fragment *fragment)
{
	const struct code *end = fragment->code + fragment->code_count;
	uint8_t *status = judge->trial ? NULL
				       : status_at(judge, fragment->begin); /* one segment's */
	uint8_t others = !status;

	for (const struct code *code = fragment->code; status && code < end; code++) {
		uint8_t *at = status + (code->pc - fragment->begin);
		const uint8_t was = *at & (uint8_t)~STATUS_FLAGS;

		if (!flow_proof_reached(fragment, code)) {
			others |= was;
			continue;
		}
		*at |= STATUS_PATHS | (was ? 0 : STATUS_PROVEN);
		others |= was ? was ^ STATUS_PROVEN : 0;
	}
	judge->whole = others ? NULL : fragment;
}

bool lint_judge_was_reached(const struct lint_judge *judge, uint64_t pc)
{
	const uint8_t *at = status_at(judge, pc);

	return at && *at;
}

bool lint_judge_has_paths(const struct lint_judge *judge, uint64_t pc)
{
	const uint8_t *at = status_at(judge, pc);

	return at && *at & STATUS_PATHS;
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

/* Nobody is accused any more of what begins from begin to before end: it is unproven. */
static void lint_judge_excuse(struct lint_judge *judge, uint64_t begin, uint64_t end)
{
	for (uint64_t pc = begin; pc < end; pc++) {
		uint8_t *at = status_at(judge, pc);

		if (at && *at & STATUS_MISMATCH)
			*at = (uint8_t)(STATUS_UNPROVEN + FLOW_VALUE_UNKNOWN) |
			      (*at & STATUS_PATHS);
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

void lint_judge_tell(struct lint_judge *judge)
{
	judge->holds = false;
	lint_findings_give(&judge->held, tell, judge);
	if (judge->held.no_memory)
		flow_lack(judge->world, "findings");
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

static void check_inside(struct lint_judge *judge, const struct flow_fragment *fragment,
			 const struct code *code)
{
	for (unsigned int i = 1; i < code->length; i++) {
		const struct row *row = flow_fragment_row(fragment, code->pc + i);

		if (!row || row->pc != code->pc + i || row == fragment->row ||
		    row_equal(row, row - 1) || fragment->block_at[row->pc - fragment->begin])
			continue; /* or a path has an instruction there, and it is that one's */
		struct lint_finding finding = { .id = LINT_ROW_INSIDE,
						.pc = code->pc,
						.pc_end = code->pc + code->length,
						.function = fragment->begin };
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
		.function = block->fragment->begin,
		.row = row,
		.agreed = block->fragment->agreed,
		.outcome = verdict->outcome,
		.reason = verdict->reason,
		.unsure = block->unsure || judge->doubtful,
		.returns = flow->found.has_return,
		.leaves = judge->watch->point &&
			  flow_callee_pop_leaves(flow, block->fragment, code->pc, state),
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
static bool goes_back(const struct flow *flow, struct flow_fragment *fragment,
		      const struct row *row, uint64_t pc, const struct flow_state *state,
		      const struct flow_row_verdict *verdict)
{
	const struct flow_row_terms terms = { .agreed = fragment->agreed, .declared = UINT32_MAX };

	return verdict->outcome == FLOW_ROW_MISMATCH && verdict->fault == FLOW_CFA &&
	       flow_callee_pop_leaves(flow, fragment, pc, state) &&
	       flow_callee_pop_agrees(row, pc, state, &terms);
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

/* Nobody is accused of what a doubtful path brings; where it meets itself its values are not known, either. */
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
	const struct flow_fragment *fragment = block->fragment;
	const struct row *row = flow_fragment_row(fragment, code->pc);
	struct flow_row_verdict verdict = { .outcome = FLOW_ROW_UNPROVEN,
					    .reason = FLOW_MALFORMED };
	struct lint_finding finding = { .pc = code->pc,
					.pc_end = code->pc + code->length,
					.function = fragment->begin };

	if (!code->length) {
		set_status(judge, code->pc, STATUS_UNPROVEN + FLOW_UNDECODED);
		return;
	}
	if (row)
		flow_row_check(row, code->pc, state, fragment->agreed, &verdict);
	if (verdict.ends)
		lint_end_judge(judge, flow, state, &verdict);
	if (verdict.outcome == FLOW_ROW_MISMATCH &&
	    lint_convention_is(flow, fragment, state, &verdict))
		unproven(&verdict, lint_convention_reason(&verdict));
	if (goes_back(flow, block->fragment, row, code->pc, state, &verdict))
		unproven(&verdict, FLOW_VALUE_UNKNOWN);
	judge_entry(judge, flow, &verdict);
	if (verdict.outcome == FLOW_ROW_MISMATCH && block->unsure)
		unproven(&verdict, flow_doubt_reason(block->unsure));
	if (verdict.outcome == FLOW_ROW_PROVEN &&
	    !lint_unread_agrees(flow, row, code->pc, fragment->agreed))
		unproven(&verdict, FLOW_JUMP_UNKNOWN);
	if (judge->contrary)
		lint_addresses_add(verdict.outcome == FLOW_ROW_PROVEN && !block->unsure
					   ? &judge->contrary->right
					   : &judge->contrary->wrong,
				   code->pc, judge->world);
	if (!lint_inner_accuses(judge, fragment, row, code->pc, state, &verdict))
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
		check_inside(judge, fragment, code);
	tell_point(judge, flow, block, code, row, state, &verdict);
}

static bool may_come_back(const struct lint_judge *judge, uint64_t callee)
{
	return judge->world->callees &&
	       (!callee || !flow_never_returns_by_code(judge->world->callees, callee));
}

/* What the path brings goes on nowhere; but what lies behind is as wrong for it. */
static bool defer(struct lint_judge *judge, const struct flow_edge *edge)
{
	struct lint_deferral deferral = { .function = judge->flow->function,
					  .pc = edge->to,
					  .why = edge->weak ? FLOW_BEHIND_CALL
							    : flow_edge_reason(edge) };

	if (!judge->deferrals || judge->trial || judge->doubtful ||
	    (edge->weak && !may_come_back(judge, edge->callee)))
		return false;
	if (!edge->weak && edge->doubtful)
		deferral.why = FLOW_JUMP_UNKNOWN;
	flow_state_copy(&deferral.state, edge->state);
	return lint_deferrals_add(judge, &deferral);
}

static void judge_edge(void *context, const struct flow_edge *edge)
{
	struct lint_judge *judge = ((struct judging *)context)->judge;
	enum flow_reason why = judge->doubtful ? judge->why_doubtful : flow_edge_reason(edge);
	const struct row *row = flow_fragment_row(edge->fragment, edge->to);
	struct lint_finding finding = { .id = lint_id_of(edge->verdict.fault),
					.pc = edge->to,
					.pc_end = edge->to,
					.from = edge->from,
					.reg = edge->verdict.reg,
					.function = edge->fragment->begin };
	bool deferred;

	if (judge->flow->found.is_handler || (judge->flow->found.returned_to && !judge->doubtful))
		return; /* its instructions were said to be unproven */
	deferred = defer(judge, edge);
	if (edge->weak)
		return; /* doubt_calls() */
	if (edge->unsure == FLOW_MASKED)
		set_sure(judge, edge->to);
	if (lint_convention_is(judge->flow, edge->fragment, edge->state, &edge->verdict))
		return set_status(
			judge, edge->to,
			(uint8_t)(STATUS_UNPROVEN + lint_convention_reason(&edge->verdict)));
	if (judge->doubtful || edge->unsure >= FLOW_DOUBTED || edge->verdict.callers_stack ||
	    !lint_edge_is_meant(judge->flow, edge) ||
	    goes_back(judge->flow, edge->fragment, row, edge->to, edge->state, &edge->verdict))
		return set_status(judge, edge->to, (uint8_t)(STATUS_UNPROVEN + why));
	if (edge->unsure == FLOW_MASKED || edge->doubtful)
		return set_status(judge, edge->to, STATUS_UNPROVEN + FLOW_JUMP_UNKNOWN);
	flow_row_describe(row, edge->state, &edge->verdict, finding.declared, finding.actual);
	flow_trace_find(judge->flow, edge->from, edge->to, &finding.path);
	set_status(judge, edge->to, STATUS_MISMATCH);
	lint_judge_report(judge, &finding);
	if (deferred && judge->holds)
		judge->deferrals->deferral[judge->deferrals->count - 1].accused = judge->held.count;
}

static void judge_block_end(void *context)
{
	struct judging *judging = context;

	run_end(judging->judge, &judging->run);
}

static void note_edge(void *context, const struct flow_fragment *fragment, uint64_t from,
		      uint64_t to, const struct flow_state *state)
{
	lint_contrary_note_step(((struct judging *)context)->judge, fragment, from, to, state);
}

/* Where a call's path was left out as wrong, and not all that is known says that it never returns: if it
 * does, the row is wrong, whoever else comes there. */
static void doubt_calls(struct lint_judge *judge, const struct flow *flow)
{
	for (size_t i = 0; i < flow->behind_call_count; i++) {
		const struct flow_behind *behind = &flow->behind_call[i];

		if (may_come_back(judge, behind->callee))
			set_status(judge, behind->pc, STATUS_UNPROVEN + FLOW_BEHIND_CALL);
	}
}

void lint_judge_flow(struct lint_judge *judge, struct flow *flow, bool called)
{
	struct judging judging = { .judge = judge, .called = called };
	const struct flow_visitor visitor = { .instruction = judge_instruction,
					      .block_end = judge_block_end,
					      .edge = judge_edge,
					      .step = judge->contrary ? note_edge : NULL,
					      .context = &judging };

	judge->flow = flow;
	flow_visit(flow, &visitor);
	doubt_calls(judge, flow);
	if (!judge->trial && !judge->doubtful)
		judge->counts->calls_not_returning += flow->found.calls_not_returning;
}

bool lint_judge_try(struct lint_judge *judge, struct flow *flow)
{
	judge->trial = true;
	judge->wrong = false;
	lint_judge_flow(judge, flow, false);
	judge->trial = false;
	return judge->wrong;
}

/* ---- what is plain ------------------------------------------------------------------------- */

/* Calls watch->point, which must not be NULL, for each instruction of a plain fragment: all have one state. */
static void lint_plain_tell(const struct lint_watch *watch, const struct flow_fragment *fragment,
			    const struct flow_state *state)
{
	const struct flow_row_verdict verdict = { .outcome = FLOW_ROW_PROVEN };
	struct lint_point point = {
		.function = fragment->begin,
		.row = &fragment->row[0],
		.agreed = fragment->agreed,
		.outcome = FLOW_ROW_PROVEN,
		.verdict = &verdict,
		.state = state,
	};

	for (size_t i = 0; i < fragment->code_count; i++)
		point.returns |= fragment->code[i].flow == CODE_RETURN;
	for (size_t i = 0; i < fragment->code_count; i++) {
		point.pc = fragment->code[i].pc;
		point.length = fragment->code[i].length;
		watch->point(watch->context, &point);
	}
}

bool lint_judge_plain(struct lint_judge *judge, struct flow_fragment *fragment)
{
	struct flow_state state;

	if (!flow_plain(judge->world, fragment, judge->watch->point ? &state : NULL))
		return false;
	for (size_t i = 0; i < fragment->code_count; i++)
		set_status(judge, fragment->code[i].pc, STATUS_PROVEN);
	if (judge->watch->point)
		lint_plain_tell(judge->watch, fragment, &state);
	return true;
}

/* ---- FDEs --------------------------------------------------------------------------------- */

enum flow_reason lint_judge_why(const struct flow *flow, const struct flow_fragment *fragment)
{
	if (!flow)
		return FLOW_NO_ENTRY;
	if (flow->found.too_large)
		return FLOW_TOO_LARGE;
	for (size_t i = 0; i < flow->behind_call_count; i++)
		if (flow->behind_call[i].pc >= fragment->begin &&
		    flow->behind_call[i].pc < fragment->end)
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

/* Something on its pages is not proven on a path that is sure. */
static bool is_unsettled(const struct lint_judge *judge, const struct flow_fragment *fragment)
{
	const uint8_t *at = status_at(judge, fragment->begin),
		      *last = status_at(judge, fragment->end - 1);
	bool found = !at || !last;

	for (size_t i = found ? 0 : (size_t)(at - judge->status) / PAGE;
	     !found && i <= (size_t)(last - judge->status) / PAGE; i++)
		found = judge->unsettled[i];
	return found;
}

/* flow_fragment_next(). */
static const struct code *next_code(const struct lint_judge *judge, struct flow_fragment *fragment,
				    const struct code *code)
{
	const struct code *next = flow_fragment_next(fragment, judge->world->decoder, code);

	if (!next)
		flow_lack(judge->world, "an FDE's instructions");
	return next;
}

/* Those that begin in the middle of another, where a jump leads that is no doubtful entry of a table: they count if
 * they are not proven. */
static void sum_inside(struct summing *summing, struct flow_fragment *fragment)
{
	const struct code *code = NULL;
	uint64_t next;

	for (uint64_t pc = fragment->begin; pc < fragment->end; pc = next) {
		code = next_code(summing->judge, fragment, code);
		if (!code)
			return;
		next = flow_fragment_behind(code);
		while (++pc < next) {
			const uint8_t *at = status_at(summing->judge, pc);

			if (at && *at & STATUS_SURE)
				sum_add(summing, pc, get_status(summing->judge, pc));
		}
	}
}

void lint_judge_fde(struct lint_judge *judge, struct flow_fragment *fragment, bool tell,
		    struct lint_sum *sum)
{
	struct lint_fde *fde = &sum->fde;
	struct summing summing = { .judge = judge, .sum = sum, .tell = tell };
	const uint8_t *all = status_at(judge,
				       fragment->begin); /* it is in one segment, or in none */
	const struct code *code = NULL;
	uint32_t proven = judge->whole == fragment && !tell ? (uint32_t)fragment->whole : 0;
	uint64_t pc = proven ? fragment->end : fragment->begin;

	*sum = (struct lint_sum) {
		.fde = { fragment->begin, fragment->end, FLOW_ROW_PROVEN, FLOW_REASON_COUNT,
			 fragment->begin, sum->fde.unruled },
		.none = sum->none,
		.made = true,
	};
	for (; pc < fragment->end; pc = flow_fragment_behind(code)) {
		uint8_t status = all ? all[pc - fragment->begin] & (uint8_t)~STATUS_FLAGS
				     : STATUS_NONE;

		code = next_code(judge, fragment, code);
		if (!code)
			return;
		if (status == STATUS_PROVEN && !tell)
			proven++;
		else if (status != STATUS_NONE ||
			 (!code->is_padding && code->flow != CODE_STOP && code->length))
			sum_add(&summing, pc, status);
	}
	sum->instructions += proven;
	sum->proven += proven;
	if (is_unsettled(judge, fragment))
		sum_inside(&summing, fragment);
	if (fde->reason == FLOW_REASON_COUNT && fragment->malformed)
		fde->reason = FLOW_MALFORMED;
	else if (fde->reason == FLOW_REASON_COUNT && !sum->instructions)
		fde->reason = FLOW_REACHED_BY_NONE;
	if (summing.mismatch)
		fde->outcome = FLOW_ROW_MISMATCH;
	else if (fde->reason != FLOW_REASON_COUNT)
		fde->outcome = FLOW_ROW_UNPROVEN;
}

void lint_judge_count(struct lint_judge *judge, const struct lint_sum *sum)
{
	judge->counts->instructions += sum->instructions;
	judge->counts->instructions_proven += sum->proven;
	count_fde(judge, &sum->fde);
}

void lint_judge_take_back(struct lint_judge *judge, struct flow_fragment *fragment,
			  enum flow_reason why)
{
	const struct code *code = NULL;

	for (uint64_t pc = fragment->begin; pc < fragment->end; pc = flow_fragment_behind(code)) {
		code = next_code(judge, fragment, code);
		if (!code)
			return;
		if (lint_judge_was_reached(judge, pc))
			set_status(judge, pc, (uint8_t)(STATUS_UNPROVEN + why));
	}
}

void lint_judge_unread(const struct cfi_fde *fde, enum flow_reason reason, struct lint_sum *ret)
{
	*ret = (struct lint_sum) {
		.fde = { fde->pc_begin, fde->pc_begin + fde->pc_range, FLOW_ROW_UNPROVEN, reason,
			 fde->pc_begin, false },
		.made = true,
	};
}
