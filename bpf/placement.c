/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * placement.c - copy tables into the arrays that the walk reads
 *
 * The tables of all images lie in five arrays, each in one piece of each array. An image gets its
 * place the first time a process maps it, and keeps it for as long as it is referenced: a walk may
 * be reading. What is written for the next image never changes what a referenced one says. One that
 * is not referenced any more stays, for programs come again, until there is no room for another:
 * then those that have been without a reference for longest leave.
 *
 * Page numbers are rewritten, from entries of the table to entries of the array. The two differ by
 * more than a base, because a page's entries must not straddle two chunks: where they would, the
 * rest of the chunk is filled with copies of the last entry. The copies belong to the last page
 * that has entries, and change nothing in it: they are the last entries not above an offset
 * wherever that entry is. A page without entries has the number of the next page that has some, as
 * in the table, so that page[p] == page[p + 1] still says that p has none.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "array.h"
#include "placement.h"

/* Where an image's table lies in each array. */
struct placed_image {
	bool placed;
	uint32_t references;
	uint64_t released; /* when the last one was given up */
	struct placement_extent at[PLACEMENT_COUNT];
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

#define NOWHERE UINT64_MAX

/* ---- room ------------------------------------------------------------------------------- */

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "", 0, "no memory for images");
}

/* So many free extents can be noted: images that leave never fail for want of memory. */
static int reserve(struct placement_array *array, size_t count, struct error *error)
{
	bool first = !array->free;

	if (!ARRAY_RESERVE(array->free, array->free_capacity, count))
		return no_memory(error);
	if (first)
		array->free[array->free_count++] = (struct placement_extent) { 0, array->capacity };
	return 0;
}

/* Of a free extent, but for the first `skip` numbers. */
static struct placement_extent take(struct placement_array *array, size_t number, uint32_t skip,
				    uint32_t count)
{
	struct placement_extent *extent = &array->free[number];
	struct placement_extent taken = { extent->first + skip, count };
	struct placement_extent rest = { taken.first + count, extent->count - skip - count };
	size_t parts = (skip > 0) + (rest.count > 0);

	extent->count = skip;
	memmove(extent + parts, extent + 1, (array->free_count - number - 1) * sizeof(*extent));
	array->free_count += parts;
	array->free_count--;
	if (rest.count)
		extent[skip > 0] = rest;
	array->used += count;
	return taken;
}

static void give_back(struct placement_array *array, const struct placement_extent *back)
{
	struct placement_extent *extent = array->free;
	size_t at = 0;

	if (!back->count)
		return;
	array->used -= back->count;
	while (at < array->free_count && extent[at].first < back->first)
		at++;
	if (at && extent[at - 1].first + extent[at - 1].count == back->first) {
		extent[--at].count += back->count;
	} else {
		memmove(&extent[at + 1], &extent[at], (array->free_count++ - at) * sizeof(*extent));
		extent[at] = *back;
	}
	if (at + 1 < array->free_count &&
	    extent[at].first + extent[at].count == extent[at + 1].first) {
		extent[at].count += extent[at + 1].count;
		array->free_count--;
		memmove(&extent[at + 1], &extent[at + 2],
			(array->free_count - at - 1) * sizeof(*extent));
	}
}

/* How many entries must be repeated so that `count` from number `at` on lie in one chunk. */
static uint32_t padding(uint32_t at, uint32_t count)
{
	uint32_t rest = WALK_CHUNK_ENTRIES - (at & (WALK_CHUNK_ENTRIES - 1));

	return count > rest ? rest : 0;
}

static uint32_t page_entries(const struct table *table, uint32_t p)
{
	return table->page[p + 1] - table->page[p];
}

/* Numbers of entries that a table takes which begins at one: with padding, and one more, for the
 * number behind the last entry is a number too: the walk may look for the entry before it.
 * NOWHERE: a page would have more than may be searched. */
