/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_follow.c - all functions of an image, each followed once
 *
 * First those that begin as a function does: each is followed, with the parts that it leads to. An
 * FDE whose first row is another one begins in the middle of a function, unless it is called: then
 * its first row is wrong, and it is followed for what comes behind. What an instruction came to is kept by
 * address, the worst of all ways to it.
 */
#include <elf.h>
#include <stdlib.h>
#include "array.h"
#include "cfi/code_name.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/flow_callees.h"
#include "analysis/flow/flow_proof.h"
#include "lint_begin.h"
#include "lint_enter.h"
#include "lint_extent.h"
#include "lint_follow.h"
#include "lint_home.h"
#include "lint_symbols.h"
#include "lint_uncovered.h"

static void note_called(void *context, const struct cfi_fde *fde, uint64_t pc, uint64_t from)
{
	struct linting *linting = context;

	if (fde->pc_begin == pc && linting->called[fde - linting->world.cfi->fde])
		return;
	if (ARRAY_RESERVE(linting->calls, linting->call_room, linting->call_count + 1))
		linting->calls[linting->call_count++] = (struct lint_sure_call) { fde, pc, from };
	else
		linting->no_memory = true;
}

static void decide_calls(struct linting *linting)
{
	while (linting->call_count) {
		const struct lint_sure_call *call = &linting->calls[--linting->call_count];

		if (call->fde->pc_begin == call->pc)
			linting->called[call->fde - linting->world.cfi->fde] = true;
		else
			lint_middle_called(&linting->middle, call->pc, call->from);
	}
}

/* Its begin was called, as far as the ways were followed that matter here. */
static bool is_called(struct linting *linting, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(linting->world.cfi, pc);

	return (fde && fde->pc_begin == pc && linting->called[fde - linting->world.cfi->fde]) ||
	       lint_middle_next(&linting->middle, NULL, pc, pc + 1);
}

/* Of ways that came to nothing, too: a doubt more, or an entry more. */
static void note_framed(void *context, uint64_t pc)
{
	lint_addresses_add(&((struct linting *)context)->framed.framed, pc);
}

static void note_tail_called(void *context, uint64_t pc, bool doubtful)
{
	struct linting *linting = context;

	if (!doubtful)
		lint_addresses_add(&linting->tails, pc);
	lint_addresses_add(&linting->framed.entered, pc);
	lint_handlers_leave(&linting->handlers, pc);
}

static void note_continued(void *context, uint64_t pc)
{
	lint_addresses_add(&((struct linting *)context)->ends.first, pc);
}

static bool meet_stray(void *context, uint64_t function, uint64_t part,
		       const struct flow_state *state, bool falls)
{
	struct linting *linting = context;

	/* Wrong for this way may be what is right for the function's others. */
	if (linting->judge.doubtful)
		return !lint_stray_has(&linting->strays, function, part);
	return lint_stray_meet(&linting->strays, function, part, state, falls);
}

static void note_reached(void *context, uint64_t function, uint64_t part,
			 const struct flow_state *state, enum flow_reason why)
{
	lint_stray_doubt(&((struct linting *)context)->strays, function, part, state, why);
}

/* from: the instruction that leads there, 0: a symbol. */
static void note_uncovered(void *context, uint64_t pc, uint64_t from)
{
	struct linting *linting = context;

	if (lint_uncovered_is_none(&linting->world, pc, from))
		return;
	if (!from || lint_uncovered_is_call(&linting->world, from))
		lint_addresses_add(&linting->entered, pc);
	if (!linting->uncovered.count ||
	    linting->uncovered.address[linting->uncovered.count - 1] != pc)
		lint_addresses_add(&linting->uncovered, pc);
}

void lint_follow_kept(void *linting, uint64_t pc)
{
	note_uncovered(linting, pc, 0);
}

void lint_follow_watch(struct linting *linting)
{
	struct flow_world *world = &linting->world;

	world->context = linting;
	world->uncovered = note_uncovered;
	world->called = note_called;
	world->tail_called = note_tail_called;
	world->framed = note_framed;
	world->continued = note_continued;
	world->stray = meet_stray;
	world->reached = note_reached;
}

static bool has_stubs(const struct linting *linting, const struct flow_part *part)
{
	return part->end - part->begin >= 32 &&
	       flow_is_stub(linting->world.callees, part->begin + 16);
}

