/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_follow.c - all functions of an image
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "lint_inside.h"
#include "cfi/code_name.h"

/* ==== paths that end where others go on ===================================================== */

/*
 *	f:	test edi, edi
 *		je 1f
 *		push rax		; no directive
 *	1:	nop			; wrong by the push: SP001
 *		call g			; as wrong
 *
 * Two paths meet, and only one brings what is declared: that one's goes on, for else the function's end would be
 * accused of what is wrong once. The other path's mistake was said where they meet; or it is none, if a call never
 * returns that may, or a jump table has no such entry. But what lies behind is proven for one of both alone. So the
 * other is followed from there by itself, and accuses nobody: where rows are wrong for it they are unproven. Since
 * they are from its begin on, a wrong row behind a call or a table's entry says nothing of whether anybody comes there
 * (flow.doubtful).
 *
 * The same holds of a part of a function that another one leads to with a frame of its own: a path out that both
 * share (lint_follow.c), as linkers make one by folding identical code; or what a function falls into that has no
 * end.
 */

bool lint_deferrals_add(const struct lint_judge *judge, const struct lint_deferral *deferral)
{
	struct lint_deferrals *deferrals = judge->deferrals;

	if (deferrals->count == LINT_DEFERRALS_MAX)
		return false;
	if (ARRAY_ADD(deferrals->deferral, deferrals->count, *deferral))
		return true;
	flow_lack(judge->world, "ways through a function");
	return false;
}

/* Of all that was met, what was summed up before is to be summed up again. */
static void note_met(const struct lint_judge *judge, const struct flow *flow)
{
	for (size_t i = 0; i < flow->fragment_count; i++)
		lint_known_of(judge, flow->fragment[i]->fde)->sum.met = true;
}

/* What such a path leads to is no evidence of anything. whole: all of the FDE is unproven. */
static void lint_deferral_follow(const struct lint_deferral *deferral, struct lint_judge *judge,
				 bool whole)
{
	const struct flow_plan plan = { .fde = cfi_fde_find(judge->world->cfi, deferral->pc),
					.function = deferral->function,
					.entry = deferral->pc,
					.state = &deferral->state,
					.doubtful = true,
					.quiet = true };
	struct flow flow;

	if (plan.fde && whole) {
		lint_framed_take_back(judge, deferral->pc, FLOW_VALUE_UNKNOWN);
		return;
	}
	judge->doubtful = true;
	judge->why_doubtful = deferral->why;
	flow_follow(&flow, judge->world, &plan);
	if (flow.fragment_count)
		lint_judge_flow(judge, &flow, false);
	judge->doubtful = false;
	note_met(judge, &flow);
	flow_deinit(&flow);
}

/* One that is accused may say that others are not to be. */
static void follow_one(const struct lint_deferral *deferral, struct lint_judge *judge, bool whole)
{
	struct lint_contrary contrary = { .edge_count = 0 };
	bool accused = deferral->accused && judge->held.finding[deferral->accused - 1];

	judge->contrary = accused && !whole ? &contrary : NULL;
	lint_deferral_follow(deferral, judge, whole);
	if (judge->contrary)
		lint_contrary_take_back(&contrary, judge, deferral->accused);
	judge->contrary = NULL;
	lint_contrary_deinit(&contrary);
}

/* What was said to be proven from there on is unproven where rows are wrong for the path; behind the last of
 * LINT_DEFERRALS_MAX all of the FDE. None is left. */
static void lint_deferrals_follow(struct lint_deferrals *deferrals, struct lint_judge *judge)
{
	for (size_t i = 0; i < deferrals->count; i++)
		follow_one(&deferrals->deferral[i], judge, i + 1 == LINT_DEFERRALS_MAX);
	if (deferrals->count)
		lint_findings_pack(&judge->held);
	deferrals->count = 0;
}

static void lint_deferrals_deinit(struct lint_deferrals *deferrals)
{
	free(deferrals->deferral);
}

/* ==== whose fragment is it? ===================================================================== */

/*
 * What is run rarely lies elsewhere, with an FDE of its own, whose first row says what frame its
 * function has then. A jump there from a function with another frame is either a wrong row or none that
 * happens: GCC lets the path that it holds to be unreachable (__builtin_unreachable(), a switch that has no
 * default) end in a cold fragment without any instruction, and there the next function's cold fragment begins.
 *
 *	f:	cmp al, 23
 *		ja f.cold	; never
 *		...
 *	f.cold:			; nothing, and so it is g.cold
 *	g.cold:	xor eax, eax	; with g's frame
 *		jmp back_in_g
 *
 * So it is asked whose fragment it is. Once another function comes there with the frame that the row says, the fragment is
 * that one's, and the crossing path ends: it accuses nobody. But linkers fold identical parts of functions with different
 * frames, too, and so what would be wrong for the crossing path is unproven, unless the fragment goes on in the middle of
 * another function. If nobody comes with that frame, the row is wrong, and it is held against the only function that
 * leads there, or against those that the fragment leads back to.
 */

#define PART_MAX 16 /* functions that are followed into a part of another's */

static void lack_crossings(const struct flow_world *world)
{
	flow_lack(world, "jumps to other functions' fragments");
}

ARRAY_ORDER_TWO(compare_crossings, struct lint_crossing, fragment, function)

/* Once they are decided. */
static struct lint_crossing *find_crossing(const struct lint_crossings *crossings,
					   const struct lint_crossing *key)
{
	return ARRAY_FIND(crossings->crossing, crossings->count, key, compare_crossings);
}

/* The last is of all paths that come there. */
static void keep_state(const struct flow_world *world, struct lint_crossing *crossing,
		       const struct flow_state *state)
{
	if (!crossing->state)
		crossing->state = malloc(sizeof(*crossing->state));
	if (crossing->state)
		flow_state_copy(crossing->state, state);
	else
		lack_crossings(world);
}

