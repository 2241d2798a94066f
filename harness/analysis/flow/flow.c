/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow.c - the ways
 *
 * Where ways meet, the row decides which are believed first: one that brings what the row declares is
 * not spoiled by one that doesn't. The latter is an edge that says which two ways differ. If it is
 * the way behind a call, then the call never comes back, as abort() does not: compilers begin another
 * block there, with another frame. That accuses nobody.
 *
 * A jump out of the FDE with the frame taken down is a call in place of a return, and ends the way.
 * With a frame it leads to another part of the same function, which is followed there.
 */
#include <string.h>
#include "array.h"
#include "flow.h"
#include "flow_callees.h"
#include "flow_proof.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, NULL, 0, "the ways through a function");
}

/* ---- parts -------------------------------------------------------------------------------- */

struct flow_part *flow_known_part(const struct flow *flow, uint64_t pc)
{
	for (size_t i = 0; i < flow->part_count; i++)
		if (pc >= flow->part[i]->begin && pc < flow->part[i]->end)
			return flow->part[i];
	return NULL;
}

bool flow_has(const struct flow *flow, uint64_t pc)
{
	return flow_known_part(flow, pc) != NULL;
}

int flow_part_of(const struct flow_world *world, const struct cfi_fde *fde, struct flow_part **ret,
		 enum flow_reason *ret_reason, struct error *error)
{
	if (flow_part_create(world->cfi, fde, ret, ret_reason, error))
		return -1;
	if (*ret)
		(*ret)->agreed |= flow_unruled_agreed(world, *ret);
	return 0;
}

/* The row there says that there is no caller. */
static bool says_end(const struct flow_part *part, uint64_t pc)
{
	const struct row *row = part ? flow_part_row(part, pc) : NULL;

	return row && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED;
}

/* The way ends in another function, whose return is this one's: unless that says that it
 * has no caller, too. fde: its FDE, NULL if it is in another image. */
static int leave(struct flow *flow, const struct flow_way *way, const struct cfi_fde *fde,
		 struct error *error)
{
	struct flow_part *other = NULL;
	enum flow_reason reason;

	if (way->unsure >= FLOW_DOUBTED || !says_end(flow_known_part(flow, way->from), way->from))
		return 0;
	if (fde && flow_part_create(flow->world->cfi, fde, &other, &reason, error))
		return -1;
	flow->found.returns |= !says_end(other, fde ? fde->pc_begin : 0);
	flow_part_destroy(other);
	return 0;
}

bool flow_is_mismatch(const struct flow_part *part, uint64_t pc, const struct flow_state *state,
		      struct flow_row_verdict *ret)
{
	const struct row *row = flow_part_row(part, pc);

	if (!row)
		return false;
	flow_row_check(row, pc, state, part->agreed, ret);
	/* What another way loses, this one may have: no other rule is true of both. */
	return ret->outcome == FLOW_ROW_MISMATCH && ret->fault != FLOW_LOST;
}

/* The part's first row speaks of another frame than the function has: it is perhaps not its part. */
static bool is_stray(struct flow *flow, const struct flow_part *part,
		     const struct flow_state *state, const struct flow_way *way)
{
	struct flow_row_verdict verdict;

	if (!flow_is_mismatch(part, part->begin, state, &verdict))
		return false;
	if (flow->proof)
		flow_proof_fail(flow);
	return way->weak || (way->unsure && !flow->falls) || flow->proof || !flow->world->stray ||
	       flow_jump_is_doubtful(flow, way->from, part->begin) ||
	       !flow->world->stray(flow->world->context, flow->function, part->begin, state,
				   flow->falls);
}

/* Its first row is no row of this way. */
static void tell_framed(const struct flow *flow, const struct flow_part *part,
			const struct flow_state *state, const struct flow_way *way)
{
	struct flow_row_verdict verdict;

	if (flow->world->framed && !way->weak && !way->unsure && !way->beyond &&
	    flow_is_mismatch(part, part->begin, state, &verdict) && verdict.fault == FLOW_CFA &&
	    !flow_jump_is_doubtful(flow, way->from, part->begin))
		flow->world->framed(flow->world->context, part->begin);
}

