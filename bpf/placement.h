/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * placement.h - places the tables of images in the arrays that the walk reads
 */
#ifndef STACKPROOF_PLACEMENT_H
#define STACKPROOF_PLACEMENT_H

#include "walk/address_space.h"
#include "walk.h"

struct placement_extent {
	uint32_t first, count; /* in numbers of elements */
};

/* An array of capacity elements, used of which are taken. Elements have numbers from 0 on. */
struct placement_array {
	void *memory; /* borrowed */
	uint32_t used, capacity;
	struct placement_extent *free; /* private: sorted, no two of them adjacent */
	size_t free_count, free_capacity;
};

enum placement_kind {
	PLACEMENT_PAGES,   /* struct walk_page_chunk */
	PLACEMENT_ENTRIES, /* struct walk_entry_chunk */
	PLACEMENT_SHAPES,  /* struct walk_shape_chunk */
	PLACEMENT_RULES,   /* struct walk_rule_chunk */
	PLACEMENT_PLACES,  /* struct table_place */
	PLACEMENT_COUNT,
};

/* Zero-initialise, then set each array's capacity and memory, which must be zeroed: placement_values() values of
 * placement_value_bytes() bytes. */
struct placement {
	struct placement_array array[PLACEMENT_COUNT];
	struct placed_image *image; /* private: by image_entry.id */
	size_t image_count, placed_count;
	uint64_t clock; /* counts releases */
};

/* How many values of a BPF array hold capacity elements, and the bytes of a value. */
uint32_t placement_values(enum placement_kind kind, uint32_t capacity);
size_t placement_value_bytes(enum placement_kind kind);
/*
 * Copies an image's tables into the arrays, unless they are there, and adds a reference to the image:
 * placement_release(). ret, from mapping_for_walk(), gets the tables' numbers. Tables of referenced images
 * never change. ERROR_TABLE_LIMIT: an array is full of referenced images; nothing was placed.
 */
int placement_add(struct placement *placement, const struct image_entry *entry,
		  struct walk_mapping *ret, struct error *error);
/* Removes a reference to the image with that image_entry.id; no walk may use it any more. An image without references
 * stays until another one needs its room. */
void placement_release(struct placement *placement, uint32_t id);
void placement_deinit(struct placement *placement);

#endif