/* Keeps the crossing. Returns whether to follow the path: never before all are decided. */
static bool lint_crossing_meet(struct lint_crossings *crossings, const struct flow_world *world,
			       uint64_t function, uint64_t fragment, const struct flow_state *state,
			       bool falls)
{
	struct lint_crossing crossing = { .function = function,
					  .fragment = fragment,
					  .falls = falls,
					  .why = FLOW_VALUE_UNKNOWN };
	struct lint_crossing *found;

	if (!crossings->decided) {
		if (!ARRAY_ADD(crossings->crossing, crossings->count, crossing))
			lack_crossings(world);
		return false;
	}
	found = find_crossing(crossings, &crossing);
	if (found && !found->followed)
		keep_state(world, found, state);
	return found && found->followed;
}

/* It was met of the function that is followed now, or of any, once all are known. */
static bool lint_crossing_has(const struct lint_crossings *crossings, uint64_t function,
			      uint64_t fragment)
{
	const struct lint_crossing crossing = { .function = function, .fragment = fragment };

	if (crossings->decided)
		return find_crossing(crossings, &crossing) != NULL;
	for (size_t i = crossings->count; i && crossings->crossing[i - 1].function == function; i--)
		if (crossings->crossing[i - 1].fragment == fragment)
			return true;
	return false;
}

/* Paths of one function that come with the same rsp are one. */
static void lint_crossing_doubt(struct lint_crossings *crossings, const struct flow_world *world,
				const struct flow_lead *lead)
{
	struct lint_crossing crossing = { .function = lead->function,
					  .fragment = lead->pc,
					  .why = lead->why };

	for (size_t i = crossings->doubt_count; i--;) {
		const struct lint_crossing *known = &crossings->doubt[i];

		if (known->function != lead->function)
			break;
		if (known->fragment == lead->pc && known->state &&
		    value_equal(&known->state->reg[REGISTER_RSP], &lead->state->reg[REGISTER_RSP]))
			return;
	}
	keep_state(world, &crossing, lead->state);
	if (ARRAY_ADD(crossings->doubt, crossings->doubt_count, crossing))
		return;
	lack_crossings(world);
	free(crossing.state);
}

static void sort_crossings(struct lint_crossings *crossings)
{
	size_t kept = 0;

	ARRAY_SORT(crossings->crossing, crossings->count, compare_crossings);
	for (size_t i = 0; i < crossings->count; i++)
		if (!i ||
		    compare_crossings(&crossings->crossing[i], &crossings->crossing[kept - 1]))
			crossings->crossing[kept++] = crossings->crossing[i];
		else
			crossings->crossing[kept - 1].falls &= crossings->crossing[i].falls;
	crossings->count = kept;
}

/* Whose the fragment is by where it goes on: it jumps into the function, or into the middle of another. */
struct owner {
	bool own, elsewhere;
};

static void note_jump(const struct lint_crossing *crossing, const struct cfi *cfi,
		      const struct cfi_fde *fragment, uint64_t target, struct owner *ret)
{
	const struct cfi_fde *fde = cfi_fde_find(cfi, target);

	if (!fde || fde == fragment)
		return;
	if (fde == cfi_fde_find(cfi, crossing->function))
		ret->own = true;
	else if (fde->pc_begin != target)
		ret->elsewhere = true;
}

static struct owner find_owner(const struct lint_crossing *crossing, const struct flow_world *world)
{
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, crossing->fragment);
	struct flow_fragment *fragment = flow_fragment_of(world, fde, NULL);
	struct owner ret = { .own = false };

	for (uint64_t pc = crossing->fragment; fragment && pc < fragment->end;) {
		const struct code *code = flow_fragment_code(fragment, world->decoder, pc);

		if (!code || !code->length)
			break;
		pc += code->length;
		if (code->flow == CODE_JUMP || code->flow == CODE_BRANCH)
			note_jump(crossing, world->cfi, fde, code->target, &ret);
	}
	flow_fragment_destroy(fragment);
	return ret;
}

/* Decides which crossings are followed, once all functions were. */
static void lint_crossings_decide(struct lint_crossings *crossings, const struct lint_judge *judge)
{
	size_t next;

	sort_crossings(crossings);
	crossings->decided = true;
	for (size_t i = 0; i < crossings->count; i = next) {
		for (next = i + 1;
		     next < crossings->count &&
		     crossings->crossing[next].fragment == crossings->crossing[i].fragment;)
			next++;
		if (lint_judge_was_reached(judge, crossings->crossing[i].fragment))
			continue;
		for (size_t j = i; j < next; j++) {
			struct lint_crossing *crossing = &crossings->crossing[j];
			const bool own = next - i <= 1 || find_owner(crossing, judge->world).own;

			crossing->followed = own && !crossing->falls;
		}
	}
}

static void doubt(const struct lint_crossing *crossing, struct lint_judge *judge, bool whole)
{
	struct lint_deferral deferral = { .function = crossing->function,
					  .pc = crossing->fragment,
					  .why = crossing->why };

	flow_state_copy(&deferral.state, crossing->state);
	lint_deferral_follow(&deferral, judge, whole);
}

/* In the order of fragments. */
static void doubt_all(const struct lint_crossing *crossings, size_t count, struct lint_judge *judge)
{
	int same = 0; /* that were followed into the fragment */

	for (size_t i = 0; i < count; i++) {
		const struct lint_crossing *crossing = &crossings[i];
		struct owner owner;

		same = i && crossing->fragment == crossing[-1].fragment ? same : 0;
		if (!crossing->state || same > PART_MAX)
			continue;
		if (cfi_fde_begins(judge->world->cfi,
				   crossing->fragment)) { /* or it comes to the middle of one */
			if (!lint_judge_was_reached(judge, crossing->fragment))
				continue;
			owner = find_owner(crossing, judge->world);
			if (owner.elsewhere && !owner.own)
				continue;
		}
		doubt(crossing, judge, same == PART_MAX);
		same++;
	}
}

/* Once functions were followed again that lead to fragments: of those whose path was not, and of doubts, what is wrong
 * for it in a part of another's is unproven. */
static void lint_crossings_doubt(const struct lint_crossings *crossings, struct lint_judge *judge)
{
	ARRAY_SORT(crossings->doubt, crossings->doubt_count, compare_crossings);
	doubt_all(crossings->crossing, crossings->count, judge);
	doubt_all(crossings->doubt, crossings->doubt_count, judge);
}

