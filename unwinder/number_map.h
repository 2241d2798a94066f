/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * number_map.h - numbers by key, where the keys lie somewhere else
 *
 * What is interned (rules, shapes, states) lies in arrays and has a number there. The map knows
 * hashes and numbers only; the caller compares. Number 0 is none. The harness uses it, too.
 */
#ifndef STACKPROOF_NUMBER_MAP_H
#define STACKPROOF_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_map_slot {
	uint32_t hash; /* the low half of the key's */
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

/* Room for half as many numbers as capacity, a power of two. False: no memory. */
bool number_map_reserve(struct number_map *map, uint32_t capacity);

/* Goes on from hash, 0 at first. */
uint64_t number_hash(uint64_t hash, const void *data, size_t size);
/* The number's place for a hash: calls equal(context, number) for numbers whose hashes have the same
 * low half. A place that holds 0 is new, and counted: the caller fills it. NULL: no memory. */
typedef bool (*number_equal_fn)(void *context, uint32_t number);
uint32_t *number_map_find(struct number_map *map, uint64_t hash, number_equal_fn equal,
			  void *context);
/* The number of that hash that is equal, 0 if there is none. */
uint32_t number_map_get(const struct number_map *map, uint64_t hash, number_equal_fn equal,
			void *context);
/* Gives its memory back, as far as it is the heap's; it is empty then. */
void number_map_deinit(struct number_map *map);

#endif