static uint64_t wanted_entries(const struct table *table, uint32_t first)
{
	uint32_t last = 0;
	uint64_t at = first;

	if (table->entry_count <= WALK_CHUNK_ENTRIES - (first & (WALK_CHUNK_ENTRIES - 1)))
		return (uint64_t)table->entry_count + 1;
	for (uint32_t p = 0; p < table->page_count; p++) {
		uint32_t count = page_entries(table, p), more = padding(at, count);

		if (last + more > TABLE_PAGE_SIZE)
			return NOWHERE;
		last = count ? count : last;
		at += (uint64_t)more + count;
	}
	return at - first + 1;
}

static uint64_t wanted(const struct table *table, enum placement_kind kind, uint32_t first)
{
	switch (kind) {
	case PLACEMENT_PAGES: return (uint64_t)table->page_count + 1;
	case PLACEMENT_ENTRIES: return wanted_entries(table, first);
	case PLACEMENT_SHAPES: return table->shape_count;
	case PLACEMENT_RULES: return table->rule_count;
	case PLACEMENT_PLACES: return table->place_count;
	default: return 0;
	}
}

/* From some number on in free extent i. */
static bool fits(const struct placement_array *array, size_t i, uint32_t skip,
		 const struct table *table, enum placement_kind kind, uint64_t *ret_count)
{
	if (skip >= array->free[i].count)
		return false;
	*ret_count = wanted(table, kind, array->free[i].first + skip);
	return *ret_count <= array->free[i].count - skip;
}

/* The first extent that is large enough; where its beginning is no good, from the next chunk on.
 * An image that wants no number has number 0. */
static bool find_room(struct placement_array *array, const struct table *table,
		      enum placement_kind kind, struct placement_extent *ret)
{
	*ret = (struct placement_extent) { 0 };
	if (!wanted(table, kind, 0))
		return true;
	for (size_t i = 0; i < array->free_count; i++) {
		uint64_t count = 0;
		uint32_t skip = 0;

		if (!fits(array, i, 0, table, kind, &count)) {
			skip = WALK_CHUNK_ENTRIES -
			       (array->free[i].first & (WALK_CHUNK_ENTRIES - 1));
			if (count != NOWHERE || !fits(array, i, skip, table, kind, &count))
				continue;
		}
		*ret = take(array, i, skip, count);
		return true;
	}
	return false;
}

static void remove_image(struct placement *placement, struct placed_image *placed)
{
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		give_back(&placement->array[kind], &placed->at[kind]);
	placed->placed = false;
	placement->placed_count--;
}

/* False: each image is referenced. */
static bool remove_oldest(struct placement *placement)
{
	struct placed_image *oldest = NULL;

	for (size_t i = 0; i < placement->image_count; i++) {
		struct placed_image *image = &placement->image[i];

		if (image->placed && !image->references &&
		    (!oldest || image->released < oldest->released))
			oldest = image;
	}
	if (oldest)
		remove_image(placement, oldest);
	return oldest != NULL;
}

/* In each array, or in none. */
static int take_room(struct placement *placement, const struct image_entry *entry,
		     struct placed_image *placed, struct error *error)
{
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		struct placement_array *array = &placement->array[kind];

		while (!find_room(array, entry->table, kind, &placed->at[kind])) {
			if (remove_oldest(placement))
				continue;
			while (kind--)
				give_back(&placement->array[kind], &placed->at[kind]);
			return error_set(error, ERROR_TABLE_LIMIT, "", 0,
					 "the session's %u %s have no room for the table of %s",
					 array->capacity, kinds[array - placement->array].name,
					 entry->image->path);
		}
	}
	return 0;
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

static void put_entry(struct placement_array *array, uint32_t number, uint32_t entry)
{
	struct walk_entry_chunk *chunk = array->memory;
	uint32_t at = number & (WALK_CHUNK_ENTRIES - 1);

	chunk += number >> WALK_ENTRY_SHIFT;
	chunk->entry[at + 1] = entry;
	if (at == WALK_CHUNK_ENTRIES - 1 && number + 1 < array->capacity)
		chunk[1].entry[0] = entry;
}