/* What goes on where a process has begun. */
static void tell_continued(const struct flow *flow, const struct flow_part *part,
			   const struct flow_state *state, const struct flow_way *way)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (flow->world->continued && flow->function == flow->world->first && !way->weak &&
	    !way->unsure && rsp->kind == VALUE_CFA && rsp->number == -8 &&
	    says_end(flow_known_part(flow, way->from), way->from) && says_end(part, part->begin))
		flow->world->continued(flow->world->context, part->begin);
}

/* While the ways are followed: what they have in common later may be less. */
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

/* The function's part that pc lies in; one that was not met before if the state is one with a frame.
 * NULL without an error: the way ends, at another function. */
static int part_of(struct flow *flow, uint64_t pc, const struct flow_state *state,
		   const struct flow_way *way, struct flow_part **ret, struct error *error)
{
	const struct cfi_fde *fde;
	enum flow_reason reason;
	const struct row *first;

	*ret = flow_known_part(flow, pc);
	if (*ret)
		return 0;
	fde = cfi_fde_find(flow->world->cfi, pc);
	if (!fde) {
		if (way->weak || way->unsure || !image_code_segment(flow->world->cfi->image, pc))
			return 0;
		flow_tell_uncovered(flow->world, pc, way->from);
		flow_reach(flow->world, flow->function, pc, state, FLOW_VALUE_UNKNOWN);
		return 0;
	}
	if (way->unsure != FLOW_NEVER &&
	    (pc == fde->pc_begin || flow_is_stub(flow->world->callees, pc))) {
		flow_note_tail_call(flow, state);
		flow_beyond_return(flow, state, way);
		if (flow_state_is_entry(state))
			flow->found.calls_home |= !way->weak && !way->unsure;
	}
	if (pc == fde->pc_begin && flow_state_is_entry(state) &&
	    !flow_linked_is_home(flow, fde, state)) {
		if (flow->world->tail_called && !way->weak && !way->unsure)
			flow->world->tail_called(flow->world->context, pc,
						 flow_jump_is_doubtful(flow, way->from, pc));
		flow_breaking_leave(flow, pc, way);
		return leave(flow, way, fde, error);
	}
	if (flow_is_stub(flow->world->callees, pc))
		return flow_state_is_entry(state) ? leave(flow, way, NULL, error)
						  : flow_beyond_leave(flow, state, way, error);
	if (flow->part_count == FLOW_PARTS_MAX) {
		flow->found.too_large = true;
		return 0;
	}
	if (flow_part_of(flow->world, fde, ret, &reason, error))
		return -1;
	if (!*ret)
		return 0;
	if (flow_linked_is_call(*ret, pc, state))
		return flow_linked_leave(flow, ret, state, way, error);
	first = flow_part_row(*ret, pc);
	if (pc == fde->pc_begin && first && flow_row_is_entry(first) &&
	    !flow_is_fragment_of(flow->world->callees, pc, flow->function)) {
		/* Another function that is entered with a frame of ours, or the end of this one's code, where
		 * compilers let jumps go that are never taken: not followed. */
		tell_framed(flow, *ret, state, way);
		tell_continued(flow, *ret, state, way);
		flow_part_destroy(*ret);
		*ret = NULL;
		return 0;
	}
	if (pc == fde->pc_begin && is_stray(flow, *ret, state, way)) {
		flow_part_destroy(*ret);
		*ret = NULL;
		return 0;
	}
	(*ret)->order = flow->part_count;
	flow->part[flow->part_count++] = *ret;
	return 0;
}

/* ---- blocks ------------------------------------------------------------------------------- */

int flow_enqueue(struct flow *flow, uint32_t number, struct error *error)
{
	if (flow->block[number].queued)
		return 0;
	if (!ARRAY_GROW(flow->queue, flow->queue_count))
		return no_memory(error);
	flow->queue[flow->queue_count++] = number;
	flow->block[number].queued = true;
	return 0;
}

static int not_returning(struct flow *flow, uint64_t pc, const struct flow_way *way,
			 struct error *error)
{
	flow->found.calls_not_returning++;
	if (!ARRAY_GROW(flow->behind_call, flow->behind_call_count))
		return no_memory(error);
	flow->behind_call[flow->behind_call_count++] = (struct flow_behind) { pc, way->callee };
	return 0;
}

/* A way that is wrong at pc is none of the function's. Or, if it is vague, what the function does behind pc
 * is not seen. */
static int leave_out(struct flow *flow, uint64_t pc, const struct flow_way *way,
		     const struct flow_row_verdict *verdict, struct error *error)
{
	if (way->unsure == FLOW_NEVER)
		return 0;
	flow->found.breaks_convention |= flow_row_is_vague(verdict);
	return way->weak ? not_returning(flow, pc, way, error) : 0;
}

