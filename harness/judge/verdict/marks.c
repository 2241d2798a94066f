/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * marks.c - see marks.h
 *
 * A list that points are added to at its end. When it is full, equal marks become one; only if that
 * leaves less than half of it free is it made larger.
 */
#include <stdlib.h>
#include "array.h"
#include "marks.h"

static int by_mark(const void *a, const void *b)
{
	uint64_t one = ((const struct mark_count *)a)->mark;
	uint64_t other = ((const struct mark_count *)b)->mark;

	return (one > other) - (one < other);
}

static void put_together(struct marks *marks)
{
	size_t kept = 0;

	qsort(marks->entry, marks->count, sizeof(*marks->entry), by_mark);
	for (size_t i = 1; i < marks->count; i++) {
		if (marks->entry[i].mark == marks->entry[kept].mark)
			marks->entry[kept].count += marks->entry[i].count;
		else
			marks->entry[++kept] = marks->entry[i];
	}
	marks->count = kept + 1;
}

/* Room for one more. False: no memory. */
static bool make_room(struct marks *marks)
{
	if (marks->count < marks->capacity)
		return true;
	if (marks->count)
		put_together(marks);
	return marks->count < marks->capacity / 2 ||
	       ARRAY_RESERVE(marks->entry, marks->capacity, 2 * marks->capacity + 1) ||
	       marks->count < marks->capacity;
}

void marks_add(struct marks *marks, uint64_t mark, uint64_t count)
{
	if (marks->count && marks->entry[marks->count - 1].mark == mark)
		marks->entry[marks->count - 1].count += count;
	else if (make_room(marks))
		marks->entry[marks->count++] = (struct mark_count) { mark, count };
	else
		marks->lost += count;
}

void marks_take(struct marks *marks, struct marks *from)
{
	/* The shorter one is moved: a mark is, each time, into a list at least twice as long. */
	if (from->count > marks->count) {
		struct marks longer = *from;

		*from = *marks;
		*marks = longer;
	}
	for (size_t i = 0; i < from->count; i++)
		marks_add(marks, from->entry[i].mark, from->entry[i].count);
	marks->lost += from->lost;
	marks_deinit(from);
}

void marks_deinit(struct marks *marks)
{
	free(marks->entry);
	*marks = (struct marks) { .entry = NULL };
}
