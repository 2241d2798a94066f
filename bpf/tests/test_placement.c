/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_placement.c - what the walk in the kernel looks up is what the table says
 *
 * find_rule.h is the kernel's look-up; here it is compiled for user space and held against
 * table_find() at every PC: of tables made at random, whose pages are empty, full or in between, so
 * that chunks end in every way they can; of such tables that come and go, in room that others had;
 * and of the images that this program has mapped.
 */
/* Chunks so small that made tables end in every way; placement.c is compiled for them here. */
#define WALK_PAGE_SHIFT	 10
#define WALK_ENTRY_SHIFT 13
#define WALK_SHAPE_SHIFT 16
#define WALK_RULE_SHIFT	 8
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/suite.h"
#include "placement.c"
#include "tests/sparse_image.h"
#include "patience.h"

#define SEGMENT_VADDR  0x7000
#define PAGES_MAX      1400 /* more than a chunk of pages */
#define MAPPING_START  0x7f0000000000
#define ENTRY_CAPACITY (5 * WALK_CHUNK_ENTRIES)
#define IMAGES	       40

struct walk_tables {
	struct placement placement;
};

static const void *value(struct walk_tables *tables, enum placement_kind kind, uint32_t number)
{
	const struct placement_array *array = &tables->placement.array[kind];

	if (number >= placement_values(kind, array->capacity))
		return NULL;
	return (const char *)array->memory + number * placement_value_bytes(kind);
}

static inline const struct walk_page_chunk *walk_page_chunk(struct walk_tables *tables,
							    __u32 number)
{
	return value(tables, PLACEMENT_PAGES, number);
}

static inline const struct walk_entry_chunk *walk_entry_chunk(struct walk_tables *tables,
							      __u32 number)
{
	return value(tables, PLACEMENT_ENTRIES, number);
}

static inline const struct walk_shape_chunk *walk_shape_chunk(struct walk_tables *tables,
							      __u32 number)
{
	return value(tables, PLACEMENT_SHAPES, number);
}

static inline const struct walk_rule_chunk *walk_rule_chunk(struct walk_tables *tables,
							    __u32 number)
{
	return value(tables, PLACEMENT_RULES, number);
}

#include "patience.h"
#include "find_rule.h"

static void tables_init(struct walk_tables *tables, const uint32_t capacity[PLACEMENT_COUNT])
{
	memset(tables, 0, sizeof(*tables));
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		tables->placement.array[kind].capacity = capacity[kind];
		tables->placement.array[kind].memory =
			calloc(placement_values(kind, capacity[kind]), placement_value_bytes(kind));
		ck_assert_ptr_nonnull(tables->placement.array[kind].memory);
	}
}

static void tables_deinit(struct walk_tables *tables)
{
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		free(tables->placement.array[kind].memory);
	placement_deinit(&tables->placement);
}

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

/* ---- tables made at random -------------------------------------------------------------- */

struct made {
	struct image image;
	struct image_entry entry;
	struct table table;
	struct table_segment segment;
};

/* How many entries a page has: mostly few, often none, now and then one at every byte. */
static uint32_t draw_count(uint32_t page_size)
{
	switch (draw(32)) {
	case 0: return page_size;
	case 1: return 3000;
	case 2 ... 12: return 0;
	default: return 1 + draw(9);
	}
}

/* Shapes of 1 to TABLE_SHAPE_ROWS rows, one behind the other. ret_first: their first rows. */
static uint32_t make_shapes(struct table *table, uint32_t *ret_first, uint32_t count)
{
	uint16_t *row = calloc(count, TABLE_SHAPE_ROWS * sizeof(*row));

	ck_assert_ptr_nonnull(row);
	table->shape = row;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t rows = 1 + draw(TABLE_SHAPE_ROWS);

		ret_first[i] = row - table->shape;
		for (uint32_t r = rows; r--;)
			*row++ = (r * 5 + (r ? draw(4) : 0)) << TABLE_SHAPE_BITS | draw(700);
	}
	return row - table->shape;
}

