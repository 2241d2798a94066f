/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * table_cursor.c - a table's stretches of one rule, one at a time
 *
 * Rows are read one ahead, since neighbours of one rule are one stretch, also where segments follow
 * each other.
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

	return segment->vaddr + segment->bytes;
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

/* Reads the next row of the segment's entries. False: there is none. */
static bool read_entry(struct table_cursor *cursor)
{
	const struct table *table = cursor->table;
	uint32_t last = last_entry(cursor);

	for (; cursor->entry < last; cursor->entry++, cursor->row = 0) {
		uint64_t pc = entry_vaddr(cursor, cursor->entry, &cursor->page);
		uint32_t entry = table->entry[cursor->entry], page = cursor->page;
		uint64_t pc_end = cursor->entry + 1 < last
					  ? entry_vaddr(cursor, cursor->entry + 1, &page)
					  : table_pages_end(table, segment_of(cursor));
		uint16_t row = 0;

		cursor->next_pc = pc;
		if (entry & TABLE_DIRECT) {
			cursor->next_rule = table_entry_number(entry);
			cursor->entry++;
			return true;
		}
		if (!shape_row(table, entry, cursor->row, &row) ||
		    pc + table_shape_distance(row) >= pc_end)
			continue;
		cursor->row++;
		cursor->next_pc += table_shape_distance(row);
		cursor->next_rule = table_shape_rule(row);
		return true;
	}
	return false;
}

/* What is behind the segment's pages. False: nothing, or it was read. */
static bool read_rest(struct table_cursor *cursor)
{
	uint64_t pages_end = table_pages_end(cursor->table, segment_of(cursor));

	if (cursor->rest_read || pages_end == segment_end(cursor))
		return false;
	cursor->rest_read = true;
	cursor->next_pc = pages_end;
	cursor->next_rule = TABLE_NO_ROW;
	return true;
}

static void enter_segment(struct table_cursor *cursor, uint32_t number)
{
	cursor->segment = number;
	cursor->page = 0;
	cursor->row = 0;
	cursor->entry = cursor->table->page[segment_of(cursor)->first_page];
	cursor->rest_read = false;
}

/* Reads the next row, whether its rule is another or not, in this segment, or those that go on
 * where it ends. */
static void read_ahead(struct table_cursor *cursor)
{
	const struct table *table = cursor->table;

	for (;;) {
		cursor->has_next = read_entry(cursor) || read_rest(cursor);
		if (cursor->has_next || cursor->segment + 1 >= table->segment_count ||
		    table->segment[cursor->segment + 1].vaddr != segment_end(cursor))
			return;
		enter_segment(cursor, cursor->segment + 1);
	}
}

void table_cursor_next(struct table_cursor *cursor)
{
	const struct table *table = cursor->table;

	while (!cursor->has_next) {
		if (cursor->segment + 1 >= table->segment_count) {
			cursor->pc = cursor->pc_end = UINT64_MAX;
			return;
		}
		enter_segment(cursor, cursor->segment + 1);
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