/* The FDE's first row is not a function's. A no-op before a part that exceptions lead to is never
 * executed: GCC puts it there, because a landing pad can't be at distance 0. */
static bool begins_inside(struct linting *linting, struct flow_part *part)
{
	const struct row *row = flow_part_row(part, part->begin);
	const struct code *code;

	if (!row || row->signal_frame)
		return false;
	code = flow_part_code(part, linting->world.decoder, part->begin);
	if (code && code->is_padding && row->pc_end == part->begin + code->length)
		row = flow_part_row(part, row->pc_end);
	return row && !flow_row_is_entry(row);
}

static bool is_named(const struct linting *linting, uint64_t pc)
{
	const struct image_symbol *symbol = image_symbol_find(linting->world.cfi->image, pc);

	return symbol && symbol->pc == pc && symbol->type == STT_FUNC;
}

/* It is in doubt whether a function begins there. */
static bool begins_doubtful(struct linting *linting, const struct flow_part *part, size_t number)
{
	const struct row *row = flow_part_row(part, part->begin);

	return linting->doubtful[number] && row && !row->signal_frame &&
	       part->begin != linting->world.first && !is_named(linting, part->begin);
}

/* Code that ways lead to from another function, if it is to be known where its stack is. */
static bool is_part(struct linting *linting, struct flow_part *part, size_t number)
{
	return begins_inside(linting, part) || begins_doubtful(linting, part, number) ||
	       lint_end_is(&linting->world, part) ||
	       flow_is_fragment(linting->world.callees, part->begin);
}

/* To when all is known that leads there. */
static void put_off(struct linting *linting, struct flow_part *part, size_t number)
{
	linting->later[number] = true;
	lint_addresses_add(&linting->parts, part->begin);
	if (lint_end_is(&linting->world, part))
		lint_addresses_add(&linting->ends.begin, part->begin);
	flow_part_destroy(part);
}

/* In one pass, if nothing is wrong. What only the other way says, the points, is not asked for. */
static int prove(struct linting *linting, struct flow *flow, bool *ret_proven, struct error *error)
{
	size_t uncovered = linting->uncovered.count;

	*ret_proven = false;
	if (linting->judge.watch->point)
		return 0;
	if (flow_proof_try(linting->proof, flow, ret_proven, error))
		return -1;
	if (*ret_proven) {
		for (size_t i = flow->part_count; i--;) /* the first is summed up next */
			lint_judge_proven(&linting->judge, flow->part[i]);
	} else {
		linting->call_count = 0;
		linting->uncovered.count = uncovered;
	}
	return 0;
}

static struct lint_sum *sum_of(const struct linting *linting, const struct flow_part *part)
{
	return &linting->sum[part->fde - linting->world.cfi->fde];
}

/* flow: of its function, or NULL. none: of what no way was seen to lead to. */
static int sum_up(struct linting *linting, struct flow_part *part, const struct flow *flow,
		  enum flow_reason none, struct error *error)
{
	struct lint_sum *sum = sum_of(linting, part);

	if (!sum->made)
		lint_judge_program(&linting->judge, part);
	sum->none = none;
	sum->fde.unruled = flow && flow_row_unruled(part->agreed);
	return lint_judge_fde(&linting->judge, linting->world.decoder, part, false, sum, error);
}

/* Parts of the flow that were summed up as another function's. */
static void note_met(struct linting *linting, const struct flow *flow)
{
	for (size_t i = 1; i < flow->part_count; i++)
		sum_of(linting, flow->part[i])->met = true;
}

/* Where the FDE is called in its middle, the rows that lie on the way from there must be right for that
 * caller, too. Whether such a call is one, and comes back, its row alone would say: it accuses nobody, unless nothing else
 * comes there (lint_inner.c). own: the ways of the FDE's function. */
static int enter_middle(struct linting *linting, const struct cfi_fde *fde, const struct flow *own,
			struct error *error)
{
	uint64_t pc = fde->pc_begin, end = fde->pc_begin + fde->pc_range;
	size_t calls = linting->call_count, uncovered = linting->uncovered.count;
	int result = 0;

