/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * address_set.h - a set of addresses, which have numbers in the order in which they came, from 1
 *
 * What is known of each may lie in an array of the caller's, by its number.
 */
#ifndef STACKPROOF_ADDRESS_SET_H
#define STACKPROOF_ADDRESS_SET_H

#include "number_map.h"

/* Zero-initialise. */
struct address_set {
	uint64_t *address; /* of number 1, 2, ... */
	uint32_t count;
	struct number_map map;
};

/* The number of an address; 0: it is not in the set. */
uint32_t address_set_find(const struct address_set *set, uint64_t address);
/* The same; one that is not in the set is added. 0: no memory. */
uint32_t address_set_add(struct address_set *set, uint64_t address);
/* The set is then empty. */
void address_set_deinit(struct address_set *set);

#endif
