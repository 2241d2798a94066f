/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_image.c - all functions of an image that have no FDE
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "synthesis.h"
#include "cfi/code_name.h"

/* ==== code behind calls that may be another function's ====================================== */

/*
 * Whether a call returns is not always to be seen (git's die() calls a pointer). Where it does not, compilers
 * put what they like behind it: the next function, at an address that functions are aligned to; and behind
 * the pieces of functions that are run rarely, which they don't align, the next piece. Only a symbol that
 * says where the function ends, and a callee that is seen to return, say that it is the
 * function's own: the symbol only if nothing contradicts, for a landing pad that nobody knows may lie there. Nor is
 * another function likely at an address that is not aligned, but -Os aligns none: something there must say so, too.
 * Else harness/analysis/flow/flow_fallthrough.c finds out.
 */

/* Whose the code at pc is, of range `to`, behind a call in range `from`, of which entered says that something
 * calls it; they may be the same. */
static enum flow_whose synthesis_whose(const struct synthesis_range *from, bool entered,
				       const struct synthesis_range *to, uint64_t pc)
{
	if (!from || !to || (from != to && (from->sized || to->sized || to->entered || to->taken)))
		return FLOW_ANOTHERS;
	if (from->sized)
		return FLOW_SUPPOSED_OWN;
	return from == to && entered && pc % FLOW_FUNCTION_ALIGNMENT ? FLOW_LIKELY_OWN
								     : FLOW_PERHAPS_OWN;
}

/* ---- where paths end --------------------------------------------------------------------------- */

/* What was left out of the function. */
static void synthesis_ends_add(struct address_set *ends, const struct flow *flow)
{
	for (size_t i = 0; i < flow->after.count; i++)
		if (!flow->after.code[i].own && !address_set_add(ends, flow->after.code[i].pc))
			synthesis_lack(flow->world);
}

/* ==== images whose functions keep to another convention than the psABI's ==================== */

/*
 * V8's builtins take their arguments off the stack, and preserve no register but rbp. One that is seen to do
 * the former (flow/flow_call.c) says it of the image: from then on a function without CFI is believed to
 * keep to the psABI only if all of its own paths do, and what a computed call leads to is not believed at all.
 * Where an FDE is, or a stub of a PLT, a compiler was that does.
 *
 * What is known of a function rests on what is known of those that it calls. So all functions are followed
 * again until nothing is less than before.
 */

static struct synthesis_callee *find(const struct synthesis_callee_pop *callee_pop, uint64_t begin)
{
	const uint32_t number = address_set_find(&callee_pop->begins, begin);

	return number ? &callee_pop->callee[number - 1] : NULL;
}

/* What was seen of the function. leaves: some path goes on in another. */
static void synthesis_callee_pop_note(struct synthesis_callee_pop *callee_pop, uint64_t begin,
				      const struct flow *flow, bool leaves)
{
	const struct synthesis_callee callee = {
		.callee_pop = leaves ? FLOW_CALLEE_POP_UNKNOWN : flow->found.callee_pop,
		.keeps = !leaves && !flow->found.callee_pop && !flow->found.breaks_convention,
	};
	struct synthesis_callee *known = find(callee_pop, begin);

	callee_pop->any |= flow->found.pops;
	if (!known) {
		callee_pop->changed = true;
		if (!ARRAY_ADD(callee_pop->callee, callee_pop->count, callee) ||
		    !address_set_add(&callee_pop->begins, begin))
			synthesis_lack(flow->world);
		return;
	}
	if (known->callee_pop != callee.callee_pop &&
	    known->callee_pop != FLOW_CALLEE_POP_UNKNOWN) {
		known->callee_pop = FLOW_CALLEE_POP_UNKNOWN;
		callee_pop->changed = true;
	}
	if (known->keeps && !callee.keeps) {
		known->keeps = false;
		callee_pop->changed = true;
	}
}

/* All are to be followed again. */
static bool synthesis_callee_pop_again(struct synthesis_callee_pop *callee_pop)
{
	bool again = callee_pop->any && (callee_pop->changed || !callee_pop->believed);

	callee_pop->believed = callee_pop->any;
	callee_pop->changed = false;
	return again && callee_pop->rounds < SYNTHESIS_POPPED_ROUNDS_MAX && ++callee_pop->rounds;
}

/* Once it is believed: as in struct flow_world. begin: of a function without CFI, or 0. */
static bool synthesis_callee_pop_is_strange(const struct synthesis_callee_pop *callee_pop,
					    uint64_t begin, uint32_t *ret_callee_pop)
{
	/* In the last round nothing is believed. */
	const struct synthesis_callee *callee = callee_pop->rounds < SYNTHESIS_POPPED_ROUNDS_MAX
							? find(callee_pop, begin)
							: NULL;

	*ret_callee_pop = callee ? callee->callee_pop : FLOW_CALLEE_POP_UNKNOWN;
	return !callee || !callee->keeps;
}

