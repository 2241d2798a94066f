/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_call.c - where a call goes
 *
 * To another function, which comes back behind the call or never does, and from which an exception may
 * land in this one. What is called and is none is told apart here.
 */
#include "flow.h"
#include "flow_callees.h"
#include "flow_proof.h"
#include "flow_throw.h"

/* In none of the function's parts. */
static void land_outside(const struct flow_world *world, uint64_t pad, uint64_t from)
{
	if (image_code_segment(world->cfi->image, pad) && !cfi_fde_find(world->cfi, pad))
		flow_tell_uncovered(world, pad, from);
}

/* The call perhaps throws, and brings to the pad what the row there doesn't say. It brings that to none where others
 * come. *ret_lands: who wants to know is told of it. */
static void doubt_landing(struct flow *flow, struct flow_way *way, bool *ret_lands)
{
	if (flow->proof)
		flow_proof_fail(flow);
	way->unsure = flow_doubt_more(way->unsure, FLOW_UNTHROWN);
	*ret_lands = flow->followed;
}

/* An exception of the call comes to the pad with what was caught. */
static bool lands(struct flow *flow, const struct flow_part *part, const struct code *code,
		  struct landing_pad *pad, const struct flow_part *part_of_pad,
		  const struct flow_state *caught, struct flow_way *way)
{
	const struct row *row = flow_part_row(part_of_pad, pad->pad);
	struct flow_row_verdict verdict;
	enum flow_throws throws;
	bool ret = true;

	if (row)
		flow_row_check(row, pad->pad, caught, part_of_pad->agreed, &verdict);
	if (!row || verdict.outcome == FLOW_ROW_PROVEN)
		return true;
	throws = flow_throw_lands(flow->world, part, pad, code);
	if (throws == FLOW_THROWS_NEVER)
		return false;
	if (verdict.outcome != FLOW_ROW_MISMATCH || verdict.fault == FLOW_LOST || flow->doubtful)
		return true;
	/* One that never throws may lie between others that do, with its arguments on the stack. */
	if (verdict.fault == FLOW_CFA && verdict.actual.number < 0 && !pad->let_in) {
		pad->left_out = true;
		return false;
	}
	if (throws == FLOW_THROWS_PERHAPS)
		doubt_landing(flow, way, &ret);
	return ret;
}

/* Behind the call, in the landing pads of its place. Whoever goes there takes the arguments off the
 * stack that were pushed for the call (DW_CFA_GNU_args_size). */
static int catch (struct flow *flow, const struct flow_part *part, const struct code *code,
		  const struct flow_state *state, uint8_t unsure, struct error *error)
{
	const struct row *row;
	struct flow_state caught;
	struct value *rsp = &caught.reg[REGISTER_RSP];
	const struct flow_part *part_of_pad;

	if (!part->pad_count)
		return 0;
	flow_state_copy(&caught, state);
	row = flow_part_row(part, code->pc);
	if (row)
		*rsp = value_add(*rsp, (int64_t)row->args_size);
	for (size_t i = 0; i < part->pad_count; i++) {
		struct landing_pad *pad = &part->pad[i];
		struct flow_way way = { .from = code->pc, .unsure = unsure };

		if (code->pc < pad->begin || code->pc >= pad->end)
			continue;
		part_of_pad = flow_known_part(flow, pad->pad);
		if (!part_of_pad) {
			if (!flow->followed && !unsure)
				land_outside(flow->world, pad->pad, code->pc);
			continue;
		}
		if (!lands(flow, part, code, pad, part_of_pad, &caught, &way))
			continue;
		pad->reached |= way.unsure != FLOW_UNTHROWN;
		if (flow_come(flow, pad->pad, &caught, &way, error))
			return -1;
	}
	return 0;
}

/* The return address is taken off the stack first. */
static bool takes_address(const struct code *code)
{
	return (code->effect == EFFECT_POP && code->reg != CODE_NO_REGISTER) ||
	       (code->effect == EFFECT_ADD && code->reg == REGISTER_RSP && code->constant == 8);
}

