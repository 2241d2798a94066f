/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_way.c - what is thought of a way behind an instruction
 *
 * A way is weak behind a call that may never come back, and unsure where perhaps nobody goes: neither
 * accuses (lint_flow.h).
 */
#include "lint/lint_flow.h"

/* Padding changes nothing: where the row does, the code behind it is another block's. */
static bool ends_block(const struct lint_part *part, const struct code *padding)
{
	const struct row *row = lint_part_row(part, padding->pc);
	const struct row *next = lint_part_row(part, padding->pc + padding->length);

	return row && next && !row_equal(row, next);
}

void lint_way_pass(struct lint_way *way, const struct lint_part *part, const struct code *code)
{
	way->from = code->pc;
	/* Padding behind a call that perhaps doesn't come back is no better than it, and a jump
	 * there is none of the program's. */
	if (!code->is_padding) {
		way->weak = code->flow == CODE_CALL || code->flow == CODE_CALL_INDIRECT;
		way->callee = code->flow == CODE_CALL ? code->target : 0;
	} else if (ends_block(part, code))
		way->unsure = true;
}
