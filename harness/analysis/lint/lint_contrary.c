/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_contrary.c - findings that the other of two ways contradicts
 *
 *	f:	test edi, edi
 *		jz 1f
 *		sub rsp, 64		; no directive
 *	1:	nop			; wrong by the room: SP001
 *		test edi, edi		; as before
 *		jz 2f
 *		add rsp, 64
 *	2:	ret			; right: who comes from the addition has made the room
 *
 * Where two ways meet and one is accused, what the other brings goes on (flow.c). It goes on by all branches, those
 * too that only the accused one takes, and is wrong there in its turn. The accused way is followed by itself
 * (lint_aside.c). If a row that was found wrong behind the meeting is right for it, somebody comes there for whom it is
 * right but for what was said of him before, and perhaps nobody else does: it is unproven. So it is where a second
 * fault makes up for the first; the function is accused of the first.
 *
 * Of two meetings in a loop each is behind the other: the one that was found first contradicts, and whoever is
 * contradicted contradicts nobody.
 */
#include <stdlib.h>
#include "array.h"
#include "lint_contrary.h"

void lint_contrary_note(struct lint_contrary *contrary, uint64_t pc, bool right)
{
	lint_addresses_add(right ? &contrary->right : &contrary->wrong, pc);
}

void lint_contrary_note_step(struct lint_contrary *contrary, const struct flow_part *part,
			     uint64_t from, uint64_t to, const struct flow_state *state)
{
	const struct row *row = flow_part_row(part, to);
	struct flow_row_verdict verdict;

	if (!row)
		return;
	flow_row_check(row, to, state, part->agreed, &verdict);
	if (verdict.outcome != FLOW_ROW_PROVEN)
		return;
	if (ARRAY_GROW(contrary->edge, contrary->edge_count))
		contrary->edge[contrary->edge_count++] = (struct lint_right_edge) { from, to };
	else
		contrary->no_memory = true;
}

/* Some are right, and none is wrong. */
static bool are_right(const struct lint_contrary *contrary, uint64_t begin, uint64_t end)
{
	return lint_addresses_has(&contrary->right, begin, NULL) &&
	       lint_addresses_from(&contrary->wrong, begin) ==
		       lint_addresses_from(&contrary->wrong, end);
}

static bool is_right_edge(const struct lint_contrary *contrary, uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < contrary->edge_count; i++)
		if (contrary->edge[i].from == from && contrary->edge[i].to == to)
			return true;
	return false;
}

static bool is_contradicted(const struct lint_contrary *contrary,
			    const struct lint_finding *finding)
{
	if (finding->id > LINT_OVERWRITTEN && finding->id != LINT_LOST)
		return false;
	return finding->from ? is_right_edge(contrary, finding->from, finding->pc)
			     : are_right(contrary, finding->pc, finding->pc_end);
}

void lint_contrary_take_back(struct lint_contrary *contrary, struct lint_judge *judge,
			     size_t number)
{
	struct lint_findings *held = &judge->held;

	lint_addresses_sort(&contrary->right);
	lint_addresses_sort(&contrary->wrong);
	if (contrary->no_memory || contrary->right.no_memory || contrary->wrong.no_memory)
		return;
	for (; number < held->count; number++) {
		struct lint_finding *finding = held->finding[number];

		if (!finding || !is_contradicted(contrary, finding))
			continue;
		lint_judge_excuse(judge, finding->pc,
				  finding->from ? finding->pc + 1 : finding->pc_end);
		free(finding);
		held->finding[number] = NULL;
	}
}

void lint_contrary_deinit(struct lint_contrary *contrary)
{
	free(contrary->right.address);
	free(contrary->wrong.address);
	free(contrary->edge);
}
