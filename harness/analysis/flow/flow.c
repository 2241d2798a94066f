/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow.c - all paths through one function
 *
 * How they are followed again and again, what becomes of those that meet, and who is told where they lead.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_paths.h"

/* ==== paths into another function's fragment that perhaps nobody takes ========================== */

/*
 *	f:	sub rsp, 40
 *		jmp 9f
 *	g:	sub rsp, 72
 *		lea rax, [rip + 9f]
 *		jmp rax			; or push rax; ret
 *	9:	add rsp, 40		; f's rows
 *
 * A fragment says what frame comes to it. A jump with an address leads there for certain (flow.c asks whose it is). Others
 * may: a computed jump to an address that its function makes, or that a table has; a return to one that was pushed; the
 * end of a function behind a call that perhaps comes back, or behind which no-ops or a few instructions without an FDE
 * lie. Such a path is not followed: none of it is held against anybody. But with another frame than the fragment says, what
 * it says is proven for some that come there alone; who wants to know is told. So he is of paths into the middle of an
 * FDE, perhaps of an instruction of it, that nobody else sees.
 */

#define UNCOVERED_MAX                                                                              \
	32 /* instructions that no FDE covers, from where one ends to another one's begin */

static bool is_wrong(const struct flow_world *world, const struct cfi_fde *fde,
		     const struct flow_state *state)
{
	struct flow_fragment *fragment = flow_fragment_of(world, fde, NULL);
	struct flow_row_verdict verdict;
	const struct row *row;
	bool wrong;

	if (!fragment)
		return false;
	row = flow_fragment_row(fragment, fragment->begin);
	wrong = row && !flow_row_is_entry(row) && !flow_row_is_linked(row) &&
		flow_is_mismatch(fragment, fragment->begin, state, &verdict) &&
		!flow_row_is_vague(&verdict);
	flow_fragment_destroy(fragment);
	return wrong;
}

/* Along code that no FDE covers, straight on and by jumps. *pc: where an FDE covers it. */
static bool pass_uncovered(const struct flow_world *world, uint64_t *pc, struct flow_state *state)
{
	for (int i = 0; i < UNCOVERED_MAX && !cfi_fde_find(world->cfi, *pc); i++) {
		struct code code;

		if (!image_code_segment(world->cfi->image, *pc) ||
		    !code_decode_at(world->decoder, world->cfi->image, *pc, &code) ||
		    (code.flow != CODE_NEXT && code.flow != CODE_JUMP))
			return false;
		if (code.flow == CODE_NEXT)
			flow_effect(state, &code, 0);
		*pc = code.flow == CODE_JUMP ? code.target : *pc + code.length;
	}
	return true;
}

void flow_reach(const struct flow_world *world, uint64_t function, uint64_t pc,
		const struct flow_state *state, enum flow_reason why)
{
	const struct cfi_fde *fde;
	struct flow_state there;

	if (!flow_wants(world, FLOW_LEADS_PERHAPS))
		return;
	if (state)
		flow_state_copy(&there, state);
	else
		flow_state_enter(&there);
	if (!pass_uncovered(world, &pc, &there))
		return;
	fde = cfi_fde_find(world->cfi, pc);
	if (!fde || (fde->pc_begin == pc &&
		     (fde == cfi_fde_find(world->cfi, function) || !is_wrong(world, fde, &there))))
		return;
	/* Whether it is wrong in the middle, or further on, is seen when it is followed. */
	if (!flow_is_stub(world->callees, pc))
		flow_tell(world, &(struct flow_lead) { .kind = FLOW_LEADS_PERHAPS,
						       .pc = pc,
						       .function = function,
						       .state = &there,
						       .why = why });
}

/* It comes to a return with rsp elsewhere than at the return address. */
static void flow_reach_returned(struct flow *flow, const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	const struct value *word = flow_word_find(state, rsp);
	struct flow_state there;

	if (!flow_tells_reached(flow))
		return;
	if (flow->proof)
		flow_proof_fail(flow); /* it keeps no such words */
	if (flow->proof || !word || word->kind != VALUE_CONSTANT)
		return;
	flow_state_copy(&there, state);
	there.reg[REGISTER_RSP] = value_add(*rsp, 8);
	flow_reach(flow->world, flow->function, (uint64_t)word->number, &there, FLOW_VALUE_UNKNOWN);
}

void flow_reach_called(const struct flow *flow, const struct code *call,
		       const struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	const struct value value = flow_effect_jump(state, call);
	const struct cfi_fde *fde;

	if (value.kind != VALUE_CONSTANT || !flow_tells_reached(flow))
		return;
	fde = cfi_fde_find(world->cfi, (uint64_t)value.number);
	if (!fde || fde->pc_begin == (uint64_t)value.number)
		return;
	flow_reach(world, flow->function, (uint64_t)value.number, NULL, FLOW_VALUE_UNKNOWN);
}

/* It comes to an instruction that the fragment's end cuts off, and so to the middle of one of the next FDE. */
static void flow_reach_cut_off(const struct flow *flow, const struct flow_fragment *fragment,
			       const struct code *unknown, const struct flow_state *state)
{
	const struct flow_world *world = flow->world;
	struct flow_state behind;
	struct code code;

	if (!flow_tells_reached(flow) || fragment->end - unknown->pc >= CODE_BYTES_MAX ||
	    !code_decode_at(world->decoder, world->cfi->image, unknown->pc, &code) ||
	    code.flow != CODE_NEXT || unknown->pc + code.length <= fragment->end)
		return;
	flow_state_copy(&behind, state);
	flow_effect(&behind, &code, 0);
	flow_reach(world, flow->function, unknown->pc + code.length, &behind, FLOW_VALUE_UNKNOWN);
}

/* An address that the instruction makes; 0: none. */
static uint64_t made_by(const struct code *code)
{
	if (code->effect == EFFECT_CONSTANT)
		return (uint64_t)code->constant;
	return code->effect == EFFECT_ADDRESS && code->base == CODE_NO_REGISTER &&
			       code->index == CODE_NO_REGISTER
		       ? (uint64_t)code->displacement
		       : 0;
}

/* Computed jumps with unknown targets perhaps lead to addresses that the function's instructions make. */
static void flow_reach_made(const struct flow *flow)
{
	const bool wanted = flow->unread.count && flow_wants(flow->world, FLOW_LEADS_PERHAPS);

	for (size_t i = 0; wanted && i < flow->fragment_count; i++) {
		const struct flow_fragment *fragment = flow->fragment[i];

		for (size_t j = 0; j < fragment->code_count; j++) {
			const uint64_t pc = made_by(&fragment->code[j]);
			const bool begins = pc && cfi_fde_begins(flow->world->cfi, pc);

			for (size_t k = 0; begins && k < flow->unread.count; k++)
				flow_reach(flow->world, flow->function, pc,
					   &flow->unread.jump[k].state, FLOW_JUMP_UNKNOWN);
		}
	}
}

