/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_placement_room.c - which numbers of an array are free, as parts are taken and given back
 *
 * Held against a list of what is taken. And nothing is written behind the extents that there are.
 */
#include <check.h>
#include <stdlib.h>
#include "placement.c"

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#define NUMBERS	     24
#define EXTENTS_MAX  (NUMBERS / 2 + 1)

struct room {
	struct placement_extent extent[EXTENTS_MAX + 4];
	struct placement_array array;
	bool taken[NUMBERS];
};

/* What lies behind the extents is nobody's. */
static void mark_behind(struct room *room, size_t first)
{
	for (size_t i = first; i < COUNT(room->extent); i++)
		room->extent[i] = (struct placement_extent) { 0xabc00000 + i, 0xdef00000 + i };
}

static void assert_marked_behind(const struct room *room, size_t first)
{
	for (size_t i = first; i < COUNT(room->extent); i++)
		ck_assert_msg(room->extent[i].first == 0xabc00000 + i &&
				      room->extent[i].count == 0xdef00000 + i,
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

int main(void)
{
	Suite *suite = suite_create("placement_room");
	TCase *tcase = tcase_create("placement_room");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, free_extents_are_what_is_not_taken, 0, 40);
	suite_add_tcase(suite, tcase);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