	while (!result && (pc = lint_middle_next(&linting->middle, NULL, pc + 1, end))) {
		struct lint_inner inner = { .pc = pc, .fde = fde, .middle = &linting->middle };

		if (cfi_fde_find(linting->world.cfi, pc) == fde)
			result = lint_inners_meet(&linting->inners, &inner, own, &linting->judge,
						  &linting->world, linting->sum, error);
	}
	linting->call_count = calls;
	linting->uncovered.count = uncovered;
	return result;
}

/* How an FDE is entered. */
enum entry {
	ENTRY_FIRST,  /* at its begin, unless it is to come later */
	ENTRY_BEGIN,  /* at its begin, although its first row is none of a function */
	ENTRY_KNOWN,  /* not there, but for what is known there, if anything is */
	ENTRY_LINKED, /* at its begin, with the return address in a register */
};

/* known: for ENTRY_KNOWN, or NULL; and for ENTRY_LINKED. */
static int follow(struct linting *linting, struct flow *flow, enum entry entry,
		  const struct flow_state *known, bool others, bool stubs, struct error *error)
{
	const struct flow_part *part = flow->part[0];
	bool inside = entry == ENTRY_FIRST && begins_inside(linting, flow->part[0]);

	if (entry == ENTRY_KNOWN || entry == ENTRY_LINKED) {
		if (known && flow_enter_knowing(flow, part->begin, known, error))
			return -1;
	} else if (!inside && flow_enter(flow, part->begin, error)) {
		return -1;
	}
	if (stubs && lint_enter_stubs(flow, error))
		return -1;
	if (!inside && lint_enter_functions(flow, error))
		return -1;
	return others ? lint_enter_others(flow, error) : 0;
}

/* Who is called there would return to where nobody called from. If no symbol of any kind is there, it is perhaps
 * no function. */
static bool is_refuted(const struct linting *linting, const struct flow *flow)
{
	const struct image_symbol *symbol = image_symbol_find(linting->world.cfi->image,
							      flow->function);

	return flow->found.returns_elsewhere && flow->function != linting->world.first &&
	       !(symbol && symbol->pc == flow->function);
}

/* It is to be judged once all others were followed: by who leads into it, if it is perhaps no function; and if rows of
 * it would be wrong, when it is known whether it is entered as one. */
static int put_aside(struct linting *linting, struct flow *flow, size_t number, size_t uncovered,
		     bool *ret, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	const struct image_symbol *symbol = image_symbol_find(cfi->image, flow->function);

	*ret = is_refuted(linting, flow);
	if (*ret) {
		linting->doubtful[number] = linting->later[number] = true;
		linting->call_count = 0;
		linting->uncovered.count = uncovered;
		return 0;
	}
	if ((symbol && symbol->pc == flow->function) || linting->strays.decided ||
	    linting->called[cfi->by_pc[number]])
		return 0;
	if (lint_judge_try(&linting->judge, flow, ret, error))
		return -1;
	if (*ret) {
		lint_addresses_add(&linting->open, number);
		decide_calls(linting);
	}
	return 0;
}

/* What a plain one calls or jumps to; not by a branch that perhaps is past its table. */
static void note_tails(struct linting *linting, const struct flow_part *part)
{
	bool computed = false;

	for (size_t i = 0; i < part->code_count; i++)
		computed |= part->code[i].flow == CODE_JUMP_INDIRECT;
	for (size_t i = 0; i < part->code_count; i++) {
		const struct code *code = &part->code[i];

		if ((code->flow == CODE_CALL || code->flow == CODE_JUMP ||
		     (code->flow == CODE_BRANCH && !computed)) &&
		    (code->target < part->begin || code->target >= part->end))
			lint_addresses_add(&linting->tails, code->target);
	}
}