/* ==== code behind a call that perhaps never returns, where others come with another frame ==== */

/*
 *	1:	call array_bound_error	; never returns, which nothing says
 *	2:	push 36			; declared as behind the call: rsp+48
 *		call more_stack
 *		pop r10
 *		jmp 3f			; wrong by that: rsp+8 is declared
 *
 * A jump leads to 2 with rsp+8. The row there is right for the way behind the call alone, and wrong for the jump: that is a
 * finding. If the call returns, two frames meet at 2. If it doesn't, the row is wrong for all who come, and what
 * lies behind is as it is for the jump. So what only follows from the call's return accuses nobody, unless the
 * callee is seen to return.
 */

/* Another path contradicts a weak one where that comes to pc: it accuses nobody. */
static bool is_contradicted(const struct flow *flow, uint64_t pc)
{
	return ARRAY_ANY(flow->contradicted_count, i, flow->contradicted[i] == pc);
}

/* By its code, which is here. */
static bool is_seen_to_return(const struct flow *flow, uint64_t callee)
{
	return callee && flow_comes_to_return(flow->world->callees, callee);
}

/* Notes that, of a path behind a call of callee, 0: computed. */
static void flow_contradict(struct flow *flow, uint64_t pc, uint64_t callee)
{
	if (is_contradicted(flow, pc) || is_seen_to_return(flow, callee))
		return;
	if (!ARRAY_ADD(flow->contradicted, flow->contradicted_count, pc))
		flow_lack_ways(flow);
	flow->round.contradicts = true;
}

/* ==== fragments, blocks, and the worklist ======================================================= */

/*
 * Where paths meet, the row decides which are believed first: one that brings what the row declares is
 * not spoiled by one that doesn't. The latter is an edge that says which two paths differ. If it is
 * the path behind a call, then the call never comes back, as abort() does not: compilers begin another
 * block there, with another frame. That accuses nobody.
 *
 * A jump out of the FDE with the frame taken down is a call in place of a return, and ends the path.
 * With a frame it leads to another part of the same function, which is followed there.
 */

/* ---- fragments -------------------------------------------------------------------------------- */

bool flow_has(const struct flow *flow, uint64_t pc)
{
	return flow_known_fragment(flow, pc) != NULL;
}

struct flow_fragment *flow_fragment_of(const struct flow_world *world, const struct cfi_fde *fde,
				       enum flow_reason *ret_reason)
{
	enum flow_reason reason = FLOW_NO_ENTRY;
	struct flow_fragment *fragment = NULL;

	if (fde && !flow_lacks(world))
		flow_fragment_create(world->cfi, fde, &fragment, &reason, world->error);
	if (ret_reason)
		*ret_reason = reason;
	if (fragment)
		fragment->agreed |= flow_unruled_agreed(world, fragment);
	return fragment;
}

/* The row there says that there is no caller. */
static bool says_end(const struct flow_fragment *fragment, uint64_t pc)
{
	const struct row *row = fragment ? flow_fragment_row(fragment, pc) : NULL;

	return row && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED;
}

/* The path ends in another function, whose return is this one's: unless that says that it
 * has no caller, too. fde: its FDE, NULL if it is in another image. */
static void leave(struct flow *flow, const struct flow_path *path, const struct cfi_fde *fde)
{
	struct flow_fragment *other;

	if (path->unsure >= FLOW_DOUBTED ||
	    !says_end(flow_known_fragment(flow, path->from), path->from))
		return;
	other = flow_fragment_of(flow->world, fde, NULL);
	flow->found.returns |= !says_end(other, fde ? fde->pc_begin : 0);
	flow_fragment_destroy(other);
}

bool flow_is_mismatch(const struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, struct flow_row_verdict *ret)
{
	const struct row *row = flow_fragment_row(fragment, pc);

	if (!row)
		return false;
	flow_row_check(row, pc, state, fragment->agreed, ret);
	/* What another path loses, this one may have: no other rule is true of both. */
	return ret->outcome == FLOW_ROW_MISMATCH && ret->fault != FLOW_LOST;
}

/* The fragment's first row speaks of another frame than the function has: it is perhaps not its fragment. */
static bool is_crossing(struct flow *flow, const struct flow_fragment *fragment,
			const struct flow_state *state, const struct flow_path *path)
{
	struct flow_row_verdict verdict;

	if (!flow_is_mismatch(fragment, fragment->begin, state, &verdict))
		return false;
	if (flow->proof)
		flow_proof_fail(flow);
	return path->weak || (path->unsure && !flow->falls) || flow->proof ||
	       !flow->world->crossing || flow_jump_is_doubtful(flow, path->from, fragment->begin) ||
	       !flow->world->crossing(flow->world->context, flow->function, fragment->begin, state,
				      flow->falls);
}

/* Its first row is no row of this path. */
static void tell_framed(const struct flow *flow, const struct flow_fragment *fragment,
			const struct flow_state *state, const struct flow_path *path)
{
	struct flow_row_verdict verdict;

	if (flow_wants(flow->world, FLOW_LEADS_FRAMED) && !path->weak && !path->unsure &&
	    !path->fallthrough && flow_is_mismatch(fragment, fragment->begin, state, &verdict) &&
	    verdict.fault == FLOW_CFA && !flow_jump_is_doubtful(flow, path->from, fragment->begin))
		flow_tell(flow->world,
			  &(struct flow_lead) { .kind = FLOW_LEADS_FRAMED, .pc = fragment->begin });
}

/* What goes on where a process has begun. */
static void tell_continued(const struct flow *flow, const struct flow_fragment *fragment,
			   const struct flow_state *state, const struct flow_path *path)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (flow_wants(flow->world, FLOW_LEADS_CONTINUED) && flow->function == flow->world->first &&
	    !path->weak && !path->unsure && rsp->kind == VALUE_CFA && rsp->number == -8 &&
	    says_end(flow_known_fragment(flow, path->from), path->from) &&
	    says_end(fragment, fragment->begin))
		flow_tell(flow->world, &(struct flow_lead) { .kind = FLOW_LEADS_CONTINUED,
							     .pc = fragment->begin });
}

/* While the paths are followed: what they have in common later may be less. */
static void note_preserved(struct flow *flow, const struct flow_state *state)
{
	flow->found.breaks_convention |= !flow->followed && !flow_row_preserves(state);
}

void flow_note_tail_call(struct flow *flow, const struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (rsp->kind != VALUE_CFA || rsp->number != -8)
		return;
	note_preserved(flow, state);
	flow->found.has_tail_call = true;
}

/* The path perhaps goes on in the fragment, which is none of the function's yet, at pc. False: it ends, or the fragment is
 * another function's. */