static void lint_crossings_deinit(struct lint_crossings *crossings)
{
	for (size_t i = 0; i < crossings->count; i++)
		free(crossings->crossing[i].state);
	for (size_t i = 0; i < crossings->doubt_count; i++)
		free(crossings->doubt[i].state);
	free(crossings->crossing);
	free(crossings->doubt);
}

/* ==== functions that say from their begin on that they have no caller ======================= */

/*
 * Where a process begins that is so, and where a thread does behind `clone`. So it is where a pointer leads that
 * only a thread or a coroutine begins with. The code doesn't show which of them a function is, and so its rows are
 * unproven. But a function that a `call` leads to has a caller then: if nothing else enters it, no jump and nobody
 * who keeps its address, its rows are wrong as long as the return address is in its word.
 *
 * Go's runtime says so of functions that it calls, and means it: its stacks end there (TOPFRAME).
 */

/* Where a program will begin that an object file is linked into. */
#define START_NAME "_start"

static bool has_start(const struct image *image, uint64_t pc)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	return ARRAY_ANY(count, i, symbol[i].pc == pc && !strcmp(symbol[i].name, START_NAME));
}

static bool is_first(const struct flow_world *world, uint64_t pc)
{
	const struct image *image = world->cfi->image;

	return pc == world->first || pc == image->entry || (!image->entry && has_start(image, pc));
}

/* The fragment is one: it says so, and it is not where a process begins. */
static bool lint_end_is(const struct flow_world *world, const struct flow_fragment *fragment)
{
	const struct row *row = flow_fragment_row(fragment, fragment->begin);

	return row && !row->signal_frame && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED &&
	       !is_first(world, fragment->begin) && !flow_begins_thread(world, fragment->begin);
}

static void note_kept(void *context, uint64_t pc)
{
	struct lint_ends *ends = context;

	ends->kept[lint_addresses_from(&ends->begin, pc)] = true;
}

/* Finds out whose address is kept, once all of them were added. */
static void lint_ends_decide(struct lint_ends *ends, const struct flow_world *world)
{
	lint_addresses_sort(&ends->begin);
	if (!ends->begin.count)
		return;
	ends->kept = calloc(ends->begin.count, sizeof(*ends->kept));
	if (ends->kept)
		lint_kept_which(world, &ends->begin, note_kept, ends);
	else
		flow_lack(world, "addresses of functions");
}

/* It is one, and nothing keeps its address. */
static bool lint_end_is_unkept(const struct lint_ends *ends, uint64_t pc)
{
	size_t number;

	return lint_addresses_has(&ends->begin, pc, &number) && !ends->kept[number];
}

/* Of one that nothing but calls enters, or jumps from where a process begins. */
static enum lint_end lint_end_of(const struct lint_ends *ends, uint64_t pc, bool is_called)
{
	for (size_t i = 0; i < ends->first.count; i++)
		if (ends->first.address[i] == pc)
			return is_called ? LINT_END_UNKNOWN : LINT_END_FIRST;
	return is_called ? LINT_END_CALLED : LINT_END_UNKNOWN;
}

/* ---- rows that say so ----------------------------------------------------------------------- */

/* By its first row, or by who calls it. */
static bool had_caller(const struct lint_judge *judge, const struct flow *flow)
{
	const struct flow_fragment *fragment = flow->fragment[0];

	return flow->function != flow->world->first && fragment->row_count &&
	       (judge->end == LINT_END_CALLED ||
		fragment->row[0].reg[REGISTER_RIP].kind != RULE_UNDEFINED);
}

static void accuse(struct flow_row_verdict *verdict, const struct value *actual)
{
	verdict->outcome = FLOW_ROW_MISMATCH;
	verdict->fault = FLOW_RETURN;
	verdict->reg = REGISTER_RIP;
	verdict->actual = *actual;
}

/* The row says that there is no caller. Had the function one when it began? And does a thread begin here? Not
 * where the stack is still the function's, and the return address in its word. */
static void judge_end(const struct lint_judge *judge, const struct flow *flow,
		      const struct flow_state *state, struct flow_row_verdict *verdict)
{
	static const struct value top = { .kind = VALUE_CFA, .number = -8 };
	const struct value *word = flow_word_find(state, &top);

	verdict->outcome = FLOW_ROW_UNPROVEN;
	verdict->reason = FLOW_RULE_UNKNOWN;
	if (!had_caller(judge, flow) || state->thread != FLOW_THREAD_NONE ||
	    !value_is_stack(&state->reg[REGISTER_RSP]) || !word || !value_is_return(word))
		return;
	accuse(verdict, word);
}

void lint_end_judge(const struct lint_judge *judge, const struct flow *flow,
		    const struct flow_state *state, struct flow_row_verdict *verdict)
{
	static const struct value caller = { .kind = VALUE_ENTRY, .reg = REGISTER_RIP };

	if (flow->found.returns && flow->function != flow->world->first) {
		accuse(verdict, &caller);
	} else if (had_caller(judge, flow) ||
		   (judge->end != LINT_END_FIRST && lint_end_is(flow->world, flow->fragment[0]))) {
		judge_end(judge, flow, state, verdict);
	}
}

static void lint_ends_deinit(struct lint_ends *ends)
{
	free(ends->begin.address);
	free(ends->kept);
	free(ends->first.address);
}

/* ==== functions that go on in an interrupt's handler ======================================== */

/*
 * A vector has a stub of its own, which goes on in what all handlers have in common:
 *
 *	stub:	push rax
 *		...
 *		jmp common
 *	common:	add rsp, 8		; an error code, which the CPU pushed
 *		iretq
 *
 * Nobody calls common, which leaves as a handler does, and so nobody calls the stub: what is on the stack where that
 * begins, the CPU knows. Its rows may be wrong though each agrees with the first.
 */

static void lack_tails(const struct flow_world *world)
{
	flow_lack(world, "functions that are jumped to");
}

/* The function at hand goes on at pc, as it was entered. */
static void lint_handlers_leave(struct lint_handlers *handlers, uint64_t pc,
				const struct flow_world *world)
{
	const struct lint_tail *last = handlers->count ? &handlers->tail[handlers->count - 1]
						       : NULL;

	if (last && last->from == handlers->function && last->to == pc)
		return;
	if (!ARRAY_ADD(handlers->tail, handlers->count,
		       (struct lint_tail) { handlers->function, pc }))
		lack_tails(world);
}

