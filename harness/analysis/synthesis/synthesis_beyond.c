/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_beyond.c - code behind calls that may be another function's
 *
 * Whether a call returns is not always to be seen (git's die() calls a pointer). Where it does not, compilers
 * put what they like behind it: the next function, at an address that functions are aligned to; and behind
 * the pieces of functions that are run rarely, which they don't align, the next piece. Only a symbol that
 * says where the function ends, and a callee that is seen to return, say that it is the
 * function's own: the symbol only if nothing contradicts, for a landing pad that nobody knows may lie there. Nor is
 * another function likely at an address that is not aligned, but -Os aligns none: something there must say so, too.
 * Else harness/analysis/flow/flow_beyond.c finds out.
 */
#include <search.h>
#include <stdlib.h>
#include "array.h"
#include "analysis/flow/flow.h"
#include "analysis/flow/flow_image.h"
#include "synthesis.h"

enum flow_whose synthesis_beyond(struct flow_callees *callees, const struct synthesis_range *from,
				 bool entered, const struct synthesis_range *to, uint64_t pc,
				 uint64_t callee)
{
	if (!from || !to || (from != to && (from->sized || to->sized || to->entered || to->taken)))
		return FLOW_ANOTHERS;
	if (callee && flow_certainly_returns(callees, callee))
		return FLOW_OWN;
	if (from->sized)
		return FLOW_SUPPOSED_OWN;
	return from == to && entered && pc % FLOW_FUNCTION_ALIGNMENT ? FLOW_LIKELY_OWN
								     : FLOW_PERHAPS_OWN;
}

/* ---- where ways end --------------------------------------------------------------------------- */

int synthesis_ends_add(struct synthesis_ends *ends, const struct flow *flow, struct error *error)
{
	for (size_t i = 0; i < flow->after.count; i++) {
		const uint64_t pc = flow->after.code[i].pc;
		uint64_t *end;

		if (flow->after.code[i].own || tfind(&pc, &ends->root, array_order_u64))
			continue;
		end = malloc(sizeof(*end));
		if (end)
			*end = pc;
		if (!end || !tsearch(end, &ends->root, array_order_u64)) {
			free(end);
			return error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
		}
	}
	return 0;
}

bool synthesis_ends_has(const struct synthesis_ends *ends, uint64_t pc)
{
	return tfind(&pc, &ends->root, array_order_u64) != NULL;
}

void synthesis_ends_deinit(struct synthesis_ends *ends)
{
	tdestroy(ends->root, free);
	ends->root = NULL;
}
