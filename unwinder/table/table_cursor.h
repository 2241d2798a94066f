/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_cursor.h - iterates over a table's stretches of one rule
 *
 * It visits what table_rows() gives, but without a callback, so that a caller can go through two tables, or
 * a table and CFI, side by side. A cursor is a plain value, and may be copied. Private to unwinder/.
 */
#ifndef STACKPROOF_TABLE_CURSOR_H
#define STACKPROOF_TABLE_CURSOR_H

#include "unwind_table.h"

struct table_cursor {
	const struct table *table;
	/* The stretch: rule holds for pc .. pc_end. pc is UINT64_MAX behind the last stretch. */
	uint64_t pc;
	uint64_t pc_end;
	uint32_t rule;
	/* Private: the next row, and where the rows behind it are. */
	uint32_t next_rule;
	uint64_t next_pc;
	bool has_next;
	bool rest_read; /* the part behind the segment's pages was visited */
	uint32_t segment;
	uint32_t page; /* of entry, counted from the segment's first page */
	uint32_t entry;
	uint32_t row; /* row of the entry's shape, in order of address */
};

/* A cursor at the first stretch, or an invalid one if there is none. */
struct table_cursor table_cursor_begin(const struct table *table);
static inline bool table_cursor_valid(const struct table_cursor *cursor)
{
	return cursor->pc != UINT64_MAX;
}
/* Moves to the next stretch. The cursor must be valid. */
void table_cursor_next(struct table_cursor *cursor);

#endif