/* Whether a row that is wrong for the way says so: not where others were before. */
static bool may_be_none(const struct flow *flow, const struct flow_way *way)
{
	return way->unsure == FLOW_NEVER || ((way->weak || way->unsure) && !flow->doubtful);
}

/* With what the way brings. Flags that no branch asks for are nobody's. */
static void begin_block(struct flow *flow, struct flow_block *block, const struct flow_state *state,
			const struct flow_way *way, bool wrong)
{
	block->from = way->from;
	block->weak = way->weak;
	block->callee = way->callee;
	block->unsure = way->unsure;
	if (flow_is_contradicted(flow, block->pc, way))
		block->unsure = flow_doubt_more(way->unsure, FLOW_DOUBTED);
	block->beyond = way->beyond;
	block->supposed = way->supposed;
	block->begun_wrong = wrong;
	flow_state_copy(&block->state, state);
	if (state->flags_known && !flow_branch_asks(flow, block->part, block->pc))
		flow_flags_forget(&block->state);
}

static int new_block(struct flow *flow, struct flow_part *part, uint64_t pc,
		     const struct flow_state *state, const struct flow_way *way,
		     struct error *error)
{
	uint32_t *at = &part->block_at[pc - part->begin];
	struct flow_row_verdict verdict;
	struct flow_block *block;
	uint32_t inside = *at;
	bool wrong = flow_is_mismatch(part, pc, state, &verdict);

	if (wrong && may_be_none(flow, way) && !flow_row_is_vague(&verdict))
		return leave_out(flow, pc, way, &verdict, error);
	if (wrong && part != flow->part[0] && pc == part->begin &&
	    flow_jump_is_doubtful(flow, way->from, pc))
		return 0; /* a stray one to a part that another way was taken to lead to */
	if (flow->block_count == FLOW_BLOCKS_MAX) {
		flow->found.too_large = true;
		return 0;
	}
	if (!ARRAY_GROW(flow->block, flow->block_count))
		return no_memory(error);
	block = &flow->block[flow->block_count++];
	block->pc = pc;
	block->part = part;
	block->queued = block->settled = block->rules_out = false;
	begin_block(flow, block, state, way, wrong && !flow_row_is_vague(&verdict));
	*at = (uint32_t)flow->block_count;
	/* What went through here before ends here from now on. */
	if (inside && flow_enqueue(flow, inside - 1, error))
		return -1;
	return flow_enqueue(flow, (uint32_t)flow->block_count - 1, error);
}

/* What leads there: the surest of all ways. */
static bool surer(struct flow_block *block, const struct flow_way *way)
{
	bool changed = block->unsure > way->unsure || (block->beyond && !way->beyond);

	if (!way->beyond)
		block->beyond = 0;
	block->weak &= way->weak;
	block->unsure = block->unsure < way->unsure ? block->unsure : way->unsure;
	return changed;
}

/* The block began with a way that its row doesn't declare, and here is the one that it declares. */
static bool is_righted(const struct flow_block *block, const struct flow_state *state)
{
	const struct row *row = flow_part_row(block->part, block->pc);
	struct flow_row_verdict verdict;

	if (!block->begun_wrong || !row)
		return false;
	flow_row_check(row, block->pc, state, block->part->agreed, &verdict);
	return verdict.outcome == FLOW_ROW_PROVEN;
}

/* What a way brings replaces what another brought. */
static int replace(struct flow *flow, uint32_t number, const struct flow_state *state,
		   const struct flow_way *way, struct error *error)
{
	struct flow_block *block = &flow->block[number];

	block->settled = true;
	begin_block(flow, block, state, way, false);
	return flow_enqueue(flow, number, error);
}

/* Where no row says which of two stack pointers is right, that of the surer way is. False: neither
 * way is surer. */
static bool meet_without_row(struct flow *flow, uint32_t number, const struct flow_state *state,
			     const struct flow_way *way, int *ret_result, struct error *error)
{
	const struct flow_block *block = &flow->block[number];

	if (value_equal(&block->state.reg[REGISTER_RSP], &state->reg[REGISTER_RSP]) ||
	    flow_state_same_frame(&block->state, state) ||
	    (way->weak == block->weak && way->unsure == block->unsure))
		return false;
	if (way->unsure > block->unsure || (way->unsure == block->unsure && way->weak))
		*ret_result = way->weak ? not_returning(flow, block->pc, way, error) : 0;
	else if (block->settled)
		return false;
	else
		*ret_result = replace(flow, number, state, way, error);
	return true;
}

