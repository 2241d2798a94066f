/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * placement.c - copy tables into the arrays that the walk reads
 *
 * The tables of all images lie one after the other in five arrays. An image gets its place in each
 * the first time a process maps it, and keeps it: a walk may be reading. What is written for the
 * next image never changes what a published one says.
 *
 * Page numbers are rewritten, from entries of the table to entries of the array. The two differ by
 * more than a base, because a page's entries must not straddle two chunks: where they would, the
 * rest of the chunk is filled with copies of the last entry. The copies belong to the last page
 * that has entries, and change nothing in it: they are the last entries not above an offset
 * wherever that entry is. A page without entries has the number of the next page that has some, as
 * in the table, so that page[p] == page[p + 1] still says that p has none.
 */
#include <stdlib.h>
#include <string.h>
#include "placement.h"

/* Where an image's table lies: its first number in each array. */
struct placed_image {
	bool placed;
	uint32_t first[PLACEMENT_COUNT];
};

static const struct {
	const char *name;
	uint32_t shift; /* numbers in a value: a power of two */
	size_t bytes;
} kinds[PLACEMENT_COUNT] = {
	[PLACEMENT_PAGES] = { "pages", WALK_PAGE_SHIFT, sizeof(struct walk_page_chunk) },
	[PLACEMENT_ENTRIES] = { "entries", WALK_ENTRY_SHIFT, sizeof(struct walk_entry_chunk) },
	[PLACEMENT_SHAPES] = { "shape rows", WALK_SHAPE_SHIFT, sizeof(struct walk_shape_chunk) },
	[PLACEMENT_RULES] = { "rules", WALK_RULE_SHIFT, sizeof(struct walk_rule_chunk) },
	[PLACEMENT_PLACES] = { "places", 0, sizeof(struct table_place) },
};

uint32_t placement_values(enum placement_kind kind, uint32_t capacity)
{
	return ((uint64_t)capacity + (1u << kinds[kind].shift) - 1) >> kinds[kind].shift;
}

size_t placement_value_bytes(enum placement_kind kind)
{
	return kinds[kind].bytes;
}

/* ---- writing one number ----------------------------------------------------------------- */

/* Each chunk repeats its neighbours' numbers that are next to it. */
static void put_page(struct placement_array *array, uint32_t number, uint32_t value)
{
	struct walk_page_chunk *chunk = array->memory;
	uint32_t at = number & (WALK_CHUNK_PAGES - 1);

	chunk += number >> WALK_PAGE_SHIFT;
	chunk->page[at + 1] = value;
	if (at == 0 && number)
		chunk[-1].page[WALK_CHUNK_PAGES + 1] = value;
	if (at == WALK_CHUNK_PAGES - 1 && number + 1 < array->capacity)
		chunk[1].page[0] = value;
}

static void put_entry(struct placement_array *array, uint32_t entry)
{
	struct walk_entry_chunk *chunk = array->memory;
	uint32_t at = array->used & (WALK_CHUNK_ENTRIES - 1);

	chunk += array->used >> WALK_ENTRY_SHIFT;
	chunk->entry[at + 1] = entry;
	array->used++;
	if (at == WALK_CHUNK_ENTRIES - 1 && array->used < array->capacity)
		chunk[1].entry[0] = entry;
}

static void put_shape_row(struct placement_array *array, uint16_t row)
{
	struct walk_shape_chunk *chunk = array->memory;
	uint32_t at = array->used & (WALK_CHUNK_ROWS - 1);

	chunk += array->used >> WALK_SHAPE_SHIFT;
	chunk->row[at] = row;
	if (at < WALK_SHAPE_OVERLAP && array->used >= WALK_CHUNK_ROWS)
		chunk[-1].row[WALK_CHUNK_ROWS + at] = row;
	array->used++;
}

/* ---- placing an image ------------------------------------------------------------------- */

static int full(enum placement_kind kind, uint32_t capacity, const char *path, struct error *error)
{
	return error_set(error, ERROR_TABLE_LIMIT, "", 0,
			 "the session's %u %s have no room for the table of %s", capacity,
			 kinds[kind].name, path);
}

/* Pages and entries. The number behind the last page, and behind the last entry, is a number too:
 * the walk may look for the entry before it. */