/* The fragment has no frame anywhere (lint_judge_plain()). */
static void lint_handlers_plain(struct lint_handlers *handlers,
				const struct flow_fragment *fragment,
				const struct flow_world *world)
{
	for (size_t i = 0; i < fragment->code_count; i++) {
		const struct code *code = &fragment->code[i];

		if ((code->flow == CODE_JUMP || code->flow == CODE_BRANCH) &&
		    (code->target < fragment->begin || code->target >= fragment->end))
			lint_handlers_leave(handlers, code->target, world);
	}
}

static bool is_called(const struct lint_judge *judge, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(judge->world->cfi, pc);

	return !fde || fde->pc_begin != pc || lint_known_of(judge, fde)->called;
}

/* Those that go on in one that is known. False: there are none any more. */
static bool spread(struct lint_handlers *handlers, const struct lint_judge *judge)
{
	const size_t known = handlers->begin.count;
	struct lint_addresses found = { .count = 0 };

	for (size_t i = 0; i < handlers->count; i++) {
		const struct lint_tail *tail = &handlers->tail[i];

		if (lint_addresses_has(&handlers->begin, tail->to, NULL) &&
		    !lint_addresses_has(&handlers->begin, tail->from, NULL) &&
		    !is_called(judge, tail->from))
			lint_addresses_add(&found, tail->from, judge->world);
	}
	for (size_t i = 0; i < found.count; i++)
		lint_addresses_add(&handlers->begin, found.address[i], judge->world);
	free(found.address);
	lint_addresses_sort(&handlers->begin);
	return handlers->begin.count > known;
}

/* Once all were followed: takes back what was proven of those that nothing calls and that go on in a handler. As of
 * lint_framed_decide(). */
static void lint_handlers_decide(struct lint_handlers *handlers, struct lint_judge *judge)
{
	struct lint_addresses *begin = &handlers->begin;

	lint_addresses_sort(begin);
	while (begin->count && spread(handlers, judge))
		;
	for (size_t i = 0; i < begin->count; i++)
		lint_framed_take_back(judge, begin->address[i], FLOW_SIGNAL_FRAME);
}

static void lint_handlers_deinit(struct lint_handlers *handlers)
{
	free(handlers->tail);
	free(handlers->begin.address);
}

/* ==== each function, once =================================================================== */

/*
 * First those that begin as a function does: each is followed, with the fragments that it leads to. An
 * FDE whose first row is another one begins in the middle of a function, unless it is called: then
 * its first row is wrong, and it is followed for what comes behind. What an instruction came to is kept by
 * address, the worst of all paths to it.
 */

static void lack_addresses(const struct linting *linting)
{
	flow_lack(linting->world, "addresses that are called");
}

/* What is known of the FDE of that number in cfi->by_pc. */
static struct lint_known *known_at(const struct linting *linting, size_t number)
{
	return &linting->judge.known[linting->judge.world->cfi->by_pc[number]];
}

static void note_called(struct linting *linting, const struct cfi_fde *fde, uint64_t pc,
			uint64_t from)
{
	if (fde->pc_begin == pc && lint_known_of(&linting->judge, fde)->called)
		return;
	if (ARRAY_RESERVE(linting->calls, linting->call_room, linting->call_count + 1))
		linting->calls[linting->call_count++] = (struct lint_sure_call) { fde, pc, from };
	else
		lack_addresses(linting);
}

static void decide_calls(struct linting *linting)
{
	while (linting->call_count) {
		const struct lint_sure_call *call = &linting->calls[--linting->call_count];

		if (call->fde->pc_begin == call->pc)
			lint_known_of(&linting->judge, call->fde)->called = true;
		else
			lint_middle_called(&linting->middle, call->pc, call->from);
	}
}

/* Its begin was called, as far as the paths were followed that matter here. */
static bool is_begin_called(struct linting *linting, uint64_t pc)
{
	const struct cfi_fde *fde = cfi_fde_find(linting->world->cfi, pc);

	return (fde && fde->pc_begin == pc && lint_known_of(&linting->judge, fde)->called) ||
	       lint_middle_next(&linting->middle, NULL, pc, pc + 1);
}

static void add(const struct linting *linting, struct lint_addresses *list, uint64_t pc)
{
	lint_addresses_add(list, pc, linting->world);
}

static void note_tail_called(struct linting *linting, uint64_t pc, bool doubtful)
{
	if (!doubtful)
		add(linting, &linting->tails, pc);
	add(linting, &linting->framed.entered, pc);
	lint_handlers_leave(&linting->handlers, pc, linting->world);
}

static bool meet_crossing(void *context, uint64_t function, uint64_t fragment,
			  const struct flow_state *state, bool falls)
{
	struct linting *linting = context;

	/* Wrong for this path may be what is right for the function's others. */
	if (linting->judge.doubtful)
		return !lint_crossing_has(&linting->crossings, function, fragment);
	return lint_crossing_meet(&linting->crossings, linting->world, function, fragment, state,
				  falls);
}

/* from: the instruction that leads there, 0: a symbol. */
static void note_uncovered(struct linting *linting, uint64_t pc, uint64_t from)
{
	bool entered;

	if (!lint_uncovered_is_code(linting->world, pc, from, &entered))
		return;
	if (entered)
		add(linting, &linting->entered, pc);
	if (!linting->uncovered.count ||
	    linting->uncovered.address[linting->uncovered.count - 1] != pc)
		add(linting, &linting->uncovered, pc);
}

/* Of an address that is kept. */
static void lint_follow_kept(void *linting, uint64_t pc)
{
	note_uncovered(linting, pc, 0);
}

/* For struct flow_world: what ways lead to. */
static void note_lead(void *context, const struct flow_lead *lead)
{
	struct linting *linting = context;

	switch (lead->kind) {
	case FLOW_LEADS_UNCOVERED: note_uncovered(linting, lead->pc, lead->from); break;
	case FLOW_LEADS_CALL: note_called(linting, lead->fde, lead->pc, lead->from); break;
	case FLOW_LEADS_TAIL_CALL: note_tail_called(linting, lead->pc, lead->doubtful); break;
	/* Of paths that came to nothing, too: a doubt more, or an entry more. */
	case FLOW_LEADS_FRAMED: add(linting, &linting->framed.framed, lead->pc); break;
	case FLOW_LEADS_CONTINUED: add(linting, &linting->ends.first, lead->pc); break;
	case FLOW_LEADS_PERHAPS:
		lint_crossing_doubt(&linting->crossings, linting->world, lead);
		break;
	case FLOW_LEADS_JUMP: break;
	}
}

