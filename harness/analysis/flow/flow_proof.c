/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flow_proof.c - a function whose rows are all right, shown in one pass over its code
 *
 * Nearly all functions are right, and that is shown with less than it takes to say what is wrong.
 * flow.c follows paths in the order in which they are met, and comes back to code whenever another
 * path brings something else; here
 *
 *	- paths are followed in the order of addresses, so that code is mostly come to when all
 *	  paths to it from before are known;
 *	- a loop's head forgets at once what is written in the loop, but for addresses of the stack and
 *	  registers that its row declares unchanged: what comes back changes nothing then;
 *	- of what registers held at the entry only that is known which a function preserves;
 *	- of the stack only the words are known in which registers were saved;
 *	- a row is looked at again only if it is another one, or something that it speaks of was written.
 *
 * All that forgets, and what is known of less is true of more: so a proof is one. At the first
 * instruction that is not proven it ends without an answer, and the function is followed by flow.c. But a
 * jump table may have been read on in the next one, which was not met yet: then all paths are followed
 * once more.
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "flow_paths.h"

/* What ways lead to, and what is known there on all of them. */
struct label {
	uint64_t pc;
	struct flow_fragment *fragment;
	struct flow_state state;
	const struct row *proven; /* its row, if it was shown to hold for the state; or NULL */
	bool weak;		  /* as in struct flow_block */
	uint8_t unsure;		  /* the same: enum flow_doubt */
	bool queued;
};

/* In the order of fragments and addresses. */
struct turn {
	uint64_t order;
	uint32_t label; /* its number */
};

struct jump_back;

/* The row at hand, and the registers on which it depends whether it is right. Code that is come to next is
 * mostly the same row's. */
struct cursor {
	const struct row *row;
	uint64_t end; /* of its instructions; 0: it is to be looked at before each */
	uint32_t reads;
	bool reads_all;
	bool plain;	      /* it speaks of nothing that a label forgets */
	uint32_t word_writes; /* when it was looked at last */
	bool dirty;	      /* what it speaks of was written since */
};

struct flow_proof {
	struct label *label;
	size_t count, room;
	struct turn *queue; /* a heap, the lowest on top */
	size_t queue_count;
	bool failed;
	bool doubtful; /* a path is not right that perhaps a jump table read too far brought */
	/* Of the fragment that is scanned: its jumps back, and what each RUN of its instructions writes. */
	struct jump_back *back;
	size_t back_count, back_room;
	uint32_t *written;
	size_t written_room;
	const struct flow_fragment *fragment; /* the one whose row is at hand */
	struct cursor cursor;
	const struct row *brought; /* it holds for what the path brings that is at hand; or NULL */
};

/* The proof fails then, too. */
static void no_memory(const struct flow *flow)
{
	flow_lack(flow->world, "the proof of a function");
	flow->proof->failed = true;
}

struct flow_proof *flow_proof_create(void)
{
	return calloc(1, sizeof(struct flow_proof));
}

void flow_proof_destroy(struct flow_proof *proof)
{
	if (!proof)
		return;
	free(proof->label);
	free(proof->queue);
	free(proof->back);
	free(proof->written);
	free(proof);
}

/* ---- the code in the order of addresses ---------------------------------------------------- */

/* Of flow_fragment.label_at: something jumps there; and for a loop's head what is written in the loop. */
#define LABEL	   (1u << 31)
#define REGISTERS  0xffffu
#define RUN	   16u /* instructions whose writes are looked at in one step */
#define LOOP_STEPS 64u /* steps for loops, for each of the fragment's instructions */

/* A jump back: from the instruction of that number. */
struct jump_back {
	uint64_t to;
	size_t from;
};

static bool is_call(const struct code *code)
{
	return code->flow == CODE_CALL || code->flow == CODE_CALL_INDIRECT;
}

static uint32_t written_by(const struct code *code)
{
	return code->written | (is_call(code) ? REGISTERS & ~FLOW_PRESERVED : 0);
}

/* By all instructions from first to last. */
static uint32_t written_from(const struct flow_proof *proof, const struct flow_fragment *fragment,
			     size_t first, size_t last)
{
	uint32_t written = 0;

	for (size_t i = first; i <= last;) {
		if (i % RUN || i + RUN > last) {
			written |= written_by(&fragment->code[i++]);
		} else {
			written |= proof->written[i / RUN];
			i += RUN;
		}
	}
	return written;
}