static void synthesis_callee_pop_deinit(struct synthesis_callee_pop *callee_pop)
{
	address_set_deinit(&callee_pop->begins);
	free(callee_pop->callee);
}

/* ==== code that a symbol calls a function, and that is only jumped to ======================= */

/*
 * GHC's is: it has a stack of its own in rbp, and no return address lies at rsp where it begins. Of such code
 * no call is seen, no path returns, and one goes on elsewhere with registers overwritten that a callee of the
 * psABI preserves. What does nothing but to jump there with its caller's frame is no better.
 *
 * Nor is it if the CPU enters it: an interrupt's handler may have an error code where a function has its return
 * address. One that leaves by iret is known for that. One that never ends (a double fault's) looks like any function
 * that never does; so where an image has handlers, and nothing is seen to call it, it is perhaps one.
 */

static void synthesis_jumped_add(struct synthesis_jumped *jumped, const struct flow_world *world,
				 uint64_t begin, uint64_t to, bool endless)
{
	if (!ARRAY_ADD(jumped->leaving, jumped->count,
		       (struct synthesis_leaving) { .begin = begin, .to = to, .endless = endless }))
		synthesis_lack(world);
}

/* Who leaves to such a one is such a one. Once, when all have been added. */
static void synthesis_jumped_spread(struct synthesis_jumped *jumped, const struct flow_world *world)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < jumped->count; i++) {
			struct synthesis_leaving *leaving = &jumped->leaving[i];

			if ((leaving->endless && !jumped->handlers) ||
			    (leaving->to && !address_set_find(&jumped->begins, leaving->to)) ||
			    address_set_find(&jumped->begins, leaving->begin))
				continue;
			changed = address_set_add(&jumped->begins, leaving->begin);
			if (!changed) {
				synthesis_lack(world);
				return;
			}
		}
	}
}

static void synthesis_jumped_deinit(struct synthesis_jumped *jumped)
{
	address_set_deinit(&jumped->begins);
	free(jumped->leaving);
	*jumped = (struct synthesis_jumped) { NULL };
}

/* ==== functions of an image ================================================================= */

/*
 * Each is followed from its begin as lint follows those that have one, also into pieces elsewhere. An
 * instruction may be met more than once: by the function itself, and by others that jump there. What all of
 * them say is the row. What nobody met, and is no padding, is counted with the reason.
 */

/* What is known of an instruction: a bit each. */
enum status {
	STATUS_REACHED = 1,
	STATUS_SURE = 2,      /* on a path that is sure */
	STATUS_UNDECODED = 4, /* it is none */
	STATUS_NEVER = 8,     /* on a path that is never taken */
};

struct synthesizer {
	const struct cfi *cfi; /* the image's own */
	struct synthesis *synthesis;
	const struct synthesis_ranges *ranges;
	struct synthesis_wrong wrong;
	struct synthesis_ranges replaced; /* of functions that have an FDE: lint is asked once */
	bool linted;
	struct synthesis_address_taken taken;
	struct synthesis_blank blank;
	struct flow_world world;
	uint8_t *status; /* of each byte of world.map: enum status */
	struct synthesis_met *met;
	size_t met_count;
	size_t number;	/* of the range at hand */
	bool outermost; /* of the function at hand */
	bool *entered;	/* of ranges: called, perhaps by a jump in place of a call */
	bool *done;	/* followed */
	bool *unread;	/* some computed jump of it has unknown targets */
	struct synthesis_ways ways;
	struct code last; /* that was met last */
	struct synthesis_jumped jumped_to;
	uint64_t *tail; /* what the function at hand calls so */
	size_t tail_count;
	/* The frame at its computed jumps whose targets are doubtful, and whether it is always the same:
	 * then it is the one at each target, whichever jump leads there. */
	bool jumped, jumps_differ;
	struct synthesis_row at_jump;
	struct address_set ends; /* where paths ended behind calls that may never come back */
	struct synthesis_callee_pop callee_pop;
	bool behind_end; /* while a range is counted: no path has come since one ended behind a call */
	size_t last_range; /* that was looked up last */
};

