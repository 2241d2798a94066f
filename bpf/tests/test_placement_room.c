/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_placement_room.c - which numbers of an array are free, as parts are taken and given back
 *
 * Held against a list of what is taken. And nothing is written behind the extents that there are.
 * Then which room a table asks for, and what is written of it where a chunk ends.
 */
/* Chunks so small that a few numbers fill them. */
#define WALK_PAGE_SHIFT	 3
#define WALK_ENTRY_SHIFT 3
#define WALK_SHAPE_SHIFT 5
#define WALK_RULE_SHIFT	 2
#include <stdlib.h>
#include <string.h>
#include "tests/suite.h"
#include "placement.c"

#define NUMBERS	    24
#define EXTENTS_MAX (NUMBERS / 2 + 1)

struct room {
	struct placement_extent extent[EXTENTS_MAX + 4];
	struct placement_array array;
	bool taken[NUMBERS];
};

/* What lies behind the extents is nobody's. */
static void mark_behind(struct room *room, size_t first)
{
	for (size_t i = first; i < COUNT(room->extent); i++)
		room->extent[i] = (struct placement_extent) { 0, 0xdef00000 + i };
}

static void assert_marked_behind(const struct room *room, size_t first)
{
	for (size_t i = first; i < COUNT(room->extent); i++)
		ck_assert_msg(!room->extent[i].first && room->extent[i].count == 0xdef00000 + i,
			      "extent %zu is written", i);
}

/* In order, and each as long as it can be. */
static void assert_free_is_not_taken(const struct room *room)
{
	size_t extents = 0;
	uint32_t used = 0, first;

	for (uint32_t at = 0; at < NUMBERS; at++) {
		used += room->taken[at];
		if (room->taken[at])
			continue;
		for (first = at; at + 1 < NUMBERS && !room->taken[at + 1];)
			at++;
		ck_assert_uint_lt(extents, room->array.free_count);
		ck_assert_uint_eq(room->extent[extents].first, first);
		ck_assert_uint_eq(room->extent[extents++].count, at + 1 - first);
	}
	ck_assert_uint_eq(room->array.free_count, extents);
	ck_assert_uint_eq(room->array.used, used);
}

/* Takes a part of what is free, or gives back a part of what is taken, at random. */
static void take_or_give_back(struct room *room, unsigned int *seed)
{
	struct placement_array *array = &room->array;
	struct placement_extent part = { rand_r(seed) % NUMBERS, 0 };
	size_t number = 0;
	uint32_t skip, count;

	if (rand_r(seed) % 2 && array->free_count) {
		number = rand_r(seed) % array->free_count;
		skip = rand_r(seed) % 3 % array->free[number].count;
		count = 1 + rand_r(seed) % (array->free[number].count - skip);
		part = (struct placement_extent) { array->free[number].first + skip, count };
		struct placement_extent taken = take(array, number, skip, count);
		ck_assert_uint_eq(taken.first, part.first);
		ck_assert_uint_eq(taken.count, part.count);
	} else {
		while (part.count < 4 && part.first + part.count < NUMBERS &&
		       room->taken[part.first + part.count])
			part.count++;
		give_back(array, &part);
	}
	for (uint32_t i = 0; i < part.count; i++)
		room->taken[part.first + i] = !room->taken[part.first + i];
}

START_TEST(free_extents_are_what_is_not_taken)
{
	unsigned int seed = 1 + _i;
	struct room room = { .array = { .capacity = NUMBERS, .free_count = 1 } };

	room.array.free = room.extent;
	room.extent[0] = (struct placement_extent) { 0, NUMBERS };
	for (int i = 0; i < 500; i++) {
		size_t before = room.array.free_count;

		mark_behind(&room, before);
		take_or_give_back(&room, &seed);
		assert_free_is_not_taken(&room);
		assert_marked_behind(&room, before + 1);
	}
}
END_TEST