/* Only ways that never happen have come to the block so far, and here is one that may. */
static int come_to_life(struct flow *flow, uint32_t number, const struct flow_state *state,
			const struct flow_way *way, struct error *error)
{
	struct flow_block *block = &flow->block[number];
	struct flow_row_verdict verdict;
	bool wrong = flow_is_mismatch(block->part, block->pc, state, &verdict) &&
		     !flow_row_is_vague(&verdict);

	if (wrong && may_be_none(flow, way))
		return leave_out(flow, block->pc, way, &verdict, error);
	begin_block(flow, block, state, way, wrong);
	return flow_enqueue(flow, number, error);
}

/* Of two ways the one that is wrong: it is sure, and the other lies behind a call. */
static bool is_surer(bool weak, uint8_t unsure, bool other_weak)
{
	return !weak && !unsure && other_weak;
}

static int meet(struct flow *flow, uint32_t number, const struct flow_state *state,
		const struct flow_way *way, struct error *error)
{
	struct flow_block *block = &flow->block[number];
	struct flow_row_verdict new, old;
	struct flow_state joined;
	bool righted = !flow->doubtful && is_righted(block, state), new_wrong, old_wrong;
	enum flow_meeting meeting;
	int result;

	if (way->unsure == FLOW_NEVER && block->unsure != FLOW_NEVER)
		return 0;
	if (way->unsure != FLOW_NEVER && block->unsure == FLOW_NEVER)
		return come_to_life(flow, number, state, way, error);
	flow_beyond_join(flow, block, way);
	meeting = flow_beyond_meet(flow, block, state, way);
	if (meeting != FLOW_MEET)
		return meeting == FLOW_REPLACE ? replace(flow, number, state, way, error) : 0;
	flow_state_copy(&joined, &block->state);
	if (!flow_state_join(&joined, state) && !righted)
		return surer(block, way) ? flow_enqueue(flow, number, error) : 0;
	if (block->part->silent && meet_without_row(flow, number, state, way, &result, error))
		return result;
	new_wrong = flow_is_mismatch(block->part, block->pc, state, &new);
	old_wrong = righted || (flow_is_mismatch(block->part, block->pc, &block->state, &old) &&
				!flow_row_is_vague(&old));
	if (flow->doubtful)
		new_wrong = old_wrong = false; /* both count */
	if (new_wrong && (way->unsure || (!old_wrong && !flow_row_is_vague(&new)))) {
		if (is_surer(way->weak, way->unsure, block->weak) &&
		    flow_contradict(flow, block->pc, block->callee, error))
			return -1;
		return leave_out(flow, block->pc, way, &new, error);
	}
	if (old_wrong && !new_wrong && !block->settled) {
		if (is_surer(block->weak, block->unsure, way->weak) &&
		    flow_contradict(flow, block->pc, way->callee, error))
			return -1;
		return replace(flow, number, state, way, error);
	}
	flow_state_copy(&block->state, &joined);
	surer(block, way);
	return flow_enqueue(flow, number, error);
}

/* The same once nothing changes any more: is the way wrong that comes here? One that a jump table's entry brings, if
 * it is one, began no block. */
static void tell_edge(struct flow *flow, struct flow_part *part, uint64_t pc,
		      const struct flow_state *state, const struct flow_way *way)
{
	const uint32_t number = part->block_at[pc - part->begin];
	const struct flow_block *block = number ? &flow->block[number - 1] : NULL;
	struct flow_edge edge = { .weak = way->weak,
				  .unsure = way->unsure,
				  .callee = way->callee,
				  .from = way->from,
				  .to = pc,
				  .part = part,
				  .state = state };
	struct flow_row_verdict own;

	if (way->unsure == FLOW_NEVER ||
	    (way->unsure == FLOW_UNSURE && !flow_jump_is_doubtful(flow, way->from, pc)))
		return;
	if (flow_is_mismatch(part, pc, state, &edge.verdict) &&
	    (block && block->pc == pc ? !flow_is_mismatch(part, pc, &block->state, &own)
				      : way->unsure))
		flow->visitor->edge(flow->visitor->context, &edge);
}

