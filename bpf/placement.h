/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * placement.h - where the tables of all images lie in the arrays that the walk reads
 */
#ifndef STACKPROOF_PLACEMENT_H
#define STACKPROOF_PLACEMENT_H

#include "walk/address_space.h"
#include "walk.h"

struct placement_extent {
	uint32_t first, count; /* numbers */
};

/* One array: memory that somebody else owns, of capacity numbers, of which used are taken. */
struct placement_array {
	void *memory;
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

/* Zero-initialise, then set memory (zeroed: placement_bytes()) and capacity of each array. */
struct placement {
	struct placement_array array[PLACEMENT_COUNT];
	struct placed_image *image; /* private: by image_entry.id */
	size_t image_count, placed_count;
	uint64_t clock; /* of releases */
};

/* How many array values hold capacity numbers, and the bytes of one. */
uint32_t placement_values(enum placement_kind kind, uint32_t capacity);
size_t placement_value_bytes(enum placement_kind kind);
/*
 * Fills in where the tables of the mapping's image are, which are copied into the arrays if they
 * are not there yet. ret is what mapping_for_walk() gave. What is referenced stays as it was, and
 * the image is, from now on, once more: placement_release(). ERROR_TABLE_LIMIT: an array is full of
 * images that are referenced; nothing is placed then.
 */
int placement_add(struct placement *placement, const struct image_entry *entry,
		  struct walk_mapping *ret, struct error *error);
/* No walk that begins or is under way reads the image by this reference. Without any it stays
 * where it is until there is no room for another one. */
void placement_release(struct placement *placement, uint32_t id);
void placement_deinit(struct placement *placement);

#endif
