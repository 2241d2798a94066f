/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_wrong.c - functions whose rows are wrong, or say too little
 *
 * A function of .debug_frame with a row that is wrong (a mismatch of lint) is followed as if it had none, and
 * what its code proves takes the place of what was declared. Where nothing is proven, the row that
 * was there stays.
 *
 * Go's assembly changes stacks and its rows go on as before, by an rsp that nobody can follow; and none of
 * Go's rows says where rbp is, so that no CFA can be counted from it further down. So of Go's functions all are
 * followed that use a register, or of which lint can't prove each row.
 *
 * Rows of .eh_frame are not replaced: exceptions are thrown by them, and a run-time finds them first.
 */
#include <stdlib.h>
#include "array.h"
#include "flow/flow_names.h"
#include "synthesis/synthesis.h"

struct search {
	const struct cfi *cfi;
	struct synthesis_ranges *ranges;
	bool go;
	bool no_memory;
};

static void ignore_finding(void *context, const struct lint_finding *finding)
{
}

static bool is_debug(const struct cfi *cfi, const struct cfi_fde *fde)
{
	return cfi->cie[fde->cie].section == &cfi->image->debug_frame;
}

static void add(struct search *search, const struct cfi_fde *fde)
{
	struct synthesis_ranges *ranges = search->ranges;

	if (!ARRAY_GROW(ranges->range, ranges->count)) {
		search->no_memory = true;
		return;
	}
	ranges->range[ranges->count++] =
		(struct synthesis_range) { .begin = fde->pc_begin,
					   .end = fde->pc_begin + fde->pc_range,
					   .entered = true,
					   .sized = true,
					   .replaces = fde,
					   .go = search->go };
}

static void judged(void *context, const struct lint_fde *fde)
{
	struct search *search = context;
	const struct cfi_fde *found = cfi_fde_find(search->cfi, fde->begin);

	if (!found || found->pc_begin != fde->begin || !is_debug(search->cfi, found))
		return;
	if (fde->outcome == FLOW_ROW_MISMATCH ||
	    (search->go && (fde->outcome == FLOW_ROW_UNPROVEN || fde->unruled)) ||
	    synthesis_restorer_bytes(search->cfi->image, fde->begin))
		add(search, found);
}

int synthesis_wrong_find(const struct cfi *cfi, struct synthesis_ranges *ret, struct error *error)
{
	struct search search = { .cfi = cfi, .ranges = ret, .go = flow_is_go(cfi->image) };
	const struct lint_watch watch = { .finding = ignore_finding,
					  .fde = judged,
					  .context = &search };
	struct lint_counts counts;
	bool any = false;

	for (size_t i = 0; i < cfi->by_pc_count && !any; i++)
		any = is_debug(cfi, &cfi->fde[cfi->by_pc[i]]);
	if (!any || cfi->overlapping)
		return 0;
	if (lint_image(cfi, &watch, &counts, error))
		return -1;
	return search.no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "functions") : 0;
}
