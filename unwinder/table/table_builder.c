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
#include "hash.h"
#include "image/elf_image.h"
#include "table_builder.h"

/* Room for more, or false. array: a pointer to the array's pointer; scratch: where it lies, NULL: on
 * the heap. */
static bool reserve(struct table_builder *builder, struct scratch *scratch, void *array,
		    uint32_t *capacity, uint64_t wanted, size_t size)
{
	void **at = array;
	uint64_t grown = *capacity ? *capacity : 64;
	void *memory = NULL;

	if (wanted <= *capacity)
		return true;
	while (grown < wanted)
		grown *= 2;
	if (grown <= UINT32_MAX)
		memory = scratch ? scratch_grow(scratch, *at, *capacity * size, grown * size)
				 : realloc(*at, grown * size);
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
	const struct table_place *place;
	uint32_t count;

	if (!(key->rule->flags & TABLE_RULE_EXTENDED)) /* which the other would have */
		return !memcmp(&known, key->rule, sizeof(known));
	place = table_rule_places(key->table, number, &count);
	if (!place)
		return false;
	known.first_place = 0;
	return !memcmp(&known, key->rule, sizeof(known)) &&
	       !memcmp(place, key->place, count * sizeof(*place));
}

/* Rules of images take less than a hundredth of the sections that they come from. */
#define RULE_BYTES_ALWAYS (16u << 20)

static bool is_full(const struct table_builder *builder, uint32_t more_places)
{
	const struct table *table = builder->table;

	return (table->rule_count + 1ull) * sizeof(*table->rule) +
		       ((uint64_t)table->place_count + more_places) * sizeof(*table->place) >
	       builder->rule_bytes_max;
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
	if (slot && (table->rule_count == TABLE_NUMBER_MAX || is_full(builder, key->places)))
		return *slot = TABLE_TOO_MANY_RULES;
	if (!slot ||
	    !reserve(builder, NULL, &table->rule, &builder->rule_capacity, table->rule_count + 1ull,
		     sizeof(*table->rule)) ||
	    !reserve(builder, NULL, &table->place, &builder->place_capacity,
		     (uint64_t)table->place_count + key->places, sizeof(*table->place))) {
		builder->out_of_memory = true;
		return TABLE_TOO_MANY_RULES;
	}
	rule = &table->rule[table->rule_count];
	*rule = *key->rule;
	table->signal_frames |= rule->flags & TABLE_RULE_SIGNAL_FRAME;
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
	uint64_t mixed = (rule->codes ^ (uint64_t)rule->head << 40 ^ (uint32_t)rule->cfa_offset) *
			 HASH_GOLDEN;
	struct recent_rule *recent = &builder->recent[mixed >> 55];

	_Static_assert(RECENT_RULES == 1 << (64 - 55), "that many have a place");
	if (recent->number && !memcmp(&recent->rule, rule, sizeof(*rule)))
		return recent->number;
	recent->rule = *rule;
	return recent->number = add_rule(builder, &key);
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

	return !memcmp(key->table->shape + number, key->row, key->count * sizeof(*key->row));
}

