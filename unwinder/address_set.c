/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * address_set.c - addresses by number, and numbers by address: number_map.h has no keys of its own
 */
#include "address_set.h"
#include "array.h"

#define CAPACITY_AT_FIRST 64 /* many sets are small */

struct sought {
	const struct address_set *set;
	uint64_t address;
};

static bool is_sought(void *context, uint32_t number)
{
	const struct sought *sought = context;

	return sought->set->address[number - 1] == sought->address;
}

static uint64_t hash(uint64_t address)
{
	return number_hash(0, &address, sizeof(address));
}

uint32_t address_set_find(const struct address_set *set, uint64_t address)
{
	struct sought sought = { set, address };

	return number_map_get(&set->map, hash(address), is_sought, &sought);
}

uint32_t address_set_add(struct address_set *set, uint64_t address)
{
	struct sought sought = { set, address };
	uint32_t *number = NULL;

	if (number_map_reserve(&set->map, CAPACITY_AT_FIRST))
		number = number_map_find(&set->map, hash(address), is_sought, &sought);
	if (!number)
		return 0;
	if (!*number && ARRAY_ADD(set->address, set->count, address))
		*number = set->count;
	return *number;
}

void address_set_deinit(struct address_set *set)
{
	free(set->address);
	number_map_deinit(&set->map);
	*set = (struct address_set) { 0 };
}