static void lint_follow_watch(struct linting *linting)
{
	struct flow_world *world = linting->world;

	world->context = linting;
	world->leads = note_lead;
	world->leads_wanted = 1u << FLOW_LEADS_UNCOVERED | 1u << FLOW_LEADS_CALL |
			      1u << FLOW_LEADS_TAIL_CALL | 1u << FLOW_LEADS_FRAMED |
			      1u << FLOW_LEADS_CONTINUED | 1u << FLOW_LEADS_PERHAPS;
	world->crossing = meet_crossing;
}

static bool has_stubs(const struct linting *linting, const struct flow_fragment *fragment)
{
	return fragment->end - fragment->begin >= 32 &&
	       flow_is_stub(linting->world->callees, fragment->begin + 16);
}

/* The FDE's first row is not a function's. A no-op before a fragment that exceptions lead to is never
 * executed: GCC puts it there, because a landing pad can't be at distance 0. */
static bool begins_inside(struct linting *linting, struct flow_fragment *fragment)
{
	const struct row *row = flow_fragment_row(fragment, fragment->begin);
	const struct code *code;

	if (!row || row->signal_frame)
		return false;
	code = flow_fragment_code(fragment, linting->world->decoder, fragment->begin);
	if (code && code->is_padding && row->pc_end == fragment->begin + code->length)
		row = flow_fragment_row(fragment, row->pc_end);
	return row && !flow_row_is_entry(row);
}

/* It is in doubt whether a function begins there. */
static bool begins_doubtful(struct linting *linting, const struct flow_fragment *fragment,
			    size_t number)
{
	const struct row *row = flow_fragment_row(fragment, fragment->begin);

	return known_at(linting, number)->doubtful && row && !row->signal_frame &&
	       fragment->begin != linting->world->first &&
	       !lint_begin_is_named(linting->world->cfi->image, fragment->begin);
}

/* Code that ways lead to from another function, if it is to be known where its stack is. */
static bool is_part(struct linting *linting, struct flow_fragment *fragment, size_t number)
{
	return begins_inside(linting, fragment) || begins_doubtful(linting, fragment, number) ||
	       lint_end_is(linting->world, fragment) ||
	       flow_is_fragment(linting->world->callees, fragment->begin);
}

/* To when all is known that leads there. */
static void put_off(struct linting *linting, struct flow_fragment *fragment, size_t number)
{
	known_at(linting, number)->later = true;
	add(linting, &linting->fragments, fragment->begin);
	if (lint_end_is(linting->world, fragment))
		add(linting, &linting->ends.begin, fragment->begin);
	flow_fragment_destroy(fragment);
}

static struct lint_sum *sum_of(const struct linting *linting, const struct flow_fragment *fragment)
{
	return &lint_known_of(&linting->judge, fragment->fde)->sum;
}

/* flow: of its function, or NULL. none: of what no path was seen to lead to. */
static void sum_up(struct linting *linting, struct flow_fragment *fragment, const struct flow *flow,
		   enum flow_reason none)
{
	struct lint_sum *sum = sum_of(linting, fragment);

	if (!sum->made)
		lint_judge_program(&linting->judge, fragment);
	sum->none = none;
	sum->fde.unruled = flow && flow_row_unruled(fragment->agreed);
	lint_judge_fde(&linting->judge, fragment, false, sum);
}

/* Parts of the flow that were summed up as another function's. */
static void note_parts_met(struct linting *linting, const struct flow *flow)
{
	for (size_t i = 1; i < flow->fragment_count; i++)
		sum_of(linting, flow->fragment[i])->met = true;
}

/* Where the FDE is called in its middle, the rows that lie on the way from there must be right for that
 * caller, too. Whether such a call is one, and comes back, its row alone would say: it accuses nobody, unless nothing else
 * comes there (lint_middle.c). own: the paths of the FDE's function. */
static void enter_middle(struct linting *linting, const struct cfi_fde *fde, const struct flow *own)
{
	uint64_t pc = fde->pc_begin, end = fde->pc_begin + fde->pc_range;
	size_t calls = linting->call_count, uncovered = linting->uncovered.count;

	while ((pc = lint_middle_next(&linting->middle, NULL, pc + 1, end))) {
		struct lint_inner inner = { .pc = pc, .fde = fde, .middle = &linting->middle };

		if (cfi_fde_find(linting->world->cfi, pc) == fde)
			lint_inners_meet(&linting->inners, &inner, own, &linting->judge);
	}
	linting->call_count = calls;
	linting->uncovered.count = uncovered;
}

/* How an FDE is entered. */
enum entry {
	ENTRY_FIRST,  /* at its begin, unless it is to come later */
	ENTRY_BEGIN,  /* at its begin, although its first row is none of a function */
	ENTRY_KNOWN,  /* not there, but for what is known there, if anything is */
	ENTRY_LINKED, /* at its begin, with the return address in a register */
};

struct entering {
	struct linting *linting;
	enum entry entry;
	const struct flow_state *known; /* for ENTRY_KNOWN, or NULL; and for ENTRY_LINKED */
	bool stubs, others;		/* it covers a PLT's stubs; functions behind its own */
	bool again;			/* it has been entered */
	size_t uncovered;		/* linting->uncovered.count before */
};

/* What a proof has told that came to nothing is forgotten. */
static void enter_fde(void *context, struct flow *flow)
{
	struct entering *entering = context;
	struct linting *linting = entering->linting;
	const bool known = entering->entry == ENTRY_KNOWN || entering->entry == ENTRY_LINKED;
	bool inside = entering->entry == ENTRY_FIRST && begins_inside(linting, flow->fragment[0]);

	if (!entering->again) {
		linting->call_count = 0;
		linting->uncovered.count = entering->uncovered;
	}
	entering->again = true;
	if (known ? entering->known != NULL : !inside)
		flow_enter(flow, flow->fragment[0]->begin, entering->known);
	lint_enter_more(flow, &(struct lint_entries) { .stubs = entering->stubs,
						       .functions = !inside,
						       .others = entering->others });
}

