/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * number_map.h - a hash table from keys to numbers, which does not hold the keys
 *
 * Interned objects (rules, shapes, states) lie in the caller's arrays, and are known by their numbers
 * there. The map has hashes and numbers only; the caller compares. Number 0 means none.
 */
#ifndef STACKPROOF_NUMBER_MAP_H
#define STACKPROOF_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_map_slot {
	uint32_t hash; /* the low half of the key's hash */
	uint32_t number;
};

struct scratch;

/* Zero-initialise. */
struct number_map {
	struct number_map_slot *slot;
	uint32_t count;
	uint32_t capacity;	 /* a power of two, or 0 */
	struct scratch *scratch; /* where the slots lie; NULL: on the heap */
};

/* Sets the capacity, a power of two: room for half as many numbers. False: no memory. */
bool number_map_reserve(struct number_map *map, uint32_t capacity);

/* Adds size bytes to a hash, which is 0 at first. */
uint64_t number_hash(uint64_t hash, const void *data, size_t size);
/* The slot of a key. equal(context, number) says whether the object of that number is the key; it is called for
 * numbers whose hashes have the same low half. A slot that holds 0 is new and already counted; the caller
 * fills it. Valid until the next call. NULL: no memory. */
typedef bool (*number_equal_fn)(void *context, uint32_t number);
uint32_t *number_map_find(struct number_map *map, uint64_t hash, number_equal_fn equal,
			  void *context);
/* The number of a key, or 0 if there is none. */
uint32_t number_map_get(const struct number_map *map, uint64_t hash, number_equal_fn equal,
			void *context);
/* Frees the slots, if they are on the heap. The map is then empty. */
void number_map_deinit(struct number_map *map);

#endif
