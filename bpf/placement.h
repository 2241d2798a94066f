/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * placement.h - where the tables of all images lie in the arrays that the walk reads
 */
#ifndef STACKPROOF_PLACEMENT_H
#define STACKPROOF_PLACEMENT_H

#include "unwinder.h"
#include "walk.h"

/* One array: memory that somebody else owns, of capacity numbers, of which used are taken. */
struct placement_array {
	void *memory;
	uint32_t used, capacity;
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
	size_t image_count;
};

/* How many array values hold capacity numbers, and the bytes of one. */
uint32_t placement_values(enum placement_kind kind, uint32_t capacity);
size_t placement_value_bytes(enum placement_kind kind);
/*
 * Fills in where the tables of the mapping's image are, which are copied into the arrays if they are
 * not there yet. ret is what mapping_for_walk() gave. What was placed before stays as it was.
 * ERROR_TABLE_LIMIT: an array is full; nothing is placed then.
 */
int placement_add(struct placement *placement, const struct image_entry *entry,
		  struct walk_mapping *ret, struct error *error);
void placement_deinit(struct placement *placement);

#endif
