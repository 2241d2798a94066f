/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * page_set.h - pages of memory by their address
 */
#ifndef STACKPROOF_PAGE_SET_H
#define STACKPROOF_PAGE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_SET_PAGE 4096u
#define PAGE_SET_MAX  65536u /* pages: 256 MiB of stacks */

struct page_set {
	struct page {
		uint64_t address;
		uint8_t *bytes; /* the caller's to make and to free */
	} * page;		/* sorted by address */
	size_t count;
	size_t last; /* index of the page found last */
};

/* In all three, address is any address in the page. */
/* The page's bytes, or NULL. */
uint8_t *page_set_find(struct page_set *set, uint64_t address);
/* Adds a page that is not in the set. False: no memory, or already PAGE_SET_MAX pages. */
bool page_set_add(struct page_set *set, uint64_t address, uint8_t *bytes);
/* Removes the page and returns its bytes, or NULL. */
uint8_t *page_set_take(struct page_set *set, uint64_t address);
/* Does not free the pages' bytes. */
void page_set_deinit(struct page_set *set);

#endif