const struct synthesis_words synthesis_reasons[SYNTHESIS_REASON_COUNT] = {
	[SYNTHESIS_NOT_REACHED] = { "not_reached", "no way leads there" },
	[SYNTHESIS_JUMP_UNKNOWN] = { "jump_unknown", "behind a jump whose targets are not known" },
	[SYNTHESIS_JUMP_DOUBTFUL] = { "jump_doubtful", "by a jump table's entry that may be none" },
	[SYNTHESIS_RETURNS_ELSEWHERE] = { "returns_elsewhere",
					  "a way of the function returns with another frame" },
	[SYNTHESIS_BEHIND_CALL] = { "behind_call", "behind a call that may never come back" },
	[SYNTHESIS_UNCALLED] = { "uncalled", "nothing calls it, and it does not return" },
	[SYNTHESIS_THREAD] = { "thread", "a new thread goes on there, too" },
	[SYNTHESIS_WAYS_DIFFER] = { "ways_differ", "functions lead there with different frames" },
	[SYNTHESIS_UNFOLLOWED] = { "unfollowed", "code that isn't followed leads there, too" },
	[SYNTHESIS_CFA_UNKNOWN] = { "cfa_unknown", "no register leads to the CFA" },
	[SYNTHESIS_RETURN_UNKNOWN] = { "return_unknown", "the return address is not in the frame" },
	[SYNTHESIS_UNDECODED] = { "undecoded", "instructions that can't be decoded" },
	[SYNTHESIS_TOO_LARGE] = { "too_large", "larger than is followed" },
};

#define ENTRY_INSTRUCTIONS_MAX 16 /* of code that begins a process and only jumps */

static void lack_rows(const struct synthesizer *synthesizer)
{
	flow_lack(&synthesizer->world, "rows");
}

/* ---- what is met --------------------------------------------------------------------------- */

static const struct synthesis_range *range_of(struct synthesizer *synthesizer, uint64_t pc)
{
	const struct synthesis_ranges *ranges = synthesizer->ranges;
	size_t last = synthesizer->last_range;
	const struct synthesis_range *found;

	if (last < ranges->count && pc >= ranges->range[last].begin && pc < ranges->range[last].end)
		return &ranges->range[last];
	found = synthesis_range_at(ranges->range, ranges->count, pc);
	if (found)
		synthesizer->last_range = (size_t)(found - ranges->range);
	return found;
}

static unsigned int how_called(const struct synthesizer *synthesizer, const struct code *code)
{
	const struct flow_world *world = &synthesizer->world;
	uint32_t callee_pop;

	if (code->flow != CODE_CALL && code->flow != CODE_CALL_INDIRECT)
		return 0;
	if (world->strange &&
	    world->strange(world->context, code->flow == CODE_CALL ? code->target : 0, &callee_pop))
		return SYNTHESIS_AT_CALL | SYNTHESIS_AT_STRANGE_CALL;
	return SYNTHESIS_AT_CALL;
}

/* NULL: outside of executable segments. */
static uint8_t *status_at(const struct synthesizer *synthesizer, uint64_t pc)
{
	const size_t at = flow_code_map_at(&synthesizer->world.map, pc);

	return at == FLOW_CODE_NONE ? NULL : &synthesizer->status[at];
}

static void note_status(struct synthesizer *synthesizer, const struct flow_block *block,
			const struct code *code)
{
	uint8_t *status = status_at(synthesizer, code->pc);

	if (!status)
		return;
	if (!code->length)
		*status |= STATUS_REACHED | STATUS_UNDECODED;
	else if (block->unsure != FLOW_NEVER)
		*status |= STATUS_REACHED | (block->unsure <= FLOW_MASKED ? STATUS_SURE : 0);
	else
		*status |= STATUS_NEVER;
}

static void note_way(struct synthesizer *synthesizer, struct synthesis_way **way, size_t *count,
		     uint64_t from, uint64_t to)
{
	const struct synthesis_range *range = range_of(synthesizer, to);

	/* Most lead to functions. */
	if (!range || (range->begin == to && synthesizer->entered[synthesizer->last_range]))
		return;
	if (*count && (*way)[*count - 1].from == from && (*way)[*count - 1].to == to)
		return;
	if (!ARRAY_ADD(*way, *count, (struct synthesis_way) { from, to }))
		lack_rows(synthesizer);
}

/* Where the instruction leads, other than by the flow's paths. */
static void note_ways(struct synthesizer *synthesizer, const struct flow *flow,
		      const struct code *code)
{
	struct synthesis_ways *ways = &synthesizer->ways;
	const uint64_t made = flow_address_taken_by(synthesizer->blank.cfi.image, code);

	synthesizer->last = *code;
	if (made)
		note_way(synthesizer, &ways->made, &ways->made_count, flow->function, made);
	if ((code->flow == CODE_JUMP || code->flow == CODE_BRANCH || code->flow == CODE_BEGIN) &&
	    !flow_known_fragment(flow, code->target))
		note_way(synthesizer, &ways->left, &ways->left_count, code->pc, code->target);
}

static void note_step(void *context, const struct flow_fragment *fragment, uint64_t from,
		      uint64_t to, const struct flow_state *state)
{
	struct synthesizer *synthesizer = context;
	const struct code *last = &synthesizer->last;

	if (from == last->pc && to != last->pc + last->length && last->flow != CODE_JUMP &&
	    last->flow != CODE_BRANCH && last->flow != CODE_BEGIN)
		note_way(synthesizer, &synthesizer->ways.computed,
			 &synthesizer->ways.computed_count, from, to);
}