/* What each RUN of the fragment's instructions writes. False: no memory. */
static bool sum_written(struct flow_proof *proof, const struct flow_fragment *fragment)
{
	size_t runs = fragment->code_count / RUN + 1;

	if (!ARRAY_RESERVE(proof->written, proof->written_room, runs))
		return false;
	memset(proof->written, 0, runs * sizeof(*proof->written));
	for (size_t i = 0; i < fragment->code_count; i++)
		proof->written[i / RUN] |= written_by(&fragment->code[i]);
	return true;
}

/* The same. */
static bool mark_loops(struct flow_proof *proof, struct flow_fragment *fragment)
{
	size_t steps = LOOP_STEPS * fragment->code_count;

	if (proof->back_count && !sum_written(proof, fragment))
		return false;
	/* The last jump to a head comes first. */
	for (size_t i = proof->back_count; i--;) {
		const struct jump_back *back = &proof->back[i];
		uint32_t *mark = &fragment->label_at[back->to - fragment->begin];
		uint32_t head = fragment->code_at[back->to - fragment->begin];
		size_t cost;

		if (*mark & REGISTERS)
			continue;
		cost = head && head <= back->from + 1 ? (back->from + 1 - head) / RUN + RUN : 0;
		if (cost && cost < steps)
			*mark |= written_from(proof, fragment, head - 1, back->from) & REGISTERS;
		else
			*mark |= REGISTERS;
		steps -= cost < steps ? cost : steps;
	}
	return true;
}

static void mark_pads(struct flow_fragment *fragment)
{
	for (size_t i = 0; i < fragment->pad_count; i++)
		if (fragment->pad[i].pad >= fragment->begin && fragment->pad[i].pad < fragment->end)
			fragment->label_at[fragment->pad[i].pad - fragment->begin] |= LABEL;
}

/* The same. */
static bool note_jump(struct flow_proof *proof, struct flow_fragment *fragment,
		      const struct code *code)
{
	if (code->flow != CODE_JUMP && code->flow != CODE_BRANCH && code->flow != CODE_BEGIN)
		return true;
	if (code->target < fragment->begin || code->target >= fragment->end)
		return true;
	fragment->label_at[code->target - fragment->begin] |= LABEL;
	if (code->target > code->pc)
		return true;
	if (!ARRAY_RESERVE(proof->back, proof->back_room, proof->back_count + 1))
		return false;
	proof->back[proof->back_count++] = (struct jump_back) { code->target,
								(size_t)(code - fragment->code) };
	return true;
}

/* Decodes all of the fragment, and marks what its jumps lead to. The same. */
static bool scan(struct flow_proof *proof, struct flow_fragment *fragment,
		 struct code_decoder *decoder)
{
	proof->back_count = 0;
	if (!flow_fragment_sweep(fragment, decoder))
		return false;
	for (size_t i = 0; i < fragment->code_count; i++)
		if (fragment->code[i].flow != CODE_NEXT &&
		    !note_jump(proof, fragment, &fragment->code[i]))
			return false;
	mark_pads(fragment);
	fragment->scanned = true;
	return mark_loops(proof, fragment);
}

/* ---- labels ------------------------------------------------------------------------------- */

_Static_assert(FLOW_FRAGMENT_BYTES_MAX <= UINT32_MAX, "a distance in a fragment has 32 bits");

static uint64_t order_of(const struct label *label)
{
	return (uint64_t)label->fragment->order << 32 | (label->pc - label->fragment->begin);
}

static void enqueue(const struct flow *flow, uint32_t number)
{
	struct flow_proof *proof = flow->proof;
	struct turn turn = { order_of(&proof->label[number]), number };
	size_t at = proof->queue_count;

	if (proof->label[number].queued)
		return;
	if (!ARRAY_ADD(proof->queue, proof->queue_count, turn)) {
		no_memory(flow);
		return;
	}
	for (; at && turn.order < proof->queue[(at - 1) / 2].order; at = (at - 1) / 2)
		proof->queue[at] = proof->queue[(at - 1) / 2];
	proof->queue[at] = turn;
	proof->label[number].queued = true;
}