static void made_init(struct made *made, uint32_t id)
{
	struct table *table = &made->table;
	uint32_t first[64], pages = 1 + draw(draw(4) ? 40 : PAGES_MAX), at = 0;
	uint32_t shift = TABLE_PAGE_SHIFT - draw(TABLE_PAGE_SHIFT - TABLE_PAGE_SMALL + 1);

	memset(made, 0, sizeof(*made));
	made->image.path = "made";
	made->entry = (struct image_entry) { .image = &made->image, .table = table, .id = id };
	table->page_shift = shift;
	table->page = calloc(pages + 1, sizeof(*table->page));
	table->rule_count = 700;
	table->rule = calloc(table->rule_count, sizeof(*table->rule));
	table->place_count = draw(5);
	table->place = calloc(table->place_count + 1, sizeof(*table->place));
	table->shape_count = make_shapes(table, first, COUNT(first));
	table->entry = calloc(2 * ENTRY_CAPACITY, sizeof(*table->entry));
	ck_assert(table->page && table->rule && table->place && table->entry);
	for (uint32_t i = 0; i < table->rule_count; i++)
		table->rule[i].cfa_offset = id << 16 | i;
	for (uint32_t p = 0; p < pages && at < ENTRY_CAPACITY / 4; p++) {
		uint32_t count = draw_count(1u << shift);
		uint32_t begin = p << shift & (TABLE_PAGE_SIZE - 1), end = begin + (1u << shift);
		uint32_t offset = begin + draw(1u << shift);

		table->page_count++;
		table->page[p] = at;
		if (!p && !count)
			count = 1;
		if (!p || count > 1)
			offset = begin;
		for (uint32_t i = 0; i < count && offset < end; i++) {
			uint32_t what = draw(2) ? TABLE_DIRECT | draw(table->rule_count)
						: first[draw(COUNT(first))];

			table->entry[at++] = table_entry_pack(offset, what);
			offset += count > 100 ? 1 : 1 + draw(1u << (shift - 3));
		}
	}
	table->page[table->page_count] = at;
	table->entry_count = at;
	made->segment = (struct table_segment) { .vaddr = SEGMENT_VADDR,
						 .bytes = (uint64_t)table->page_count << shift,
						 .page_count = table->page_count };
	table->segment = &made->segment;
	table->segment_count = 1;
}

static void made_deinit(struct made *made)
{
	free(made->table.page);
	free(made->table.entry);
	free(made->table.shape);
	free(made->table.rule);
	free(made->table.place);
}

/* Every PC of the mapping, or every so many: the number, and the rule itself. */
static void check_mapping(struct walk_tables *tables, const struct table *table, uint64_t bias,
			  const struct walk_mapping *mapping, uint32_t stride, const char *name)
{
	uint64_t bytes = (uint64_t)mapping->page_count << mapping->page_shift;
	struct walk_chunks chunks;

	if (bytes)
		ck_assert_msg(!find_chunks(tables, mapping, &chunks), "%s", name);
	for (uint64_t pc = mapping->start; pc < mapping->start + bytes; pc += stride) {
		uint32_t expect = table_find(table, pc - bias), number = 0;
		unsigned int stop = find_number(tables, &chunks, mapping, pc, &number);
		const struct table_rule *rule = NULL;

		if (stop || number != expect)
			ck_abort_msg("%s: pc 0x%" PRIx64 ": rule %u, stop %u; the table says %u",
				     name, pc - bias, number, stop, expect);
		if (pc & 255) /* one rule in a while is enough */
			continue;
		stop = find_rule(tables, &chunks, mapping, pc, &number, &rule);
		if (expect < TABLE_MARKER_COUNT)
			ck_assert_uint_eq(stop, STOP_NO_ROW + expect);
		else
			ck_assert(!stop && !memcmp(rule, &table->rule[expect], sizeof(*rule)));
	}
}

