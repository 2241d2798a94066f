/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_change.c - from one row to the next, as call frame instructions
 *
 * Both ways to write rows down say changes only: DWARF's instructions (5, 6.4.2) and an assembler's
 * directives. An FDE begins with its CIE's row, as all compilers of x86-64 write it.
 */
#include "synthesis.h"

static const struct synthesis_row initial = {
	.cfa_register = REGISTER_RSP,
	.cfa_offset = 8,
	.place[SYNTHESIS_COLUMNS - 1] = { .kind = SYNTHESIS_AT_CFA, .offset = -8 },
};

static bool change_cfa(const struct synthesis_row *from, const struct synthesis_row *to,
		       struct synthesis_change *ret)
{
	*ret = (struct synthesis_change) { .kind = CHANGE_DEF_CFA,
					   .reg = to->cfa_register,
					   .offset = to->cfa_offset };
	if (to->cfa_loaded) {
		ret->kind = CHANGE_DEF_CFA_LOADED;
		return !from->cfa_loaded || from->cfa_register != to->cfa_register ||
		       from->cfa_offset != to->cfa_offset;
	}
	if (from->cfa_loaded || from->cfa_offset < 0 || to->cfa_offset < 0)
		return from->cfa_loaded || from->cfa_register != to->cfa_register ||
		       from->cfa_offset != to->cfa_offset;
	if (from->cfa_register == to->cfa_register)
		ret->kind = CHANGE_DEF_CFA_OFFSET;
	else if (from->cfa_offset == to->cfa_offset)
		ret->kind = CHANGE_DEF_CFA_REGISTER;
	return from->cfa_register != to->cfa_register || from->cfa_offset != to->cfa_offset;
}

static struct synthesis_change change_place(uint8_t column, const struct synthesis_place *to)
{
	static const enum synthesis_change_kind kinds[] = {
		[SYNTHESIS_SAME] = CHANGE_RESTORE,
		[SYNTHESIS_AT_CFA] = CHANGE_OFFSET,
		[SYNTHESIS_AT_REGISTER] = CHANGE_AT_REGISTER,
		[SYNTHESIS_IN_REGISTER] = CHANGE_REGISTER,
		[SYNTHESIS_LOST] = CHANGE_UNDEFINED,
	};

	return (struct synthesis_change) { kinds[to->kind], column, to->reg, to->offset };
}

size_t synthesis_changes(const struct synthesis_row *from, const struct synthesis_row *to,
			 struct synthesis_change ret[SYNTHESIS_CHANGES_MAX])
{
	size_t count = 0;

	if (!from)
		from = &initial;
	if (change_cfa(from, to, &ret[0]))
		count++;
	for (int i = 0; i < SYNTHESIS_COLUMNS; i++) {
		const struct synthesis_place *a = &from->place[i], *b = &to->place[i];

		if (a->kind != b->kind || a->reg != b->reg || a->offset != b->offset)
			ret[count++] = change_place(synthesis_register[i], b);
	}
	return count;
}