START_TEST(all_of_an_array_is_free_at_first)
{
	struct placement_array array = { .capacity = NUMBERS };
	struct error error;

	ck_assert(!reserve(&array, 2, &error));
	ck_assert_uint_ge(array.free_capacity, 2);
	ck_assert_uint_eq(array.free_count, 1);
	ck_assert_uint_eq(array.free[0].first, 0);
	ck_assert_uint_eq(array.free[0].count, NUMBERS);
	take(&array, 0, 0, 4);
	/* Room for more extents changes none. */
	ck_assert(!reserve(&array, 100, &error));
	ck_assert_uint_ge(array.free_capacity, 100);
	ck_assert_uint_eq(array.free_count, 1);
	ck_assert_uint_eq(array.free[0].first, 4);
	ck_assert_uint_eq(array.free[0].count, NUMBERS - 4);
	free(array.free);
}
END_TEST

/* ---- what a table asks for ----------------------------------------------------------------- */

static const struct {
	enum placement_kind kind;
	uint32_t capacity, values;
} value_cases[] = {
	{ PLACEMENT_PAGES, 0, 0 },    { PLACEMENT_PAGES, 1, 1 },
	{ PLACEMENT_PAGES, 8, 1 },    { PLACEMENT_PAGES, 9, 2 },
	{ PLACEMENT_ENTRIES, 16, 2 }, { PLACEMENT_ENTRIES, 17, 3 },
	{ PLACEMENT_SHAPES, 32, 1 },  { PLACEMENT_SHAPES, 33, 2 },
	{ PLACEMENT_RULES, 4, 1 },    { PLACEMENT_RULES, 6, 2 },
	{ PLACEMENT_PLACES, 1, 1 },   { PLACEMENT_PLACES, 5, 5 },
	{ PLACEMENT_PLACES, 0, 0 },   { PLACEMENT_RULES, UINT32_MAX, 1u << 30 },
};

START_TEST(values_hold_the_capacity)
{
	ck_assert_uint_eq(placement_values(value_cases[_i].kind, value_cases[_i].capacity),
			  value_cases[_i].values);
}
END_TEST

/* A chunk has 8 entries. */
static const struct {
	const char *name;
	uint32_t first, page_count;
	uint32_t page[5];
	uint64_t wanted; /* from first on, and one more */
} wanted_cases[] = {
	{ "no_page", 0, 0, { 0 }, 1 },
	{ "all_of_a_chunk", 0, 2, { 0, 4, 8 }, 9 },
	{ "all_that_is_left", 3, 2, { 0, 4, 5 }, 6 },
	{ "one_more_than_is_left", 4, 2, { 0, 4, 5 }, 6 },
	{ "a_page_would_straddle", 5, 2, { 0, 2, 5 }, 7 },
	{ "its_chunk_is_filled_up", 2, 3, { 0, 4, 7, 8 }, 11 },
	{ "a_page_without_entries_is_no_page", 6, 4, { 0, 2, 2, 2, 5 }, 6 },
	{ "the_first_does_not_fit", 7, 1, { 0, 3 }, 5 },
	{ "each_is_a_chunk", 8, 2, { 0, 8, 16 }, 17 },
	{ "each_is_a_chunk_from_the_middle", 4, 2, { 0, 8, 16 }, 21 },
};

START_TEST(entries_wanted_by_a_table)
{
	struct table table = { .page = (uint32_t *)wanted_cases[_i].page,
			       .page_count = wanted_cases[_i].page_count };

	table.entry_count = table.page[table.page_count];
	ck_assert_msg(wanted_entries(&table, wanted_cases[_i].first) == wanted_cases[_i].wanted,
		      "%s: %llu", wanted_cases[_i].name,
		      (unsigned long long)wanted_entries(&table, wanted_cases[_i].first));
}
END_TEST

