/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_addresses.c - addresses that were met, to be looked at in order later
 *
 * The same one is often met several times: it is kept once, when they are sorted.
 */
#include <stdlib.h>
#include "array.h"
#include "lint_addresses.h"

void lint_addresses_add(struct lint_addresses *list, uint64_t address)
{
	if (!ARRAY_GROW(list->address, list->count)) {
		list->no_memory = true;
		return;
	}
	list->address[list->count++] = address;
}

void lint_addresses_sort(struct lint_addresses *list)
{
	size_t kept = 0;

	if (!list->count)
		return;
	qsort(list->address, list->count, sizeof(*list->address), array_order_u64);
	for (size_t i = 0; i < list->count; i++)
		if (!i || list->address[i] != list->address[i - 1])
			list->address[kept++] = list->address[i];
	list->count = kept;
}

size_t lint_addresses_from(const struct lint_addresses *list, uint64_t pc)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list->address[middle] < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool lint_addresses_has(const struct lint_addresses *list, uint64_t pc, size_t *ret)
{
	size_t number = lint_addresses_from(list, pc);

	if (number == list->count || list->address[number] != pc)
		return false;
	if (ret)
		*ret = number;
	return true;
}