static int lint_fde(struct linting *linting, size_t number, enum entry entry,
		    const struct flow_state *known, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[number]];
	struct flow_part *part;
	struct flow flow;
	enum flow_reason reason;
	size_t strays = linting->strays.count, uncovered = linting->uncovered.count;
	bool stubs, others, middle, first, proven = false, aside = false;
	int result = 0;

	linting->handlers.function = fde->pc_begin;
	if (flow_part_of(&linting->world, fde, &part, &reason, error))
		return -1;
	if (!part) {
		lint_judge_unread(fde, reason, &linting->sum[cfi->by_pc[number]]);
		return 0;
	}
	stubs = has_stubs(linting, part);
	others = lint_extent_beyond(cfi, linting->world.callees, fde, part->begin) != 0;
	if (entry == ENTRY_FIRST && !stubs && is_part(linting, part, number)) {
		put_off(linting, part, number);
		return 0;
	}
	middle = lint_middle_next(&linting->middle, part, part->begin + 1, part->end) != 0;
	if (entry != ENTRY_KNOWN && !others && !middle && part->begin != linting->world.first &&
	    lint_judge_plain(&linting->judge, linting->world.decoder, linting->world.callees,
			     part)) {
		lint_framed_plain(&linting->framed, part);
		note_tails(linting, part);
		lint_handlers_plain(&linting->handlers, part);
		flow_breaking_pass(linting->breaking, part);
		result = sum_up(linting, part, NULL, FLOW_NO_ENTRY, error);
		flow_part_destroy(part);
		return result;
	}
	flow_init(&flow, &linting->world, part);
	first = entry == ENTRY_FIRST && !stubs && !others;
	if (first)
		result = prove(linting, &flow, &proven, error);
	for (int round = 0; !result && !proven && flow_again(&flow, round); round++) {
		flow_restart(&flow);
		result = follow(linting, &flow, entry, known, others, stubs, error);
	}
	if (!result && !proven && first)
		result = put_aside(linting, &flow, number, uncovered, &aside, error);
	if (aside) {
		flow_deinit(&flow);
		return 0;
	}
	if (!result && !proven)
		result = lint_judge_flow(&linting->judge, &flow, entry == ENTRY_BEGIN, error);
	if (!result)
		result = lint_asides_follow(&linting->asides, &linting->judge, &linting->world,
					    linting->sum, error);
	if (!result && middle)
		result = enter_middle(linting, fde, &flow, error);
	linting->again[number] = linting->strays.count > strays;
	if (!result && !linting->again[number]) {
		const struct flow *followed = proven || flow.block_count ? &flow : NULL;

		result = sum_up(linting, part, followed, lint_judge_why(followed, part), error);
	}
	note_met(linting, &flow);
	flow_reach_made(&flow);
	if (flow.found.is_handler)
		lint_addresses_add(&linting->handlers.begin, fde->pc_begin);
	else if (entry != ENTRY_KNOWN && !flow.found.returned_to)
		flow_breaking_note(linting->breaking, &flow);
	flow_deinit(&flow);
	decide_calls(linting);
	return result;
}

/* lint_home_find(). What it leaves uncovered is none of the image's; what it calls is called, whatever its rows say. */
static int find_home(struct linting *linting, const struct cfi_fde *fde, struct lint_home *ret,
		     struct error *error)
{
	size_t uncovered = linting->uncovered.count;
	int result;

	linting->handlers.function = fde->pc_begin;
	result = lint_home_find(&linting->world, fde, ret, error);
	decide_calls(linting);
	linting->uncovered.count = uncovered;
	return result;
}

/* No function was seen to begin where the FDE does. Perhaps one begins before it, whose first instructions no
 * FDE covers. */
static int lint_doubtful(struct linting *linting, size_t number, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	uint64_t begin = cfi->fde[cfi->by_pc[number]].pc_begin;
	size_t behind = lint_addresses_from(&linting->entered, begin);
	struct flow_state known;
	bool is_known = behind &&
			linting->entered.address[behind - 1] >= lint_begin_gap(cfi, number) &&
			lint_begin_state(cfi, linting->world.decoder,
					 linting->entered.address[behind - 1], begin, &known);

	return lint_fde(linting, number, ENTRY_KNOWN, is_known ? &known : NULL, error);
}

/* Has it a caller, if it says that it has none? Go's mean it, though they are called. */
static enum lint_end end_of(const struct linting *linting, const struct cfi_fde *fde)
{
	if (linting->world.go || !lint_end_is_unkept(&linting->ends, fde->pc_begin) ||
	    lint_framed_enters(&linting->framed, fde->pc_begin))
		return LINT_END_UNKNOWN;
	return lint_end_of(&linting->ends, fde->pc_begin,
			   linting->called[fde - linting->world.cfi->fde]);
}

/* Its first row says that it is entered by a jump, with the return address in a register: so it is, if nobody was seen to
 * call it, and it doesn't return as one that was called. */
