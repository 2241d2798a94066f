/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * flame_rows.c - what each function has: itself, and with all that it called
 *
 * A function that is in a stack more than once has the stack's value once.
 */
#include <stdlib.h>
#include "array.h"
#include "flame.h"
#include "hash.h"

struct tally {
	struct flame_row *row; /* element 0 is not used */
	size_t *seen;	       /* by row: the last stack that it was met in, from 1 */
	uint32_t rows, room, seen_room;
	struct number_map map;
};

struct wanted {
	const struct tally *tally;
	uint32_t name, group;
};

static bool is_row(void *context, uint32_t number)
{
	const struct wanted *wanted = context;
	const struct flame_row *row = &wanted->tally->row[number];

	return row->name == wanted->name && row->group == wanted->group;
}

/* 0: no memory. */
static uint32_t find_row(struct tally *tally, uint32_t name, uint32_t group)
{
	struct wanted wanted = { tally, name, group };
	uint32_t *slot = number_map_find(&tally->map, hash_word(hash_word(0, name), group), is_row,
					 &wanted);

	if (!slot || *slot)
		return slot ? *slot : 0;
	if (!ARRAY_RESERVE(tally->row, tally->room, tally->rows + 2ul) ||
	    !ARRAY_RESERVE(tally->seen, tally->seen_room, tally->rows + 2ul))
		return 0;
	tally->row[++tally->rows] = (struct flame_row) { .name = name, .group = group };
	tally->seen[tally->rows] = 0;
	return *slot = tally->rows;
}

/* False: no memory. number: the stack's, from 1. */
static bool add_stack(struct tally *tally, const struct flame *flame, size_t number, bool of_all)
{
	const struct flame_stack *stack = &flame->stack[number - 1];

	for (uint32_t i = 0; i < stack->frames; i++) {
		uint32_t row = find_row(tally, flame->frame[stack->first + i],
					of_all ? 0 : stack->group);

		if (!row)
			return false;
		if (tally->seen[row] != number)
			tally->row[row].total += stack->value;
		tally->seen[row] = number;
		if (i + 1 == stack->frames)
			tally->row[row].self += stack->value;
	}
	return true;
}

/* What is equal in both is in the order in which it came. */
static int by_self(const void *left, const void *right)
{
	const struct flame_row *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

int flame_rows(const struct flame *flame, bool of_all, struct flame_row **ret, size_t *ret_rows,
	       struct error *error)
{
	struct tally tally = { 0 };
	bool whole = ARRAY_RESERVE(tally.row, tally.room, 1);

	for (size_t i = 1; i <= flame->stacks && whole; i++)
		whole = add_stack(&tally, flame, i, of_all);
	free(tally.seen);
	number_map_deinit(&tally.map);
	if (!whole) {
		free(tally.row);
		return error_set(error, ERROR_MEMORY, "", 0, "no memory for functions");
	}
	for (uint32_t i = 0; i < tally.rows; i++)
		tally.row[i] = tally.row[i + 1];
	qsort(tally.row, tally.rows, sizeof(*tally.row), by_self);
	*ret = tally.row;
	*ret_rows = tally.rows;
	return 0;
}