bool flow_call_is_push(const struct cfi_fde *fde, const struct image *image,
		       struct code_decoder *decoder, uint64_t next, uint64_t target)
{
	const uint8_t *bytes;
	struct code code;
	size_t size;

	if (target <= next || target - fde->pc_begin >= fde->pc_range)
		return target == next;
	bytes = image_bytes_most(image, target, CODE_BYTES_MAX, &size);
	if (!bytes)
		return false;
	code_decode(decoder, target, bytes, size, &code);
	return code.flow == CODE_NEXT && takes_address(&code);
}

/* Position-independent code asks so where it is, or data behind the call: no call. */
static void push_address(const struct code *code, struct flow_state *state)
{
	struct value *rsp = &state->reg[REGISTER_RSP];

	*rsp = value_add(*rsp, -8);
	flow_word_write(state, rsp, 8,
			(struct value) { .kind = VALUE_CONSTANT,
					 .number = (int64_t)(code->pc + code->length) });
}

/* What nobody has written above rsp the called function may write: it was given an address there, or knows the
 * frame, as GCC's __savms64_13 does. What was saved there it doesn't touch. */
void flow_call_lend(struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];
	int64_t lent = rsp->kind == VALUE_CFA ? rsp->number : INT64_MIN;

	if (!state->saved_only && lent < state->lent)
		state->lent = lent;
}

/* Not another file's code. */
static bool is_seen(const struct flow_world *world, uint64_t callee)
{
	return !flow_is_stub(world->callees, callee) &&
	       image_code_segment(world->cfi->image, callee);
}

/* What is called, if its code can be seen from here; else 0. A register may hold its address. */
static uint64_t find_callee(const struct flow_world *world, const struct code *call,
			    const struct flow_state *state)
{
	uint64_t callee = call->target;

	if (call->flow == CODE_CALL_INDIRECT) {
		struct value to = flow_effect_jump(state, call);

		if (to.kind != VALUE_CONSTANT)
			return 0;
		callee = (uint64_t)to.number;
	}
	return is_seen(world, callee) ? callee : 0;
}

/* No callee preserves these, and they hold what some such register held at the entry, or may: a bit for each. Asked for
 * only if the part has rules for such, and not by the fast proof, which needs of them what they were at the
 * entry. */
static uint32_t find_arguments(const struct flow_part *part, const struct flow_state *state)
{
	uint32_t found = 0;

	if (state->saved_only || !(part->claimed & ~FLOW_PRESERVED))
		return 0;
	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		found |= (uint32_t)(state->reg[i].kind == VALUE_UNKNOWN ||
				    value_has_argument(&state->reg[i]))
			 << i;
	return found & ~FLOW_PRESERVED;
}

/* What is called may well leave registers alone that no callee preserves: who has rules for such knows it. If it is this
 * image's it may even bring them back. Of another it is believed only if the stack is not aligned at the call (3.2.2: the
 * CFA is): no function of the psABI is called so, but what compilers call before there is a frame, as __fentry__,
 * leaves all arguments as they are. */
static void doubt_arguments(const struct flow *flow, const struct flow_part *part,
			    const struct code *call, uint32_t arguments, struct flow_state *state)
{
	const struct value *rsp = &state->reg[REGISTER_RSP];

	if (state->saved_only || !(part->claimed & ~FLOW_PRESERVED))
		return;
	if (call->flow == CODE_CALL && is_seen(flow->world, call->target))
		arguments = ~FLOW_PRESERVED;
	else if (rsp->kind != VALUE_CFA || rsp->number != -8)
		return;
	for (size_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i) && arguments >> i & 1)
			state->reg[i].scale = VALUE_ARGUMENT_AGAIN;
}

#define RETURN_BYTES 1 /* ret */

/* GCC's -fsplit-stack: a function that has too little stack calls __morestack first. That calls what lies
 * behind the `ret` behind the call, on another stack, with the arguments as they were; when it comes
 * back, to the `ret`, the function is done. */
