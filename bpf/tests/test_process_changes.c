/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * test_process_changes.c - what a fork does to what is known, and rooms for mappings, without BPF
 *
 * The list's rooms are private to it: it is compiled in here.
 */
#include <stdlib.h>
#include "tests/suite.h"
#include "process_list.c"
#include "process_change.h"

/* ---- a fork ------------------------------------------------------------------------------ */

static const struct fork_case {
	const char *name;
	bool parent, alive, unread, known, unchecked;
	uint64_t true_ns; /* the child is born at 100 */
	bool shared;	  /* else the child must be read */
} forks[] = {
	{ "parent_is_known", true, true, false, true, false, 99, true },
	{ "parent_is_known_by_events_alone", true, true, false, true, true, 99, true },
	{ "no_parent", false, false, false, false, false, 0, false },
	{ "parent_has_ended", true, false, false, true, false, 99, false },
	{ "parent_is_to_be_read", true, true, true, true, false, 99, false },
	{ "nothing_is_known_of_the_parent", true, true, false, false, false, 0, false },
	{ "parent_was_read_when_it_forked", true, true, false, true, false, 100, false },
	{ "parent_was_read_later", true, true, false, true, false, 101, false },
};

START_TEST(child_has_what_its_parent_had)
{
	const struct fork_case *c = &forks[_i];
	struct process_set set = { .bucket = NULL };
	struct process *parent = process_set_get(&set, 10), *child = process_set_get(&set, 11);

	ck_assert(parent && child);
	parent->alive = c->alive;
	parent->unread = c->unread;
	parent->unchecked = c->unchecked;
	parent->known = c->known ? known_space_create() : NULL;
	if (parent->known)
		parent->known->true_ns = c->true_ns;
	child->alive = true;
	child->born_ns = 100;
	process_forks(&set, c->parent ? parent : NULL, child);
	ck_assert_msg(child->unread == !c->shared, "%s: unread", c->name);
	ck_assert_msg(child->known == (c->shared ? parent->known : NULL), "%s: known", c->name);
	ck_assert_ptr_eq(process_set_pop(&set, PROCESS_GIVE), c->shared ? child : NULL);
	ck_assert_ptr_eq(process_set_pop(&set, PROCESS_READ), c->shared ? NULL : child);
	ck_assert_ptr_eq(process_set_pop(&set, PROCESS_CHECK), c->unchecked ? child : NULL);
	process_set_deinit(&set);
}
END_TEST

/* ---- rooms ------------------------------------------------------------------------------- */

/* Rooms of one size, until there is none: to the last mapping. */
START_TEST(rooms_fill_the_mappings)
{
	static struct walk_mapping mapping[256];
	struct process_list list = { .mapping = mapping, .mapping_count = COUNT(mapping) };
	uint32_t size = 1u << (ROOM_CLASS_LEAST + _i), rooms = 0;
	struct owned_space room;

	for (int class = 0; class < PROCESS_LIST_CLASSES; class ++)
		list.free_room[class] = ROOM_NONE;
	for (; take_room(&list, ROOM_CLASS_LEAST + _i, &room); rooms++) {
		ck_assert_uint_eq(room.room, rooms * size);
		ck_assert_uint_eq(room.class, ROOM_CLASS_LEAST + _i);
	}
	ck_assert_uint_eq(rooms, COUNT(mapping) / size);
	/* The one that is free again is taken, and of no other size. */
	list.free_room[ROOM_CLASS_LEAST + _i] = size;
	mapping[size].first_page = ROOM_NONE;
	ck_assert(!take_room(&list, ROOM_CLASS_LEAST + _i + 1, &room));
	ck_assert(take_room(&list, ROOM_CLASS_LEAST + _i, &room));
	ck_assert_uint_eq(room.room, size);
	ck_assert(!take_room(&list, ROOM_CLASS_LEAST + _i, &room));
}
END_TEST

/* Where there is no other, a larger one: it stays as large. */
START_TEST(larger_room_is_taken_last)
{
	static struct walk_mapping mapping[128];
	struct process_list list = { .mapping = mapping, .mapping_count = COUNT(mapping) };
	struct owned_space room;

	for (int class = 0; class < PROCESS_LIST_CLASSES; class ++)
		list.free_room[class] = ROOM_NONE;
	list.free_room[6] = 0;
	list.mapping_used = 64;
	mapping[0].first_page = ROOM_NONE;
	for (uint32_t first = 64; first < COUNT(mapping); first += 16) {
		ck_assert(take_room(&list, 4, &room));
		ck_assert_uint_eq(room.room, first);
	}
	ck_assert(take_room(&list, 4, &room));
	ck_assert(room.room == 0 && room.class == 6);
	ck_assert(!take_room(&list, 4, &room));
}
END_TEST

SUITE(process_changes, LOOP(child_has_what_its_parent_had, forks),
      TIMES(rooms_fill_the_mappings, 3), TEST(larger_room_is_taken_last))