static const struct {
	const char *name;
	uint32_t capacity[PLACEMENT_COUNT];
	uint32_t shape_rows; /* that others have already */
} made_cases[] = {
	{ "room_for_some", { 1u << 13, ENTRY_CAPACITY, 1u << 14, 1u << 15, 1u << 8 }, 0 },
	{ "pages_end_first", { 1500, ENTRY_CAPACITY, 1u << 14, 1u << 15, 1u << 8 }, 0 },
	{ "shapes_end_first", { 1u << 13, ENTRY_CAPACITY, 5000, 1u << 15, 1u << 8 }, 0 },
	{ "shapes_in_two_chunks",
	  { 1u << 13, ENTRY_CAPACITY, 1u << 17, 1u << 15, 1u << 8 },
	  WALK_CHUNK_ROWS - 900 },
	{ "rules_end_first", { 1u << 13, ENTRY_CAPACITY, 1u << 14, 3000, 1u << 8 }, 0 },
	{ "places_end_first", { 1u << 13, ENTRY_CAPACITY, 1u << 14, 1u << 15, 10 }, 0 },
};

/* An image with so many rows of shapes, and little else. */
static void take_shape_rows(struct placement *placement, uint32_t count)
{
	static const struct image image = { .path = "shapes" };
	uint32_t page[2] = { 0 };
	uint16_t *shape = calloc(count + 1, sizeof(*shape));
	struct table table = {
		.page = page, .page_count = 1, .shape = shape, .shape_count = count
	};
	struct image_entry entry = { .image = (struct image *)&image,
				     .table = &table,
				     .id = IMAGES };
	struct walk_mapping ignored = { 0 };
	struct error error;

	ck_assert(shape && !placement_add(placement, &entry, &ignored, &error));
	free(shape);
}

/* Images until no more fit; after each, all that are there still say what their tables say. One
 * that does not fit leaves nothing behind: a smaller one may still fit. */
START_TEST(every_pc_of_made_tables)
{
	struct walk_mapping mapping[IMAGES];
	static struct made made[IMAGES];
	struct walk_tables tables;
	struct error error;
	int placed = 0, refused = 0;

	random_state = _i + 1;
	tables_init(&tables, made_cases[_i].capacity);
	take_shape_rows(&tables.placement, made_cases[_i].shape_rows);
	for (int i = 0; i < IMAGES; i++) {
		made_init(&made[i], i);
		mapping[i] = (struct walk_mapping) { .start = MAPPING_START };
		mapping[i].page_count = made[i].table.page_count;
		mapping[i].page_shift = made[i].table.page_shift;
		if (placement_add(&tables.placement, &made[i].entry, &mapping[i], &error)) {
			ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
			mapping[i].page_count = 0;
			refused++;
		} else {
			placed++;
		}
	}
	for (int i = 0; i < IMAGES; i++) {
		check_mapping(&tables, &made[i].table, MAPPING_START - SEGMENT_VADDR, &mapping[i],
			      1, made_cases[_i].name);
		made_deinit(&made[i]);
	}
	ck_assert_msg(placed >= 3, "%s: %d placed", made_cases[_i].name, placed);
	ck_assert_msg(refused >= 1, "%s: none refused", made_cases[_i].name);
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++)
		ck_assert_uint_le(tables.placement.array[kind].used,
				  tables.placement.array[kind].capacity);
	tables_deinit(&tables);
}
END_TEST

