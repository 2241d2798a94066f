/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_aside.c - ways that end where others go on, for what they bring is not what the row says
 *
 *	f:	test edi, edi
 *		je 1f
 *		push rax		; no directive
 *	1:	nop			; wrong by the push: SP001
 *		call g			; as wrong
 *
 * Two ways meet, and only one brings what is declared: that one's goes on, for else the function's end would be
 * accused of what is wrong once. The other way's mistake was said where they meet; or it is none, if a call never
 * returns that may, or a jump table has no such entry. But what lies behind is proven for one of both alone. So the
 * other is followed from there by itself, and accuses nobody: where rows are wrong for it they are unproven. Since
 * they are from its begin on, a wrong row behind a call or a table's entry says nothing of whether anybody comes there
 * (flow.doubtful).
 *
 * The same holds of a part of a function that another one leads to with a frame of its own: a way out that both
 * share (lint_stray.c), as linkers make one by folding identical code; or what a function falls into that has no
 * end.
 */
#include <stdlib.h>
#include "array.h"
#include "lint_aside.h"
#include "lint_contrary.h"

bool lint_asides_add(struct lint_asides *asides, const struct lint_aside *aside)
{
	if (asides->count == LINT_ASIDES_MAX)
		return false;
	if (!ARRAY_GROW(asides->aside, asides->count)) {
		asides->no_memory = true;
		return false;
	}
	asides->aside[asides->count++] = *aside;
	return true;
}

static int follow(struct lint_judge *judge, struct flow *flow, uint64_t pc,
		  const struct flow_state *state, struct error *error)
{
	return flow_follow(flow, pc, state, error) ? -1
						   : lint_judge_flow(judge, flow, false, error);
}

/* What such a way leads to is no evidence of anything. */
struct flow_world lint_aside_world(const struct flow_world *world)
{
	struct flow_world ret = *world;

	ret.uncovered = NULL;
	ret.called = NULL;
	ret.tail_called = NULL;
	ret.framed = ret.continued = NULL;
	ret.jumped = NULL;
	ret.reached = NULL;
	return ret;
}

/* Of all that was met, what was summed up before is to be summed up again. */
static void note_met(const struct flow *flow, struct lint_sum *sum)
{
	for (size_t i = 0; i < flow->part_count; i++)
		sum[flow->part[i]->fde - flow->world->cfi->fde].met = true;
}

int lint_aside_follow(const struct lint_aside *aside, struct lint_judge *judge,
		      const struct flow_world *world, bool whole, struct lint_sum *sum,
		      struct error *error)
{
	const struct cfi_fde *fde = cfi_fde_find(world->cfi, aside->pc);
	struct flow_world own = lint_aside_world(world);
	struct flow_part *part = NULL;
	struct flow flow;
	enum flow_reason reason;
	int result;

	if (fde && flow_part_of(&own, fde, &part, &reason, error))
		return -1;
	if (!part)
		return 0;
	flow_init(&flow, &own, part);
	flow.function = aside->function;
	flow.doubtful = true;
	judge->doubtful = true;
	judge->why_doubtful = aside->why;
	result = whole ? lint_judge_take_back(judge, world->decoder, part, FLOW_VALUE_UNKNOWN,
					      error)
		       : follow(judge, &flow, aside->pc, &aside->state, error);
	judge->doubtful = false;
	note_met(&flow, sum);
	flow_deinit(&flow);
	return result;
}

/* One that is accused may say that others are not to be. */
static int follow_one(const struct lint_aside *aside, struct lint_judge *judge,
		      const struct flow_world *world, bool whole, struct lint_sum *sum,
		      struct error *error)
{
	struct lint_contrary contrary = { .edge_count = 0 };
	bool accused = aside->accused && judge->held.finding[aside->accused - 1];
	int result;

	judge->contrary = accused && !whole ? &contrary : NULL;
	result = lint_aside_follow(aside, judge, world, whole, sum, error);
	if (!result && judge->contrary)
		lint_contrary_take_back(&contrary, judge, aside->accused);
	judge->contrary = NULL;
	lint_contrary_deinit(&contrary);
	return result;
}

int lint_asides_follow(struct lint_asides *asides, struct lint_judge *judge,
		       const struct flow_world *world, struct lint_sum *sum, struct error *error)
{
	int result = 0;

	for (size_t i = 0; !result && i < asides->count; i++)
		result = follow_one(&asides->aside[i], judge, world, i + 1 == LINT_ASIDES_MAX, sum,
				    error);
	if (asides->count)
		lint_findings_pack(&judge->held);
	asides->count = 0;
	if (!result && asides->no_memory)
		result = error_set(error, ERROR_MEMORY, NULL, 0, "ways through a function");
	return result;
}

void lint_asides_deinit(struct lint_asides *asides)
{
	free(asides->aside);
}