int flow_come(struct flow *flow, uint64_t pc, const struct flow_state *state,
	      const struct flow_way *way, struct error *error)
{
	const struct flow_visitor *visitor = flow->visitor;
	struct flow_part *part;
	struct flow_state moved;
	uint32_t number;

	if (flow_popped_move(flow->world, pc, state, &moved))
		state = &moved;

	if (flow->followed)
		part = flow_known_part(flow, pc);
	else if (part_of(flow, pc, state, way, &part, error))
		return -1;
	if (!part)
		return 0;
	if (way->from && flow_linked_is_call(part, pc, state))
		return flow_linked_call(flow, part, state, way, error);
	if (flow->proof)
		return flow_proof_arrive(flow, part, pc, state, way, error);
	number = part->block_at[pc - part->begin];
	if (flow->followed) {
		if (visitor && visitor->step && number && way->unsure != FLOW_NEVER)
			visitor->step(visitor->context, part, way->from, pc, state);
		if (visitor && visitor->edge && (number || way->unsure == FLOW_MASKED))
			tell_edge(flow, part, pc, state, way);
		return 0;
	}
	if (number && flow->block[number - 1].pc == pc)
		return meet(flow, number - 1, state, way, error);
	return new_block(flow, part, pc, state, way, error);
}

/* ---- along a block ------------------------------------------------------------------------ */

/* One instruction. *ret_on: the way goes on to the next. */
static int step(struct flow *flow, struct flow_part *part, const struct code *code,
		struct flow_state *state, const struct flow_way *come, bool *ret_on,
		struct error *error)
{
	struct flow_way way = { .from = code->pc,
				.unsure = come->unsure,
				.beyond = come->beyond,
				.supposed = come->supposed };
	struct flow_state taken;
	bool begins;

	*ret_on = false;
	switch (code->flow) {
	case CODE_NEXT:
		*ret_on = !flow_thread_exits(state, code);
		if (flow->world->ocaml && flow_unruled_trap(flow, part, code, state, come, error))
			return -1;
		begins = flow_thread_begins(code, state);
		if (code->system_call)
			flow_word_change(state);
		flow_popped_push(flow, code, state);
		if (!flow->proof)
			flow_flags_pass(state, code);
		flow_effect(state, code, (uint32_t)(code->pc - flow->function));
		if (begins)
			flow_thread_begin(state);
		return 0;
	case CODE_CALL:
	case CODE_CALL_INDIRECT:
		if (flow_beyond_call(flow, code, state, come, error))
			return -1;
		return flow_call(flow, part, code, state, come->unsure, ret_on, error);
	case CODE_JUMP:
		way.weak = come->weak;
		way.callee = come->callee;
		return flow_come(flow, code->target, state, &way, error);
	case CODE_JUMP_INDIRECT:
		if (flow_is_stub(flow->world->callees, code->pc)) {
			*ret_on = true; /* until it is bound, a stub's jump leads on */
			return 0;
		}
		return flow_jump_go(flow, part, code, state, come, error);
	case CODE_BRANCH:
	case CODE_BEGIN:
		if (!flow->proof)
			return flow_branch(flow, part, code, state, come, ret_on, error);
		*ret_on = true;
		flow_effect(state, code, 0);
		if (!state->comparison.valid)
			return flow_come(flow, code->target, state, &way, error);
		flow_state_copy(&taken, state);
		flow_effect_branch(&taken, code->condition, true);
		flow_effect_branch(state, code->condition, false);
		return flow_come(flow, code->target, &taken, &way, error);
	case CODE_RETURN:
		if (come->unsure == FLOW_NEVER)
			return 0;
		if (flow_beyond_leave(flow, state, come, error))
			return -1;
		note_preserved(flow, state);
		flow_way_return(flow, code, state, come);
		flow->found.returns |= come->unsure < FLOW_DOUBTED && says_end(part, code->pc);
		return 0;
	case CODE_STOP: break;
	case CODE_UNKNOWN:
		if (!come->unsure)
			flow_reach_cut_off(flow, part, code, state);
		flow->found.is_handler |= code->interrupt_return && come->unsure != FLOW_NEVER;
		break;
	}
	return 0;
}

int flow_go(struct flow *flow, struct flow_part *part, const struct code *code,
	    struct flow_state *state, const struct flow_way *way, bool *ret_on, struct error *error)
{
	return step(flow, part, code, state, way, ret_on, error);
}