/* A few entries in each third page of more than a chunk of them. */
static void wide_init(struct made *made)
{
	struct table *table = &made->table;
	uint32_t first[64], at = 0;

	memset(made, 0, sizeof(*made));
	made->image.path = "wide";
	made->entry = (struct image_entry) { .image = &made->image, .table = table };
	*table = (struct table) { .page_shift = TABLE_PAGE_SHIFT,
				  .page_count = WALK_CHUNK_PAGES + 100,
				  .rule_count = 700 };
	table->page = calloc(table->page_count + 1, sizeof(*table->page));
	table->entry = calloc(2 * table->page_count, sizeof(*table->entry));
	table->rule = calloc(table->rule_count, sizeof(*table->rule));
	table->shape_count = make_shapes(table, first, COUNT(first));
	ck_assert(table->page && table->entry && table->rule);
	for (uint32_t i = 0; i < table->rule_count; i++)
		table->rule[i].cfa_offset = i;
	for (uint32_t p = 0; p < table->page_count; p++) {
		table->page[p] = at;
		for (uint32_t i = 0; i < 4 && p % 3 == 0; i++)
			table->entry[at++] = table_entry_pack(i * 1000,
							      i & 1 ? TABLE_DIRECT | draw(700)
								    : first[draw(COUNT(first))]);
	}
	table->page[table->page_count] = at;
	table->entry_count = at;
	made->segment = (struct table_segment) { .vaddr = SEGMENT_VADDR,
						 .bytes = table->page_count * TABLE_PAGE_SIZE,
						 .page_count = table->page_count };
	table->segment = &made->segment;
	table->segment_count = 1;
}

/* In each array others have the first numbers, up to somewhere in some chunk. */
START_TEST(image_may_begin_anywhere)
{
	static const uint32_t capacity[PLACEMENT_COUNT] = { 1u << 13, ENTRY_CAPACITY, 1u << 19,
							    1u << 12, 1u << 8 };
	enum placement_kind kind = _i;
	uint32_t chunk = 1u << kinds[kind].shift;
	const uint32_t others[] = { 1,
				    chunk / 2 + 1,
				    chunk - 5,
				    chunk,
				    chunk + 1,
				    2 * chunk - 100,
				    2 * chunk - 1,
				    2 * chunk,
				    3 * chunk - 7,
				    3 * chunk + 7 };

	for (int i = 0; i < COUNT(others); i++) {
		struct walk_mapping mapping = { .start = MAPPING_START };
		struct walk_tables tables;
		struct made made;
		struct error error;

		random_state = i;
		wide_init(&made);
		mapping.page_count = made.table.page_count;
		mapping.page_shift = made.table.page_shift;
		tables_init(&tables, capacity);
		ck_assert(!reserve(&tables.placement.array[kind], 2, &error));
		take(&tables.placement.array[kind], 0, 0, others[i]);
		ck_assert(!placement_add(&tables.placement, &made.entry, &mapping, &error));
		check_mapping(&tables, &made.table, MAPPING_START - SEGMENT_VADDR, &mapping, 61,
			      kinds[kind].name);
		tables_deinit(&tables);
		made_deinit(&made);
	}
}
END_TEST

/* ---- images that come and go ------------------------------------------------------------ */

struct guest {
	struct made made;
	struct walk_mapping mapping;
	bool held;
};

static void check_guests(struct walk_tables *tables, const struct guest *guest, uint32_t stride)
{
	for (int i = 0; i < IMAGES; i++)
		if (guest[i].held)
			check_mapping(tables, &guest[i].made.table, MAPPING_START - SEGMENT_VADDR,
				      &guest[i].mapping, stride, "held");
}

static int count_held(const struct guest *guest)
{
	int held = 0;

	for (int i = 0; i < IMAGES; i++)
		held += guest[i].held;
	return held;
}

/* False: there is no room. */
static bool come(struct walk_tables *tables, struct guest *guest)
{
	const struct table *table = &guest->made.table;
	struct error error;

	guest->mapping = (struct walk_mapping) { .start = MAPPING_START,
						 .page_count = table->page_count,
						 .page_shift = table->page_shift };
	if (placement_add(&tables->placement, &guest->made.entry, &guest->mapping, &error)) {
		ck_assert_int_eq(error.code, ERROR_TABLE_LIMIT);
		return false;
	}
	guest->held = true;
	return true;
}

