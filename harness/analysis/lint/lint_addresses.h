/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * lint_addresses.h - addresses that were met, to be looked at in order later
 */
#ifndef STACKPROOF_LINT_ADDRESSES_H
#define STACKPROOF_LINT_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeros are an empty one; whose address is the owner's to free. */
struct lint_addresses {
	uint64_t *address;
	size_t count;
	bool no_memory; /* some are missing */
};

void lint_addresses_add(struct lint_addresses *list, uint64_t address);
/* In ascending order, each once. */
void lint_addresses_sort(struct lint_addresses *list);
/* Of a sorted one, the number of the first address that is not before pc. */
size_t lint_addresses_from(const struct lint_addresses *list, uint64_t pc);
/* Of a sorted one: pc is in it. *ret: its number; NULL: nobody asks. */
bool lint_addresses_has(const struct lint_addresses *list, uint64_t pc, size_t *ret);

#endif