START_TEST(numbers_wanted_by_a_table)
{
	static const uint64_t expect[] = { 2, 4, 4, 5, 6, 0 };
	uint32_t page[] = { 0, 3 };
	const struct table table = { .page = page,
				     .page_count = 1,
				     .entry_count = 3,
				     .shape_count = 4,
				     .rule_count = 5,
				     .place_count = 6 };

	for (int kind = 0; kind <= PLACEMENT_COUNT; kind++)
		ck_assert_uint_eq(wanted(&table, kind, 0), expect[kind]);
}
END_TEST

/* Two free extents, of an array of rules, and how many are asked for. */
static const struct {
	const char *name;
	struct placement_extent free[2];
	uint32_t rules;
	bool found;
	struct placement_extent expect;
} room_cases[] = {
	{ "none_is_number_0", { { 3, 2 }, { 9, 2 } }, 0, true, { 0, 0 } },
	{ "all_of_the_first", { { 3, 2 }, { 9, 2 } }, 2, true, { 3, 2 } },
	{ "part_of_the_first", { { 3, 2 }, { 9, 2 } }, 1, true, { 3, 1 } },
	{ "the_second_is_large_enough", { { 3, 2 }, { 9, 3 } }, 3, true, { 9, 3 } },
	{ "neither_is", { { 3, 2 }, { 9, 3 } }, 4, false, { 0, 0 } },
};

START_TEST(first_extent_that_is_large_enough)
{
	struct placement_extent extent[3];
	struct placement_extent got = { 77, 77 };
	struct placement_array array = { .free = extent, .free_count = 2, .capacity = 20 };
	struct table table = { .rule_count = room_cases[_i].rules };
	bool found;

	memcpy(extent, room_cases[_i].free, sizeof(room_cases[_i].free));
	found = find_room(&array, &table, PLACEMENT_RULES, &got);
	ck_assert_msg(found == room_cases[_i].found && got.first == room_cases[_i].expect.first &&
			      got.count == room_cases[_i].expect.count,
		      "%s: %d, %u+%u", room_cases[_i].name, found, got.first, got.count);
	ck_assert_uint_eq(array.used, got.count);
}
END_TEST

/* ---- what is written ----------------------------------------------------------------------- */

#define VALUES 3 /* and one on each side, which is nobody's */
#define NOBODY 0xee

/* Where a number may be: itself, and as its neighbour's. -1: nowhere else. */
static const struct {
	const char *name;
	uint32_t number;
	int chunk, at, other_chunk, other_at;
} page_cases[] = {
	{ "first_of_all", 0, 0, 1, -1, 0 },	 { "second", 1, 0, 2, -1, 0 },
	{ "last_of_a_chunk", 7, 0, 8, 1, 0 },	 { "first_of_a_chunk", 8, 1, 1, 0, 9 },
	{ "in_the_middle", 12, 1, 5, -1, 0 },	 { "last_of_the_second", 15, 1, 8, 2, 0 },
	{ "first_of_the_last", 16, 2, 1, 1, 9 }, { "last_of_all", 23, 2, 8, -1, 0 },
};

START_TEST(page_is_written_beside_its_neighbours)
{
	struct walk_page_chunk chunk[VALUES + 2], expect[VALUES + 2];
	struct placement_array array = { .memory = chunk + 1,
					 .capacity = VALUES * WALK_CHUNK_PAGES };

	memset(chunk, NOBODY, sizeof(chunk));
	memset(expect, NOBODY, sizeof(expect));
	expect[page_cases[_i].chunk + 1].page[page_cases[_i].at] = 1234;
	if (page_cases[_i].other_chunk >= 0)
		expect[page_cases[_i].other_chunk + 1].page[page_cases[_i].other_at] = 1234;
	put_page(&array, page_cases[_i].number, 1234);
	ck_assert_msg(!memcmp(chunk, expect, sizeof(chunk)), "%s", page_cases[_i].name);
}
END_TEST

