/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_cursor.c - a table's stretches of one rule, one at a time
 *
 * Rows are read one ahead, since neighbours of one rule are one stretch. Each segment's begin anew.
 */
#include "table_cursor.h"

static const struct table_segment *segment_of(const struct table_cursor *cursor)
{
	return &cursor->table->segment[cursor->segment];
}

/* The number of the first entry behind the segment. */
static uint32_t last_entry(const struct table_cursor *cursor)
{
	const struct table_segment *segment = segment_of(cursor);

	return cursor->table->page[segment->first_page + segment->page_count];
}

/* Where an entry of the segment is; *page: the one before's page, or its own. */
static uint64_t entry_vaddr(const struct table_cursor *cursor, uint32_t entry, uint32_t *page)
{
	const struct table_segment *segment = segment_of(cursor);

	while (cursor->table->page[segment->first_page + *page + 1] <= entry)
		++*page;
	return table_entry_vaddr(cursor->table, segment, *page, cursor->table->entry[entry]);
}

/* Where the segment ends. */
static uint64_t segment_end(const struct table_cursor *cursor)
{
	const struct table_segment *segment = segment_of(cursor);

	return segment->vaddr + table_segment_bytes(cursor->table, segment);
}

/* The row of an entry's shape that is number `row` in order of address; false: it has no more. */
static bool shape_row(const struct table *table, uint32_t entry, uint32_t row, uint16_t *ret)
{
	const uint16_t *first = table->shape + table_entry_number(entry);
	uint32_t last = 0;

	while (table_shape_distance(first[last]))
		last++;
	if (row > last)
		return false;
	*ret = first[last - row];
	return true;
}

/* Reads the segment's next row, whether its rule is another or not. */
static void read_ahead(struct table_cursor *cursor)
{
	const struct table *table = cursor->table;
	uint32_t last = last_entry(cursor);

	for (; cursor->entry < last; cursor->entry++, cursor->row = 0) {
		uint64_t pc = entry_vaddr(cursor, cursor->entry, &cursor->page);
		uint32_t entry = table->entry[cursor->entry], page = cursor->page;
		uint64_t pc_end = cursor->entry + 1 < last
					  ? entry_vaddr(cursor, cursor->entry + 1, &page)
					  : segment_end(cursor);
		uint16_t row = 0;

		cursor->has_next = true;
		cursor->next_pc = pc;
		if (entry & TABLE_DIRECT) {
			cursor->next_rule = table_entry_number(entry);
			cursor->entry++;
			return;
		}
		if (!shape_row(table, entry, cursor->row, &row) ||
		    pc + table_shape_distance(row) >= pc_end)
			continue;
		cursor->row++;
		cursor->next_pc += table_shape_distance(row);
		cursor->next_rule = table_shape_rule(row);
		return;
	}
	cursor->has_next = false;
}

void table_cursor_next(struct table_cursor *cursor)
{
	const struct table *table = cursor->table;

	while (!cursor->has_next) {
		if (++cursor->segment >= table->segment_count) {
			cursor->pc = cursor->pc_end = UINT64_MAX;
			return;
		}
		cursor->page = 0;
		cursor->row = 0;
		cursor->entry = table->page[segment_of(cursor)->first_page];
		read_ahead(cursor);
	}
	cursor->pc = cursor->next_pc;
	cursor->rule = cursor->next_rule;
	do
		read_ahead(cursor);
	while (cursor->has_next && cursor->next_rule == cursor->rule);
	cursor->pc_end = cursor->has_next ? cursor->next_pc : segment_end(cursor);
}

struct table_cursor table_cursor_begin(const struct table *table)
{
	struct table_cursor cursor = { .table = table, .segment = UINT32_MAX };

	table_cursor_next(&cursor);
	return cursor;
}