static int lint_linked(struct linting *linting, size_t number, bool *ret, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	struct flow_state known;
	struct flow_part *part;
	enum flow_reason reason;

	*ret = false;
	if (flow_part_of(&linting->world, &cfi->fde[cfi->by_pc[number]], &part, &reason, error))
		return -1;
	if (part && part->row_count && flow_row_is_linked(&part->row[0]) &&
	    !lint_framed_calls(&linting->framed, part->begin)) {
		flow_linked_enter(&part->row[0], &known);
		*ret = linting->later[number] = true;
	}
	flow_part_destroy(part);
	return *ret ? lint_fde(linting, number, ENTRY_LINKED, &known, error) : 0;
}

/* What begins inside: after all that may lead there. */
static int lint_inside(struct linting *linting, size_t number, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[number]];
	bool reached = lint_judge_was_reached(&linting->judge, fde->pc_begin);
	struct flow_part *part;
	enum flow_reason reason;
	struct lint_home home = { false };
	bool linked = false;
	int result;

	linting->later[number] = false;
	linting->judge.end = end_of(linting, fde);
	if (!reached && is_called(linting, fde->pc_begin))
		return lint_fde(linting, number, ENTRY_BEGIN, NULL, error);
	if (!reached && find_home(linting, fde, &home, error))
		return -1;
	if (!reached && !home.returns_itself && lint_linked(linting, number, &linked, error))
		return -1;
	if (linked)
		return 0;
	if (home.returns ||
	    (!reached && !home.refuted && lint_begin_is_exported(cfi->image, fde->pc_begin)))
		return lint_fde(linting, number, ENTRY_BEGIN, NULL, error);
	if (flow_part_of(&linting->world, fde, &part, &reason, error))
		return -1;
	if (!part)
		return 0;
	if (begins_doubtful(linting, part, number)) {
		flow_part_destroy(part);
		return lint_doubtful(linting, number, error);
	}
	if (!reached && !begins_inside(linting, part)) {
		flow_part_destroy(part); /* one without a frame, that nothing was seen to lead to */
		return lint_fde(linting, number, ENTRY_BEGIN, NULL, error);
	}
	result = sum_up(linting, part, NULL, home.handler ? FLOW_SIGNAL_FRAME : FLOW_NO_ENTRY,
			error);
	flow_part_destroy(part);
	linting->later[number] = !reached;
	return result;
}

/* Those that were found to be called only when others were followed that come later. */
static int lint_called(struct linting *linting, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;

	linting->judge.end = LINT_END_UNKNOWN;
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (linting->later[i] && linting->called[cfi->by_pc[i]] &&
		    lint_fde(linting, i, ENTRY_BEGIN, NULL, error))
			return -1;
	return 0;
}

/* An FDE that a way leads to with a frame, and nothing as to a function: its first row is wrong, or nobody comes. */
static int leave_open(struct linting *linting, const struct cfi_fde *fde, struct error *error)
{
	struct flow_part *part;
	enum flow_reason reason;
	int result = 0;

	if (flow_part_of(&linting->world, fde, &part, &reason, error))
		return -1;
	if (part)
		result = sum_up(linting, part, NULL, FLOW_NO_ENTRY, error);
	flow_part_destroy(part);
	return result;
}

static int lint_open(struct linting *linting, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;
	struct lint_addresses begins = { .count = 0 }, found = { .count = 0 };
	int result = 0;

	for (size_t i = 0; i < linting->open.count; i++)
		lint_addresses_add(&begins,
				   cfi->fde[cfi->by_pc[linting->open.address[i]]].pc_begin);
	if (begins.count)
		result = lint_framed_find(&linting->framed, cfi, linting->world.decoder,
					  linting->called, &begins, &found, error);
	for (size_t i = 0; !result && i < begins.count; i++) {
		uint64_t number = linting->open.address[i];

		if (lint_addresses_has(&found, begins.address[i], NULL))
			result = leave_open(linting, &cfi->fde[cfi->by_pc[number]], error);
		else
			result = lint_fde(linting, number, ENTRY_BEGIN, NULL, error);
	}
	linting->no_memory |= begins.no_memory || linting->open.no_memory;
	free(begins.address);
	free(found.address);
	return result;
}

/* Functions without an FDE go on in another one's part, too. And what is a part may be called, or jumped to in
 * place of a return. */