static int place_pages(struct placement *placement, const struct table *table, const char *path,
		       struct error *error)
{
	struct placement_array *pages = &placement->array[PLACEMENT_PAGES];
	struct placement_array *entries = &placement->array[PLACEMENT_ENTRIES];
	uint32_t last = 0, empty = pages->used;

	for (uint32_t p = 0; p < table->page_count; p++) {
		uint32_t count = table->page[p + 1] - table->page[p];
		uint32_t rest = WALK_CHUNK_ENTRIES - (entries->used & (WALK_CHUNK_ENTRIES - 1));
		uint32_t padding = count > rest ? rest : 0;

		if (!count)
			continue;
		if (padding >= entries->capacity - entries->used ||
		    count >= entries->capacity - entries->used - padding)
			return full(PLACEMENT_ENTRIES, entries->capacity, path, error);
		while (padding--)
			put_entry(entries, last);
		for (; empty <= pages->used + p; empty++) /* this page, and those without entries */
			put_page(pages, empty, entries->used);
		for (uint32_t i = 0; i < count; i++)
			put_entry(entries, table->entry[table->page[p] + i]);
		last = table->entry[table->page[p] + count - 1];
	}
	for (; empty <= pages->used + table->page_count; empty++)
		put_page(pages, empty, entries->used);
	pages->used += table->page_count + 1;
	return 0;
}

static int has_room(const struct placement *placement, enum placement_kind kind, uint32_t wanted,
		    const char *path, struct error *error)
{
	const struct placement_array *array = &placement->array[kind];

	return wanted > array->capacity - array->used ? full(kind, array->capacity, path, error)
						      : 0;
}

static void copy(struct placement_array *array, const void *from, uint32_t count, size_t size)
{
	if (count)
		memcpy((char *)array->memory + array->used * size, from, count * size);
	array->used += count;
}

static int place_image(struct placement *placement, const struct image_entry *entry,
		       struct error *error)
{
	struct placement_array *array = placement->array;
	struct placed_image *placed = &placement->image[entry->id];
	const struct table *table = entry->table;
	const char *path = entry->image->path;
	uint32_t entries = array[PLACEMENT_ENTRIES].used;

	if (has_room(placement, PLACEMENT_PAGES, table->page_count + 1, path, error) ||
	    has_room(placement, PLACEMENT_SHAPES, table->shape_count, path, error) ||
	    has_room(placement, PLACEMENT_RULES, table->rule_count, path, error) ||
	    has_room(placement, PLACEMENT_PLACES, table->place_count, path, error))
		return -1;
	/* Behind a full array there is no number, even for an image that needs none. */
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		bool is_full = array[kind].used && array[kind].used == array[kind].capacity;

		placed->first[kind] = array[kind].used - is_full;
	}
	if (place_pages(placement, table, path, error)) {
		array[PLACEMENT_ENTRIES].used = entries;
		return -1;
	}
	for (uint32_t i = 0; i < table->shape_count; i++)
		put_shape_row(&array[PLACEMENT_SHAPES], table->shape[i]);
	/* A chunk of rules is nothing but its rules, so the array is one of rules, too. */
	copy(&array[PLACEMENT_RULES], table->rule, table->rule_count, sizeof(*table->rule));
	copy(&array[PLACEMENT_PLACES], table->place, table->place_count, sizeof(*table->place));
	placed->placed = true;
	return 0;
}

int placement_add(struct placement *placement, const struct image_entry *entry,
		  struct walk_mapping *ret, struct error *error)
{
	const struct placed_image *placed;

	if (entry->id >= placement->image_count) {
		size_t count = (size_t)entry->id * 2 + 16;
		struct placed_image *grown = realloc(placement->image, count * sizeof(*grown));

		if (!grown)
			return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
		memset(grown + placement->image_count, 0,
		       (count - placement->image_count) * sizeof(*grown));
		placement->image = grown;
		placement->image_count = count;
	}
	placed = &placement->image[entry->id];
	if (!placed->placed && place_image(placement, entry, error))
		return -1;
	ret->first_page += placed->first[PLACEMENT_PAGES];
	ret->first_entry = placed->first[PLACEMENT_ENTRIES];
	ret->first_shape = placed->first[PLACEMENT_SHAPES];
	ret->first_rule = placed->first[PLACEMENT_RULES];
	ret->first_place = placed->first[PLACEMENT_PLACES];
	return 0;
}

void placement_deinit(struct placement *placement)
{
	free(placement->image);
	placement->image = NULL;
	placement->image_count = 0;
}