static void put_shape_row(struct placement_array *array, uint32_t number, uint16_t row)
{
	struct walk_shape_chunk *chunk = array->memory;
	uint32_t at = number & (WALK_CHUNK_ROWS - 1);

	chunk += number >> WALK_SHAPE_SHIFT;
	chunk->row[at] = row;
	if (at < WALK_SHAPE_OVERLAP && number >= WALK_CHUNK_ROWS)
		chunk[-1].row[WALK_CHUNK_ROWS + at] = row;
}

/* ---- placing an image ------------------------------------------------------------------- */

static void place_pages(struct placement *placement, const struct table *table,
			const struct placed_image *placed)
{
	struct placement_array *pages = &placement->array[PLACEMENT_PAGES];
	struct placement_array *entries = &placement->array[PLACEMENT_ENTRIES];
	uint32_t first = placed->at[PLACEMENT_PAGES].first, empty = 0, last = 0;
	uint32_t at = placed->at[PLACEMENT_ENTRIES].first;

	for (uint32_t p = 0; p < table->page_count; p++) {
		uint32_t count = page_entries(table, p);

		if (!count)
			continue;
		for (uint32_t more = padding(at, count); more--;)
			put_entry(entries, at++, last);
		for (; empty <= p; empty++) /* this page, and those without entries */
			put_page(pages, first + empty, at);
		for (uint32_t i = 0; i < count; i++)
			put_entry(entries, at++, table->entry[table->page[p] + i]);
		last = table->entry[table->page[p] + count - 1];
	}
	for (; empty <= table->page_count; empty++)
		put_page(pages, first + empty, at);
}

static void copy(struct placement_array *array, const struct placement_extent *to, const void *from,
		 size_t size)
{
	if (to->count)
		memcpy((char *)array->memory + to->first * size, from, to->count * size);
}

static int place_image(struct placement *placement, const struct image_entry *entry,
		       struct error *error)
{
	struct placement_array *array = placement->array;
	struct placed_image *placed = &placement->image[entry->id];
	const struct table *table = entry->table;

	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		if (reserve(&array[kind], placement->placed_count + 2, error))
			return -1;
	if (take_room(placement, entry, placed, error))
		return -1;
	place_pages(placement, table, placed);
	for (uint32_t i = 0; i < table->shape_count; i++)
		put_shape_row(&array[PLACEMENT_SHAPES], placed->at[PLACEMENT_SHAPES].first + i,
			      table->shape[i]);
	/* A chunk of rules is nothing but its rules, so the array is one of rules, too. */
	copy(&array[PLACEMENT_RULES], &placed->at[PLACEMENT_RULES], table->rule,
	     sizeof(*table->rule));
	copy(&array[PLACEMENT_PLACES], &placed->at[PLACEMENT_PLACES], table->place,
	     sizeof(*table->place));
	placed->placed = true;
	placement->placed_count++;
	return 0;
}

int placement_add(struct placement *placement, const struct image_entry *entry,
		  struct walk_mapping *ret, struct error *error)
{
	struct placed_image *placed;

	if (entry->id >= placement->image_count) {
		size_t count = (size_t)entry->id * 2 + 16;
		struct placed_image *grown = realloc(placement->image, count * sizeof(*grown));

		if (!grown)
			return no_memory(error);
		memset(grown + placement->image_count, 0,
		       (count - placement->image_count) * sizeof(*grown));
		placement->image = grown;
		placement->image_count = count;
	}
	placed = &placement->image[entry->id];
	if (!placed->placed && place_image(placement, entry, error))
		return -1;
	placed->references++;
	ret->first_page += placed->at[PLACEMENT_PAGES].first;
	ret->first_entry = placed->at[PLACEMENT_ENTRIES].first;
	ret->first_shape = placed->at[PLACEMENT_SHAPES].first;
	ret->first_rule = placed->at[PLACEMENT_RULES].first;
	ret->first_place = placed->at[PLACEMENT_PLACES].first;
	return 0;
}

void placement_release(struct placement *placement, uint32_t id)
{
	struct placed_image *placed = &placement->image[id];

	assert(placed->placed && placed->references);
	if (!--placed->references)
		placed->released = ++placement->clock;
}

void placement_deinit(struct placement *placement)
{
	free(placement->image);
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		free(placement->array[kind].free);
}