static void go(struct walk_tables *tables, struct guest *guest)
{
	placement_release(&tables->placement, guest->made.entry.id);
	guest->held = false;
}

/* Many more than fit, one after the other; those that are referenced are never disturbed. In the
 * end all room is there again, in one piece. */
START_TEST(room_is_used_again)
{
	static struct guest guest[IMAGES];
	struct walk_tables tables;
	int came = 0, refused = 0, most = 0;

	random_state = _i + 100;
	tables_init(&tables, made_cases[_i].capacity);
	for (int i = 0; i < IMAGES; i++) {
		made_init(&guest[i].made, i);
		guest[i].held = false;
	}
	for (int turn = 0; turn < 600; turn++) {
		struct guest *next = &guest[draw(IMAGES)];
		bool was = tables.placement.image &&
			   tables.placement.image_count > (size_t)(next - guest) &&
			   tables.placement.image[next - guest].placed;

		if (next->held) {
			go(&tables, next);
			continue;
		}
		if (!come(&tables, next)) {
			refused++;
			continue;
		}
		came += !was;
		most = count_held(guest) > most ? count_held(guest) : most;
		check_mapping(&tables, &next->made.table, MAPPING_START - SEGMENT_VADDR,
			      &next->mapping, 7, "new");
		check_guests(&tables, guest, turn % 50 ? 997 : 3);
	}
	ck_assert_msg(most >= 3 && came > 4 * most, "%d came, %d at a time", came, most);
	ck_assert_int_ge(refused, 1);
	for (int i = 0; i < IMAGES; i++)
		if (guest[i].held)
			go(&tables, &guest[i]);
	while (remove_oldest(&tables.placement))
		;
	for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
		const struct placement_array *array = &tables.placement.array[kind];

		ck_assert_uint_eq(array->used, 0);
		ck_assert_uint_eq(array->free_count, 1);
		ck_assert_uint_eq(array->free[0].first, 0);
		ck_assert_uint_eq(array->free[0].count, array->capacity);
	}
	for (int i = 0; i < IMAGES; i++)
		made_deinit(&guest[i].made);
	tables_deinit(&tables);
}
END_TEST

/* The one that has been without a reference for longest leaves; one that comes again is not
 * copied. */
START_TEST(what_left_last_is_kept)
{
	const uint32_t capacity[PLACEMENT_COUNT] = { 1u << 13, ENTRY_CAPACITY, 1u << 14, 3 * 700,
						     1u << 8 };
	static struct guest guest[4]; /* room for the rules of three */
	struct walk_tables tables;
	const struct placed_image *image;

	random_state = 3;
	tables_init(&tables, capacity);
	for (int i = 0; i < COUNT(guest); i++)
		made_init(&guest[i].made, i);
	for (int i = 0; i < 3; i++)
		ck_assert(come(&tables, &guest[i]));
	ck_assert(!come(&tables, &guest[3]));
	go(&tables, &guest[1]);
	go(&tables, &guest[0]);
	image = tables.placement.image;
	ck_assert(image[0].placed && image[1].placed && image[2].placed);
	ck_assert(come(&tables, &guest[3]));
	ck_assert(image[0].placed && !image[1].placed && image[2].placed && image[3].placed);
	ck_assert(come(&tables, &guest[0]));
	ck_assert(!come(&tables, &guest[1]));
	for (int i = 0; i < COUNT(guest); i++)
		made_deinit(&guest[i].made);
	tables_deinit(&tables);
}
END_TEST

/* ---- real ones -------------------------------------------------------------------------- */