static bool is_part(struct flow *flow, const struct flow_fragment *fragment, uint64_t pc,
		    const struct flow_state *state, const struct flow_path *path)
{
	const bool at_begin = pc == fragment->begin;
	const struct row *first = flow_fragment_row(fragment, pc);

	if (flow_linked_is_call(fragment, pc, state)) {
		flow_linked_call(flow, fragment, state, path);
		return false;
	}
	if (at_begin && first && flow_row_is_entry(first) &&
	    !flow_is_fragment_of(flow->world->callees, pc, flow->function)) {
		/* Another function that is entered with a frame of ours, or the end of this one's code, where
		 * compilers let jumps go that are never taken: not followed. */
		tell_framed(flow, fragment, state, path);
		tell_continued(flow, fragment, state, path);
		return false;
	}
	return !at_begin || !is_crossing(flow, fragment, state, path);
}

/* The function's fragment that pc lies in; one that was not met before if the state is one with a frame.
 * NULL: the path ends, at another function. */
static struct flow_fragment *part_of(struct flow *flow, uint64_t pc, const struct flow_state *state,
				     const struct flow_path *path)
{
	struct flow_fragment *fragment = flow_known_fragment(flow, pc);
	const struct cfi_fde *fde;

	if (fragment)
		return fragment;
	fde = cfi_fde_find(flow->world->cfi, pc);
	if (!fde) {
		if (path->weak || path->unsure || !image_code_segment(flow->world->cfi->image, pc))
			return NULL;
		flow_tell_uncovered(flow->world, pc, path->from);
		flow_reach(flow->world, flow->function, pc, state, FLOW_VALUE_UNKNOWN);
		return NULL;
	}
	if (path->unsure != FLOW_NEVER &&
	    (pc == fde->pc_begin || flow_is_stub(flow->world->callees, pc))) {
		flow_note_tail_call(flow, state);
		flow_fallthrough_return(flow, state, path);
		if (flow_state_is_entry(state))
			flow->found.tail_calls_well |= !path->weak && !path->unsure;
	}
	if (pc == fde->pc_begin && flow_state_is_entry(state) &&
	    !flow_linked_comes_back(flow, fde, state)) {
		if (flow_wants(flow->world, FLOW_LEADS_TAIL_CALL) && !path->weak && !path->unsure)
			flow_tell(flow->world,
				  &(struct flow_lead) { .kind = FLOW_LEADS_TAIL_CALL,
							.pc = pc,
							.doubtful = flow_jump_is_doubtful(
								flow, path->from, pc) });
		flow_clobbers_leave(flow, pc, path);
		leave(flow, path, fde);
		return NULL;
	}
	if (flow_is_stub(flow->world->callees, pc)) {
		if (flow_state_is_entry(state))
			leave(flow, path, NULL);
		else
			flow_fallthrough_leave(flow, state, path);
		return NULL;
	}
	if (flow->fragment_count == FLOW_PARTS_MAX)
		flow->found.too_large = true;
	else
		fragment = flow_fragment_of(flow->world, fde, NULL);
	if (!fragment || !is_part(flow, fragment, pc, state, path)) {
		flow_fragment_destroy(fragment);
		return NULL;
	}
	fragment->order = flow->fragment_count;
	return flow->fragment[flow->fragment_count++] = fragment;
}

/* ---- blocks ------------------------------------------------------------------------------- */

void flow_enqueue(struct flow *flow, uint32_t number)
{
	if (!flow->block[number].queued && !ARRAY_ADD(flow->queue, flow->queue_count, number))
		flow_lack_ways(flow);
	flow->block[number].queued = true;
}

static void not_returning(struct flow *flow, uint64_t pc, const struct flow_path *path)
{
	flow->found.calls_not_returning++;
	if (!ARRAY_ADD(flow->behind_call, flow->behind_call_count,
		       (struct flow_behind) { pc, path->callee }))
		flow_lack_ways(flow);
}

/* A path that is wrong at pc is none of the function's. Or, if it is vague, what the function does behind pc
 * is not seen. */
static void leave_out(struct flow *flow, uint64_t pc, const struct flow_path *path,
		      const struct flow_row_verdict *verdict)
{
	if (path->unsure == FLOW_NEVER)
		return;
	flow->found.breaks_convention |= flow_row_is_vague(verdict);
	if (path->weak)
		not_returning(flow, pc, path);
}

/* Whether a row that is wrong for the path says so: not where others were before. */
static bool may_be_none(const struct flow *flow, const struct flow_path *path)
{
	return path->unsure == FLOW_NEVER || ((path->weak || path->unsure) && !flow->doubtful);
}

static bool flow_branch_asks(const struct flow *flow, struct flow_fragment *fragment, uint64_t pc);
/* With what the path brings. Flags that no branch asks for are nobody's. */
static void begin_block(struct flow *flow, struct flow_block *block, const struct flow_state *state,
			const struct flow_path *path, bool wrong)
{
	block->from = path->from;
	block->weak = path->weak;
	block->callee = path->callee;
	block->unsure = path->unsure;
	if (path->weak && is_contradicted(flow, block->pc))
		block->unsure = flow_doubt_more(path->unsure, FLOW_DOUBTED);
	block->fallthrough = path->fallthrough;
	block->supposed = path->supposed;
	block->begun_wrong = wrong;
	flow_state_copy(&block->state, state);
	if (state->flags_known && !flow_branch_asks(flow, block->fragment, block->pc))
		flow_flags_forget(&block->state);
}

/* The row is wrong for the path beyond doubt; or nobody comes back from the call that it lies behind, by the code. */
static bool is_no_path(const struct flow *flow, const struct flow_path *path,
		       const struct flow_row_verdict *verdict)
{
	return !flow_row_is_vague(verdict) ||
	       (path->weak && path->callee && flow->world->callees &&
		flow_never_returns_by_code(flow->world->callees, path->callee));
}

static void new_block(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, const struct flow_path *path)
{
	uint32_t *at = &fragment->block_at[pc - fragment->begin];
	struct flow_row_verdict verdict;
	struct flow_block *block;
	uint32_t inside = *at;
	bool wrong = flow_is_mismatch(fragment, pc, state, &verdict);

	if (wrong && may_be_none(flow, path) && is_no_path(flow, path, &verdict)) {
		leave_out(flow, pc, path, &verdict);
		return;
	}
	if (wrong && fragment != flow->fragment[0] && pc == fragment->begin &&
	    flow_jump_is_doubtful(flow, path->from, pc))
		return; /* one that crosses to a fragment that another path was taken to lead to */
	if (flow->block_count == FLOW_BLOCKS_MAX) {
		flow->found.too_large = true;
		return;
	}
	if (!ARRAY_GROW(flow->block, flow->block_count)) {
		flow_lack_ways(flow);
		return;
	}
	block = &flow->block[flow->block_count++];
	block->pc = pc;
	block->fragment = fragment;
	block->queued = block->settled = block->rules_out = false;
	begin_block(flow, block, state, path, wrong && !flow_row_is_vague(&verdict));
	*at = (uint32_t)flow->block_count;
	/* What went through here before ends here from now on. */
	if (inside)
		flow_enqueue(flow, inside - 1);
	flow_enqueue(flow, (uint32_t)flow->block_count - 1);
}

