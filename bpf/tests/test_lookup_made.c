/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_lookup_made.c - the look-ups that `bench lookup_bpf_*` times, in a kernel that is made up
 *
 * lookup.bpf.c is compiled for user space, with chunks so small that everything lies in several of
 * them; its maps and helpers are here. Rows are made at random; both look-ups must find in them what
 * a search from the first row on finds.
 */
#define WALK_PAGE_SHIFT	 4
#define WALK_ENTRY_SHIFT 8
#define WALK_SHAPE_SHIFT 4
#define WALK_RULE_SHIFT	 4
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "bpf_for_user_space.h"
#include "placement.c"
#include "lookup.h" /* needs what placement.h has */

#define PAGES	     64
#define ROWS_MAX     (PAGES * 40)
#define START	     0x7f0000000000ull
#define RULES	     300u
#define FIRST_RULE   37u
#define PAGE_CHUNKS  8
#define ENTRY_CHUNKS 20
#define RULE_CHUNKS  ((FIRST_RULE + RULES) / WALK_CHUNK_RULES + 1)
#define POINTS	     4000u /* that are looked at */
#define CANARY	     12345u
#define TAKES_NS     77

static struct {
	struct lookup_task task;
	struct walk_page_chunk pages[PAGE_CHUNKS], plain_pages[PAGE_CHUNKS];
	struct walk_entry_chunk entries[ENTRY_CHUNKS], plain_rows[ENTRY_CHUNKS];
	struct walk_shape_chunk shapes[1];
	struct walk_rule_chunk rules[RULE_CHUNKS];
	const void *missing; /* this map has no values */
	uint64_t now_ns;
} world;

static void *made_lookup(void *map, const void *key);

static __u64 made_time(void)
{
	return world.now_ns += TAKES_NS;
}

static long made_loop(__u32 rounds, void *fn, void *context, __u64 flags)
{
	long (*round)(__u32 index, void *context) = fn;

	ck_assert_uint_eq(flags, 0);
	for (uint32_t i = 0; i < rounds; i++)
		ck_assert_int_eq(round(i, context), 0);
	return rounds;
}

#define bpf_map_lookup_elem made_lookup
#define bpf_ktime_get_ns    made_time
#define bpf_loop	    made_loop
#include "lookup.bpf.c"

static void *made_lookup(void *map, const void *key)
{
	uint32_t number = *(const uint32_t *)key;

	if (map == world.missing)
		return NULL;
#define ARRAY(name)                                                                                \
	if (map == &(name))                                                                        \
	return number < (uint32_t)COUNT(world.name) ? &world.name[number] : NULL
	ARRAY(pages);
	ARRAY(plain_pages);
	ARRAY(entries);
	ARRAY(plain_rows);
	ARRAY(shapes);
	ARRAY(rules);
#undef ARRAY
	ck_assert_ptr_eq(map, &tasks);
	return number ? NULL : &world.task;
}

/* ---- rows ------------------------------------------------------------------------------- */

struct rows {
	uint32_t page[PAGES + 1], plain[ROWS_MAX], entry[ROWS_MAX];
	uint64_t at[ROWS_MAX]; /* from START on */
	uint32_t rule[ROWS_MAX];
	uint32_t count;
};

static struct rows rows;

static uint32_t draw(uint32_t below)
{
	static unsigned int seed = 1;

	return (uint32_t)rand_r(&seed) % below;
}

static void add_row(uint32_t page, uint32_t offset)
{
	uint32_t rule = draw(8) ? TABLE_MARKER_COUNT + draw(RULES - TABLE_MARKER_COUNT)
				: draw(TABLE_MARKER_COUNT);

	rows.plain[rows.count] = offset << LOOKUP_PLAIN_RULE_BITS | rule;
	rows.entry[rows.count] = table_entry_pack(offset, TABLE_DIRECT | rule);
	rows.at[rows.count] = page * TABLE_PAGE_SIZE + offset;
	rows.rule[rows.count++] = rule;
}

/* Pages without a row, too; the first row is the first page's first byte. */
static void make_rows(void)
{
	rows.count = 0;
	for (uint32_t page = 0; page < PAGES; page++) {
		uint32_t step = 1 + draw(200), offset = page ? draw(step) : 0;
		uint32_t most = page && draw(3) == 0 ? 0 : 1 + draw(40);

		rows.page[page] = rows.count;
		for (; most-- && offset < TABLE_PAGE_SIZE; offset += 1 + draw(step))
			add_row(page, offset);
	}
	rows.page[PAGES] = rows.count;
}

/* Of what is in an array's number, or why there is none. */
static uint32_t expected(uint64_t at)
{
	uint32_t rule = rows.rule[0];

	if (at >= PAGES * TABLE_PAGE_SIZE)
		return STOP_NO_ROW;
	for (uint32_t i = 0; i < rows.count && rows.at[i] <= at; i++)
		rule = rows.rule[i];
	return rule < TABLE_MARKER_COUNT ? STOP_NO_ROW + rule : FIRST_RULE + rule;
}