/* Who is called there would return to where nobody called from. If no symbol of any kind is there, it is perhaps
 * no function. */
static bool is_refuted(const struct linting *linting, const struct flow *flow)
{
	return flow->found.returns_elsewhere && flow->function != linting->world->first &&
	       !image_symbol_at(linting->world->cfi->image, flow->function);
}

/* It is to be judged once all others were followed: by who leads into it, if it is perhaps no function; and if rows of
 * it would be wrong, when it is known whether it is entered as one. */
static bool defer(struct linting *linting, struct flow *flow, size_t number, size_t uncovered)
{
	if (is_refuted(linting, flow)) {
		known_at(linting, number)->doubtful = known_at(linting, number)->later = true;
		linting->call_count = 0;
		linting->uncovered.count = uncovered;
		return true;
	}
	if (image_symbol_at(linting->world->cfi->image, flow->function) ||
	    linting->crossings.decided || known_at(linting, number)->called ||
	    !lint_judge_try(&linting->judge, flow))
		return false;
	add(linting, &linting->open, number);
	decide_calls(linting);
	return true;
}

/* What a plain one calls or jumps to; not by a branch that perhaps is past its table. */
static void note_tails(struct linting *linting, const struct flow_fragment *fragment)
{
	bool computed = false;

	for (size_t i = 0; i < fragment->code_count; i++)
		computed |= fragment->code[i].flow == CODE_JUMP_INDIRECT;
	for (size_t i = 0; i < fragment->code_count; i++) {
		const struct code *code = &fragment->code[i];

		if ((code->flow == CODE_CALL || code->flow == CODE_JUMP ||
		     (code->flow == CODE_BRANCH && !computed)) &&
		    (code->target < fragment->begin || code->target >= fragment->end))
			add(linting, &linting->tails, code->target);
	}
}

/* Once its paths were followed. */
static void judge_fde(struct linting *linting, struct flow *flow, size_t number, enum entry entry,
		      bool middle)
{
	struct flow_fragment *fragment = flow->fragment[0];
	struct flow *followed = flow->proven || flow->block_count ? flow : NULL;

	for (size_t i = flow->proven ? flow->fragment_count : 0;
	     i--;) /* the first is summed up next */
		lint_judge_proven(&linting->judge, flow->fragment[i]);
	if (!flow->proven)
		lint_judge_flow(&linting->judge, flow, entry == ENTRY_BEGIN);
	lint_deferrals_follow(&linting->deferrals, &linting->judge);
	if (middle)
		enter_middle(linting, fragment->fde, flow);
	if (!known_at(linting, number)->again)
		sum_up(linting, fragment, followed, lint_judge_why(followed, fragment));
	note_parts_met(linting, flow);
	flow_learn(flow, entry != ENTRY_KNOWN);
	if (flow->found.is_handler)
		add(linting, &linting->handlers.begin, fragment->begin);
}

/* known: as of struct entering. */
static void lint_fde(struct linting *linting, size_t number, enum entry entry,
		     const struct flow_state *known)
{
	const struct cfi *cfi = linting->world->cfi;
	const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[number]];
	struct entering entering = { .linting = linting,
				     .entry = entry,
				     .known = known,
				     .uncovered = linting->uncovered.count };
	struct flow_plan plan = { .enter = enter_fde, .context = &entering };
	struct flow flow;
	enum flow_reason reason;
	size_t crossings = linting->crossings.count;
	bool middle, first, deferred;

	linting->handlers.function = fde->pc_begin;
	plan.fragment = flow_fragment_of(linting->world, fde, &reason);
	if (!plan.fragment) {
		lint_judge_unread(fde, reason, &known_at(linting, number)->sum);
		return;
	}
	entering.stubs = has_stubs(linting, plan.fragment);
	entering.others = lint_extent_next(linting->world, fde, fde->pc_begin) != 0;
	if (entry == ENTRY_FIRST && !entering.stubs && is_part(linting, plan.fragment, number)) {
		put_off(linting, plan.fragment, number);
		return;
	}
	middle = lint_middle_next(&linting->middle, plan.fragment, fde->pc_begin + 1,
				  plan.fragment->end) != 0;
	if (entry != ENTRY_KNOWN && !entering.others && !middle &&
	    fde->pc_begin != linting->world->first &&
	    lint_judge_plain(&linting->judge, plan.fragment)) {
		lint_framed_plain(&linting->framed, plan.fragment, linting->world);
		note_tails(linting, plan.fragment);
		lint_handlers_plain(&linting->handlers, plan.fragment, linting->world);
		sum_up(linting, plan.fragment, NULL, FLOW_NO_ENTRY);
		flow_fragment_destroy(plan.fragment);
		return;
	}
	first = entry == ENTRY_FIRST && !entering.stubs && !entering.others;
	plan.proves = first && !linting->judge.watch->point; /* it tells no points */
	flow_follow(&flow, linting->world, &plan);
	deferred = !flow.proven && first && defer(linting, &flow, number, entering.uncovered);
	known_at(linting, number)->again = linting->crossings.count > crossings;
	if (!deferred)
		judge_fde(linting, &flow, number, entry, middle);
	flow_deinit(&flow);
	if (!deferred)
		decide_calls(linting);
}

/* lint_as_called_find(). What it leaves uncovered is none of the image's; what it calls is called, whatever its rows say. */
static void ask_as_called(struct linting *linting, const struct cfi_fde *fde,
			  struct lint_as_called *ret)
{
	size_t uncovered = linting->uncovered.count;

	linting->handlers.function = fde->pc_begin;
	lint_as_called_find(linting->world, fde, ret);
	decide_calls(linting);
	linting->uncovered.count = uncovered;
}

/* No function was seen to begin where the FDE does. Perhaps one begins before it, whose first instructions no
 * FDE covers. */