static void meet(void *context, const struct flow *flow, const struct flow_block *block,
		 const struct code *code, const struct flow_state *state)
{
	struct synthesizer *synthesizer = context;
	const struct synthesis_range *range;
	struct synthesis_met met = { .row.pc = code->pc };
	unsigned int how;

	note_status(synthesizer, block, code);
	if (!code->length)
		return;
	synthesis_address_taken_reach(&synthesizer->taken, code->pc);
	if (block->unsure != FLOW_NEVER)
		note_ways(synthesizer, flow, code);
	range = range_of(synthesizer, code->pc);
	if (!range)
		return;
	how = (synthesizer->outermost ? SYNTHESIS_OUTERMOST : 0) | how_called(synthesizer, code) |
	      (synthesizer->world.strange ? SYNTHESIS_STRANGE : 0) |
	      (range->go ? SYNTHESIS_BY_RSP : 0);
	met.reason = synthesis_row_of(state, how, &met.row);
	met.has_row = met.reason == SYNTHESIS_REASON_COUNT;
	met.function = synthesizer->ranges->range[synthesizer->number].begin;
	met.row.pc = code->pc;
	met.row.pc_end = code->pc + code->length;
	if (block->unsure && synthesizer->jumps_differ)
		met.reason = SYNTHESIS_JUMP_DOUBTFUL;
	if (!ARRAY_ADD(synthesizer->met, synthesizer->met_count, met))
		lack_rows(synthesizer);
}

static void note_jump(struct synthesizer *synthesizer, const struct flow_state *state)
{
	struct synthesis_row row;

	if (synthesis_row_of(state, SYNTHESIS_AT_CALL, &row) != SYNTHESIS_REASON_COUNT ||
	    (synthesizer->jumped && !synthesis_row_equal(&row, &synthesizer->at_jump)))
		synthesizer->jumps_differ = true;
	synthesizer->at_jump = row;
	synthesizer->jumped = true;
}

static enum flow_whose fallthrough(void *context, uint64_t pc, const struct flow_path *path)
{
	struct synthesizer *synthesizer = context;
	const struct synthesis_range *from = range_of(synthesizer, path->from), *to;
	bool entered = from && (from->taken || synthesizer->entered[synthesizer->last_range]);

	to = range_of(synthesizer, pc);
	return synthesis_whose(from, entered, to, pc);
}

static bool is_plt(const struct synthesizer *synthesizer, const struct synthesis_range *range);

/* What a function that has an FDE, or a PLT's stub, leads to keeps to the psABI. */
static bool strange(void *context, uint64_t callee, uint32_t *ret_callee_pop)
{
	struct synthesizer *synthesizer = context;
	const struct synthesis_range *range = callee ? range_of(synthesizer, callee) : NULL;

	if (callee && (!range || range->replaces || is_plt(synthesizer, range)))
		return false;
	return synthesis_callee_pop_is_strange(&synthesizer->callee_pop, callee, ret_callee_pop);
}

/* A PLT's first stub is come to with what the others have pushed. */
static bool enters(void *context, uint64_t pc)
{
	struct synthesizer *synthesizer = context;
	const struct synthesis_range *range = range_of(synthesizer, pc);

	return range && range->begin == pc && synthesizer->entered[synthesizer->last_range] &&
	       !is_plt(synthesizer, range);
}

/* Why no path leads to instructions of the fragment. flow: of its function, or NULL. */
static enum synthesis_reason why_not_reached(const struct flow *flow,
					     const struct flow_fragment *fragment)
{
	if (flow && flow->found.too_large)
		return SYNTHESIS_TOO_LARGE;
	for (size_t i = 0; flow && i < flow->behind_call_count; i++)
		if (flow->behind_call[i].pc >= fragment->begin &&
		    flow->behind_call[i].pc < fragment->end)
			return SYNTHESIS_NOT_REACHED;
	return flow && flow->found.jump_unknown ? SYNTHESIS_JUMP_UNKNOWN : SYNTHESIS_NOT_REACHED;
}

static void count(struct synthesizer *synthesizer, uint64_t pc, enum synthesis_reason none)
{
	struct synthesis_function *function =
		&synthesizer->synthesis->function[synthesizer->number];
	const uint8_t *at = status_at(synthesizer, pc), status = at ? *at : 0;

	function->instructions++;
	synthesizer->behind_end = !status && (synthesizer->behind_end ||
					      address_set_find(&synthesizer->ends, pc));
	if (synthesizer->behind_end)
		function->unwritten[SYNTHESIS_BEHIND_CALL]++;
	else if (!status)
		function->unwritten[none]++;
	else if (status & STATUS_UNDECODED)
		function->unwritten[SYNTHESIS_UNDECODED]++;
}

/* The fragment's instructions as they stand in memory, padding that no path leads to left out; and then those that begin in
 * the middle of another, where a path that is sure leads. */
