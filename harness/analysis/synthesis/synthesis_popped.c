/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * synthesis_popped.c - images whose functions keep to another convention than the psABI's
 *
 * V8's builtins take their arguments off the stack, and preserve no register but rbp. One that is seen to do
 * the former (flow/flow_popped.c) says it of the image: from then on a function without CFI is believed to
 * keep to the psABI only if all of its own ways do, and what a computed call leads to is not believed at all.
 * Where an FDE is, or a stub of a PLT, a compiler was that does.
 *
 * What is known of a function rests on what is known of those that it calls. So all functions are followed
 * again until nothing is less than before.
 */
#include <search.h>
#include <stdlib.h>
#include "synthesis.h"

static int compare(const void *left, const void *right)
{
	const struct synthesis_callee *a = left, *b = right;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static const struct synthesis_callee *find(const struct synthesis_popped *popped, uint64_t begin)
{
	const struct synthesis_callee key = { .begin = begin };
	void *found = tfind(&key, &popped->root, compare);

	return found ? *(struct synthesis_callee **)found : NULL;
}

static int add(struct synthesis_popped *popped, const struct synthesis_callee *callee,
	       struct error *error)
{
	struct synthesis_callee *own = malloc(sizeof(*own));

	if (own) {
		*own = *callee;
		if (tsearch(own, &popped->root, compare))
			return 0;
		free(own);
	}
	return error_set(error, ERROR_MEMORY, NULL, 0, "functions without CFI");
}

int synthesis_popped_note(struct synthesis_popped *popped, uint64_t begin, const struct flow *flow,
			  bool leaves, struct error *error)
{
	const struct synthesis_callee callee = {
		.begin = begin,
		.popped = leaves ? FLOW_POPPED_UNKNOWN : flow->found.popped,
		.keeps = !leaves && !flow->found.popped && !flow->found.breaks_convention,
	};
	struct synthesis_callee *known = (struct synthesis_callee *)find(popped, begin);

	popped->any |= flow->found.pops;
	if (!known) {
		popped->changed = true;
		return add(popped, &callee, error);
	}
	if (known->popped != callee.popped && known->popped != FLOW_POPPED_UNKNOWN) {
		known->popped = FLOW_POPPED_UNKNOWN;
		popped->changed = true;
	}
	if (known->keeps && !callee.keeps) {
		known->keeps = false;
		popped->changed = true;
	}
	return 0;
}

bool synthesis_popped_again(struct synthesis_popped *popped)
{
	bool again = popped->any && (popped->changed || !popped->believed);

	popped->believed = popped->any;
	popped->changed = false;
	return again && popped->rounds < SYNTHESIS_POPPED_ROUNDS_MAX && ++popped->rounds;
}

bool synthesis_popped_is_strange(const struct synthesis_popped *popped, uint64_t begin,
				 uint32_t *ret_popped)
{
	/* In the last round nothing is believed. */
	const struct synthesis_callee *callee = popped->rounds < SYNTHESIS_POPPED_ROUNDS_MAX
							? find(popped, begin)
							: NULL;

	*ret_popped = callee ? callee->popped : FLOW_POPPED_UNKNOWN;
	return !callee || !callee->keeps;
}

void synthesis_popped_deinit(struct synthesis_popped *popped)
{
	tdestroy(popped->root, free);
	popped->root = NULL;
}
