/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_taken.c - addresses that something keeps, and that may be functions
 *
 * A label's address is kept, too (computed goto, jump tables of absolute addresses). So one that code was
 * seen to reach is none, and neither is one that compilers would not align a function to. What
 * is left may still be a label: whoever follows it must see it return as a function does.
 * Where it does not, it has cut the function around it in two for nothing. So all that is
 * called is followed first, and of what that reaches, by jump tables too, no address is told.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "analysis/flow/flow_part.h"
#include "analysis/flow/flow_image.h"
#include "synthesis.h"

int synthesis_taken_init(struct synthesis_taken *taken, const struct cfi *cfi, struct error *error)
{
	*taken = (struct synthesis_taken) { .cfi = cfi };
	if (flow_code_map_init(&taken->map, cfi->image, error))
		return -1;
	taken->reached = calloc(taken->map.size / 8 + 1, 1);
	if (!taken->reached)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for an image's code");
	flow_taken_words(cfi->image, synthesis_taken_add, taken);
	return 0;
}

void synthesis_taken_deinit(struct synthesis_taken *taken)
{
	flow_code_map_deinit(&taken->map);
	free(taken->reached);
	free(taken->address);
	free(taken->led);
	memset(taken, 0, sizeof(*taken));
}

void synthesis_taken_reach(struct synthesis_taken *taken, uint64_t pc)
{
	const size_t at = flow_code_map_at(&taken->map, pc);

	if (at != FLOW_CODE_NONE)
		taken->reached[at / 8] |= (uint8_t)(1u << at % 8);
}

static bool is_reached(const struct synthesis_taken *taken, uint64_t pc)
{
	const size_t at = flow_code_map_at(&taken->map, pc);

	return at == FLOW_CODE_NONE || taken->reached[at / 8] & 1u << at % 8;
}

void synthesis_taken_add(void *context, uint64_t pc)
{
	struct synthesis_taken *taken = context;

	if (is_reached(taken, pc) || cfi_fde_find(taken->cfi, pc) ||
	    (taken->count && taken->address[taken->count - 1] == pc))
		return;
	if (!ARRAY_GROW(taken->address, taken->count)) {
		taken->no_memory = true;
		return;
	}
	taken->address[taken->count++] = pc;
}

static bool may_be(const struct synthesis_taken *taken, struct code_decoder *decoder, uint64_t pc)
{
	return !is_reached(taken, pc) && flow_taken_may_begin(taken->cfi->image, decoder, pc);
}

bool synthesis_taken_left(const struct synthesis_taken *taken, struct code_decoder *decoder)
{
	for (size_t i = 0; i < taken->count; i++)
		if (may_be(taken, decoder, taken->address[i]))
			return true;
	return false;
}

void synthesis_taken_tell(struct synthesis_taken *taken, struct code_decoder *decoder,
			  flow_taken_fn fn, void *context)
{
	for (size_t i = 0; i < taken->count; i++)
		if (may_be(taken, decoder, taken->address[i]))
			fn(context, taken->address[i]);
	taken->count = 0;
}