static void lint_doubtful(struct linting *linting, size_t number)
{
	const struct cfi *cfi = linting->world->cfi;
	uint64_t begin = cfi->fde[cfi->by_pc[number]].pc_begin;
	size_t behind = lint_addresses_from(&linting->entered, begin);
	struct flow_state known;
	bool is_known = behind && lint_begin_state(linting->world, number,
						   linting->entered.address[behind - 1], &known);

	lint_fde(linting, number, ENTRY_KNOWN, is_known ? &known : NULL);
}

/* Has it a caller, if it says that it has none? Go's mean it, though they are called. */
static enum lint_end end_of(const struct linting *linting, const struct cfi_fde *fde)
{
	if (linting->world->go || !lint_end_is_unkept(&linting->ends, fde->pc_begin) ||
	    lint_addresses_met(&linting->framed.entered, fde->pc_begin))
		return LINT_END_UNKNOWN;
	return lint_end_of(&linting->ends, fde->pc_begin,
			   lint_known_of(&linting->judge, fde)->called);
}

/* Its first row says that it is entered by a jump, with the return address in a register: so it is, if nobody was seen to
 * call it, and it doesn't return as one that was called. */
static bool lint_linked(struct linting *linting, size_t number)
{
	const struct cfi *cfi = linting->world->cfi;
	struct flow_state known;
	struct flow_fragment *fragment = flow_fragment_of(linting->world,
							  &cfi->fde[cfi->by_pc[number]], NULL);
	const bool linked = fragment && fragment->row_count &&
			    flow_linked_enter(&fragment->row[0], &known) &&
			    !lint_addresses_met(&linting->framed.called, fragment->begin);

	flow_fragment_destroy(fragment);
	known_at(linting, number)->later |= linked;
	if (linked)
		lint_fde(linting, number, ENTRY_LINKED, &known);
	return linked;
}

/* Nobody was seen to come to its begin as to a function. called: what its code says of that. */
static void lint_unentered(struct linting *linting, size_t number, bool reached,
			   const struct lint_as_called *called)
{
	const struct cfi *cfi = linting->world->cfi;
	struct flow_fragment *fragment = flow_fragment_of(linting->world,
							  &cfi->fde[cfi->by_pc[number]], NULL);
	const bool doubtful = fragment && begins_doubtful(linting, fragment, number);
	const bool begins = fragment && !doubtful && !reached && !begins_inside(linting, fragment);

	if (fragment && !doubtful && !begins) {
		sum_up(linting, fragment, NULL,
		       called->handler ? FLOW_SIGNAL_FRAME : FLOW_NO_ENTRY);
		known_at(linting, number)->later = !reached;
	}
	flow_fragment_destroy(fragment);
	if (doubtful)
		lint_doubtful(linting, number);
	else if (begins) /* one without a frame, that nothing was seen to lead to */
		lint_fde(linting, number, ENTRY_BEGIN, NULL);
}

/* What begins inside: after all that may lead there. */
static void lint_inside(struct linting *linting, size_t number)
{
	const struct cfi *cfi = linting->world->cfi;
	const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[number]];
	bool reached = lint_judge_was_reached(&linting->judge, fde->pc_begin);
	bool entered = !reached && is_begin_called(linting, fde->pc_begin);
	struct lint_as_called called = { false };

	known_at(linting, number)->later = false;
	linting->judge.end = end_of(linting, fde);
	if (!reached && !entered)
		ask_as_called(linting, fde, &called);
	if (!reached && !entered && !called.returns_itself && lint_linked(linting, number))
		return;
	if (entered || called.returns ||
	    (!reached && !called.refuted && lint_begin_is_exported(cfi->image, fde->pc_begin)))
		lint_fde(linting, number, ENTRY_BEGIN, NULL);
	else
		lint_unentered(linting, number, reached, &called);
}

/* Those that were found to be called only when others were followed that come later. */
static void lint_called(struct linting *linting)
{
	linting->judge.end = LINT_END_UNKNOWN;
	for (size_t i = 0; i < linting->world->cfi->by_pc_count; i++)
		if (known_at(linting, i)->later && known_at(linting, i)->called)
			lint_fde(linting, i, ENTRY_BEGIN, NULL);
}

/* An FDE that a path leads to with a frame, and nothing as to a function: its first row is wrong, or nobody comes. */
static void leave_open(struct linting *linting, const struct cfi_fde *fde)
{
	struct flow_fragment *fragment = flow_fragment_of(linting->world, fde, NULL);

	if (fragment)
		sum_up(linting, fragment, NULL, FLOW_NO_ENTRY);
	flow_fragment_destroy(fragment);
}

static void lint_open(struct linting *linting)
{
	const struct cfi *cfi = linting->world->cfi;
	struct lint_addresses begins = { .count = 0 }, found = { .count = 0 };

	for (size_t i = 0; i < linting->open.count; i++)
		add(linting, &begins, cfi->fde[cfi->by_pc[linting->open.address[i]]].pc_begin);
	if (begins.count)
		lint_framed_find(&linting->framed, &linting->judge, &begins, &found);
	for (size_t i = 0; i < begins.count; i++) {
		uint64_t number = linting->open.address[i];

		if (lint_addresses_has(&found, begins.address[i], NULL))
			leave_open(linting, &cfi->fde[cfi->by_pc[number]]);
		else
			lint_fde(linting, number, ENTRY_BEGIN, NULL);
	}
	free(begins.address);
	free(found.address);
}

/* Functions without an FDE go on in another one's fragment, too. And what is a fragment may be called, or jumped to in
 * place of a return. */
static void reach_parts(struct linting *linting)
{
	const struct lint_addresses *entered = &linting->entered, *tails = &linting->tails;
	const struct cfi *cfi = linting->world->cfi;

	lint_addresses_sort(&linting->fragments);
	for (size_t i = 0; i < entered->count; i++)
		flow_reach(linting->world, entered->address[i], entered->address[i], NULL,
			   FLOW_VALUE_UNKNOWN);
	for (size_t i = 0; i < tails->count; i++)
		if (lint_addresses_has(&linting->fragments, tails->address[i], NULL))
			flow_reach(linting->world, 0, tails->address[i], NULL, FLOW_VALUE_UNKNOWN);
	for (size_t i = 0; i < linting->fragments.count; i++)
		if (lint_known_of(&linting->judge, cfi_fde_find(cfi, linting->fragments.address[i]))
			    ->called &&
		    !lint_judge_is_wrong(&linting->judge, linting->fragments.address[i],
					 linting->fragments.address[i] + 1))
			flow_reach(linting->world, 0, linting->fragments.address[i], NULL,
				   FLOW_VALUE_UNKNOWN);
}