START_TEST(every_pc_of_this_program)
{
	const uint32_t capacity[PLACEMENT_COUNT] = { 1u << 14, 1u << 19, 1u << 18, 1u << 15,
						     1u << 12 };
	struct image_store *store = image_store_create();
	struct address_space space = { .pid = 0 };
	struct walk_tables tables;
	struct error error;
	int images = 0;

	tables_init(&tables, capacity);
	ck_assert(!address_space_read(&space, store, getpid(), &error));
	for (size_t i = 0; i < space.mapping_count; i++) {
		const struct mapping *mapping = &space.mapping[i];
		struct walk_mapping walk;

		for (uint32_t part = 0; mapping_for_walk(mapping, part, &walk); part++) {
			ck_assert_msg(
				!placement_add(&tables.placement, mapping->entry, &walk, &error),
				"%s", error.message);
			check_mapping(&tables, mapping->entry->table, mapping->bias, &walk, 1,
				      mapping->path);
			images += !part;
		}
	}
	ck_assert_int_ge(images, 3); /* the program, libc, the loader */
	address_space_deinit(&space);
	image_store_destroy(store);
	tables_deinit(&tables);
}
END_TEST

/* Images with little CFI: of each mapping the walk has several, and behind the pages of each
 * nothing. */
START_TEST(every_pc_of_a_sparse_image)
{
	const uint32_t capacity[PLACEMENT_COUNT] = { 1u << 14, 1u << 14, 1u << 14, 1u << 10,
						     1u << 10 };
	const struct sparse_case *c = &sparse_cases[_i];
	struct sparse_image sparse;
	struct image_entry entry = { .image = &sparse.image };
	struct mapping mapping = { .start = SPARSE_VADDR, .end = SPARSE_VADDR, .entry = &entry };
	struct walk_tables tables;
	struct walk_mapping walk;
	struct walk_chunks chunks;
	struct error error;
	uint32_t number;

	tables_init(&tables, capacity);
	sparse_image_init(&sparse, c);
	ck_assert(!table_build(&sparse.image, &entry.table, &error));
	mapping.end += ((uint64_t)c->segment[0] + c->segment[1]) * SPARSE_PAGE;
	for (uint32_t part = 0; mapping_for_walk(&mapping, part, &walk); part++) {
		uint64_t end = walk.start + ((uint64_t)walk.page_count << walk.page_shift);

		ck_assert(!placement_add(&tables.placement, &entry, &walk, &error));
		check_mapping(&tables, entry.table, 0, &walk, 1, c->name);
		ck_assert(!find_chunks(&tables, &walk, &chunks));
		for (uint64_t pc = end; pc < walk.end; pc += 77) {
			ck_assert_uint_eq(find_number(&tables, &chunks, &walk, pc, &number),
					  STOP_NO_ROW);
			ck_assert_uint_eq(table_find(entry.table, pc), TABLE_NO_ROW);
		}
	}
	table_destroy(entry.table);
	tables_deinit(&tables);
}
END_TEST

/* Arrays of nonsense: a look-up ends, and a rule it gives is a value of the array. Run with a
 * sanitizer this shows that nothing else is read. */
