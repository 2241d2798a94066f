/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * marks.h - which points an account is about
 *
 * An account only counts points (doubt.h), and accounts are added to each other until their points are
 * decided. A listener that wants to know which points were proven gives each a number, the mark. It is
 * later told, for each mark, how many of its points were proven. Equal marks are merged when room is
 * short, so memory grows with the number of different marks.
 */
#ifndef STACKPROOF_MARKS_H
#define STACKPROOF_MARKS_H

#include <stddef.h>
#include <stdint.h>

struct mark_count {
	uint64_t mark, count;
};

/* Zero-initialise. Entries are unsorted, and a mark may have several. */
struct marks {
	struct mark_count *entry;
	size_t count, capacity;
	uint64_t lost; /* points without a mark, because there was no memory */
};

void marks_add(struct marks *marks, uint64_t mark, uint64_t count);
/* Moves all marks of from, which is empty then. */
void marks_take(struct marks *marks, struct marks *from);
/* Frees and empties it. */
void marks_deinit(struct marks *marks);

#endif