/* What leads there: the surest of all paths. */
static bool surer(struct flow_block *block, const struct flow_path *path)
{
	bool changed = block->unsure > path->unsure || (block->fallthrough && !path->fallthrough);

	if (!path->fallthrough)
		block->fallthrough = 0;
	block->weak &= path->weak;
	block->unsure = block->unsure < path->unsure ? block->unsure : path->unsure;
	return changed;
}

/* The block began with a path that its row doesn't declare, and here is the one that it declares. */
static bool is_righted(const struct flow_block *block, const struct flow_state *state)
{
	const struct row *row = flow_fragment_row(block->fragment, block->pc);
	struct flow_row_verdict verdict;

	if (!block->begun_wrong || !row)
		return false;
	flow_row_check(row, block->pc, state, block->fragment->agreed, &verdict);
	return verdict.outcome == FLOW_ROW_PROVEN;
}

/* What a path brings replaces what another brought. */
static void replace(struct flow *flow, uint32_t number, const struct flow_state *state,
		    const struct flow_path *path)
{
	struct flow_block *block = &flow->block[number];

	block->settled = true;
	begin_block(flow, block, state, path, false);
	flow_enqueue(flow, number);
}

/* Where no row says which of two stack pointers is right, that of the surer path is. False: neither
 * path is surer. */
static bool meet_without_row(struct flow *flow, uint32_t number, const struct flow_state *state,
			     const struct flow_path *path)
{
	const struct flow_block *block = &flow->block[number];

	if (value_equal(&block->state.reg[REGISTER_RSP], &state->reg[REGISTER_RSP]) ||
	    flow_state_same_frame(&block->state, state) ||
	    (path->weak == block->weak && path->unsure == block->unsure))
		return false;
	if (path->unsure > block->unsure || (path->unsure == block->unsure && path->weak)) {
		if (path->weak)
			not_returning(flow, block->pc, path);
	} else if (block->settled) {
		return false;
	} else {
		replace(flow, number, state, path);
	}
	return true;
}

/* Only paths that never happen have come to the block so far, and here is one that may. */
static void come_to_life(struct flow *flow, uint32_t number, const struct flow_state *state,
			 const struct flow_path *path)
{
	struct flow_block *block = &flow->block[number];
	struct flow_row_verdict verdict;
	bool wrong = flow_is_mismatch(block->fragment, block->pc, state, &verdict) &&
		     !flow_row_is_vague(&verdict);

	if (wrong && may_be_none(flow, path)) {
		leave_out(flow, block->pc, path, &verdict);
		return;
	}
	begin_block(flow, block, state, path, wrong);
	flow_enqueue(flow, number);
}

/* Of two paths the one that is wrong: it is sure, and the other lies behind a call. */
static bool is_surer(bool weak, uint8_t unsure, bool other_weak)
{
	return !weak && !unsure && other_weak;
}

/* Both may be taken, and neither is another function's. */
static void join(struct flow *flow, uint32_t number, const struct flow_state *state,
		 const struct flow_path *path)
{
	struct flow_block *block = &flow->block[number];
	struct flow_row_verdict new, old;
	struct flow_state joined;
	bool righted = !flow->doubtful && is_righted(block, state), new_wrong, old_wrong;

	flow_state_copy(&joined, &block->state);
	if (!flow_state_join(&joined, state) && !righted) {
		if (surer(block, path))
			flow_enqueue(flow, number);
		return;
	}
	if (block->fragment->silent && meet_without_row(flow, number, state, path))
		return;
	new_wrong = flow_is_mismatch(block->fragment, block->pc, state, &new);
	old_wrong = righted || (flow_is_mismatch(block->fragment, block->pc, &block->state, &old) &&
				!flow_row_is_vague(&old));
	if (flow->doubtful)
		new_wrong = old_wrong = false; /* both count */
	if (new_wrong && (path->unsure || (!old_wrong && !flow_row_is_vague(&new)))) {
		if (is_surer(path->weak, path->unsure, block->weak))
			flow_contradict(flow, block->pc, block->callee);
		leave_out(flow, block->pc, path, &new);
	} else if (old_wrong && !new_wrong && !block->settled) {
		if (is_surer(block->weak, block->unsure, path->weak))
			flow_contradict(flow, block->pc, path->callee);
		replace(flow, number, state, path);
	} else {
		flow_state_copy(&block->state, &joined);
		surer(block, path);
		flow_enqueue(flow, number);
	}
}

static void meet(struct flow *flow, uint32_t number, const struct flow_state *state,
		 const struct flow_path *path)
{
	struct flow_block *block = &flow->block[number];
	const bool never = path->unsure == FLOW_NEVER, dead = block->unsure == FLOW_NEVER;

	if (never != dead) {
		if (dead)
			come_to_life(flow, number, state, path);
		return;
	}
	flow_fallthrough_join(flow, block, path);
	switch (flow_fallthrough_meet(flow, block, state, path)) {
	case FLOW_MEET: join(flow, number, state, path); break;
	case FLOW_REPLACE: replace(flow, number, state, path); break;
	case FLOW_LEAVE_OUT: break;
	}
}

/* The same once nothing changes any more: is the path wrong that comes here? One that a jump table's entry brings, if
 * it is one, began no block. */
static void tell_edge(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, const struct flow_path *path)
{
	const uint32_t number = fragment->block_at[pc - fragment->begin];
	const struct flow_block *block = number ? &flow->block[number - 1] : NULL;
	struct flow_edge edge = { .weak = path->weak,
				  .unsure = path->unsure,
				  .callee = path->callee,
				  .from = path->from,
				  .to = pc,
				  .fragment = fragment,
				  .state = state };
	struct flow_row_verdict own;

	if (path->unsure == FLOW_NEVER || !flow_is_mismatch(fragment, pc, state, &edge.verdict) ||
	    (block && block->pc == pc ? flow_is_mismatch(fragment, pc, &block->state, &own)
				      : !path->unsure))
		return;
	edge.doubtful = flow_jump_is_doubtful(flow, path->from, pc);
	if (path->unsure != FLOW_UNSURE || edge.doubtful)
		flow->visitor->edge(flow->visitor->context, &edge);
}