static void reach_parts(struct linting *linting)
{
	const struct lint_addresses *entered = &linting->entered, *tails = &linting->tails;
	const struct cfi *cfi = linting->world.cfi;
	struct flow_state state;

	flow_state_enter(&state);
	lint_addresses_sort(&linting->parts);
	linting->no_memory |= linting->parts.no_memory || tails->no_memory;
	for (size_t i = 0; i < entered->count; i++)
		flow_reach(&linting->world, entered->address[i], entered->address[i], &state,
			   FLOW_VALUE_UNKNOWN);
	for (size_t i = 0; i < tails->count; i++)
		if (lint_addresses_has(&linting->parts, tails->address[i], NULL))
			flow_reach(&linting->world, 0, tails->address[i], &state,
				   FLOW_VALUE_UNKNOWN);
	for (size_t i = 0; i < linting->parts.count; i++)
		if (linting->called[cfi_fde_find(cfi, linting->parts.address[i]) - cfi->fde] &&
		    !lint_judge_is_wrong(&linting->judge, linting->parts.address[i],
					 linting->parts.address[i] + 1))
			flow_reach(&linting->world, 0, linting->parts.address[i], &state,
				   FLOW_VALUE_UNKNOWN);
}

int lint_follow(struct linting *linting, const struct object *object, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;

	if (object)
		code_decoder_leave_unknown(linting->world.decoder, object->unknown,
					   object->unknown_count);
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		linting->doubtful[i] = lint_begin_doubtful(cfi, linting->world.decoder, i);
	if (lint_middle_init(&linting->middle, cfi, linting->doubtful, linting->world.decoder,
			     linting->world.callees, error))
		return -1;
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (lint_fde(linting, i, ENTRY_FIRST, NULL, error))
			return -1;
	if (lint_open(linting, error))
		return -1;
	if (lint_strays_decide(&linting->strays, &linting->judge, linting->world.decoder, error))
		return -1;
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (linting->again[i] && lint_fde(linting, i, ENTRY_FIRST, NULL, error))
			return -1;
	if (lint_symbols_find(&linting->world, object, lint_follow_kept, linting, error))
		return -1;
	lint_addresses_sort(&linting->entered);
	if (lint_ends_decide(&linting->ends, cfi, linting->world.decoder, error))
		return -1;
	for (size_t i = 0; i < cfi->by_pc_count; i++)
		if (linting->later[i] && lint_inside(linting, i, error))
			return -1;
	if (lint_called(linting, error))
		return -1;
	reach_parts(linting);
	lint_middle_hidden(&linting->middle, &linting->judge, &linting->world);
	if (lint_strays_doubt(&linting->strays, &linting->judge, &linting->world, linting->sum,
			      error))
		return -1;
	return lint_inners_decide(&linting->inners, &linting->judge, &linting->world, linting->sum,
				  error);
}

int lint_follow_init(struct linting *linting, struct error *error)
{
	const struct cfi *cfi = linting->world.cfi;

	linting->called = calloc(cfi->fde_count + 1, sizeof(*linting->called));
	linting->sum = calloc(cfi->fde_count + 1, sizeof(*linting->sum));
	linting->doubtful = calloc(cfi->by_pc_count + 1, sizeof(*linting->doubtful));
	linting->later = calloc(cfi->by_pc_count + 1, sizeof(*linting->later));
	linting->again = calloc(cfi->by_pc_count + 1, sizeof(*linting->again));
	if (!linting->called || !linting->sum || !linting->doubtful || !linting->later ||
	    !linting->again)
		return error_set(error, ERROR_MEMORY, NULL, 0, "an image's instructions");
	linting->judge.asides = &linting->asides;
	return lint_judge_init(&linting->judge, error);
}

void lint_follow_deinit(struct linting *linting)
{
	lint_judge_deinit(&linting->judge);
	free(linting->called);
	free(linting->calls);
	free(linting->uncovered.address);
	free(linting->entered.address);
	free(linting->open.address);
	free(linting->parts.address);
	free(linting->tails.address);
	free(linting->doubtful);
	free(linting->later);
	free(linting->sum);
	free(linting->again);
	lint_framed_deinit(&linting->framed);
	lint_handlers_deinit(&linting->handlers);
	lint_ends_deinit(&linting->ends);
	lint_strays_deinit(&linting->strays);
	lint_asides_deinit(&linting->asides);
	lint_inners_deinit(&linting->inners);
	lint_middle_deinit(&linting->middle);
}