/* What others have of each array before the rows come. */
static const struct {
	const char *name;
	uint32_t pages, entries;
} others[] = {
	{ "in the first chunks", 0, 0 },
	{ "behind others", 7, 50 },
	{ "a page before the next chunk", WALK_CHUNK_PAGES - 1, WALK_CHUNK_ENTRIES - 1 },
	{ "in the second chunks", WALK_CHUNK_PAGES, WALK_CHUNK_ENTRIES },
	{ "a page behind them", WALK_CHUNK_PAGES + 1, 2 * WALK_CHUNK_ENTRIES + 1 },
};

static void place(uint32_t *entry, struct walk_page_chunk *pages_memory,
		  struct walk_entry_chunk *entries_memory, int number, struct walk_mapping *ret)
{
	static const struct image image = { .path = "rows" };
	struct table table = { .page = rows.page,
			       .page_count = PAGES,
			       .page_shift = TABLE_PAGE_SHIFT,
			       .entry = entry,
			       .entry_count = rows.count };
	struct image_entry image_entry = { .image = (struct image *)&image, .table = &table };
	struct placement placement = { 0 };
	struct placement_array *array = placement.array;
	struct error error;

	array[PLACEMENT_PAGES].memory = pages_memory;
	array[PLACEMENT_PAGES].capacity = PAGE_CHUNKS * WALK_CHUNK_PAGES;
	array[PLACEMENT_ENTRIES].memory = entries_memory;
	array[PLACEMENT_ENTRIES].capacity = ENTRY_CHUNKS * WALK_CHUNK_ENTRIES;
	ck_assert(!reserve(&array[PLACEMENT_PAGES], 2, &error));
	ck_assert(!reserve(&array[PLACEMENT_ENTRIES], 2, &error));
	if (others[number].pages)
		take(&array[PLACEMENT_PAGES], 0, 0, others[number].pages);
	if (others[number].entries)
		take(&array[PLACEMENT_ENTRIES], 0, 0, others[number].entries);
	*ret = (struct walk_mapping) { .start = START,
				       .end = START + PAGES * TABLE_PAGE_SIZE,
				       .page_count = PAGES,
				       .page_shift = TABLE_PAGE_SHIFT };
	ck_assert_msg(!placement_add(&placement, &image_entry, ret, &error), "%s", error.message);
	ret->first_rule = FIRST_RULE;
	placement_deinit(&placement);
}

static void begin(int number)
{
	memset(&world, 0, sizeof(world));
	make_rows();
	for (uint32_t i = 0; i < RULE_CHUNKS * WALK_CHUNK_RULES; i++) {
		struct table_rule *rule =
			&world.rules[i / WALK_CHUNK_RULES].rule[i % WALK_CHUNK_RULES];

		rule->cfa_offset = i * 7 + 1;
		rule->codes = i * 11ull << 32;
	}
	place(rows.entry, world.pages, world.entries, number, &world.task.table);
	place(rows.plain, world.plain_pages, world.plain_rows, number, &world.task.plain);
	for (uint32_t i = 0; i < LOOKUP_POINTS; i++) {
		world.task.offset[i] = draw(PAGES * TABLE_PAGE_SIZE + 2000);
		world.task.found[i] = CANARY;
	}
	world.task.offset[0] = 0;
	world.task.offset[1] = PAGES * TABLE_PAGE_SIZE;
	world.task.offset[2] = PAGES * TABLE_PAGE_SIZE - 1;
	world.task.mask = UINT32_MAX;
	world.task.rounds = POINTS;
}

/* By other words than lookup_digest()'s. */
static uint64_t digest(uint32_t number)
{
	const struct table_rule *rule =
		&world.rules[number / WALK_CHUNK_RULES].rule[number % WALK_CHUNK_RULES];

	return ((uint64_t)(uint32_t)rule->cfa_offset << 32 | rule->head) * 3 + rule->codes;
}

/* ---- what is found ---------------------------------------------------------------------- */

static int (*const programs[])(void *ctx) = { lookup_table, lookup_plain };

START_TEST(each_point_has_its_rows_rule)
{
	uint64_t contents = 0;

	begin(_i / COUNT(programs));
	ck_assert_int_eq(programs[_i % COUNT(programs)](NULL), 0);
	for (uint32_t i = 0; i < POINTS; i++) {
		uint32_t expect = expected(world.task.offset[i]);

		ck_assert_msg(world.task.found[i] == expect, "%s: +0x%x: %u, not %u",
			      others[_i / COUNT(programs)].name, world.task.offset[i],
			      world.task.found[i], expect);
		if (expect >= FIRST_RULE) /* not a stop reason */
			contents += digest(expect);
	}
	ck_assert_uint_eq(world.task.contents, contents);
	ck_assert_uint_eq(world.task.ns, TAKES_NS);
}
END_TEST