void flow_come(struct flow *flow, uint64_t pc, const struct flow_state *state,
	       const struct flow_path *path)
{
	const struct flow_visitor *visitor = flow->visitor;
	struct flow_fragment *fragment;
	struct flow_state moved;
	uint32_t number;

	if (flow_callee_pop_move(flow->world, pc, state, &moved))
		state = &moved;
	fragment = flow->followed ? flow_known_fragment(flow, pc) : part_of(flow, pc, state, path);
	if (!fragment)
		return;
	number = fragment->block_at[pc - fragment->begin];
	if (path->from && flow_linked_is_call(fragment, pc, state)) {
		flow_linked_call(flow, fragment, state, path);
	} else if (flow->proof) {
		flow_proof_arrive(flow, fragment, pc, state, path);
	} else if (flow->followed) {
		if (visitor && visitor->step && number && path->unsure != FLOW_NEVER)
			visitor->step(visitor->context, fragment, path->from, pc, state);
		if (visitor && visitor->edge && (number || path->unsure == FLOW_MASKED))
			tell_edge(flow, fragment, pc, state, path);
	} else if (number && flow->block[number - 1].pc == pc) {
		meet(flow, number - 1, state, path);
	} else {
		new_block(flow, fragment, pc, state, path);
	}
}

static bool flow_branch(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
			struct flow_state *state, const struct flow_path *come);
static void flow_path_return(struct flow *flow, const struct code *code,
			     const struct flow_state *state, const struct flow_path *path);
/* ---- along a block ------------------------------------------------------------------------ */

bool flow_go(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	     struct flow_state *state, const struct flow_path *come)
{
	struct flow_path path = { .from = code->pc,
				  .unsure = come->unsure,
				  .fallthrough = come->fallthrough,
				  .supposed = come->supposed };
	struct flow_state taken;
	bool begins, on;

	switch (code->flow) {
	case CODE_NEXT:
		on = !flow_thread_exits(state, code);
		if (flow->world->ocaml)
			flow_unruled_trap(flow, fragment, code, state, come);
		begins = flow_thread_begins(code, state);
		if (code->system_call)
			flow_word_change(state);
		flow_callee_pop_push(flow, code, state);
		if (!flow->proof)
			flow_flags_pass(state, code);
		flow_effect(state, code, (uint32_t)(code->pc - flow->function));
		if (begins)
			flow_thread_begin(state);
		return on;
	case CODE_CALL:
	case CODE_CALL_INDIRECT:
		flow_fallthrough_call(flow, code, state, come);
		return flow_call(flow, fragment, code, state, come->unsure);
	case CODE_JUMP:
		path.weak = come->weak;
		path.callee = come->callee;
		flow_come(flow, code->target, state, &path);
		break;
	case CODE_JUMP_INDIRECT:
		if (flow_is_stub(flow->world->callees, code->pc))
			return true; /* until it is bound, a stub's jump leads on */
		flow_jump_go(flow, fragment, code, state, come);
		break;
	case CODE_BRANCH:
	case CODE_BEGIN:
		if (!flow->proof)
			return flow_branch(flow, fragment, code, state, come);
		flow_effect(state, code, 0);
		if (!state->comparison.valid) {
			flow_come(flow, code->target, state, &path);
			return true;
		}
		flow_state_copy(&taken, state);
		flow_effect_branch(&taken, code->condition, true);
		flow_effect_branch(state, code->condition, false);
		flow_come(flow, code->target, &taken, &path);
		return true;
	case CODE_RETURN:
		if (come->unsure == FLOW_NEVER)
			break;
		flow_fallthrough_leave(flow, state, come);
		note_preserved(flow, state);
		flow_path_return(flow, code, state, come);
		flow->found.returns |= come->unsure < FLOW_DOUBTED && says_end(fragment, code->pc);
		break;
	case CODE_STOP: break;
	case CODE_UNKNOWN:
		if (!come->unsure)
			flow_reach_cut_off(flow, fragment, code, state);
		flow->found.is_handler |= code->interrupt_return && come->unsure != FLOW_NEVER;
		break;
	}
	return false;
}

/* Behind the FDE's end lies another function's code, which is not returned to, or none with CFI. Compilers
 * let what they hold to be unreachable end so: nobody is accused of what that leads to. */
void flow_fall_out(struct flow *flow, uint64_t pc, const struct flow_state *state,
		   const struct flow_path *path)
{
	struct flow_path fallthrough = *path;
	bool returns = flow->found.returns;

	if (cfi_fde_find(flow->world->cfi, pc))
		fallthrough.unsure = flow_doubt_more(fallthrough.unsure, FLOW_UNSURE);
	flow->falls = !path->unsure && !path->weak;
	flow_come(flow, pc, state, &fallthrough);
	flow->falls = false;
	flow->found.returns = returns;
}

static enum flow_meeting flow_path_overlap(const struct flow *flow, uint32_t number,
					   struct flow_fragment *fragment, uint64_t from,
					   uint64_t pc);
static void walk(struct flow *flow, uint32_t number)
{
	struct flow_fragment *fragment = flow->block[number].fragment;
	struct flow_state state;
	struct flow_path path = { .weak = flow->block[number].weak,
				  .unsure = flow->block[number].unsure,
				  .fallthrough = flow->block[number].fallthrough,
				  .supposed = flow->block[number].supposed };
	const bool doubts = fragment->silent && flow->world->fallthrough;
	enum flow_meeting meeting = FLOW_REPLACE;
	uint64_t pc = flow->block[number].pc;
	struct flow_row_verdict verdict;
	bool on = true;

	flow_state_copy(&state, &flow->block[number].state);
	while (on && pc < fragment->end) {
		uint32_t *at = &fragment->block_at[pc - fragment->begin];
		const struct code *found;
		struct code code;

		found = flow_fragment_code(fragment, flow->world->decoder, pc);
		if (!found) {
			flow_lack_ways(flow);
			return;
		}
		code = *found; /* the array may move */
		if (doubts && path.from && path.weak && !code.is_padding &&
		    !flow_fallthrough_pass(flow, pc, &state, &path))
			return;
		if (path.from)
			meeting = flow_path_overlap(flow, number, fragment, path.from, pc);
		if (meeting == FLOW_LEAVE_OUT)
			return;
		if (path.from && ((*at && flow->block[*at - 1].pc == pc) || meeting == FLOW_MEET ||
				  path.fallthrough != flow->block[number].fallthrough ||
				  flow_unread_leads(flow, pc))) {
			flow_come(flow, pc, &state, &path);
			return;
		}
		if (path.from && path.weak && may_be_none(flow, &path) &&
		    flow_is_mismatch(fragment, pc, &state, &verdict) &&
		    is_no_path(flow, &path, &verdict)) {
			leave_out(flow, pc, &path, &verdict);
			return;
		}
		*at = number + 1;
		on = flow_go(flow, fragment, &code, &state, &path);
		flow_path_pass(&path, fragment, &code);
		pc += code.length;
	}
	if (!on || pc != fragment->end)
		return;
	if (!path.weak)
		flow_fall_out(flow, pc, &state, &path);
	else if (doubts && flow_fallthrough_pass(flow, pc, &state, &path))
		flow_come(flow, pc, &state, &path); /* behind a call that ends the fragment */
}

