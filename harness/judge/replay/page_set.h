/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * page_set.h - pages by their address: what a recording's memory is made of
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
	size_t last; /* found */
};

/* The page's bytes, or NULL. address: anywhere in it. */
uint8_t *page_set_find(struct page_set *set, uint64_t address);
/* Adds a page that is not there. False: no memory, or PAGE_SET_MAX. */
bool page_set_add(struct page_set *set, uint64_t address, uint8_t *bytes);
/* Takes the page out and gives its bytes, or NULL. */
uint8_t *page_set_take(struct page_set *set, uint64_t address);
/* What is left of the pages is the caller's affair. */
void page_set_deinit(struct page_set *set);

#endif
