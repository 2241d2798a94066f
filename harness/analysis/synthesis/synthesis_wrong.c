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
 * Of a function of .eh_frame only the rows are replaced that lint says are wrong, where the code proves others.
 * In a copy of the file they are not: exceptions are thrown by them, and a run-time finds them first.
 */
#include <stdlib.h>
#include "array.h"
#include "analysis/flow/flow_callees.h"
#include "synthesis.h"

struct search {
	const struct cfi *cfi;
	struct synthesis_ranges *ranges;
	struct synthesis_wrong *wrong;
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
					   .called = true,
					   .sized = true,
					   .replaces = fde,
					   .loaded = !is_debug(search->cfi, fde),
					   .go = search->go && is_debug(search->cfi, fde) };
}

static void judged(void *context, const struct lint_fde *fde)
{
	struct search *search = context;
	const struct cfi_fde *found = cfi_fde_find(search->cfi, fde->begin);

	if (!found || found->pc_begin != fde->begin)
		return;
	if (!is_debug(search->cfi, found)) {
		if (fde->outcome == FLOW_ROW_MISMATCH)
			add(search, found);
		return;
	}
	if (fde->outcome == FLOW_ROW_MISMATCH ||
	    (search->go && (fde->outcome == FLOW_ROW_UNPROVEN || fde->unruled)) ||
	    synthesis_restorer_bytes(search->cfi->image, fde->begin))
		add(search, found);
}

static void judged_instruction(void *context, uint64_t pc, enum flow_outcome outcome,
			       enum flow_reason reason)
{
	struct search *search = context;
	struct synthesis_wrong *wrong = search->wrong;

	if (outcome != FLOW_ROW_MISMATCH)
		return;
	if (ARRAY_GROW(wrong->pc, wrong->count))
		wrong->pc[wrong->count++] = pc;
	else
		search->no_memory = true;
}

bool synthesis_wrong_has(const struct synthesis_wrong *wrong, uint64_t pc)
{
	return wrong->count && bsearch(&pc, wrong->pc, wrong->count, sizeof(pc), array_order_u64);
}

int synthesis_wrong_find(const struct cfi *cfi, const struct object *object,
			 struct synthesis_ranges *ret, struct synthesis_wrong *ret_wrong,
			 struct error *error)
{
	struct search search = {
		.cfi = cfi, .ranges = ret, .wrong = ret_wrong, .go = flow_is_go(cfi->image)
	};
	const struct lint_watch watch = { .finding = ignore_finding,
					  .fde = judged,
					  .judged = judged_instruction,
					  .judged_of_mismatches = true,
					  .context = &search };
	struct lint_counts counts;

	if (!cfi->by_pc_count || cfi->overlapping)
		return 0;
	if (object ? lint_object(cfi, object, &watch, &counts, error)
		   : lint_image(cfi, &watch, &counts, error))
		return -1;
	if (ret_wrong->count)
		qsort(ret_wrong->pc, ret_wrong->count, sizeof(*ret_wrong->pc), array_order_u64);
	return search.no_memory ? error_set(error, ERROR_MEMORY, NULL, 0, "functions") : 0;
}
