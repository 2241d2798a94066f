/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_builder.c - the arrays of a table, as they grow
 *
 * Rows are cut into runs of close neighbours; each distinct run of (distance, rule) is stored once,
 * as a shape, last row first. A run of one row needs no shape: its entry names the rule. Where a
 * run's rules have numbers that a shape's row can't hold, or the shapes are full, each of its rows
 * gets an entry of its own: that costs bytes, and nothing is lost.
 *
 *	0x1130 cfa 8; 0x1131 cfa 16; 0x1134 cfa 24	one entry: 0x1130 -> shape (4 r3)(1 r2)(0 r1)
 *	0x1170 cfa 16; 0x1171 cfa 8; 0x1172 none	one entry: 0x1170 -> shape (2 -)(1 r1)(0 r2)
 */
#include <stdlib.h>
#include <string.h>
#include "table_builder.h"

/* ---- numbers by key --------------------------------------------------------------------- */

uint64_t number_hash(uint64_t hash, const void *data, size_t size)
{
	const uint8_t *at = data;

	for (; size >= 8; at += 8, size -= 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	if (size) {
		uint64_t word = 0;

		memcpy(&word, at, size);
		hash = (hash ^ word ^ (uint64_t)size << 56) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool number_map_grow(struct number_map *map)
{
	uint32_t capacity = map->capacity ? map->capacity * 2 : 256;
	uint64_t *hash = calloc(capacity, sizeof(*hash));
	uint32_t *slot = calloc(capacity, sizeof(*slot));

	if (!hash || !slot) {
		free(hash);
		free(slot);
		return false;
	}
	for (uint32_t i = 0; i < map->capacity; i++) {
		uint32_t at = map->hash[i] & (capacity - 1);

		if (!map->slot[i])
			continue;
		while (slot[at])
			at = (at + 1) & (capacity - 1);
		hash[at] = map->hash[i];
		slot[at] = map->slot[i];
	}
	number_map_deinit(map);
	map->hash = hash;
	map->slot = slot;
	map->capacity = capacity;
	return true;
}

uint32_t *number_map_find(struct number_map *map, uint64_t hash, number_equal_fn equal,
			  void *context)
{
	uint32_t at;

	if (map->count * 2 >= map->capacity && !number_map_grow(map))
		return NULL;
	for (at = hash & (map->capacity - 1); map->slot[at]; at = (at + 1) & (map->capacity - 1))
		if (map->hash[at] == hash && equal(context, map->slot[at]))
			return &map->slot[at];
	map->hash[at] = hash;
	map->count++; /* the caller fills it, or gives up for want of memory */
	return &map->slot[at];
}

void number_map_deinit(struct number_map *map)
{
	free(map->hash);
	free(map->slot);
	map->hash = NULL;
	map->slot = NULL;
}

/* Room for more, or false. array: a pointer to the array's pointer. */
static bool reserve(struct table_builder *builder, void *array, uint32_t *capacity, uint64_t wanted,
		    size_t size)
{
	void **at = array;
	uint64_t grown = *capacity ? *capacity : 64;
	void *memory;

	if (wanted <= *capacity)
		return true;
	while (grown < wanted)
		grown += grown / 2;
	memory = grown <= UINT32_MAX ? realloc(*at, grown * size) : NULL;
	if (!memory) {
		builder->out_of_memory = true;
		return false;
	}
	*at = memory;
	*capacity = grown;
	return true;
}

/* ---- rules ------------------------------------------------------------------------------ */

struct rule_key {
	const struct table *table;
	const struct table_rule *rule;
	const struct table_place *place;
	uint32_t places;
};

static bool rule_equal(void *context, uint32_t number)
{
	const struct rule_key *key = context;
	struct table_rule known = key->table->rule[number];
	uint32_t count;
	const struct table_place *place = table_rule_places(key->table, number, &count);

	if (!place)
		return !memcmp(&known, key->rule, sizeof(known));
	known.first_place = 0;
	return !memcmp(&known, key->rule, sizeof(known)) &&
	       !memcmp(place, key->place, count * sizeof(*place));
}

static uint32_t add_rule(struct table_builder *builder, const struct rule_key *key)
{
	uint64_t hash = number_hash(0, key->rule, sizeof(*key->rule));
	struct table *table = builder->table;
	struct table_rule *rule;
	uint32_t *slot;

	if (key->places)
		hash = number_hash(hash, key->place, key->places * sizeof(*key->place));
	slot = number_map_find(&builder->rules, hash, rule_equal, (void *)key);
	if (slot && *slot)
		return *slot;
	if (slot && table->rule_count == TABLE_NUMBER_MAX)
		return *slot = TABLE_TOO_MANY_RULES;
	if (!slot ||
	    !reserve(builder, &table->rule, &builder->rule_capacity, table->rule_count + 1ull,
		     sizeof(*table->rule)) ||
	    !reserve(builder, &table->place, &builder->place_capacity,
		     (uint64_t)table->place_count + key->places, sizeof(*table->place))) {
		builder->out_of_memory = true;
		return TABLE_TOO_MANY_RULES;
	}
	rule = &table->rule[table->rule_count];
	*rule = *key->rule;
	if (key->places) {
		rule->first_place = table->place_count;
		memcpy(table->place + table->place_count, key->place,
		       key->places * sizeof(*key->place));
		table->place_count += key->places;
	}
	return *slot = table->rule_count++;
}

uint32_t builder_short_rule(struct table_builder *builder, const struct table_rule *rule)
{
	struct rule_key key = { .table = builder->table, .rule = rule };

	return add_rule(builder, &key);
}

uint32_t builder_rule(struct table_builder *builder, const struct table_rule_full *rule)
{
	struct rule_key key = { .table = builder->table, .rule = &rule->rule };

	if (rule->rule.flags & TABLE_RULE_EXTENDED) {
		key.place = rule->place;
		key.places = rule->rule.flags >> TABLE_RULE_PLACES_SHIFT;
	}
	return add_rule(builder, &key);
}

/* ---- runs ------------------------------------------------------------------------------- */

struct shape_key {
	const struct table *table;
	uint16_t row[TABLE_SHAPE_ROWS];
	uint32_t count;
};

/* A shape of as many rows ends where the key ends, since only its last row has distance 0. */
static bool shape_equal(void *context, uint32_t number)
{
	const struct shape_key *key = context;
	const uint16_t *row = key->table->shape + number;

	for (uint32_t i = 0; i < key->count; i++)
		if (row[i] != key->row[i])
			return false;
	return true;
}

static uint64_t shape_hash(const struct shape_key *key)
{
	return number_hash(key->count, key->row, key->count * sizeof(*key->row));
}

/* False: not as a shape. */
static bool make_key(const struct table *table, const struct run_row *rows, uint32_t count,
		     struct shape_key *ret)
{
	*ret = (struct shape_key) { .table = table, .count = count };
	for (uint32_t i = 0; i < count; i++) {
		const struct run_row *row = &rows[count - 1 - i];

		if (row->rule >= TABLE_SHAPE_RULES)
			return false;
		ret->row[i] = row->distance << TABLE_SHAPE_BITS | row->rule;
	}
	return true;
}

uint32_t builder_run(struct table_builder *builder, const struct run_row *rows, uint32_t count)
{
	struct table *table = builder->table;
	struct shape_key key;
	uint32_t *slot;

	if (count == 1)
		return TABLE_DIRECT | rows[0].rule;
	if (!make_key(table, rows, count, &key))
		return 0;
	slot = number_map_find(&builder->shapes, shape_hash(&key), shape_equal, &key);
	if (slot && *slot)
		return *slot;
	if (slot && table->shape_count + count > TABLE_NUMBER_MAX) {
		builder->shapes.count--;
		return 0;
	}
	if (!slot || !reserve(builder, &table->shape, &builder->shape_capacity,
			      (uint64_t)table->shape_count + count, sizeof(*table->shape))) {
		builder->out_of_memory = true;
		return 0;
	}
	memcpy(table->shape + table->shape_count, key.row, count * sizeof(*key.row));
	*slot = table->shape_count;
	table->shape_count += count;
	return *slot;
}

uint32_t builder_find_run(struct table_builder *builder, const struct run_row *rows, uint32_t count)
{
	struct shape_key key;
	uint32_t *slot;

	if (!make_key(builder->table, rows, count, &key))
		return 0;
	slot = number_map_find(&builder->shapes, shape_hash(&key), shape_equal, &key);
	if (!slot)
		return 0;
	builder->shapes.count -= !*slot;
	return *slot;
}

void builder_name_shape(struct table_builder *builder, uint32_t first, uint32_t rows)
{
	struct shape_key key = { .table = builder->table, .count = rows };
	uint32_t *slot;

	memcpy(key.row, builder->table->shape + first, rows * sizeof(*key.row));
	slot = number_map_find(&builder->shapes, shape_hash(&key), shape_equal, &key);
	if (slot && !*slot)
		*slot = first;
}

static void run_end(struct table_builder *builder)
{
	uint32_t what;

	if (!builder->run_count)
		return;
	what = builder_run(builder, builder->run, builder->run_count);
	if (what)
		builder_entry(builder, builder->run_vaddr, what);
	for (uint32_t i = 0; !what && i < builder->run_count; i++)
		builder_entry(builder, builder->run_vaddr + builder->run[i].distance,
			      TABLE_DIRECT | builder->run[i].rule);
	builder->run_count = 0;
}

void builder_cut(struct table_builder *builder)
{
	run_end(builder);
}

void builder_row(struct table_builder *builder, uint64_t vaddr, uint32_t rule)
{
	if (builder->run_count) {
		struct run_row *last = &builder->run[builder->run_count - 1];
		uint64_t distance = vaddr - builder->run_vaddr;

		if (builder->run_count == TABLE_SHAPE_ROWS || distance >= TABLE_SHAPE_SPAN ||
		    distance - last->distance > RUN_GAP_MAX) {
			run_end(builder);
		} else if (distance == last->distance) {
			last->rule = rule;
			return;
		} else if (rule == last->rule) {
			return;
		}
	}
	if (!builder->run_count)
		builder->run_vaddr = vaddr;
	builder->run[builder->run_count++] =
		(struct run_row) { .distance = vaddr - builder->run_vaddr, .rule = rule };
}

/* ---- entries and pages ------------------------------------------------------------------ */

static void push_entry(struct table_builder *builder, uint64_t vaddr, uint32_t what)
{
	struct table *table = builder->table;

	while (vaddr >= builder->page_vaddr) {
		table->page[builder->next_page++] = table->entry_count;
		builder->page_vaddr += TABLE_PAGE_SIZE;
	}
	if (table->entry_count == builder->entry_capacity &&
	    !reserve(builder, &table->entry, &builder->entry_capacity, table->entry_count + 1ull,
		     sizeof(*table->entry)))
		return;
	table->entry[table->entry_count++] = table_entry_pack(vaddr & (TABLE_PAGE_SIZE - 1), what);
	builder->segment_is_empty = false;
}

/* The first page of a segment has an entry at 0, even if there is nothing to say. */
static void segment_end(struct table_builder *builder)
{
	struct table *table = builder->table;

	if (builder->segments && builder->segment_is_empty)
		push_entry(builder, table->segment[builder->segments - 1].vaddr,
			   TABLE_DIRECT | TABLE_NO_ROW);
	for (; builder->page_vaddr < builder->segment_end; builder->page_vaddr += TABLE_PAGE_SIZE)
		table->page[builder->next_page++] = table->entry_count;
}

static void segment_begin(struct table_builder *builder)
{
	const struct table_segment *segment;

	segment_end(builder);
	segment = &builder->table->segment[builder->segments++];
	builder->page_vaddr = segment->vaddr;
	builder->segment_end = segment->vaddr + (uint64_t)segment->page_count * TABLE_PAGE_SIZE;
	builder->segment_is_empty = segment->page_count > 0;
}

void builder_entry_slow(struct table_builder *builder, uint64_t vaddr, uint32_t what)
{
	struct table *table = builder->table;
	uint64_t start;

	while (vaddr >= builder->segment_end) {
		if (builder->segments == table->segment_count)
			return;
		segment_begin(builder);
	}
	start = table->segment[builder->segments - 1].vaddr;
	if (vaddr < start)
		return;
	if (builder->segment_is_empty && vaddr != start)
		push_entry(builder, start, TABLE_DIRECT | TABLE_NO_ROW);
	push_entry(builder, vaddr, what);
}

struct builder_mark builder_mark(const struct table_builder *builder)
{
	return (struct builder_mark) {
		.entry_count = builder->table->entry_count,
		.segments = builder->segments,
		.next_page = builder->next_page,
		.segment_end = builder->segment_end,
		.page_vaddr = builder->page_vaddr,
		.cfi_row_count = builder->table->cfi_row_count,
		.segment_is_empty = builder->segment_is_empty,
	};
}

void builder_reset(struct table_builder *builder, const struct builder_mark *mark)
{
	builder->table->entry_count = mark->entry_count;
	builder->segments = mark->segments;
	builder->next_page = mark->next_page;
	builder->segment_end = mark->segment_end;
	builder->page_vaddr = mark->page_vaddr;
	builder->table->cfi_row_count = mark->cfi_row_count;
	builder->segment_is_empty = mark->segment_is_empty;
	builder->run_count = 0;
}

/* ---- life ------------------------------------------------------------------------------- */

static int by_vaddr(const void *a, const void *b)
{
	const struct table_segment *left = a, *right = b;

	return left->vaddr < right->vaddr ? -1 : left->vaddr > right->vaddr;
}

static int make_segments(struct table *table, const struct image *image, struct error *error)
{
	uint64_t pages = 0, next = 0;

	table->segment = calloc(image->segment_count + 1, sizeof(*table->segment));
	if (!table->segment)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for segments");
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *from = &image->segment[i];
		uint64_t start = from->vaddr & ~(uint64_t)(TABLE_PAGE_SIZE - 1);
		uint64_t bytes = from->vaddr - start + from->file_bytes;

		if (!from->executable || !from->file_bytes)
			continue;
		table->segment[table->segment_count++] = (struct table_segment) {
			.vaddr = start,
			.page_count = (bytes + TABLE_PAGE_SIZE - 1) >> TABLE_PAGE_SHIFT,
		};
	}
	qsort(table->segment, table->segment_count, sizeof(*table->segment), by_vaddr);
	for (uint32_t i = 0; i < table->segment_count; i++) {
		struct table_segment *segment = &table->segment[i];

		if (i && segment->vaddr < next) { /* two segments in one page: the first has it */
			uint64_t skip = (next - segment->vaddr) >> TABLE_PAGE_SHIFT;

			if (skip > segment->page_count)
				skip = segment->page_count;
			segment->vaddr = next;
			segment->page_count -= skip;
		}
		segment->first_page = pages;
		pages += segment->page_count;
		next = segment->vaddr + (uint64_t)segment->page_count * TABLE_PAGE_SIZE;
	}
	if (pages > UINT32_MAX / 2)
		return error_set(error, ERROR_TABLE_LIMIT, "", 0, "%llu pages are too many",
				 (unsigned long long)pages);
	table->page_count = pages;
	table->page = calloc(pages + 1, sizeof(*table->page));
	if (!table->page)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for pages");
	return 0;
}

int builder_init(struct table_builder *builder, const struct image *image, struct error *error)
{
	struct table *table = calloc(1, sizeof(*table));

	*builder = (struct table_builder) { .table = table };
	if (!table)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	if (make_segments(table, image, error)) {
		builder_abandon(builder);
		return -1;
	}
	table->rule_count = TABLE_MARKER_COUNT;
	table->shape_count = 1; /* number 0 is not used: an entry's content is never 0 */
	if (!reserve(builder, &table->rule, &builder->rule_capacity, 256, sizeof(*table->rule)) ||
	    !reserve(builder, &table->shape, &builder->shape_capacity, 1024,
		     sizeof(*table->shape))) {
		builder_abandon(builder);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	}
	memset(table->rule, 0, TABLE_MARKER_COUNT * sizeof(*table->rule));
	table->shape[0] = TABLE_NO_ROW;
	return 0;
}

void builder_abandon(struct table_builder *builder)
{
	table_destroy(builder->table);
	number_map_deinit(&builder->rules);
	number_map_deinit(&builder->shapes);
	builder->table = NULL;
}

void builder_restart(struct table_builder *builder)
{
	builder->table->entry = NULL;
	builder->table->entry_count = builder->entry_capacity = 0;
	builder->segments = builder->next_page = 0;
	builder->segment_end = builder->page_vaddr = 0;
	builder->segment_is_empty = false;
}

void builder_end_pages(struct table_builder *builder)
{
	while (builder->segments < builder->table->segment_count)
		segment_begin(builder);
	segment_end(builder);
	builder->table->page[builder->table->page_count] = builder->table->entry_count;
}

int builder_finish(struct table_builder *builder, struct table **ret, struct error *error)
{
	run_end(builder);
	builder_end_pages(builder);
	if (!builder->out_of_memory)
		builder_share_shapes(builder);
	if (builder->out_of_memory) {
		builder_abandon(builder);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for the table's rows");
	}
	*ret = builder->table;
	builder->table = NULL;
	builder_abandon(builder);
	return 0;
}