START_TEST(torn_arrays_are_harmless)
{
	const uint32_t capacity[PLACEMENT_COUNT] = { WALK_CHUNK_PAGES, WALK_CHUNK_ENTRIES,
						     WALK_CHUNK_ROWS, 64, 64 };
	struct walk_mapping mapping = { .start = MAPPING_START };
	uint32_t found = 0, bad = 0;
	struct walk_tables tables;

	random_state = 7;
	tables_init(&tables, capacity);
	for (int round = 0; round < 400; round++) {
		const struct table_rule *first = tables.placement.array[PLACEMENT_RULES].memory;

		for (int kind = 0; kind < PLACEMENT_COUNT; kind++) {
			uint32_t *word = tables.placement.array[kind].memory;
			size_t words = placement_values(kind, capacity[kind]) *
				       placement_value_bytes(kind) / sizeof(*word);
			uint32_t below = kind == PLACEMENT_PAGES ? 20000 : 1u << (1 + draw(31));

			for (size_t i = 0; i < words; i++)
				word[i] = draw(below) ^ (draw(4) ? 0 : draw(1u << 31) << 1);
		}
		mapping.page_count = draw(1u << 20);
		mapping.page_shift = draw(3) ? TABLE_PAGE_SMALL + draw(5) : draw(32);
		mapping.first_page = draw(3) ? draw(600) : draw(1u << 31) << 1;
		mapping.first_shape = draw(3) ? draw(600) : draw(1u << 31) << 1;
		mapping.first_rule = draw(3) ? 0 : draw(1u << 31) << 1;
		mapping.first_entry = draw(3) ? draw(9000) : draw(1u << 31) << 1;
		for (int i = 0; i < 1000; i++) {
			const struct table_rule *rule = NULL;
			uint32_t number;
			uint64_t pc = MAPPING_START + draw(1u << 21);
			struct walk_chunks chunks;
			unsigned int stop = find_chunks(&tables, &mapping, &chunks);

			if (!stop)
				stop = find_rule(&tables, &chunks, &mapping, pc, &number, &rule);
			ck_assert_uint_lt(stop, STOP_REASON_COUNT);
			ck_assert(stop || (rule >= first && rule < first + WALK_CHUNK_RULES));
			found += !stop;
			bad += stop == STOP_BAD_TABLE;
		}
	}
	ck_assert_uint_gt(found, 100);
	ck_assert_uint_gt(bad, 100);
	tables_deinit(&tables);
}
END_TEST

/* How many entries a page has is bounded by its bytes, and never less than none. */
static const struct {
	const char *name;
	uint32_t first, next;
	unsigned int stop;
} count_cases[] = {
	{ "an_entry_for_each_byte", 10, 10 + TABLE_PAGE_SIZE, STOP_NONE },
	{ "one_more", 10, 11 + TABLE_PAGE_SIZE, STOP_BAD_TABLE },
	{ "less_than_none", 10, 9, STOP_BAD_TABLE },
	{ "as_many_as_there_are_numbers", 10, UINT32_MAX, STOP_BAD_TABLE },
};

START_TEST(page_has_no_more_entries_than_bytes)
{
	const uint32_t capacity[PLACEMENT_COUNT] = { WALK_CHUNK_PAGES, WALK_CHUNK_ENTRIES,
						     WALK_CHUNK_ROWS, 64, 64 };
	struct walk_mapping mapping = { .start = MAPPING_START,
					.page_count = 1,
					.page_shift = TABLE_PAGE_SHIFT };
	const struct table_rule *rule = NULL;
	struct walk_tables tables;
	struct walk_chunks chunks;
	uint32_t number = 0;

	tables_init(&tables, capacity);
	struct walk_page_chunk *pages = tables.placement.array[PLACEMENT_PAGES].memory;
	struct walk_entry_chunk *entries = tables.placement.array[PLACEMENT_ENTRIES].memory;
	pages->page[1] = count_cases[_i].first;
	pages->page[2] = count_cases[_i].next;
	for (uint32_t i = 0; i < WALK_CHUNK_ENTRIES; i++)
		entries->entry[i] = TABLE_DIRECT | (TABLE_MARKER_COUNT + 1);
	ck_assert_uint_eq(find_chunks(&tables, &mapping, &chunks), STOP_NONE);
	ck_assert_msg(find_rule(&tables, &chunks, &mapping, MAPPING_START + 5, &number, &rule) ==
			      count_cases[_i].stop,
		      "%s", count_cases[_i].name);
	tables_deinit(&tables);
}
END_TEST

SUITE(placement, TIMEOUT(PATIENCE_TIMEOUT_S), LOOP(every_pc_of_made_tables, made_cases),
      TIMES(image_may_begin_anywhere, PLACEMENT_PLACES), LOOP(room_is_used_again, made_cases),
      TEST(what_left_last_is_kept), TEST(every_pc_of_this_program),
      TIMES(every_pc_of_a_sparse_image, SPARSE_CASES), TEST(torn_arrays_are_harmless),
      LOOP(page_has_no_more_entries_than_bytes, count_cases))