/* Behind the FDE's end lies another function's code, which is not returned to, or none with CFI. Compilers
 * let what they hold to be unreachable end so: nobody is accused of what that leads to. */
int flow_fall_out(struct flow *flow, uint64_t pc, const struct flow_state *state,
		  const struct flow_way *way, struct error *error)
{
	struct flow_way beyond = *way;
	bool returns = flow->found.returns;
	int result;

	if (cfi_fde_find(flow->world->cfi, pc))
		beyond.unsure = flow_doubt_more(beyond.unsure, FLOW_UNSURE);
	flow->falls = !way->unsure && !way->weak;
	result = flow_come(flow, pc, state, &beyond, error);
	flow->falls = false;
	flow->found.returns = returns;
	return result;
}

/* Behind a call that ends the part. */
static int fall_beyond(struct flow *flow, uint64_t pc, const struct flow_state *state,
		       struct flow_way *way, struct error *error)
{
	bool on;

	if (flow_beyond_pass(flow, pc, state, way, &on, error))
		return -1;
	return on ? flow_come(flow, pc, state, way, error) : 0;
}

static int walk(struct flow *flow, uint32_t number, struct error *error)
{
	struct flow_part *part = flow->block[number].part;
	struct flow_state state;
	struct flow_way way = { .weak = flow->block[number].weak,
				.unsure = flow->block[number].unsure,
				.beyond = flow->block[number].beyond,
				.supposed = flow->block[number].supposed };
	const bool doubts = part->silent && flow->world->beyond;
	enum flow_meeting meeting = FLOW_REPLACE;
	uint64_t pc = flow->block[number].pc;
	struct flow_row_verdict verdict;
	bool on = true;

	flow_state_copy(&state, &flow->block[number].state);
	while (on && pc < part->end) {
		uint32_t *at = &part->block_at[pc - part->begin];
		const struct code *found;
		struct code code;

		found = flow_part_code(part, flow->world->decoder, pc);
		if (!found)
			return no_memory(error);
		code = *found; /* the array may move */
		if (doubts && way.from && way.weak && !code.is_padding &&
		    flow_beyond_pass(flow, pc, &state, &way, &on, error))
			return -1;
		if (!on)
			return 0;
		if (way.from)
			meeting = flow_way_overlap(flow, number, part, way.from, pc);
		if (meeting == FLOW_LEAVE_OUT)
			return 0;
		if (way.from &&
		    ((*at && flow->block[*at - 1].pc == pc) || meeting == FLOW_MEET ||
		     way.beyond != flow->block[number].beyond || flow_unread_leads(flow, pc)))
			return flow_come(flow, pc, &state, &way, error);
		if (way.from && way.weak && may_be_none(flow, &way) &&
		    flow_is_mismatch(part, pc, &state, &verdict) && !flow_row_is_vague(&verdict))
			return leave_out(flow, pc, &way, &verdict, error);
		*at = number + 1;
		if (step(flow, part, &code, &state, &way, &on, error))
			return -1;
		flow_way_pass(&way, part, &code);
		pc += code.length;
	}
	if (!on || pc != part->end || (way.weak && !doubts))
		return 0;
	return way.weak ? fall_beyond(flow, pc, &state, &way, error)
			: flow_fall_out(flow, pc, &state, &way, error);
}

static int follow(struct flow *flow, struct error *error)
{
	while (flow->queue_count) {
		uint32_t number = flow->queue[--flow->queue_count];

		flow->block[number].queued = false;
		if (walk(flow, number, error) ||
		    (!flow->queue_count && flow_branch_late(flow, error)) ||
		    (!flow->queue_count && flow_unread_doubt(flow, error)))
			return -1;
	}
	return 0;
}

int flow_enter_knowing(struct flow *flow, uint64_t entry, const struct flow_state *state,
		       struct error *error)
{
	struct flow_way way = { .weak = false };

	flow->round.entered = true;
	if (flow_come(flow, entry, state, &way, error))
		return -1;
	return flow->proof ? flow_proof_follow(flow, error) : follow(flow, error);
}

int flow_enter(struct flow *flow, uint64_t entry, struct error *error)
{
	struct flow_state state;

	flow_state_enter(&state);
	if (entry == flow->world->first)
		state.word[0].value = (struct value) { .kind = VALUE_OTHER };
	return flow_enter_knowing(flow, entry, &state, error);
}