static uint32_t dequeue(struct flow_proof *proof)
{
	struct turn last = proof->queue[--proof->queue_count];
	uint32_t first = proof->queue[0].label;
	size_t at = 0;

	for (;;) {
		size_t below = 2 * at + 1;

		if (below + 1 < proof->queue_count &&
		    proof->queue[below + 1].order < proof->queue[below].order)
			below++;
		if (below >= proof->queue_count || last.order <= proof->queue[below].order)
			break;
		proof->queue[at] = proof->queue[below];
		at = below;
	}
	proof->queue[at] = last;
	proof->label[first].queued = false;
	return first;
}

/* What a register held at the entry is of use if a function preserves it. */
static void forget_unpreserved(struct flow_state *state)
{
	for (uint8_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (!(FLOW_PRESERVED & 1u << i) && state->reg[i].kind == VALUE_ENTRY)
			state->reg[i] = value_unknown();
}

/* The row says of the register that it is what it was at the entry, and it is. */
static bool is_unchanged(const struct row *row, const struct flow_state *state, uint8_t reg)
{
	const struct value *value = &state->reg[reg];

	return row &&
	       (row->reg[reg].kind == RULE_UNSPECIFIED || row->reg[reg].kind == RULE_SAME_VALUE) &&
	       value->kind == VALUE_ENTRY && value->reg == reg && !value->number;
}

/* What a loop writes is another value when it comes back. row: of its head. */
static void forget_written(struct flow_state *state, const struct row *row, uint32_t written)
{
	for (uint8_t i = 0; i < REGISTER_GPR_COUNT; i++)
		if (written & 1u << i && !value_is_stack(&state->reg[i]) &&
		    !is_unchanged(row, state, i))
			state->reg[i] = value_unknown();
	state->comparison = (struct last_comparison) { .valid = false };
}

static void new_label(const struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		      const struct flow_state *state, const struct flow_path *path)
{
	struct flow_proof *proof = flow->proof;
	uint32_t *at = &fragment->block_at[pc - fragment->begin];
	uint32_t written = fragment->label_at[pc - fragment->begin] & REGISTERS;
	uint32_t inside = *at;
	struct label *label;

	if (proof->count == FLOW_BLOCKS_MAX) {
		proof->failed = true;
		return;
	}
	if (!ARRAY_RESERVE(proof->label, proof->room, proof->count + 1)) {
		no_memory(flow);
		return;
	}
	label = &proof->label[proof->count++];
	label->pc = pc;
	label->fragment = fragment;
	label->proven = proof->brought && proof->fragment == fragment && pc >= proof->brought->pc &&
					pc < proof->brought->pc_end
				? proof->brought
				: NULL;
	label->weak = path->weak;
	label->unsure = path->unsure;
	label->queued = false;
	flow_state_copy(&label->state, state);
	if (!state->saved_only)
		forget_unpreserved(&label->state);
	label->state.saved_only = true;
	if (written)
		forget_written(&label->state, flow_fragment_row(fragment, pc), written);
	fragment->label_at[pc - fragment->begin] |= LABEL;
	*at = (uint32_t)proof->count;
	/* What went through here before ends here from now on. */
	if (inside)
		enqueue(flow, inside - 1);
	enqueue(flow, (uint32_t)proof->count - 1);
}

void flow_proof_arrive(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
		       const struct flow_state *state, const struct flow_path *path)
{
	struct flow_proof *proof = flow->proof;
	struct label *label;
	uint32_t number;
	bool changed;

	if (!proof->failed && !fragment->scanned && !scan(proof, fragment, flow->world->decoder))
		no_memory(flow);
	if (proof->failed)
		return;
	number = fragment->block_at[pc - fragment->begin];
	label = number ? &proof->label[number - 1] : NULL;
	if (!label || label->pc != pc) {
		new_label(flow, fragment, pc, state, path);
		return;
	}
	changed = flow_state_join(&label->state, state);
	if (changed)
		label->proven = NULL;
	changed |= label->unsure > path->unsure;
	label->weak &= path->weak;
	label->unsure = label->unsure < path->unsure ? label->unsure : path->unsure;
	if (changed)
		enqueue(flow, number - 1);
}

/* ---- along the code ----------------------------------------------------------------------- */

/* What flow_row_check() looks at to say that it is right. */
static void cursor_read(struct cursor *cursor)
{
	const struct row *row = cursor->row;
	const uint32_t ruled = FLOW_PRESERVED | 1u << REGISTER_RIP;

	cursor->dirty = true;
	cursor->reads = 1u << REGISTER_RSP; /* a word may be too far below it */
	cursor->reads_all = row->cfa.kind != RULE_CFA_REGISTER || flow_row_has_others(row);
	cursor->plain = true;
	if (row->cfa.reg < REGISTER_GPR_COUNT)
		cursor->reads |= 1u << row->cfa.reg;
	for (uint32_t left = ruled; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		switch (row->reg[i].kind) {
		case RULE_OFFSET: break; /* a word */
		case RULE_UNSPECIFIED:
		case RULE_SAME_VALUE: cursor->reads |= 1u << i; break;
		case RULE_REGISTER:
			if (row->reg[i].reg < REGISTER_GPR_COUNT)
				cursor->reads |= 1u << row->reg[i].reg;
			cursor->plain = false;
			break;
		default: cursor->reads_all = true; break;
		}
	}
	cursor->plain &= !cursor->reads_all;
	cursor->end = cursor->reads_all ? 0 : row->pc_end;
}

/* The row at pc, or NULL. */
static const struct row *cursor_move(struct cursor *cursor, const struct flow_fragment *fragment,
				     uint64_t pc)
{
	const struct row *row = cursor->row;

	if (row && pc >= row->pc && pc < row->pc_end)
		return row;
	if (row && row + 1 < fragment->row + fragment->row_count && pc >= row[1].pc &&
	    pc < row[1].pc_end)
		cursor->row = row + 1;
	else
		cursor->row = flow_fragment_row(fragment, pc);
	if (cursor->row)
		cursor_read(cursor);
	return cursor->row;
}

static bool is_right(struct cursor *cursor, const struct flow_fragment *fragment,
		     const struct code *code, const struct flow_state *state)
{
	const uint64_t end = code->pc + code->length;
	struct flow_row_verdict verdict;
	const struct row *row;

	row = cursor_move(cursor, fragment, code->pc);
	if (!row || row->pc_end < end)
		return false;
	cursor->word_writes = state->word_writes;
	if (!cursor->reads_all && flow_row_holds_usual(row, state))
		return true;
	flow_row_check(row, code->pc, state, fragment->agreed, &verdict);
	return verdict.outcome == FLOW_ROW_PROVEN && !verdict.ends;
}

/* Of an instruction that is repeated the row must be what the code does between its rounds, too. */
static __attribute__((noinline)) bool is_proven_repeated(struct cursor *cursor,
							 const struct flow_fragment *fragment,
							 const struct code *code,
							 const struct flow_state *state)
{
	struct flow_state rounds;

	flow_state_copy(&rounds, state);
	flow_effect_rounds(&rounds, code);
	return is_right(cursor, fragment, code, &rounds);
}

/* The row is what the code does, before the instruction and in the middle of it. */
static inline bool is_proven(struct cursor *cursor, const struct flow_fragment *fragment,
			     const struct code *code, const struct flow_state *state)
{
	if (code->repeated)
		return is_proven_repeated(cursor, fragment, code, state);
	if (code->pc + code->length <= cursor->end && !cursor->dirty &&
	    cursor->word_writes == state->word_writes)
		return true;
	return is_right(cursor, fragment, code, state);
}

/* A branch may say of a register that it is equal to another one. */
static uint32_t equal_by(const struct code *code, const struct flow_state *state)
{
	const struct last_comparison *comparison = &state->comparison;

	if (code->flow != CODE_BRANCH || !comparison->valid || !comparison->with_register)
		return 0;
	return 1u << comparison->reg | 1u << comparison->source;
}

/* What the row at hand holds for is brought to where the instruction leads as it is, and no label forgets it. */
static bool brings_row(const struct flow *flow, const struct code *code)
{
	const struct cursor *cursor = &flow->proof->cursor;
	const bool is_jump = code->flow == CODE_BRANCH || code->flow == CODE_JUMP ||
			     code->flow == CODE_JUMP_INDIRECT;

	return is_jump && !cursor->dirty && cursor->plain && !flow->world->enters;
}

/* It goes on behind the instruction, whatever is known. Behind a system call another thread may begin. */
static inline bool is_plain(const struct code *code)
{
	return code->flow == CODE_NEXT && !code->system_call && !code->is_padding;
}

/* What rows mostly speak of, as it was before a call. */
struct kept {
	struct value rbx, rbp_rsp[2], r12_to_r15[4];
};

static inline void keep(const struct flow_state *state, struct kept *ret)
{
	ret->rbx = state->reg[REGISTER_RBX];
	memcpy(ret->rbp_rsp, &state->reg[REGISTER_RBP], sizeof(ret->rbp_rsp));
	memcpy(ret->r12_to_r15, &state->reg[REGISTER_R12], sizeof(ret->r12_to_r15));
}

static inline bool is_kept(const struct flow_state *state, const struct kept *kept)
{
	return value_equal(&state->reg[REGISTER_RBX], &kept->rbx) &&
	       !memcmp(&state->reg[REGISTER_RBP], kept->rbp_rsp, sizeof(kept->rbp_rsp)) &&
	       !memcmp(&state->reg[REGISTER_R12], kept->r12_to_r15, sizeof(kept->r12_to_r15));
}

_Static_assert(REGISTER_RSP == REGISTER_RBP + 1 && REGISTER_R15 == REGISTER_R12 + 3,
	       "they are next to each other");

/* It writes rsp, and has put it back. */
static bool go_call(struct flow *flow, struct flow_fragment *fragment, const struct code *call,
		    struct flow_state *state, const struct flow_path *path)
{
	struct cursor *cursor = &flow->proof->cursor;
	struct kept kept;
	bool on;

	keep(state, &kept);
	on = flow_go(flow, fragment, call, state, path);
	cursor->dirty = written_by(call) & cursor->reads & ~FLOW_PRESERVED;
	cursor->dirty |= !is_kept(state, &kept);
	return on;
}

/* What one that isn't plain makes of the state, and whether it goes on behind it. */
static bool go(struct flow *flow, struct flow_fragment *fragment, const struct code *code,
	       struct flow_state *state, struct flow_path *path)
{
	struct cursor *cursor = &flow->proof->cursor;
	struct code copy = *code; /* it may move on the way */
	bool on;

	if (is_call(code)) {
		on = go_call(flow, fragment, &copy, state, path);
	} else {
		cursor->dirty = code->system_call ||
				(code->written | equal_by(code, state)) & cursor->reads;
		flow->proof->brought = brings_row(flow, code) ? cursor->row : NULL;
		on = flow_go(flow, fragment, &copy, state, path);
		flow->proof->brought = NULL;
	}
	flow_path_pass(path, fragment, &copy);
	return on;
}

/* Not proven. Where a jump table may have been read too far, the path is perhaps none: the next round knows
 * where those end that this one meets. */
static void fail(struct flow *flow)
{
	flow->proof->doubtful = true;
	flow->proof->failed |= !flow->round.guessed_end;
}

/* A path goes on to pc, which is a label. */
static void arrive_next(struct flow *flow, struct flow_fragment *fragment, uint64_t pc,
			const struct flow_state *state, const struct flow_path *path)
{
	const struct cursor *cursor = &flow->proof->cursor;
	bool holds = cursor->plain && !cursor->dirty && cursor->word_writes == state->word_writes;

	flow->proof->brought = holds ? cursor->row : NULL;
	flow_proof_arrive(flow, fragment, pc, state, path);
	flow->proof->brought = NULL;
}

static void begin_cursor(struct flow_proof *proof, const struct label *label)
{
	struct cursor *cursor = &proof->cursor;

	if (proof->fragment != label->fragment)
		cursor->row = NULL;
	proof->fragment = label->fragment;
	cursor_move(cursor, label->fragment, label->pc);
	cursor->dirty = !label->proven;
	cursor->word_writes = label->state.word_writes;
}

static void walk(struct flow *flow, uint32_t number)
{
	struct flow_proof *proof = flow->proof;
	struct flow_fragment *fragment = proof->label[number].fragment;
	struct flow_path path = { .weak = proof->label[number].weak,
				  .unsure = proof->label[number].unsure };
	uint64_t pc = proof->label[number].pc;
	struct cursor *cursor = &proof->cursor;
	const struct code *next = NULL; /* behind a plain one, as it stands in memory */
	struct flow_state state;
	bool on = true;

	flow_state_copy(&state, &proof->label[number].state);
	begin_cursor(proof, &proof->label[number]);
	while (on && pc < fragment->end) {
		const struct code *code;

		if (path.from && fragment->label_at[pc - fragment->begin] & LABEL) {
			arrive_next(flow, fragment, pc, &state, &path);
			return;
		}
		fragment->block_at[pc - fragment->begin] = number + 1;
		code = next && next->pc == pc
			       ? next
			       : flow_fragment_code(fragment, flow->world->decoder, pc);
		if (!code) {
			no_memory(flow);
			return;
		}
		if (!is_proven(cursor, fragment, code, &state) || !code->length) {
			fail(flow);
			return;
		}
		pc += code->length;
		next = NULL;
		if (is_plain(code)) {
			cursor->dirty = code->written & cursor->reads;
			flow_effect(&state, code, (uint32_t)(code->pc - flow->function));
			path.from = code->pc;
			path.weak = false;
			path.callee = 0;
			next = code + 1;
		} else {
			on = go(flow, fragment, code, &state, &path);
		}
	}
	if (on && !path.weak)
		flow_fall_out(flow, pc, &state, &path);
}

void flow_proof_fail(struct flow *flow)
{
	fail(flow);
}

void flow_proof_follow(struct flow *flow)
{
	while (flow->proof->queue_count && !flow->proof->failed)
		walk(flow, dequeue(flow->proof));
}

/* ---- functions ---------------------------------------------------------------------------- */

static bool is_between(const struct code *code)
{
	return code->is_padding || code->flow == CODE_STOP || !code->length;
}

/* Every instruction was reached, but for what lies between functions. *ret_pc: up to where that is known, since they
 * were decoded in their order. */
static bool is_reached_in_order(struct flow_fragment *fragment, uint64_t *ret_pc)
{
	const struct code *code = fragment->code, *end = code + fragment->code_count;
	uint64_t pc = fragment->begin;
	size_t left_out = 0;

	for (; code < end && code->pc == pc; code++) {
		if (!flow_proof_reached(fragment, code)) {
			if (!is_between(code))
				return false;
			left_out++;
		}
		pc = flow_fragment_behind(code);
	}
	*ret_pc = pc;
	if (code == end && pc == fragment->end)
		fragment->whole = fragment->code_count - left_out;
	return true;
}

static bool is_reached(struct flow_fragment *fragment, struct code_decoder *decoder)
{
	const struct code *code;
	uint64_t pc;

	if (!is_reached_in_order(fragment, &pc))
		return false;
	for (; pc < fragment->end; pc = flow_fragment_behind(code)) {
		code = flow_fragment_code(fragment, decoder, pc);
		if (!code || (!flow_proof_reached(fragment, code) && !is_between(code)))
			return false;
	}
	return true;
}

bool flow_proof_try(struct flow_proof *proof, struct flow *flow)
{
	bool proven;

	proof->failed = flow->fragment[0]->malformed;
	proof->fragment = NULL;
	proof->brought = NULL;
	flow->proof = proof;
	for (int round = 0; !proof->failed && flow_again(flow, round); round++) {
		proof->count = proof->queue_count = 0;
		proof->doubtful = false;
		flow_restart(flow);
		flow_enter(flow, flow->function, NULL);
	}
	proof->failed |= proof->doubtful;
	flow->proof = NULL;
	proven = !proof->failed && !flow_lacks(flow->world) && !flow->found.too_large &&
		 !flow->found.jump_unread && !flow->found.is_handler && !flow->found.returned_to &&
		 is_reached(flow->fragment[0], flow->world->decoder);
	if (!proven)
		flow_forget(flow);
	return proven;
}