static void flow_branch_late(struct flow *flow);
static void follow(struct flow *flow)
{
	while (flow->queue_count && !flow_lacks(flow->world)) {
		uint32_t number = flow->queue[--flow->queue_count];

		flow->block[number].queued = false;
		walk(flow, number);
		if (!flow->queue_count)
			flow_branch_late(flow);
		if (!flow->queue_count)
			flow_unread_doubt(flow);
	}
}

void flow_enter(struct flow *flow, uint64_t entry, const struct flow_state *state)
{
	struct flow_path path = { .weak = false };
	struct flow_state called;

	if (!state) {
		flow_state_enter(&called);
		if (entry == flow->world->first)
			called.word[0].value = value_other(VALUE_PART_NONE);
		state = &called;
	}
	flow->round.entered = true;
	flow_come(flow, entry, state, &path);
	if (flow->proof)
		flow_proof_follow(flow);
	else
		follow(flow);
}

/* ==== where a branch goes =================================================================== */

/*
 * A path that the code itself rules out (flow_effect.c) brings nothing to code that others reach, and what it alone
 * reaches is followed, so that its rows may be proven, but accuses nobody. That is so as long as no more paths
 * come to the branch, which may bring other numbers: then it goes both paths. So those paths come last. A computed
 * jump of which no target is known may bring them anywhere; so from then on such paths are only doubted.
 */

static enum flow_doubt doubt_of(const struct flow *flow, bool ruled_out, bool perhaps)
{
	if (!ruled_out && !perhaps)
		return FLOW_SURE;
	return perhaps || flow->found.jump_unread ? FLOW_DOUBTED : FLOW_NEVER;
}

/* Now, or not yet. Where a jump table has no end, it ends where another one begins, on whatever path that is met: the
 * sooner the better. */
static bool goes_now(struct flow *flow, const struct flow_fragment *fragment,
		     const struct code *code, enum flow_doubt doubt)
{
	uint32_t number = fragment->block_at[code->pc - fragment->begin];

	if (!doubt || flow->followed)
		return true;
	if (number)
		flow->block[number - 1].rules_out = true;
	return flow->round.late || flow->tables.any;
}

/* To the next instruction, as another path than the one that came. */
static void pass(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
		 const struct flow_state *state, const struct flow_path *path)
{
	uint64_t next = code->pc + code->length;

	if (next < fragment->end)
		flow_come(flow, next, state, path);
	else
		flow_fall_out(flow, next, state, path);
}

#define LOOK_AHEAD 4 /* instructions that leave the flags as they are */

/* From pc on the code comes to a branch, before much else and with the same flags. */
static bool flow_branch_asks(const struct flow *flow, struct flow_fragment *fragment, uint64_t pc)
{
	for (int i = 0; i < LOOK_AHEAD && pc < fragment->end; i++) {
		const struct code *code = flow_fragment_code(fragment, flow->world->decoder, pc);

		if (!code || code->flow == CODE_BRANCH || code->flow == CODE_JUMP)
			return true;
		if (code->flow != CODE_NEXT || code->flags != FLAGS_KEPT)
			return false;
		pc += code->length;
	}
	return false;
}

/* To the target, with what the branch says if it is taken; and state is what it says if it is not: of its flag the
 * opposite. */
static void take(struct flow *flow, const struct code *code, struct flow_state *state,
		 const struct flow_path *path, bool now)
{
	struct flow_state other;

	if (now && state->comparison.valid) {
		flow_state_copy(&other, state);
		flow_effect_branch(&other, code->condition, true);
		flow_flags_branch(&other, code->condition, true);
		flow_come(flow, code->target, &other, path);
	} else if (now) {
		flow_flags_branch(state, code->condition, true);
		flow_come(flow, code->target, state, path);
	}
	flow_effect_branch(state, code->condition, false);
	flow_flags_branch(state, code->condition, false);
}

/* Follows the branch, while no proof is sought. Returns whether the path goes on behind it. */
static bool flow_branch(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
			struct flow_state *state, const struct flow_path *come)
{
	struct flow_path taken = { .from = code->pc,
				   .unsure = come->unsure,
				   .fallthrough = come->fallthrough,
				   .supposed = come->supposed };
	struct flow_path passed = taken;
	enum flow_decision decision = FLOW_BOTH_WAYS;
	enum flow_doubt doubt;

	if (code->flow == CODE_BRANCH)
		decision = flow_flags_decide(state, code->condition);
	else
		flow_flags_effect(state, code);
	flow_effect(state, code, 0);
	doubt = doubt_of(flow, decision == FLOW_PASSED, decision == FLOW_PERHAPS_PASSED);
	taken.unsure = flow_doubt_more(taken.unsure, doubt);
	take(flow, code, state, &taken, goes_now(flow, fragment, code, doubt));
	doubt = doubt_of(flow, decision == FLOW_TAKEN, decision == FLOW_PERHAPS_TAKEN);
	passed.unsure = flow_doubt_more(passed.unsure, doubt);
	if (passed.unsure == come->unsure)
		return true;
	if (goes_now(flow, fragment, code, doubt))
		pass(flow, fragment, code, state, &passed);
	return false;
}

static void enqueue_ruling(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->block_count; i++)
		if (flow->block[i].rules_out)
			flow_enqueue(flow, i);
}

/* Once nothing is queued: paths that are ruled out are followed from then on. */
static void flow_branch_late(struct flow *flow)
{
	if (!flow->round.late)
		enqueue_ruling(flow);
	flow->round.late = true;
}

void flow_jump_met(struct flow *flow)
{
	bool first = !flow->found.jump_unread && !flow->followed;

	flow->found.jump_unread = true;
	if (first)
		enqueue_ruling(flow);
}

/* ==== what is thought of a path, and the visit of all states ================================ */

/*
 * A path is weak behind a call, or another instruction, that may never come back, and unsure where perhaps
 * nobody goes: neither accuses (flow.h).
 */

/* Padding changes nothing: where the row does, the code behind it is another block's. */
static bool ends_block(const struct flow_fragment *fragment, const struct code *padding)
{
	const struct row *row = flow_fragment_row(fragment, padding->pc);
	const struct row *next = flow_fragment_row(fragment, padding->pc + padding->length);

	return row && next && !row_equal(row, next);
}

#define PAGE_BYTES 4096u

/* Compilers let a path that never happens end in an access to the page at 0, and know of system calls that never
 * come back. Then another block begins behind it, as behind such calls. Where there are no rows, code behind it is the
 * function's. */
