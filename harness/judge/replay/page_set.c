/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * page_set.c - pages by their address
 */
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "page_set.h"

static uint64_t page_of(uint64_t address)
{
	return address & ~(uint64_t)(PAGE_SET_PAGE - 1);
}

/* The first page that is not before address. */
static size_t position(const struct page_set *set, uint64_t address)
{
	return ARRAY_BEFORE(set->count, i, set->page[i].address < address);
}

uint8_t *page_set_find(struct page_set *set, uint64_t address)
{
	address = page_of(address);
	if (set->last >= set->count || set->page[set->last].address != address)
		set->last = position(set, address);
	if (set->last >= set->count || set->page[set->last].address != address)
		return NULL;
	return set->page[set->last].bytes;
}

bool page_set_add(struct page_set *set, uint64_t address, uint8_t *bytes)
{
	size_t at = position(set, page_of(address));

	if (set->count == PAGE_SET_MAX || !ARRAY_GROW(set->page, set->count))
		return false;
	memmove(&set->page[at + 1], &set->page[at], (set->count - at) * sizeof(*set->page));
	set->page[at] = (struct page) { .address = page_of(address), .bytes = bytes };
	set->count++;
	return true;
}

uint8_t *page_set_take(struct page_set *set, uint64_t address)
{
	uint8_t *bytes = page_set_find(set, address);

	if (!bytes)
		return NULL;
	set->count--;
	memmove(&set->page[set->last], &set->page[set->last + 1],
		(set->count - set->last) * sizeof(*set->page));
	return bytes;
}

void page_set_deinit(struct page_set *set)
{
	free(set->page);
	*set = (struct page_set) { 0 };
}