static int split_stack(struct flow *flow, struct flow_part *part, const struct code *code,
		       uint8_t unsure, struct error *error)
{
	uint64_t next = code->pc + code->length;
	struct flow_way way = { .from = code->pc, .unsure = unsure };
	const struct code *behind;
	struct flow_state state;

	if (code->flow != CODE_CALL || !flow_splits_stack(flow->world->callees, code->target) ||
	    next >= part->end)
		return 0;
	behind = flow_part_code(part, flow->world->decoder, next);
	if (!behind)
		return error_set(error, ERROR_MEMORY, NULL, 0, "the ways through a function");
	if (behind->flow != CODE_RETURN || behind->length != RETURN_BYTES)
		return 0;
	flow_state_enter(&state);
	return flow_come(flow, next + RETURN_BYTES, &state, &way, error);
}

/* Behind the call lie data, and the way goes on where nobody knows, as behind a computed jump. The fast proof doesn't
 * ask: if each row is right that is decoded there, nobody is accused. */
static bool goes_elsewhere(struct flow *flow, struct flow_part *part, const struct code *code)
{
	if (flow->proof)
		return false;
	return (code->flow == CODE_CALL && flow_goes_elsewhere(flow->world, code->target)) ||
	       flow_is_text(flow->world, part, code->pc + code->length);
}

static int jump_over_data(struct flow *flow, const struct flow_part *part, const struct code *code,
			  const struct flow_state *state, struct error *error)
{
	flow->found.jump_unknown = true;
	if (flow_jump_met(flow, error))
		return -1;
	return flow->followed ? 0 : flow_unread_note(flow, part, code, state, error);
}

/* To who wants to know. */
static void tell_called(const struct flow_world *world, const struct code *call)
{
	const struct cfi_fde *fde = flow_callee_fde(world->callees, call->target);

	if (!fde && image_code_segment(world->cfi->image, call->target))
		flow_tell_uncovered(world, call->target, call->pc);
	else if (fde && world->called)
		world->called(world->context, fde, call->target, call->pc);
}

int flow_call(struct flow *flow, struct flow_part *part, const struct code *code,
	      struct flow_state *state, uint8_t unsure, bool *ret_on, struct error *error)
{
	const struct flow_world *world = flow->world;
	uint64_t next = code->pc + code->length;
	uint32_t arguments;
	struct value rax;
	uint64_t callee;

	*ret_on = true;
	if (code->flow == CODE_CALL &&
	    flow_call_is_push(part->fde, world->cfi->image, world->decoder, next, code->target)) {
		struct flow_way way = { .from = code->pc, .unsure = unsure };

		push_address(code, state);
		*ret_on = code->target == next;
		return *ret_on ? 0 : flow_come(flow, code->target, state, &way, error);
	}
	if (code->flow == CODE_CALL && !flow->followed && !unsure)
		tell_called(world, code);
	if (code->flow == CODE_CALL_INDIRECT && !unsure)
		flow_reach_called(flow, code, state);
	rax = state->reg[REGISTER_RAX];
	arguments = find_arguments(part, state);
	callee = find_callee(world, code, state);
	flow_state_call(state);
	doubt_arguments(flow, part, code, arguments, state);
	flow_call_lend(state);
	flow_popped_call(flow, part, code, callee, state);
	flow_breaking_call(world, code, state);
	if (flow_probe_call(flow, part, code, &rax, state, error))
		return -1;
	if (catch (flow, part, code, state, unsure, error) ||
	    split_stack(flow, part, code, unsure, error))
		return -1;
	if (goes_elsewhere(flow, part, code)) {
		*ret_on = false;
		return unsure == FLOW_NEVER ? 0 : jump_over_data(flow, part, code, state, error);
	}
	*ret_on = code->flow != CODE_CALL ||
		  (!flow_never_returns(world->callees, code->target) &&
		   !(world->never_by_code &&
		     flow_never_returns_by_code(world->callees, code->target)));
	return 0;
}