static bool may_end_path(const struct flow_fragment *fragment, const struct code *code)
{
	if (fragment->silent)
		return false;
	return code->may_stop ||
	       (code->has_memory && code->base == CODE_NO_REGISTER &&
		code->effect != EFFECT_ADDRESS && code->index == CODE_NO_REGISTER &&
		!code->foreign_segment && (uint64_t)code->displacement < PAGE_BYTES);
}

void flow_path_pass(struct flow_path *path, const struct flow_fragment *fragment,
		    const struct code *code)
{
	path->from = code->pc;
	path->stored = code->writes_memory;
	/* Padding behind a call that perhaps doesn't come back is no better than it, and a jump
	 * there is none of the program's. */
	if (!code->is_padding) {
		path->weak = code->flow == CODE_CALL || code->flow == CODE_CALL_INDIRECT ||
			     may_end_path(fragment, code);
		path->callee = code->flow == CODE_CALL ? code->target : 0;
	} else if (ends_block(fragment, code))
		path->unsure = flow_doubt_more(path->unsure, FLOW_UNSURE);
}

/* The path comes to a return. */
static void flow_path_return(struct flow *flow, const struct code *code,
			     const struct flow_state *state, const struct flow_path *path)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	bool at_return = rsp->kind == VALUE_CFA && rsp->number == -8;
	bool well = at_return && flow_row_preserves(state);

	flow_callee_pop_return(flow, code, state, path);
	if (rsp->kind == VALUE_CFA && !at_return && path->unsure != FLOW_NEVER &&
	    !flow_callee_pop_returns(state))
		flow_reach_returned(flow, state);
	if (at_return && !well)
		flow_clobbers_return(flow, state, path);
	flow->found.has_return = true;
	flow_fallthrough_return(flow, state, path);
	flow->found.returns_elsewhere |= (rsp->kind == VALUE_CFA && !at_return &&
					  !flow_callee_pop_returns(state)) ||
					 state->thread == FLOW_THREAD_NEW;
	flow->found.returned_to |= rsp->kind == VALUE_CFA && rsp->number >= 0 && !path->weak &&
				   !path->unsure && !path->fallthrough;
	if (!flow->followed)
		return;
	flow->found.returns_well |= well && !path->weak && !path->unsure;
	flow->found.returns_unknown |= !well;
	flow->found.returns_lost |= !at_return || code->returned_bytes ||
				    !flow_callee_pop_returns(state);
}

/* The registers of which the instruction uses the caller's value as an address. */
static uint32_t goes_by(const struct code *code, const struct flow_state *state)
{
	uint32_t ret = 0;

	if (!code->has_memory || code->effect == EFFECT_ADDRESS)
		return 0;
	for (int i = 0; i < 2; i++) {
		uint8_t reg = i ? code->index : code->base;

		if (reg < REGISTER_GPR_COUNT && state->reg[reg].kind == VALUE_ENTRY)
			ret |= 1u << state->reg[reg].reg;
	}
	return ret & FLOW_PRESERVED;
}

/* What is known wherever rip is at the instruction. */
static void visit(const struct flow *flow, const struct flow_block *block, const struct code *code,
		  const struct flow_state *state)
{
	const struct flow_visitor *visitor = flow->visitor;
	struct flow_state rounds;

	if (!visitor || !visitor->instruction)
		return;
	if (code->repeated) {
		flow_state_copy(&rounds, state);
		flow_effect_rounds(&rounds, code);
		state = &rounds;
	}
	visitor->instruction(visitor->context, flow, block, code, state);
}

static void visit_block(struct flow *flow, uint32_t number)
{
	const struct flow_visitor *visitor = flow->visitor;
	const struct flow_block *block = &flow->block[number];
	struct flow_fragment *fragment = block->fragment;
	struct flow_state state;
	struct flow_path path = { .weak = block->weak, .unsure = block->unsure };
	uint64_t pc = block->pc;
	bool on = true;

	flow_state_copy(&state, &block->state);
	/* Whose instruction it is was said last when the paths were followed. */
	while (on && pc < fragment->end && fragment->block_at[pc - fragment->begin] == number + 1) {
		const struct code *found = flow_fragment_code(fragment, flow->world->decoder, pc);
		struct code code;

		if (!found) {
			flow_lack_ways(flow);
			return;
		}
		code = *found; /* the array may move */
		visit(flow, block, &code, &state);
		flow->found.arguments |= goes_by(&code, &state);
		on = flow_go(flow, fragment, &code, &state, &path);
		flow_path_pass(&path, fragment, &code);
		pc += code.length;
	}
	if (visitor && visitor->block_end)
		visitor->block_end(visitor->context);
	if (on && pc < fragment->end && visitor && visitor->edge)
		flow_come(flow, pc, &state, &path);
}

static void visit_all(struct flow *flow, const struct flow_visitor *visitor)
{
	flow->visitor = visitor;
	for (uint32_t i = 0; i < flow->block_count; i++)
		visit_block(flow, i);
	flow->visitor = NULL;
}

static void join_unread(struct flow_unread_jumps *unread)
{
	for (size_t i = 0; i < unread->count; i++)
		if (i)
			flow_state_join(&unread->all, &unread->jump[i].state);
		else
			flow_state_copy(&unread->all, &unread->jump[i].state);
}

void flow_visit(struct flow *flow, const struct flow_visitor *visitor)
{
	if (!flow->followed) {
		flow->followed = true;
		visit_all(flow, NULL);
		join_unread(&flow->unread);
	}
	if (visitor)
		visit_all(flow, visitor);
}

/* Another block's path goes on to pc from an instruction that overlaps the one at from, and ends where that ends. */
static bool overlaps(const struct flow *flow, struct flow_fragment *fragment, uint64_t from,
		     uint64_t pc)
{
	const uint32_t other = fragment->block_at[pc - fragment->begin];

	for (uint64_t at = pc; pc - at < CODE_BYTES_MAX && at-- > fragment->begin;) {
		const struct code *code;

		if (at == from || fragment->block_at[at - fragment->begin] != other)
			continue;
		code = flow_fragment_code(fragment, flow->world->decoder, at);
		if (code && at + code->length == pc)
			return true;
	}
	return false;
}

/* The block's path comes from the instruction at from straight to pc. Where another block's does so from one that overlaps
 * that, they meet there. But one of which it is in doubt whether anybody goes it, as by an entry of a table that is read on
 * beyond its end, brings nothing to the code that others execute. FLOW_REPLACE: none does, or only such a one. */
static enum flow_meeting flow_path_overlap(const struct flow *flow, uint32_t number,
					   struct flow_fragment *fragment, uint64_t from,
					   uint64_t pc)
{
	const uint32_t other = fragment->block_at[pc - fragment->begin];

	if (!other || other == number + 1 || flow->block[other - 1].unsure >= FLOW_UNSURE ||
	    !overlaps(flow, fragment, from, pc))
		return FLOW_REPLACE;
	return flow->block[number].unsure >= FLOW_UNSURE ? FLOW_LEAVE_OUT : FLOW_MEET;
}