/* Rows that the shape does not have are 0: to go over them takes less than to guess how many. */
static uint64_t shape_hash(const struct shape_key *key)
{
	return number_hash(key->count, key->row, sizeof(key->row));
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
	if (!slot || !reserve(builder, NULL, &table->shape, &builder->shape_capacity,
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

/* ---- entries --------------------------------------------------------------------------- */

/* The page of an address that is not in the page of the last entry. False: in no segment. */
static bool begin_page(struct table_builder *builder, uint64_t vaddr)
{
	const struct table_segment *segment = table_segment_find(builder->table, vaddr);

	if (!segment ||
	    !reserve(builder, &builder->scratch, &builder->part, &builder->part_capacity,
		     builder->part_count + 1ull, sizeof(*builder->part)))
		return false;
	uint32_t page = (vaddr - segment->vaddr) >> TABLE_PAGE_SHIFT;
	builder->part[builder->part_count++] = (struct builder_part) {
		.page = segment->first_page + page,
		.first = builder->entry_count,
	};
	builder->page_end = segment->vaddr + (page + 1ull) * TABLE_PAGE_SIZE;
	return true;
}

void builder_entry_slow(struct table_builder *builder, uint64_t vaddr, uint32_t what)
{
	if (!reserve(builder, &builder->scratch, &builder->entry, &builder->entry_capacity,
		     builder->entry_count + 1ull, sizeof(*builder->entry)))
		return;
	if (vaddr >= builder->page_end && !begin_page(builder, vaddr))
		return;
	builder->entry[builder->entry_count++] = table_entry_pack(vaddr & (TABLE_PAGE_SIZE - 1),
								  what);
}

void builder_end_chunk(struct table_builder *builder)
{
	run_end(builder);
	builder->page_end = 0;
	if (builder->chunk_count)
		builder->chunk[builder->chunk_count - 1].end_part = builder->part_count;
}

void builder_jump(struct table_builder *builder, uint64_t vaddr)
{
	builder_end_chunk(builder);
	if (reserve(builder, &builder->scratch, &builder->chunk, &builder->chunk_capacity,
		    builder->chunk_count + 1ull, sizeof(*builder->chunk)))
		builder->chunk[builder->chunk_count++] = (struct builder_chunk) {
			.vaddr = vaddr,
			.vaddr_end = vaddr,
			.first_part = builder->part_count,
		};
}

bool builder_reserve_shapes(struct table_builder *builder, uint64_t count)
{
	return count <= TABLE_NUMBER_MAX &&
	       reserve(builder, NULL, &builder->table->shape, &builder->shape_capacity, count,
		       sizeof(*builder->table->shape));
}

bool builder_reserve(struct table_builder *builder, uint64_t entries, uint32_t shapes)
{
	return reserve(builder, &builder->scratch, &builder->entry, &builder->entry_capacity,
		       entries, sizeof(*builder->entry)) &&
	       reserve(builder, &builder->scratch, &builder->part, &builder->part_capacity,
		       builder->table->page_count, sizeof(*builder->part)) &&
	       number_map_reserve(&builder->shapes, shapes * 2) &&
	       number_map_reserve(&builder->rules, shapes / 4);
}

void builder_reset(struct table_builder *builder, const struct builder_mark *mark)
{
	builder->entry_count = mark->entry_count;
	builder->part_count = mark->part_count;
	builder->page_end = mark->page_end;
	builder->table->cfi_row_count = mark->cfi_row_count;
	builder->run_count = 0;
}

/* ---- life ------------------------------------------------------------------------------- */

int builder_init(struct table_builder *builder, const struct image *image, struct error *error)
{
	struct table *table = calloc(1, sizeof(*table));

	*builder = (struct table_builder) {
		.table = table,
		.rules.scratch = &builder->scratch,
		.shapes.scratch = &builder->scratch,
		.rule_bytes_max = RULE_BYTES_ALWAYS + image_cfi_bytes(image),
	};
	if (!table)
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for a table");
	if (table_make_segments(table, image, error)) {
		builder_abandon(builder);
		return -1;
	}
	table->rule_count = TABLE_MARKER_COUNT;
	table->shape_count = 1; /* number 0 is not used: an entry's content is never 0 */
	if (!reserve(builder, NULL, &table->rule, &builder->rule_capacity, 256,
		     sizeof(*table->rule)) ||
	    !reserve(builder, NULL, &table->shape, &builder->shape_capacity, 1024,
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
	scratch_deinit(&builder->scratch);
	*builder = (struct table_builder) { .table = NULL };
}

int builder_finish(struct table_builder *builder, struct table **ret, struct error *error)
{
	int status;

	builder_end_chunk(builder);
	status = builder_sort_chunks(builder) ? 0 : 1;
	if (!status && !builder->out_of_memory)
		builder_share_shapes(builder);
	if (!status && !builder->out_of_memory && builder_cut_segments(builder) &&
	    builder_lay_out(builder)) {
		builder_name_rules(builder);
		table_cut_pages(builder->table);
		*ret = builder->table;
		builder->table = NULL;
	} else if (!status) {
		status = error_set(error, ERROR_MEMORY, "", 0, "no memory for the table's rows");
	}
	builder_abandon(builder);
	return status;
}