START_TEST(entry_is_written_beside_its_neighbours)
{
	static struct walk_entry_chunk chunk[VALUES + 2], expect[VALUES + 2];
	struct placement_array array = { .memory = chunk + 1,
					 .capacity = VALUES * WALK_CHUNK_ENTRIES };

	memset(chunk, NOBODY, sizeof(chunk));
	memset(expect, NOBODY, sizeof(expect));
	expect[page_cases[_i].chunk + 1].entry[page_cases[_i].at] = 1234;
	if (page_cases[_i].other_chunk > page_cases[_i].chunk)
		expect[page_cases[_i].other_chunk + 1].entry[0] = 1234;
	put_entry(&array, page_cases[_i].number, 1234);
	ck_assert_msg(!memcmp(chunk, expect, sizeof(chunk)), "%s", page_cases[_i].name);
}
END_TEST

/* A chunk has 32 rows, and repeats 16 of the next one's. */
START_TEST(row_is_written_beside_its_neighbours)
{
	struct walk_shape_chunk chunk[VALUES + 2], expect[VALUES + 2];
	struct placement_array array = { .memory = chunk + 1,
					 .capacity = VALUES * WALK_CHUNK_ROWS };
	uint32_t number = _i;

	memset(chunk, NOBODY, sizeof(chunk));
	memset(expect, NOBODY, sizeof(expect));
	expect[number / 32 + 1].row[number % 32] = 1234;
	if (number >= 32 && number % 32 < 16)
		expect[number / 32].row[32 + number % 32] = 1234;
	put_shape_row(&array, number, 1234);
	ck_assert_msg(!memcmp(chunk, expect, sizeof(chunk)), "row %u", number);
}
END_TEST

/* From entry 5 on: the second page's would straddle, so the first one's last is repeated. */
START_TEST(pages_are_rewritten)
{
	static struct walk_entry_chunk entries[2];
	struct walk_page_chunk pages[2] = { 0 };
	uint32_t page[] = { 0, 0, 2, 2, 5, 5 };
	uint32_t entry[] = { 10, 11, 12, 13, 14 };
	static const uint32_t expect_page[] = { 0, 0, 5, 5, 8, 8, 11, 11, 0, 0 };
	static const uint32_t expect_entry[] = { 0, 0, 0, 0, 0, 0, 10, 11, 11, 0 };
	static const uint32_t expect_next[] = { 11, 12, 13, 14, 0, 0, 0, 0, 0, 0 };
	const struct table table = {
		.page = page, .page_count = 5, .entry = entry, .entry_count = 5
	};
	struct placement placement = { 0 };
	const struct placed_image placed = {
		.at = { [PLACEMENT_PAGES] = { 1, 6 }, [PLACEMENT_ENTRIES] = { 5, 7 } }
	};

	memset(entries, 0, sizeof(entries));
	placement.array[PLACEMENT_PAGES] = (struct placement_array) { .memory = pages,
								      .capacity = 16 };
	placement.array[PLACEMENT_ENTRIES] = (struct placement_array) { .memory = entries,
									.capacity = 16 };
	place_pages(&placement, &table, &placed);
	for (int i = 0; i < COUNT(expect_page); i++) {
		ck_assert_msg(pages[0].page[i] == expect_page[i], "page %d: %u", i,
			      pages[0].page[i]);
		ck_assert_msg(entries[0].entry[i] == expect_entry[i], "entry %d: %u", i,
			      entries[0].entry[i]);
		ck_assert_msg(entries[1].entry[i] == expect_next[i], "next entry %d: %u", i,
			      entries[1].entry[i]);
	}
}
END_TEST

SUITE(placement_room, TIMES(free_extents_are_what_is_not_taken, 40),
      TEST(all_of_an_array_is_free_at_first), LOOP(values_hold_the_capacity, value_cases),
      LOOP(entries_wanted_by_a_table, wanted_cases), TEST(numbers_wanted_by_a_table),
      LOOP(first_extent_that_is_large_enough, room_cases),
      LOOP(page_is_written_beside_its_neighbours, page_cases),
      LOOP(entry_is_written_beside_its_neighbours, page_cases),
      TIMES(row_is_written_beside_its_neighbours, VALUES *WALK_CHUNK_ROWS),
      TEST(pages_are_rewritten))
