/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_enter.c - where an FDE is entered besides its begin
 *
 * One FDE may cover several functions: the stubs of a PLT, and assembly with one for all. What no way from
 * its begin leads to is followed from where a symbol, or the stubs' distance, says that another begins.
 */
#include <elf.h>
#include "cfi/code_name.h"
#include "analysis/flow/flow_callees.h"
#include "lint_enter.h"
#include "lint_extent.h"

int lint_enter_stubs(struct flow *flow, struct error *error)
{
	const struct flow_part *part = flow->part[0];

	for (uint64_t pc = part->begin; pc < part->end;) {
		struct code_name name;

		code_name_find(flow->world->cfi->image, flow->world->cfi, pc, &name);
		if (name.kind == CODE_STUB && name.start == pc && pc != part->begin &&
		    flow_enter(flow, pc, error))
			return -1;
		pc += 8; /* stubs are 8 or 16 bytes apart */
	}
	return 0;
}

int lint_enter_others(struct flow *flow, struct error *error)
{
	const struct flow_part *part = flow->part[0];
	uint64_t pc = part->begin;

	while ((pc = lint_extent_beyond(flow->world->cfi, flow->world->callees, part->fde, pc)))
		if (flow_enter(flow, pc++, error))
			return -1;
	return 0;
}

/* The number of the first symbol behind pc. */
static size_t symbol_behind(const struct image_symbol *symbol, size_t count, uint64_t pc)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (symbol[middle].pc <= pc)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

int lint_enter_functions(struct flow *flow, struct error *error)
{
	const struct flow_part *part = flow->part[0];
	size_t count;
	const struct image_symbol *symbol = image_symbols(flow->world->cfi->image, &count);

	for (size_t i = symbol_behind(symbol, count, part->begin);
	     i < count && symbol[i].pc < part->end; i++) {
		const struct row *row = flow_part_row(part, symbol[i].pc);

		if (symbol[i].type == STT_FUNC && !part->block_at[symbol[i].pc - part->begin] &&
		    cfi_fde_find(flow->world->cfi, symbol[i].pc) == part->fde && row &&
		    !row->signal_frame && flow_row_is_entry(row) &&
		    flow_enter(flow, symbol[i].pc, error))
			return -1;
	}
	return 0;
}
