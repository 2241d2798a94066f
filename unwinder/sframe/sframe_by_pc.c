/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * sframe_by_pc.c - functions in order of PC, and the function of a PC
 *
 * The index says that it is sorted, or it does not; it is looked at in either case. Functions that share code are no
 * business of a table, but linkers that don't know the format leave those of discarded code behind, at any address.
 * reach[i] is how far the first i + 1 functions reach: where none before reaches, none has to be looked at.
 */
#include <stdlib.h>
#include "array.h"
#include "sframe.h"

static int compare(const void *a, const void *b, void *context)
{
	const struct sframe_function *function = context;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (function[left].pc_begin != function[right].pc_begin)
		return function[left].pc_begin < function[right].pc_begin ? -1 : 1;
	return left < right ? -1 : left > right;
}

static uint64_t end_of(const struct sframe *sframe, size_t index)
{
	const struct sframe_function *function = &sframe->function[sframe->by_pc[index]];

	return function->pc_begin + function->pc_range;
}

static int find_overlaps(struct sframe *sframe, struct error *error)
{
	bool overlapping = false;
	uint64_t end = 0;

	for (size_t i = 0; i < sframe->by_pc_count; i++) {
		overlapping |= sframe->function[sframe->by_pc[i]].pc_begin < end;
		end = end_of(sframe, i) > end ? end_of(sframe, i) : end;
	}
	if (!overlapping)
		return 0;
	sframe->reach = malloc(sframe->by_pc_count * sizeof(*sframe->reach));
	if (!sframe->reach)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for functions");
	end = 0;
	for (size_t i = 0; i < sframe->by_pc_count; i++) {
		end = end_of(sframe, i) > end ? end_of(sframe, i) : end;
		sframe->reach[i] = end;
	}
	return 0;
}

int sframe_order(struct sframe *sframe, struct error *error)
{
	bool sorted = true;
	uint64_t last = 0;

	sframe->by_pc = malloc((sframe->function_count + 1) * sizeof(*sframe->by_pc));
	if (!sframe->by_pc)
		return error_set(error, ERROR_MEMORY, NULL, 0, "no memory for functions");
	for (size_t i = 0; i < sframe->function_count; i++) {
		if (!sframe->function[i].pc_range)
			continue;
		sorted &= sframe->function[i].pc_begin >= last;
		last = sframe->function[i].pc_begin;
		sframe->by_pc[sframe->by_pc_count++] = (uint32_t)i;
	}
	if (!sorted)
		qsort_r(sframe->by_pc, sframe->by_pc_count, sizeof(*sframe->by_pc), compare,
			sframe->function);
	return find_overlaps(sframe, error);
}

const struct sframe_function *sframe_function_find(const struct sframe *sframe, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(sframe->by_pc_count, i,
				  sframe->function[sframe->by_pc[i]].pc_begin <= pc);

	for (; low; low--) {
		if (end_of(sframe, low - 1) > pc)
			return &sframe->function[sframe->by_pc[low - 1]];
		if (!sframe->reach || sframe->reach[low - 1] <= pc)
			break;
	}
	return NULL;
}

uint64_t sframe_next_begin(const struct sframe *sframe, uint64_t pc)
{
	size_t low = ARRAY_BEFORE(sframe->by_pc_count, i,
				  sframe->function[sframe->by_pc[i]].pc_begin <= pc);

	return low < sframe->by_pc_count ? sframe->function[sframe->by_pc[low]].pc_begin
					 : UINT64_MAX;
}