static void lint_follow(struct linting *linting)
{
	const size_t count = linting->world->cfi->by_pc_count;

	for (size_t i = 0; i < count; i++)
		known_at(linting, i)->doubtful = lint_begin_doubtful(linting->world, i);
	lint_middle_init(&linting->middle, &linting->judge);
	for (size_t i = 0; i < count && !flow_lacks(linting->world); i++)
		lint_fde(linting, i, ENTRY_FIRST, NULL);
	lint_open(linting);
	lint_crossings_decide(&linting->crossings, &linting->judge);
	for (size_t i = 0; i < count && !flow_lacks(linting->world); i++)
		if (known_at(linting, i)->again)
			lint_fde(linting, i, ENTRY_FIRST, NULL);
	lint_symbols_find(linting->world, lint_follow_kept, linting);
	lint_addresses_sort(&linting->entered);
	lint_ends_decide(&linting->ends, linting->world);
	for (size_t i = 0; i < count && !flow_lacks(linting->world); i++)
		if (known_at(linting, i)->later)
			lint_inside(linting, i);
	if (flow_lacks(linting->world))
		return;
	lint_called(linting);
	reach_parts(linting);
	lint_middle_hidden(&linting->middle, &linting->judge);
	lint_crossings_doubt(&linting->crossings, &linting->judge);
	lint_inners_decide(&linting->inners, &linting->judge);
}

/* The world and the judge are set up, but for the judge's own; all else is zero. False: no memory. lint_follow_deinit() in
 * both cases. */
static bool lint_follow_init(struct linting *linting)
{
	const struct cfi *cfi = linting->world->cfi;

	linting->judge.known = calloc(cfi->fde_count + 1, sizeof(*linting->judge.known));
	linting->judge.deferrals = &linting->deferrals;
	if (linting->judge.known && lint_judge_init(&linting->judge))
		return true;
	flow_lack(linting->world, "an image's instructions");
	return false;
}

static void lint_follow_deinit(struct linting *linting)
{
	lint_judge_deinit(&linting->judge);
	free(linting->calls);
	free(linting->uncovered.address);
	free(linting->entered.address);
	free(linting->open.address);
	free(linting->fragments.address);
	free(linting->tails.address);
	free(linting->judge.known);
	lint_framed_deinit(&linting->framed);
	lint_handlers_deinit(&linting->handlers);
	lint_ends_deinit(&linting->ends);
	lint_crossings_deinit(&linting->crossings);
	lint_deferrals_deinit(&linting->deferrals);
	lint_inners_deinit(&linting->inners);
	lint_middle_deinit(&linting->middle);
}

/* ==== an image, or what an object file was made to ========================================== */

/*
 * Its functions are followed, once; and once more if some were seen not to preserve what callees do
 * (flow_world_learn()), of which those that call them did not know. What was found is told when nothing is learned any
 * more.
 */

/* All that leads into an FDE is known now. */
static void count_fdes(struct linting *linting)
{
	const struct cfi *cfi = linting->world->cfi;
	const bool tell = linting->judge.watch->judged != NULL;

	for (size_t i = 0; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];
		struct lint_sum *sum = &known_at(linting, i)->sum;
		struct flow_fragment *fragment;
		bool asked = tell && (!linting->judge.watch->judged_of_mismatches || sum->met ||
				      sum->fde.outcome == FLOW_ROW_MISMATCH);

		if (!sum->made)
			continue;
		fragment = sum->met || asked ? flow_fragment_of(linting->world, fde, NULL) : NULL;
		if (fragment)
			lint_judge_fde(&linting->judge, fragment, asked, sum);
		flow_fragment_destroy(fragment);
		lint_judge_count(&linting->judge, sum);
	}
}

static void tell(struct linting *linting)
{
	struct lint_judge *judge = &linting->judge;

	lint_judge_tell(judge);
	lint_framed_decide(&linting->framed, judge);
	lint_handlers_decide(&linting->handlers, judge);
	count_fdes(linting);
	/* Without CFI there are no gaps, and who makes an address is not known: lint_uncovered.c */
	if (linting->world->cfi->section->data)
		lint_kept_find(linting->world, lint_follow_kept, linting);
	lint_addresses_sort(&linting->uncovered);
	lint_uncovered_tell(judge, &linting->uncovered);
	lint_extent_check(judge);
	lint_judge_search_table(judge);
	if (!linting->world->object)
		lint_sections_check(judge);
}

/* *quiet: points are told once nothing is learned any more. Returns whether nothing was told yet. */
static bool lint_once(struct flow_world *world, const struct lint_watch *watch, bool *quiet,
		      bool last, struct lint_counts *ret)
{
	static const struct lint_watch nobody = { .finding = NULL };
	struct linting linting = {
		.world = world,
		.judge = { .world = world,
			   .watch = *quiet ? &nobody : watch,
			   .holds = true,
			   .counts = ret },
	};
	bool again = false;

	memset(ret, 0, sizeof(*ret));
	lint_follow_watch(&linting);
	if (lint_follow_init(&linting))
		lint_follow(&linting);
	if (flow_lacks(world)) {
		/* Nothing is told at all. */
	} else if (!last && flow_world_learn(world)) {
		again = true;
	} else if (*quiet) {
		again = true;
		*quiet = false;
	} else {
		tell(&linting);
	}
	lint_follow_deinit(&linting);
	return again;
}

int lint_image(const struct cfi *cfi, const struct object *object, const struct lint_watch *watch,
	       struct lint_counts *ret, struct error *error)
{
	struct flow_world world;
	bool again = !flow_world_init(&world, cfi, object, error);
	bool quiet = watch->point != NULL;

	if (again)
		flow_world_note(&world);
	for (int round = 0; again && !flow_lacks(&world); round++)
		again = lint_once(&world, watch, &quiet, round >= FLOW_LEARNED_ROUNDS_MAX, ret);
	flow_world_deinit(&world);
	return error->code == ERROR_NONE ? 0 : -1;
}