/* ==== how often a function's paths are followed ============================================= */

/*
 * Again from the entry, as long as that may come to something else than before: what was met of jump tables and
 * landing pads is known from then on.
 */

#define ROUNDS_MAX 4 /* in each, jump tables are met that were not known in the one before */

void flow_init(struct flow *flow, struct flow_world *world, struct flow_fragment *first)
{
	memset(flow, 0, sizeof(*flow));
	flow->world = world;
	if (!first)
		return;
	flow->function = first->begin;
	flow->fragment[flow->fragment_count++] = first;
}

/* A pad that no path was let come to, since each that does has a lower rsp than its row says: then the row is
 * wrong. */
static bool lets_in(struct flow *flow)
{
	bool more = false;

	for (size_t i = 0;
	     i < flow->fragment_count && !flow->found.jump_unknown && !flow->behind_call_count; i++)
		for (size_t j = 0; j < flow->fragment[i]->pad_count; j++) {
			struct landing_pad *pad = &flow->fragment[i]->pad[j];

			more |= pad->left_out && !pad->let_in && !pad->reached;
			pad->let_in |= pad->left_out && !pad->reached;
		}
	return more;
}

/* Where a table ends that was read in this round is known better by now. */
static bool tells_ends(const struct flow *flow)
{
	return flow->round.met_table && flow->round.guessed_end &&
	       (flow->round.read_past || (flow->round.guessed_fragments &&
					  flow->round.guessed_fragments < flow->fragment_count));
}

bool flow_again(struct flow *flow, int round)
{
	bool pops = flow->round.returns_below && flow->round.called_unseen && !flow->unseen_pop;

	flow->unseen_pop |= pops;
	return !round || (round < ROUNDS_MAX && lets_in(flow)) ||
	       (round < ROUNDS_MAX && (tells_ends(flow) || flow->round.contradicts || pops));
}

void flow_restart(struct flow *flow)
{
	for (size_t i = 0; flow->round.entered && i < flow->fragment_count; i++)
		memset(flow->fragment[i]->block_at, 0,
		       (flow->fragment[i]->end - flow->fragment[i]->begin) * sizeof(uint32_t));
	flow->block_count = flow->queue_count = flow->behind_call_count = 0;
	flow->unread.count = flow->unread.back_count = flow->after.supposed_count = 0;
	flow->round = (struct flow_round) { .entered = false };
	flow->found = (struct flow_found) { .has_return = false };
}

static void follow_rounds(struct flow *flow, const struct flow_plan *plan)
{
	const uint64_t entry = plan->entry ? plan->entry : flow->fragment[0]->begin;

	for (int round = 0; !flow_lacks(flow->world) && flow_again(flow, round); round++) {
		flow_restart(flow);
		if (plan->enter)
			plan->enter(plan->context, flow);
		else
			flow_enter(flow, entry, plan->state);
	}
}

void flow_follow(struct flow *flow, struct flow_world *world, const struct flow_plan *plan)
{
	struct flow_fragment *first = plan->fragment;

	flow_init(flow, world, first);
	if (!first)
		first = flow_fragment_of(world, plan->fde, NULL);
	if (!first)
		return;
	flow->fragment[0] = first;
	flow->fragment_count = 1;
	flow->function = plan->function ? plan->function : first->begin;
	flow->doubtful = plan->doubtful;
	if (plan->quiet) {
		flow->quiet = *world;
		flow->quiet.leads_wanted = 0;
		flow->world = &flow->quiet;
	}
	if (plan->silent && !flow_fragment_silence(first))
		flow_lack(world, "rows of an FDE");
	flow->proven = plan->proves && flow_proof_try(world->proof, flow);
	if (flow->proven)
		return;
	do {
		follow_rounds(flow, plan);
	} while (!flow_lacks(world) && flow_fallthrough_again(flow));
}

void flow_forget(struct flow *flow)
{
	for (; flow->fragment_count > 1; flow->fragment_count--)
		flow_fragment_destroy(flow->fragment[flow->fragment_count - 1]);
	flow->tables.count = flow->contradicted_count = 0;
	flow->unseen_pop = false;
	flow_restart(flow);
}

void flow_learn(struct flow *flow, bool entered)
{
	flow_reach_made(flow);
	if (entered && !flow->found.is_handler && !flow->found.returned_to)
		flow_clobbers_note(flow);
}

void flow_deinit(struct flow *flow)
{
	for (size_t i = 0; i < flow->fragment_count; i++)
		flow_fragment_destroy(flow->fragment[i]);
	free(flow->block);
	free(flow->queue);
	free(flow->behind_call);
	free(flow->after.code);
	free(flow->after.supposed);
	free(flow->unread.jump);
	free(flow->unread.back);
	free(flow->contradicted);
}

/* ==== the jumps that lead to an instruction ================================================= */

/*
 * Each block knows one instruction that leads to it. From there to the block that this lies in, and
 * on to the entry, is one path; what is known at the end is so on every path. Of a long one the jumps next
 * to the end are kept.
 */

#define STEPS_MAX 4096 /* blocks that are gone back through */

/* It goes elsewhere than to the next instruction, which begins at pc. */
static bool is_jump(const struct flow *flow, struct flow_fragment *fragment, uint64_t from,
		    uint64_t pc)
{
	const struct code *code = flow_fragment_code(fragment, flow->world->decoder, from);

	return code && (from + code->length != pc || code->flow == CODE_JUMP ||
			code->flow == CODE_JUMP_INDIRECT);
}

void flow_trace_find(const struct flow *flow, uint64_t from, uint64_t pc, struct flow_trace *ret)
{
	uint64_t jump[FLOW_TRACE_MAX]; /* the last first */
	size_t count = 0, steps = 0;

	for (; from && count < FLOW_TRACE_MAX && steps < STEPS_MAX; steps++) {
		struct flow_fragment *fragment = flow_known_fragment(flow, from);
		uint32_t number = fragment ? fragment->block_at[from - fragment->begin] : 0;

		if (!number)
			return; /* a flow that was begun anew: nothing is said */
		if (is_jump(flow, fragment, from, pc)) {
			for (size_t i = 0; i < count; i++)
				if (jump[i] == from)
					return; /* the entry's path was another: it came round */
			jump[count++] = from;
		}
		pc = flow->block[number - 1].pc;
		from = flow->block[number - 1].from;
	}
	ret->known = steps < STEPS_MAX;
	if (!ret->known)
		return;
	ret->cut = from != 0;
	ret->count = (uint8_t)count;
	for (size_t i = 0; i < count; i++)
		ret->jump[i] = jump[count - 1 - i];
}
