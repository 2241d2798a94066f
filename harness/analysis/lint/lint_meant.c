/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_meant.c - branches that lead where compilers hold that nobody comes
 *
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
 * Is the way meant? Who knows that the register was saved brings it back. So the way is followed on from there: if it
 * returns on some way with all that callees preserve, or comes to where a row is right for it, the one that is wrong is
 * the CFI's fault. If it only comes to calls that never return, or returns without, the code agrees with the row, and
 * nothing shows that anybody comes.
 */
#include "lint_aside.h"
#include "lint_meant.h"

/* An unconditional jump, a call and a landing pad's way are meant: no compiler writes one to what it holds to be
 * unreachable. */
static bool may_be_none(const struct flow *flow, const struct flow_edge *edge)
{
	struct flow_part *part = flow_known_part(flow, edge->from);
	const struct code *code = part ? flow_part_code(part, flow->world->decoder, edge->from)
				       : NULL;

	return (edge->verdict.fault == FLOW_NOT_SAVED || edge->verdict.fault == FLOW_OVERWRITTEN) &&
	       code &&
	       (code->flow == CODE_BRANCH ||
		(code->flow == CODE_NEXT && code->pc + code->length == edge->to));
}

struct trial {
	uint64_t to; /* where it begins */
	bool righted;
};

static void note_step(void *context, const struct flow_part *part, uint64_t from, uint64_t to,
		      const struct flow_state *state)
{
	struct trial *trial = context;
	const struct row *row = to == trial->to ? NULL : flow_part_row(part, to);
	struct flow_row_verdict verdict;

	if (!row || trial->righted)
		return;
	flow_row_check(row, to, state, part->agreed, &verdict);
	trial->righted = verdict.outcome == FLOW_ROW_PROVEN;
}

/* False, too, without memory: nobody is accused then. */
static bool comes_home(struct flow *flow, const struct flow_edge *edge)
{
	struct trial trial = { .to = edge->to };
	const struct flow_visitor visitor = { .step = note_step, .context = &trial };
	struct error error;

	return !flow_follow(flow, edge->to, edge->state, &error) &&
	       !flow_visit(flow, &visitor, &error) &&
	       (flow->found.returns_well || flow->found.calls_home || trial.righted);
}

bool lint_edge_is_meant(const struct flow *flow, const struct flow_edge *edge)
{
	struct flow_world world = lint_aside_world(flow->world);
	const struct cfi_fde *fde = cfi_fde_find(world.cfi, edge->to);
	struct flow_part *part = NULL;
	enum flow_reason reason;
	struct error error;
	struct flow on;
	bool ret;

	if (!may_be_none(flow, edge))
		return true;
	if (!fde || flow_part_of(&world, fde, &part, &reason, &error) || !part)
		return false;
	flow_init(&on, &world, part);
	on.function = flow->function;
	on.doubtful = true;
	ret = comes_home(&on, edge);
	flow_deinit(&on);
	return ret;
}