START_TEST(no_look_up_notes_the_pc)
{
	begin(0);
	world.task.contents = 5;
	ck_assert_int_eq(lookup_none(NULL), 0);
	for (uint32_t i = 0; i < POINTS; i++)
		ck_assert_uint_eq(world.task.found[i], (uint32_t)(START + world.task.offset[i]));
	ck_assert_uint_eq(world.task.contents, 0);
	ck_assert_uint_eq(world.task.ns, TAKES_NS);
}
END_TEST

/* ---- rounds ----------------------------------------------------------------------------- */

static const struct {
	uint32_t begin, mask, rounds;
	uint32_t point[5], points;
} rounds_of[] = {
	{ 0, 7, 0, { 0 }, 0 },
	{ 5, 7, 3, { 5, 6, 7 }, 3 },
	{ 6, 7, 4, { 6, 7, 0, 1 }, 4 },
	{ 6, 1, 9, { 0, 1 }, 2 },
	{ LOOKUP_POINTS - 1, UINT32_MAX, 2, { LOOKUP_POINTS - 1, 0 }, 2 },
	{ LOOKUP_POINTS + 3, UINT32_MAX, 1, { 3 }, 1 },
};

START_TEST(rounds_go_over_their_points)
{
	begin(0);
	world.task.begin = rounds_of[_i].begin;
	world.task.mask = rounds_of[_i].mask;
	world.task.rounds = rounds_of[_i].rounds;
	ck_assert_int_eq(lookup_plain(NULL), 0);
	for (uint32_t i = 0; i < LOOKUP_POINTS; i++) {
		uint32_t expect = CANARY;

		for (uint32_t k = 0; k < rounds_of[_i].points; k++)
			if (rounds_of[_i].point[k] == i)
				expect = expected(world.task.offset[i]);
		ck_assert_msg(world.task.found[i] == expect, "point %u", i);
	}
}
END_TEST

/* ---- what is not there ------------------------------------------------------------------ */

static const struct {
	const char *name;
	const void *map;
	bool table, plain; /* these programs can't do without */
} missing[] = {
	{ "tasks", &tasks, true, true },
	{ "pages", &pages, true, true },
	{ "entries", &entries, true, true },
	{ "shapes", &shapes, true, true },
	{ "rules", &rules, true, true },
	{ "plain_pages", &plain_pages, false, true },
	{ "plain_rows", &plain_rows, false, true },
};

START_TEST(nothing_is_looked_up_without_arrays)
{
	begin(0);
	world.missing = missing[_i].map;
	world.task.rounds = 4;
	for (int i = 0; i < COUNT(programs); i++) {
		bool fails = i ? missing[_i].plain : missing[_i].table;

		world.task.found[3] = CANARY;
		world.task.ns = world.now_ns = 0;
		ck_assert_msg(programs[i](NULL) == (fails ? -1 : 0), "%s: program %d",
			      missing[_i].name, i);
		ck_assert_msg((world.task.found[3] == CANARY) == fails, "%s", missing[_i].name);
		ck_assert_uint_eq(world.task.ns, fails ? 0 : TAKES_NS);
	}
}
END_TEST

/* A page whose number of rows is impossible, and chunks that are not there. */
START_TEST(bad_plain_rows_are_a_bad_table)
{
	begin(0);
	world.task.rounds = 1;
	world.task.offset[0] = 20 * TABLE_PAGE_SIZE;
	struct walk_page_chunk *chunk = &world.plain_pages[20 / WALK_CHUNK_PAGES];
	uint32_t *page = &chunk->page[20 % WALK_CHUNK_PAGES + 1];

	page[1] = page[0] + TABLE_PAGE_SIZE;
	lookup_plain(NULL);
	ck_assert_uint_ne(world.task.found[0], STOP_BAD_TABLE);
	page[1] = page[0] + TABLE_PAGE_SIZE + 1;
	lookup_plain(NULL);
	ck_assert_uint_eq(world.task.found[0], STOP_BAD_TABLE);
	page[0] = ENTRY_CHUNKS * WALK_CHUNK_ENTRIES;
	page[1] = page[0] + 1;
	lookup_plain(NULL);
	ck_assert_uint_eq(world.task.found[0], STOP_BAD_TABLE);
	world.task.plain.first_page = (PAGE_CHUNKS - 1) * WALK_CHUNK_PAGES;
	lookup_plain(NULL);
	ck_assert_uint_eq(world.task.found[0], STOP_BAD_TABLE);
}
END_TEST

SUITE(lookup_made, TIMES(each_point_has_its_rows_rule, COUNT(others) * COUNT(programs)),
      TEST(no_look_up_notes_the_pc), LOOP(rounds_go_over_their_points, rounds_of),
      LOOP(nothing_is_looked_up_without_arrays, missing), TEST(bad_plain_rows_are_a_bad_table))
