/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_end.c - functions that say from their begin on that they have no caller
 *
 * Where a process begins that is so, and where a thread does behind `clone`. So it is where a pointer leads that
 * only a thread or a coroutine begins with. The code doesn't show which of them a function is, and so its rows are
 * unproven. But a function that a `call` leads to has a caller then: if nothing else enters it, no jump and nobody
 * who keeps its address, its rows are wrong as long as the return address is in its word.
 *
 * Go's runtime says so of functions that it calls, and means it: its stacks end there (TOPFRAME).
 */
#include <stdlib.h>
#include <string.h>
#include "lint_begin.h"
#include "lint_end.h"
#include "lint_kept.h"

/* Where a program will begin that an object file is linked into. */
#define START		 "_start"
#define THREAD_BYTES_MAX 256 /* of the function that makes a thread, up to where that begins */

static bool has_start(const struct image *image, uint64_t pc)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);

	for (size_t i = 0; i < count; i++)
		if (symbol[i].pc == pc && !strcmp(symbol[i].name, START))
			return true;
	return false;
}

static bool is_first(const struct flow_world *world, uint64_t pc)
{
	const struct image *image = world->cfi->image;

	return pc == world->first || pc == image->entry || (!image->entry && has_start(image, pc));
}

/* The code before it makes a new thread, which goes on there. glibc's clone has no FDE from its system call on
 * up to here; so that code is passed as it stands in memory. */
static bool begins_thread(const struct flow_world *world, uint64_t pc)
{
	const struct cfi_fde *before = lint_begin_before(world->cfi, pc);
	const uint8_t *bytes = NULL;
	struct flow_state state, taken;
	struct code code;

	if (before && pc - before->pc_begin <= THREAD_BYTES_MAX)
		bytes = image_bytes(world->cfi->image, before->pc_begin, pc - before->pc_begin);
	if (!bytes)
		return false;
	flow_state_enter(&state);
	for (uint64_t at = before->pc_begin; at < pc; at += code.length) {
		bool begins;

		code_decode(world->decoder, at, bytes + (at - before->pc_begin), pc - at, &code);
		if (!code.length)
			return false;
		flow_state_copy(&taken, &state);
		flow_effect_branch(&taken, code.condition, true);
		if (code.flow == CODE_BRANCH && code.target == pc)
			return taken.thread == FLOW_THREAD_NEW;
		begins = flow_thread_begins(&code, &state);
		flow_effect(&state, &code, (uint32_t)(at - before->pc_begin));
		if (code.flow == CODE_BRANCH)
			flow_effect_branch(&state, code.condition, false);
		if (code.flow == CODE_CALL || code.flow == CODE_CALL_INDIRECT)
			flow_state_call(&state);
		if (begins)
			flow_thread_begin(&state);
	}
	return false;
}

bool lint_end_is(const struct flow_world *world, const struct flow_part *part)
{
	const struct row *row = flow_part_row(part, part->begin);

	return row && !row->signal_frame && row->reg[REGISTER_RIP].kind == RULE_UNDEFINED &&
	       !is_first(world, part->begin) && !begins_thread(world, part->begin);
}

static void note_kept(void *context, uint64_t pc)
{
	struct lint_ends *ends = context;

	ends->kept[lint_addresses_from(&ends->begin, pc)] = true;
}

int lint_ends_decide(struct lint_ends *ends, const struct cfi *cfi, struct code_decoder *decoder,
		     struct error *error)
{
	lint_addresses_sort(&ends->begin);
	if (!ends->begin.count)
		return 0;
	ends->kept = calloc(ends->begin.count, sizeof(*ends->kept));
	if (!ends->kept || ends->begin.no_memory || ends->first.no_memory)
		return error_set(error, ERROR_MEMORY, NULL, 0, "addresses of functions");
	return lint_kept_which(cfi, decoder, &ends->begin, note_kept, ends, error);
}

bool lint_end_is_unkept(const struct lint_ends *ends, uint64_t pc)
{
	size_t number;

	return lint_addresses_has(&ends->begin, pc, &number) && !ends->kept[number];
}

enum lint_end lint_end_of(const struct lint_ends *ends, uint64_t pc, bool is_called)
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
	const struct flow_part *part = flow->part[0];

	return flow->function != flow->world->first && part->row_count &&
	       (judge->end == LINT_END_CALLED ||
		part->row[0].reg[REGISTER_RIP].kind != RULE_UNDEFINED);
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
	const struct value *word = flow_word_on_top(state);

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
		   (judge->end != LINT_END_FIRST && lint_end_is(flow->world, flow->part[0]))) {
		judge_end(judge, flow, state, verdict);
	}
}

void lint_ends_deinit(struct lint_ends *ends)
{
	free(ends->begin.address);
	free(ends->kept);
	free(ends->first.address);
}
