/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * number_map.c - numbers by key: open addressing, linear probing, at most half full
 */
#include <stdlib.h>
#include <string.h>
#include "hash.h"
#include "number_map.h"
#include "scratch.h"

#define CAPACITY_AT_FIRST 256

/* All bits of the word count in the product's highest byte, which thus becomes the lowest: the
 * low bits choose the slot. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	return __builtin_bswap64((hash ^ word) * HASH_GOLDEN);
}

uint64_t number_hash(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *at = data;

	for (; size >= 8; at += 8, size -= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		hash = mix(hash, word);
	}
	if (size) {
		uint64_t word = 0;

		memcpy(&word, at, size);
		hash = mix(hash, word ^ (uint64_t)size << 56);
	}
	return hash;
}

bool number_map_reserve(struct number_map *map, uint32_t capacity)
{
	struct number_map_slot *slot;

	if (capacity <= map->capacity)
		return true;
	slot = map->scratch ? scratch_take(map->scratch, capacity * sizeof(*slot))
			    : calloc(capacity, sizeof(*slot));
	if (!slot)
		return false;
	for (uint32_t i = 0; i < map->capacity; i++) {
		uint32_t at = map->slot[i].hash & (capacity - 1);

		if (!map->slot[i].number)
			continue;
		while (slot[at].number)
			at = (at + 1) & (capacity - 1);
		slot[at] = map->slot[i];
	}
	if (!map->scratch)
		free(map->slot);
	map->slot = slot;
	map->capacity = capacity;
	return true;
}

uint32_t *number_map_find(struct number_map *map, uint64_t hash, number_equal_fn equal,
			  void *context)
{
	uint32_t at, low = (uint32_t)hash;

	if (map->count * 2 >= map->capacity &&
	    !number_map_reserve(map, map->capacity ? map->capacity * 2 : CAPACITY_AT_FIRST))
		return NULL;
	for (at = low & (map->capacity - 1); map->slot[at].number;
	     at = (at + 1) & (map->capacity - 1))
		if (map->slot[at].hash == low && equal(context, map->slot[at].number))
			return &map->slot[at].number;
	map->slot[at].hash = low;
	map->count++; /* the caller fills it, or gives up for want of memory */
	return &map->slot[at].number;
}

uint32_t number_map_get(const struct number_map *map, uint64_t hash, number_equal_fn equal,
			void *context)
{
	uint32_t low = (uint32_t)hash;

	if (!map->capacity)
		return 0;
	for (uint32_t at = low & (map->capacity - 1); map->slot[at].number;
	     at = (at + 1) & (map->capacity - 1))
		if (map->slot[at].hash == low && equal(context, map->slot[at].number))
			return map->slot[at].number;
	return 0;
}

void number_map_deinit(struct number_map *map)
{
	if (!map->scratch)
		free(map->slot);
	*map = (struct number_map) { .scratch = map->scratch };
}
