/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_cursor.h - a table's stretches of one rule, one at a time
 *
 * The same as table_rows() gives, without a callback: who goes along two things at once asks for
 * the next of either. A cursor is a plain value. A copy of it goes on by itself. Private to
 * unwinder/.
 */
#ifndef STACKPROOF_TABLE_CURSOR_H
#define STACKPROOF_TABLE_CURSOR_H

#include "unwind_table.h"

struct table_cursor {
	const struct table *table;
	/* the stretch: rule holds for pc .. pc_end. Behind the last one pc is UINT64_MAX. */
	uint64_t pc;
	uint64_t pc_end;
	uint32_t rule;
	/* private: the row that comes next, and where those behind it are */
	uint32_t next_rule;
	uint64_t next_pc;
	bool has_next;
	bool rest_read; /* what is behind the segment's pages */
	uint32_t segment;
	uint32_t page; /* of entry, counted in the segment */
	uint32_t entry;
	uint32_t row; /* of the entry's shape, in order of address */
};

/* At the first stretch, if there is one. */
struct table_cursor table_cursor_begin(const struct table *table);
static inline bool table_cursor_valid(const struct table_cursor *cursor)
{
	return cursor->pc != UINT64_MAX;
}
/* To the next one. The cursor must be valid. */
void table_cursor_next(struct table_cursor *cursor);

#endif
