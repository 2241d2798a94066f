/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_extent.c - FDEs that reach beyond their function
 *
 * How long a function is, its symbol says (.size). Assembly may have one FDE for several functions
 * on purpose, symbols may be too short, and another name may stand in the middle of a function. So an FDE
 * that covers more than its function is not wrong yet. It is
 *
 *	where the other function has an FDE of its own: one address then has two
 *	where the other function is followed from its begin, and the rows are not its rows
 *	where the code ends, or where the file has nothing
 *
 * One that begins in a segment that is not executable is accused of nothing: whoever maps the file may make code of
 * what lies there, as rr does of a page that the file has for reading alone. It is counted (gate/gate_image.c).
 */
#include <elf.h>
#include <inttypes.h>
#include "lint_extent.h"

static bool is_function(const struct image_symbol *symbol)
{
	return (symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC) && symbol->size;
}

/* The first symbol at pc or behind it. */
static size_t symbol_from(const struct image_symbol *symbol, size_t count, uint64_t pc)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbol[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Where the FDE's own function ends, by the longest of its symbols; 0: no function begins there. */
static uint64_t own_end(const struct image *image, const struct cfi_fde *fde)
{
	size_t count;
	const struct image_symbol *symbol = image_symbols(image, &count);
	uint64_t end = 0;

	for (size_t i = symbol_from(symbol, count, fde->pc_begin);
	     i < count && symbol[i].pc == fde->pc_begin; i++)
		if (is_function(&symbol[i]) && symbol[i].pc + symbol[i].size > end)
			end = symbol[i].pc + symbol[i].size;
	return end;
}

/* The next function in the FDE from pc on, behind the end of its own. */
static const struct image_symbol *next_function(const struct cfi *cfi,
						const struct flow_callees *callees,
						const struct cfi_fde *fde, uint64_t pc)
{
	uint64_t end = own_end(cfi->image, fde), fde_end = fde->pc_begin + fde->pc_range;
	size_t count;
	const struct image_symbol *symbol = image_symbols(cfi->image, &count);

	if (!end)
		return NULL;
	for (size_t i = symbol_from(symbol, count, pc > end ? pc : end);
	     i < count && symbol[i].pc < fde_end; i++)
		if (is_function(&symbol[i]) && !flow_is_fragment(callees, symbol[i].pc))
			return &symbol[i];
	return NULL;
}

uint64_t lint_extent_beyond(const struct cfi *cfi, const struct flow_callees *callees,
			    const struct cfi_fde *fde, uint64_t pc)
{
	const struct image_symbol *symbol;

	for (; (symbol = next_function(cfi, callees, fde, pc)); pc = symbol->pc + 1)
		if (symbol->binding != STB_LOCAL && !cfi_fde_begins(cfi, symbol->pc))
			return symbol->pc;
	return 0;
}

/* ---- what is wrong ------------------------------------------------------------------------- */

static void tell(struct lint_judge *judge, const struct cfi_fde *fde, uint64_t pc, uint64_t pc_end,
		 const char *why, uint64_t where)
{
	struct lint_finding finding = {
		.id = LINT_BEYOND, .pc = pc, .pc_end = pc_end, .function = fde->pc_begin
	};

	snprintf(finding.declared, sizeof(finding.declared),
		 "an FDE of %" PRIu64 " bytes from 0x%" PRIx64, fde->pc_range, fde->pc_begin);
	snprintf(finding.actual, sizeof(finding.actual), why, where);
	lint_judge_report(judge, &finding);
}

/* One finding for an FDE: the first function that it is not for. */
static void check_functions(struct lint_judge *judge, const struct flow_callees *callees,
			    const struct cfi_fde *fde)
{
	const struct cfi *cfi = judge->cfi;
	uint64_t pc = fde->pc_begin, fde_end = fde->pc_begin + fde->pc_range;
	const struct image_symbol *symbol;

	for (; (symbol = next_function(cfi, callees, fde, pc)); pc = symbol->pc + 1) {
		uint64_t end = symbol->pc + symbol->size;

		if (cfi_fde_begins(cfi, symbol->pc)) {
			tell(judge, fde, symbol->pc, fde_end,
			     "its function ends at 0x%" PRIx64
			     ", here another begins that has an FDE",
			     own_end(cfi->image, fde));
			return;
		}
		if (lint_judge_is_wrong(judge, symbol->pc, end < fde_end ? end : fde_end)) {
			tell(judge, fde, symbol->pc, fde_end,
			     "its function ends at 0x%" PRIx64
			     ", here another begins that has other rows",
			     own_end(cfi->image, fde));
			return;
		}
	}
}

/* any: executable or not. */
static bool in_segment(const struct image *image, uint64_t pc, bool any)
{
	for (size_t i = 0; i < image->segment_count; i++)
		if ((any || image->segment[i].executable) &&
		    pc - image->segment[i].vaddr < image->segment[i].memory_bytes)
			return true;
	return false;
}

/* The segment's end that the FDE passes, 0 if none. */
static uint64_t passed_end(const struct image *image, const struct cfi_fde *fde)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segment[i];
		uint64_t end = segment->vaddr + segment->memory_bytes;

		if (segment->executable && fde->pc_begin >= segment->vaddr && fde->pc_begin < end &&
		    fde->pc_range > end - fde->pc_begin)
			return in_segment(image, end, false) ? 0 : end;
	}
	return 0;
}

static void check_code(struct lint_judge *judge, const struct object *object,
		       const struct cfi_fde *fde)
{
	const struct image *image = judge->cfi->image;
	const struct object_section *section = object ? object_section_find(object, fde->pc_begin)
						      : NULL;
	uint64_t end = 0;

	if (object && !section)
		return; /* of what the file doesn't have */
	if (!in_segment(image, fde->pc_begin, true))
		tell(judge, fde, fde->pc_begin, fde->pc_begin + fde->pc_range, "no code is there",
		     0);
	if (!in_segment(image, fde->pc_begin, false))
		return;
	if (!section)
		end = passed_end(image, fde);
	else if (fde->pc_range > section->vaddr + section->size - fde->pc_begin)
		end = section->vaddr + section->size;
	if (end)
		tell(judge, fde, fde->pc_begin, end, "the code ends at 0x%" PRIx64, end);
}

/* Nothing is said of what nobody executes. Where the file has nothing at all, something is wrong. */
static bool is_no_code(const struct image *image, const struct cfi_fde *fde)
{
	return in_segment(image, fde->pc_begin, true) && !in_segment(image, fde->pc_begin, false);
}

static void check_order(struct lint_judge *judge)
{
	const struct cfi *cfi = judge->cfi;

	for (size_t i = 1; i < cfi->by_pc_count; i++) {
		const struct cfi_fde *before = &cfi->fde[cfi->by_pc[i - 1]];
		const struct cfi_fde *fde = &cfi->fde[cfi->by_pc[i]];

		if (fde->pc_begin < before->pc_begin + before->pc_range &&
		    !is_no_code(cfi->image, fde))
			lint_judge_overlap(judge, before, fde);
	}
}

void lint_extent_check(struct lint_judge *judge, const struct flow_callees *callees,
		       const struct object *object)
{
	check_order(judge);
	for (size_t i = 0; i < judge->cfi->by_pc_count; i++) {
		const struct cfi_fde *fde = &judge->cfi->fde[judge->cfi->by_pc[i]];

		if (!is_no_code(judge->cfi->image, fde))
			check_functions(judge, callees, fde);
		check_code(judge, object, fde);
	}
}
