/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * marks.h - which points an account is about
 *
 * An account counts points (doubt.h), and accounts are added to each other until it is known what
 * became of them. Who wants to know more of a point than how many there are gives it a mark, a
 * number, and is told of each mark how many of its points were proven. Marks take memory by how
 * many different ones there are, not by points: equal ones are put together when room is short.
 */
#ifndef STACKPROOF_MARKS_H
#define STACKPROOF_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mark_count {
	uint64_t mark, count;
};

/* Zero-initialise. In no order, and a mark may be there more than once. */
struct marks {
	struct mark_count *entry;
	size_t count, capacity;
	uint64_t lost; /* points that there was no memory for */
};

void marks_add(struct marks *marks, uint64_t mark, uint64_t count);
/* Adds all of another's, which is empty then. */
void marks_take(struct marks *marks, struct marks *from);
/* Gives its memory back; it is empty then. */
void marks_deinit(struct marks *marks);

#endif