static void count_all(struct synthesizer *synthesizer, struct flow_fragment *fragment,
		      const struct flow *flow)
{
	const enum synthesis_reason none = why_not_reached(flow, fragment);
	const uint8_t *status = status_at(synthesizer, fragment->begin); /* one segment's */
	uint64_t next;

	for (int inside = 0; inside < 2; inside++)
		for (uint64_t pc = fragment->begin; pc < fragment->end; pc = next) {
			const struct code *code =
				flow_fragment_code(fragment, synthesizer->world.decoder, pc);

			if (!code) {
				flow_lack(&synthesizer->world, "instructions");
				return;
			}
			next = flow_fragment_behind(code);
			if (!inside &&
			    ((status && status[pc - fragment->begin]) ||
			     (!code->is_padding && code->flow != CODE_STOP && code->length)))
				count(synthesizer, pc, none);
			while (inside && ++pc < next)
				if (status && status[pc - fragment->begin] & STATUS_SURE)
					count(synthesizer, pc, none);
		}
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool is_stub(const void *context, uint64_t pc)
{
	const struct synthesizer *synthesizer = context;
	struct code_name name;

	code_name_find(synthesizer->blank.cfi.image, &synthesizer->blank.cfi, pc, &name);
	return name.kind == CODE_STUB && name.start == pc;
}

static void take_restorer(struct synthesizer *synthesizer, struct synthesis_function *function,
			  size_t size)
{
	struct synthesis_met met = { .reason = SYNTHESIS_REASON_COUNT,
				     .has_row = true,
				     .function = function->begin };

	synthesis_signal_row(&met.row);
	met.row.pc = function->begin;
	met.row.pc_end = function->begin + size;
	if (!ARRAY_ADD(synthesizer->met, synthesizer->met_count, met))
		lack_rows(synthesizer);
	function->instructions = 1; /* both, as one */
}

/* A call that never returns, and is not known for that, leads into the next function, whose return
 * shows it. Which of the function's calls it is, nobody knows. */
static void doubt(struct synthesizer *synthesizer, size_t first, enum synthesis_reason reason)
{
	for (size_t i = first; i < synthesizer->met_count; i++)
		synthesizer->met[i].reason = reason;
}

/* Only its address is known. A label's would be, too; but from a label no path returns as from a function:
 * rsp would be elsewhere, or a register would not come back. */
static bool is_label(const struct flow *flow)
{
	return !flow->found.returns_well || flow->found.returns_unknown ||
	       flow->found.breaks_convention;
}

/* A symbol alone says that it is a function, and none of its paths returns as from one. */
static bool may_be_jumped_to(const struct synthesizer *synthesizer, const struct flow *flow)
{
	return !synthesizer->ranges->range[synthesizer->number].called &&
	       !synthesizer->world.strange &&
	       (!flow->found.has_return || flow->found.returns_elsewhere);
}

/* It goes back by an address that a register held, and nothing calls it: where that is a link register no return address
 * is at rsp. Who returns on another path, or is called, has one there. */
static bool may_be_linked(const struct synthesizer *synthesizer, const struct flow *flow)
{
	return flow->found.jumps_by_entry && !flow->found.has_return &&
	       !synthesizer->ranges->range[synthesizer->number].called;
}

/* If it leaves as no function of the psABI does, or to others, or never ends. */
static void note_jumped_to(struct synthesizer *synthesizer, const struct flow *flow)
{
	struct synthesis_jumped *jumped = &synthesizer->jumped_to;
	uint64_t begin = synthesizer->ranges->range[synthesizer->number].begin;

	jumped->handlers |= flow->found.is_handler;
	if (!may_be_jumped_to(synthesizer, flow))
		return;
	if (!flow->found.has_return && !flow->found.has_tail_call && !flow->found.jump_unknown &&
	    !flow->found.too_large && !synthesizer->outermost)
		synthesis_jumped_add(jumped, flow->world, begin, 0, true);
	for (size_t i = 0; i < synthesizer->tail_count; i++)
		synthesis_jumped_add(jumped, flow->world, begin, synthesizer->tail[i], false);
	if (flow->found.breaks_convention || flow->found.returns_elsewhere ||
	    flow->found.is_handler)
		synthesis_jumped_add(jumped, flow->world, begin, 0, false);
}

static void doubt_jumped_to(struct synthesizer *synthesizer)
{
	synthesis_jumped_spread(&synthesizer->jumped_to, &synthesizer->world);
	for (size_t i = 0; i < synthesizer->met_count; i++) {
		struct synthesis_met *met = &synthesizer->met[i];
		const struct synthesis_range *range = range_of(synthesizer, met->row.pc);

		if (met->reason == SYNTHESIS_REASON_COUNT && range &&
		    (address_set_find(&synthesizer->jumped_to.begins, range->begin) ||
		     address_set_find(&synthesizer->jumped_to.begins, met->function)))
			met->reason = SYNTHESIS_UNCALLED;
	}
}

static void note_tail(struct synthesizer *synthesizer, uint64_t pc)
{
	if (synthesizer->tail_count && synthesizer->tail[synthesizer->tail_count - 1] == pc)
		return;
	if (!ARRAY_ADD(synthesizer->tail, synthesizer->tail_count, pc))
		lack_rows(synthesizer);
}

static void note_lead(void *context, const struct flow_lead *lead)
{
	if (lead->kind != FLOW_LEADS_JUMP)
		note_tail(context, lead->pc);
	else if (!lead->entered) /* not into another function */
		note_jump(context, lead->state);
}

static void enter_tails(struct synthesizer *synthesizer)
{
	for (size_t i = 0; i < synthesizer->tail_count; i++) {
		const struct synthesis_range *range = range_of(synthesizer, synthesizer->tail[i]);

		if (!range || range->begin != synthesizer->tail[i] ||
		    synthesizer->entered[synthesizer->last_range])
			continue;
		synthesizer->entered[synthesizer->last_range] = true;
		synthesizer->done[synthesizer->last_range] = false; /* if it was, in doubt */
	}
}

/* Where a process begins, or what code that begins it does nothing but jump to: Go's rt0_go. */
static bool is_first(const struct synthesizer *synthesizer, uint64_t begin)
{
	const struct image *image = synthesizer->blank.cfi.image;
	uint64_t pc = image->entry;

	for (int i = 0; pc && pc != begin && i < ENTRY_INSTRUCTIONS_MAX; i++) {
		struct code code;

		if (!code_decode_at(synthesizer->world.decoder, image, pc, &code) || !code.length ||
		    (code.flow != CODE_NEXT && code.flow != CODE_JUMP) ||
		    code.written & FLOW_PRESERVED)
			return false;
		pc = code.flow == CODE_JUMP ? code.target : pc + code.length;
	}
	return pc && pc == begin;
}

static bool is_plt(const struct synthesizer *synthesizer, const struct synthesis_range *range)
{
	return !range->entered &&
	       (is_stub(synthesizer, range->begin) || is_stub(synthesizer, range->begin + 16));
}

static void enter(void *context, struct flow *flow)
{
	struct synthesizer *synthesizer = context;
	const struct synthesis_range *range = &synthesizer->ranges->range[synthesizer->number];

	synthesizer->jumped = synthesizer->jumps_differ = false;
	synthesizer->tail_count = 0;
	if (!is_plt(synthesizer, range))
		flow_enter(flow, range->begin, NULL);
	else /* every stub is called */
		for (uint64_t pc = range->begin; pc < range->end; pc += 8)
			if (is_stub(synthesizer, pc))
				flow_enter(flow, pc, NULL);
}

static void follow(struct synthesizer *synthesizer, const struct synthesis_range *range,
		   struct flow_fragment *fragment)
{
	const struct flow_visitor visitor = { .instruction = meet,
					      .step = note_step,
					      .context = synthesizer };
	const struct flow_plan plan = { .fragment = fragment,
					.enter = enter,
					.context = synthesizer };
	const bool plt = is_plt(synthesizer, range);
	size_t before = synthesizer->met_count;
	struct flow flow;

	flow_follow(&flow, &synthesizer->world, &plan);
	synthesizer->outermost = is_first(synthesizer, range->begin) && !flow.found.has_return;
	if (!flow.found.too_large)
		flow_visit(&flow, &visitor);
	if (!plt)
		synthesis_callee_pop_note(&synthesizer->callee_pop, range->begin, &flow,
					  synthesizer->tail_count || flow.found.jump_unknown ||
						  flow.found.too_large);
	synthesizer->unread[synthesizer->number] = flow.found.jump_unread;
	flow_learn(&flow, !plt);
	if (flow.found.returns_elsewhere)
		doubt(synthesizer, before, SYNTHESIS_RETURNS_ELSEWHERE);
	else if (
		flow.found
			.is_handler || /* what the CPU leaves for one, an error code or none, nobody says */
		may_be_linked(synthesizer, &flow) ||
		(!plt && !synthesizer->entered[synthesizer->number] && is_label(&flow)))
		doubt(synthesizer, before, SYNTHESIS_UNCALLED);
	else
		enter_tails(synthesizer);
	if (!plt)
		note_jumped_to(synthesizer, &flow);
	synthesis_ends_add(&synthesizer->ends, &flow);
	count_all(synthesizer, fragment, &flow);
	flow_deinit(&flow);
}

static void take_range(struct synthesizer *synthesizer, size_t number, bool piece)
{
	const struct synthesis_range *range = &synthesizer->ranges->range[number];
	struct synthesis_function *function = &synthesizer->synthesis->function[number];
	size_t restorer = synthesis_restorer_bytes(synthesizer->blank.cfi.image, range->begin);
	enum flow_reason reason;
	struct flow_fragment *fragment;

	synthesizer->number = number;
	synthesizer->done[number] = true;
	synthesizer->behind_end = false;
	function->instructions = 0;
	memset(function->unwritten, 0, sizeof(function->unwritten));
	if (restorer && restorer <= range->end - range->begin) {
		take_restorer(synthesizer, function, restorer);
		return;
	}
	fragment = flow_fragment_of(&synthesizer->world,
				    &synthesizer->blank.cfi.fde[synthesizer->blank.first + number],
				    &reason);
	if (!fragment) {
		function->unwritten[reason == FLOW_UNDECODED   ? SYNTHESIS_UNDECODED
				    : reason == FLOW_TOO_LARGE ? SYNTHESIS_TOO_LARGE
							       : SYNTHESIS_NOT_REACHED]++;
	} else if (!piece) {
		follow(synthesizer, range, fragment);
	} else {
		/* All that may lead there has been followed. */
		count_all(synthesizer, fragment, NULL);
		flow_fragment_destroy(fragment);
	}
}

/* Those that are entered; then, taken, those of which only the address is known. False: there are none any more. */
static bool take_entered(struct synthesizer *synthesizer, bool taken)
{
	const struct synthesis_ranges *ranges = synthesizer->ranges;
	bool more = false;

	for (size_t i = 0; i < ranges->count && !flow_lacks(&synthesizer->world); i++) {
		if (synthesizer->done[i] ||
		    !(taken ? ranges->range[i].taken : synthesizer->entered[i]))
			continue;
		more = true;
		take_range(synthesizer, i, false);
	}
	return more;
}

ARRAY_ORDER(compare_met, struct synthesis_met, row.pc)

/* What was met holds on other paths, too. */
static void look_around(struct synthesizer *synthesizer)
{
	const struct synthesis_survey survey = { .cfi = synthesizer->cfi,
						 .world = &synthesizer->world,
						 .status = synthesizer->status,
						 .ranges = synthesizer->ranges,
						 .entered = synthesizer->entered,
						 .unread = synthesizer->unread,
						 .ways = &synthesizer->ways,
						 .met = synthesizer->met,
						 .met_count = synthesizer->met_count,
						 .is_stub = is_stub,
						 .context = synthesizer };

	ARRAY_SORT(survey.met, survey.met_count, compare_met);
	synthesis_unfollowed(&survey);
}

static void take_ranges(struct synthesizer *synthesizer)
{
	struct synthesis *synthesis = synthesizer->synthesis;

	for (size_t i = 0; i < synthesis->function_count; i++) {
		const struct synthesis_range *range = &synthesizer->ranges->range[i];

		synthesis->function[i].begin = range->begin;
		synthesis->function[i].end = range->end;
		synthesis->function[i].replaced = range->replaces != NULL;
		synthesis->function[i].loaded = range->loaded;
		synthesizer->entered[i] = range->entered || is_plt(synthesizer, range);
	}
	while (take_entered(synthesizer, false) || take_entered(synthesizer, true))
		;
	for (size_t i = 0; i < synthesis->function_count; i++)
		if (!synthesizer->done[i])
			take_range(synthesizer, i, true);
	doubt_jumped_to(synthesizer);
	look_around(synthesizer);
}

/* ---- all of them --------------------------------------------------------------------------- */

static void forget(struct synthesizer *synthesizer)
{
	free(synthesizer->met);
	free(synthesizer->tail);
	address_set_deinit(&synthesizer->ends);
	synthesis_jumped_deinit(&synthesizer->jumped_to);
	synthesis_ways_deinit(&synthesizer->ways);
	synthesizer->met = NULL;
	synthesizer->tail = NULL;
	synthesizer->met_count = synthesizer->tail_count = synthesizer->last_range = 0;
}

/* With the image's own CFI again. */
static void write_rows(struct synthesizer *synthesizer, const struct cfi *cfi)
{
	const struct synthesis_writer writer = { .world = &synthesizer->world,
						 .ranges = synthesizer->ranges,
						 .wrong = &synthesizer->wrong,
						 .synthesis = synthesizer->synthesis,
						 .met = synthesizer->met,
						 .met_count = synthesizer->met_count };

	if (flow_world_take(&synthesizer->world, cfi))
		synthesis_write(&writer);
}

static void synthesize(struct synthesizer *synthesizer, const struct cfi *cfi)
{
	struct flow_world *world = &synthesizer->world;
	struct synthesis *synthesis = synthesizer->synthesis;

	if (synthesis_blank_init(&synthesizer->blank, cfi, synthesizer->ranges, world->error))
		return;
	synthesis->function_count = synthesizer->ranges->count;
	synthesis->function = calloc(synthesis->function_count + 1, sizeof(*synthesis->function));
	synthesizer->status = calloc(synthesizer->world.map.size + 1, 1);
	synthesizer->entered = calloc(synthesis->function_count + 1, sizeof(bool));
	synthesizer->done = calloc(synthesis->function_count + 1, sizeof(bool));
	synthesizer->unread = calloc(synthesis->function_count + 1, sizeof(bool));
	synthesizer->cfi = cfi;
	if (!synthesis->function || !synthesizer->entered || !synthesizer->done ||
	    !synthesizer->unread || !synthesizer->status)
		synthesis_lack(world);
	if (!flow_lacks(world) && flow_world_take(world, &synthesizer->blank.cfi)) {
		flow_world_note(world);
		take_ranges(synthesizer);
	}
	if (!flow_lacks(world))
		write_rows(synthesizer, cfi);
	free(synthesizer->status);
	free(synthesizer->entered);
	free(synthesizer->done);
	free(synthesizer->unread);
	forget(synthesizer);
	world->cfi = cfi;
	synthesis_blank_deinit(&synthesizer->blank);
}

ARRAY_ORDER(compare_ranges, struct synthesis_range, begin)

static void add_wrong(struct synthesizer *synthesizer, const struct cfi *cfi,
		      struct synthesis_ranges *ranges)
{
	const struct synthesis_ranges *replaced = &synthesizer->replaced;

	if (!synthesizer->linted)
		synthesis_wrong_find(cfi, &synthesizer->world, &synthesizer->replaced,
				     &synthesizer->wrong);
	synthesizer->linted = true;
	for (size_t i = 0; i < replaced->count; i++)
		if (!ARRAY_ADD(ranges->range, ranges->count, replaced->range[i]))
			synthesis_lack(&synthesizer->world);
	ARRAY_SORT(ranges->range, ranges->count, compare_ranges);
}

/* What was synthesized before is forgotten. */
static void synthesize_again(struct synthesizer *synthesizer, const struct cfi *cfi)
{
	synthesis_deinit(synthesizer->synthesis);
	synthesize(synthesizer, cfi);
}

/* with_taken: after a pass without. */
static void pass(const struct cfi *cfi, struct synthesizer *synthesizer, bool with_taken)
{
	struct flow_world *world = &synthesizer->world;
	struct synthesis_ranges ranges;

	synthesizer->ranges = &ranges;
	synthesis_ranges_find(world, &synthesizer->taken, with_taken, &ranges);
	if (!flow_lacks(world))
		add_wrong(synthesizer, cfi, &ranges);
	if (ranges.count && !flow_lacks(world))
		synthesize(synthesizer, cfi);
	for (int round = 0;
	     !flow_lacks(world) && round < FLOW_LEARNED_ROUNDS_MAX && flow_world_learn(world);
	     round++)
		synthesize_again(synthesizer, cfi);
	synthesizer->callee_pop.rounds = 0;
	while (!flow_lacks(world) && synthesis_callee_pop_again(&synthesizer->callee_pop)) {
		world->strange = strange;
		world->enters = enters;
		synthesize_again(synthesizer, cfi);
	}
	free(ranges.range);
}

/* False: *error says why. */
static bool begin(struct synthesizer *synthesizer, const struct cfi *cfi,
		  const struct object *object, struct error *error)
{
	struct flow_world *world = &synthesizer->world;

	if (flow_world_init(world, cfi, object, error) ||
	    !synthesis_address_taken_init(&synthesizer->taken, world))
		return false;
	world->never_by_code = true;
	world->leads = note_lead;
	world->leads_wanted = 1u << FLOW_LEADS_JUMP | 1u << FLOW_LEADS_TAIL_CALL;
	world->fallthrough = fallthrough;
	world->context = synthesizer;
	return !object || !synthesis_object_begin(world, &synthesizer->taken, error);
}

int synthesis_of(const struct cfi *cfi, const struct object *object, struct synthesis *ret,
		 struct error *error)
{
	struct synthesizer synthesizer = { .synthesis = ret };

	memset(ret, 0, sizeof(*ret));
	if (begin(&synthesizer, cfi, object, error))
		pass(cfi, &synthesizer, false);
	if (error->code == ERROR_NONE &&
	    synthesis_address_taken_left(&synthesizer.taken, synthesizer.world.decoder)) {
		synthesis_deinit(ret);
		pass(cfi, &synthesizer, true);
	}
	synthesis_address_taken_deinit(&synthesizer.taken);
	synthesis_callee_pop_deinit(&synthesizer.callee_pop);
	flow_world_deinit(&synthesizer.world);
	free(synthesizer.wrong.pc);
	free(synthesizer.replaced.range);
	if (error->code == ERROR_NONE)
		return 0;
	synthesis_deinit(ret);
	return -1;
}

void synthesis_deinit(struct synthesis *synthesis)
{
	free(synthesis->function);
	free(synthesis->row);
	memset(synthesis, 0, sizeof(*synthesis));
}
